/* tensor: the paper's 48 schedules against its formulas written out, with all numbers of tiles tried. */
#include "tensor/contract_tiling.h"
#include "tensor/paper_tables.h"
#include "test.h"

#include <math.h>

enum { A, B, C };

/* Every loop's number of tiles: It1 It2 Jt1 Jt2 Kt1 Kt2. */
enum { I1, I2, J1, J2, K1, K2, LOOPS };

/* Of each order the loops that exist, those that cut A, B and C, and those by which each is read again (-1: none).
 * Source: the paper's Tables 2 to 4, after docs/TENSORS.md. */
static const struct {
    int loops[4], cuts[3][3], again[3];
} form[ASHI_PAPER_ORDERS] = {
    {{I1, K1, J1, I2}, {{I1, K1, -1}, {J1, K1, -1}, {I1, I2, J1}}, {-1, I1, K1}},
    {{I1, K1, J1, K2}, {{I1, K1, -1}, {J1, K1, K2}, {I1, J1, -1}}, {-1, I1, K1}},
    {{J1, K1, I1, J2}, {{I1, K1, -1}, {J1, K1, -1}, {I1, J1, J2}}, {J1, -1, K1}},
    {{J1, K1, I1, K2}, {{I1, K1, K2}, {J1, K1, -1}, {I1, J1, -1}}, {J1, -1, K1}},
    {{I1, J1, K1, J2}, {{I1, K1, -1}, {J1, J2, K1}, {I1, J1, -1}}, {J1, I1, -1}},
    {{I1, J1, K1, I2}, {{I1, I2, K1}, {J1, K1, -1}, {I1, J1, -1}}, {J1, I1, -1}}};

/* A schedule's formulas on p = s x s ranks. */
typedef struct formulas {
    double local[3];                /* that must be cut into tiles of M */
    double d2[3], d1, v1, read_v[3], tile_v[2];
    int64_t most[3];
} formulas;

static formulas formulas_of(const ashi_paper_problem *q, bool inside, ashi_paper_method m, const bool kept[3])
{
    const double i = (double)q->extent[0], j = (double)q->extent[1], k = (double)q->extent[2], p = (double)q->ranks;
    const double size[3] = {i * k, j * k, i * j}, s = sqrt(p), moves = p > 1;
    formulas f = {{size[A] / p, size[B] / p, size[C] / p}, {size[A] / p, size[B] / p, size[C] / p}, 0, 0, {0}, {0},
                  {q->extent[0], q->extent[1], q->extent[2]}};
    const int64_t side = (int64_t)s;
    if (m == ASHI_PAPER_ROTATION) {
        for (int d = 0; d < 3; d++)
            f.most[d] = (q->extent[d] + side - 1) / side;
        for (int x = 0; x < 3 && !inside; x++)
            f.d2[x] *= s;
        for (int x = 0; x < 2; x++)
            *(inside ? &f.tile_v[1 - x] : &f.v1) += moves * size[x] / s;
        for (int x = 0; x < 2 && !inside; x++)
            f.d1 += kept[x] ? 0 : 2 * moves * size[x] / s;
        return f;
    }
    const int all = m == ASHI_PAPER_ACCUMULATION ? C : m == ASHI_PAPER_REPLICATION_A ? A : B;
    const int cut = all == C ? 2 : all == A ? 1 : 0;
    const double received = moves * size[all] * (all == C ? q->reduce : q->replicate);
    f.local[all] = size[all];
    f.most[cut] = (q->extent[cut] + q->ranks - 1) / q->ranks;
    if (!inside || all == C)
        f.d2[all] = size[all];
    *(inside ? &f.read_v[all] : &f.v1) += received;
    f.d1 = inside || kept[all] ? 0 : moves * size[all];
    return f;
}

