/* Every product a(i,l) * b(l,j) is formed exactly once: the boxes of all MULTIPLY operations fill m x n x k. */
#include "schedule/check_state.h"

#include "base/checked.h"
#include "base/error.h"

#include <inttypes.h>
#include <stdlib.h>

static const int64_t MOST_CELLS = 100000000;

ashlar_status ashi_check_note(ashi_checker *c, const ashi_op *op, ashlar_error *err)
{
    ashi_check_list *const list = &c->products;
    ashi_check_product *p = ashi_check_add(list, sizeof *p);
    if (!p)
        return ashi_fail_memory(err, "checker", list->count * (int64_t)sizeof *p);
    *p = (ashi_check_product){{op->box.minor_lo, op->box.major_lo, op->k_lo},
                              {op->box.minor_hi, op->box.major_hi, op->k_hi}, c->rank, c->step};
    return ASHLAR_OK;
}

/* The positions at which any box begins or ends, each once, ascending. */
typedef struct cuts {
    int64_t *at, count;
} cuts;

static int by_value(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static bool find_cuts(const ashi_check_list *products, int d, int64_t size, cuts *out)
{
    const ashi_check_product *p = products->data;
    out->at = malloc((size_t)(2 * products->count + 2) * sizeof *out->at);
    if (!out->at)
        return false;
    int64_t n = 0, kept = 0;
    out->at[n++] = 0;
    out->at[n++] = size;
    for (int64_t i = 0; i < products->count; i++) {
        out->at[n++] = p[i].lo[d];
        out->at[n++] = p[i].hi[d];
    }
    qsort(out->at, (size_t)n, sizeof *out->at, by_value);
    for (int64_t i = 0; i < n; i++)
        if (kept == 0 || out->at[kept - 1] != out->at[i])
            out->at[kept++] = out->at[i];
    out->count = kept;
    return true;
}

/* The number of a cut that is there. */
static int64_t number_of(const cuts *c, int64_t position)
{
    const int64_t *at = bsearch(&position, c->at, (size_t)c->count, sizeof *c->at, by_value);
    return at - c->at;
}

/* Mark the cells of a box; false if one was marked before. */
static bool mark(const cuts c[3], const ashi_check_product *p, bool *cell)
{
    int64_t lo[3], hi[3];
    for (int d = 0; d < 3; d++) {
        lo[d] = number_of(&c[d], p->lo[d]);
        hi[d] = number_of(&c[d], p->hi[d]);
    }
    for (int64_t i = lo[0]; i < hi[0]; i++)
        for (int64_t j = lo[1]; j < hi[1]; j++)
            for (int64_t l = lo[2]; l < hi[2]; l++) {
                bool *here = &cell[(i * (c[1].count - 1) + j) * (c[2].count - 1) + l];
                if (*here)
                    return false;
                *here = true;
            }
    return true;
}

static ashi_op op_of(const int64_t lo[3], const int64_t hi[3])
{
    return (ashi_op){.kind = ASHI_MULTIPLY, .operand = ASHLAR_C, .k_lo = lo[2], .k_hi = hi[2],
                     .box = {lo[0], hi[0], lo[1], hi[1]}};
}

static ashlar_status fill(ashi_checker *c, const cuts cut[3], bool *cell, int64_t cells, ashlar_error *err)
{
    const ashi_check_product *p = c->products.data;
    for (int64_t i = 0; i < c->products.count; i++) {
        const ashi_op op = op_of(p[i].lo, p[i].hi);
        c->rank = p[i].rank;
        c->step = p[i].step;
        if (!mark(cut, &p[i], cell))
            return ashi_check_fail(c, &op, err, "forms products that were formed before");
    }
    const int64_t nj = cut[1].count - 1, nl = cut[2].count - 1;
    c->rank = c->step = -1;
    for (int64_t x = 0; x < cells; x++) {
        const int64_t at[3] = {x / nl / nj, x / nl % nj, x % nl};
        int64_t lo[3], hi[3];
        for (int d = 0; d < 3; d++) {
            lo[d] = cut[d].at[at[d]];
            hi[d] = cut[d].at[at[d] + 1];
        }
        const ashi_op op = op_of(lo, hi);
        if (!cell[x])
            return ashi_check_fail(c, &op, err, "no rank forms these products");
    }
    return ASHLAR_OK;
}

static ashlar_status check_filled(ashi_checker *c, ashlar_error *err)
{
    const int64_t size[3] = {c->schedule->m, c->schedule->n, c->schedule->k};
    cuts cut[3] = {{NULL, 0}, {NULL, 0}, {NULL, 0}};
    bool *cell = NULL, there = true;
    int64_t cells = 1;
    for (int d = 0; d < 3 && there; d++)
        there = find_cuts(&c->products, d, size[d], &cut[d]);
    for (int d = 0; d < 3 && there && cells <= MOST_CELLS; d++)
        if (!ashi_mul(cells, cut[d].count - 1, &cells))
            cells = INT64_MAX;
    ashlar_status status = ASHLAR_OK;
    if (there && cells > MOST_CELLS) {
        status = ashi_fail(err, ASHLAR_ERR_OVERFLOW,
                           "checker: the boxes cut %" PRId64 " x %" PRId64 " x %" PRId64 " products into more than %"
                           PRId64 " cells", size[0], size[1], size[2], MOST_CELLS);
    } else {
        cell = there ? calloc((size_t)cells + 1, sizeof *cell) : NULL;
        status = cell ? fill(c, cut, cell, cells, err) : ashi_fail_memory(err, "checker", cells);
    }
    free(cell);
    for (int d = 0; d < 3; d++)
        free(cut[d].at);
    return status;
}

ashlar_status ashi_check_products(ashi_checker *c, ashlar_error *err)
{
    const ashi_check_product *p = c->products.data;
    for (int64_t i = 0; i < c->products.count; i++)
        c->report->products += (p[i].hi[0] - p[i].lo[0]) * (p[i].hi[1] - p[i].lo[1]) * (p[i].hi[2] - p[i].lo[2]);
    return check_filled(c, err);
}
