/* Words, messages, work and windows of SUMMA over sparse tiles, compared with a list of all products. */
#include "base/checked.h"
#include "model/in_flight.h"
#include "simulate/sparse_count.h"
#include "simulate/sparse_window.h"
#include "sparse_problem.h"

enum { RANKS = 14 };

typedef struct dealt {
    ashi_deal deal;
    int rank[RANKS], row_part[TILES_MOST], col_part[TILES_MOST];
} dealt;

static int spread_out(void *context, int64_t row, int64_t col)
{
    return (int)((row * 5 + col * 3 + *(int *)context) % RANKS);
}

/* A grid of some of the ranks, in any order, with maps or without. */
static void make_grid(dealt *d, uint64_t *state)
{
    const int64_t rows = ashi_random_in(state, 1, 4), cols = ashi_random_in(state, 1, 3);
    d->deal = (ashi_deal){.grid_rows = rows, .grid_cols = cols, .grid_rank = d->rank};
    for (int p = 0; p < RANKS; p++)
        d->rank[p] = p;
    for (int p = RANKS - 1; p > 0; p--) {
        const int64_t q = ashi_random_in(state, 0, p);
        const int moved = d->rank[p];
        d->rank[p] = d->rank[q];
        d->rank[q] = moved;
    }
    for (int x = 0; x < TILES_MOST; x++) {
        d->row_part[x] = (int)ashi_random_in(state, 0, rows - 1);
        d->col_part[x] = (int)ashi_random_in(state, 0, cols - 1);
    }
    if (ashi_random_in(state, 0, 1))
        d->deal.row_part = d->row_part;
    if (ashi_random_in(state, 0, 1))
        d->deal.col_part = d->col_part;
}

static int owner_of(const matrix *x, const ashi_deal *deal, int64_t tile)
{
    int64_t row = 0;
    while (x->pattern.start[row + 1] <= tile)
        row++;
    return ashi_deal_owner(deal, x->pattern.row[row], x->pattern.col[tile]);
}

/* Some tiles are stored as U V^T, many with rank 0. */
static void make_ranks(matrix *x, int64_t *rank, uint64_t *state)
{
    for (int64_t r = 0; r < x->pattern.rows; r++)
        for (int64_t t = x->pattern.start[r]; t < x->pattern.start[r + 1]; t++) {
            const int64_t rows = ashi_cuts_size(x->rows, x->pattern.row[r]);
            const int64_t cols = ashi_cuts_size(x->cols, x->pattern.col[t]);
            const int64_t most = ashi_min(2, ashi_min(rows, cols));
            rank[t] = ashi_random_in(state, 0, 2) == 0 ? -1 : ashi_random_in(state, 0, most);
        }
    x->factor.rank = rank;
}

static int64_t words_of(const matrix *x, int64_t tile)
{
    int64_t row = 0;
    while (x->pattern.start[row + 1] <= tile)
        row++;
    const int64_t rows = ashi_cuts_size(x->rows, x->pattern.row[row]);
    const int64_t cols = ashi_cuts_size(x->cols, x->pattern.col[tile]);
    const int64_t rank = x->factor.rank ? x->factor.rank[tile] : -1;
    return rank < 0 ? rows * cols : rank * (rows + cols);
}

/* Everything, from all products one by one. */
typedef struct brute {
    bool a[RANKS][TILES_MOST][TILES_MOST * TILES_MOST], b[RANKS][TILES_MOST][TILES_MOST * TILES_MOST];
    int64_t arrives[RANKS][TILES_MOST]; /* in each iteration */
    ashi_sparse_need need[RANKS];
    int64_t iteration[TILES_MOST], iterations;
} brute;

static void arrive(brute *x, bool *seen, int rank, int64_t k, const matrix *from, const ashi_deal *deal, int64_t tile)
{
    if (*seen || owner_of(from, deal, tile) == rank || words_of(from, tile) == 0)
        return;
    *seen = true;
    x->need[rank].messages++;
    x->need[rank].received += words_of(from, tile);
    x->arrives[rank][k] += words_of(from, tile);
}

static bool formed(const problem *p, int64_t i, int64_t k, int64_t j)
{
    return tile_of(&p->a, i, k) >= 0 && tile_of(&p->b, k, j) >= 0 && (!p->product.half || i <= j) &&
           (!p->product.retain || ashi_pattern_find(&p->c.pattern, i, j) >= 0);
}

