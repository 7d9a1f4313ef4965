/* One text of packing, compiled for each type. */
#include "exec/pack.h"

#include "base/checked.h"

#include <complex.h>

/* Major positions that are read together where they, and not the minor ones, are neighbours in memory; panels that are
 * packed together where the minor ones are. */
enum { TOGETHER = 8, PANELS = 32, WIDTH_MOST = 48, AHEAD = 2, LINE = 64 };

int64_t ashi_neighbours(const int64_t *at, int64_t most)
{
    int64_t count = 1;
    while (count < most && at[count] == at[0] + count)
        count++;
    return count;
}

#define T float
#define R float
#define PARTS 1
#define NAME(f) s_##f
#include "exec/pack.inc"

#define T double
#define R double
#define PARTS 1
#define NAME(f) d_##f
#include "exec/pack.inc"

#define T float _Complex
#define R float
#define PARTS 2
#define NAME(f) c_##f
#include "exec/pack.inc"

#define T double _Complex
#define R double
#define PARTS 2
#define NAME(f) z_##f
#include "exec/pack.inc"

static const ashi_pack table[] = {
    [ASHLAR_TYPE_S] = {s_pack, s_piece, s_times, s_put, s_scale},
    [ASHLAR_TYPE_D] = {d_pack, d_piece, d_times, d_put, d_scale},
    [ASHLAR_TYPE_C] = {c_pack, c_piece, c_times, c_put, c_scale},
    [ASHLAR_TYPE_Z] = {z_pack, z_piece, z_times, z_put, z_scale},
};

const ashi_pack *ashi_pack_of(ashlar_type type)
{
    return &table[type];
}
