/* A row of a symbolic product: which products are formed, and which tiles of C they are for. */
#include "layout/symbolic_making.h"

#include "base/array.h"
#include "base/bits.h"
#include "base/checked.h"
#include "base/ordering.h"

#include <stdlib.h>
#include <string.h>

/* ---- products ---- */

bool ashi_making_begin_row(ashi_making *m, int64_t y)
{
    const ashi_pattern *c = m->product->c;
    const ashi_screen *screen = m->product->screen;
    m->count = 0;
    for (int64_t t = y < 0 ? 0 : c->start[y]; t < (y < 0 ? 0 : c->start[y + 1]); t++) {
        ashi_slot *tile = ashi_making_add_slot(m, c->col[t]);
        if (!tile)
            return false;
        m->counted.rows = 0;
        tile->before = t;
        m->out->visited++;
        if (screen && screen->c_norm)
            ashi_slot_error(m, tile)->formed = ashi_up_mul(ashi_up_of(screen->beta), ashi_up_of(screen->c_norm[t]));
    }
    return true;
}

/* The bit of the product that was walked last. */
static bool add_bit(ashi_making *m, int64_t bit, bool left_out)
{
    if (!ashi_making_add_bits(m, bit, 1))
        return false;
    if (m->out->first && left_out)
        ashi_bits_set(m->out->left, bit, 1);
    return true;
}

/* |alpha| times the norm of a tile of A. */
static ashi_up scaled_norm(const ashi_making *m, int64_t a)
{
    const ashi_screen *screen = m->product->screen;
    return ashi_up_mul(ashi_up_of(screen->alpha), ashi_up_of(screen->a_norm[a]));
}

static ashi_up b_norm(const ashi_making *m, int64_t b)
{
    return ashi_up_of(m->product->screen->b_norm[b]);
}

bool ashi_making_list_items(ashi_making *m, int64_t x)
{
    const ashi_sparse_product *product = m->product;
    ashi_candidates walk = ashi_product_candidates(product, x);
    int64_t number = 0, k = -1;
    ashi_up a_norm = {0};
    m->items = 0;
    for (; ashi_candidates_next(&walk); number++) {
        if (walk.now.k != k)
            a_norm = scaled_norm(m, walk.now.a);
        k = walk.now.k;
        if (product->retain && !ashi_slot_at(m, walk.now.col))
            continue;
        ashi_budget_item *larger = ashi_array_room(m->item, &m->item_room, m->items + 1, sizeof *larger);
        if (!larger)
            return false;
        m->item = larger;
        larger[m->items++] = (ashi_budget_item){.col = walk.now.col, .number = number,
                                                .size = ashi_up_mul(a_norm, b_norm(m, walk.now.b)),
                                                .work = (double)ashi_product_multiplies(product, product->a->row[x],
                                                                                        &walk.now)};
    }
    ashi_budget_put_in_order(m->item, m->items);
    bool *out = ashi_array_room(m->item_out, &m->out_room, number + 1, sizeof *out);
    if (out)
        m->item_out = out;
    return out != NULL;
}

/* What is known of a product before it is decided on. */
typedef struct weighing {
    int64_t k;
    ashi_up limit, a_norm;
    int64_t number;
} weighing;

/* There is a screen. */
static bool weigh(ashi_making *m, int64_t row, const ashi_allowed_product *now, weighing *w)
{
    const ashi_sparse_product *product = m->product;
    ashi_slot *tile = ashi_slot_at(m, now->col);
    const int64_t bit = m->out->formed + m->out->left_out, number = w->number++;
    if (!tile && product->retain) {
        m->out->left_out++;
        return add_bit(m, bit, true);
    }
    if (!tile)
        tile = ashi_making_add_slot(m, now->col);
    if (!tile)
        return false;
    if (now->k != w->k)
        w->a_norm = scaled_norm(m, now->a);
    const ashi_up size = ashi_up_mul(w->a_norm, b_norm(m, now->b));
    const bool left_out = ashi_up_below(size, w->limit) || (product->budget && m->item_out[number]);
    ashi_tile_error *error = ashi_slot_error(m, tile);
    ashi_up *sum = left_out ? &error->left_out : &error->formed;
    *sum = ashi_up_add(*sum, size);
    error->terms += left_out ? 0 : ashi_cuts_size(product->inner, now->k);
    w->k = now->k;
    if (left_out) {
        m->out->left_out++;
    } else {
        m->out->formed++;
        tile->products++;
        m->out->multiplies = ashi_add_most(m->out->multiplies, ashi_product_multiplies(product, row, now));
    }
    return add_bit(m, bit, left_out);
}

/* The products of a tile of A with a run of B's, of which none can be left out. What the loop reads is in variables of
 * its own, since the compiler cannot know that the numbers it writes are others. */
