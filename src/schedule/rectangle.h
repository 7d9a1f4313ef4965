/* Multicasts on a sub-torus: shares of the piece, each along a spanning tree of its own.
 *
 * Source: Watts and van de Geijn, Parallel Processing Letters 5, 1995 (pipelined broadcasts on a mesh); Solomonik,
 * Bhatele and Demmel, SC 2011 (rectangular collectives). Where the owner and the members of a multicast are all nodes
 * that have some coordinates in common with the owner, whatever the others are, the piece is cut into even shares, one
 * for each dimension that varies and each of its two directions (a dimension of length 2 has one neighbour, hence one
 * share). The tree of a share begins with its dimension, goes on with the others in cyclic order, and in each goes
 * round in its direction: every message goes to a neighbour. Summed over all owners of a sub-torus with sides of one
 * length above 2, each of its links carries as much. */
#ifndef ASHI_RECTANGLE_H
#define ASHI_RECTANGLE_H

#include "schedule/lower.h"

/* Shares that a piece may be cut into. */
enum { ASHI_SHARES_MOST = 2 * ASHI_TORUS_MOST };

typedef struct ashi_rectangle {
    const ashi_torus *torus;
    const ashi_operation *op;
    int64_t owner[ASHI_TORUS_MOST]; /* its coordinates */
    int dim[ASHI_TORUS_MOST], dims; /* those that vary */
    int shares;
    struct {
        int first; /* index into dim of the tree's first dimension */
        bool down;
    } tree[ASHI_SHARES_MOST];
} ashi_rectangle;

/* Whether a MULTICAST's owner and members are a sub-torus of more than one node. The torus and the operation outlive
 * `out`. */
bool ashi_rectangle_find(const ashi_torus *torus, const ashi_operation *op, ashi_rectangle *out);

/* Visit the messages of one of its ranks, receives first, share by share; shares without a word have none. */
ashlar_status ashi_rectangle_lower(const ashi_rectangle *rectangle, int64_t rank, ashi_message_visit visit,
                                   void *context, ashlar_error *err);

#endif
