/* A dense matrix in a file cut into tiles: which are there is found first, then their elements are written. */
#include "tiles/from_file.h"

#include "base/array.h"
#include "base/checked.h"
#include "base/error.h"
#include "kernel/compress.h"
#include "plan/files.h"
#include "tiles/blocks.h"
#include "tiles/file_output.h"
#include "tiles/held.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Elements that are read at a time take so much. */
#define BLOCK_BYTES (INT64_C(64) << 20)

/* A rank's rows of tiles on their way. */
typedef struct cutter {
    const ashi_tile_cutting *want;
    ashlar_file *file;
    const ashi_tile_kernels *kernels;
    int64_t bytes;             /* of an element */
    ashi_tile_blocks blocks;   /* all of this rank's */
    ashi_tile_block held;      /* the block in `data` */
    char *data, *packed;       /* a block in columns; tiles of it, one after the other */
    ashi_tile_at *tile;        /* present ones, by rows, then columns */
    double *norm;
    int64_t *rank;             /* -1 for a dense one */
    int64_t tiles, tile_room, norm_room, rank_room;
    ashi_compressor *compressor; /* with a tolerance; and room for a tile's elements */
    char *expanded;
    ashi_pattern pattern;
    ashi_tile_output out;
} cutter;

static ashlar_status check_side(const char *from, const char *what, int64_t wanted, const ashi_cuts *cuts,
                                ashlar_error *err)
{
    return ashi_cuts_all(cuts) == wanted
               ? ASHLAR_OK
               : ashi_fail(err, ASHLAR_ERR_ARG, "tiles of %" PRId64 " %s in sum, but %.200s has %" PRId64,
                           ashi_cuts_all(cuts), what, from, wanted);
}

static int64_t longest(const ashi_cuts *cuts, int64_t first, int64_t end)
{
    int64_t most = 0;
    for (int64_t t = first; t < end; t++)
        most = ashi_max(most, ashi_cuts_size(cuts, t));
    return most;
}

/* What it takes to compress tiles of this rank's rows. */
static ashlar_status make_compressor(cutter *c, int64_t first, int64_t end, ashlar_error *err)
{
    const ashi_tile_cutting *w = c->want;
    const ashi_compressed_size size = {c->file->info.type, longest(w->row, first, end),
                                       longest(w->col, 0, w->col->tiles), -1};
    if (!(w->tolerance > 0))
        return ASHLAR_OK;
    const int64_t bytes = ashi_mul_most(ashi_mul_most(size.rows, size.cols), c->bytes);
    c->expanded = bytes < INT64_MAX ? malloc((size_t)bytes + 1) : NULL;
    return c->expanded ? ashi_compressors_make(&size, 1, &c->compressor, err)
                       : ashi_fail_memory(err, "room to compress tiles", bytes);
}

static ashlar_status allocate(cutter *c, ashlar_error *err)
{
    const int64_t most = ashi_mul_most(ashi_tile_blocks_most(c->blocks), c->bytes);
    if (most > INT64_MAX / 4)
        return ashi_fail(err, ASHLAR_ERR_OVERFLOW, "tiles: a tile of more than 2^63 - 1 bytes");
    c->data = malloc((size_t)most + 1);
    c->packed = malloc((size_t)most + 1);
    return c->data && c->packed ? ASHLAR_OK : ashi_fail_memory(err, "tiles", 2 * most);
}

static ashlar_status read_block(cutter *c, const ashi_tile_block *b, ashlar_error *err)
{
    const ashi_cuts *row = c->want->row, *col = c->want->col;
    const int64_t rows = ashi_tile_block_rows(&c->blocks, b), cols = ashi_tile_block_cols(&c->blocks, b);
    if (c->held.row == b->row && c->held.col == b->col) /* no two blocks begin with one tile */
        return ASHLAR_OK;
    c->held = *b;
    return ashi_store_read(c->file->store, row->at[b->row], rows, col->at[b->col], cols, c->data, 1, rows, err);
}

/* A tile in the block that is held: its first element, and its shape. */
typedef struct piece {
    const char *data;
    int64_t rows, cols, ld;
} piece;

