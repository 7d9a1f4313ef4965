/* Products of sets of tiles of one rank: against sums in long double, and the same bits for any number of threads. */
#include "base/type.h"
#include "kernel/tile_plan.h"
#include "test.h"

#include <complex.h>
#include <math.h>
#include <mpi.h>
#include <string.h>

#undef complex /* a member of ashi_type */

typedef long double _Complex wide;

/* A matrix of the problem as it is stored. */
typedef struct matrix {
    ashi_cuts rows, cols;
    ashi_pattern pattern;
    int64_t *at, words;
    char *data;
    bool *used; /* tiles that take part in a product */
} matrix;

typedef struct problem {
    uint64_t state, seed;
    ashlar_type type;
    const ashi_type *t;
    ashlar_op op[2];
    matrix x[3];
    wide alpha;
    uint64_t leaves_out; /* one product in this number; 0: none */
    ashi_tile_limits limits;
    int64_t *first;
    uint64_t *left;
    bool usual_order;    /* tiles one after the other */
} problem;

static const int64_t shells[] = {1, 5, 9, 13, 14, 23, 64};

/* ---- random problems ---- */

static int64_t size_of_tile(problem *q, int kind)
{
    switch (kind) {
    case 0:
        return ashi_random_in(&q->state, 0, 12);
    case 1:
        return shells[ashi_random_in(&q->state, 0, 5)];
    case 2:
        return 23;
    case 3:
        return ashi_random_in(&q->state, 1, 70);
    default:
        return ashi_random_in(&q->state, 0, 3) == 0 ? ashi_random_in(&q->state, 100, 300)
                                                    : ashi_random_in(&q->state, 1, 9);
    }
}

/* A side of at most `most` elements and a tile, or of at least -most. */
static void cut(problem *q, int kind, int64_t most, ashi_cuts *out)
{
    int64_t size[512], tiles = 0, all = 0;
    const int64_t some = ashi_random_in(&q->state, 0, 9) == 0 ? 0 : ashi_random_in(&q->state, 1, llabs(most));
    const int64_t wanted = most < 0 ? -most : some;
    while (all < wanted && tiles < 512) {
        size[tiles] = size_of_tile(q, kind);
        all += size[tiles++];
    }
    if (ashi_cuts_make(tiles, size, "a side", out, NULL) != ASHLAR_OK)
        abort();
}

static bool present(problem *q, int64_t percent)
{
    return ashi_random_in(&q->state, 1, 100) <= percent;
}

/* Some rows repeat the one before, so that rows are alike. */
static void make_pattern(problem *q, matrix *x, int64_t percent, int64_t repeats)
{
    const int64_t rows = x->rows.tiles, cols = x->cols.tiles;
    ashi_tile_at *list = malloc(((size_t)(rows * cols) + 1) * sizeof *list);
    bool *row = calloc((size_t)cols + 1, sizeof *row);
    int64_t count = 0;
    for (int64_t i = 0; i < rows; i++) {
        const bool again = i > 0 && present(q, repeats);
        for (int64_t j = 0; j < cols; j++) {
            row[j] = again ? row[j] : present(q, percent);
            if (row[j])
                list[count++] = (ashi_tile_at){i, j};
        }
    }
    if (ashi_pattern_make(list, count, &x->pattern, NULL) != ASHLAR_OK)
        abort();
    free(list);
    free(row);
}

/* NaN everywhere: what no product has stays so. */
static void store(problem *q, matrix *x)
{
    const ashi_pattern *p = &x->pattern;
    const size_t tiles = (size_t)p->tiles + 1;
    x->at = calloc(tiles, sizeof *x->at);
    x->used = calloc(tiles, sizeof *x->used);
    x->words = 0;
    for (int64_t r = 0; r < p->rows; r++)
        for (int64_t t = p->start[r]; t < p->start[r + 1]; t++) {
            x->words += q->usual_order ? 0 : ashi_random_in(&q->state, 0, 2);
            x->at[t] = x->words;
            x->words += ashi_cuts_size(&x->rows, p->row[r]) * ashi_cuts_size(&x->cols, p->col[t]);
        }
    x->data = malloc(((size_t)x->words + 1) * q->t->bytes);
    memset(x->data, 0xff, ((size_t)x->words + 1) * q->t->bytes);
}

static wide get(const problem *q, const char *data, int64_t at)
{
    switch (q->type) {
    case ASHLAR_TYPE_S:
        return ((const float *)(const void *)data)[at];
    case ASHLAR_TYPE_D:
        return ((const double *)(const void *)data)[at];
    case ASHLAR_TYPE_C:
        return ((const float _Complex *)(const void *)data)[at];
    default:
        return ((const double _Complex *)(const void *)data)[at];
    }
}

