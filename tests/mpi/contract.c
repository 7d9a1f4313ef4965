/* Contractions of tensors against plain loops in higher precision: random expressions, layouts, types and limits. */
#define PROGRAM "contract"

#include "mpi/contracting.h"

#include "kernel/threads.h"
#include "plan/context.h"

enum { CASES = 120 };

/* ---- random expressions ---- */

static void random_case(uint64_t *state, int ranks, contracting *c)
{
    const bool single = ashi_random_in(state, 0, 4) == 0;
    const int letters = (int)ashi_random_in(state, 1, 6);
    memset(c, 0, sizeof *c);
    c->ranks = ranks;
    c->operands = single ? 1 : 2;
    c->content = (content){.type = (ashlar_type)ashi_random_in(state, 0, 3), .seed = ashi_random(state)};
    c->content.integers = ashi_random_in(state, 0, 3) > 0;
    for (int i = 0; i < letters; i++) {
        c->extent[i] = ashi_random_in(state, 0, 30) == 0 ? 0 : ashi_random_in(state, 1, i < 2 ? 9 : 5);
        const int64_t where = ashi_random_in(state, 1, single ? 1 : 3);
        bool output = ashi_random_in(state, 0, 2) > 0;
        for (int x = 0; x < 2; x++)
            if (where & 1 << x)
                add_index(state, c, x, i);
        if (output)
            add_index(state, c, c->operands, i);
        if (ashi_random_in(state, 0, 9) == 0)
            add_index(state, c, where & 1 ? 0 : 1, i); /* a diagonal */
    }
    number *const factor[2] = {&c->alpha, &c->beta};
    for (int i = 0; i < 2; i++) {
        const int64_t how = ashi_random_in(state, 0, 5);
        unsigned char stored[16];
        *factor[i] = how == 0 ? (number){0, 0} : how <= 2 ? (number){1, 0} : random_number(&c->content, state);
        number_store(c->content.type, *factor[i], stored);
        *factor[i] = number_load(c->content.type, stored);
    }
    for (int x = 0; x <= c->operands; x++) {
        c->conjugate[x] = x < c->operands && ashi_random_in(state, 0, 2) == 0;
        random_deal(state, c, x);
    }
}

/* With limits from what is too little to what is too much: the least that is named does, and is held to. */
static void limited(ashlar_context *context, rig *r, contracting *c, uint64_t *state)
{
    ashlar_options options = ashlar_options_default();
    ashlar_error err = {0};
    const int64_t least = least_words(context, r, c);
    if (least == 0)
        return;
    options.memory_words = least + ashi_random_in(state, 0, 1) * ashi_random_in(state, 0, 4000);
    const ashlar_status status = contract(context, r, c, &options, &err);
    CHECK(&r->test, status == ASHLAR_OK, CASE "%s: %s", CASE_OF(r), c->text, err.text);
}

/* Of the ways that one rank has, the one with the smallest blocks is not always that with the smallest workspace. */
static void least_of_all_ways(ashlar_context *context, rig *r, uint64_t *state)
{
    for (int i = 0; i < 20; i++) {
        contracting c = {.operands = 2, .ranks = r->ranks, .list = {"eda", "ebc", "ecab"}, .extent = {2, 6, 1, 4, 1},
                         .content = {ASHLAR_TYPE_D, ashi_random(state), true}, .alpha = {1, 0}, .beta = {1, 0}};
        for (int x = 0; x <= c.operands; x++)
            random_deal(state, &c, x);
        limited(context, r, &c, state);
    }
}

