/* A program's statements as sums of products of tensors. */
#include "compile/sums.h"

#include "base/error.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct maker {
    const ashi_ash_program *p;
    ashi_ash_sums *s;
    int target_of[ASHI_ASH_STATEMENTS_MOST];
    ashi_ash_spot *spot;
    ashlar_error *err;
} maker;

static ashlar_status wrong(maker *m, ashi_ash_spot spot, const char *format, const char *name)
{
    char text[ASHLAR_MESSAGE_MAX - 64];
    snprintf(text, sizeof text, format, name);
    *m->spot = spot;
    return ashi_fail(m->err, ASHLAR_ERR_ARG, "line %d, column %d: %s", spot.line, spot.column, text);
}

/* The name of a part: "V_oovv"; "V_occ_vir" if a range's name is longer than a letter. */
static void name_tensor(maker *m, ashi_ash_tensor *t)
{
    const ashi_ash_array *a = &m->p->array[t->array];
    bool whole = true, letters = true;
    for (int d = 0; d < t->order; d++) {
        whole = whole && t->range[d] == a->range[d];
        letters = letters && strlen(m->p->range[t->range[d]].name) == 1;
    }
    size_t used = (size_t)snprintf(t->name, sizeof t->name, "%s", a->name);
    for (int d = 0; d < t->order && !whole && used < sizeof t->name; d++)
        used += (size_t)snprintf(t->name + used, sizeof t->name - used, "%s%s", d == 0 || !letters ? "_" : "",
                                 m->p->range[t->range[d]].name);
    for (bool taken = true; taken && used + 1 < sizeof t->name;) {
        taken = false;
        for (int i = 0; i < m->s->tensors; i++)
            taken = taken || strcmp(m->s->tensor[i].name, t->name) == 0;
        for (int i = 0; i < m->p->arrays && !whole; i++)
            taken = taken || strcmp(m->p->array[i].name, t->name) == 0;
        if (taken)
            t->name[used++] = '_';
    }
}

/* The tensor of an array over these ranges. */
static ashlar_status find_tensor(maker *m, int array, const int8_t *range, int *out)
{
    const ashi_ash_array *a = &m->p->array[array];
    for (*out = 0; *out < m->s->tensors; ++*out) {
        const ashi_ash_tensor *t = &m->s->tensor[*out];
        if (t->array == array && memcmp(t->range, range, (size_t)a->order) == 0)
            return ASHLAR_OK;
    }
    if (*out == ASHI_ASH_TENSORS_MOST)
        return ashi_fail(m->err, ASHLAR_ERR_UNSUPPORTED, "more than %d parts of arrays", (int)ASHI_ASH_TENSORS_MOST);
    ashi_ash_tensor *t = &m->s->tensor[*out];
    *t = (ashi_ash_tensor){.array = array, .order = a->order, .within = -1};
    memcpy(t->range, range, (size_t)a->order);
    for (int i = 0; i < a->symmetries; i++) {
        bool same = true;
        for (int d = 0; d < a->order; d++)
            same = same && range[a->symmetry[i].order[d]] == range[d];
        if (same)
            t->symmetry[t->symmetries++] = a->symmetry[i];
    }
    name_tensor(m, t);
    m->s->tensors++;
    return ASHLAR_OK;
}

/* Whether what is read is there: an input, written, or within what is written. */
static ashlar_status find_written(maker *m, int tensor, const ashi_ash_factor *f)
{
    ashi_ash_tensor *t = &m->s->tensor[tensor];
    if (t->written || t->within >= 0 || m->p->array[t->array].kind == ASHI_ASH_INPUT)
        return ASHLAR_OK;
    for (int i = 0; i < m->s->tensors; i++) {
        const ashi_ash_tensor *whole = &m->s->tensor[i];
        bool covers = whole->array == t->array && whole->written;
        for (int d = 0; d < t->order && covers; d++)
            covers = ashi_ash_range_within(m->p, t->range[d], whole->range[d]);
        if (covers) {
            t->within = i;
            return ASHLAR_OK;
        }
    }
    return wrong(m, f->spot, "'%s' is read over ranges over which no statement writes it", m->p->array[t->array].name);
}