static piece piece_of(const cutter *c, int64_t row, int64_t col)
{
    const ashi_cuts *r = c->want->row, *k = c->want->col;
    const int64_t ld = ashi_tile_block_rows(&c->blocks, &c->held);
    const int64_t at = r->at[row] - r->at[c->held.row] + (k->at[col] - k->at[c->held.col]) * ld;
    return (piece){c->data + at * c->bytes, ashi_cuts_size(r, row), ashi_cuts_size(k, col), ld};
}

/* ---- which tiles there are ---- */

/* A tile in one piece. */
static void gather(const cutter *c, const piece *p, char *to)
{
    for (int64_t j = 0; j < p->cols; j++)
        memcpy(to + j * p->rows * c->bytes, p->data + j * p->ld * c->bytes, (size_t)(p->rows * c->bytes));
}

static double norm_of(const cutter *c, int64_t words, const char *tile)
{
    return ashi_square_root(c->kernels->square(words, tile));
}

/* A tile in one piece becomes U V^T where it is; -1: it stays dense. */
static int64_t compress(const cutter *c, const piece *p, char *tile)
{
    return c->compressor
               ? ashi_compress_dense(c->compressor, p->rows, p->cols, tile, c->want->tolerance, true, tile).rank : -1;
}

/* A tile that stays, which lies in one piece. Its norm is that of what is stored. */
static ashlar_status add_tile(cutter *c, ashi_tile_at at, const piece *p, double norm, ashlar_error *err)
{
    const ashi_held_size size = {c->want->row, c->want->col, (size_t)c->bytes, ashi_kernels_of(c->file->info.type)};
    ashi_tile_at *tile = ashi_array_room(c->tile, &c->tile_room, c->tiles + 1, sizeof *tile);
    c->tile = tile ? tile : c->tile;
    double *norms = ashi_array_room(c->norm, &c->norm_room, c->tiles + 1, sizeof *norms);
    c->norm = norms ? norms : c->norm;
    int64_t *ranks = ashi_array_room(c->rank, &c->rank_room, c->tiles + 1, sizeof *ranks);
    c->rank = ranks ? ranks : c->rank;
    if (!tile || !norms || !ranks)
        return ashi_fail_memory(err, "tiles", c->tiles * (int64_t)sizeof *tile);
    const int64_t rank = compress(c, p, c->packed);
    if (rank >= 0)
        ashi_held_expand(&size, at, rank, c->packed, c->expanded);
    c->tile[c->tiles] = at;
    c->rank[c->tiles] = rank;
    c->norm[c->tiles++] = rank >= 0 ? norm_of(c, p->rows * p->cols, c->expanded) : norm;
    return ASHLAR_OK;
}

/* What is not below the threshold stays: also what cannot be compared with it. */
static ashlar_status look(cutter *c, ashlar_error *err)
{
    ashi_tile_blocks blocks = c->blocks;
    ashlar_status status = ASHLAR_OK;
    for (ashi_tile_block b; status == ASHLAR_OK && ashi_tile_blocks_next(&blocks, &b);) {
        status = read_block(c, &b, err);
        for (int64_t row = b.row; row < b.row_end; row++)
            for (int64_t col = b.col; col < b.col_end && status == ASHLAR_OK; col++) {
                const piece p = piece_of(c, row, col);
                gather(c, &p, c->packed); /* so that its norm has the same bits wherever it is found */
                const double norm = norm_of(c, p.rows * p.cols, c->packed);
                if (!(norm == 0 || norm < c->want->threshold))
                    status = add_tile(c, (ashi_tile_at){row, col}, &p, norm, err);
            }
    }
    return status == ASHLAR_OK ? ashi_pattern_make(c->tile, c->tiles, &c->pattern, err) : status;
}

/* ---- their elements ---- */

