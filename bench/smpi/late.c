/* One product of tiles on a network that SimGrid simulates, with ranks that are late by turns, beside joint play:
 * bench/late starts it.
 *
 *   late GRID EACH SIZE INNER WINDOW PANELS REST FLOPS LATENCY BANDWIDTH
 *
 * GRID x GRID ranks have EACH x EACH tiles of C of SIZE x SIZE elements, and INNER tiles of k are an iteration each.
 * Rank k modulo the number of ranks rests for REST seconds before it sends anything of iteration k. The player, its
 * lanes and its products are the library's; products take simulated time (folded_blas.c). Every rank begins at the same
 * simulated moment. A line of JSON says what it took and what joint play predicts. */
#include "even_tiles.h"
#include "exec/player.h"

#include <errno.h>
#include <time.h>

enum { ARGUMENTS = 11, APART = 1, TAG_MOST = 32767 };

/* SMPI takes no time for copies. */
static const double FREE = 1e18;

typedef struct asked {
    int64_t grid, each, size, inner, window, panels;
    double rest, flops, latency, bandwidth;
} asked;

/* Who has rested. Of the run this rank's alone, of joint play all ranks'. */
typedef struct turns {
    double rest;
    int64_t ranks, rested[EVEN_RANKS_MAX]; /* 1 + the iteration */
} turns;

static double rest(void *context, int64_t rank, const ashi_task *t)
{
    turns *s = context;
    if (t->kind != ASHI_DO_SEND || t->step % s->ranks != rank || s->rested[rank] > t->step)
        return 0;
    s->rested[rank] = t->step + 1;
    return s->rest;
}

static bool read_arguments(char **argv, asked *q)
{
    int64_t *const numbers[] = {&q->grid, &q->each, &q->size, &q->inner, &q->window, &q->panels};
    double *const figures[] = {&q->rest, &q->flops, &q->latency, &q->bandwidth};
    char *end = NULL;
    bool good = true;
    errno = 0;
    for (int i = 0; i < 6 && good; i++) {
        *numbers[i] = strtoll(argv[1 + i], &end, 10);
        good = errno == 0 && end != argv[1 + i] && *end == '\0' && *numbers[i] >= 1 && *numbers[i] <= 4096;
    }
    for (int i = 0; i < 4 && good; i++) {
        *figures[i] = strtod(argv[7 + i], &end);
        good = end != argv[7 + i] && *end == '\0' && *figures[i] >= 0 && isfinite(*figures[i]);
    }
    return good && q->grid * q->grid <= EVEN_RANKS_MAX && q->window <= ASHI_WINDOW_MAX &&
           q->panels <= ASHI_TILE_PANELS_MAX;
}

/* ---- the rank's own tiles ---- */

typedef struct own {
    ashi_pattern pattern;
    int64_t *at;
    double *data;
} own;

static bool make_own(const even_tiles *e, int x, int rank, own *o)
{
    const ashi_pattern *all = e->problem.operand[x].pattern;
    ashi_tile_at *list = malloc(((size_t)all->tiles + 1) * sizeof *list);
    int64_t count = 0, words = 0;
    for (int64_t r = 0; list && r < all->rows; r++)
        for (int64_t t = all->start[r]; t < all->start[r + 1]; t++) {
            const ashi_tile_at at = {all->row[r], all->col[t]};
            if (ashi_tile_owner(&e->problem, (ashlar_operand)x, &at) == rank)
                list[count++] = at;
        }
    const bool made = list && ashi_pattern_make(list, count, &o->pattern, NULL) == ASHLAR_OK;
    o->at = malloc(((size_t)count + 1) * sizeof *o->at);
    for (int64_t t = 0; made && o->at && t < count; t++) {
        o->at[t] = words;
        words += ashi_tile_words(&e->problem, (ashlar_operand)x, &list[t]);
    }
    o->data = calloc((size_t)words + 1, sizeof *o->data);
    free(list);
    return made && o->at && o->data;
}

static void free_own(own *o)
{
    ashi_pattern_free(&o->pattern);
    free(o->at);
    free(o->data);
}

/* ---- the run ---- */

