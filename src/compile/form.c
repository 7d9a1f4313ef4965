/* The least text of a product, by trying orders of equal factors and images of each, and leaving what is greater. */
#include "compile/form.h"

#include <string.h>

enum { OPEN_AT = 64, SUMMED_AT = 128 };

typedef struct search {
    const ashi_ash_sums *s;
    const ashi_ash_product *t;
    const int8_t *label;
    int open, summed, length;
    uint8_t text[ASHI_ASH_FORM_MOST];
    uint8_t token[ASHI_ASH_LABELS_MOST]; /* of each index; 0: none yet */
    ashi_ash_form *best;
} search;

/* 1 and above, so that 0 is free. */
static uint8_t token_of(search *x, int index)
{
    if (x->token[index] == 0) {
        const int8_t label = x->label[index];
        x->token[index] = (uint8_t)(1 + (label >= 0 ? label : label == ASHI_ASH_OPEN ? OPEN_AT + x->open++
                                                                                     : SUMMED_AT + x->summed++));
    }
    return x->token[index];
}

static void write_factor(search *x, const ashi_ash_operand *f, const ashi_ash_symmetry *image)
{
    const ashi_ash_tensor *tensor = &x->s->tensor[f->tensor];
    x->text[x->length++] = (uint8_t)(f->tensor >> 8);
    x->text[x->length++] = (uint8_t)(f->tensor & 255);
    x->text[x->length++] = f->conjugate;
    for (int d = 0; d < tensor->order; d++)
        x->text[x->length++] = token_of(x, f->index[image->order[d]]);
}

static void finish(search *x, int sign)
{
    ashi_ash_form *b = x->best;
    if (b->length == x->length && memcmp(x->text, b->text, (size_t)x->length) == 0)
        return;
    memcpy(b->text, x->text, (size_t)x->length);
    b->length = x->length;
    b->sign = sign;
    b->open = x->open;
    for (int i = 0; i < x->t->indices; i++)
        b->number[i] = (int8_t)(x->label[i] == ASHI_ASH_OPEN && x->token[i] ? x->token[i] - 1 - OPEN_AT : -1);
}

static bool same_tensor(const ashi_ash_operand *a, const ashi_ash_operand *b)
{
    return a->tensor == b->tensor && a->conjugate == b->conjugate;
}

static bool before(const ashi_ash_operand *a, const ashi_ash_operand *b)
{
    return a->tensor < b->tensor || (a->tensor == b->tensor && a->conjugate < b->conjugate);
}

/* Append the factors in `left` in each way that may give the least text. */
static void extend(search *x, unsigned left, int sign)
{
    int first = -1;
    if (left == 0) {
        finish(x, sign);
        return;
    }
    for (int f = 0; f < x->t->factors; f++)
        if ((left >> f & 1) && (first < 0 || before(&x->t->factor[f], &x->t->factor[first])))
            first = f;
    for (int f = 0; f < x->t->factors; f++) {
        if (!(left >> f & 1) || !same_tensor(&x->t->factor[f], &x->t->factor[first]))
            continue;
        const ashi_ash_tensor *tensor = &x->s->tensor[x->t->factor[f].tensor];
        for (int i = 0; i < tensor->symmetries; i++) {
            uint8_t token[ASHI_ASH_LABELS_MOST];
            const int open = x->open, summed = x->summed, length = x->length;
            memcpy(token, x->token, (size_t)x->t->indices);
            write_factor(x, &x->t->factor[f], &tensor->symmetry[i]);
            if (x->best->length == 0 || memcmp(x->text, x->best->text, (size_t)x->length) <= 0)
                extend(x, left & ~(1u << f), sign * tensor->symmetry[i].sign);
            memcpy(x->token, token, (size_t)x->t->indices);
            x->open = open;
            x->summed = summed;
            x->length = length;
        }
    }
}

void ashi_ash_form_make(const ashi_ash_sums *s, const ashi_ash_product *t, unsigned mask, const int8_t *label,
                        ashi_ash_form *out)
{
    search x = {.s = s, .t = t, .label = label, .best = out};
    out->length = 0;
    out->sign = 1;
    out->open = 0;
    extend(&x, mask, 1);
}
