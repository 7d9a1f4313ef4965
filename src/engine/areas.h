/* Where the panels of an engine's program lie in a rank's pool: in areas, each as long as the step that needs most. */
#ifndef ASHI_AREAS_H
#define ASHI_AREAS_H

#include "schedule/program.h"

/* The first area has what stays from the first step to the last: the running sums in most programs. */
enum { ASHI_AREA_SUMS = 0, ASHI_AREAS_MAX = ASHI_WINDOW_MAX + 4, ASHI_AREA_FIRST = -1 };

/* An area begins where another one, of a smaller number, ends, or at the pool's first word (ASHI_AREA_FIRST). If two
 * begin behind the same one, the engine sees to it that they are not in use at the same time. */
typedef struct ashi_area {
    int behind;
    int64_t at;    /* its first word; known once all steps of the rank were made */
    int64_t words; /* the most that its panels have reached so far */
    int64_t used;  /* by panels one after the other, since it was entered */
} ashi_area;

typedef struct ashi_areas {
    int count; /* 0: the engine fixes no places */
    int now;   /* the one in which panels get their places, one after the other, */
    int sums;  /* except for running sums, whose area this is */
    ashi_area area[ASHI_AREAS_MAX];
    int64_t rank; /* of which all steps were made; -1: of none */
} ashi_areas;

/* Add an area. Returns its number. */
int ashi_areas_add(ashi_areas *areas, int behind);

/* A rank's steps are made from the first one on. */
void ashi_areas_begin(ashi_areas *areas, int64_t rank);

/* Panels lie in this area from now on, from its beginning. */
void ashi_areas_enter(ashi_areas *areas, int area);

/* The same behind the panels that the area has. Returns the area in which they lay before. */
int ashi_areas_return(ashi_areas *areas, int area);

/* The place of a panel in the pool that is within no other: behind the one before it, a running sum in the area of the
 * sums. In a second pass over a rank's steps it is `fixed`. ASHLAR_ERR_OVERFLOW. */
ashlar_status ashi_areas_place(ashi_areas *areas, ashi_panel *panel, ashlar_error *err);

/* The same at a place of the engine's choice, counted from the beginning of an area. */
ashlar_status ashi_areas_place_at(ashi_areas *areas, ashi_panel *panel, int area, int64_t at, ashlar_error *err);

/* All steps of the rank were made: find where each area begins. ASHLAR_ERR_OVERFLOW. */
ashlar_status ashi_areas_end(ashi_areas *areas, int64_t rank, ashlar_error *err);

/* Words up to the end of the area that reaches furthest. */
int64_t ashi_areas_words(const ashi_areas *areas);

#endif
