/* The exact search for the cheapest tree of pairs. */
#ifndef ASHI_SEQUENCE_SEARCH_H
#define ASHI_SEQUENCE_SEARCH_H

#include "base/wide.h"
#include "tensor/sequence.h"

/* Indices of an array as bits: bit x is index number x. */
typedef uint64_t ashi_index_set;

/* A number that stops at ASHI_COST_MOST instead of overflowing. */
#define ASHI_COST_MOST ((ashi_wide)1 << 120)

/* What a tree is made from: an operand, or the result of a step that is already decided. */
typedef struct ashi_sequence_leaf {
    ashi_index_set indices;
    int64_t words;  /* of the array, as it is stored */
    int64_t result; /* words of intermediates once it is made: 0 for the caller's own arrays */
    int64_t held;   /* the most words of intermediates while it is made */
} ashi_sequence_leaf;

/* A tree in the order in which it is done: the number of a leaf takes it, ASHI_SEQUENCE_PAIR makes the last two that
 * were taken or made one. */
enum { ASHI_SEQUENCE_PAIR = -1 };
typedef struct ashi_sequence_tree {
    int entries;
    int entry[2 * ASHI_SEQUENCE_EXACT];
} ashi_sequence_tree;

/* 1 to ASHI_SEQUENCE_EXACT leaves. `output` are the indices that remain at the end.
 * @return as ashi_sequence_choose, whose limit, too, is meant; never ASHLAR_ERR_OVERFLOW */
ashlar_status ashi_sequence_search(const ashi_expression *expression, int leaves, const ashi_sequence_leaf *leaf,
                                   ashi_index_set output, int64_t words_most, ashi_sequence_tree *out, int64_t *least,
                                   ashlar_error *err);

/* The words of intermediates that are held at most if `first` is made before `second` and both become an array of
 * `result` words. INT64_MAX if they do not fit in 64 bits. */
int64_t ashi_sequence_held(const ashi_sequence_leaf *first, const ashi_sequence_leaf *second, int64_t result);

/* The product of the extents of a set of indices, at most ASHI_COST_MOST. */
ashi_wide ashi_index_set_size(const ashi_expression *expression, ashi_index_set indices);
ashi_index_set ashi_index_set_of(const ashi_index_list *list);

#endif
