/* The symbolic product: which tiles C has, and which products of tiles make them. */
#include "layout/symbolic.h"
#include "base/array.h"
#include "base/checked.h"
#include "base/error.h"
#include "base/ordering.h"

#include <stdlib.h>

/* If a row has one column in 16, it is put in order by looking at all columns. */
enum { NEARLY_FULL = 16 };

/* A tile of the row of C at hand. */
typedef struct slot {
    int64_t col;
    int64_t products;
    int64_t before;  /* its number in C as it was, -1: it was absent */
    bool dropped;    /* surely below `drop` */
} slot;

typedef struct making {
    const ashi_sparse_product *product;
    ashi_symbolic *out;
    ashi_pattern_maker c;
    int64_t products_room, left_room;
    ashi_up *b_norm;               /* by stored number */
    ashi_error_sums sums;
    slot *slots;
    int64_t count, slots_room;
    ashi_tile_error *error;        /* of each slot, with a screen */
    int64_t error_room;
    int64_t first_col, cols;       /* the columns that can occur */
    int64_t *slot_of;              /* [cols]: a guess, right if that slot has the column */
    int64_t *sorted, *spare;       /* columns of the row */
    int64_t sorted_room, spare_room;
    ashi_budget_item *item;        /* with a budget: the products of the row */
    int64_t items, item_room;
    bool *item_out;
    int64_t out_room;
    ashi_up within;                /* above 0: the rounding of all tiles is counted as units of its square */
    int64_t rounding;
} making;

/* ---- a row of C ---- */

static slot *slot_at(making *m, int64_t col)
{
    const int64_t guess = m->slot_of[col - m->first_col];
    return guess < m->count && m->slots[guess].col == col ? &m->slots[guess] : NULL;
}

static ashi_tile_error *error_of(const making *m, const slot *tile)
{
    return &m->error[tile - m->slots];
}

static slot *add_slot(making *m, int64_t col)
{
    slot *larger = ashi_array_room(m->slots, &m->slots_room, m->count + 1, sizeof *m->slots);
    if (!larger)
        return NULL;
    m->slots = larger;
    if (m->product->screen) {
        ashi_tile_error *errors = ashi_array_room(m->error, &m->error_room, m->count + 1, sizeof *errors);
        if (!errors)
            return NULL;
        m->error = errors;
        errors[m->count] = (ashi_tile_error){0};
    }
    m->slot_of[col - m->first_col] = m->count;
    m->slots[m->count] = (slot){.col = col, .before = -1};
    return &m->slots[m->count++];
}

/* What C has in the row before, c->row[y]. */
static bool begin_row(making *m, int64_t y)
{
    const ashi_pattern *c = m->product->c;
    const ashi_screen *screen = m->product->screen;
    m->count = 0;
    for (int64_t t = y < 0 ? 0 : c->start[y]; t < (y < 0 ? 0 : c->start[y + 1]); t++) {
        slot *tile = add_slot(m, c->col[t]);
        if (!tile)
            return false;
        tile->before = t;
        m->out->visited++;
        if (screen && screen->c_norm)
            error_of(m, tile)->formed = ashi_up_mul(ashi_up_of(screen->beta), ashi_up_of(screen->c_norm[t]));
    }
    return true;
}

static int64_t add_most(int64_t a, int64_t b)
{
    int64_t sum;
    return ashi_add(a, b, &sum) ? sum : INT64_MAX;
}

/* The bit of the product that was walked last. */
static bool add_bit(making *m, int64_t bit, bool left_out)
{
    if (!m->out->first)
        return true;
    if (bit % 64 == 0) {
        uint64_t *larger = ashi_array_room(m->out->left, &m->left_room, bit / 64 + 1, sizeof *larger);
        if (!larger)
            return false;
        m->out->left = larger;
        larger[bit / 64] = 0;
    }
    if (left_out)
        m->out->left[bit / 64] |= (uint64_t)1 << (bit % 64);
    return true;
}

static bool bit_is_set(const ashi_symbolic *symbolic, int64_t bit)
{
    return symbolic->first && (symbolic->left[bit / 64] >> (bit % 64) & 1);
}

