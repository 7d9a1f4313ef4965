/* The tiles that a rank handles in a program of tiles, one after the other. */
#include "schedule/tile_line.h"

#include "base/error.h"
#include "base/ordering.h"

#include <stdlib.h>

ashlar_status ashi_tile_line_make(int64_t tiles, ashi_tile_line *out, ashlar_error *err)
{
    *out = (ashi_tile_line){.tiles = tiles, .tile = malloc(((size_t)tiles + 1) * sizeof *out->tile),
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

int64_t ashi_tile_line_find(const ashi_tile_line *line, int64_t position)
{
    return ashi_first_from(line->start, 0, line->tiles, position);
}
