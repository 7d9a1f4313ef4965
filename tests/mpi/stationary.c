/* Products in little memory in which A, B or C may stay, with either transport: of block-cyclic data, and on a prime
 * number of ranks uneven boxes in their own layouts. */
#define PROGRAM "stationary"

#include "mpi/in_context.h"
#include "mpi/multiplying.h"
#include "plan/plan.h"

typedef struct little {
    product product;
    ashi_stays largest;
    ashlar_layout *layout[3];
    ashlar_options options;
} little;

/* Sizes with factors that suit no grid. */
static void make_uneven(little *p, const rig *r, uint64_t *state)
{
    int64_t words = 0;
    for (int d = 0; d < 3; d++)
        p->product.size[d] = ashi_random_in(state, 40, 130);
    random_product(state, &p->product);
    narrow_at_times(state, &p->product);
    for (int x = 0; x < 3; x++) {
        int64_t shape[2];
        product_shape(&p->product, x, shape);
        words += shape[0] * shape[1];
    }
    p->options.strategy = "uneven";
    p->options.memory_words = words / r->ranks * ashi_random_in(state, 13, 18) / 10;
}

/* On a grid of processes as square as can be. Memory is a part more than the shares, so little that A or B stays if it
 * is the largest: on 2 x 2 with more of it C's way moves no more words. */
static bool make_problem(little *p, const rig *r, ashlar_error *err)
{
    static const int shortest[3] = {2, 1, 0}; /* k if C is the largest, n if A is, m if B is */
    uint64_t state = r->seed * 31;
    const int rows = r->ranks % 4 == 0 ? 2 * (int)(r->ranks / 8 + (r->ranks < 8)) : 1, cols = r->ranks / rows;
    int64_t words = 0;
    *p = (little){.largest = (ashi_stays)(r->seed % 3), .options = ashlar_options_default()};
    p->options.transport = r->seed / 3 % 2 ? ASHLAR_ONE_SIDED : ASHLAR_TWO_SIDED;
    p->options.objective = ASHLAR_LEAST_WORDS;
    if (r->ranks == 7) {
        make_uneven(p, r, &state);
        return true;
    }
    for (int d = 0; d < 3; d++)
        p->product.size[d] = d == shortest[p->largest] ? 12 : 96 + 8 * ashi_random_in(&state, 0, 2);
    random_product(&state, &p->product);
    narrow_at_times(&state, &p->product);
    for (int x = 0; x < 3; x++) {
        int64_t shape[2];
        product_shape(&p->product, x, shape);
        words += shape[0] * shape[1];
        if (ashlar_layout_block_cyclic(shape[0], shape[1], 4, 4, rows, cols, 0, 0, NULL,
                                       ashi_random_in(&state, 0, 1) ? ASHLAR_ROW_MAJOR : ASHLAR_COL_MAJOR, 0,
                                       &p->layout[x], err) != ASHLAR_OK)
            return false;
    }
    p->options.strategy = "cosma";
    p->options.memory_words = (words / r->ranks) * (r->ranks == 4 ? 12 : 15) / 10;
    return true;
}

static void multiply(ashlar_plan *plan, const little *p, part part_of[3], rig *r)
{
    unsigned char alpha[16], beta[16];
    ashlar_figures f, predicted;
    ashlar_error err = {0};
    number_store(ashlar_type_of_sums(p->product.type), p->product.alpha, alpha);
    number_store(ashlar_type_of_sums(p->product.type), p->product.beta, beta);
    CHECK(&r->test, ashlar_plan_execute(plan, alpha, part_of[0].base, part_of[1].base, beta, part_of[2].base, &err) ==
                        ASHLAR_OK, CASE "%s", CASE_OF(r), err.text);
    CHECK(&r->test, ashlar_plan_measured(plan, &f, &err) == ASHLAR_OK, CASE "%s", CASE_OF(r), err.text);
    CHECK(&r->test, ashlar_plan_predicted(plan, &predicted, &err) == ASHLAR_OK, CASE "%s", CASE_OF(r), err.text);
    if (number_abs(p->product.alpha) > 0)
        CHECK(&r->test, f.words_max == predicted.words_max && f.messages_max == predicted.messages_max &&
                            f.memory_words == predicted.memory_words,
              CASE "%" PRId64 " words and %" PRId64 " messages predicted, %" PRId64 " and %" PRId64 " measured",
              CASE_OF(r), predicted.words_max, predicted.messages_max, f.words_max, f.messages_max);
    CHECK(&r->test, f.memory_words <= p->options.memory_words, CASE "%" PRId64 " words of memory", CASE_OF(r),
          f.memory_words);
    const double off = product_error(&p->product, &part_of[2]);
    CHECK(&r->test, off <= 1, CASE "%g times what rounding allows", CASE_OF(r), off);
    CHECK(&r->test, part_only_elements_changed(&part_of[2]), CASE "memory around C was written to", CASE_OF(r));
}

static int staying[3]; /* plans, by what stays */

static void try_case(ashlar_context *context, rig *r)
{
    little p;
    ashlar_plan *plan = NULL;
    ashlar_error err = {0};
    part part_of[3];
    memset(part_of, 0, sizeof part_of);
    bool made = make_problem(&p, r, &err);
    const product *q = &p.product;
    const ashlar_problem asked = {.type = q->type, .op_a = q->op[0], .op_b = q->op[1], .m = q->size[0],
                                  .n = q->size[1], .k = q->size[2], .a = p.layout[0], .b = p.layout[1],
                                  .c = p.layout[2]};
    CHECK(&r->test, made && ashlar_plan_create(context, &asked, &p.options, &plan, &err) == ASHLAR_OK, CASE "%s",
          CASE_OF(r), err.text);
    if (plan)
        staying[plan->choice.proposal.stays]++;
    if (r->cases > 1 && r->seed + 1 == r->first + r->cases)
        CHECK(&r->test, staying[ASHI_STAYS_A] + staying[ASHI_STAYS_B] > 0, CASE "neither A nor B stayed", CASE_OF(r));
    for (int x = 0; x < 3 && plan && made; x++)
        made = part_make(&part_of[x], &q->content[x], plan->layout[x], r->rank,
                         number_abs(x == 2 ? q->beta : q->alpha) == 0);
    if (plan && made)
        multiply(plan, &p, part_of, r);
    for (int x = 0; x < 3; x++) {
        part_free(&part_of[x]);
        ashlar_layout_free(&p.layout[x]);
    }
    ashlar_plan_free(&plan);
}

int main(int argc, char **argv)
{
    return try_in_context(argc, argv, 24, try_case);
}
