/* The exact cost of one COSMA grid, in time that does not depend on the number of ranks. */
#include "strategy/cosma_cost.h"

#include "base/checked.h"
#include "base/error.h"
#include "base/type.h"
#include "strategy/buffers.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* An even cutting, with its division done once. */
typedef struct cutting {
    int64_t size, longer;
} cutting;

static cutting cut_in(int64_t n, int64_t parts)
{
    return (cutting){n / parts, n % parts};
}

static int64_t part(cutting c, int64_t i)
{
    return c.size + (i < c.longer);
}

ashi_parts ashi_cosma_parts(const ashi_cosma_query *q, const int64_t grid[3], bool once)
{
    const int64_t size[3] = {q->m, q->n, q->k};
    return ashi_own_parts(size, grid, ASHLAR_C, once);
}

/*
 * What rank (0, 0, 0) has. Its I, J and L and its parts of A and B are as large as any rank's, and so is its part of C
 * or the first of the second band: no rank holds more memory than is found here, or computes more.
 */
typedef struct corner {
    int64_t i, j, l;
    int64_t owned; /* parts of A, B and C, and the buffer for the rest of the block of C */
    int64_t width; /* words of A and B that a slab takes for each of its indices of k */
    int64_t a_width; /* of A alone */
    int64_t cols[2]; /* of a part of C, for each band: its owner receives it from each of pk - 1 ranks */
    int64_t sums[2]; /* words that moving a column of it takes: as received, and packed to be sent */
    int64_t share; /* parts of A, B and C */
    bool one_sum;  /* the block of C is summed up as one, its own part of it too */
    bool in_place; /* its own part of C is not held twice */
} corner;

/* Times that a slab of op(A) or op(B) is held: none where it is multiplied where it lies; twice where what is sent has
 * to be packed beside it, conjugated. */
static int copies_of(ashlar_op op, int64_t sharers)
{
    return (sharers > 1) + (op == ASHLAR_OP_C);
}

static corner corner_of(const ashi_cosma_query *q, const int64_t grid[3], const ashi_parts *parts)
{
    corner c = {.i = ashi_ceil_div(q->m, grid[0]), .j = ashi_ceil_div(q->n, grid[1]),
                .l = ashi_ceil_div(q->k, grid[2])};
    c.in_place = parts->rest == 0 && (parts->rows[0] == 1 || parts->cols[0] == 1);
    const int64_t inputs = c.i * ashi_ceil_div(c.l, grid[1]) + ashi_ceil_div(c.l, grid[0]) * c.j;
    const bool by_rows = parts->rows[0] > 1 || parts->rows[1] > 1;
    int64_t part = 0;
    for (int band = 0; band < 2; band++) {
        int64_t sides[2];
        ashi_parts_sides(parts, c.i, c.j, band ? ashi_parts_first(parts) : 0, sides);
        c.cols[band] = sides[1];
        /* Parts that are cut by rows have to be packed. */
        c.sums[band] = (grid[2] - 1) * sides[0] * (by_rows ? 2 : 1);
        part = ashi_max(part, sides[0] * sides[1]);
    }
    c.share = inputs + part;
    c.one_sum = q->thick && q->memory_words == 0 && grid[2] > 1 && part <= ashi_buffer_words(c.share);
    /* Else its own part is summed up in place if the block's others can be stored without it: see schedule/home.h. */
    c.owned = inputs + c.i * c.j + (c.in_place && !c.one_sum ? 0 : part);
    c.a_width = copies_of(q->op[0], grid[1]) * c.i;
    c.width = c.a_width + copies_of(q->op[1], grid[0]) * c.j;
    return c;
}

/* Words that moving a piece of the sums takes. */
static ashi_wide piece_words(const corner *c, int64_t rounds, int64_t round)
{
    const ashi_wide first = (ashi_wide)ashi_cut_size(c->cols[0], rounds, round) * c->sums[0];
    const ashi_wide second = (ashi_wide)ashi_cut_size(c->cols[1], rounds, round) * c->sums[1];
    return first > second ? first : second;
}

/* The same of the thinnest pieces. */
static int64_t least_piece(const corner *c)
{
    return ashi_max(c->cols[0] > 0 ? c->sums[0] : 0, c->cols[1] > 0 ? c->sums[1] : 0);
}

