/* What the parts of `ashlar multiply` share: options, files, plan, what was measured. */
#ifndef ASHI_MULTIPLY_H
#define ASHI_MULTIPLY_H

#include "cli/options.h"
#include "cli/scalar_text.h"
#include "cli/strategy_words.h"
#include "cli/threads.h"
#include "plan/device.h"
#include "store/output.h"

#include <ashlar/ashlar.h>

#include <jansson.h>

/* The command line, understood. */
typedef struct ashi_multiply_wishes {
    const char *input[3];       /* A, B and, or NULL, C0 */
    const char *output, *stats, *trace; /* stats and trace may be NULL */
    ashlar_op op[2];
    ashi_scalar_text alpha, beta;
    const char *device;         /* NULL: none */
    int64_t device_bytes;       /* of its memory; 0: all */
    int64_t memory_bytes;       /* 0: no limit */
    const char *grid;           /* as typed, or NULL */
    int64_t threads;            /* 0: not said */
    ashlar_options plan;        /* all but memory_words; the machine is the next member */
    ashlar_machine figures;     /* of the machine */
    const char *machine;        /* where they came from */
    bool check, json, quiet, resume;
    bool retain;                /* for matrices of tiles, as the next two */
    int deal;                   /* 0: by turns, 1: by work */
    double threshold, tolerance;
} ashi_multiply_wishes;

/* What of the command line needs a second look after parsing. */
typedef struct ashi_multiply_raw {
    const char *machine;
    char strategies[ASHI_STRATEGY_WORDS]; /* what --strategy may be */
    int op_a, op_b, objective, transport, route;
    int64_t window;
    bool memory_given, device_memory_given, local_disks;
} ashi_multiply_raw;

/* The options of `ashlar multiply`, of which other commands take some. They point into `wish` and `raw`. */
enum { ASHI_MULTIPLY_OPTIONS = 32 };
void ashi_multiply_options(ashi_multiply_wishes *wish, ashi_multiply_raw *raw,
                           ashi_option options[ASHI_MULTIPLY_OPTIONS]);

/* Settle what was parsed. Returns -1, or the exit status after one line of `command`, printed if `speak`. */
int ashi_multiply_settle(const char *command, const ashi_multiply_raw *raw, ashi_multiply_wishes *wish, bool speak);

/* Seconds of the slowest rank, from one agreement of all ranks to the next. */
typedef struct ashi_multiply_times {
    double planning, reading, checking, writing;
} ashi_multiply_times;

/* The devices of all ranks. */
typedef struct ashi_multiply_devices {
    const ashlar_context *context;
    const char *wanted;         /* as it was typed; NULL: none was asked for, and all else is 0 */
    ashlar_device_figures took;
    char (*of)[ASHI_DEVICE_NAME]; /* on rank 0: the name of each rank's device, "" if it has none */
} ashi_multiply_devices;

/* A run in progress. Zeroed at first. */
typedef struct ashi_multiply_job {
    const ashi_multiply_wishes *wish;
    ashlar_context *context;
    bool loud;                  /* this rank shows progress */
    ashlar_file *in[3], *out;
    ashlar_file_info info[3];   /* of A, B and C0 */
    int64_t size[3];            /* m, n, k of the product; the problem's k is 0 if alpha is */
    ashlar_problem problem;
    ashlar_plan *plan;
    ashlar_explanation why;
    unsigned char alpha[16], beta[16]; /* one element of the type each */
    ashi_threads threads;
    bool checked;
    ashlar_verdict verdict;
    ashlar_figures predicted, measured;
    ashi_multiply_devices devices;
    ashi_multiply_times took;
    ashi_output stats;          /* on rank 0, where asked for */
    bool stats_begun;
    ashi_output trace;          /* as stats */
    bool trace_begun;
} ashi_multiply_job;

/* Local: types and shapes of A, B and, if it was named, C0. `size` becomes m, n, k. */
ashlar_status ashi_multiply_check_types(const ashi_multiply_wishes *wish, const ashlar_file_info info[3],
                                        ashlar_error *err);
ashlar_status ashi_multiply_check_shapes(const ashi_multiply_wishes *wish, const ashlar_file_info info[3],
                                         int64_t size[3], ashlar_error *err);

/* Local: a limit holds at least one word. */
ashlar_status ashi_multiply_check_memory(const ashi_multiply_wishes *wish, ashlar_type type, ashlar_error *err);

/* Local: a product on its way, as ashlar_plan_on_progress wants it; `user` is an ashi_progress. */
void ashi_multiply_tell(void *user, int64_t done, int64_t all);

/* Rank 0 reads the machine's file for all, unless path is NULL: the plan must be the same everywhere. Collective. */
ashlar_status ashi_multiply_read_machine(const ashlar_context *context, const char *path, ashlar_machine *out,
                                         ashlar_error *err);

/* One line on stderr that a check has failed. Returns the exit status. */
int ashi_multiply_complain_of_check(const char *command, const ashlar_verdict *check);

/* Local to rank 0: begin the file of --stats or of --trace, if it is asked for. */
ashlar_status ashi_multiply_begin_file(const char *path, ashi_output *out, bool *begun, ashlar_error *err);

/* What was predicted or measured, as JSON; NULL if memory is short. */
json_t *ashi_multiply_figures_json(const ashlar_figures *figures);

/* Local to rank 0: predicted and measured figures as a table; `flops` of all that is multiplied. */
void ashi_multiply_print_figures(const ashlar_figures *predicted, const ashlar_figures *measured, ashlar_type type,
                                 double flops);

/* All below are collective over job->context and return the same on all ranks. */

/* Open the inputs and settle the problem: types, shapes, scalars. */
ashlar_status ashi_multiply_open(ashi_multiply_job *job, ashlar_error *err);

/* Begin the outputs beside their final names, so that a place that cannot be written to is known before the work. */
ashlar_status ashi_multiply_begin_output(ashi_multiply_job *job, ashlar_error *err);

/* What the check found; null if there was none. */
json_t *ashi_multiply_check_json(bool checked, const ashlar_verdict *verdict);

/* Local to rank 0: a document on standard output and in the file `stats`, as far as they were asked for. It is freed;
 * NULL is memory that ran out. */
ashlar_status ashi_multiply_put_json(json_t *root, const ashi_multiply_wishes *wish, ashi_output *stats,
                                     ashlar_error *err);

/* All but `of` is set: find on rank 0 which device each rank has. Collective, the same on all ranks. */
ashlar_status ashi_multiply_gather_devices(ashi_multiply_devices *devices, ashlar_error *err);

/* What devices did; null if none was asked for. */
json_t *ashi_multiply_device_json(const ashi_multiply_devices *devices);

/* Local to rank 0: the same for people. */
void ashi_multiply_print_device(const ashi_multiply_devices *devices);

/* Local to rank 0: the figures for people on standard output, or as JSON, and to the file asked for. */
ashlar_status ashi_multiply_report(ashi_multiply_job *job, ashlar_error *err);

/* Whether C is beta C0, or zeros, or has no elements: A and B are not read then. */
bool ashi_multiply_is_trivial(const ashi_multiply_job *job);

#endif
