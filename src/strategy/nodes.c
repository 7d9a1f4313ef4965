/* Ranks by the node that they are on. */
#include "strategy/nodes.h"

#include "base/checked.h"
#include "base/error.h"

#include <inttypes.h>
#include <stdlib.h>

typedef struct seat {
    int node, rank;
} seat;

static int by_node(const void *a, const void *b)
{
    const seat *x = a, *y = b;
    if (x->node != y->node)
        return x->node < y->node ? -1 : 1;
    return (x->rank > y->rank) - (x->rank < y->rank);
}

static seat *seats_of(const ashi_problem *q, ashlar_error *err)
{
    seat *s = malloc((size_t)q->ranks * sizeof *s);
    if (!s) {
        ashi_fail_memory(err, "plan", q->ranks * (int64_t)sizeof *s);
        return NULL;
    }
    for (int r = 0; r < (int)q->ranks; r++)
        s[r] = (seat){q->node_of ? q->node_of[r] : 0, r};
    qsort(s, (size_t)q->ranks, sizeof *s, by_node);
    return s;
}

ashlar_status ashi_nodes_order(const ashi_problem *q, int **out, ashlar_error *err)
{
    seat *s = seats_of(q, err);
    *out = malloc((size_t)q->ranks * sizeof **out);
    if (s && *out)
        for (int64_t r = 0; r < q->ranks; r++)
            (*out)[r] = s[r].rank;
    const bool ok = s && *out;
    free(s);
    if (ok)
        return ASHLAR_OK;
    free(*out);
    *out = NULL;
    return ashi_fail_memory(err, "plan", q->ranks * (int64_t)sizeof **out);
}

ashlar_status ashi_nodes_count(const char *strategy, const ashi_problem *q, int64_t *nodes, int64_t *ranks_each,
                               ashlar_error *err)
{
    if (!q->node_of)
        return ashi_fail(err, ASHLAR_ERR_UNSUPPORTED,
                         "%s multiplies at two levels, and it is not known which ranks share a node", strategy);
    seat *s = seats_of(q, err);
    if (!s)
        return ASHLAR_ERR_MEMORY;
    int64_t least = q->ranks, most = 0, here = 0;
    *nodes = 0;
    for (int64_t r = 0; r < q->ranks; r++) {
        here++;
        if (r + 1 < q->ranks && s[r + 1].node == s[r].node)
            continue;
        ++*nodes;
        least = ashi_min(least, here);
        most = ashi_max(most, here);
        here = 0;
    }
    free(s);
    *ranks_each = most;
    if (least == most)
        return ASHLAR_OK;
    return ashi_fail(err, ASHLAR_ERR_UNSUPPORTED,
                     "%s wants the same number of ranks on every node; there are nodes of %" PRId64 " and of %" PRId64,
                     strategy, least, most);
}