/* The least R for which slabs of ceil(L / R) are at most `thickest`, which is at least 1. */
static int64_t rounds_for(int64_t length, int64_t thickest)
{
    return ashi_max(ashi_ceil_div(length, thickest), 1);
}

/* The least Q for which pieces fit in the room, which the thinnest do. */
static int64_t pieces_for(const corner *c, int64_t room)
{
    int64_t rounds = 1;
    for (int band = 0; band < 2; band++)
        if (c->sums[band] > 0)
            rounds = ashi_max(rounds, rounds_for(c->cols[band], ashi_max(room / c->sums[band], 1)));
    return rounds;
}

/* More rounds in flight than rounds need no memory. */
static int window_for(int window, const ashi_cosma_cost_row *row)
{
    return (int)ashi_min(window, ashi_max(row->rounds, row->reduce_rounds));
}

/* The most rounds whose slabs are no thinner than wanted: ceil(L / R) >= h means R <= (L - 1) / (h - 1). */
static int64_t rounds_most(const corner *c)
{
    return c->l > 1 ? (c->l - 1) / (ashi_min(ASHI_THINNEST_SLAB, c->l) - 1) : 1;
}

/* Words of A and B that arrive at the corner, and its multiply-adds. */
static ashi_slab_work slabs_of(const ashi_cosma_query *q, const corner *c, const int64_t grid[3])
{
    const int64_t own_a = ashi_ceil_div(c->l, grid[1]), own_b = ashi_ceil_div(c->l, grid[0]);
    return (ashi_slab_work){.length = c->l, .window = q->window,
                            .words = (double)c->i * (double)(c->l - own_a) + (double)c->j * (double)(c->l - own_b),
                            .products = (double)c->i * (double)c->j * (double)c->l};
}

static void rounds_unlimited(const ashi_cosma_query *q, const corner *c, const int64_t grid[3],
                             ashi_cosma_cost_row *row)
{
    const int64_t budget = ashi_buffer_words(c->share) / q->window, pk = grid[2];
    row->rounds = row->reduce_rounds = 1;
    if (c->width > 0) {
        const ashi_slab_work slabs = slabs_of(q, c, grid);
        int64_t wanted = rounds_for(c->l, ashi_max(budget / c->width, 1));
        if (q->thick && wanted > 1)
            wanted = ashi_min(wanted, ashi_rounds_for_time(&slabs, q->type, &q->machine));
        row->rounds = ashi_min(ashi_max(wanted, q->least_rounds), rounds_most(c));
    }
    if (pk > 1)
        row->reduce_rounds = pieces_for(c, ashi_max(ashi_ceil_div(c->l, row->rounds) * c->width, budget));
    row->window = window_for(q->window, row);
}

static bool rounds_within(const ashi_cosma_query *q, const corner *c, int window, ashi_cosma_cost_row *row)
{
    const int64_t limit = q->memory_words;
    const int64_t room = limit < c->owned ? -1 : (limit - c->owned) / window;
    const bool slabs = c->width > 0 && c->l > 0;
    if (room < 0 || (slabs && room < c->width) || room < least_piece(c))
        return false;
    row->rounds = slabs ? ashi_max(rounds_for(c->l, room / c->width), ashi_min(q->least_rounds, rounds_most(c))) : 1;
    row->reduce_rounds = pieces_for(c, room);
    row->window = window_for(window, row);
    return true;
}

/* With several rounds in flight, unless only one has room, or slabs would be so thin that thicker ones, with nothing in
 * flight, take less time. */
static bool rounds_limited(const ashi_cosma_query *q, const corner *c, const int64_t grid[3], ashi_cosma_cost_row *row)
{
    ashi_cosma_cost_row one = *row;
    if (!rounds_within(q, c, 1, &one))
        return false;
    const ashi_slab_work slabs = slabs_of(q, c, grid);
    const bool several = rounds_within(q, c, q->window, row);
    const bool thin = several && !q->window_given &&
                      ashi_ceil_div(c->l, row->rounds) < ashi_min(ASHI_THINNEST_SLAB, c->l);
    if (!several || (thin && ashi_rounds_seconds(&slabs, one.rounds, 1, q->type, &q->machine) <
                                 ashi_rounds_seconds(&slabs, row->rounds, row->window, q->type, &q->machine)))
        *row = one;
    return true;
}

