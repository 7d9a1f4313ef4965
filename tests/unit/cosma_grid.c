/* strategy: the cost of a COSMA grid against every rank enumerated, the search against every grid tried. */
#include "strategy/cosma_cost.h"

#include "base/checked.h"
#include "model/bounds.h"
#include "test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What the test finds for a grid, by its own walk over the ranks. */
typedef struct walked {
    int64_t grid[3], words_max, words_total, messages, memory, rounds, reduce_rounds;
    int window;
    bool fits, one_sum;
    int64_t least; /* memory with which it would fit */
    double seconds;
} walked;

static ashi_cosma_query query_of(int64_t m, int64_t n, int64_t k, int64_t p)
{
    return (ashi_cosma_query){.m = m, .n = n, .k = k, .p = p, .type = ASHLAR_TYPE_D, .idle = 0.03, .least_words = true,
                              .machine = ashlar_machine_default(), .window = 2};
}

/* The different parts that a block of C is cut in. */
enum { DIFFERENT = 9 };

typedef struct c_parts {
    int64_t rows[DIFFERENT], cols[DIFFERENT], words; /* words: of the largest */
    int count;
    bool packs, in_place; /* whether sums are packed to be sent; whether a rank's own stay where they are */
} c_parts;

static c_parts c_parts_of(const ashi_parts *parts, int64_t rows, int64_t cols, int64_t ranks)
{
    c_parts c = {.packs = parts->rows[0] > 1 || parts->rows[1] > 1,
                 .in_place = parts->rest == 0 && (parts->rows[0] == 1 || parts->cols[0] == 1)};
    for (int64_t r = 0; r < ranks; r++) {
        int64_t side[2];
        int at = 0;
        ashi_parts_sides(parts, rows, cols, r, side);
        while (at < c.count && (c.rows[at] != side[0] || c.cols[at] != side[1]))
            at++;
        if (at == c.count && at < DIFFERENT)
            c.count++;
        c.rows[at] = side[0];
        c.cols[at] = side[1];
        c.words = ashi_max(c.words, side[0] * side[1]);
    }
    return c;
}

/* Words of a rank's parts of A, B, C and of its block of C; what it receives. */
typedef struct rank_sizes {
    int64_t i, j, l, own_a, own_b, own_c, received;
    const c_parts *c;
} rank_sizes;

/* How C is cut: its larger blocks and those with a row or a column less. */
typedef struct c_blocks {
    ashi_parts parts;
    c_parts of[2][2];
} c_blocks;

static c_blocks c_blocks_of(const ashi_cosma_query *q, const int64_t g[3], bool once)
{
    c_blocks b = {.parts = ashi_cosma_parts(q, g, once)};
    const int64_t rows = ashi_ceil_div(q->m, g[0]), cols = ashi_ceil_div(q->n, g[1]);
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
            b.of[i][j] = c_parts_of(&b.parts, ashi_max(rows - i, 0), ashi_max(cols - j, 0), g[2]);
    return b;
}

static rank_sizes sizes_of(const ashi_cosma_query *q, const int64_t g[3], const c_blocks *b, int64_t rank)
{
    const int64_t l = rank % g[2], j = rank / g[2] % g[1], i = rank / g[2] / g[1];
    rank_sizes z = {.i = ashi_cut(q->m, g[0], i + 1) - ashi_cut(q->m, g[0], i),
                    .j = ashi_cut(q->n, g[1], j + 1) - ashi_cut(q->n, g[1], j),
                    .l = ashi_cut(q->k, g[2], l + 1) - ashi_cut(q->k, g[2], l)};
    z.own_a = z.i * ashi_cut_size(z.l, g[1], j);
    z.own_b = z.j * ashi_cut_size(z.l, g[0], i);
    z.own_c = ashi_parts_words(&b->parts, z.i, z.j, l);
    z.c = &b->of[z.i < ashi_ceil_div(q->m, g[0])][z.j < ashi_ceil_div(q->n, g[1])];
    z.received = z.i * z.l - z.own_a + z.l * z.j - z.own_b + (g[2] - 1) * z.own_c;
    return z;
}

