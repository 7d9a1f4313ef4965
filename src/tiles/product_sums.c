/* Which tiles C has after a product of matrices of tiles, and where they lie. */
#include "tiles/product_parts.h"

#include "base/checked.h"
#include "base/error.h"
#include "base/ordering.h"
#include "exec/mpi.h"
#include "tiles/low_rank.h"
#include "tiles/within.h"

#include <stdlib.h>

const ashi_pattern *ashi_product_before(const ashi_tiles_product *p)
{
    return p->ranges.given || p->whole ? &p->before : &p->c->held.pattern;
}

static ashlar_status find_norms_of_c(ashi_tiles_product *p, ashlar_error *err)
{
    const ashlar_tiles *c = p->from_c;
    int64_t number = 0;
    p->screen.a_norm = p->norm[0];
    p->screen.b_norm = p->norm[1];
    if (p->screen.beta == 0)
        return ASHLAR_OK;
    p->c_norm = malloc(((size_t)ashi_product_before(p)->tiles + 1) * sizeof *p->c_norm);
    if (!p->c_norm)
        return ashi_fail_memory(err, p->who, ashi_product_before(p)->tiles * (int64_t)sizeof *p->c_norm);
    for (ashi_held_walk w = {.number = -1}; ashi_held_next(&c->held, &w);)
        if (ashi_ranges_have(&p->ranges, 0, w.at.row, 1, w.at.col))
            p->c_norm[number++] = ashi_tiles_norm_bound(c, w.number, w.at);
    p->screen.c_norm = p->c_norm;
    return ASHLAR_OK;
}

/* How many tiles of a row have a column below `col`. */
static int64_t tiles_before(const ashi_pattern *pattern, int64_t row, int64_t col)
{
    const int64_t x = ashi_pattern_row(pattern, row);
    return x < 0 ? 0 : ashi_first_from(pattern->col, pattern->start[x], pattern->start[x + 1], col) - pattern->start[x];
}

/* The bits of the products that are left out, by tiles of op(A). If C has a symmetry only products for its tiles with
 * row <= column have one. */
static ashlar_status find_bits(ashi_tiles_product *p, const ashi_factor *b, ashlar_error *err)
{
    const ashi_pattern *a = &p->needed[0];
    p->first_bit = malloc(((size_t)a->tiles + 1) * sizeof *p->first_bit);
    if (!p->first_bit)
        return ashi_fail_memory(err, p->who, a->tiles * (int64_t)sizeof *p->first_bit);
    for (int64_t r = 0; r < a->rows; r++) {
        int64_t bit = p->symbolic.first[r];
        for (int64_t t = a->start[r]; t < a->start[r + 1]; t++) {
            const int64_t row = ashi_factor_find(b, a->col[t]), tiles = row < 0 ? 0 : ashi_factor_tiles(b, row);
            const int64_t skipped = p->c->symmetry == ASHLAR_GENERAL ? 0 : tiles_before(&p->needed[1], a->col[t],
                                                                                        a->row[r]);
            p->first_bit[t] = bit - skipped;
            bit += tiles - skipped;
        }
    }
    p->choice = (ashi_tile_choice){{a, &p->needed[1]}, p->first_bit, p->symbolic.left,
                                   p->c->symmetry != ASHLAR_GENERAL};
    return ASHLAR_OK;
}

/* Collective if there is a budget. */
static ashlar_status find_symbolic(ashi_tiles_product *p, const ashi_sparse_product *product, ashlar_error *err)
{
    ashi_tiles_joining joining = {.context = p->c->context};
    const ashi_budget_sum sum = {ashi_tiles_join, &joining};
    ashi_allowance allowance = {.error = p->budget, .share = p->share, .sum = &sum};
    if (!(p->budget > 0))
        return ashi_symbolic_make(product, &p->symbolic, err);
    const ashlar_status status = ashi_symbolic_within(product, &allowance, &p->symbolic, err);
    p->rest = allowance.rest;
    return joining.err.status == ASHLAR_OK ? status
                                           : ashi_fail(err, joining.err.status, "%s", joining.err.text);
}

