/* With little memory the matrix that is largest stays, whichever it is: a product moves no more than its mirror images,
 * and what closed forms tell is what is counted. */
#include "base/checked.h"
#include "base/error.h"
#include "choosing.h"
#include "sound.h"
#include "strategy/cosma_query.h"
#include "strategy/cosma_stays.h"

#include <ashlar/layout.h>
#include <inttypes.h>
#include <string.h>

/* m, n, k in the three orders in which the largest matrix is C, A or B. */
static void mirror(const int64_t size[3], int turn, int64_t out[3])
{
    static const int order[3][3] = {{0, 1, 2}, {0, 2, 1}, {2, 1, 0}};
    for (int d = 0; d < 3; d++)
        out[d] = size[order[turn][d]];
}

/* 32768 x 4096 x 32768 on 64 ranks with memory for 23 M words: exact, as promised, and within the limit. */
static void example(ashi_test *t, bool least_words)
{
    static const int64_t size[3] = {32768, 32768, 4096};
    static const ashi_stays stays[3] = {ASHI_STAYS_C, ASHI_STAYS_A, ASHI_STAYS_B};
    for (int turn = 0; turn < 3; turn++) {
        int64_t s[3];
        ashi_choice c;
        ashlar_error err = {0};
        mirror(size, turn, s);
        ashi_problem q = problem_of(s[0], s[1], s[2], 64);
        q.memory_words = 23000000;
        q.least_words = least_words;
        const ashlar_status status = ashi_choose(&q, "cosma", walk_all, NULL, &c, &err);
        CHECK(t, status == ASHLAR_OK, "turn %d: %s", turn, err.text);
        if (status != ASHLAR_OK)
            continue;
        CHECK(t, c.totals.words_max == 29360128 && c.totals.words_total == 64 * INT64_C(29360128), "turn %d: %" PRId64
              " words", turn, c.totals.words_max);
        CHECK(t, c.totals.memory_max <= q.memory_words, "turn %d: %" PRId64 " words of memory", turn,
              c.totals.memory_max);
        CHECK(t, c.proposal.stays == stays[turn] && c.compared[c.taken].stays == stays[turn], "turn %d: %d stays", turn,
              (int)c.proposal.stays);
        ashi_choice_free(&c);
    }
}

/* The same with block-cyclic data: 512 x 64 x 512 on 16 ranks with a fifth more memory than the shares. The largest
 * matrix lies as its ranks need it; the others come from their owners, in the same words whichever stays. */
static void block_cyclic(ashi_test *t, bool least_words)
{
    static const int64_t size[3] = {512, 512, 64};
    static const ashi_stays stays[3] = {ASHI_STAYS_C, ASHI_STAYS_A, ASHI_STAYS_B};
    for (int turn = 0; turn < 3; turn++) {
        int64_t s[3];
        ashlar_layout *layout[3] = {NULL, NULL, NULL};
        ashi_choice c = {0};
        ashi_check_report report;
        ashlar_error err = {0};
        mirror(size, turn, s);
        ashi_problem q = problem_of(s[0], s[1], s[2], 16);
        const int64_t rows[3] = {s[0], s[2], s[0]}, cols[3] = {s[2], s[1], s[1]};
        ashlar_status status = ASHLAR_OK;
        for (int x = 0; x < 3 && status == ASHLAR_OK; x++) {
            status = ashlar_layout_block_cyclic(rows[x], cols[x], 16, 16, 4, 4, 0, 0, NULL, ASHLAR_COL_MAJOR, 0,
                                                &layout[x], &err);
            q.layout[x] = layout[x];
        }
        q.memory_words = (int64_t)(1.2 * ashi_problem_share(&q));
        q.least_words = least_words;
        if (status == ASHLAR_OK)
            status = ashi_choose(&q, "cosma", walk_all, NULL, &c, &err);
        CHECK(t, status == ASHLAR_OK, "block-cyclic, turn %d: %s", turn, err.text);
        if (status == ASHLAR_OK) {
            CHECK(t, c.proposal.stays == stays[turn], "block-cyclic, turn %d: %d stays", turn, (int)c.proposal.stays);
            CHECK(t, c.totals.words_max <= 14336, "block-cyclic, turn %d: %" PRId64 " words", turn,
                  c.totals.words_max);
            CHECK(t, c.totals.memory_max <= q.memory_words, "block-cyclic, turn %d: %" PRId64 " words of memory", turn,
                  c.totals.memory_max);
            schedule_is_sound(t, 3, &c.schedule, &report);
        }
        ashi_choice_free(&c);
        for (int x = 0; x < 3; x++)
            ashlar_layout_free(&layout[x]);
    }
}

