/* Groups of ranks that are halved again and again: rows of A stay, columns of B are exchanged in pairs. */
#include "strategy/halving.h"

#include "base/checked.h"
#include "base/error.h"
#include "base/type.h"
#include "strategy/arrange.h"

#include <stdlib.h>
#include <string.h>

/* Sub-blocks are at least this wide, or the BLAS is slow with them, and at most so many. */
enum { THINNEST_SUB = 64, SUBS_MOST = 4 };

ashi_halving ashi_halving_of(const int64_t size[3], const int64_t grid[3], int64_t ranks)
{
    ashi_halving h = {.size = {size[0], size[1], size[2]}, .grid = {grid[0], grid[1], grid[2]}, .ranks = ranks,
                      .processes = 1};
    while (h.processes < ranks)
        h.processes *= 2;
    const int64_t cols = size[1] / grid[1] / h.processes;
    h.subs = h.processes > 1 ? ashi_max(1, ashi_min(SUBS_MOST, cols / THINNEST_SUB)) : 1;
    return h;
}

/* A part is a process, and piece `sub` of its block of B a sub-block of the columns that process `from` began with. */
typedef struct process {
    int64_t group[3]; /* its place in the grid */
    int64_t q;
} process;

static process process_of(const ashi_halving *h, int64_t part)
{
    const int64_t group = part / h->processes;
    return (process){{group / h->grid[2] / h->grid[1], group / h->grid[2] % h->grid[1], group % h->grid[2]},
                     part % h->processes};
}

static int64_t part_of(const ashi_halving *h, const process *w)
{
    return ((w->group[0] * h->grid[1] + w->group[1]) * h->grid[2] + w->group[2]) * h->processes + w->q;
}

static int64_t gray(int64_t f)
{
    return f ^ (f / 2);
}

/* The phase in which a sub-block is used next, or is used now, when a round begins. */
static int64_t phase_of(const ashi_halving *h, int64_t sub, int64_t round)
{
    return round / h->subs + (sub < round % h->subs);
}

/* Where share `q` of an interval begins: each rank has an equal one, which its processes divide. */
static int64_t share_at(const ashi_halving *h, int64_t lo, int64_t hi, int64_t q)
{
    if (q == h->processes)
        return hi;
    const int64_t rank = ashi_cut_find(h->processes, h->ranks, q);
    const int64_t first = ashi_cut(h->processes, h->ranks, rank);
    const int64_t at = ashi_cut(hi - lo, h->ranks, rank), length = ashi_cut_size(hi - lo, h->ranks, rank);
    return lo + at + ashi_cut(length, ashi_cut_size(h->processes, h->ranks, rank), q - first);
}

static ashi_reach side_of(const ashi_halving *h, int d, int64_t at)
{
    return (ashi_reach){ashi_cut(h->size[d], h->grid[d], at), ashi_cut(h->size[d], h->grid[d], at + 1)};
}

static ashi_reach share_of(const ashi_halving *h, int d, int64_t at, int64_t q)
{
    const ashi_reach s = side_of(h, d, at);
    return (ashi_reach){share_at(h, s.lo, s.hi, q), share_at(h, s.lo, s.hi, q + 1)};
}

static int rank_of(const void *own, int64_t part)
{
    const ashi_halving *h = own;
    const int64_t q = part % h->processes;
    const int64_t rank = part / h->processes * h->ranks + ashi_cut_find(h->processes, h->ranks, q);
    return h->rank_of ? h->rank_of[rank] : (int)rank;
}

static ashi_box box(const void *own, int64_t part)
{
    const ashi_halving *h = own;
    const process w = process_of(h, part);
    const ashi_reach rows = share_of(h, 0, w.group[0], w.q), cols = side_of(h, 1, w.group[1]);
    return (ashi_box){rows.lo, rows.hi, cols.lo, cols.hi};
}

/* A part's one block of A stays. */
static ashi_reach k_of(const void *own, ashlar_operand x, int64_t part, int64_t round, int64_t piece)
{
    const ashi_halving *h = own;
    if (x == ASHLAR_A ? piece > 0 : phase_of(h, piece, round) >= h->processes)
        return (ashi_reach){0, 0};
    return side_of(h, 2, part / h->processes % h->grid[2]);
}

