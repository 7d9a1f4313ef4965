/* Numbers taken out of arrays and put into them, in place. */
#ifndef ASHI_SPLICE_H
#define ASHI_SPLICE_H

#include <ashlar/base.h>
#include <stddef.h>

/* Elements that stay together: those from `first` on move by `shift`. */
typedef struct ashi_splice_part {
    int64_t first, count, shift;
} ashi_splice_part;

/* How the elements of an array move when some go and others come between them. */
typedef struct ashi_splice {
    int64_t before, after;  /* elements */
    ashi_splice_part *part; /* in their order */
    int64_t parts, comes;
    int64_t *place;         /* where each element that comes has its place afterwards */
} ashi_splice;

/* Which elements go, and before which of the old elements (or the end) others come: both in ascending order, `gone`
 * without repetition. Freed by ashi_splice_free, also after a failure. ASHLAR_ERR_MEMORY. */
ashlar_status ashi_splice_make(int64_t elements, const int64_t *gone, int64_t goes, const int64_t *before,
                               int64_t comes, ashi_splice *out, ashlar_error *err);
void ashi_splice_free(ashi_splice *splice);

/* Move the elements of an array that has room for those before and those after. The places of those that come are the
 * caller's to fill. */
void ashi_splice_move(const ashi_splice *splice, void *array, size_t size);

/* The same for an array from malloc with room for `*room` elements and one more: it is made larger if need be, somewhat
 * more than is needed, so that the next changes find room. NULL if memory lacks: the array is as it was. */
void *ashi_splice_array(const ashi_splice *splice, void *array, int64_t *room, size_t size);

/* The same for running sums, one more than there are elements: where each element begins, and where the last one ends.
 * `length` has the lengths of those that come. ASHLAR_ERR_MEMORY: *start is as it was; ASHLAR_ERR_OVERFLOW: it can only
 * be freed. */
ashlar_status ashi_splice_starts(const ashi_splice *splice, int64_t **start, int64_t *room, const int64_t *length,
                                 ashlar_error *err);

#endif