/* What a grid of these sizes in an order moves, or the best if it is NULL; INT64_MAX if none fits. */
static int64_t words_in_order(const int64_t size[3], const int64_t grid[3], int turn, int64_t ranks, int64_t memory,
                              ashi_grid_choice *c)
{
    int64_t s[3];
    int count = 0;
    mirror(size, turn, s);
    ashi_problem q = problem_of(s[0], s[1], s[2], ranks);
    q.memory_words = memory;
    if (grid)
        mirror(grid, turn, q.grid);
    return ashi_strategy_cosma.foresee(&q, 1, c, &count, NULL) == ASHLAR_OK ? c->words_max : INT64_MAX;
}

/* A random problem and its three orders. */
typedef struct orders {
    int64_t size[3], ranks, memory, words[3];
    ashi_grid_choice choice[3];
    int best;
} orders;

/* Memory of 1.1 to 2 times the even share. */
static orders compare_orders(const int64_t size[3], int64_t ranks, int64_t tenths)
{
    orders o = {.size = {size[0], size[1], size[2]}, .ranks = ranks};
    const ashi_problem q = problem_of(size[0], size[1], size[2], ranks);
    o.memory = (int64_t)(ashi_problem_share(&q) * (double)tenths / 10);
    for (int turn = 0; turn < 3; turn++) {
        o.words[turn] = words_in_order(size, NULL, turn, ranks, o.memory, &o.choice[turn]);
        o.best = o.words[turn] < o.words[o.best] ? turn : o.best;
    }
    return o;
}

static bool is_near(const orders *o, int64_t words)
{
    return (double)words <= 1.03 * (double)o->words[o->best];
}

/* Large shapes: none of the orders moves more than 3 % more than the best. */
static void mirrors_are_alike(ashi_test *t, uint64_t seed)
{
    uint64_t state = seed * 77;
    int64_t size[3];
    const int64_t ranks = ashi_random_in(&state, 2, 64);
    for (int d = 0; d < 3; d++)
        size[d] = (int64_t)1 << ashi_random_in(&state, 11, 16);
    for (int d = 0; d < 3; d++)
        size[d] += ashi_random_in(&state, 0, size[d]);
    const int64_t tenths = ashi_random_in(&state, 11, 20);
    const orders o = compare_orders(size, ranks, tenths);
    for (int turn = 0; turn < 3 && o.words[o.best] < INT64_MAX; turn++)
        CHECK(t, is_near(&o, o.words[turn]), "seed %" PRIu64 ", %" PRId64 " x %" PRId64 " x %" PRId64
              " on %" PRId64 " ranks, %" PRId64 " tenths of the share: turn %d moves %" PRId64 " words, the best %"
              PRId64, seed, size[0], size[1], size[2], ranks, tenths, turn, o.words[turn], o.words[o.best]);
}

/*
 * Small shapes on many ranks: the same, unless the best grid's mirror image does not fit. What is in flight is whole
 * rows and columns, so that the least that a grid needs depends on what stays: but by less than one index of each side
 * of a box, and with that much more the mirror image fits, and moves no more than 6 % more.
 */
static bool small_mirrors_are_alike(ashi_test *t, uint64_t seed)
{
    uint64_t state = seed * 77;
    int64_t size[3], grid[3] = {0}, room = 0;
    ashi_grid_choice c;
    bool near = true;
    const int64_t ranks = ashi_random_in(&state, 2, 300);
    for (int d = 0; d < 3; d++)
        size[d] = ashi_random_in(&state, 200, 1024);
    const orders o = compare_orders(size, ranks, ashi_random_in(&state, 11, 20));
    if (o.words[o.best] == INT64_MAX)
        return near;
    mirror(o.choice[o.best].grid, o.best, grid); /* each order is its own inverse */
    for (int d = 0; d < 3; d++)
        room += ashi_ceil_div(size[d], grid[d]);
    for (int turn = 0; turn < 3; turn++) {
        if (is_near(&o, o.words[turn]))
            continue;
        near = false;
        const int64_t fits = words_in_order(size, grid, turn, ranks, o.memory, &c);
        const int64_t words = words_in_order(size, grid, turn, ranks, o.memory + room, &c);
        CHECK(t, fits == INT64_MAX && (double)words <= 1.06 * (double)o.words[o.best], "seed %" PRIu64 ", %" PRId64
              " x %" PRId64 " x %" PRId64 " on %" PRId64 " ranks, memory of %" PRId64 ": turn %d moves %" PRId64
              " words, the best %" PRId64 "; its mirror image %" PRId64 ", and %" PRId64 " with room for %" PRId64
              " words more", seed, size[0], size[1], size[2], ranks, o.memory, turn, o.words[turn], o.words[o.best],
              fits, words, room);
    }
    return near;
}

