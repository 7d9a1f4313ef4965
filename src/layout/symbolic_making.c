/* What is held while a symbolic product is made, row by row. */
#include "layout/symbolic_making.h"

#include "base/array.h"

#include <stdlib.h>
#include <string.h>

/* ---- norms of usual sizes ---- */

/* Products of two such numbers, their sums and a rounding of these are normal doubles, so that they are what ashi_up
 * gives, without its exponents. */
static bool is_usual(double x)
{
    return x == 0 || (x >= 0x1p-300 && x <= 0x1p+300);
}

static bool are_usual(const double *norm, int64_t count)
{
    bool all = true;
    for (int64_t t = 0; t < count; t++)
        all = all && is_usual(norm[t]);
    return all;
}

static bool can_be_plain(const ashi_sparse_product *product)
{
    const ashi_screen *s = product->screen;
    return s && !product->retain && !product->budget && is_usual(s->alpha) && is_usual(s->beta) &&
           are_usual(s->a_norm, product->a->stored->tiles) && are_usual(s->b_norm, product->b->stored->tiles) &&
           (!s->c_norm || are_usual(s->c_norm, product->c->tiles));
}

static int64_t longest_run(const ashi_pattern *pattern)
{
    int64_t most = 0;
    for (int64_t x = 0; x < pattern->rows; x++)
        most = ashi_max(most, pattern->start[x + 1] - pattern->start[x]);
    return most;
}

static bool make_plain(const ashi_sparse_product *product, int64_t cols, ashi_plain *out)
{
    const int64_t run = ashi_max(longest_run(product->b->stored), longest_run(&product->b->turned));
    out->left_out = calloc((size_t)cols + 1, sizeof *out->left_out);
    out->formed = calloc((size_t)cols + 1, sizeof *out->formed);
    out->terms = calloc((size_t)cols + 1, sizeof *out->terms);
    out->products = calloc((size_t)cols + 1, sizeof *out->products);
    out->seen = calloc((size_t)cols + 1, sizeof *out->seen);
    out->norm = malloc(((size_t)run + 1) * sizeof *out->norm);
    out->size = malloc(((size_t)run + 1) * sizeof *out->size);
    out->below = malloc((size_t)run + 1);
    out->loops = ashi_plain_loops_of(ashi_simd_widest());
    return out->left_out && out->formed && out->terms && out->products && out->seen && out->norm && out->size &&
           out->below;
}

static void free_plain(ashi_plain *plain)
{
    free(plain->left_out);
    free(plain->formed);
    free(plain->terms);
    free(plain->products);
    free(plain->seen);
    free(plain->norm);
    free(plain->size);
    free(plain->below);
}

/* ---- all that rows need ---- */

static void widen(ashi_making *m, const ashi_pattern *pattern, int64_t *end)
{
    for (int64_t x = 0; pattern && x < pattern->rows; x++) {
        if (*end == m->first_col)
            m->first_col = *end = pattern->col[pattern->start[x]];
        m->first_col = ashi_min(m->first_col, pattern->col[pattern->start[x]]);
        *end = ashi_max(*end, pattern->col[pattern->start[x + 1] - 1] + 1);
    }
}

bool ashi_making_room(ashi_making *m)
{
    const ashi_sparse_product *product = m->product;
    int64_t end = 0;
    widen(m, product->b->stored, &end);
    widen(m, &product->b->turned, &end);
    widen(m, product->c, &end);
    m->cols = end - m->first_col;
    m->slot_of = calloc((size_t)m->cols + 1, sizeof *m->slot_of);
    const bool dropping = product->screen && product->screen->drop > 0;
    if (dropping) {
        m->dropped = calloc((size_t)m->cols + 1, sizeof *m->dropped);
        m->drop = malloc(((size_t)m->cols + 1) * sizeof *m->drop);
    }
    const bool leaving = product->screen && (product->retain || product->budget || dropping ||
                                             product->screen->skip > 0);
    if (leaving)
        m->out->first = calloc((size_t)product->a->rows + 1, sizeof *m->out->first);
    if (!m->slot_of || (dropping && (!m->dropped || !m->drop)) || (leaving && !m->out->first))
        return false;
    m->is_plain = can_be_plain(product);
    return !m->is_plain || make_plain(product, m->cols, &m->plain);
}

void ashi_making_free(ashi_making *m)
{
    free(m->slots);
    free(m->error);
    free(m->slot_of);
    free(m->dropped);
    free(m->drop);
    free(m->sorted);
    free(m->spare);
    free(m->item);
    free(m->item_out);
    free_plain(&m->plain);
}

ashi_slot *ashi_making_add_slot(ashi_making *m, int64_t col)
{
    ashi_slot *larger = ashi_array_room(m->slots, &m->slots_room, m->count + 1, sizeof *m->slots);
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
    m->slots[m->count] = (ashi_slot){.col = col, .before = -1};
    return &m->slots[m->count++];
}

bool ashi_making_add_bits(ashi_making *m, int64_t bit, int64_t count)
{
    const int64_t have = ashi_ceil_div(bit, ASHI_WORD_BITS), want = ashi_ceil_div(bit + count, ASHI_WORD_BITS);
    if (!m->out->first || want == have)
        return true;
    uint64_t *larger = ashi_array_room(m->out->left, &m->left_room, want, sizeof *larger);
    if (!larger)
        return false;
    m->out->left = larger;
    memset(larger + have, 0, (size_t)(want - have) * sizeof *larger);
    return true;
}
