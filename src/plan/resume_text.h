/* What a run that may be gone on with is, as lines: a later run goes on if it would write the same ones. */
#ifndef ASHI_PLAN_RESUME_TEXT_H
#define ASHI_PLAN_RESUME_TEXT_H

#include "plan/resume.h"

/* A text in the making, of at most room - 1 bytes; it is cut off where there is no more room. */
typedef struct ashi_lines {
    char *text;
    size_t used, room;
} ashi_lines;

__attribute__((format(printf, 2, 3))) void ashi_lines_add(ashi_lines *lines, const char *format, ...);

/* A file as it lies on the disk, which must not change until the output is complete; NULL: there is none. */
void ashi_lines_add_file(ashi_lines *lines, const char *name, const ashlar_file *file);

void ashi_lines_add_scalar(ashi_lines *lines, const char *name, const void *element, ashlar_type type);

/* What a product multiplies, its files left out. */
void ashi_lines_add_product(ashi_lines *lines, const ashlar_problem *problem, const void *alpha, const void *beta);

/* The library, the ranks, the BLAS and the threads. */
void ashi_lines_add_run(ashi_lines *lines, const ashlar_context *context);

/* All that the bits of C depend on. */
void ashi_resume_describe(const ashlar_plan *plan, const ashi_resume_request *request, char text[ASHI_RECORD_TEXT]);

/* Whether what was made is what is to be made; the first line that differs says what not.
 * @return ASHLAR_OK; ASHLAR_ERR_ARG */
ashlar_status ashi_resume_compare(const char *place, const char *was, const char *is, ashlar_error *err);

#endif
