/* A run in progress, as the lanes see it: what has ended or failed, and which task may begin next. */
#include "exec/play.h"

#include <math.h>
#include <time.h>

void ashi_play_fail(ashi_play *play, const ashlar_error *failure)
{
    if (play->failure.status == ASHLAR_OK)
        play->failure = *failure;
    play->draining = true;
}

void ashi_play_count_message(ashi_play *play, const ashi_node *n)
{
    const ashi_task *task = &n->task;
    if (task->kind == ASHI_DO_SEND) {
        play->tally->sent_messages++;
        return;
    }
    play->tally->received_messages++;
    play->tally->received += task->words;
    play->tally->received_bytes += task->words * (int64_t)play->element[ashi_message_panel(play, n)->panel.operand];
}

void ashi_play_ended(ashi_play *play, int64_t number)
{
    ashi_window_ended(&play->window, number);
}

/* Of random numbers (splitmix64), for tests. */
static uint64_t next_random(ashi_play *play)
{
    uint64_t z = (play->disorder += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

int64_t ashi_play_last_step(const ashi_play *play)
{
    return ashi_window_is_empty(&play->window) ? INT64_MAX
                                               : ashi_window_step(&play->window) + play->request.look_ahead;
}

int64_t ashi_play_take(ashi_play *play, ashi_queue queue)
{
    ashi_window *w = &play->window;
    const int64_t most = ashi_play_last_step(play);
    return play->disorder ? ashi_window_take_any(w, queue, most, next_random(play)) : ashi_window_take(w, queue, most);
}

bool ashi_play_is_late(ashi_play *play)
{
    if (!play->disorder)
        return false;
    const uint64_t chance = next_random(play) % 8;
    const struct timespec little = {0, 20000};
    if (chance == 0)
        nanosleep(&little, NULL);
    return chance < 3;
}

static void rest_before(const ashi_play *play, int64_t number)
{
    const ashi_player_request *q = &play->request;
    const double seconds = q->rests(q->rests_context, q->rank, &ashi_window_node(&play->window, number)->task);
    const struct timespec rest = {(time_t)seconds, (long)((seconds - floor(seconds)) * 1e9)};
    if (seconds > 0)
        nanosleep(&rest, NULL);
}

void ashi_play_begin_beside(ashi_play *play)
{
    if (play->window.ready[ASHI_QUEUE_BESIDE].count == 0)
        return;
    for (int64_t number; !ashi_play_is_late(play) && (number = ashi_play_take(play, ASHI_QUEUE_BESIDE)) >= 0;) {
        const ashi_operation_kind kind = ashi_window_node(&play->window, number)->task.kind;
        ashi_beside *lane = kind == ASHI_DO_MOVE ? play->disk : play->network;
        if (kind != ASHI_DO_MOVE && play->request.rests)
            rest_before(play, number);
        lane->begin(lane, number);
    }
}

void ashi_play_listen(ashi_play *play)
{
    if (play->network->under_way > 0)
        play->network->wait(play->network, 0);
    if (play->disk->under_way > 0)
        play->disk->wait(play->disk, 0);
    ashi_play_begin_beside(play);
}

void ashi_play_note(const ashi_play *play, ashi_trace_lane lane, const ashi_node *n)
{
    if (play->request.trace)
        ashi_trace_note(play->request.trace, lane, ashi_task_name(n->task.kind), n->began, ashi_trace_clock(),
                        n->task.step, ashi_window_words(&play->window, n),
                        lane == ASHI_LANE_NETWORK ? n->task.peer : -1);
}