/* So much that threads take parts of it, each of its own. */
static void with_threads(ashlar_context *context, rig *r, uint64_t *state)
{
    contracting c = {.operands = 2, .ranks = r->ranks, .list = {"acb", "dbe", "ead"}, .extent = {37, 11, 3, 41, 19},
                     .content = {ASHLAR_TYPE_D, ashi_random(state), true}, .alpha = {2, 0}, .beta = {-1, 0},
                     .says = r->ranks == 1 ? "by 3 threads" : NULL};
    ashlar_error err = {0};
    const int before = ashi_blas_threads();
    for (int x = 0; x <= c.operands; x++)
        random_deal(state, &c, x);
    if (!context->workers && ashi_workers_create(2, &context->workers, &err) != ASHLAR_OK)
        exit(1);
    context->threads_most = 3;
    (void)ashi_set_blas_threads(3);
    const ashlar_status status = contract(context, r, &c, NULL, &err);
    (void)ashi_set_blas_threads(before);
    CHECK(&r->test, status == ASHLAR_OK, CASE "%s", CASE_OF(r), err.text);
    c.says = r->ranks == 1 ? "by 2 threads" : NULL;
    CHECK(&r->test, ashlar_context_set_threads(context, 2, &err) == ASHLAR_OK &&
          contract(context, r, &c, NULL, &err) == ASHLAR_OK, CASE "%s", CASE_OF(r), err.text);
    c.says = r->ranks == 1 ? "by 1 thread" : NULL;
    CHECK(&r->test, ashlar_context_set_threads(context, 1, &err) == ASHLAR_OK &&
          contract(context, r, &c, NULL, &err) == ASHLAR_OK, CASE "%s", CASE_OF(r), err.text);
    CHECK(&r->test, ashi_blas_threads() == before, "%d threads of the BLAS, %d before", ashi_blas_threads(), before);
    CHECK(&r->test, ashlar_context_set_threads(context, -1, &err) == ASHLAR_ERR_ARG &&
          strstr(err.text, "threads = -1, wanted at least 0"), "%s", err.text);
    CHECK(&r->test, ashlar_context_set_threads(NULL, 1, &err) == ASHLAR_ERR_ARG, "%s", err.text);
    ashlar_context_set_threads(context, 0, NULL);
}

/* ---- several ranks ---- */

/* The old result counts once, however many ranks add to it: the paper's method adds it on each. */
static void accumulate_4(ashlar_context *context, rig *r, uint64_t *state)
{
    contracting c = {.operands = 2, .ranks = r->ranks, .list = {"ak", "kb", "ab"},
                     .content = {ASHLAR_TYPE_D, ashi_random(state), true}, .alpha = {1, 0}, .beta = {1, 0}};
    ashlar_error err = {0};
    c.extent[0] = c.extent[1] = 3;
    c.extent['k' - 'a'] = 400; /* so that all ranks sum a part of it */
    for (int x = 0; x <= c.operands; x++) {
        random_deal(state, &c, x);
        c.own[x] = x == 2;
    }
    for (int x = 0; x < 2; x++) {
        const int k = x == 0 ? 1 : 0;
        c.parts[x][1 - k] = 1;
        c.parts[x][k] = r->ranks;
        c.block[x][k] = 400 / r->ranks;
        for (int i = 0; i < r->ranks; i++)
            c.rank[x][i] = i;
    }
    CHECK(&r->test, contract(context, r, &c, NULL, &err) == ASHLAR_OK, CASE "%s", CASE_OF(r), err.text);
}

/* Tensors that do not deal out the batch, each cut by another index: all move to where a rank has four values of the
 * batch, 3/4 of 256 words of each tensor to each rank. A result that is dealt out so already stays. */
static void dealt_by_batch_4(ashlar_context *context, rig *r, uint64_t *state)
{
    contracting c = {.operands = 2, .ranks = r->ranks, .list = {"aik", "kaj", "aij"}, .conjugate = {true},
                     .content = {ASHLAR_TYPE_Z, ashi_random(state), true}, .alpha = {2, 0}, .beta = {-1, 0},
                     .says = "the batch is dealt out over the ranks"};
    static const int cut[2][3] = {{1, 0, 2}, {1, 0, 0}};
    const char *const says = c.says;
    ashlar_error err = {0};
    c.extent[0] = 16;
    c.extent['i' - 'a'] = c.extent['j' - 'a'] = c.extent['k' - 'a'] = 8;
    for (int way = 0; way < 2; way++) {
        for (int x = 0; x <= c.operands; x++) {
            random_deal(state, &c, x);
            c.own[x] = false;
            for (int d = 0; d < 3; d++) {
                c.parts[x][d] = d == cut[way][x] ? 4 : 1;
                c.block[x][d] = c.extent[c.list[x][d] - 'a'] / 4;
            }
            for (int i = 0; i < r->ranks; i++)
                c.rank[x][i] = i;
        }
        c.says = says;
        c.words = way == 0 ? 3 * 192 : 2 * 192;
        CHECK(&r->test, contract(context, r, &c, NULL, &err) == ASHLAR_OK, CASE "%s: %s", CASE_OF(r), c.text, err.text);
        c.says = NULL; /* with less memory each product is one of all ranks */
        c.words = 0;
        limited(context, r, &c, state);
    }
}

