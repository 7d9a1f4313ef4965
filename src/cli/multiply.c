/* ashlar multiply: the command line, and the stages of a run in their order. */
#include "base/checked.h"
#include "base/error.h"
#include "base/type.h"
#include "cli/command.h"
#include "cli/grid_text.h"
#include "cli/machine.h"
#include "cli/multiply.h"
#include "cli/multiply_tiles.h"
#include "cli/named_files.h"
#include "cli/progress.h"
#include "cli/strategy_words.h"
#include "exec/mpi.h"
#include "plan/trace.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(x) ((int)(sizeof(x) / sizeof((x)[0])))

/* ---- the command line ---- */

static int mistake(const char *command, bool speak, const char *text)
{
    ashlar_error err;
    ashi_fail(&err, ASHLAR_ERR_ARG, "%s", text);
    return speak ? ashi_complain(command, &err) : ASHI_EXIT_USAGE;
}

/* Whether one of the factors is named as matrices of tiles are: data sets are named so as well. */
static bool may_be_tiles(const ashi_multiply_wishes *w)
{
    for (int x = 0; x < 3; x++)
        if (w->input[x] && strstr(w->input[x], ":/"))
            return true;
    return false;
}

int ashi_multiply_settle(const char *command, const ashi_multiply_raw *r, ashi_multiply_wishes *w, bool speak)
{
    ashlar_error err;
    w->beta.part[0] = w->input[2] ? 1 : 0;
    if (!w->output)
        return mistake(command, speak, "no output named, wanted -o FILE");
    if (ashi_scalar_text_read(&w->alpha, &err) != ASHLAR_OK || ashi_scalar_text_read(&w->beta, &err) != ASHLAR_OK)
        return mistake(command, speak, err.text);
    if (!w->input[2] && !ashi_scalar_text_is_zero(&w->beta))
        return mistake(command, speak, "--beta wants --add FILE, the matrix it multiplies");
    const int64_t any[3] = {INT64_MAX, INT64_MAX, INT64_MAX}; /* nothing has been opened yet */
    if (w->grid && !may_be_tiles(w) && ashi_grid_text_check(w->grid, any, INT64_MAX, w->plan.grid, &err) != ASHLAR_OK)
        return mistake(command, speak, err.text);
    w->op[0] = (ashlar_op)r->op_a;
    w->op[1] = (ashlar_op)r->op_b;
    w->plan.objective = (ashlar_objective)r->objective;
    w->plan.transport = (ashlar_transport)r->transport;
    w->plan.route = (ashlar_route)r->route;
    w->plan.window = (int)r->window;
    w->plan.local_disks = r->local_disks;
    if (r->memory_given && w->memory_bytes == 0)
        return mistake(command, speak, "--memory is less than one word");
    if (r->device_memory_given && !w->device)
        return mistake(command, speak, "--device-memory wants --device");
    if (r->device_memory_given && w->device_bytes == 0)
        return mistake(command, speak, "--device-memory is less than one word");
    return -1;
}

