/* What the driver can be asked for; driver.c says how. All are collective and answer by themselves. */
#ifndef CHEMIO_BENCH_COMMANDS_H
#define CHEMIO_BENCH_COMMANDS_H

#include <stdint.h>

/* transfer.c */
void command_transfer(const char *operation, const char *kind, const char *locality, int64_t bytes, double seconds);
/* counter.c */
void command_count(double seconds);
/* multiply.c */
void command_multiply(const char *form, int order, double seconds);
/* yardstick.c */
void command_copy(const char *what, int64_t bytes, double seconds);
void command_blas(const char *form, int order, const char *who, double seconds);

#endif