static double latest(double mine)
{
    double most = 0;
    MPI_Allreduce(&mine, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return most;
}

static void wait_until(double moment)
{
    const double left = moment - MPI_Wtime();
    const struct timespec time = {(time_t)left, (long)((left - floor(left)) * 1e9)};
    if (left > 0)
        nanosleep(&time, NULL);
}

/* The seconds until the last rank has ended; below 0 if a rank has failed. */
static double run(const even_tiles *e, const asked *q, int rank)
{
    static const int side[3][2] = {{0, 2}, {2, 1}, {0, 1}};
    const double one = 1, zero = 0;
    turns s = {.rest = q->rest, .ranks = e->problem.ranks};
    own o[3] = {0};
    ashi_tile_run with = {0};
    ashi_program program = {0};
    ashi_player *player = NULL;
    ashi_player_tally tally;
    ashlar_error err = {0};
    bool good = true;
    for (int x = 0; x < 3; x++) {
        good = make_own(e, x, rank, &o[x]) && good;
        with.own[x] = (ashi_tile_set){&o[x].pattern, &e->cuts[side[x][0]], &e->cuts[side[x][1]], o[x].at};
    }
    good = good && ashi_tile_program_of(&e->problem, &program, &err) == ASHLAR_OK;
    const ashi_player_request request = {.program = &program, .rank = rank, .look_ahead = program.look_ahead,
                                         .type = ASHLAR_TYPE_D, .comm = MPI_COMM_WORLD, .tag_most = TAG_MOST,
                                         .message_most = INT32_MAX, .keeps = ASHI_PLAYER_KEEPS, .tiles = &with,
                                         .rests = q->rest > 0 ? rest : NULL, .rests_context = &s};
    good = good && ashi_player_create(&request, &player, &err) == ASHLAR_OK;
    const ashi_player_work work = {.alpha = &one, .beta = &zero,
                                   .part = {{o[0].data, NULL}, {o[1].data, NULL}, {o[2].data, NULL}}};
    const double began = latest(MPI_Wtime()) + APART;
    wait_until(began);
    good = good && ashi_player_run(player, &work, &tally, &err) == ASHLAR_OK;
    const double seconds = latest(MPI_Wtime()) - began, failed = latest(good ? 0 : 1);
    if (!good)
        fprintf(stderr, "late: rank %d: %s\n", rank, err.text);
    ashi_player_free(&player);
    ashi_program_free(&program);
    for (int x = 0; x < 3; x++)
        free_own(&o[x]);
    return failed > 0 ? -1 : seconds;
}

static double predict(even_tiles *e, const asked *q)
{
    ashi_test t = {0};
    turns s = {.rest = q->rest, .ranks = e->problem.ranks};
    const ashi_joint_late late = {.rank = rest, .context = &s};
    e->machine.flops_per_second = q->flops;
    e->machine.latency = q->latency;
    e->machine.bandwidth = q->bandwidth;
    e->machine.copy_bandwidth = FREE;
    const double seconds = even_tiles_play(&t, e, (int)q->window, (int)q->panels, (int)q->panels,
                                           q->rest > 0 ? &late : NULL, NULL, NULL);
    return t.failures > 0 ? -1 : seconds;
}

int main(int argc, char **argv)
{
    asked q = {0};
    even_tiles e;
    int rank = 0, ranks = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (argc != ARGUMENTS || !read_arguments(argv, &q) || ranks != q.grid * q.grid ||
        !even_tiles_make(q.grid, q.grid, q.each, q.size, q.inner, q.latency, &e)) {
        if (rank == 0)
            fprintf(stderr, "late: wanted GRID EACH SIZE INNER WINDOW PANELS REST FLOPS LATENCY BANDWIDTH, and GRID x "
                            "GRID ranks\n");
        MPI_Finalize();
        return 2;
    }
    even_tiles_set(&e, (int)q.window, (int)q.panels, (int)q.panels);
    const double seconds = run(&e, &q, rank), predicted = rank == 0 ? predict(&e, &q) : 0;
    if (rank == 0 && seconds >= 0 && predicted >= 0)
        printf("{\"window\": %" PRId64 ", \"panels\": %" PRId64 ", \"rest\": %g, \"seconds\": %.6f, \"predicted\": "
               "%.6f}\n", q.window, q.panels, q.rest, seconds, predicted);
    even_tiles_free(&e);
    MPI_Finalize();
    return seconds < 0 || predicted < 0;
}
