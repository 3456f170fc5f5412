/* What ends the program when something went wrong. */
#ifndef MRCI_FAIL_H
#define MRCI_FAIL_H

#include <stddef.h>

/* Prints one line on standard error, removes the scratch file, and ends all ranks. */
void fail(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));

/* The same, called by all ranks at once: one of them speaks for all. */
void fail_together(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));

/* The scratch file that is there now, or NULL; the string must stay. */
void fail_removes(const char *scratch_file);

/* malloc, or fail. */
void *allocate(size_t bytes);

#endif
