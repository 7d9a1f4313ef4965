/* A row of a symbolic product whose norms are all of usual sizes: whole runs of products are weighed at once. */
#include "layout/symbolic_making.h"

#include "base/bits.h"

#include <stdlib.h>
#include <string.h>

/* ---- ashi_up's arithmetic on doubles ---- */

/* A limit beyond all products is as good as one that a double holds. */
static double value_of(ashi_up x)
{
    const int64_t exponent = x.exponent < -1000 ? -1000 : x.exponent > 1000 ? 1000 : x.exponent;
    return ldexp(x.fraction, (int)exponent);
}

/* The first product from t to count - 1 that is skipped, or not skipped, other than product t. */
static int64_t find_change(const unsigned char *below, int64_t t, int64_t count)
{
    const unsigned char *const other = memchr(below + t, !below[t], (size_t)(count - t));
    return other ? other - below : count;
}

/* ---- runs ---- */

/* Products of a tile of A with tiles of B in one row that are beside each other, all of them formed or none. */
typedef struct stretch {
    const int64_t *col;
    const double *size;
    int64_t count, inner;
    bool joined; /* no column between them is absent */
} stretch;

static void leave_out(ashi_making *m, const stretch *s)
{
    const ashi_plain *const p = &m->plain;
    if (s->joined)
        p->loops->add_sizes(p->left_out + s->col[0] - m->first_col, s->size, s->count);
    else
        p->loops->add_sizes_at(p->left_out, s->col, m->first_col, s->size, s->count);
}

/* The widths of their columns together. */
static int64_t form(ashi_making *m, const stretch *s)
{
    const ashi_plain p = m->plain;
    const int64_t *const at = m->product->cols->at, first = s->col[0] - m->first_col;
    if (s->joined) {
        p.loops->add_sizes(p.formed + first, s->size, s->count);
        p.loops->add_products(p.products + first, p.terms + first, s->inner, s->count);
        return at[s->col[s->count - 1] + 1] - at[s->col[0]];
    }
    int64_t width = 0;
    p.loops->add_sizes_at(p.formed, s->col, m->first_col, s->size, s->count);
    for (int64_t t = 0; t < s->count; t++) {
        const int64_t col = s->col[t] - m->first_col;
        p.products[col]++;
        p.terms[col] += s->inner;
        width += at[s->col[t] + 1] - at[s->col[t]];
    }
    return width;
}

/* Columns that the row has not met before. */
static bool note_columns(ashi_making *m, const stretch *s)
{
    unsigned char *const seen = m->plain.seen;
    const unsigned char *const run = seen + (s->col[0] - m->first_col);
    for (int64_t t = 0; t < s->count; t++) {
        if (s->joined) {
            const unsigned char *const other = memchr(run + t, 0, (size_t)(s->count - t));
            if (!other)
                break;
            t = other - run;
        }
        const int64_t col = s->col[t] - m->first_col;
        if (!seen[col] && !ashi_making_add_slot(m, s->col[t]))
            return false;
        seen[col] = 1;
    }
    return true;
}

/* The products of a tile of A, of norm `a`, with a run of B. *width: of those that are formed. */
static bool weigh_run(ashi_making *m, const ashi_factor_run *run, int64_t from, double a, int64_t inner,
                      int64_t *width)
{
    const ashi_plain *p = &m->plain;
    const double *const norm = m->product->screen->b_norm;
    const int64_t count = run->count - from, *const col = run->col + from;
    if (count == 0)
        return true;
    for (int64_t t = 0; t < count && run->tile; t++)
        p->norm[t] = norm[run->tile[from + t]];
    p->loops->find_sizes(run->tile ? p->norm : norm + run->first + from, count, a, p->limit, p->size, p->below);
    const bool joined = col[count - 1] - col[0] == count - 1;
    if (!note_columns(m, &(stretch){col, p->size, count, inner, joined}) ||
        !ashi_making_add_bits(m, m->out->formed + m->out->left_out, count))
        return false;
    for (int64_t t = 0, end; t < count; t = end) {
        end = find_change(p->below, t, count);
        const stretch s = {col + t, p->size + t, end - t, inner, joined || col[end - 1] - col[t] == end - t - 1};
        if (p->below[t]) {
            leave_out(m, &s);
            ashi_bits_set(m->out->left, m->out->formed + m->out->left_out, s.count);
            m->out->left_out += s.count;
        } else {
            *width += form(m, &s);
            m->out->formed += s.count;
        }
    }
    return true;
}

/* ---- the row ---- */

static void begin_row(ashi_making *m, int64_t x)
{
    ashi_plain *p = &m->plain;
    p->limit = value_of(ashi_screen_limit(m->product->screen, ashi_product_row_tiles(m->product, x)));
    for (int64_t s = 0; s < m->count; s++) {
        const int64_t col = m->slots[s].col - m->first_col;
        p->seen[col] = 1;
        p->formed[col] = value_of(m->error[s].formed);
    }
}

/* Into the slots, so that the columns are free for the next row. */
static void end_row(ashi_making *m)
{
    const ashi_plain *p = &m->plain;
    for (int64_t s = 0; s < m->count; s++) {
        const int64_t col = m->slots[s].col - m->first_col;
        m->slots[s].products = p->products[col];
        m->error[s] = (ashi_tile_error){ashi_up_of(p->left_out[col]), ashi_up_of(p->formed[col]), p->terms[col]};
        p->left_out[col] = p->formed[col] = 0;
        p->terms[col] = p->products[col] = 0;
        p->seen[col] = 0;
    }
}

bool ashi_plain_weigh_row(ashi_making *m, int64_t x)
{
    const ashi_sparse_product *product = m->product;
    const ashi_screen *screen = product->screen;
    const int64_t row = product->a->row[x];
    const int64_t before = m->out->formed + m->out->left_out;
    ashi_candidates walk = ashi_product_candidates(product, x);
    begin_row(m, x);
    while (ashi_candidates_next_k(&walk)) {
        const double a = value_of(ashi_up_mul(ashi_up_of(screen->alpha), ashi_up_of(screen->a_norm[walk.now.a])));
        const int64_t inner = ashi_cuts_size(product->inner, walk.now.k);
        int64_t width = 0;
        for (int r = 0; r < walk.b_runs; r++)
            if (!weigh_run(m, &walk.b_run[r], ashi_candidates_first(&walk.b_run[r], walk.least_col), a, inner, &width))
                return false;
        const int64_t area = ashi_mul_most(ashi_cuts_size(product->rows, row), inner);
        m->out->multiplies = ashi_add_most(m->out->multiplies, ashi_mul_most(area, width));
    }
    m->out->visited += m->out->formed + m->out->left_out - before + ashi_factor_tiles(product->a, x);
    end_row(m);
    return true;
}
