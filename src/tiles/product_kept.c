/* What stays of a product of matrices of tiles when it is changed. */
#include "tiles/product_parts.h"

#include <stdlib.h>

void ashi_product_keep(ashi_tiles_product *p, ashi_product_kept *kept)
{
    *kept = (ashi_product_kept){.problem = p->problem, .needs = p->needs, .first = p->first};
    if (p->program.free_own)
        kept->groups = ashi_tile_program_take(&p->program);
    p->needs = (ashi_tile_needs){0};
    p->first = NULL;
}

void ashi_product_kept_free(ashi_product_kept *kept)
{
    ashi_tile_needs_free(&kept->needs);
    ashi_tile_groups_free(&kept->groups);
    free(kept->first);
    for (int x = 0; x < 2; x++)
        ashi_pattern_changes_free(&kept->factor[x]);
    for (int i = 0; i < ASHI_PRODUCT_SUMS; i++)
        ashi_pattern_changes_free(&kept->sums[i]);
}

ashlar_status ashi_product_use_kept(ashi_tiles_product *p, ashi_product_kept *kept, ashlar_error *err)
{
    const ashi_tile_groups_changes changes = {&kept->problem, &p->problem, {&kept->factor[0], &kept->factor[1]},
                                              kept->sums, ASHI_PRODUCT_SUMS};
    kept->problem.needs = &kept->needs;
    kept->problem.first = kept->first;
    if (!kept->groups.round[0] || !ashi_tile_groups_can_change(&kept->problem, &p->problem))
        return ASHLAR_OK;
    const ashlar_status status = ashi_tile_groups_change(&changes, p->c->context->rank, &kept->groups,
                                                         &p->steps.lined, err);
    if (status != ASHLAR_OK)
        return status;
    ashi_tile_program_give(&p->program, p->c->context->rank, &kept->groups);
    kept->groups = (ashi_tile_groups){0};
    kept->used = true;
    return ASHLAR_OK;
}
