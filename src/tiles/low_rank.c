/* Tiles that are stored as U V^T: compressed to a tolerance, expanded, multiplied by a number, bounded. */
#include "tiles/low_rank.h"

#include "base/checked.h"
#include "base/error.h"
#include "base/type.h"
#include "kernel/large.h"
#include "kernel/share.h"
#include "kernel/threads.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- compressing ---- */

/* The most rows, columns and elements of the tiles of a pattern, and the largest rank that one has. */
static ashi_compressed_size size_of(const ashlar_tiles *t, const ashi_pattern *p, const ashi_held *held, int64_t *words)
{
    ashi_compressed_size size = {.type = t->type};
    *words = 0;
    for (int64_t x = 0; x < p->rows; x++)
        for (int64_t n = p->start[x]; n < p->start[x + 1]; n++) {
            size.rows = ashi_max(size.rows, ashi_cuts_size(&t->row, p->row[x]));
            size.cols = ashi_max(size.cols, ashi_cuts_size(&t->col, p->col[n]));
            size.rank = ashi_max(size.rank, held ? ashi_held_rank(held, n) : -1);
            *words = ashi_max(*words, ashi_tiles_words(t, p->row[x], p->col[n]));
        }
    return size;
}

ashlar_status ashi_compressing_make(const ashlar_tiles *tiles, const ashi_pattern *pattern, const ashi_held *held,
                                    ashi_compressing *out, ashlar_error *err)
{
    int64_t words = 0;
    const ashi_compressed_size size = size_of(tiles, pattern, held, &words);
    const size_t count = (size_t)pattern->tiles + 1;
    *out = (ashi_compressing){.tiles = tiles, .threads = ashi_context_threads(tiles->context),
                              .low = calloc(1, sizeof *out->low), .error = calloc(count, sizeof *out->error)};
    if (out->low)
        *out->low = (ashi_held_low){.rank = calloc(count, sizeof *out->low->rank), .expanded = -1,
                                    .room = (size_t)words * tiles->bytes};
    if (out->low && out->low->rank)
        out->low->scratch = ashi_large_make(out->low->room);
    if (!out->error || !out->low || !out->low->scratch)
        return ashi_fail_memory(err, "room to compress tiles", words * (int64_t)tiles->bytes);
    if (tiles->context->workers && out->threads > 1)
        ashi_workers_start(tiles->context->workers, out->threads - 1);
    return ashi_compressors_make(&size, out->threads, &out->compressor, err);
}

void ashi_compressing_free(ashi_compressing *c)
{
    if (c->compressor)
        ashi_compressors_free(&c->compressor, c->threads);
    ashi_held_low_free(c->low);
    free(c->error);
    *c = (ashi_compressing){0};
}

/* The tiles of a run. */
typedef struct run {
    ashi_compressing *of;
    ashi_held *held;
    double tolerance;
    bool relative;
} run;

static void compress_tile(const run *r, const ashi_held_walk *w, int hand)
{
    const ashlar_tiles *const t = r->of->tiles;
    const int64_t rows = ashi_cuts_size(&t->row, w->at.row), cols = ashi_cuts_size(&t->col, w->at.col);
    const int64_t rank = ashi_held_rank(r->held, w->number);
    char *const data = ashi_held_tile(r->held, w->number, t->bytes);
    ashi_compressor *const c = &r->of->compressor[hand];
    ashi_compressed now = {-1, 0};
    r->of->low->rank[w->number] = rank;
    if (rank >= 0)
        now = ashi_compress_factors(c, rows, cols, rank, data, r->tolerance, r->relative, data);
    else if (t->symmetry == ASHLAR_GENERAL || w->at.row != w->at.col)
        now = ashi_compress_dense(c, rows, cols, data, r->tolerance, r->relative, data);
    if (now.rank < 0)
        return;
    r->of->low->rank[w->number] = now.rank;
    r->of->error[w->number] = now.error;
}

/* A row of tiles. */
static bool compress_row(void *context, const ashi_job *job, int hand)
{
    const run *const r = context;
    const ashi_pattern *const p = &r->held->pattern;
    for (int64_t n = p->start[job->number]; n < p->start[job->number + 1]; n++)
        compress_tile(r, &(ashi_held_walk){n, job->number, {p->row[job->number], p->col[n]}}, hand);
    return true;
}