/* A factor as a tensor with the program's indices; of parts of an input that a symmetry makes equal, the first. */
static ashlar_status take_factor(maker *m, const ashi_ash_factor *f, bool turns, ashi_ash_operand *out, int *sign)
{
    const ashi_ash_array *a = &m->p->array[f->array];
    int8_t best[ASHI_ASH_ORDER_MOST] = {0};
    *sign = 1;
    for (int i = 0; i < (turns ? a->symmetries : 1); i++) {
        int8_t range[ASHI_ASH_ORDER_MOST] = {0}, index[ASHI_ASH_ORDER_MOST] = {0};
        for (int d = 0; d < a->order; d++) {
            index[d] = f->index[a->symmetry[i].order[d]];
            range[d] = (int8_t)m->p->index[index[d]].range;
        }
        if (i > 0 && memcmp(range, best, sizeof range) >= 0)
            continue;
        memcpy(best, range, sizeof range);
        memcpy(out->index, index, sizeof index);
        *sign = a->symmetry[i].sign;
    }
    out->conjugate = f->conjugate;
    return find_tensor(m, f->array, best, &out->tensor);
}

/* The product's number of a program's index: known, or the next. */
static int8_t number_index(const maker *m, ashi_ash_product *t, int8_t *known, int8_t index)
{
    int n = 0;
    while (n < t->indices && known[n] != index)
        n++;
    if (n == t->indices) {
        known[t->indices] = index;
        t->range[t->indices++] = (int8_t)m->p->index[index].range;
    }
    return (int8_t)n;
}

static ashlar_status take_term(maker *m, const ashi_ash_factor *target, const ashi_ash_term *term)
{
    ashi_ash_product *t = &m->s->product[m->s->products];
    int8_t known[ASHI_ASH_LABELS_MOST + ASHI_ASH_ORDER_MOST];
    *t = (ashi_ash_product){.coefficient = term->coefficient, .factors = term->factors};
    for (int d = 0; d < m->p->array[target->array].order; d++)
        number_index(m, t, known, target->index[d]);
    for (int f = 0; f < term->factors; f++) {
        int sign = 1;
        const bool input = m->p->array[term->factor[f].array].kind == ASHI_ASH_INPUT;
        ashlar_status status = take_factor(m, &term->factor[f], input, &t->factor[f], &sign);
        if (status == ASHLAR_OK)
            status = find_written(m, t->factor[f].tensor, &term->factor[f]);
        if (status != ASHLAR_OK)
            return status;
        t->coefficient *= sign;
        const ashi_ash_tensor *tensor = &m->s->tensor[t->factor[f].tensor];
        for (int d = 0; d < tensor->order; d++)
            t->factor[f].index[d] = number_index(m, t, known, t->factor[f].index[d]);
    }
    m->s->products++;
    return ASHLAR_OK;
}

static int8_t position(const maker *m, const ashi_ash_factor *target, int8_t index)
{
    const int8_t *at = memchr(target->index, index, (size_t)m->p->array[target->array].order);
    return (int8_t)(at - target->index);
}

/* What is done with a term's product before it is added. */
static ashlar_status describe(maker *m, const ashi_ash_factor *target, const ashi_ash_term *term, ashi_ash_group *g)
{
    ashlar_status status = ASHLAR_OK;
    for (int o = 0; o < term->operators; o++) {
        ashi_ash_operator *x = &g->operator[g->operators++];
        *x = term->operator[o];
        x->one = position(m, target, x->one);
        for (int i = 0; i < x->others; i++)
            x->other[i] = position(m, target, x->other[i]);
    }
    for (int v = 0; v < term->vectors && status == ASHLAR_OK; v++) {
        ashi_ash_operand vector;
        int sign = 1;
        status = take_factor(m, &term->vector[v].factor, false, &vector, &sign);
        if (status == ASHLAR_OK)
            status = find_written(m, vector.tensor, &term->vector[v].factor);
        if (status != ASHLAR_OK)
            return status;
        g->divisor[g->divisors++] = (ashi_ash_divisor){vector.tensor, position(m, target, vector.index[0]),
                                                       term->vector[v].sign};
    }
    return status;
}