static void list_products(const problem *p, const ashi_deal *a_deal, const ashi_deal *b_deal, const ashi_deal *c_deal,
                          brute *x)
{
    memset(x, 0, sizeof *x);
    for (int64_t k = 0; k < p->inner.tiles; k++) {
        bool any = false;
        for (int64_t i = 0; i < p->rows.tiles; i++)
            for (int64_t j = 0; j < p->cols.tiles; j++) {
                if (!formed(p, i, k, j))
                    continue;
                const int rank = ashi_deal_owner(c_deal, i, j);
                const int64_t a = tile_of(&p->a, i, k), b = tile_of(&p->b, k, j), before = x->need[rank].messages;
                const int64_t work = ashi_cuts_size(&p->rows, i) * ashi_cuts_size(&p->inner, k) *
                                     ashi_cuts_size(&p->cols, j);
                if (words_of(&p->a, a) > 0 && words_of(&p->b, b) > 0) {
                    arrive(x, &x->a[rank][k][a], rank, k, &p->a, a_deal, a);
                    arrive(x, &x->b[rank][k][b], rank, k, &p->b, b_deal, b);
                }
                x->need[rank].multiplies += work;
                any = any || work > 0 || x->need[rank].messages > before;
            }
        if (any)
            x->iteration[x->iterations++] = k;
    }
}

static void list_shares(const problem *p, const ashi_deal *a_deal, const ashi_deal *b_deal, const ashi_deal *c_deal,
                        brute *x)
{
    for (int64_t tile = 0; tile < p->a.pattern.tiles; tile++)
        x->need[owner_of(&p->a, a_deal, tile)].share += words_of(&p->a, tile);
    for (int64_t tile = 0; tile < p->b.pattern.tiles; tile++)
        x->need[owner_of(&p->b, b_deal, tile)].share += words_of(&p->b, tile);
    for (int64_t i = 0; i < p->rows.tiles; i++)
        for (int64_t j = 0; j < p->cols.tiles; j++) {
            bool present = p->product.c && ashi_pattern_find(p->product.c, i, j) >= 0;
            for (int64_t k = 0; k < p->inner.tiles; k++)
                present = present || formed(p, i, k, j);
            if (present)
                x->need[ashi_deal_owner(c_deal, i, j)].share +=
                    ashi_cuts_size(&p->rows, i) * ashi_cuts_size(&p->cols, j);
        }
}

/* The most that arrives at a rank in `window` iterations that follow each other. */
static int64_t worst(const brute *x, int rank, int64_t window)
{
    int64_t most = 0;
    for (int64_t first = 0; first < x->iterations; first++) {
        int64_t sum = 0;
        for (int64_t y = first; y < ashi_min(first + window, x->iterations); y++)
            sum += x->arrives[rank][x->iteration[y]];
        most = ashi_max(most, sum);
    }
    return most;
}

static void check_need(ashi_test *t, const brute *x, const ashi_sparse_need *need, const ashi_sparse_totals *totals,
                       int64_t window, int64_t processes, uint64_t seed)
{
    int64_t received = 0, multiplies = 0, busiest = 0, peak = 0;
    for (int r = 0; r < RANKS; r++) {
        CHECK(t, need[r].received == x->need[r].received && need[r].messages == x->need[r].messages &&
                 need[r].multiplies == x->need[r].multiplies && need[r].share == x->need[r].share,
              "seed %" PRIu64 " rank %d: %" PRId64 " words of %" PRId64 ", %" PRId64 " messages of %" PRId64
              ", %" PRId64 " multiplies of %" PRId64 ", share %" PRId64 " of %" PRId64, seed, r, need[r].received,
              x->need[r].received, need[r].messages, x->need[r].messages, need[r].multiplies, x->need[r].multiplies,
              need[r].share, x->need[r].share);
        CHECK(t, need[r].in_flight == worst(x, r, window), "seed %" PRIu64 " rank %d window %" PRId64 ": %" PRId64
              " of %" PRId64, seed, r, window, need[r].in_flight, worst(x, r, window));
        received += x->need[r].received;
        multiplies += x->need[r].multiplies;
        busiest = ashi_max(busiest, x->need[r].multiplies);
        peak = ashi_max(peak, x->need[r].share + worst(x, r, window));
    }
    CHECK(t, totals->received == received && totals->multiplies == multiplies && totals->peak_most == peak &&
             totals->iterations == x->iterations, "seed %" PRIu64, seed);
    const double imbalance = multiplies > 0 ? (double)(busiest * processes) / (double)multiplies : 1;
    CHECK(t, fabs(totals->imbalance - imbalance) <= 1e-12 * imbalance, "seed %" PRIu64 ": %g of %g", seed,
          totals->imbalance, imbalance);
}

