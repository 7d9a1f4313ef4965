/* How a product of tile sets is cut into tasks: rows of tiles times columns of tiles, by sizes and patterns alone. */
#include "kernel/tile_plan.h"

#include "base/array.h"
#include "base/checked.h"
#include "base/error.h"
#include "kernel/cache_blocks.h"

#include <string.h>

/* Of a row of tiles of C that is summed up tile by tile, so that it stays in a core's cache. */
enum { SUM_BYTES = 1 << 20 };

static int64_t row_of(const ashi_tile_product *p, int64_t r)
{
    return p->a.row[r];
}

static int64_t height(const ashi_tile_product *p, int64_t r)
{
    return ashi_tile_rows_height(&p->a, row_of(p, r));
}

static bool alike(const ashi_tile_rows *x, int64_t r, int64_t s)
{
    const int64_t count = x->start[r + 1] - x->start[r];
    return x->start[s + 1] - x->start[s] == count &&
           memcmp(x->col + x->start[r], x->col + x->start[s], (size_t)count * sizeof *x->col) == 0;
}

/* The words of a row of op(B) for each k. */
static double width(const ashi_tile_product *p, int64_t b_row)
{
    double sum = 0;
    for (int64_t t = p->b.start[b_row]; t < p->b.start[b_row + 1]; t++)
        sum += (double)ashi_tile_rows_width(&p->b, p->b.col[t]);
    return sum;
}

/* Multiply-adds of a row, if C has all its tiles and all products are wanted. */
static double work_of(const ashi_tile_product *p, const double *widths, int64_t r)
{
    double sum = 0;
    if (p->c_row[r] < 0)
        return 0;
    for (int64_t t = p->a.start[r]; t < p->a.start[r + 1]; t++)
        if (p->b_row[t] >= 0)
            sum += widths[p->b_row[t]] * (double)ashi_tile_rows_width(&p->a, p->a.col[t]);
    return sum * (double)height(p, r);
}

int64_t ashi_tile_first_bit(const ashi_tile_product *p, int64_t r, int64_t t)
{
    int64_t bit = p->request.first ? p->request.first[r] : 0;
    for (int64_t u = p->a.start[r]; u < t && p->request.first; u++)
        bit += p->b_row[u] < 0 ? 0 : p->b.start[p->b_row[u] + 1] - p->b.start[p->b_row[u]];
    return bit;
}

static ashlar_status add_task(ashi_tile_product *p, const ashi_tile_task *task, ashlar_error *err)
{
    ashi_tile_task *room = ashi_array_room(p->task, &p->tasks_capacity, p->tasks + 1, sizeof *room);
    if (!room)
        return ashi_fail_memory(err, "the tasks of a product of tiles", (p->tasks + 1) * (int64_t)sizeof *room);
    p->task = room;
    p->task[p->tasks++] = *task;
    return ASHLAR_OK;
}

/* The rows' columns, in `panels` parts of about the same width that end where tiles do. */
static ashlar_status add_panels(ashi_tile_product *p, ashi_tile_task task, int64_t panels, ashlar_error *err)
{
    const ashi_cuts *cuts = p->c.cuts[1];
    const int64_t all = ashi_cuts_all(cuts), parts = ashi_max(1, ashi_min(panels, cuts->tiles));
    ashlar_status status = ASHLAR_OK;
    task.work /= (double)parts;
    task.col_hi = 0;
    for (int64_t i = 1; i <= parts && status == ASHLAR_OK; i++) {
        task.col_lo = task.col_hi;
        task.col_hi = i == parts ? cuts->tiles : ashi_max(task.col_lo, ashi_cuts_find(cuts, ashi_cut(all, parts, i)));
        if (task.col_lo < task.col_hi)
            status = add_task(p, &task, err);
    }
    return status;
}

