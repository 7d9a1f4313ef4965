/* One text of packing, compiled for each type. */
#include "exec/pack.h"

#include "base/checked.h"

#include <complex.h>

/* Major positions that are read together where they, and not the minor ones, are neighbours in memory; panels that are
 * packed together where the minor ones are. */
enum { TOGETHER = 8, PANELS = 32, LINE_MOST = 1536, AHEAD = 2, LINE = 64 };

/* A row of the squares that are transposed in registers. */
enum { SQUARE_BYTES = 16 };

typedef float four_floats __attribute__((vector_size(SQUARE_BYTES), aligned(sizeof(float))));
typedef double two_doubles __attribute__((vector_size(SQUARE_BYTES), aligned(sizeof(double))));

int64_t ashi_neighbours(const int64_t *at, int64_t most)
{
    int64_t count = 1;
    while (count < most && at[count] == at[0] + count)
        count++;
    return count;
}

/* Elements from `at` on of four rows become rows of `to`, `step` apart. */
static inline void square_s(const float *const row[4], int at, int64_t step, float *to)
{
    const four_floats a = *(const four_floats *)(row[0] + at), b = *(const four_floats *)(row[1] + at);
    const four_floats c = *(const four_floats *)(row[2] + at), d = *(const four_floats *)(row[3] + at);
    const four_floats ab0 = {a[0], b[0], a[1], b[1]}, ab2 = {a[2], b[2], a[3], b[3]};
    const four_floats cd0 = {c[0], d[0], c[1], d[1]}, cd2 = {c[2], d[2], c[3], d[3]};
    *(four_floats *)to = (four_floats){ab0[0], ab0[1], cd0[0], cd0[1]};
    *(four_floats *)(to + step) = (four_floats){ab0[2], ab0[3], cd0[2], cd0[3]};
    *(four_floats *)(to + 2 * step) = (four_floats){ab2[0], ab2[1], cd2[0], cd2[1]};
    *(four_floats *)(to + 3 * step) = (four_floats){ab2[2], ab2[3], cd2[2], cd2[3]};
}

/* The same of two rows. */
static inline void square_d(const double *const row[2], int at, int64_t step, double *to)
{
    const two_doubles a = *(const two_doubles *)(row[0] + at), b = *(const two_doubles *)(row[1] + at);
    *(two_doubles *)to = (two_doubles){a[0], b[0]};
    *(two_doubles *)(to + step) = (two_doubles){a[1], b[1]};
}

#define T float
#define R float
#define PARTS 1
#define SQUARE square_s
#define NAME(f) s_##f
#include "exec/pack.inc"

#define T double
#define R double
#define PARTS 1
#define SQUARE square_d
#define NAME(f) d_##f
#include "exec/pack.inc"

#define T float _Complex
#define R float
#define PARTS 2
#define SQUARE square_s
#define NAME(f) c_##f
#include "exec/pack.inc"

#define T double _Complex
#define R double
#define PARTS 2
#define SQUARE square_d
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
