/* Runs one rank's stream of a schedule on files: boxes read, multiplied and written, in the memory that was
 * promised. */
#ifndef ASHI_STREAM_H
#define ASHI_STREAM_H

#include "exec/trace.h"
#include "schedule/schedule.h"
#include "store/store.h"

/* What to run. Everything outlives the call. */
typedef struct ashi_stream_job {
    ashi_schedule *schedule;   /* in_files; k = 0 where alpha is 0, adds only where beta is not */
    int64_t rank;
    ashlar_type type;          /* of all files */
    ashlar_op op[2];
    const void *alpha, *beta;
    void *workspace;           /* of workspace_words, at least what the schedule needs */
    int64_t workspace_words;
    ashi_store *a, *b, *c0;    /* open for reading; c0 NULL where the schedule does not add */
    ashi_store *c;             /* created or joined; NULL on a rank that writes nothing */
    ashi_trace *trace;         /* or NULL */
    void (*progress)(void *context, int64_t words); /* NULL, or told of words read and written as they are */
    void *context;
} ashi_stream_job;

/* What the run moved and held. Words are elements. */
typedef struct ashi_stream_tally {
    int64_t read, written;
    int64_t workspace; /* most held at once */
} ashi_stream_tally;

/* C <- alpha op(A) op(B) + beta C0 of this rank's part. No MPI: the ranks agree on the outcome afterwards. Allocates
 * nothing.
 * @return ASHLAR_OK; ASHLAR_ERR_IO; ASHLAR_ERR_ARG where the output's format wants another order of
 *         writing; ASHLAR_ERR_INTERNAL where the schedule exceeds its promise. C's file is then unspecified. */
ashlar_status ashi_stream_multiply(const ashi_stream_job *job, ashi_stream_tally *tally, ashlar_error *err);

#endif
