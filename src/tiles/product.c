/* A product of matrices of tiles on all ranks: who needs which tiles, which tiles C has, and the program. */
#include "tiles/product.h"

#include "base/checked.h"
#include "base/error.h"
#include "base/ordering.h"
#include "base/type.h"
#include "exec/mpi.h"
#include "layout/pattern_sets.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const who = "ashlar_tiles_multiply";

/* PANELS: the tiles of A and B that come for the iterations in flight are 1 / PANELS of what a rank has of both at
 * most. ITERATIONS: the fewest. WINDOW: iterations in flight, as in eq. (1) of Calvin, Lewis and Valeev (2015) on the
 * smallest grids. */
enum { PANELS = 3, ITERATIONS = 8, WINDOW = 2 };

/* ---- who needs which tiles ---- */

/* A norm that is not below the true one: the computed norm of n elements has a relative error of (n + 2) u. */
static double norm_of(const ashlar_tiles *t, int64_t number, int64_t row, int64_t col)
{
    const int64_t words = ashi_tiles_words(t, row, col);
    const ashi_square square = t->tile_kernels->square(words, ashi_held_tile(&t->held, number, t->bytes));
    return ashi_square_root(square) * (1 + 2 * ((double)words + 2) * DBL_EPSILON);
}

/* What a rank's stored tiles stand for in op(X): one tile each, or two if a matrix has a symmetry. */
typedef struct own_tiles {
    ashi_tile_at *at;
    int64_t *number; /* of the stored tile */
    int64_t count;
} own_tiles;

static void add_own(own_tiles *own, int64_t row, int64_t col, int64_t number, bool turned)
{
    own->number[own->count] = number;
    own->at[own->count++] = turned ? (ashi_tile_at){col, row} : (ashi_tile_at){row, col};
}

static ashlar_status find_own(const ashi_tiles_product *p, int x, own_tiles *own, ashlar_error *err)
{
    const ashlar_tiles *t = p->x[x];
    const bool turned = p->op[x] != ASHLAR_OP_N;
    const size_t most = 2 * (size_t)t->held.pattern.tiles + 1;
    *own = (own_tiles){malloc(most * sizeof *own->at), malloc(most * sizeof *own->number), 0};
    if (!own->at || !own->number)
        return ashi_fail_memory(err, who, (int64_t)(most * (sizeof *own->at + sizeof *own->number)));
    for (ashi_held_walk w = {.number = -1}; ashi_held_next(&t->held, &w);) {
        add_own(own, w.at.row, w.at.col, w.number, turned);
        if (t->symmetry != ASHLAR_GENERAL && w.at.row != w.at.col)
            add_own(own, w.at.col, w.at.row, w.number, turned);
    }
    return ASHLAR_OK;
}

/* Each tile is named to all processes of C's process row, or column, that it may be multiplied on, with its norm. */
static ashlar_status name_tiles(const ashi_tiles_product *p, int x, const own_tiles *own, ashi_packets *out,
                                ashlar_error *err)
{
    const ashi_deal *deal = &p->c->deal;
    const bool turned = p->op[x] != ASHLAR_OP_N;
    const int64_t others = x == ASHLAR_A ? deal->grid_cols : deal->grid_rows;
    ashlar_status status = ASHLAR_OK;
    for (int64_t t = 0; t < own->count; t++) {
        const ashi_tile_at at = own->at[t];
        double norm = 0;
        int64_t bits;
        if (p->screen.type)
            norm = norm_of(p->x[x], own->number[t], turned ? at.col : at.row, turned ? at.row : at.col);
        memcpy(&bits, &norm, sizeof bits);
        for (int64_t i = 0; i < others && status == ASHLAR_OK; i++) {
            const int64_t row = x == ASHLAR_A ? ashi_deal_row_part(deal, at.row) : i;
            const int64_t col = x == ASHLAR_A ? i : ashi_deal_col_part(deal, at.col);
            const ashi_packet packet = {.rank = deal->grid_rank[row * deal->grid_cols + col], .row = at.row,
                                        .col = at.col, .at = bits};
            status = ashi_packets_add(out, &packet, err);
        }
    }
    return status;
}

