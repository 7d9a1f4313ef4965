/* Products of matrices of tiles within an error: it is kept to, used, and the same products are left out on any ranks. */
#define PROGRAM "tiles_budget"

#include "mpi/tilings.h"

/* A and B, or A twice, and C for a product within an error and for the whole one. */
typedef struct setting {
    rig *r;
    ashlar_context *context;
    MPI_Comm comm; /* that of the context */
    int rank;      /* in it */
    ashlar_type type;
    bool squared; /* B is A, and C is Hermitian */
    int64_t tiles;
    const int64_t *size;
    uint64_t content;
    ashlar_tiles *x[4];
} setting;

/* Elements that fall off with the distance from the diagonal, the same whoever has them. */
static void fill(setting *s, ashlar_tiles *tiles, int matrix)
{
    const size_t word = ashlar_type_bytes(s->type);
    ashlar_error err = {0};
    for (int64_t i = 0; i < s->tiles; i++)
        for (int64_t j = 0; j < s->tiles; j++) {
            uint64_t state = s->content + (uint64_t)(1000 * matrix + 100 * i + j);
            const content c = {s->type, ashi_random(&state), false};
            const int64_t words = s->size[i] * s->size[j], power = -3 * (i < j ? j - i : i - j);
            const bool there = ashi_random_in(&state, 0, 9) > 0;
            char *data = malloc((size_t)(words + 1) * word);
            for (int64_t e = 0; e < words && data; e++) {
                number x = element(&c, e % s->size[i], e / s->size[i]);
                x = (number){ldexpl(x.re, (int)power), ldexpl(x.im, (int)power)};
                number_store(s->type, x, data + (size_t)e * word);
            }
            if (there && ashlar_tiles_owner(tiles, i, j) == s->rank)
                (void)ashlar_tiles_put(tiles, i, j, s->size[i], s->size[j], ASHLAR_COL_MAJOR,
                                       s->size[i] > 0 ? s->size[i] : 1, data, NULL);
            free(data);
        }
    CHECK(&s->r->test, ashlar_tiles_finish(tiles, &err) == ASHLAR_OK, CASE "%s", CASE_OF(s->r), err.text);
}

static void begin(setting *s, uint64_t deals)
{
    const ashlar_tiles_description d = {.size = sizeof d, .type = s->type, .tile_rows = s->tiles,
                                        .tile_cols = s->tiles, .row_sizes = s->size};
    int ranks = 0;
    MPI_Comm_size(s->comm, &ranks);
    MPI_Comm_rank(s->comm, &s->rank);
    for (int i = 0; i < 4; i++) {
        tiling t = {.d = d};
        do {
            t.d = d;
            random_deal(&deals, ranks, &t);
        } while (t.d.owner); /* which would need the tiling for longer */
        t.d.symmetry = s->squared && i >= 2 ? ASHLAR_HERMITIAN : ASHLAR_GENERAL;
        s->x[i] = make_tiles(s->r, s->context, &t);
        if (!s->x[i])
            exit(1);
    }
    fill(s, s->x[0], 0);
    fill(s, s->x[1], s->squared ? 0 : 1);
}

static void end(setting *s)
{
    for (int i = 0; i < 4; i++)
        ashlar_tiles_free(&s->x[i]);
}

/* What a product did, on all ranks together. */
typedef struct outcome {
    int64_t products, left_out, dropped, tiles;
    double bound, error; /* error: the norm of the difference from the whole product */
} outcome;

static ashlar_status multiply(const setting *s, const ashlar_tiles_options *options, ashlar_tiles *c,
                              ashlar_tiles_result *result, ashlar_error *err)
{
    char alpha[2 * sizeof(double)], beta[2 * sizeof(double)];
    number_store(s->type, (number){2, 0}, alpha);
    number_store(s->type, (number){0, 0}, beta);
    return ashlar_tiles_multiply(alpha, ASHLAR_OP_N, s->x[0], s->squared ? ASHLAR_OP_C : ASHLAR_OP_T, s->x[1], beta, c,
                                 options, result, err);
}

static outcome find(setting *s, const ashlar_tiles_options *options, uint64_t deals)
{
    outcome o = {0};
    ashlar_error err = {0};
    ashlar_tiles_result result = {0};
    ashlar_tiles_info info = {0};
    ashlar_tiles *difference = NULL;
    char minus[2 * sizeof(double)], one[2 * sizeof(double)];
    number_store(s->type, (number){-1, 0}, minus);
    number_store(s->type, (number){1, 0}, one);
    begin(s, deals);
    ashlar_status status = multiply(s, options, s->x[2], &result, &err);
    CHECK(&s->r->test, status == ASHLAR_OK, CASE "%s", CASE_OF(s->r), err.text);
    status = multiply(s, NULL, s->x[3], NULL, &err);
    CHECK(&s->r->test, status == ASHLAR_OK && ashlar_tiles_inspect(s->x[2], &info, &err) == ASHLAR_OK, CASE "%s",
          CASE_OF(s->r), err.text);
    CHECK(&s->r->test, ashlar_tiles_copy(s->x[2], &difference, &err) == ASHLAR_OK &&
          ashlar_tiles_move(ASHLAR_OP_N, s->x[3], difference, &err) == ASHLAR_OK &&
          ashlar_tiles_add(one, difference, minus, s->x[2], difference, &err) == ASHLAR_OK &&
          ashlar_tiles_norm(difference, &o.error, &err) == ASHLAR_OK, CASE "%s", CASE_OF(s->r), err.text);
    ashlar_tiles_free(&difference);
    end(s);
    int64_t own[3] = {result.products, result.left_out, result.dropped}, all[3];
    MPI_Allreduce(own, all, 3, MPI_INT64_T, MPI_SUM, s->comm);
    o.products = all[0];
    o.left_out = all[1];
    o.dropped = all[2];
    o.tiles = info.tiles;
    o.bound = result.error_bound;
    return o;
}

