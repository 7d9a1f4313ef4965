/* An order of the indices of one dimension of the iteration space, in which parts of layouts lie together.
 *
 * A block-cyclic layout deals its blocks out in turn; in the order "first all that process 0 has, then all that process
 * 1 has" each process has one interval. Domains are boxes in such axis positions, so that a domain can be just what a
 * process owns. Positions and natural indices are both counted from zero. */
#ifndef ASHI_AXIS_H
#define ASHI_AXIS_H

#include "layout/dim.h"

#include <ashlar/base.h>

typedef struct ashi_axis {
    int64_t size, runs;
    int64_t *at;    /* runs + 1 positions: run r is positions at[r] .. at[r+1]-1 */
    int64_t *index; /* the natural index of each run's first position; the others follow it */
} ashi_axis;

/* Order a dimension by the parts of `first`, within one by the parts of `second`, then by index. Either may be NULL. */
ashlar_status ashi_axis_build(int64_t size, const ashi_dim *first, const ashi_dim *second, ashi_axis *out,
                              ashlar_error *err);

/* Rearrange positions: run r of the result is positions from[r] .. from[r] + count[r] - 1 of the axis. */
ashlar_status ashi_axis_rearrange(ashi_axis *axis, int64_t runs, const int64_t *from, const int64_t *count,
                                  ashlar_error *err);

/* The arguments of a rearrangement, kept. */
typedef struct ashi_arrangement {
    int64_t runs;
    int64_t *from, *count; /* `count` lies behind `from`, in one piece of memory */
} ashi_arrangement;

ashlar_status ashi_arrangement_copy(const ashi_arrangement *from, ashi_arrangement *out, ashlar_error *err);
void ashi_arrangement_free(ashi_arrangement *arrangement);

ashlar_status ashi_axis_copy(const ashi_axis *axis, ashi_axis *out, ashlar_error *err);
bool ashi_axis_same(const ashi_axis *x, const ashi_axis *y);
void ashi_axis_free(ashi_axis *axis);

/* A layout's dimension seen along an axis: segments that lie within one part, next to each other in it. */
typedef struct ashi_strip {
    int64_t size, parts, count;
    int64_t *at;     /* count + 1 positions; the lists below are in the same piece of memory */
    int64_t *part;   /* of each segment */
    int64_t *local;  /* the place within the part of each segment's first position */
    int64_t *start;  /* parts + 1: where a part's segments begin in `list` */
    int64_t *list;   /* segment numbers, by part, then by position */
    int64_t *before; /* for each segment: positions of its part in earlier segments */
} ashi_strip;

ashlar_status ashi_strip_build(const ashi_axis *axis, const ashi_dim *dim, ashi_strip *out, ashlar_error *err);
ashlar_status ashi_strip_copy(const ashi_strip *strip, ashi_strip *out, ashlar_error *err);
void ashi_strip_free(ashi_strip *strip);

/* The segment that has a position; 0 <= position < size. */
int64_t ashi_strip_find(const ashi_strip *strip, int64_t position);

/* How many positions of a part lie below `position`. */
int64_t ashi_strip_below(const ashi_strip *strip, int64_t part, int64_t position);

/* How many lie in lo .. hi-1; *first: how many lie below lo. */
int64_t ashi_strip_between(const ashi_strip *strip, int64_t part, int64_t lo, int64_t hi, int64_t *first);

#endif
