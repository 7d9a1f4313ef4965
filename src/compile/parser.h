/* What the files that read a program share. */
#ifndef ASHI_COMPILE_PARSER_H
#define ASHI_COMPILE_PARSER_H

#include "compile/lexer.h"

typedef struct ashi_ash_parser {
    ashi_ash_lexer l;
    ashi_ash_program *p;
    int depth; /* of parentheses in an expression */
} ashi_ash_parser;

/* "range ...", "index ...", "input ...", "output ...", "array ..." or "symmetry ...", up to the end of its line.
 * *is_one is false if the line begins with another word: nothing is read then. */
ashlar_status ashi_ash_read_declaration(ashi_ash_parser *r, bool *is_one);

/* "X[a,b] = ...", up to the end of its line. */
ashlar_status ashi_ash_read_statement(ashi_ash_parser *r);

/* "X[a,b]", of a declared array with declared indices of its ranges. */
ashlar_status ashi_ash_read_factor(ashi_ash_parser *r, ashi_ash_factor *out);

/* The index named next. */
ashlar_status ashi_ash_read_index(ashi_ash_parser *r, int8_t *out);

/* Fail at a place: "line L, column C: TEXT". */
#if defined(__GNUC__)
__attribute__((format(printf, 4, 5)))
#endif
ashlar_status ashi_ash_fail(ashi_ash_parser *r, ashlar_status status, ashi_ash_spot spot, const char *format, ...);

/* What a statement may say: which arrays are written, that all are, and that no array needs itself. */
ashlar_status ashi_ash_check(ashi_ash_parser *r);

#endif