void ashi_multiply_options(ashi_multiply_wishes *w, ashi_multiply_raw *r, ashi_option options[ASHI_MULTIPLY_OPTIONS])
{
    ashi_strategy_words(NULL, r->strategies);
    const ashi_option rows[] = {
        {"output", 'o', ASHI_FILE, "FILE", NULL, "where C goes: .npy, .mtx, or .h5:/DATASET", &w->output, NULL},
        {"transa", 0, ASHI_CHOICE, NULL, "N|T|C", "use A, its transpose or its conjugate transpose (default N)",
         &r->op_a, NULL},
        {"transb", 0, ASHI_CHOICE, NULL, "N|T|C", "the same for B", &r->op_b, NULL},
        {"alpha", 0, ASHI_TEXT, "X", NULL, "the factor of op(A) op(B), complex as RE,IM (default 1)",
         &w->alpha.text, NULL},
        {"beta", 0, ASHI_TEXT, "X", NULL, "the factor of the matrix of --add, complex as RE,IM (default 1)",
         &w->beta.text, NULL},
        {"add", 0, ASHI_FILE, "FILE", NULL, "add beta times this matrix", &w->input[2], NULL},
        {"check", 0, ASHI_FLAG, NULL, NULL, "check the product with random vectors; a wrong one is not written",
         &w->check, NULL},
        {"memory", 0, ASHI_SIZE, "SIZE", NULL, "the most that a rank may hold of matrices and workspace",
         &w->memory_bytes, &r->memory_given},
        {"device", 0, ASHI_TEXT, "DEVICE", NULL,
         "multiply on devices: none (default), auto if that is predicted to be faster, or KIND[:N] always", &w->device,
         NULL},
        {"device-memory", 0, ASHI_SIZE, "SIZE", NULL, "the most that a rank may hold of its device's memory",
         &w->device_bytes, &r->device_memory_given},
        {"local-disks", 0, ASHI_FLAG, NULL, NULL,
         "each rank has a disk of its own with A and B: it reads for itself what is streamed", &r->local_disks, NULL},
        {"resume", 0, ASHI_FLAG, NULL, NULL, "go on with what a killed run left of C, and leave what this one finishes",
         &w->resume, NULL},
        {"checkpoint", 0, ASHI_NUMBER, "SECONDS", "0 to 1e9",
         "record what is finished of C so often (default 10, or 32 times what that takes)", &w->plan.checkpoint_seconds,
         NULL},
        {"objective", 0, ASHI_CHOICE, NULL, "time|words", "plan for least predicted time (default) or fewest words",
         &r->objective, NULL},
        {"idle", 0, ASHI_NUMBER, "PART", "0 to 1", "the part of the ranks that may idle (default 0.03)", &w->plan.idle,
         NULL},
        {"window", 0, ASHI_COUNT, "W", "1 to 16", "rounds in flight (default 2, SUMMA more)", &r->window, NULL},
        {"grid", 0, ASHI_TEXT, "PMxPNxPK", NULL,
         "use this grid: three numbers of at least 1; for matrices of tiles PMxPN", &w->grid, NULL},
        {"node-ranks", 0, ASHI_COUNT, "G", "1 to 2147483647",
         "this many ranks, one after the other, count as a node (default those that share memory)",
         &w->plan.node_ranks, NULL},
        {"strategy", 0, ASHI_NAME, "NAME", r->strategies, "use this strategy", &w->plan.strategy, NULL},
        {"method", 0, ASHI_TEXT, "NAME", NULL,
         "run this schedule of plan-contract, such as outside/rotation/ABC: all matrices are in files",
         &w->plan.strategy, NULL},
        {"transport", 0, ASHI_CHOICE, NULL, "two-sided|one-sided", "how words travel (default two-sided)",
         &r->transport, NULL},
        {"route", 0, ASHI_CHOICE, NULL, "direct|tree|auto|rectangular",
         "from owner to each directly, along trees, or what is predicted to be faster (default); along the links of a "
         "torus", &r->route, NULL},
        {"threads", 0, ASHI_COUNT, "N", "1 to 2147483647",
         "threads of the BLAS on each rank (default cores / ranks)", &w->threads, NULL},
        {"machine", 0, ASHI_FILE, "FILE", NULL, "figures of the machine, from ashlar calibrate", &r->machine, NULL},
        {"stats", 0, ASHI_FILE, "FILE", NULL, "write plan and measurement to this file, as JSON", &w->stats, NULL},
        {"trace", 0, ASHI_FILE, "FILE", NULL, "write what each rank did and when to this file, for ashlar trace",
         &w->trace, NULL},
        {"json", 0, ASHI_FLAG, NULL, NULL, "print plan and measurement as JSON", &w->json, NULL},
        {"quiet", 'q', ASHI_FLAG, NULL, NULL, "show no progress", &w->quiet, NULL},
        {"threshold", 0, ASHI_NUMBER, "X", "0 to 1e300",
         "of matrices of tiles: leave out products, and drop tiles of C, that are small beside X (default 0)",
         &w->threshold, NULL},
        {"tolerance", 0, ASHI_NUMBER, "X", "0 to 1",
         "of matrices of tiles: store tiles of C as U V^T if that takes at most half of the memory and loses at most X "
         "times the tile's norm", &w->tolerance, NULL},
        {"retain", 0, ASHI_FLAG, NULL, NULL, "of matrices of tiles: C has the tiles of the matrix of --add, no others",
         &w->retain, NULL},
        {"deal", 0, ASHI_CHOICE, NULL, "turns|work",
         "of matrices of tiles: deal tiles to ranks by turns (default), or so that all have about equal work", &w->deal,
         NULL},
    };
    _Static_assert(COUNT(rows) == ASHI_MULTIPLY_OPTIONS, "ASHI_MULTIPLY_OPTIONS");
    memcpy(options, rows, sizeof rows);
}

