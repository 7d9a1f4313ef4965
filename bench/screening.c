/* Products of matrices of tiles that decay with distance, at a fixed threshold: what an atom of a periodic lattice costs.
 */
#include "die.h"

#include <ashlar/ashlar.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

static const char help[] =
    "Usage: screening EDGE FUNCTIONS RANGE DECAY THRESHOLD REPETITIONS\n\n"
    "Square a matrix of EDGE^3 atoms on a periodic cubic lattice on all ranks. Two atoms that are at most RANGE apart\n"
    "have a tile of FUNCTIONS x FUNCTIONS positive elements, about exp(-DECAY distance). The edge is to be above twice\n"
    "the range. A line of JSON has for each atom, over all ranks: the products of tiles, those left out, tiles of C,\n"
    "elements that travel, what planning looked at, seconds of planning and of the product (the least of REPETITIONS),\n"
    "and bytes: by how much the resident memory of all ranks grew with A, B, C and the product. 'error' is the\n"
    "Frobenius norm of the difference from the product without a threshold, 'bound' what the library gives for it.\n";

typedef struct lattice {
    int64_t edge, atoms, functions, reach;
    double range, decay;
    int rank;
    ashlar_context *context;
    int64_t *size;
} lattice;

static void require(ashlar_status status, const ashlar_error *err)
{
    if (status != ASHLAR_OK)
        ashi_die("%s", err->text);
}

static ashlar_tiles *make(const lattice *l)
{
    const ashlar_tiles_description d = {.size = sizeof d, .type = ASHLAR_TYPE_D, .tile_rows = l->atoms,
                                        .tile_cols = l->atoms, .row_sizes = l->size};
    ashlar_tiles *tiles = NULL;
    ashlar_error err;
    require(ashlar_tiles_create(l->context, &d, &tiles, &err), &err);
    return tiles;
}

/* The atom at some steps from another, periodically. */
static int64_t beside(const lattice *l, int64_t atom, const int64_t steps[3])
{
    int64_t at = 0, unit = 1;
    for (int x = 0; x < 3; x++, unit *= l->edge)
        at += (atom / unit % l->edge + steps[x] + l->edge) % l->edge * unit;
    return at;
}

/* Positive, and not the same everywhere in a tile. */
static void put(const lattice *l, ashlar_tiles *tiles, int64_t row, int64_t col, double distance)
{
    const int64_t n = l->functions;
    double x[32 * 32];
    ashlar_error err;
    for (int64_t e = 0; e < n * n; e++)
        x[e] = exp(-l->decay * distance) * (1 + 0.5 * cos((double)(e + row % 7 + col % 5)));
    require(ashlar_tiles_put(tiles, row, col, n, n, ASHLAR_COL_MAJOR, n, x, &err), &err);
}

static ashlar_tiles *fill(const lattice *l)
{
    ashlar_tiles *tiles = make(l);
    ashlar_error err;
    int64_t s[3];
    for (int64_t row = 0; row < l->atoms; row++)
        for (s[0] = -l->reach; s[0] <= l->reach; s[0]++)
            for (s[1] = -l->reach; s[1] <= l->reach; s[1]++)
                for (s[2] = -l->reach; s[2] <= l->reach; s[2]++) {
                    const double distance = sqrt((double)(s[0] * s[0] + s[1] * s[1] + s[2] * s[2]));
                    const int64_t col = beside(l, row, s);
                    if (distance <= l->range && ashlar_tiles_owner(tiles, row, col) == l->rank)
                        put(l, tiles, row, col, distance);
                }
    require(ashlar_tiles_finish(tiles, &err), &err);
    return tiles;
}

static double resident(void)
{
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    return 1024.0 * (double)used.ru_maxrss;
}

