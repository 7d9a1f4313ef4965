/* Times products of matrices of tiles on one rank, beside DBCSR's and beside the BLAS if all tiles are present. */
#include "die.h"
#include "samples.h"

#include "exec/large.h"
#include "exec/threads.h"
#include "exec/tile_product.h"

#include <cblas.h>
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef ASHI_DBCSR
#define nullptr NULL /* its header wants it */
#include <dbcsr.h>
#undef nullptr
#endif

static const char help[] =
    "Usage: tiles N SIZES PERCENT REPETITIONS [THREADS]\n\n"
    "Multiply two N x N matrices of double precision tiles, PERCENT in a hundred of them present, on one rank, and\n"
    "print a line of JSON. SIZES are a size (23), a range that is drawn from (128-384), or a list that is repeated\n"
    "(1,5,9,13,14). The times of Ashlar include the pattern of the result, its memory and making ready, as those of\n"
    "DBCSR do; 'again' is the product alone. With 100 percent the BLAS multiplies matrices of this size in one piece.\n"
    "With THREADS above 1 Ashlar and the BLAS have that many; DBCSR has OMP_NUM_THREADS.\n";

enum { ASHLAR, AGAIN, DBCSR, BLAS, WAYS };
static const char *const name[WAYS] = {"ashlar", "again", "dbcsr", "dgemm"};

typedef struct matrix {
    ashi_pattern pattern;
    int64_t *at, words;
    double *data;
} matrix;

typedef struct bench {
    int64_t n;
    int percent, repetitions, threads;
    uint64_t state;
    ashi_cuts cuts;
    matrix a, b, c; /* c: that of the last product */
    ashi_workers *workers;
    ashi_tile_product *product;
    int64_t flops, bytes;
    double *whole[3]; /* all tiles in one piece, NULL: some are absent */
#ifdef ASHI_DBCSR
    dbcsr_matrix peer[3];
    dbcsr_distribution dist;
    int *block, blocks;
#endif
} bench;

static void require(ashlar_status status, const ashlar_error *err)
{
    if (status != ASHLAR_OK)
        ashi_die("%s", err->text);
}