static void check_budget(setting *s, const outcome *o, const ashlar_tiles_options *options)
{
    CHECK(&s->r->test, o->error <= o->bound && o->bound <= options->budget, CASE "error %g, bound %g, budget %g",
          CASE_OF(s->r), o->error, o->bound, options->budget);
    CHECK(&s->r->test, !options->keep_small_products || o->left_out == 0, CASE "%" PRId64 " products left out",
          CASE_OF(s->r), o->left_out);
    CHECK(&s->r->test, !options->keep_small_tiles || o->dropped == 0, CASE "%" PRId64 " tiles dropped", CASE_OF(s->r),
          o->dropped);
}

static void one(ashlar_context *context, rig *r)
{
    static ashlar_context *alone;
    static const int64_t sizes[SIDE_MOST] = {3, 1, 5, 2, 0, 4, 6};
    setting s = {.r = r, .context = context, .comm = MPI_COMM_WORLD, .tiles = SIDE_MOST, .size = sizes,
                 .content = r->seed * 7919};
    uint64_t state = r->seed;
    if (!alone)
        CHECK(&r->test, ashlar_context_create(MPI_COMM_SELF, &alone, NULL) == ASHLAR_OK, "no context");
    s.type = (ashlar_type)ashi_random_in(&state, 0, 3);
    s.squared = ashi_random_in(&state, 0, 1);
    const bool single = s.type == ASHLAR_TYPE_S || s.type == ASHLAR_TYPE_C;
    int64_t left_out = 0;
    for (int power = single ? -8 : -24; power < 6; power += 6) {
        ashlar_tiles_options options = {.size = sizeof options, .budget = ldexp(1.5, power),
                                        .keep_small_products = ashi_random_in(&state, 0, 3) == 0,
                                        .keep_small_tiles = ashi_random_in(&state, 0, 3) == 0};
        s.context = context;
        s.comm = MPI_COMM_WORLD;
        const outcome all = find(&s, &options, ashi_random(&state));
        check_budget(&s, &all, &options);
        s.context = alone;
        s.comm = MPI_COMM_SELF;
        const outcome mine = find(&s, &options, ashi_random(&state));
        check_budget(&s, &mine, &options);
        CHECK(&r->test, all.products == mine.products && all.left_out == mine.left_out,
              CASE "budget %g: %" PRId64 " left out by all ranks, %" PRId64 " by one", CASE_OF(r), options.budget,
              all.left_out, mine.left_out);
        left_out += all.left_out + all.dropped;
    }
    CHECK(&r->test, left_out > 0, CASE "nothing is left out", CASE_OF(r));
    if (r->seed + 1 == r->first + r->cases)
        ashlar_context_free(&alone);
}

/* A budget that rounding may use up: nothing is left out, and the bound says so. One that pays for all: nothing stays. */
static void extremes(ashlar_context *context, rig *r)
{
    static const int64_t sizes[3] = {3, 1, 5};
    setting s = {.r = r, .context = context, .comm = MPI_COMM_WORLD, .type = ASHLAR_TYPE_D, .tiles = 3, .size = sizes,
                 .content = 5};
    const ashlar_tiles_options little = {.size = sizeof little, .budget = 1e-30};
    const ashlar_tiles_options much = {.size = sizeof much, .budget = 1e30};
    const ashlar_tiles_options both = {.size = sizeof both, .budget = 1, .threshold = 1};
    ashlar_error err = {0};
    begin(&s, 7);
    const ashlar_status status = multiply(&s, &both, s.x[2], NULL, &err);
    CHECK(&r->test, status == ASHLAR_ERR_ARG && strstr(err.text, "wanted one of them"), "%s", err.text);
    end(&s);
    const outcome none = find(&s, &little, 7), all = find(&s, &much, 7);
    CHECK(&r->test, none.left_out == 0 && none.dropped == 0 && none.bound > 1e-30 && none.bound < 1e-10,
          "bound %g, %" PRId64 " left out", none.bound, none.left_out);
    CHECK(&r->test, all.products == 0 && all.tiles == 0 && all.error <= all.bound, "%" PRId64 " products",
          all.products);
}

static void each(ashlar_context *context, rig *r)
{
    if (r->seed == r->first)
        extremes(context, r);
    one(context, r);
}

int main(int argc, char **argv)
{
    return try_in_context(argc, argv, 8, each);
}
