/* A program played in any order and with any look-ahead: C has the bits that it has in order, and the tally is the
 * same. */
#ifndef ASHI_PLAYING_H
#define ASHI_PLAYING_H

#include "exec/player.h"
#include "exec/transport.h"
#include "mpi/matrices.h"
#include "mpi/random_threads.h"
#include "mpi/ranks.h"
#include "simulate/count.h"

/* What was executed. PROGRAM and the rig's seed name the case in what is printed. */
typedef struct executed {
    ashi_schedule *schedule;
    const ashi_need *need;
    MPI_Comm comm;
    int tag_most;
    ashlar_type type;
    int64_t message_most;
    const void *alpha, *beta;
    ashi_part part[3];
    part *c; /* with what it was given in order */
} executed;

/* In order or at random, kept or passed as it goes, with any look-ahead; one-sided if the schedule is, and at times if
 * it is not. */
static inline ashi_player_request random_player(uint64_t *state, const executed *e, ashi_program *program, int rank)
{
    return (ashi_player_request){.program = program, .rank = rank, .look_ahead = ashi_random_in(state, 0, 3),
                                 .type = e->type, .comm = e->comm, .tag_most = e->tag_most,
                                 .message_most = e->message_most,
                                 .keeps = ashi_random_in(state, 0, 1) ? ASHI_PLAYER_KEEPS
                                                                      : ashi_random_in(state, 0, 40),
                                 .disk_threads = (int)ashi_random_in(state, 0, 4),
                                 .disk_piece = ashi_random_in(state, 0, 100),
                                 .one_sided = ashi_random_in(state, 0, 1) || e->schedule->one_sided,
                                 .one_node = ashi_random_in(state, 0, 1),
                                 .crowded = ashi_random_in(state, 0, 1),
                                 .disorder = ashi_random_in(state, 0, 1) ? ashi_random(state) | 1 : 0};
}

static inline void run_player(ashi_player *player, const executed *e, bool one_sided, const unsigned char *wanted,
                              rig *r)
{
    const ashi_player_work work = {.alpha = e->alpha, .beta = e->beta, .part = {e->part[0], e->part[1], e->part[2]}};
    ashi_player_tally tally;
    ashlar_error err = {0};
    for (int time = 0; time < 2; time++) {
        part_refill(e->c);
        const ashlar_status status = ashi_player_run(player, &work, &tally, &err);
        CHECK(&r->test, status == ASHLAR_OK, CASE "played: %s", CASE_OF(r), err.text);
        CHECK(&r->test, memcmp(e->c->memory, wanted, e->c->bytes) == 0, CASE "played, C has other bits", CASE_OF(r));
    }
    CHECK(&r->test, tally.received == e->need->received && tally.received_messages == e->need->received_messages &&
                        tally.sent_messages == e->need->sent_messages,
          CASE "played, received %" PRId64 " words in %" PRId64 " messages, predicted %" PRId64 " in %" PRId64,
          CASE_OF(r), tally.received, tally.received_messages, e->need->received, e->need->received_messages);
    CHECK(&r->test, tally.letters == (one_sided ? tally.received_messages + tally.sent_messages : 0),
          CASE "played, %" PRId64 " letters", CASE_OF(r), tally.letters);
}

/* Run twice and compare. Collective: all ranks have the same state of random numbers, which orders each rank's tasks
 * another way. */
static inline void play_executed(uint64_t *state, const executed *e, rig *r)
{
    ashi_program program;
    ashi_player *player = NULL;
    ashi_workers *workers = NULL;
    ashlar_error err = {0};
    unsigned char *wanted = malloc(e->c->bytes);
    const ashlar_status status = ashi_program_of(e->schedule, &program, &err);
    CHECK(&r->test, wanted && status == ASHLAR_OK, CASE "%s", CASE_OF(r), err.text);
    if (!wanted || status != ASHLAR_OK)
        return;
    memcpy(wanted, e->c->memory, e->c->bytes);
    ashi_player_request q = random_player(state, e, &program, r->rank);
    q.disorder += q.disorder ? 2 * (uint64_t)r->rank : 0;
    const bool made = random_threads(state, &q, &workers, &err) &&
                      ashi_player_create(&q, &player, &err) == ASHLAR_OK &&
                      ashi_player_open(player, &err) == ASHLAR_OK;
    CHECK(&r->test, made, CASE "to be played: %s", CASE_OF(r), err.text);
    if (made)
        run_player(player, e, q.one_sided, wanted, r);
    ashi_player_free(&player);
    ashi_workers_free(&workers);
    ashi_program_free(&program);
    memcpy(e->c->memory, wanted, e->c->bytes);
    free(wanted);
}

#endif