static bool count_run(ashi_making *m, const ashi_factor_run *run, int64_t from, int64_t *width)
{
    const int64_t *const at = m->product->cols->at, *const col = run->col, *const slot_of = m->slot_of;
    ashi_slot *slots = m->slots;
    const int64_t first_col = m->first_col;
    int64_t count = m->count, sum = 0;
    for (int64_t t = from; t < run->count; t++)
        sum += at[col[t] + 1] - at[col[t]];
    for (int64_t t = from; t < run->count; t++) {
        const int64_t guess = slot_of[col[t] - first_col];
        if (guess < count && slots[guess].col == col[t]) {
            slots[guess].products++;
            continue;
        }
        ashi_slot *const tile = ashi_making_add_slot(m, col[t]);
        if (!tile)
            return false;
        tile->products++;
        slots = m->slots;
        count = m->count;
    }
    *width += sum;
    m->counted.formed += run->count - from;
    return true;
}

/* Whether a row of op(A) has the tiles of the one before, which was counted, and C has none of either: then its
 * products are the same, and their slots are still there. */
static bool is_counted(const ashi_making *m, int64_t x)
{
    const ashi_factor *a = m->product->a;
    ashi_factor_run before[2], now[2];
    if (m->count > 0 || x == 0 || m->counted.rows != x || m->product->half)
        return false;
    const int runs = ashi_factor_runs(a, x, now);
    if (ashi_factor_runs(a, x - 1, before) != runs)
        return false;
    for (int r = 0; r < runs; r++)
        if (before[r].count != now[r].count ||
            memcmp(before[r].col, now[r].col, (size_t)now[r].count * sizeof *now[r].col) != 0)
            return false;
    return true;
}

static bool count_products(ashi_making *m, int64_t x)
{
    const ashi_sparse_product *product = m->product;
    ashi_candidates walk = ashi_product_candidates(product, x);
    m->counted = (ashi_counted){.rows = m->count == 0 ? x + 1 : 0};
    while (ashi_candidates_next_k(&walk)) {
        int64_t width = 0;
        for (int r = 0; r < walk.b_runs; r++)
            if (!count_run(m, &walk.b_run[r], ashi_candidates_first(&walk.b_run[r], walk.least_col), &width))
                return false;
        const int64_t inner = ashi_cuts_size(product->inner, walk.now.k);
        m->counted.each = ashi_add_most(m->counted.each, ashi_mul_most(inner, width));
    }
    m->counted.slots = m->count;
    m->out->visited += m->counted.formed;
    return true;
}

/* Without norms and without a given pattern everything is formed: the runs are counted as they are. */
static bool count_row(ashi_making *m, int64_t x)
{
    const ashi_sparse_product *product = m->product;
    const int64_t height = ashi_cuts_size(product->rows, product->a->row[x]);
    if (is_counted(m, x)) {
        m->count = m->counted.slots;
        m->counted.rows = x + 1;
    } else if (!count_products(m, x)) {
        return false;
    }
    m->out->formed += m->counted.formed;
    m->out->multiplies = ashi_add_most(m->out->multiplies, ashi_mul_most(height, m->counted.each));
    m->out->visited += ashi_factor_tiles(product->a, x);
    return true;
}

/* Without norms what is left out follows from C's pattern: no bits say so. The loop is that of count_run for tiles that
 * are there. Returns the columns of elements of the products that are formed. */
static int64_t count_retained_run(ashi_making *m, const ashi_factor_run *run, int64_t from)
{
    const int64_t *const at = m->product->cols->at, *const col = run->col, *const slot_of = m->slot_of;
    const int64_t first_col = m->first_col, count = m->count;
    ashi_slot *const slots = m->slots;
    int64_t width = 0, formed = 0;
    for (int64_t t = from; t < run->count; t++) {
        const int64_t guess = slot_of[col[t] - first_col];
        if (guess >= count || slots[guess].col != col[t])
            continue;
        slots[guess].products++;
        width += at[col[t] + 1] - at[col[t]];
        formed++;
    }
    m->out->formed += formed;
    m->out->left_out += run->count - from - formed;
    return width;
}

static void count_retained(ashi_making *m, int64_t x)
{
    const ashi_sparse_product *product = m->product;
    const int64_t height = ashi_cuts_size(product->rows, product->a->row[x]);
    const int64_t before = m->out->formed + m->out->left_out;
    ashi_candidates walk = ashi_product_candidates(product, x);
    while (ashi_candidates_next_k(&walk)) {
        const int64_t area = ashi_mul_most(height, ashi_cuts_size(product->inner, walk.now.k));
        int64_t width = 0;
        for (int r = 0; r < walk.b_runs; r++)
            width += count_retained_run(m, &walk.b_run[r], ashi_candidates_first(&walk.b_run[r], walk.least_col));
        m->out->multiplies = ashi_add_most(m->out->multiplies, ashi_mul_most(area, width));
    }
    m->out->visited += m->out->formed + m->out->left_out - before + ashi_factor_tiles(product->a, x);
}

