/* A symbolic product that leaves out what an error allows. */
#include "base/error.h"
#include "layout/symbolic_making.h"

#include <stdlib.h>

/* Prices of all products: the bins, or the shares of one bin. */
static bool count_prices(void *user, const ashi_budget *budget, int64_t *cost, bool shares)
{
    ashi_making *m = user;
    const ashi_factor *a = m->product->a;
    const ashi_pattern *c = m->product->c;
    if (!m->slot_of && !ashi_making_room(m))
        return false;
    for (int64_t x = 0; x < a->rows; x++) {
        if (!ashi_making_begin_row(m, c ? ashi_pattern_row(c, a->row[x]) : -1) || !ashi_making_list_items(m, x))
            return false;
        if (shares)
            ashi_budget_count_shares(budget, a->row[x], m->item, m->items, cost);
        else
            ashi_budget_count(budget, m->item, m->items, cost);
    }
    return true;
}

static bool choose_prices(const ashi_sparse_product *product, const ashi_budget_sum *sum, ashi_budget *budget)
{
    ashi_symbolic unused = {0};
    ashi_making m = {.product = product, .out = &unused};
    int64_t *room = malloc(ASHI_BUDGET_ROOM * sizeof *room);
    const bool done = ashi_budget_choose(budget, count_prices, &m, sum, room);
    free(room);
    ashi_making_free(&m);
    ashi_symbolic_free(&unused);
    return done;
}

ashlar_status ashi_symbolic_within(const ashi_sparse_product *product, ashi_allowance *allowance, ashi_symbolic *out,
                                   ashlar_error *err)
{
    const ashi_budget_sum *sum = allowance->sum;
    int64_t rounding = 0;
    ashlar_status status = ashi_making_within(product, allowance->error, &rounding, out, err);
    const bool made = sum ? sum->add(sum->user, status == ASHLAR_OK, &rounding, 1) : status == ASHLAR_OK;
    const double left = made ? ashi_budget_rest(allowance->error, rounding) : 0, products = left * allowance->share;
    allowance->rest = left - products;
    if (!(products > 0))
        return status;
    ashi_budget budget = ashi_budget_begin(ashi_up_of(products));
    if (!choose_prices(product, sum, &budget))
        return ashi_fail_memory(err, "the prices of products", ASHI_BUDGET_ROOM * (int64_t)sizeof(int64_t));
    ashi_symbolic_free(out);
    ashi_sparse_product with = *product;
    with.budget = &budget;
    return ashi_symbolic_make(&with, out, err);
}
