/* `ashlar schedule`: print the operations of one rank. */
#include "base/error.h"
#include "cli/command.h"
#include "cli/problem_line.h"
#include "cli/progress.h"
#include "cli/report.h"
#include "cli/walkable.h"
#include "schedule/program.h"
#include "simulate/simulate.h"

#include <inttypes.h>
#include <stdio.h>

/* What the command line says beside the problem. */
typedef struct request {
    int64_t rank;
    bool rank_given, json, quiet;
} request;

static const char *const memory_names[] = {"caller", "pool", "file"};
static const char *const content_names[] = {"all", "share", "here", "away", "rest"};
static const char *const operand_names[] = {"A", "B", "C"};

static ashlar_status count(void *context, ashi_schedule *schedule, ashi_totals *out, ashlar_error *err)
{
    (void)context;
    return ashi_simulate(schedule, NULL, NULL, out, err);
}

/* ---- text ---- */

static ashlar_status print_panel(void *context, const ashi_panel *p, ashlar_error *err)
{
    (void)context;
    (void)err;
    printf("  panel %" PRId64 ": %s of %s [%" PRId64 ", %" PRId64 ") x [%" PRId64 ", %" PRId64 "), %" PRId64
           " words, %s", p->id, content_names[p->content], operand_names[p->operand], p->lo[0], p->hi[0], p->lo[1],
           p->hi[1], p->words, memory_names[p->memory]);
    if (p->content == ASHI_CONTENT_SHARE)
        printf(", owner %" PRId64, p->owner);
    if (p->chunk.chunks > 1)
        printf(", chunk %" PRId64 " of %" PRId64, p->chunk.number, p->chunk.chunks);
    if (p->within >= 0)
        printf(", within %" PRId64, p->within);
    printf("\n");
    return ASHLAR_OK;
}

static ashlar_status print_message(void *context, const ashi_op *op, const ashi_message *m, ashlar_error *err)
{
    (void)context;
    (void)op;
    (void)err;
    printf(", %" PRId64 " words %s %" PRId64, m->words, m->send ? "to" : "from", m->peer);
    return ASHLAR_OK;
}

/* The program and the rank that are printed. */
typedef struct printing {
    ashi_program *program;
    int64_t rank;
    json_t *panels, *operations; /* of the present step, as JSON */
    bool failed;                 /* a document could not be made */
} printing;

static ashlar_status print_operation(void *context, const ashi_operation *o, ashlar_error *err)
{
    const printing *p = context;
    printf("  %s", ashi_operation_name(o->kind));
    if (o->kind == ASHI_DO_MULTIPLY)
        printf(" [%" PRId64 ", %" PRId64 ") x [%" PRId64 ", %" PRId64 "), k [%" PRId64 ", %" PRId64 ")", o->lo[0],
               o->hi[0], o->lo[1], o->hi[1], o->lo[2], o->hi[2]);
    for (int i = 0; i < ASHI_READS_MAX; i++)
        if (o->read[i] >= 0)
            printf(", reads %" PRId64 "%s", o->read[i], o->last[i] ? " (last)" : "");
    if (o->makes >= 0)
        printf(", %s %" PRId64, o->kind >= ASHI_DO_MULTIPLY ? o->begins ? "begins" : "updates" : "makes", o->makes);
    const ashlar_status status = ashi_program_messages(p->program, p->rank, o, print_message, NULL, err);
    printf("\n");
    return status;
}

static ashlar_status print_text(printing *p, ashlar_error *err)
{
    const ashi_program_visitor visitor = {print_panel, print_operation, p};
    ashlar_status status = ASHLAR_OK;
    for (int64_t step = 0; step < p->program->steps && status == ASHLAR_OK; step++) {
        printf("step %" PRId64 "\n", step);
        status = p->program->emit(p->program, p->rank, step, &visitor, err);
    }
    return status;
}

/* ---- JSON ---- */

/* Add to an array; a NULL, as lack of memory gives, is remembered. */
static void append(printing *p, json_t *array, json_t *value)
{
    if (json_array_append_new(array, value) != 0)
        p->failed = true;
}

static json_t *number_or_null(int64_t value)
{
    return value >= 0 ? json_integer((json_int_t)value) : json_null();
}

