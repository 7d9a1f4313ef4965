/* What a plan of a product of tiles costs: made from scratch, changed for patterns of which a few tiles differ, and
 * used again as it is. */
#include "die.h"
#include "samples.h"

#include <ashlar/ashlar.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "Usage: replan TILES REACH PERCENT SIZE PERMILLE REPETITIONS [retain]\n\n"
    "Two matrices of TILES x TILES tiles of SIZE x SIZE doubles are multiplied on all ranks. Of the tiles at most\n"
    "REACH from the diagonal, periodically, PERCENT in a hundred are present. PERMILLE in a thousand of the present\n"
    "tiles of both then change: half go, and as many come. Each repetition plans from scratch ('scratch'), changes\n"
    "a plan made for the other patterns ('replan'), and multiplies by it once more ('replay'). Of the first two\n"
    "that is the planning alone, of the third all of the product, 'run' being what its tasks take. A line of JSON has\n"
    "the seconds of the slowest rank, ratios within a repetition, and the steps that planning took on all ranks.\n"
    "With 'retain' C keeps a pattern drawn like those of A and B, and products outside of it are not formed.\n";

enum { SCRATCH, REPLAN, REPLAY, RUN, WAYS };
static const char *const name[WAYS] = {"scratch", "replan", "replay", "run"};

typedef struct bench {
    int64_t tiles, reach, percent, side, permille;
    int repetitions, rank, ranks;
    ashlar_tiles_options options;
    ashlar_context *context;
    int64_t *size;
    ashlar_tiles *x[2][2]; /* A and B, before and after */
    ashlar_tiles *c;
    ashlar_tiles_plan *plan;
    double steps[2];       /* of all ranks: from scratch, and of a change */
} bench;

static void require(ashlar_status status, const ashlar_error *err)
{
    if (status != ASHLAR_OK)
        ashi_die("%s", err->text);
}

static double over_ranks(double x, MPI_Op op)
{
    if (MPI_Allreduce(MPI_IN_PLACE, &x, 1, MPI_DOUBLE, op, MPI_COMM_WORLD) != MPI_SUCCESS)
        ashi_die("MPI_Allreduce failed");
    return x;
}

static ashlar_tiles *make(const bench *b)
{
    const ashlar_tiles_description d = {.size = sizeof d, .type = ASHLAR_TYPE_D, .tile_rows = b->tiles,
                                        .tile_cols = b->tiles, .row_sizes = b->size};
    ashlar_tiles *tiles = NULL;
    ashlar_error err;
    require(ashlar_tiles_create(b->context, &d, &tiles, &err), &err);
    return tiles;
}

