/* Random movements between layouts against brute force: the elements, that each word travels at most once, and that
 * prepared movements do the same any number of times without an allocation. */
#define PROGRAM "move"

#include "mpi/allocations.h"
#include "mpi/in_context.h"
#include "mpi/multiplying.h"

/* Words that this rank sent to each, counted where MPI is called. */
static int64_t words_to[RANDOM_RANKS_MAX];

int MPI_Isend(const void *buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *request)
{
    words_to[to] += count;
    return PMPI_Isend(buffer, count, type, to, tag, comm, request);
}

typedef struct problem {
    ashlar_layout *from, *to;
    ashlar_op op;
    number alpha, beta;
    content content[2]; /* source, target */
    int64_t rows, cols; /* of the target */
} problem;

static bool random_problem(problem *p, const rig *r, ashlar_error *err)
{
    uint64_t state = r->seed * 0xA0761D6478BD642Fu;
    product factors;
    random_product(&state, &factors);
    *p = (problem){.op = factors.op[0], .alpha = factors.alpha, .beta = factors.beta,
                   .content = {factors.content[0], factors.content[2]}};
    p->rows = ashi_random_in(&state, 0, 9) ? ashi_random_in(&state, 1, 60) : 0;
    p->cols = ashi_random_in(&state, 0, 9) ? ashi_random_in(&state, 1, 60) : 0;
    const bool turned = p->op != ASHLAR_OP_N;
    p->from = random_part_layout(&state, turned ? p->cols : p->rows, turned ? p->rows : p->cols, r->ranks, r->rank,
                                 err);
    p->to = random_part_layout(&state, p->rows, p->cols, r->ranks, r->rank, err);
    return p->from && p->to;
}

/* Words of the target that rank `to` owns there but not in the source. */
static int64_t words_lacked(const problem *p, int to)
{
    int64_t words = 0;
    for (int64_t i = 0; i < p->rows; i++)
        for (int64_t j = 0; j < p->cols; j++) {
            const bool turned = p->op != ASHLAR_OP_N;
            const int from = ashlar_layout_owner(p->from, turned ? j : i, turned ? i : j);
            words += ashlar_layout_owner(p->to, i, j) == to && from != to;
        }
    return words;
}

static double distance(const problem *p, const part *target)
{
    double worst = 0;
    const bool turned = p->op != ASHLAR_OP_N;
    const long double u = ashi_type_of(p->content[0].type)->roundoff;
    for (int64_t i = 0; i < p->rows; i++)
        for (int64_t j = 0; j < p->cols; j++) {
            if (!part_owns(target, i, j))
                continue;
            number x = turned ? element(&p->content[0], j, i) : element(&p->content[0], i, j);
            if (p->op == ASHLAR_OP_C)
                x.im = -x.im;
            const number y = element(&p->content[1], i, j);
            const number want = number_add(number_mul(p->alpha, x), number_mul(p->beta, y));
            const number got = number_load(target->content.type, part_at(target, target->memory, i, j));
            const long double off = number_abs((number){got.re - want.re, got.im - want.im});
            const long double size = number_abs(p->alpha) * number_abs(x) + number_abs(p->beta) * number_abs(y);
            const bool exact = p->content[0].integers;
            if (!(off <= 6 * u * size) || (exact && off != 0))
                worst = INFINITY;
        }
    return worst;
}

static ashlar_status move(ashlar_context *context, const problem *p, const part *from, const part *to, int64_t memory,
                          int64_t *words, ashlar_error *err)
{
    unsigned char alpha[16], beta[16];
    const ashlar_type type = p->content[0].type;
    number_store(type, p->alpha, alpha);
    number_store(type, p->beta, beta);
    memset(words_to, 0, sizeof words_to);
    return ashlar_move(context, type, p->op, alpha, p->from, from->base, beta, p->to, to->base, memory, words, err);
}

/* With 1 word the error names the least that does; that must do, and one less must not. 0 where anything does. */
static int64_t least_memory(ashlar_context *context, const problem *p, const part *from, part *to, rig *r)
{
    ashlar_error err = {0};
    int64_t words = 0;
    if (move(context, p, from, to, 1, &words, &err) == ASHLAR_OK)
        return 0;
    const int64_t least = ashlar_context_memory_words(context);
    CHECK(&r->test, err.status == ASHLAR_ERR_LIMIT && ashi_says_least(err.text, least), CASE "%s", CASE_OF(r),
          err.text);
    CHECK(&r->test, least > 1 && move(context, p, from, to, least - 1, &words, &err) == ASHLAR_ERR_LIMIT,
          CASE "less than the least of %" PRId64 " does", CASE_OF(r), least);
    return least;
}

