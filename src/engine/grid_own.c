/* Where a rank's box is, what it owns, and whose words are in its box of C. */
#include "engine/grid_own.h"

#include "base/checked.h"
#include "engine/builder.h"

/* The positions between which a part of a layout has any. */
static ashi_reach part_reach(const ashi_strip *strip, int64_t part)
{
    if (strip->start[part] == strip->start[part + 1])
        return (ashi_reach){strip->size, 0};
    const int64_t last = strip->list[strip->start[part + 1] - 1];
    return (ashi_reach){strip->at[strip->list[strip->start[part]]], strip->at[last + 1]};
}

ashi_box ashi_grid_owned(const ashi_view *view, int64_t rank)
{
    ashi_box box = {view->minor.size, 0, view->major.size, 0};
    for (int64_t i = view->start[rank]; i < view->start[rank + 1]; i++) {
        const int64_t r = view->pair[i] / view->layout->col.parts, c = view->pair[i] % view->layout->col.parts;
        const ashi_reach minor = part_reach(&view->minor, view->minor_is_row ? r : c);
        const ashi_reach major = part_reach(&view->major, view->minor_is_row ? c : r);
        box = (ashi_box){ashi_min(box.minor_lo, minor.lo), ashi_max(box.minor_hi, minor.hi),
                         ashi_min(box.major_lo, major.lo), ashi_max(box.major_hi, major.hi)};
    }
    return box;
}

ashi_box ashi_grid_slab(const ashi_grid_own *g, ashlar_operand x, int64_t face, int64_t round)
{
    const ashi_face *f = &g->domains.of[x].face[face];
    const int64_t lo = ashi_slab(&g->slabs, f->part, round), hi = ashi_slab(&g->slabs, f->part, round + 1);
    return ashi_dims_of[x][0] == g->domains.cut ? (ashi_box){lo, hi, f->box.major_lo, f->box.major_hi}
                                                : (ashi_box){f->box.minor_lo, f->box.minor_hi, lo, hi};
}

ashi_box ashi_grid_domain(const ashi_schedule *schedule, int64_t rank, int64_t part)
{
    (void)part;
    const ashi_grid_own *g = schedule->own;
    const ashi_seat *seat = &g->domains.seat[rank];
    return seat->idle ? (ashi_box){0, 0, 0, 0} : g->domains.of[ASHLAR_C].face[seat->face[ASHLAR_C]].box;
}

ashi_home ashi_grid_home(const ashi_schedule *schedule, int64_t rank, int64_t part)
{
    const ashi_grid_own *g = schedule->own;
    const ashi_view *view = &schedule->view[ASHLAR_C];
    const ashi_box box = ashi_grid_domain(schedule, rank, part), all = {0, schedule->m, 0, schedule->n};
    const int64_t own = ashi_view_words(view, rank, &box);
    if ((g->one_sum && own < ashi_box_words(&box)) ||
        (g->domains.c_overlaps && own < ashi_view_words(view, rank, &all)))
        return (ashi_home){ASHI_HOME_BUFFER, 0, 0};
    return ashi_home_find(view, rank, &box, g->tiled);
}

/* The same in all rounds and for all members of a face, so that they are found once. */
ashlar_status ashi_grid_find_owners(const ashi_grid_at *at)
{
    ashi_grid_own *g = at->g;
    if (g->summed_face == at->me->face[ASHLAR_C])
        return ASHLAR_OK;
    const ashi_box box = ashi_grid_domain(at->schedule, at->rank, 0);
    const ashlar_status status = ashi_view_pieces(&at->schedule->view[ASHLAR_C], &box, &g->summed, at->err);
    g->summed_face = status == ASHLAR_OK ? at->me->face[ASHLAR_C] : ASHI_NO_FACE;
    return status;
}

int64_t ashi_grid_scaled_words(const ashi_grid_at *at)
{
    const ashi_box all = {0, at->schedule->m, 0, at->schedule->n};
    return at->g->domains.c_overlaps && at->home.kind == ASHI_HOME_BUFFER
               ? ashi_view_words(&at->schedule->view[ASHLAR_C], at->rank, &all) : 0;
}

ashi_operation ashi_grid_group(const ashi_grid_at *at, ashi_operation_kind kind, ashlar_operand operand,
                               int64_t face, int64_t owner, int64_t words)
{
    const ashi_domains *d = &at->g->domains;
    const ashi_face *f = &d->of[operand].face[face];
    ashi_operation o = ashi_operation_blank(kind);
    o.operand = operand;
    o.box = f->box;
    o.owner = owner;
    o.words = words;
    o.member = d->of[operand].member + f->first;
    o.members = f->members;
    o.owner_at = ashi_domains_index(d, operand, face, owner);
    o.rank_at = ashi_domains_index(d, operand, face, at->rank);
    return o;
}
