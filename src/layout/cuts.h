/* How one side of a matrix is cut into tiles of any sizes. */
#ifndef ASHI_CUTS_H
#define ASHI_CUTS_H

#include <ashlar/base.h>

/* Tile t has the indices at[t] to at[t + 1] - 1. */
typedef struct ashi_cuts {
    int64_t tiles;
    int64_t *at; /* tiles + 1 numbers, the first 0 */
} ashi_cuts;

/* From the sizes of the tiles, each at least 0: `out` is freed by ashi_cuts_free, also after a failure. `name` is how
 * messages name the side: "the rows of A". ASHLAR_ERR_ARG; ASHLAR_ERR_OVERFLOW; ASHLAR_ERR_MEMORY. */
ashlar_status ashi_cuts_make(int64_t tiles, const int64_t *size, const char *name, ashi_cuts *out, ashlar_error *err);

/* `all` indices in as many tiles as make their mean size at most `mean`, at least 1, and as equal as they can be: the
 * first ones have one index more. ASHLAR_ERR_MEMORY. */
ashlar_status ashi_cuts_even(int64_t all, int64_t mean, ashi_cuts *out, ashlar_error *err);

ashlar_status ashi_cuts_copy(const ashi_cuts *from, ashi_cuts *out, ashlar_error *err);
void ashi_cuts_free(ashi_cuts *cuts);

static inline int64_t ashi_cuts_size(const ashi_cuts *cuts, int64_t tile)
{
    return cuts->at[tile + 1] - cuts->at[tile];
}

/* Indices of the whole side. */
static inline int64_t ashi_cuts_all(const ashi_cuts *cuts)
{
    return cuts->at[cuts->tiles];
}

/* The tile that has an index; 0 <= index < ashi_cuts_all. */
int64_t ashi_cuts_find(const ashi_cuts *cuts, int64_t index);

/* The first tile whose end is not the same in both, -1 if there is none: also if one has fewer tiles. */
int64_t ashi_cuts_differ(const ashi_cuts *x, const ashi_cuts *y);

/* Words of a tile that has `rows` rows and `cols` columns, and is stored as U V^T of that rank; -1: it is dense. */
static inline int64_t ashi_tile_stored_words(int64_t rank, int64_t rows, int64_t cols)
{
    return rank < 0 ? rows * cols : rank * (rows + cols);
}

#endif