static ashi_usage usage_of(ashi_multiply_wishes *w, ashi_multiply_raw *r, ashi_option *options)
{
    ashi_multiply_options(w, r, options);
    return (ashi_usage){
        .command = "multiply", .synopsis = "A B -o C [OPTION...]",
        .summary = "Multiply two matrices in files over all ranks: C = alpha op(A) op(B) + beta C0.",
        .example = "mpirun -n 6 ashlar multiply A.npy B.npy -o C.npy --check",
        .options = options, .option_count = ASHI_MULTIPLY_OPTIONS, .least = 2, .most = 2, .files = true,
    };
}

void ashi_describe_multiply(ashi_usage_use use, void *context)
{
    ashi_multiply_wishes wish = {.plan = ashlar_options_default()};
    ashi_multiply_raw r = {.window = 0};
    ashi_option options[ASHI_MULTIPLY_OPTIONS];
    const ashi_usage usage = usage_of(&wish, &r, options);
    use(&usage, context);
}

static int parse(int argc, char **argv, bool speak, ashi_multiply_wishes *w, ashi_multiply_raw *r)
{
    ashi_option options[ASHI_MULTIPLY_OPTIONS];
    const ashi_usage usage = usage_of(w, r, options);
    int count = 0;
    const int done = ashi_options_parse(&usage, argc, argv, speak, &count);
    if (done >= 0)
        return done;
    w->input[0] = argv[1];
    w->input[1] = argv[2];
    return ashi_multiply_settle("multiply", r, w, speak);
}

/* ---- the stages ---- */

/* As rank 0 sees the files, which writes --stats and --trace and begins the output. */
static ashlar_status check_files(const ashlar_context *context, const ashi_multiply_wishes *w, const char *machine,
                                 ashlar_error *err)
{
    const ashi_named_file files[] = {
        {"A", w->input[0], false, true},   {"B", w->input[1], false, true},     {"--add", w->input[2], false, true},
        {"-o", w->output, true, true},     {"--machine", machine, false, false}, {"--stats", w->stats, true, false},
        {"--trace", w->trace, true, false},
    };
    const bool first = context->rank == 0;
    return ashi_agree(context, first ? ashi_named_files_differ(files, COUNT(files), err) : ASHLAR_OK, err);
}

ashlar_status ashi_multiply_read_machine(const ashlar_context *context, const char *path, ashlar_machine *out,
                                         ashlar_error *err)
{
    ashlar_status status = ASHLAR_OK;
    if (path && context->rank == 0)
        status = ashi_machine_read(path, out, err);
    status = ashi_agree(context, status, err);
    if (status != ASHLAR_OK || !path)
        return status;
    return ashi_mpi(MPI_Bcast(out, (int)sizeof *out, MPI_BYTE, 0, context->comm), "MPI_Bcast", err);
}

static ashlar_status make_plan(ashi_multiply_job *job, ashlar_error *err)
{
    ashlar_options options = job->wish->plan;
    ashlar_status status = ASHLAR_OK;
    if (job->wish->grid)
        status = ashi_grid_text_check(job->wish->grid, job->size, job->context->ranks, options.grid, err);
    if (status != ASHLAR_OK)
        return status;
    if (ashi_multiply_is_trivial(job)) /* no grid is wanted for what is not multiplied */
        memset(options.grid, 0, sizeof options.grid);
    options.memory_words = job->wish->memory_bytes / (int64_t)ashi_type_word(job->problem.type);
    status = ashlar_plan_create(job->context, &job->problem, &options, &job->plan, err);
    if (status != ASHLAR_OK && job->problem.type == ASHLAR_TYPE_H) { /* only floats go through memory in pieces */
        job->problem.type = ASHLAR_TYPE_S;
        status = ashlar_plan_create(job->context, &job->problem, &options, &job->plan, err);
    }
    if (status == ASHLAR_OK)
        status = ashlar_plan_explain(job->plan, &job->why, err);
    return status == ASHLAR_OK ? ashlar_plan_predicted(job->plan, &job->predicted, err) : status;
}

