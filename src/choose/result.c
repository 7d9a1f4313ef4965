/* Make a choice of what won: the plan, the reason for it, and a row for everything that it was compared with. */
#include "choose/result.h"

#include "strategy/idle.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static void explain(const ashi_problem *q, int64_t ranks_used, ashi_choice *c)
{
    const bool own = !q->layout[0] && !q->layout[1] && !q->layout[2];
    const int64_t idle = q->ranks - ranks_used;
    char ranks[64] = "", stays[64] = "";
    if (c->proposal.stays != ASHI_STAYS_C)
        snprintf(stays, sizeof stays, "; %c stays, and sums of C are moved in each round",
                 "ABC"[ashi_stationary(c->proposal.stays)]);
    if (idle > ashi_idle_most(q->idle, q->ranks))
        snprintf(ranks, sizeof ranks, "; %" PRId64 " of %" PRId64 " ranks idle", idle, q->ranks);
    snprintf(c->reason, sizeof c->reason, "%s: %s, %s%s%s", own ? "nothing need be moved first" : c->proposal.origin,
             q->least_words ? "fewest words for the busiest rank" : "least predicted time",
             q->memory_words ? "within the memory given" : "no memory limit given", ranks, stays);
}

static void tell(const ashi_contender *e, ashi_compared *row)
{
    const ashi_proposal *p = e->proposal;
    *row = (ashi_compared){.strategy = p->strategy, .has_figures = true, .competes = !e->out, .counted = e->counted,
                           .ranks_used = ashi_proposal_ranks(p), .rounds = p->rounds, .window = p->window,
                           .stays = p->stays, .totals = e->totals, .seconds = e->seconds, .origin = p->origin};
    for (int d = 0; d < 3; d++)
        row->grid[d] = p->bricks.grid[d];
    if (e->schedule.own) {
        row->ranks_used = e->schedule.ranks_used;
        row->rounds = e->schedule.rounds;
        row->window = e->schedule.window;
        memcpy(row->grid, e->schedule.grid, sizeof row->grid);
    }
}

/* Rows: of each strategy its best in the place that it was asked in, then all others that are foreseen. */
static void tell_all(ashi_contest *c, const ashi_contender *best, ashi_choice *out)
{
    const int strategies = c->rows;
    for (int i = 0; i < strategies; i++) {
        const ashi_contender *e = ashi_contest_best(c, c->row[i].strategy);
        if (best->proposal->strategy == c->row[i].strategy) {
            e = best;
            out->taken = i;
        }
        if (e)
            tell(e, &c->row[i]);
    }
    for (int64_t i = 0; i < c->entries; i++)
        if (!c->entry[i].counted && c->entry[i].out)
            tell(&c->entry[i], &c->row[c->rows++]);
    out->strategies = strategies;
    out->compared = c->row;
    out->comparisons = c->rows;
    c->row = NULL;
}

void ashi_contest_take(ashi_contest *c, ashi_choice *out)
{
    ashi_contender *best = c->best;
    tell_all(c, best, out);
    out->strategy = best->proposal->strategy;
    out->proposal = *best->proposal;
    out->schedule = best->schedule;
    out->totals = best->totals;
    out->seconds = best->seconds;
    *best->proposal = (ashi_proposal){.strategy = out->strategy};
    best->schedule = (ashi_schedule){0};
    explain(c->problem, out->compared[out->taken].ranks_used, out);
}
