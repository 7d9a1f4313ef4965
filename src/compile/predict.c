/* What a part is as a batch of matrix products, and what these move and take. */
#include "compile/predict.h"

#include "base/checked.h"
#include "base/type.h"
#include "model/bounds.h"
#include "tensor/contract_tiling.h"

#include <math.h>
#include <string.h>

static bool has_label(const ashi_ash_graph *g, const ashi_ash_reading *r, int label)
{
    return memchr(r->label, label, (size_t)g->node[r->node].order) != NULL;
}

/* Extents of I, J and K, and how many products there are. Indices of one operand alone are summed before. */
static ashi_paper_problem problem_of(const ashi_ash_graph *g, const ashi_ash_part *p, const ashi_ash_target *t)
{
    const double bytes = (double)ashi_type_of(t->type)->bytes;
    ashi_paper_problem q = {.extent = {1, 1, 1}, .batch = 1, .ranks = t->ranks, .replicate = 1,
                            .disk = t->machine.disk_bandwidth / bytes, .network = t->machine.bandwidth / bytes};
    for (int l = 0; l < p->labels; l++) {
        const bool a = has_label(g, &p->reading[0], l), b = has_label(g, &p->reading[1], l);
        const bool c = l < g->node[p->node].order;
        int64_t *of = a && b && c ? &q.batch : a && c ? &q.extent[0] : b && c ? &q.extent[1] : &q.extent[2];
        if (c || (a && b))
            *of = ashi_mul_most(*of, g->sums->program->range[p->range[l]].typical);
    }
    return q;
}

static double elements(const ashi_ash_graph *g, int node)
{
    return ashi_ash_extent(g->sums, g->node[node].order, g->node[node].range);
}

/* Words of files if not all fits in memory, by the array: operands and result. */
static void stream(const ashi_ash_steps *s, const ashi_ash_part *p, const ashi_contract_tiling *tiling,
                   ashi_ash_forecast *out)
{
    out->filed = 0;
    for (int x = 0; x < 3; x++) {
        const int node = x == 2 ? p->node : p->reading[x < p->readings ? x : 0].node;
        if (s->blocked[node] < 0 && (x == 2 || x < p->readings))
            out->filed += tiling->applicable ? tiling->disk_of[x] : elements(s->graph, node);
    }
    if (tiling->applicable)
        out->received = tiling->network_busiest;
}

ashi_ash_forecast ashi_ash_predict(const ashi_ash_steps *s, const ashi_ash_part *p, const ashi_ash_target *t)
{
    const ashi_ash_graph *g = s->graph;
    const ashi_type *type = ashi_type_of(t->type);
    const double ranks = (double)t->ranks, bytes = (double)type->bytes;
    const double work = ashi_ash_extent(g->sums, p->labels, p->range);
    const int64_t words = t->memory / (int64_t)type->bytes;
    ashi_ash_forecast out = {0, 0, 0};
    ashi_contract_tiling tiling = {.applicable = false};
    double held = s->blocked[p->node] < 0 ? elements(g, p->node) : 0;
    for (int r = 0; r < p->readings; r++) {
        const int node = p->reading[r].node;
        held += s->blocked[node] < 0 ? elements(g, node) : 0;
        if (node < g->sums->tensors && g->sums->program->array[g->sums->tensor[node].array].in_file)
            out.filed += elements(g, node);
    }
    const bool fits = t->memory == 0 || held <= ranks * (double)words;
    if (p->readings == 2) {
        const ashi_paper_problem q = problem_of(g, p, t);
        const ashi_bound bound = ashi_bound_words(q.extent[0], q.extent[1], q.extent[2], t->ranks, words);
        if (!fits)
            tiling = ashi_contract_tiling_make(&q, words, (int64_t)type->bytes, false);
        out.received = bound.words * (double)q.batch;
        out.seconds = work * type->flops / (ranks * t->machine.flops_per_second);
    } else {
        out.seconds = 2 * work * bytes / (ranks * t->machine.copy_bandwidth);
    }
    if (!fits)
        stream(s, p, &tiling, &out);
    out.seconds += out.received * bytes / t->machine.bandwidth;
    out.seconds = fmax(out.seconds, out.filed * bytes / (ranks * t->machine.disk_bandwidth));
    return out;
}
