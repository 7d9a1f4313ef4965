/* One sentence on why a report's strategy is chosen. */
#include "cli/report.h"
#include "strategy/idle.h"

#include <inttypes.h>
#include <stdio.h>

bool ashi_candidate_is_folded(const ashi_candidate *c)
{
    return c->grid[0] * c->grid[1] * c->grid[2] > c->ranks_used;
}

/* The rule that decided among grids, or among what a strategy without a grid proposed. */
static void say_rule(const ashi_report *r, char *out, size_t room)
{
    const ashi_problem *q = &r->problem;
    const ashi_candidate *c = &r->strategy[r->chosen];
    const int64_t idle = ashi_idle_most(q->idle, q->ranks), idling = q->ranks - c->ranks_used;
    const char *const least = q->least_words ? "the fewest words" : "the least predicted time";
    if (r->layouts)
        snprintf(out, room, "%s", c->reason);
    else if (q->grid[0] > 0)
        snprintf(out, room, "the grid that was asked for");
    else if (q->ranks == 1)
        snprintf(out, room, "there is one rank only");
    else if (q->compared && c->grid[0] == 0)
        snprintf(out, room, "%s, where at most %" PRId64 " of %" PRId64 " ranks may idle", c->origin, idle, q->ranks);
    else if (c->grid[0] == 0)
        snprintf(out, room, "%s of what %s can do", least, c->name);
    else if (idling > idle)
        snprintf(out, room, "%s of what %s can do; %" PRId64 " of %" PRId64 " ranks idle", least, c->name, idling,
                 q->ranks);
    else
        snprintf(out, room, "%s of %s grids that leave at most %" PRId64 " of %" PRId64 " ranks idle", least,
                 r->only ? "its" : "all", idle, q->ranks);
}

void ashi_report_say_why(ashi_report *r)
{
    const ashi_candidate *c = &r->strategy[r->chosen];
    char rule[160], bound[96] = "", fold[96] = "", only[64] = "", stays[64] = "";
    say_rule(r, rule, sizeof rule);
    if (r->only)
        snprintf(only, sizeof only, "only %s was asked for: ", c->name);
    if (r->bound.words > 0)
        snprintf(bound, sizeof bound, "; %.3f times the bound", (double)c->words_max / r->bound.words);
    if (ashi_candidate_is_folded(c))
        snprintf(fold, sizeof fold, "; a torus of %" PRId64 " x %" PRId64 " processes is folded onto %" PRId64 " ranks",
                 c->grid[0], c->grid[1], c->ranks_used);
    if (c->stays != ASHI_STAYS_C && !r->layouts) /* else the reason says it */
        snprintf(stays, sizeof stays, "; %c stays, and sums of C are moved in each round",
                 "ABC"[ashi_stationary(c->stays)]);
    snprintf(r->why, sizeof r->why, "%s%s%s%s%s%s", only, rule, fold, bound, stays,
             r->problem.memory_words > 0 && c->rounds > 1 ? "; the memory limit makes it go in rounds" : "");
}
