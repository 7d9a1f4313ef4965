/* `ashlar check-schedule`: prove that the schedule chosen for a problem computes the product. */
#include "base/error.h"
#include "check/ready.h"
#include "cli/command.h"
#include "cli/figures.h"
#include "cli/problem_line.h"
#include "cli/progress.h"
#include "cli/report.h"
#include "cli/walkable.h"

#include <inttypes.h>
#include <stdio.h>

enum { MESSAGES_MOST = 5000000, /* some GiB */
       TAGS = 32768 };          /* of any MPI */

/* What the command line says beside the problem. */
typedef struct wishes {
    bool json, quiet;
} wishes;

static void one_rank(void *context, int64_t done, int64_t of)
{
    (void)done;
    (void)of;
    ashi_progress_add(context, 1);
}

static ashlar_status walk_all(void *context, ashi_schedule *schedule, ashi_totals *out, ashlar_error *err)
{
    const wishes *wish = context;
    ashi_progress progress = ashi_progress_start("walking the ranks' schedules", schedule->ranks, !wish->quiet);
    const ashlar_status status = ashi_simulate(schedule, one_rank, &progress, out, err);
    ashi_progress_end(&progress);
    return status;
}

/* Each message is kept, with what it carries, until its other end is met: the memory that this takes is the limit. */
static ashlar_status check_messages(const ashi_totals *t, ashlar_error *err)
{
    if (t->messages_total <= MESSAGES_MOST)
        return ASHLAR_OK;
    return ashi_fail(err, ASHLAR_ERR_UNSUPPORTED,
                     "%" PRId64 " messages would have to be followed, which is done for at most %d: take fewer ranks, "
                     "or rounds", t->messages_total, (int)MESSAGES_MOST);
}

/* That the operations compute the product. */
static ashlar_status check_operations(ashi_program *program, const wishes *wish, ashi_check_report *report,
                                      ashlar_error *err)
{
    ashi_progress progress = ashi_progress_start("following the ranks' operations", program->ranks, !wish->quiet);
    const ashlar_status status =
        ashi_check_program_telling(program, &(ashi_check_progress){one_rank, &progress}, report, err);
    ashi_progress_end(&progress);
    return status;
}

/* That the tasks which they become can be run as data arrive, and are no other messages. */
static ashlar_status check_tasks(ashi_program *program, const wishes *wish, const ashi_check_report *operations,
                                 ashlar_error *err)
{
    ashi_progress progress = ashi_progress_start("following the ranks' tasks", program->ranks, !wish->quiet);
    ashi_check_report report;
    ashi_ready_request request = {.program = program, .look_ahead = program->look_ahead, .tags = TAGS,
                                  .walk = ashi_ready_walk, .progress = {one_rank, &progress}};
    request.context = &request;
    const ashlar_status status = ashi_check_ready(&request, &report, err);
    ashi_progress_end(&progress);
    if (status == ASHLAR_OK && (report.messages != operations->messages || report.words != operations->words))
        return ashi_fail(err, ASHLAR_ERR_INTERNAL,
                         "the tasks have %" PRId64 " messages of %" PRId64 " words, but the operations %" PRId64
                         " of %" PRId64, report.messages, report.words, operations->messages, operations->words);
    return status;
}

static ashlar_status check_program(ashi_schedule *schedule, const wishes *wish, ashi_check_report *report,
                                   ashlar_error *err)
{
    ashi_program program;
    ashlar_status status = ashi_program_of(schedule, &program, err);
    if (status == ASHLAR_OK)
        status = check_operations(&program, wish, report, err);
    if (status == ASHLAR_OK)
        status = check_tasks(&program, wish, report, err);
    ashi_program_free(&program);
    return status;
}

/* Beside the checkers' own proofs: what was counted is what was checked, and the limit is kept. */
static ashlar_status check(const ashi_problem *q, ashi_choice *choice, const wishes *wish, ashi_check_report *report,
                           ashlar_error *err)
{
    const ashi_totals *t = &choice->totals;
    ashlar_status status = check_messages(t, err);
    if (status == ASHLAR_OK)
        status = check_program(&choice->schedule, wish, report, err);
    if (status != ASHLAR_OK)
        return status;
    if (report->words != t->words_total)
        return ashi_fail(err, ASHLAR_ERR_INTERNAL, "%" PRId64 " words arrive, but the simulator counts %" PRId64,
                         report->words, t->words_total);
    if (q->memory_words > 0 && t->memory_max > q->memory_words)
        return ashi_fail(err, ASHLAR_ERR_INTERNAL, "a rank holds %" PRId64 " words, but the limit is %" PRId64,
                         t->memory_max, q->memory_words);
    return ASHLAR_OK;
}

