/* Programs of SUMMA over tiles: each product is formed once from tiles that were sent to who needs them and to nobody
 * else, and what the passes make of it can be run. */
#include "check/ready.h"
#include "check/tiles.h"
#include "engine/tile_room.h"
#include "program_mutants.h"
#include "random_tile_problem.h"

enum { TAGS = 16384 };

/* The rank that forms the products of a tile of C with a tile of k. */
static int rank_of(const ashi_tile_problem *p, const ashi_tile_at *c, int64_t k)
{
    const ashi_deal *d = p->operand[ASHLAR_C].deal;
    const int64_t layer = p->layers ? p->layers->of[k] : 0, rows = p->layers ? p->layers->rows : 0;
    return d->grid_rank[(layer * rows + ashi_deal_row_part(d, c->row)) * d->grid_cols + ashi_deal_col_part(d, c->col)];
}

static bool has_sums(const ashi_tile_problem *p, int64_t rank)
{
    const ashi_deal *d = p->operand[ASHLAR_C].deal;
    for (int64_t i = 0; i < d->grid_rows * d->grid_cols; i++) {
        const ashi_pattern *c = ashi_tile_sums(p, p->layers ? i / d->grid_cols / p->layers->rows : 0);
        for (int64_t r = 0; r < c->rows && d->grid_rank[i] == rank; r++)
            for (int64_t t = c->start[r]; t < c->start[r + 1]; t++) {
                const ashi_tile_at at = {c->row[r], c->col[t]};
                if (ashi_tile_is_at(p, &at, i / d->grid_cols, i % d->grid_cols) &&
                    ashi_tile_words(p, ASHLAR_C, &at) > 0)
                    return true;
            }
    }
    return false;
}

/* The words that have to arrive: each tile of A and B at each rank that has tiles of C, and tiles of the other matrix
 * to multiply it with, and does not have it. If needs are exact, the rank forms a product with it. */
static int64_t needed(const ashi_tile_problem *p, int64_t *products)
{
    int64_t words = 0;
    *products = 0;
    for (int x = 0; x < 2; x++) {
        const ashi_pattern *own = p->operand[x].pattern, *other = p->operand[1 - x].pattern;
        for (int64_t r = 0; r < own->rows; r++)
            for (int64_t t = own->start[r]; t < own->start[r + 1]; t++) {
                const ashi_tile_at at = {own->row[r], own->col[t]};
                bool arrives[ASHI_TEST_TILE_RANKS] = {false};
                const int64_t outer = p->cuts[1 - x]->tiles;
                for (int64_t o = 0; o < outer; o++) {
                    const ashi_tile_at c = x == ASHLAR_A ? (ashi_tile_at){at.row, o} : (ashi_tile_at){o, at.col};
                    const bool there = x == ASHLAR_A ? ashi_pattern_find(other, at.col, o) >= 0
                                                     : ashi_pattern_find(other, o, at.row) >= 0;
                    const ashi_tile_at with = x == ASHLAR_A ? (ashi_tile_at){at.col, o} : (ashi_tile_at){o, at.row};
                    if (!there || ashi_tile_words(p, ASHLAR_C, &c) == 0 || ashi_tile_words(p, (ashlar_operand)(1 - x),
                        &with) == 0 || ashi_tile_words(p, (ashlar_operand)x, &at) == 0)
                        continue;
                    const bool formed = ashi_pattern_find(p->operand[ASHLAR_C].pattern, c.row, c.col) >= 0;
                    if (formed || !p->needs->exact[0])
                        arrives[rank_of(p, &c, x == ASHLAR_A ? at.col : at.row)] = true;
                    if (x == ASHLAR_A && formed)
                        *products += ashi_tile_words(p, ASHLAR_C, &c) * ashi_cuts_size(p->cuts[2], at.col);
                }
                arrives[ashi_tile_owner(p, (ashlar_operand)x, &at)] = false;
                for (int64_t rank = 0; rank < p->ranks; rank++)
                    words += arrives[rank] && has_sums(p, rank) ? ashi_tile_words(p, (ashlar_operand)x, &at) : 0;
            }
    }
    return words;
}

