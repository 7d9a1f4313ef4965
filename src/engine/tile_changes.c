/* Which tiles of A or B go and come along a rank's line when a few tiles, or those who need them, have changed. */
#include "engine/tile_changes.h"

#include "base/error.h"
#include "layout/pattern_cursor.h"

#include <stdlib.h>
#include <string.h>

typedef struct finding {
    const ashi_tile_groups_changes *changes;
    ashi_tile_finding *gone, *come;
    int x;
    int64_t looked;
} finding;

/* ---- if needs follow from k alone ---- */

static ashlar_status note_tiles(finding *f, ashi_tile_finding *to, const ashi_pattern *tiles, ashlar_error *err)
{
    ashlar_status status = ASHLAR_OK;
    for (int64_t r = 0; r < tiles->rows; r++)
        for (int64_t t = tiles->start[r]; t < tiles->start[r + 1] && status == ASHLAR_OK; t++)
            status = ashi_tile_note(to, &(ashi_tile_at){tiles->row[r], tiles->col[t]}, -1, err);
    f->looked += tiles->tiles;
    return status;
}

/* For each tile of k, whether other processes need its tiles than before; NULL: none. Freed by the caller. */
static ashlar_status find_other(const finding *f, bool **out, ashlar_error *err)
{
    const ashi_tile_needs *before = f->changes->before->needs, *after = f->changes->after->needs;
    const int64_t k = f->changes->after->cuts[2]->tiles;
    const size_t bytes = (size_t)after->words[f->x] * sizeof *after->bit[f->x];
    *out = NULL;
    if (memcmp(before->bit[f->x], after->bit[f->x], (size_t)k * bytes) == 0)
        return ASHLAR_OK;
    bool *other = *out = malloc((size_t)k * sizeof *other);
    if (!other)
        return ashi_fail_memory(err, "groups of tiles", k);
    for (int64_t i = 0; i < k; i++)
        other[i] = memcmp(before->bit[f->x] + i * after->words[f->x], after->bit[f->x] + i * after->words[f->x],
                          bytes) != 0;
    return ASHLAR_OK;
}

/* A tile that stays, by its numbers before and after. */
static ashlar_status note_both(finding *f, const ashi_tile_at *at, int64_t before, int64_t after, ashlar_error *err)
{
    f->looked++;
    const ashlar_status status = ashi_tile_note(f->gone, at, before, err);
    return status == ASHLAR_OK ? ashi_tile_note(f->come, at, after, err) : status;
}

static ashlar_status note_others(finding *f, const bool *other, ashlar_error *err)
{
    const ashi_pattern *pattern = f->changes->after->operand[f->x].pattern, *added = &f->changes->factor[f->x]->added;
    ashlar_status status = ASHLAR_OK;
    for (int64_t r = 0; r < pattern->rows && other; r++)
        for (int64_t t = pattern->start[r]; t < pattern->start[r + 1] && status == ASHLAR_OK; t++) {
            const ashi_tile_at at = {pattern->row[r], pattern->col[t]};
            if (other[ashi_tile_inner(f->x, &at)] && ashi_pattern_find(added, at.row, at.col) < 0)
                status = note_both(f, &at, -1, -1, err);
        }
    return status;
}

static ashlar_status note_plain(finding *f, ashlar_error *err)
{
    bool *other;
    ashlar_status status = find_other(f, &other, err);
    if (status == ASHLAR_OK)
        status = note_tiles(f, f->gone, &f->changes->factor[f->x]->removed, err);
    if (status == ASHLAR_OK)
        status = note_tiles(f, f->come, &f->changes->factor[f->x]->added, err);
    if (status == ASHLAR_OK)
        status = note_others(f, other, err);
    free(other);
    return status;
}

/* ---- if they are exact for each tile, before or after ---- */

