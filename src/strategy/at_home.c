/* Boxes computed where one of the matrices lies. */
#include "strategy/at_home.h"

#include "strategy/sight.h"

static int64_t part_size(const ashi_strip *strip, int64_t part)
{
    return ashi_strip_below(strip, part, strip->size);
}

static int64_t parts_in_use(const ashi_strip *strip)
{
    int64_t n = 0;
    for (int64_t p = 0; p < strip->parts; p++)
        n += part_size(strip, p) > 0;
    return n;
}

/* Cut where the parts end that hold anything. */
static void cut_at_parts(const ashi_strip *strip, int64_t *cut)
{
    int64_t n = 0;
    cut[0] = 0;
    for (int64_t p = 0; p < strip->parts; p++)
        if (part_size(strip, p) > 0) {
            cut[n + 1] = cut[n] + part_size(strip, p);
            n++;
        }
}

static void place_owners(const ashi_view *view, ashi_bricks *b)
{
    const ashlar_layout *layout = view->layout;
    int64_t n = 0;
    for (int64_t x = 0; x < view->minor.parts; x++)
        for (int64_t y = 0; y < view->major.parts; y++) {
            const int64_t r = view->minor_is_row ? x : y, c = view->minor_is_row ? y : x;
            if (part_size(&view->minor, x) > 0 && part_size(&view->major, y) > 0)
                b->rank_of[n++] = layout->owner[r * layout->col.parts + c];
        }
}

static ashlar_status add(const ashi_problem *q, const ashi_sight *s, ashlar_operand x, ashi_proposals *out,
                         ashlar_error *err)
{
    static const char *const origin[3] = {[ASHLAR_A] = "computed where A lies",
                                          [ASHLAR_B] = "computed where B lies",
                                          [ASHLAR_C] = "computed where C lies"};
    const ashi_view *view = &s->view[x];
    const int minor = ashi_dims_of[x][0], major = ashi_dims_of[x][1];
    ashi_proposal p = {.origin = origin[x], .at_home = true, .rounds = 1, .reduce_rounds = 1, .window = q->window};
    int64_t grid[3] = {1, 1, 1};
    grid[minor] = parts_in_use(&view->minor);
    grid[major] = parts_in_use(&view->major);
    if (q->grid[0] > 0 && (q->grid[0] != grid[0] || q->grid[1] != grid[1] || q->grid[2] != grid[2]))
        return ASHLAR_OK;
    const ashlar_status status = ashi_bricks_even(grid, q->size, &p.bricks, err);
    if (status != ASHLAR_OK)
        return status;
    p.bricks.lead = (ashi_lead){.operand = x, .alone = true};
    cut_at_parts(&view->minor, p.bricks.cut[minor]);
    cut_at_parts(&view->major, p.bricks.cut[major]);
    place_owners(view, &p.bricks);
    return ashi_proposals_add(out, &p, err);
}

ashlar_status ashi_at_home(const ashi_problem *q, ashi_proposals *out, ashlar_error *err)
{
    static const ashlar_operand order[3] = {ASHLAR_C, ASHLAR_A, ASHLAR_B};
    ashlar_status status = ASHLAR_OK;
    for (int x = 0; x < 3; x++)
        if (!q->layout[x] || q->least_words)
            return ASHLAR_OK;
    for (int i = 0; i < 3 && status == ASHLAR_OK; i++) {
        ashi_sight own;
        const ashi_sight *s;
        status = ashi_sight_find(q, (ashi_lead){.operand = order[i], .alone = true}, &own, &s, err);
        if (status == ASHLAR_OK && ashi_one_part_each(&s->view[order[i]]))
            status = add(q, s, order[i], out, err);
        ashi_sight_close(&own);
    }
    return status;
}