/* Fewer values of the batch than ranks, or some more: teams of ranks form them side by side. Two teams of two ranks
 * receive half of an operand, 512 words a rank, whether layouts are free or the batch is dealt out over the teams and
 * the rows over their ranks. Five values are one for each rank, and then one for all. If each value is dealt out over
 * all ranks, 256 words of each tensor move besides. */
static void by_teams_4(ashlar_context *context, rig *r, uint64_t *state)
{
    static const struct {
        int64_t batch;
        bool own;
        int parts[3][3]; /* of b, i, k; b, k, j; b, i, j */
        int64_t words;
        const char *says;
    } cases[] = {{2, true, {{0}}, 512, "by teams of the 4 ranks: 2 teams of 2 ranks form 1 each"},
                 {2, false, {{2, 2, 1}, {2, 2, 1}, {2, 2, 1}}, 512, "2 teams of 2 ranks form 1 each"},
                 {5, true, {{0}}, 0, "4 teams of 1 rank form 1 each (cosma); then 1 team of 4 ranks forms 1 ("},
                 {2, false, {{1, 4, 1}, {1, 4, 1}, {1, 4, 1}}, 1280, "; the result moves from its team\n"}};
    ashlar_machine machine = ashlar_machine_default();
    ashlar_options options = ashlar_options_default();
    ashlar_error err = {0};
    const double before = context->ranks_per_core;
    context->ranks_per_core = 1;
    machine.flops_per_second = 1e8;
    options.machine = &machine;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        contracting c = {.operands = 2, .ranks = r->ranks, .list = {"bik", "bkj", "bij"}, .conjugate = {true},
                         .content = {ASHLAR_TYPE_C, ashi_random(state), true}, .alpha = {2, 0}, .beta = {-1, 0},
                         .words = cases[i].words, .says = cases[i].says};
        c.extent[1] = cases[i].batch;
        c.extent['i' - 'a'] = c.extent['j' - 'a'] = c.extent['k' - 'a'] = 32;
        for (int x = 0; x <= c.operands; x++) {
            random_deal(state, &c, x);
            c.own[x] = cases[i].own;
            for (int d = 0; d < 3 && !c.own[x]; d++) {
                c.parts[x][d] = cases[i].parts[x][d];
                c.block[x][d] = (d == 0 ? c.extent[1] : 32) / c.parts[x][d];
                for (int rank = 0; rank < r->ranks; rank++)
                    c.rank[x][rank] = rank;
            }
        }
        options.objective = c.words > 0 ? ASHLAR_LEAST_WORDS : ASHLAR_LEAST_TIME;
        CHECK(&r->test, contract(context, r, &c, &options, &err) == ASHLAR_OK, CASE "%s: %s", CASE_OF(r), c.text,
              err.text);
        c.words = 0;
        c.says = NULL;
        limited(context, r, &c, state);
    }
    context->ranks_per_core = before;
}

/* Where layouts are free, what is received is the bound of the products of matrices: m = n = 64, k = 16. */
static void free_layouts_4(ashlar_context *context, rig *r)
{
    const int64_t extent[2][4] = {{4, 8, 16, 2}, {8, 32, 2, 2}};
    const ashlar_tensor operand[2] = {{.order = 4, .extent = extent[0]}, {.order = 4, .extent = extent[1]}};
    const ashlar_tensor output = {.order = 4, .extent = NULL};
    const ashlar_contraction what = {.type = ASHLAR_TYPE_D, .expression = "akbl,kclj->cajb", .operands = 2,
                                     .operand = operand, .output = &output};
    ashlar_options options = ashlar_options_default();
    ashlar_contraction_plan *plan = NULL;
    ashlar_contraction_explanation why = {0};
    ashlar_figures figures = {0};
    ashlar_error err = {0};
    options.objective = ASHLAR_LEAST_WORDS;
    CHECK(&r->test, ashlar_contraction_plan_create(context, &what, &options, &plan, &err) == ASHLAR_OK, "%s", err.text);
    CHECK(&r->test, ashlar_contraction_explain(plan, &why, &err) == ASHLAR_OK &&
          ashlar_contraction_predicted(plan, &figures, &err) == ASHLAR_OK, "%s", err.text);
    CHECK(&r->test, figures.words_max == 512 && why.bound_words == 512, "%" PRId64 " words, bound %g",
          figures.words_max, why.bound_words);
    ashlar_contraction_plan_free(&plan);
}