/* The most words that moving a piece takes: as received, and packed to be sent. */
static int64_t piece_of(const int64_t g[3], const c_parts *c, int64_t rounds, int64_t round)
{
    int64_t most = 0;
    for (int i = 0; i < c->count; i++)
        most = ashi_max(most, c->rows[i] * ashi_cut_size(c->cols[i], rounds, round));
    return (g[2] - 1) * most * (c->packs ? 2 : 1);
}

static int64_t most_pieces(const c_parts *c)
{
    int64_t most = 1;
    for (int i = 0; i < c->count; i++)
        most = ashi_max(most, c->cols[i]);
    return most;
}

/* Memory of a rank for given rounds, where all that are in flight are as large as the first. */
static int64_t memory_of(const walked *w, const rank_sizes *z, int64_t rounds, int64_t reduce_rounds, int window)
{
    const int64_t *g = w->grid;
    const int64_t width = (g[1] > 1 ? z->i : 0) + (g[0] > 1 ? z->j : 0);
    const int64_t slab = ashi_ceil_div(z->l, rounds) * width, piece = piece_of(g, z->c, reduce_rounds, 0);
    const int64_t block = z->i * z->j + (z->c->in_place && !w->one_sum ? 0 : z->c->words);
    return z->own_a + z->own_b + block + window * ashi_max(slab, piece);
}

static int64_t fullest(const ashi_cosma_query *q, const walked *w, const c_blocks *blocks)
{
    int64_t most = 0;
    for (int64_t r = 0; r < w->grid[0] * w->grid[1] * w->grid[2]; r++) {
        const rank_sizes z = sizes_of(q, w->grid, blocks, r);
        most = ashi_max(most, memory_of(w, &z, w->rounds, w->reduce_rounds, w->window));
    }
    return most;
}

/* What a rank really holds: up to the end of the last of the buffers of all rounds. */
static int64_t held(const walked *w, const rank_sizes *z)
{
    const int64_t *g = w->grid, a = g[1] > 1 ? z->i : 0, b = g[0] > 1 ? z->j : 0;
    const int64_t a_most = ashi_cut_size(z->l, w->rounds, 0) * a;
    const int64_t apart = ashi_max(ashi_cut_size(z->l, w->rounds, 0) * (a + b),
                                   piece_of(g, z->c, w->reduce_rounds, 0));
    int64_t end = 0;
    for (int64_t r = 0; r < w->rounds; r++) {
        const int64_t slab = ashi_cut_size(z->l, w->rounds, r), at = r % w->window * apart;
        end = ashi_max(end, slab > 0 && a > 0 ? at + slab * a : 0);
        end = ashi_max(end, slab > 0 && b > 0 ? at + a_most + slab * b : 0);
    }
    for (int64_t r = 0; r < w->reduce_rounds; r++) {
        const int64_t piece = piece_of(g, z->c, w->reduce_rounds, r);
        end = ashi_max(end, piece > 0 ? r % w->window * apart + piece : 0);
    }
    return memory_of(w, z, 1, 1, 0) + end;
}

/* Count up from one round until every rank is within the limit; reductions are counted up apart, with slabs of one. */
static bool fit(const ashi_cosma_query *q, walked *w, const c_blocks *blocks, int window)
{
    const rank_sizes z = sizes_of(q, w->grid, blocks, 0);
    const int64_t most_q = most_pieces(z.c), most_r = ashi_max(z.l, 1);
    w->window = window;
    w->reduce_rounds = most_q;
    for (w->rounds = 1; w->rounds < most_r && fullest(q, w, blocks) > q->memory_words;)
        w->rounds++;
    for (w->reduce_rounds = 1; w->reduce_rounds < most_q && fullest(q, w, blocks) > q->memory_words;)
        w->reduce_rounds++;
    const bool fits = fullest(q, w, blocks) <= q->memory_words;
    w->window = (int)ashi_min(window, ashi_max(w->rounds, w->reduce_rounds));
    return fits;
}

/* Seconds of a rank that depend on its rounds: what is not hidden of the shorter of network and products, and slabs as
 * if 13 thicker. */