/* False if there are none for the query's limit. */
static bool find_rounds(const ashi_cosma_query *q, const corner *c, const int64_t grid[3], ashi_cosma_cost_row *row)
{
    if (q->memory_words > 0)
        return rounds_limited(q, c, grid, row);
    rounds_unlimited(q, c, grid, row);
    return true;
}

/* The memory of the thinnest slabs and pieces, one at a time. */
static ashi_wide least_memory(const corner *c)
{
    return (ashi_wide)c->owned + ashi_max(c->l > 0 ? c->width : 0, least_piece(c));
}

/* No less than an engine's pool: areas are as far apart as the first round of slabs or pieces wants, and the last one
 * that is used holds the last of the rounds that are in flight at first. */
static ashi_wide memory_of(const corner *c, const ashi_cosma_cost_row *row)
{
    const ashi_wide slab = ashi_ceil_div(c->l, row->rounds), piece = piece_words(c, row->reduce_rounds, 0);
    const ashi_wide apart = slab * c->width > piece ? slab * c->width : piece;
    const int64_t k_slot = ashi_min(row->window, row->rounds) - 1;
    const int64_t c_slot = ashi_min(row->window, row->reduce_rounds) - 1;
    const ashi_wide last_slab = ashi_cut_size(c->l, row->rounds, k_slot);
    const bool a_alone = c->a_width == c->width;
    const ashi_wide panels = last_slab * (c->width - c->a_width) + (a_alone ? last_slab : slab) * c->a_width;
    const ashi_wide k_end = k_slot * apart + panels;
    const ashi_wide c_end = c_slot * apart + piece_words(c, row->reduce_rounds, c_slot);
    return c->owned + (k_end > c_end ? k_end : c_end);
}

/* Words of sums that the owner of part number `at` of a block of C receives. */
static int64_t sums_of(const int64_t grid[3], const ashi_parts *parts, int64_t rows, int64_t cols, int64_t at)
{
    if (!parts)
        return (grid[2] - 1) * ashi_ceil_div(rows * cols, grid[2]);
    return (grid[2] - 1) * ashi_parts_words(parts, rows, cols, at);
}

/*
 * Words that the busiest of the ranks (i, j, l) receives, whatever i and j. Along i the first rank has the most rows,
 * and the first whose part of L is the smaller lacks the most of B: any other has no more rows and lacks no more than
 * one of these two. So along j. parts: NULL if all of C are as large as the mean.
 */
static int64_t busiest_at(const ashi_cosma_query *q, const int64_t grid[3], const ashi_parts *parts, int64_t l)
{
    const int64_t length = ashi_cut_size(q->k, grid[2], l);
    const cutting m = cut_in(q->m, grid[0]), by_i = cut_in(length, grid[0]);
    const cutting n = cut_in(q->n, grid[1]), by_j = cut_in(length, grid[1]);
    const int64_t try_i[2] = {0, by_i.longer}, try_j[2] = {0, by_j.longer};
    int64_t most = 0;
    for (int a = 0; a < 2; a++) {
        const int64_t rows = part(m, try_i[a]);
        for (int b = 0; b < 2; b++) {
            const int64_t cols = part(n, try_j[b]);
            const int64_t inputs = rows * (length - part(by_j, try_j[b])) + cols * (length - part(by_i, try_i[a]));
            most = ashi_max(most, inputs + sums_of(grid, parts, rows, cols, l));
        }
    }
    return most;
}

/* For any i and j rank (i, j, 0), or the first that has a part of the second band, receives no fewer words than (i, j,
 * l): no other rank's L, or part of C of the same band, is larger. */
static int64_t busiest(const ashi_cosma_query *q, const int64_t grid[3], const ashi_parts *parts)
{
    const int64_t first = busiest_at(q, grid, parts, 0);
    return parts->rest > 0 ? ashi_max(first, busiest_at(q, grid, parts, ashi_parts_first(parts))) : first;
}

