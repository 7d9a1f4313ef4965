/* Sums that are added to an output in place by runs that may be gone on with: each is added once, however often such a
 * run is started and killed (store/done.h). */
#ifndef ASHI_PLAN_ADDED_H
#define ASHI_PLAN_ADDED_H

#include "plan/resume_text.h"

/* Whether C may be what is there and something more, made of `operands` files that are all there, and nobody has
 * asked yet what was added. The same on all ranks. Local. */
bool ashi_added_serves(const ashlar_file *c, const ashlar_file *c0, ashlar_file *const *operand, int operands);

/* A line for a file that is read. One that shares C's file changes when C is published, and is named only. Rank 0. */
void ashi_added_line(ashi_lines *lines, const char *name, const ashlar_file *file, const ashlar_file *c);

/* See whether an earlier run has added what `text` says, on rank 0, to C, which is C0: then c->added is set, nothing
 * need be done, and publishing leaves what is there. If not, publishing will be noted as that. `mine` is this rank's
 * status so far. ASHLAR_ERR_IO; ASHLAR_ERR_MEMORY; ASHLAR_ERR_ARG: nobody can tell. Collective, the same on all
 * ranks. */
ashlar_status ashi_added_look(ashlar_file *c, const ashlar_file *c0, const char *text, ashlar_status mine,
                              ashlar_error *err);

/* The same for a product of matrices in files, if there is one to be looked for. */
ashlar_status ashi_added_product(const ashlar_plan *plan, const void *alpha, const void *beta, ashlar_error *err);

#endif
