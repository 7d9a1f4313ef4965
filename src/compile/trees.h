/* In which order the factors of a product are multiplied: binary trees. */
#ifndef ASHI_COMPILE_TREES_H
#define ASHI_COMPILE_TREES_H

#include "compile/graph.h"

enum { ASHI_ASH_TREES_MOST = 120 }; /* of one product: all 105 of five factors */

/* Which factors each product of several has in one of its two operands; the set of all comes first. */
typedef struct ashi_ash_tree {
    int nodes;
    double operations; /* multiply-adds at typical extents, if nothing is shared */
    uint8_t set[ASHI_ASH_FACTORS_MOST], left[ASHI_ASH_FACTORS_MOST];
} ashi_ash_tree;

/* The trees of a product, the cheapest first: all of up to five factors, of more the cheapest alone.
 * @param order  the target's order: the product's indices below it are not summed
 * @return how many; 0: each has an operand of more than ASHI_ASH_NODE_ORDER indices */
int ashi_ash_trees_make(const ashi_ash_sums *s, const ashi_ash_product *t, int order,
                        ashi_ash_tree tree[ASHI_ASH_TREES_MOST]);

/* The factors of the left operand of the product of those in `set`, which is one of the tree's. */
unsigned ashi_ash_tree_left(const ashi_ash_tree *tree, unsigned set);

#endif
