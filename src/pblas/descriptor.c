/* ScaLAPACK's array descriptors of both kinds, and whether a submatrix fits the one it is described by. */
#include "pblas/descriptor.h"

#include "base/checked.h"

enum { NINE_ENTRIES = 1, ELEVEN_ENTRIES = 2 };

/* Entries of a descriptor of eleven, counted from 1 as they are reported. */
enum { TYPE = 1, CONTEXT, ROWS, COLS, FIRST_ROWS, FIRST_COLS, BLOCK_ROWS, BLOCK_COLS, ROW_SOURCE, COL_SOURCE, LEAD };

enum { SCALE = 100, NO_ERROR = 10000 };

ashi_descriptor ashi_descriptor_read(const int *e)
{
    if (e[0] == NINE_ENTRIES)
        return (ashi_descriptor){ELEVEN_ENTRIES, e[1], e[2], e[3], e[4], e[5], e[4], e[5], e[6], e[7], e[8]};
    if (e[0] == ELEVEN_ENTRIES)
        return (ashi_descriptor){ELEVEN_ENTRIES, e[1], e[2], e[3], e[4], e[5], e[6], e[7], e[8], e[9], e[10]};
    return (ashi_descriptor){e[0], e[1], 0, 0, 1, 1, 1, 1, 0, 0, 1};
}

int64_t ashi_descriptor_share(int64_t count, int64_t first, int64_t block, int process, int source, int processes)
{
    if (source < 0 || processes == 1)
        return count;
    const int64_t turn = (process - source + processes) % processes;
    if (count <= first)
        return turn == 0 ? count : 0;
    const int64_t rest = count - first, blocks = rest / block, last = rest % block; /* of block 1 and later ones */
    int64_t share = turn == 0 ? first : 0;
    const int64_t before = turn == 0 ? processes - 1 : turn - 1; /* whole blocks until the first of those is its own */
    if (blocks > before)
        share += ((blocks - before - 1) / processes + 1) * block;
    return share + (blocks % processes == before ? last : 0);
}

static void blame(int *least, bool wrong, int code)
{
    if (wrong && code < *least)
        *least = code;
}

/* Errors are compared by 100 times the argument's number plus the entry; without an entry the number alone is told. */
static int begin(int info)
{
    if (info >= 0)
        return NO_ERROR;
    return info < -SCALE ? -info : -info * SCALE;
}

static int end(int least)
{
    if (least == NO_ERROR)
        return 0;
    return least % SCALE == 0 ? -(least / SCALE) : -least;
}

static void check_geometry(const ashi_descriptor *d, const ashi_coordinates *grid, int entry, int *least)
{
    blame(least, d->first_rows < 1, entry + FIRST_ROWS);
    blame(least, d->first_cols < 1, entry + FIRST_COLS);
    blame(least, d->block_rows < 1, entry + BLOCK_ROWS);
    blame(least, d->block_cols < 1, entry + BLOCK_COLS);
    blame(least, d->row_source < -1 || d->row_source >= grid->rows, entry + ROW_SOURCE);
    blame(least, d->col_source < -1 || d->col_source >= grid->cols, entry + COL_SOURCE);
}

/* A submatrix without elements: less is asked for. */
static void check_empty(const ashi_descriptor *d, int entry, int *least)
{
    blame(least, d->rows < 0, entry + ROWS);
    blame(least, d->cols < 0, entry + COLS);
    blame(least, d->ld < 1, entry + LEAD);
}

static void check_bounds(const ashi_submatrix *sub, int row_code, int col_code, int entry, int *least)
{
    const ashi_descriptor *d = &sub->of;
    blame(least, d->rows < 1, entry + ROWS);
    blame(least, d->cols < 1, entry + COLS);
    if (d->rows < 1 || d->cols < 1)
        return;
    blame(least, sub->row + sub->rows > d->rows, row_code);
    blame(least, sub->col + sub->cols > d->cols, col_code);
}

/* Where the process has no columns the leading dimension need not be enough for its rows. */
static void check_lead(const ashi_descriptor *d, const ashi_coordinates *grid, int entry, int *least)
{
    const int64_t rows =
        ashi_descriptor_share(d->rows, d->first_rows, d->block_rows, grid->row, d->row_source, grid->rows);
    const int64_t cols =
        ashi_descriptor_share(d->cols, d->first_cols, d->block_cols, grid->col, d->col_source, grid->cols);
    blame(least, d->ld < 1 || (cols > 0 && d->ld < rows), entry + LEAD);
}

int ashi_descriptor_check(const ashi_submatrix *sub, ashi_positions at, int context, const ashi_coordinates *grid,
                          int info)
{
    const ashi_descriptor *d = &sub->of;
    const int entry = at.descriptor * SCALE, row_code = entry - 2 * SCALE, col_code = entry - SCALE;
    int least = begin(info);
    blame(&least, sub->rows < 0, at.rows * SCALE);
    blame(&least, sub->cols < 0, at.cols * SCALE);
    blame(&least, sub->row < 0, row_code);
    blame(&least, sub->col < 0, col_code);
    blame(&least, d->type != ELEVEN_ENTRIES, entry + TYPE);
    if (d->type != ELEVEN_ENTRIES)
        return end(least);
    blame(&least, d->context != context || grid->rows < 0, entry + CONTEXT);
    if (d->context != context || grid->rows < 0)
        return end(least);
    check_geometry(d, grid, entry, &least);
    if (sub->rows == 0 || sub->cols == 0) {
        check_empty(d, entry, &least);
        return end(least);
    }
    check_bounds(sub, row_code, col_code, entry, &least);
    if (least == NO_ERROR)
        check_lead(d, grid, entry, &least);
    return end(least);
}