/* The largest window for some room, and that one more would not do. */
static void check_fit(ashi_test *t, const ashi_sparse_summa *summa, const brute *x, uint64_t *state, uint64_t seed)
{
    const ashi_deal *grid = summa->c_deal;
    const int64_t processes = grid->grid_rows * grid->grid_cols, most = ashi_random_in(state, 1, TILES_MOST + 2);
    int64_t room[RANKS], window;
    ashlar_error err = {0};
    for (int64_t p = 0; p < processes; p++) {
        const int64_t all = worst(x, grid->grid_rank[p], TILES_MOST);
        room[p] = ashi_random_in(state, 0, 3) == 0 ? all : ashi_random_in(state, all / 3, all + 1);
    }
    CHECK(t, ashi_sparse_window_fit(summa, room, most, &window, &err) == ASHLAR_OK, "%s", err.text);
    bool fits = true, next_fits = true;
    for (int64_t p = 0; p < processes; p++) {
        fits = fits && (window == 0 || worst(x, grid->grid_rank[p], window) <= room[p]);
        next_fits = next_fits && worst(x, grid->grid_rank[p], window + 1) <= room[p];
    }
    CHECK(t, fits, "seed %" PRIu64 ": a window of %" PRId64 " is too long", seed, window);
    CHECK(t, !next_fits || window == ashi_min(most, x->iterations), "seed %" PRIu64 ": %" PRId64 " of %" PRId64
          " would do", seed, window + 1, most);
}

static void check_random(ashi_test *t, uint64_t seed)
{
    uint64_t state = seed;
    static problem p;
    static dealt a, b, c;
    static brute x;
    shape want = {.symmetries = ashi_random_in(&state, 0, 1)};
    want.with_c = ashi_random_in(&state, 0, 1);
    make_problem(t, &p, want, &state);
    p.product.half = p.rows.tiles == p.cols.tiles && ashi_random_in(&state, 0, 2) == 0;
    p.product.retain = p.product.c && ashi_random_in(&state, 0, 2) == 0;
    make_grid(&a, &state);
    make_grid(&b, &state);
    make_grid(&c, &state);
    int shift = (int)(seed % RANKS);
    if (ashi_random_in(&state, 0, 2) == 0)
        a.deal = (ashi_deal){.owner = spread_out, .context = &shift};
    static int64_t rank[2][TILES_MOST * TILES_MOST];
    ashi_factor columns;
    ashlar_error err = {0};
    if (seed % 2 == 0) {
        make_ranks(&p.a, rank[0], &state);
        make_ranks(&p.b, rank[1], &state);
    }
    CHECK(t, ashi_factor_make(&p.a.pattern, p.a.symmetry, p.a.op == ASHLAR_OP_N ? ASHLAR_OP_T : ASHLAR_OP_N, &columns,
                              &err) == ASHLAR_OK, "%s", err.text);
    columns.rank = p.a.factor.rank;
    const ashi_sparse_summa summa = {&p.product, &columns, &a.deal, &b.deal, &c.deal};
    ashi_sparse_need need[RANKS];
    ashi_sparse_totals totals;
    const int64_t window = ashi_random_in(&state, 0, TILES_MOST + 1);
    list_products(&p, &a.deal, &b.deal, &c.deal, &x);
    list_shares(&p, &a.deal, &b.deal, &c.deal, &x);
    CHECK(t, ashi_sparse_count(&summa, window, RANKS, need, &totals, &err) == ASHLAR_OK, "%s", err.text);
    check_need(t, &x, need, &totals, window, c.deal.grid_rows * c.deal.grid_cols, seed);
    check_fit(t, &summa, &x, &state, seed);
    const ashi_sparse_summa without_grid = {&p.product, &columns, &b.deal, &b.deal,
                                            &(ashi_deal){.owner = spread_out, .context = &shift}};
    CHECK(t, ashi_sparse_count(&without_grid, window, RANKS, need, &totals, &err) == ASHLAR_ERR_ARG, "a function");
    ashi_factor_free(&columns);
    free_problem(&p);
}

/* The errata's examples of the paper's equations. */
static void check_equations(ashi_test *t)
{
    const int64_t wanted[][4] = {{1, 8, 10, 2}, {4, 4, 3, 3}, {3, 5, 4, 3}, {8, 16, 128, 8}, {1, 4, 1, 1},
                                 {4, 4, 0, 0}};
    for (size_t x = 0; x < sizeof wanted / sizeof *wanted; x++)
        CHECK(t, ashi_in_flight(wanted[x][0], wanted[x][1], wanted[x][2]) == wanted[x][3], "case %zu: %" PRId64, x,
              ashi_in_flight(wanted[x][0], wanted[x][1], wanted[x][2]));
    const ashi_in_flight_words words = ashi_words_in_flight(32768, 32768, 32768, 128, 4, 4);
    CHECK(t, words.a == 2097152 && words.b == 2097152 && words.c == 67108864, "%g %g %g", words.a, words.b, words.c);
}

int main(int argc, char **argv)
{
    ashi_test t = {0};
    const ashi_seeds seeds = ashi_seeds_of(argc, argv, 500);
    for (uint64_t seed = seeds.first; seed <= seeds.last; seed++)
        check_random(&t, seed);
    check_equations(&t);
    return ashi_test_end(&t, "sparse_count");
}
