/* A box of an array cut at the edges of its file's chunks. */
#include "store/cells.h"

#include "base/checked.h"

int64_t ashi_array_box_words(const ashi_array_box *box)
{
    int64_t all = 1;
    for (int d = 0; d < box->order; d++)
        all *= box->extent[d];
    return all;
}

static void begin(ashi_cells *c)
{
    c->more = true;
    for (int d = 0; d < c->box.order; d++) {
        c->next[d] = c->box.from[d];
        c->more = c->more && c->box.extent[d] > 0;
    }
}

ashi_cells ashi_cells_of(const ashi_array_box *box, const int64_t *chunk, int64_t room)
{
    ashi_cells c = {.box = *box};
    int64_t words = 1;
    for (int d = 0; d < box->order; d++)
        words = ashi_mul_most(words, chunk[d]);
    for (int d = box->order - 1; d >= 0; d--) {
        const int64_t used = (box->from[d] + ashi_max(box->extent[d], 1) - 1) / chunk[d] - box->from[d] / chunk[d] + 1;
        const int64_t times = ashi_max(1, ashi_min(room / words, used));
        c.cell[d] = ashi_mul_most(chunk[d], times);
        words = ashi_mul_most(words, times);
    }
    begin(&c);
    return c;
}

ashi_cells ashi_cells_within(const ashi_array_box *box, int64_t room)
{
    ashi_cells c = {.box = *box};
    for (int d = box->order - 1; d >= 0; d--) {
        c.zero[d] = box->from[d];
        c.cell[d] = ashi_max(1, ashi_min(box->extent[d], room));
        room = room / c.cell[d];
    }
    begin(&c);
    return c;
}

bool ashi_cells_next(ashi_cells *c, ashi_array_box *out, int64_t *at)
{
    if (!c->more)
        return false;
    *out = c->box;
    *at = 0;
    for (int d = 0; d < c->box.order; d++) {
        const int64_t from = c->next[d], end = c->box.from[d] + c->box.extent[d];
        const int64_t edge = from - (from - c->zero[d]) % c->cell[d];
        out->from[d] = from;
        out->extent[d] = end - edge <= c->cell[d] ? end - from : edge + c->cell[d] - from;
        *at += (from - c->box.from[d]) * c->box.stride[d];
    }
    int d = c->box.order - 1;
    for (; d >= 0; d--) {
        c->next[d] += out->extent[d];
        if (c->next[d] < c->box.from[d] + c->box.extent[d])
            break;
        c->next[d] = c->box.from[d];
    }
    c->more = d >= 0;
    return true;
}