double ashi_compressing_run(ashi_compressing *c, ashi_held *held, double tolerance, bool relative)
{
    const ashi_held_size size = ashi_tiles_held_size(c->tiles);
    run r = {.of = c, .held = held, .tolerance = tolerance, .relative = relative};
    double lost = 0;
    ashi_blas_begin(1);
    ashi_share(c->tiles->context->workers, c->threads, held->pattern.rows, compress_row, &r, NULL);
    ashi_blas_end();
    for (ashi_held_walk w = {.number = -1}; ashi_held_next(held, &w);) {
        const bool mirrored = c->tiles->symmetry != ASHLAR_GENERAL && w.at.row != w.at.col;
        const double error = c->error[w.number] * (mirrored ? sqrt(2) * (1 + DBL_EPSILON) : 1);
        lost = hypot(lost, error) * (1 + 2 * DBL_EPSILON);
    }
    ashi_held_rerank(held, c->low, &size);
    c->low = NULL;
    return lost;
}

/* ---- norms ---- */

static double norm_of(const ashlar_tiles *t, int64_t words, const void *x)
{
    return ashi_square_root(t->tile_kernels->square(words, x)) * (1 + 2 * ((double)words + 2) * DBL_EPSILON);
}

double ashi_tiles_norm_bound(const ashlar_tiles *t, int64_t number, ashi_tile_at at)
{
    const int64_t rows = ashi_cuts_size(&t->row, at.row), cols = ashi_cuts_size(&t->col, at.col);
    const int64_t rank = ashi_held_rank(&t->held, number);
    const char *const u = ashi_held_tile(&t->held, number, t->bytes);
    double sum = 0;
    if (rank < 0)
        return norm_of(t, rows * cols, u);
    for (int64_t i = 0; i < rank; i++)
        sum += norm_of(t, rows, u + (size_t)(i * rows) * t->bytes) *
               norm_of(t, cols, u + (size_t)(rank * rows + i * cols) * t->bytes);
    return sum * (1 + 2 * ((double)rank + 2) * DBL_EPSILON);
}

double ashi_tiles_expansion_bound(const ashlar_tiles *t)
{
    const double unit = ashi_type_of(t->type)->roundoff;
    double all = 0;
    for (ashi_held_walk w = {.number = -1}; ashi_held_next(&t->held, &w);) {
        const int64_t rank = ashi_held_rank(&t->held, w.number);
        if (rank > 0)
            all = hypot(all, 2 * ((double)rank + 4) * unit * ashi_tiles_norm_bound(t, w.number, w.at)) *
                  (1 + 4 * DBL_EPSILON);
    }
    return all;
}

/* ---- multiples and copies ---- */

void ashi_held_times(const ashlar_tiles *t, const void *alpha, ashi_held *held)
{
    const ashi_kernels *const k = t->kernels;
    const int64_t words = ashi_held_words(held);
    if (k->is_zero(alpha) && words > 0)
        memset(held->data, 0, (size_t)words * t->bytes);
    if (k->is_zero(alpha) || memcmp(alpha, k->one, t->bytes) == 0)
        return;
    if (!held->low && words > 0)
        k->axpby(words, 1, alpha, &(ashi_matrix){held->data, 1, words}, false, k->zero, held->data, 1, words);
    for (ashi_held_walk w = {.number = -1}; held->low && ashi_held_next(held, &w);) {
        const int64_t rank = ashi_held_rank(held, w.number), rows = ashi_cuts_size(&t->row, w.at.row);
        const int64_t n = rank >= 0 ? rank * rows : held->offset[w.number + 1] - held->offset[w.number];
        char *const x = ashi_held_tile(held, w.number, t->bytes);
        k->axpby(n, 1, alpha, &(ashi_matrix){x, 1, n}, false, k->zero, x, 1, n);
    }
}

ashlar_status ashi_tiles_dense_copy(const ashlar_tiles *t, ashi_held *out, ashlar_error *err)
{
    const ashi_held_size size = ashi_tiles_held_size(t);
    ashi_pattern pattern = {0};
    *out = (ashi_held){0};
    if (!t->held.offset)
        return ASHLAR_OK;
    ashlar_status status = ashi_pattern_copy(&t->held.pattern, &pattern, err);
    if (status == ASHLAR_OK)
        status = ashi_held_make(&pattern, &size, out, err);
    if (status == ASHLAR_OK)
        ashi_held_copy(&t->held, &size, out);
    ashi_pattern_free(&pattern);
    return status;
}