/* Grids in which A or B stays that were looked at. */
typedef struct staying {
    int64_t all, once; /* once: in which what a rank owns is not held twice, though stretches of k are thin */
} staying;

/* A grid's closed form, if A or B stays: words and products are those that are counted, messages and memory at most. */
static void forms_are_exact(ashi_test *t, uint64_t seed, staying *seen)
{
    uint64_t state = seed * 5;
    ashi_proposals list = {0};
    ashlar_error err = {0};
    const int64_t least = seed % 2 ? 100 : 10, most = seed % 2 ? 700 : 150;
    ashi_problem q = problem_of(ashi_random_in(&state, least, most), ashi_random_in(&state, least, most),
                                ashi_random_in(&state, least, most), ashi_random_in(&state, 1, seed % 2 ? 24 : 60));
    q.route = ASHI_DIRECT;
    q.window = (int)ashi_random_in(&state, 1, 4);
    q.op[0] = (ashlar_op)ashi_random_in(&state, 0, 1);
    q.op[1] = (ashlar_op)ashi_random_in(&state, 0, 1);
    q.memory_words = (int64_t)(ashi_problem_share(&q) * (double)ashi_random_in(&state, 11, 20) / 10);
    if (ashi_strategy_cosma.propose(&q, &list, &err) != ASHLAR_OK)
        ashi_proposals_shrink(&list, 0);
    for (int64_t i = 0; i < list.count; i++) {
        ashi_proposal *p = &list.at[i];
        ashi_schedule schedule = {0};
        ashi_check_report report;
        ashi_totals found;
        p->strategy = &ashi_strategy_cosma;
        if (p->stays == ASHI_STAYS_C)
            continue;
        ashlar_status status = ashi_proposal_furnish(&q, p, &err);
        if (status == ASHLAR_OK)
            status = p->strategy->schedule(&q, p, &schedule, &err);
        if (status == ASHLAR_OK)
            status = ashi_simulate(&schedule, NULL, NULL, &found, &err);
        CHECK(t, status == ASHLAR_OK, "seed %" PRIu64 ": %s", seed, err.text);
        const ashi_totals *told = &p->totals;
        CHECK(t, told->words_max == found.words_max && told->words_total == found.words_total &&
                     told->sent_max == found.sent_max && told->products_max == found.products_max,
              "seed %" PRIu64 ": %" PRId64 " words told, %" PRId64 " found", seed, told->words_max, found.words_max);
        CHECK(t, told->messages_max >= found.messages_max, "seed %" PRIu64 ": %" PRId64 " messages told, %" PRId64
              " found", seed, told->messages_max, found.messages_max);
        CHECK(t, told->memory_max >= found.memory_max || !p->foreseen, "seed %" PRIu64 ": grid %" PRId64 " %" PRId64
              " %" PRId64 ", stays %d, window %d, rounds %" PRId64 ": memory of %" PRId64 " told, %" PRId64 " found",
              seed, p->bricks.grid[0], p->bricks.grid[1], p->bricks.grid[2], (int)p->stays, p->window, p->rounds,
              told->memory_max, found.memory_max);
        if (i == 0 && seed % 2 == 0)
            schedule_is_sound(t, seed, &schedule, &report);
        ashi_schedule_free(&schedule);
        seen->all++;
        seen->once += p->once;
    }
    ashi_proposals_free(&list);
}

