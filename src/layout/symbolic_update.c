/* The symbolic product after a few tiles of A and B have changed. */
#include "layout/symbolic_update.h"
#include "base/array.h"
#include "base/checked.h"
#include "base/error.h"
#include "base/ordering.h"

#include <stdlib.h>

/* A product of tiles that comes (+1) or goes (-1), at its tile of C. */
typedef struct delta {
    int64_t row, col, by;
} delta;

typedef struct updating {
    const ashi_symbolic_changes *changes;
    ashi_symbolic *out;
    delta *list;
    int64_t count, room;
} updating;

static bool note(updating *u, int64_t row, int64_t k, int64_t col, int64_t by)
{
    const ashi_sparse_product *product = u->changes->after;
    u->out->visited++;
    if (product->half && col < row)
        return true;
    delta *larger = ashi_array_room(u->list, &u->room, u->count + 1, sizeof *larger);
    if (!larger)
        return false;
    u->list = larger;
    larger[u->count++] = (delta){row, col, by};
    u->out->formed += by;
    u->out->multiplies += by * ashi_mul_most(ashi_mul_most(ashi_cuts_size(product->rows, row),
                                                           ashi_cuts_size(product->cols, col)),
                                             ashi_cuts_size(product->inner, k));
    return true;
}

/* Changed tiles of A meet all tiles of B's row: those that go what B was, those that come what B is. */
static bool meet_rows(updating *u, const ashi_pattern *tiles, const ashi_factor *b, int64_t by)
{
    for (int64_t x = 0; x < tiles->rows; x++)
        for (int64_t t = tiles->start[x]; t < tiles->start[x + 1]; t++) {
            ashi_factor_run run[2];
            const int64_t y = ashi_factor_find(b, tiles->col[t]);
            const int runs = y < 0 ? 0 : ashi_factor_runs(b, y, run);
            for (int r = 0; r < runs; r++)
                for (int64_t j = 0; j < run[r].count; j++)
                    if (!note(u, tiles->row[x], tiles->col[t], run[r].col[j], by))
                        return false;
        }
    return true;
}

/* Changed tiles of B meet the tiles of A's column that stay. */
static bool meet_columns(updating *u, const ashi_pattern *tiles, int64_t by)
{
    const ashi_factor *a = u->changes->a_columns;
    const ashi_pattern *gone = &u->changes->a->removed;
    for (int64_t x = 0; x < tiles->rows; x++) {
        ashi_factor_run run[2];
        const int64_t k = tiles->row[x], y = ashi_factor_find(a, k);
        const int runs = y < 0 ? 0 : ashi_factor_runs(a, y, run);
        for (int r = 0; r < runs; r++)
            for (int64_t i = 0; i < run[r].count; i++) {
                if (ashi_pattern_find(gone, run[r].col[i], k) >= 0)
                    continue;
                for (int64_t t = tiles->start[x]; t < tiles->start[x + 1]; t++)
                    if (!note(u, run[r].col[i], k, tiles->col[t], by))
                        return false;
            }
    }
    return true;
}

/* Sums of the changes at each tile of C, in the order of tiles, without those that change nothing. */
static bool sum_up(updating *u)
{
    int64_t *order = malloc(((size_t)u->count + 1) * sizeof *order);
    delta *sums = malloc(((size_t)u->count + 1) * sizeof *sums);
    bool done = order && sums;
    if (done) {
        ashi_order_start(u->count, order);
        done = u->count == 0 || (ashi_order_by(&u->list->col, 3, u->count, order) &&
                                 ashi_order_by(&u->list->row, 3, u->count, order));
    }
    int64_t count = 0;
    for (int64_t x = 0; x < u->count && done; x++) {
        const delta *now = &u->list[order[x]];
        if (count > 0 && sums[count - 1].row == now->row && sums[count - 1].col == now->col)
            sums[count - 1].by += now->by;
        else
            sums[count++] = *now;
        if (sums[count - 1].by == 0 && (x + 1 == u->count || u->list[order[x + 1]].row != now->row ||
                                        u->list[order[x + 1]].col != now->col))
            count--;
    }
    free(order);
    if (!done) {
        free(sums);
        return false;
    }
    free(u->list);
    u->list = sums;
    u->count = count;
    return true;
}

/* The tiles of C that come and go. */
static ashlar_status list_changes(updating *u, const ashi_symbolic *old, ashi_pattern_changes *out, ashlar_error *err)
{
    const ashi_pattern *stays = u->changes->after->c;
    ashi_pattern_maker added = {0}, removed = {0};
    bool done = true;
    for (int64_t x = 0; x < u->count && done; x++) {
        const delta *now = &u->list[x];
        const int64_t tile = ashi_pattern_find(&old->c, now->row, now->col);
        u->out->visited++;
        if (tile < 0)
            done = ashi_pattern_add(&added, now->row, now->col);
        else if (old->products[tile] + now->by == 0 && (!stays || ashi_pattern_find(stays, now->row, now->col) < 0))
            done = ashi_pattern_add(&removed, now->row, now->col);
    }
    ashlar_status status = ashi_pattern_finish(&added, done, &out->added, err);
    const ashlar_status other = ashi_pattern_finish(&removed, done, &out->removed, status == ASHLAR_OK ? err : NULL);
    return status == ASHLAR_OK ? other : status;
}

static ashlar_status find_products(updating *u, ashlar_error *err)
{
    const ashi_symbolic_changes *c = u->changes;
    const bool found = meet_rows(u, &c->a->removed, c->before->b, -1) && meet_rows(u, &c->a->added, c->after->b, 1) &&
                       meet_columns(u, &c->b->removed, -1) && meet_columns(u, &c->b->added, 1) && sum_up(u);
    return found ? ASHLAR_OK : ashi_fail_memory(err, "the products that change",
                                                2 * u->count * (int64_t)sizeof *u->list);
}

ashlar_status ashi_symbolic_update(const ashi_symbolic_changes *changes, const ashi_symbolic *old, ashi_symbolic *out,
                                   ashlar_error *err)
{
    const ashi_sparse_product *after = changes->after;
    if (after->screen || after->budget || after->retain || old->first || old->multiplies == INT64_MAX)
        return ashi_symbolic_make(after, out, err);
    *out = (ashi_symbolic){.formed = old->formed, .multiplies = old->multiplies};
    updating u = {.changes = changes, .out = out};
    ashi_pattern_changes c = {0};
    ashlar_status status = find_products(&u, err);
    if (status == ASHLAR_OK)
        status = list_changes(&u, old, &c, err);
    if (status == ASHLAR_OK)
        status = ashi_pattern_change(&old->c, &c, old->products, &out->c, &out->products, err);
    for (int64_t x = 0; x < u.count && status == ASHLAR_OK; x++) {
        const int64_t tile = ashi_pattern_find(&out->c, u.list[x].row, u.list[x].col);
        if (tile >= 0)
            out->products[tile] += u.list[x].by;
    }
    ashi_pattern_changes_free(&c);
    free(u.list);
    return status;
}
