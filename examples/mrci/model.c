#include "model.h"

#include <stdint.h>
#include <string.h>

#include "options.h"

enum { RUN_ELEMENTS = 16, COEFFICIENT_MAX = 7 };

/* What a number of hash means. */
enum purpose { PARTNER, FACTOR, COEFFICIENT, COUPLED, ROTATION };

/* The finaliser of splitmix64. */
static uint64_t mixed(uint64_t value)
{
    value += 0x9e3779b97f4a7c15u;
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9u;
    value = (value ^ (value >> 27)) * 0x94d049bb133111ebu;
    return value ^ (value >> 31);
}

static uint64_t hash(enum purpose purpose, int i, int s)
{
    return mixed(mixed(options.seed * 8 + purpose) ^ ((uint64_t)(uint32_t)i << 32 | (uint32_t)s));
}

int model_partner(int i, int s)
{
    return (int)(hash(PARTNER, i, s) % (uint64_t)options.segments);
}

double model_factor(int i, int s)
{
    double size = 1 + (double)(hash(FACTOR, i, s) % 3);
    return hash(FACTOR, i, s) >> 63 ? -size : size;
}

/* Every second run of 16 is zero: CI vectors have many coefficients that symmetry or a threshold removes. */
void model_expansion(int j, double *c)
{
    uint64_t bits = 0;
    for (int k = 0; k < options.elements; k++) {
        if (k % RUN_ELEMENTS == 0)
            bits = hash(COEFFICIENT, j, k);
        c[k] = bits & 1 ? (double)((bits >> (k % RUN_ELEMENTS * 3 + 1) & 7)) - (COEFFICIENT_MAX - 3) : 0;
    }
}

void model_apply(int i, int s, const double *c, double *w)
{
    int n = options.elements, shift = (int)(hash(ROTATION, i, s) % (uint64_t)n);
    memset(w, 0, (size_t)n * sizeof *w);
    for (int run = 0; run < n; run += RUN_ELEMENTS) {
        int end = run + RUN_ELEMENTS < n ? run + RUN_ELEMENTS : n;
        if ((hash(COUPLED, i, s) ^ mixed((uint64_t)run)) % 8 != 0)
            continue;
        for (int k = run; k < end; k++)
            w[k] = c[k < n - shift ? k + shift : k + shift - n];
    }
}

void model_daxpy(double a, const double *x, double *y)
{
    for (int k = 0; k < options.elements; k++)
        y[k] += a * x[k];
}

void model_product(int i, double *sum, double *c, double *w)
{
    memset(sum, 0, (size_t)options.elements * sizeof *sum);
    for (int s = 0; s < options.couplings; s++) {
        model_expansion(model_partner(i, s), c);
        model_apply(i, s, c, w);
        model_daxpy(model_factor(i, s), w, sum);
    }
}
