/* A thousand products of matrices of tiles, sums and executions of a plan leave as many allocations as one of each. */
#define PROGRAM "leak_1000_multiplies"

#include "mpi/allocations.h"
#include "mpi/ranks.h"

#include <ashlar/ashlar.h>

enum { TILES = 4, FIRST = 10, ROUNDS = 334 };

typedef struct scene {
    rig *r;
    ashlar_context *context;
    ashlar_tiles *a[2], *b, *c; /* the two A have other tiles */
    ashlar_tiles_plan *plan;
    int64_t bytes; /* of the plan */
} scene;

static const int64_t sizes[TILES] = {3, 0, 5, 2};
static const double one = 1, half = 0.5;

static void need(scene *s, ashlar_status status, const ashlar_error *err)
{
    CHECK(&s->r->test, status == ASHLAR_OK, "%s", err->text);
}

/* Tiles (i, j) of which i + j is not `absent` modulo 3. */
static ashlar_tiles *make(scene *s, int64_t absent)
{
    const ashlar_tiles_description d = {.type = ASHLAR_TYPE_D, .tile_rows = TILES, .tile_cols = TILES,
                                        .row_sizes = sizes};
    ashlar_tiles *out = NULL;
    ashlar_error err = {0};
    need(s, ashlar_tiles_create(s->context, &d, &out, &err), &err);
    for (int64_t i = 0; i < TILES; i++)
        for (int64_t j = 0; j < TILES; j++)
            if ((i + j) % 3 != absent && s->r->rank == (i + j) % s->r->ranks)
                need(s, ashlar_tiles_reserve(out, 1, &i, &j, &err), &err);
    need(s, ashlar_tiles_finish(out, &err), &err);
    return out;
}

/* Three products: two that are planned each time, and one by a plan that is changed in every second round. */
static void round_of(scene *s, int64_t number)
{
    ashlar_tiles_term term[2] = {{&one, ASHLAR_OP_N, ASHLAR_OP_T, s->a[number % 2], s->b},
                                 {&half, ASHLAR_OP_T, ASHLAR_OP_N, s->b, s->a[0]}};
    ashlar_tiles_result result = {0};
    ashlar_tiles_plan_info info = {0};
    ashlar_error err = {0};
    const ashlar_tiles_options options = {.size = sizeof options, .threshold = number % 3 ? 0 : 1e-3};
    need(s, ashlar_tiles_multiply(&one, ASHLAR_OP_N, s->a[0], ASHLAR_OP_N, s->b, &half, s->c, &options, NULL, &err),
         &err);
    need(s, ashlar_tiles_multiply_sum(2, term, &half, s->c, NULL, NULL, &err), &err);
    need(s, ashlar_tiles_plan_execute(s->plan, term, &half, s->c, &result, &err), &err);
    need(s, ashlar_tiles_plan_inspect(s->plan, &info, &err), &err);
    if (number == FIRST)
        s->bytes = info.bytes;
    CHECK(&s->r->test, number <= FIRST || number % 2 != FIRST % 2 || info.bytes == s->bytes,
          "round %" PRId64 ": the plan has %" PRId64 " bytes, had %" PRId64, number, info.bytes, s->bytes);
}

int main(int argc, char **argv)
{
    rig r;
    scene s = {.r = &r};
    ashlar_error err = {0};
    int64_t live = 0;
    if (!ranks_begin(&r, &argc, &argv, 1))
        return 1;
    need(&s, ashlar_context_create(MPI_COMM_WORLD, &s.context, &err), &err);
    s.a[0] = make(&s, 0);
    s.a[1] = make(&s, 1);
    s.b = make(&s, 2);
    s.c = make(&s, 2);
    const ashlar_tiles_term term[2] = {{NULL, ASHLAR_OP_N, ASHLAR_OP_T, s.a[0], s.b},
                                       {NULL, ASHLAR_OP_T, ASHLAR_OP_N, s.b, s.a[0]}};
    need(&s, ashlar_tiles_plan_create(2, term, s.c, NULL, &s.plan, &err), &err);
    for (int64_t i = 0; i < ROUNDS + FIRST; i++) {
        round_of(&s, i);
        if (i == FIRST)
            live = heap.live;
        if (i > FIRST && i % 2 == FIRST % 2)
            CHECK(&r.test, heap.live == live, "round %" PRId64 ": %" PRId64 " allocations, %" PRId64 " before", i,
                  heap.live, live);
    }
    ashlar_tiles_plan_free(&s.plan);
    for (int i = 0; i < 2; i++)
        ashlar_tiles_free(&s.a[i]);
    ashlar_tiles_free(&s.b);
    ashlar_tiles_free(&s.c);
    ashlar_context_free(&s.context);
    return ranks_end(&r, PROGRAM);
}
