/* Matrices of tiles saved to files by all ranks.
 *
 * In the file tiles follow one another by rows, then columns, whoever has them. So each rank describes some rows to
 * the file: the owners send it the numbers of their tiles, it puts them in order and writes the lists, and it answers
 * where in the file each tile's elements go. Then the owners write these. */
#include <ashlar/tiles_file.h>

#include "base/checked.h"
#include "base/error.h"
#include "base/hash.h"
#include "tiles/file_output.h"
#include "tiles/matrix.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

static const char who[] = "ashlar_tiles_save";

_Static_assert((int)ASHLAR_GENERAL == ASHLAR_GENERAL && (int)ASHLAR_SYMMETRIC == ASHLAR_SYMMETRIC &&
                   (int)ASHLAR_ANTISYMMETRIC == ASHLAR_ANTISYMMETRIC &&
                   (int)ASHLAR_HERMITIAN == ASHLAR_HERMITIAN &&
                   (int)ASHLAR_ANTIHERMITIAN == ASHLAR_ANTIHERMITIAN,
               "the file's symmetries are numbered as the matrix's");

/* Where a tile is in the file: its number, and that of its first element. */
typedef struct file_place {
    int64_t tile, word;
} file_place;

/* What is stored of a tile. */
typedef struct file_part {
    int64_t rank, words; /* rank -1: a dense tile */
} file_part;

/* Numbers on their way to the ranks that describe rows, and back: two for each tile. Arrays of ints have one for each
 * rank. */
typedef struct letters {
    int *sent, *sent_at, *received, *received_at;
    int64_t count;          /* tiles of this rank's rows */
    ashi_tile_at *mine, *theirs;
    file_part *part, *their_part;
    int64_t *rank;              /* of the tiles of this rank's rows, in the file's order; NULL: all are dense */
    file_place *answer, *place; /* to the owners of `theirs`; for each of this rank's tiles */
} letters;

static ashlar_status no_memory(int64_t bytes, ashlar_error *err)
{
    return ashi_fail_memory(err, who, bytes);
}

static ashlar_status count_letters(const ashlar_tiles *t, letters *l, ashlar_error *err)
{
    const int ranks = t->context->ranks;
    const int64_t tiles = t->held.pattern.tiles;
    l->sent = calloc((size_t)ranks * 4, sizeof *l->sent);
    l->mine = malloc(((size_t)tiles + 1) * sizeof *l->mine);
    l->place = malloc(((size_t)tiles + 1) * sizeof *l->place);
    l->part = malloc(((size_t)tiles + 1) * sizeof *l->part);
    if (!l->sent || !l->mine || !l->place || !l->part)
        return no_memory(tiles * (int64_t)(sizeof *l->mine + sizeof *l->place + sizeof *l->part), err);
    if (tiles > INT_MAX / 2)
        return ashi_fail(err, ASHLAR_ERR_OVERFLOW, "%s: a rank has more than 2^30 tiles", who);
    l->sent_at = l->sent + ranks;
    l->received = l->sent + 2 * ranks;
    l->received_at = l->sent + 3 * ranks;
    int writer = 0;
    int64_t first = 0, end = 0;
    ashi_tile_rows_of(&t->row, writer, ranks, &first, &end);
    for (ashi_held_walk w = {.number = -1}; ashi_held_next(&t->held, &w);) {
        while (w.at.row >= end)
            ashi_tile_rows_of(&t->row, ++writer, ranks, &first, &end);
        l->mine[w.number] = w.at;
        l->part[w.number] = (file_part){ashi_held_rank(&t->held, w.number),
                                        t->held.offset[w.number + 1] - t->held.offset[w.number]};
        l->sent[writer] += 2;
    }
    return ASHLAR_OK;
}

static ashlar_status make_room(int ranks, letters *l, ashlar_error *err)
{
    int64_t sent = 0, received = 0;
    for (int r = 0; r < ranks; r++) {
        l->sent_at[r] = (int)sent;
        l->received_at[r] = (int)ashi_min(received, INT_MAX);
        sent += l->sent[r];
        received += l->received[r];
    }
    l->count = received / 2;
    if (received > INT_MAX)
        return ashi_fail(err, ASHLAR_ERR_OVERFLOW, "%s: the rows that a rank describes have more than 2^30 tiles", who);
    l->theirs = malloc(((size_t)l->count + 1) * sizeof *l->theirs);
    l->answer = malloc(((size_t)l->count + 1) * sizeof *l->answer);
    l->their_part = malloc(((size_t)l->count + 1) * sizeof *l->their_part);
    const size_t each = sizeof *l->theirs + sizeof *l->answer + sizeof *l->their_part;
    return l->theirs && l->answer && l->their_part ? ASHLAR_OK : no_memory(l->count * (int64_t)each, err);
}

