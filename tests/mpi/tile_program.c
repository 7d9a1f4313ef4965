/* Programs of tiles played on all ranks: the product, to the bit, in any order and by any number of threads, and what
 * was moved. */
#define PROGRAM "tile_program"

#include "base/type.h"
#include "exec/player.h"
#include "kernel/kernels.h"
#include "mpi/random_threads.h"
#include "mpi/ranks.h"
#include "random_tile_problem.h"

#include <complex.h>
#include <math.h>

#undef complex /* a member of ashi_type */

/* The rank's own tiles of A, B or C as they are stored, in the pattern's order with gaps between some. */
typedef struct stored {
    ashi_pattern pattern;
    const ashi_cuts *rows, *cols;
    int64_t *at, words;
    char *data;
} stored;

typedef struct run {
    rig *rig;
    uint64_t state; /* of random numbers, the same on all ranks */
    ashlar_type type;
    size_t bytes;
    ashi_random_tiles tiles;
    stored own[3];
    ashi_tile_run with;
    double _Complex alpha, beta;
} run;

/* Elements are small integers, so that sums are exact in all types. */
static double _Complex element(const run *r, int x, int64_t row, int64_t col)
{
    uint64_t state = (uint64_t)x * 0x9E3779B97F4A7C15u + (uint64_t)(row * 1000 + col);
    const double real = (double)ashi_random_in(&state, -3, 3), imaginary = (double)ashi_random_in(&state, -3, 3);
    return ashi_type_of(r->type)->complex ? real + imaginary * I : real;
}

static void give(const run *r, double _Complex value, char *to)
{
    const double parts[] = {creal(value), cimag(value)};
    const bool single = r->type == ASHLAR_TYPE_S || r->type == ASHLAR_TYPE_C;
    const int count = ashi_type_of(r->type)->complex ? 2 : 1;
    for (int i = 0; i < count; i++) {
        const float narrow = (float)parts[i];
        if (single)
            memcpy(to + (size_t)i * sizeof narrow, &narrow, sizeof narrow);
        else
            memcpy(to + (size_t)i * sizeof *parts, &parts[i], sizeof *parts);
    }
}

/* The tiles that the rank has, numbered as they are stored. */
static bool make_own(run *r, int x)
{
    const ashi_tile_problem *p = &r->tiles.problem;
    const ashi_pattern *all = p->operand[x].pattern;
    const bool turned = p->operand[x].turned;
    const ashi_cuts *side[2] = {p->cuts[x == ASHLAR_B ? 2 : 0], p->cuts[x == ASHLAR_A ? 2 : 1]};
    stored *o = &r->own[x];
    ashi_tile_at *list = malloc(((size_t)all->tiles + 1) * sizeof *list);
    uint64_t gaps = r->rig->seed + 77 * (uint64_t)r->rig->rank + (uint64_t)x;
    int64_t count = 0;
    *o = (stored){.rows = side[turned ? 1 : 0], .cols = side[turned ? 0 : 1]};
    for (int64_t i = 0; list && i < all->rows; i++)
        for (int64_t t = all->start[i]; t < all->start[i + 1]; t++) {
            const ashi_tile_at at = {all->row[i], all->col[t]};
            if (ashi_tile_owner(p, (ashlar_operand)x, &at) == r->rig->rank)
                list[count++] = turned ? (ashi_tile_at){at.col, at.row} : at;
        }
    const bool made = list && ashi_pattern_make(list, count, &o->pattern, NULL) == ASHLAR_OK;
    o->at = malloc(((size_t)count + 1) * sizeof *o->at);
    for (int64_t t = 0; made && o->at && t < count; t++) {
        o->words += ashi_random_in(&gaps, 0, 5) == 0;
        o->at[t] = o->words;
        o->words += ashi_cuts_size(o->rows, list[t].row) * ashi_cuts_size(o->cols, list[t].col);
    }
    o->data = calloc((size_t)o->words + 1, r->bytes);
    free(list);
    return made && o->at && o->data;
}

/* Visit the elements of the rank's tiles: which of the matrix, and where. */
typedef void (*visit)(run *r, int x, int64_t row, int64_t col, char *at);

static void each_element(run *r, int x, visit each)
{
    stored *o = &r->own[x];
    for (int64_t i = 0; i < o->pattern.rows; i++)
        for (int64_t t = o->pattern.start[i]; t < o->pattern.start[i + 1]; t++) {
            const int64_t row = o->pattern.row[i], col = o->pattern.col[t];
            const int64_t rows = ashi_cuts_size(o->rows, row), cols = ashi_cuts_size(o->cols, col);
            for (int64_t e = 0; e < rows * cols; e++)
                each(r, x, o->rows->at[row] + e % rows, o->cols->at[col] + e / rows,
                      o->data + (size_t)(o->at[t] + e) * r->bytes);
        }
}

static void fill(run *r, int x, int64_t row, int64_t col, char *at)
{
    const bool unread = x == ASHLAR_C && r->beta == 0;
    give(r, unread ? NAN + NAN * I : element(r, x, row, col), at);
}

/* op(X)'s element, 0 in tiles that are absent. */
static double _Complex of_op(const run *r, int x, int64_t row, int64_t col)
{
    const ashi_tile_problem *p = &r->tiles.problem;
    const ashi_cuts *rows = p->cuts[x == ASHLAR_B ? 2 : 0], *cols = p->cuts[x == ASHLAR_A ? 2 : 1];
    if (ashi_pattern_find(p->operand[x].pattern, ashi_cuts_find(rows, row), ashi_cuts_find(cols, col)) < 0)
        return 0;
    const double _Complex value = p->operand[x].turned ? element(r, x, col, row) : element(r, x, row, col);
    return r->with.use[x][0].op == ASHLAR_OP_C ? conj(value) : value;
}

