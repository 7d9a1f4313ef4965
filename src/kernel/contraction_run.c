/* A product of strided operands, in the way that its plan says. */
#include "kernel/contraction_blocks.h"
#include "kernel/contraction_interleaved.h"
#include "kernel/contraction_skinny.h"
#include "kernel/contraction_stage.h"
#include "kernel/contraction_thin.h"

void ashi_contraction_run(const ashi_contraction_plan *plan, const void *alpha, const void *a, const void *b,
                          const void *beta, void *c, int part, int parts, void *workspace)
{
    if (plan->interleaved)
        ashi_contraction_interleaved(plan, alpha, a, b, beta, c, part, parts, workspace);
    else if (plan->stage.step > 0)
        ashi_contraction_staged(plan, alpha, a, b, beta, c, part, parts, workspace);
    else if (plan->skinny != ASHI_SKINNY_NOT)
        ashi_contraction_skinny(plan, alpha, a, b, beta, c, part, parts, workspace);
    else if (plan->thin)
        ashi_contraction_thin(plan, alpha, a, b, beta, c, part, parts, workspace);
    else
        ashi_contraction_in_blocks(plan, alpha, a, b, beta, c, part, parts, workspace);
}
