/* What the parts of `ashlar multiply` share: wishes, files, plan, this rank's data, what was measured. */
#ifndef ASHI_MULTIPLY_H
#define ASHI_MULTIPLY_H

#include "cli/freivalds.h"
#include "cli/scalar_text.h"
#include "cli/threads.h"
#include "exec/trace.h"
#include "schedule/schedule.h"
#include "store/output.h"
#include "store/store.h"

/* The command line, understood. */
typedef struct ashi_multiply_wishes {
    const char *input[3];       /* A, B and, or NULL, C0 */
    const char *output, *stats, *trace; /* stats and trace may be NULL */
    ashlar_op op[2];
    ashi_scalar_text alpha, beta;
    int64_t memory_bytes;       /* 0: no limit */
    const char *grid;           /* as typed, or NULL */
    int64_t threads;            /* 0: not said */
    ashlar_options plan;        /* all but memory_words; the machine is the next member */
    ashlar_machine figures;     /* of the machine */
    const char *machine;        /* where they came from */
    bool check, json, quiet;
} ashi_multiply_wishes;

/* Seconds of the slowest rank, from one agreement of all ranks to the next. */
typedef struct ashi_multiply_times {
    double planning, reading, checking, writing;
} ashi_multiply_times;

/* Where the matrices are streamed from their files (multiply_stream.h). */
typedef struct ashi_multiply_streaming {
    bool on;
    ashi_schedule schedule;
    double bound;      /* disk words of all ranks: no fewer can do, */
    const char *which; /* by this bound */
    char reason[200];
} ashi_multiply_streaming;

/* A run in progress. Zeroed at first; ashi_multiply_free takes it in any state. */
typedef struct ashi_multiply_job {
    const ashi_multiply_wishes *wish;
    ashlar_context *context;
    bool loud;                  /* this rank shows progress */
    ashi_store *in[3], *out;    /* `out` is NULL on ranks that do not write */
    char *temporary;            /* the unpublished output's name, where all ranks write it */
    ashi_store_info info[3];    /* of A, B and C; C's is that of the output */
    ashlar_problem problem;
    ashlar_plan *plan;          /* NULL where the matrices are streamed */
    ashi_multiply_streaming stream;
    ashlar_explanation why;
    void *data[3];              /* this rank's parts, as the plan's layouts say */
    unsigned char alpha[16], beta[16]; /* one element of the type each */
    ashi_threads threads;
    ashi_freivalds check;
    ashlar_figures predicted, measured;
    ashi_multiply_times took;
    ashi_output stats;          /* on rank 0, where asked for */
    bool stats_begun;
    ashi_trace *trace;          /* NULL: none is wanted */
    ashi_output trace_file;     /* as stats */
    bool trace_begun;
} ashi_multiply_job;

/* All below are collective over job->context and return the same on all ranks. */

/* Open the inputs and settle the problem: types, shapes, scalars. */
ashlar_status ashi_multiply_open(ashi_multiply_job *job, ashlar_error *err);

/* Allocate this rank's parts and read them; C0 only if beta is not 0. */
ashlar_status ashi_multiply_read(ashi_multiply_job *job, ashlar_error *err);

/* Begin the output beside its final name, so that a place that cannot be written to is known before the work. */
ashlar_status ashi_multiply_begin_output(ashi_multiply_job *job, ashlar_error *err);

/* Write C, and give it its name once every rank has succeeded. */
ashlar_status ashi_multiply_write(ashi_multiply_job *job, ashlar_error *err);

/* Record what the ranks do from here on, if that is wanted; write the record, which is the last that a run does. */
ashlar_status ashi_multiply_trace(ashi_multiply_job *job, ashlar_error *err);
ashlar_status ashi_multiply_write_trace(ashi_multiply_job *job, ashlar_error *err);

/* Local to rank 0: the figures for people on standard output, or as JSON, and to the file asked for. */
ashlar_status ashi_multiply_report(ashi_multiply_job *job, ashlar_error *err);

/* Like ashi_agree, and the text names the rank where only some have failed. */
ashlar_status ashi_multiply_agree(const ashi_multiply_job *job, ashlar_status mine, ashlar_error *err);

#endif