static void compare(run *r, int x, int64_t row, int64_t col, char *at)
{
    char wanted[2 * sizeof(double)] = {0};
    double _Complex sum = 0;
    for (int64_t l = 0; l < ashi_cuts_all(&r->tiles.cuts[2]); l++)
        sum += of_op(r, ASHLAR_A, row, l) * of_op(r, ASHLAR_B, l, col);
    sum = r->alpha * sum + (r->beta == 0 ? 0 : r->beta * element(r, x, row, col));
    give(r, sum + 0.0, wanted);
    int64_t key[2], found[2];
    ashi_kernels_of(r->type)->key(wanted, key);
    ashi_kernels_of(r->type)->key(at, found);
    CHECK(&r->rig->test, key[0] == found[0] && key[1] == found[1], CASE "C(%" PRId64 ", %" PRId64 ") is wrong",
          CASE_OF(r->rig), row, col);
}

static ashi_player_request random_request(run *r, ashi_program *program, MPI_Comm comm, int tag_most)
{
    uint64_t *s = &r->state;
    return (ashi_player_request){.program = program, .rank = r->rig->rank,
                                 .look_ahead = ashi_random_in(s, 0, 3) ? program->look_ahead : ashi_random_in(s, 0, 3),
                                 .type = r->type, .comm = comm, .tag_most = tag_most, .tiles = &r->with,
                                 .message_most = ashi_random_in(s, 1, 200),
                                 .keeps = ashi_random_in(s, 0, 1) ? ASHI_PLAYER_KEEPS : ashi_random_in(s, 0, 20),
                                 .one_sided = ashi_random_in(s, 0, 2) == 0, .one_node = true,
                                 .disorder = ashi_random_in(s, 0, 1) ? ashi_random(s) | 1 : 0};
}

static void play(run *r, ashi_program *program, MPI_Comm comm, int tag_most)
{
    ashi_player_request q = random_request(r, program, comm, tag_most);
    ashi_player *player = NULL;
    ashi_workers *workers = NULL;
    ashi_player_tally tally;
    ashlar_error err = {0};
    char scalar[2][2 * sizeof(double)] = {{0}};
    q.disorder += q.disorder ? 2 * (uint64_t)r->rig->rank : 0;
    give(r, r->alpha, scalar[0]);
    give(r, r->beta, scalar[1]);
    const bool made = random_threads(&r->state, &q, &workers, &err) &&
                      ashi_player_create(&q, &player, &err) == ASHLAR_OK &&
                      ashi_player_open(player, &err) == ASHLAR_OK;
    CHECK(&r->rig->test, made, CASE "%s", CASE_OF(r->rig), err.text);
    for (int time = 0; made && time < 2; time++) {
        const ashi_player_work work = {.alpha = scalar[0], .beta = scalar[1],
                                       .part = {{r->own[0].data, NULL}, {r->own[1].data, NULL},
                                                {r->own[2].data, NULL}}};
        each_element(r, ASHLAR_C, fill);
        const ashlar_status status = ashi_player_run(player, &work, &tally, &err);
        CHECK(&r->rig->test, status == ASHLAR_OK && !tally.drained, CASE "%s", CASE_OF(r->rig), err.text);
        each_element(r, ASHLAR_C, compare);
    }
    ashi_player_free(&player);
    ashi_workers_free(&workers);
}

static void one_run(rig *g, MPI_Comm comm, int tag_most)
{
    run r = {.rig = g, .state = g->seed ^ 0x5151};
    ashi_program program = {0};
    ashlar_error err = {0};
    r.type = (ashlar_type)ashi_random_in(&r.state, ASHLAR_TYPE_S, ASHLAR_TYPE_Z);
    r.bytes = ashlar_type_bytes(r.type);
    r.alpha = (double)ashi_random_in(&r.state, 1, 2);
    r.beta = (double)ashi_random_in(&r.state, -1, 1);
    bool made = ashi_random_tiles_make(g->seed, g->ranks, 9, &r.tiles) == ASHLAR_OK;
    for (int x = 0; x < 3 && made; x++) {
        const bool conjugate = ashi_random_in(&r.state, 0, 1) == 1;
        if (x != ASHLAR_C)
            r.with.use[x][0].op = !r.tiles.problem.operand[x].turned ? ASHLAR_OP_N
                                  : conjugate                        ? ASHLAR_OP_C
                                                                     : ASHLAR_OP_T;
        made = make_own(&r, x);
        r.with.own[x] = (ashi_tile_set){&r.own[x].pattern, r.own[x].rows, r.own[x].cols, r.own[x].at};
        if (made)
            each_element(&r, x, fill);
    }
    made = made && ashi_tile_program_of(&r.tiles.problem, &program, &err) == ASHLAR_OK;
    CHECK(&g->test, made, CASE "%s", CASE_OF(g), err.text);
    if (made)
        play(&r, &program, comm, tag_most);
    ashi_program_free(&program);
    for (int x = 0; x < 3; x++) {
        ashi_pattern_free(&r.own[x].pattern);
        free(r.own[x].at);
        free(r.own[x].data);
    }
    ashi_random_tiles_free(&r.tiles);
}

int main(int argc, char **argv)
{
    rig r;
    if (!ranks_begin(&r, &argc, &argv, 60))
        return 1;
    for (uint64_t i = 0; i < r.cases; i++) {
        r.seed = r.first + i;
        one_run(&r, MPI_COMM_WORLD, 32767);
    }
    return ranks_end(&r, PROGRAM);
}
