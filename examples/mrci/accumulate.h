/* Product vectors from expansion vectors, by records. Record j is segment j of the expansion vector, and record
 * segments + i is segment i of the product. */
#ifndef MRCI_ACCUMULATE_H
#define MRCI_ACCUMULATE_H

/* What one accumulation of everything moved on this rank. */
struct work {
    double segment_bytes; /* of the segments that were accumulated into, unpacked */
    double packed_bytes;  /* that were read and written for it */
};

void accumulate_begin(void);
void accumulate_end(void);

/* Collective: stores the expansion vector. */
void store_expansion(void);

/* Collective: accumulates all couplings of all segments, each on whichever rank is free. */
struct work accumulate_product(void);

/* Collective: changes one element of a segment of the product. */
void spoil(int segment);

/* Collective: compares the product with a serial calculation; the number of segments that differ, and c . product. */
int count_wrong_segments(double *dot);

#endif