/* What the best of all strategies moves in an order; INT64_MAX if none fits. */
static int64_t words_of_best(ashi_test *t, uint64_t seed, const orders *o, int turn, int64_t memory)
{
    int64_t s[3], words = INT64_MAX;
    ashi_choice c = {0};
    ashi_check_report report;
    ashlar_error err = {0};
    mirror(o->size, turn, s);
    ashi_problem q = problem_of(s[0], s[1], s[2], o->ranks);
    q.memory_words = memory;
    if (ashi_choose(&q, NULL, walk_all, NULL, &c, &err) != ASHLAR_OK)
        return words;
    words = c.totals.words_max;
    CHECK(t, c.totals.memory_max <= memory, "seed %" PRIu64 ", turn %d: %" PRId64 " words of memory, %" PRId64
          " are given", seed, turn, c.totals.memory_max, memory);
    if (seed % 10 == (uint64_t)turn)
        schedule_is_sound(t, 3, &c.schedule, &report);
    ashi_choice_free(&c);
    return words;
}

/*
 * If all strategies compete uneven boxes are mostly the best. The three orders have the same boxes, but what a rank
 * receives in one order it sends in another, and what is in flight depends on what stays. Ranks that would receive more
 * than others own more of A or B, or less of C, as far as memory allows: with a fiftieth more memory every order moves
 * at most a tenth more than the best one.
 */
static int64_t strategies_are_alike(ashi_test *t, uint64_t seed)
{
    uint64_t state = seed * 77 + 1;
    int64_t near = 0;
    orders o = {.ranks = ashi_random_in(&state, 2, 60)};
    for (int d = 0; d < 3; d++)
        o.size[d] = ashi_random_in(&state, 200, 1024);
    const ashi_problem q = problem_of(o.size[0], o.size[1], o.size[2], o.ranks);
    o.memory = (int64_t)(ashi_problem_share(&q) * (double)ashi_random_in(&state, 11, 20) / 10);
    for (int turn = 0; turn < 3; turn++) {
        o.words[turn] = words_of_best(t, seed, &o, turn, o.memory);
        o.best = o.words[turn] < o.words[o.best] ? turn : o.best;
    }
    for (int turn = 0; turn < 3; turn++) {
        if (is_near(&o, o.words[turn])) {
            near++;
            continue;
        }
        const int64_t words = words_of_best(t, seed, &o, turn, o.memory + o.memory / 50);
        CHECK(t, (double)words <= 1.1 * (double)o.words[o.best], "seed %" PRIu64 ", %" PRId64 " x %" PRId64 " x %"
              PRId64 " on %" PRId64 " ranks, memory of %" PRId64 ": turn %d moves %" PRId64 " words, %" PRId64
              " with a fiftieth more memory, the best %" PRId64, seed, o.size[0], o.size[1], o.size[2], o.ranks,
              o.memory, turn, o.words[turn], words, o.words[o.best]);
    }
    return near;
}

/* Uneven boxes with memory for unequal shares: with equal ones some order moves 3 to 8 % more than the best,
 * because a rank receives what others own of a large face on A or B, but sums only for what it owns of C. For the fifth
 * B arrives in parts of tiles, if tiles do not end where faces do: 9 % more. For the last two there are several cuts of
 * the same largest face, and an order that does not take the one of the fewest words in all moves 4 to 5 % more. In the
 * others shares of several matrices have to be shifted, in ranks that have room: else 3 to 26 % more. */
static void shares_make_mirrors_alike(ashi_test *t)
{
    static const struct {
        int64_t size[3], ranks, memory;
    } of[] = {{{218, 907, 857}, 26, 67029}, {{841, 636, 493}, 21, 102245}, {{278, 952, 395}, 39, 32714},
              {{881, 889, 426}, 45, 61489},  {{368, 982, 421}, 27, 51651},  {{738, 882, 968}, 6, 702707},
              {{438, 325, 201}, 3, 177427},  {{703, 283, 213}, 47, 9571},   {{640, 406, 304}, 45, 21828},
              {{697, 763, 906}, 44, 46364},  {{481, 297, 595}, 7, 95191},   {{555, 382, 260}, 5, 109351}};
    for (size_t i = 0; i < sizeof of / sizeof of[0]; i++) {
        orders o = {.size = {of[i].size[0], of[i].size[1], of[i].size[2]}, .ranks = of[i].ranks};
        for (int turn = 0; turn < 3; turn++) {
            o.words[turn] = words_of_best(t, i, &o, turn, of[i].memory);
            o.best = o.words[turn] < o.words[o.best] ? turn : o.best;
        }
        for (int turn = 0; turn < 3; turn++)
            CHECK(t, is_near(&o, o.words[turn]), "%" PRId64 " x %" PRId64 " x %" PRId64 " on %" PRId64 " ranks: turn "
                  "%d moves %" PRId64 " words, the best %" PRId64, o.size[0], o.size[1], o.size[2], o.ranks, turn,
                  o.words[turn], o.words[o.best]);
    }
}

