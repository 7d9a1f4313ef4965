/* What a program means, computed with plain loops straight from its text, and what its steps compute. */
#ifndef ASHI_TEST_ASH_LOOPS_H
#define ASHI_TEST_ASH_LOOPS_H

#include "compile/steps.h"
#include "test.h"

#include <math.h>

/* Whole arrays of a program, C order, over the typical extents. */
typedef struct whole {
    const ashi_ash_program *p;
    long double *array[ASHI_ASH_ARRAYS_MOST];
    bool done[ASHI_ASH_ARRAYS_MOST];
} whole;

static inline int64_t ash_size(const ashi_ash_program *p, int order, const int *range)
{
    int64_t size = 1;
    for (int d = 0; d < order; d++)
        size *= p->range[range[d]].typical;
    return size;
}

/* Where a part of a range begins in the whole one. */
static inline int64_t ash_begin(const ashi_ash_program *p, int range, int whole_range)
{
    int64_t begin = 0;
    for (; range != whole_range; range = p->range[range].whole)
        for (int i = 0; p->range[p->range[range].whole].part[i] != range; i++)
            begin += p->range[p->range[p->range[range].whole].part[i]].typical;
    return begin;
}

/* The element of a factor for values of the program's indices. */
static inline long double *ash_element(const whole *w, const ashi_ash_factor *f, const int64_t *value)
{
    const ashi_ash_array *a = &w->p->array[f->array];
    int64_t at = 0;
    for (int d = 0; d < a->order; d++)
        at = at * w->p->range[a->range[d]].typical + value[f->index[d]] +
             ash_begin(w->p, w->p->index[f->index[d]].range, a->range[d]);
    return &w->array[f->array][at];
}

/* Sum over the indices from number `index` on that the term has and the target lacks. */
static inline long double ash_sum(const whole *w, const ashi_ash_term *t, const ashi_ash_factor *target, int index,
                                  int64_t *value)
{
    bool summed = false;
    long double result = index < w->p->indices ? 0 : 1;
    for (int f = 0; f < t->factors && index < w->p->indices; f++)
        summed = summed || memchr(t->factor[f].index, index, (size_t)w->p->array[t->factor[f].array].order);
    if (index < w->p->indices) {
        summed = summed && !memchr(target->index, index, (size_t)w->p->array[target->array].order);
        if (!summed)
            return ash_sum(w, t, target, index + 1, value);
        for (value[index] = 0; value[index] < w->p->range[w->p->index[index].range].typical; value[index]++)
            result += ash_sum(w, t, target, index + 1, value);
        return result;
    }
    for (int f = 0; f < t->factors; f++)
        result *= *ash_element(w, &t->factor[f], value);
    return result;
}

static inline void ash_exchange(int64_t *value, int8_t x, int8_t y)
{
    const int64_t was = value[x];
    value[x] = value[y];
    value[y] = was;
}

/* The operators from number `at` on, applied to the rest of the term. */
static inline long double ash_term(const whole *w, const ashi_ash_term *t, const ashi_ash_factor *target, int at,
                                   int64_t *value)
{
    if (at >= t->operators || at >= ASHI_ASH_OPERATORS_MOST) {
        long double divisor = 0;
        for (int v = 0; v < t->vectors; v++)
            divisor += t->vector[v].sign * *ash_element(w, &t->vector[v].factor, value);
        return ash_sum(w, t, target, 0, value) / (t->vectors > 0 ? divisor : 1);
    }
    const ashi_ash_operator *o = &t->operator[at];
    long double result = ash_term(w, t, target, at + 1, value);
    for (int i = 0; i < o->others; i++) {
        ash_exchange(value, o->one, o->other[i]);
        result += o->sign * ash_term(w, t, target, at + 1, value);
        ash_exchange(value, o->one, o->other[i]);
    }
    return result;
}

static inline void ash_evaluate(whole *w, int array);

