/* The table of strategies, and lists of what they propose. */
#include "strategy/strategy.h"

#include "base/checked.h"
#include "base/error.h"

#include <stdlib.h>
#include <string.h>

static const ashi_strategy *const strategies[] = {&ashi_strategy_cosma, &ashi_strategy_sequential};

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

void ashi_proposal_free(ashi_proposal *p)
{
    ashi_bricks_free(&p->bricks);
    for (int x = 0; x < 3; x++)
        ashlar_layout_free(&p->own[x]);
}

void ashi_proposals_free(ashi_proposals *list)
{
    for (int64_t i = 0; i < list->count; i++)
        ashi_proposal_free(&list->at[i]);
    free(list->at);
    *list = (ashi_proposals){0};
}

ashlar_status ashi_proposals_add(ashi_proposals *list, ashi_proposal *proposal, ashlar_error *err)
{
    if (list->count == list->capacity) {
        const int64_t capacity = ashi_max(8, 2 * list->capacity);
        ashi_proposal *at = realloc(list->at, (size_t)capacity * sizeof *at);
        if (!at) {
            ashi_proposal_free(proposal);
            return ashi_fail_memory(err, "plan", capacity * (int64_t)sizeof *at);
        }
        list->at = at;
        list->capacity = capacity;
    }
    list->at[list->count++] = *proposal;
    return ASHLAR_OK;
}