static double seconds_of_rounds(const ashi_cosma_query *q, const rank_sizes *z, const int64_t g[3], int64_t rounds)
{
    const double words = (double)z->i * (double)(z->l - ashi_ceil_div(z->l, g[1])) +
                         (double)z->j * (double)(z->l - ashi_ceil_div(z->l, g[0]));
    const double network = 8 * words * fmax(0, 1 / q->machine.bandwidth - 2 / q->machine.copy_bandwidth);
    const double slab = 2 * (double)z->i * (double)z->j / q->machine.flops_per_second;
    return fmin(network, slab * (double)z->l) / (double)rounds + 13 * slab * (double)rounds;
}

/* Fewer rounds than buffers want, if that takes less time; but those in flight have at most 1024 of k, or all of it. */
static int64_t thicker(const ashi_cosma_query *q, const rank_sizes *z, const int64_t g[3], int64_t rounds)
{
    int64_t best = rounds;
    for (int64_t r = rounds - 1; r >= 1 && (z->l <= 1024 || ashi_ceil_div(z->l, 1024 / q->window) <= r); r--)
        if (seconds_of_rounds(q, z, g, r) < seconds_of_rounds(q, z, g, best))
            best = r;
    return best;
}

/* Without a limit: a seventh of the shares, or 524288 words; slabs of at least 64. If time counts a block of C is one
 * sum unless a part of it is larger than these buffers. */
static void choose_freely(const ashi_cosma_query *q, walked *w, const c_blocks *blocks)
{
    const int64_t *g = w->grid;
    const rank_sizes z = sizes_of(q, g, blocks, 0);
    const int64_t width = (g[1] > 1 ? z.i : 0) + (g[0] > 1 ? z.j : 0);
    const int64_t budget = ashi_max(ashi_ceil_div(z.own_a + z.own_b + z.c->words, 7), 524288);
    w->one_sum = q->thick && g[2] > 1 && z.c->words <= budget;
    w->window = q->window;
    w->rounds = w->reduce_rounds = 1;
    while (q->window * ashi_ceil_div(z.l, w->rounds) * width > budget &&
           ashi_ceil_div(z.l, w->rounds + 1) >= ashi_min(64, z.l) && w->rounds < z.l)
        w->rounds++;
    if (q->thick)
        w->rounds = thicker(q, &z, g, w->rounds);
    const int64_t room = ashi_max(ashi_ceil_div(z.l, w->rounds) * width, budget / q->window);
    while (piece_of(g, z.c, w->reduce_rounds, 0) > room && w->reduce_rounds < most_pieces(z.c))
        w->reduce_rounds++;
    w->window = (int)ashi_min(q->window, ashi_max(w->rounds, w->reduce_rounds));
}

/* What the fullest rank holds with the thinnest slabs and pieces, one at a time. */
static int64_t least_of(const ashi_cosma_query *q, const walked *w, const c_blocks *blocks)
{
    int64_t least = 0;
    for (int64_t r = 0; r < w->grid[0] * w->grid[1] * w->grid[2]; r++) {
        const rank_sizes z = sizes_of(q, w->grid, blocks, r);
        least = ashi_max(least, memory_of(w, &z, ashi_max(z.l, 1), most_pieces(z.c), 1));
    }
    return least;
}

/* Those of so many rounds, if what is hidden depends on how many are in flight. */
static double seconds_in_flight(const ashi_cosma_query *q, const rank_sizes *z, const walked *w)
{
    const double words = (double)z->i * (double)(z->l - ashi_ceil_div(z->l, w->grid[1])) +
                         (double)z->j * (double)(z->l - ashi_ceil_div(z->l, w->grid[0]));
    const double network = 8 * words * fmax(0, 1 / q->machine.bandwidth - 2 / q->machine.copy_bandwidth);
    const double slab = 2 * (double)z->i * (double)z->j / q->machine.flops_per_second;
    const double hidden = w->window > 1 ? fmin(network, slab * (double)z->l) * (1 - 1 / (double)w->rounds) : 0;
    return network - hidden + 13 * slab * (double)w->rounds;
}

/* Within the limit with several rounds in flight, or with one if that is all that fits, or if slabs are thinner than 64
 * and one takes less time, unless the user wants several. */