/* One statement, once the arrays that it reads are there. */
static inline void ash_statement(whole *w, const ashi_ash_statement *s)
{
    const ashi_ash_array *a = &w->p->array[s->target.array];
    int64_t count = 1, value[ASHI_ASH_INDICES_MOST];
    for (int i = 0; i < s->terms; i++) {
        const ashi_ash_term *t = &w->p->term[s->first_term + i];
        for (int f = 0; f < t->factors; f++)
            ash_evaluate(w, t->factor[f].array);
        for (int v = 0; v < t->vectors; v++)
            ash_evaluate(w, t->vector[v].factor.array);
    }
    for (int d = 0; d < a->order; d++)
        count *= w->p->range[w->p->index[s->target.index[d]].range].typical;
    for (int64_t e = 0; e < count; e++) {
        int64_t rest = e;
        for (int d = a->order - 1; d >= 0; d--) {
            const int64_t extent = w->p->range[w->p->index[s->target.index[d]].range].typical;
            value[s->target.index[d]] = rest % extent;
            rest /= extent;
        }
        for (int i = 0; i < s->terms; i++) {
            const ashi_ash_term *t = &w->p->term[s->first_term + i];
            *ash_element(w, &s->target, value) += t->coefficient * ash_term(w, t, &s->target, 0, value);
        }
    }
}

static inline void ash_evaluate(whole *w, int array)
{
    if (w->done[array])
        return;
    w->done[array] = true;
    for (int s = 0; s < w->p->statements; s++)
        if (w->p->statement[s].target.array == array)
            ash_statement(w, &w->p->statement[s]);
}

/* Inputs at random, with their symmetries; what is written is 0, or, if statements add to an output, 1. */
static inline void ash_begin_arrays(whole *w, const ashi_ash_program *p, uint64_t *state)
{
    *w = (whole){.p = p};
    for (int i = 0; i < p->arrays; i++) {
        const ashi_ash_array *a = &p->array[i];
        const int64_t size = ash_size(p, a->order, a->range);
        long double *raw = malloc((size_t)size * sizeof *raw);
        w->array[i] = calloc((size_t)size, sizeof *raw);
        w->done[i] = a->kind == ASHI_ASH_INPUT;
        bool adds = a->kind == ASHI_ASH_OUTPUT;
        for (int k = 0; k < p->statements; k++)
            adds = adds && (p->statement[k].target.array != i || p->statement[k].adds);
        for (int64_t e = 0; e < size; e++)
            w->array[i][e] = adds;
        for (int64_t e = 0; e < size; e++)
            raw[e] = (long double)(4 * ashi_random_in(state, -100, 100) + 1) / 256; /* x + y - z is not 0 */
        for (int64_t e = 0; e < size && w->done[i]; e++)
            for (int s = 0; s < a->symmetries; s++) {
                int64_t value[ASHI_ASH_ORDER_MOST] = {0}, rest = e, at = 0;
                for (int d = a->order - 1; d >= 0; d--) {
                    value[d] = rest % p->range[a->range[d]].typical;
                    rest /= p->range[a->range[d]].typical;
                }
                for (int d = 0; d < a->order; d++)
                    at = at * p->range[a->range[d]].typical + value[a->symmetry[s].order[d]];
                w->array[i][e] += a->symmetry[s].sign * raw[at];
            }
        free(raw);
    }
}

static inline void ash_end_arrays(whole *w)
{
    for (int i = 0; i < w->p->arrays; i++)
        free(w->array[i]);
}

/* What the steps of a graph hold: each node whole, though only blocks of some are meant to be held. */
typedef struct machine {
    const ashi_ash_steps *s;
    double **node;
} machine;

static inline int64_t ash_extent_of(const ashi_ash_graph *g, int range)
{
    return g->sums->program->range[range].typical;
}

static inline int64_t ash_node_size(const ashi_ash_graph *g, int node)
{
    int64_t size = 1;
    for (int d = 0; d < g->node[node].order; d++)
        size *= ash_extent_of(g, g->node[node].range[d]);
    return size;
}

static inline int64_t ash_node_at(const ashi_ash_graph *g, int node, const int8_t *label, const int64_t *value)
{
    int64_t at = 0;
    for (int d = 0; d < g->node[node].order; d++)
        at = at * ash_extent_of(g, g->node[node].range[d]) + value[label ? label[d] : d];
    return at;
}

