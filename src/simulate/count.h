/* Count what a rank's program moves, copies, multiplies and holds. */
#ifndef ASHI_COUNT_H
#define ASHI_COUNT_H

#include "schedule/program.h"

/* What one rank's program amounts to. Words are elements. */
typedef struct ashi_need {
    int64_t received, sent;
    int64_t received_sums;          /* of these received, words of C */
    int64_t received_messages, sent_messages;
    int64_t read, written;          /* between memory and files */
    int64_t share;                  /* words of A, B and C that the rank owns */
    int64_t c_words;                /* of the running sums in the pool */
    int64_t panel_words, sum_words; /* of the other panels, the most that one step has: of A and B, and of C */
    int64_t sum_cols;               /* the most columns that moving sums could be cut into */
    int64_t workspace;              /* of the pool */
    int64_t copied;                 /* words packed, unpacked, copied into panels, scaled in C and added to it */
    int64_t products;               /* multiply-adds */
    int64_t thin;                   /* words of thin products, see ashi_thin_words; from a brief program about those */
} ashi_need;

/* Emit a rank's program and count. If A or B stays it takes the place of C in panel_words and sum_words.
 *
 * `workspace` is what the program says of its pool. If it says nothing, it is the most that the running sums, the
 * panels that are there before a step, and those that it and the steps of the look-ahead after it make take together.
 * Every panel is taken to be read then.
 *
 * The program is emitted as a brief one. Errors of emitting; ASHLAR_ERR_MEMORY; ASHLAR_ERR_OVERFLOW. */
ashlar_status ashi_count_program(ashi_program *program, int64_t rank, ashi_need *out, ashlar_error *err);

/* The same from the program that is run. */
ashlar_status ashi_count_in_full(ashi_program *program, int64_t rank, ashi_need *out, ashlar_error *err);

#endif