static ashlar_status list_norms(const ashi_packets *in, const ashi_pattern *pattern, double **norm, ashlar_error *err)
{
    *norm = malloc(((size_t)pattern->tiles + 1) * sizeof **norm);
    if (!*norm)
        return ashi_fail_memory(err, who, pattern->tiles * (int64_t)sizeof **norm);
    for (int64_t i = 0; i < in->count; i++) {
        const ashi_packet *packet = &in->packet[i];
        memcpy(&(*norm)[ashi_pattern_find(pattern, packet->row, packet->col)], &packet->at, sizeof **norm);
    }
    return ASHLAR_OK;
}

static ashlar_status list_tiles(const ashi_packets *in, ashi_pattern *out, ashlar_error *err)
{
    ashi_tile_at *tile = malloc(((size_t)in->count + 1) * sizeof *tile);
    if (!tile)
        return ashi_fail_memory(err, who, in->count * (int64_t)sizeof *tile);
    for (int64_t i = 0; i < in->count; i++)
        tile[i] = (ashi_tile_at){in->packet[i].row, in->packet[i].col};
    const ashlar_status status = ashi_pattern_make(tile, in->count, out, err);
    free(tile);
    return status;
}

/* Collective. */
static ashlar_status find_needed(ashi_tiles_product *p, int x, ashlar_status mine, ashlar_error *err)
{
    ashi_packets out = {0}, in = {0};
    own_tiles own = {0};
    ashi_pattern owned = {0};
    if (mine == ASHLAR_OK)
        mine = find_own(p, x, &own, err);
    if (mine == ASHLAR_OK)
        mine = name_tiles(p, x, &own, &out, err);
    ashlar_status status = ashi_packets_announce(p->c->context, mine, &out, &in, err);
    if (status == ASHLAR_OK)
        status = list_tiles(&in, &p->needed[x], err);
    if (status == ASHLAR_OK && p->screen.type)
        status = list_norms(&in, &p->needed[x], &p->norm[x], err);
    if (status == ASHLAR_OK)
        status = ashi_pattern_make(own.at, own.count, &owned, err);
    if (status == ASHLAR_OK)
        status = ashi_pattern_union(&owned, &p->needed[x], &p->both[x], err);
    ashi_pattern_free(&owned);
    ashi_packets_free(&out);
    ashi_packets_free(&in);
    free(own.at);
    free(own.number);
    return status;
}

/* ---- C ---- */

