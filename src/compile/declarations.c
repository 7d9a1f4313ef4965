/* Reading a program's declarations: ranges, indices, arrays and their symmetries. */
#include "compile/parser.h"

#include "base/checked.h"
#include "base/number.h"

#include <stdio.h>
#include <string.h>

/* Variables of the generated function, beside which extents stand. */
static const char *const variables[] = {"r", "t", "run", "to", "from", "comm", "given", "status", "element", "caller",
                                        "room", "step", "record", "head", "int64_t"};

static ashlar_status new_name(ashi_ash_parser *r, char out[ASHI_ASH_NAME], const char *what)
{
    const ashi_ash_spot spot = r->l.word.spot;
    const ashlar_status status = ashi_ash_take_name(&r->l, out, what);
    if (status != ASHLAR_OK)
        return status;
    if (ashi_ash_begins_reserved(out))
        return ashi_ash_fail(r, ASHLAR_ERR_ARG, spot, "'%s' begins as names of C, MPI and Ashlar do", out);
    if (ashi_ash_is_reserved(out))
        return ashi_ash_fail(r, ASHLAR_ERR_ARG, spot, "'%s' is a word of the language or of C", out);
    if (ashi_ash_range_named(r->p, out) >= 0 || ashi_ash_array_named(r->p, out) >= 0)
        return ashi_ash_fail(r, ASHLAR_ERR_ARG, spot, "'%s' is declared already", out);
    return ASHLAR_OK;
}

static ashlar_status read_range_name(ashi_ash_parser *r, int *out)
{
    char name[ASHI_ASH_NAME];
    const ashi_ash_spot spot = r->l.word.spot;
    const ashlar_status status = ashi_ash_take_name(&r->l, name, "a range");
    if (status != ASHLAR_OK)
        return status;
    *out = ashi_ash_range_named(r->p, name);
    return *out >= 0 ? ASHLAR_OK : ashi_ash_fail(r, ASHLAR_ERR_ARG, spot, "range '%s' is not declared", name);
}

static ashlar_status read_typical(ashi_ash_parser *r, ashi_ash_range *range)
{
    char digits[32];
    const ashi_ash_word w = r->l.word;
    snprintf(digits, sizeof digits, "%.*s", w.length, w.begin);
    if (w.length >= (int)sizeof digits || !ashi_number_count(digits, &range->typical) || range->typical < 1 ||
        range->typical > INT64_C(1) << 40)
        return ashi_ash_unexpected(&r->l, "a typical extent from 1 to 2^40");
    return ashi_ash_next(&r->l);
}

/* "o + v": the parts one after another. */
static ashlar_status read_parts(ashi_ash_parser *r, ashi_ash_range *range)
{
    ashlar_status status = ASHLAR_OK;
    for (bool more = true; more && status == ASHLAR_OK;) {
        const ashi_ash_spot spot = r->l.word.spot;
        int part = 0;
        status = read_range_name(r, &part);
        if (status != ASHLAR_OK)
            return status;
        if (r->p->range[part].whole >= 0)
            return ashi_ash_fail(r, ASHLAR_ERR_ARG, spot, "range '%s' is a part of '%s' already",
                                 r->p->range[part].name, r->p->range[r->p->range[part].whole].name);
        if (range->parts == ASHI_ASH_ORDER_MOST)
            return ashi_ash_fail(r, ASHLAR_ERR_UNSUPPORTED, spot, "more than %d parts", (int)ASHI_ASH_ORDER_MOST);
        range->part[range->parts++] = part;
        range->typical = ashi_add_most(range->typical, r->p->range[part].typical);
        r->p->range[part].whole = r->p->ranges;
        more = ashi_ash_is(&r->l, "+");
        if (more)
            status = ashi_ash_next(&r->l);
    }
    return status;
}

static ashlar_status read_range(ashi_ash_parser *r)
{
    if (r->p->ranges == ASHI_ASH_RANGES_MOST)
        return ashi_ash_fail(r, ASHLAR_ERR_UNSUPPORTED, r->l.word.spot, "more than %d ranges",
                             (int)ASHI_ASH_RANGES_MOST);
    ashi_ash_range *range = &r->p->range[r->p->ranges];
    *range = (ashi_ash_range){.whole = -1};
    char name[ASHI_ASH_NAME];
    const ashi_ash_spot spot = r->l.word.spot;
    ashlar_status status = new_name(r, name, "the name of a range");
    memcpy(range->name, name, sizeof name);
    for (size_t i = 0; i < sizeof variables / sizeof variables[0] && status == ASHLAR_OK; i++)
        if (strcmp(name, variables[i]) == 0)
            return ashi_ash_fail(r, ASHLAR_ERR_ARG, spot, "'%s' names a variable of the C that is made", name);
    if (status == ASHLAR_OK)
        status = ashi_ash_pass(&r->l, "=", "'=' and a typical extent or parts");
    if (status == ASHLAR_OK && r->l.word.kind != ASHI_ASH_NUMBER_WORD && r->l.word.kind != ASHI_ASH_NAME_WORD)
        return ashi_ash_unexpected(&r->l, "a typical extent, or a range and '+'");
    if (status == ASHLAR_OK)
        status = r->l.word.kind == ASHI_ASH_NUMBER_WORD ? read_typical(r, range) : read_parts(r, range);
    if (status == ASHLAR_OK && range->parts == 1)
        return ashi_ash_fail(r, ASHLAR_ERR_ARG, r->l.word.spot, "a range of one part is that part");
    r->p->ranges += status == ASHLAR_OK;
    return status;
}