/* Read a part again from the tensor that it is in. */
static inline void ash_refresh(machine *m, int node)
{
    const ashi_ash_graph *g = m->s->graph;
    const int within = node < g->sums->tensors ? g->sums->tensor[node].within : -1;
    for (int64_t e = 0; within >= 0 && e < ash_node_size(g, node); e++) {
        int64_t rest = e, at = 0, step = 1;
        for (int d = g->node[node].order - 1; d >= 0; d--) {
            const int64_t extent = ash_extent_of(g, g->node[node].range[d]);
            at += step * (rest % extent +
                          ash_begin(g->sums->program, g->node[node].range[d], g->node[within].range[d]));
            rest /= extent;
            step *= ash_extent_of(g, g->node[within].range[d]);
        }
        m->node[node][e] = m->node[within][at];
    }
}

/* One part, for values `from` to `to` of the index that is cut. */
static inline void ash_add(machine *m, const ashi_ash_step *step, int64_t from, int64_t to)
{
    const ashi_ash_graph *g = m->s->graph;
    const ashi_ash_part *p = &g->part[step->part];
    const int cut = ashi_ash_steps_cut(m->s, step), order = g->node[p->node].order;
    int64_t value[ASHI_ASH_LABELS_MOST] = {0}, count = 1;
    for (int r = 0; r < p->readings; r++)
        ash_refresh(m, p->reading[r].node);
    for (int pass = 0; pass < 2; pass++) { /* what is begun is zero first */
        count = 1;
        for (int l = 0; l < (pass ? p->labels : order); l++)
            count *= l == cut ? to - from : ash_extent_of(g, p->range[l]);
        for (int64_t e = 0; e < count; e++) {
            int64_t rest = e;
            for (int l = (pass ? p->labels : order) - 1; l >= 0; l--) {
                const int64_t extent = l == cut ? to - from : ash_extent_of(g, p->range[l]);
                value[l] = (l == cut ? from : 0) + rest % extent;
                rest /= extent;
            }
            double product = p->coefficient;
            for (int r = 0; r < p->readings && pass; r++)
                product *= m->node[p->reading[r].node][ash_node_at(g, p->reading[r].node, p->reading[r].label, value)];
            double *to_element = &m->node[p->node][ash_node_at(g, p->node, NULL, value)];
            if (pass)
                *to_element += product;
            else if (step->begins && (cut < order || from == 0))
                *to_element = 0;
        }
    }
}

static inline void ash_divide(machine *m, int node)
{
    const ashi_ash_graph *g = m->s->graph;
    const ashi_ash_group *group = &g->sums->group[g->node[node].divided];
    for (int v = 0; v < group->divisors; v++)
        ash_refresh(m, group->divisor[v].tensor);
    for (int64_t e = 0; e < ash_node_size(g, node); e++) {
        double divisor = 0;
        for (int v = 0; v < group->divisors; v++) {
            int64_t rest = e;
            for (int d = g->node[node].order - 1; d > group->divisor[v].at; d--)
                rest /= ash_extent_of(g, g->node[node].range[d]);
            rest %= ash_extent_of(g, g->node[node].range[group->divisor[v].at]);
            divisor += group->divisor[v].sign * m->node[group->divisor[v].tensor][rest];
        }
        m->node[node][e] /= divisor;
    }
}

static inline void ash_do(machine *m, const ashi_ash_step *step, int64_t from, int64_t to)
{
    const int64_t size = ash_node_size(m->s->graph, step->node);
    if (step->kind == ASHI_ASH_ADD)
        ash_add(m, step, from, to);
    else if (step->kind == ASHI_ASH_DIVIDE)
        ash_divide(m, step->node);
    else
        for (int64_t e = 0; e < size; e++) /* nobody may read what is not begun, or ended */
            m->node[step->node][e] = step->kind == ASHI_ASH_ZERO ? 0 : NAN;
}

/* All steps; loops in blocks of two values. */
static inline void ash_run(machine *m)
{
    const ashi_ash_steps *s = m->s;
    for (int64_t i = 0, end = 0; i < s->count; i = end) {
        const int loop = s->step[i].loop;
        const int64_t extent = loop < 0 ? 1 : ash_extent_of(s->graph, s->loop[loop].range);
        for (end = i + 1; end < s->count && loop >= 0 && s->step[end].loop == loop;)
            end++;
        for (int64_t from = 0; from < extent; from += 2)
            for (int64_t k = i; k < end; k++)
                ash_do(m, &s->step[k], from, from + 2 < extent ? from + 2 : extent);
    }
}

#endif
