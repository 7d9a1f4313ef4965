/* The groups of a rank after a few tiles have changed. */
#ifndef ASHI_TILE_GROUPS_CHANGE_H
#define ASHI_TILE_GROUPS_CHANGE_H

#include "engine/tile_groups.h"
#include "layout/pattern_change.h"

/* Both problems have the same cuts, deals, terms, panels and iterations, and processes that have tiles of C
 * (ashi_tile_groups_can_change). */
typedef struct ashi_tile_groups_changes {
    const ashi_tile_problem *before, *after; /* only `needs` is used of the former, which outlive the change */
    const ashi_pattern_changes *factor[2];   /* of the patterns of A and B */
    const ashi_pattern_changes *sums;        /* of C's, one after the other */
    int64_t sums_count;
} ashi_tile_groups_changes;

/* Whether groups that were found for one problem can be changed for another with the same cuts, deals, terms and
 * panels: the iterations are the same, and the same processes have tiles of C. Not with layers or tiles of low rank in
 * one of the two: a tile's entry then follows from more than its place and who needs it. */
bool ashi_tile_groups_can_change(const ashi_tile_problem *before, const ashi_tile_problem *after);

/* The groups become those that ashi_tile_groups_find gives for `after`: lines are changed in place, and only tiles that
 * come or go, or that other processes need than before, are looked at. *looked: how many. After a failure `groups` can
 * only be freed. ASHLAR_ERR_MEMORY; ASHLAR_ERR_OVERFLOW. */
ashlar_status ashi_tile_groups_change(const ashi_tile_groups_changes *changes, int64_t rank, ashi_tile_groups *groups,
                                      int64_t *looked, ashlar_error *err);

#endif
