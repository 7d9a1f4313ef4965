/* One schedule executed on all ranks and held against the reference, the counted words and its promise of memory. */
#ifndef ASHI_EXECUTING_H
#define ASHI_EXECUTING_H

#include "mpi/multiplying.h"
#include "mpi/playing.h"
#include "mpi/ranks.h"

/* A product, its layouts, and how it is made; PROGRAM and the rig's seed name the case in what is printed. */
typedef struct execution {
    product product;
    ashlar_layout *layout[3];
    ashi_schedule schedule;
    int64_t message_most;
} execution;

/* A random product of such a size at most, and layouts for it. */
static inline bool random_execution(uint64_t *state, execution *p, int64_t largest, const rig *r, ashlar_error *err)
{
    static const int64_t most[4] = {1, 3, 17, ASHI_MESSAGE_MOST};
    *p = (execution){.message_most = most[ashi_random_in(state, 0, 3)]};
    product *q = &p->product;
    for (int d = 0; d < 3; d++)
        q->size[d] = ashi_random_in(state, 1, largest);
    random_product(state, q);
    narrow_at_times(state, q);
    if (number_abs(q->alpha) == 0)
        q->alpha = (number){1, 0}; /* the plan sees to it that nothing else comes here */
    for (int x = 0; x < 3; x++) {
        int64_t shape[2];
        product_shape(q, x, shape);
        p->layout[x] = random_part_layout(state, shape[0], shape[1], r->ranks, r->rank, err);
        if (!p->layout[x])
            return false;
    }
    return true;
}

static inline void free_execution(execution *p)
{
    ashi_schedule_free(&p->schedule);
    for (int x = 0; x < 3; x++)
        ashlar_layout_free(&p->layout[x]);
}

/* In order, as the program's engine means it to run. */
static inline ashi_player_request plain_player(const execution *p, ashi_program *program, const rig *r)
{
    return (ashi_player_request){.program = program, .rank = r->rank, .look_ahead = program->look_ahead,
                                 .type = p->product.type, .comm = MPI_COMM_WORLD, .tag_most = 32767,
                                 .message_most = p->message_most, .keeps = ASHI_PLAYER_KEEPS,
                                 .one_sided = p->schedule.one_sided, .one_node = r->seed % 2};
}

static inline void check_tally(const ashi_player_tally *tally, const ashi_need *need, rig *r)
{
    CHECK(&r->test, tally->received == need->received && tally->received_messages == need->received_messages &&
                        tally->sent_messages == need->sent_messages,
          CASE "received %" PRId64 " words, predicted %" PRId64, CASE_OF(r), tally->received, need->received);
}

static inline void run_execution(execution *p, ashi_player *player, const ashi_need *need, part part_of[3], rig *r)
{
    ashi_test *t = &r->test;
    ashlar_error err = {0};
    ashi_player_tally tally;
    unsigned char alpha[16], beta[16];
    const ashi_part all[3] = {{part_of[0].base, NULL}, {part_of[1].base, NULL}, {part_of[2].base, NULL}};
    const ashi_player_work work = {.alpha = alpha, .beta = beta, .part = {all[0], all[1], all[2]}};
    number_store(ashlar_type_of_sums(p->product.type), p->product.alpha, alpha);
    number_store(ashlar_type_of_sums(p->product.type), p->product.beta, beta);
    for (int time = 0; time < 2; time++) {
        part_refill(&part_of[2]);
        const ashlar_status status = ashi_player_run(player, &work, &tally, &err);
        CHECK(t, status == ASHLAR_OK, CASE "%s", CASE_OF(r), err.text);
    }
    check_tally(&tally, need, r);
    const executed e = {.schedule = &p->schedule, .need = need, .comm = MPI_COMM_WORLD, .tag_most = 32767,
                        .type = p->product.type, .message_most = p->message_most, .alpha = alpha, .beta = beta,
                        .part = {all[0], all[1], all[2]}, .c = &part_of[2]};
    uint64_t state = r->seed;
    play_executed(&state, &e, r);
    const double off = product_error(&p->product, &part_of[2]);
    CHECK(t, off <= 1, CASE "%g times what rounding allows", CASE_OF(r), off);
    for (int x = 0; x < 2; x++)
        CHECK(t, memcmp(part_of[x].memory, part_of[x].before, part_of[x].bytes) == 0, CASE "%c was written to",
              CASE_OF(r), "AB"[x]);
    CHECK(t, part_only_elements_changed(&part_of[2]), CASE "memory around C was written to", CASE_OF(r));
}

/* The figures that are predicted are those of a count; if the engine places its panels itself, memory too. */
static inline bool make_player(execution *p, ashi_program *program, ashi_player **player, ashi_need *need, rig *r,
                               ashlar_error *err)
{
    if (ashi_program_of(&p->schedule, program, err) != ASHLAR_OK ||
        ashi_count_program(program, r->rank, need, err) != ASHLAR_OK)
        return false;
    const ashi_player_request q = plain_player(p, program, r);
    if (ashi_player_create(&q, player, err) != ASHLAR_OK || ashi_player_open(*player, err) != ASHLAR_OK)
        return false;
    const int64_t words = ashi_player_workspace(*player);
    CHECK(&r->test, !program->pool || words == need->workspace,
          CASE "%" PRId64 " words of workspace, promised %" PRId64, CASE_OF(r), words, need->workspace);
    return true;
}

/* `ready` where making the schedule went well, else err says what did not. */
static inline void try_execution(execution *p, bool ready, rig *r, ashlar_error *err)
{
    part part_of[3];
    ashi_need need;
    ashi_program program = {0};
    ashi_player *player = NULL;
    memset(part_of, 0, sizeof part_of);
    for (int x = 0; x < 3 && ready; x++)
        ready = part_make(&part_of[x], &p->product.content[x], p->layout[x], r->rank,
                          x == 2 && number_abs(p->product.beta) == 0);
    ready = ready && make_player(p, &program, &player, &need, r, err);
    CHECK(&r->test, ready, CASE "%s", CASE_OF(r), err->text);
    if (ready)
        run_execution(p, player, &need, part_of, r);
    ashi_player_free(&player);
    ashi_program_free(&program);
    for (int x = 0; x < 3; x++)
        part_free(&part_of[x]);
}

/* All of a program: random products of such a size at most, each by the schedule that `make` makes for it. */
static inline int try_executions(int argc, char **argv, int64_t largest,
                                 bool make(uint64_t *state, execution *p, const rig *r, ashlar_error *err))
{
    rig r;
    if (!ranks_begin(&r, &argc, &argv, 80))
        return 1;
    for (uint64_t i = 0; i < r.cases; i++) {
        r.seed = r.first + i;
        uint64_t state = r.seed * 0xD1B54A32D192ED03u;
        ashlar_error err = {0};
        execution p;
        const bool ready = random_execution(&state, &p, largest, &r, &err) && make(&state, &p, &r, &err);
        try_execution(&p, ready, &r, &err);
        free_execution(&p);
    }
    return ranks_end(&r, PROGRAM);
}

#endif
