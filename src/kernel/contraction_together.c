/* Batches of products whose elements interleave in some matrices: which of them are packed together. */
#include "kernel/contraction_together.h"

#include "base/checked.h"
#include "base/type.h"
#include "kernel/contraction_blocks.h"
#include "kernel/contraction_groups.h"
#include "kernel/micro.h"
#include "kernel/positions.h"

/* LONG, THICK: where all elements interleave for so long, products of fewer multiply-adds an element are done without
 * packing, lane by lane. SHARE, BYTES_LEAST: matrices whose elements interleave have at least one word in SHARE, or so
 * many bytes. SIDE_LEAST: of rows, columns and positions of the sum. RUN_BYTES: the most neighbours that are read
 * together. UNIT: products that are packed together are a multiple of it, but for the last ones. DEPTH, BLOCK_BYTES,
 * PANEL_BYTES: positions of a sum's part; blocks of A and panels of B of all products together. */
enum { A, B, C, MATRICES, SIDE_LEAST = 2, RUN_BYTES = 512, UNIT = 4, DEPTH = 128, BLOCK_BYTES = 256 << 10,
       PANEL_BYTES = 4 << 20, LONG = 64, THICK = 2, SHARE = 8, BYTES_LEAST = 1 << 20 };

/* The index of the batch whose values are neighbours in most matrices, the larger ones counted first; -1 if there is
 * none. */
static int find_lanes(const ashi_contraction *p)
{
    const int64_t m = ashi_positions_of(&p->rows), n = ashi_positions_of(&p->cols), k = ashi_positions_of(&p->depth);
    const int64_t words[MATRICES] = {m * k, n * k, m * n};
    int found = -1;
    int64_t most = 0;
    for (int i = 0; i < p->batch.count; i++) {
        int64_t count = 0;
        for (int matrix = A; p->batch.index[i].extent > 1 && matrix < MATRICES; matrix++)
            count += p->batch.index[i].stride[matrix] == 1 ? words[matrix] : 0;
        if (count > most)
            most = count, found = i;
    }
    return found;
}

/* Whether the matrices in which the values of an index are neighbours are large enough. */
static bool pays(const ashi_contraction *p, int lanes)
{
    const int64_t m = ashi_positions_of(&p->rows), n = ashi_positions_of(&p->cols), k = ashi_positions_of(&p->depth);
    const int64_t words[MATRICES] = {m * k, n * k, m * n}, batches = ashi_positions_of(&p->batch);
    const int64_t all = words[A] + words[B] + words[C];
    int64_t some = 0;
    for (int matrix = A; matrix < MATRICES; matrix++)
        some += p->batch.index[lanes].stride[matrix] == 1 ? words[matrix] : 0;
    if (ashi_min(m, ashi_min(n, k)) < SIDE_LEAST)
        return false;
    if (some == all && p->batch.index[lanes].extent >= LONG && words[A] * n < THICK * all)
        return false;
    return some >= all / SHARE ||
           some * batches >= BYTES_LEAST / (int64_t)ashi_type_of(p->type)->bytes;
}

bool ashi_contraction_together_find(ashi_contraction_plan *plan)
{
    ashi_contraction *const p = &plan->product;
    const int64_t bytes = (int64_t)ashi_type_of(p->type)->bytes, run = RUN_BYTES / bytes;
    const int found = find_lanes(p);
    if (found < 0 || !pays(p, found))
        return false;
    plan->lanes = p->batch.index[found];
    p->batch.index[found] = p->batch.index[--p->batch.count];
    const int64_t groups = ashi_ceil_div(plan->lanes.extent, run), even = ashi_ceil_div(plan->lanes.extent, groups);
    plan->together = ashi_min(plan->lanes.extent, ashi_ceil_div(even, UNIT) * UNIT);
    return true;
}

ashi_cache_blocks ashi_contraction_together_blocks(const ashi_contraction_plan *plan)
{
    const ashi_micro *const micro = ashi_micro_of(plan->product.type);
    const int64_t bytes = (int64_t)ashi_type_of(plan->product.type)->bytes * plan->together;
    ashi_cache_blocks out = ashi_cache_blocks_of(plan->product.type, plan->m, plan->n, plan->k, 0);
    if (ashi_contraction_blocks_of_a(plan) > 1) {
        out.kc = ashi_cache_part(plan->k, 1, DEPTH);
        out.mc = ashi_cache_part(plan->m, micro->rows, BLOCK_BYTES / (out.kc * bytes));
    }
    out.nc = ashi_cache_part(plan->n, micro->cols, PANEL_BYTES / (out.kc * bytes));
    return out;
}