static ashi_candidates candidates(const ashi_sparse_product *product, int64_t x)
{
    return ashi_candidates_begin(product->a, x, product->b, product->half ? product->a->row[x] : INT64_MIN);
}

/* |alpha| times the norm of a tile of A. */
static ashi_up scaled_norm(const making *m, int64_t a)
{
    const ashi_screen *screen = m->product->screen;
    return ashi_up_mul(ashi_up_of(screen->alpha), ashi_up_of(screen->a_norm[a]));
}

static int64_t multiplies_of(const ashi_sparse_product *product, int64_t row, const ashi_allowed_product *now)
{
    return ashi_mul_most(ashi_mul_most(ashi_cuts_size(product->rows, row), ashi_cuts_size(product->cols, now->col)),
                         ashi_cuts_size(product->inner, now->k));
}

/* The row's products in the order in which a budget leaves them out, if C may have their tiles. */
static bool list_items(making *m, int64_t x)
{
    const ashi_sparse_product *product = m->product;
    ashi_candidates walk = candidates(product, x);
    int64_t number = 0, k = -1;
    ashi_up a_norm = {0};
    m->items = 0;
    for (; ashi_candidates_next(&walk); number++) {
        if (walk.now.k != k)
            a_norm = scaled_norm(m, walk.now.a);
        k = walk.now.k;
        if (product->retain && !slot_at(m, walk.now.col))
            continue;
        ashi_budget_item *larger = ashi_array_room(m->item, &m->item_room, m->items + 1, sizeof *larger);
        if (!larger)
            return false;
        m->item = larger;
        larger[m->items++] = (ashi_budget_item){.col = walk.now.col, .number = number,
                                                .size = ashi_up_mul(a_norm, m->b_norm[walk.now.b]),
                                                .work = (double)multiplies_of(product, product->a->row[x], &walk.now)};
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

static bool weigh(making *m, int64_t row, const ashi_allowed_product *now, weighing *w)
{
    const ashi_sparse_product *product = m->product;
    slot *tile = slot_at(m, now->col);
    const int64_t bit = m->out->formed + m->out->left_out, number = w->number++;
    if (!tile && product->retain) {
        m->out->left_out++;
        return add_bit(m, bit, true);
    }
    if (!tile)
        tile = add_slot(m, now->col);
    if (!tile)
        return false;
    bool left_out = false;
    if (product->screen) {
        if (now->k != w->k)
            w->a_norm = scaled_norm(m, now->a);
        const ashi_up size = ashi_up_mul(w->a_norm, m->b_norm[now->b]);
        left_out = ashi_up_below(size, w->limit) || (product->budget && m->item_out[number]);
        ashi_tile_error *error = error_of(m, tile);
        ashi_up *sum = left_out ? &error->left_out : &error->formed;
        *sum = ashi_up_add(*sum, size);
        error->terms += left_out ? 0 : ashi_cuts_size(product->inner, now->k);
    }
    w->k = now->k;
    if (left_out) {
        m->out->left_out++;
    } else {
        m->out->formed++;
        tile->products++;
        m->out->multiplies = add_most(m->out->multiplies, multiplies_of(product, row, now));
    }
    return add_bit(m, bit, left_out);
}

/* The products of a tile of A with a run of B's, of which none can be left out. */
static bool count_run(making *m, const ashi_factor_run *run, int64_t from, int64_t *width)
{
    const ashi_cuts *cols = m->product->cols;
    for (int64_t t = from; t < run->count; t++) {
        slot *tile = slot_at(m, run->col[t]);
        if (!tile)
            tile = add_slot(m, run->col[t]);
        if (!tile)
            return false;
        tile->products++;
        *width += ashi_cuts_size(cols, run->col[t]);
    }
    m->out->visited += run->count - from;
    m->out->formed += run->count - from;
    return true;
}

/* Without norms and without a given pattern everything is formed: the runs are counted as they are. */
static bool count_row(making *m, int64_t x)
{
    const ashi_sparse_product *product = m->product;
    const int64_t height = ashi_cuts_size(product->rows, product->a->row[x]);
    ashi_candidates walk = candidates(product, x);
    while (ashi_candidates_next_k(&walk)) {
        int64_t width = 0;
        for (int r = 0; r < walk.b_runs; r++)
            if (!count_run(m, &walk.b_run[r], ashi_candidates_first(&walk.b_run[r], walk.least_col), &width))
                return false;
        const int64_t each = ashi_mul_most(height, ashi_cuts_size(product->inner, walk.now.k));
        m->out->multiplies = add_most(m->out->multiplies, ashi_mul_most(each, width));
    }
    m->out->visited += ashi_factor_tiles(product->a, x);
    return true;
}

static bool weigh_row(making *m, int64_t x)
{
    const ashi_sparse_product *product = m->product;
    const int64_t tiles = ashi_factor_tiles(product->a, x), row = product->a->row[x];
    weighing w = {.k = -1};
    if (!product->screen && !product->retain)
        return count_row(m, x);
    if (product->screen)
        w.limit = ashi_screen_limit(product->screen, tiles);
    if (product->budget) {
        if (!list_items(m, x))
            return false;
        ashi_budget_apply(product->budget, row, m->item, m->items, m->item_out);
    }
    ashi_candidates walk = candidates(product, x);
    while (ashi_candidates_next(&walk)) {
        m->out->visited++;
        if (!weigh(m, row, &walk.now, &w))
            return false;
    }
    m->out->visited += tiles;
    return true;
}

/* Tiles that will surely be dropped are not formed. True if there are any. */
static bool drop_surely(making *m)
{
    const ashi_sparse_product *product = m->product;
    if (!product->screen || product->retain || !(product->screen->drop > 0))
        return false;
    const ashi_up limit = ashi_up_of(product->screen->drop);
    bool any = false;
    for (int64_t s = 0; s < m->count; s++) {
        slot *tile = &m->slots[s];
        tile->dropped = (tile->products > 0 || tile->before >= 0) && ashi_up_below(error_of(m, tile)->formed, limit);
        any = any || tile->dropped;
    }
    return any;
}

/* The products of dropped tiles are left out after all. `bit` is the row's first. */
static void leave_out_dropped(making *m, int64_t x, int64_t bit)
{
    const ashi_sparse_product *product = m->product;
    ashi_candidates walk = candidates(product, x);
    for (; ashi_candidates_next(&walk); bit++) {
        m->out->visited++;
        if (bit_is_set(m->out, bit) || !slot_at(m, walk.now.col)->dropped)
            continue;
        m->out->left[bit / 64] |= (uint64_t)1 << (bit % 64);
        m->out->formed--;
        m->out->left_out++;
        if (m->out->multiplies < INT64_MAX)
            m->out->multiplies -= multiplies_of(product, product->a->row[x], &walk.now);
    }
}

/* ---- the row's tiles in C ---- */

static bool sort_columns(making *m)
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
            if (slot_at(m, col))
                m->sorted[n++] = col;
        return true;
    }
    for (; n < m->count; n++)
        m->sorted[n] = m->slots[n].col;
    ashi_sort_numbers(m->sorted, m->count, m->spare);
    return true;
}

