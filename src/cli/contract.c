/* ashlar contract: the command line, and the stages of a run in their order. */
#include "cli/contract.h"

#include "base/error.h"
#include "base/type.h"
#include "cli/command.h"
#include "cli/progress.h"
#include "contract/filed.h"
#include "kernel/kernels.h"
#include "plan/context.h"
#include "plan/trace.h"

#include <stdio.h>
#include <string.h>

#define COUNT(x) ((int)(sizeof(x) / sizeof((x)[0])))

static const char name[] = "contract";

/* ---- the command line ---- */

/* Options of `ashlar multiply`, with another line of help if there is one. */
static const struct {
    const char *option, *help;
} taken[] = {
    {"output", "where the result goes: .npy or .h5:/DATASET"},
    {"alpha", "the factor of the contraction, complex as RE,IM (default 1)"},
    {"beta", "the factor of the tensor of --add, complex as RE,IM (default 1)"},
    {"add", "add beta times this tensor, which has the indices of the result"},
    {"check", "check the products with random vectors; a wrong one is not written"},
    {"memory", "the most that a rank may hold of tensors and workspace"},
    {"device", "contract on devices: none (default), auto if that is predicted to be faster, or KIND[:N] always"},
    {"device-memory", NULL},
    {"local-disks", "each rank has a disk of its own with the operands: it reads for itself what is streamed"},
    {"resume", "go on with what a killed run left of the result, and leave what this one finishes"},
    {"checkpoint", NULL},
    {"objective", NULL},
    {"idle", NULL},
    {"node-ranks", NULL},
    {"method", NULL},
    {"transport", NULL},
    {"threads", NULL},
    {"machine", NULL},
    {"stats", NULL},
    {"trace", NULL},
    {"json", NULL},
    {"quiet", NULL},
};

enum { OPTIONS = COUNT(taken) + 1 };

static ashi_usage usage_of(ashi_multiply_wishes *w, ashi_multiply_raw *r, const char **scratch,
                           ashi_option options[OPTIONS])
{
    ashi_option all[ASHI_MULTIPLY_OPTIONS];
    ashi_multiply_options(w, r, all);
    for (int i = 0; i < COUNT(taken); i++)
        for (int j = 0; j < ASHI_MULTIPLY_OPTIONS; j++)
            if (strcmp(taken[i].option, all[j].name) == 0) {
                options[i] = all[j];
                options[i].help = taken[i].help ? taken[i].help : all[j].help;
            }
    options[COUNT(taken)] = (ashi_option){
        "scratch", 0, ASHI_FILE, "DIR", NULL,
        "the folder for what is between the products of three and more operands (default that of the result)", scratch,
        NULL};
    return (ashi_usage){
        .command = name, .synopsis = "EXPRESSION A [B...] -o C [OPTION...]",
        .summary = "Contract tensors in files over all ranks: C = alpha A B... + beta C0, summed over what C lacks.",
        .example = "mpirun -n 4 ashlar contract \"abmn,cdmn->abcd\" A.h5:/A B.h5:/B -o C.h5:/C --memory 64MiB",
        .options = options, .option_count = OPTIONS, .least = 2,
        .most = 1 + ASHI_OPERANDS_MOST, .files = true,
    };
}

void ashi_describe_contract(ashi_usage_use use, void *context)
{
    ashi_multiply_wishes wish = {.plan = ashlar_options_default()};
    ashi_multiply_raw r = {.window = 0};
    const char *scratch = NULL;
    ashi_option options[OPTIONS];
    const ashi_usage usage = usage_of(&wish, &r, &scratch, options);
    use(&usage, context);
}

static int wrong_expression(const ashi_contract_job *job, const ashlar_error *err, bool speak)
{
    return speak ? ashi_complain_at(name, err, job->text, strlen(job->text), job->column) : ASHI_EXIT_USAGE;
}

