/* Sums of products of matrices of tiles, and plans that are kept, against single products: to the bit. */
#define PROGRAM "tiles_sum"

#include "tiles/matrix.h" /* before the type `number` of the next one */

#include "mpi/tilings.h"

enum { TERMS_MOST = 4 };

/* C and up to four products, all of one type and of small integers. */
typedef struct sum {
    rig *r;
    ashlar_context *context;
    uint64_t state; /* of random numbers, the same on all ranks */
    ashlar_type type;
    int64_t tiles[2], size[2][SIDE_MOST]; /* of m and n */
    int64_t terms;
    tiling t[TERMS_MOST][2], t_c;
    ashlar_tiles *x[TERMS_MOST][2], *c;
    char alpha[TERMS_MOST][2 * sizeof(double)], beta[2 * sizeof(double)];
    ashlar_tiles_term term[TERMS_MOST];
    ashlar_tiles_options options;
    int64_t memory_words; /* that an execution is to hold; -1: any */
} sum;

static ashlar_tiles *fill(sum *s, const tiling *t, int64_t percent)
{
    ashlar_tiles *tiles = make_tiles(s->r, s->context, t);
    model m;
    if (!tiles || !model_make(t, &m))
        exit(1);
    fill_random(s->r, &s->state, tiles, &m, percent, true);
    model_free(&m);
    return tiles;
}

static void describe(sum *s, int64_t rows, const int64_t *row_size, int64_t cols, const int64_t *col_size, tiling *t)
{
    *t = (tiling){.d = {.size = sizeof t->d, .type = s->type}};
    random_deal(&s->state, s->r->ranks, t);
    t->d.tile_rows = rows;
    t->d.tile_cols = cols;
    memcpy(t->row_size, row_size, sizeof t->row_size);
    memcpy(t->col_size, col_size, sizeof t->col_size);
    t->d.row_sizes = t->row_size;
    t->d.col_sizes = t->col_size;
}

static void make_term(sum *s, int64_t q)
{
    ashlar_tiles_term *term = &s->term[q];
    int64_t size[SIDE_MOST], k = ashi_random_in(&s->state, 0, SIDE_MOST);
    random_sizes(&s->state, SIDE_MOST, size);
    *term = (ashlar_tiles_term){.alpha = s->alpha[q], .op_a = (ashlar_op)ashi_random_in(&s->state, 0, 2),
                                .op_b = (ashlar_op)ashi_random_in(&s->state, 0, 2)};
    number_store(s->type, (number){(long double)ashi_random_in(&s->state, 0, 3) - 1, 0}, s->alpha[q]);
    if (term->op_a == ASHLAR_OP_N)
        describe(s, s->tiles[0], s->size[0], k, size, &s->t[q][0]);
    else
        describe(s, k, size, s->tiles[0], s->size[0], &s->t[q][0]);
    if (term->op_b == ASHLAR_OP_N)
        describe(s, k, size, s->tiles[1], s->size[1], &s->t[q][1]);
    else
        describe(s, s->tiles[1], s->size[1], k, size, &s->t[q][1]);
    for (int x = 0; x < 2; x++)
        s->x[q][x] = fill(s, &s->t[q][x], 30 + 70 * ashi_random_in(&s->state, 0, 1));
    term->a = s->x[q][0];
    term->b = s->x[q][1];
}

static void make_all(sum *s)
{
    uint64_t *state = &s->state;
    s->type = (ashlar_type)ashi_random_in(state, ASHLAR_TYPE_S, ASHLAR_TYPE_Z);
    s->options = (ashlar_tiles_options){.size = sizeof s->options, .retain = ashi_random_in(state, 0, 4) == 0,
                                        .window = (int)ashi_random_in(state, 0, 4)};
    number_store(s->type, (number){(long double)ashi_random_in(state, -1, 2), 0}, s->beta);
    for (int side = 0; side < 2; side++) {
        s->tiles[side] = ashi_random_in(state, 1, SIDE_MOST);
        random_sizes(state, SIDE_MOST, s->size[side]);
    }
    s->terms = ashi_random_in(state, 1, TERMS_MOST);
    for (int64_t q = 0; q < s->terms; q++)
        make_term(s, q);
    do
        describe(s, s->tiles[0], s->size[0], s->tiles[1], s->size[1], &s->t_c);
    while (s->t_c.d.owner);
    s->c = fill(s, &s->t_c, 40);
}

