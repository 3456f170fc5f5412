/* The smallest test harness: a test is a function named by a sentence, a failed check prints where and what. */
#ifndef CHECK_H
#define CHECK_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int check_failures;

#define CHECK(condition)                                                                      \
    do {                                                                                      \
        if (!(condition)) {                                                                   \
            fprintf(stderr, "%s:%d: %s: not so: %s\n", __FILE__, __LINE__, __func__, #condition); \
            check_failures++;                                                                 \
        }                                                                                     \
    } while (0)

#define CHECK_CODE(call, expected)                                                            \
    do {                                                                                      \
        int check_found = (call);                                                             \
        if (check_found != (expected)) {                                                      \
            fprintf(stderr, "%s:%d: %s: %s gives %d, expected %d\n", __FILE__, __LINE__, __func__, #call, \
                    check_found, (expected));                                                 \
            check_failures++;                                                                 \
        }                                                                                     \
    } while (0)

#define RUN(test)                                                                             \
    do {                                                                                      \
        int check_before = check_failures;                                                    \
        test();                                                                               \
        printf("%s %s\n", check_failures == check_before ? "ok    " : "FAILED", #test);       \
        fflush(stdout);                                                                       \
    } while (0)

#endif