static ashlar_status add_panel(void *context, const ashi_panel *panel, ashlar_error *err)
{
    printing *p = context;
    (void)err;
    json_t *lo = json_array(), *hi = json_array(), *order = json_array();
    for (int i = 0; i < panel->indices; i++) {
        append(p, lo, json_integer((json_int_t)panel->lo[i]));
        append(p, hi, json_integer((json_int_t)panel->hi[i]));
        append(p, order, json_integer(panel->order[i]));
    }
    append(p, p->panels,
           json_pack("{s:I, s:s, s:s, s:s, s:o, s:o, s:o, s:I, s:I, s:o, s:o, s:[I,I], s:o}", "id",
                     (json_int_t)panel->id, "operand", operand_names[panel->operand], "memory",
                     memory_names[panel->memory], "content", content_names[panel->content], "lo", lo, "hi", hi, "order",
                     order, "words", (json_int_t)panel->words, "copies", (json_int_t)panel->copies, "within",
                     number_or_null(panel->within), "owner", number_or_null(panel->owner), "chunk",
                     (json_int_t)panel->chunk.number, (json_int_t)panel->chunk.chunks, "part",
                     number_or_null(panel->part)));
    return ASHLAR_OK;
}

/* Where the messages of one operation go. */
typedef struct adding {
    printing *p;
    json_t *messages;
} adding;

static ashlar_status add_message(void *context, const ashi_op *op, const ashi_message *m, ashlar_error *err)
{
    const adding *a = context;
    (void)op;
    (void)err;
    append(a->p, a->messages, json_pack("{s:b, s:I, s:I}", "send", m->send, "peer", (json_int_t)m->peer, "words",
                                        (json_int_t)m->words));
    return ASHLAR_OK;
}

static ashlar_status add_operation(void *context, const ashi_operation *o, ashlar_error *err)
{
    printing *p = context;
    adding a = {p, json_array()};
    json_t *reads = json_array(), *product = json_null();
    for (int i = 0; i < ASHI_READS_MAX; i++)
        if (o->read[i] >= 0)
            append(p, reads, json_pack("{s:I, s:b}", "panel", (json_int_t)o->read[i], "last", o->last[i]));
    if (o->kind == ASHI_DO_MULTIPLY)
        product = json_pack("{s:[I,I], s:[I,I], s:[I,I]}", "m", (json_int_t)o->lo[0], (json_int_t)o->hi[0], "n",
                            (json_int_t)o->lo[1], (json_int_t)o->hi[1], "k", (json_int_t)o->lo[2],
                            (json_int_t)o->hi[2]);
    const ashlar_status status = ashi_program_messages(p->program, p->rank, o, add_message, &a, err);
    append(p, p->operations, json_pack("{s:s, s:I, s:o, s:o, s:b, s:o, s:o}", "kind", ashi_operation_name(o->kind),
                                       "step", (json_int_t)o->step, "reads", reads, "makes", number_or_null(o->makes),
                                       "begins", o->begins, "product", product, "messages", a.messages));
    return status;
}

/* One step at a time, so that a long program needs no more memory than a short one. */
static ashlar_status print_step(printing *p, int64_t step, ashlar_error *err)
{
    const ashi_program_visitor visitor = {add_panel, add_operation, p};
    p->panels = json_array();
    p->operations = json_array();
    const ashlar_status status = p->program->emit(p->program, p->rank, step, &visitor, err);
    json_t *document = json_pack("{s:I, s:o, s:o}", "step", (json_int_t)step, "panels", p->panels, "operations",
                                 p->operations);
    const bool printed = document && !p->failed && printf("%s", step > 0 ? ",\n" : "") >= 0 &&
                         json_dumpf(document, stdout, 0) == 0;
    json_decref(document);
    return status == ASHLAR_OK && !printed ? ashi_fail(err, ASHLAR_ERR_IO, "the document could not be written")
                                           : status;
}

static ashlar_status print_json(printing *p, const ashi_problem *q, const char *strategy, ashlar_error *err)
{
    json_t *problem = ashi_problem_json(q);
    ashlar_status status = ASHLAR_OK;
    printf("{\"schema\": 1, \"strategy\": \"%s\", \"rank\": %" PRId64 ", \"problem\": ", strategy, p->rank);
    if (!problem || json_dumpf(problem, stdout, 0) != 0)
        status = ashi_fail(err, ASHLAR_ERR_IO, "the document could not be written");
    json_decref(problem);
    printf(", \"steps\": [\n");
    for (int64_t step = 0; step < p->program->steps && status == ASHLAR_OK; step++)
        status = print_step(p, step, err);
    printf("]}\n");
    return status;
}

