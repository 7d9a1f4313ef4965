/* The order in which a graph is computed: what a part reads comes before it, intermediates end after their last use. */
#include "compile/loops.h"

#include "base/array.h"
#include "base/error.h"

#include <stdlib.h>
#include <string.h>

typedef struct writer {
    ashi_ash_steps *s;
    const ashi_ash_graph *g;
    int *loop_of;       /* of each part */
    bool *made, *begun; /* of each node */
    bool failed;
} writer;

static void write_step(writer *w, ashi_ash_step step)
{
    ashi_ash_step *larger = ashi_array_room(w->s->step, &w->s->room, w->s->count + 1, sizeof *larger);
    if (!larger) {
        w->failed = true;
        return;
    }
    w->s->step = larger;
    w->s->step[w->s->count++] = step;
}

static bool held_by_caller(const ashi_ash_graph *g, int node)
{
    return node < g->sums->tensors &&
           g->sums->program->array[g->sums->tensor[node].array].kind != ASHI_ASH_INTERMEDIATE;
}

/* Memory for a node that has none yet: whole, or in a loop for its block. */
static void begin_node(writer *w, int node, int loop)
{
    if (!w->begun[node] && !held_by_caller(w->g, node))
        write_step(w, (ashi_ash_step){.kind = ASHI_ASH_BEGIN, .node = node, .part = -1, .loop = loop});
}

static void make_node(writer *w, int node, int loop);

/* What the parts of a loop read and is made outside of it; from the part that is last, down. */
static void make_inputs(writer *w, int64_t part)
{
    const ashi_ash_part *p = &w->g->part[part];
    for (int r = 0; r < p->readings; r++) {
        const int node = p->reading[r].node;
        if (w->made[node] || node < w->g->sums->tensors)
            continue;
        if (w->loop_of[part] < 0 || w->s->blocked[node] < 0) {
            make_node(w, node, -1);
            continue;
        }
        for (int64_t q = 0; q < w->g->parts; q++)
            if (w->g->part[q].node == node)
                make_inputs(w, q);
    }
}

/* What is whole begins before its loop, whose steps follow each other. */
static void add_part(writer *w, int64_t part)
{
    const ashi_ash_part *p = &w->g->part[part];
    const int loop = w->loop_of[part];
    const bool early = loop >= 0 && w->s->blocked[p->node] < 0;
    make_inputs(w, part);
    if (early)
        begin_node(w, p->node, -1);
    for (int r = 0; r < p->readings; r++)
        if (!w->made[p->reading[r].node] && p->reading[r].node >= w->g->sums->tensors)
            make_node(w, p->reading[r].node, loop);
    if (!early)
        begin_node(w, p->node, loop);
    write_step(w, (ashi_ash_step){.kind = ASHI_ASH_ADD, .node = p->node, .part = part, .begins = !w->begun[p->node],
                                  .loop = loop});
    w->begun[p->node] = true;
}

/* A node's parts; those of a loop, which read blocks, come last, so that what begins a whole array is no block. */
static void make_node(writer *w, int node, int loop)
{
    const bool tensor = node < w->g->sums->tensors;
    w->made[node] = true;
    w->begun[node] = tensor && w->g->sums->tensor[node].adds;
    for (int looped = 0; looped < 2; looped++)
        for (int64_t p = 0; p < w->g->parts; p++)
            if (w->g->part[p].node == node && (w->loop_of[p] >= 0) == looped)
                add_part(w, p);
    if (!w->begun[node]) {
        begin_node(w, node, loop);
        write_step(w, (ashi_ash_step){.kind = ASHI_ASH_ZERO, .node = node, .part = -1, .loop = loop});
    }
    if (w->g->node[node].divided >= 0)
        write_step(w, (ashi_ash_step){.kind = ASHI_ASH_DIVIDE, .node = node, .part = -1, .loop = loop});
}

static bool is_or_within(const ashi_ash_graph *g, int node, int whole)
{
    return node == whole || (node < g->sums->tensors && g->sums->tensor[node].within == whole);
}