/* The tiles of this rank's rows, from all owners. Collective; the status is the same on all ranks. */
static ashlar_status ask(const ashlar_tiles *t, letters *l, ashlar_error *err)
{
    const ashlar_context *context = t->context;
    ashlar_status status = ashi_agree(context, count_letters(t, l, err), err);
    if (status != ASHLAR_OK)
        return status;
    ashi_note(context, MPI_Alltoall(l->sent, 1, MPI_INT, l->received, 1, MPI_INT, context->comm), "MPI_Alltoall");
    status = ashi_agree(context, ASHLAR_OK, err);
    if (status == ASHLAR_OK)
        status = ashi_agree(context, make_room(context->ranks, l, err), err);
    if (status != ASHLAR_OK)
        return status;
    ashi_note(context,
              MPI_Alltoallv(l->mine, l->sent, l->sent_at, MPI_INT64_T, l->theirs, l->received, l->received_at,
                            MPI_INT64_T, context->comm), "MPI_Alltoallv");
    status = ashi_agree(context, ASHLAR_OK, err);
    if (status != ASHLAR_OK || t->all_low == 0)
        return status;
    ashi_note(context,
              MPI_Alltoallv(l->part, l->sent, l->sent_at, MPI_INT64_T, l->their_part, l->received, l->received_at,
                            MPI_INT64_T, context->comm), "MPI_Alltoallv");
    return ashi_agree(context, ASHLAR_OK, err);
}

/* The pattern of this rank's rows, and if the matrix has any, the ranks of its tiles: letters keep their order. Local.
 */
static ashlar_status make_pattern(const ashlar_tiles *t, letters *l, ashi_pattern *out, ashlar_error *err)
{
    const size_t bytes = ((size_t)l->count + 1) * sizeof *l->theirs;
    ashi_tile_at *list = malloc(bytes);
    if (!list)
        return no_memory((int64_t)bytes, err);
    memcpy(list, l->theirs, (size_t)l->count * sizeof *list);
    const ashlar_status status = ashi_pattern_make(list, l->count, out, err);
    free(list);
    l->rank = status == ASHLAR_OK && t->all_low > 0 ? malloc(((size_t)l->count + 1) * sizeof *l->rank) : NULL;
    for (int64_t i = 0; l->rank && i < l->count; i++)
        l->rank[ashi_pattern_find(out, l->theirs[i].row, l->theirs[i].col)] = l->their_part[i].rank;
    return status == ASHLAR_OK && t->all_low > 0 && !l->rank ? no_memory(l->count * (int64_t)sizeof *l->rank, err)
                                                             : status;
}

/* Where each tile of this rank's rows is in the file. Local. */
static ashlar_status find_places(const ashi_tile_head *head, const ashi_tile_output *out, const ashi_pattern *p,
                                 letters *l, ashlar_error *err)
{
    int64_t *word = malloc(((size_t)p->tiles + 1) * sizeof *word), next = out->word;
    if (!word)
        return no_memory((p->tiles + 1) * (int64_t)sizeof *word, err);
    for (int64_t x = 0; x < p->rows; x++)
        for (int64_t tile = p->start[x]; tile < p->start[x + 1]; tile++) {
            word[tile] = next;
            next += ashi_tile_head_words(head, p->row[x], p->col[tile], l->rank ? l->rank[tile] : -1);
        }
    for (int64_t i = 0; i < l->count; i++) {
        const int64_t tile = ashi_pattern_find(p, l->theirs[i].row, l->theirs[i].col);
        l->answer[i] = (file_place){out->tile + tile, word[tile]};
    }
    free(word);
    return ASHLAR_OK;
}

