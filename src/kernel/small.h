/* Products of small tiles, each by a kernel that was made for its sizes. */
#ifndef ASHI_SMALL_H
#define ASHI_SMALL_H

#include <ashlar/base.h>

/* No kernel is made for tiles that are larger: the BLAS is as fast there. */
enum { ASHI_SMALL_MOST = 128 };

/* C += A B, or A B^T: A is m x k, B is k x n (or n x k), C is m x n, each with its rows as the leading dimension. */
typedef struct ashi_small {
    void (*kernel)(void); /* NULL: there is none; else what small.c casts it to */
    int16_t m, n, k;      /* 0: it was made for its sizes and does not ask for them */
    bool turned_b;
} ashi_small;

/* Where the tiles of a product begin, in elements. */
typedef struct ashi_small_at {
    int64_t a, b, c;
} ashi_small_at;

/* A kernel, made the first time that it is asked for, and kept for all threads until the program ends, or one of ours
 * (overlap.h) where that is faster. NULL in it: the library was built without libxsmm, the type is complex, the tiles
 * are large, or there is no memory for code. */
ashi_small ashi_small_find(ashlar_type type, int64_t m, int64_t n, int64_t k, bool turned_b);

/* A stack: products of equal sizes, one after the other in this order. */
void ashi_small_run(ashi_small kernel, ashlar_type type, int64_t count, const ashi_small_at *at, const void *a,
                    const void *b, void *c);

#endif
