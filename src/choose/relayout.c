/* What it would cost to move the matrices into COSMA's own layout, multiply there, and move C back. */
#include "base/checked.h"
#include "base/error.h"
#include "choose/choose.h"
#include "strategy/cosma_query.h"
#include "strategy/own_layout.h"

/* One matrix in both layouts, seen in its natural rows and columns. */
typedef struct both {
    ashlar_layout *own;
    ashi_axis axis[2];
    ashi_view given; /* empty where no layout was given */
} both;

static void free_both(both *b)
{
    ashlar_layout_free(&b->own);
    ashi_axis_free(&b->axis[0]);
    ashi_axis_free(&b->axis[1]);
    ashi_view_free(&b->given);
}

static ashlar_status build_both(const ashi_problem *q, const ashi_grid_choice *choice, const ashi_bricks *bricks,
                                ashlar_operand x, both *out, ashlar_error *err)
{
    *out = (both){0};
    const ashi_own_cut cut = {choice->stays, choice->rounds, choice->once};
    ashlar_status status = ashi_own_layout(bricks, q->op, x, cut, (ashi_own_orders){0}, &out->own, err);
    if (status != ASHLAR_OK || !q->layout[x])
        return status;
    status = ashi_axis_build(q->layout[x]->row.size, NULL, NULL, &out->axis[0], err);
    if (status == ASHLAR_OK)
        status = ashi_axis_build(q->layout[x]->col.size, NULL, NULL, &out->axis[1], err);
    if (status == ASHLAR_OK)
        status = ashi_view_build(q->layout[x], ASHLAR_OP_N, true, &out->axis[0], &out->axis[1], q->ranks, &out->given,
                                 err);
    return status;
}

/* Words a rank has in COSMA's layout, in the given one, and in both. */
typedef struct shares {
    int64_t own, given, common;
} shares;

static shares shares_of(const both *b, int64_t rank)
{
    const ashlar_layout *own = b->own;
    shares s = {0, 0, 0};
    for (int64_t r = 0; r < own->row.parts; r++)
        for (int64_t c = 0; c < own->col.parts; c++) {
            if (own->owner[r * own->col.parts + c] != rank)
                continue;
            const ashi_box tile = {own->row.cuts[r], own->row.cuts[r + 1], own->col.cuts[c], own->col.cuts[c + 1]};
            s.own += ashi_box_words(&tile);
            if (b->given.layout)
                s.common += ashi_view_words(&b->given, rank, &tile);
        }
    if (b->given.layout)
        s.given = ashlar_layout_words(b->given.layout, (int)rank);
    return s;
}

/* What a rank of COSMA's grid receives when all is in COSMA's layout. */
static int64_t multiplying(const ashi_bricks *b, int64_t rank, const shares s[3])
{
    const int64_t *g = b->grid;
    if (rank >= g[0] * g[1] * g[2])
        return 0;
    const int64_t at[3] = {rank / g[2] / g[1], rank / g[2] % g[1], rank % g[2]};
    int64_t side[3];
    for (int d = 0; d < 3; d++)
        side[d] = b->cut[d][at[d] + 1] - b->cut[d][at[d]];
    return side[0] * side[2] - s[ASHLAR_A].own + side[1] * side[2] - s[ASHLAR_B].own + (g[2] - 1) * s[ASHLAR_C].own;
}

static int64_t rank_words(const both matrix[3], const ashi_bricks *bricks, int64_t rank)
{
    shares s[3];
    for (int x = 0; x < 3; x++)
        s[x] = shares_of(&matrix[x], rank);
    int64_t words = multiplying(bricks, rank, s);
    for (int x = ASHLAR_A; x <= (int)ASHLAR_B; x++)
        if (matrix[x].given.layout)
            words += s[x].own - s[x].common;
    if (matrix[ASHLAR_C].given.layout)
        words += s[ASHLAR_C].given - s[ASHLAR_C].common;
    return words;
}

ashlar_status ashi_relayout_words(const ashi_problem *q, int64_t rank_lo, int64_t rank_hi, int64_t *out,
                                  ashlar_error *err)
{
    ashi_cosma_query query = ashi_cosma_query_of(q);
    query.memory_words = 0;
    ashi_grid_choice choice;
    ashi_bricks bricks = {0};
    both matrix[3] = {{0}};
    *out = 0;
    ashlar_status status = ashi_cosma_search(&query, &choice, err);
    if (status == ASHLAR_OK)
        status = ashi_bricks_even(choice.grid, q->size, &bricks, err);
    for (int x = 0; x < 3 && status == ASHLAR_OK; x++)
        status = build_both(q, &choice, &bricks, (ashlar_operand)x, &matrix[x], err);
    for (int64_t rank = rank_lo; rank < rank_hi && status == ASHLAR_OK; rank++)
        *out = ashi_max(*out, rank_words(matrix, &bricks, rank));
    for (int x = 0; x < 3; x++)
        free_both(&matrix[x]);
    ashi_bricks_free(&bricks);
    return status;
}
