/* What a statement may say. */
#include "compile/parser.h"

#include <string.h>

static bool has(const ashi_ash_factor *f, int order, int8_t index)
{
    return order > 0 && memchr(f->index, index, (size_t)order) != NULL;
}

static ashlar_status check_target(ashi_ash_parser *r, const ashi_ash_factor *f)
{
    const ashi_ash_array *a = &r->p->array[f->array];
    if (a->kind == ASHI_ASH_INPUT)
        return ashi_ash_fail(r, ASHLAR_ERR_ARG, f->spot, "'%s' is an input and not written", a->name);
    for (int d = 1; d < a->order; d++)
        if (has(f, d, f->index[d]))
            return ashi_ash_fail(r, ASHLAR_ERR_ARG, f->spot, "index '%s' of '%s' is there twice",
                                 r->p->index[f->index[d]].name, a->name);
    return ASHLAR_OK;
}

static ashlar_status check_operators(ashi_ash_parser *r, const ashi_ash_factor *target, const ashi_ash_term *t)
{
    const int order = r->p->array[target->array].order;
    for (int o = 0; o < t->operators; o++)
        for (int i = -1; i < t->operator[o].others; i++) {
            const int8_t index = i < 0 ? t->operator[o].one : t->operator[o].other[i];
            if (!has(target, order, index))
                return ashi_ash_fail(r, ASHLAR_ERR_ARG, t->spot, "index '%s' is exchanged, and no index of '%s'",
                                     r->p->index[index].name, r->p->array[target->array].name);
        }
    return ASHLAR_OK;
}

/* How often a vector occurs with `index` once x and y are exchanged, with signs. */
static int times(const ashi_ash_term *t, int array, int8_t index, int8_t x, int8_t y)
{
    int sum = 0;
    for (int v = 0; v < t->vectors; v++) {
        const int8_t i = t->vector[v].factor.index[0];
        const int8_t now = i == x ? y : i == y ? x : i;
        sum += t->vector[v].factor.array == array && now == index ? t->vector[v].sign : 0;
    }
    return sum;
}

static ashlar_status check_vectors(ashi_ash_parser *r, const ashi_ash_factor *target, const ashi_ash_term *t)
{
    const int order = r->p->array[target->array].order;
    for (int v = 0; v < t->vectors; v++) {
        const ashi_ash_factor *f = &t->vector[v].factor;
        if (!has(target, order, f->index[0]))
            return ashi_ash_fail(r, ASHLAR_ERR_ARG, f->spot, "index '%s' of a divisor is no index of '%s'",
                                 r->p->index[f->index[0]].name, r->p->array[target->array].name);
        for (int o = 0; o < t->operators; o++)
            for (int i = 0; i < t->operator[o].others; i++) {
                const int8_t x = t->operator[o].one, y = t->operator[o].other[i];
                if (times(t, f->array, f->index[0], x, y) != times(t, f->array, f->index[0], x, x))
                    return ashi_ash_fail(r, ASHLAR_ERR_ARG, f->spot,
                                         "the divisor changes if '%s' and '%s' are exchanged: wanted one that does not",
                                         r->p->index[x].name, r->p->index[y].name);
            }
    }
    return ASHLAR_OK;
}

static ashlar_status check_term(ashi_ash_parser *r, const ashi_ash_factor *target, const ashi_ash_term *t)
{
    const ashi_ash_array *a = &r->p->array[target->array];
    if (t->factors == 0)
        return ashi_ash_fail(r, ASHLAR_ERR_ARG, t->spot, "a term without an array");
    for (int d = 0; d < a->order; d++) {
        bool found = false;
        for (int f = 0; f < t->factors; f++)
            found = found || has(&t->factor[f], r->p->array[t->factor[f].array].order, target->index[d]);
        if (!found)
            return ashi_ash_fail(r, ASHLAR_ERR_ARG, t->spot, "index '%s' of '%s' is in no array of this term",
                                 r->p->index[target->index[d]].name, a->name);
    }
    const ashlar_status status = check_operators(r, target, t);
    return status == ASHLAR_OK ? check_vectors(r, target, t) : status;
}

ashlar_status ashi_ash_check(ashi_ash_parser *r)
{
    const ashi_ash_program *p = r->p;
    ashlar_status status = ASHLAR_OK;
    for (int s = 0; s < p->statements && status == ASHLAR_OK; s++) {
        status = check_target(r, &p->statement[s].target);
        for (int t = 0; t < p->statement[s].terms && status == ASHLAR_OK; t++)
            status = check_term(r, &p->statement[s].target, &p->term[p->statement[s].first_term + t]);
    }
    for (int a = 0; a < p->arrays && status == ASHLAR_OK; a++) {
        bool written = p->array[a].kind == ASHI_ASH_INPUT;
        for (int s = 0; s < p->statements; s++)
            written = written || p->statement[s].target.array == a;
        if (!written)
            status = ashi_ash_fail(r, ASHLAR_ERR_ARG, p->array[a].spot, "no statement writes '%s'", p->array[a].name);
    }
    if (status == ASHLAR_OK && p->statements == 0)
        status = ashi_ash_fail(r, ASHLAR_ERR_ARG, r->l.word.spot, "the program has no statement");
    return status;
}