/* The tiles of the block that is held, from number *next on, one after the other. */
static int64_t pack(cutter *c, int64_t *next)
{
    int64_t words = 0;
    for (; *next < c->tiles && c->tile[*next].row < c->held.row_end &&
           (c->tile[*next].row < c->held.row_end - 1 || c->tile[*next].col < c->held.col_end); ++*next) {
        const piece p = piece_of(c, c->tile[*next].row, c->tile[*next].col);
        const int64_t rank = c->rank[*next];
        gather(c, &p, c->packed + words * c->bytes);
        if (rank >= 0) /* as before: only ranks are kept in memory */
            (void)compress(c, &p, c->packed + words * c->bytes);
        words += rank >= 0 ? rank * (p.rows + p.cols) : p.rows * p.cols;
    }
    return words;
}

static ashlar_status copy(cutter *c, ashlar_error *err)
{
    ashi_tile_blocks blocks = c->blocks;
    int64_t next = 0, word = c->out.word;
    ashlar_status status = ashi_tile_file_write(c->out.file, ASHI_TILE_NORMS, c->out.tile, c->tiles, c->norm, err);
    for (ashi_tile_block b; status == ASHLAR_OK && ashi_tile_blocks_next(&blocks, &b);) {
        status = read_block(c, &b, err);
        const int64_t words = status == ASHLAR_OK ? pack(c, &next) : 0;
        if (status == ASHLAR_OK)
            status = ashi_tile_file_write(c->out.file, ASHI_TILE_ELEMENTS, word, words, c->packed, err);
        word += words;
    }
    return status;
}

/* ---- the call ---- */

/* Whether any rank has a tile that is stored as U V^T. Collective. */
static ashlar_status find_low(const cutter *c, const ashlar_context *context, int *low, ashlar_error *err)
{
    *low = 0;
    for (int64_t t = 0; t < c->tiles; t++)
        *low = *low || c->rank[t] >= 0;
    ashi_note(context, MPI_Allreduce(MPI_IN_PLACE, low, 1, MPI_INT, MPI_MAX, context->comm), "MPI_Allreduce");
    return ashi_agree(context, ASHLAR_OK, err);
}

static ashlar_status cut(cutter *c, ashlar_context *context, ashlar_error *err)
{
    const ashi_tile_cutting *w = c->want;
    int64_t first = 0, end = 0;
    ashi_tile_rows_of(w->row, context->rank, context->ranks, &first, &end);
    c->bytes = (int64_t)ashlar_type_bytes(c->file->info.type);
    c->kernels = ashi_tile_kernels_of(c->file->info.type);
    c->blocks = ashi_tile_blocks_of(w->row, w->col, first, end, BLOCK_BYTES / c->bytes);
    ashlar_status status = allocate(c, err);
    if (status == ASHLAR_OK)
        status = make_compressor(c, first, end, err);
    if (status == ASHLAR_OK)
        status = look(c, err);
    status = ashi_agree_named(context, status, err);
    int low = 0;
    if (status == ASHLAR_OK)
        status = find_low(c, context, &low, err);
    if (status != ASHLAR_OK)
        return status;
    const ashi_tile_head head = {c->file->info.type, ASHLAR_GENERAL, *w->row, *w->col, 0, 0, low != 0};
    status = ashi_tile_output_begin(context, w->to, &head, first, end, &c->pattern, c->rank, &c->out, err);
    if (status == ASHLAR_OK)
        status = copy(c, err);
    return ashi_tile_output_end(&c->out, status, err);
}

ashlar_status ashi_tiles_cut_file(ashlar_context *context, const ashi_tile_cutting *cutting, ashlar_error *err)
{
    cutter c = {.want = cutting, .held = {-1, -1, -1, -1}};
    ashlar_status status = ashlar_file_open(context, cutting->from, &c.file, err);
    if (status == ASHLAR_OK)
        status = check_side(cutting->from, "rows", c.file->info.rows, cutting->row, err);
    if (status == ASHLAR_OK)
        status = check_side(cutting->from, "columns", c.file->info.cols, cutting->col, err);
    if (status == ASHLAR_OK)
        status = cut(&c, context, err);
    ashlar_file_close(&c.file);
    ashi_pattern_free(&c.pattern);
    free(c.data);
    free(c.packed);
    free(c.tile);
    free(c.norm);
    free(c.rank);
    free(c.expanded);
    ashi_compressors_free(&c.compressor, 1);
    return status;
}