/* The pool by its closed form, -1 if memory lacks. */
static int64_t pool_of(const ashi_tile_problem *p, int64_t rank)
{
    int64_t *words = malloc(((size_t)p->cuts[2]->tiles + 1) * sizeof *words), pool = -1;
    if (words && ashi_tile_room_find(p, rank, words, NULL) == ASHLAR_OK)
        pool = ashi_tile_room_pool(words, p->first, p->iterations, p->window);
    free(words);
    return pool;
}

static void check_pools(ashi_test *t, uint64_t seed, ashi_program *program)
{
    for (int64_t rank = 0; rank < program->ranks; rank++) {
        const ashi_passes_request request = {program, rank, program->look_ahead, TAGS};
        int64_t said = 0, peak = 0;
        CHECK(t, program->pool(program, rank, &said, NULL) == ASHLAR_OK, "seed %" PRIu64, seed);
        CHECK(t, ashi_passes_peak_of(&request, &peak, NULL) == ASHLAR_OK && peak == said, "seed %" PRIu64 ", rank %"
              PRId64 ": %" PRId64 " words, said %" PRId64, seed, rank, peak, said);
        CHECK(t, pool_of(program->tiles, rank) == said, "seed %" PRIu64 ", rank %" PRId64 ": the closed form has %"
              PRId64 " words for %" PRId64, seed, rank, pool_of(program->tiles, rank), said);
    }
}

/* The tasks of a rank so far. */
typedef struct overlap {
    ashi_operation_kind *kind;
    int64_t *step, count, capacity;
    int64_t ahead; /* RECEIVEs of the first iteration of a term that wait for no product of the term before it */
    const ashi_tile_problem *problem;
    ashi_test *test;
} overlap;

static ashlar_status see_placed(void *context, const ashi_placed *panel, ashlar_error *err)
{
    (void)context;
    (void)panel;
    (void)err;
    return ASHLAR_OK;
}

static bool begins_term(const ashi_tile_problem *p, int64_t step)
{
    return step > 0 && step < p->iterations &&
           ashi_tile_term_of(p, p->first[step - 1]) != ashi_tile_term_of(p, p->first[step]);
}

static ashlar_status see_task(void *context, const ashi_task *task, ashlar_error *err)
{
    overlap *o = context;
    if (o->count == o->capacity) {
        o->capacity = 2 * o->capacity + 64;
        o->kind = realloc(o->kind, (size_t)o->capacity * sizeof *o->kind);
        o->step = realloc(o->step, (size_t)o->capacity * sizeof *o->step);
    }
    if (!o->kind || !o->step)
        return ASHLAR_ERR_MEMORY;
    (void)err;
    o->kind[o->count] = task->kind;
    o->step[o->count++] = task->step;
    if (task->kind != ASHI_DO_RECEIVE || !begins_term(o->problem, task->step))
        return ASHLAR_OK;
    bool waits = false;
    for (int64_t i = 0; i < task->befores; i++)
        waits = waits || (o->kind[task->before[i]] == ASHI_DO_MULTIPLY && o->step[task->before[i]] == task->step - 1);
    o->ahead += !waits;
    CHECK(o->test, !waits, "step %" PRId64 ": a tile of a term waits for a product of the term before it", task->step);
    return ASHLAR_OK;
}

/* With two iterations in flight the tiles of a term come while the last iteration of the term before is multiplied.
 * Returns how many messages do. */