/* Rows lo to hi - 1 are alike and have `all` rows of elements: parts of at most a block. */
static ashlar_status add_alike(ashi_tile_product *p, const double *widths, int64_t lo, int64_t hi, int64_t all,
                               ashlar_error *err)
{
    const int64_t columns = ashi_cuts_all(p->c.cuts[1]), parts = ashi_ceil_div(all, p->limits.block_rows);
    ashlar_status status = ASHLAR_OK;
    int64_t part = 1, done = 0;
    ashi_tile_task task = {.row_lo = lo, .alike = true};
    for (int64_t r = lo; r < hi && status == ASHLAR_OK; r++) {
        task.work += work_of(p, widths, r);
        done += height(p, r);
        const bool ends = r + 1 == hi || done + height(p, r + 1) / 2 > ashi_cut(all, parts, part);
        if (!ends)
            continue;
        task.row_hi = r + 1;
        status = add_panels(p, task, ashi_ceil_div(columns, p->limits.block_cols), err);
        task = (ashi_tile_task){.row_lo = r + 1, .alike = true};
        while (part < parts && ashi_cut(all, parts, part) <= done)
            part++;
    }
    return status;
}

/* Rows of any patterns: the columns in parts whose sums stay in a core's cache. */
static ashlar_status add_rows(ashi_tile_product *p, const ashi_tile_task *task, ashlar_error *err)
{
    double square = 0, sum = 1;
    for (int64_t r = task->row_lo; r < task->row_hi; r++) {
        const double m = (double)height(p, r);
        square += m * m;
        sum += m;
    }
    const double bytes = square / sum * (double)p->element * (double)ashi_cuts_all(p->c.cuts[1]);
    const double for_cache = bytes / SUM_BYTES, for_work = task->work / (4 * (double)p->limits.task_work);
    const double panels = for_cache > for_work ? for_cache : for_work;
    return add_panels(p, *task, 1 + (int64_t)(panels < 1e6 ? panels : 1e6), err);
}

/* The rows that were collected for a task; the next one begins with row `next`. */
static ashlar_status end_task(ashi_tile_product *p, ashi_tile_task *task, int64_t next, ashlar_error *err)
{
    const ashi_tile_task full = *task;
    *task = (ashi_tile_task){.row_lo = next, .row_hi = next};
    return full.row_lo < full.row_hi ? add_rows(p, &full, err) : ASHLAR_OK;
}

/* ---- rows whose products are all merged ---- */

/* The row of op(B) that the tiles of row r meet first; -1: they meet none. */
static int64_t first_met(const ashi_tile_product *p, int64_t r)
{
    for (int64_t t = p->a.start[r]; t < p->a.start[r + 1]; t++)
        if (p->b_row[t] >= 0)
            return p->b_row[t];
    return -1;
}

/* Whether row r of C has the columns that row b_row of op(B) has. */
static bool c_has(const ashi_tile_product *p, int64_t r, int64_t b_row)
{
    const int64_t *column = p->b.col + p->b.start[b_row], count = p->b.start[b_row + 1] - p->b.start[b_row];
    if (p->c_row[r] < 0)
        return false;
    const int64_t *c = p->c.col + p->c.start[p->c_row[r]], *const end = p->c.col + p->c.start[p->c_row[r] + 1];
    for (int64_t j = 0; j < count; j++, c++) {
        while (c < end && *c < column[j])
            c++;
        if (c == end || *c != column[j])
            return false;
    }
    return true;
}

/* Rows lo to hi - 1 are alike. Whether all products of theirs are wanted, with the same columns for every k, and C has
 * all tiles. *wide: the columns of elements. */
static bool are_full(const ashi_tile_product *p, int64_t lo, int64_t hi, int64_t *wide)
{
    const int64_t met = first_met(p, lo);
    if (met < 0 || p->request.first || p->request.rank[0])
        return false;
    for (int64_t t = p->a.start[lo]; t < p->a.start[lo + 1]; t++)
        if (p->b_row[t] >= 0 && !alike(&p->b, met, p->b_row[t]))
            return false;
    for (int64_t r = lo; r < hi; r++)
        if (!c_has(p, r, met))
            return false;
    *wide = (int64_t)width(p, met);
    return *wide >= p->limits.box_least;
}

/* In how many parts the rows and columns of elements are cut: each is packed once for every part of the other side, and
 * threads have equally many. A block of B takes PANEL_PART of C at most. */
