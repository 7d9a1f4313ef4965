/* Sums of the work that tiles of a product's result are, over all ranks. */
#include "tiles/deal_sums.h"

#include "base/checked.h"
#include "base/error.h"
#include "exec/mpi.h"
#include "layout/pattern_sets.h"
#include "tiles/product_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Multiply-adds, all tiles being present: the same on all ranks. */
static double unit_of(const ashi_tiles_product *p)
{
    double all = 1, unit = 1;
    for (int side = 0; side < 3; side++)
        all *= (double)ashi_cuts_all(ashi_product_cuts(p, side));
    while (all / unit > 0x1p62)
        unit *= 2;
    return unit;
}

/* Added up on all ranks. */
static void add_up(const ashlar_context *context, int64_t *sum, int64_t count)
{
    enum { MOST = 1 << 24 };
    for (int64_t at = 0; at < count; at += MOST)
        ashi_note(context, MPI_Allreduce(MPI_IN_PLACE, sum + at, (int)ashi_min(MOST, count - at), MPI_INT64_T, MPI_SUM,
                                         context->comm), "MPI_Allreduce");
}

double ashi_deal_products(const ashi_tiles_product *p)
{
    const ashi_pattern *a = &p->needed[0], *b = &p->needed[1];
    double products = 0;
    for (int64_t r = 0; r < a->rows; r++)
        for (int64_t t = a->start[r]; t < a->start[r + 1]; t++) {
            const int64_t x = ashi_pattern_row(b, a->col[t]);
            products += x < 0 ? 0 : (double)(b->start[x + 1] - b->start[x]);
        }
    return products;
}

/* ---- tile by tile ---- */

static ashlar_status find_work(const ashi_sparse_product *product, ashi_deal_sums *s, ashlar_error *err)
{
    ashi_symbolic symbolic = {0};
    int64_t *number = NULL;
    ashlar_status status = ashi_symbolic_make(product, &symbolic, err);
    const size_t tiles = (size_t)symbolic.c.tiles + 1;
    double *work = malloc(tiles * sizeof *work);
    for (int side = 0; side < 2; side++)
        s->work[side] = malloc(tiles * sizeof *s->work[side]);
    if (status == ASHLAR_OK && (!work || !s->work[0] || !s->work[1]))
        status = ashi_fail_memory(err, "dealing tiles by work", symbolic.c.tiles * 3 * (int64_t)sizeof *work);
    if (status == ASHLAR_OK)
        status = ashi_pattern_transpose(&symbolic.c, &s->c[1], &number, err);
    if (status == ASHLAR_OK) {
        ashi_symbolic_work(product, &symbolic, work);
        for (int64_t t = 0; t < symbolic.c.tiles; t++)
            s->work[0][t] = llrint(work[t] / s->unit);
        for (int64_t t = 0; t < symbolic.c.tiles; t++)
            s->work[1][t] = s->work[0][number[t]];
        s->c[0] = symbolic.c;
        symbolic.c = (ashi_pattern){0};
    }
    ashi_symbolic_free(&symbolic);
    free(number);
    free(work);
    return status;
}

ashlar_status ashi_deal_sums_find(const ashi_tiles_product *p, ashi_deal_sums *out, ashlar_error *err)
{
    const int64_t lines[2] = {ashi_product_cuts(p, 0)->tiles, ashi_product_cuts(p, 1)->tiles};
    const int64_t grid[2] = {p->c->deal.grid_rows, p->c->deal.grid_cols};
    ashi_factor a = {0}, b = {0};
    *out = (ashi_deal_sums){.context = p->c->context, .unit = unit_of(p)};
    const int64_t room = ashi_dealing_room(lines, grid);
    out->sum = malloc(((size_t)room + 1) * sizeof *out->sum);
    ashlar_status status = out->sum ? ashi_factor_make(&p->needed[0], ASHLAR_GENERAL, ASHLAR_OP_N, &a, err)
                                    : ashi_fail_memory(err, "dealing tiles by work", room * (int64_t)sizeof *out->sum);
    if (status == ASHLAR_OK)
        status = ashi_factor_make(&p->needed[1], ASHLAR_GENERAL, ASHLAR_OP_N, &b, err);
    const ashi_sparse_product product = {.a = &a, .b = &b, .rows = ashi_product_cuts(p, 0),
                                         .cols = ashi_product_cuts(p, 1), .inner = ashi_product_cuts(p, 2),
                                         .half = p->c->symmetry != ASHLAR_GENERAL};
    if (status == ASHLAR_OK)
        status = find_work(&product, out, err);
    ashi_factor_free(&a);
    ashi_factor_free(&b);
    return status;
}

