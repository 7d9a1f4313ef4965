/* What strategies propose: lists, and figures that all of them use. */
#include "strategy/strategy.h"

#include "base/checked.h"
#include "base/error.h"
#include "base/type.h"
#include "strategy/idle.h"

#include <stdlib.h>

double ashi_problem_share(const ashi_problem *q)
{
    const double m = (double)q->size[0], n = (double)q->size[1], k = (double)q->size[2];
    return (m * k + k * n + m * n) / (double)q->ranks;
}

/* Messages along a tree wait for one another, so each counts twice. */
double ashi_problem_seconds(const ashi_problem *q, const ashi_totals *t, bool tree)
{
    const ashi_type *type = ashi_type_of(q->type);
    const ashi_pace pace = {&q->machine, (int64_t)type->bytes, q->ranks, type->flops, q->ranks_per_core};
    return ashi_predict_seconds(t, &pace) + (tree ? (double)t->messages_max * q->machine.latency : 0);
}

void ashi_proposal_free(ashi_proposal *p)
{
    ashi_bricks_free(&p->bricks);
    for (int x = 0; x < 3; x++)
        ashlar_layout_free(&p->own[x]);
}

ashlar_status ashi_proposal_furnish(const ashi_problem *q, ashi_proposal *p, ashlar_error *err)
{
    const ashlar_status status = p->furnish ? p->furnish(q, p, err) : ASHLAR_OK;
    if (status == ASHLAR_OK)
        p->furnish = NULL;
    return status;
}

void ashi_proposals_shrink(ashi_proposals *list, int64_t count)
{
    while (list->count > count)
        ashi_proposal_free(&list->at[--list->count]);
}

void ashi_proposals_free(ashi_proposals *list)
{
    ashi_proposals_shrink(list, 0);
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

bool ashi_is_lopsided(const ashi_totals *t, int64_t ranks_used)
{
    return t->sent_max > 2 * t->words_max ||
           (double)t->words_max > 2 * (double)t->words_total / (double)ashi_max(ranks_used, 1);
}

int64_t ashi_proposal_ranks(const ashi_proposal *p)
{
    return p->ranks > 0 ? p->ranks : p->bricks.count;
}

int64_t ashi_proposals_ranks_wanted(const ashi_problem *q, const ashi_proposals *list)
{
    int64_t most = 0;
    for (int64_t i = 0; i < list->count; i++)
        most = ashi_max(most, ashi_proposal_ranks(&list->at[i]));
    return ashi_min(most, q->ranks - ashi_idle_most(q->idle, q->ranks));
}
