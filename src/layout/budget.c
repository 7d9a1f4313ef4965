/* Which products of tiles to leave out, so that the error stays within what is allowed and the most work is saved. */
#include "layout/budget.h"
#include "base/hash.h"

#include <stdlib.h>

/* Prices, as parts of most^2, from 2^-250 to 1 in 64 bins for each factor of 2. Cheaper ones are in the first bin: all
 * products together do not cost anything there. Dearer ones are in the last one, which nobody can pay. */
enum { LEAST_POWER = -250, BINS_OF_POWER = 64, NEVER = ASHI_BUDGET_BINS - 1 };

/* The whole of it, and the part that is used. The rest is for the rounding of the bound that the user gets. */
static const int64_t whole = (int64_t)1 << ASHI_BUDGET_UNITS_POWER;
static const int64_t usable = ((int64_t)1 << ASHI_BUDGET_UNITS_POWER) - ((int64_t)1 << (ASHI_BUDGET_UNITS_POWER - 20));

ashi_budget ashi_budget_begin(ashi_up most)
{
    return (ashi_budget){.most = most};
}

static int by_column_then_worth(const void *a, const void *b)
{
    const ashi_budget_item *x = a, *y = b;
    if (x->col != y->col)
        return x->col < y->col ? -1 : 1;
    if (x->worth < y->worth || x->worth > y->worth)
        return x->worth < y->worth ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

/* The logarithm of size over work orders as that does, for any magnitudes. What is not finite comes last. */
static double worth_of(const ashi_budget_item *item)
{
    if (!ashi_up_finite(item->size))
        return INFINITY;
    if (item->size.fraction == 0)
        return -INFINITY;
    const ashi_up work = ashi_up_of(item->work > 1 ? item->work : 1);
    return (double)(item->size.exponent - work.exponent) + (log2(item->size.fraction) - log2(work.fraction));
}

void ashi_budget_put_in_order(ashi_budget_item *item, int64_t count)
{
    for (int64_t x = 0; x < count; x++)
        item[x].worth = worth_of(&item[x]);
    if (count > 1)
        qsort(item, (size_t)count, sizeof *item, by_column_then_worth);
}

/* As a part of `most`; 2 stands for all that is above 2, and for what is not a number. */
static double part_of(ashi_up size, ashi_up most)
{
    if (!ashi_up_finite(size))
        return 2;
    const int64_t exponent = size.exponent - most.exponent;
    if (size.fraction == 0 || exponent < -500)
        return 0;
    return exponent > 1 ? 2 : fmin(2, ldexp(size.fraction / most.fraction, (int)exponent));
}

/* `part` of the whole in units, rounded up. */
static int64_t units_of(double part)
{
    return part < 2 ? (int64_t)ceil(ldexp(part, ASHI_BUDGET_UNITS_POWER) * (1 + 0x1p-40)) : 2 * whole;
}

int64_t ashi_budget_units(ashi_up x, ashi_up most)
{
    const double part = part_of(x, most);
    return units_of(part * part);
}

int64_t ashi_budget_add_units(int64_t x, int64_t y)
{
    return x + y < 2 * whole ? x + y : 2 * whole;
}

double ashi_budget_rest(double error, int64_t units)
{
    const double used = sqrt(ldexp((double)units, -ASHI_BUDGET_UNITS_POWER)) * (1 + 0x1p-40);
    return used < 1 ? error * (1 - used) * (1 - 0x1p-40) : 0;
}

static int64_t bin_of(double price)
{
    if (price > 1)
        return NEVER;
    if (!(price > ldexp(1, LEAST_POWER)))
        return 0;
    int power;
    const double fraction = 2 * frexp(price, &power) - 1; /* 0 to 1 */
    const int64_t bin = (int64_t)(power - 1 - LEAST_POWER) * BINS_OF_POWER + (int64_t)(fraction * BINS_OF_POWER);
    return bin < NEVER ? bin : NEVER;
}

/* The items of one tile of C, one after the other. */
typedef struct prices {
    int64_t col, bin;
    double lost; /* the sum of the sizes so far, as a part of `most` */
    double cost; /* of the item */
} prices;

static void price(prices *now, const ashi_budget *budget, const ashi_budget_item *item, bool first)
{
    if (first || item->col != now->col)
        *now = (prices){.col = item->col};
    const double size = part_of(item->size, budget->most), work = item->work > 1 ? item->work : 1;
    now->cost = (2 * now->lost + size) * size;
    now->lost += size;
    const int64_t bin = now->lost > 1 ? NEVER : bin_of(now->cost / work);
    now->bin = bin > now->bin ? bin : now->bin; /* nothing is left out before what is cheaper for its work */
}

void ashi_budget_count(const ashi_budget *budget, const ashi_budget_item *item, int64_t count, int64_t *cost)
{
    prices now = {0};
    for (int64_t x = 0; x < count; x++) {
        price(&now, budget, &item[x], x == 0);
        if (now.bin < NEVER)
            cost[now.bin] = ashi_budget_add_units(cost[now.bin], units_of(now.cost));
    }
}

void ashi_budget_narrow(ashi_budget *budget, const int64_t *cost)
{
    int64_t sum = 0;
    budget->bin = 0;
    budget->share = 0;
    while (budget->bin < NEVER && sum + cost[budget->bin] <= usable)
        sum += cost[budget->bin++];
}

static int64_t share_of(int64_t row, int64_t col)
{
    return (int64_t)(ashi_hash((uint64_t)row, col) % ASHI_BUDGET_SHARES);
}

void ashi_budget_count_shares(const ashi_budget *budget, int64_t row, const ashi_budget_item *item, int64_t count,
                              int64_t *share_cost)
{
    prices now = {0};
    for (int64_t x = 0; x < count; x++) {
        price(&now, budget, &item[x], x == 0);
        if (now.bin == budget->bin && now.bin < NEVER) {
            int64_t *const share = &share_cost[share_of(row, item[x].col)];
            *share = ashi_budget_add_units(*share, units_of(now.cost));
        }
    }
}

void ashi_budget_narrow_shares(ashi_budget *budget, const int64_t *cost, const int64_t *share_cost)
{
    int64_t sum = 0;
    for (int64_t bin = 0; bin < budget->bin; bin++)
        sum += cost[bin];
    budget->share = 0;
    while (budget->bin < NEVER && budget->share < ASHI_BUDGET_SHARES && sum + share_cost[budget->share] <= usable)
        sum += share_cost[budget->share++];
}

void ashi_budget_apply(const ashi_budget *budget, int64_t row, const ashi_budget_item *item, int64_t count,
                       bool *left_out)
{
    prices now = {0};
    for (int64_t x = 0; x < count; x++) {
        price(&now, budget, &item[x], x == 0);
        left_out[item[x].number] = now.bin < budget->bin || (now.bin == budget->bin && now.bin < NEVER &&
                                                             share_of(row, item[x].col) < budget->share);
    }
}

static bool add_up(const ashi_budget_sum *sum, bool mine, int64_t *numbers, int64_t count)
{
    return sum ? sum->add(sum->user, mine, numbers, count) : mine;
}

bool ashi_budget_choose(ashi_budget *budget, ashi_budget_counter *count, void *user, const ashi_budget_sum *sum,
                        int64_t *room)
{
    int64_t *const share_cost = room ? room + ASHI_BUDGET_BINS : NULL;
    for (int64_t i = 0; i < ASHI_BUDGET_ROOM && room; i++)
        room[i] = 0;
    if (!add_up(sum, room && count(user, budget, room, false), room, ASHI_BUDGET_BINS))
        return false;
    ashi_budget_narrow(budget, room);
    if (!add_up(sum, count(user, budget, share_cost, true), share_cost, ASHI_BUDGET_SHARES))
        return false;
    ashi_budget_narrow_shares(budget, room, share_cost);
    return true;
}
