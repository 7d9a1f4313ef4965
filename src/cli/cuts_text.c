/* The sizes of tiles in a text file: two lines, read by rank 0 for all. */
#include "cli/cuts_text.h"

#include "base/array.h"
#include "base/error.h"
#include "base/number.h"
#include "exec/mpi.h"
#include "store/file.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- the text ---- */

/* The whole file with a zero at its end; to be freed. */
static ashlar_status load(const char *path, char **text, int64_t *bytes, ashlar_error *err)
{
    int fd = -1;
    ashlar_status status = ashi_file_open(path, &fd, bytes, err);
    if (status != ASHLAR_OK)
        return status;
    *text = malloc((size_t)*bytes + 1);
    status = *text ? ashi_file_read(fd, path, *text, *bytes, 0, err)
                   : ashi_fail_memory(err, "the sizes of tiles", *bytes + 1);
    if (status == ASHLAR_OK)
        (*text)[*bytes] = '\0';
    close(fd);
    return status;
}

typedef struct sizes {
    int64_t *size, count, room;
} sizes;

static ashlar_status add(sizes *s, int64_t size, ashlar_error *err)
{
    int64_t *larger = ashi_array_room(s->size, &s->room, s->count + 1, sizeof *larger);
    if (!larger)
        return ashi_fail_memory(err, "the sizes of tiles", s->count * (int64_t)sizeof *larger);
    s->size = larger;
    s->size[s->count++] = size;
    return ASHLAR_OK;
}

/* A line, which is cut into words. */
static ashlar_status read_line(const char *path, int number, char *line, const char *side, ashi_cuts *out,
                               ashlar_error *err)
{
    static const char blanks[] = " \t\r";
    sizes s = {NULL, 0, 0};
    ashlar_status status = ASHLAR_OK;
    char *rest = NULL;
    for (char *word = strtok_r(line, blanks, &rest); word && status == ASHLAR_OK;
         word = strtok_r(NULL, blanks, &rest)) {
        int64_t size = 0;
        status = ashi_number_count(word, &size)
                     ? add(&s, size, err)
                     : ashi_fail_file(err, ASHLAR_ERR_ARG, path,
                                      "line %d, number %" PRId64 ": '%.40s', wanted the size of a tile, a whole number "
                                      "of at least 0", number, s.count + 1, word);
    }
    if (status == ASHLAR_OK)
        status = ashi_cuts_make(s.count, s.size, side, out, err);
    free(s.size);
    return status;
}

static ashlar_status parse(const char *path, char *text, int64_t bytes, ashi_cuts *row, ashi_cuts *col,
                           ashlar_error *err)
{
    static const char wanted[] = "wanted two lines, the tile sizes of the rows and those of the columns";
    if ((int64_t)strlen(text) != bytes)
        return ashi_fail_file(err, ASHLAR_ERR_ARG, path, "is no text, %s", wanted);
    char *second = strchr(text, '\n');
    if (!second || (second[1] == '\0'))
        return ashi_fail_file(err, ASHLAR_ERR_ARG, path, "has no second line, %s", wanted);
    *second++ = '\0';
    char *third = strchr(second, '\n');
    if (third)
        *third++ = '\0';
    if (third && third[strspn(third, " \t\r\n")] != '\0')
        return ashi_fail_file(err, ASHLAR_ERR_ARG, path, "has more than two lines, %s", wanted);
    const ashlar_status status = read_line(path, 1, text, "the rows", row, err);
    return status == ASHLAR_OK ? read_line(path, 2, second, "the columns", col, err) : status;
}

/* ---- on all ranks ---- */

static ashlar_status read_first(const char *path, ashi_cuts *row, ashi_cuts *col, ashlar_error *err)
{
    char *text = NULL;
    int64_t bytes = 0;
    ashlar_status status = load(path, &text, &bytes, err);
    if (status == ASHLAR_OK)
        status = parse(path, text, bytes, row, col, err);
    free(text);
    return status;
}

/* Rank 0's cuts on all ranks. Collective. */
static ashlar_status share(const ashlar_context *context, ashi_cuts *cuts, ashlar_error *err)
{
    int64_t tiles = cuts->tiles;
    ashlar_status status = ASHLAR_OK;
    ashi_note(context, MPI_Bcast(&tiles, 1, MPI_INT64_T, 0, context->comm), "MPI_Bcast");
    if (context->rank != 0) {
        *cuts = (ashi_cuts){tiles, calloc((size_t)tiles + 1, sizeof *cuts->at)};
        if (!cuts->at)
            status = ashi_fail_memory(err, "the sizes of tiles", (tiles + 1) * (int64_t)sizeof *cuts->at);
    }
    status = ashi_agree(context, status, err);
    for (int64_t at = 0; at <= tiles && status == ASHLAR_OK; at += ASHI_MESSAGE_MOST) {
        const int64_t left = tiles + 1 - at;
        ashi_note(context,
                  MPI_Bcast(cuts->at + at, (int)(left < ASHI_MESSAGE_MOST ? left : ASHI_MESSAGE_MOST), MPI_INT64_T, 0,
                            context->comm), "MPI_Bcast");
    }
    return ashi_agree(context, status, err);
}

ashlar_status ashi_cuts_text_read(const ashlar_context *context, const char *path, ashi_cuts *row, ashi_cuts *col,
                                  ashlar_error *err)
{
    *row = *col = (ashi_cuts){0};
    ashlar_status status = context->rank == 0 ? read_first(path, row, col, err) : ASHLAR_OK;
    status = ashi_agree(context, status, err);
    if (status == ASHLAR_OK)
        status = share(context, row, err);
    return status == ASHLAR_OK ? share(context, col, err) : status;
}