static void choose_parts(const ashi_tile_product *p, int64_t tall, int64_t wide, int64_t parts[2])
{
    enum { PANEL_PART = 10, WIDER = 2 };
    const int64_t most = p->limits.block_cols, threads = p->request.threads;
    const double sum_part = (double)tall * (double)wide / (PANEL_PART * ASHI_CACHE_DEPTH);
    const int64_t fit = sum_part < (double)(WIDER * most) ? ashi_max((int64_t)sum_part, most) : WIDER * most;
    const int64_t least[2] = {ashi_ceil_div(tall, p->limits.block_rows), ashi_ceil_div(wide, fit)};
    double fewest = 0;
    for (int64_t rows = least[0]; rows < least[0] + threads; rows++) {
        int64_t cols = least[1];
        while (rows * cols % threads != 0)
            cols++;
        const double packed = (double)tall * (double)cols + (double)wide * (double)rows;
        if (rows > least[0] && packed >= fewest)
            continue;
        fewest = packed;
        parts[0] = rows;
        parts[1] = cols;
    }
}

static ashlar_status add_full(ashi_tile_product *p, const double *widths, int64_t lo, int64_t hi, int64_t tall,
                              int64_t wide, ashlar_error *err)
{
    ashi_tile_task task = {.row_lo = lo, .row_hi = hi, .col_hi = p->c.cuts[1]->tiles, .alike = true, .full = true};
    ashlar_status status = ASHLAR_OK;
    choose_parts(p, tall, wide, task.parts);
    const int64_t count = task.parts[0] * task.parts[1];
    for (int64_t r = lo; r < hi; r++)
        task.work += work_of(p, widths, r) / (double)count;
    for (int64_t i = 0; i < count && status == ASHLAR_OK; i++) {
        task.part[0] = i % task.parts[0];
        task.part[1] = i / task.parts[0];
        status = add_task(p, &task, err);
    }
    return status;
}

/* Rows lo to hi - 1 are alike and have `all` rows of elements. */
static ashlar_status add_group(ashi_tile_product *p, const double *widths, int64_t lo, int64_t hi, int64_t all,
                               ashlar_error *err)
{
    int64_t wide = 0;
    return are_full(p, lo, hi, &wide) ? add_full(p, widths, lo, hi, all, wide, err)
                                      : add_alike(p, widths, lo, hi, all, err);
}

/* All rows: those that are alike and enough by themselves, the others as many as make a task. */
static ashlar_status cut_rows(ashi_tile_product *p, const double *widths, ashlar_error *err)
{
    ashlar_status status = ASHLAR_OK;
    ashi_tile_task task = {0};
    for (int64_t r = 0, end; r < p->a.rows && status == ASHLAR_OK; r = end) {
        int64_t all = height(p, r);
        for (end = r + 1; end < p->a.rows && alike(&p->a, r, end); end++)
            all += height(p, end);
        if (all >= p->limits.box_least) {
            status = end_task(p, &task, end, err);
            if (status == ASHLAR_OK)
                status = add_group(p, widths, r, end, all, err);
            continue;
        }
        end = r + 1;
        task.row_hi = end;
        task.work += work_of(p, widths, r);
        if (task.work >= (double)p->limits.task_work)
            status = end_task(p, &task, end, err);
    }
    return status == ASHLAR_OK ? end_task(p, &task, 0, err) : status;
}

static int larger_first(const void *a, const void *b)
{
    const ashi_tile_task *x = a, *y = b;
    if (x->work != y->work)
        return x->work < y->work ? 1 : -1;
    if (x->row_lo != y->row_lo)
        return x->row_lo < y->row_lo ? -1 : 1;
    if (x->col_lo != y->col_lo)
        return x->col_lo < y->col_lo ? -1 : 1;
    return x->part[1] != y->part[1] ? (x->part[1] > y->part[1]) - (x->part[1] < y->part[1])
                                    : (x->part[0] > y->part[0]) - (x->part[0] < y->part[0]);
}

ashlar_status ashi_tile_plan_tasks(ashi_tile_product *p, ashlar_error *err)
{
    double *widths = malloc(((size_t)p->b.rows + 1) * sizeof *widths);
    if (!widths)
        return ashi_fail_memory(err, "the tasks of a product of tiles", (p->b.rows + 1) * (int64_t)sizeof *widths);
    for (int64_t r = 0; r < p->b.rows; r++)
        widths[r] = width(p, r);
    const ashlar_status status = cut_rows(p, widths, err);
    free(widths);
    if (status != ASHLAR_OK)
        return status;
    if (p->tasks > 1)
        qsort(p->task, (size_t)p->tasks, sizeof *p->task, larger_first);
    return ASHLAR_OK;
}
