/* tensor: blocks of three operands beside all blocks, the MTTKRP's bound, and which intermediates stay in memory. */
#include "tensor/sequence_plan.h"
#include "test.h"

#include <math.h>

static ashi_expression read(ashi_test *t, const char *text, const int64_t *extent)
{
    ashi_expression e;
    ashlar_error err = {0};
    int column;
    ashlar_status status = ashi_expression_read(text, &e, &column, &err);
    for (int x = 0; x < e.indices && status == ASHLAR_OK; x++)
        status = ashi_expression_extent(&e, e.name[x], extent[x], &err);
    CHECK(t, status == ASHLAR_OK, "%s: %s", text, err.text);
    return e;
}

static int64_t parts(int64_t n, int64_t block)
{
    return (n + block - 1) / block;
}

/* The fewest words of disk of all blocks of i, j and k for X(ijk), U and V as they stand; -1: none fit. */
static int64_t fewest(const int64_t n[ASHI_FUSED_GROUPS], int64_t memory, int64_t adds_most)
{
    const int64_t i = n[0], j = n[1], k = n[2], r = n[3], b = n[4], c = n[5];
    int64_t best = -1;
    for (int64_t x = 1; x <= i; x++)
        for (int64_t y = 1; y <= j; y++)
            for (int64_t z = 1; z <= k; z++) {
                const int64_t of[3] = {parts(i, x), parts(j, y), parts(k, z)};
                const int64_t held = x * y * z + z + x * y + x * b + y * b;
                const int64_t adds = i * j * k * c * r + of[2] * i * j * c * r * b;
                const int64_t words = i * j * k + k * c * r * of[0] * of[1] + j * b * r * of[0] * of[2] +
                                      i * b * c * r * (2 * of[1] * of[2] - 1);
                if (held <= memory && adds <= adds_most && (best < 0 || words < best))
                    best = words;
            }
    return best;
}

/* The assignment that is written down is the only one if all extents exceed 1. */
static void blocks(ashi_test *t, uint64_t seed)
{
    int64_t n[ASHI_FUSED_GROUPS];
    const bool none[4] = {false};
    const int64_t memory = ashi_random_in(&seed, 5, 400), more = ashi_random_in(&seed, 0, 2000);
    for (int g = 0; g < ASHI_FUSED_GROUPS; g++)
        n[g] = ashi_random_in(&seed, 2, g < 3 ? 12 : 5);
    const int64_t adds = n[3] * n[5] * n[0] * n[1] * (n[2] + n[4]) + more;
    const ashi_expression e = read(t, "ijk,kcr,jbr->ibcr", (int64_t[]){n[0], n[1], n[2], n[5], n[3], n[4]});
    ashi_tile_by_tile tiles[2];
    int64_t best = fewest(n, memory, adds);
    const int64_t turned[ASHI_FUSED_GROUPS] = {n[0], n[2], n[1], n[3], n[5], n[4]}; /* U and V exchanged */
    const int64_t other = fewest(turned, memory, adds);
    best = best < 0 || (other >= 0 && other < best) ? other : best;
    const bool found = ashi_tile_by_tile_find(&e, none, memory, adds, &tiles[0]);
    CHECK(t, found == (best >= 0), "seed %" PRIu64 ": found %d", seed, found);
    if (!found)
        return;
    CHECK(t, tiles[0].disk_words == (double)best && tiles[0].memory_words <= memory && tiles[0].multiply_adds <= adds,
          "seed %" PRIu64 ": %.0f words, %" PRId64 " would do", seed, tiles[0].disk_words, best);
    const bool all[4] = {true, true, true, true};
    CHECK(t, ashi_tile_by_tile_find(&e, all, memory, adds, &tiles[1]) && tiles[1].disk_words == 0, "in memory");
}

