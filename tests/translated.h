/* A schedule read as a program: the checker of programs finds in it what the checker of schedules does. */
#ifndef ASHI_TRANSLATED_H
#define ASHI_TRANSLATED_H

#include "check/program.h"
#include "schedule/translate.h"
#include "test.h"

/* `report`: of the schedule. Frees the program. */
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

#endif
