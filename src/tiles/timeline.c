/* A record of what a product of matrices of tiles did and when, in a file. */
#include "tiles/timeline.h"

#include "plan/trace.h"

ashlar_status ashi_tiles_timeline_begin(const ashlar_context *c, const char *path, ashi_player *player,
                                        ashi_tiles_timeline *out, ashlar_error *err)
{
    ashlar_error own = {0};
    *out = (ashi_tiles_timeline){.output = {.fd = -1}};
    if (!path)
        return ASHLAR_OK;
    const ashlar_status made = c->rank == 0 ? ashi_output_create(path, &out->output, err) : ASHLAR_OK;
    const ashlar_status status = ashi_trace_create(c->comm, c->rank, c->ranks, ASHI_TRACE_USUAL, &out->trace,
                                                   made == ASHLAR_OK ? err : &own);
    ashi_player_record(player, out->trace);
    return made == ASHLAR_OK ? status : made;
}

ashlar_status ashi_tiles_timeline_end(const ashlar_context *c, ashi_tiles_timeline *t, ashi_player *player,
                                      ashlar_status mine, ashlar_error *err)
{
    const ashlar_status status = mine == ASHLAR_OK && t->trace ? ashi_trace_publish(c, t->trace, &t->output, err)
                                                               : mine;
    ashi_player_record(player, NULL);
    ashi_trace_free(&t->trace);
    if (c->rank == 0)
        ashi_output_discard(&t->output);
    return status;
}
