/* One text of packing for products with few columns, compiled for each type. */
#include "kernel/skinny_pack.h"

#include "base/checked.h"
#include "kernel/pack.h"
#include "kernel/skinny.h"

#include <string.h>

#define R float
#define PARTS 1
#define NAME(f) s_##f
#include "kernel/skinny_pack.inc"

#define R double
#define PARTS 1
#define NAME(f) d_##f
#include "kernel/skinny_pack.inc"

#define R float
#define PARTS 2
#define NAME(f) c_##f
#include "kernel/skinny_pack.inc"

#define R double
#define PARTS 2
#define NAME(f) z_##f
#include "kernel/skinny_pack.inc"

static const ashi_skinny_pack table[] = {
    [ASHLAR_TYPE_S] = {1, s_across, s_along, s_join},
    [ASHLAR_TYPE_D] = {1, d_across, d_along, d_join},
    [ASHLAR_TYPE_C] = {2, c_across, c_along, c_join},
    [ASHLAR_TYPE_Z] = {2, z_across, z_along, z_join},
};

const ashi_skinny_pack *ashi_skinny_pack_of(ashlar_type type)
{
    return &table[type];
}