/* Every block of A has pn ranks that need it, each of which lacks all but its part; so with B and C. */
ashi_wide ashi_cosma_words_total(const ashi_cosma_query *q, const int64_t grid[3])
{
    return (ashi_wide)q->m * q->k * (grid[1] - 1) + (ashi_wide)q->n * q->k * (grid[0] - 1) +
           (ashi_wide)q->m * q->n * (grid[2] - 1);
}

/* No more rounds than the best parts of C lead to: with larger parts a rank's share and its buffers are larger. */
static int64_t rounds_least(const ashi_cosma_query *q, const int64_t grid[3])
{
    const int64_t rows = ashi_ceil_div(q->m, grid[0]), cols = ashi_ceil_div(q->n, grid[1]), pk = grid[2];
    const bool by_cols = rows * ashi_ceil_div(cols, pk) <= cols * ashi_ceil_div(rows, pk);
    const ashi_parts even = by_cols ? ashi_parts_even(1, pk) : ashi_parts_even(pk, 1);
    const corner c = corner_of(q, grid, &even);
    ashi_cosma_cost_row row = {.rounds = 1};
    if (q->memory_words == 0)
        rounds_unlimited(q, &c, grid, &row);
    return row.rounds;
}

/* Somebody's part of C is as large as the mean at least, and nobody's L is shorter than the last. */
void ashi_cosma_row_least(const ashi_cosma_query *q, const int64_t grid[3], ashi_cosma_cost_row *row)
{
    *row = (ashi_cosma_cost_row){.grid = {grid[0], grid[1], grid[2]},
                                 .words_max = busiest_at(q, grid, NULL, grid[2] - 1),
                                 .words_total = ashi_cosma_words_total(q, grid),
                                 .messages = grid[0] + grid[1] + grid[2] - 3};
    if (!q->least_words)
        row->messages = (ashi_wide)rounds_least(q, grid) * (grid[0] + grid[1] - 2) + grid[2] - 1;
    ashi_cosma_row_seconds(q, row);
}

void ashi_cosma_row_seconds(const ashi_cosma_query *q, ashi_cosma_cost_row *row)
{
    const ashi_type *type = ashi_type_of(q->type);
    const int64_t *grid = row->grid;
    const double flops = (double)ashi_ceil_div(q->m, grid[0]) * (double)ashi_ceil_div(q->n, grid[1]) *
                         (double)ashi_ceil_div(q->k, grid[2]) * type->flops;
    const double compute = flops / q->machine.flops_per_second;
    if (row->words_total == 0)
        row->messages = 0;
    const double move = (double)row->words_max * (double)type->bytes / q->machine.bandwidth +
                        (double)row->messages * q->machine.latency;
    row->seconds = compute + move; /* nothing hidden: what is overlapped may still be in the way of something else */
}

bool ashi_cosma_row(const ashi_cosma_query *q, const int64_t grid[3], ashi_cosma_cost_row *row, ashi_wide *least)
{
    const int64_t pm = grid[0], pn = grid[1], pk = grid[2];
    bool fits = false, other = true;
    ashi_parts parts = {{0}, {0}, 0};
    corner c = {0};
    for (int once = 0; once < 2 && !fits && other; once++) {
        row->once = once;
        parts = ashi_cosma_parts(q, grid, once);
        c = corner_of(q, grid, &parts);
        fits = find_rounds(q, &c, grid, row);
        other = !c.in_place; /* there are parts of another kind that are summed up in place */
        const ashi_wide needed = least_memory(&c);
        *least = !fits && needed < *least ? needed : *least;
    }
    if (!fits)
        return false;
    row->grid[0] = pm;
    row->grid[1] = pn;
    row->grid[2] = pk;
    row->stays = ASHI_STAYS_C;
    row->memory = memory_of(&c, row);
    row->words_max = busiest(q, grid, &parts);
    row->words_total = ashi_cosma_words_total(q, grid);
    row->messages = (ashi_wide)row->rounds * (pm + pn - 2) + (ashi_wide)row->reduce_rounds * (pk - 1);
    ashi_cosma_row_seconds(q, row);
    return true;
}

static int order_wide(ashi_wide x, ashi_wide y)
{
    return (x > y) - (x < y);
}

