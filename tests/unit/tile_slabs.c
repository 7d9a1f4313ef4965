/* Products of tiles on a device: if C does not fit, the words that are copied are at most 1.8 of those of the best
 * slabs, found by trying all of them, and 1.2 on average; if it just fits, so that little room is left for A and B, at
 * most 2.2. */
#include "base/checked.h"
#include "exec/onto_tiles.h"
#include "exec/onto_tiles_slabs.h"
#include "test.h"

#include <string.h>

/* SIDE: tiles of a side at most; TILES: of C. */
enum { SIDE = 4, INNER = 4, TILES = 8 };

typedef struct sides {
    int64_t at[SIDE + 1];
    ashi_cuts cuts;
} sides;

typedef struct tiles_case {
    sides side[3]; /* of m, n and k */
    bool a[SIDE][INNER], b[INNER][SIDE], c[SIDE][SIDE];
    int64_t tiles, row[TILES], col[TILES], words[TILES]; /* of C */
    int64_t memory, room; /* room: the most that a slab may have */
} tiles_case;

/* ---- cases ---- */

static int64_t size_of(const tiles_case *k, int side, int64_t tile)
{
    return ashi_cuts_size(&k->side[side].cuts, tile);
}

static void make_side(sides *s, int64_t tiles, uint64_t *state)
{
    for (int64_t i = 0; i < tiles; i++)
        s->at[i + 1] = s->at[i] + ashi_random_in(state, 1, 5);
    s->cuts = (ashi_cuts){.tiles = tiles, .at = s->at};
}

/* False if C has too many tiles to try all slabs, or none. */
static bool make_case(tiles_case *k, uint64_t seed)
{
    uint64_t state = seed * 1001 + 7;
    const int64_t full = ashi_random_in(&state, 0, 2);
    *k = (tiles_case){.tiles = 0};
    for (int i = 0; i < 3; i++)
        make_side(&k->side[i], ashi_random_in(&state, 2, SIDE), &state);
    for (int64_t i = 0; i < k->side[0].cuts.tiles; i++)
        for (int64_t l = 0; l < k->side[2].cuts.tiles; l++)
            k->a[i][l] = full == 0 || ashi_random_in(&state, 0, 2) > 0;
    for (int64_t l = 0; l < k->side[2].cuts.tiles; l++)
        for (int64_t j = 0; j < k->side[1].cuts.tiles; j++)
            k->b[l][j] = full == 0 || ashi_random_in(&state, 0, 2) > 0;
    for (int64_t i = 0; i < k->side[0].cuts.tiles; i++)
        for (int64_t j = 0; j < k->side[1].cuts.tiles; j++) {
            for (int64_t l = 0; l < k->side[2].cuts.tiles; l++)
                k->c[i][j] = k->c[i][j] || (k->a[i][l] && k->b[l][j]);
            if (k->c[i][j] && k->tiles == TILES)
                return false;
            if (k->c[i][j]) {
                k->row[k->tiles] = i;
                k->col[k->tiles] = j;
                k->words[k->tiles++] = size_of(k, 0, i) * size_of(k, 1, j);
            }
        }
    const ashi_tile_problem problem = {.cuts = {&k->side[0].cuts, &k->side[1].cuts, &k->side[2].cuts}};
    const int64_t least = ashi_tile_slabs_least(&problem);
    int64_t all = 0;
    for (int64_t t = 0; t < k->tiles; t++)
        all += k->words[t];
    k->memory = least + ashi_random_in(&state, 0, all);
    int64_t most[3] = {0};
    for (int i = 0; i < 3; i++)
        for (int64_t t = 0; t < k->side[i].cuts.tiles; t++)
            most[i] = ashi_max(most[i], size_of(k, i, t));
    k->room = k->memory - 2 * (most[0] * most[2] + most[2] * most[1]);
    return k->tiles > 0;
}

/* ---- the best slabs ---- */

/* Words of A and of B that the tiles of C with these bits need, each once. */
static int64_t factors_of(const tiles_case *k, unsigned bits)
{
    int64_t words = 0;
    for (int64_t l = 0; l < k->side[2].cuts.tiles; l++) {
        bool row[SIDE] = {false}, col[SIDE] = {false};
        for (int64_t t = 0; t < k->tiles; t++)
            if (bits >> t & 1 && k->a[k->row[t]][l] && k->b[l][k->col[t]])
                row[k->row[t]] = col[k->col[t]] = true;
        for (int64_t i = 0; i < k->side[0].cuts.tiles; i++)
            words += row[i] ? size_of(k, 0, i) * size_of(k, 2, l) : 0;
        for (int64_t j = 0; j < k->side[1].cuts.tiles; j++)
            words += col[j] ? size_of(k, 1, j) * size_of(k, 2, l) : 0;
    }
    return words;
}

