/* A matrix of tiles in a file, made by all ranks: counted together, created by rank 0, joined by the others. */
#include "tiles/file_output.h"

#include "base/checked.h"
#include "base/error.h"

#include <stdlib.h>
#include <string.h>

/* Numbers that are written at a time. */
enum { AT_ONCE = 1 << 14 };

/* The first row of tiles of a rank. */
static int64_t first_row(const ashi_cuts *row, int rank, int ranks)
{
    const int64_t all = ashi_cuts_all(row), index = ashi_cut(all, ranks, rank);
    return rank == 0 ? 0 : rank == ranks || index >= all ? row->tiles : ashi_cuts_find(row, index);
}

void ashi_tile_rows_of(const ashi_cuts *row, int rank, int ranks, int64_t *first, int64_t *end)
{
    *first = first_row(row, rank, ranks);
    *end = first_row(row, rank + 1, ranks);
}

/* ---- counting ---- */

/* The tiles of this rank's rows. */
typedef struct described {
    const ashi_tile_head *head;
    const ashi_pattern *pattern;
    const int64_t *rank;
} described;

static int64_t words_of(const described *d, int64_t x, int64_t t)
{
    return ashi_tile_head_words(d->head, d->pattern->row[x], d->pattern->col[t], d->head->low ? d->rank[t] : -1);
}

/* Words of this rank's tiles; INT64_MAX if they are more. */
static int64_t count_words(const described *d)
{
    const ashi_pattern *p = d->pattern;
    int64_t words = 0;
    for (int64_t x = 0; x < p->rows; x++)
        for (int64_t t = p->start[x]; t < p->start[x + 1]; t++)
            if (!ashi_add(words, words_of(d, x, t), &words))
                return INT64_MAX;
    return words;
}

/* Where this rank's tiles begin in the list of all, and how many there are. Collective. */
static ashlar_status count(ashi_tile_output *out, ashi_tile_head *head, const described *d, ashlar_error *err)
{
    const ashlar_context *context = out->context;
    int64_t mine[2] = {d->pattern->tiles, count_words(d)}, (*all)[2] = NULL;
    ashlar_status status = ASHLAR_OK;
    all = malloc((size_t)context->ranks * sizeof *all);
    if (!all)
        status = ashi_fail_memory(err, "tiles", (int64_t)context->ranks * (int64_t)sizeof *all);
    status = ashi_agree(context, status, err);
    if (status == ASHLAR_OK) {
        ashi_note(context, MPI_Allgather(mine, 2, MPI_INT64_T, all, 2, MPI_INT64_T, context->comm), "MPI_Allgather");
        status = ashi_agree(context, ASHLAR_OK, err);
    }
    head->tiles = head->words = 0;
    for (int r = 0; r < context->ranks && status == ASHLAR_OK; r++) {
        if (r == context->rank) {
            out->tile = head->tiles;
            out->word = head->words;
        }
        if (!ashi_add(head->tiles, all[r][0], &head->tiles) || !ashi_add(head->words, all[r][1], &head->words))
            status = ashi_fail(err, ASHLAR_ERR_OVERFLOW, "tiles: the elements of a file are more than 2^63 - 1");
    }
    free(all);
    return status;
}

/* ---- creating ---- */

/* What rank 0 says of the file that it has created. */
typedef struct created {
    ashi_tile_places places;
    int64_t length; /* of the temporary name and its end */
} created;

static ashlar_status join(ashi_tile_output *out, const char *place, const ashi_tile_head *head, const created *what,
                          char *name, ashlar_error *err)
{
    const ashlar_context *context = out->context;
    ashlar_status status = name ? ASHLAR_OK : ashi_fail_memory(err, "tiles", what->length);
    status = ashi_agree(context, status, err);
    if (status != ASHLAR_OK)
        return status;
    if (context->rank == 0)
        memcpy(name, ashi_tile_file_temporary(out->file), (size_t)what->length);
    ashi_note(context, MPI_Bcast(name, (int)what->length, MPI_CHAR, 0, context->comm), "MPI_Bcast");
    status = ashi_agree(context, ASHLAR_OK, err);
    if (status == ASHLAR_OK && out->joined)
        status = ashi_tile_file_join(place, name, &what->places, head, &out->file, err);
    return ashi_agree_named(context, status, err);
}

/* Collective. */
static ashlar_status create(ashi_tile_output *out, const char *place, const ashi_tile_head *head, ashlar_error *err)
{
    const ashlar_context *context = out->context;
    created what = {.length = 0};
    ashlar_status status = ASHLAR_OK;
    if (context->rank == 0)
        status = ashi_tile_file_create(place, head, &out->file, err);
    if (out->file) {
        what.places = ashi_tile_file_places(out->file);
        what.length = (int64_t)strlen(ashi_tile_file_temporary(out->file)) + 1;
    }
    status = ashi_agree(context, status, err);
    if (status != ASHLAR_OK)
        return status;
    ashi_note(context, MPI_Bcast(&what, (int)sizeof what, MPI_BYTE, 0, context->comm), "MPI_Bcast");
    status = ashi_agree(context, ASHLAR_OK, err);
    if (status != ASHLAR_OK)
        return status;
    char *name = malloc((size_t)what.length);
    status = join(out, place, head, &what, name, err);
    free(name);
    return status;
}

