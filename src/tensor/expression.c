/* Reading index expressions. */
#include "tensor/expression.h"

#include "base/error.h"

#include <ctype.h>
#include <string.h>

typedef struct reader {
    const char *text, *at;
    ashi_expression *out;
    int *column;
    ashlar_error *err;
} reader;

static int column_of(const reader *r)
{
    return (int)(r->at - r->text) + 1;
}

static void skip_spaces(reader *r)
{
    while (*r->at == ' ' || *r->at == '\t')
        r->at++;
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static int index_of(ashi_expression *e, char name)
{
    const char *known = memchr(e->name, name, (size_t)e->indices);
    if (known)
        return (int)(known - e->name);
    e->name[e->indices] = name;
    e->extent[e->indices] = -1;
    return e->indices++;
}

int ashi_index_find(const ashi_index_list *list, int index)
{
    for (int d = 0; d < list->order; d++)
        if (list->index[d] == index)
            return d;
    return -1;
}

/* What stands where a letter, a comma or an arrow was wanted. */
static ashlar_status unexpected(const reader *r)
{
    *r->column = column_of(r);
    if (strncmp(r->at, "...", 3) == 0)
        return ashi_fail(r->err, ASHLAR_ERR_UNSUPPORTED, "column %d: '...' is not supported, name every index",
                         *r->column);
    if (*r->at == '\0')
        return ashi_fail(r->err, ASHLAR_ERR_ARG, "column %d: wanted '->' and the indices of the output", *r->column);
    if (isprint((unsigned char)*r->at))
        return ashi_fail(r->err, ASHLAR_ERR_ARG, "column %d: '%c' is no index, wanted a letter, ',' or '->'",
                         *r->column, *r->at);
    return ashi_fail(r->err, ASHLAR_ERR_ARG, "column %d: byte %d is no index, wanted a letter, ',' or '->'",
                     *r->column, (int)(unsigned char)*r->at);
}

/* The letters up to what is none. */
static ashlar_status read_list(reader *r, ashi_index_list *list)
{
    skip_spaces(r);
    list->order = 0;
    list->begin = column_of(r);
    for (; is_letter(*r->at); skip_spaces(r)) {
        if (list->order == ASHI_ORDER_MOST) {
            *r->column = column_of(r);
            return ashi_fail(r->err, ASHLAR_ERR_UNSUPPORTED, "column %d: more than %d dimensions", *r->column,
                             (int)ASHI_ORDER_MOST);
        }
        list->column[list->order] = column_of(r);
        list->index[list->order++] = index_of(r->out, *r->at++);
    }
    return ASHLAR_OK;
}

static ashlar_status read_operands(reader *r)
{
    ashi_expression *e = r->out;
    for (bool more = true; more;) {
        if (e->operands == ASHI_OPERANDS_MOST) {
            *r->column = column_of(r);
            return ashi_fail(r->err, ASHLAR_ERR_UNSUPPORTED, "column %d: more than %d operands", *r->column,
                             (int)ASHI_OPERANDS_MOST);
        }
        const ashlar_status status = read_list(r, &e->operand[e->operands++]);
        if (status != ASHLAR_OK)
            return status;
        more = *r->at == ',';
        r->at += more;
    }
    if (strncmp(r->at, "->", 2) != 0)
        return unexpected(r);
    r->at += 2;
    return ASHLAR_OK;
}

static ashlar_status check_output(const reader *r, int known)
{
    const ashi_index_list *c = &r->out->output;
    for (int d = 0; d < c->order; d++) {
        const char name = r->out->name[c->index[d]];
        *r->column = c->column[d];
        if (c->index[d] >= known)
            return ashi_fail(r->err, ASHLAR_ERR_ARG, "column %d: index '%c' of the output is in no operand",
                             *r->column, name);
        if (ashi_index_find(c, c->index[d]) != d)
            return ashi_fail(r->err, ASHLAR_ERR_ARG, "column %d: index '%c' is in the output twice", *r->column, name);
    }
    *r->column = 0;
    return ASHLAR_OK;
}

ashlar_status ashi_expression_read(const char *text, ashi_expression *out, int *column, ashlar_error *err)
{
    reader r = {.text = text, .at = text, .out = out, .column = column, .err = err};
    *column = 0;
    *out = (ashi_expression){0};
    ashlar_status status = read_operands(&r);
    const int known = out->indices;
    if (status == ASHLAR_OK)
        status = read_list(&r, &out->output);
    if (status == ASHLAR_OK && *r.at == ',') {
        *column = column_of(&r);
        return ashi_fail(err, ASHLAR_ERR_ARG, "column %d: there is one output, wanted a letter or the end", *column);
    }
    if (status == ASHLAR_OK && *r.at)
        status = unexpected(&r);
    return status == ASHLAR_OK ? check_output(&r, known) : status;
}