/* splitmix64 (Steele, Lea and Flood, OOPSLA 2014) of a tile: 0 <= x < 1, the same on all ranks. */
static double drawn(int64_t row, int64_t col, uint64_t salt)
{
    uint64_t z = ((uint64_t)row << 32 ^ (uint64_t)col) + salt * 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

/* Whether a tile within reach is there, before or after. */
static bool is_present(const bench *b, int x, int version, int64_t row, int64_t col)
{
    const double present = (double)b->percent / 100, part = (double)b->permille / 2000;
    const double at = drawn(row, col, 2 * (uint64_t)x + 1), change = drawn(row, col, 2 * (uint64_t)x + 2);
    if (version == 0)
        return at < present;
    return at < present ? change >= part : change < part * present / (1 - present);
}

static ashlar_tiles *fill(const bench *b, int x, int version)
{
    ashlar_tiles *tiles = make(b);
    ashlar_error err;
    for (int64_t row = 0; row < b->tiles; row++)
        for (int64_t step = -b->reach; step <= b->reach; step++) {
            const int64_t col = (row + step + b->tiles) % b->tiles;
            if (ashlar_tiles_owner(tiles, row, col) == b->rank && is_present(b, x, version, row, col))
                require(ashlar_tiles_reserve(tiles, 1, &row, &col, &err), &err);
        }
    require(ashlar_tiles_finish(tiles, &err), &err);
    return tiles;
}

/* Without retained sparsity C has no tiles before it is planned for. */
static void clear(bench *b)
{
    ashlar_error err;
    if (!b->options.retain)
        require(ashlar_tiles_clear(b->c, &err), &err);
}

static double from_scratch(bench *b, int version)
{
    const double one = 1, zero = 0;
    ashlar_tiles_result done;
    ashlar_error err;
    clear(b);
    require(ashlar_tiles_multiply(&one, ASHLAR_OP_N, b->x[0][version], ASHLAR_OP_N, b->x[1][version], &zero, b->c,
                                  &b->options, &done, &err), &err);
    b->steps[SCRATCH] = over_ranks((double)done.planning_steps, MPI_SUM);
    return over_ranks(done.planning_seconds, MPI_MAX);
}

static ashlar_tiles_result by_plan(bench *b, int version, int planned)
{
    const double one = 1, zero = 0;
    const ashlar_tiles_term term = {&one, ASHLAR_OP_N, ASHLAR_OP_N, b->x[0][version], b->x[1][version]};
    ashlar_tiles_result done;
    ashlar_error err;
    if (!b->plan)
        require(ashlar_tiles_plan_create(1, &term, b->c, &b->options, &b->plan, &err), &err);
    require(ashlar_tiles_plan_execute(b->plan, &term, &zero, b->c, &done, &err), &err);
    if (planned >= 0 && !b->options.retain && done.planned != planned)
        ashi_die("the plan was not %s", planned == ASHLAR_PLANNED_REUSED ? "used as it was" : "changed");
    return done;
}

/* The plan is for the other version, and C has no tiles. */
static double change(bench *b, int version)
{
    clear(b);
    const ashlar_tiles_result done = by_plan(b, version, ASHLAR_PLANNED_CHANGED);
    b->steps[REPLAN] = over_ranks((double)done.planning_steps, MPI_SUM);
    return over_ranks(done.planning_seconds, MPI_MAX);
}

static double replay(bench *b, int version, double *run)
{
    if (MPI_Barrier(MPI_COMM_WORLD) != MPI_SUCCESS)
        ashi_die("MPI_Barrier failed");
    const double start = MPI_Wtime();
    const ashlar_tiles_result done = by_plan(b, version, ASHLAR_PLANNED_REUSED);
    const double seconds = ashi_seconds_since(start, MPI_COMM_WORLD);
    *run = over_ranks(done.seconds, MPI_MAX);
    return seconds;
}

static void measure(bench *b, double *seconds)
{
    const int n = b->repetitions;
    clear(b);
    (void)by_plan(b, 1, -1);
    for (int r = -1; r < n; r++) {
        const int at = r < 0 ? 0 : r, version = (r + 1) % 2;
        seconds[SCRATCH * n + at] = from_scratch(b, version);
        seconds[REPLAN * n + at] = change(b, version);
        seconds[REPLAY * n + at] = replay(b, version, &seconds[RUN * n + at]);
    }
}

static void print(const bench *b, const double *seconds)
{
    const int n = b->repetitions;
    ashlar_tiles_info a, c;
    ashlar_error err;
    require(ashlar_tiles_inspect(b->x[0][0], &a, &err), &err);
    require(ashlar_tiles_inspect(b->c, &c, &err), &err);
    if (b->rank != 0)
        return;
    printf("{\"schema\": 1, \"kind\": \"replan\", \"ranks\": %d, \"a_tiles\": %lld, \"c_tiles\": %lld, "
           "\"permille\": %lld, \"repetitions\": %d, \"scratch_steps\": %.0f, \"replan_steps\": %.0f, "
           "\"steps_ratio\": %.4f", b->ranks, (long long)a.tiles, (long long)c.tiles, (long long)b->permille, n,
           b->steps[SCRATCH], b->steps[REPLAN], b->steps[REPLAN] / b->steps[SCRATCH]);
    for (int way = 0; way < WAYS; way++) {
        const ashi_summary s = ashi_summarize(seconds + way * n, n);
        const ashi_summary ratio = ashi_summarize_ratio(seconds + way * n, seconds, n);
        printf(", \"%s\": {\"median\": %.4g, \"low\": %.4g, \"high\": %.4g}", name[way], s.median, s.low, s.high);
        if (way == REPLAN)
            printf(", \"replan_to_scratch\": {\"median\": %.4f, \"low\": %.4f, \"high\": %.4f}", ratio.median,
                   ratio.low, ratio.high);
    }
    printf("}\n");
}

static void run(bench *b)
{
    double *seconds = ashi_need((long long)WAYS * b->repetitions, (long long)sizeof *seconds);
    ashlar_error err;
    b->size = ashi_need(b->tiles, (long long)sizeof *b->size);
    for (int64_t i = 0; i < b->tiles; i++)
        b->size[i] = b->side;
    require(ashlar_context_create(MPI_COMM_WORLD, &b->context, &err), &err);
    for (int i = 0; i < 4; i++)
        b->x[i / 2][i % 2] = fill(b, i / 2, i % 2);
    b->c = b->options.retain ? fill(b, 2, 0) : make(b);
    measure(b, seconds);
    print(b, seconds);
    ashlar_tiles_plan_free(&b->plan);
    for (int i = 0; i < 4; i++)
        ashlar_tiles_free(&b->x[i / 2][i % 2]);
    ashlar_tiles_free(&b->c);
    ashlar_context_free(&b->context);
    free(b->size);
    free(seconds);
}

int main(int argc, char **argv)
{
    int64_t value[6] = {0};
    if (MPI_Init(&argc, &argv) != MPI_SUCCESS)
        return 1;
    const bool retains = argc == 8 && strcmp(argv[7], "retain") == 0;
    for (int i = 0; i < 6 && (argc == 7 || retains); i++)
        value[i] = strtoll(argv[i + 1], NULL, 10);
    bench b = {.tiles = value[0], .reach = value[1], .percent = value[2], .side = value[3], .permille = value[4],
               .repetitions = (int)value[5],
               .options = {.size = sizeof b.options, .retain = retains}};
    MPI_Comm_rank(MPI_COMM_WORLD, &b.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &b.ranks);
    const bool right = b.reach >= 0 && 2 * b.reach < b.tiles && b.percent > 0 && b.percent < 100 && b.side > 0 &&
                       b.permille > 0 && b.permille <= 1000 && b.repetitions > 0;
    if (right)
        run(&b);
    else if (b.rank == 0)
        fputs(help, stderr);
    MPI_Finalize();
    return right ? 0 : 2;
}