/* splitmix64 (Steele, Lea and Flood, OOPSLA 2014) */
static uint64_t next(uint64_t *state)
{
    uint64_t z = (*state += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

/* ---- the matrices ---- */

static void cut(bench *x, const char *sizes)
{
    int64_t list[64], count = 0, tiles = 0, all = 0;
    const bool range = strchr(sizes, '-') != NULL;
    int64_t *size = ashi_need(x->n, (long long)sizeof *size);
    for (const char *at = sizes; *at != '\0' && count < 64;) {
        char *end = NULL;
        list[count++] = strtoll(at, &end, 10);
        if (end == at || list[count - 1] < 1)
            ashi_die("'%s', wanted sizes of tiles", sizes);
        at = *end == '\0' ? end : end + 1;
    }
    if (range && (count != 2 || list[0] > list[1]))
        ashi_die("'%s', wanted the smallest and the largest size", sizes);
    for (; all < x->n; all += size[tiles++]) {
        const int64_t wanted =
            range ? list[0] + (int64_t)(next(&x->state) % (uint64_t)(list[1] - list[0] + 1)) : list[tiles % count];
        size[tiles] = wanted < x->n - all ? wanted : x->n - all;
    }
    ashlar_error err;
    require(ashi_cuts_make(tiles, size, "a side", &x->cuts, &err), &err);
    free(size);
}

/* Where the tiles lie: those of a row of tiles one after the other. */
static void lay_out(const bench *x, matrix *m)
{
    m->at = ashi_need(m->pattern.tiles + 1, (long long)sizeof *m->at);
    m->words = 0;
    for (int64_t r = 0; r < m->pattern.rows; r++)
        for (int64_t t = m->pattern.start[r]; t < m->pattern.start[r + 1]; t++) {
            m->at[t] = m->words;
            m->words += ashi_cuts_size(&x->cuts, m->pattern.row[r]) * ashi_cuts_size(&x->cuts, m->pattern.col[t]);
        }
}

static void take_memory(matrix *m)
{
    m->data = ashi_large_make(((size_t)m->words + 1) * sizeof *m->data);
    if (!m->data)
        ashi_die("no memory for a matrix");
}

static void draw(bench *x, matrix *m)
{
    const int64_t tiles = x->cuts.tiles;
    ashi_tile_at *list = ashi_need(tiles * tiles, (long long)sizeof *list);
    int64_t count = 0;
    for (int64_t i = 0; i < tiles * tiles; i++)
        if ((int)(next(&x->state) % 100) < x->percent)
            list[count++] = (ashi_tile_at){i / tiles, i % tiles};
    ashlar_error err;
    require(ashi_pattern_make(list, count, &m->pattern, &err), &err);
    free(list);
    lay_out(x, m);
    take_memory(m);
    for (int64_t i = 0; i < m->words; i++)
        m->data[i] = (double)(int64_t)next(&x->state) * 0x1p-63;
}

static void drop(matrix *m)
{
    ashi_pattern_free(&m->pattern);
    free(m->at);
    ashi_large_free(m->data, ((size_t)m->words + 1) * sizeof *m->data);
    *m = (matrix){0};
}

/* ---- Ashlar ---- */

/* Mark what a row of A meets in B. */
static int64_t mark_row(const bench *x, int64_t r, const int64_t *row_of_b, bool *marked)
{
    const ashi_pattern *a = &x->a.pattern, *b = &x->b.pattern;
    int64_t count = 0;
    for (int64_t t = a->start[r]; t < a->start[r + 1] && count < x->cuts.tiles; t++) {
        const int64_t row = row_of_b[a->col[t]];
        for (int64_t u = row < 0 ? 0 : b->start[row]; row >= 0 && u < b->start[row + 1]; u++) {
            count += !marked[b->col[u]];
            marked[b->col[u]] = true;
        }
    }
    return count;
}

/* The pattern of the product, row by row. */
static void find_result(bench *x)
{
    const ashi_pattern *a = &x->a.pattern, *b = &x->b.pattern;
    const int64_t all = x->cuts.tiles;
    bool *marked = ashi_need(all, 1);
    int64_t *row_of_b = ashi_need(all, (long long)sizeof *row_of_b), room = 0;
    ashi_pattern *c = &x->c.pattern;
    *c = (ashi_pattern){.row = ashi_need(a->rows + 1, (long long)sizeof *c->row),
                        .start = ashi_need(a->rows + 1, (long long)sizeof *c->start)};
    memset(marked, 0, (size_t)all);
    for (int64_t k = 0; k < all; k++)
        row_of_b[k] = -1;
    for (int64_t r = 0; r < b->rows; r++)
        row_of_b[b->row[r]] = r;
    c->start[0] = 0;
    for (int64_t r = 0; r < a->rows; r++) {
        const int64_t count = mark_row(x, r, row_of_b, marked);
        if (c->tiles + count > room) {
            room = 2 * room + count;
            c->col = realloc(c->col, (size_t)room * sizeof *c->col);
            if (!c->col)
                ashi_die("no memory for the pattern of the product");
        }
        for (int64_t j = 0; j < all && count > 0; j++)
            if (marked[j])
                c->col[c->tiles++] = j;
        memset(marked, 0, (size_t)all);
        if (count == 0)
            continue;
        c->row[c->rows++] = a->row[r];
        c->start[c->rows] = c->tiles;
    }
    free(marked);
    free(row_of_b);
}

static void run_product(bench *x)
{
    const double one = 1;
    ashi_tile_product_run(x->product, &one, x->a.data, x->b.data, x->c.data, x->workers, NULL, &x->flops);
}

static double time_ashlar(bench *x)
{
    ashlar_error err;
    ashi_tile_product_free(&x->product);
    drop(&x->c);
    const double start = MPI_Wtime();
    find_result(x);
    lay_out(x, &x->c);
    take_memory(&x->c);
    const ashi_tile_request request = {.type = ASHLAR_TYPE_D,
                                       .set = {{&x->a.pattern, &x->cuts, &x->cuts, x->a.at},
                                               {&x->b.pattern, &x->cuts, &x->cuts, x->b.at},
                                               {&x->c.pattern, &x->cuts, &x->cuts, x->c.at}},
                                       .threads = x->threads};
    require(ashi_tile_product_create(&request, &x->product, &err), &err);
    run_product(x);
    const double seconds = MPI_Wtime() - start;
    x->bytes = ashi_tile_product_bytes(x->product);
    return seconds;
}

static double time_again(bench *x)
{
    memset(x->c.data, 0, (size_t)x->c.words * sizeof *x->c.data);
    const double start = MPI_Wtime();
    run_product(x);
    return MPI_Wtime() - start;
}

/* ---- DBCSR ---- */

#ifdef ASHI_DBCSR
static void make_peer(bench *x, int which, const matrix *from)
{
    dbcsr_matrix *m = &x->peer[which];
    c_dbcsr_create_new(m, "matrix", x->dist, dbcsr_type_no_symmetry, x->block, x->blocks, x->block, x->blocks, NULL,
                       &dbcsr_type_real_8, NULL, NULL, NULL, NULL);
    const ashi_pattern *p = from ? &from->pattern : NULL;
    for (int64_t r = 0; p && r < p->rows; r++)
        for (int64_t t = p->start[r]; t < p->start[r + 1]; t++)
            c_dbcsr_put_block2d_d(*m, (int)p->row[r], (int)p->col[t], from->data + from->at[t], x->block[p->row[r]],
                                  x->block[p->col[t]], NULL, NULL);
    c_dbcsr_finalize(*m);
}

static void open_peer(bench *x)
{
    MPI_Fint comm = MPI_Comm_c2f(MPI_COMM_WORLD);
    int unit = 6;
    c_dbcsr_init_lib_internal(&comm, &unit);
    x->blocks = (int)x->cuts.tiles;
    x->block = ashi_need(x->blocks, (long long)sizeof *x->block);
    int *owner = ashi_need(x->blocks, (long long)sizeof *owner);
    for (int i = 0; i < x->blocks; i++) {
        x->block[i] = (int)ashi_cuts_size(&x->cuts, i);
        owner[i] = 0;
    }
    int dims[2] = {1, 1}, periods[2] = {1, 1};
    MPI_Comm grid;
    if (MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &grid) != MPI_SUCCESS)
        ashi_die("no grid of one process");
    comm = MPI_Comm_c2f(grid);
    c_dbcsr_distribution_new_aux(&x->dist, &comm, owner, x->blocks, owner, x->blocks);
    free(owner);
    make_peer(x, 0, &x->a);
    make_peer(x, 1, &x->b);
    make_peer(x, 2, NULL);
}

static double time_peer(bench *x)
{
    long long flops = 0;
    c_dbcsr_release(&x->peer[2]);
    make_peer(x, 2, NULL);
    const double start = MPI_Wtime();
    c_dbcsr_multiply_d(dbcsr_no_transpose, dbcsr_no_transpose, 1, x->peer[0], x->peer[1], 0, x->peer[2], NULL, NULL,
                       NULL, NULL, NULL, NULL, NULL, NULL, &flops);
    const double seconds = MPI_Wtime() - start;
    if (flops != x->flops)
        ashi_die("DBCSR did %lld flops, Ashlar %lld", flops, (long long)x->flops);
    return seconds;
}

/* The largest difference of two elements of the products, over the largest sum of k terms. */
static double difference(bench *x)
{
    const ashi_pattern *p = &x->c.pattern;
    double most = 0;
    for (int64_t r = 0; r < p->rows; r++)
        for (int64_t t = p->start[r]; t < p->start[r + 1]; t++) {
            double *block = NULL;
            bool turned = false, found = false;
            int m = 0, n = 0;
            c_dbcsr_get_block_p_d(x->peer[2], (int)p->row[r], (int)p->col[t], &block, &turned, &found, &m, &n);
            if (!found || turned)
                ashi_die("DBCSR has no tile (%lld, %lld)", (long long)p->row[r], (long long)p->col[t]);
            for (int64_t i = 0; i < (int64_t)m * n; i++)
                most = fmax(most, fabs(block[i] - x->c.data[x->c.at[t] + i]));
        }
    return most / (double)x->n;
}

static void close_peer(bench *x)
{
    for (int i = 0; i < 3; i++)
        c_dbcsr_release(&x->peer[i]);
    c_dbcsr_distribution_release(&x->dist);
    c_dbcsr_finalize_lib();
    free(x->block);
}
#endif

/* ---- measuring ---- */

static double time_blas(bench *x)
{
    const int n = (int)x->n;
    const double start = MPI_Wtime();
    ashi_set_blas_threads(x->threads);
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1, x->whole[0], n, x->whole[1], n, 0, x->whole[2],
                n);
    ashi_set_blas_threads(1);
    return MPI_Wtime() - start;
}

