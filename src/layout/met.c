/* Products of tiles that come and go in a row of C. */
#include "layout/met.h"
#include "base/checked.h"
#include "base/error.h"
#include "base/ordering.h"

#include <stdlib.h>
#include <string.h>

/* Tiles of B of one row that come and go are copied so many at a time, whether there are as many or not; and such rows
 * are listed so many at a time. */
enum { AT_ONCE = 4, ROWS_AT_ONCE = 512 };

/* ---- products that come and go ---- */

/* Rows of elements times the other multiply-adds of each. */
static void count_work(ashi_met *m, int64_t rows, int64_t each)
{
    int64_t work;
    if (m->columns)
        return;
    if (!ashi_mul(rows, each, &work) || !ashi_add(m->s->multiplies, work, &m->s->multiplies))
        m->s->multiplies = INT64_MAX;
}

static void count_products(ashi_met *m, int64_t products)
{
    m->allowed += products;
    m->s->formed += m->columns ? 0 : products;
}

static inline void add_columns(ashi_met *m, int64_t col, int64_t columns)
{
    m->columns[col] = (int64_t)((uint64_t)m->columns[col] + (uint64_t)columns);
}

static inline void touch(ashi_met *m, int64_t col, int64_t sign)
{
    m->touched.number[m->touched.count++] = col;
    m->by[col] += sign;
}

/* A tile (row, k) of A comes or goes, and meets all tiles of row k of B. */
static bool meet_row(ashi_met *m, int64_t row, int64_t k, const ashi_factor *b, int64_t sign)
{
    ashi_factor_run run[2];
    const ashi_sparse_product *p = m->changes->after;
    const int64_t x = ashi_factor_find(b, k);
    const int runs = x < 0 ? 0 : ashi_factor_runs(b, x, run);
    int64_t columns = 0;
    for (int r = 0; r < runs; r++) {
        const int64_t first = p->half ? ashi_first_from(run[r].col, 0, run[r].count, row) : 0;
        if (!ashi_met_room(&m->touched, run[r].count))
            return false;
        m->s->visited += run[r].count;
        count_products(m, sign * (run[r].count - first));
        for (int64_t j = first; j < run[r].count; j++) {
            touch(m, run[r].col[j], sign);
            columns += sign * ashi_cuts_size(p->cols, run[r].col[j]);
        }
        for (int64_t j = first; j < run[r].count && m->columns; j++)
            add_columns(m, run[r].col[j],
                        sign * ashi_mul_most(ashi_cuts_size(p->cols, run[r].col[j]), ashi_cuts_size(p->inner, k)));
    }
    count_work(m, ashi_mul_most(ashi_cuts_size(p->rows, row), ashi_cuts_size(p->inner, k)), columns);
    return true;
}

/* List the tiles of B that change in `count` rows; below 0: memory lacks. Most rows have few of them or none: to copy
 * some for each of them costs less than to branch. */
static int64_t list_met(ashi_met *m, const int64_t *k, int64_t count)
{
    int64_t met = 0;
    for (int64_t i = 0; i < count; i++) {
        const ashi_met_tile *const from = m->other + m->first[k[i]];
        const int64_t changes = m->first[k[i] + 1] - m->first[k[i]];
        if (i == 0 || changes > AT_ONCE) {
            const int64_t most = met + changes + AT_ONCE * (count - i);
            ashi_met_tile *room = ashi_array_room(m->listed, &m->listed_room, most, sizeof *room);
            if (!room)
                return -1;
            m->listed = room;
        }
        memcpy(m->listed + met, from, AT_ONCE * sizeof *from);
        if (changes > AT_ONCE)
            memcpy(m->listed + met, from, (size_t)changes * sizeof *from);
        met += changes;
    }
    return met;
}

static bool meet_some(ashi_met *m, int64_t row, const int64_t *k, int64_t count)
{
    const int64_t met = list_met(m, k, count), least = m->changes->after->half ? row : 0;
    int64_t formed = 0;
    uint64_t each = 0;
    if (met < 0 || !ashi_met_room(&m->touched, met))
        return false;
    m->s->visited += met;
    for (int64_t i = 0; i < met; i++) {
        const int64_t goes = -(m->listed[i].col < 0), col = m->listed[i].col ^ goes, sign = 2 * goes + 1;
        if (col < least)
            continue;
        formed += sign;
        each += (uint64_t)m->listed[i].columns;
        touch(m, col, sign);
    }
    for (int64_t i = 0; i < met && m->columns; i++) {
        const int64_t col = m->listed[i].col ^ -(m->listed[i].col < 0);
        add_columns(m, col, col < least ? 0 : m->listed[i].columns);
    }
    count_products(m, formed);
    count_work(m, ashi_cuts_size(m->changes->after->rows, row), (int64_t)each);
    return true;
}

