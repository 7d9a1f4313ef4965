/* What was put, added or asked for in a matrix of tiles, and is not yet where it belongs. */
#include "tiles/waiting.h"

#include <stdlib.h>

/* Memory for the elements that are buffered. */
enum { LEAST_BYTES = 1 << 18 };

struct ashi_buffered {
    struct ashi_buffered *before;
    size_t used, room;
    max_align_t data[];
};

void ashi_waiting_free(ashi_waiting *waiting)
{
    while (waiting->newest) {
        struct ashi_buffered *const memory = waiting->newest;
        waiting->newest = memory->before;
        free(memory);
    }
    ashi_packets_free(&waiting->list);
    waiting->refused.status = ASHLAR_OK;
}

void *ashi_waiting_room(ashi_waiting *waiting, size_t bytes)
{
    const size_t rounded = (bytes + sizeof(max_align_t) - 1) / sizeof(max_align_t) * sizeof(max_align_t);
    struct ashi_buffered *memory = waiting->newest;
    if (!memory || memory->room - memory->used < rounded) {
        const size_t room = rounded > LEAST_BYTES ? rounded : LEAST_BYTES;
        memory = malloc(sizeof *memory + room);
        if (!memory)
            return NULL;
        *memory = (struct ashi_buffered){.before = waiting->newest, .room = room};
        waiting->newest = memory;
    }
    void *const at = (char *)memory->data + memory->used;
    memory->used += rounded;
    return at;
}
