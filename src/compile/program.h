/* A program of tensor contractions as its text says it: ranges, indices, arrays and statements (docs/LANGUAGE.md). */
#ifndef ASHI_COMPILE_PROGRAM_H
#define ASHI_COMPILE_PROGRAM_H

#include <ashlar/base.h>

enum {
    ASHI_ASH_NAME = 32,          /* bytes of a name, with its closing zero */
    ASHI_ASH_ORDER_MOST = 8,     /* dimensions of an array */
    ASHI_ASH_FACTORS_MOST = 8,   /* arrays in one product */
    ASHI_ASH_RANGES_MOST = 32,
    ASHI_ASH_INDICES_MOST = 100,
    ASHI_ASH_ARRAYS_MOST = 200,
    ASHI_ASH_SYMMETRIES_MOST = 48, /* of one array: the whole group */
    ASHI_ASH_OPERATORS_MOST = 4, /* permutation operators of one term */
    ASHI_ASH_VECTORS_MOST = 12,  /* of one denominator */
    ASHI_ASH_TERMS_MOST = 2048,  /* of the program, written out */
    ASHI_ASH_STATEMENTS_MOST = 256,
    ASHI_ASH_PLACE = 256         /* bytes of a file's place, with its closing zero */
};

/* A position in the text, both from 1. */
typedef struct ashi_ash_spot {
    int line, column;
} ashi_ash_spot;

/* The values an index can have: a number known when the compiled program runs, or the parts one after another. */
typedef struct ashi_ash_range {
    char name[ASHI_ASH_NAME];
    int64_t typical; /* the extent that the optimiser reckons with */
    int parts, part[ASHI_ASH_ORDER_MOST];
    int whole; /* the range that it is a part of; -1: none */
} ashi_ash_range;

typedef struct ashi_ash_index {
    char name[ASHI_ASH_NAME];
    int range;
} ashi_ash_index;

typedef enum ashi_ash_kind { ASHI_ASH_INPUT, ASHI_ASH_OUTPUT, ASHI_ASH_INTERMEDIATE } ashi_ash_kind;

/* X[order[0], order[1], ...] = sign * X[0, 1, ...] */
typedef struct ashi_ash_symmetry {
    int sign;
    int8_t order[ASHI_ASH_ORDER_MOST];
} ashi_ash_symmetry;

typedef struct ashi_ash_array {
    char name[ASHI_ASH_NAME];
    ashi_ash_kind kind;
    int order, range[ASHI_ASH_ORDER_MOST];
    int symmetries; /* all of the group, the identity first */
    ashi_ash_symmetry symmetry[ASHI_ASH_SYMMETRIES_MOST];
    bool in_file;               /* each contraction reads it from its file */
    char place[ASHI_ASH_PLACE]; /* of its file; empty: memory of the caller */
    ashi_ash_spot spot;
} ashi_ash_array;

typedef struct ashi_ash_factor {
    int array;
    int8_t index[ASHI_ASH_ORDER_MOST]; /* of the program's indices */
    bool conjugate;
    ashi_ash_spot spot;
} ashi_ash_factor;

/* X + sign * (X with `one` and other[0] exchanged) + sign * (X with `one` and other[1] exchanged) + ... */
typedef struct ashi_ash_operator {
    int sign, others;
    int8_t one, other[ASHI_ASH_ORDER_MOST];
} ashi_ash_operator;

typedef struct ashi_ash_vector {
    int sign;
    ashi_ash_factor factor;
} ashi_ash_vector;

/* coefficient * operators (product of factors / sum of vectors) */
typedef struct ashi_ash_term {
    double coefficient;
    int operators, factors, vectors;
    ashi_ash_operator operator[ASHI_ASH_OPERATORS_MOST];
    ashi_ash_factor factor[ASHI_ASH_FACTORS_MOST];
    ashi_ash_vector vector[ASHI_ASH_VECTORS_MOST];
    ashi_ash_spot spot;
} ashi_ash_term;

typedef struct ashi_ash_statement {
    ashi_ash_factor target;
    bool adds; /* += or -= */
    int first_term, terms;
} ashi_ash_statement;

typedef struct ashi_ash_program {
    int ranges, indices, arrays, statements, terms;
    ashi_ash_range range[ASHI_ASH_RANGES_MOST];
    ashi_ash_index index[ASHI_ASH_INDICES_MOST];
    ashi_ash_array array[ASHI_ASH_ARRAYS_MOST];
    ashi_ash_statement statement[ASHI_ASH_STATEMENTS_MOST];
    ashi_ash_term term[ASHI_ASH_TERMS_MOST];
} ashi_ash_program;

/* Read and check a program. *out is the caller's to free with free(); NULL on failure.
 * @param spot  the place that an error is about; line 0: none
 * @return ASHLAR_OK; ASHLAR_ERR_ARG: the text, err says "line L, column C: ..."; ASHLAR_ERR_UNSUPPORTED: more of
 *         something than the limits above; ASHLAR_ERR_MEMORY */
ashlar_status ashi_ash_read(const char *text, ashi_ash_program **out, ashi_ash_spot *spot, ashlar_error *err);

/* Set the typical extent of a range that has a number, and of the ranges that it is a part of. */
void ashi_ash_set_typical(ashi_ash_program *p, int range, int64_t typical);

/* Whether a name begins as names of C, MPI and Ashlar do. */
bool ashi_ash_begins_reserved(const char *name);

/* Whether it does, or is a word of the language or of C. */
bool ashi_ash_is_reserved(const char *name);

/* The number of what has this name; -1: nothing has. */
int ashi_ash_range_named(const ashi_ash_program *p, const char *name);
int ashi_ash_index_named(const ashi_ash_program *p, const char *name);
int ashi_ash_array_named(const ashi_ash_program *p, const char *name);

/* Whether a range is `whole`, or a part of it, or a part of a part. */
bool ashi_ash_range_within(const ashi_ash_program *p, int range, int whole);

#endif
