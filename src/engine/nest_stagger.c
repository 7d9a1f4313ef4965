/* Which strips, slabs and ranges the items of a staggered nest have, and their closed forms. */
#include "engine/nest_stagger.h"

#include "base/checked.h"

ashi_stagger ashi_stagger_of(const ashi_nest *nest)
{
    const int along = nest->minor[ASHLAR_C] ? 1 : 0, across = 1 - along;
    ashi_stagger s = {.size = {nest->size[0], nest->size[1], nest->size[2]}, .along = along, .across = across};
    s.tiles = ashi_min(nest->cut[along], s.size[along]);
    s.rows = ashi_min(nest->cut[across], s.size[across]);
    s.slabs = ashi_min(nest->cut[2], s.size[2]);
    if (s.tiles < 1 || s.rows < 1 || s.slabs < 1)
        return s;
    s.strips = ashi_min(nest->strips, s.size[along] / s.tiles);
    s.spread = ashi_min(nest->stagger, s.slabs);
    s.row_items = ashi_mul_most(s.tiles, s.slabs) + (s.strips - 1) * s.spread / s.strips;
    s.items = ashi_mul_most(s.rows, s.row_items);
    return s;
}

int64_t ashi_stagger_edge(const ashi_stagger *s, int64_t strip)
{
    return ashi_cut(s->size[s->along], s->tiles * s->strips, strip);
}

/* How many strips of a row have begun by the item `at` of it. */
static int64_t begun_by(const ashi_stagger *s, int64_t at)
{
    if (at < 0)
        return 0;
    const int64_t tile = at / s->slabs, within = at % s->slabs;
    const int64_t of_tile = ashi_min(s->strips, ((within + 1) * s->strips - 1) / s->spread + 1);
    return ashi_min(tile * s->strips + of_tile, s->tiles * s->strips);
}

ashi_stagger_item ashi_stagger_item_of(const ashi_stagger *s, int64_t number)
{
    const int64_t at = number % s->row_items, slab = at % s->slabs;
    ashi_stagger_item item = {.row = number / s->row_items, .strip_lo = begun_by(s, at - s->slabs),
                              .strip_hi = begun_by(s, at), .complete = begun_by(s, at - s->slabs + 1),
                              .begun = begun_by(s, at - 1)};
    item.lo[s->along] = ashi_stagger_edge(s, item.strip_lo);
    item.hi[s->along] = ashi_stagger_edge(s, item.strip_hi);
    item.lo[s->across] = ashi_cut(s->size[s->across], s->rows, item.row);
    item.hi[s->across] = ashi_cut(s->size[s->across], s->rows, item.row + 1);
    item.lo[2] = ashi_cut(s->size[2], s->slabs, slab);
    item.hi[2] = ashi_cut(s->size[2], s->slabs, slab + 1);
    return item;
}

void ashi_stagger_shape(const ashi_nest *nest, int64_t shape[3])
{
    const ashi_stagger s = ashi_stagger_of(nest);
    shape[s.along] = ashi_stagger_edge(&s, s.strips); /* the first ones are the widest */
    shape[s.across] = ashi_ceil_div(s.size[s.across], s.rows);
    shape[2] = ashi_ceil_div(s.size[2], s.slabs);
}

int64_t ashi_stagger_memory(const ashi_nest *nest)
{
    const ashi_stagger s = ashi_stagger_of(nest);
    int64_t shape[3];
    ashi_stagger_shape(nest, shape);
    return shape[0] * shape[1] + ashi_min(s.items, 2) * (shape[0] + shape[1]) * shape[2];
}

ashi_nest_figures ashi_stagger_figures(const ashi_nest *nest)
{
    const ashi_stagger s = ashi_stagger_of(nest);
    const int64_t last = (s.strips - 1) * s.spread / s.strips, again = ashi_cut(s.size[2], s.slabs, last);
    const int64_t c = ashi_mul_most(s.size[0], s.size[1]);
    const int64_t turns = ashi_mul_most(s.tiles, s.size[2]) + again;
    const int64_t streamed = ashi_mul_most(s.size[s.across], turns);
    const int64_t once = ashi_mul_most(ashi_mul_most(s.size[s.along], s.size[2]), s.rows);
    ashi_nest_figures f = {.a = s.along == 0 ? once : streamed, .b = s.along == 0 ? streamed : once,
                           .c0 = nest->adds ? c : 0, .c = c, .products = ashi_mul_most(c, s.size[2])};
    f.disk = f.a + f.b + f.c0 + f.c;
    return f;
}