static ashi_reach rows_or_columns(const void *own, ashlar_operand x, int64_t part, int64_t round, int64_t piece)
{
    const ashi_halving *h = own;
    const process w = process_of(h, part);
    if (x == ASHLAR_A)
        return share_of(h, 0, w.group[0], w.q);
    const ashi_reach cols = share_of(h, 1, w.group[1], w.q ^ gray(phase_of(h, piece, round)));
    const int64_t width = cols.hi - cols.lo;
    return (ashi_reach){cols.lo + ashi_cut(width, h->subs, piece), cols.lo + ashi_cut(width, h->subs, piece + 1)};
}

static int64_t meets(const void *own, int64_t part, int64_t round, int64_t piece)
{
    const ashi_halving *h = own;
    (void)part;
    return piece == round % h->subs ? 0 : -1;
}

/* The part that has the block of another in another round. */
static int64_t holder(const ashi_halving *h, ashlar_operand x, int64_t part, int64_t piece, int64_t round,
                      int64_t other)
{
    const int64_t phase = phase_of(h, piece, other);
    if (x == ASHLAR_A)
        return part;
    return phase < h->processes ? part ^ gray(phase_of(h, piece, round)) ^ gray(phase) : -1;
}

static int64_t from(const void *own, ashlar_operand x, int64_t part, int64_t round, int64_t piece)
{
    return holder(own, x, part, piece, round, round - 1);
}

static int64_t to(const void *own, ashlar_operand x, int64_t part, int64_t round, int64_t piece)
{
    return holder(own, x, part, piece, round, round + 1);
}

static void free_halving(void *own)
{
    ashi_halving *h = own;
    free(h->rank_of);
    free(h);
}

double ashi_halving_words(const ashi_halving *h)
{
    const double m = (double)h->size[0] / (double)h->grid[0], n = (double)h->size[1] / (double)h->grid[1];
    const double k = (double)h->size[2] / (double)h->grid[2], ranks = (double)h->ranks;
    double words = (m * k * (1 - 1 / (double)h->grid[1]) + n * k * (1 - 1 / (double)h->grid[0])) / ranks;
    words += m * n / ranks * (1 - 1 / (double)h->grid[2]);
    return words + n * k * (ranks - 1) / ranks;
}

/* Where cuts of one dimension of a layout are: shares of groups, or of the groups that have a block in common. */
static void cut_shares(const ashi_halving *h, int d, int64_t *cut)
{
    for (int64_t g = 0; g < h->grid[d]; g++)
        for (int64_t q = 0; q < h->processes; q++)
            cut[g * h->processes + q] = share_of(h, d, g, q).lo;
    cut[h->grid[d] * h->processes] = h->size[d];
}

static void cut_blocks(const ashi_halving *h, int d, int64_t pieces, int64_t *cut)
{
    for (int64_t g = 0; g < h->grid[d]; g++) {
        const ashi_reach s = side_of(h, d, g);
        for (int64_t i = 0; i < pieces; i++)
            cut[g * pieces + i] = s.lo + ashi_cut(s.hi - s.lo, pieces, i);
    }
    cut[h->grid[d] * pieces] = h->size[d];
}

/* Rows of A and C, or columns of B, by processes; the other side by the groups that need the same block. */
static ashlar_status halving_layout(const ashi_halving *h, const ashi_problem *q, ashlar_operand x, ashlar_layout **out,
                                    ashlar_error *err)
{
    static const int dims_of[3][3] = {{0, 2, 1}, {1, 2, 0}, {0, 1, 2}}; /* shared out; the other; along the fibre */
    const int *d = dims_of[x];
    const bool share_is_row = x == ASHLAR_C || (x == ASHLAR_A) == (q->op[x] == ASHLAR_OP_N);
    const int64_t shares = h->grid[d[0]] * h->processes, pieces = h->grid[d[2]], blocks = h->grid[d[1]] * pieces;
    const int64_t rows = share_is_row ? shares : blocks, cols = share_is_row ? blocks : shares;
    int64_t *share = malloc((size_t)(shares + 1) * sizeof *share);
    int64_t *block = malloc((size_t)(blocks + 1) * sizeof *block);
    int *owner = malloc((size_t)(rows * cols) * sizeof *owner);
    ashlar_status status = ASHLAR_OK;
    if (!share || !block || !owner) {
        status = ashi_fail_memory(err, "layout", rows * cols * 4);
    } else {
        cut_shares(h, d[0], share);
        cut_blocks(h, d[1], pieces, block);
        for (int64_t s = 0; s < shares; s++)
            for (int64_t b = 0; b < blocks; b++) {
                process w = {.q = s % h->processes};
                w.group[d[0]] = s / h->processes;
                w.group[d[1]] = b / pieces;
                w.group[d[2]] = b % pieces;
                owner[share_is_row ? s * cols + b : b * cols + s] = rank_of(h, part_of(h, &w));
            }
        status = ashlar_layout_tiles(rows, cols, share_is_row ? share : block, share_is_row ? block : share, owner,
                                     share_is_row ? ASHLAR_COL_MAJOR : ASHLAR_ROW_MAJOR, out, err);
    }
    free(share);
    free(block);
    free(owner);
    return status;
}

