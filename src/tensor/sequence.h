/* A contraction of several operands as a sequence of contractions of pairs: which order is cheapest.
 *
 * The cost of a sequence is its multiply-adds, then, of equals, its words: those of the operands and of the result of
 * every step, each counted once. What a set of operands makes has the indices that somebody outside of the set still
 * needs, so an index is summed as early as possible. An operand with indices that nobody else has is summed over them
 * first, in a step of its own. Pairs without a common index (outer products) are considered too.
 *
 * Up to ASHI_SEQUENCE_EXACT operands the search is exact, over all trees of pairs. Above, it is greedy: once by the
 * fewest multiply-adds for a word of the two operands, once by the result's words less those of the two operands, as in
 * D. G. A. Smith and J. Gray, J. Open Source Softw. 3, 753 (2018), "opt_einsum". Of equal pairs that with fewer
 * multiply-adds is taken, then the first. Once ASHI_SEQUENCE_EXACT are left, their order is searched exactly. The
 * cheaper of the two sequences is the answer.
 *
 * Memory: words of the intermediates that are held at the same time. An intermediate is held from the step that makes
 * it until the end of the step that uses it. One side of the tree is finished before the other is begun, in the order
 * that holds less. The operands and the output are not counted: they are the caller's. */
#ifndef ASHI_TENSOR_SEQUENCE_H
#define ASHI_TENSOR_SEQUENCE_H

#include "tensor/expression.h"

enum { ASHI_SEQUENCE_EXACT = 10, ASHI_SEQUENCE_STEPS = 2 * ASHI_OPERANDS_MOST - 1 };

/* Arrays are numbered: those below `operands` are the expression's, operands + s is the result of step s. */
typedef struct ashi_sequence_step {
    int operand[2];          /* [1] is -1: the step has one operand */
    ashi_index_list result;  /* of the last step: the output. Columns are 0. */
    int user;                /* the step that uses the result; -1: this one is the last */
    int64_t multiply_adds;   /* additions, if there is one operand */
    int64_t words;           /* of the operands and the result */
    int64_t result_words;
    int64_t held;            /* words of intermediates while the step runs, what it makes and uses included */
} ashi_sequence_step;

typedef struct ashi_sequence {
    int operands, steps;
    ashi_sequence_step step[ASHI_SEQUENCE_STEPS];
    bool exact;              /* no tree of pairs is cheaper */
    int64_t multiply_adds, words;
    int64_t held;            /* the most of any step */
} ashi_sequence;

/* The cheapest sequence that holds at most `words_most` words of intermediates (INT64_MAX: any number); of equally
 * cheap ones one that holds fewest. The expression has been checked.
 * @return ASHLAR_OK; ASHLAR_ERR_LIMIT: none does, and `*least` is the fewest words that one of the sequences searched
 *         holds; ASHLAR_ERR_OVERFLOW: the figures of every one are beyond 64 bits; ASHLAR_ERR_MEMORY */
ashlar_status ashi_sequence_choose(const ashi_expression *expression, int64_t words_most, ashi_sequence *out,
                                   int64_t *least, ashlar_error *err);

/* The expression of one step, with the names and extents of the whole. */
void ashi_sequence_expression(const ashi_expression *expression, const ashi_sequence *sequence, int step,
                              ashi_expression *out);

/* "ijk,kr->ijr". Indices are joined without spaces. */
enum { ASHI_STEP_TEXT = 3 * (ASHI_ORDER_MOST + 2) };
void ashi_sequence_text(const ashi_expression *expression, const ashi_sequence *sequence, int step,
                        char text[ASHI_STEP_TEXT]);

#endif