static void free_all(sum *s)
{
    for (int64_t q = 0; q < s->terms; q++)
        for (int x = 0; x < 2; x++)
            ashlar_tiles_free(&s->x[q][x]);
    ashlar_tiles_free(&s->c);
}

static ashlar_tiles *copy(sum *s, const ashlar_tiles *of)
{
    ashlar_tiles *out = NULL;
    ashlar_error err = {0};
    CHECK(&s->r->test, ashlar_tiles_copy(of, &out, &err) == ASHLAR_OK, CASE "%s", CASE_OF(s->r), err.text);
    return out;
}

/* The same tiles with the same elements on every rank. */
static void check_same(sum *s, const ashlar_tiles *found, const ashlar_tiles *wanted, const char *what)
{
    const bool tiles = ashi_pattern_equal(&found->held.pattern, &wanted->held.pattern);
    bool same = true;
    CHECK(&s->r->test, tiles && found->all_words == wanted->all_words, CASE "%s: other tiles", CASE_OF(s->r), what);
    for (int64_t i = 0; tiles && i < ashi_held_words(&wanted->held); i++) {
        const size_t at = (size_t)i * found->bytes;
        same = same && number_near(number_load(s->type, found->held.data + at),
                                   number_load(s->type, wanted->held.data + at), 0);
    }
    CHECK(&s->r->test, same, CASE "%s: other elements", CASE_OF(s->r), what);
}

/* And the same bits. */
static void check_bits(sum *s, const ashlar_tiles *found, const ashlar_tiles *wanted, const char *what)
{
    const size_t bytes = (size_t)ashi_held_words(&wanted->held) * wanted->bytes;
    check_same(s, found, wanted, what);
    CHECK(&s->r->test, bytes == 0 || memcmp(found->held.data, wanted->held.data, bytes) == 0, CASE "%s: other bits",
          CASE_OF(s->r), what);
}

/* C by single products, one after the other. */
static void multiply_each(sum *s, ashlar_tiles *c)
{
    char one[2 * sizeof(double)];
    ashlar_error err = {0};
    number_store(s->type, (number){1, 0}, one);
    for (int64_t q = 0; q < s->terms; q++) {
        const ashlar_tiles_term *t = &s->term[q];
        const ashlar_status status = ashlar_tiles_multiply(t->alpha, t->op_a, t->a, t->op_b, t->b,
                                                           q == 0 ? s->beta : one, c, &s->options, NULL, &err);
        CHECK(&s->r->test, status == ASHLAR_OK, CASE "%s", CASE_OF(s->r), err.text);
    }
}

static ashlar_tiles_result multiply_sum(sum *s, ashlar_tiles *c)
{
    ashlar_tiles_result result = {0};
    ashlar_error err = {0};
    const ashlar_status status = ashlar_tiles_multiply_sum(s->terms, s->term, s->beta, c, &s->options, &result, &err);
    CHECK(&s->r->test, status == ASHLAR_OK, CASE "%s", CASE_OF(s->r), err.text);
    return result;
}

