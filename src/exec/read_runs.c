/* Tiles that a product reads: several lists, each in order, become one pattern. */
#include "exec/read_runs.h"

#include "base/checked.h"
#include "base/ordering.h"

#include <string.h>

/* ---- runs ---- */

static bool is_before(const int64_t *x, const int64_t *y)
{
    return x[0] != y[0] ? x[0] < y[0] : x[1] < y[1];
}

/* Whether tiles t to end - 1 of a list each are after the one before; *rows is increased by their rows then. Without
 * branches, since most lists are in order. */
static bool are_in_order(const ashi_read_run *list, int64_t t, int64_t end, int64_t *rows)
{
    const int64_t *tile = list->tile + (t - 1) * list->tile_step;
    int64_t wrong = 0, changes = 0;
    for (; t < end; t++, tile += list->tile_step) {
        const int64_t *next = tile + list->tile_step;
        const int64_t other = next[0] != tile[0];
        wrong += (next[0] < tile[0]) | (!other & (next[1] < tile[1]));
        changes += other;
    }
    *rows += wrong == 0 ? changes : 0;
    return wrong == 0;
}

/* The tiles of a list that are in order; *rows is increased by their rows. */
static int64_t find_end(const ashi_read_run *list, int64_t *rows)
{
    enum { BLOCK = 256 };
    int64_t t = 1;
    ++*rows;
    while (t < list->count && are_in_order(list, t, ashi_min(t + BLOCK, list->count), rows))
        t = ashi_min(t + BLOCK, list->count);
    const int64_t *tile = list->tile + (t - 1) * list->tile_step;
    for (; t < list->count; t++, tile += list->tile_step) {
        const int64_t *next = tile + list->tile_step;
        if (is_before(next, tile))
            break;
        *rows += next[0] != tile[0];
    }
    return t;
}

static void pass(ashi_read_run *r, int64_t tiles)
{
    r->tile += tiles * r->tile_step;
    r->word += r->word ? tiles * r->word_step : 0;
    r->count -= tiles;
}

bool ashi_read_runs_add(ashi_read_runs *runs, const ashi_read_run *list)
{
    ashi_read_run rest = *list;
    while (rest.count > 0) {
        if (runs->count == ASHI_READ_RUNS)
            return false;
        const int64_t tiles = find_end(&rest, &runs->rows);
        ashi_read_run *r = &runs->run[runs->count++];
        *r = rest;
        r->count = tiles;
        runs->tiles += tiles;
        pass(&rest, tiles);
    }
    return true;
}

/* ---- merging ---- */

/* The rank's own tiles are looked up among all that it has: most follow each other. */
typedef struct merging {
    const ashi_tile_set *own;
    ashi_read_places out;
    int64_t made;            /* tiles of the pattern */
    int64_t x, at, end;      /* the row of the rank's own that was found last, the next tile in it, and its end */
    int64_t row;
    bool sought;             /* whether the row in hand has been looked for */
} merging;

/* m->at is the tile of a column. */
static void seek_own(merging *m, int64_t col)
{
    const ashi_pattern *p = m->own->pattern;
    if (!m->sought) {
        m->x = ashi_first_near(p->row, m->x, p->rows, m->row);
        m->at = p->start[m->x];
        m->end = p->start[m->x + 1];
        m->sought = true;
    }
    if (p->col[m->at] != col)
        m->at = ashi_first_near(p->col, m->at, m->end, col);
}

static int64_t find_own(merging *m, int64_t col)
{
    seek_own(m, col);
    const int64_t word = m->own->at[m->at];
    m->at += m->at + 1 < m->end;
    return word;
}

static inline void put(merging *m, const ashi_read_run *r)
{
    const int64_t word = r->word ? *r->word : -1;
    m->out.pattern->col[m->made] = r->tile[1];
    m->out.own[m->made] = word < 0;
    m->out.at[m->made++] = word < 0 ? find_own(m, r->tile[1]) : word + r->apart;
}

static inline void go_on(ashi_read_run *r)
{
    r->tile += r->tile_step;
    r->word += r->word ? r->word_step : 0;
    r->count--;
}

/* Whether the run's next tiles of the row in hand are `count` of the rank's own from m->at on. The run has no others
 * than its own, so it is enough that the last of them is where it would be. */
static bool are_own(const merging *m, const ashi_read_run *r, int64_t count)
{
    const int64_t *const last = r->tile + (count - 1) * r->tile_step;
    return count <= r->count && last[0] == m->row && last[1] == m->own->pattern->col[m->at + count - 1];
}

static void copy_own(merging *m, ashi_read_run *r, int64_t count)
{
    memcpy(m->out.pattern->col + m->made, m->own->pattern->col + m->at, (size_t)count * sizeof *m->out.at);
    memcpy(m->out.at + m->made, m->own->at + m->at, (size_t)count * sizeof *m->out.at);
    memset(m->out.own + m->made, 1, (size_t)count);
    m->made += count;
    m->at += ashi_min(count, m->end - m->at - 1);
    pass(r, count);
}

static int64_t count_row(const merging *m, const ashi_read_run *r)
{
    int64_t count = 0;
    while (count < r->count && r->tile[count * r->tile_step] == m->row)
        count++;
    return count;
}

/* The tiles of the row in the only run that has more of them. Its own tiles mostly are all that the rank has from the
 * first of them to the end of the row, or to the last of them: these are copied. */
static void put_rest(merging *m, ashi_read_run *r)
{
    int64_t count = 0;
    if (!r->word) {
        seek_own(m, r->tile[1]);
        count = are_own(m, r, m->end - m->at) ? m->end - m->at : count_row(m, r);
        if (count <= m->end - m->at && are_own(m, r, count)) {
            copy_own(m, r, count);
            return;
        }
    } else {
        count = count_row(m, r);
    }
    for (; count > 0; count--, go_on(r))
        put(m, r);
}

/* The tiles of the row, from the runs that have it. */
static void merge_row(merging *m, ashi_read_run **active, int count)
{
    while (count > 1) {
        int first = 0;
        for (int i = 1; i < count; i++)
            first = active[i]->tile[1] < active[first]->tile[1] ? i : first;
        ashi_read_run *r = active[first];
        put(m, r);
        go_on(r);
        if (r->count == 0 || r->tile[0] != m->row)
            active[first] = active[--count];
    }
    put_rest(m, active[0]);
}

/* The next row, and the runs that have it; returns how many. */
static int find_row(merging *m, ashi_read_runs *runs, ashi_read_run *active[ASHI_READ_RUNS])
{
    int found = 0;
    for (int i = 0; i < runs->count; i++) {
        ashi_read_run *r = &runs->run[i];
        if (r->count == 0 || (found > 0 && r->tile[0] > m->row))
            continue;
        if (found == 0 || r->tile[0] < m->row)
            found = 0;
        m->row = r->tile[0];
        active[found++] = r;
    }
    m->sought = false;
    return found;
}

void ashi_read_runs_merge(ashi_read_runs *runs, const ashi_tile_set *own, const ashi_read_places *out)
{
    merging m = {.own = own, .out = *out, .row = -1};
    ashi_read_run *active[ASHI_READ_RUNS];
    int64_t rows = 0;
    for (int count = find_row(&m, runs, active); count > 0; count = find_row(&m, runs, active)) {
        out->pattern->row[rows] = m.row;
        out->pattern->start[rows++] = m.made;
        merge_row(&m, active, count);
    }
    out->pattern->rows = rows;
    out->pattern->start[rows] = m.made;
}
