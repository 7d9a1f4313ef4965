/* Which blocks, boxes and pieces of a nest's loops are a rank's. */
#include "engine/nest_items.h"

#include "base/checked.h"

int64_t ashi_nest_unit(const ashi_nest *nest, int d)
{
    return ashi_max(nest->unit[d], 1);
}

int64_t ashi_nest_units(const ashi_nest *nest, int d, int64_t length)
{
    return ashi_ceil_div(length, ashi_nest_unit(nest, d));
}

const int *ashi_nest_loops(const ashi_nest *nest)
{
    /* Tiles of C follow one another down its columns, as a file in the order of columns is written. If A or B stays,
     * the blocks of k follow one another: the sums of one row or column of tiles are completed before the next. */
    static const int loops[3][3] = {[ASHLAR_A] = {0, 2, 1}, [ASHLAR_B] = {1, 2, 0}, [ASHLAR_C] = {1, 0, 2}};
    return loops[nest->stays];
}

ashi_nest_place ashi_nest_place_of(const ashi_nest *nest, int64_t rank)
{
    ashi_nest_place p = {.length = {0, 0, nest->size[2]}};
    const int64_t members = nest->team[0] * nest->team[1], teams = nest->parts[0] * nest->parts[1];
    if (members == 0 || rank >= teams * members)
        return (ashi_nest_place){.idle = true};
    const int64_t number = rank / members, own = rank % members;
    const int64_t part[2] = {number % nest->parts[0], number / nest->parts[0]};
    p.first = rank - own;
    p.at[0] = own % nest->team[0];
    p.at[1] = own / nest->team[0];
    for (int d = 0; d < 2; d++) {
        p.base[d] = ashi_cut_units(nest->size[d], ashi_nest_unit(nest, d), nest->parts[d], part[d]);
        p.length[d] = ashi_cut_units(nest->size[d], ashi_nest_unit(nest, d), nest->parts[d], part[d] + 1) - p.base[d];
    }
    p.items = 1;
    for (int d = 0; d < 3; d++) {
        p.count[d] = ashi_min(nest->cut[d], ashi_nest_units(nest, d, p.length[d]));
        p.items = ashi_mul_most(p.items, d < 2 ? p.count[d] : ashi_max(p.count[d], 1));
    }
    return p;
}

ashi_nest_turns ashi_nest_turns_of(const ashi_nest *nest, int64_t rank)
{
    const ashi_nest_place p = ashi_nest_place_of(nest, rank);
    const int *loop = ashi_nest_loops(nest);
    ashi_nest_turns turns = {.tile = p.idle ? 0 : ashi_max(p.count[loop[2]], 1), .all = p.items};
    turns.sums = nest->stays == ASHLAR_C ? turns.tile : turns.tile * ashi_max(p.count[loop[1]], 1);
    return turns;
}

/* A part of a block, by which it is cut among the team. */
static void cut_again(ashi_nest_item *item, const ashi_nest *nest, int d, int64_t at)
{
    const int64_t lo = item->lo[d], length = item->hi[d] - lo, unit = ashi_nest_unit(nest, d);
    item->live[d] = ashi_min(nest->team[d], ashi_nest_units(nest, d, length));
    if (at >= item->live[d]) {
        item->idle = true;
        item->hi[d] = lo;
        return;
    }
    item->lo[d] = lo + ashi_cut_units(length, unit, item->live[d], at);
    item->hi[d] = lo + ashi_cut_units(length, unit, item->live[d], at + 1);
}

ashi_nest_item ashi_nest_item_of(const ashi_nest *nest, const ashi_nest_place *place, int64_t number)
{
    const int *loop = ashi_nest_loops(nest);
    ashi_nest_item item = {.idle = place->idle};
    for (int l = 2; l >= 0; l--) {
        const int d = loop[l];
        const int64_t count = ashi_max(place->count[d], 1), unit = ashi_nest_unit(nest, d);
        item.block[d] = number % count;
        number /= count;
        if (place->count[d] > 0) {
            item.lo[d] = place->base[d] + ashi_cut_units(place->length[d], unit, count, item.block[d]);
            item.hi[d] = place->base[d] + ashi_cut_units(place->length[d], unit, count, item.block[d] + 1);
        }
    }
    item.first = item.block[loop[2]] == 0;
    item.last = item.block[loop[2]] == ashi_max(place->count[loop[2]], 1) - 1;
    for (int d = 0; d < 2; d++)
        cut_again(&item, nest, d, place->at[d]);
    return item;
}

ashi_box ashi_nest_box(const ashi_nest_item *item, ashlar_operand x)
{
    const int minor = x == ASHLAR_B ? 1 : 0, major = x == ASHLAR_C ? 1 : 2;
    return (ashi_box){item->lo[minor], item->hi[minor], item->lo[major], item->hi[major]};
}

int64_t ashi_nest_sharers(const ashi_nest_item *item, ashlar_operand x)
{
    return x == ASHLAR_C ? 1 : item->live[x == ASHLAR_A ? 1 : 0];
}

int64_t ashi_nest_sharer(const ashi_nest_place *place, ashlar_operand x)
{
    return x == ASHLAR_C ? 0 : place->at[x == ASHLAR_A ? 1 : 0];
}

/* The index along which an operand's boxes are cut: the one that is not contiguous. */
static int cut_index(const ashi_nest *nest, ashlar_operand x)
{
    const int minor = x == ASHLAR_B ? 1 : 0, major = x == ASHLAR_C ? 1 : 2;
    return nest->minor[x] ? major : minor;
}

int64_t ashi_nest_piece_unit(const ashi_nest *nest, ashlar_operand x)
{
    return x == ASHLAR_C && !nest->adds ? 1 : ashi_nest_unit(nest, cut_index(nest, x));
}

ashi_box ashi_nest_piece(const ashi_nest *nest, ashlar_operand x, const ashi_box *box, int64_t sharers, int64_t q)
{
    ashi_box piece = *box;
    int64_t *const lo = nest->minor[x] ? &piece.major_lo : &piece.minor_lo;
    int64_t *const hi = nest->minor[x] ? &piece.major_hi : &piece.minor_hi;
    const int64_t from = *lo, length = *hi - from, unit = ashi_nest_piece_unit(nest, x);
    *lo = from + ashi_cut_units(length, unit, sharers, q);
    *hi = from + ashi_cut_units(length, unit, sharers, q + 1);
    return piece;
}