static bool fit_best(const ashi_cosma_query *q, walked *w, const c_blocks *blocks)
{
    const rank_sizes z = sizes_of(q, w->grid, blocks, 0);
    walked one = *w;
    if (!fit(q, &one, blocks, 1)) {
        *w = one;
        return false;
    }
    const bool several = fit(q, w, blocks, q->window), thin = ashi_ceil_div(z.l, w->rounds) < ashi_min(64, z.l);
    if (!several || (thin && !q->window_given && seconds_in_flight(q, &z, &one) < seconds_in_flight(q, &z, w)))
        *w = one;
    return true;
}

static walked walk_grid(const ashi_cosma_query *q, int64_t pm, int64_t pn, int64_t pk)
{
    walked w = {.grid = {pm, pn, pk}, .fits = true};
    c_blocks blocks = c_blocks_of(q, w.grid, false);
    int64_t products = 0;
    if (q->memory_words > 0)
        w.fits = fit_best(q, &w, &blocks);
    else
        choose_freely(q, &w, &blocks);
    w.least = least_of(q, &w, &blocks);
    if (!w.fits && !blocks.of[0][0].in_place) { /* parts that are summed up where they are may need less */
        blocks = c_blocks_of(q, w.grid, true);
        w.fits = fit_best(q, &w, &blocks);
        w.least = ashi_min(w.least, least_of(q, &w, &blocks));
    }
    for (int64_t r = 0; r < pm * pn * pk; r++) {
        const rank_sizes z = sizes_of(q, w.grid, &blocks, r);
        w.words_max = ashi_max(w.words_max, z.received);
        w.words_total += z.received;
        products = ashi_max(products, z.i * z.j * z.l);
    }
    for (int64_t r = 0; r < pm * pn * pk; r++) {
        const rank_sizes z = sizes_of(q, w.grid, &blocks, r);
        w.memory = ashi_max(w.memory, held(&w, &z));
    }
    w.messages = w.rounds * (pn - 1) + w.rounds * (pm - 1) + w.reduce_rounds * (pk - 1);
    const double compute = 2 * (double)products / q->machine.flops_per_second;
    const double move = 8 * (double)w.words_max / q->machine.bandwidth + (double)w.messages * q->machine.latency;
    w.seconds = compute + move;
    return w;
}

static bool close_to(double x, double y)
{
    return fabs(x - y) <= 1e-12 * fabs(y);
}

/* Whether x is the better grid, in the documented order. */
static bool better(const ashi_cosma_query *q, const walked *x, const walked *y)
{
    if (!q->least_words && !close_to(x->seconds, y->seconds))
        return x->seconds < y->seconds;
    const int64_t xs[] = {x->words_max, x->words_total, x->messages, x->memory, x->grid[2], x->grid[0], x->grid[1]};
    const int64_t ys[] = {y->words_max, y->words_total, y->messages, y->memory, y->grid[2], y->grid[0], y->grid[1]};
    for (int i = 0; i < 7; i++)
        if (xs[i] != ys[i])
            return xs[i] < ys[i];
    return false;
}

/* Every grid of at most p ranks, in the plainest order; those with the most ranks where none has enough. */
static int64_t try_all(const ashi_cosma_query *q, int64_t from, walked *best, int64_t *least)
{
    int64_t found = 0, most = 0;
    *least = INT64_MAX;
    for (int64_t pm = 1; pm <= ashi_max(q->m, 1); pm++)
        for (int64_t pn = 1; pn <= ashi_max(q->n, 1) && pm * pn <= q->p; pn++)
            for (int64_t pk = 1; pk <= ashi_max(q->k, 1) && pm * pn * pk <= q->p; pk++) {
                most = ashi_max(most, pm * pn * pk);
                if (pm * pn * pk < from)
                    continue;
                const walked w = walk_grid(q, pm, pn, pk);
                *least = ashi_min(*least, w.least);
                if (w.fits && (found++ == 0 || better(q, &w, best)))
                    *best = w;
            }
    return most >= from ? found : try_all(q, most, best, least);
}