/* -1, or the exit status. */
static int parse(int argc, char **argv, bool speak, ashi_multiply_wishes *w, ashi_multiply_raw *r,
                 ashi_contract_job *job)
{
    ashi_option options[OPTIONS];
    const ashi_usage usage = usage_of(w, r, &job->scratch, options);
    ashlar_error err;
    int count = 0;
    const int done = ashi_options_parse(&usage, argc, argv, speak, &count);
    if (done >= 0)
        return done;
    job->text = argv[1];
    for (int i = 0; i < count - 1; i++)
        job->operand[i] = argv[2 + i];
    ashlar_status status = ashi_expression_read(job->text, &job->expression, &job->column, &err);
    if (status == ASHLAR_OK && job->expression.operands != count - 1) {
        job->column = 0;
        status = ashi_fail(&err, ASHLAR_ERR_ARG, "%d file%s for an expression of %d operand%s", count - 1,
                           count == 2 ? "" : "s", job->expression.operands, job->expression.operands == 1 ? "" : "s");
    }
    return status == ASHLAR_OK ? ashi_multiply_settle(name, r, w, speak) : wrong_expression(job, &err, speak);
}

/* ---- the stages ---- */

static ashlar_status make_plan(ashi_contract_job *job, ashlar_error *err)
{
    const bool adds = !ashi_kernels_of(job->type)->is_zero(job->beta);
    const ashlar_tensor output = {.file = job->out};
    ashlar_tensor operand[ASHI_OPERANDS_MOST] = {{0}};
    for (int x = 0; x < job->expression.operands; x++)
        operand[x].file = job->in[x];
    const ashlar_contraction what = {.type = job->type, .expression = job->text, .operands = job->expression.operands,
                                     .operand = operand, .output = &output, .output0 = adds ? job->added : NULL};
    ashlar_options options = job->wish->plan;
    options.memory_words = job->wish->memory_bytes / (int64_t)ashlar_type_bytes(job->type);
    const double start = MPI_Wtime();
    options.scratch = job->scratch;
    ashlar_status status = ashlar_contraction_plan_create(job->context, &what, &options, &job->plan, err);
    job->took.planning = MPI_Wtime() - start;
    if (status == ASHLAR_OK)
        status = ashlar_contraction_explain(job->plan, &job->why, err);
    return status == ASHLAR_OK ? ashlar_contraction_predicted(job->plan, &job->predicted, err) : status;
}

static ashlar_status execute(ashi_contract_job *job, ashlar_error *err)
{
    const void *const nothing[ASHI_OPERANDS_MOST] = {NULL};
    const ashlar_context *const c = job->context;
    ashlar_status status = job->wish->trace ? ashi_trace_create(c->comm, c->rank, c->ranks, ASHI_TRACE_USUAL,
                                                                &job->events, err)
                                            : ASHLAR_OK;
    status = ashi_agree_named(c, status, err);
    if (status != ASHLAR_OK)
        return status;
    ashi_contract_filed_trace(job->plan, job->events);
    ashi_progress progress = ashi_progress_start("contracting", 1, job->loud);
    ashlar_contraction_on_progress(job->plan, ashi_multiply_tell, &progress);
    ashi_contract_filed_check(job->plan, job->wish->check ? &job->verdict : NULL);
    status = ashlar_contraction_execute(job->plan, job->alpha, nothing, job->beta, NULL, err);
    ashlar_contraction_on_progress(job->plan, NULL, NULL);
    ashi_progress_end(&progress);
    return status == ASHLAR_OK ? ashlar_contraction_measured(job->plan, &job->measured, err) : status;
}

static bool refuted(const ashi_contract_job *job)
{
    return job->wish->check && !job->verdict.passed;
}