/* Seconds with these tiles; infinite if an array does not fit. */
static double seconds_of(const ashi_paper_problem *q, const formulas *f, int order, const bool kept[3],
                         const double n[LOOPS])
{
    double disk = f->d1, network = f->v1 + f->tile_v[0] * n[I1] * n[I2] + f->tile_v[1] * n[J1] * n[J2];
    for (int x = 0; x < 3; x++) {
        double tiles = 1, along[3] = {1, 1, 1};
        for (int l = 0; l < 3; l++)
            if (form[order].cuts[x][l] >= 0)
                along[form[order].cuts[x][l] / 2] *= n[form[order].cuts[x][l]];
        for (int d = 0; d < 3; d++) /* single values are not cut again */
            tiles *= fmin(along[d], (double)f->most[d]);
        if (tiles * (double)q->tile_words < f->local[x] * (1 - 1e-12))
            return HUGE_VAL;
        const double again = form[order].again[x] >= 0 && !kept[x] ? n[form[order].again[x]] : 1;
        disk += (x == C ? 2 : 1) * f->d2[x] * again;
        network += f->read_v[x] * again;
    }
    return disk / q->disk + network / q->network;
}

/* The least of all numbers of tiles. */
static double brute(const ashi_paper_problem *q, const formulas *f, int order, const bool kept[3])
{
    double best = HUGE_VAL, n[LOOPS] = {1, 1, 1, 1, 1, 1};
    int64_t most[4], all = 1;
    for (int l = 0; l < 4; l++)
        all *= most[l] = f->most[form[order].loops[l] / 2];
    for (int64_t v = 0; v < all; v++) {
        int64_t rest = v;
        for (int l = 0; l < 4; l++) {
            n[form[order].loops[l]] = (double)(1 + rest % most[l]);
            rest /= most[l];
        }
        best = fmin(best, seconds_of(q, f, order, kept, n));
    }
    return best;
}

static void loops_of(const ashi_paper_schedule *o, double n[LOOPS])
{
    for (int l = 0; l < LOOPS; l++)
        n[l] = o->tiles.count[l / 2][l % 2];
}

static void check_schedule(ashi_test *t, const ashi_paper_problem *q, const ashi_paper_schedule *o, uint64_t seed)
{
    const bool none[3] = {true, true, true};
    double n[LOOPS];
    bool kept[3];
    const formulas first = formulas_of(q, o->inside, o->method, none);
    for (int x = 0; x < 3; x++) {
        kept[x] = first.local[x] <= (double)q->tile_words;
        CHECK(t, kept[x] == o->resident[x], "seed %" PRIu64 " array %d", seed, x);
    }
    const formulas f = formulas_of(q, o->inside, o->method, kept);
    loops_of(o, n);
    const double own = seconds_of(q, &f, o->order, kept, n), least = brute(q, &f, o->order, kept);
    CHECK(t, fabs(o->seconds - own) <= 1e-9 * own, "seed %" PRIu64 " %s %s: %.15g, formulas %.15g", seed,
          ashi_paper_name(o->inside, o->method), ashi_paper_order_name(o->order), o->seconds, own);
    CHECK(t, own <= least * (1 + 1e-9), "seed %" PRIu64 " %s %s: %.15g, all tiles %.15g", seed,
          ashi_paper_name(o->inside, o->method), ashi_paper_order_name(o->order), own, least);
    for (int l = 0; l < LOOPS; l++)
        CHECK(t, n[l] >= 1 && n[l] == floor(n[l]), "seed %" PRIu64 " loop %d: %g", seed, l, n[l]);
    CHECK(t, o->busiest.reads + o->busiest.writes >= (o->rank.reads + o->rank.writes) * (1 - 1e-12), "busiest");
}

static ashi_paper_problem random_problem(uint64_t seed)
{
    uint64_t s = seed;
    const int64_t side = ashi_random_in(&s, 1, 3);
    ashi_paper_problem q = {.batch = 1, .ranks = side * side, .replicate = (double)ashi_random_in(&s, 1, 4) / 2,
                            .reduce = (double)ashi_random_in(&s, 1, 9) / 2, .disk = (double)ashi_random_in(&s, 1, 9),
                            .network = (double)ashi_random_in(&s, 1, 60)};
    for (int d = 0; d < 3; d++)
        q.extent[d] = ashi_random_in(&s, 1, 10);
    q.tile_words = ashi_random_in(&s, 1, 12);
    return q;
}

