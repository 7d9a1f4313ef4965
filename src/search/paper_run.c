/* The paper's schedules as programs. */
#include "search/paper.h"
#include "search/paper_loops.h"

#include <stdio.h>
#include <string.h>

ashi_tile_loops ashi_paper_loops_to_run(const ashi_paper_problem *q, const ashi_paper_schedule *s)
{
    static const ashi_together methods[ASHI_PAPER_METHODS] = {
        [ASHI_PAPER_ROTATION] = ASHI_TOGETHER_ROTATE,
        [ASHI_PAPER_REPLICATION_A] = ASHI_TOGETHER_REPLICATE_A,
        [ASHI_PAPER_REPLICATION_B] = ASHI_TOGETHER_REPLICATE_B,
        [ASHI_PAPER_ACCUMULATION] = ASHI_TOGETHER_ACCUMULATE};
    const ashi_paper_loops loops = ashi_paper_loops_of(s->order);
    ashi_tile_loops out = {.ranks = q->ranks, .adds = !q->sets, .inside = s->inside, .method = methods[s->method],
                           .grid = {s->grid[0], s->grid[1]}, .minor = {true, true, true}};
    for (int d = 0; d < 3; d++) {
        out.size[d] = q->extent[d];
        out.order[d] = loops.array[d];
        out.resident[d] = s->resident[d];
        out.count[d][0] = (int64_t)s->tiles.count[d][0];
        out.count[d][1] = (int64_t)s->tiles.count[d][1];
    }
    return out;
}

int ashi_paper_named(const char *name)
{
    char text[64];
    for (int i = 0; i < ASHI_PAPER_SCHEDULES; i++) {
        const bool inside = i < ASHI_PAPER_SCHEDULES / 2;
        const int method = i / ASHI_PAPER_ORDERS % ASHI_PAPER_METHODS;
        snprintf(text, sizeof text, "%s/%s", ashi_paper_name(inside, (ashi_paper_method)method),
                 ashi_paper_order_name(i % ASHI_PAPER_ORDERS));
        if (strcmp(text, name) == 0)
            return i;
    }
    return -1;
}
