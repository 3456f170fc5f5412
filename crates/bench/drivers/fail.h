/* The end of a driver that something went wrong in. */
#ifndef CHEMIO_BENCH_FAIL_H
#define CHEMIO_BENCH_FAIL_H

/* Prints an error as the answer, {"error": "..."}, and ends the process, or all ranks of the job. */
void fail(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));

#endif
