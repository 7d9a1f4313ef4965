/* Measuring what the player takes for a task beside its work. */
#include "cli/measure_trial.h"

#include "engine/chains.h"
#include "exec/mpi.h"

static ashlar_status play_once(ashi_trial *t, ashlar_error *err)
{
    static const double one = 1;
    const ashi_player_work work = {.alpha = &one, .beta = &one};
    ashi_player_tally tally;
    return ashi_player_run(t->player, &work, &tally, err);
}

/* Each rank plays by itself: a program that is kept ready, as most are. */
ashlar_status ashi_measure_task(const ashlar_context *context, double seconds, const char *folder,
                                ashi_measurement *out, ashlar_error *err)
{
    enum { STEPS = 100, WIDTH = 10 };
    ashi_trial t = {.context = context, .once = play_once, .times = STEPS * WIDTH};
    ashi_program program;
    (void)folder;
    ashlar_status status = ashi_chains_program(STEPS, WIDTH, &program, err);
    const ashi_player_request request = {.program = &program, .type = ASHLAR_TYPE_D, .comm = context->comm,
                                         .tag_most = context->tag_most, .message_most = ASHI_MESSAGE_MOST,
                                         .keeps = ASHI_PLAYER_KEEPS};
    if (status == ASHLAR_OK)
        status = ashi_player_create(&request, &t.player, err);
    status = ashi_agree(context, status, err);
    if (status == ASHLAR_OK)
        status = ashi_trial_repeat(&t, seconds, out, err);
    ashi_player_free(&t.player);
    ashi_program_free(&program);
    return status;
}