static void same_cost(ashi_test *t, const ashi_cosma_query *q, const ashi_grid_choice *c, const walked *w,
                      uint64_t seed)
{
    CHECK(t, c->words_max == w->words_max && c->words_total == w->words_total,
          "seed %" PRIu64 ": words %" PRId64 ", enumerated %" PRId64, seed, c->words_max, w->words_max);
    CHECK(t, c->rounds == w->rounds && c->reduce_rounds == w->reduce_rounds && c->window == w->window,
          "seed %" PRIu64 ": rounds %" PRId64 " %" PRId64 ", enumerated %" PRId64 " %" PRId64, seed, c->rounds,
          c->reduce_rounds, w->rounds, w->reduce_rounds);
    CHECK(t, c->memory_words == w->memory && (q->memory_words == 0 || c->memory_words <= q->memory_words),
          "seed %" PRIu64 ": memory %" PRId64 ", enumerated %" PRId64, seed, c->memory_words, w->memory);
    CHECK(t, c->messages_max == w->messages, "seed %" PRIu64 ": messages", seed);
    CHECK(t, close_to(c->seconds, w->seconds), "seed %" PRIu64 ": seconds %g, %g", seed, c->seconds, w->seconds);
    CHECK(t, c->words_mean == (double)w->words_total / (double)q->p, "seed %" PRIu64 ": mean", seed);
}

static ashi_cosma_query random_query(uint64_t *state, int64_t largest)
{
    ashi_cosma_query q = query_of(ashi_random_in(state, 1, largest), ashi_random_in(state, 1, largest),
                                  ashi_random_in(state, 1, largest), ashi_random_in(state, 1, 40));
    q.least_words = ashi_random_in(state, 0, 1);
    q.window = (int)ashi_random_in(state, 1, 4);
    q.idle = (double)ashi_random_in(state, 0, 10) / 50;
    q.thick = ashi_random_in(state, 0, 1);
    q.machine.bandwidth = (double)ashi_random_in(state, 1, 30) * 1e8;
    q.window_given = ashi_random_in(state, 0, 2) == 0;
    return q;
}

/* A limit somewhere above the share, sometimes too low. */
static void limit_randomly(ashi_cosma_query *q, uint64_t *state)
{
    const int64_t share = ashi_ceil_div(q->m * q->n + q->m * q->k + q->n * q->k, q->p);
    q->memory_words = share + share * ashi_random_in(state, 0, 400) / 100 + ashi_random_in(state, 0, 8);
}

static void any_grid_is_costed(ashi_test *t, uint64_t seed)
{
    uint64_t state = seed;
    ashi_cosma_query q = random_query(&state, seed % 2 ? 30 : 5000);
    int64_t grid[3];
    grid[0] = ashi_random_in(&state, 1, ashi_min(q.m, 9));
    grid[1] = ashi_random_in(&state, 1, ashi_min(q.n, 9));
    grid[2] = ashi_random_in(&state, 1, ashi_min(q.k, 9));
    q.p = grid[0] * grid[1] * grid[2];
    if (seed % 3 == 0 && seed % 2)
        limit_randomly(&q, &state);
    const walked w = walk_grid(&q, grid[0], grid[1], grid[2]);
    ashi_grid_choice choice;
    ashlar_error err;
    const ashlar_status status = ashi_cosma_cost(&q, grid, &choice, &err);
    CHECK(t, status == (w.fits ? ASHLAR_OK : ASHLAR_ERR_LIMIT), "seed %" PRIu64 ": status %d", seed, (int)status);
    if (status == ASHLAR_OK)
        same_cost(t, &q, &choice, &w, seed);
}

static void search_finds_the_best(ashi_test *t, uint64_t seed, bool limited)
{
    uint64_t state = seed;
    ashi_cosma_query q = random_query(&state, limited || seed % 4 ? 40 : 3000);
    if (limited)
        limit_randomly(&q, &state);
    const int64_t idle = (int64_t)(q.idle * (double)q.p + 1e-6);
    walked best = {.fits = false};
    ashi_grid_choice choice;
    ashlar_error err;
    int64_t least;
    const int64_t found = try_all(&q, ashi_max(q.p - idle, 1), &best, &least);
    const ashlar_status status = ashi_cosma_search(&q, &choice, &err);
    CHECK(t, status == (found ? ASHLAR_OK : ASHLAR_ERR_LIMIT), "seed %" PRIu64 ": status %d", seed, (int)status);
    if (status == ASHLAR_OK) {
        same_cost(t, &q, &choice, &best, seed);
        CHECK(t, memcmp(choice.grid, best.grid, sizeof choice.grid) == 0 || !q.least_words, "seed %" PRIu64 ": grid",
              seed);
    } else if (status == ASHLAR_ERR_LIMIT) {
        CHECK(t, choice.memory_words == least && ashi_says_least(err.text, least),
              "seed %" PRIu64 ": %s, wanted %" PRId64, seed, err.text, least);
        q.memory_words = least;
        CHECK(t, ashi_cosma_search(&q, &choice, NULL) == ASHLAR_OK, "seed %" PRIu64 ": the least does not do", seed);
        q.memory_words = least - 1;
        CHECK(t, ashi_cosma_search(&q, &choice, NULL) == ASHLAR_ERR_LIMIT, "seed %" PRIu64 ": less does", seed);
    }
}

