/* Boxes that suit layouts the caller already has. */
#include "strategy/arrange.h"

#include "base/checked.h"
#include "base/error.h"
#include "strategy/idle.h"
#include "strategy/sight.h"

#include <stdlib.h>
#include <string.h>

enum { RESETTLED_MOST = 32 }; /* ranks */

void ashi_proposal_layouts(const ashi_problem *q, const ashi_proposal *p, const ashlar_layout *layout[3])
{
    for (int x = 0; x < 3; x++)
        layout[x] = p->own[x] ? p->own[x] : q->layout[x];
}

/* Cut a dimension where its parts end; finer inside parts, or several parts to a cut, where the numbers divide. */
static void snap(const ashi_strip *strip, int64_t cuts, int64_t *cut)
{
    const int64_t parts = strip->parts, per = parts % cuts == 0 ? parts / cuts : 0, into = per ? 1 : cuts / parts;
    int64_t at = 0, n = 0;
    if (!per && cuts % parts != 0)
        return;
    for (int64_t p = 0; p < parts; p++) {
        const int64_t count = ashi_strip_below(strip, p, strip->size);
        for (int64_t i = 0; i < into; i++)
            if (!per || p % per == 0)
                cut[n++] = at + ashi_cut(count, into, i);
        at += count;
    }
    cut[n] = at;
}

/* How a process grid's two coordinates become a cell: parts per cut, or cuts per part, on each side. */
typedef struct alignment {
    const ashi_view *view;
    int minor, major, third;
    int64_t cuts[2];
} alignment;

/* Digits of the grid's coordinates that no cut used up count along the third dimension; where a side has more cuts
 * than parts, digits of the other side tell them apart. */
static bool cell_of(const alignment *a, const int64_t part[2], int64_t cell[3])
{
    const int64_t parts[2] = {a->view->minor.parts, a->view->major.parts};
    int64_t left[2] = {1, 1}, rest[2] = {0, 0}, at[2];
    for (int s = 0; s < 2; s++)
        if (parts[s] % a->cuts[s] == 0) {
            left[s] = parts[s] / a->cuts[s];
            at[s] = part[s] / left[s];
            rest[s] = part[s] % left[s];
        }
    for (int s = 0; s < 2; s++)
        if (parts[s] % a->cuts[s] != 0) {
            const int64_t finer = a->cuts[s] / parts[s];
            if (a->cuts[s] % parts[s] != 0 || left[1 - s] % finer != 0 || parts[1 - s] % a->cuts[1 - s] != 0)
                return false;
            at[s] = part[s] * finer + rest[1 - s] % finer;
            rest[1 - s] /= finer;
            left[1 - s] /= finer;
        }
    cell[a->minor] = at[0];
    cell[a->major] = at[1];
    cell[a->third] = rest[0] * left[1] + rest[1];
    return true;
}

/* Give the owner of each pair its cell. */
static bool place_owners(const alignment *a, ashi_bricks *b)
{
    const ashlar_layout *layout = a->view->layout;
    for (int64_t r = 0; r < layout->row.parts; r++)
        for (int64_t c = 0; c < layout->col.parts; c++) {
            const int64_t part[2] = {a->view->minor_is_row ? r : c, a->view->minor_is_row ? c : r};
            int64_t at[3];
            if (!cell_of(a, part, at))
                return false;
            b->rank_of[(at[0] * b->grid[1] + at[1]) * b->grid[2] + at[2]] = layout->owner[r * layout->col.parts + c];
        }
    return true;
}

static ashlar_status add_aligned(const ashi_problem *q, const ashi_sight *s, const alignment *a, const int64_t grid[3],
                                 ashi_proposals *out, ashlar_error *err)
{
    static const int first[3] = {ASHLAR_C, ASHLAR_C, ASHLAR_A}; /* whose parts the axes list first */
    static const char *const origin[3] = {[ASHLAR_A] = "boxes follow the layout of A",
                                          [ASHLAR_B] = "boxes follow the layout of B",
                                          [ASHLAR_C] = "boxes follow the layout of C"};
    ashi_proposal p = {.origin = origin[a->view - s->view], .rounds = 1, .reduce_rounds = 1, .window = q->window};
    ashlar_status status = ashi_bricks_even(grid, q->size, &p.bricks, err);
    if (status != ASHLAR_OK)
        return status;
    p.bricks.lead = (ashi_lead){.operand = (ashlar_operand)(a->view - s->view)};
    snap(&a->view->minor, grid[a->minor], p.bricks.cut[a->minor]);
    snap(&a->view->major, grid[a->major], p.bricks.cut[a->major]);
    const ashi_view *other = &s->view[first[a->third]];
    const ashi_strip *strip = ashi_dims_of[first[a->third]][0] == a->third ? &other->minor : &other->major;
    snap(strip, grid[a->third], p.bricks.cut[a->third]);
    p.settling = q->ranks <= RESETTLED_MOST ? ASHI_SETTLES_RANKS : ASHI_SETTLED;
    if (place_owners(a, &p.bricks))
        return ashi_proposals_add(out, &p, err);
    ashi_proposal_free(&p);
    return ASHLAR_OK;
}

typedef bool (*kind_of_grid)(const ashi_problem *problem, const int64_t grid[3]);

/* All ways to cut the two sides so that the third dimension takes what is left of the process grid. */
static ashlar_status align_with(const ashi_problem *q, const ashi_sight *s, ashlar_operand x, kind_of_grid is_kind,
                                ashi_proposals *out, ashlar_error *err)
{
    const ashi_view *view = &s->view[x];
    const int64_t used = view->minor.parts * view->major.parts;
    if (!ashi_one_part_each(view) || used < q->ranks - ashi_idle_most(q->idle, q->ranks))
        return ASHLAR_OK;
    ashlar_status status = ASHLAR_OK;
    for (int64_t u = 1; u <= used && status == ASHLAR_OK; u++)
        for (int64_t v = 1; used % u == 0 && v <= used / u && status == ASHLAR_OK; v++) {
            if (used / u % v != 0)
                continue;
            const alignment a = {view, ashi_dims_of[x][0], ashi_dims_of[x][1], ashi_dims_of[x][2], {u, v}};
            int64_t grid[3], cell[3];
            grid[a.minor] = u;
            grid[a.major] = v;
            grid[a.third] = used / u / v;
            const bool fits = grid[0] <= q->size[0] && grid[1] <= q->size[1] && grid[2] <= q->size[2];
            const bool wanted = q->grid[0] == 0 || (q->grid[0] == grid[0] && q->grid[1] == grid[1] &&
                                                    q->grid[2] == grid[2]);
            if (fits && wanted && (!is_kind || is_kind(q, grid)) && cell_of(&a, (const int64_t[2]){0, 0}, cell))
                status = add_aligned(q, s, &a, grid, out, err);
        }
    return status;
}

ashlar_status ashi_arrange_aligned(const ashi_problem *q, kind_of_grid is_kind, ashi_proposals *out, ashlar_error *err)
{
    static const ashlar_operand order[3] = {ASHLAR_C, ASHLAR_A, ASHLAR_B};
    ashlar_status status = ASHLAR_OK;
    for (int x = 0; x < 3; x++)
        if (!q->layout[x])
            return ASHLAR_OK;
    for (int i = 0; i < 3 && status == ASHLAR_OK; i++) {
        ashi_sight own;
        const ashi_sight *s;
        status = ashi_sight_find(q, (ashi_lead){.operand = order[i]}, &own, &s, err);
        if (status == ASHLAR_OK)
            status = align_with(q, s, order[i], is_kind, out, err);
        ashi_sight_close(&own);
    }
    return status;
}
