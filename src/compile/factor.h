/* From sums of products to what is computed. */
#ifndef ASHI_COMPILE_FACTOR_H
#define ASHI_COMPILE_FACTOR_H

#include "compile/trees.h"

/* How a product is formed. */
typedef struct ashi_ash_choice {
    const ashi_ash_tree *tree;
    unsigned exchanged; /* the operators of its group, each of two indices and apart from the others, whose indices are
                           exchanged in it */
} ashi_ash_choice;

/* The graph of all sums, with a choice for each product. A graph that was made before is used again.
 * @param share  equal products are computed once, and common operands are multiplied by sums
 * @return false: memory lacks */
bool ashi_ash_graph_make(ashi_ash_graph *g, const ashi_ash_sums *s, const ashi_ash_choice *choice, bool share);

/* The graph with the least work that a search over trees finds: one product is changed at a time, as long as that makes
 * the whole cheaper. If `share` is false, each product has its own cheapest tree, and nothing is shared.
 * *out is to be freed with ashi_ash_graph_free, on failure too.
 * @return ASHLAR_OK; ASHLAR_ERR_MEMORY; ASHLAR_ERR_UNSUPPORTED: an intermediate of more than ASHI_ASH_NODE_ORDER
 *         indices */
ashlar_status ashi_ash_optimise(ashi_ash_graph *out, const ashi_ash_sums *s, bool share, ashlar_error *err);

#endif