/* Whole numbers of tiles are the optimum, and real ones cost no more. */
static void tiles(ashi_test *t, const ashi_seeds *seeds)
{
    for (uint64_t seed = seeds->first; seed <= seeds->last; seed++) {
        ashi_paper_problem q = random_problem(seed);
        ashi_paper_schedule whole[ASHI_PAPER_SCHEDULES], real[ASHI_PAPER_SCHEDULES];
        const int best = ashi_paper_plan(&q, whole);
        q.real = true;
        ashi_paper_plan(&q, real);
        for (int i = 0; i < ASHI_PAPER_SCHEDULES; i++) {
            const ashi_paper_schedule *o = &whole[i];
            CHECK(t, o->applicable == real[i].applicable && (o->applicable || o->reason[0]), "seed %" PRIu64, seed);
            if (!o->applicable)
                continue;
            check_schedule(t, &q, o, seed);
            CHECK(t, whole[best].seconds <= o->seconds, "seed %" PRIu64 ": %d is not the best", seed, best);
            CHECK(t, real[i].seconds <= o->seconds * (1 + 1e-9), "seed %" PRIu64 " %d: real %.15g, whole %.15g", seed,
                  i, real[i].seconds, o->seconds);
        }
    }
}

/* One large tile, with whole edges, never takes more words of disk than the best of the 48 schedules. */
static void large_tiles(ashi_test *t, const ashi_seeds *seeds)
{
    for (uint64_t seed = seeds->first; seed <= seeds->last; seed++) {
        uint64_t s = seed;
        ashi_paper_problem q = {.batch = ashi_random_in(&s, 1, 3), .ranks = ashi_random_in(&s, 1, 12), .replicate = 1,
                                .reduce = 2, .disk = 1, .network = 9};
        for (int d = 0; d < 3; d++)
            q.extent[d] = ashi_random_in(&s, 12, 200);
        const int64_t memory = ashi_random_in(&s, 30, 4000);
        ashi_paper_schedule o[ASHI_PAPER_SCHEDULES];
        q.tile_words = memory / 3;
        ashi_paper_plan(&q, o);
        const ashi_contract_tiling own = ashi_contract_tiling_make(&q, memory, 8, true);
        CHECK(t, own.applicable && ashi_nest_memory(&own.nest) <= memory, "seed %" PRIu64 ": %s", seed, own.reason);
        for (int i = 0; i < ASHI_PAPER_SCHEDULES; i++)
            CHECK(t, !o[i].applicable || own.disk_total <= o[i].total_disk * (1 + 1e-12),
                  "seed %" PRIu64 ": %.12g words, schedule %d %.12g", seed, own.disk_total, i, o[i].total_disk);
    }
}

/* Where extents do not limit the tiles, real numbers give the closed forms of the corrected tables. */
static void closed_forms(ashi_test *t)
{
    const double n = 1000, p = 16, m = 900, a = n * n, root = 2 * n * n * n / sqrt(m);
    const ashi_paper_problem q = {.extent = {1000, 1000, 1000}, .batch = 1, .ranks = 16, .tile_words = 900,
                                  .replicate = 1, .reduce = 4, .disk = 1, .network = 2, .real = true};
    const struct {
        int number;
        double reads_and_writes, network;
    } wanted[] = {
        {4, 2 * a / p + root / pow(p, 1.5), root / p},            /* inside/rotation CAB: Table 5 (7) */
        {24 + 0, 4 * a / 4 + a / 4 + root * sqrt(2) / p, a / 2},   /* outside/rotation ABC: eq. 4.5 */
        {24 + 4, 4 * a / 4 + 2 * a / 4 + root / p, a / 2},         /* outside/rotation CAB: Table 2 */
        {30 + 0, 2 * a + root * sqrt(2) / p, a},                   /* outside/replication ABC: eq. 4.10 */
        {30 + 4, a + 2 * a / p + root / p, a},                     /* outside/replication CAB: Table 3 */
        {42 + 0, a + a / p + root * sqrt(2) / p, 4 * a},           /* outside/accumulation ABC: eq. 4.15 */
        {42 + 4, a + 2 * a + root / p, 4 * a},                     /* outside/accumulation CAB: Table 4 */
    };
    ashi_paper_schedule o[ASHI_PAPER_SCHEDULES];
    ashi_paper_plan(&q, o);
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
        const ashi_paper_schedule *s = &o[wanted[i].number];
        const double disk = s->rank.reads + s->rank.writes;
        CHECK(t, fabs(disk - wanted[i].reads_and_writes) <= 1e-9 * disk &&
                     fabs(s->rank.network - wanted[i].network) <= 1e-9 * s->rank.network,
              "%s %s: %.12g and %.12g, wanted %.12g and %.12g", ashi_paper_name(s->inside, s->method),
              ashi_paper_order_name(s->order), disk, s->rank.network, wanted[i].reads_and_writes, wanted[i].network);
    }
    /* Tables 6 and 7, CAB: EffVol = D + R V, R = 1/2. */
    CHECK(t, fabs(o[10].seconds - (2 * a / p + root * sqrt((1 + p / 2) / (p * p * p)))) <= 1e-9 * o[10].seconds,
          "inside/replication: %.12g", o[10].seconds);
    CHECK(t, fabs(o[22].seconds - (a * (2 + 0.5 * 4) + root / p)) <= 1e-9 * o[22].seconds, "inside/accumulation: %.12g",
          o[22].seconds);
}

