/* A record of what a rank's lanes did and when. */
#ifndef ASHI_TRACE_H
#define ASHI_TRACE_H

#include "schedule/lanes.h"

#include <ashlar/context.h>

enum { ASHI_TRACE_USUAL = 1 << 17 };

typedef struct ashi_trace ashi_trace;

/* Seconds since some moment, the same for all threads of a host. Any thread. */
double ashi_trace_clock(void);

/* The clock if there is a trace, else 0 at no cost: for the beginning of an event. */
static inline double ashi_trace_begin(const ashi_trace *trace)
{
    return trace ? ashi_trace_clock() : 0;
}

/* Room for `most` events (at least 1), and the difference between this rank's clock and that of rank 0. Collective over
 * comm, of which rank and ranks are this rank's number and how many there are. Every rank makes all calls of MPI,
 * whatever fails; the status is this rank's own. NULL on failure. ASHLAR_ERR_MEMORY; ASHLAR_ERR_MPI. */
ashlar_status ashi_trace_create(MPI_Comm comm, int rank, int ranks, int64_t most, ashi_trace **out, ashlar_error *err);

/* The same for events whose times the caller gives: no clock is read or compared. Local.
 * ASHLAR_ERR_MEMORY. */
ashlar_status ashi_trace_create_unclocked(int64_t most, ashi_trace **out, ashlar_error *err);

/* NULL does nothing. Local. */
void ashi_trace_free(ashi_trace **trace);

/* Keep one event, from `begin` to `end` by ashi_trace_clock. A NULL trace does nothing.
 *
 * `name` is a literal of at most 60 characters, printable, without quotation mark and backslash. `step` is the
 * schedule's; `words` are those moved, or the multiply-adds of a product; `peer` is the other rank of a message, or of
 * the message that ended a wait, else -1. Any thread may call it, several at once: an event takes about the time of two
 * atomic operations, and no lock. Beyond the room of the trace events are counted and dropped. */
void ashi_trace_note(ashi_trace *trace, ashi_trace_lane lane, const char *name, double begin, double end, int64_t step,
                     int64_t words, int64_t peer);

/* Keep what the disk did from `begin` until now, and that the calling thread waited for it. NULL does nothing. */
void ashi_trace_note_disk(ashi_trace *trace, const char *name, double begin, int64_t step, int64_t words);

/* Events kept, and events dropped for lack of room. No thread may be noting events. */
int64_t ashi_trace_events(const ashi_trace *trace);
int64_t ashi_trace_dropped(const ashi_trace *trace);

/* Forget all events; the clocks stay compared. No thread may be noting events. */
void ashi_trace_clear(ashi_trace *trace);

/* This rank's events as lines of a file in the Chrome trace event format (plan/trace.h has the whole file), each with a
 * comma at its end: *out, freed by the caller, and *bytes. NULL on failure. ASHLAR_ERR_MEMORY. No thread may be noting
 * events; they are in order of lane and time afterwards. */
ashlar_status ashi_trace_lines(ashi_trace *trace, int rank, char **out, int64_t *bytes, ashlar_error *err);

/* What stands before and behind the lines of all ranks in such a file. `out` has room for ASHI_TRACE_HEAD bytes. */
enum { ASHI_TRACE_HEAD = 256 };

void ashi_trace_head(char *out, int64_t ranks, int64_t events, int64_t dropped);

extern const char ashi_trace_end[];

#endif
