/* What is computed: tensors and intermediates, each the sum of its parts. */
#ifndef ASHI_COMPILE_GRAPH_H
#define ASHI_COMPILE_GRAPH_H

#include "compile/sums.h"

enum { ASHI_ASH_NODE_ORDER = 12 /* dimensions of an intermediate */ };

/* A node read, or one dimension after another of it by labels; equal labels are a diagonal. */
typedef struct ashi_ash_reading {
    int node;
    bool conjugate;
    int8_t label[ASHI_ASH_NODE_ORDER];
} ashi_ash_reading;

/* node += coefficient * (one reading, or the product of two). Label d < order of the node is its dimension d; over the
 * others is summed. */
typedef struct ashi_ash_part {
    int node, readings, labels;
    double coefficient;
    ashi_ash_reading reading[2];
    int8_t range[ASHI_ASH_LABELS_MOST]; /* of each label */
} ashi_ash_part;

typedef struct ashi_ash_node {
    int order;
    int8_t range[ASHI_ASH_NODE_ORDER];
    int divided; /* by the divisors of this group, once all parts are added; -1: not */
    int64_t key; /* of an intermediate that others may share: where its text begins; -1: none */
    int64_t key_bytes;
    uint64_t hash;
} ashi_ash_node;

/* Node number i is tensor number i as long as there are tensors. */
typedef struct ashi_ash_graph {
    const ashi_ash_sums *sums;
    ashi_ash_node *node;
    ashi_ash_part *part;
    uint8_t *text;
    int64_t nodes, node_room, parts, part_room, text_bytes, text_room;
    double operations; /* multiply-adds of products at typical extents */
    double moved;      /* elements of intermediates that are added without a product */
    bool failed;       /* memory lacks */
} ashi_ash_graph;

/* Tensors, and nothing that is computed. */
void ashi_ash_graph_begin(ashi_ash_graph *g, const ashi_ash_sums *s);

void ashi_ash_graph_free(ashi_ash_graph *g);

/* The node with this key; -1: none. */
int ashi_ash_node_find(const ashi_ash_graph *g, const uint8_t *key, int64_t bytes);

/* A new node; key NULL: of its own. -1: memory lacks. */
int ashi_ash_node_add(ashi_ash_graph *g, int order, const int8_t *range, const uint8_t *key, int64_t bytes);

/* Add a part, count what it takes, and number its labels that are below -1: equal ones of a reading alike. Its ranges
 * are those of the labels below `labels`. */
void ashi_ash_part_add(ashi_ash_graph *g, const ashi_ash_part *part);

/* The product of the extents, at typical values, of these ranges. */
double ashi_ash_extent(const ashi_ash_sums *s, int count, const int8_t *range);

#endif