/* ---- the command ---- */

static ashlar_status print_rank(const ashi_problem *q, ashi_choice *choice, const request *r, ashlar_error *err)
{
    ashi_program program = {0};
    ashlar_status status = ashi_program_of(&choice->schedule, &program, err);
    printing p = {.program = &program, .rank = r->rank};
    if (status == ASHLAR_OK && !r->json) {
        ashi_problem_print(q);
        printf("schedule %s, rank %" PRId64 "\n\n", choice->schedule.strategy, r->rank);
    }
    if (status == ASHLAR_OK)
        status = r->json ? print_json(&p, q, choice->schedule.strategy, err) : print_text(&p, err);
    ashi_program_free(&program);
    return status == ASHLAR_OK && fflush(stdout) != 0 ? ashi_fail(err, ASHLAR_ERR_IO, "standard output: cannot write")
                                                      : status;
}

static int choose_and_print(const ashi_problem *q, const char *only, const request *r)
{
    ashi_choice choice = {0};
    ashlar_error err;
    ashlar_status status = ASHLAR_OK;
    if (!r->rank_given || r->rank >= q->ranks)
        status = ashi_fail(&err, ASHLAR_ERR_ARG, r->rank_given ? "--rank must be below the number of ranks"
                                                               : "--rank=R is wanted");
    if (status == ASHLAR_OK)
        status = ashi_walkable(q, &(ashi_walk){"schedule", only, false, true, ASHI_PROVED_MOST}, &err);
    ashi_progress_clock_start("choosing", !r->quiet);
    if (status == ASHLAR_OK)
        status = ashi_choose(q, only, count, NULL, &choice, &err);
    ashi_progress_clock_end();
    if (status == ASHLAR_OK)
        status = print_rank(q, &choice, r, &err);
    ashi_choice_free(&choice);
    return status == ASHLAR_OK ? ASHI_EXIT_DONE : ashi_complain("schedule", &err);
}

enum { OPTIONS = ASHI_PROBLEM_OPTIONS + 3 };

static ashi_usage usage_of(ashi_problem_line *line, request *r, ashi_option options[OPTIONS])
{
    ashi_problem_line_options(line, options);
    options[OPTIONS - 3] = (ashi_option){"rank", 0, ASHI_COUNT, "R", NULL, "whose operations are printed", &r->rank,
                                         &r->rank_given};
    options[OPTIONS - 2] = (ashi_option){"json", 0, ASHI_FLAG, NULL, NULL, "print one JSON document and nothing else",
                                         &r->json, NULL};
    options[OPTIONS - 1] = (ashi_option){"quiet", 'q', ASHI_FLAG, NULL, NULL, "show no progress", &r->quiet, NULL};
    return (ashi_usage){.command = "schedule", .synopsis = "M N K --ranks=P --rank=R [OPTION...]",
                        .summary = "Print the operations of one rank of the schedule that is chosen.",
                        .example = "ashlar schedule 100 90 80 --ranks=4 --rank=0", .options = options,
                        .option_count = OPTIONS, .least = 3, .most = 3};
}

void ashi_describe_schedule(ashi_usage_use use, void *context)
{
    ashi_problem_line line = ashi_problem_line_default();
    request r = {0};
    ashi_option options[OPTIONS];
    const ashi_usage usage = usage_of(&line, &r, options);
    use(&usage, context);
}

int ashi_command_schedule(int argc, char **argv)
{
    ashi_problem_line line = ashi_problem_line_default();
    request r = {0};
    ashi_option options[OPTIONS];
    const ashi_usage usage = usage_of(&line, &r, options);
    ashi_problem problem;
    int words = 0;
    int status = ashi_options_parse(&usage, argc, argv, true, &words);
    if (status < 0)
        status = ashi_problem_line_read("schedule", &line, argv + 1, 1, &problem);
    if (status < 0)
        status = choose_and_print(&problem, line.strategy, &r);
    ashi_problem_line_free(&line);
    return status;
}