/* Without a limit nothing but C stays. */
static void only_if_limited(ashi_test *t, uint64_t seed)
{
    uint64_t state = seed;
    ashi_grid_choice c[8];
    int count = 0;
    const ashi_problem q = problem_of(ashi_random_in(&state, 1, 3000), ashi_random_in(&state, 1, 3000),
                                      ashi_random_in(&state, 1, 3000), ashi_random_in(&state, 1, 100));
    CHECK(t, ashi_strategy_cosma.foresee(&q, 8, c, &count, NULL) == ASHLAR_OK, "seed %" PRIu64, seed);
    for (int i = 0; i < count; i++)
        CHECK(t, c[i].stays == ASHI_STAYS_C, "seed %" PRIu64 ": %d stays", seed, (int)c[i].stays);
}

/* If C can stay as well, and no word is saved, it does, with slabs that are thick enough: a third of the shares of a
 * square product is ample. */
static void saves_words_or_nothing(ashi_test *t, int64_t n, int rows, int cols, double part)
{
    const int64_t block = 128, tall = ashi_ceil_div(ashi_ceil_div(n, block), rows) * block;
    const int64_t share = 3 * ashi_min(n, tall) * ashi_min(n, ashi_ceil_div(ashi_ceil_div(n, block), cols) * block);
    ashi_problem q = problem_of(n, n, n, rows * cols);
    ashi_choice c = {0};
    ashlar_layout *layout = NULL;
    ashlar_error err = {0};
    q.least_words = false;
    q.ranks_per_core = rows * cols / 2.0;
    q.memory_words = share + (int64_t)(part * (double)share);
    ashlar_status status = ashlar_layout_block_cyclic(n, n, block, block, rows, cols, 0, 0, NULL, ASHLAR_COL_MAJOR, 0,
                                                      &layout, &err);
    for (int x = 0; x < 3; x++)
        q.layout[x] = layout;
    if (status == ASHLAR_OK)
        status = ashi_choose(&q, NULL, walk_all, NULL, &c, &err);
    CHECK(t, status == ASHLAR_OK && c.proposal.stays == ASHI_STAYS_C && c.proposal.rounds <= 16,
          "%" PRId64 " on %d x %d: %d stays, %" PRId64 " rounds, %s", n, rows, cols, (int)c.proposal.stays,
          c.proposal.rounds, err.text);
    ashi_choice_free(&c);
    ashlar_layout_free(&layout);
}

int main(int argc, char **argv)
{
    ashi_test t = {0};
    staying seen = {0};
    int64_t near = 0, alike = 0;
    const ashi_seeds seeds = ashi_seeds_of(argc, argv, 120);
    for (uint64_t seed = seeds.first; seed <= seeds.last; seed++) {
        mirrors_are_alike(&t, seed);
        for (uint64_t small = 5 * seed; small < 5 * seed + 5; small++)
            near += small_mirrors_are_alike(&t, small);
        forms_are_exact(&t, seed, &seen);
        only_if_limited(&t, seed);
        if (seed % 6 == 0)
            alike += strategies_are_alike(&t, seed);
    }
    CHECK(&t, seeds.told || alike == 60, "only %" PRId64 " of 60 plans move nearly as much as the best of their "
          "mirror images", alike);
    CHECK(&t, seeds.told || near >= 570, "only %" PRId64 " of 600 small problems move nearly as much in all orders",
          near);
    CHECK(&t, seeds.told || (seen.all > 100 && seen.once > 20), "only %" PRId64 " grids in which A or B stays, %" PRId64
          " of them owner by owner in thin stretches", seen.all, seen.once);
    shares_make_mirrors_alike(&t);
    example(&t, true);
    example(&t, false);
    block_cyclic(&t, true);
    block_cyclic(&t, false);
    saves_words_or_nothing(&t, 1000, 2, 2, 1.0 / 3);
    saves_words_or_nothing(&t, 2000, 2, 2, 1.0 / 3);
    saves_words_or_nothing(&t, 1000, 2, 4, 0.5);
    saves_words_or_nothing(&t, 2000, 2, 4, 0.5);
    return ashi_test_end(&t, "stays_choice");
}
