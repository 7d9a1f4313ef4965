/* Contractions over several ranks, and of tensors in files and in memory together, as products of matrices: which
 * matrices, by which plans. */
#ifndef ASHI_CONTRACT_RANKS_H
#define ASHI_CONTRACT_RANKS_H

#include "contract/matricised.h"
#include "contract/plan.h"
#include "contract/prepared.h"
#include "contract/unfolded.h"
#include "layout/layout.h"

enum { ASHI_MATRICES = 3, ASHI_VIEWS }; /* A, B, C; and C0, which is in a file */

/* Groups of indices: rows of A and C, columns of B and C, what is summed, and what numbers the products. */
enum { ASHI_OF_ROWS, ASHI_OF_COLS, ASHI_OF_SUM, ASHI_OF_BATCH, ASHI_INDEX_GROUPS };

/* The groups that are the rows and columns of A, B and C. */
extern const int ashi_matrix_sides[ASHI_MATRICES][2];

/* A plan, and the processes of A, B and C that own what the first processes own in other products. */
typedef struct ashi_contract_piece {
    ashlar_plan *plan;
    int64_t process[ASHI_MATRICES], count; /* products */
    int team;             /* of ranks, by which these are formed; 0: by all ranks */
    ashi_some_ranks some; /* that are in it */
} ashi_contract_piece;

typedef struct ashi_over_ranks {
    ashi_dealt dealt[ASHI_MATRICES]; /* without a layout: the plans' own */
    int tensor[ASHI_MATRICES];       /* which of the contraction's; -1: one column of ones */
    ashi_contract_prepared prepared[ASHI_MATRICES];
    bool turned[ASHI_MATRICES];      /* the transpose is multiplied, conjugated */
    ashi_order group[ASHI_INDEX_GROUPS];
    int64_t batches;
    int *piece_of;                   /* of each product */
    int64_t *base[ASHI_MATRICES];    /* where this rank's parts of its matrices begin */
    int pieces;
    ashi_contract_piece *piece;
    char *workspace;                 /* what plans work in, then the ones */
    int64_t workspace_words, ones_words;
    int64_t windows;                 /* words of workspaces that plans have of their own: with one-sided transport */
    int64_t held;                    /* words of tensors, their other forms and workspaces of these, on this rank */
    bool files;                      /* some tensors are in files; what follows is of these */
    ashlar_file *view[ASHI_VIEWS];   /* of A, B, C and C0; NULL: in memory */
    ashi_unfolded_tensor at[ASHI_VIEWS];
    ashi_unfolded unfolded;
    ashlar_figures measured;         /* of the last execution, memory_words aside */
} ashi_over_ranks;

/* Own layouts of operands that are no matrices, and with `batches` those of batches, are of blocks: what a rank has of
 * them is then known before plans are made. Local. */
ashlar_status ashi_over_ranks_deal(ashlar_contraction_plan *plan, bool batches, ashlar_error *err);

/* The matrices of the contraction and their layouts, in the form in which they are multiplied. Local. */
void ashi_over_ranks_tensors(const ashlar_contraction_plan *plan, ashi_over_ranks *o);

/* The indices of each group in the order that makes the fewest tiles, once ranks agree on how tensors lie. Local. */
void ashi_over_ranks_groups(const ashlar_contraction_plan *plan, ashi_over_ranks *o);

/* Tensors that lie as matrices of very many tiles are brought into the order of the groups, by a copy of each rank's
 * part, or if that is not enough, dealt out anew in large blocks. Collective; the same on all ranks. */
ashlar_status ashi_over_ranks_order(ashlar_contraction_plan *plan, ashi_over_ranks *o, const ashlar_options *options,
                                    ashlar_error *err);

/* All of that: the matrices, ready to be divided. What it leaves is freed by ashi_over_ranks_clear. Collective; the
 * same on all ranks. */
ashlar_status ashi_over_ranks_begin(ashlar_contraction_plan *plan, ashi_over_ranks *o, const ashlar_options *options,
                                    bool batches, ashlar_error *err);

/* Free all but *o and the plans of pieces. Collective. */
void ashi_over_ranks_clear(ashi_over_ranks *o);