void ashi_multiply_tell(void *user, int64_t done, int64_t all)
{
    ashi_progress *progress = user;
    progress->total = all;
    ashi_progress_add(progress, done - progress->done);
}

static ashlar_status execute(ashi_multiply_job *job, ashlar_error *err)
{
    ashi_progress progress = ashi_progress_start("multiplying", 1, job->loud);
    ashlar_plan_on_progress(job->plan, ashi_multiply_tell, &progress);
    const ashlar_status status = ashlar_plan_execute(job->plan, job->alpha, NULL, NULL, job->beta, NULL, err);
    ashlar_plan_on_progress(job->plan, NULL, NULL);
    ashi_progress_end(&progress);
    return status == ASHLAR_OK ? ashlar_plan_measured(job->plan, &job->measured, err) : status;
}

static ashlar_status verify(ashi_multiply_job *job, ashlar_verification *check, ashlar_error *err)
{
    const double start = MPI_Wtime();
    ashi_progress progress = ashi_progress_start("checking", 1, job->loud);
    const ashlar_status status = ashlar_verify_end(check, job->alpha, NULL, NULL, NULL, &job->verdict, err);
    ashi_progress_end(&progress);
    job->took.checking = MPI_Wtime() - start;
    job->checked = status == ASHLAR_OK;
    return status;
}

static ashlar_status compute(ashi_multiply_job *job, ashlar_error *err)
{
    ashlar_verification *check = NULL;
    ashlar_status status = ASHLAR_OK;
    if (job->wish->check)
        status = ashlar_verify_begin(job->plan, job->beta, NULL, &check, err);
    if (status == ASHLAR_OK)
        status = execute(job, err);
    if (status == ASHLAR_OK && check)
        status = verify(job, check, err);
    ashlar_verify_free(&check);
    return status;
}

static bool refuted(const ashi_multiply_job *job)
{
    return job->checked && !job->verdict.passed;
}

static ashlar_status find_devices(ashi_multiply_job *job, ashlar_error *err)
{
    job->device.wanted = job->wish->device;
    const ashlar_status status = ashlar_plan_device(job->plan, &job->device.figures, err);
    return status == ASHLAR_OK ? ashi_device_report_gather(job->context, &job->device, err) : status;
}

static ashlar_status run(ashi_multiply_job *job, ashlar_error *err)
{
    ashlar_status status = ashi_threads_set(job->context, job->wish->threads, &job->threads, err);
    if (status == ASHLAR_OK && job->wish->device)
        status = ashlar_context_set_device(job->context, job->wish->device, job->wish->device_bytes, err);
    if (status == ASHLAR_OK)
        status = ashi_multiply_open(job, err);
    if (status == ASHLAR_OK)
        status = ashi_multiply_begin_output(job, err);
    const double start = MPI_Wtime();
    if (status == ASHLAR_OK)
        status = make_plan(job, err);
    job->took.planning = MPI_Wtime() - start;
    if (status == ASHLAR_OK && job->wish->trace)
        status = ashlar_plan_trace_begin(job->plan, 0, err);
    if (status == ASHLAR_OK)
        status = compute(job, err);
    if (status == ASHLAR_OK && job->wish->device)
        status = find_devices(job, err);
    if (status != ASHLAR_OK || refuted(job))
        return status;
    const double written = MPI_Wtime();
    status = ashlar_file_publish(job->out, err);
    job->took.reading = job->measured.read_seconds;
    job->took.writing = job->measured.write_seconds + MPI_Wtime() - written;
    if (status == ASHLAR_OK && job->wish->trace)
        status = ashi_plan_trace_publish(job->plan, &job->trace, err);
    if (status != ASHLAR_OK)
        return status;
    return ashi_agree(job->context, job->context->rank == 0 ? ashi_multiply_report(job, err) : ASHLAR_OK, err);
}

