/* Boxes of a matrix, one or several a rank, found by where they are. */
#ifndef ASHI_PLACES_H
#define ASHI_PLACES_H

#include "layout/view.h"

typedef struct ashi_place {
    ashi_box box;
    int64_t part, piece; /* whose it is, for whoever asks */
    int rank;
} ashi_place;

/* In the order of minor_lo, then major_lo, then part, then piece. Two boxes have the same minor side or disjoint ones,
 * and where they are the same so with the major sides. */
typedef struct ashi_places {
    int64_t count, capacity;
    ashi_place *at;
    int64_t *start; /* ranks + 1: where the places of a rank begin in `of_rank` */
    int64_t *of_rank;
} ashi_places;

ashlar_status ashi_places_add(ashi_places *places, const ashi_place *place, ashlar_error *err);

/* Once all are added. */
ashlar_status ashi_places_sort(ashi_places *places, int64_t ranks, ashlar_error *err);
void ashi_places_free(ashi_places *places);

/* The first place, from number `from` on, that has words in common with a box; count where there is none. */
int64_t ashi_places_next(const ashi_places *places, const ashi_box *box, int64_t from);

#endif