int ashi_cosma_compare(const ashi_cosma_query *q, const ashi_cosma_cost_row *x, const ashi_cosma_cost_row *y)
{
    if (!q->least_words && x->seconds != y->seconds)
        return x->seconds < y->seconds ? -1 : 1;
    const ashi_wide xs[] = {x->words_max, x->words_total, x->messages, x->memory, x->grid[2], x->grid[0], x->grid[1],
                             (ashi_wide)x->stays};
    const ashi_wide ys[] = {y->words_max, y->words_total, y->messages, y->memory, y->grid[2], y->grid[0], y->grid[1],
                             (ashi_wide)y->stays};
    int order = 0;
    for (size_t i = 0; order == 0 && i < sizeof xs / sizeof xs[0]; i++)
        order = order_wide(xs[i], ys[i]);
    return order;
}

static ashi_cosma_cost_row row_of(const ashi_grid_choice *c)
{
    return (ashi_cosma_cost_row){.grid = {c->grid[0], c->grid[1], c->grid[2]}, .stays = c->stays,
                                 .words_max = c->words_max, .words_total = c->words_total, .messages = c->messages_max,
                                 .memory = c->memory_words, .seconds = c->seconds};
}

static int compare_choices(const ashi_cosma_query *q, const ashi_grid_choice *x, const ashi_grid_choice *y)
{
    const ashi_cosma_cost_row row_x = row_of(x), row_y = row_of(y);
    return ashi_cosma_compare(q, &row_x, &row_y);
}

void ashi_cosma_keep(const ashi_cosma_query *q, const ashi_grid_choice *c, int max, ashi_grid_choice *best,
                     int *count)
{
    int at = 0;
    while (at < *count && compare_choices(q, &best[at], c) < 0)
        at++;
    if (at == max || (at < *count && compare_choices(q, &best[at], c) == 0))
        return;
    *count = (int)ashi_min(*count + 1, max);
    memmove(&best[at + 1], &best[at], (size_t)(*count - 1 - at) * sizeof *best);
    best[at] = *c;
}

ashlar_status ashi_cosma_finish(const ashi_cosma_query *q, const ashi_cosma_cost_row *row, ashi_grid_choice *choice,
                                ashlar_error *err)
{
    ashi_grid_choice out = {.grid = {row->grid[0], row->grid[1], row->grid[2]},
                             .ranks_used = row->grid[0] * row->grid[1] * row->grid[2],
                             .rounds = row->rounds,
                             .reduce_rounds = row->reduce_rounds,
                             .window = row->window,
                             .stays = row->stays,
                             .once = row->once,
                             .words_max = row->words_max,
                             .words_mean = (double)row->words_total / (double)q->p,
                             .seconds = row->seconds};
    if (!ashi_narrow(row->words_total, &out.words_total) || !ashi_narrow(row->messages, &out.messages_max) ||
        !ashi_narrow(row->memory, &out.memory_words))
        return ashi_fail(err, ASHLAR_ERR_OVERFLOW,
                         "cosma: %" PRId64 " x %" PRId64 " x %" PRId64 " on a grid of %" PRId64 " x %" PRId64
                         " x %" PRId64 ": more words or messages than 64 bits can count",
                         q->m, q->n, q->k, row->grid[0], row->grid[1], row->grid[2]);
    *choice = out;
    return ASHLAR_OK;
}

/* Words that the busiest sender sends: its parts of A and B to all others of its fibres, its block of C less its own
 * part. Of the ranks (0, 0, l), which have the largest blocks, some have smaller parts of C than others. */
static int64_t busiest_sender(const ashi_cosma_query *q, const int64_t grid[3], const ashi_parts *parts)
{
    const int64_t i = ashi_ceil_div(q->m, grid[0]), j = ashi_ceil_div(q->n, grid[1]);
    const cutting k = cut_in(q->k, grid[2]);
    int64_t most = 0;
    for (int64_t at = 0; at < grid[2]; at++) {
        const int64_t l = part(k, at), own = ashi_parts_words(parts, i, j, at);
        const int64_t inputs = i * ashi_ceil_div(l, grid[1]) * (grid[1] - 1) +
                               j * ashi_ceil_div(l, grid[0]) * (grid[0] - 1);
        most = ashi_max(most, inputs + i * j - own);
    }
    return most;
}

