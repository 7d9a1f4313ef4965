/* Every way of cutting a product in files among ranks and into tiles, before slabs are chosen. */
#ifndef ASHI_TILING_FRAMES_H
#define ASHI_TILING_FRAMES_H

#include "search/tiling_seconds.h"

#include "base/wide.h"

/* What is decided before the tile is. */
typedef struct ashi_tiling_frame {
    ashlar_operand stays;
    int64_t parts[2], team[2];
    int u, v, w;       /* the indices of the tile's two sides, and the one that slabs are cut along */
    int64_t length[3]; /* of the largest part */
    ashi_wide fixed, per_u, per_v;
} ashi_tiling_frame;

/* Which tilings are wanted. */
typedef struct ashi_tiling_range {
    const ashi_tiling_request *request;
    int64_t memory; /* words a rank may hold, at least 3 */
    bool joint;     /* the ranks are one team, or else each reads for itself */
    bool coarse;    /* numbers of tiles that differ by 1 % are as good as the same */
} ashi_tiling_range;

/* A visit of a tiling: tu by tv tiles of each part, and what those cost in words. */
typedef void (*ashi_tiling_visit)(void *to, const ashi_tiling_frame *g, int64_t tu, int64_t tv, ashi_wide words);

/* Visit tilings that fit in memory with slabs one word thick, and one buffer: for each matrix that may stay, each grid
 * of ranks and each number of tiles along one side, the one with the fewest tiles along the other. Tilings of more than
 * *most words may be left out; it is negative while there is no limit, and the visits may change it. */
void ashi_tiling_frames(const ashi_tiling_range *range, const ashi_wide *most, ashi_tiling_visit visit, void *to);

#endif
