/* A record of what all executions over a context do. */
#include "plan/recording.h"

#include <stdlib.h>

void ashi_recording_drop(ashlar_context *c)
{
    ashi_trace_free(&c->trace);
    if (c->recording)
        ashi_output_discard(&c->recording->output);
    free(c->recording);
    c->recording = NULL;
}
