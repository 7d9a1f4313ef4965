/* What `ashlar plan --device` says of the devices of ranks that multiply matrices of tiles. */
#include "base/error.h"
#include "choose/sparse_problem.h"
#include "cli/plan_tiles.h"
#include "exec/onto_tiles_rank.h"
#include "kernel/cache_blocks.h"

static ashlar_status count(ashi_tiles_case *c, const ashi_tile_problem *problem, ashlar_error *err)
{
    const ashi_device_terms *terms = &c->device.terms;
    ashlar_status status = ASHLAR_OK;
    for (int64_t r = 0; r < c->problem.ranks && status == ASHLAR_OK; r++) {
        ashi_onto_tiles_need n;
        status = ashi_onto_tiles_of_rank(problem, r, terms->type, terms->memory_words, &n, err);
        const ashi_device_need need = {.in = n.in, .out = n.out, .held = n.held, .calls = n.batches,
                                       .products = n.products,
                                       .seconds = ashi_onto_tiles_seconds(&n, terms->type, &terms->rates)};
        if (status == ASHLAR_OK)
            status = ashi_plan_device_add(&need, &c->problem.machine, &c->device, err);
    }
    return status;
}

ashlar_status ashi_plan_tiles_device(ashi_tiles_case *c, ashlar_error *err)
{
    ashi_sparse_problem problem;
    ashlar_status status = ashi_plan_device_terms(&c->wish->device, c->problem.type, &c->problem.machine, &c->device,
                                                  err);
    if (status != ASHLAR_OK || !c->device.device || ashi_tiles_are_low(c))
        return status;
    if (ashi_sparse_is_too_much(&c->request, &c->plan))
        return ashi_fail(err, ASHLAR_ERR_UNSUPPORTED, "--device: there are too many tiles, or products of tiles, to go "
                                                      "through those of all ranks");
    status = ashi_sparse_problem_make(&c->request, &c->plan, ASHI_CACHE_DEPTH, &problem, err);
    if (status == ASHLAR_OK)
        status = count(c, &problem.problem, err);
    ashi_sparse_problem_free(&problem);
    return status;
}