/* Indices of two values in any order: fused where they lie side by side, else many small tiles. */
static void many_indices(ashlar_context *context, rig *r, uint64_t *state)
{
    contracting c = {.operands = 2, .ranks = r->ranks, .content = {ASHLAR_TYPE_S, ashi_random(state), true},
                     .alpha = {1, 0}, .beta = {0, 0}};
    ashlar_error err = {0};
    for (int i = 0; i < LETTERS; i++) {
        c.extent[i] = 2;
        add_index(state, &c, i % 3 == 2, i);
        add_index(state, &c, i % 3 == 1 ? 1 : 2, i);
    }
    for (int x = 0; x <= c.operands; x++)
        random_deal(state, &c, x);
    CHECK(&r->test, contract(context, r, &c, NULL, &err) == ASHLAR_OK, CASE "%s: %s", CASE_OF(r), c.text, err.text);
}

/* What lies in one piece is few tiles, and what does not is copied first: either way a plan is made. The first case has
 * more elements than a matrix may have tiles. */
static void many_elements(ashlar_context *context, rig *r, uint64_t *state)
{
    static const struct {
        char list[3][8];
        int64_t extent[LETTERS];
        const char *says;
    } cases[] = {{{"ab", "bc", "ac"}, {300, 300, 2}, NULL},
                 {{"adbecf", "gedf", "gacb"}, {8, 8, 8, 8, 8, 8, 2}, "1 is copied into the order of the product"}};
    ashlar_error err = {0};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        contracting c = {.operands = 2, .ranks = r->ranks, .content = {ASHLAR_TYPE_D, ashi_random(state), true},
                         .alpha = {2, 0}, .beta = {-1, 0}, .says = r->ranks > 1 ? cases[i].says : NULL};
        memcpy(c.extent, cases[i].extent, sizeof c.extent);
        for (int x = 0; x <= c.operands; x++) {
            memcpy(c.list[x], cases[i].list[x], sizeof cases[i].list[x]);
            random_deal(state, &c, x);
            c.own[x] = false;
            for (size_t d = 0; d < strlen(c.list[x]); d++)
                c.parts[x][d] = 1;
            c.parts[x][0] = r->ranks;
            c.block[x][0] = ashi_ceil_div(c.extent[c.list[x][0] - 'a'], r->ranks);
        }
        CHECK(&r->test, contract(context, r, &c, NULL, &err) == ASHLAR_OK, CASE "%s: %s", CASE_OF(r), c.text, err.text);
    }
}

/* Block-cyclic with blocks of one value. By one index of each side that is a block-cyclic matrix, whatever its number
 * of blocks; by inner indices of both sides of A it is 102400 tiles, which is more than a product may have. */
static void small_blocks(ashlar_context *context, rig *r, uint64_t *state)
{
    static const struct {
        char list[3][8];
        int64_t extent[5];
        int cut[3][2];
        const char *says;
    } cases[] = {{{"ab", "bc", "ac"}, {300, 300, 2}, {{0, 1}, {0, 1}, {0, 1}}, "1. ab,bc->ac: 1 product of"},
                 {{"abce", "dce", "abd"}, {40, 40, 8, 2, 8}, {{1, 3}, {0, 1}, {0, 1}},
                  "operand 1 is dealt out in large blocks first"}};
    ashlar_error err = {0};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        contracting c = {.operands = 2, .ranks = r->ranks, .content = {ASHLAR_TYPE_C, ashi_random(state), true},
                         .alpha = {2, 0}, .beta = {-1, 0}, .conjugate = {true}, .says = cases[i].says};
        memcpy(c.extent, cases[i].extent, sizeof cases[i].extent);
        for (int x = 0; x <= c.operands; x++) {
            memcpy(c.list[x], cases[i].list[x], sizeof cases[i].list[x]);
            random_deal(state, &c, x);
            c.own[x] = c.gaps[x] = false;
            for (int d = 0; d < 4; d++) {
                c.block[x][d] = 1;
                c.parts[x][d] = d == cases[i].cut[x][0] || d == cases[i].cut[x][1] ? 2 : 1;
            }
        }
        CHECK(&r->test, contract(context, r, &c, NULL, &err) == ASHLAR_OK, CASE "%s: %s", CASE_OF(r), c.text, err.text);
    }
}

