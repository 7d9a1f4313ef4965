/* How one dimension of a matrix is cut into parts: block-cyclic by formula, or tiles by their cuts. */
#ifndef ASHI_DIM_H
#define ASHI_DIM_H

#include <stdbool.h>
#include <stdint.h>

/* A part is a process row or column of a block-cyclic layout, or a tile row or column of a tiles layout. */
typedef struct ashi_dim {
    int64_t size;          /* elements along the dimension */
    int64_t parts;
    int64_t block, source; /* block-cyclic: elements of a block, the part that has the first one */
    int64_t first;         /* block-cyclic: elements of the first block */
    int64_t whole, start;  /* block-cyclic: of a larger dimension of this many elements, those from `start` on */
    int64_t *cuts;         /* tiles: parts + 1 numbers; NULL where block-cyclic */
} ashi_dim;

/* The part that has an index; 0 <= index < size. */
int64_t ashi_dim_part(const ashi_dim *dim, int64_t index);

/* The place of an index among those that its part has. */
int64_t ashi_dim_local(const ashi_dim *dim, int64_t index);

/* The first index beyond `index` that is in another part, or not next to its neighbour within the part. */
int64_t ashi_dim_run_end(const ashi_dim *dim, int64_t index);

/* Indices that lie next to each other within a part, from one of them on. */
typedef struct ashi_dim_run {
    int64_t part, local, end; /* as the three functions above say */
} ashi_dim_run;

/* All three at once, with few divisions: planning asks for every run of every dimension, often. */
ashi_dim_run ashi_dim_run_at(const ashi_dim *dim, int64_t index);

/* How many indices a part has. */
int64_t ashi_dim_count(const ashi_dim *dim, int64_t part);

/* How many indices of the larger dimension a part has before `start`, and in all: its place and room in memory. */
int64_t ashi_dim_skip(const ashi_dim *dim, int64_t part);
int64_t ashi_dim_room(const ashi_dim *dim, int64_t part);

/* Whether both cut a dimension alike into blocks, with the same numbers for the parts. */
bool ashi_dim_same(const ashi_dim *x, const ashi_dim *y);

#endif
