/* The words that tiles take in a rank's pool, for any way to cut k into iterations. */
#include "engine/tile_room.h"

#include "base/checked.h"
#include "base/error.h"
#include "engine/tile_groups.h"

#include <stdlib.h>

/* Tiles that come together, and those that are packed to be sent only. */
static int64_t round_words(const ashi_tile_round *round)
{
    return round->own - round->lo + round->end - round->sent;
}

ashlar_status ashi_tile_room_find(const ashi_tile_problem *problem, int64_t rank, int64_t *words, ashlar_error *err)
{
    const int64_t tiles = problem->cuts[2]->tiles;
    ashi_tile_problem single = *problem;
    ashi_tile_groups groups = {0};
    int64_t *first = malloc(((size_t)tiles + 1) * sizeof *first);
    if (!first)
        return ashi_fail_memory(err, "iterations in flight", (tiles + 1) * (int64_t)sizeof *first);
    for (int64_t k = 0; k <= tiles; k++)
        first[k] = k;
    single.iterations = tiles;
    single.first = first;
    const ashlar_status status = ashi_tile_groups_find(&single, rank, &groups, err);
    for (int64_t k = 0; k < tiles && status == ASHLAR_OK; k++) {
        words[k] = 0;
        for (int x = 0; x < 2; x++)
            for (int i = 0; i < ashi_tile_panels(&single, x); i++)
                words[k] += round_words(&groups.round[x][k * ashi_tile_panels(&single, x) + i]);
    }
    ashi_tile_groups_free(&groups);
    free(first);
    return status;
}

int64_t ashi_tile_room_pool(const int64_t *words, const int64_t *first, int64_t iterations, int window)
{
    int64_t pool = 0;
    for (int area = 0; area < window; area++) {
        int64_t most = 0;
        for (int64_t s = area; s < iterations; s += window) {
            int64_t sum = 0;
            for (int64_t k = first[s]; k < first[s + 1]; k++)
                sum += words[k];
            most = ashi_max(most, sum);
        }
        pool += most;
    }
    return pool;
}
