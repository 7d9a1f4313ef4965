/* ashlar calibrate: measure the machine's figures, show them, and keep them in a file. */
#include "cli/command.h"
#include "cli/figures.h"
#include "cli/machine.h"
#include "cli/measure.h"
#include "cli/measure_device.h"
#include "cli/progress.h"
#include "cli/threads.h"
#include "exec/gpu_aware.h"
#include "exec/mpi.h"
#include "plan/device.h"
#include "store/output.h"

#include <stdio.h>
#include <string.h>

#define COUNT(x) ((int)(sizeof(x) / sizeof((x)[0])))

typedef struct wishes {
    const char *output, *disk, *device;
    double seconds;
    int64_t threads, device_bytes;
    bool quiet, device_memory_given;
} wishes;

/* What is measured, in the order of the table. */
static const struct {
    const char *name, *alone; /* `alone`: what it is on one rank, where that differs */
    const char *unit;         /* NULL: seconds; %: a part of a whole */
    ashi_measure_one *run;
    size_t figure;
} steps[] = {
    {"product of doubles", NULL, "Flop/s", ashi_measure_flops, offsetof(ashlar_machine, flops_per_second)},
    {"product, 2048 x 2048 x 8", NULL, NULL, ashi_measure_thin, offsetof(ashlar_machine, product_bandwidth)},
    {"latency", "latency (to itself)", NULL, ashi_measure_latency, offsetof(ashlar_machine, latency)},
    {"bandwidth", "bandwidth (of a copy)", "B/s", ashi_measure_bandwidth, offsetof(ashlar_machine, bandwidth)},
    {"copy in memory", NULL, "B/s", ashi_measure_copy, offsetof(ashlar_machine, copy_bandwidth)},
    {"disk, both at once", NULL, "B/s", ashi_measure_disk, offsetof(ashlar_machine, disk_bandwidth)},
    {"disk, reading", NULL, "B/s", ashi_measure_reading, offsetof(ashlar_machine, disk_read_bandwidth)},
    {"disk, writing", NULL, "B/s", ashi_measure_writing, offsetof(ashlar_machine, disk_write_bandwidth)},
    {"task of a schedule", NULL, NULL, ashi_measure_task, offsetof(ashlar_machine, task_seconds)},
    {"messages, rate lost", NULL, "%", ashi_measure_message_work, offsetof(ashlar_machine, message_work)},
};

static ashi_figure figure_of(int step, double value)
{
    ashi_figure part;
    snprintf(part.text, sizeof part.text, "%.0f %%", 100 * value);
    if (!steps[step].unit)
        return ashi_figure_seconds(value);
    return steps[step].unit[0] == '%' ? part : ashi_figure_of(value, steps[step].unit);
}

static void print_row(const char *name, ashi_figure median, ashi_figure low, ashi_figure high, int runs)
{
    printf("  %-24s %14s %14s %14s %6d\n", name, median.text, low.text, high.text, runs);
}

static void print_device(const ashlar_context *context, const ashi_device_measurement *m)
{
    const ashi_context_device *d = context->device;
    const struct {
        char name[40];
        const ashi_measurement *found;
        const char *unit;
    } rows[ASHI_DEVICE_FIGURES] = {{"device, copies in", &m->in, "B/s"},
                                   {"device, copies out", &m->out, "B/s"},
                                   {"device, a small copy", &m->delay, NULL},
                                   {"device, product, s", &m->product[ASHLAR_TYPE_S], "Flop/s"},
                                   {"device, product, d", &m->product[ASHLAR_TYPE_D], "Flop/s"},
                                   {"device, product, c", &m->product[ASHLAR_TYPE_C], "Flop/s"},
                                   {"device, product, z", &m->product[ASHLAR_TYPE_Z], "Flop/s"}};
    for (int i = 0; i < ASHI_DEVICE_FIGURES; i++) {
        const ashi_measurement *f = rows[i].found;
        const char *unit = rows[i].unit;
        print_row(rows[i].name, unit ? ashi_figure_of(f->value, unit) : ashi_figure_seconds(f->value),
                  unit ? ashi_figure_of(f->low, unit) : ashi_figure_seconds(f->low),
                  unit ? ashi_figure_of(f->high, unit) : ashi_figure_seconds(f->high), f->repetitions);
    }
    printf("device    %s on rank 0: %s; products of side %lld\n", d->name, d->rule, (long long)m->side);
    printf("messages  %s\n", ashi_gpu_aware_text(ashi_mpi_gpu_aware()));
    if (d->warning[0])
        printf("warning   %s\n", d->warning);
}

