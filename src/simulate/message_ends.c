/* Messages of which one end or both have begun, while all ranks are played. */
#include "simulate/message_ends.h"

#include "base/array.h"
#include "base/error.h"

#include <stdlib.h>

enum { NONE = -1 };

ashi_message_ends ashi_message_ends_none(void)
{
    return (ashi_message_ends){.free = NONE};
}

static ashlar_status new_message(ashi_message_ends *ends, int64_t key, int64_t *out, ashlar_error *err)
{
    int64_t at = ends->free;
    if (at < 0) {
        ashi_paired_message *m = ashi_array_room(ends->message, &ends->capacity, ends->count + 1, sizeof *m);
        if (!m)
            return ashi_fail_memory(err, "simulate", ends->count * (int64_t)sizeof *m);
        ends->message = m;
        at = ends->count++;
    } else {
        ends->free = ends->message[at].task[0];
    }
    ends->message[at] = (ashi_paired_message){.task = {NONE, NONE}};
    *out = at;
    return ashi_map_put(&ends->waiting, key, at) ? ASHLAR_OK
                                                 : ashi_fail_memory(err, "simulate", ends->waiting.count * 16);
}

ashlar_status ashi_message_ends_begin(ashi_message_ends *ends, int64_t key, int end, int64_t rank, int64_t task,
                                      int64_t words, int64_t *at, bool *both, ashlar_error *err)
{
    *at = ashi_map_find(&ends->waiting, key);
    const ashlar_status status = *at < 0 ? new_message(ends, key, at, err) : ASHLAR_OK;
    if (status != ASHLAR_OK)
        return status;
    ashi_paired_message *m = &ends->message[*at];
    m->rank[end] = rank;
    m->task[end] = task;
    m->words = words;
    *both = m->task[1 - end] >= 0;
    if (*both)
        ashi_map_remove(&ends->waiting, key);
    return ASHLAR_OK;
}

void ashi_message_ends_release(ashi_message_ends *ends, int64_t at)
{
    ends->message[at].task[0] = ends->free;
    ends->free = at;
}

void ashi_message_ends_free(ashi_message_ends *ends)
{
    free(ends->message);
    ashi_map_free(&ends->waiting);
}
