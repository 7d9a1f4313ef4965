/* A square torus of virtual processes, folded onto the ranks there are. */
#include "strategy/fold.h"

#include "base/checked.h"
#include "base/error.h"
#include "strategy/arrange.h"

#include <stdlib.h>
#include <string.h>

ashi_fold ashi_fold_plane(const int64_t size[3], int64_t side, int64_t pr, int64_t pc)
{
    return (ashi_fold){.digits = {1, {side}}, .row = {{pr, pc}}, .col = {{pc, 1}}, .side = side,
                       .ranks_used = pr * pc, .size = {size[0], size[1], size[2]}};
}

int64_t ashi_fold_common(int64_t a, int64_t b)
{
    return a / ashi_common_divisor(a, b) * b;
}

static void add_level(ashi_fold *f, ashi_fold_side row, ashi_fold_side col)
{
    if (row.ranks == 1 && col.ranks == 1 && f->digits.dims > 0)
        return;
    const int64_t length = ashi_fold_common(row.ranks, col.ranks);
    f->digits.length[f->digits.dims] = length;
    f->row[f->digits.dims] = row;
    f->col[f->digits.dims++] = col;
    f->side *= length;
    f->ranks_used *= row.ranks * col.ranks;
}

static int by_length(const void *a, const void *b)
{
    const ashi_fold_side *x = a, *y = b;
    if (x->ranks != y->ranks)
        return x->ranks > y->ranks ? -1 : 1;
    return (x->stride < y->stride) - (x->stride > y->stride);
}

ashi_fold ashi_fold_torus(const int64_t size[3], const ashi_torus *torus)
{
    ashi_fold f = {.side = 1, .ranks_used = 1, .size = {size[0], size[1], size[2]}};
    ashi_fold_side side[ASHI_TORUS_MOST + 1];
    const int dims = torus->dims, half = dims / 2;
    bool square = dims % 2 == 0;
    int64_t stride = 1;
    for (int d = dims - 1; d >= 0; d--) {
        side[d] = (ashi_fold_side){torus->length[d], stride};
        stride *= torus->length[d];
    }
    for (int d = 0; square && d < half; d++)
        square = torus->length[d] == torus->length[half + d];
    for (int d = 0; square && d < half; d++)
        add_level(&f, side[d], side[half + d]);
    if (square)
        return f;
    qsort(side, (size_t)dims, sizeof *side, by_length);
    side[dims] = (ashi_fold_side){1, 1};
    for (int d = 0; d < dims; d += 2)
        add_level(&f, side[d], side[d + 1]);
    return f;
}

ashi_fold ashi_fold_of(const ashi_problem *q, const ashi_proposal *p)
{
    if (p->shape[1] == 0)
        return ashi_fold_torus(q->size, &q->torus);
    ashi_fold f = ashi_fold_plane(q->size, p->shape[0], p->shape[1], p->shape[2]);
    f.rank_of = p->bricks.rank_of;
    return f;
}

int ashi_fold_rank(const ashi_fold *f, int64_t part)
{
    int64_t row[ASHI_TORUS_MOST], col[ASHI_TORUS_MOST], rank = 0;
    ashi_torus_at(&f->digits, part / f->side, row);
    ashi_torus_at(&f->digits, part % f->side, col);
    for (int v = 0; v < f->digits.dims; v++)
        rank += ashi_cut_find(f->digits.length[v], f->row[v].ranks, row[v]) * f->row[v].stride +
                ashi_cut_find(f->digits.length[v], f->col[v].ranks, col[v]) * f->col[v].stride;
    return f->rank_of ? f->rank_of[rank] : (int)rank;
}

ashi_box ashi_fold_box(const ashi_fold *f, int64_t part)
{
    const int64_t i = part / f->side, j = part % f->side;
    return (ashi_box){ashi_cut(f->size[0], f->side, i), ashi_cut(f->size[0], f->side, i + 1),
                      ashi_cut(f->size[1], f->side, j), ashi_cut(f->size[1], f->side, j + 1)};
}

static int rank_of(const void *own, int64_t part)
{
    return ashi_fold_rank(own, part);
}

static ashi_box box(const void *own, int64_t part)
{
    return ashi_fold_box(own, part);
}

static void free_fold(void *own)
{
    ashi_fold *f = own;
    free(f->rank_of);
    free(f);
}

/* The index that digit by digit, without carries, adds up with `b` to `a`. */
static int64_t difference(const ashi_fold *f, int64_t a, int64_t b)
{
    int64_t of_a[ASHI_TORUS_MOST], of_b[ASHI_TORUS_MOST];
    ashi_torus_at(&f->digits, a, of_a);
    ashi_torus_at(&f->digits, b, of_b);
    for (int v = 0; v < f->digits.dims; v++)
        of_a[v] = (of_a[v] - of_b[v] + f->digits.length[v]) % f->digits.length[v];
    return ashi_torus_node(&f->digits, of_a);
}

