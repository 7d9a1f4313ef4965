/* What the measuring programs share that are made of the library's objects. */
#ifndef ASHI_BENCH_INNER_H
#define ASHI_BENCH_INNER_H

#include <stdint.h>

/* One line on stderr, and the end of the program. */
_Noreturn void ashi_inner_end(const char *text);

/* An argument: a whole number from 1 to `most`. Anything else ends the program. */
int64_t ashi_inner_number(const char *text, int64_t most);

/* Memory for `count` numbers, or the end of the program. */
double *ashi_inner_doubles(int64_t count);

/* The middle one of n numbers, which it sorts. */
double ashi_inner_median(double *values, int n);

#endif
