/* Which intermediates are computed block by block. */
#include "compile/loops.h"

#include "base/array.h"

#include <stdlib.h>
#include <string.h>

typedef struct finder {
    ashi_ash_steps *s;
    const ashi_ash_graph *g;
    int *loop_of;
    int64_t *reader; /* of each node: the only part that reads it; -1: none, or several readings */
    int room;
} finder;

static double elements(const finder *f, int64_t node)
{
    return ashi_ash_extent(f->g->sums, f->g->node[node].order, f->g->node[node].range);
}

static void find_readers(finder *f)
{
    for (int64_t n = 0; n < f->g->nodes; n++) {
        int readings = 0;
        f->reader[n] = -1;
        for (int64_t p = 0; p < f->g->parts; p++)
            for (int r = 0; r < f->g->part[p].readings; r++)
                if (f->g->part[p].reading[r].node == n) {
                    readings++;
                    f->reader[n] = p;
                }
        if (readings != 1 || n < f->g->sums->tensors || f->g->node[n].divided >= 0)
            f->reader[n] = -1;
    }
}

static int8_t label_of(const ashi_ash_part *p, int64_t node, int dimension)
{
    return p->reading[p->reading[0].node == node ? 0 : 1].label[dimension];
}

/* Cut a node along a dimension, and what it is made of. */
static void cut_down(finder *f, int node, int dimension, int loop)
{
    f->s->blocked[node] = dimension;
    f->s->loop[loop].whole += elements(f, node);
    for (int64_t p = 0; p < f->g->parts; p++) {
        const ashi_ash_part *part = &f->g->part[p];
        if (part->node != node)
            continue;
        f->loop_of[p] = loop;
        for (int r = 0; r < part->readings; r++) {
            const int from = part->reading[r].node;
            if (f->reader[from] != p || f->s->blocked[from] >= 0)
                continue;
            for (int d = 0; d < f->g->node[from].order; d++)
                if (part->reading[r].label[d] == dimension) {
                    cut_down(f, from, d, loop);
                    break;
                }
        }
    }
}

/* Cut along one dimension a node and what is made of it, as long as that is read once. False: it is in a loop. */
static bool cut_up(finder *f, int node, int dimension, int loop)
{
    const int64_t p = f->reader[node];
    const ashi_ash_part *part = &f->g->part[p];
    const int8_t label = label_of(part, node, dimension);
    const bool outer = label < f->g->node[part->node].order;
    if (f->loop_of[p] >= 0)
        return false;
    if (outer && f->reader[part->node] >= 0 && f->s->blocked[part->node] < 0)
        return cut_up(f, part->node, label, loop);
    f->loop_of[p] = loop;
    cut_down(f, node, dimension, loop);
    return true;
}

/* What a cut of a node along a dimension gives. */
typedef struct cut {
    double elements; /* of the intermediates that are cut */
    double again;    /* elements in files that each block reads whole */
    bool outer;      /* the last index is not summed */
} cut;

/* Add a node and what it is made of. */
static void add_cut(const finder *f, int node, int dimension, cut *out)
{
    out->elements += elements(f, node);
    for (int64_t p = 0; p < f->g->parts; p++) {
        const ashi_ash_part *part = &f->g->part[p];
        for (int r = 0; r < part->readings && part->node == node; r++) {
            const int from = part->reading[r].node, order = f->g->node[from].order;
            const int8_t *at = memchr(part->reading[r].label, dimension, (size_t)order);
            if (from >= f->g->sums->tensors && f->reader[from] == p && at)
                add_cut(f, from, (int)(at - part->reading[r].label), out);
            else if (from < f->g->sums->tensors && !at &&
                     f->g->sums->program->array[f->g->sums->tensor[from].array].in_file)
                out->again += elements(f, from);
        }
    }
}

static cut try_cut(const finder *f, int node, int dimension)
{
    cut c = {.outer = true};
    for (int64_t p = f->reader[node]; p >= 0; p = f->reader[node]) {
        const int8_t label = label_of(&f->g->part[p], node, dimension);
        if (label >= f->g->node[f->g->part[p].node].order) {
            c.outer = false;
            break;
        }
        if (f->reader[f->g->part[p].node] < 0)
            break;
        node = f->g->part[p].node;
        dimension = label;
    }
    add_cut(f, node, dimension, &c);
    return c;
}

static bool is_better(const cut *a, const cut *b)
{
    if (a->elements != b->elements)
        return a->elements > b->elements;
    return a->again != b->again ? a->again < b->again : a->outer && !b->outer;
}

static bool new_loop(finder *f, int node)
{
    ashi_ash_loop *larger = realloc(f->s->loop, ((size_t)f->s->loops + 1) * sizeof *larger);
    int best = 0;
    cut most = try_cut(f, node, 0);
    if (!larger)
        return false;
    f->s->loop = larger;
    for (int d = 1; d < f->g->node[node].order; d++) {
        const cut c = try_cut(f, node, d);
        if (is_better(&c, &most)) {
            most = c;
            best = d;
        }
    }
    larger[f->s->loops] = (ashi_ash_loop){.range = f->g->node[node].range[best]};
    f->s->loops += cut_up(f, node, best, f->s->loops);
    return true;
}

bool ashi_ash_loops_make(ashi_ash_steps *s, int *loop_of)
{
    finder f = {.s = s, .g = s->graph, .loop_of = loop_of};
    double largest = 0;
    bool good = true;
    f.reader = malloc(((size_t)s->graph->nodes + 1) * sizeof *f.reader);
    if (!f.reader)
        return false;
    find_readers(&f);
    for (int64_t p = 0; p < s->graph->parts; p++)
        loop_of[p] = -1;
    for (int64_t n = 0; n < s->graph->nodes; n++) {
        s->blocked[n] = -1;
        if (n < s->graph->sums->tensors && elements(&f, n) > largest &&
            s->graph->sums->program->array[s->graph->sums->tensor[n].array].kind != ASHI_ASH_INTERMEDIATE)
            largest = elements(&f, n);
    }
    for (int64_t n = s->graph->sums->tensors; n < s->graph->nodes && good; n++)
        if (f.reader[n] >= 0 && s->blocked[n] < 0 && s->graph->node[n].order > 0 && elements(&f, n) >= largest)
            good = new_loop(&f, (int)n);
    free(f.reader);
    return good;
}