static bool same_way(const ashi_ash_group *a, const ashi_ash_group *b)
{
    bool same = a->operators == b->operators && a->divisors == b->divisors;
    for (int o = 0; o < a->operators && same; o++) {
        const ashi_ash_operator *x = &a->operator[o], *y = &b->operator[o];
        same = x->sign == y->sign && x->one == y->one && x->others == y->others &&
               memcmp(x->other, y->other, (size_t)x->others) == 0;
    }
    for (int v = 0; v < a->divisors && same; v++)
        same = a->divisor[v].tensor == b->divisor[v].tensor && a->divisor[v].at == b->divisor[v].at &&
               a->divisor[v].sign == b->divisor[v].sign;
    return same;
}

/* Give the product that was taken last to the group of its target with which it is added alike. */
static ashlar_status place_product(maker *m, const ashi_ash_group *g)
{
    ashi_ash_sums *s = m->s;
    int same = 0;
    while (same < s->groups && (s->group[same].target != g->target || !same_way(&s->group[same], g)))
        same++;
    if (same == ASHI_ASH_GROUPS_MOST)
        return ashi_fail(m->err, ASHLAR_ERR_UNSUPPORTED, "more than %d sums", (int)ASHI_ASH_GROUPS_MOST);
    if (same == s->groups)
        s->group[s->groups++] = *g;
    s->product[s->products - 1].group = same;
    s->group[same].products++;
    return ASHLAR_OK;
}

static ashlar_status take_terms(maker *m, int statement)
{
    const ashi_ash_statement *st = &m->p->statement[statement];
    ashlar_status status = ASHLAR_OK;
    for (int t = 0; t < st->terms && status == ASHLAR_OK; t++) {
        const ashi_ash_term *term = &m->p->term[st->first_term + t];
        ashi_ash_group g = {.target = m->target_of[statement]};
        status = describe(m, &st->target, term, &g);
        if (status == ASHLAR_OK)
            status = take_term(m, &st->target, term);
        if (status != ASHLAR_OK)
            return status;
        ashi_ash_drop_operators(m->s, &g, &m->s->product[m->s->products - 1]);
        status = place_product(m, &g);
    }
    return status;
}

static ashlar_status take_targets(maker *m)
{
    ashlar_status status = ASHLAR_OK;
    bool begun[ASHI_ASH_TENSORS_MOST] = {false};
    for (int i = 0; i < m->p->statements && status == ASHLAR_OK; i++) {
        const ashi_ash_statement *s = &m->p->statement[i];
        ashi_ash_operand target;
        int sign = 1;
        status = take_factor(m, &s->target, false, &target, &sign);
        if (status != ASHLAR_OK)
            return status;
        ashi_ash_tensor *t = &m->s->tensor[target.tensor];
        m->target_of[i] = target.tensor;
        if (!s->adds && begun[target.tensor])
            return wrong(m, s->target.spot, "a second statement with '=' writes '%s'", t->name);
        t->written = true;
        begun[target.tensor] = begun[target.tensor] || !s->adds;
        t->adds = !begun[target.tensor] && m->p->array[t->array].kind == ASHI_ASH_OUTPUT;
    }
    return status;
}

static bool reads(const maker *m, int tensor, int y)
{
    return tensor == y || m->s->tensor[tensor].within == y;
}

/* Whether a statement that writes x reads y. */
static bool needs(const maker *m, int x, int y)
{
    for (int g = 0; g < m->s->groups; g++) {
        const ashi_ash_group *group = &m->s->group[g];
        for (int v = 0; v < group->divisors && group->target == x; v++)
            if (reads(m, group->divisor[v].tensor, y))
                return true;
    }
    for (int t = 0; t < m->s->products; t++)
        for (int f = 0; f < m->s->product[t].factors && m->s->group[m->s->product[t].group].target == x; f++)
            if (reads(m, m->s->product[t].factor[f].tensor, y))
                return true;
    return false;
}