static ashlar_status find_norms_of_c(ashi_tiles_product *p, ashlar_error *err)
{
    const ashlar_tiles *c = p->c;
    p->screen.a_norm = p->norm[0];
    p->screen.b_norm = p->norm[1];
    if (p->screen.beta == 0)
        return ASHLAR_OK;
    p->c_norm = malloc(((size_t)c->held.pattern.tiles + 1) * sizeof *p->c_norm);
    if (!p->c_norm)
        return ashi_fail_memory(err, who, c->held.pattern.tiles * (int64_t)sizeof *p->c_norm);
    for (ashi_held_walk w = {.number = -1}; ashi_held_next(&c->held, &w);)
        p->c_norm[w.number] = norm_of(c, w.number, w.at.row, w.at.col);
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
        return ashi_fail_memory(err, who, a->tiles * (int64_t)sizeof *p->first_bit);
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

static ashlar_status find_sums(ashi_tiles_product *p, ashlar_error *err)
{
    ashi_factor a = {0}, b = {0};
    const ashi_sparse_product product = {.a = &a, .b = &b, .rows = ashi_tiles_product_cuts(p, 0),
                                         .cols = ashi_tiles_product_cuts(p, 1),
                                         .inner = ashi_tiles_product_cuts(p, 2), .c = &p->c->held.pattern,
                                         .retain = p->retain, .half = p->c->symmetry != ASHLAR_GENERAL,
                                         .screen = p->screen.type ? &p->screen : NULL};
    ashlar_status status = p->screen.type ? find_norms_of_c(p, err) : ASHLAR_OK;
    if (status == ASHLAR_OK)
        status = ashi_factor_make(&p->needed[0], ASHI_GENERAL, ASHLAR_OP_N, &a, err);
    if (status == ASHLAR_OK)
        status = ashi_factor_make(&p->needed[1], ASHI_GENERAL, ASHLAR_OP_N, &b, err);
    if (status == ASHLAR_OK)
        status = ashi_symbolic_make(&product, &p->symbolic, err);
    if (status == ASHLAR_OK && p->symbolic.first)
        status = find_bits(p, &b, err);
    ashi_factor_free(&a);
    ashi_factor_free(&b);
    return status;
}

/* Storage for C's tiles, if they are not those that it has. */
static ashlar_status grow(ashi_tiles_product *p, ashlar_error *err)
{
    const ashi_held_size size = ashi_tiles_held_size(p->c);
    ashi_pattern pattern = {0};
    if (p->c->held.offset ? ashi_pattern_equal(&p->symbolic.c, &p->c->held.pattern) : p->symbolic.c.tiles == 0)
        return ASHLAR_OK;
    ashlar_status status = ashi_pattern_copy(&p->symbolic.c, &pattern, err);
    if (status == ASHLAR_OK)
        status = ashi_held_make(&pattern, &size, &p->grown, err);
    if (status == ASHLAR_OK)
        ashi_held_copy(&p->c->held, p->c->bytes, &p->grown);
    ashi_pattern_free(&pattern);
    return status;
}

static const ashi_held *sums_of(const ashi_tiles_product *p)
{
    return p->grown.offset ? &p->grown : &p->c->held;
}

/* ---- the problem ---- */

/* Bits of all ranks together. Collective; a failure is noted. */
static void join_bits(const ashlar_context *context, uint64_t *bit, int64_t count)
{
    enum { MOST = 1 << 24 };
    for (int64_t at = 0; at < count; at += MOST)
        ashi_note(context, MPI_Allreduce(MPI_IN_PLACE, bit + at, (int)ashi_min(MOST, count - at), MPI_UINT64_T,
                                         MPI_BOR, context->comm), "MPI_Allreduce");
}

/* Collective. */
static ashlar_status find_needs(ashi_tiles_product *p, ashlar_status mine, ashlar_error *err)
{
    const ashlar_context *context = p->c->context;
    const ashi_deal *deal = &p->c->deal;
    if (mine == ASHLAR_OK)
        mine = ashi_tile_needs_make(&p->problem, &p->needs, err);
    const ashlar_status status = ashi_agree_named(context, mine, err);
    if (status != ASHLAR_OK)
        return status;
    ashi_tile_needs_note(&p->problem, &p->needs);
    for (int x = 0; x < 2; x++) {
        const int64_t parts = x == ASHLAR_A ? deal->grid_rows : deal->grid_cols;
        join_bits(context, p->needs.bit[x], p->problem.cuts[2]->tiles * p->needs.words[x]);
        join_bits(context, p->needs.sums[x], parts * p->needs.words[x]);
    }
    return ashi_agree(context, ASHLAR_OK, err);
}

/* Iterations so long that the tiles which come for those in flight are few beside what the ranks have, and so short
 * that the next can come while one is multiplied. All ranks cut alike. */
static ashlar_status cut_iterations(ashi_tiles_product *p, ashlar_error *err)
{
    const ashi_deal *deal = &p->c->deal;
    const ashi_cuts *k = p->problem.cuts[2];
    const double a = (double)p->x[0]->all_words, b = (double)p->x[1]->all_words, ranks = p->c->context->ranks;
    const double come = a / (double)deal->grid_rows + b / (double)deal->grid_cols;
    const double room = (a + b) / (ranks * PANELS * p->problem.window);
    const double part = fmin(1.0 / ITERATIONS, come > 0 ? room / come : 1);
    const double most = ranks > 1 ? part * (double)ashi_cuts_all(k) : INFINITY;
    int64_t count = 0;
    p->first = malloc(((size_t)k->tiles + 1) * sizeof *p->first);
    if (!p->first)
        return ashi_fail_memory(err, who, (k->tiles + 1) * (int64_t)sizeof *p->first);
    for (int64_t t = 0; t < k->tiles; t++)
        if (count == 0 || (double)(k->at[t + 1] - k->at[p->first[count - 1]]) > most)
            p->first[count++] = t;
    p->first[count] = k->tiles;
    p->problem.iterations = count;
    p->problem.first = p->first;
    return ASHLAR_OK;
}

/* X^T is X mirrored: what a stored tile is to the tile of op(X) on the other side of the diagonal. */
static ashi_tile_use mirrored_use(const ashlar_tiles *t, ashlar_op op)
{
    const ashi_mirror mirror = ashi_tiles_mirror(t);
    const bool conjugated = mirror.conjugate != (op == ASHLAR_OP_C) && ashi_type_of(t->type)->complex;
    if (op == ASHLAR_OP_N)
        return (ashi_tile_use){mirror.conjugate ? ASHLAR_OP_C : ASHLAR_OP_T, mirror.minus, false};
    return (ashi_tile_use){ASHLAR_OP_N, mirror.minus, conjugated};
}

static void describe(ashi_tiles_product *p)
{
    for (int x = 0; x < 2; x++) {
        p->run.use[x][0] = (ashi_tile_use){.op = p->op[x]};
        p->run.use[x][1] = mirrored_use(p->x[x], p->op[x]);
    }
    p->problem = (ashi_tile_problem){.ranks = p->c->context->ranks, .needs = &p->needs, .tree = true,
                                     .choice = p->first_bit ? &p->choice : NULL,
                                     .window = p->window > 0 ? p->window : WINDOW};
    for (int side = 0; side < 3; side++)
        p->problem.cuts[side] = ashi_tiles_product_cuts(p, side);
    for (int x = 0; x < 2; x++)
        p->problem.operand[x] = (ashi_tile_operand){&p->both[x], &p->x[x]->deal, p->op[x] != ASHLAR_OP_N,
                                                    p->x[x]->symmetry != ASHLAR_GENERAL,
                                                    p->run.use[x][1].conjugated};
    p->problem.operand[ASHLAR_C] = (ashi_tile_operand){.pattern = &sums_of(p)->pattern, .deal = &p->c->deal};
}

/* ---- the player ---- */

static ashi_tile_set set_of(const ashlar_tiles *tiles, const ashi_held *held)
{
    static const int64_t none = 0;
    return (ashi_tile_set){&held->pattern, &tiles->row, &tiles->col, held->offset ? held->offset : &none};
}

static ashlar_status make_player(ashi_tiles_product *p, ashlar_error *err)
{
    const ashlar_context *c = p->c->context;
    p->run.own[0] = set_of(p->x[0], &p->x[0]->held);
    p->run.own[1] = set_of(p->x[1], &p->x[1]->held);
    p->run.own[2] = set_of(p->c, sums_of(p));
    const ashi_player_request request = {
        .program = &p->program, .rank = c->rank, .look_ahead = p->program.look_ahead, .type = p->c->type,
        .comm = c->comm, .tag_most = c->tag_most, .message_most = ASHI_MESSAGE_MOST, .keeps = ASHI_PLAYER_KEEPS,
        .threads = ashi_context_threads(c), .workers = c->workers, .tiles = &p->run,
        .one_node = c->node_ranks == c->ranks};
    ashlar_status status = ashi_tile_program_of(&p->problem, &p->program, err);
    if (status == ASHLAR_OK)
        status = ashi_player_create(&request, &p->player, err);
    return status;
}

ashlar_status ashi_tiles_product_make(ashi_tiles_product *p, ashlar_error *err)
{
    const ashlar_context *context = p->c->context;
    ashlar_status status = find_needed(p, ASHLAR_A, ASHLAR_OK, err);
    status = find_needed(p, ASHLAR_B, status, err);
    if (status == ASHLAR_OK)
        status = find_sums(p, err);
    if (status == ASHLAR_OK)
        status = grow(p, err);
    describe(p);
    status = find_needs(p, status, err);
    if (status == ASHLAR_OK)
        status = cut_iterations(p, err);
    if (status == ASHLAR_OK)
        status = make_player(p, err);
    return ashi_agree_named(context, status, err);
}

void ashi_tiles_product_free(ashi_tiles_product *p)
{
    ashi_player_free(&p->player);
    if (p->program.free_own)
        ashi_program_free(&p->program);
    for (int x = 0; x < 2; x++) {
        ashi_pattern_free(&p->needed[x]);
        ashi_pattern_free(&p->both[x]);
        free(p->norm[x]);
    }
    free(p->c_norm);
    free(p->first_bit);
    ashi_symbolic_free(&p->symbolic);
    ashi_held_free(&p->grown);
    ashi_tile_needs_free(&p->needs);
    free(p->first);
}
