/* The table of strategies. */
#include "strategy/strategy.h"

#include <string.h>

static const ashi_strategy *const strategies[] = {
    &ashi_strategy_cosma,      &ashi_strategy_summa,  &ashi_strategy_25d,       &ashi_strategy_carma,
    &ashi_strategy_uneven,     &ashi_strategy_cannon, &ashi_strategy_sd_cannon, &ashi_strategy_tpmm,
    &ashi_strategy_cosma_tpmm, &ashi_strategy_summa_tpmm, &ashi_strategy_sequential};

const ashi_strategy *ashi_strategy_at(int i)
{
    return i >= 0 && i < (int)(sizeof strategies / sizeof strategies[0]) ? strategies[i] : NULL;
}

const ashi_strategy *ashi_strategy_named(const char *name)
{
    const ashi_strategy *s = NULL;
    for (int i = 0; (s = ashi_strategy_at(i)) != NULL && strcmp(s->name, name) != 0; i++)
        continue;
    return s;
}
