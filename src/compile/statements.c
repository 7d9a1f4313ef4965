/* Reading a program's statements: expressions are written out as sums of products. */
#include "compile/parser.h"

#include "base/array.h"
#include "base/error.h"
#include "base/number.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { DEPTH_MOST = 32 };

typedef struct sum {
    ashi_ash_term *term;
    int64_t count, capacity;
} sum;

static ashlar_status read_sum(ashi_ash_parser *r, sum *out);

static ashlar_status append(ashi_ash_parser *r, sum *s, const ashi_ash_term *t)
{
    if (s->count == ASHI_ASH_TERMS_MOST)
        return ashi_ash_fail(r, ASHLAR_ERR_UNSUPPORTED, t->spot, "more than %d terms, written out",
                             (int)ASHI_ASH_TERMS_MOST);
    ashi_ash_term *larger = ashi_array_room(s->term, &s->capacity, s->count + 1, sizeof *t);
    if (!larger)
        return ashi_fail_memory(r->l.err, "reading a program", (int64_t)sizeof *t * (s->count + 1));
    s->term = larger;
    s->term[s->count++] = *t;
    return ASHLAR_OK;
}

/* What two sums have in common can be multiplied: out = a b. */
static ashlar_status join(ashi_ash_parser *r, const ashi_ash_term *a, const ashi_ash_term *b, ashi_ash_term *out)
{
    *out = *a;
    out->coefficient *= b->coefficient;
    if (!isfinite(out->coefficient) || (out->coefficient == 0 && a->coefficient != 0 && b->coefficient != 0))
        return ashi_ash_fail(r, ASHLAR_ERR_ARG, b->spot, "the factor %g times %g is no number that a double holds",
                             a->coefficient, b->coefficient);
    if (b->operators > 0 && a->factors > 0)
        return ashi_ash_fail(r, ASHLAR_ERR_ARG, b->spot, "a permutation stands before the arrays of its product");
    if (a->vectors > 0 && (b->vectors > 0 || b->factors > 0))
        return ashi_ash_fail(r, ASHLAR_ERR_ARG, b->spot, "a product is divided once, after its arrays");
    if (a->factors + b->factors > ASHI_ASH_FACTORS_MOST)
        return ashi_ash_fail(r, ASHLAR_ERR_UNSUPPORTED, b->spot, "more than %d arrays in a product",
                             (int)ASHI_ASH_FACTORS_MOST);
    if (a->operators + b->operators > ASHI_ASH_OPERATORS_MOST)
        return ashi_ash_fail(r, ASHLAR_ERR_UNSUPPORTED, b->spot, "more than %d permutations of a product",
                             (int)ASHI_ASH_OPERATORS_MOST);
    for (int i = 0; i < b->operators; i++)
        out->operator[out->operators++] = b->operator[i];
    for (int i = 0; i < b->factors; i++)
        out->factor[out->factors++] = b->factor[i];
    for (int i = 0; i < b->vectors; i++)
        out->vector[out->vectors++] = b->vector[i];
    return ASHLAR_OK;
}

/* a <- a b */
static ashlar_status multiply(ashi_ash_parser *r, sum *a, const sum *b)
{
    sum product = {0};
    ashlar_status status = ASHLAR_OK;
    for (int64_t i = 0; i < a->count && status == ASHLAR_OK; i++)
        for (int64_t j = 0; j < b->count && status == ASHLAR_OK; j++) {
            ashi_ash_term t;
            status = join(r, &a->term[i], &b->term[j], &t);
            if (status == ASHLAR_OK)
                status = append(r, &product, &t);
        }
    free(a->term);
    *a = product;
    return status;
}

static ashlar_status read_number(ashi_ash_parser *r, double *out)
{
    char digits[64];
    const ashi_ash_word w = r->l.word;
    snprintf(digits, sizeof digits, "%.*s", w.length, w.begin);
    if (w.length >= (int)sizeof digits || !ashi_number_real(digits, out))
        return ashi_ash_unexpected(&r->l, "a number that a double holds, of at most 63 characters");
    return ashi_ash_next(&r->l);
}

