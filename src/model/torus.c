/* Nodes, links and routes of a torus. */
#include "model/torus.h"

#include "base/checked.h"
#include "base/error.h"

#include <inttypes.h>
#include <stdio.h>

int64_t ashi_torus_nodes(const ashi_torus *t)
{
    int64_t nodes = 1, numbers = 0;
    if (t->dims < 1 || t->dims > ASHI_TORUS_MOST)
        return -1;
    for (int d = 0; d < t->dims; d++)
        if (t->length[d] < 1 || !ashi_mul(nodes, t->length[d], &nodes))
            return -1;
    return ashi_mul(nodes, 2 * (int64_t)t->dims, &numbers) ? nodes : -1;
}

const char *ashi_torus_text(const ashi_torus *t, char out[ASHI_TORUS_TEXT])
{
    size_t used = 0;
    out[0] = '\0';
    for (int d = 0; d < t->dims && d < ASHI_TORUS_MOST; d++)
        used += (size_t)snprintf(out + used, ASHI_TORUS_TEXT - used, "%s%" PRId64, d ? "x" : "", t->length[d]);
    return out;
}

ashlar_status ashi_torus_check(const ashi_torus *t, int64_t ranks, const char *who, ashlar_error *err)
{
    char text[ASHI_TORUS_TEXT];
    const int64_t nodes = ashi_torus_nodes(t);
    if (t->dims == 0 || nodes == ranks)
        return ASHLAR_OK;
    if (t->dims < 0 || t->dims > ASHI_TORUS_MOST)
        return ashi_fail(err, ASHLAR_ERR_ARG, "%s: a torus of %d dimensions, wanted 1 to %d", who, t->dims,
                         (int)ASHI_TORUS_MOST);
    ashi_torus_text(t, text);
    if (nodes < 0)
        return ashi_fail(err, ASHLAR_ERR_ARG, "%s: torus %s, wanted lengths of at least 1 whose product is %" PRId64
                                              ", the number of ranks", who, text, ranks);
    return ashi_fail(err, ASHLAR_ERR_ARG, "%s: torus %s has %" PRId64 " nodes, but there %s %" PRId64 " rank%s", who,
                     text, nodes, ranks == 1 ? "is" : "are", ranks, ranks == 1 ? "" : "s");
}

ashi_torus ashi_torus_of(const ashlar_machine *machine)
{
    ashi_torus t = {.dims = machine->torus_dims};
    for (int d = 0; d < t.dims && d < ASHI_TORUS_MOST; d++)
        t.length[d] = machine->torus[d];
    return t;
}

void ashi_torus_at(const ashi_torus *t, int64_t node, int64_t at[ASHI_TORUS_MOST])
{
    for (int d = t->dims - 1; d >= 0; d--) {
        at[d] = node % t->length[d];
        node /= t->length[d];
    }
}

int64_t ashi_torus_node(const ashi_torus *t, const int64_t at[ASHI_TORUS_MOST])
{
    int64_t node = 0;
    for (int d = 0; d < t->dims; d++)
        node = node * t->length[d] + at[d];
    return node;
}

int64_t ashi_torus_numbers(const ashi_torus *t)
{
    return ashi_torus_nodes(t) * 2 * t->dims;
}

int64_t ashi_torus_links(const ashi_torus *t)
{
    int64_t a_node = 0;
    for (int d = 0; d < t->dims; d++)
        a_node += t->length[d] > 1 ? 2 : 0;
    return ashi_torus_nodes(t) * a_node;
}

int64_t ashi_torus_link(const ashi_torus *t, int64_t node, int dim, bool down)
{
    return (node * t->dims + dim) * 2 + down;
}

int64_t ashi_torus_route(const ashi_torus *t, int64_t from, int64_t to, void (*visit)(void *context, int64_t link),
                         void *context)
{
    int64_t at[ASHI_TORUS_MOST], end[ASHI_TORUS_MOST], stride = ashi_torus_nodes(t), sum = 0, hops = 0, node = from;
    ashi_torus_at(t, from, at);
    ashi_torus_at(t, to, end);
    for (int d = 0; d < t->dims; d++)
        sum += at[d];
    for (int d = 0; d < t->dims; d++) {
        const int64_t length = t->length[d], up = (end[d] - at[d] + length) % length;
        const bool down = 2 * up > length || (2 * up == length && sum % 2 == 1);
        stride /= length;
        for (int64_t left = down ? length - up : up; left > 0; left--, hops++) {
            visit(context, ashi_torus_link(t, node, d, down));
            const int64_t next = (at[d] + (down ? length - 1 : 1)) % length;
            node += (next - at[d]) * stride;
            at[d] = next;
        }
    }
    return hops;
}