/* With a block of S words of which no side is cut short, U, V and Y move 3 * 2^(1/3) / 3 times the bound. */
static void bound(ashi_test *t)
{
    const bool none[4] = {false};
    const ashi_expression e = read(t, "ijk,jr,kr->ir", (int64_t[]){20000, 20000, 20000, 5000});
    ashi_tile_by_tile tiles;
    const int64_t memory = INT64_C(1) << 24; /* to the power of 2/3: 2^16 */
    CHECK(t, ashi_tile_by_tile_find(&e, none, memory, INT64_MAX, &tiles) && ashi_is_mttkrp(&tiles), "no MTTKRP");
    const double least = ashi_mttkrp_bound(&tiles, 1, memory), moved = tiles.disk_words - 8e12;
    CHECK(t, fabs(least - 3 * 4e16 / 65536) < 1, "%.1f", least);
    CHECK(t, moved > 1.25 * least && moved < 1.28 * least, "%.4f times the bound", moved / least);
    CHECK(t, fabs(ashi_mttkrp_bound(&tiles, 16, memory) * 16 - least) < 1, "of 16 ranks");
    const ashi_expression pair = read(t, "ijk,ij,ik->ijk", (int64_t[]){4, 5, 6});
    CHECK(t, !ashi_tile_by_tile_find(&pair, none, memory, INT64_MAX, &tiles), "no T is between these");
}

static ashi_sequence_plan plan(ashi_test *t, const ashi_expression *e, const ashi_sequence_request *r)
{
    static ashi_sequence_plan p;
    ashlar_error err = {0};
    CHECK(t, ashi_sequence_plan_make(e, r, &p, &err) == ASHLAR_OK, "%s", err.text);
    return p;
}

static void memory(ashi_test *t)
{
    /* 2 x 10^4 words of the first intermediate, 4 x 10^3 of the second, 800 of the third, then 160 of output */
    const ashi_expression e =
        read(t, "pqrs,pi,qj,rk,sl->ijkl", (int64_t[]){10, 10, 10, 10, 2, 2, 2, 2});
    ashi_sequence_request r = {.ranks = 2, .memory_words = 1000000, .bytes = 8, .disk = 1e6, .network = 1e9,
                               .multiply_adds = 1e9};
    ashi_sequence_plan p = plan(t, &e, &r);
    CHECK(t, p.sequence.multiply_adds == 20000 + 4000 + 800 + 160 && p.scratch == 0, "%" PRId64 ", %d in files",
          p.sequence.multiply_adds, p.scratch);
    CHECK(t, p.held == 2000 + 400 && p.fused < 0, "held %" PRId64 ", step %d in tiles", p.held, p.fused);
    CHECK(t, p.disk_words == 10000 + 4 * 20 + 16, "%.0f words of disk", p.disk_words);
    r.memory_words = 1100; /* half of it is too small for the first intermediate: another order, as the disk is slow, */
    p = plan(t, &e, &r);
    CHECK(t, p.held == 800 && p.scratch == 0 && p.cheapest == 24960 && p.sequence.multiply_adds > p.cheapest,
          "held %" PRId64 ", %d in files, %" PRId64 " multiply-adds", p.held, p.scratch, p.sequence.multiply_adds);
    r.disk = 1e12; /* or the same order, tile by tile: no file */
    p = plan(t, &e, &r);
    CHECK(t, p.held == 480 && p.scratch == 0 && p.fused == 0 && p.sequence.multiply_adds == p.cheapest,
          "held %" PRId64 ", %d in files, %" PRId64 " multiply-adds", p.held, p.scratch, p.sequence.multiply_adds);

    /* Matrices in a row are no three operands for tiles, and every order has 1600 words in between. */
    const ashi_expression chain = read(t, "ab,bc,cd->ad", (int64_t[]){40, 40, 40, 40});
    p = plan(t, &chain, &r);
    CHECK(t, p.scratch == 1 && p.step[0].scratch && p.held == 0 && !p.three, "held %" PRId64 ", %d in files", p.held,
          p.scratch);
    CHECK(t, p.step[0].disk_words >= 4800 && p.disk_words == p.step[0].disk_words + p.step[1].disk_words,
          "%.0f words of disk", p.disk_words);
}

int main(int argc, char **argv)
{
    ashi_test t = {0};
    const ashi_seeds seeds = ashi_seeds_of(argc, argv, 100);
    for (uint64_t seed = seeds.first; seed <= seeds.last; seed++)
        blocks(&t, seed);
    bound(&t);
    memory(&t);
    return ashi_test_end(&t, "sequence_plan");
}
