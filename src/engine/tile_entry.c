/* The tiles of A and B that a rank handles: whether it does, and in which order they are along its line. */
#include "engine/tile_entry.h"

#include "base/array.h"
#include "base/checked.h"
#include "base/error.h"
#include "base/ordering.h"

#include <stdlib.h>

/* ---- panels of C ---- */

/* The panel of a tile before which there are `before` of `all` elements. */
static signed char panel_at(int64_t all, int64_t panels, int64_t before)
{
    return (signed char)(all > 0 ? ashi_cut_find(all, panels, ashi_min(before, all - 1)) : 0);
}

/* A process's rows or columns of tiles are cut where they have about equal parts of its elements. That depends on cuts
 * and deal alone, so all ranks cut alike. */
static ashlar_status cut_side(ashi_tile_finding *f, int x, ashlar_error *err)
{
    const ashi_tile_problem *p = f->p;
    const ashi_deal *c = p->operand[ASHLAR_C].deal;
    const ashi_cuts *cuts = p->cuts[x];
    const int64_t parts = x == ASHLAR_A ? c->grid_rows : c->grid_cols, panels = ashi_tile_panels(p, x);
    if (panels == 1)
        return ASHLAR_OK;
    f->panel[x] = malloc((size_t)ashi_max(1, cuts->tiles));
    int64_t *all = calloc((size_t)parts, sizeof *all), *before = calloc((size_t)parts, sizeof *before);
    const bool made = f->panel[x] && all && before;
    for (int pass = 0; made && pass < 2; pass++)
        for (int64_t t = 0; t < cuts->tiles; t++) {
            const int part = x == ASHLAR_A ? ashi_deal_row_part(c, t) : ashi_deal_col_part(c, t);
            const int64_t size = ashi_cuts_size(cuts, t);
            if (pass == 1)
                f->panel[x][t] = panel_at(all[part], panels, before[part]);
            *(pass == 0 ? &all[part] : &before[part]) += size;
        }
    free(all);
    free(before);
    return made ? ASHLAR_OK : ashi_fail_memory(err, "panels of C", cuts->tiles + 2 * parts * (int64_t)sizeof *all);
}

static int panel_of(const ashi_tile_finding *f, int x, int64_t tile)
{
    return f->panel[x] ? f->panel[x][tile] : 0;
}

int ashi_tile_sums_panel(const ashi_tile_finding *f, const ashi_tile_at *at)
{
    return panel_of(f, ASHLAR_A, at->row) * ashi_tile_panels(f->p, ASHLAR_B) + panel_of(f, ASHLAR_B, at->col);
}

ashlar_status ashi_tile_finding_begin(const ashi_tile_problem *problem, int64_t rank, ashi_tile_groups *out,
                                      ashi_tile_finding *f, ashlar_error *err)
{
    *f = (ashi_tile_finding){.p = problem, .rank = rank, .out = out};
    ashi_tile_process(problem, rank, f->part);
    const ashlar_status status = cut_side(f, ASHLAR_A, err);
    return status == ASHLAR_OK ? cut_side(f, ASHLAR_B, err) : status;
}

void ashi_tile_finding_end(ashi_tile_finding *f)
{
    free(f->entry);
    free(f->piece);
    free(f->panel[0]);
    free(f->panel[1]);
}

/* ---- the tiles of a rank ---- */

/* The iteration that has a tile of k. */
static int64_t iteration_of(const ashi_tile_problem *p, int64_t k)
{
    return ashi_first_from(p->first, 0, p->iterations, k + 1) - 1;
}

/* Whether some process needs a tile. */
static bool is_needed(const ashi_tile_entry *e, const uint64_t *sums)
{
    for (int64_t w = 0; w < e->mask_words; w++)
        if (e->mask[w] & sums[w])
            return true;
    return false;
}

/* Whether one of them, which needs it, is the only one. */
static bool is_only(const ashi_tile_entry *e, const uint64_t *sums, int64_t process)
{
    for (int64_t w = 0; w < e->mask_words; w++)
        if (e->mask[w] & sums[w] & ~(w == process / ASHI_TILE_BITS ? (uint64_t)1 << (process % ASHI_TILE_BITS) : 0))
            return false;
    return true;
}

