/* A schedule's program is sound: the checkers find nothing in it, what is counted of its ranks is what they saw, and
 * the passes place its panels in just the memory that is counted. */
#ifndef ASHI_SOUND_H
#define ASHI_SOUND_H

#include "check/program.h"
#include "check/ready.h"
#include "simulate/count.h"
#include "test.h"

#include <string.h>

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

/* The passes place panels in just the memory that is counted. */
static inline ashlar_status places_agree(ashi_test *t, uint64_t seed, ashi_program *program, int64_t rank,
                                         int64_t workspace, ashlar_error *err)
{
    const ashi_passes_request request = {program, rank, program->look_ahead, 32768};
    int64_t peak = 0;
    const ashlar_status status = ashi_passes_peak_of(&request, &peak, err);
    CHECK(t, status != ASHLAR_OK || peak == workspace, "seed %" PRIu64 ", rank %" PRId64 ": places up to %" PRId64
          " with a look-ahead of %" PRId64 ", counted %" PRId64, seed, rank, peak, program->look_ahead, workspace);
    return status;
}

/* Fixed places are for one look-ahead: with a longer one some are still in use, and the passes refuse them. */
static inline bool longer_is_refused(ashi_program *program, int64_t rank)
{
    program->look_ahead++;
    const ashi_passes_request request = {program, rank, program->look_ahead, 32768};
    int64_t peak = 0;
    const ashlar_status status = ashi_passes_peak_of(&request, &peak, NULL);
    program->look_ahead--;
    return status == ASHLAR_ERR_INTERNAL;
}

/* The brief program counts what the full one does, also if another rank was counted before. Only thin products are not
 * counted exactly, where it joins boxes. */
static inline ashlar_status brief_agrees(ashi_test *t, uint64_t seed, ashi_program *program, int64_t rank,
                                         ashi_need *full, ashlar_error *err)
{
    ashi_need brief = {0};
    ashlar_status status = ashi_count_in_full(program, rank, full, err);
    if (status == ASHLAR_OK)
        status = ashi_count_program(program, rank, &brief, err);
    CHECK(t, status != ASHLAR_OK || (2 * brief.thin >= full->thin && brief.thin <= 2 * full->thin), "seed %" PRIu64
          ": %" PRId64 " words of thin products, %" PRId64 " in the brief program", seed, full->thin, brief.thin);
    brief.thin = full->thin;
    CHECK(t, status != ASHLAR_OK || memcmp(full, &brief, sizeof brief) == 0, "seed %" PRIu64 ", rank %" PRId64
          ": the brief program sends %" PRId64 " words of %" PRId64 ", messages %" PRId64 " of %" PRId64
          ", copies %" PRId64 " of %" PRId64 ", workspace %" PRId64 " of %" PRId64, seed, rank, brief.sent, full->sent,
          brief.sent_messages, full->sent_messages, brief.copied, full->copied, brief.workspace, full->workspace);
    return status;
}

/* Counts of all ranks, in order and then some once more in any order, and what the checker saw. */
static inline void counts_agree(ashi_test *t, uint64_t seed, ashi_program *program, const ashi_check_report *report)
{
    uint64_t state = seed + 3;
    ashi_need all = {0}, need;
    ashlar_error err = {0};
    ashlar_status status = ASHLAR_OK;
    for (int64_t i = 0; i < program->ranks + 3 && status == ASHLAR_OK; i++) {
        const bool again = i >= program->ranks;
        const int64_t rank = again ? ashi_random_in(&state, 0, program->ranks - 1) : i;
        status = brief_agrees(t, seed, program, rank, &need, &err);
        if (status == ASHLAR_OK && program->pool)
            status = places_agree(t, seed, program, rank, need.workspace, &err);
        if (status != ASHLAR_OK || again)
            continue;
        all.received += need.received;
        all.sent += need.sent;
        all.received_messages += need.received_messages;
        all.sent_messages += need.sent_messages;
        all.products += need.products;
    }
    CHECK(t, status == ASHLAR_OK, "seed %" PRIu64 ": %s", seed, err.text);
    CHECK(t, all.received == report->words && all.sent == report->words, "seed %" PRIu64 ": %" PRId64
          " words checked, %" PRId64 " counted as received, %" PRId64 " as sent", seed, report->words, all.received,
          all.sent);
    CHECK(t, all.received_messages == report->messages && all.sent_messages == report->messages, "seed %" PRIu64
          ": %" PRId64 " messages checked, %" PRId64 " and %" PRId64 " counted", seed, report->messages,
          all.received_messages, all.sent_messages);
    CHECK(t, all.products == report->products, "seed %" PRIu64 ": %" PRId64 " products checked, %" PRId64 " counted",
          seed, report->products, all.products);
}

/* Sets the report. One program in three is counted and passed, to save time: passed with the look-ahead for which its
 * engine has fixed places, or with one that is drawn by the seed if it has none. */
static inline bool schedule_is_sound(ashi_test *t, uint64_t seed, ashi_schedule *s, ashi_check_report *report)
{
    const char *name = s->strategy ? s->strategy : "test";
    ashi_program program = {0};
    ashlar_error err = {0};
    *report = (ashi_check_report){0};
    ashlar_status status = ashi_program_of(s, &program, &err);
    if (status == ASHLAR_OK)
        status = ashi_check_program(&program, report, &err);
    CHECK(t, status == ASHLAR_OK, "seed %" PRIu64 ", %s: %s", seed, name, err.text);
    CHECK(t, status != ASHLAR_OK || report->products == s->m * s->n * s->k, "seed %" PRIu64 ", %s: %" PRId64
          " products", seed, name, report->products);
    if (status == ASHLAR_OK && seed % 3 == 0) {
        counts_agree(t, seed, &program, report);
        passes_agree(t, seed, &program, program.pool ? program.look_ahead : (int64_t)(seed / 3 % 3), report);
    }
    ashi_program_free(&program);
    return status == ASHLAR_OK;
}

#endif