static void put(const problem *q, void *data, int64_t at, wide value)
{
    switch (q->type) {
    case ASHLAR_TYPE_S:
        ((float *)data)[at] = (float)creall(value);
        return;
    case ASHLAR_TYPE_D:
        ((double *)data)[at] = (double)creall(value);
        return;
    case ASHLAR_TYPE_C:
        ((float _Complex *)data)[at] = (float _Complex)value;
        return;
    default:
        ((double _Complex *)data)[at] = (double _Complex)value;
    }
}

static wide number(problem *q)
{
    const long double re = (long double)ashi_random_in(&q->state, -1000, 1000) / 1024;
    const long double im = (long double)ashi_random_in(&q->state, -1000, 1000) / 1024;
    return q->t->complex ? re + im * I : re;
}

static void fill(problem *q, matrix *x, bool only_used)
{
    const ashi_pattern *p = &x->pattern;
    for (int64_t r = 0; r < p->rows; r++)
        for (int64_t t = p->start[r]; t < p->start[r + 1]; t++) {
            const int64_t words = ashi_cuts_size(&x->rows, p->row[r]) * ashi_cuts_size(&x->cols, p->col[t]);
            for (int64_t e = 0; e < words && (x->used[t] || !only_used); e++)
                put(q, x->data, x->at[t] + e, number(q));
        }
}

/* ---- what the products are ---- */

static bool is_wanted(const problem *q, int64_t i, int64_t k, int64_t j)
{
    uint64_t state = ((uint64_t)i * 1000003u + (uint64_t)k) * 1000003u + (uint64_t)j;
    return q->leaves_out == 0 || ashi_random(&state) % q->leaves_out != 0;
}

/* Tile (i, j) of op(X), -1 if it is absent. */
static int64_t tile_of(const problem *q, int operand, int64_t i, int64_t j)
{
    const bool turned = operand < 2 && q->op[operand] != ASHLAR_OP_N;
    return ashi_pattern_find(&q->x[operand].pattern, turned ? j : i, turned ? i : j);
}

static const ashi_cuts *side(const problem *q, int operand, int which)
{
    const matrix *x = &q->x[operand];
    const bool turned = operand < 2 && q->op[operand] != ASHLAR_OP_N;
    return (which == 0) != turned ? &x->rows : &x->cols;
}

static wide element(const problem *q, int operand, int64_t tile, int64_t m, int64_t n, int64_t i, int64_t j)
{
    const matrix *x = &q->x[operand];
    const ashlar_op op = operand < 2 ? q->op[operand] : ASHLAR_OP_N;
    const wide v = get(q, x->data, x->at[tile] + (op == ASHLAR_OP_N ? i + j * m : j + i * n));
    return op == ASHLAR_OP_C ? conjl(v) : v;
}

/* A bit for each product that A and B allow. */
static void leave_out(problem *q)
{
    const int64_t rows = side(q, 0, 0)->tiles, depth = side(q, 0, 1)->tiles, columns = side(q, 1, 1)->tiles;
    int64_t bit = 0, found = 0;
    q->first = calloc((size_t)rows + 1, sizeof *q->first);
    q->left = calloc((size_t)(rows * depth * columns) / 64 + 1, sizeof *q->left);
    for (int64_t i = 0; i < rows; i++) {
        bool any = false;
        q->first[found] = bit;
        for (int64_t k = 0; k < depth; k++) {
            if (tile_of(q, 0, i, k) < 0)
                continue;
            any = true;
            for (int64_t j = 0; j < columns; j++)
                if (tile_of(q, 1, k, j) >= 0) {
                    q->left[bit / 64] |= (uint64_t)!is_wanted(q, i, k, j) << (bit % 64);
                    bit++;
                }
        }
        found += any;
    }
}

typedef void (*visitor)(problem *q, const int64_t at[3], const int64_t tile[3], void *context);

/* Every product, for each tile of C by ascending k. */
static void visit(problem *q, visitor to_each, void *context)
{
    for (int64_t i = 0; i < side(q, 2, 0)->tiles; i++)
        for (int64_t j = 0; j < side(q, 2, 1)->tiles; j++)
            for (int64_t k = 0; k < side(q, 0, 1)->tiles; k++) {
                const int64_t tile[3] = {tile_of(q, 0, i, k), tile_of(q, 1, k, j), tile_of(q, 2, i, j)};
                if (tile[0] < 0 || tile[1] < 0 || tile[2] < 0)
                    continue;
                if (is_wanted(q, i, k, j))
                    to_each(q, (int64_t[3]){i, j, k}, tile, context);
            }
}

static void note_use(problem *q, const int64_t at[3], const int64_t tile[3], void *flops)
{
    int64_t *sum = flops;
    for (int x = 0; x < 3; x++)
        q->x[x].used[tile[x]] = true;
    *sum += ashi_cuts_size(side(q, 0, 0), at[0]) * ashi_cuts_size(side(q, 1, 1), at[1]) *
            ashi_cuts_size(side(q, 0, 1), at[2]) * q->t->flops;
}