static void check_words(const problem *p, int64_t words, rig *r)
{
    int64_t received[RANDOM_RANKS_MAX] = {0};
    const int64_t lacked = number_abs(p->alpha) == 0 ? 0 : words_lacked(p, r->rank);
    MPI_Allreduce(words_to, received, r->ranks, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    CHECK(&r->test, words == lacked && received[r->rank] == lacked,
          CASE "%" PRId64 " words said, %" PRId64 " on the wire, %" PRId64 " lacked", CASE_OF(r), words,
          received[r->rank], lacked);
}

/* What the mover says against what was counted. */
static void check_figures(const ashlar_mover *mover, const problem *p, int64_t memory, rig *r)
{
    ashlar_movement f = {0};
    const int64_t lacked = words_lacked(p, r->rank);
    int64_t most = 0, total = 0;
    CHECK(&r->test, ashlar_mover_explain(mover, &f, NULL) == ASHLAR_OK, CASE "no figures", CASE_OF(r));
    MPI_Allreduce(&lacked, &most, 1, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
    MPI_Allreduce(&lacked, &total, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    CHECK(&r->test, f.words == lacked && f.words_max == most && f.words_total == total,
          CASE "%" PRId64 ", %" PRId64 ", %" PRId64 " words said, %" PRId64 ", %" PRId64 ", %" PRId64 " lacked",
          CASE_OF(r), f.words, f.words_max, f.words_total, lacked, most, total);
    CHECK(&r->test, memory == 0 || f.workspace_words <= memory, CASE "%" PRId64 " words of workspace, allowed %" PRId64,
          CASE_OF(r), f.workspace_words, memory);
    CHECK(&r->test, f.messages <= f.messages_max && f.messages <= f.rounds * (r->ranks - 1) &&
                        f.workspace_words == ashlar_mover_workspace(mover), CASE "figures", CASE_OF(r));
}

/* A layout that has the tiles as they are, and places for none of them: pointers are given at execution. */
static ashlar_layout *without_places(const ashlar_layout *layout, int rank)
{
    ashlar_tile tiles[TILES_MOST];
    int64_t count = 0, ld[TILES_MOST];
    ashlar_layout *copy = NULL;
    if (ashi_layout_copy(layout, &copy, NULL) != ASHLAR_OK || !layout->row.cuts)
        return copy;
    ashlar_layout_list_tiles(layout, rank, TILES_MOST, tiles, &count, NULL);
    for (int64_t t = 0; t < count; t++)
        ld[t] = tiles[t].ld;
    if (ashlar_layout_set_storage(copy, rank, NULL, ld, NULL) != ASHLAR_OK)
        ashlar_layout_free(&copy);
    return copy;
}

/* Pointers to the tiles; that of one without elements must not be used. */
static void point(const part *p, void *tiles[TILES_MOST])
{
    ashlar_tile list[TILES_MOST];
    int64_t count = 0;
    tiles[0] = p->base;
    if (!p->layout->row.cuts)
        return;
    ashlar_layout_list_tiles(p->layout, p->rank, TILES_MOST, list, &count, NULL);
    for (int64_t t = 0; t < count; t++)
        tiles[t] = list[t].rows > 0 && list[t].cols > 0 ? p->tile[t] : NULL;
}

/* With a pointer for each tile, from and to layouts with places and without: always what was in `to`. */
static void check_tiles(ashlar_context *context, const problem *p, const part *from, part *to, rig *r)
{
    const ashlar_type type = p->content[0].type;
    unsigned char alpha[16], beta[16], *want = malloc(to->bytes);
    void *source[TILES_MOST], *target[TILES_MOST];
    memcpy(want, to->memory, to->bytes);
    number_store(type, p->alpha, alpha);
    number_store(type, p->beta, beta);
    point(from, source);
    point(to, target);
    for (int placed = 0; placed < 2; placed++) {
        ashlar_layout *bare[2] = {without_places(p->from, r->rank), without_places(p->to, r->rank)};
        ashlar_mover *mover = NULL;
        ashlar_error err = {0};
        CHECK(&r->test, bare[0] && bare[1], CASE "no layout", CASE_OF(r));
        const ashlar_status made = ashlar_mover_create(context, type, p->op, placed ? p->from : bare[0],
                                                       placed ? p->to : bare[1], NULL, &mover, &err);
        CHECK(&r->test, made == ASHLAR_OK, CASE "%s", CASE_OF(r), err.text);
        part_refill(to);
        const ashlar_status status = ashlar_mover_execute_tiles(
            mover, alpha, (const void *const *)source, beta, (void *const *)target, &err);
        CHECK(&r->test, status == ASHLAR_OK, CASE "%s", CASE_OF(r), err.text);
        CHECK(&r->test, memcmp(want, to->memory, to->bytes) == 0, CASE "other bits by tiles", CASE_OF(r));
        ashlar_mover_free(&mover);
        ashlar_layout_free(&bare[0]);
        ashlar_layout_free(&bare[1]);
    }
    free(want);
}

/* Prepared once, executed again and again: always what ashlar_move has left in `to`, and nothing is allocated. In the
 * caller's memory or its own, with agreement or trusted. */
static void check_prepared(ashlar_context *context, const problem *p, const part *from, part *to, int64_t memory,
                           rig *r)
{
    const ashlar_mover_options options = {
        .caller_workspace = r->seed % 3 == 0, .trusted = r->seed % 2 == 0, .memory_words = memory};
    const ashlar_type type = p->content[0].type;
    const size_t word = ashlar_type_bytes(type), guard = GUARD * word;
    unsigned char alpha[16], beta[16], *want = malloc(to->bytes), fence[GUARD * 16];
    ashlar_mover *mover = NULL;
    ashlar_error err = {0};
    memcpy(want, to->memory, to->bytes);
    number_store(type, p->alpha, alpha);
    number_store(type, p->beta, beta);
    CHECK(&r->test, ashlar_mover_create(context, type, p->op, p->from, p->to, &options, &mover, &err) == ASHLAR_OK,
          CASE "%s", CASE_OF(r), err.text);
    check_figures(mover, p, memory, r);
    const size_t bytes = (size_t)ashlar_mover_workspace(mover) * word;
    unsigned char *workspace = malloc(bytes + 2 * guard);
    memset(workspace, 0xAB, bytes + 2 * guard);
    memset(fence, 0xAB, sizeof fence);
    if (options.caller_workspace || r->seed % 5 == 0)
        CHECK(&r->test, ashlar_mover_use_workspace(mover, workspace + guard, &err) == ASHLAR_OK, CASE "%s", CASE_OF(r),
              err.text);
    const int64_t made = heap.made;
    for (int i = 0; i < 3; i++) {
        part_refill(to);
        CHECK(&r->test, ashlar_mover_execute(mover, alpha, from->base, beta, to->base, &err) == ASHLAR_OK, CASE "%s",
              CASE_OF(r), err.text);
        CHECK(&r->test, memcmp(want, to->memory, to->bytes) == 0, CASE "other bits the %d. time", CASE_OF(r), i + 1);
    }
    CHECK(&r->test, heap.made == made, CASE "%" PRId64 " allocations", CASE_OF(r), heap.made - made);
    CHECK(&r->test, memcmp(workspace, fence, guard) == 0 && memcmp(workspace + guard + bytes, fence, guard) == 0,
          CASE "memory around the workspace", CASE_OF(r));
    ashlar_mover_free(&mover);
    free(workspace);
    free(want);
}

/* By the same way back without any factor: the source's bits. */
static void check_back(ashlar_context *context, const problem *p, const part *from, rig *r)
{
    ashlar_error err = {0};
    int64_t words = 0;
    part there, back;
    problem out = *p, home = *p;
    out.alpha = home.alpha = (number){1, 0};
    out.beta = home.beta = (number){0, 0};
    home.from = p->to;
    home.to = p->from;
    const bool made = part_make(&there, &p->content[0], p->to, r->rank, true) &&
                      part_make(&back, &p->content[0], p->from, r->rank, true);
    CHECK(&r->test, made, CASE "no memory", CASE_OF(r));
    const ashlar_status status = move(context, &out, from, &there, 0, &words, &err);
    CHECK(&r->test, status == ASHLAR_OK && move(context, &home, &there, &back, 0, &words, &err) == ASHLAR_OK,
          CASE "%s", CASE_OF(r), err.text);
    CHECK(&r->test, memcmp(back.memory, from->memory, from->bytes) == 0, CASE "not the same after the way back",
          CASE_OF(r));
    part_free(&there);
    part_free(&back);
}

static void run(ashlar_context *context, const problem *p, part *from, part *to, rig *r)
{
    ashi_test *t = &r->test;
    ashlar_error err = {0};
    int64_t words = 0;
    int64_t memory = r->seed % 2 && number_abs(p->alpha) > 0 ? least_memory(context, p, from, to, r) : 0;
    memory += memory * (int64_t)(r->seed % 7) / 4;
    part_refill(to);
    CHECK(t, move(context, p, from, to, memory, &words, &err) == ASHLAR_OK, CASE "%s", CASE_OF(r), err.text);
    check_words(p, words, r);
    CHECK(t, distance(p, to) <= 0, CASE "wrong elements", CASE_OF(r));
    check_prepared(context, p, from, to, memory, r);
    check_tiles(context, p, from, to, r);
    CHECK(t, memcmp(from->memory, from->before, from->bytes) == 0, CASE "the source was written to", CASE_OF(r));
    CHECK(t, part_only_elements_changed(to), CASE "memory around the target was written to", CASE_OF(r));
    if (number_abs(p->alpha) > 0)
        check_back(context, p, from, r);
}

static void try_case(ashlar_context *context, rig *r)
{
    problem p;
    ashlar_error err = {0};
    part from = {0}, to = {0};
    bool ready = random_problem(&p, r, &err);
    ready = ready && part_make(&from, &p.content[0], p.from, r->rank, number_abs(p.alpha) == 0) &&
            part_make(&to, &p.content[1], p.to, r->rank, number_abs(p.beta) == 0);
    CHECK(&r->test, ready, CASE "%s", CASE_OF(r), err.text);
    if (ready)
        run(context, &p, &from, &to, r);
    part_free(&from);
    part_free(&to);
    ashlar_layout_free(&p.from);
    ashlar_layout_free(&p.to);
}

int main(int argc, char **argv)
{
    return try_in_context(argc, argv, 150, try_case);
}