/* "(i,j)" or "(i/j,k)" after P or S */
static ashlar_status read_operator(ashi_ash_parser *r, ashi_ash_operator *out)
{
    *out = (ashi_ash_operator){.sign = ashi_ash_is(&r->l, "P") ? -1 : 1};
    ashlar_status status = ashi_ash_next(&r->l);
    if (status == ASHLAR_OK)
        status = ashi_ash_pass(&r->l, "(", "'(' and the indices to be exchanged");
    if (status == ASHLAR_OK)
        status = ashi_ash_read_index(r, &out->one);
    const bool several = ashi_ash_is(&r->l, "/");
    if (status == ASHLAR_OK)
        status = ashi_ash_pass(&r->l, several ? "/" : ",", "',' and another index");
    for (bool more = true; more && status == ASHLAR_OK;) {
        const ashi_ash_spot spot = r->l.word.spot;
        status = ashi_ash_read_index(r, &out->other[out->others]);
        if (status != ASHLAR_OK)
            return status;
        const int8_t last = out->other[out->others];
        if (last == out->one || memchr(out->other, last, (size_t)out->others) || r->p->index[last].range !=
            r->p->index[out->one].range)
            return ashi_ash_fail(r, ASHLAR_ERR_ARG, spot, "wanted another index of range '%s'",
                                 r->p->range[r->p->index[out->one].range].name);
        more = ++out->others < ASHI_ASH_ORDER_MOST && several && ashi_ash_is(&r->l, ",");
        if (more)
            status = ashi_ash_next(&r->l);
    }
    return status == ASHLAR_OK ? ashi_ash_pass(&r->l, ")", "')'") : status;
}

/* A sum of vectors by which is divided: "e[i]" or "(e[i] + e[j] - e[a])" */
static ashlar_status read_vectors(ashi_ash_parser *r, ashi_ash_term *t)
{
    const bool several = ashi_ash_is(&r->l, "(");
    ashlar_status status = several ? ashi_ash_next(&r->l) : ASHLAR_OK;
    for (bool more = true; more && status == ASHLAR_OK;) {
        const ashi_ash_spot spot = r->l.word.spot;
        if (t->vectors == ASHI_ASH_VECTORS_MOST)
            return ashi_ash_fail(r, ASHLAR_ERR_UNSUPPORTED, spot, "more than %d vectors", (int)ASHI_ASH_VECTORS_MOST);
        ashi_ash_vector *v = &t->vector[t->vectors];
        v->sign = several && ashi_ash_is(&r->l, "-") ? -1 : 1;
        if (several && (ashi_ash_is(&r->l, "-") || ashi_ash_is(&r->l, "+")))
            status = ashi_ash_next(&r->l);
        if (status == ASHLAR_OK && r->l.word.kind != ASHI_ASH_NAME_WORD)
            return ashi_ash_unexpected(&r->l, "a vector: a divisor is a number or a sum of vectors");
        if (status == ASHLAR_OK)
            status = ashi_ash_read_factor(r, &v->factor);
        if (status != ASHLAR_OK)
            return status;
        t->vectors++;
        if (r->p->array[v->factor.array].order != 1)
            return ashi_ash_fail(r, ASHLAR_ERR_ARG, v->factor.spot, "the divisor '%s' has not one index",
                                 r->p->array[v->factor.array].name);
        more = several && (ashi_ash_is(&r->l, "-") || ashi_ash_is(&r->l, "+"));
    }
    if (status != ASHLAR_OK || !several)
        return status;
    return ashi_ash_pass(&r->l, ")", "'+', '-' or ')': a divisor is a number or a sum of vectors");
}

/* A number, an array, a permutation, or a sum in parentheses. */
static ashlar_status read_item(ashi_ash_parser *r, sum *out)
{
    ashi_ash_term t = {.coefficient = 1, .spot = r->l.word.spot};
    ashlar_status status;
    if (ashi_ash_is(&r->l, "(")) {
        if (++r->depth > DEPTH_MOST)
            return ashi_ash_fail(r, ASHLAR_ERR_UNSUPPORTED, t.spot, "more than %d parentheses open", (int)DEPTH_MOST);
        char what[64];
        snprintf(what, sizeof what, "')' after the '(' of line %d, column %d", t.spot.line, t.spot.column);
        status = ashi_ash_next(&r->l);
        if (status == ASHLAR_OK)
            status = read_sum(r, out);
        r->depth--;
        return status == ASHLAR_OK ? ashi_ash_pass(&r->l, ")", what) : status;
    }
    if (r->l.word.kind == ASHI_ASH_NUMBER_WORD)
        status = read_number(r, &t.coefficient);
    else if (ashi_ash_is(&r->l, "P") || ashi_ash_is(&r->l, "S"))
        status = read_operator(r, &t.operator[t.operators++]);
    else if (ashi_ash_is(&r->l, "conj")) {
        status = ashi_ash_next(&r->l);
        if (status == ASHLAR_OK)
            status = ashi_ash_pass(&r->l, "(", "'(' and an array");
        if (status == ASHLAR_OK)
            status = ashi_ash_read_factor(r, &t.factor[t.factors++]);
        t.factor[0].conjugate = true;
        if (status == ASHLAR_OK)
            status = ashi_ash_pass(&r->l, ")", "')'");
    } else
        status = ashi_ash_read_factor(r, &t.factor[t.factors++]);
    return status == ASHLAR_OK ? append(r, out, &t) : status;
}

