/* Staggered strips of a nest: C's way back spread over its products.
 *
 * One rank; C stays, in `strips` strips of a tile, cut along the side of C that is not contiguous. The tiles follow one
 * another along that side: a row of them after the other. The strips of a tile begin one after the other, over
 * `stagger` items, and each goes through all slabs of k in cyclic order, from where it begins. So they are complete one
 * after the other too: while one is copied out the others are multiplied, and the strip of the next tile takes its
 * place.
 *
 * The matrix along the rows is read for each strip once, as without staggering. Of the other one the slabs are read
 * again that are used in the items in which a row of tiles ends, fewer than `stagger` for each row of tiles. */
#ifndef ASHI_NEST_STAGGER_H
#define ASHI_NEST_STAGGER_H

#include "engine/nest.h"

/* What all items have in common. */
typedef struct ashi_stagger {
    int64_t size[3];
    int along, across;      /* the index, of m and n, that strips are cut along, and the other one */
    int64_t tiles, rows;    /* in a row; rows of tiles */
    int64_t strips, slabs;  /* of a tile; of k */
    int64_t spread;         /* items over which the strips of a tile begin, evenly spread */
    int64_t row_items, items;
} ashi_stagger;

/* An item: a slab of k for all strips that have begun and are not complete. Strips are numbered along a row. */
typedef struct ashi_stagger_item {
    int64_t row;
    int64_t strip_lo, strip_hi;
    int64_t complete;     /* strips before this one are complete after the item */
    int64_t begun;        /* strips from this one on begin with it */
    int64_t lo[3], hi[3]; /* of m, n and k, in which the item's products are */
} ashi_stagger_item;

ashi_stagger ashi_stagger_of(const ashi_nest *nest);
ashi_stagger_item ashi_stagger_item_of(const ashi_stagger *s, int64_t number);

/* Where strip `strip` of a row, or the next one, begins along the row. */
int64_t ashi_stagger_edge(const ashi_stagger *s, int64_t strip);

/* Side lengths of the largest boxes, as of ashi_nest_shape; figures and words held, exact. */
void ashi_stagger_shape(const ashi_nest *nest, int64_t shape[3]);
int64_t ashi_stagger_memory(const ashi_nest *nest);
ashi_nest_figures ashi_stagger_figures(const ashi_nest *nest);

/* ASHLAR_ERR_INTERNAL if the nest cannot be staggered; ASHLAR_ERR_MEMORY; ASHLAR_ERR_OVERFLOW. */
ashlar_status ashi_stagger_program(const ashi_nest *nest, ashi_program *out, ashlar_error *err);

#endif