static double time_way(bench *x, int way)
{
    switch (way) {
    case ASHLAR:
        return time_ashlar(x);
    case AGAIN:
        return time_again(x);
    case BLAS:
        return time_blas(x);
    default:
#ifdef ASHI_DBCSR
        return time_peer(x);
#else
        return 0;
#endif
    }
}

static bool has_way(const bench *x, int way)
{
#ifdef ASHI_DBCSR
    const bool peer = true;
#else
    const bool peer = false;
#endif
    return way == BLAS ? x->whole[0] != NULL : way == DBCSR ? peer : true;
}

/* In turns, after one untimed round; who begins moves on by one each time. */
static void measure(bench *x, double *seconds)
{
    for (int r = -1; r < x->repetitions; r++)
        for (int i = 0; i < WAYS; i++) {
            const int way = r < 0 ? i : (i + r) % WAYS;
            const double took = has_way(x, way) ? time_way(x, way) : 0;
            if (r >= 0)
                seconds[way * x->repetitions + r] = took;
        }
}

static void print(bench *x, const char *sizes, const double *seconds)
{
    const int n = x->repetitions;
    printf("{\"schema\": 1, \"kind\": \"tiles\", \"n\": %lld, \"sizes\": \"%s\", \"percent\": %d, \"threads\": %d, "
           "\"repetitions\": %d, \"flops\": %lld, \"words\": [%lld, %lld, %lld], \"bytes\": %lld, \"blas\": \"%s\"",
           (long long)x->n, sizes, x->percent, x->threads, n, (long long)x->flops, (long long)x->a.words,
           (long long)x->b.words, (long long)x->c.words, (long long)x->bytes, ashi_blas_name());
    for (int way = 0; way < WAYS; way++) {
        if (!has_way(x, way))
            continue;
        const ashi_summary s = ashi_summarize(seconds + way * n, n);
        printf(", \"%s\": {\"gflops\": %.4g, \"median\": %.9g, \"low\": %.9g, \"high\": %.9g}", name[way],
               (double)x->flops / s.median * 1e-9, s.median, s.low, s.high);
        if (way < DBCSR)
            continue;
        const ashi_summary ratio = ashi_summarize_ratio(seconds + way * n, seconds + ASHLAR * n, n);
        printf(", \"rate_to_%s\": {\"median\": %.4g, \"low\": %.4g, \"high\": %.4g}", name[way], ratio.median,
               ratio.low, ratio.high);
    }
#ifdef ASHI_DBCSR
    printf(", \"difference\": %.3g", difference(x));
#endif
    printf("}\n");
}