static int64_t terms_overlap(ashi_test *t, ashi_program *program)
{
    overlap o = {.problem = program->tiles, .test = t};
    const ashi_task_visitor visitor = {see_placed, see_task, &o};
    for (int64_t rank = 0; rank < program->ranks && program->tiles->window > 1; rank++) {
        const ashi_passes_request request = {program, rank, program->look_ahead, TAGS};
        ashi_passes *passes = NULL;
        bool good = ashi_passes_create(&request, &passes, NULL) == ASHLAR_OK;
        o.count = 0;
        for (int64_t step = 0; step < program->steps && good; step++)
            good = ashi_passes_step(passes, &visitor, NULL) == ASHLAR_OK;
        CHECK(t, good, "rank %" PRId64, rank);
        ashi_passes_free(&passes);
    }
    free(o.kind);
    free(o.step);
    return o.ahead;
}

static void one_problem(ashi_test *t, uint64_t seed, int64_t *ahead)
{
    uint64_t state = seed ^ 0x7411;
    ashi_random_tiles r;
    ashi_program program = {0};
    ashi_check_report report = {0};
    ashlar_error err = {0};
    int64_t products = 0;
    CHECK(t, ashi_random_tiles_make(seed, ashi_random_in(&state, 1, ASHI_TEST_TILE_RANKS), 9, &r) == ASHLAR_OK,
          "seed %" PRIu64, seed);
    if (seed % 2 == 0)
        ashi_random_ranks(&r, &state);
    CHECK(t, ashi_random_layers(&r, &state) == ASHLAR_OK, "seed %" PRIu64, seed);
    if (seed % 3 == 0)
        ashi_random_terms(&r, &state);
    CHECK(t, ashi_tile_program_of(&r.problem, &program, &err) == ASHLAR_OK, "seed %" PRIu64 ": %s", seed, err.text);
    CHECK(t, ashi_check_tiles(&program, &report, &err) == ASHLAR_OK, "seed %" PRIu64 ": %s", seed, err.text);
    const int64_t words = needed(&r.problem, &products);
    CHECK(t, report.words == words, "seed %" PRIu64 ": %" PRId64 " words arrive, needed are %" PRId64, seed,
          report.words, words);
    CHECK(t, report.products == products, "seed %" PRIu64 ": %" PRId64 " products of %" PRId64, seed, report.products,
          products);
    check_pools(t, seed, &program);
    *ahead += r.problem.term ? terms_overlap(t, &program) : 0;
    for (int64_t look_ahead = 0; look_ahead <= program.look_ahead; look_ahead += ashi_max(1, program.look_ahead)) {
        ashi_ready_request request = {.program = &program, .look_ahead = look_ahead, .tags = TAGS,
                                      .walk = ashi_ready_walk};
        request.context = &request;
        CHECK(t, ashi_check_ready(&request, &report, &err) == ASHLAR_OK, "seed %" PRIu64 ", look-ahead %" PRId64
              ": %s", seed, look_ahead, err.text);
        CHECK(t, report.words == words, "seed %" PRIu64 ": %" PRId64 " words", seed, report.words);
    }
    ashi_program_free(&program);
    ashi_random_tiles_free(&r);
}

/* ---- wrong programs ---- */

enum { DROPPED, REPEATED, NOT_BEGUN, LAST_READER, CROSSING, OTHER_SUM, OTHER_LAYER, UNUSED, ALTERATIONS };

static const char *const alteration_name[ALTERATIONS] = {"dropped", "repeated", "not begun",
                                                         "with another last reader",
                                                         "of two terms", "of another sum", "of another layer",
                                                         "with a tile too many"};

/* Whether C has all tiles. */
static bool c_is_full(const ashi_tile_problem *p)
{
    return p->operand[ASHLAR_C].pattern->tiles == p->cuts[0]->tiles * p->cuts[1]->tiles;
}

/* Whether a product is the last to read something in the pool. */
static bool ends_panels(const ashi_operation *o)
{
    return (o->read[0] >= 0 && o->last[0]) || (o->read[2] >= 0 && o->last[2]);
}

/* Whether there is something to alter. C may have none of a product's tiles: nothing is missing without it, unless
 * panels wait for their last reader. */