static json_t *proof_json(const ashi_problem *q, const ashi_choice *c, const ashi_check_report *report)
{
    const ashi_schedule *s = &c->schedule;
    return json_pack("{s:i, s:o, s:s, s:o, s:I, s:{s:I, s:I, s:I, s:I}}", "schema", 1, "problem",
                     ashi_problem_json(q), "chosen", s->strategy, "grid", ashi_grid_json(s->grid), "rounds",
                     (json_int_t)s->rounds, "proved", "products", (json_int_t)report->products, "messages",
                     (json_int_t)report->messages, "words_total", (json_int_t)report->words, "memory_words",
                     (json_int_t)c->totals.memory_max);
}

static int tell(const ashi_problem *q, const ashi_choice *c, const ashi_check_report *report, bool json)
{
    const ashi_schedule *s = &c->schedule;
    if (json)
        return ashi_json_print("check-schedule", proof_json(q, c, report));
    ashi_problem_print(q);
    printf("schedule %s, grid %s: %" PRId64 " ranks used, rounds %" PRId64 ", window %d\n", s->strategy,
           ashi_figure_grid(s->grid).text, s->ranks_used, s->rounds, s->window);
    printf("\nproved\n  products %16" PRId64 "  each formed exactly once, from operands that were there\n"
           "  messages %16" PRId64 "  each sent once and received once\n"
           "  words    %16" PRId64 "  arrive from other ranks, as many as the simulator counts\n"
           "  memory   %16" PRId64 "  words at most on a rank%s\n"
           "every sum of C comes to its owner exactly once, and the ranks' tasks can run as data arrive: none of two\n"
           "that may run together writes what the other uses, and no ranks wait for each other.\n",
           report->products, report->messages, report->words, c->totals.memory_max,
           q->memory_words > 0 ? ", within the limit" : "");
    return ASHI_EXIT_DONE;
}

static int prove(const ashi_problem *q, const char *only, const wishes *wish)
{
    ashi_choice choice = {0};
    ashi_check_report report;
    ashlar_error err;
    wishes asked = *wish;
    ashlar_status status = ashi_walkable(q, &(ashi_walk){"check-schedule", only, false, true, ASHI_PROVED_MOST}, &err);
    ashi_progress_clock_start("proving", !wish->quiet);
    if (status == ASHLAR_OK)
        status = ashi_choose(q, only, walk_all, &asked, &choice, &err);
    if (status == ASHLAR_OK)
        status = check(q, &choice, wish, &report, &err);
    ashi_progress_clock_end();
    int result = ASHI_EXIT_DONE;
    if (status == ASHLAR_OK)
        result = tell(q, &choice, &report, wish->json);
    else
        result = ashi_complain("check-schedule", &err);
    ashi_choice_free(&choice);
    return status == ASHLAR_ERR_INTERNAL ? ASHI_EXIT_NO : result; /* the proof failed: that is an answer */
}

enum { OPTIONS = ASHI_PROBLEM_OPTIONS + 2 };

static ashi_usage usage_of(ashi_problem_line *line, wishes *wish, ashi_option options[OPTIONS])
{
    ashi_problem_line_options(line, options);
    options[OPTIONS - 2] = (ashi_option){"json", 0, ASHI_FLAG, NULL, NULL, "print one JSON document and nothing else",
                                         &wish->json, NULL};
    options[OPTIONS - 1] = (ashi_option){"quiet", 'q', ASHI_FLAG, NULL, NULL, "show no progress", &wish->quiet, NULL};
    return (ashi_usage){.command = "check-schedule", .synopsis = "M N K --ranks=P [OPTION...]",
                        .summary = "Prove that the schedule chosen forms every product once and brings every sum home.",
                        .example = "ashlar check-schedule 100 90 80 --ranks=13 --memory-words=3000", .options = options,
                        .option_count = OPTIONS, .least = 3, .most = 3};
}

void ashi_describe_check_schedule(ashi_usage_use use, void *context)
{
    ashi_problem_line line = ashi_problem_line_default();
    wishes wish = {false, false};
    ashi_option options[OPTIONS];
    const ashi_usage usage = usage_of(&line, &wish, options);
    use(&usage, context);
}

int ashi_command_check_schedule(int argc, char **argv)
{
    ashi_problem_line line = ashi_problem_line_default();
    wishes wish = {false, false};
    ashi_option options[OPTIONS];
    const ashi_usage usage = usage_of(&line, &wish, options);
    ashi_problem problem;
    int count = 0;
    int status = ashi_options_parse(&usage, argc, argv, true, &count);
    if (status < 0)
        status = ashi_problem_line_read("check-schedule", &line, argv + 1, 1, &problem);
    if (status < 0)
        status = prove(&problem, line.strategy, &wish);
    ashi_problem_line_free(&line);
    return status;
}
