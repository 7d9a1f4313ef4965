/* The words of a program's text. */
#ifndef ASHI_COMPILE_LEXER_H
#define ASHI_COMPILE_LEXER_H

#include "compile/program.h"

typedef enum ashi_ash_word_kind {
    ASHI_ASH_NAME_WORD,
    ASHI_ASH_NUMBER_WORD,
    ASHI_ASH_STRING_WORD, /* without its quotes */
    ASHI_ASH_SIGN_WORD,   /* one of []()+-*:,=/ or += or -= */
    ASHI_ASH_LINE_WORD,   /* the end of a statement */
    ASHI_ASH_END_WORD
} ashi_ash_word_kind;

typedef struct ashi_ash_word {
    ashi_ash_word_kind kind;
    const char *begin;
    int length;
    ashi_ash_spot spot;
} ashi_ash_word;

/* Reads one word ahead. */
typedef struct ashi_ash_lexer {
    const char *at;
    int line, column, depth; /* depth of brackets: inside them a line's end is a space */
    bool joins;              /* the last word asks for more: a line's end is a space */
    ashi_ash_word word;      /* the one that is looked at */
    ashi_ash_spot *spot;     /* of an error */
    ashlar_error *err;
} ashi_ash_lexer;

/* Look at the first word. ASHLAR_OK; ASHLAR_ERR_ARG: a byte that begins no word, a string without end, a long name. */
ashlar_status ashi_ash_lexer_begin(ashi_ash_lexer *l, const char *text, ashi_ash_spot *spot, ashlar_error *err);

/* Look at the next word. */
ashlar_status ashi_ash_next(ashi_ash_lexer *l);

/* Whether the word is this sign, or this name. */
bool ashi_ash_is(const ashi_ash_lexer *l, const char *word);

/* Pass this sign, or fail with "wanted WHAT". */
ashlar_status ashi_ash_pass(ashi_ash_lexer *l, const char *sign, const char *what);

/* Take a name, or fail with "wanted WHAT". */
ashlar_status ashi_ash_take_name(ashi_ash_lexer *l, char out[ASHI_ASH_NAME], const char *what);

/* Fail at the word: "line L, column C: 'WORD', wanted WHAT". */
ashlar_status ashi_ash_unexpected(ashi_ash_lexer *l, const char *what);

#endif