int64_t ashi_cosma_memory_most(const ashi_cosma_query *q, const ashi_grid_choice *c)
{
    const ashi_parts parts = ashi_cosma_parts(q, c->grid, c->once);
    const corner most = corner_of(q, c->grid, &parts);
    const int64_t width = most.width + (c->grid[1] == 1 ? most.i : 0) + (c->grid[0] == 1 ? most.j : 0);
    const int64_t slab = ashi_ceil_div(most.l, c->rounds) * width;
    return ashi_max(c->memory_words, most.owned + c->window * slab);
}

bool ashi_cosma_has_one_sum(const ashi_cosma_query *q, const ashi_grid_choice *c)
{
    const ashi_parts parts = ashi_cosma_parts(q, c->grid, c->once);
    return c->stays == ASHI_STAYS_C && corner_of(q, c->grid, &parts).one_sum;
}

ashi_totals ashi_cosma_totals(const ashi_cosma_query *q, const ashi_grid_choice *c)
{
    const ashi_parts parts = ashi_cosma_parts(q, c->grid, c->once);
    const corner most = corner_of(q, c->grid, &parts);
    return (ashi_totals){.words_max = c->words_max, .words_total = c->words_total, .words_mean = c->words_mean,
                         .sent_max = busiest_sender(q, c->grid, &parts), .messages_max = c->messages_max,
                         .messages_total = ashi_mul_most(c->messages_max, c->ranks_used),
                         .memory_max = c->memory_words, .share_max = most.share,
                         .products_max = ashi_mul_most(ashi_mul_most(most.i, most.j), most.l),
                         .products_total = ashi_mul_most(ashi_mul_most(q->m, q->n), q->k)};
}

/* Twice the words of all matrices must fit in 64 bits: no product above needs more. */
static bool sizes_fit(const ashi_cosma_query *q)
{
    const int64_t sides[3][2] = {{q->m, q->n}, {q->m, q->k}, {q->n, q->k}};
    int64_t sum = 0, words;
    for (int i = 0; i < 3; i++)
        if (!ashi_mul(sides[i][0], sides[i][1], &words) || !ashi_add(sum, words, &sum))
            return false;
    return sum <= INT64_MAX / 2;
}

ashlar_status ashi_cosma_check(const ashi_cosma_query *q, ashlar_error *err)
{
    if (q->m < 0 || q->n < 0 || q->k < 0)
        return ashi_fail(err, ASHLAR_ERR_ARG,
                         "cosma: m, n, k = %" PRId64 ", %" PRId64 ", %" PRId64 ", wanted at least 0", q->m, q->n, q->k);
    if (q->p < 1)
        return ashi_fail(err, ASHLAR_ERR_ARG, "cosma: %" PRId64 " ranks, wanted at least 1", q->p);
    if (!ashi_type_of(q->type))
        return ashi_fail(err, ASHLAR_ERR_ARG, "cosma: %d is no element type", (int)q->type);
    if (q->memory_words < 0)
        return ashi_fail(err, ASHLAR_ERR_ARG, "cosma: memory_words = %" PRId64 ", wanted at least 0", q->memory_words);
    if (!(q->idle >= 0 && q->idle <= 1))
        return ashi_fail(err, ASHLAR_ERR_ARG, "cosma: idle = %g, wanted 0 to 1", q->idle);
    if (q->window < 1)
        return ashi_fail(err, ASHLAR_ERR_ARG, "cosma: window = %d, wanted at least 1", q->window);
    if (!(q->machine.flops_per_second > 0 && q->machine.bandwidth > 0 && q->machine.latency >= 0))
        return ashi_fail(err, ASHLAR_ERR_ARG, "cosma: flop rate %g, bandwidth %g, latency %g, wanted above 0",
                         q->machine.flops_per_second, q->machine.bandwidth, q->machine.latency);
    if (!sizes_fit(q))
        return ashi_fail(err, ASHLAR_ERR_OVERFLOW,
                         "cosma: matrices of m, n, k = %" PRId64 ", %" PRId64 ", %" PRId64
                         " have more words than 64 bits can count",
                         q->m, q->n, q->k);
    return ASHLAR_OK;
}
