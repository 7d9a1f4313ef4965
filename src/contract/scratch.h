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

/* What all scratch files of an output begin with, to be freed: "FOLDER/NAME". The folder is that of the environment, or
 * else the output's. Local. @return ASHLAR_OK; ASHLAR_ERR_ARG: the output is in no folder, and none is named;
 * ASHLAR_ERR_MEMORY */
ashlar_status ashi_scratch_prefix(const ashlar_tensor_file *output, char **out, ashlar_error *err);

/* Make the file for the result of step s. Collective. @return as ashlar_tensor_create */
ashlar_status ashi_scratch_create(const ashlar_contraction_plan *plan, const char *prefix, int s, int order,
                                  const int64_t *extent, ashi_scratch *out, ashlar_error *err);

/* No more is written: open it for reading. Collective. */
ashlar_status ashi_scratch_turn(ashi_scratch *scratch, ashlar_error *err);

/* Delete it. Takes a zeroed one too. Local. */
void ashi_scratch_close(ashi_scratch *scratch);

#endif
