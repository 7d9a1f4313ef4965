/* A movement of a tensor between two layouts element by element: what it is inside. */
#ifndef ASHI_CONTRACT_BY_ELEMENT_H
#define ASHI_CONTRACT_BY_ELEMENT_H

#include "contract/dealt.h"
#include "contract/plan.h"

enum { ASHI_BY_ELEMENT_FROM, ASHI_BY_ELEMENT_TO, ASHI_BY_ELEMENT_TENSORS };

/* What is known of one of the two tensors. Indices are numbered in the order in which all ranks walk through the
 * elements: the first is cut into slabs, the last is the fastest. */
typedef struct ashi_by_element_side {
    ashi_dealt dealt;
    int64_t *process[ASHI_INDICES_MOST]; /* of each value of each index: what it adds to the owner's number, */
    int64_t *offset[ASHI_INDICES_MOST];  /* and to the place in this rank's array */
    int64_t *own[ASHI_INDICES_MOST];     /* the values that this rank has, */
    int64_t owned[ASHI_INDICES_MOST];    /* and how many */
    int64_t *first;  /* of each rank: what the first index adds to its number in the other tensor, */
    int64_t *common; /* and the elements that it has there, and this rank here, for one such value */
    int *count, *at; /* of a slab: elements for each rank, or from it, and where they begin in the buffer */
    char *buffer;
} ashi_by_element_side;

typedef struct ashi_by_element {
    int indices, index[ASHI_INDICES_MOST];
    int64_t first;     /* values of the first index */
    int64_t thickness; /* of a slab */
    ashi_by_element_side side[ASHI_BY_ELEMENT_TENSORS];
    int64_t *numbers;  /* the memory of all lists */
    int *counts;
    int64_t held, workspace_words;
} ashi_by_element;

/* The lists; where the tensors lie is known. Local. */
ashlar_status ashi_by_element_lists(const ashlar_contraction_plan *plan, ashi_by_element *q, ashlar_error *err);

/* Elements of a slab that this rank sends, or receives: `count` and `at` are set, itself included. INT64_MAX if they
 * are more than one call of MPI can move. Local. */
int64_t ashi_by_element_count(const ashi_by_element *q, int side, int ranks, int64_t from, int64_t to);

/* output <- alpha operand + beta output, slab after slab. Collective; the status is this rank's own. */
ashlar_status ashi_by_element_run(ashlar_contraction_plan *plan, const ashi_contract_arguments *with,
                                  ashlar_error *err);

#endif
