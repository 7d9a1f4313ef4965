/* What declarations and statements have in common: indices, arrays with indices, and errors that say where. */
#include "compile/parser.h"

#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>

ashlar_status ashi_ash_fail(ashi_ash_parser *r, ashlar_status status, ashi_ash_spot spot, const char *format, ...)
{
    char text[ASHLAR_MESSAGE_MAX - 64];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    *r->l.spot = spot;
    return ashi_fail(r->l.err, status, "line %d, column %d: %s", spot.line, spot.column, text);
}

ashlar_status ashi_ash_read_index(ashi_ash_parser *r, int8_t *out)
{
    char name[ASHI_ASH_NAME];
    const ashi_ash_spot spot = r->l.word.spot;
    const ashlar_status status = ashi_ash_take_name(&r->l, name, "an index");
    if (status != ASHLAR_OK)
        return status;
    const int index = ashi_ash_index_named(r->p, name);
    if (index < 0)
        return ashi_ash_fail(r, ASHLAR_ERR_ARG, spot, "index '%s' is not declared", name);
    *out = (int8_t)index;
    return ASHLAR_OK;
}

static ashlar_status read_dimension(ashi_ash_parser *r, const ashi_ash_array *a, int d, int8_t *out)
{
    const ashi_ash_spot spot = r->l.word.spot;
    const ashlar_status status = ashi_ash_read_index(r, out);
    if (status != ASHLAR_OK)
        return status;
    const ashi_ash_index *index = &r->p->index[*out];
    if (a->order == 0)
        return ashi_ash_fail(r, ASHLAR_ERR_ARG, spot, "'%s' is a scalar, without indices", a->name);
    if (d >= a->order)
        return ashi_ash_fail(r, ASHLAR_ERR_ARG, spot, "'%s' has %d %s", a->name, a->order,
                             a->order == 1 ? "index" : "indices");
    if (!ashi_ash_range_within(r->p, index->range, a->range[d]))
        return ashi_ash_fail(r, ASHLAR_ERR_ARG, spot, "index '%s' has range '%s', wanted '%s' or a part of it",
                             index->name, r->p->range[index->range].name, r->p->range[a->range[d]].name);
    return ASHLAR_OK;
}

ashlar_status ashi_ash_read_factor(ashi_ash_parser *r, ashi_ash_factor *out)
{
    char name[ASHI_ASH_NAME];
    int order = 0;
    out->spot = r->l.word.spot;
    ashlar_status status = ashi_ash_take_name(&r->l, name, "an array");
    if (status != ASHLAR_OK)
        return status;
    out->array = ashi_ash_array_named(r->p, name);
    if (out->array < 0 && ashi_ash_is_reserved(name))
        return ashi_ash_fail(r, ASHLAR_ERR_ARG, out->spot, "'%s' is a word of the language or of C, wanted an array",
                             name);
    if (out->array < 0)
        return ashi_ash_fail(r, ASHLAR_ERR_ARG, out->spot, "array '%s' is not declared", name);
    const ashi_ash_array *a = &r->p->array[out->array];
    for (bool more = ashi_ash_is(&r->l, "["); more && status == ASHLAR_OK; order++) {
        int8_t index = 0;
        status = ashi_ash_next(&r->l);
        if (status == ASHLAR_OK)
            status = read_dimension(r, a, order, &index);
        if (status == ASHLAR_OK)
            out->index[order] = index;
        more = ashi_ash_is(&r->l, ",");
        if (status == ASHLAR_OK && !more)
            status = ashi_ash_pass(&r->l, "]", "',' or ']'");
    }
    if (status == ASHLAR_OK && order < a->order)
        return ashi_ash_fail(r, ASHLAR_ERR_ARG, out->spot, "'%s' has %d %s, found %d", name, a->order,
                             a->order == 1 ? "index" : "indices", order);
    return status;
}