static ashlar_status complain_of_cycle(maker *m, int first, const int *state)
{
    char text[300] = "";
    int at = first;
    size_t used = (size_t)snprintf(text, sizeof text, "'%s' needs itself: %s", m->s->tensor[first].name,
                                   m->s->tensor[first].name);
    for (int steps = 0; steps < m->s->tensors && used < sizeof text; steps++) {
        int next = first;
        if (!needs(m, at, first))
            for (next = 0; next < m->s->tensors - 1 && (state[next] != 1 || !needs(m, at, next)); next++)
                continue;
        at = next;
        used += (size_t)snprintf(text + used, sizeof text - used, " needs %s", m->s->tensor[at].name);
        if (at == first)
            break;
    }
    for (int i = 0; i < m->p->statements; i++)
        if (m->target_of[i] == first)
            return wrong(m, m->p->statement[i].target.spot, "%s", text);
    return wrong(m, (ashi_ash_spot){1, 1}, "%s", text);
}

/* Put what x needs, and then x, into order. state: 0 new, 1 begun, 2 done. */
static ashlar_status order_one(maker *m, int x, int *state, int *order, int *count)
{
    ashlar_status status = ASHLAR_OK;
    state[x] = 1;
    for (int y = 0; y < m->s->tensors && status == ASHLAR_OK; y++) {
        if (!m->s->tensor[y].written || state[y] == 2 || !needs(m, x, y))
            continue;
        status = state[y] == 1 ? complain_of_cycle(m, y, state) : order_one(m, y, state, order, count);
    }
    state[x] = 2;
    order[(*count)++] = x;
    return status;
}

/* Groups by the order of their targets, and products by their groups. */
static ashlar_status sort_groups(maker *m, const int *order, int count)
{
    ashi_ash_sums *s = m->s;
    ashi_ash_sums *sorted = malloc(sizeof *sorted);
    if (!sorted)
        return ashi_fail_memory(m->err, "compiling", (int64_t)sizeof *sorted);
    *sorted = *s;
    sorted->groups = sorted->products = 0;
    for (int i = 0; i < count; i++)
        for (int g = 0; g < s->groups; g++) {
            if (s->group[g].target != order[i])
                continue;
            ashi_ash_group *to = &sorted->group[sorted->groups++];
            *to = s->group[g];
            to->first = sorted->products;
            for (int t = 0; t < s->products; t++)
                if (s->product[t].group == g) {
                    sorted->product[sorted->products] = s->product[t];
                    sorted->product[sorted->products++].group = sorted->groups - 1;
                }
            ashi_ash_join_products(s, to, &sorted->product[to->first]);
            sorted->products = to->first + to->products;
        }
    *s = *sorted;
    free(sorted);
    return ASHLAR_OK;
}

ashlar_status ashi_ash_sums_make(const ashi_ash_program *p, ashi_ash_sums **out, ashi_ash_spot *spot,
                                 ashlar_error *err)
{
    maker m = {.p = p, .s = calloc(1, sizeof **out), .spot = spot, .err = err};
    int state[ASHI_ASH_TENSORS_MOST] = {0}, order[ASHI_ASH_TENSORS_MOST], count = 0;
    *out = NULL;
    *spot = (ashi_ash_spot){0, 0};
    if (!m.s)
        return ashi_fail_memory(err, "compiling", (int64_t)sizeof **out);
    m.s->program = p;
    ashlar_status status = take_targets(&m);
    for (int i = 0; i < p->statements && status == ASHLAR_OK; i++)
        status = take_terms(&m, i);
    for (int x = 0; x < m.s->tensors && status == ASHLAR_OK; x++)
        if (m.s->tensor[x].written && state[x] == 0)
            status = order_one(&m, x, state, order, &count);
    if (status == ASHLAR_OK)
        status = sort_groups(&m, order, count);
    if (status == ASHLAR_OK)
        *out = m.s;
    else
        free(m.s);
    return status;
}