/* Sums in long double, and what rounding may do to them. */
typedef struct sums {
    wide *value;
    long double *size;
    int64_t *terms;
} sums;

static void add_product(problem *q, const int64_t at[3], const int64_t tile[3], void *context)
{
    const sums *s = context;
    const int64_t m = ashi_cuts_size(side(q, 0, 0), at[0]), n = ashi_cuts_size(side(q, 1, 1), at[1]);
    const int64_t depth = ashi_cuts_size(side(q, 0, 1), at[2]), to = q->x[2].at[tile[2]];
    for (int64_t j = 0; j < n; j++)
        for (int64_t l = 0; l < depth; l++) {
            const wide b = q->alpha * element(q, 1, tile[1], depth, n, l, j);
            const long double size = fabsl(creall(b)) + fabsl(cimagl(b));
            for (int64_t i = 0; i < m; i++) {
                const wide a = element(q, 0, tile[0], m, depth, i, l);
                s->value[to + i + j * m] += a * b;
                s->size[to + i + j * m] += (fabsl(creall(a)) + fabsl(cimagl(a))) * size;
                s->terms[to + i + j * m]++;
            }
        }
}

static void check_sums(ashi_test *t, problem *q, const char *result)
{
    const matrix *c = &q->x[2];
    const size_t words = (size_t)c->words + 1;
    sums s = {calloc(words, sizeof *s.value), calloc(words, sizeof *s.size), calloc(words, sizeof *s.terms)};
    visit(q, add_product, &s);
    int64_t wrong = 0;
    for (int64_t e = 0; e < c->words; e++) {
        const wide before = get(q, c->data, e), value = get(q, result, e);
        if (s.terms[e] == 0) /* bit for bit as it was, NaN included */
            wrong += memcmp(result + (size_t)e * q->t->bytes, c->data + (size_t)e * q->t->bytes, q->t->bytes) != 0;
        else
            wrong += !(cabsl(value - before - s.value[e]) <=
                       (long double)(4 * (s.terms[e] + 8)) * q->t->roundoff * (s.size[e] + cabsl(before)));
    }
    CHECK(t, wrong == 0, "seed %" PRIu64 ", type %c, ops %d %d: %" PRId64 " of %" PRId64 " elements", q->seed,
          q->t->letter, (int)q->op[0], (int)q->op[1], wrong, c->words);
    free(s.value);
    free(s.size);
    free(s.terms);
}

/* ---- running ---- */

static ashi_tile_set set_of(const matrix *x)
{
    return (ashi_tile_set){&x->pattern, &x->rows, &x->cols, x->at};
}

/* The tasks of a product in another order. */
static void shuffle(problem *q, ashi_tile_product *p)
{
    for (int64_t i = p->tasks - 1; i > 0; i--) {
        const int64_t other = ashi_random_in(&q->state, 0, i);
        const ashi_tile_task task = p->task[i];
        p->task[i] = p->task[other];
        p->task[other] = task;
    }
}

/* A copy of C after the product, by some threads. */
static char *multiply(ashi_test *t, problem *q, int threads, int64_t wanted_flops)
{
    const matrix *c = &q->x[2];
    const ashi_tile_request request = {.limits = &q->limits, .type = q->type, .op = {q->op[0], q->op[1]},
                                       .set = {set_of(&q->x[0]), set_of(&q->x[1]), set_of(c)}, .threads = threads,
                                       .first = q->leaves_out ? q->first : NULL, .left = q->left};
    const size_t bytes = ((size_t)c->words + 1) * q->t->bytes;
    ashi_tile_product *p = NULL;
    ashi_workers *workers = NULL;
    char alpha[16], *result = malloc(bytes);
    int64_t flops = -1;
    if (ashi_tile_product_create(&request, &p, NULL) != ASHLAR_OK ||
        ashi_workers_create(threads, &workers, NULL) != ASHLAR_OK)
        abort();
    put(q, alpha, 0, q->alpha);
    if (threads > 1) {
        ashi_workers_start(workers, threads - 1);
        shuffle(q, p);
    }
    for (int again = 0; again < 2; again++) { /* a product is ready for the next run */
        memcpy(result, c->data, bytes);
        ashi_tile_product_run(p, alpha, q->x[0].data, q->x[1].data, result, threads > 1 ? workers : NULL, NULL,
                              &flops);
        CHECK(t, flops == wanted_flops, "seed %" PRIu64 ": %" PRId64 " flops for %" PRId64, q->seed, flops,
              wanted_flops);
    }
    ashi_workers_free(&workers);
    ashi_tile_product_free(&p);
    return result;
}