/* The devices of all ranks. Collective. */
static ashlar_status measure_device(ashlar_context *context, const wishes *wish, double share, ashlar_machine *machine,
                                    ashi_device_measurement *out, ashlar_error *err)
{
    if (!wish->device)
        return ASHLAR_OK;
    const ashlar_status status = ashi_measure_device(context, share, out, err);
    machine->device_in_bandwidth = out->in.value;
    machine->device_out_bandwidth = out->out.value;
    machine->device_delay = out->delay.value;
    machine->device_memory = (double)out->memory;
    for (int type = 0; type < ASHI_DEVICE_TYPES; type++)
        machine->device_flops[type] = out->product[type].value;
    return status;
}

static void print(const ashlar_context *context, const ashi_threads *threads, const ashi_measurement *found,
                  const ashi_measurement *forms)
{
    printf("%d rank%s, all busy; figures are of one rank, medians of the slowest\n", context->ranks,
           context->ranks == 1 ? "" : "s");
    printf("  %-24s %14s %14s %14s %6s\n", "", "median", "least", "most", "runs");
    for (int i = 0; i < COUNT(steps); i++)
        print_row(context->ranks == 1 && steps[i].alone ? steps[i].alone : steps[i].name,
                  figure_of(i, found[i].value), figure_of(i, found[i].low), figure_of(i, found[i].high),
                  found[i].repetitions);
    for (int f = 0; f < ASHI_FORMS; f++) {
        char name[32];
        snprintf(name, sizeof name, "form %s, long k", ashi_form_name(f));
        print_row(name, ashi_figure_of(forms[f].value, "Flop/s"), ashi_figure_of(forms[f].low, "Flop/s"),
                  ashi_figure_of(forms[f].high, "Flop/s"), forms[f].repetitions);
    }
    if (context->ranks == 1)
        puts("note      one rank has no network to measure: start as many as will multiply");
    if (threads->threads > 0)
        printf("threads   %d of the BLAS a rank, %d cores on the node\n", threads->threads, threads->cores);
    if (threads->note[0])
        printf("note      %s\n", threads->note);
}

/* Whether the output can be written is asked before minutes of measuring, not after. */
static ashlar_status try_output(const ashlar_context *context, const char *path, ashlar_error *err)
{
    ashlar_status status = ASHLAR_OK;
    if (context->rank == 0) {
        ashi_output trial;
        status = ashi_output_create(path, &trial, err);
        if (status == ASHLAR_OK)
            ashi_output_discard(&trial);
    }
    return ashi_agree(context, status, err);
}

static ashlar_status measure(ashlar_context *context, const wishes *wish, ashlar_error *err)
{
    const double share = wish->seconds / (COUNT(steps) + 1 + (wish->device ? ASHI_DEVICE_FIGURES : 0));
    ashi_measurement found[COUNT(steps)] = {{0}}, forms[ASHI_FORMS] = {{0}};
    ashlar_machine machine = {.size = sizeof machine};
    ashi_device_measurement device = {.side = 0};
    ashi_threads threads;
    ashlar_status status = try_output(context, wish->output, err);
    if (status == ASHLAR_OK)
        status = ashi_threads_set(context, wish->threads, &threads, err);
    if (status == ASHLAR_OK && wish->device)
        status = ashlar_context_set_device(context, wish->device, wish->device_bytes, err);
    if (status == ASHLAR_OK && wish->device)
        status = ashi_measure_device_check(context, err);
    ashi_progress progress = ashi_progress_start("measuring", COUNT(steps) + 1, context->rank == 0 && !wish->quiet);
    for (int i = 0; i < COUNT(steps) && status == ASHLAR_OK; i++) {
        status = steps[i].run(context, share, wish->disk, &found[i], err);
        *(double *)(void *)((char *)&machine + steps[i].figure) = found[i].value;
        ashi_progress_add(&progress, 1);
    }
    if (status == ASHLAR_OK)
        status = ashi_measure_forms(context, share, forms, err);
    if (status == ASHLAR_OK)
        status = measure_device(context, wish, share, &machine, &device, err);
    for (int f = 0; f < ASHI_FORMS; f++)
        machine.forms[f] = forms[f].value;
    machine.product_bandwidth = ashi_thin_bandwidth(machine.product_bandwidth, machine.flops_per_second);
    ashi_progress_end(&progress);
    if (status == ASHLAR_OK && context->rank == 0) {
        status = ashi_machine_write(wish->output, &machine, err);
        if (status == ASHLAR_OK)
            print(context, &threads, found, forms);
        if (status == ASHLAR_OK && wish->device)
            print_device(context, &device);
    }
    return ashi_agree(context, status, err);
}