static int64_t sums_of(const tiles_case *k, unsigned bits)
{
    int64_t words = 0;
    for (int64_t t = 0; t < k->tiles; t++)
        words += bits >> t & 1 ? k->words[t] : 0;
    return words;
}

/* The fewest words of A and B for the tiles of C with these bits, over all ways to part them into slabs of which each
 * has room, whatever the halves then hold. */
static int64_t best_of(const tiles_case *k, unsigned bits, int64_t *known)
{
    if (bits == 0 || known[bits] > 0)
        return bits == 0 ? 0 : known[bits];
    const unsigned first = bits & -bits;
    int64_t best = INT64_MAX;
    for (unsigned more = bits ^ first;; more = (more - 1) & (bits ^ first)) { /* all subsets of the others */
        const unsigned slab = first | more;
        if (sums_of(k, slab) <= k->room)
            best = ashi_min(best, factors_of(k, slab) + best_of(k, bits ^ slab, known));
        if (more == 0)
            break;
    }
    known[bits] = best;
    return best;
}

/* ---- ours ---- */

static void list(const bool *there, int64_t rows, int64_t cols, int64_t stride, ashi_pattern *out)
{
    ashi_pattern_maker maker = {.row_room = 0};
    ashlar_error err;
    bool added = true;
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < cols; j++)
            added = added && (!there[i * stride + j] || ashi_pattern_add(&maker, i, j));
    if (ashi_pattern_finish(&maker, added, out, &err) != ASHLAR_OK)
        exit(1);
}

static ashi_onto_tiles_need ours(ashi_test *t, const tiles_case *k)
{
    static const int64_t at[SIDE * INNER + 1];
    const ashi_cuts *const m = &k->side[0].cuts, *const n = &k->side[1].cuts, *const l = &k->side[2].cuts;
    const ashi_tile_problem problem = {.cuts = {m, n, l}};
    const ashi_onto_tiles_request request = {.words = k->memory, .type = ASHLAR_TYPE_D, .new_c = true};
    ashi_pattern pattern[3];
    ashi_tile_product *product = NULL;
    ashi_onto_tiles *onto = NULL;
    ashlar_error err = {0};
    list(&k->a[0][0], m->tiles, l->tiles, INNER, &pattern[0]);
    list(&k->b[0][0], l->tiles, n->tiles, SIDE, &pattern[1]);
    list(&k->c[0][0], m->tiles, n->tiles, SIDE, &pattern[2]);
    const ashi_tile_request q = {.type = ASHLAR_TYPE_D, .threads = 1,
                                 .set = {{&pattern[0], m, l, at}, {&pattern[1], l, n, at}, {&pattern[2], m, n, at}}};
    ashlar_status status = ashi_tile_product_create(&q, &product, &err);
    if (status == ASHLAR_OK)
        status = ashi_onto_tiles_create(&request, &q.set[2], &problem, &onto, &err);
    if (status == ASHLAR_OK)
        status = ashi_onto_tiles_count(onto, product, &err);
    CHECK(t, status == ASHLAR_OK, "%s", err.text);
    if (status != ASHLAR_OK)
        exit(1);
    const ashi_onto_tiles_need need = *ashi_onto_tiles_counted(onto);
    ashi_onto_tiles_free(&onto);
    ashi_tile_product_free(&product);
    for (int i = 0; i < 3; i++)
        ashi_pattern_free(&pattern[i]);
    return need;
}

int main(int argc, char **argv)
{
    ashi_test t = {0};
    const ashi_seeds seeds = ashi_seeds_of(argc, argv, 3000);
    double sum = 0;
    int64_t cut = 0;
    for (uint64_t seed = seeds.first; seed <= seeds.last; seed++) {
        static int64_t known[1 << TILES];
        tiles_case k;
        if (!make_case(&k, seed))
            continue;
        memset(known, 0, sizeof known);
        const unsigned whole = (1U << k.tiles) - 1;
        const int64_t c = sums_of(&k, whole), best = best_of(&k, whole, known) + c;
        const ashi_onto_tiles_need need = ours(&t, &k);
        const double ratio = (double)(need.in + need.out) / (double)best;
        const double most = c > k.room ? 1.8 : 2.2;
        CHECK(&t, need.held <= k.memory && need.out == c && ratio >= 1 && ratio <= most, "seed %" PRIu64 ": %" PRId64
              " in, %" PRId64 " out, %" PRId64 " at best", seed, need.in, need.out, best);
        cut += c > k.room;
        sum += c > k.room ? ratio : 0;
    }
    CHECK(&t, seeds.told || (cut > 1000 && sum <= 1.2 * (double)cut), "%" PRId64 " with several slabs: %.3f of the "
          "fewest words on average", cut, sum / (double)ashi_max(cut, 1));
    return ashi_test_end(&t, "tile_slabs");
}
