/* The Fortran BLAS on 4-byte integers. */
#ifndef CHEMIO_BENCH_BLAS_H
#define CHEMIO_BENCH_BLAS_H

void dgemm_(const char *form_a, const char *form_b, const int *m, const int *n, const int *k, const double *alpha,
            const double *a, const int *lda, const double *b, const int *ldb, const double *beta, double *c,
            const int *ldc);
void daxpy_(const int *elements_count, const double *factor, const double *x, const int *x_stride, double *y,
            const int *y_stride);

#endif