/* Where C's tiles begin once it has them all. */
static ashlar_status find_offsets(ashi_tiles_product *p, ashlar_error *err)
{
    const ashi_pattern *c = ashi_tiles_product_after(p);
    int64_t words = 0, tiles = 0;
    free(p->offset);
    p->offset_room = 0;
    p->offset = malloc(((size_t)p->symbolic.c.tiles + 1) * sizeof *p->offset);
    if (!p->offset)
        return ashi_fail_memory(err, p->who, p->symbolic.c.tiles * (int64_t)sizeof *p->offset);
    for (int64_t r = 0; r < c->rows; r++)
        for (int64_t t = c->start[r]; t < c->start[r + 1]; t++) {
            if (ashi_ranges_have(&p->ranges, 0, c->row[r], 1, c->col[t]))
                p->offset[tiles++] = words;
            if (!ashi_add(words, ashi_tiles_words(p->c, c->row[r], c->col[t]), &words))
                return ashi_fail(err, ASHLAR_ERR_OVERFLOW, "the tiles of a rank have more than 2^63 - 1 elements");
        }
    p->offset[tiles] = words;
    return ASHLAR_OK;
}

ashlar_status ashi_product_find_before(ashi_tiles_product *p, ashlar_error *err)
{
    ashi_pattern_free(&p->before);
    return p->ranges.given ? ashi_ranges_pattern(&p->ranges, &p->c->held.pattern, &p->before, err) : ASHLAR_OK;
}

ashlar_status ashi_product_find_after(ashi_tiles_product *p, ashlar_error *err)
{
    ashlar_status status = ASHLAR_OK;
    ashi_pattern_free(&p->after);
    if (p->ranges.given)
        status = ashi_ranges_with_outside(&p->ranges, &p->c->held.pattern, &p->symbolic.c, &p->after, err);
    return status == ASHLAR_OK ? find_offsets(p, err) : status;
}

/* With a budget collective: `mine` is what this rank comes with. */
ashlar_status ashi_product_find_sums(ashi_tiles_product *p, ashlar_status mine, ashlar_error *err)
{
    ashi_factor a = {0}, b = {0};
    ashi_sparse_product product = {.a = &a, .b = &b, .retain = p->retain,
                                   .met = p->whole != NULL, .half = p->c->symmetry != ASHLAR_GENERAL,
                                   .screen = p->screen.type ? &p->screen : NULL};
    ashlar_status status = mine;
    if (status == ASHLAR_OK && !p->whole)
        status = ashi_product_find_before(p, err);
    product.c = ashi_product_before(p);
    p->stood = product.c && product.c->tiles > 0;
    if (status == ASHLAR_OK && p->screen.type)
        status = find_norms_of_c(p, err);
    if (status == ASHLAR_OK)
        status = ashi_factor_make(&p->needed[0], ASHLAR_GENERAL, ASHLAR_OP_N, &a, err);
    if (status == ASHLAR_OK)
        status = ashi_factor_make(&p->needed[1], ASHLAR_GENERAL, ASHLAR_OP_N, &b, err);
    if (p->budget > 0)
        status = ashi_agree_named(p->c->context, status, err);
    if (status == ASHLAR_OK) {
        product.rows = ashi_product_cuts(p, 0);
        product.cols = ashi_product_cuts(p, 1);
        product.inner = ashi_product_cuts(p, 2);
        status = find_symbolic(p, &product, err);
    }
    p->steps.products += p->symbolic.visited;
    if (status == ASHLAR_OK && p->symbolic.first)
        status = find_bits(p, &b, err);
    if (status == ASHLAR_OK)
        status = ashi_product_find_after(p, err);
    ashi_factor_free(&a);
    ashi_factor_free(&b);
    return status;
}

void ashi_product_forget_sums(ashi_tiles_product *p)
{
    ashi_pattern_free(&p->before);
    ashi_pattern_free(&p->after);
    ashi_symbolic_free(&p->symbolic);
    free(p->c_norm);
    free(p->first_bit);
    free(p->offset);
    p->offset = NULL;
    p->offset_room = 0;
    p->c_norm = NULL;
    p->first_bit = NULL;
}