static bool add_tile(making *m, int64_t row, const slot *tile)
{
    int64_t *larger = ashi_array_room(m->out->products, &m->products_room, m->c.made.tiles + 1, sizeof *larger);
    if (!larger)
        return false;
    m->out->products = larger;
    larger[m->c.made.tiles] = tile->products;
    return ashi_pattern_add(&m->c, row, tile->col);
}

static void add_rounding(making *m, int64_t row, const slot *tile)
{
    const ashi_sparse_product *product = m->product;
    const ashi_up rounding = ashi_screen_rounding(product->screen, error_of(m, tile),
                                                  ashi_cuts_size(product->rows, row),
                                                  ashi_cuts_size(product->cols, tile->col));
    m->rounding = ashi_budget_add_units(m->rounding, ashi_budget_units(rounding, m->within));
}

static bool end_row(making *m, int64_t row)
{
    const ashi_sparse_product *product = m->product;
    const bool dropping = product->screen && product->screen->drop > 0 && !product->retain;
    if (!sort_columns(m))
        return false;
    for (int64_t s = 0; s < m->count; s++) {
        const slot *tile = slot_at(m, m->sorted[s]);
        const bool present = !tile->dropped && (tile->products > 0 || tile->before >= 0);
        if (present && !add_tile(m, row, tile))
            return false;
        m->out->visited++;
        if (product->screen && present && m->within.fraction > 0)
            add_rounding(m, row, tile);
        if (product->screen && present)
            ashi_error_add(&m->sums, product->screen, error_of(m, tile), ashi_cuts_size(product->rows, row),
                           ashi_cuts_size(product->cols, tile->col), dropping);
        else if (product->screen)
            ashi_error_add_absent(&m->sums, error_of(m, tile));
    }
    return true;
}