/* 6 ranks as 2 x 3, which move fewer words than 1 x 6. Worked out by hand, with all of it in memory. */
static void rectangles(ashi_test *t)
{
    const ashi_paper_problem q = {.extent = {60, 60, 30}, .batch = 2, .ranks = 6, .tile_words = 100000,
                                  .replicate = 1, .reduce = 2, .disk = 1, .network = 1};
    ashi_paper_schedule o[ASHI_PAPER_SCHEDULES];
    ashi_paper_plan(&q, o);
    const ashi_paper_schedule *in = &o[4];
    CHECK(t, in->grid[0] == 2 && in->grid[1] == 3, "%" PRId64 " x %" PRId64, in->grid[0], in->grid[1]);
    CHECK(t, in->rank.network == 2 * (1800 / 2 + 1800 / 3), "network %g", in->rank.network);
    CHECK(t, in->rank.reads == 2 * (300 + 300 + 600) && in->rank.writes == 2 * 600, "disk %g", in->rank.reads);
    CHECK(t, in->total_disk == 6 * (in->rank.reads + in->rank.writes), "total %g", in->total_disk);
    /* 7 ranks are 1 x 7: J is cut, A moves and B stays. */
    ashi_paper_problem seven = q;
    seven.ranks = 7;
    ashi_paper_plan(&seven, o);
    CHECK(t, o[4].grid[0] == 1 && o[4].grid[1] == 7 && o[4].rank.network == 2 * 1800, "network %g", o[4].rank.network);
    CHECK(t, o[4].busiest.reads == 2 * (60 * 5 + 9 * 30 + 60 * 9), "busiest %g", o[4].busiest.reads);
    seven.extent[2] = 5;
    ashi_paper_plan(&seven, o);
    CHECK(t, !o[4].applicable && strcmp(o[4].reason, "K has 5 values, too few for 7 parts") == 0, "%s", o[4].reason);
    CHECK(t, !o[22].applicable && o[10].applicable, "accumulation cuts K, replication does not");
}

/* All 24 numbers of Table 11 are met, and as many others as docs/TENSORS.md says. Each that is not has a note. */
static void printed_tables(ashi_test *t)
{
    static const int cells[3] = {6, 30, 24}, met[3] = {3, 15, 24};
    for (int n = 9; n <= 11; n++) {
        const ashi_paper_table table = ashi_paper_table_make(n);
        int found = 0;
        for (int i = 0; i < table.cells; i++) {
            const ashi_paper_cell *c = &table.cell[i];
            found += c->met;
            CHECK(t, c->met == (c->note == NULL), "table %d, %s, %s: %.12g, printed %.12g", n, c->method, c->column,
                  c->computed, c->printed);
        }
        CHECK(t, table.cells == cells[n - 9] && found == met[n - 9], "table %d: %d of %d", n, found, table.cells);
    }
}

int main(int argc, char **argv)
{
    ashi_test t = {0};
    const ashi_seeds seeds = ashi_seeds_of(argc, argv, 60);
    tiles(&t, &seeds);
    large_tiles(&t, &seeds);
    if (!seeds.told) {
        closed_forms(&t);
        rectangles(&t);
        printed_tables(&t);
    }
    return ashi_test_end(&t, "paper_model");
}