/* This rank's tiles: those that follow one another in the file, as they do in memory, are written together. Local. */
static ashlar_status write_tiles(const ashlar_tiles *t, const letters *l, const double *norm, ashi_tile_file *file,
                                 ashlar_error *err)
{
    const int64_t tiles = t->held.pattern.tiles, *offset = t->held.offset;
    ashlar_status status = ASHLAR_OK;
    for (int64_t first = 0, end = 0; first < tiles && status == ASHLAR_OK; first = end) {
        for (end = first + 1; end < tiles && l->place[end].tile == l->place[end - 1].tile + 1;)
            end++;
        status = ashi_tile_file_write(file, ASHI_TILE_NORMS, l->place[first].tile, end - first, norm + first, err);
        if (status == ASHLAR_OK)
            status = ashi_tile_file_write(file, ASHI_TILE_ELEMENTS, l->place[first].word, offset[end] - offset[first],
                                          ashi_held_tile(&t->held, first, t->bytes), err);
    }
    return status;
}

static ashlar_status write_own(const ashlar_tiles *t, const letters *l, ashi_tile_file *file, ashlar_error *err)
{
    const int64_t bytes = (t->held.pattern.tiles + 1) * (int64_t)sizeof(double);
    double *norm = malloc((size_t)bytes);
    if (!norm)
        return no_memory(bytes, err);
    ashlar_status status = ashlar_tiles_norms(t, norm, err);
    if (status == ASHLAR_OK)
        status = write_tiles(t, l, norm, file, err);
    free(norm);
    return status;
}

/* The file, once this rank has the tiles of its rows. Collective; the status is the same on all ranks. */
static ashlar_status write_file(const ashlar_tiles *t, const char *place, letters *l, const ashi_pattern *pattern,
                                ashlar_error *err)
{
    const ashlar_context *context = t->context;
    const ashi_tile_head head = {t->type, t->symmetry, t->row, t->col, 0, 0, t->all_low > 0};
    ashi_tile_output out;
    int64_t first = 0, end = 0;
    ashi_tile_rows_of(&t->row, context->rank, context->ranks, &first, &end);
    ashlar_status status = ashi_tile_output_begin(context, place, &head, first, end, pattern, l->rank, &out, err);
    if (status == ASHLAR_OK)
        status = ashi_agree(context, find_places(&head, &out, pattern, l, err), err);
    if (status == ASHLAR_OK) {
        ashi_note(context,
                  MPI_Alltoallv(l->answer, l->received, l->received_at, MPI_INT64_T, l->place, l->sent, l->sent_at,
                                MPI_INT64_T, context->comm), "MPI_Alltoallv");
        status = ashi_agree(context, ASHLAR_OK, err);
    }
    if (status == ASHLAR_OK)
        status = write_own(t, l, out.file, err);
    return ashi_tile_output_end(&out, status, err);
}

/* The places that ranks name, as a number. */
static int64_t digest_of(const char *place)
{
    uint64_t digest = 0;
    for (; place && *place; place++)
        digest = ashi_hash_mix(digest + (unsigned char)*place + 1);
    return (int64_t)(digest >> 1);
}

ashlar_status ashlar_tiles_save(const ashlar_tiles *tiles, const char *place, ashlar_error *err)
{
    ashlar_error own = {0};
    letters l = {.count = 0};
    ashi_pattern pattern = {0};
    err = err ? err : &own;
    if (!tiles)
        return ashi_fail(err, ASHLAR_ERR_ARG, "%s: tiles is NULL", who);
    const ashi_shared values[] = {{"the place", digest_of(place)}};
    ashlar_status status = place ? ASHLAR_OK : ashi_fail(err, ASHLAR_ERR_ARG, "%s: place is NULL", who);
    status = ashi_agree_same(tiles->context, status, who, values, 1, err);
    if (status == ASHLAR_OK)
        status = ask(tiles, &l, err);
    if (status == ASHLAR_OK)
        status = ashi_agree(tiles->context, make_pattern(tiles, &l, &pattern, err), err);
    if (status == ASHLAR_OK)
        status = write_file(tiles, place, &l, &pattern, err);
    ashi_pattern_free(&pattern);
    free(l.sent);
    free(l.mine);
    free(l.theirs);
    free(l.answer);
    free(l.place);
    free(l.part);
    free(l.their_part);
    free(l.rank);
    return ashi_conclude(tiles->context, status, err);
}
