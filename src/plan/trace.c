/* The traces of all ranks in one file: rank 0 writes what the others send. */
#include "plan/trace.h"

#include "base/checked.h"
#include "base/error.h"
#include "store/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PIECE = 1 << 20, TAG = 0 }; /* bytes of a message at most */

/* What rank 0 has to be told of a rank's trace before its lines. */
typedef struct summary {
    int64_t bytes, events, dropped;
} summary;

typedef struct writing {
    const ashlar_context *context;
    char *lines;   /* of this rank */
    summary own, *all; /* all: on rank 0 */
    char *piece;   /* on rank 0 */
    ashi_output *output; /* on rank 0 */
    int64_t at;    /* in its file */
    ashlar_error failed; /* the first failure of writing; the other ranks' messages are received all the same */
} writing;

static void put(writing *w, const char *text, int64_t bytes)
{
    if (w->failed.status == ASHLAR_OK)
        ashi_file_write(w->output->fd, w->output->path, text, bytes, w->at, &w->failed);
    w->at += bytes;
}

/* All that can fail on one rank alone, before anything is sent. */
static ashlar_status prepare(writing *w, ashi_trace *trace, ashlar_error *err)
{
    const ashlar_context *c = w->context;
    const bool first = c->rank == 0;
    ashlar_status status = ashi_trace_lines(trace, c->rank, &w->lines, &w->own.bytes, err);
    w->own.events = ashi_trace_events(trace);
    w->own.dropped = ashi_trace_dropped(trace);
    if (status == ASHLAR_OK && first) {
        w->all = calloc((size_t)c->ranks, sizeof *w->all);
        w->piece = malloc(PIECE);
        if (!w->all || !w->piece)
            status = ashi_fail_memory(err, "trace", PIECE + c->ranks * (int64_t)sizeof *w->all);
    }
    return status;
}

static void put_head(writing *w)
{
    char head[ASHI_TRACE_HEAD];
    summary sum = {0};
    for (int r = 0; r < w->context->ranks; r++) {
        sum.events += w->all[r].events;
        sum.dropped += w->all[r].dropped;
    }
    ashi_trace_head(head, w->context->ranks, sum.events, sum.dropped);
    put(w, head, (int64_t)strlen(head));
}

static void send_lines(writing *w)
{
    for (int64_t at = 0; at < w->own.bytes; at += PIECE)
        ashi_note(w->context, MPI_Send(w->lines + at, (int)ashi_min(PIECE, w->own.bytes - at), MPI_CHAR, 0, TAG,
                                       w->context->comm), "MPI_Send");
}

static void gather_lines(writing *w)
{
    put_head(w);
    put(w, w->lines, w->own.bytes);
    for (int r = 1; r < w->context->ranks; r++)
        for (int64_t at = 0; at < w->all[r].bytes; at += PIECE) {
            const int64_t bytes = ashi_min(PIECE, w->all[r].bytes - at);
            ashi_note(w->context, MPI_Recv(w->piece, (int)bytes, MPI_CHAR, r, TAG, w->context->comm,
                                           MPI_STATUS_IGNORE), "MPI_Recv");
            put(w, w->piece, bytes);
        }
    put(w, ashi_trace_end, (int64_t)strlen(ashi_trace_end));
}

static ashlar_status write_all(writing *w, ashi_trace *trace, ashlar_error *err)
{
    const ashlar_context *c = w->context;
    const bool first = c->rank == 0;
    ashlar_status status = ashi_agree(c, prepare(w, trace, err), err);
    if (status != ASHLAR_OK)
        return status;
    ashi_note(c, MPI_Gather(&w->own, 3, MPI_INT64_T, w->all, 3, MPI_INT64_T, 0, c->comm), "MPI_Gather");
    status = ashi_agree(c, ASHLAR_OK, err);
    if (status != ASHLAR_OK)
        return status;
    if (first)
        gather_lines(w);
    else
        send_lines(w);
    if (w->failed.status != ASHLAR_OK)
        status = ashi_fail(err, w->failed.status, "%s", w->failed.text);
    status = ashi_agree(c, status, err);
    if (status == ASHLAR_OK && first)
        status = ashi_output_publish(w->output, err);
    return ashi_conclude(c, status, err);
}

ashlar_status ashi_trace_publish(const ashlar_context *context, ashi_trace *trace, ashi_output *output,
                                 ashlar_error *err)
{
    writing w = {.context = context, .output = output};
    ashlar_error own = {0};
    const ashlar_status status = write_all(&w, trace, err ? err : &own);
    free(w.lines);
    free(w.all);
    free(w.piece);
    return status;
}

ashlar_status ashi_trace_write(const ashlar_context *context, ashi_trace *trace, const char *path, ashlar_error *err)
{
    ashi_output output = {.fd = -1};
    ashlar_error own = {0};
    err = err ? err : &own;
    ashlar_status status = context->rank == 0 ? ashi_output_create(path, &output, err) : ASHLAR_OK;
    status = ashi_agree(context, status, err);
    if (status == ASHLAR_OK)
        status = ashi_trace_publish(context, trace, &output, err);
    if (context->rank == 0)
        ashi_output_discard(&output);
    return status;
}
