/* A pattern in which a few tiles change. */
#include "layout/pattern_change.h"
#include "base/error.h"
#include "base/ordering.h"
#include "layout/pattern_sets.h"

#include <stdlib.h>
#include <string.h>

void ashi_pattern_changes_free(ashi_pattern_changes *changes)
{
    ashi_pattern_free(&changes->added);
    ashi_pattern_free(&changes->removed);
}

typedef struct copying {
    const ashi_pattern *from;
    const int64_t *value;
    ashi_pattern *out;
    int64_t *value_out;
    int64_t made; /* tiles of out */
} copying;

static void copy_tiles(copying *c, int64_t begin, int64_t end)
{
    if (end == begin)
        return;
    memcpy(c->out->col + c->made, c->from->col + begin, (size_t)(end - begin) * sizeof(int64_t));
    if (c->value_out)
        memcpy(c->value_out + c->made, c->value + begin, (size_t)(end - begin) * sizeof(int64_t));
    c->made += end - begin;
}

static void add_tile(copying *c, int64_t col)
{
    if (c->value_out)
        c->value_out[c->made] = 0;
    c->out->col[c->made++] = col;
}

/* The tiles of a pattern's row, none if it is not the row `at`. */
typedef struct row_range {
    int64_t begin, end;
} row_range;

static row_range take_row(const ashi_pattern *pattern, int64_t *at, int64_t row)
{
    if (*at == pattern->rows || pattern->row[*at] != row)
        return (row_range){0, 0};
    const int64_t x = (*at)++;
    return (row_range){pattern->start[x], pattern->start[x + 1]};
}

static void change_row(copying *c, const ashi_pattern_changes *changes, row_range kept, row_range gone, row_range come)
{
    const ashi_pattern *removed = &changes->removed, *added = &changes->added;
    while (gone.begin < gone.end || come.begin < come.end) {
        const bool going = gone.begin < gone.end &&
                           (come.begin == come.end || removed->col[gone.begin] < added->col[come.begin]);
        const int64_t col = going ? removed->col[gone.begin++] : added->col[come.begin++];
        const int64_t to = ashi_first_from(c->from->col, kept.begin, kept.end, col);
        copy_tiles(c, kept.begin, to);
        kept.begin = going ? to + 1 : to;
        if (!going)
            add_tile(c, col);
    }
    copy_tiles(c, kept.begin, kept.end);
}

static void change_rows(copying *c, const ashi_pattern_changes *changes)
{
    const ashi_pattern *from = c->from, *added = &changes->added;
    ashi_pattern *out = c->out;
    int64_t x = 0, r = 0, a = 0, rows = 0;
    while (x < from->rows || a < added->rows) {
        const bool in_from = x < from->rows && (a == added->rows || from->row[x] <= added->row[a]);
        const int64_t row = in_from ? from->row[x] : added->row[a], begin = c->made;
        const row_range kept = take_row(from, &x, row), gone = take_row(&changes->removed, &r, row);
        const row_range come = take_row(added, &a, row);
        change_row(c, changes, kept, gone, come);
        if (c->made == begin)
            continue;
        out->row[rows] = row;
        out->start[rows++] = begin;
    }
    out->rows = rows;
    out->start[rows] = c->made;
}

ashlar_status ashi_pattern_change(const ashi_pattern *from, const ashi_pattern_changes *changes, const int64_t *value,
                                  ashi_pattern *out, int64_t **value_out, ashlar_error *err)
{
    const int64_t tiles = from->tiles + changes->added.tiles - changes->removed.tiles;
    copying c = {.from = from, .value = value, .out = out};
    if (value_out)
        *value_out = NULL;
    ashlar_status status = ashi_pattern_reserve(from->rows + changes->added.rows, tiles, out, err);
    if (status == ASHLAR_OK && value_out) {
        *value_out = c.value_out = malloc(((size_t)tiles + 1) * sizeof **value_out);
        if (!c.value_out)
            status = ashi_fail_memory(err, "the numbers of tiles", (tiles + 1) * (int64_t)sizeof **value_out);
    }
    if (status == ASHLAR_OK)
        change_rows(&c, changes);
    return status;
}

