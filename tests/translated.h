/* A schedule read as a program: the checker of programs finds in it what the checker of schedules does. */
#ifndef ASHI_TRANSLATED_H
#define ASHI_TRANSLATED_H

#include "check/program.h"
#include "schedule/translate.h"
#include "test.h"

/* `report`: of the schedule. */
static inline void translation_agrees(ashi_test *t, uint64_t seed, ashi_schedule *s, const ashi_check_report *report)
{
    ashi_program program;
    ashi_check_report of_program = {0};
    ashlar_error err = {0};
    ashlar_status status = ashi_translate(s, &program, &err);
    if (status == ASHLAR_OK)
        status = ashi_check_program(&program, &of_program, &err);
    CHECK(t, status == ASHLAR_OK, "seed %" PRIu64 ", %s as a program: %s", seed, s->strategy ? s->strategy : "test",
          err.text);
    CHECK(t, status != ASHLAR_OK || (of_program.products == report->products && of_program.words == report->words &&
                                     of_program.messages == report->messages && of_program.read == report->read &&
                                     of_program.written == report->written),
          "seed %" PRIu64 ": as a program it has %" PRId64 " products, %" PRId64 " messages, %" PRId64 " words", seed,
          of_program.products, of_program.messages, of_program.words);
    ashi_program_free(&program);
}

#endif
