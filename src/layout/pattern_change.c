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
    ashi_pattern *out;
    int64_t made; /* tiles of out */
} copying;

static void copy_tiles(copying *c, int64_t begin, int64_t end)
{
    if (end == begin)
        return;
    memcpy(c->out->col + c->made, c->from->col + begin, (size_t)(end - begin) * sizeof(int64_t));
    c->made += end - begin;
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
            c->out->col[c->made++] = col;
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

ashlar_status ashi_pattern_change(const ashi_pattern *from, const ashi_pattern_changes *changes, ashi_pattern *out,
                                  ashlar_error *err)
{
    const int64_t tiles = from->tiles + changes->added.tiles - changes->removed.tiles;
    copying c = {.from = from, .out = out};
    const ashlar_status status = ashi_pattern_reserve(from->rows + changes->added.rows, tiles, out, err);
    if (status == ASHLAR_OK)
        change_rows(&c, changes);
    return status;
}

/* The tile of a pattern that each tile of a list is, or before which it would be. */
static void find_places(const ashi_pattern *from, const ashi_pattern *tiles, int64_t *place)
{
    for (int64_t r = 0, x = 0; r < tiles->rows; r++) {
        x = ashi_first_near(from->row, x, from->rows, tiles->row[r]);
        const bool has_row = x < from->rows && from->row[x] == tiles->row[r];
        const int64_t end = from->tiles == 0 ? 0 : from->start[has_row ? x + 1 : x];
        int64_t at = from->tiles == 0 ? 0 : from->start[x];
        for (int64_t t = tiles->start[r]; t < tiles->start[r + 1]; t++)
            place[t] = at = ashi_first_near(from->col, at, end, tiles->col[t]);
    }
}

ashlar_status ashi_pattern_splice(const ashi_pattern *from, const ashi_pattern_changes *changes, ashi_splice *out,
                                  ashlar_error *err)
{
    const int64_t goes = changes->removed.tiles, comes = changes->added.tiles;
    int64_t *place = malloc(((size_t)(goes + comes) + 1) * sizeof *place);
    *out = (ashi_splice){0};
    if (!place)
        return ashi_fail_memory(err, "a change", (goes + comes) * (int64_t)sizeof *place);
    find_places(from, &changes->removed, place);
    find_places(from, &changes->added, place + goes);
    const ashlar_status status = ashi_splice_make(from->tiles, place, goes, place + goes, comes, out, err);
    free(place);
    return status;
}

/* The rows after the changes, and where their tiles begin. */
static void count_rows(const ashi_pattern *from, const ashi_pattern_changes *changes, ashi_pattern *out)
{
    const ashi_pattern *added = &changes->added;
    int64_t x = 0, r = 0, a = 0;
    out->rows = out->tiles = 0;
    while (x < from->rows || a < added->rows) {
        const bool in_from = x < from->rows && (a == added->rows || from->row[x] <= added->row[a]);
        const int64_t row = in_from ? from->row[x] : added->row[a];
        const row_range kept = take_row(from, &x, row), gone = take_row(&changes->removed, &r, row);
        const row_range come = take_row(added, &a, row);
        const int64_t tiles = kept.end - kept.begin - (gone.end - gone.begin) + come.end - come.begin;
        if (tiles == 0)
            continue;
        out->row[out->rows] = row;
        out->start[out->rows++] = out->tiles;
        out->tiles += tiles;
    }
    out->start[out->rows] = out->tiles;
}

ashlar_status ashi_pattern_change_in_place(ashi_pattern *pattern, const ashi_pattern_changes *changes,
                                           const ashi_splice *splice, int64_t *room, ashlar_error *err)
{
    const int64_t rows = pattern->rows + changes->added.rows + 1;
    ashi_pattern after = {.row = malloc((size_t)rows * sizeof *after.row),
                          .start = malloc((size_t)rows * sizeof *after.start)};
    if (after.row && after.start)
        after.col = ashi_splice_array(splice, pattern->col, room, sizeof *after.col);
    if (!after.col) {
        free(after.row);
        free(after.start);
        return ashi_fail_memory(err, "the pattern of a matrix", 2 * rows * (int64_t)sizeof *after.row);
    }
    for (int64_t i = 0; i < splice->comes; i++)
        after.col[splice->place[i]] = changes->added.col[i];
    count_rows(pattern, changes, &after);
    free(pattern->row);
    free(pattern->start);
    *pattern = after;
    return ASHLAR_OK;
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
