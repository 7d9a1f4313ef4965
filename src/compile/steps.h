/* The order in which a graph is computed, and when intermediates end. */
#ifndef ASHI_COMPILE_STEPS_H
#define ASHI_COMPILE_STEPS_H

#include "compile/graph.h"

typedef enum ashi_ash_step_kind {
    ASHI_ASH_BEGIN,  /* an intermediate gets memory */
    ASHI_ASH_ZERO,   /* a node that has no part is set to zero */
    ASHI_ASH_ADD,    /* a part is added to its node, or begins it */
    ASHI_ASH_DIVIDE, /* a node is divided by the divisors of its group */
    ASHI_ASH_END     /* an intermediate is freed */
} ashi_ash_step_kind;

typedef struct ashi_ash_step {
    ashi_ash_step_kind kind;
    int node;
    int64_t part; /* of the graph: what is added; -1 */
    bool begins;  /* the part overwrites what is there */
    int loop;     /* the loop that the step is in; -1: none */
} ashi_ash_step;

/* Steps that follow each other are repeated for blocks of one index, so that the intermediates among them, each read
 * once, are never held whole. */
typedef struct ashi_ash_loop {
    int range;    /* of the index */
    double whole; /* elements of the intermediates at typical extents, were they held whole */
} ashi_ash_loop;

typedef struct ashi_ash_steps {
    const ashi_ash_graph *graph;
    ashi_ash_step *step;
    int64_t count, room;
    int *blocked; /* of each node: which of its dimensions the blocks of its loop cut; -1: none */
    ashi_ash_loop *loop;
    int loops;
    double peak; /* elements of intermediates that are held at once, at typical extents */
} ashi_ash_steps;

/* Put a graph, which must live as long, in order. Free with ashi_ash_steps_free, on failure too.
 * @return ASHLAR_OK; ASHLAR_ERR_MEMORY */
ashlar_status ashi_ash_steps_make(ashi_ash_steps *out, const ashi_ash_graph *g, ashlar_error *err);

/* The label of a step's part that the blocks of its loop cut; -1: none. */
int ashi_ash_steps_cut(const ashi_ash_steps *s, const ashi_ash_step *step);

void ashi_ash_steps_free(ashi_ash_steps *s);

#endif
