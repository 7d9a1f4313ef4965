/* Contractions of several operands on a grid of ranks over all indices: each rank receives the boxes of the operands
 * that it needs, contracts them by itself, and the boxes of the result are added up by those who own parts of them. */
#ifndef ASHI_CONTRACT_BY_GRID_H
#define ASHI_CONTRACT_BY_GRID_H

#include "contract/plan.h"
#include "tensor/index_grid.h"

/* An operand or the result as this rank sees it. */
typedef struct ashi_by_grid_tensor {
    ashi_index_grid_share share;
    ashlar_contraction_plan *mover; /* between the caller's layout and that of the grid; NULL: they are the same */
    ashlar_tensor_layout *layout;   /* of the grid, if there is a mover */
    int me;                         /* this rank's number among the ranks with the same box */
    int *rank;                      /* of each of these */
    int64_t *words;                 /* of the part that each owns, */
    MPI_Datatype *part;             /* and where it is in the box */
    MPI_Datatype own;               /* this rank's part by itself */
    int64_t extent[ASHI_ORDER_MOST]; /* of the box */
    int64_t box_words;
    bool boxed;                     /* the box is in the workspace, else this rank's part is the box */
    int64_t box_at, own_at, sums_at; /* elements of the workspace before: the box; this rank's part, if there is a
                                        mover; what the others have summed up for this rank's part of the result */
} ashi_by_grid_tensor;

/* A message that is under way, for the trace. */
typedef struct ashi_by_grid_message {
    bool received; /* else sent */
    int peer;
    int64_t words;
    double begin;
} ashi_by_grid_message;

typedef struct ashi_by_grid {
    ashi_index_grid grid;
    int coordinate[ASHI_INDICES_MOST];
    bool idle;                       /* this rank is not in the grid */
    ashi_by_grid_tensor *tensor;     /* the operands, then the result */
    ashlar_context *alone;           /* of this rank */
    ashlar_contraction_plan *local;  /* of the boxes */
    MPI_Request *request;            /* room for all that are under way at once */
    ashi_by_grid_message *message;   /* what each of them is */
    int requests;
    char *workspace;
    int64_t workspace_words;         /* beside that of movers and of `local` */
    int64_t held;                    /* words of this rank, tensors included */
} ashi_by_grid;

/* The public structure's call. */
ashlar_status ashi_by_grid_run(ashlar_contraction_plan *plan, const ashi_contract_arguments *with, ashlar_error *err);

#endif