/* The list is in order, without repetition, starts with the best, and a longer one only adds to it. */
static void lists_are_sorted(ashi_test *t, uint64_t seed)
{
    uint64_t state = seed;
    ashi_cosma_query q = random_query(&state, 300);
    ashi_grid_choice few[4], many[500], one;
    int n_few, n_many;
    CHECK(t, ashi_cosma_search(&q, &one, NULL) == ASHLAR_OK, "seed %" PRIu64, seed);
    CHECK(t, ashi_cosma_search_many(&q, 4, few, &n_few, NULL) == ASHLAR_OK, "seed %" PRIu64, seed);
    CHECK(t, ashi_cosma_search_many(&q, 500, many, &n_many, NULL) == ASHLAR_OK, "seed %" PRIu64, seed);
    CHECK(t, n_few == (n_many < 4 ? n_many : 4), "seed %" PRIu64 ": %d of %d", seed, n_few, n_many);
    CHECK(t, memcmp(one.grid, few[0].grid, sizeof one.grid) == 0, "seed %" PRIu64 ": first", seed);
    for (int i = 0; i < n_few; i++)
        CHECK(t, memcmp(few[i].grid, many[i].grid, sizeof one.grid) == 0, "seed %" PRIu64 ": number %d", seed, i);
    for (int i = 1; i < n_many; i++) {
        const bool ordered = q.least_words ? many[i - 1].words_max <= many[i].words_max
                                           : many[i - 1].seconds <= many[i].seconds;
        CHECK(t, ordered && memcmp(many[i - 1].grid, many[i].grid, sizeof one.grid) != 0, "seed %" PRIu64 ": order %d",
              seed, i);
    }
}

/* On many ranks a short list is of the grids next to the least bound, if that is enough, and a list with room for more
 * grids than there are is of all. No grid is below its bound. */
static void few_of_many(ashi_test *t, uint64_t seed)
{
    enum { FEW = 6, MANY = 20000 };
    static ashi_grid_choice all[MANY];
    ashi_grid_choice few[FEW];
    uint64_t state = seed;
    ashi_cosma_query q = random_query(&state, seed % 2 ? 300 : 3000);
    int n_few, n_all;
    q.p = ashi_random_in(&state, 2048, 2600);
    q.idle = (double)ashi_random_in(&state, 0, 2) / 100;
    q.machine.latency = seed % 3 ? q.machine.latency : 1e-9;
    if (seed % 4 == 0)
        limit_randomly(&q, &state);
    const ashlar_status status = ashi_cosma_search_many(&q, FEW, few, &n_few, NULL);
    CHECK(t, ashi_cosma_search_many(&q, MANY, all, &n_all, NULL) == status, "seed %" PRIu64, seed);
    if (status != ASHLAR_OK)
        return;
    CHECK(t, n_all < MANY && n_few == ashi_min(n_all, FEW), "seed %" PRIu64 ": %d of %d", seed, n_few, n_all);
    for (int i = 0; i < n_few; i++)
        CHECK(t, memcmp(few[i].grid, all[i].grid, sizeof few[i].grid) == 0 && few[i].seconds == all[i].seconds,
              "seed %" PRIu64 ": number %d is another", seed, i);
    for (int i = 0; i < n_all; i++) {
        ashi_cosma_cost_row least;
        ashi_cosma_row_least(&q, all[i].grid, &least);
        CHECK(t, all[i].stays != ASHI_STAYS_C || (least.words_max <= all[i].words_max &&
                                                  least.seconds <= all[i].seconds * (1 + 1e-12)),
              "seed %" PRIu64 ": %" PRId64 "x%" PRId64 "x%" PRId64 " is below its bound", seed, all[i].grid[0],
              all[i].grid[1], all[i].grid[2]);
    }
}