/* "i, j : o" */
static ashlar_status read_indices(ashi_ash_parser *r)
{
    const int first = r->p->indices;
    ashlar_status status = ASHLAR_OK;
    for (bool more = true; more && status == ASHLAR_OK;) {
        const ashi_ash_spot spot = r->l.word.spot;
        if (r->p->indices == ASHI_ASH_INDICES_MOST)
            return ashi_ash_fail(r, ASHLAR_ERR_UNSUPPORTED, spot, "more than %d indices", (int)ASHI_ASH_INDICES_MOST);
        char *name = r->p->index[r->p->indices].name;
        status = ashi_ash_take_name(&r->l, name, "the name of an index");
        if (status == ASHLAR_OK && ashi_ash_index_named(r->p, name) >= 0)
            return ashi_ash_fail(r, ASHLAR_ERR_ARG, spot, "index '%s' is declared already", name);
        r->p->indices += status == ASHLAR_OK;
        more = status == ASHLAR_OK && ashi_ash_is(&r->l, ",");
        if (more)
            status = ashi_ash_next(&r->l);
    }
    int range = 0;
    if (status == ASHLAR_OK)
        status = ashi_ash_pass(&r->l, ":", "',' and an index, or ':' and the range of the indices");
    if (status == ASHLAR_OK)
        status = read_range_name(r, &range);
    for (int i = first; i < r->p->indices; i++)
        r->p->index[i].range = range;
    return status;
}

/* A place without what changes nothing: slashes after a slash or at the end, and "./". */
static void shorten(const char *place, char out[ASHI_ASH_PLACE])
{
    size_t length = 0;
    for (; *place; place++) {
        const bool begins = length == 0 || out[length - 1] == '/';
        if (begins && place[0] == '.' && place[1] == '/')
            place++;
        else if (*place != '/' || length == 0 || !begins)
            out[length++] = *place;
    }
    length -= length > 0 && out[length - 1] == '/';
    out[length] = '\0';
}

/* Whether names alone show that two places are one; links are met when the program runs. */
static bool is_same_place(const char *a, const char *b)
{
    char first[ASHI_ASH_PLACE], second[ASHI_ASH_PLACE];
    shorten(a, first);
    shorten(b, second);
    return strcmp(first, second) == 0;
}

static ashlar_status read_place(ashi_ash_parser *r, ashi_ash_array *a)
{
    const bool input = a->kind == ASHI_ASH_INPUT, output = a->kind == ASHI_ASH_OUTPUT;
    a->in_file = input && ashi_ash_is(&r->l, "in");
    if (!a->in_file && !(input && ashi_ash_is(&r->l, "from")) && !(output && ashi_ash_is(&r->l, "to")))
        return ASHLAR_OK;
    const ashlar_status status = ashi_ash_next(&r->l);
    if (status != ASHLAR_OK)
        return status;
    if (r->l.word.kind != ASHI_ASH_STRING_WORD || r->l.word.length == 0)
        return ashi_ash_unexpected(&r->l, "the place of a file in quotes");
    if (r->l.word.length >= ASHI_ASH_PLACE)
        return ashi_ash_fail(r, ASHLAR_ERR_UNSUPPORTED, r->l.word.spot, "a place of more than %d bytes",
                             ASHI_ASH_PLACE - 1);
    snprintf(a->place, sizeof a->place, "%.*s", r->l.word.length, r->l.word.begin);
    for (int b = 0; output && b < r->p->arrays; b++)
        if (r->p->array[b].kind == ASHI_ASH_OUTPUT && r->p->array[b].place[0] &&
            is_same_place(r->p->array[b].place, a->place))
            return ashi_ash_fail(r, ASHLAR_ERR_ARG, r->l.word.spot, "'%s' goes to the same place",
                                 r->p->array[b].name);
    return ashi_ash_next(&r->l);
}

