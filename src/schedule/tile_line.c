/* The tiles that a rank handles in a program of tiles, one after the other. */
#include "schedule/tile_line.h"

#include "base/checked.h"
#include "base/error.h"
#include "base/ordering.h"

#include <stdlib.h>

ashlar_status ashi_tile_line_make(int64_t tiles, ashi_tile_line *out, ashlar_error *err)
{
    *out = (ashi_tile_line){.tiles = tiles, .room = tiles, .tile = malloc(((size_t)tiles + 1) * sizeof *out->tile),
                            .start = malloc(((size_t)tiles + 1) * sizeof *out->start)};
    if (out->tile && out->start)
        return ASHLAR_OK;
    ashi_tile_line_free(out);
    return ashi_fail_memory(err, "the tiles of a rank",
                            (tiles + 1) * (int64_t)(sizeof *out->tile + sizeof *out->start));
}

void ashi_tile_line_free(ashi_tile_line *line)
{
    free(line->tile);
    free(line->start);
    *line = (ashi_tile_line){0};
}

/* Somewhat more than is needed, so that the next changes find room. */
static ashlar_status make_room(ashi_tile_line *line, int64_t tiles, ashlar_error *err)
{
    enum { PART = 32 };
    const int64_t room = tiles + tiles / PART;
    if (tiles <= line->room)
        return ASHLAR_OK;
    ashi_tile_at *tile = realloc(line->tile, ((size_t)room + 1) * sizeof *tile);
    line->tile = tile ? tile : line->tile;
    int64_t *start = tile ? realloc(line->start, ((size_t)room + 1) * sizeof *start) : NULL;
    line->start = start ? start : line->start;
    if (!start)
        return ashi_fail_memory(err, "the tiles of a rank", room * (int64_t)(sizeof *tile + sizeof *start));
    line->room = room;
    return ASHLAR_OK;
}

/* Where the tiles of each part ended before they moved. */
static int64_t *ends_of(const ashi_tile_line *line, const ashi_splice *splice)
{
    int64_t *end = malloc(((size_t)splice->parts + 1) * sizeof *end);
    for (int64_t i = 0; end && i < splice->parts; i++)
        end[i] = line->start[splice->part[i].first + splice->part[i].count];
    return end;
}

/* Tiles that come between two parts. */
static bool put_tiles(ashi_tile_line *line, const ashi_splice *splice, const ashi_tile_line_come *come, int64_t until,
                      int64_t *next, int64_t *words)
{
    for (; *next < splice->comes && splice->place[*next] < until; ++*next) {
        line->tile[splice->place[*next]] = come->tile[*next];
        line->start[splice->place[*next]] = *words;
        if (!ashi_add(*words, come->words[*next], words))
            return false;
    }
    return true;
}

/* The starts have moved with their tiles: those of each part differ from what they were by one number. */
static bool put_starts(ashi_tile_line *line, const ashi_splice *splice, const ashi_tile_line_come *come,
                       const int64_t *end)
{
    int64_t next = 0, words = 0;
    for (int64_t i = 0; i < splice->parts; i++) {
        const ashi_splice_part *part = &splice->part[i];
        const int64_t first = part->first + part->shift;
        if (!put_tiles(line, splice, come, first, &next, &words))
            return false;
        const int64_t by = words - line->start[first];
        if (by > 0 && end[i] > INT64_MAX - by)
            return false;
        for (int64_t t = first; t < first + part->count; t++)
            line->start[t] += by;
        words = end[i] + by;
    }
    if (!put_tiles(line, splice, come, splice->after, &next, &words))
        return false;
    line->tiles = splice->after;
    line->start[line->tiles] = words;
    return true;
}

ashlar_status ashi_tile_line_change(ashi_tile_line *line, const ashi_splice *splice, const ashi_tile_line_come *come,
                                    ashlar_error *err)
{
    int64_t *end = ends_of(line, splice);
    ashlar_status status = end ? make_room(line, splice->after, err)
                               : ashi_fail_memory(err, "the tiles of a rank", splice->parts * (int64_t)sizeof *end);
    if (status == ASHLAR_OK) {
        ashi_splice_move(splice, line->tile, sizeof *line->tile);
        ashi_splice_move(splice, line->start, sizeof *line->start);
        if (!put_starts(line, splice, come, end))
            status = ashi_fail(err, ASHLAR_ERR_OVERFLOW, "a rank handles more than 2^63 words of tiles");
    }
    free(end);
    return status;
}

int64_t ashi_tile_line_find(const ashi_tile_line *line, int64_t position)
{
    return ashi_first_from(line->start, 0, line->tiles, position);
}