static bool uses(const ashi_ash_graph *g, const ashi_ash_step *step, int node)
{
    if (step->node == node)
        return true;
    for (int r = 0; step->part >= 0 && r < g->part[step->part].readings; r++)
        if (is_or_within(g, g->part[step->part].reading[r].node, node))
            return true;
    if (step->kind == ASHI_ASH_DIVIDE) {
        const ashi_ash_group *group = &g->sums->group[g->node[step->node].divided];
        for (int d = 0; d < group->divisors; d++)
            if (is_or_within(g, group->divisor[d].tensor, node))
                return true;
    }
    return false;
}

/* The ends of what step i uses last: of blocks within the loop, then of the others. */
static void write_ends_after(writer *w, const ashi_ash_step *step, const int64_t *last, int64_t i, double *held)
{
    for (int whole = 0; whole < 2; whole++)
        for (int n = 0; n < (int)w->g->nodes; n++) {
            if (last[n] != i || !w->begun[n] || held_by_caller(w->g, n) || (w->s->blocked[n] < 0) != whole)
                continue;
            write_step(w, (ashi_ash_step){.kind = ASHI_ASH_END, .node = n, .part = -1,
                                          .loop = whole ? -1 : step->loop});
            if (whole)
                *held -= ashi_ash_extent(w->g->sums, w->g->node[n].order, w->g->node[n].range);
        }
}

/* End each intermediate after its last use; what is used in a loop, and not made in it, after the loop. */
static void write_ends(writer *w)
{
    ashi_ash_steps without = *w->s;
    w->s->step = NULL;
    w->s->count = w->s->room = 0;
    double held = 0;
    int64_t *last = calloc((size_t)w->g->nodes + 1, sizeof *last);
    w->failed = w->failed || !last;
    for (int64_t n = 0; n < w->g->nodes && last; n++)
        for (int64_t i = 0; i < without.count; i++)
            if (uses(w->g, &without.step[i], (int)n)) {
                last[n] = i;
                while (without.step[i].loop >= 0 && w->s->blocked[n] < 0 && last[n] + 1 < without.count &&
                       without.step[last[n] + 1].loop == without.step[i].loop)
                    last[n]++;
            }
    for (int64_t i = 0; i < without.count && !w->failed; i++) {
        const ashi_ash_step step = without.step[i];
        write_step(w, step);
        if (step.kind == ASHI_ASH_BEGIN && step.loop < 0)
            held += ashi_ash_extent(w->g->sums, w->g->node[step.node].order, w->g->node[step.node].range);
        w->s->peak = held > w->s->peak ? held : w->s->peak;
        write_ends_after(w, &step, last, i, &held);
    }
    free(last);
    free(without.step);
}

ashlar_status ashi_ash_steps_make(ashi_ash_steps *out, const ashi_ash_graph *g, ashlar_error *err)
{
    const size_t nodes = (size_t)g->nodes + 1;
    *out = (ashi_ash_steps){.graph = g, .blocked = malloc(nodes * sizeof *out->blocked)};
    writer w = {.s = out, .g = g, .loop_of = malloc(((size_t)g->parts + 1) * sizeof *w.loop_of),
                .made = calloc(nodes, sizeof *w.made), .begun = calloc(nodes, sizeof *w.begun)};
    w.failed = !out->blocked || !w.loop_of || !w.made || !w.begun || !ashi_ash_loops_make(out, w.loop_of);
    for (int i = 0; i < g->sums->groups && !w.failed; i++)
        if (!w.made[g->sums->group[i].target])
            make_node(&w, g->sums->group[i].target, -1);
    if (!w.failed)
        write_ends(&w);
    free(w.loop_of);
    free(w.made);
    free(w.begun);
    return w.failed ? ashi_fail_memory(err, "compiling", (int64_t)(nodes * sizeof *out->step)) : ASHLAR_OK;
}

int ashi_ash_steps_cut(const ashi_ash_steps *s, const ashi_ash_step *step)
{
    if (step->loop < 0 || step->part < 0)
        return -1;
    const ashi_ash_part *p = &s->graph->part[step->part];
    if (s->blocked[p->node] >= 0)
        return s->blocked[p->node];
    for (int r = 0; r < p->readings; r++)
        if (s->blocked[p->reading[r].node] >= 0)
            return p->reading[r].label[s->blocked[p->reading[r].node]];
    return -1;
}

void ashi_ash_steps_free(ashi_ash_steps *s)
{
    free(s->step);
    free(s->blocked);
    free(s->loop);
    *s = (ashi_ash_steps){0};
}
