/* A schedule read as a program: the checker of programs finds in it what the checker of schedules does, and the passes
 * make tasks of it that send as much. */
#ifndef ASHI_TRANSLATED_H
#define ASHI_TRANSLATED_H

#include "check/program.h"
#include "check/ready.h"
#include "schedule/translate.h"
#include "test.h"

/* Ready to run it has as many words and messages, and the checker of ready programs passes it. */
static inline void passes_agree(ashi_test *t, uint64_t seed, ashi_program *program, int64_t look_ahead,
                                const ashi_check_report *report)
{
    ashi_ready_request request = {.program = program, .look_ahead = look_ahead, .tags = 32768,
                                  .walk = ashi_ready_walk};
    ashi_check_report of_tasks = {0};
    ashlar_error err = {0};
    request.context = &request;
    const ashlar_status status = ashi_check_ready(&request, &of_tasks, &err);
    CHECK(t, status == ASHLAR_OK, "seed %" PRIu64 ", look-ahead %" PRId64 ": %s", seed, request.look_ahead, err.text);
    CHECK(t, status != ASHLAR_OK || (of_tasks.messages == report->messages && of_tasks.words == report->words),
          "seed %" PRIu64 ": ready to run it has %" PRId64 " messages, %" PRId64 " words", seed, of_tasks.messages,
          of_tasks.words);
}

/* `report`: of the schedule. One program in three is passed, to save time: with a look-ahead that is drawn by the seed,
 * or if its engine has fixed places with the one that these are for. Frees the program. */
static inline void program_agrees(ashi_test *t, uint64_t seed, ashi_program *program, const char *what,
                                  const ashi_check_report *report)
{
    ashi_check_report of_program = {0};
    ashlar_error err = {0};
    const ashlar_status status = ashi_check_program(program, &of_program, &err);
    CHECK(t, status == ASHLAR_OK, "seed %" PRIu64 ", %s: %s", seed, what, err.text);
    CHECK(t, status != ASHLAR_OK || (of_program.products == report->products && of_program.words == report->words &&
                                     of_program.messages == report->messages && of_program.read == report->read &&
                                     of_program.written == report->written),
          "seed %" PRIu64 ", %s: it has %" PRId64 " products, %" PRId64 " messages, %" PRId64 " words", seed, what,
          of_program.products, of_program.messages, of_program.words);
    if (status == ASHLAR_OK && seed % 3 == 0)
        passes_agree(t, seed, program, program->pool ? program->look_ahead : (int64_t)(seed / 3 % 3), report);
    ashi_program_free(program);
}

/* As it is translated, and as its engine makes it itself. */
static inline void translation_agrees(ashi_test *t, uint64_t seed, ashi_schedule *s, const ashi_check_report *report)
{
    const char *name = s->strategy ? s->strategy : "test";
    ashi_program program;
    ashlar_error err = {0};
    const ashlar_status status = ashi_translate(s, &program, &err);
    CHECK(t, status == ASHLAR_OK, "seed %" PRIu64 ", %s translated: %s", seed, name, err.text);
    if (status == ASHLAR_OK)
        program_agrees(t, seed, &program, "translated", report);
    if (!s->program)
        return;
    const ashlar_status made = s->program(s, &program, &err);
    CHECK(t, made == ASHLAR_OK, "seed %" PRIu64 ", %s as its engine's program: %s", seed, name, err.text);
    if (made == ASHLAR_OK)
        program_agrees(t, seed, &program, "as its engine's program", report);
}

/* The same of any schedule: the checkers find nothing. */
static inline void schedule_is_sound(ashi_test *t, uint64_t seed, ashi_schedule *s, ashi_check_report *report)
{
    const char *name = s->strategy ? s->strategy : "test";
    ashi_program program = {0};
    ashlar_error err = {0};
    ashlar_status status = ASHLAR_OK;
    *report = (ashi_check_report){0};
    if (s->emit) {
        status = ashi_check_schedule(s, report, &err);
        if (status == ASHLAR_OK)
            translation_agrees(t, seed, s, report);
    } else {
        status = ashi_program_of(s, &program, &err);
        if (status == ASHLAR_OK)
            status = ashi_check_program(&program, report, &err);
        if (status == ASHLAR_OK)
            program_agrees(t, seed, &program, "as its engine's program", report);
    }
    CHECK(t, status == ASHLAR_OK, "seed %" PRIu64 ", %s: %s", seed, name, err.text);
}

#endif