typedef struct comparing {
    const ashi_pattern *before, *after;
    ashi_pattern_maker added, removed;
    int64_t looked;
} comparing;

static bool compare_row(comparing *c, int64_t row, row_range was, row_range is)
{
    const int64_t *before = c->before->col, *after = c->after->col, tiles = was.end - was.begin;
    bool done = true;
    c->looked++;
    if (tiles == is.end - is.begin && (tiles == 0 || memcmp(before + was.begin, after + is.begin,
                                                            (size_t)tiles * sizeof *before) == 0))
        return true;
    while (was.begin < was.end && is.begin < is.end && before[was.begin] == after[is.begin]) {
        was.begin++;
        is.begin++;
    }
    while (was.begin < was.end && is.begin < is.end && before[was.end - 1] == after[is.end - 1]) {
        was.end--;
        is.end--;
    }
    c->looked += was.end - was.begin + is.end - is.begin;
    while (done && (was.begin < was.end || is.begin < is.end)) {
        const bool stood = was.begin < was.end && (is.begin == is.end || before[was.begin] <= after[is.begin]);
        const bool stands = is.begin < is.end && (was.begin == was.end || after[is.begin] <= before[was.begin]);
        if (stood && !stands)
            done = ashi_pattern_add(&c->removed, row, before[was.begin]);
        else if (stands && !stood)
            done = ashi_pattern_add(&c->added, row, after[is.begin]);
        was.begin += stood;
        is.begin += stands;
    }
    return done;
}

ashlar_status ashi_pattern_compare(const ashi_pattern *before, const ashi_pattern *after, ashi_pattern_changes *out,
                                   int64_t *looked, ashlar_error *err)
{
    comparing c = {.before = before, .after = after};
    bool done = true;
    for (int64_t x = 0, y = 0; done && (x < before->rows || y < after->rows);) {
        const bool was = x < before->rows && (y == after->rows || before->row[x] <= after->row[y]);
        const int64_t row = was ? before->row[x] : after->row[y];
        const row_range tiles = take_row(before, &x, row);
        done = compare_row(&c, row, tiles, take_row(after, &y, row));
    }
    *out = (ashi_pattern_changes){0};
    ashlar_status status = ashi_pattern_finish(&c.added, done, &out->added, err);
    const ashlar_status other = ashi_pattern_finish(&c.removed, done, &out->removed, status == ASHLAR_OK ? err : NULL);
    *looked += c.looked;
    return status == ASHLAR_OK ? other : status;
}

static ashlar_status mirror(const ashi_pattern *stored, ashlar_symmetry symmetry, ashlar_op op, ashi_pattern *out,
                            ashlar_error *err)
{
    if (symmetry == ASHLAR_GENERAL && op == ASHLAR_OP_N)
        return ashi_pattern_copy(stored, out, err);
    if (symmetry == ASHLAR_GENERAL)
        return ashi_pattern_transpose(stored, out, NULL, err);
    ashi_pattern turned = {0};
    *out = (ashi_pattern){0};
    ashlar_status status = ashi_pattern_transpose(stored, &turned, NULL, err);
    if (status == ASHLAR_OK)
        status = ashi_pattern_union(stored, &turned, out, err);
    ashi_pattern_free(&turned);
    return status;
}

ashlar_status ashi_factor_changes(const ashi_pattern_changes *stored, ashlar_symmetry symmetry, ashlar_op op,
                                  ashi_pattern_changes *out, ashlar_error *err)
{
    *out = (ashi_pattern_changes){0};
    const ashlar_status status = mirror(&stored->added, symmetry, op, &out->added, err);
    return status == ASHLAR_OK ? mirror(&stored->removed, symmetry, op, &out->removed, err) : status;
}
