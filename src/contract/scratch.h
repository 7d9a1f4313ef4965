/* Scratch files: what a step of a contraction writes and a later one reads. */
#ifndef ASHI_CONTRACT_SCRATCH_H
#define ASHI_CONTRACT_SCRATCH_H

#include "contract/plan.h"
#include "contract/tensor_file.h"

/* The environment variable that names a folder for scratch files. */
#define ASHI_SCRATCH_FOLDER "ASHLAR_SCRATCH"

/* A tensor in a scratch file. It is written as an output is, under a name that is never its final one, and deleted like
 * an output that is not published: by ashi_scratch_close, by a signal that ends the process, and what a killed run left
 * by the next run of the same output. Zeroed at first. */
typedef struct ashi_scratch {
    ashlar_tensor_file *written;
    ashlar_tensor_file *read; /* the same, after ashi_scratch_turn */
} ashi_scratch;

/* What all scratch files of an output begin with, to be freed: "FOLDER/NAME". The folder is the one given, that of the
 * environment, or the output's, the first that is there. `output` is NULL if it is in memory. Local.
 * @return ASHLAR_OK; ASHLAR_ERR_ARG: the output is in no folder, and none is named; ASHLAR_ERR_MEMORY */
ashlar_status ashi_scratch_prefix(const ashlar_tensor_file *output, const char *folder, char **out, ashlar_error *err);

/* Make the file for the result of step s; `resumes`: or take over what a killed run has left of it. Collective.
 * @return as ashlar_tensor_create or ashlar_tensor_resume */
ashlar_status ashi_scratch_create(const ashlar_contraction_plan *plan, const char *prefix, int s, int order,
                                  const int64_t *extent, bool resumes, ashi_scratch *out, ashlar_error *err);

/* The first line of the record of a scratch file that is complete. */
#define ASHI_SCRATCH_COMPLETE "a step of a contraction is complete"

/* No more is written: open it for reading. `record`, unless it is NULL, is kept beside it once all of it is on the
 * disk; without a record nothing need be there. Collective. */
ashlar_status ashi_scratch_turn(ashi_scratch *scratch, const char *record, ashlar_error *err);

/* Whether a file that was taken over is complete, with this record: then it is opened for reading. A record of another
 * contraction is ASHLAR_ERR_ARG, and says what differs. Collective. */
ashlar_status ashi_scratch_look(ashi_scratch *scratch, const char *record, bool *complete, ashlar_error *err);

/* Close it. It is deleted, unless `keeps` and a later run can go on with it. Takes a zeroed one too. Local. */
void ashi_scratch_close(ashi_scratch *scratch, bool keeps);

#endif