static ashlar_status divide(ashi_ash_parser *r, sum *s)
{
    ashi_ash_term by = {.coefficient = 1, .spot = r->l.word.spot};
    ashlar_status status;
    if (r->l.word.kind == ASHI_ASH_NUMBER_WORD) {
        double number = 1;
        status = read_number(r, &number);
        if (status == ASHLAR_OK && number == 0)
            return ashi_ash_fail(r, ASHLAR_ERR_ARG, by.spot, "division by zero");
        by.coefficient = 1 / number;
    } else if (r->l.word.kind == ASHI_ASH_NAME_WORD || ashi_ash_is(&r->l, "("))
        status = read_vectors(r, &by);
    else
        return ashi_ash_unexpected(&r->l, "a number without sign, a vector, or a sum of vectors in parentheses");
    return status == ASHLAR_OK ? multiply(r, s, &(sum){&by, 1, 1}) : status;
}

/* Items with * and / between; a permutation needs no * after it. */
static ashlar_status read_product(ashi_ash_parser *r, sum *out)
{
    ashlar_status status = read_item(r, out);
    while (status == ASHLAR_OK) {
        const bool operator = out->count == 1 && out->term[0].factors == 0 && out->term[0].operators > 0 &&
                              (r->l.word.kind == ASHI_ASH_NAME_WORD || r->l.word.kind == ASHI_ASH_NUMBER_WORD ||
                               ashi_ash_is(&r->l, "("));
        sum next = {0};
        if (ashi_ash_is(&r->l, "/")) {
            status = ashi_ash_next(&r->l);
            if (status == ASHLAR_OK)
                status = divide(r, out);
            continue;
        }
        if (!operator && !ashi_ash_is(&r->l, "*"))
            return ASHLAR_OK;
        status = operator ? ASHLAR_OK : ashi_ash_next(&r->l);
        if (status == ASHLAR_OK)
            status = read_item(r, &next);
        if (status == ASHLAR_OK)
            status = multiply(r, out, &next);
        free(next.term);
    }
    return status;
}

static ashlar_status read_sum(ashi_ash_parser *r, sum *out)
{
    ashlar_status status = ASHLAR_OK;
    for (bool more = true; more && status == ASHLAR_OK;) {
        sum product = {0};
        const double sign = ashi_ash_is(&r->l, "-") ? -1 : 1;
        if (ashi_ash_is(&r->l, "-") || ashi_ash_is(&r->l, "+"))
            status = ashi_ash_next(&r->l);
        if (status == ASHLAR_OK)
            status = read_product(r, &product);
        for (int64_t i = 0; i < product.count && status == ASHLAR_OK; i++) {
            product.term[i].coefficient *= sign;
            status = append(r, out, &product.term[i]);
        }
        free(product.term);
        more = ashi_ash_is(&r->l, "-") || ashi_ash_is(&r->l, "+");
    }
    return status;
}

ashlar_status ashi_ash_read_statement(ashi_ash_parser *r)
{
    ashi_ash_program *p = r->p;
    if (p->statements == ASHI_ASH_STATEMENTS_MOST)
        return ashi_ash_fail(r, ASHLAR_ERR_UNSUPPORTED, r->l.word.spot, "more than %d statements",
                             (int)ASHI_ASH_STATEMENTS_MOST);
    ashi_ash_statement *s = &p->statement[p->statements];
    sum terms = {0};
    *s = (ashi_ash_statement){.first_term = p->terms};
    ashlar_status status = ashi_ash_read_factor(r, &s->target);
    const double sign = ashi_ash_is(&r->l, "-=") ? -1 : 1;
    s->adds = ashi_ash_is(&r->l, "+=") || ashi_ash_is(&r->l, "-=");
    if (status == ASHLAR_OK)
        status = s->adds ? ashi_ash_next(&r->l) : ashi_ash_pass(&r->l, "=", "'=', '+=' or '-='");
    if (status == ASHLAR_OK)
        status = read_sum(r, &terms);
    if (status == ASHLAR_OK && p->terms + terms.count > ASHI_ASH_TERMS_MOST)
        status = ashi_ash_fail(r, ASHLAR_ERR_UNSUPPORTED, s->target.spot, "more than %d terms, written out",
                               (int)ASHI_ASH_TERMS_MOST);
    for (int64_t i = 0; i < terms.count && status == ASHLAR_OK; i++) {
        p->term[p->terms] = terms.term[i];
        p->term[p->terms++].coefficient *= sign;
    }
    free(terms.term);
    s->terms = p->terms - s->first_term;
    p->statements += status == ASHLAR_OK;
    return status;
}