/* What lies in thousands of short runs moves element by element, diagonals too; also within the least memory. */
static void by_element(ashlar_context *context, rig *r, uint64_t *state)
{
    static const char lists[][2][8] = {{"abcde", "dbeca"}, {"abcdea", "ecadb"}};
    ashlar_error err = {0};
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        contracting c = {.operands = 1, .ranks = r->ranks, .content = {(ashlar_type)(i == 0 ? 0 : 3),
                         ashi_random(state), true}, .alpha = {2, 0}, .beta = {-1, 0}, .conjugate = {true},
                         .extent = {8, 9, 8, 8, 7}, .says = "element by element in "};
        for (int x = 0; x <= c.operands; x++) {
            memcpy(c.list[x], lists[i][x], sizeof lists[i][x]);
            random_deal(state, &c, x);
            c.own[x] = c.gaps[x] = false;
            for (size_t d = 0; d < strlen(c.list[x]); d++) {
                c.block[x][d] = 1;
                c.parts[x][d] = d == 2 ? r->ranks : 1;
            }
            for (int rank = 0; rank < r->ranks; rank++)
                c.rank[x][rank] = r->ranks - 1 - rank;
        }
        CHECK(&r->test, contract(context, r, &c, NULL, &err) == ASHLAR_OK, CASE "%s: %s", CASE_OF(r), c.text, err.text);
        limited(context, r, &c, state);
    }
}

/* ---- wrong use ---- */

typedef struct wrong {
    const char *expression;
    int operands, order[2];
    int64_t extent[2][3], output_extent[3];
    ashlar_status status;
    const char *text;
} wrong;

static const wrong wrongs[] = {
    {"ij,jk>ik", 2, {2, 2}, {{2, 3}, {3, 4}}, {2, 4}, ASHLAR_ERR_ARG, "column 6: '>' is no index"},
    {"ij,jk->il", 2, {2, 2}, {{2, 3}, {3, 4}}, {2, 4}, ASHLAR_ERR_ARG, "column 9: index 'l' of the output is in no"},
    {"ij,jk->ii", 2, {2, 2}, {{2, 3}, {3, 4}}, {2, 2}, ASHLAR_ERR_ARG, "column 9: index 'i' is in the output twice"},
    {"ij,jk->ik", 2, {2, 2}, {{2, 3}, {5, 4}}, {2, 4}, ASHLAR_ERR_ARG, "column 4: dimension 1 of operand 2 is 5"},
    {"ij,jk->ik", 2, {2, 3}, {{2, 3}, {3, 4, 1}}, {2, 4}, ASHLAR_ERR_ARG, "operand 2 has 3 dimensions"},
    {"ij,jk->ik", 2, {2, 2}, {{2, 3}, {3, 4}}, {2, 5}, ASHLAR_ERR_ARG, "column 9: dimension 2 of the output is 5"},
    {"ij,jk->ik", 1, {2, 2}, {{2, 3}, {3, 4}}, {2, 4}, ASHLAR_ERR_ARG, "operands = 1, the expression has 2"},
    {"ij,jk->ik", 2, {2, 2}, {{2, -3}, {3, 4}}, {2, 4}, ASHLAR_ERR_ARG, "column 2: dimension 2 of operand 1 is -3"},
    {"i...,jk->ik", 2, {2, 2}, {{2, 3}, {3, 4}}, {2, 4}, ASHLAR_ERR_UNSUPPORTED, "'...' is not supported"},
    {"ij,jk->ik", 2, {2, 2}, {{1LL << 40, 1LL << 30}, {1LL << 30, 4}}, {1LL << 40, 4}, ASHLAR_ERR_OVERFLOW,
     "column 1: the words of operand 1 do not fit"},
};

static void wrong_use(ashlar_context *context, rig *r)
{
    for (size_t i = 0; i < sizeof wrongs / sizeof wrongs[0]; i++) {
        const wrong *const w = &wrongs[i];
        ashlar_contraction_plan *plan = NULL;
        ashlar_error err = {0};
        const ashlar_tensor operand[2] = {{.order = w->order[0], .extent = w->extent[0]},
                                          {.order = w->order[1], .extent = w->extent[1]}};
        const ashlar_tensor output = {.order = 2, .extent = w->output_extent};
        const ashlar_contraction what = {.type = ASHLAR_TYPE_D, .expression = w->expression, .operands = w->operands,
                                         .operand = operand, .output = &output};
        const ashlar_status status = ashlar_contraction_plan_create(context, &what, NULL, &plan, &err);
        CHECK(&r->test, status == w->status && strstr(err.text, w->text) && !plan &&
              ranks_agree(MPI_COMM_WORLD, (int)status, err.text), "%s: %s, wanted %s", w->expression, err.text,
              w->text);
        ashlar_contraction_plan_free(&plan);
    }
}