static bool alter(program_mutant *m, int how, uint64_t *state)
{
    if (how == DROPPED && m->op.kind == ASHI_DO_MULTIPLY && !ends_panels(&m->op))
        return false;
    if (how == OTHER_SUM) { /* panels of C are the rank's first */
        const bool full = c_is_full(m->original->tiles);
        const bool other = full && m->op.kind == ASHI_DO_MULTIPLY && m->op.makes > 0 && m->op.words > 0;
        m->op.makes = other ? 0 : m->op.makes;
        return other;
    }
    m->copies = how == DROPPED ? 0 : how == REPEATED ? 2 : 1;
    if (how == NOT_BEGUN) {
        m->op.begins = false;
        return m->op.kind == ASHI_DO_SCALE;
    }
    if (how == CROSSING) {
        const ashi_tile_problem *p = m->original->tiles;
        const int64_t k = m->op.lo[2], next = ashi_tile_term_of(p, k) + 1;
        if (m->op.kind != ASHI_DO_MULTIPLY || next >= p->terms || p->term[next].first >= p->cuts[2]->tiles)
            return false;
        m->op.hi[2] = p->term[next].first + 1;
        return true;
    }
    const int64_t read = 2 * ashi_random_in(state, 0, 1); /* [0] and [2] of a product are in the pool */
    if (how == LAST_READER) {
        const bool was_last = m->op.last[read];
        m->op.last[read] = false;
        return m->op.kind == ASHI_DO_MULTIPLY && m->op.read[read] >= 0 && was_last;
    }
    return true;
}

/* A tile of k with a product, or -1. */
static int64_t multiplied_k(const ashi_tile_problem *p)
{
    const ashi_pattern *a = p->operand[ASHLAR_A].pattern, *c = p->operand[ASHLAR_C].pattern;
    for (int64_t r = 0; r < a->rows; r++)
        for (int64_t t = a->start[r]; t < a->start[r + 1]; t++)
            for (int64_t j = 0; j < p->cuts[1]->tiles; j++)
                if (ashi_pattern_find(p->operand[ASHLAR_B].pattern, a->col[t], j) >= 0 &&
                    ashi_pattern_find(c, a->row[r], j) >= 0 &&
                    ashi_tile_words(p, ASHLAR_A, &(ashi_tile_at){a->row[r], a->col[t]}) > 0 &&
                    ashi_tile_words(p, ASHLAR_B, &(ashi_tile_at){a->col[t], j}) > 0 &&
                    ashi_tile_words(p, ASHLAR_C, &(ashi_tile_at){a->row[r], j}) > 0)
                    return a->col[t];
    return -1;
}

/* The program is that of a problem in which a tile of k is of another layer. */
static bool move_layer(ashi_random_tiles *r, ashi_tile_layers *layers, int *of)
{
    const int64_t k = multiplied_k(&r->problem);
    if (!r->problem.layers || r->layers.count < 2 || k < 0)
        return false;
    memcpy(of, r->layer_of, sizeof r->layer_of);
    of[k] = (of[k] + 1) % (int)r->layers.count;
    *layers = r->layers;
    layers->of = of;
    r->problem.layers = layers;
    return true;
}

/* A tile goes to a process that has tiles of C, and forms no product with it. */
static bool send_too_many(ashi_random_tiles *r)
{
    const ashi_pattern *a = &r->pattern[0];
    for (int64_t x = 0; x < a->rows && r->needs.exact[0]; x++)
        for (int64_t t = a->start[x]; t < a->start[x + 1]; t++) {
            const ashi_tile_at at = {a->row[x], a->col[t]};
            const int64_t part = ashi_tile_part(&r->problem, ASHLAR_A, &at), cols = r->deal[2].grid_cols;
            for (int64_t i = 0; i < cols && ashi_tile_words(&r->problem, ASHLAR_A, &at) > 0; i++)
                if (ashi_tile_has(ashi_tile_sums_mask(&r->needs, ASHLAR_A, part), i) &&
                    !ashi_tile_has(ashi_tile_mask(&r->needs, ASHLAR_A, at.col, t), i) &&
                    r->grid_rank[2][part * cols + i] != ashi_tile_owner(&r->problem, ASHLAR_A, &at)) {
                    ashi_tile_exact_add(&r->needs, ASHLAR_A, t, i);
                    return true;
                }
        }
    return false;
}

