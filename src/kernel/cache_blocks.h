/* Sizes of the blocks that the loops around the innermost product keep in caches. */
#ifndef ASHI_CACHE_BLOCKS_H
#define ASHI_CACHE_BLOCKS_H

#include "kernel/micro.h"

/* As many k are summed up at once, at most, of real numbers in double precision. Three tiles of about 256 and up to an
 * eighth more are no more than twice that. */
enum { ASHI_CACHE_DEPTH = 448 };

/* A block of A has mc rows, a panel of B nc columns, and both kc of the sum. */
typedef struct ashi_cache_blocks {
    int64_t mc, nc, kc;
} ashi_cache_blocks;

/* For a product of m x n x k: parts of equal size; mc and nc are whole numbers of the innermost product's rows and
 * columns. They depend on the sizes, the type and the kernel only, so that sums are the same from run to run. kc is at
 * most `deepest`, or as large as is good if that is 0. */
ashi_cache_blocks ashi_cache_blocks_of(ashlar_type type, int64_t m, int64_t n, int64_t k, int64_t deepest);

/* The size of equal parts of `count`, each a whole number of units, and none above `most` unless a unit is. */
int64_t ashi_cache_part(int64_t count, int64_t unit, int64_t most);

#endif