void ashi_deal_sums_free(ashi_deal_sums *s)
{
    for (int side = 0; side < 2; side++) {
        ashi_pattern_free(&s->c[side]);
        free(s->work[side]);
    }
    free(s->sum);
    *s = (ashi_deal_sums){0};
}

void ashi_deal_sums_add(void *sums, int side, const ashi_line_band *band, double *load)
{
    const ashi_deal_sums *s = sums;
    const ashi_pattern *pattern = &s->c[side];
    const int64_t count = band->lines * band->parts;
    memset(s->sum, 0, (size_t)count * sizeof *s->sum);
    for (int64_t i = 0; i < band->lines; i++) {
        const int64_t x = ashi_pattern_row(pattern, band->line[i]);
        for (int64_t t = x < 0 ? 0 : pattern->start[x]; t < (x < 0 ? 0 : pattern->start[x + 1]); t++)
            s->sum[i * band->parts + band->part[pattern->col[t]]] += s->work[side][t];
    }
    add_up(s->context, s->sum, count);
    for (int64_t i = 0; i < count; i++)
        load[i] = (double)s->sum[i] * s->unit;
}

/* ---- lines ---- */

/* For each k, the elements that needed tiles of op(A) have along m, or those of op(B) along n. */
static void add_extents(const ashi_tiles_product *p, int x, int64_t *extent)
{
    const ashi_pattern *needed = &p->needed[x];
    const ashi_cuts *outer = ashi_product_cuts(p, x);
    for (int64_t r = 0; r < needed->rows; r++)
        for (int64_t t = needed->start[r]; t < needed->start[r + 1]; t++) {
            const int64_t at[2] = {needed->row[r], needed->col[t]};
            extent[at[1 - x]] += ashi_cuts_size(outer, at[x]);
        }
}

/* Each needed tile adds its work with all of the other operand's tiles of its k. */
static void add_lines(const ashi_tiles_product *p, int x, const int64_t *extent, double unit, int64_t *work)
{
    const ashi_pattern *needed = &p->needed[x];
    const ashi_cuts *outer = ashi_product_cuts(p, x), *inner = ashi_product_cuts(p, 2);
    for (int64_t r = 0; r < needed->rows; r++)
        for (int64_t t = needed->start[r]; t < needed->start[r + 1]; t++) {
            const int64_t at[2] = {needed->row[r], needed->col[t]}, k = at[1 - x];
            work[at[x]] += llrint((double)ashi_cuts_size(outer, at[x]) * (double)ashi_cuts_size(inner, k) *
                                  (double)extent[k] / unit);
        }
}

ashlar_status ashi_deal_line_work(const ashi_tiles_product *p, ashlar_status mine, double *work, ashlar_error *err)
{
    const int64_t rows = ashi_product_cuts(p, 0)->tiles, lines = rows + ashi_product_cuts(p, 1)->tiles;
    const int64_t inner = ashi_product_cuts(p, 2)->tiles;
    const double unit = unit_of(p);
    int64_t *extent = calloc((size_t)(2 * inner) + 1, sizeof *extent), *sum = calloc((size_t)lines + 1, sizeof *sum);
    if (mine == ASHLAR_OK && (!extent || !sum))
        mine = ashi_fail_memory(err, "dealing tiles by work", (2 * inner + lines) * (int64_t)sizeof *sum);
    ashlar_status status = ashi_agree_named(p->c->context, mine, err);
    for (int x = 0; x < 2 && status == ASHLAR_OK; x++)
        add_extents(p, x, extent + x * inner);
    for (int x = 0; x < 2 && status == ASHLAR_OK; x++)
        add_lines(p, x, extent + (1 - x) * inner, unit, sum + x * rows);
    if (status == ASHLAR_OK)
        add_up(p->c->context, sum, lines);
    for (int64_t line = 0; line < lines && status == ASHLAR_OK; line++)
        work[line] = (double)sum[line] * unit;
    free(extent);
    free(sum);
    return status == ASHLAR_OK ? ashi_agree(p->c->context, ASHLAR_OK, err) : status;
}
