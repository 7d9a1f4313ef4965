/* Dropping permutation operators that only multiply, and joining equal products. */
#include "compile/form.h"

#include <string.h>

/* The form of a whole product with dimensions x and y of its target exchanged. */
static void form_of(const ashi_ash_sums *s, const ashi_ash_product *t, int order, int x, int y, ashi_ash_form *out)
{
    int8_t label[ASHI_ASH_LABELS_MOST];
    for (int i = 0; i < t->indices; i++)
        label[i] = (int8_t)(i >= order ? ASHI_ASH_SUMMED : i == x ? y : i == y ? x : i);
    ashi_ash_form_make(s, t, (1u << t->factors) - 1, label, out);
}

static bool same_text(const ashi_ash_form *a, const ashi_ash_form *b)
{
    return a->length == b->length && memcmp(a->text, b->text, (size_t)a->length) == 0;
}

/* What an exchange does to every product of a group: nothing (1), its sign (-1), or something else (0). */
static int effect(const ashi_ash_sums *s, const ashi_ash_product *t, int order, const ashi_ash_operator *o)
{
    int sign = 0;
    for (int i = 0; i < o->others; i++) {
        ashi_ash_form is, was;
        form_of(s, t, order, 0, 0, &was);
        form_of(s, t, order, o->one, o->other[i], &is);
        const int now = same_text(&is, &was) ? is.sign * was.sign : 0;
        if (now == 0 || (i > 0 && now != sign))
            return 0;
        sign = now;
    }
    return sign;
}

/* Whether the exchanges of two operators have nothing in common, so that their order does not matter. */
static bool apart(const ashi_ash_operator *a, const ashi_ash_operator *b)
{
    for (int i = -1; i < a->others; i++) {
        const int8_t x = i < 0 ? a->one : a->other[i];
        if (x == b->one || memchr(b->other, x, (size_t)b->others))
            return false;
    }
    return true;
}

void ashi_ash_drop_operators(const ashi_ash_sums *s, ashi_ash_group *g, ashi_ash_product *t)
{
    const int order = s->tensor[g->target].order, count = g->operators;
    unsigned keep = 0;
    for (int o = 0; o < count; o++) {
        const ashi_ash_operator *x = &g->operator[o];
        bool lone = true;
        for (int other = 0; other < count; other++)
            lone = lone && (other == o || apart(x, &g->operator[other]));
        const int sign = lone ? effect(s, t, order, x) : 0;
        if (sign == 0)
            keep |= 1u << o;
        else
            t->coefficient *= 1 + sign * x->sign * x->others;
    }
    g->operators = 0;
    for (int o = 0; o < count; o++)
        if (keep >> o & 1)
            g->operator[g->operators++] = g->operator[o];
}

void ashi_ash_join_products(const ashi_ash_sums *s, ashi_ash_group *g, ashi_ash_product *list)
{
    const int order = s->tensor[g->target].order;
    int kept = 0;
    for (int i = 0; i < g->products; i++) {
        ashi_ash_form form, known;
        int same = 0;
        form_of(s, &list[i], order, 0, 0, &form);
        for (; same < kept; same++) {
            form_of(s, &list[same], order, 0, 0, &known);
            if (same_text(&known, &form))
                break;
        }
        if (same < kept)
            list[same].coefficient += known.sign * form.sign * list[i].coefficient;
        else
            list[kept++] = list[i];
    }
    g->products = 0;
    for (int i = 0; i < kept; i++)
        if (list[i].coefficient != 0)
            list[g->products++] = list[i];
}