/* ---- all rows ---- */

/* The rows of op(A) and those that C has before, which may be others. */
static bool make_rows(making *m)
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
        if (!begin_row(m, in_c ? y : -1) || (in_a && !weigh_row(m, x)))
            return false;
        if (drop_surely(m) && in_a)
            leave_out_dropped(m, x, bit);
        if (!end_row(m, row))
            return false;
        x += in_a;
        y += in_c;
    }
    if (m->out->first)
        m->out->first[a->rows] = m->out->formed + m->out->left_out;
    return true;
}

static void widen(making *m, const ashi_pattern *pattern, int64_t *end)
{
    for (int64_t x = 0; pattern && x < pattern->rows; x++) {
        if (*end == m->first_col)
            m->first_col = *end = pattern->col[pattern->start[x]];
        m->first_col = ashi_min(m->first_col, pattern->col[pattern->start[x]]);
        *end = ashi_max(*end, pattern->col[pattern->start[x + 1] - 1] + 1);
    }
}

static bool make_room(making *m)
{
    const ashi_sparse_product *product = m->product;
    int64_t end = 0;
    widen(m, product->b->stored, &end);
    widen(m, &product->b->turned, &end);
    widen(m, product->c, &end);
    m->cols = end - m->first_col;
    m->slot_of = calloc((size_t)m->cols + 1, sizeof *m->slot_of);
    const bool leaving = product->retain || product->budget ||
                         (product->screen && (product->screen->skip > 0 || product->screen->drop > 0));
    if (leaving)
        m->out->first = calloc((size_t)product->a->rows + 1, sizeof *m->out->first);
    if (!m->slot_of || (leaving && !m->out->first))
        return false;
    if (!product->screen)
        return true;
    const int64_t tiles = product->b->stored->tiles;
    m->b_norm = malloc(((size_t)tiles + 1) * sizeof *m->b_norm);
    for (int64_t t = 0; t < tiles && m->b_norm; t++)
        m->b_norm[t] = ashi_up_of(product->screen->b_norm[t]);
    return m->b_norm != NULL;
}

static void free_making(making *m)
{
    free(m->b_norm);
    free(m->slots);
    free(m->error);
    free(m->slot_of);
    free(m->sorted);
    free(m->spare);
    free(m->item);
    free(m->item_out);
}

/* within: an error. *rounding: what rounding takes, in units of its square. */
static ashlar_status make_within(const ashi_sparse_product *product, double within, int64_t *rounding,
                                 ashi_symbolic *out, ashlar_error *err)
{
    *out = (ashi_symbolic){0};
    making m = {.product = product, .out = out, .within = ashi_up_of(within)};
    const bool made = make_room(&m) && make_rows(&m);
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
    free_making(&m);
    return status;
}

ashlar_status ashi_symbolic_make(const ashi_sparse_product *product, ashi_symbolic *out, ashlar_error *err)
{
    int64_t rounding;
    return make_within(product, 0, &rounding, out, err);
}

void ashi_symbolic_free(ashi_symbolic *symbolic)
{
    ashi_pattern_free(&symbolic->c);
    free(symbolic->products);
    free(symbolic->first);
    free(symbolic->left);
    *symbolic = (ashi_symbolic){0};
}

/* ---- within an error ---- */

