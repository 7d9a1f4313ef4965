/* The predicted timeline of a joint play as a trace's file. */
#include "cli/joint_trace.h"

#include "base/array.h"
#include "base/checked.h"
#include "base/error.h"
#include "exec/trace.h"
#include "store/file.h"
#include "store/output.h"

#include <stdlib.h>
#include <string.h>

enum { EVENTS_MOST = 1 << 22 }; /* of all ranks */

void ashi_joint_trace_note(void *context, const ashi_joint_event *event)
{
    ashi_joint_trace *t = context;
    ashi_joint_event *at =
        t->events < EVENTS_MOST ? ashi_array_room(t->event, &t->capacity, t->events + 1, sizeof *at) : NULL;
    if (!at) {
        t->dropped++;
        return;
    }
    t->event = at;
    at[t->events++] = *event;
}

void ashi_joint_trace_free(ashi_joint_trace *t)
{
    free(t->event);
    *t = (ashi_joint_trace){0};
}

static int by_rank(const void *x, const void *y)
{
    const ashi_joint_event *a = x, *b = y;
    return (a->rank > b->rank) - (a->rank < b->rank);
}

/* The file that is written. */
typedef struct writing {
    ashi_output output;
    int64_t at;
} writing;

static ashlar_status put(writing *w, const char *text, int64_t bytes, ashlar_error *err)
{
    const ashlar_status status = ashi_file_write(w->output.fd, w->output.path, text, bytes, w->at, err);
    w->at += bytes;
    return status;
}

/* The events of one rank. */
static ashlar_status put_rank(writing *w, const ashi_joint_event *event, int64_t events, int64_t rank,
                              ashlar_error *err)
{
    ashi_trace *trace = NULL;
    char *lines = NULL;
    int64_t bytes = 0;
    ashlar_status status = ashi_trace_create_unclocked(ashi_max(events, 1), &trace, err);
    if (status != ASHLAR_OK)
        return status;
    for (int64_t i = 0; i < events; i++)
        ashi_trace_note(trace, event[i].lane, event[i].name, event[i].begin, event[i].end, event[i].step,
                        event[i].words, event[i].peer);
    status = ashi_trace_lines(trace, (int)rank, &lines, &bytes, err);
    if (status == ASHLAR_OK)
        status = put(w, lines, bytes, err);
    free(lines);
    ashi_trace_free(&trace);
    return status;
}

static ashlar_status put_all(writing *w, ashi_joint_trace *t, int64_t ranks, ashlar_error *err)
{
    char head[ASHI_TRACE_HEAD];
    ashi_trace_head(head, ranks, t->events, t->dropped);
    ashlar_status status = put(w, head, (int64_t)strlen(head), err);
    if (t->events > 0)
        qsort(t->event, (size_t)t->events, sizeof *t->event, by_rank);
    for (int64_t rank = 0, first = 0, end; rank < ranks && status == ASHLAR_OK; rank++, first = end) {
        for (end = first; end < t->events && t->event[end].rank == rank; end++)
            continue;
        status = put_rank(w, t->event + first, end - first, rank, err);
    }
    return status == ASHLAR_OK ? put(w, ashi_trace_end, (int64_t)strlen(ashi_trace_end), err) : status;
}

ashlar_status ashi_joint_trace_write(ashi_joint_trace *t, int64_t ranks, const char *path, ashlar_error *err)
{
    writing w = {.output = {.fd = -1}};
    ashlar_status status = ashi_output_create(path, &w.output, err);
    if (status == ASHLAR_OK)
        status = put_all(&w, t, ranks, err);
    if (status == ASHLAR_OK)
        status = ashi_output_publish(&w.output, err);
    ashi_output_discard(&w.output);
    return status;
}
