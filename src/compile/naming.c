/* The least text of a sum, by trying orders of the labels that have equal ranges. */
#include "compile/naming.h"

#include <stdlib.h>
#include <string.h>

enum { ORDERS_MOST = 720 }; /* beyond these some equal sums are not found to be equal */

typedef struct term_text {
    const ashi_ash_form *form;
    double coefficient;
} term_text;

typedef struct naming {
    ashi_ash_naming *out;
    uint8_t *trial;
    ashi_ash_form *form;
    term_text *term;
    const ashi_ash_item *list;
    int count, left; /* items; orders that may still be tried */
} naming;

static int compare_terms(const void *a, const void *b)
{
    const term_text *x = a, *y = b;
    if (x->form->length != y->form->length)
        return x->form->length - y->form->length;
    const int text = memcmp(x->form->text, y->form->text, (size_t)x->form->length);
    return text ? text : (x->coefficient > y->coefficient) - (x->coefficient < y->coefficient);
}

/* The text of the items with these dimensions for their labels; kept if it is less than the one before. */
static void try_naming(const ashi_ash_sums *s, naming *n, const int8_t *dimension)
{
    term_text *term = n->term;
    int64_t bytes = 0;
    for (int i = 0; i < n->count; i++) {
        const ashi_ash_item *x = &n->list[i];
        int8_t label[ASHI_ASH_LABELS_MOST];
        for (int k = 0; k < x->product->indices; k++)
            label[k] = (int8_t)(x->label[k] >= 0 ? dimension[x->label[k]] : ASHI_ASH_SUMMED);
        ashi_ash_form_make(s, x->product, x->set, label, &n->form[i]);
        term[i] = (term_text){&n->form[i], x->coefficient * n->form[i].sign};
    }
    qsort(term, (size_t)n->count, sizeof *term, compare_terms);
    for (int i = 0; i < n->count; i++) {
        const double ratio = term[i].coefficient / term[0].coefficient;
        n->trial[bytes++] = (uint8_t)term[i].form->length;
        memcpy(n->trial + bytes, term[i].form->text, (size_t)term[i].form->length);
        bytes += term[i].form->length;
        memcpy(n->trial + bytes, &ratio, sizeof ratio);
        bytes += (int64_t)sizeof ratio;
    }
    const bool first = n->out->bytes < 0, longer = bytes > n->out->bytes;
    if (!first && (longer || (bytes == n->out->bytes && memcmp(n->trial, n->out->text, (size_t)bytes) >= 0)))
        return;
    uint8_t *swap = n->out->text;
    n->out->text = n->trial;
    n->trial = swap;
    n->out->bytes = bytes;
    n->out->scale = term[0].coefficient;
    memcpy(n->out->dimension, dimension, sizeof n->out->dimension);
}

/* All orders of labels of equal range: labels from `at` on are exchanged with later ones. */
static void try_orders(const ashi_ash_sums *s, naming *n, int8_t *label, int labels, int at, const int8_t *range)
{
    if (at == labels) {
        int8_t dimension[ASHI_ASH_LABELS_MOST] = {0};
        for (int d = 0; d < labels; d++)
            dimension[label[d]] = (int8_t)d;
        n->left--;
        try_naming(s, n, dimension);
        return;
    }
    for (int i = at; i < labels && n->left > 0; i++) {
        if (range[label[i]] != range[label[at]])
            continue;
        const int8_t a = label[at], b = label[i];
        label[at] = b;
        label[i] = a;
        try_orders(s, n, label, labels, at + 1, range);
        label[at] = a;
        label[i] = b;
    }
}

bool ashi_ash_naming_make(const ashi_ash_sums *s, const ashi_ash_item *list, int count, uint64_t labels,
                          const int8_t *range, ashi_ash_naming *out)
{
    int8_t label[ASHI_ASH_LABELS_MOST];
    int n = 0;
    for (int r = 0; r < s->program->ranges; r++)
        for (int l = 0; l < ASHI_ASH_LABELS_MOST; l++)
            if ((labels >> l & 1) && range[l] == r)
                label[n++] = (int8_t)l;
    const size_t room = (size_t)count * (ASHI_ASH_FORM_MOST + 1 + sizeof(double));
    *out = (ashi_ash_naming){.bytes = -1, .labels = n, .text = malloc(room)};
    naming work = {.out = out, .trial = malloc(room), .form = malloc((size_t)count * sizeof *work.form),
                   .term = malloc((size_t)count * sizeof *work.term), .list = list, .count = count,
                   .left = ORDERS_MOST};
    const bool good = out->text && work.trial && work.form && work.term;
    if (good)
        try_orders(s, &work, label, n, 0, range);
    free(work.trial);
    free(work.form);
    free(work.term);
    return good;
}
