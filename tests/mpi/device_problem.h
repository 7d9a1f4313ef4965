/* Random products for devices: sizes, types, contents and layouts. */
#ifndef ASHI_DEVICE_PROBLEM_H
#define ASHI_DEVICE_PROBLEM_H

#include "mpi/multiplying.h"
#include "mpi/ranks.h"

typedef struct device_problem {
    product product;
    ashlar_layout *given[3]; /* NULL: the plan's own */
    ashlar_options options;
} device_problem;

static inline bool random_problem(uint64_t *state, device_problem *p, const rig *r, ashlar_error *err)
{
    product *q = &p->product;
    *p = (device_problem){.options = ashlar_options_default()};
    for (int d = 0; d < 3; d++)
        q->size[d] = ashi_random_in(state, 1, 60);
    random_product(state, q);
    narrow_at_times(state, q);
    q->alpha = (number){2, 0};
    q->beta = (number){ashi_random_in(state, 1, 3), 0};
    for (int x = 0; x < 3; x++) {
        int64_t shape[2];
        product_shape(q, x, shape);
        if (ashi_random_in(state, 0, 2) > 0 &&
            !(p->given[x] = random_part_layout(state, shape[0], shape[1], r->ranks, r->rank, err)))
            return false;
    }
    p->options.window = (int)ashi_random_in(state, 1, 4);
    return true;
}

static inline void problem_free(device_problem *p)
{
    for (int x = 0; x < 3; x++)
        ashlar_layout_free(&p->given[x]);
}

static inline ashlar_problem problem_asked(const device_problem *p)
{
    const product *q = &p->product;
    return (ashlar_problem){.type = q->type, .op_a = q->op[0], .op_b = q->op[1], .m = q->size[0], .n = q->size[1],
                            .k = q->size[2], .a = p->given[0], .b = p->given[1], .c = p->given[2]};
}

/* Execute a plan of a problem on new contents; part_of is C's afterwards, and the caller frees all three. */
static inline ashlar_status problem_execute(ashlar_plan *plan, const device_problem *p, int rank, part part_of[3],
                                            ashlar_error *err)
{
    unsigned char alpha[16], beta[16];
    memset(part_of, 0, 3 * sizeof *part_of);
    for (int x = 0; x < 3; x++)
        if (!part_make(&part_of[x], &p->product.content[x], ashlar_plan_layout(plan, (ashlar_operand)x), rank, false))
            return ASHLAR_ERR_MEMORY;
    number_store(ashlar_type_of_sums(p->product.type), p->product.alpha, alpha);
    number_store(ashlar_type_of_sums(p->product.type), p->product.beta, beta);
    return ashlar_plan_execute(plan, alpha, part_of[0].base, part_of[1].base, beta, part_of[2].base, err);
}

#endif
