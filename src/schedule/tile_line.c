/* The tiles that a rank handles in a program of tiles, one after the other. */
#include "schedule/tile_line.h"

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
    if (!line->of)
        free(line->start);
    *line = (ashi_tile_line){0};
}

ashlar_status ashi_tile_line_change(ashi_tile_line *line, const ashi_splice *splice, const ashi_tile_line_come *come,
                                    ashlar_error *err)
{
    int64_t room = line->room;
    ashi_tile_at *tile = ashi_splice_array(splice, line->tile, &room, sizeof *tile);
    if (!tile)
        return ashi_fail_memory(err, "the tiles of a rank", splice->after * (int64_t)sizeof *tile);
    line->tile = tile;
    for (int64_t i = 0; i < splice->comes; i++)
        tile[splice->place[i]] = come->tile[i];
    const ashlar_status status = ashi_splice_starts(splice, &line->start, &line->room, come->words, err);
    line->tiles = status == ASHLAR_OK ? splice->after : line->tiles;
    return status;
}

void ashi_tile_line_lend(const ashi_pattern *pattern, int64_t *start, ashi_tile_line *out)
{
    *out = (ashi_tile_line){.tiles = pattern->tiles, .of = pattern, .start = start};
}

ashi_tile_at ashi_tile_line_at(const ashi_tile_line *line, int64_t t)
{
    if (!line->of)
        return line->tile[t];
    const int64_t x = ashi_first_from(line->of->start, 0, line->of->rows, t + 1) - 1;
    return (ashi_tile_at){line->of->row[x], line->of->col[t]};
}

int64_t ashi_tile_line_find(const ashi_tile_line *line, int64_t position)
{
    return ashi_first_from(line->start, 0, line->tiles, position);
}
