/* `ashlar schedule`: print the operations of one rank, or the tasks that they become. */
#include "base/error.h"
#include "choose/choose.h"
#include "cli/command.h"
#include "cli/problem_line.h"
#include "cli/progress.h"
#include "cli/schedule_print.h"
#include "cli/walkable.h"

#include <stdio.h>

/* What the command line says beside the problem. */
typedef struct request {
    int64_t rank;
    bool rank_given, tasks, json, quiet;
} request;

static ashlar_status count(void *context, ashi_schedule *schedule, ashi_totals *out, ashlar_error *err)
{
    (void)context;
    return ashi_simulate(schedule, NULL, NULL, out, err);
}

static ashlar_status print_rank(const ashi_problem *q, ashi_choice *choice, const request *r, ashlar_error *err)
{
    ashi_program program = {0};
    const ashi_print_request print = {.problem = q, .strategy = choice->schedule.strategy, .program = &program,
                                      .rank = r->rank, .tasks = r->tasks};
    ashlar_status status = ashi_program_of(&choice->schedule, &program, err);
    if (status == ASHLAR_OK)
        status = r->json ? ashi_schedule_print_json(&print, err) : ashi_schedule_print_text(&print, err);
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

enum { OPTIONS = ASHI_PROBLEM_OPTIONS + 4 };

static ashi_usage usage_of(ashi_problem_line *line, request *r, ashi_option options[OPTIONS])
{
    ashi_problem_line_options(line, options);
    options[OPTIONS - 4] = (ashi_option){"rank", 0, ASHI_COUNT, "R", NULL, "whose operations are printed", &r->rank,
                                         &r->rank_given};
    options[OPTIONS - 3] = (ashi_option){"tasks", 0, ASHI_FLAG, NULL, NULL,
                                         "print what the rank runs: messages, places in memory, what waits for what",
                                         &r->tasks, NULL};
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
