/* A search over the trees of all products for the graph with the least work. */
#include "compile/factor.h"

#include "base/error.h"

#include <stdlib.h>

enum { SWEEPS_MOST = 10 };

/* An element that is added without a product is read and written from memory: as much as a few multiply-adds. */
static const double moved_weight = 4;

typedef struct search {
    ashi_ash_graph *g;
    const ashi_ash_sums *s;
    ashi_ash_tree **trees; /* of each product */
    int *count;            /* how many it has */
    ashi_ash_choice *chosen;
} search;

static double work_of(const ashi_ash_graph *g)
{
    return g->operations + moved_weight * g->moved;
}

static ashlar_status list_trees(search *x, ashlar_error *err)
{
    ashi_ash_tree tree[ASHI_ASH_TREES_MOST];
    for (int p = 0; p < x->s->products; p++) {
        const ashi_ash_product *t = &x->s->product[p];
        x->count[p] = ashi_ash_trees_make(x->s, t, x->s->tensor[x->s->group[t->group].target].order, tree);
        if (x->count[p] == 0)
            return ashi_fail(err, ASHLAR_ERR_UNSUPPORTED, "a product of '%s' has intermediates of more than %d indices",
                             x->s->tensor[x->s->group[t->group].target].name, (int)ASHI_ASH_NODE_ORDER);
        x->trees[p] = malloc((size_t)x->count[p] * sizeof *tree);
        if (!x->trees[p])
            return ashi_fail_memory(err, "compiling", (int64_t)sizeof tree);
        for (int i = 0; i < x->count[p]; i++)
            x->trees[p][i] = tree[i];
        x->chosen[p] = (ashi_ash_choice){x->trees[p], 0};
    }
    return ASHLAR_OK;
}

/* The operators of a group that exchange two indices which no other operator has. */
static unsigned exchangeable(const ashi_ash_group *g)
{
    unsigned out = 0, seen = 0, twice = 0;
    for (int o = 0; o < g->operators; o++)
        for (int i = -1; i < g->operator[o].others; i++) {
            const unsigned bit = 1u << (i < 0 ? g->operator[o].one : g->operator[o].other[i]);
            twice |= seen & bit;
            seen |= bit;
        }
    for (int o = 0; o < g->operators; o++) {
        const unsigned both = 1u << g->operator[o].one | 1u << g->operator[o].other[0];
        out |= g->operator[o].others == 1 && (both & twice) == 0 ? 1u << o : 0;
    }
    return out;
}

/* Try the other choices for one product. */
static void improve(search *x, int p, double *least)
{
    const unsigned all = exchangeable(&x->s->group[x->s->product[p].group]);
    ashi_ash_choice kept = x->chosen[p];
    for (int i = 0; i < x->count[p]; i++)
        for (unsigned exchanged = 0; exchanged <= all && !x->g->failed; exchanged++) {
            x->chosen[p] = (ashi_ash_choice){&x->trees[p][i], exchanged};
            if ((exchanged & ~all) || !ashi_ash_graph_make(x->g, x->s, x->chosen, true) || work_of(x->g) >= *least)
                continue;
            *least = work_of(x->g);
            kept = x->chosen[p];
        }
    x->chosen[p] = kept;
}

static void sweep(search *x)
{
    double least = work_of(x->g);
    bool more = true;
    for (int i = 0; i < SWEEPS_MOST && more && !x->g->failed; i++) {
        const double before = least;
        for (int p = 0; p < x->s->products && !x->g->failed; p++)
            improve(x, p, &least);
        more = least < before;
    }
}

ashlar_status ashi_ash_optimise(ashi_ash_graph *out, const ashi_ash_sums *s, bool share, ashlar_error *err)
{
    const size_t products = (size_t)s->products + 1;
    *out = (ashi_ash_graph){0};
    search x = {.g = out, .s = s, .trees = calloc(products, sizeof *x.trees),
                .count = calloc(products, sizeof *x.count), .chosen = calloc(products, sizeof *x.chosen)};
    ashlar_status status = ASHLAR_OK;
    if (!x.trees || !x.count || !x.chosen)
        status = ashi_fail_memory(err, "compiling", (int64_t)(products * sizeof *x.trees));
    if (status == ASHLAR_OK)
        status = list_trees(&x, err);
    if (status == ASHLAR_OK && ashi_ash_graph_make(out, s, x.chosen, share) && share) {
        sweep(&x);
        if (!out->failed)
            ashi_ash_graph_make(out, s, x.chosen, share);
    }
    if (status == ASHLAR_OK && out->failed)
        status = ashi_fail_memory(err, "compiling", out->nodes * (int64_t)sizeof *out->node);
    for (int p = 0; p < s->products && x.trees; p++)
        free(x.trees[p]);
    free(x.trees);
    free(x.count);
    free(x.chosen);
    return status;
}
