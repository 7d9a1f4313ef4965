/* The check of a product of matrices of tiles: right products pass, one wrong element does not, and what was left out
 * on purpose is allowed for. */
#define PROGRAM "tiles_check"

#include "tiles/product_check.h"

#include "mpi/tilings.h"

#include <limits.h>

/* A matrix whose sides are cut alike, with a model that nobody reads. */
typedef struct square {
    tiling t;
    model m;
    ashlar_tiles *tiles;
} square;

static void make_square(ashlar_context *context, rig *r, uint64_t *state, const tiling *like, ashlar_symmetry symmetry,
                        square *out)
{
    *out = (square){.t = {.ranks = r->ranks}};
    do {
        out->t.d = (ashlar_tiles_description){.size = sizeof out->t.d, .type = like->d.type, .symmetry = symmetry};
        random_deal(state, r->ranks, &out->t);
    } while (out->t.d.owner);
    out->t.d.tile_rows = out->t.d.tile_cols = like->d.tile_rows;
    memcpy(out->t.row_size, like->row_size, sizeof out->t.row_size);
    memcpy(out->t.col_size, like->row_size, sizeof out->t.col_size);
    out->t.d.row_sizes = out->t.row_size;
    out->t.d.col_sizes = out->t.col_size;
    out->tiles = make_tiles(r, context, &out->t);
    if (!out->tiles || !model_make(&out->t, &out->m))
        exit(1);
    fill_random(r, state, out->tiles, &out->m, 60, true);
}

static void free_square(square *s)
{
    ashlar_tiles_free(&s->tiles);
    model_free(&s->m);
}

/* 1 is added to the first element that some rank has. Whether any has one; the same on all ranks. */
static bool spoil(ashlar_context *context, ashlar_tiles *c)
{
    int mine = c->held.pattern.tiles > 0 && ashi_held_words(&c->held) > 0 ? context->rank : INT_MAX, first = INT_MAX;
    MPI_Allreduce(&mine, &first, 1, MPI_INT, MPI_MIN, context->comm);
    if (first == context->rank) {
        void *x = c->held.data;
        if (c->type == ASHLAR_TYPE_S || c->type == ASHLAR_TYPE_C)
            *(float *)x += 1;
        else
            *(double *)x += 1;
    }
    return first != INT_MAX;
}

static void try_check(rig *r, const ashi_tiles_claim *claim, bool passes, const char *what)
{
    ashlar_verdict verdict = {0};
    ashlar_error err = {0};
    const ashlar_status status = ashi_tiles_product_check(claim, &verdict, &err);
    CHECK(&r->test, status == ASHLAR_OK && verdict.passed == passes, CASE "%s: %d %s, worst %g", CASE_OF(r), what,
          (int)status, err.text, verdict.worst);
}

static void each(ashlar_context *context, rig *r)
{
    uint64_t state = r->seed;
    tiling like;
    square x[3];
    ashlar_tiles *c0 = NULL;
    ashlar_error err = {0};
    const ashlar_type type = (ashlar_type)ashi_random_in(&state, ASHLAR_TYPE_S, ASHLAR_TYPE_Z);
    random_tiling_of(&state, r->ranks, type, ASHLAR_SYMMETRIC, &like);
    for (int i = 0; i < 3; i++) {
        const ashlar_symmetry any = (ashlar_symmetry)ashi_random_in(&state, ASHLAR_GENERAL, ASHLAR_ANTIHERMITIAN);
        make_square(context, r, &state, &like, i < 2 ? any : ASHLAR_GENERAL, &x[i]);
    }
    unsigned char alpha[16] = {0}, beta[16] = {0};
    const bool adds = ashi_random_in(&state, 0, 1);
    ashi_tile_kernels_of(type)->element((ashi_number){2, 0}, alpha);
    ashi_tile_kernels_of(type)->element((ashi_number){adds ? -1 : 0, 0}, beta);
    ashi_tiles_claim claim = {.x = {x[0].tiles, x[1].tiles}, .c = x[2].tiles, .alpha = alpha, .beta = beta};
    for (int i = 0; i < 2; i++)
        claim.op[i] = (ashlar_op)ashi_random_in(&state, ASHLAR_OP_N, ASHLAR_OP_C);
    ashlar_status status = ashlar_tiles_copy(x[2].tiles, &c0, &err);
    claim.c0 = adds ? c0 : NULL;
    if (status == ASHLAR_OK)
        status = ashlar_tiles_multiply(alpha, claim.op[0], x[0].tiles, claim.op[1], x[1].tiles, beta, x[2].tiles, NULL,
                                       NULL, &err);
    CHECK(&r->test, status == ASHLAR_OK, CASE "%s", CASE_OF(r), err.text);
    try_check(r, &claim, true, "right");
    if (status == ASHLAR_OK && spoil(context, x[2].tiles)) {
        try_check(r, &claim, false, "one element is wrong");
        claim.allowed = 1.001;
        try_check(r, &claim, true, "as much was left out");
    }
    ashlar_tiles_free(&c0);
    for (int i = 0; i < 3; i++)
        free_square(&x[i]);
}

int main(int argc, char **argv)
{
    return try_in_context(argc, argv, 30, each);
}