/* ---- which tiles there are ---- */

/* Numbers on their way to a list. */
typedef struct filling {
    ashi_tile_file *file;
    ashi_tile_list list;
    int64_t at; /* of the next to be written */
    int count;
    int64_t number[AT_ONCE];
} filling;

static ashlar_status flush(filling *f, ashlar_error *err)
{
    const ashlar_status status = ashi_tile_file_write(f->file, f->list, f->at, f->count, f->number, err);
    f->at += f->count;
    f->count = 0;
    return status;
}

static ashlar_status add(filling *f, int64_t number, ashlar_error *err)
{
    f->number[f->count++] = number;
    return f->count == AT_ONCE ? flush(f, err) : ASHLAR_OK;
}

/* The last rank writes the number that ends the list, too. */
static ashlar_status write_starts(const ashi_tile_output *out, int64_t first, int64_t end, bool last,
                                  const ashi_pattern *p, filling *f, ashlar_error *err)
{
    ashlar_status status = ASHLAR_OK;
    int64_t x = 0;
    f->list = ASHI_TILE_STARTS;
    f->at = first;
    for (int64_t row = first; row < end + last && status == ASHLAR_OK; row++) {
        while (x < p->rows && p->row[x] < row)
            x++;
        status = add(f, out->tile + p->start[x], err);
    }
    return status == ASHLAR_OK ? flush(f, err) : status;
}

static ashlar_status write_offsets(const ashi_tile_output *out, const described *d, bool last, filling *f,
                                   ashlar_error *err)
{
    const ashi_pattern *p = d->pattern;
    ashlar_status status = ASHLAR_OK;
    int64_t word = out->word;
    f->list = ASHI_TILE_OFFSETS;
    f->at = out->tile;
    for (int64_t x = 0; x < p->rows; x++)
        for (int64_t t = p->start[x]; t < p->start[x + 1] && status == ASHLAR_OK; t++) {
            status = add(f, word, err);
            word += words_of(d, x, t);
        }
    if (status == ASHLAR_OK && last)
        status = add(f, word, err);
    return status == ASHLAR_OK ? flush(f, err) : status;
}

/* Local. */
static ashlar_status write_pattern(const ashi_tile_output *out, const described *d, int64_t first, int64_t end,
                                   ashlar_error *err)
{
    const ashi_pattern *pattern = d->pattern;
    const bool last = out->context->rank == out->context->ranks - 1;
    filling *f = calloc(1, sizeof *f);
    if (!f)
        return ashi_fail_memory(err, "tiles", (int64_t)sizeof *f);
    f->file = out->file;
    ashlar_status status = write_starts(out, first, end, last, pattern, f, err);
    if (status == ASHLAR_OK)
        status = write_offsets(out, d, last, f, err);
    if (status == ASHLAR_OK)
        status = ashi_tile_file_write(out->file, ASHI_TILE_COLUMNS, out->tile, pattern->tiles, pattern->col, err);
    if (status == ASHLAR_OK && d->head->low)
        status = ashi_tile_file_write(out->file, ASHI_TILE_RANKS, out->tile, pattern->tiles, d->rank, err);
    free(f);
    return status;
}

/* ---- the calls ---- */

ashlar_status ashi_tile_output_begin(const ashlar_context *context, const char *place, const ashi_tile_head *head,
                                     int64_t first, int64_t end, const ashi_pattern *pattern, const int64_t *rank,
                                     ashi_tile_output *out, ashlar_error *err)
{
    ashi_tile_head own = *head; /* the cuts are only lent */
    const described d = {&own, pattern, rank};
    *out = (ashi_tile_output){.context = context, .joined = context->rank != 0};
    ashlar_status status = count(out, &own, &d, err);
    if (status == ASHLAR_OK)
        status = create(out, place, &own, err);
    if (status == ASHLAR_OK)
        status = ashi_agree_named(context, write_pattern(out, &d, first, end, err), err);
    return status;
}

ashlar_status ashi_tile_output_end(ashi_tile_output *out, ashlar_status mine, ashlar_error *err)
{
    const ashlar_context *context = out->context;
    if (out->joined) { /* what this rank has written is on the disk before all agree that it is */
        const ashlar_status closed = ashi_tile_file_close(&out->file, mine == ASHLAR_OK ? err : NULL);
        mine = mine == ASHLAR_OK ? closed : mine;
    }
    ashlar_status status = ashi_agree_named(context, mine, err);
    if (status == ASHLAR_OK && !out->joined)
        status = ashi_tile_file_publish(out->file, err);
    status = ashi_agree(context, status, err);
    ashi_tile_file_close(&out->file, NULL);
    return status;
}