static void free_job(ashi_multiply_job *job)
{
    ashlar_plan_free(&job->plan);
    for (int x = 0; x < 3; x++)
        ashlar_file_close(&job->in[x]);
    ashlar_file_close(&job->out);
    if (job->stats_begun)
        ashi_output_discard(&job->stats);
    if (job->trace_begun)
        ashi_output_discard(&job->trace);
    ashi_device_report_free(&job->device);
    ashlar_context_free(&job->context);
}

/* ---- the command ---- */

int ashi_multiply_complain_of_check(const char *command, const ashlar_verdict *check)
{
    if (isfinite(check->worst))
        fprintf(stderr, "ashlar %s: the check failed: row %lld of C is %.3g times further from the product than "
                        "rounding explains; nothing was written\n", command, (long long)check->row, check->worst);
    else
        fprintf(stderr, "ashlar %s: the check failed: row %lld of C, or what it is made of, has elements that "
                        "are no finite numbers; nothing was written\n", command, (long long)check->row);
    return ASHI_EXIT_NO;
}

/* Products of dense matrices, or of some that are of tiles. */
static ashlar_status run_either(ashi_multiply_job *job, ashlar_error *err)
{
    const ashi_multiply_wishes *w = job->wish;
    bool tiled[3];
    ashlar_status status = ashi_multiply_find_tiles(job->context, w, tiled, err);
    if (status != ASHLAR_OK)
        return status;
    if (tiled[0] || tiled[1] || tiled[2])
        return ashi_multiply_tiles(job->context, w, tiled, job->loud, &job->checked, &job->verdict, err);
    if (w->retain || w->threshold > 0 || w->tolerance > 0 || w->deal)
        return ashi_fail(err, ASHLAR_ERR_ARG, "%s is for matrices of tiles, and none of the inputs is one",
                         w->retain          ? "--retain"
                         : w->deal          ? "--deal"
                         : w->tolerance > 0 ? "--tolerance"
                                            : "--threshold");
    return run(job, err);
}

/* All but the command line: what is left of MPI is a context, or an error that says why there is none. */
static int multiply(ashi_multiply_wishes *wish, const char *machine)
{
    ashi_multiply_job job = {.wish = wish};
    ashlar_error err = {0};
    int code = ASHI_EXIT_DONE, rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    ashlar_status status = ashlar_context_create(MPI_COMM_WORLD, &job.context, &err);
    if (status == ASHLAR_OK) {
        job.loud = rank == 0 && !wish->quiet;
        wish->machine = machine ? machine : "default";
        wish->plan.machine = &wish->figures;
        status = check_files(job.context, wish, machine, &err);
    }
    if (status == ASHLAR_OK)
        status = ashi_multiply_read_machine(job.context, machine, &wish->figures, &err);
    if (status == ASHLAR_OK)
        status = run_either(&job, &err);
    if (rank == 0 && status != ASHLAR_OK)
        code = ashi_complain("multiply", &err);
    else if (rank == 0 && refuted(&job))
        code = ashi_multiply_complain_of_check("multiply", &job.verdict);
    free_job(&job);
    MPI_Bcast(&code, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return code;
}

int ashi_command_multiply(int argc, char **argv)
{
    ashi_multiply_wishes wish = {.plan = ashlar_options_default(), .figures = ashlar_machine_default(),
                                 .alpha = {"--alpha", NULL, {1, 0}}, .beta = {"--beta", NULL, {0, 0}}};
    ashi_multiply_raw r = {.window = wish.plan.window, .route = (int)wish.plan.route};
    int level = 0, rank = 0;
    if (MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &level) != MPI_SUCCESS) {
        fputs("ashlar multiply: MPI cannot be started\n", stderr);
        return ASHI_EXIT_TROUBLE;
    }
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int code = parse(argc, argv, rank == 0, &wish, &r);
    if (code < 0)
        code = multiply(&wish, r.machine);
    MPI_Finalize();
    return code;
}