static void try_problem(ashi_test *t, problem *q)
{
    int64_t flops = 0;
    for (int x = 0; x < 3; x++)
        store(q, &q->x[x]);
    leave_out(q);
    visit(q, note_use, &flops);
    for (int x = 0; x < 3; x++)
        fill(q, &q->x[x], x < 2 || present(q, 50));
    char *one = multiply(t, q, 1, q->alpha == 0 ? 0 : flops);
    if (q->alpha != 0)
        check_sums(t, q, one);
    for (int threads = 2; threads <= 3; threads++) {
        char *other = multiply(t, q, threads, q->alpha == 0 ? 0 : flops);
        CHECK(t, memcmp(one, other, (size_t)q->x[2].words * q->t->bytes) == 0,
              "seed %" PRIu64 ": other bits with %d threads", q->seed, threads);
        free(other);
    }
    free(one);
    free(q->first);
    free(q->left);
    for (int x = 0; x < 3; x++) {
        ashi_cuts_free(&q->x[x].rows);
        ashi_cuts_free(&q->x[x].cols);
        ashi_pattern_free(&q->x[x].pattern);
        free(q->x[x].at);
        free(q->x[x].used);
        free(q->x[x].data);
    }
}

static void copy_side(problem *q, int operand, int which, const ashi_cuts *from)
{
    const bool turned = operand < 2 && q->op[operand] != ASHLAR_OP_N;
    ashi_cuts *to = (which == 0) != turned ? &q->x[operand].rows : &q->x[operand].cols;
    if (ashi_cuts_copy(from, to, NULL) != ASHLAR_OK)
        abort();
}

/* In every other problem rows are alike, so that tiles are merged; in some of them few products are left out, and in
 * some nothing is absent or left out, so that threads take parts of elements and not of tiles. In
 * every tenth more tiles of A are turned or scaled than there is room for at once. */
static void random_problem(ashi_test *t, uint64_t seed)
{
    problem q = {.state = seed, .seed = seed};
    q.type = (ashlar_type)ashi_random_in(&q.state, 0, 3);
    q.t = ashi_type_of(q.type);
    q.op[0] = (ashlar_op)ashi_random_in(&q.state, 0, 2);
    q.op[1] = (ashlar_op)ashi_random_in(&q.state, 0, 2);
    const bool merges = seed % 2 == 0, packs = seed % 10 == 1;
    const int64_t most = 200;
    ashi_cuts m, n, k;
    cut(&q, packs ? 2 : (int)ashi_random_in(&q.state, 0, 4), packs ? -220 : most, &m);
    cut(&q, packs ? 2 : (int)ashi_random_in(&q.state, 0, 4), packs ? -60 : most, &n);
    cut(&q, packs ? 2 : (int)ashi_random_in(&q.state, 0, 4), packs ? -220 : most, &k);
    const ashi_cuts *of[3][2] = {{&m, &k}, {&k, &n}, {&m, &n}};
    const int64_t kind = ashi_random_in(&q.state, 0, 3), part = ashi_random_in(&q.state, 5, 95);
    const int64_t percent = kind == 0 || packs ? 100 : part;
    q.limits = (ashi_tile_limits){.box_least = ashi_random_in(&q.state, 1, merges ? 40 : 400),
                                  .block_rows = ashi_random_in(&q.state, 7, 200),
                                  .block_cols = ashi_random_in(&q.state, 7, 200),
                                  .block_depth = ashi_random_in(&q.state, 7, 200),
                                  .task_work = ashi_random_in(&q.state, 1, 1 << 22)};
    const int64_t c_percent = kind > 1 || seed % 4 == 0 ? 100 : merges ? 97 : percent;
    for (int x = 0; x < 3; x++) {
        copy_side(&q, x, 0, of[x][0]);
        copy_side(&q, x, 1, of[x][1]);
        make_pattern(&q, &q.x[x], x == 2 ? c_percent : percent, merges ? 90 : 30);
    }
    const int64_t scale = ashi_random_in(&q.state, 0, 9);
    q.alpha = scale == 0 ? 0 : scale < 5 && !packs ? 1 : number(&q);
    q.leaves_out = ashi_random_in(&q.state, 0, 3) > 0 ? 0 : merges ? 500 : 3;
    q.usual_order = ashi_random_in(&q.state, 0, 3) > 0;
    ashi_cuts_free(&m);
    ashi_cuts_free(&n);
    ashi_cuts_free(&k);
    try_problem(t, &q);
}

int main(int argc, char **argv)
{
    ashi_test t = {0};
    if (MPI_Init(&argc, &argv) != MPI_SUCCESS)
        return 1;
    const ashi_seeds seeds = ashi_seeds_of(argc, argv, 90);
    for (uint64_t seed = seeds.first; seed <= seeds.last; seed++)
        random_problem(&t, seed);
    MPI_Finalize();
    return ashi_test_end(&t, "tile_products");
}
