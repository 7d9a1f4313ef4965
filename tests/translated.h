/* A schedule read as a program: the checker of programs finds in it what the checker of schedules does, and the passes
 * make tasks of it that send as much. */
#ifndef ASHI_TRANSLATED_H
#define ASHI_TRANSLATED_H

#include "check/program.h"
#include "schedule/ready.h"
#include "schedule/translate.h"
#include "test.h"

typedef struct ready_counts {
    int64_t sent, received, messages, words;
} ready_counts;

static inline ashlar_status ready_panel(void *context, const ashi_placed *panel, ashlar_error *err)
{
    (void)context;
    (void)panel;
    (void)err;
    return ASHLAR_OK;
}

static inline ashlar_status ready_task(void *context, const ashi_task *task, ashlar_error *err)
{
    ready_counts *c = context;
    (void)err;
    c->sent += task->kind == ASHI_DO_SEND;
    c->received += task->kind == ASHI_DO_RECEIVE;
    c->words += task->kind == ASHI_DO_RECEIVE ? task->words : 0;
    return ASHLAR_OK;
}

/* As many words and messages as the checker counted; the look-ahead is drawn by the seed. */
static inline void passes_agree(ashi_test *t, uint64_t seed, ashi_program *program, const ashi_check_report *report)
{
    ready_counts counts = {0};
    const ashi_task_visitor counting = {ready_panel, ready_task, &counts};
    ashlar_error err = {0};
    ashlar_status status = ASHLAR_OK;
    for (int64_t rank = 0; rank < program->ranks && status == ASHLAR_OK; rank++) {
        const ashi_passes_request request = {program, rank, (int64_t)(seed % 3), 32768};
        ashi_passes *passes = NULL;
        status = ashi_passes_create(&request, &passes, &err);
        for (int64_t step = 0; step < program->steps && status == ASHLAR_OK; step++)
            status = ashi_passes_step(passes, &counting, &err);
        ashi_passes_free(&passes);
    }
    CHECK(t, status == ASHLAR_OK, "seed %" PRIu64 ": %s", seed, err.text);
    CHECK(t, counts.sent == report->messages && counts.received == report->messages && counts.words == report->words,
          "seed %" PRIu64 ": ready to run it has %" PRId64 " messages sent, %" PRId64 " received, %" PRId64 " words",
          seed, counts.sent, counts.received, counts.words);
}

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
    if (status == ASHLAR_OK)
        passes_agree(t, seed, program, report);
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