static int64_t sum_of(int64_t mine)
{
    int64_t all = 0;
    MPI_Allreduce(&mine, &all, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    return all;
}

static bool is_scaled_only(const sum *s)
{
    for (int64_t q = 0; q < s->terms; q++)
        if (number_load(s->type, s->alpha[q]).re != 0)
            return false;
    return true;
}

/* ---- plans ---- */

static void execute(sum *s, ashlar_tiles_plan *plan, ashlar_tiles *c, const ashlar_tiles *wanted, int planned,
                    const char *what)
{
    ashlar_tiles_result result = {0};
    ashlar_error err = {0};
    const ashlar_status status = ashlar_tiles_plan_execute(plan, s->term, s->beta, c, &result, &err);
    CHECK(&s->r->test, status == ASHLAR_OK, CASE "%s: %s", CASE_OF(s->r), what, err.text);
    CHECK(&s->r->test, result.planned == planned || is_scaled_only(s), CASE "%s: planned %d", CASE_OF(s->r), what,
          result.planned);
    CHECK(&s->r->test, (result.planning_steps == 0) == (planned == ASHLAR_PLANNED_REUSED) ||
                           planned != ASHLAR_PLANNED_REUSED,
          CASE "%s: %" PRId64 " steps", CASE_OF(s->r), what, result.planning_steps);
    CHECK(&s->r->test, s->memory_words < 0 || result.memory_words == s->memory_words || is_scaled_only(s),
          CASE "%s: %" PRId64 " words held, planned %" PRId64, CASE_OF(s->r), what, result.memory_words,
          s->memory_words);
    check_bits(s, c, wanted, what);
}

/* No alpha is 0, so that the plan's tiles of C are those of the products. With a threshold only part of a plan is
 * kept. */
static void plans(sum *s)
{
    ashlar_tiles *c[2] = {copy(s, s->c), copy(s, s->c)};
    ashlar_tiles_plan *plan = NULL;
    ashlar_tiles_plan_info info = {0};
    ashlar_error err = {0};
    for (int64_t q = 0; q < s->terms; q++)
        number_store(s->type, (number){(long double)q + 1, 0}, s->alpha[q]);
    if (ashi_random_in(&s->state, 0, 2) == 0)
        s->options.threshold = ashi_random_in(&s->state, 0, 1) ? 1e-3 : 60;
    s->options.layers = (int)ashi_random_in(&s->state, 0, s->r->ranks);
    const bool weighs = s->options.threshold > 0, layered = s->options.layers > 1;
    const int again = weighs ? ASHLAR_PLANNED_CHANGED : ASHLAR_PLANNED_REUSED;
    const ashlar_status status = ashlar_tiles_plan_create(s->terms, s->term, s->c, &s->options, &plan, &err);
    CHECK(&s->r->test, status == ASHLAR_OK, CASE "%s", CASE_OF(s->r), err.text);
    ashlar_tiles_plan_inspect(plan, &info, &err);
    multiply_sum(s, c[1]);
    s->memory_words = weighs ? -1 : info.memory_words;
    execute(s, plan, c[0], c[1], weighs ? ASHLAR_PLANNED_NEW : again, "first execution");
    s->memory_words = -1;
    multiply_sum(s, c[1]);
    execute(s, plan, c[0], c[1], again, "C with its new tiles");
    ashlar_tiles_free(&s->x[0][0]);
    s->term[0].a = s->x[0][0] = fill(s, &s->t[0][0], 60);
    multiply_sum(s, c[1]);
    ashlar_tiles_result result = {0};
    CHECK(&s->r->test, ashlar_tiles_plan_execute(plan, s->term, s->beta, c[0], &result, &err) == ASHLAR_OK &&
          (weighs || result.planned != (layered ? ASHLAR_PLANNED_CHANGED : ASHLAR_PLANNED_NEW)),
          CASE "planned %d: %s", CASE_OF(s->r), result.planned, err.text);
    check_bits(s, c[0], c[1], "another pattern");
    multiply_sum(s, c[1]);
    execute(s, plan, c[0], c[1], again, "the other pattern again");
    CHECK(&s->r->test, ashlar_tiles_plan_inspect(plan, &info, &err) == ASHLAR_OK && info.ready == !weighs &&
          info.terms == s->terms && info.planned[again] >= (weighs ? 2 : 3) && info.bytes > 0 &&
          (weighs || layered || info.c_tiles == c[0]->held.pattern.tiles), CASE "%s", CASE_OF(s->r), err.text);
    ashlar_tiles_plan_free(&plan);
    for (int i = 0; i < 2; i++)
        ashlar_tiles_free(&c[i]);
}

/* ---- wrong use ---- */

static void refused(sum *s, ashlar_status status, const ashlar_error *err, const char *text)
{
    CHECK(&s->r->test, status == ASHLAR_ERR_ARG && strstr(err->text, text) &&
          ranks_agree(MPI_COMM_WORLD, (int)status, err->text), CASE "%s, wanted %s", CASE_OF(s->r), err->text, text);
}

/* All ranks say the same, and C is as it was. */
static void wrong_use(sum *s)
{
    ashlar_tiles *before = copy(s, s->c);
    ashlar_tiles_plan *plan = NULL;
    ashlar_error err = {0};
    const ashlar_tiles_term kept = s->term[s->terms - 1];
    ashlar_tiles_term *last = &s->term[s->terms - 1];
    refused(s, ashlar_tiles_multiply_sum(0, s->term, s->beta, s->c, NULL, NULL, &err), &err, "0 terms");
    last->a = NULL;
    refused(s, ashlar_tiles_multiply_sum(s->terms, s->term, s->beta, s->c, NULL, NULL, &err), &err, "a is NULL");
    last->a = s->c;
    refused(s, ashlar_tiles_multiply_sum(s->terms, s->term, s->beta, s->c, NULL, NULL, &err), &err,
            s->terms > 1 ? "_sum: term " : "C is A");
    *last = kept;
    if (s->r->rank == 0)
        last->op_b = (ashlar_op)7;
    refused(s, ashlar_tiles_multiply_sum(s->terms, s->term, s->beta, s->c, NULL, NULL, &err), &err, "op_b = 7");
    refused(s, ashlar_tiles_plan_create(s->terms, s->term, s->c, NULL, &plan, &err), &err, "op_b = 7");
    *last = kept;
    const ashlar_status status = ashlar_tiles_plan_create(s->terms, s->term, s->c, NULL, &plan, &err);
    CHECK(&s->r->test, status == ASHLAR_OK, CASE "%s", CASE_OF(s->r), err.text);
    last->op_b = kept.op_b == ASHLAR_OP_T ? ASHLAR_OP_C : ASHLAR_OP_T;
    refused(s, ashlar_tiles_plan_execute(plan, s->term, s->beta, s->c, NULL, &err), &err, "differ in an operation");
    *last = kept;
    tiling t = s->t_c;
    t.row_size[0]++;
    t.d.row_sizes = t.row_size;
    ashlar_tiles *other = make_tiles(s->r, s->context, &t);
    refused(s, ashlar_tiles_plan_execute(plan, s->term, s->beta, other, NULL, &err), &err, "of the plan differ in");
    check_same(s, s->c, before, "after wrong use");
    ashlar_tiles_free(&other);
    ashlar_tiles_plan_free(&plan);
    ashlar_tiles_free(&before);
}

static void one(ashlar_context *context, rig *r)
{
    sum s = {.r = r, .context = context, .state = r->seed ^ 0x5757};
    ashlar_tiles_result result = {0};
    make_all(&s);
    if (r->seed % 4 == 0)
        wrong_use(&s);
    ashlar_tiles *c[2] = {copy(&s, s.c), copy(&s, s.c)};
    for (int time = 0; time < 2; time++) {
        result = multiply_sum(&s, c[0]);
        multiply_each(&s, c[1]);
        check_same(&s, c[0], c[1], "sum");
    }
    CHECK(&r->test, r->ranks > 1 || sum_of(result.words) == 0, CASE "words on one rank", CASE_OF(r));
    plans(&s);
    for (int i = 0; i < 2; i++)
        ashlar_tiles_free(&c[i]);
    free_all(&s);
}

int main(int argc, char **argv)
{
    return try_in_context(argc, argv, 40, one);
}
