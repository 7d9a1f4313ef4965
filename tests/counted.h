/* What is counted of an engine's own program is what is counted of its stream, rank by rank. */
#ifndef ASHI_COUNTED_H
#define ASHI_COUNTED_H

#include "base/checked.h"
#include "schedule/ready.h"
#include "simulate/count.h"
#include "test.h"

#include <string.h>

/* Where stream and program differ. The stream has an ADD for sums that are where they belong already and that no other
 * rank contributes to: it copies nothing, but is counted. And the stream's buffers have room for the rank's own words
 * where others' arrive that have to be unpacked, and for a panel of its own words that meets nothing in a product. */
typedef struct differences {
    const ashi_schedule *schedule;
    int64_t rank;
    int64_t idle;   /* words of such ADDs */
    int64_t own[2]; /* words of A and B that the rank owns of what it multiplies in a round, the most of any round */
} differences;

static inline ashlar_status note_difference(void *context, const ashi_op *op, ashlar_error *err)
{
    differences *d = context;
    const ashi_box *c = &op->box;
    const ashi_box box[2] = {{c->minor_lo, c->minor_hi, op->k_lo, op->k_hi},
                             {c->major_lo, c->major_hi, op->k_lo, op->k_hi}};
    (void)err;
    if (op->kind == ASHI_ADD && op->members == 1 && op->part >= 0 &&
        d->schedule->home(d->schedule, d->rank, op->part).kind != ASHI_HOME_BUFFER)
        d->idle += op->words;
    for (int x = 0; x < 2 && op->kind == ASHI_MULTIPLY; x++)
        d->own[x] = ashi_max(d->own[x], ashi_view_words(&d->schedule->view[x], d->rank, &box[x]));
    return ASHLAR_OK;
}

static inline void rooms_agree(ashi_test *t, uint64_t seed, const ashi_need *own, const ashi_need *old,
                               const differences *d)
{
    const int64_t a = old->a_words - own->a_words, all = old->panel_words - own->panel_words;
    CHECK(t, a >= 0 && a <= d->own[0] && all >= 0 && all <= d->own[0] + d->own[1],
          "seed %" PRIu64 ", rank %" PRId64 ": a step has %" PRId64 " words of panels, %" PRId64 " of A; in the stream"
          " %" PRId64 " and %" PRId64, seed, d->rank, own->panel_words, own->a_words, old->panel_words, old->a_words);
}

typedef struct compared {
    const char *name;
    int64_t own, old;
} compared;

static inline void figures_agree(ashi_test *t, uint64_t seed, int64_t rank, const compared *same, size_t count)
{
    for (size_t i = 0; i < count; i++)
        CHECK(t, same[i].own == same[i].old, "seed %" PRIu64 ", rank %" PRId64 ": %s: %" PRId64 ", of the stream %"
              PRId64, seed, rank, same[i].name, same[i].own, same[i].old);
}

/* A pooled schedule's buffers are another thing than panels, of which each takes room for itself. */
static inline void one_count_agrees(ashi_test *t, uint64_t seed, const ashi_need *own, const ashi_need *old,
                                    const differences *d)
{
    const compared moves[] = {{"words received", own->received, old->received},
                              {"words sent", own->sent, old->sent},
                              {"messages received", own->received_messages, old->received_messages},
                              {"messages sent", own->sent_messages, old->sent_messages},
                              {"words copied", own->copied, old->copied - d->idle},
                              {"products", own->products, old->products},
                              {"words of the share", own->share, old->share},
                              {"words of sums", own->c_words, old->c_words},
                              {"columns", own->sum_cols, old->sum_cols}};
    const compared rooms[] = {{"words of moving sums in a step", own->sum_words, old->sum_words},
                              {"messages in flight", own->messages_in_flight, old->messages_in_flight}};
    figures_agree(t, seed, d->rank, moves, sizeof moves / sizeof *moves);
    if (d->schedule->pooled)
        return;
    figures_agree(t, seed, d->rank, rooms, sizeof rooms / sizeof *rooms);
    rooms_agree(t, seed, own, old, d);
}

/* The passes place panels in just the memory that is counted, and the stream has no less. */
static inline ashlar_status places_agree(ashi_test *t, uint64_t seed, ashi_program *program, int64_t rank,
                                         int64_t workspace, int64_t today, ashlar_error *err)
{
    const ashi_passes_request request = {program, rank, program->look_ahead, 32768};
    int64_t peak = 0;
    const ashlar_status status = ashi_passes_peak_of(&request, &peak, err);
    CHECK(t, status != ASHLAR_OK || (peak == workspace && peak <= today),
          "seed %" PRIu64 ", rank %" PRId64 ": places up to %" PRId64 " with a look-ahead of %" PRId64 ", counted %"
          PRId64 ", the stream has %" PRId64, seed, rank, peak, program->look_ahead, workspace, today);
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

/* Of the full program and of the brief one, whatever rank was counted before. One problem in three, to save time. */
static inline void program_counts_agree(ashi_test *t, uint64_t seed, ashi_schedule *s)
{
    uint64_t state = seed + 3;
    ashi_program program = {0};
    ashlar_error err = {0};
    ashlar_status status = s->program && s->emit && seed % 3 == 0 ? s->program(s, &program, &err) : ASHLAR_OK;
    for (int64_t i = 0; program.emit && i < s->ranks + 3 && status == ASHLAR_OK; i++) {
        const int64_t rank = i < s->ranks ? i : ashi_random_in(&state, 0, s->ranks - 1);
        differences d = {.schedule = s, .rank = rank};
        ashi_need old, full, brief;
        status = ashi_schedule_need_in_full(s, rank, &old, &err);
        if (status == ASHLAR_OK)
            status = ashi_schedule_walk(s, rank, note_difference, &d, &err);
        if (status == ASHLAR_OK)
            status = ashi_count_in_full(&program, rank, &full, &err);
        if (status == ASHLAR_OK)
            status = ashi_count_program(&program, rank, &brief, &err);
        if (status != ASHLAR_OK)
            break;
        one_count_agrees(t, seed, &full, &old, &d);
        if (program.pool)
            status = places_agree(t, seed, &program, rank, full.workspace, old.workspace, &err);
        CHECK(t, memcmp(&full, &brief, sizeof full) == 0, "seed %" PRIu64 ", rank %" PRId64 ": the brief program has %"
              PRId64 " words sent of %" PRId64 ", workspace %" PRId64 " of %" PRId64, seed, rank, brief.sent, full.sent,
              brief.workspace, full.workspace);
    }
    CHECK(t, status == ASHLAR_OK, "seed %" PRIu64 ": %s", seed, err.text);
    ashi_program_free(&program);
}

#endif