/* Prices of all products: the bins, or the shares of one bin. */
static bool count_prices(void *user, const ashi_budget *budget, int64_t *cost, bool shares)
{
    making *m = user;
    const ashi_factor *a = m->product->a;
    const ashi_pattern *c = m->product->c;
    if (!m->slot_of && !make_room(m))
        return false;
    for (int64_t x = 0; x < a->rows; x++) {
        if (!begin_row(m, c ? ashi_pattern_row(c, a->row[x]) : -1) || !list_items(m, x))
            return false;
        if (shares)
            ashi_budget_count_shares(budget, a->row[x], m->item, m->items, cost);
        else
            ashi_budget_count(budget, m->item, m->items, cost);
    }
    return true;
}

static bool choose_prices(const ashi_sparse_product *product, const ashi_budget_sum *sum, ashi_budget *budget)
{
    ashi_symbolic unused = {0};
    making m = {.product = product, .out = &unused};
    int64_t *room = malloc(ASHI_BUDGET_ROOM * sizeof *room);
    const bool done = ashi_budget_choose(budget, count_prices, &m, sum, room);
    free(room);
    free_making(&m);
    ashi_symbolic_free(&unused);
    return done;
}

ashlar_status ashi_symbolic_within(const ashi_sparse_product *product, ashi_allowance *allowance, ashi_symbolic *out,
                                   ashlar_error *err)
{
    const ashi_budget_sum *sum = allowance->sum;
    int64_t rounding = 0;
    ashlar_status status = make_within(product, allowance->error, &rounding, out, err);
    const bool made = sum ? sum->add(sum->user, status == ASHLAR_OK, &rounding, 1) : status == ASHLAR_OK;
    const double left = made ? ashi_budget_rest(allowance->error, rounding) : 0, products = left * allowance->share;
    allowance->rest = left - products;
    if (!(products > 0))
        return status;
    ashi_budget budget = ashi_budget_begin(ashi_up_of(products));
    if (!choose_prices(product, sum, &budget))
        return ashi_fail_memory(err, "the prices of products", ASHI_BUDGET_ROOM * (int64_t)sizeof(int64_t));
    ashi_symbolic_free(out);
    ashi_sparse_product with = *product;
    with.budget = &budget;
    return ashi_symbolic_make(&with, out, err);
}

/* ---- walking what is formed ---- */

ashi_formed ashi_formed_begin(const ashi_sparse_product *product, const ashi_symbolic *symbolic, int64_t x)
{
    const int64_t y = ashi_pattern_row(&symbolic->c, product->a->row[x]);
    return (ashi_formed){.walk = candidates(product, x), .symbolic = symbolic,
                         .bit = symbolic->first ? symbolic->first[x] : 0,
                         .c_first = y < 0 ? 0 : symbolic->c.start[y], .c_end = y < 0 ? 0 : symbolic->c.start[y + 1],
                         .k = -1};
}

/* C's tile of a column, from `tile` on: it is found in a time that grows with the logarithm of how far it is. */
static int64_t tile_from(const ashi_symbolic *symbolic, int64_t tile, int64_t end, int64_t col)
{
    int64_t step = 1;
    while (tile + step < end && symbolic->c.col[tile + step] <= col) {
        tile += step;
        step *= 2;
    }
    int64_t hi = ashi_min(tile + step, end);
    while (hi - tile > 1) {
        const int64_t middle = tile + (hi - tile) / 2;
        if (symbolic->c.col[middle] <= col)
            tile = middle;
        else
            hi = middle;
    }
    return tile;
}

bool ashi_formed_next(ashi_formed *formed)
{
    while (ashi_candidates_next(&formed->walk)) {
        if (bit_is_set(formed->symbolic, formed->bit++))
            continue;
        const int64_t from = formed->walk.now.k == formed->k ? formed->tile : formed->c_first;
        formed->k = formed->walk.now.k;
        formed->tile = tile_from(formed->symbolic, from, formed->c_end, formed->walk.now.col);
        return true;
    }
    return false;
}

void ashi_symbolic_work(const ashi_sparse_product *product, const ashi_symbolic *symbolic, double *work)
{
    for (int64_t tile = 0; tile < symbolic->c.tiles; tile++)
        work[tile] = 0;
    for (int64_t x = 0; x < product->a->rows; x++) {
        ashi_formed formed = ashi_formed_begin(product, symbolic, x);
        while (ashi_formed_next(&formed))
            work[formed.tile] += (double)multiplies_of(product, product->a->row[x], &formed.walk.now);
    }
}
