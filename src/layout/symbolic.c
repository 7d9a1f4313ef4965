/* The symbolic product: which tiles C has, and which products of tiles make them. */
#include "layout/symbolic.h"

#include "base/array.h"
#include "base/checked.h"
#include "base/ordering.h"
#include "layout/symbolic_joined.h"
#include "layout/symbolic_making.h"

#include <stdlib.h>

/* If a row has one column in 16, it is put in order by looking at all columns. */
enum { NEARLY_FULL = 16 };

/* ---- the row's tiles in C ---- */

static bool sort_columns(ashi_making *m)
{
    int64_t *sorted = ashi_array_room(m->sorted, &m->sorted_room, m->count + 1, sizeof *sorted);
    m->sorted = sorted ? sorted : m->sorted;
    int64_t *spare = ashi_array_room(m->spare, &m->spare_room, m->count + 1, sizeof *spare);
    m->spare = spare ? spare : m->spare;
    if (!sorted || !spare)
        return false;
    int64_t n = 0;
    if (m->count > m->cols / NEARLY_FULL) {
        for (int64_t col = m->first_col; n < m->count; col++)
            if (ashi_slot_at(m, col))
                m->sorted[n++] = col;
        return true;
    }
    for (; n < m->count; n++)
        m->sorted[n] = m->slots[n].col;
    ashi_sort_numbers(m->sorted, m->count, m->spare);
    return true;
}

static bool add_tile(ashi_making *m, int64_t row, const ashi_slot *tile)
{
    int32_t *larger = ashi_array_room(m->out->products, &m->products_room, m->c.made.tiles + 1, sizeof *larger);
    if (!larger)
        return false;
    m->out->products = larger;
    larger[m->c.made.tiles] = (int32_t)ashi_min(tile->products, INT32_MAX);
    return ashi_pattern_add(&m->c, row, tile->col);
}

static void add_rounding(ashi_making *m, int64_t row, const ashi_slot *tile)
{
    const ashi_sparse_product *product = m->product;
    const ashi_up rounding = ashi_screen_rounding(product->screen, ashi_slot_error(m, tile),
                                                  ashi_cuts_size(product->rows, row),
                                                  ashi_cuts_size(product->cols, tile->col));
    m->rounding = ashi_budget_add_units(m->rounding, ashi_budget_units(rounding, m->within));
}

static bool end_row(ashi_making *m, int64_t row)
{
    const ashi_sparse_product *product = m->product;
    const bool dropping = product->screen && product->screen->drop > 0 && !product->retain;
    if (!sort_columns(m))
        return false;
    for (int64_t s = 0; s < m->count; s++) {
        const ashi_slot *tile = ashi_slot_at(m, m->sorted[s]);
        const bool stays = tile->before >= 0 && !product->met;
        const bool present = !tile->dropped && (tile->products > 0 || stays);
        if (present && !add_tile(m, row, tile))
            return false;
        m->out->visited++;
        if (product->screen && present && m->within.fraction > 0)
            add_rounding(m, row, tile);
        if (product->screen && present)
            ashi_error_add(&m->sums, product->screen, ashi_slot_error(m, tile), ashi_cuts_size(product->rows, row),
                           ashi_cuts_size(product->cols, tile->col), dropping);
        else if (product->screen)
            ashi_error_add_absent(&m->sums, ashi_slot_error(m, tile));
    }
    return true;
}

/* ---- all rows ---- */

/* The rows of op(A) and those that C has before, which may be others. */
static bool make_rows(ashi_making *m)
{
    const ashi_factor *a = m->product->a;
    const ashi_pattern *c = m->product->c;
    const int64_t c_rows = c ? c->rows : 0;
    for (int64_t x = 0, y = 0; x < a->rows || y < c_rows;) {
        const bool in_a = x < a->rows && (y == c_rows || a->row[x] <= c->row[y]);
        const bool in_c = y < c_rows && (x == a->rows || c->row[y] <= a->row[x]);
        const int64_t row = in_a ? a->row[x] : c->row[y], bit = m->out->formed + m->out->left_out;
        if (in_a && m->out->first)
            m->out->first[x] = bit;
        if (!ashi_making_begin_row(m, in_c ? y : -1) || (in_a && !ashi_making_weigh_row(m, x)))
            return false;
        ashi_making_drop(m, in_a ? x : -1, bit);
        if (!end_row(m, row))
            return false;
        x += in_a;
        y += in_c;
    }
    if (m->out->first)
        m->out->first[a->rows] = m->out->formed + m->out->left_out;
    return true;
}

ashlar_status ashi_making_within(const ashi_sparse_product *product, double within, int64_t *rounding,
                                 ashi_symbolic *out, ashlar_error *err)
{
    *out = (ashi_symbolic){0};
    ashi_making m = {.product = product, .out = out, .within = ashi_up_of(within)};
    const bool made = ashi_making_room(&m) && make_rows(&m);
    const ashlar_status status = ashi_pattern_finish(&m.c, made, &out->c, err);
    if (product->screen)
        out->bound = ashi_error_of(&m.sums);
    if (out->left_out == 0) {
        free(out->first);
        free(out->left);
        out->first = NULL;
        out->left = NULL;
    }
    *rounding = m.rounding;
    ashi_making_free(&m);
    return status;
}

ashlar_status ashi_symbolic_make(const ashi_sparse_product *product, ashi_symbolic *out, ashlar_error *err)
{
    int64_t rounding;
    ashi_joined joined;
    const bool joins = ashi_joined_make(product, &joined);
    const ashlar_status status = ashi_making_within(joins ? &joined.product : product, 0, &rounding, out, err);
    for (int64_t t = 0; joins && t < out->c.tiles; t++)
        out->c.col[t] = joined.col[out->c.col[t]];
    ashi_joined_free(&joined);
    return status;
}

void ashi_symbolic_free(ashi_symbolic *symbolic)
{
    ashi_pattern_free(&symbolic->c);
    free(symbolic->products);
    free(symbolic->first);
    free(symbolic->left);
    *symbolic = (ashi_symbolic){0};
}