/* The tiles that go before a tile, or all that are left; *number is the next old tile's. */
static ashlar_status note_gone(finding *f, ashi_pattern_cursor *gone, const ashi_tile_at *end, int64_t *number,
                               ashlar_error *err)
{
    ashlar_status status = ASHLAR_OK;
    while (gone->row < gone->list->rows && (!end || ashi_pattern_cursor_order(gone, end) < 0) && status == ASHLAR_OK) {
        const ashi_tile_at at = {gone->list->row[gone->row], gone->list->col[gone->tile]};
        f->looked++;
        status = ashi_tile_note(f->gone, &at, (*number)++, err);
        ashi_pattern_cursor_next(gone);
    }
    return status;
}

/* A tile of the pattern as it is now: it comes, or is tile *number of the old ones. */
static ashlar_status note_tile(finding *f, const ashi_tile_at *at, int64_t after, ashi_pattern_cursor *come,
                               int64_t *number, ashlar_error *err)
{
    const ashi_tile_needs *needs[2] = {f->changes->before->needs, f->changes->after->needs};
    const int64_t k = ashi_tile_inner(f->x, at);
    if (ashi_pattern_cursor_order(come, at) == 0) {
        ashi_pattern_cursor_next(come);
        f->looked++;
        return ashi_tile_note(f->come, at, after, err);
    }
    const int64_t before = (*number)++;
    if (memcmp(ashi_tile_mask(needs[0], f->x, k, before), ashi_tile_mask(needs[1], f->x, k, after),
               (size_t)needs[1]->words[f->x] * sizeof *needs[1]->bit[f->x]) == 0)
        return ASHLAR_OK;
    return note_both(f, at, before, after, err);
}

/* Whether the same processes as before use the tiles of row r of the pattern, from tile `number` of the old ones on,
 * where no tile goes or comes. */
static bool is_same_row(const finding *f, int64_t r, int64_t number)
{
    const ashi_tile_needs *before = f->changes->before->needs, *after = f->changes->after->needs;
    const ashi_pattern *now = f->changes->after->operand[f->x].pattern;
    const int64_t words = after->words[f->x], count = now->start[r + 1] - now->start[r];
    return before->exact[f->x] && after->exact[f->x] &&
           memcmp(before->exact[f->x] + number * words, after->exact[f->x] + now->start[r] * words,
                  (size_t)(count * words) * sizeof *after->exact[f->x]) == 0;
}

static ashlar_status note_exact(finding *f, ashlar_error *err)
{
    const ashi_pattern *now = f->changes->after->operand[f->x].pattern;
    ashi_pattern_cursor gone = {.list = &f->changes->factor[f->x]->removed};
    ashi_pattern_cursor come = {.list = &f->changes->factor[f->x]->added};
    int64_t number = 0;
    ashlar_status status = ASHLAR_OK;
    for (int64_t r = 0; r < now->rows; r++) {
        if (ashi_pattern_cursor_row(&gone) > now->row[r] && ashi_pattern_cursor_row(&come) > now->row[r] &&
            is_same_row(f, r, number)) {
            number += now->start[r + 1] - now->start[r];
            continue;
        }
        for (int64_t t = now->start[r]; t < now->start[r + 1] && status == ASHLAR_OK; t++) {
            const ashi_tile_at at = {now->row[r], now->col[t]};
            status = note_gone(f, &gone, &at, &number, err);
            if (status == ASHLAR_OK)
                status = note_tile(f, &at, t, &come, &number, err);
        }
    }
    return status == ASHLAR_OK ? note_gone(f, &gone, NULL, &number, err) : status;
}

/* ---- all of it ---- */

static void put_in_order(ashi_tile_finding *f)
{
    if (f->entries > 1)
        qsort(f->entry, (size_t)f->entries, sizeof *f->entry, ashi_tile_along_line);
}

ashlar_status ashi_tile_changes_find(const ashi_tile_groups_changes *changes, ashi_tile_finding *gone,
                                     ashi_tile_finding *come, int64_t *looked, ashlar_error *err)
{
    finding f = {changes, gone, come, come->x, 0};
    const bool exact = changes->before->needs->exact[f.x] || changes->after->needs->exact[f.x];
    gone->entries = come->entries = 0;
    const ashlar_status status = exact ? note_exact(&f, err) : note_plain(&f, err);
    *looked += f.looked;
    put_in_order(gone);
    put_in_order(come);
    return status;
}