typedef struct landmark {
    int64_t m, n, k, p;
    double words, factor; /* the best grid's words_max is at most this; memory is factor times the share, 0: no limit */
} landmark;

static const landmark landmarks[] = {
    {4096, 4096, 4096, 65, 2.36e6, 0},           {65536, 65536, 65536, 9217, 28.03e6, 0},
    {65536, 65536, 65536, 9221, 28.03e6, 0},     {17408, 17408, 3735552, 4096, 97.15e6, 0},
    {163, 426, 17726, 1956, 17.1e3, 0},
    {131072, 131072, 512, 2048, 2.92e6, 0},      {16384, 16384, 16384, 64, 46.2e6, 1.5},
    {16384, 16384, 16384, 64, 42.7e6, 2},        {16384, 16384, 16384, 64, 37.75e6, 3},
    {17408, 17408, 3735552, 4096, 105e6, 2},
};

static void landmarks_are_reached(ashi_test *t)
{
    for (size_t i = 0; i < sizeof landmarks / sizeof landmarks[0]; i++) {
        const landmark *l = &landmarks[i];
        ashi_cosma_query q = query_of(l->m, l->n, l->k, l->p);
        ashi_grid_choice c = {.words_max = 0};
        const double share = (double)(l->m * l->n + l->m * l->k + l->n * l->k) / (double)l->p;
        q.memory_words = (int64_t)(l->factor * share);
        CHECK(t, ashi_cosma_search(&q, &c, NULL) == ASHLAR_OK && (double)c.words_max <= l->words,
              "landmark %zu: %" PRId64, i, c.words_max);
        CHECK(t, (double)c.words_max * (double)l->p >= ashi_bound_words(l->m, l->n, l->k, l->p, q.memory_words).words *
                                                           (double)c.ranks_used, "landmark %zu: below the bound", i);
    }
}

/* Within 2 % of the bound wherever p has a fitting grid; the others are named with what they reach. */
static void near_the_bound(ashi_test *t)
{
    static const struct shape {
        int64_t m, n, k;
        double within;
        int64_t ranks[16];
    } shapes[] = {
        {65536, 65536, 65536, 1.02, {8, 27, 64, 65, 256, 1000, 1024, 2197, 4096, 9216, 9217}},
        {4096, 4096, 4096, 1.02, {8, 27, 64, 65, 100, 256, 1000, 1024, 2197, 4096, 9216, 9217}},
        {65536, 65536, 65536, 1.01, {100}},
        /* No three near factors of 3, 4, 11, 12, 15 or 16: the nearest are 1x2x2, 2x2x3 and 2x2x4. */
        {65536, 65536, 65536, 1.14, {4, 12, 16}},
        {17408, 17408, 3735552, 1.02, {2048, 4096, 8192, 12288, 16384, 18432}},
        {17408, 3735552, 17408, 1.02, {2048, 4096, 8192, 12288, 16384, 18432}},
        {131072, 131072, 512, 1.02, {2048, 4096, 8192, 12288, 16384, 18432}},
    };
    for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++)
        for (int i = 0; shapes[s].ranks[i]; i++) {
            ashi_cosma_query q = query_of(shapes[s].m, shapes[s].n, shapes[s].k, shapes[s].ranks[i]);
            ashi_grid_choice c = {.words_max = 0};
                const double bound = ashi_bound_words(q.m, q.n, q.k, q.p, 0).words;
            CHECK(t, ashi_cosma_search(&q, &c, NULL) == ASHLAR_OK && (double)c.words_max <= shapes[s].within * bound,
                  "shape %zu p %" PRId64 ": %.4f", s, q.p, (double)c.words_max / bound);
        }
}

