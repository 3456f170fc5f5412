/* The pipeline. While segment t is unpacked, added to and packed, the write of t-1 and the reads of t+1 are under way. So a rank
 * holds up to three locks. It takes them in ascending order and gives all back before it begins again from below: ranks that wait
 * for one another in a circle would have to hold a higher lock than the one they wait for. A lock is given back only when the
 * write that it guards has been waited for. */
#include "accumulate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fail.h"
#include "ga.h"
#include "macdecls.h"
#include "model.h"
#include "options.h"
#include "packing.h"
#include "records.h"

/* Ranks take chunks: a coupling of so many neighbouring segments. */
enum { BUFFERS = 3, CHUNK_SEGMENTS = 32 };

/* A segment on its way through the pipeline. */
static struct stage {
    int segment, coupling;
    struct entry product_entry;
    struct transfer product_read, expansion_read, product_write;
    size_t expansion_bytes;
    void *packed_product, *packed_expansion, *packed_result;
} stages[BUFFERS];

static double *c, *w, *sum;
static int counter;
static struct work work;

static int product_record(int segment)
{
    return options.segments + segment;
}

/* ---- begin and end ---- */

static double *new_segment(void)
{
    return allocate((size_t)options.elements * sizeof(double));
}

/* Packed records in memory are whole words. */
static void *new_packed(void)
{
    return allocate(packing_bytes_max() + sizeof(long));
}

void accumulate_begin(void)
{
    int dims[1] = {1};
    for (int i = 0; i < BUFFERS; i++)
        stages[i] = (struct stage){.packed_product = new_packed(), .packed_expansion = new_packed(), .packed_result = new_packed()};
    c = new_segment();
    w = new_segment();
    sum = new_segment();
    counter = NGA_Create(C_LONG, 1, dims, (char *)"next chunk", NULL);
    if (!counter)
        fail_together("no memory for a counter");
}

void accumulate_end(void)
{
    GA_Destroy(counter);
    for (int i = 0; i < BUFFERS; i++) {
        free(stages[i].packed_product);
        free(stages[i].packed_expansion);
        free(stages[i].packed_result);
    }
    free(c);
    free(w);
    free(sum);
}

/* ---- one record at a time ---- */

static void write_record(int record, const double *segment)
{
    struct transfer write;
    struct entry entry = records_find(record);
    size_t bytes = pack(segment, stages[0].packed_result);
    records_start_write(record, &entry, bytes, stages[0].packed_result, &write);
    records_finish(&write);
}

/* A product that nothing was added to is zero. */
static void read_product(int segment, double *into)
{
    struct transfer read;
    struct entry entry = records_find(product_record(segment));
    records_start_read(product_record(segment), &entry, stages[0].packed_product, &read);
    records_finish(&read);
    if (entry.place == NOWHERE)
        memset(into, 0, (size_t)options.elements * sizeof *into);
    else
        unpack(stages[0].packed_product, (size_t)entry.bytes, into, "product segment", segment);
}

void store_expansion(void)
{
    for (int j = GA_Nodeid(); j < options.segments; j += GA_Nnodes()) {
        model_expansion(j, c);
        write_record(j, c);
    }
    GA_Sync();
}

/* ---- the pipeline ---- */

static void start_reads(struct stage *stage, int segment, int coupling)
{
    int partner = model_partner(segment, coupling);
    struct entry expansion = records_find(partner);
    stage->segment = segment;
    stage->coupling = coupling;
    stage->expansion_bytes = (size_t)expansion.bytes;
    records_start_read(partner, &expansion, stage->packed_expansion, &stage->expansion_read);
    records_lock(product_record(segment));
    stage->product_entry = records_find(product_record(segment));
    records_start_read(product_record(segment), &stage->product_entry, stage->packed_product, &stage->product_read);
}

static void unpack_product(const struct stage *stage)
{
    if (stage->product_entry.place == NOWHERE)
        memset(sum, 0, (size_t)options.elements * sizeof *sum);
    else
        unpack(stage->packed_product, (size_t)stage->product_entry.bytes, sum, "product segment", stage->segment);
}