static ashlar_status add_entry(ashi_tile_finding *f, const ashi_tile_entry *e, ashlar_error *err)
{
    ashi_tile_entry *room = ashi_array_room(f->entry, &f->entry_room, f->entries + 1, sizeof *room);
    if (!room)
        return ashi_fail_memory(err, "groups of tiles", ashi_mul_most(f->entries + 1, (int64_t)sizeof *room));
    f->entry = room;
    room[f->entries++] = *e;
    return ASHLAR_OK;
}

ashlar_status ashi_tile_note(ashi_tile_finding *f, const ashi_tile_at *at, int64_t number, ashlar_error *err)
{
    const ashi_tile_problem *p = f->p;
    const int x = f->x;
    const int64_t k = ashi_tile_inner(x, at), process = f->part[1 - x];
    ashi_tile_entry e = {.owner = ashi_tile_owner(p, (ashlar_operand)x, at), .part = ashi_tile_part(p, x, at),
                         .mask = ashi_tile_mask(p->needs, x, k, number), .mask_words = p->needs->words[x], .at = *at};
    const uint64_t *sums = ashi_tile_sums_mask(p->needs, x, e.part);
    const bool own = e.owner == f->rank;
    const bool needed = e.part == f->part[x] && process >= 0 && ashi_tile_has(e.mask, process) &&
                        ashi_tile_has(sums, process);
    if (ashi_tile_words(p, (ashlar_operand)x, at) == 0 || !is_needed(&e, sums) || (!own && !needed))
        return ASHLAR_OK;
    const ashi_tile_operand *o = ashi_tile_operand_of(p, (ashlar_operand)x, at);
    const bool packed = o->conjugates && o->turned && ashi_tile_source_of(p, (ashlar_operand)x, at).mirrored;
    e.iteration = iteration_of(p, k);
    e.panel = panel_of(f, x, x == ASHLAR_A ? at->row : at->col);
    e.use = !needed ? ASHI_TILE_ONLY_SENT
                    : own && !packed && is_only(&e, sums, process) ? ASHI_TILE_STAYS : ASHI_TILE_COMES;
    return add_entry(f, &e, err);
}

static int compare(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

/* Of one iteration: who needs what, the same on all ranks. */
static int compare_groups(int64_t owner_a, int64_t part_a, const uint64_t *a, int64_t owner_b, int64_t part_b,
                          const uint64_t *b, int64_t words)
{
    int order = compare(owner_a, owner_b);
    if (order == 0)
        order = compare(part_a, part_b);
    for (int64_t w = 0; w < words && order == 0; w++)
        order = (a[w] > b[w]) - (a[w] < b[w]);
    return order;
}

static int compare_entries_of_group(const ashi_tile_entry *a, const ashi_tile_entry *b)
{
    return compare_groups(a->owner, a->part, a->mask, b->owner, b->part, b->mask, a->mask_words);
}

int ashi_tile_along_line(const void *x, const void *y)
{
    const ashi_tile_entry *a = x, *b = y;
    int order = compare(a->iteration, b->iteration);
    if (order == 0)
        order = compare(a->panel, b->panel);
    if (order == 0)
        order = compare(a->use, b->use);
    if (order == 0)
        order = compare_entries_of_group(a, b);
    if (order == 0)
        order = compare(a->at.row, b->at.row);
    return order != 0 ? order : compare(a->at.col, b->at.col);
}

/* Of what a rank has for itself alone some may be packed, because it is conjugated, and some not. */
bool ashi_tile_same_group(const ashi_tile_entry *a, const ashi_tile_entry *b)
{
    return a->iteration == b->iteration && a->panel == b->panel && a->use == b->use &&
           compare_entries_of_group(a, b) == 0;
}

int ashi_tile_compare_name(const ashi_tile_group *g, const ashi_tile_entry *e)
{
    return compare_groups(g->owner, g->part, g->mask, e->owner, e->part, e->mask, e->mask_words);
}