enum { OPTIONS = 7 };

static ashi_usage usage_of(wishes *wish, ashi_option options[OPTIONS])
{
    const ashi_option rows[] = {
        {"output", 'o', ASHI_FILE, "FILE", NULL, "where the figures go, as JSON", &wish->output, NULL},
        {"seconds", 0, ASHI_NUMBER, "S", "0.01 to 3600", "about how long to measure (default 5)", &wish->seconds, NULL},
        {"disk", 0, ASHI_FOLDER, "FOLDER", NULL, "where to write and read a temporary file (default .)", &wish->disk,
         NULL},
        {"threads", 0, ASHI_COUNT, "N", "1 to 2147483647",
         "threads of the BLAS on each rank (default cores / ranks)", &wish->threads, NULL},
        {"device", 0, ASHI_TEXT, "DEVICE", NULL, "measure the device of each rank, too: KIND or KIND:N", &wish->device,
         NULL},
        {"device-memory", 0, ASHI_SIZE, "SIZE", NULL, "the most that a rank may hold of its device's memory",
         &wish->device_bytes, &wish->device_memory_given},
        {"quiet", 'q', ASHI_FLAG, NULL, NULL, "show no progress", &wish->quiet, NULL},
    };
    _Static_assert(COUNT(rows) == OPTIONS, "OPTIONS");
    memcpy(options, rows, sizeof rows);
    return (ashi_usage){
        .command = "calibrate", .synopsis = "-o FILE [OPTION...]",
        .summary = "Measure the machine's figures, from which plans predict seconds.",
        .example = "mpirun -n 4 ashlar calibrate -o machine.json",
        .options = options, .option_count = OPTIONS, .least = 0, .most = 0,
    };
}

void ashi_describe_calibrate(ashi_usage_use use, void *context)
{
    wishes wish = {0};
    ashi_option options[OPTIONS];
    const ashi_usage usage = usage_of(&wish, options);
    use(&usage, context);
}

/* -1, or the exit status after one line. */
static int parse(int argc, char **argv, bool speak, wishes *wish)
{
    ashi_option options[OPTIONS];
    const ashi_usage usage = usage_of(wish, options);
    int count = 0;
    const int done = ashi_options_parse(&usage, argc, argv, speak, &count);
    if (done >= 0)
        return done;
    const char *wrong = NULL;
    if (!wish->output)
        wrong = "no output named, wanted -o FILE";
    else if (wish->device_memory_given && !wish->device)
        wrong = "--device-memory wants --device";
    else if (wish->device_memory_given && wish->device_bytes == 0)
        wrong = "--device-memory is less than one word";
    if (wrong && speak)
        fprintf(stderr, "ashlar calibrate: %s\n", wrong);
    return wrong ? ASHI_EXIT_USAGE : -1;
}

static int calibrate(const wishes *wish, int rank)
{
    ashlar_context *context = NULL;
    ashlar_error err = {0};
    int code = ASHI_EXIT_DONE;
    ashlar_status status = ashlar_context_create(MPI_COMM_WORLD, &context, &err);
    if (status == ASHLAR_OK)
        status = measure(context, wish, &err);
    if (status != ASHLAR_OK && rank == 0)
        code = ashi_complain("calibrate", &err);
    ashlar_context_free(&context);
    MPI_Bcast(&code, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return code;
}

int ashi_command_calibrate(int argc, char **argv)
{
    wishes wish = {.disk = ".", .seconds = 5};
    int level = 0, rank = 0;
    if (MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &level) != MPI_SUCCESS) {
        fputs("ashlar calibrate: MPI cannot be started\n", stderr);
        return ASHI_EXIT_TROUBLE;
    }
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int code = parse(argc, argv, rank == 0, &wish);
    if (code < 0)
        code = calibrate(&wish, rank);
    MPI_Finalize();
    return code;
}