/* Returns the packed bytes of the new segment. */
static size_t add(struct stage *stage)
{
    records_finish(&stage->expansion_read);
    unpack(stage->packed_expansion, stage->expansion_bytes, c, "expansion segment", model_partner(stage->segment, stage->coupling));
    model_apply(stage->segment, stage->coupling, c, w);
    records_finish(&stage->product_read);
    unpack_product(stage);
    model_daxpy(model_factor(stage->segment, stage->coupling), w, sum);
    return pack(sum, stage->packed_result);
}

static void start_write(struct stage *stage, size_t bytes)
{
    GA_Init_fence();
    records_start_write(product_record(stage->segment), &stage->product_entry, bytes, stage->packed_result, &stage->product_write);
    work.segment_bytes += (double)options.elements * sizeof(double);
    work.packed_bytes += (double)bytes + (double)stage->expansion_bytes;
    if (stage->product_entry.place != NOWHERE)
        work.packed_bytes += (double)stage->product_entry.bytes;
}

/* Nobody may look before the write is complete. */
static void finish_write(struct stage *stage)
{
    records_finish(&stage->product_write);
    GA_Fence();
    records_unlock(product_record(stage->segment));
}

/* Segments first..end-1, ascending, all locks given back at the end. */
static void accumulate_run(int first, int end, int coupling)
{
    if (first < end)
        start_reads(&stages[first % BUFFERS], first, coupling);
    for (int t = first; t < end; t++) {
        struct stage *stage = &stages[t % BUFFERS];
        if (t + 1 < end)
            start_reads(&stages[(t + 1) % BUFFERS], t + 1, coupling);
        size_t bytes = add(stage);
        if (t > first)
            finish_write(&stages[(t - 1) % BUFFERS]);
        start_write(stage, bytes);
    }
    if (first < end)
        finish_write(&stages[(end - 1) % BUFFERS]);
}

/* ---- chunks ---- */

static int chunks_a_vector(void)
{
    return (options.segments + CHUNK_SEGMENTS - 1) / CHUNK_SEGMENTS;
}

static long next_chunk(void)
{
    int first[1] = {0};
    return NGA_Read_inc(counter, first, 1);
}

/* Couplings of the same segments follow one another, so that ranks meet at locks; every second one begins in the middle, so that
 * they do not walk in file. */
static void accumulate_chunk(long chunk)
{
    int coupling = (int)(chunk % options.couplings), first = (int)(chunk / options.couplings) * CHUNK_SEGMENTS;
    int end = first + CHUNK_SEGMENTS < options.segments ? first + CHUNK_SEGMENTS : options.segments;
    int begin = coupling % 2 ? (first + end) / 2 : first;
    accumulate_run(begin, end, coupling);
    accumulate_run(first, begin, coupling);
}

struct work accumulate_product(void)
{
    long chunks = (long)chunks_a_vector() * options.couplings, chunk;
    work = (struct work){0, 0};
    GA_Zero(counter);
    while ((chunk = next_chunk()) < chunks)
        accumulate_chunk(chunk);
    GA_Sync();
    return work;
}

/* ---- the comparison ---- */

void spoil(int segment)
{
    if (GA_Nodeid() == 0) {
        read_product(segment, sum);
        sum[options.elements - 1] += 1;
        write_record(product_record(segment), sum);
    }
    GA_Sync();
}

static int is_wrong(int segment, double *product, double *expected)
{
    read_product(segment, product);
    model_product(segment, expected, c, w);
    for (int k = 0; k < options.elements; k++)
        if (product[k] != expected[k]) {
            fprintf(stderr, "mrci: segment %d, element %d is %.17g instead of %.17g\n", segment, k, product[k], expected[k]);
            return 1;
        }
    return 0;
}

static double dot_with_expansion(int segment, const double *product)
{
    double dot = 0;
    model_expansion(segment, c);
    for (int k = 0; k < options.elements; k++)
        dot += c[k] * product[k];
    return dot;
}

int count_wrong_segments(double *dot)
{
    double *expected = new_segment();
    int wrong = 0;
    *dot = 0;
    for (int i = GA_Nodeid(); i < options.segments; i += GA_Nnodes()) {
        wrong += is_wrong(i, sum, expected);
        *dot += dot_with_expansion(i, sum);
    }
    free(expected);
    GA_Igop(&wrong, 1, (char *)"+");
    GA_Dgop(dot, 1, (char *)"+");
    return wrong;
}
