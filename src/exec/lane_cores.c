/* The cores lane: tasks of the calling thread, one after the other. */
#include "base/error.h"
#include "exec/play.h"

ashlar_status ashi_cores_run(ashi_play *play, const ashi_node *n, ashlar_error *err)
{
    switch (n->task.kind) {
    case ASHI_DO_MULTIPLY:
        return ashi_play_multiply(play, n, err);
    case ASHI_DO_MOVE:
        return ashi_play_move(play, n, err);
    case ASHI_DO_ADD:
        return ashi_play_add(play, n, err);
    case ASHI_DO_SCALE:
        return ashi_play_scale(play, n, err);
    default:
        return ashi_fail(err, ASHLAR_ERR_INTERNAL, "the cores have no %s", ashi_operation_name(n->task.kind));
    }
}