/* What this rank holds beside workspaces, of what is known by now. */
void ashi_over_ranks_hold(const ashlar_contraction_plan *plan, ashi_over_ranks *o);

/* The products, and which of them share a plan: those with the same owners and of the same team.
 * @param team_of  of each product; NULL: all are formed by all ranks. Local. */
ashlar_status ashi_over_ranks_divide(ashi_over_ranks *o, const int *team_of, ashlar_error *err);

/* The plans. Collective; the same on all ranks. */
ashlar_status ashi_over_ranks_plans(ashlar_contraction_plan *plan, ashi_over_ranks *o, const ashi_options_taken *how,
                                    ashlar_error *err);

/* A value of the batch as a problem of matrices with these layouts, of which any may be NULL; no files. */
ashlar_problem ashi_over_ranks_problem(const ashlar_contraction_plan *plan, const ashi_over_ranks *o,
                                       ashlar_layout *const layout[ASHI_MATRICES]);

/* Operands and a result in other forms: begin the explanation and add what they take to the report; add their messages
 * to what is planned, and return their seconds; bring operands into these forms; bring the result into the caller's,
 * unless `status` says that it is not there. The last two are collective, and the status is this rank's own. */
ashlar_status ashi_over_ranks_say_prepared(ashlar_contraction_plan *plan, const ashi_over_ranks *o, ashlar_error *err);
double ashi_over_ranks_predict_prepared(ashlar_contraction_plan *plan, const ashi_over_ranks *o);
ashi_on_device ashi_over_ranks_prepare_on_device(const ashi_over_ranks *o);
ashlar_status ashi_over_ranks_prepare(ashlar_contraction_plan *plan, ashi_over_ranks *o,
                                      const ashi_contract_arguments *with, ashlar_error *err);
ashlar_status ashi_over_ranks_give(ashlar_contraction_plan *plan, ashi_over_ranks *o,
                                   const ashi_contract_arguments *with, ashlar_status status, ashlar_error *err);

/* Add what moves. */
void ashi_tally_add(ashi_player_tally *to, const ashi_player_tally *more);

/* ---- ranks_files.c: tensors in files beside others in memory ---- */

/* What a rank can see of them: tensors that fit the contraction. Local. */
ashlar_status ashi_over_ranks_check_files(const ashlar_contraction_plan *plan, ashlar_error *err);

/* See tensors in files as matrices of the groups. Local. */
ashlar_status ashi_over_ranks_see(ashlar_contraction_plan *plan, ashi_over_ranks *o, ashlar_error *err);

/* Let the views be those of a value of the batch. Local. */
void ashi_over_ranks_go_to(ashi_over_ranks *o, int64_t product);

/* Words that this rank holds for a plan beside the tensors in memory: with `works` words of workspace; and the most
 * that it will hold. */
int64_t ashi_over_ranks_beside(const ashlar_plan *p, int64_t works);
int64_t ashi_over_ranks_own_words(const ashlar_plan *p);

/* ranks_files_run.c: form all products, once operands are prepared; C as it is made has `beta`. Collective, the same on
 * all ranks. */
ashlar_status ashi_over_ranks_run_files(ashlar_contraction_plan *plan, ashi_over_ranks *o,
                                        const ashi_contract_arguments *with, const void *beta, ashlar_error *err);

/* What plans with files will take, and what an execution took. Collective. */
ashlar_figures ashi_over_ranks_predict_files(const ashlar_contraction_plan *plan, const ashi_over_ranks *o);
ashlar_figures ashi_over_ranks_measure_files(const ashlar_contraction_plan *plan, const ashi_over_ranks *o);

/* Where this rank's part of matrix x of product z begins; NULL if it is in a file. Local. */
const void *ashi_over_ranks_part(const ashlar_contraction_plan *plan, const ashi_over_ranks *o, int x, int64_t z,
                                 const ashi_contract_arguments *with);

/* The plans' own layout of matrix x as one of its tensor. Local. */
ashlar_status ashi_over_ranks_own(ashlar_contraction_plan *plan, ashi_over_ranks *o, int x, ashlar_error *err);

#endif