static ashlar_status publish(ashi_contract_job *job, ashlar_error *err)
{
    const double written = MPI_Wtime();
    ashlar_status status = ashlar_tensor_publish(job->out, err);
    job->took.reading = job->measured.read_seconds;
    job->took.writing = job->measured.write_seconds + MPI_Wtime() - written;
    if (status == ASHLAR_OK && job->wish->trace)
        status = ashi_trace_publish(job->context, job->events, &job->trace, err);
    if (status != ASHLAR_OK)
        return status;
    return ashi_agree(job->context, job->context->rank == 0 ? ashi_contract_print_run(job, err) : ASHLAR_OK, err);
}

static ashlar_status find_devices(ashi_contract_job *job, ashlar_error *err)
{
    job->device.wanted = job->wish->device;
    const ashlar_status status = ashlar_contraction_device(job->plan, &job->device.figures, err);
    return status == ASHLAR_OK ? ashi_device_report_gather(job->context, &job->device, err) : status;
}

static ashlar_status run(ashi_contract_job *job, ashlar_error *err)
{
    ashlar_status status = ashi_threads_set(job->context, job->wish->threads, &job->threads, err);
    if (status == ASHLAR_OK && job->wish->device)
        status = ashlar_context_set_device(job->context, job->wish->device, job->wish->device_bytes, err);
    if (status == ASHLAR_OK)
        status = ashi_contract_open_inputs(job, err);
    if (status == ASHLAR_OK)
        status = ashi_contract_begin_outputs(job, err);
    if (status == ASHLAR_OK)
        status = make_plan(job, err);
    if (status == ASHLAR_OK)
        status = execute(job, err);
    if (status == ASHLAR_OK && job->wish->device)
        status = find_devices(job, err);
    return status == ASHLAR_OK && !refuted(job) ? publish(job, err) : status;
}

static void free_job(ashi_contract_job *job)
{
    ashlar_contraction_plan_free(&job->plan);
    ashi_trace_free(&job->events);
    ashi_device_report_free(&job->device);
    ashi_contract_close_files(job);
    ashlar_context_free(&job->context);
}

/* ---- the command ---- */

/* All but the command line. */
static int contract(ashi_contract_job *job, ashi_multiply_wishes *wish, const char *machine)
{
    ashlar_error err = {0};
    int code = ASHI_EXIT_DONE, rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    job->column = 0;
    ashlar_status status = ashlar_context_create(MPI_COMM_WORLD, &job->context, &err);
    if (status == ASHLAR_OK) {
        job->loud = rank == 0 && !wish->quiet;
        wish->machine = machine ? machine : "default";
        wish->plan.machine = &wish->figures;
        job->context->checks_products = wish->check;
        status = ashi_contract_check_files(job, machine, &err);
    }
    if (status == ASHLAR_OK)
        status = ashi_multiply_read_machine(job->context, machine, &wish->figures, &err);
    if (status == ASHLAR_OK)
        status = run(job, &err);
    if (rank == 0 && status != ASHLAR_OK)
        code = ashi_complain_at(name, &err, job->text, strlen(job->text), job->column);
    else if (rank == 0 && refuted(job))
        code = ashi_multiply_complain_of_check(name, &job->verdict);
    free_job(job);
    MPI_Bcast(&code, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return code;
}

int ashi_command_contract(int argc, char **argv)
{
    ashi_multiply_wishes wish = {.plan = ashlar_options_default(), .figures = ashlar_machine_default(),
                                 .alpha = {"--alpha", NULL, {1, 0}}, .beta = {"--beta", NULL, {0, 0}}};
    ashi_multiply_raw r = {.window = wish.plan.window, .route = (int)wish.plan.route};
    ashi_contract_job job = {.wish = &wish};
    int level = 0, rank = 0;
    if (MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &level) != MPI_SUCCESS) {
        fputs("ashlar contract: MPI cannot be started\n", stderr);
        return ASHI_EXIT_TROUBLE;
    }
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int code = parse(argc, argv, rank == 0, &wish, &r, &job);
    if (code < 0)
        code = contract(&job, &wish, r.machine);
    MPI_Finalize();
    return code;
}