bool ashi_making_weigh_row(ashi_making *m, int64_t x)
{
    const ashi_sparse_product *product = m->product;
    const int64_t tiles = ashi_factor_tiles(product->a, x), row = product->a->row[x];
    weighing w = {.k = -1};
    if (!product->screen && !product->retain)
        return count_row(m, x);
    if (!product->screen) {
        count_retained(m, x);
        return true;
    }
    if (m->is_plain)
        return ashi_plain_weigh_row(m, x);
    w.limit = ashi_screen_limit(product->screen, ashi_product_row_tiles(product, x));
    if (product->budget) {
        if (!ashi_making_list_items(m, x))
            return false;
        ashi_budget_apply(product->budget, row, m->item, m->items, m->item_out);
    }
    ashi_candidates walk = ashi_product_candidates(product, x);
    while (ashi_candidates_next(&walk)) {
        m->out->visited++;
        if (!weigh(m, row, &walk.now, &w))
            return false;
    }
    m->out->visited += tiles;
    return true;
}

/* Mark the tiles that will surely be dropped. True if there are products of any. */
static bool mark_dropped(ashi_making *m)
{
    const ashi_sparse_product *product = m->product;
    if (!product->screen || product->retain || !(product->screen->drop > 0))
        return false;
    const ashi_up limit = ashi_up_of(product->screen->drop);
    m->drops = 0;
    for (int64_t s = 0; s < m->count; s++) {
        ashi_slot *tile = &m->slots[s];
        tile->dropped = (tile->products > 0 || tile->before >= 0) &&
                        ashi_up_below(ashi_slot_error(m, tile)->formed, limit);
        m->dropped[tile->col - m->first_col] = tile->dropped;
        if (tile->dropped && tile->products > 0)
            m->drop[m->drops++] = tile->col;
    }
    return m->drops > 0;
}

static void leave_out_formed(ashi_making *m, int64_t row, const ashi_allowed_product *now, int64_t bit)
{
    m->out->left[bit / ASHI_WORD_BITS] |= (uint64_t)1 << (bit % ASHI_WORD_BITS);
    m->out->formed--;
    m->out->left_out++;
    if (m->out->multiplies < INT64_MAX)
        m->out->multiplies -= ashi_product_multiplies(m->product, row, now);
}

/* Products of a tile of A with the tiles of B in `count` columns, whose bits begin at `bit`: each is looked at. */
static void leave_out_in(ashi_making *m, int64_t row, ashi_allowed_product now, const int64_t *col, int64_t count,
                         int64_t bit)
{
    const int64_t end = bit + count;
    m->out->visited += count;
    for (int64_t at = ashi_bits_clear_from(m->out->left, bit, end); at < end;
         at = ashi_bits_clear_from(m->out->left, at + 1, end)) {
        now.col = col[at - bit];
        if (m->dropped[now.col - m->first_col])
            leave_out_formed(m, row, &now, at);
    }
}

/* The same if few columns are dropped: these are looked for. */
static void leave_out_few(ashi_making *m, int64_t row, ashi_allowed_product now, const int64_t *col, int64_t count,
                          int64_t bit)
{
    const bool joined = col[count - 1] - col[0] == count - 1;
    m->out->visited += m->drops;
    for (int64_t i = 0; i < m->drops; i++) {
        now.col = m->drop[i];
        if (now.col < col[0] || now.col > col[count - 1])
            continue;
        const int64_t at = joined ? now.col - col[0] : ashi_first_from(col, 0, count, now.col);
        if (col[at] == now.col && !ashi_bit(m->out->left, bit + at))
            leave_out_formed(m, row, &now, bit + at);
    }
}

/* The products of dropped tiles are left out after all. `bit` is the row's first. */
static void leave_out_dropped(ashi_making *m, int64_t x, int64_t bit)
{
    enum { FEW = 8 };
    const ashi_sparse_product *product = m->product;
    const int64_t row = product->a->row[x];
    ashi_candidates walk = ashi_product_candidates(product, x);
    while (ashi_candidates_next_k(&walk))
        for (int r = 0; r < walk.b_runs; r++) {
            const ashi_factor_run *run = &walk.b_run[r];
            const int64_t from = ashi_candidates_first(run, walk.least_col), count = run->count - from;
            if (count > FEW * m->drops)
                leave_out_few(m, row, walk.now, run->col + from, count, bit);
            else
                leave_out_in(m, row, walk.now, run->col + from, count, bit);
            bit += count;
        }
}

void ashi_making_drop(ashi_making *m, int64_t x, int64_t bit)
{
    if (mark_dropped(m) && x >= 0)
        leave_out_dropped(m, x, bit);
}