static double sum_of(double x)
{
    MPI_Allreduce(MPI_IN_PLACE, &x, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return x;
}

static double most_of(double x)
{
    MPI_Allreduce(MPI_IN_PLACE, &x, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return x;
}

static ashlar_tiles_result square(const lattice *l, const ashlar_tiles *a, double threshold, ashlar_tiles **c)
{
    const double one = 1, zero = 0;
    const ashlar_tiles_options options = {.size = sizeof options, .threshold = threshold};
    ashlar_tiles_result done = {0};
    ashlar_error err;
    *c = make(l);
    require(ashlar_tiles_multiply(&one, ASHLAR_OP_N, a, ASHLAR_OP_N, a, &zero, *c, &options, &done, &err), &err);
    return done;
}

/* The norm of what the threshold has changed; `c` is freed. */
static double error_of(const lattice *l, const ashlar_tiles *a, ashlar_tiles **c)
{
    const double one = 1, minus = -1;
    double norm = 0;
    ashlar_tiles *whole = NULL;
    ashlar_error err;
    (void)square(l, a, 0, &whole);
    require(ashlar_tiles_add(&one, whole, &minus, *c, whole, &err), &err);
    ashlar_tiles_free(c);
    require(ashlar_tiles_norm(whole, &norm, &err), &err);
    ashlar_tiles_free(&whole);
    return norm;
}

static void measure(const lattice *l, double threshold, int repetitions)
{
    const double before = resident(), atoms = (double)l->atoms;
    ashlar_tiles *a = fill(l), *c = NULL;
    ashlar_tiles_info info = {0};
    ashlar_tiles_result done = {0};
    ashlar_error err;
    double planning = INFINITY, seconds = INFINITY, grown = 0;
    for (int i = 0; i < repetitions; i++) {
        ashlar_tiles_free(&c);
        done = square(l, a, threshold, &c);
        planning = fmin(planning, most_of(done.planning_seconds));
        seconds = fmin(seconds, most_of(done.seconds));
        grown = i == 0 ? sum_of(resident() - before) : grown;
    }
    require(ashlar_tiles_inspect(c, &info, &err), &err);
    const double figures[] = {sum_of((double)done.products), sum_of((double)done.left_out),
                              sum_of((double)done.words), sum_of((double)done.planning_steps)};
    const double error = error_of(l, a, &c);
    ashlar_tiles_free(&a);
    if (l->rank == 0)
        printf("{\"atoms\": %lld, \"products\": %.2f, \"left_out\": %.2f, \"c_tiles\": %.2f, \"words\": %.2f, "
               "\"planning_steps\": %.1f, \"planning\": %.3e, \"seconds\": %.3e, \"bytes\": %.0f, \"error\": %.3e, "
               "\"bound\": %.3e, \"bound_over_error\": %.1f}\n",
               (long long)l->atoms, figures[0] / atoms, figures[1] / atoms, (double)info.tiles / atoms,
               figures[2] / atoms, figures[3] / atoms, planning / atoms, seconds / atoms, grown / atoms, error,
               done.error_bound, done.error_bound / error);
}

/* A small one, so that MPI and BLAS have what they always need. */
static void warm_up(const lattice *of, double threshold)
{
    lattice l = *of;
    l.edge = 2 * l.reach + 1;
    l.atoms = l.edge * l.edge * l.edge;
    if (l.atoms > of->atoms)
        return;
    ashlar_tiles *a = fill(&l), *c = NULL;
    (void)square(&l, a, threshold, &c);
    ashlar_tiles_free(&a);
    ashlar_tiles_free(&c);
}

int main(int argc, char **argv)
{
    lattice l = {0};
    ashlar_error err;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &l.rank);
    if (argc != 7 || strtoll(argv[1], NULL, 10) < 1 || strtoll(argv[2], NULL, 10) < 1 ||
        strtoll(argv[2], NULL, 10) > 32 || !(strtod(argv[3], NULL) >= 0)) {
        if (l.rank == 0)
            fputs(help, stderr);
        MPI_Finalize();
        return 2;
    }
    l.edge = strtoll(argv[1], NULL, 10);
    l.atoms = l.edge * l.edge * l.edge;
    l.functions = strtoll(argv[2], NULL, 10);
    l.range = strtod(argv[3], NULL);
    l.decay = strtod(argv[4], NULL);
    l.reach = (int64_t)floor(l.range);
    l.size = malloc((size_t)l.atoms * sizeof *l.size);
    if (!l.size)
        ashi_die("not enough memory");
    for (int64_t i = 0; i < l.atoms; i++)
        l.size[i] = l.functions;
    require(ashlar_context_create(MPI_COMM_WORLD, &l.context, &err), &err);
    warm_up(&l, strtod(argv[5], NULL));
    measure(&l, strtod(argv[5], NULL), (int)strtol(argv[6], NULL, 10));
    ashlar_context_free(&l.context);
    free(l.size);
    MPI_Finalize();
    return 0;
}
