/* Whether the strips of a product on a device are staggered. Without that each tile's way back stands alone: neither
 * copies in nor products go on for long beside it. With it that is spread over `stagger` steps of a tile, and as many
 * slabs less one are copied in again for each row of tiles. */
#include "search/onto_stagger.h"

#include "base/checked.h"
#include "base/type.h"
#include "engine/nest_stagger.h"

#include <math.h>

enum { STRIPS_MOST = 16, DOUBLINGS = 8, PERCENT = 5 };

/* A call takes some time on any device. Source: a launch of a kernel on a GPU takes about 5 us. */
static const double call_seconds = 5e-6;

/* Seconds of a step in which all strips are multiplied: copies in of the slab that all strips need and of those that
 * belong to strips, products, a tile's way back and, if C is read, its way in; and what each call takes beside that. */
typedef struct step_loads {
    double shared, own, work, back, fetched, delay;
} step_loads;

static step_loads loads_of(const ashi_onto_problem *p, const ashi_tiling_request *q, const ashi_nest *nest)
{
    const double bytes = (double)q->bytes, sums = (double)ashi_type_bytes(p->type, ASHLAR_C);
    const double rate = q->machine->disk_bandwidth, out = p->out > 0 ? p->out : rate;
    const int along = nest->minor[ASHLAR_C] ? 1 : 0;
    double side[3];
    for (int d = 0; d < 3; d++)
        side[d] = (double)nest->size[d] / (double)ashi_max(ashi_min(nest->cut[d], nest->size[d]), 1);
    const double tile = side[0] * side[1];
    return (step_loads){.shared = side[1 - along] * side[2] * bytes / rate, .own = side[along] * side[2] * bytes / rate,
                        .work = tile * side[2] * q->flops / q->machine->flops_per_second, .back = tile * sums / out,
                        .fetched = nest->adds ? tile * sums / rate : 0, .delay = fmax(p->delay, call_seconds)};
}

/* A step in which a part of the strips is multiplied, and `changes` (0 to 1) of a tile go out and begin. */
static double step_of(const step_loads *l, double part, double strips, double changes)
{
    const double in = l->shared + part * l->own + changes * l->fetched + 2 * l->delay;
    const double work = part * l->work + part * strips * l->delay;
    const double change = changes > 0 ? changes * (l->back + l->fetched + l->work) + 2 * l->delay : 0;
    return fmax(fmax(in, work), change);
}

double ashi_onto_seconds(const ashi_onto_problem *p, const ashi_tiling_request *q, const ashi_nest *nest)
{
    const step_loads l = loads_of(p, q, nest);
    const ashi_stagger s = ashi_stagger_of(nest);
    const double tiles = (double)s.tiles, rows = (double)s.rows, slabs = (double)s.slabs;
    const double steady = step_of(&l, 1, (double)s.strips, 0);
    if (nest->stagger == 0)
        return rows * tiles * (slabs * steady + l.back + l.fetched + l.work) + steady;
    const double strips = (double)s.strips, change = step_of(&l, 1, strips, 1 / strips);
    double row = tiles * (slabs * steady + strips * (change - steady));
    for (int64_t i = 1; i < s.strips; i++) { /* as a row begins and as it ends */
        const double part = (double)i / strips;
        row += 2 * step_of(&l, part, strips, 1 / strips) - change;
    }
    return rows * row + steady + (l.back + l.work) / strips;
}

void ashi_onto_stagger(const ashi_onto_problem *p, const ashi_tiling_request *q, ashi_nest *nest)
{
    if (nest->stays != ASHLAR_C || nest->ahead != 1 || nest->size[2] < 2)
        return;
    const int along = nest->minor[ASHLAR_C] ? 1 : 0;
    const int64_t fewest = ashi_tiling_fewest(q);
    const ashi_nest plain = *nest;
    double best = ashi_onto_seconds(p, q, nest);
    if (fewest > INT64_MAX / 400 || ashi_nest_unit(nest, 0) > 1 || ashi_nest_unit(nest, 1) > 1)
        return;
    for (int i = 0; i < DOUBLINGS; i++) { /* slabs from twice as thin on */
        ashi_nest other = plain;
        other.cut[2] = ashi_ceil_div(ashi_min(ashi_mul_most(plain.cut[2], 2), plain.size[2]), INT64_C(1) << i);
        const int64_t strips = ashi_min(STRIPS_MOST, ashi_min(other.cut[2], other.size[along] / other.cut[along]));
        for (int64_t spread = 2; spread <= strips; spread++) {
            other.stagger = other.strips = spread;
            const ashi_nest_figures f = ashi_nest_of_rank(&other, 0);
            if ((f.disk - fewest) * 100 > fewest * PERCENT)
                break;
            const double seconds = ashi_nest_memory(&other) <= p->memory_words ? ashi_onto_seconds(p, q, &other) : best;
            if (seconds < best) {
                best = seconds;
                *nest = other;
            }
        }
    }
}
