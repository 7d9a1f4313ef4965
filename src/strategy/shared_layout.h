/* The layout of a matrix in which ranks own shares of it, each within what the rank's box needs. */
#ifndef ASHI_SHARED_LAYOUT_H
#define ASHI_SHARED_LAYOUT_H

#include "engine/grid_schedule.h"

/* How a matrix is cut. */
typedef struct ashi_shared_cut {
    /* Strips are intervals of the major side, and in them pieces follow one another along the minor one; else the other
     * way round. */
    bool along_minor;
    bool at_faces; /* tiles end where faces do, too: what a rank owns of any face is whole tiles */
    const double *share; /* [boxes]: what their ranks own of the matrix is to be as these, above 0; NULL: equal */
} ashi_shared_cut;

/* For boxes that fill the space, where faces on a matrix may overlap partly. The minor side is cut at the edges of all
 * faces; along the major side of each strip the ranks follow one another, those first whose faces end first, until each
 * has its share. Shares are as wanted except for the rounding of their ends. */
ashlar_status ashi_shared_layout(const ashi_bricks *bricks, const ashlar_op op[2], ashlar_operand operand,
                                 ashi_shared_cut cut, ashlar_layout **out, ashlar_error *err);

/* What goes to a rank and from it, message by message straight from owner to user. */
typedef struct ashi_flow {
    int64_t received, sent;               /* words */
    int64_t share;                        /* words that it owns within its box's faces, */
    int64_t own[3];                       /* of each matrix */
    int64_t sums;                         /* words that it receives of partial sums */
    int64_t panel_sources, panel_targets; /* other ranks that A and B come from and go to, of each counted alone */
    int64_t sum_sources, sum_targets;     /* and sums */
    int64_t seen;                         /* the last face that this rank was found to own some of */
} ashi_flow;

/* The flow of each rank if the layouts consist of tiles. A rank receives what others own of the faces of its box on
 * op(A) and op(B). For each word that it owns of C it receives one from every other box over it. */
void ashi_shared_words(const ashi_bricks *bricks, const ashlar_op op[2], const ashlar_layout *const layout[3],
                       int64_t ranks, ashi_flow *flow);

#endif
