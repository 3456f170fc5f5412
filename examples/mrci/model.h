/* The arithmetic, without regard to where vectors are kept. Coefficients are small whole numbers in doubles, so that sums do not
 * depend on their order and results can be compared bit by bit.
 *
 * Segment i of the product is the sum over its couplings s of f(i,s) H(i,s) c(j), where c(j) is a segment of the expansion
 * vector, j = model_partner(i,s), and H(i,s) takes an eighth of its elements, in runs of 16, from rotated places. */
#ifndef MRCI_MODEL_H
#define MRCI_MODEL_H

/* The segment that is coupled to segment `i` for the `s`-th time. */
int model_partner(int i, int s);

/* The factor f(i,s), a whole number that is not zero. */
double model_factor(int i, int s);

/* Fills c with segment `j` of the expansion vector. */
void model_expansion(int j, double *c);

/* w := H(i,s) c. */
void model_apply(int i, int s, const double *c, double *w);

/* y := y + a x, for a whole segment. */
void model_daxpy(double a, const double *x, double *y);

/* sum := segment `i` of the product, by a loop over all couplings; c and w are room for a segment each. */
void model_product(int i, double *sum, double *c, double *w);

#endif
