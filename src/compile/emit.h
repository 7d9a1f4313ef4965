/* C for the steps of a program. */
#ifndef ASHI_COMPILE_EMIT_H
#define ASHI_COMPILE_EMIT_H

#include "compile/predict.h"

#include <stdio.h>

typedef struct ashi_ash_emission {
    const char *function; /* its name; NULL: a program of its own with a main */
    const char *source;   /* the name of the text, for comments */
    const char *header;   /* the name by which the function's header is included; NULL with a main */
    ashi_ash_target target; /* for which comments predict; with the type of all arrays */
    ashi_ash_forecast (*predict)(const ashi_ash_steps *, const ashi_ash_part *, const ashi_ash_target *);
                          /* ashi_ash_predict; NULL: comments have no figures of words and seconds */
    double plain;         /* multiply-adds at typical extents if every term were computed on its own */
} ashi_ash_emission;

/* Whether the steps can be written so. A main needs a file for every input and for every output that is no scalar; an
 * output in a file is written whole, and not added to.
 * @return ASHLAR_OK; ASHLAR_ERR_ARG with the spot of the array */
ashlar_status ashi_ash_emit_check(const ashi_ash_steps *s, const ashi_ash_emission *e, ashi_ash_spot *spot,
                                  ashlar_error *err);

/* Write the C file; the header of a function, which declares its arguments. False: memory lacks; errors of writing are
 * the stream's. */
bool ashi_ash_emit(const ashi_ash_steps *s, const ashi_ash_emission *e, FILE *out);
bool ashi_ash_emit_header(const ashi_ash_steps *s, const ashi_ash_emission *e, FILE *out);

#endif