static void edges(ashi_test *t)
{
    ashi_grid_choice c;
    ashlar_error err;
    const int64_t empty[3][3] = {{0, 7, 9}, {7, 0, 9}, {7, 9, 0}};
    for (int i = 0; i < 3; i++) {
        ashi_cosma_query q = query_of(empty[i][0], empty[i][1], empty[i][2], 6);
        CHECK(t, ashi_cosma_search(&q, &c, NULL) == ASHLAR_OK && c.words_total == 0 && c.messages_max == 0, "empty");
        CHECK(t, c.ranks_used == 1 && c.memory_words == 63, "empty: %" PRId64 " words", c.memory_words);
        /* One rank's memory is too small for all; spread, it is enough, and still nothing is sent. */
        q.memory_words = 30;
        CHECK(t, ashi_cosma_search(&q, &c, NULL) == ASHLAR_OK && c.words_total == 0 && c.memory_words <= 30, "spread");
    }
    ashi_cosma_query q = query_of(5, 5, 1, 24);
    CHECK(t, ashi_cosma_search(&q, &c, NULL) == ASHLAR_OK && c.ranks_used == 20, "24 ranks: %" PRId64, c.ranks_used);
    q = query_of(2, 2, 2, 1000000);
    CHECK(t, ashi_cosma_search(&q, &c, NULL) == ASHLAR_OK && c.ranks_used == 8, "8 products: %" PRId64, c.ranks_used);
    q = query_of(100, 100, 100, 701); /* a prime; seven may idle, and 10 x 10 x 7 leaves one */
    q.idle = 0.01;
    CHECK(t, ashi_cosma_search(&q, &c, NULL) == ASHLAR_OK && c.ranks_used >= 694, "%" PRId64, c.ranks_used);
    q = query_of(10, 10, 10, 8);
    q.fixed_grid[0] = 1;
    CHECK(t, ashi_cosma_search(&q, &c, &err) == ASHLAR_ERR_ARG, "half a grid");
    q.fixed_grid[1] = q.fixed_grid[2] = 3;
    CHECK(t, ashi_cosma_search(&q, &c, &err) == ASHLAR_ERR_ARG, "9 of 8 ranks");
    q.fixed_grid[1] = 1;
    CHECK(t, ashi_cosma_search(&q, &c, &err) == ASHLAR_OK && c.grid[2] == 3 && c.ranks_used == 3, "fixed grid");
    q = query_of(-1, 1, 1, 1);
    CHECK(t, ashi_cosma_search(&q, &c, &err) == ASHLAR_ERR_ARG, "m = -1");
    q = query_of(1, 1, 1, 0);
    CHECK(t, ashi_cosma_search(&q, &c, &err) == ASHLAR_ERR_ARG, "no ranks");
}

static void large_sizes(ashi_test *t)
{
    ashi_grid_choice c;
    ashi_cosma_query q = query_of(1000000000, 1000000000, 1000000000, 1000);
    CHECK(t, ashi_cosma_search(&q, &c, NULL) == ASHLAR_ERR_OVERFLOW, "27e18 words in all");
    q.p = 8;
    CHECK(t, ashi_cosma_search(&q, &c, NULL) == ASHLAR_OK, "8 ranks");
    CHECK(t, c.words_max == 375000000000000000, "%" PRId64, c.words_max);
    CHECK(t, c.words_total == 3000000000000000000, "%" PRId64, c.words_total);
    q = query_of(INT64_MAX, 2, 1, 4);
    CHECK(t, ashi_cosma_search(&q, &c, NULL) == ASHLAR_ERR_OVERFLOW, "matrices beyond 64 bits");
    q = query_of(INT64_C(1) << 61, 1, 1, 1000000);
    CHECK(t, ashi_cosma_search(&q, &c, NULL) != ASHLAR_ERR_ARG, "one long column");
}

int main(void)
{
    ashi_test t = {0};
    for (uint64_t seed = 1; seed <= 2000; seed++)
        any_grid_is_costed(&t, seed);
    for (uint64_t seed = 1; seed <= 600; seed++)
        search_finds_the_best(&t, seed, false);
    for (uint64_t seed = 1; seed <= 400; seed++)
        search_finds_the_best(&t, seed, true);
    for (uint64_t seed = 1; seed <= 100; seed++)
        lists_are_sorted(&t, seed);
    for (uint64_t seed = 1; seed <= 40; seed++)
        few_of_many(&t, seed);
    landmarks_are_reached(&t);
    near_the_bound(&t);
    edges(&t);
    large_sizes(&t);
    return ashi_test_end(&t, "cosma_grid");
}
