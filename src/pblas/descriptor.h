/* ScaLAPACK's array descriptors of both kinds, and whether a submatrix fits the one it is described by. */
#ifndef ASHI_DESCRIPTOR_H
#define ASHI_DESCRIPTOR_H

#include "pblas/blacs.h"

#include <stdbool.h>
#include <stdint.h>

/* A source of -1: every process row, or column, holds all of the matrix's rows, or columns. */
typedef struct ashi_descriptor {
    int type, context;
    int rows, cols;               /* M, N: of the whole matrix */
    int first_rows, first_cols;   /* IMB, INB: of the first block */
    int block_rows, block_cols;   /* MB, NB: of the others */
    int row_source, col_source;   /* RSRC, CSRC: who has the first block */
    int ld;                       /* LLD: of this process's local array */
} ashi_descriptor;

/* sub(X) = X(row+1 : row+rows, col+1 : col+cols), as the arguments of a call name it. */
typedef struct ashi_submatrix {
    ashi_descriptor of;
    int64_t row, col;   /* counted from 0 */
    int64_t rows, cols;
} ashi_submatrix;

/* The numbers of a call's arguments for one matrix. Those of IX and JX come just before the descriptor's. */
typedef struct ashi_operand_place {
    int rows, cols, descriptor;
    char name;            /* the matrix's: 'A' */
    bool may_have_copies; /* sources may be -1 */
} ashi_operand_place;

/* What is checked, in a context that all its matrices must have. */
typedef struct ashi_checked_call {
    const char *routine; /* "PDGEMM" */
    int context;
    const ashi_coordinates *grid;
} ashi_checked_call;

enum { ASHI_DESCRIPTOR_SHORT = 1, ASHI_DESCRIPTOR_LONG }; /* DTYPE: of nine entries, of eleven */

/* The context that a descriptor of either type names. */
int ashi_descriptor_context(const int *entries);

/* Read nine entries of type 1, eleven of type 2; of another type only its number and the context. */
ashi_descriptor ashi_descriptor_read(const int *entries);

/* Read nine entries, whatever the type says. */
ashi_descriptor ashi_descriptor_read_short(const int *entries);

/**
 * Check one matrix of a call after the ones before it, by the rules and with the numbers of the PBLAS. Every error is
 * explained by ashi_blacs_warn with the facts that the PBLAS tell.
 *
 * @param info  what was found so far: 0, or as ashi_blacs_report takes it
 * @return the error with the least argument number among those in `info` and those of this matrix; 0 for none
 *
 * An entry has its number in a descriptor of eleven entries, even if nine were given.
 * Source: ScaLAPACK 2.2, PBLAS/SRC/PTOOLS/PB_CargFtoC.c and PB_Cchkmat.c.
 */
int ashi_descriptor_check(const ashi_submatrix *sub, ashi_operand_place place, const ashi_checked_call *call, int info);

/* How many of `count` rows, the first block of `first`, others of `block`, process `process` of `processes` has. */
int64_t ashi_descriptor_share(int64_t count, int64_t first, int64_t block, int process, int source, int processes);

#endif