ashlar_status ashi_halving_propose(const ashi_halving *h, const char *origin, const ashi_problem *q,
                                   ashi_proposals *out, ashlar_error *err)
{
    const ashi_type *type = ashi_type_of(q->type);
    const int64_t groups = h->grid[0] * h->grid[1] * h->grid[2];
    const double words = ashi_halving_words(h), ranks = (double)(groups * h->ranks);
    const double products = (double)q->size[0] * (double)q->size[1] * (double)q->size[2] / ranks;
    ashi_proposal p = {.origin = origin, .rounds = 1, .reduce_rounds = 1, .window = (int)ashi_min(q->window, 2),
                       .estimate = q->least_words ? words
                                                  : products * type->flops / q->machine.flops_per_second +
                                                        words * (double)type->bytes / q->machine.bandwidth +
                                                        (double)(h->processes * h->subs) * q->machine.latency,
                       .longest_k = ashi_ceil_div(q->size[2], h->grid[2]), .ranks = groups * h->ranks,
                       .shape = {h->ranks}};
    ashlar_status status = ashi_bricks_even(h->grid, q->size, &p.bricks, err);
    for (int x = 0; x < 3 && status == ASHLAR_OK; x++)
        if (!q->layout[x])
            status = halving_layout(h, q, (ashlar_operand)x, &p.own[x], err);
    if (status == ASHLAR_OK)
        return ashi_proposals_add(out, &p, err);
    ashi_proposal_free(&p);
    return status;
}

ashlar_status ashi_halving_schedule(const char *strategy, const ashi_halving *h, const ashi_problem *q,
                                    const ashi_proposal *p, ashi_schedule *out, ashlar_error *err)
{
    const int64_t groups = h->grid[0] * h->grid[1] * h->grid[2];
    const size_t ranks = (size_t)(groups * h->ranks);
    ashi_halving *own = malloc(sizeof *own);
    int *copy = malloc((ranks + 1) * sizeof *copy);
    if (!own || !copy) {
        free(own);
        free(copy);
        return ashi_fail_memory(err, "schedule", (int64_t)(ranks * sizeof *copy));
    }
    *own = *h;
    own->rank_of = copy;
    for (size_t r = 0; r < ranks; r++)
        copy[r] = h->rank_of ? h->rank_of[r] : (int)r;
    ashi_shift_request request = {.strategy = strategy, .size = {q->size[0], q->size[1], q->size[2]},
                                  .ranks = q->ranks, .ranks_used = (int64_t)ranks,
                                  .grid = {h->grid[0] * h->ranks, h->grid[1], h->grid[2]}, .op = {q->op[0], q->op[1]},
                                  .lead = p->bricks.lead, .slabs = p->rounds, .reduce_rounds = p->reduce_rounds,
                                  .window = p->window, .one_sided = q->one_sided};
    request.rule = (ashi_shift_rule){.parts = groups * h->processes, .rounds = h->processes * h->subs,
                                     .pieces = h->subs, .own = own, .free_own = free_halving, .rank_of = rank_of,
                                     .box = box, .k_of = k_of, .side_of = rows_or_columns, .meets = meets,
                                     .from = from, .to = to};
    ashi_proposal_layouts(q, p, request.layout);
    return ashi_shift_schedule(&request, out, err);
}