/* "V[n,n] from "V.npy"" */
static ashlar_status read_array(ashi_ash_parser *r, ashi_ash_kind kind)
{
    if (r->p->arrays == ASHI_ASH_ARRAYS_MOST)
        return ashi_ash_fail(r, ASHLAR_ERR_UNSUPPORTED, r->l.word.spot, "more than %d arrays",
                             (int)ASHI_ASH_ARRAYS_MOST);
    ashi_ash_array *a = &r->p->array[r->p->arrays];
    *a = (ashi_ash_array){.kind = kind, .spot = r->l.word.spot, .symmetries = 1, .symmetry = {{.sign = 1}}};
    char name[ASHI_ASH_NAME];
    ashlar_status status = new_name(r, name, "the name of an array");
    bool more = status == ASHLAR_OK && ashi_ash_is(&r->l, "[");
    while (more && status == ASHLAR_OK) {
        if (a->order == ASHI_ASH_ORDER_MOST)
            return ashi_ash_fail(r, ASHLAR_ERR_UNSUPPORTED, r->l.word.spot, "more than %d dimensions",
                                 (int)ASHI_ASH_ORDER_MOST);
        status = ashi_ash_next(&r->l);
        if (status == ASHLAR_OK)
            status = read_range_name(r, &a->range[a->order]);
        a->symmetry[0].order[a->order] = (int8_t)a->order;
        a->order += status == ASHLAR_OK;
        more = ashi_ash_is(&r->l, ",");
        if (status == ASHLAR_OK && !more)
            status = ashi_ash_pass(&r->l, "]", "',' or ']'");
    }
    memcpy(a->name, name, sizeof name);
    if (status == ASHLAR_OK)
        status = read_place(r, a);
    r->p->arrays += status == ASHLAR_OK;
    return status;
}

static bool same_order(const ashi_ash_symmetry *a, const ashi_ash_symmetry *b, int order)
{
    return memcmp(a->order, b->order, (size_t)order) == 0;
}

/* Complete the group: products of its members with each other. False: too many, or one with both signs. */
static bool close_group(ashi_ash_array *a)
{
    for (int i = 0; i < a->symmetries; i++)
        for (int j = 0; j < a->symmetries; j++) {
            ashi_ash_symmetry s = {.sign = a->symmetry[i].sign * a->symmetry[j].sign};
            for (int d = 0; d < a->order; d++)
                s.order[d] = a->symmetry[i].order[a->symmetry[j].order[d]];
            int k = 0;
            while (k < a->symmetries && !same_order(&a->symmetry[k], &s, a->order))
                k++;
            if (k == ASHI_ASH_SYMMETRIES_MOST || (k < a->symmetries && a->symmetry[k].sign != s.sign))
                return false;
            if (k == a->symmetries)
                a->symmetry[a->symmetries++] = s;
        }
    return true;
}

/* "V[p,q,r,s] = -V[q,p,r,s]" */
static ashlar_status read_symmetry(ashi_ash_parser *r)
{
    ashi_ash_factor left = {0}, right = {0};
    ashi_ash_symmetry s = {.sign = 1};
    ashlar_status status = ashi_ash_read_factor(r, &left);
    if (status == ASHLAR_OK)
        status = ashi_ash_pass(&r->l, "=", "'=' and the array with its indices exchanged");
    if (status == ASHLAR_OK && ashi_ash_is(&r->l, "-")) {
        s.sign = -1;
        status = ashi_ash_next(&r->l);
    }
    if (status == ASHLAR_OK)
        status = ashi_ash_read_factor(r, &right);
    if (status != ASHLAR_OK)
        return status;
    ashi_ash_array *a = &r->p->array[left.array];
    bool good = left.array == right.array && a->symmetries < ASHI_ASH_SYMMETRIES_MOST;
    for (int d = 0; d < a->order && good; d++) {
        const int8_t *at = memchr(left.index, right.index[d], (size_t)a->order);
        good = at && (d == 0 || !memchr(left.index, left.index[d], (size_t)d)) &&
               !memchr(right.index, right.index[d], (size_t)d) && a->range[d] == a->range[at - left.index] &&
               r->p->index[left.index[d]].range == a->range[d];
        s.order[d] = at ? (int8_t)(at - left.index) : 0;
    }
    if (!good)
        return ashi_ash_fail(r, ASHLAR_ERR_ARG, right.spot,
                             "wanted '%s' again with its indices, each of a whole range, exchanged", a->name);
    a->symmetry[a->symmetries++] = s;
    if (!close_group(a))
        return ashi_ash_fail(r, ASHLAR_ERR_ARG, right.spot, "'%s' would be zero, or have more than %d symmetries",
                             a->name, (int)ASHI_ASH_SYMMETRIES_MOST);
    return ASHLAR_OK;
}

ashlar_status ashi_ash_read_declaration(ashi_ash_parser *r, bool *is_one)
{
    static const char *const words[] = {"input", "output", "array", "range", "index", "symmetry"};
    int which = 0;
    while (which < 6 && !ashi_ash_is(&r->l, words[which]))
        which++;
    *is_one = which < 6;
    if (!*is_one)
        return ASHLAR_OK;
    const ashlar_status status = ashi_ash_next(&r->l);
    if (status != ASHLAR_OK)
        return status;
    if (which == 3)
        return read_range(r);
    if (which == 4)
        return read_indices(r);
    return which == 5 ? read_symmetry(r) : read_array(r, (ashi_ash_kind)which);
}
