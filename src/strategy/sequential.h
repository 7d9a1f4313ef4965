/* The near-optimal sequential schedule: matrices in files that do not fit in memory, C tile by tile. */
#ifndef ASHI_SEQUENTIAL_H
#define ASHI_SEQUENTIAL_H

#include "schedule/schedule.h"

/* What is asked for. */
typedef struct ashi_sequential_request {
    int64_t size[3];      /* m, n, k, each at least 0; k = 0 where alpha is 0 */
    int64_t ranks;
    int64_t memory_words; /* S, that a rank may hold at once */
    int64_t bytes;        /* of a word: how thick a slab has to be to be read at speed */
    bool adds;            /* C0 is read */
    bool one_writer;      /* the output's format lets only one rank write: rank 0 does all */
    bool in_columns;      /* it is written in the order of its columns, so by one rank too */
} ashi_sequential_request;

/* What was chosen. Part (i, j) of C, cut evenly into a grid, is computed by rank i + j * grid[0]. */
typedef struct ashi_sequential {
    int64_t size[3], ranks;
    bool adds;
    int64_t grid[2];  /* parts of m and n */
    int64_t tiles[2]; /* of the largest part: down and across; a part of fewer rows has no more tiles than rows */
    int64_t slabs;    /* of k, 0 where k is */
} ashi_sequential;

/* Words between files and memory. */
typedef struct ashi_disk_words {
    int64_t a, b, c0; /* read */
    int64_t c;        /* written */
    int64_t all;
} ashi_disk_words;

/* Choose grid, tile and slab: fewest words of the busiest rank, with slabs of a thickness that files are read well in
 * (see sequential.c), within memory_words a rank.
 * @return ASHLAR_OK; ASHLAR_ERR_LIMIT with the least words that would do; ASHLAR_ERR_OVERFLOW */
ashlar_status ashi_sequential_choose(const ashi_sequential_request *request, ashi_sequential *out, ashlar_error *err);

/* The same where there is nothing to multiply, k = 0: C is written, beta C0 or zeros, in pieces of at most memory_words
 * that are whole rows of its file, or whole columns unless by_rows, or parts of one. The size may be 0. */
ashi_sequential ashi_sequential_lines(const ashi_sequential_request *request, bool by_rows);

/* The largest tile, its height, its width and the thickness of its slabs. */
void ashi_sequential_shape(const ashi_sequential *s, int64_t *a, int64_t *b, int64_t *h);

/* Words a rank holds at once: the largest tile and its slabs. */
int64_t ashi_sequential_memory(const ashi_sequential *s);

/* The exact words of the busiest rank, which is rank 0, and of all ranks, in closed form. */
ashi_disk_words ashi_sequential_busiest(const ashi_sequential *s);
ashi_disk_words ashi_sequential_total(const ashi_sequential *s);

/* The schedule of a choice. ASHLAR_ERR_MEMORY; ASHLAR_ERR_OVERFLOW where its steps do not fit in 64 bits. */
ashlar_status ashi_sequential_schedule(const ashi_sequential *s, ashi_schedule *out, ashlar_error *err);

#endif