/* The checker names what is wrong with a program of which one operation is altered. *unread: how many it refuses since
 * nothing reads a panel that comes. */
static bool one_mutant(ashi_test *t, uint64_t seed, int64_t *unread)
{
    uint64_t state = seed ^ 0x7411;
    ashi_random_tiles r;
    ashi_program program = {0};
    ashi_check_report report = {0};
    bool made = ashi_random_tiles_make(seed, ashi_random_in(&state, 1, ASHI_TEST_TILE_RANKS), 9, &r) == ASHLAR_OK;
    if (made && ashi_random_in(&state, 0, 1))
        ashi_random_ranks(&r, &state);
    made = made && ashi_random_layers(&r, &state) == ASHLAR_OK &&
           ashi_tile_program_of(&r.problem, &program, NULL) == ASHLAR_OK;
    const int how = (int)(seed % ALTERATIONS);
    if (how == CROSSING)
        ashi_random_terms(&r, &state);
    program_mutant m = {.altered = program, .original = &program};
    m.altered.emit = program_mutant_emit;
    const int64_t all = made ? program_mutant_find(&m, INT64_MAX / 2) : 0;
    ashi_tile_problem other = r.problem;
    ashi_tile_layers layers;
    int of[ASHI_TEST_TILES];
    bool altered = all > 0;
    if (how == OTHER_LAYER && made) {
        m.altered.tiles = &other;
        m.altered.emit = program.emit;
        altered = move_layer(&r, &layers, of);
        other.layers = &layers;
        r.problem.layers = r.problem.layers ? &r.layers : NULL;
    } else if (how == UNUSED && made) {
        m.altered.emit = program.emit;
        altered = send_too_many(&r);
    } else if (altered) {
        program_mutant_find(&m, ashi_random_in(&state, 0, all - 1));
        altered = alter(&m, how, &state);
    }
    if (altered)
        CHECK(t, ashi_check_tiles(&m.altered, &report, NULL) == ASHLAR_ERR_INTERNAL && report.text[0],
              "seed %" PRIu64 ": %s %s is not found", seed, ashi_operation_name(m.op.kind), alteration_name[how]);
    if (altered && how == UNUSED) {
        const bool read = strstr(report.text, "a tile comes that is in no product");
        CHECK(t, read || strstr(report.text, "brings a panel that nothing reads"), "seed %" PRIu64 ": '%s'", seed,
              report.text);
        *unread += !read;
    }
    ashi_program_free(&program);
    ashi_random_tiles_free(&r);
    return altered;
}

int main(int argc, char **argv)
{
    ashi_test t = {0};
    int64_t mutants = 0, ahead = 0, unread = 0;
    const ashi_seeds seeds = ashi_seeds_of(argc, argv, 400);
    for (uint64_t seed = seeds.first; seed <= seeds.last; seed++)
        one_problem(&t, seed, &ahead);
    for (uint64_t seed = seeds.first; seed <= seeds.last + (seeds.told ? 0 : seeds.last); seed++)
        mutants += one_mutant(&t, seed, &unread);
    CHECK(&t, seeds.told || ahead > 40, "%" PRId64 " messages of a term beside products of the one before", ahead);
    CHECK(&t, seeds.told || mutants > 200, "%" PRId64 " mutants", mutants);
    CHECK(&t, seeds.told || unread > 1, "%" PRId64 " mutants of which nothing reads a panel", unread);
    return ashi_test_end(&t, "tile_program");
}