/* The process that multiplies block (row, col) of op(A) or op(B) in the first round, or sums up that of C: with
 * l = i + j, digit by digit, process (i, j) begins with blocks (i, l) and (l, j). */
static int64_t beginner(const ashi_fold *f, ashlar_operand x, int64_t row, int64_t col)
{
    const int64_t i = x == ASHLAR_B ? difference(f, row, col) : row;
    const int64_t j = x == ASHLAR_A ? difference(f, col, row) : col;
    return i * f->side + j;
}

/* One matrix, cut evenly both ways, with its minor side side by side in memory. */
static ashlar_status square_layout(const ashi_fold *f, const ashi_problem *q, ashlar_operand x, ashlar_layout **out,
                                   ashlar_error *err)
{
    static const int dims_of[3][2] = {{0, 2}, {2, 1}, {0, 1}}; /* rows and columns of op(X) among m, n, k */
    const bool turned = x != ASHLAR_C && q->op[x] != ASHLAR_OP_N;
    const bool by_cols = x == ASHLAR_C || (x == ASHLAR_A) != turned;
    const int64_t side = f->side;
    int64_t *cut[2] = {malloc((size_t)(side + 1) * sizeof *cut[0]), malloc((size_t)(side + 1) * sizeof *cut[0])};
    int *owner = malloc((size_t)(side * side) * sizeof *owner);
    ashlar_status status = ASHLAR_OK;
    if (!cut[0] || !cut[1] || !owner) {
        status = ashi_fail_memory(err, "layout", side * side * 4);
    } else {
        for (int64_t i = 0; i <= side; i++) {
            cut[0][i] = ashi_cut(f->size[dims_of[x][turned]], side, i);
            cut[1][i] = ashi_cut(f->size[dims_of[x][!turned]], side, i);
        }
        for (int64_t v = 0; v < side * side; v++)
            owner[turned ? v % side * side + v / side : v] = ashi_fold_rank(f, beginner(f, x, v / side, v % side));
        status = ashlar_layout_tiles(side, side, cut[0], cut[1], owner, by_cols ? ASHLAR_COL_MAJOR : ASHLAR_ROW_MAJOR,
                                     out, err);
    }
    free(cut[0]);
    free(cut[1]);
    free(owner);
    return status;
}

ashlar_status ashi_fold_layouts(const ashi_fold *f, const ashi_problem *q, ashi_proposal *p, ashlar_error *err)
{
    ashlar_status status = ASHLAR_OK;
    for (int x = 0; x < 3 && status == ASHLAR_OK; x++)
        if (!q->layout[x])
            status = square_layout(f, q, (ashlar_operand)x, &p->own[x], err);
    return status;
}

ashlar_status ashi_fold_schedule(const char *strategy, const ashi_problem *q, const ashi_proposal *p,
                                 const ashi_shift_rule *rule, ashi_schedule *out, ashlar_error *err)
{
    const ashi_fold fold = ashi_fold_of(q, p);
    const size_t ranks = (size_t)fold.ranks_used;
    ashi_fold *own = malloc(sizeof *own);
    if (!own)
        return ashi_fail_memory(err, "schedule", (int64_t)sizeof *own);
    *own = fold;
    if (fold.rank_of) {
        own->rank_of = malloc(ranks * sizeof *own->rank_of);
        if (!own->rank_of) {
            free(own);
            return ashi_fail_memory(err, "schedule", (int64_t)(ranks * sizeof *own->rank_of));
        }
        memcpy(own->rank_of, fold.rank_of, ranks * sizeof *own->rank_of);
    }
    ashi_shift_request request = {.strategy = strategy, .size = {q->size[0], q->size[1], q->size[2]},
                                  .ranks = q->ranks, .ranks_used = fold.ranks_used,
                                  .grid = {fold.side, fold.side, 1}, .op = {q->op[0], q->op[1]},
                                  .lead = p->bricks.lead, .rule = *rule, .slabs = p->rounds,
                                  .reduce_rounds = p->reduce_rounds, .window = p->window, .one_sided = q->one_sided};
    request.rule.parts = fold.side * fold.side;
    request.rule.own = own;
    request.rule.free_own = free_fold;
    request.rule.rank_of = rank_of;
    request.rule.box = box;
    ashi_proposal_layouts(q, p, request.layout);
    return ashi_shift_schedule(&request, out, err);
}