static void open_bench(bench *x, char **argv)
{
    ashlar_error err;
    cut(x, argv[2]);
    draw(x, &x->a);
    draw(x, &x->b);
    ashi_set_blas_threads(1);
    require(ashi_workers_create(x->threads, &x->workers, &err), &err);
    ashi_workers_start(x->workers, x->threads - 1);
    for (int i = 0; i < 3 && x->percent >= 100; i++) {
        x->whole[i] = ashi_need(x->n * x->n, (long long)sizeof(double));
        for (int64_t e = 0; e < x->n * x->n; e++)
            x->whole[i][e] = (double)(int64_t)next(&x->state) * 0x1p-63;
    }
#ifdef ASHI_DBCSR
    open_peer(x);
#endif
}

int main(int argc, char **argv)
{
    bench x = {.state = 1};
    if (MPI_Init(&argc, &argv) != MPI_SUCCESS)
        return 1;
    if (argc < 5 || argc > 6) {
        fputs(help, stdout);
        MPI_Finalize();
        return !(argc == 2 && strcmp(argv[1], "--help") == 0);
    }
    x.n = atoll(argv[1]);
    x.percent = atoi(argv[3]);
    x.repetitions = atoi(argv[4]);
    x.threads = argc > 5 ? atoi(argv[5]) : 1;
    if (x.n < 1 || x.percent < 0 || x.repetitions < 1 || x.threads < 1)
        ashi_die("N, REPETITIONS and THREADS are at least 1, PERCENT at least 0");
    open_bench(&x, argv);
    double *seconds = ashi_need((long long)WAYS * x.repetitions, (long long)sizeof *seconds);
    measure(&x, seconds);
    print(&x, argv[2], seconds);
    free(seconds);
#ifdef ASHI_DBCSR
    close_peer(&x);
#endif
    ashi_tile_product_free(&x.product);
    ashi_workers_free(&x.workers);
    drop(&x.a);
    drop(&x.b);
    drop(&x.c);
    ashi_cuts_free(&x.cuts);
    for (int i = 0; i < 3; i++)
        free(x.whole[i]);
    MPI_Finalize();
    return 0;
}
