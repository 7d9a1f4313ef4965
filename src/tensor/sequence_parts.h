/* Many operands: pairs are decided greedily until few parts are left. */
#ifndef ASHI_SEQUENCE_PARTS_H
#define ASHI_SEQUENCE_PARTS_H

#include "tensor/sequence_search.h"

/* An operand of the expression, or two parts that have become one. */
typedef struct ashi_sequence_part {
    ashi_sequence_leaf leaf;
    int made_of[2]; /* parts, in the order in which they are made; -1: it is the operand with the part's number */
} ashi_sequence_part;

typedef struct ashi_sequence_parts {
    int count;                 /* of all parts; the first are the operands */
    ashi_sequence_part part[2 * ASHI_OPERANDS_MOST];
    int left;                  /* how many have not become part of another */
    int open[ASHI_OPERANDS_MOST]; /* their numbers */
} ashi_sequence_parts;

/* The operands, each summed over the indices that it alone has. */
void ashi_sequence_parts_make(const ashi_expression *expression, ashi_sequence_parts *out);

/* What the pair that is joined next has least of. */
typedef enum ashi_pair_measure {
    ASHI_PAIR_WORK,  /* multiply-adds for each word of its two parts */
    ASHI_PAIR_WORDS, /* words of its result, less those of the two parts */
    ASHI_PAIR_MEASURES
} ashi_pair_measure;

/* Join pairs until at most `most` parts are left. */
void ashi_sequence_parts_join(const ashi_expression *expression, ashi_sequence_parts *parts, int most,
                              ashi_pair_measure measure);

#endif