/* Tiles of a row of A that stay meet the tiles of B that change. */
static bool meet_changes(ashi_met *m, int64_t row, const int64_t *k, int64_t count)
{
    bool done = true;
    for (int64_t i = 0; i < count && done; i += ROWS_AT_ONCE)
        done = meet_some(m, row, k + i, ashi_min(ROWS_AT_ONCE, count - i));
    return done;
}

void ashi_met_find_in(const ashi_pattern *pattern, int64_t row, int64_t *x, int64_t *begin, int64_t *end)
{
    while (*x < pattern->rows && pattern->row[*x] < row)
        ++*x;
    const bool there = *x < pattern->rows && pattern->row[*x] == row;
    *begin = there ? pattern->start[*x] : 0;
    *end = there ? pattern->start[*x + 1] : 0;
}

/* Tiles of a row of A, of which those from `next` to `end` come. */
static bool meet_run(ashi_met *m, int64_t row, const ashi_factor_run *run, int64_t *next, int64_t end)
{
    const int64_t *const come = m->changes->a->added.col;
    int64_t done = 0;
    for (; *next < end; ++*next) {
        const int64_t at = ashi_first_near(run->col, done, run->count, come[*next]);
        if (at == run->count || run->col[at] != come[*next])
            break; /* it is in the other run */
        if (!meet_changes(m, row, run->col + done, at - done) ||
            !meet_row(m, row, come[*next], m->changes->after->b, 1))
            return false;
        done = at + 1;
    }
    return meet_changes(m, row, run->col + done, run->count - done);
}

bool ashi_met_row(ashi_met *m, int64_t row, int64_t in_a)
{
    const ashi_pattern *gone = &m->changes->a->removed, *come = &m->changes->a->added;
    int64_t went, went_end, next, end;
    ashi_factor_run run[2];
    const int runs = in_a < 0 ? 0 : ashi_factor_runs(m->changes->after->a, in_a, run);
    bool done = true;
    ashi_met_find_in(gone, row, &m->row_gone, &went, &went_end);
    ashi_met_find_in(come, row, &m->row_come, &next, &end);
    for (; went < went_end && done; went++)
        done = meet_row(m, row, gone->col[went], m->changes->before->b, -1);
    for (int r = 0; r < runs && done; r++)
        done = meet_run(m, row, &run[r], &next, end);
    return done;
}

/* ---- all rows ---- */

/* Tiles t of a row of changes of B, which is row k. */
static void list_row(ashi_met *m, const ashi_pattern *tiles, int64_t row, int64_t k, int64_t *count)
{
    const ashi_sparse_product *p = m->changes->after;
    const bool goes = tiles == &m->changes->b->removed;
    for (int64_t t = tiles->start[row]; t < tiles->start[row + 1]; t++) {
        const int64_t col = tiles->col[t];
        int64_t columns = 0;
        m->overflows = m->overflows || !ashi_mul(ashi_cuts_size(p->cols, col), ashi_cuts_size(p->inner, k), &columns) ||
                       !ashi_add(m->all, columns, &m->all);
        m->other[(*count)++] = goes ? (ashi_met_tile){~col, -columns} : (ashi_met_tile){col, columns};
    }
}

/* Those that go, and behind them those that come, of each row k. */
static void list_other(ashi_met *m, int64_t inner)
{
    const ashi_pattern *gone = &m->changes->b->removed, *come = &m->changes->b->added;
    int64_t count = 0;
    for (int64_t k = 0, x = 0, y = 0; k < inner; k++) {
        m->first[k] = count;
        if (x < gone->rows && gone->row[x] == k)
            list_row(m, gone, x++, k, &count);
        if (y < come->rows && come->row[y] == k)
            list_row(m, come, y++, k, &count);
    }
    m->first[inner] = count;
}

ashlar_status ashi_met_begin(const ashi_symbolic_changes *changes, ashi_symbolic *s, ashi_met *m, ashlar_error *err)
{
    const int64_t inner = changes->after->inner->tiles + 1, cols = changes->after->cols->tiles + 1;
    const int64_t other = changes->b->removed.tiles + changes->b->added.tiles + AT_ONCE;
    *m = (ashi_met){.changes = changes, .s = s, .first = malloc((size_t)inner * sizeof *m->first),
                    .other = calloc((size_t)other, sizeof *m->other), .by = calloc((size_t)cols, sizeof *m->by)};
    if (changes->after->retain)
        m->columns = calloc((size_t)cols, sizeof *m->columns);
    if (!m->first || !m->other || !m->by || (changes->after->retain && !m->columns))
        return ashi_fail_memory(err, "a change", (inner + cols) * (int64_t)sizeof *m->first +
                                                     other * (int64_t)sizeof *m->other);
    list_other(m, inner - 1);
    return ASHLAR_OK;
}

void ashi_met_end(ashi_met *m)
{
    if (m->overflows)
        m->s->multiplies = INT64_MAX;
    free(m->first);
    free(m->other);
    free(m->listed);
    free(m->by);
    free(m->columns);
    free(m->touched.number);
}
