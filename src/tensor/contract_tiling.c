/* The planner of matrices in files, asked for the products of a contraction. */
#include "tensor/contract_tiling.h"

#include "search/tiling.h"

#include <stdio.h>

/* The figures of the nest for the whole batch. */
static ashlar_status count(const ashi_paper_problem *q, ashi_contract_tiling *out, ashlar_error *err)
{
    ashi_nest_figures total, most;
    const ashlar_status status = ashi_nest_total(&out->nest, &total, &most, err);
    const double batch = (double)q->batch;
    if (status != ASHLAR_OK)
        return status;
    ashi_nest_shape(&out->nest, out->shape);
    out->disk_of[0] = (double)total.a * batch;
    out->disk_of[1] = (double)total.b * batch;
    out->disk_of[2] = ((double)total.c0 + (double)total.back + (double)total.c) * batch;
    out->disk_total = (double)total.disk * batch;
    out->disk_busiest = (double)most.disk * batch;
    out->network_total = (double)total.received * batch;
    out->network_busiest = (double)most.received * batch;
    out->seconds = out->disk_busiest / q->disk + out->network_busiest / q->network;
    return ASHLAR_OK;
}

ashi_contract_tiling ashi_contract_tiling_make(const ashi_paper_problem *q, int64_t memory_words, int64_t bytes,
                                               bool adds)
{
    ashlar_machine machine = ashlar_machine_default();
    ashi_contract_tiling out = {.applicable = false};
    ashlar_error err;
    if (q->ranks > ASHI_CONTRACT_TILING_RANKS_MOST) {
        snprintf(out.reason, sizeof out.reason, "words are counted for at most %d ranks",
                 (int)ASHI_CONTRACT_TILING_RANKS_MOST);
        return out;
    }
    machine.disk_bandwidth = 1; /* so slow that of two tilings the one with fewer words of disk is faster */
    machine.bandwidth = q->network * (double)bytes;
    const ashi_tiling_request request = {.size = {q->extent[0], q->extent[1], q->extent[2]}, .ranks = q->ranks,
                                         .memory_words = memory_words, .bytes = bytes, .flops = 2, .adds = adds,
                                         .fewest_words = true, .least = true, .machine = &machine};
    ashlar_status status = ashi_tiling_choose(&request, &out.nest, &err);
    if (status == ASHLAR_OK)
        status = count(q, &out, &err);
    out.applicable = status == ASHLAR_OK;
    if (!out.applicable)
        snprintf(out.reason, sizeof out.reason, "%s", err.text);
    return out;
}