/* Arguments of an execution that are wrong on one rank are refused on all, and the result stays. */
static void wrong_arguments(ashlar_context *context, rig *r)
{
    const int64_t extent[1] = {1};
    const double one = 1, zero = 0;
    double c = 7;
    const void *const missing[2] = {NULL, NULL}, *const same[2] = {&c, &one}, *const right[2] = {&one, &one};
    const ashlar_tensor operand[2] = {{.order = 1, .extent = extent}, {.order = 1, .extent = extent}};
    const ashlar_tensor output = {.order = 1, .extent = NULL};
    const ashlar_contraction what = {.type = ASHLAR_TYPE_D, .expression = "i, i -> i", .operands = 2,
                                     .operand = operand, .output = &output};
    ashlar_contraction_plan *plan = NULL;
    ashlar_error err = {0};
    CHECK(&r->test, ashlar_contraction_plan_create(context, &what, NULL, &plan, &err) == ASHLAR_OK, "%s", err.text);
    CHECK(&r->test, ashlar_contraction_execute(plan, &one, missing, &zero, &c, &err) == ASHLAR_ERR_ARG &&
          strstr(err.text, "operand 1 is NULL"), "%s", err.text);
    CHECK(&r->test, ashlar_contraction_execute(plan, &one, same, &zero, &c, &err) == ASHLAR_ERR_ARG &&
          strstr(err.text, "the output overlaps operand 1"), "%s", err.text);
    CHECK(&r->test, ashlar_contraction_execute(plan, &one, right, &zero, NULL, &err) == ASHLAR_ERR_ARG &&
          strstr(err.text, "output is NULL"), "%s", err.text);
    CHECK(&r->test, ashlar_contraction_execute(plan, &one, right, NULL, &c, &err) == ASHLAR_ERR_ARG &&
          strstr(err.text, "beta is NULL") && c == 7, "%s", err.text);
    CHECK(&r->test, ashlar_contraction_execute(plan, &zero, missing, &one, &c, &err) == ASHLAR_OK && c == 7, "%s",
          err.text);
    CHECK(&r->test, ashlar_contraction_execute(plan, &one, right, &one, &c, &err) == ASHLAR_OK && c == 8, "%s",
          err.text);
    ashlar_interrupt(1);
    const ashlar_status status = ashlar_contraction_execute(plan, &one, right, &one, &c, &err);
    ashlar_interrupt(0);
    CHECK(&r->test, status == ASHLAR_ERR_INTERRUPTED && strcmp(err.text, "interrupted") == 0, "%s", err.text);
    c = 7;
    CHECK(&r->test, ashlar_contraction_execute(plan, &one, right, &one, &c, &err) == ASHLAR_OK && c == 8, "%s",
          err.text);
    ashlar_contraction_plan_free(&plan);
}

static void one(ashlar_context *context, rig *r)
{
    uint64_t state = r->seed * 77;
    contracting c;
    ashlar_error err = {0};
    random_case(&state, r->ranks, &c);
    const ashlar_status status = contract(context, r, &c, NULL, &err);
    CHECK(&r->test, status == ASHLAR_OK, CASE "%s: %s", CASE_OF(r), c.text, err.text);
    if (r->seed % 3 == 0)
        limited(context, r, &c, &state);
    if (r->seed % 60 == 0) {
        with_threads(context, r, &state);
        wrong_use(context, r);
        many_indices(context, r, &state);
        many_elements(context, r, &state);
        if (r->ranks > 1)
            by_element(context, r, &state);
        if (r->ranks == 4) {
            accumulate_4(context, r, &state);
            dealt_by_batch_4(context, r, &state);
            by_teams_4(context, r, &state);
            small_blocks(context, r, &state);
            free_layouts_4(context, r);
        }
        if (r->ranks == 1) {
            wrong_arguments(context, r);
            least_of_all_ways(context, r, &state);
        }
    }
}

int main(int argc, char **argv)
{
    return try_in_context(argc, argv, CASES, one);
}
