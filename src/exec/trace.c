/* A record of what a rank's lanes did and when. */
#include "exec/trace.h"

#include "base/checked.h"
#include "base/error.h"
#include "exec/mpi.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct event {
    const char *name;
    double begin, end;
    int64_t step, words, peer;
    ashi_trace_lane lane;
    int row; /* of its lane: those of one row do not overlap */
} event;

struct ashi_trace {
    double shift; /* to be added to this rank's clock: then 0 is when rank 0 began to compare clocks */
    int64_t most;
    _Atomic int64_t noted; /* those dropped are counted too */
    event *at;
};

double ashi_trace_clock(void)
{
    struct timespec now = {0};
    clock_gettime(CLOCK_MONOTONIC, &now); /* cannot fail for this clock, of which POSIX.1-2008 demands it */
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void ashi_trace_note(ashi_trace *trace, ashi_trace_lane lane, const char *name, double begin, double end, int64_t step,
                     int64_t words, int64_t peer)
{
    if (!trace)
        return;
    const int64_t place = atomic_fetch_add_explicit(&trace->noted, 1, memory_order_relaxed);
    if (place < trace->most)
        trace->at[place] = (event){name, begin, end, step, words, peer, lane, 0};
}

void ashi_trace_note_disk(ashi_trace *trace, const char *name, double begin, int64_t step, int64_t words)
{
    const double end = ashi_trace_begin(trace);
    ashi_trace_note(trace, ASHI_LANE_DISK, name, begin, end, step, words, -1);
    ashi_trace_note(trace, ASHI_LANE_CORES, ASHI_WAIT_DISK, begin, end, step, words, -1);
}

int64_t ashi_trace_events(const ashi_trace *trace)
{
    return ashi_min(trace->noted, trace->most);
}

int64_t ashi_trace_dropped(const ashi_trace *trace)
{
    return ashi_max(0, trace->noted - trace->most);
}

void ashi_trace_clear(ashi_trace *trace)
{
    trace->noted = 0;
}

/* ---- clocks ---- */

/* Round trips between rank 0 and each other rank, of which the shortest counts: it leaves least unknown. */
enum { TRIPS = 8, TAG = 0 };

/* How far another rank's clock is ahead of rank 0's, as rank 0 finds it out. Half the round trip remains unknown, in
 * both directions. */
static double compare(MPI_Comm comm, int rank, ashlar_error *missed)
{
    double doubt = INFINITY, difference = 0, there = 0;
    for (int i = 0; i < TRIPS; i++) {
        const double asked = ashi_trace_clock();
        ashi_mpi_note(missed, MPI_Send(&there, 1, MPI_DOUBLE, rank, TAG, comm), "MPI_Send");
        ashi_mpi_note(missed, MPI_Recv(&there, 1, MPI_DOUBLE, rank, TAG, comm, MPI_STATUS_IGNORE), "MPI_Recv");
        const double answered = ashi_trace_clock();
        if (i > 0 && answered - asked >= 2 * doubt) /* the first opens the connection; if all are slow it serves */
            continue;
        doubt = (answered - asked) / 2;
        difference = there - (asked + doubt);
    }
    /* Ranks of one host have the same clock, which no round trip shows exactly. */
    return fabs(difference) <= doubt ? 0 : difference;
}

/* Rank 0 asks the others one after the other. */
static double find_shift(MPI_Comm comm, int rank, int ranks, ashlar_error *missed)
{
    const double origin = ashi_trace_clock();
    double shift = -origin;
    for (int r = 1; r < ranks && rank == 0; r++) {
        const double theirs = -(origin + compare(comm, r, missed));
        ashi_mpi_note(missed, MPI_Send(&theirs, 1, MPI_DOUBLE, r, TAG, comm), "MPI_Send");
    }
    for (int i = 0; i < TRIPS && rank > 0; i++) {
        double own = 0;
        ashi_mpi_note(missed, MPI_Recv(&own, 1, MPI_DOUBLE, 0, TAG, comm, MPI_STATUS_IGNORE), "MPI_Recv");
        own = ashi_trace_clock();
        ashi_mpi_note(missed, MPI_Send(&own, 1, MPI_DOUBLE, 0, TAG, comm), "MPI_Send");
    }
    if (rank > 0)
        ashi_mpi_note(missed, MPI_Recv(&shift, 1, MPI_DOUBLE, 0, TAG, comm, MPI_STATUS_IGNORE), "MPI_Recv");
    return shift;
}

ashlar_status ashi_trace_create_unclocked(int64_t most, ashi_trace **out, ashlar_error *err)
{
    int64_t bytes = 0;
    ashi_trace *trace = calloc(1, sizeof *trace);
    if (trace && ashi_mul(most, (int64_t)sizeof *trace->at, &bytes))
        trace->at = malloc((size_t)bytes);
    *out = trace;
    if (trace && trace->at) {
        trace->most = most;
        return ASHLAR_OK;
    }
    ashi_trace_free(out);
    return ashi_fail_memory(err, "trace", bytes);
}

ashlar_status ashi_trace_create(MPI_Comm comm, int rank, int ranks, int64_t most, ashi_trace **out, ashlar_error *err)
{
    ashlar_error missed = {0};
    const double shift = find_shift(comm, rank, ranks, &missed);
    ashlar_status status = ashi_trace_create_unclocked(most, out, err);
    if (status != ASHLAR_OK)
        return status;
    (*out)->shift = shift;
    status = ashi_mpi_noted(&missed, err);
    if (status != ASHLAR_OK)
        ashi_trace_free(out);
    return status;
}

void ashi_trace_free(ashi_trace **trace)
{
    if (*trace)
        free((*trace)->at);
    free(*trace);
    *trace = NULL;
}

/* ---- lines ---- */

enum { ROWS = 1000 }; /* of a lane at most; threads are numbered by lane * ROWS + row */

static int by_lane_and_time(const void *a, const void *b)
{
    const event *x = a, *y = b;
    if (x->lane != y->lane)
        return (x->lane > y->lane) - (x->lane < y->lane);
    if (x->begin != y->begin)
        return (x->begin > y->begin) - (x->begin < y->begin);
    return (x->end < y->end) - (x->end > y->end);
}

/* Give each event of a lane the first row that is free when it begins: viewers draw one row of a thread, in which
 * events may not overlap. Returns the number of rows, at least 1. */
static int assign_rows(event *first, const event *end)
{
    double free_from[ROWS];
    int rows = 1;
    free_from[0] = -INFINITY;
    for (event *e = first; e < end; e++) {
        int row = 0;
        while (row < rows && free_from[row] > e->begin)
            row++;
        if (row == rows && rows < ROWS)
            rows++;
        e->row = row < ROWS ? row : ROWS - 1;
        free_from[e->row] = e->end;
    }
    return rows;
}

/* Lines that grow. */
typedef struct text {
    char *at;
    int64_t bytes, room;
    bool failed; /* memory was short: nothing more is added */
} text;

static void add(text *t, const char *format, ...) ASHI_PRINTF(2, 3);

static void add(text *t, const char *format, ...)
{
    char piece[256]; /* names are literals, and short */
    va_list values;
    va_start(values, format);
    const int64_t bytes = ashi_min(vsnprintf(piece, sizeof piece, format, values), (int64_t)sizeof piece - 1);
    va_end(values);
    if (t->room - t->bytes < bytes && !t->failed) {
        const int64_t room = ashi_max(1 << 12, 2 * t->room);
        char *at = realloc(t->at, (size_t)room);
        t->failed = !at;
        t->at = at ? at : t->at;
        t->room = at ? room : t->room;
    }
    if (t->failed)
        return;
    memcpy(t->at + t->bytes, piece, (size_t)bytes);
    t->bytes += bytes;
}

static void add_lane(text *t, int rank, ashi_trace_lane lane, int rows)
{
    for (int row = 0; row < rows; row++) {
        const int thread = (int)lane * ROWS + row;
        add(t, "{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":%d,\"tid\":%d,\"args\":{\"name\":\"%s", rank, thread,
            ashi_lane_name(lane));
        if (row > 0)
            add(t, " %d", row + 1);
        add(t, "\"}},\n{\"ph\":\"M\",\"name\":\"thread_sort_index\",\"pid\":%d,\"tid\":%d,\"args\":{"
            "\"sort_index\":%d}},\n", rank, thread, thread);
    }
}

/* Microseconds with three digits behind the point, whatever the program's locale writes for a point. */
static void add_time(text *t, const char *name, double seconds)
{
    const int64_t nanoseconds = (int64_t)fmax(0, 1e9 * seconds + 0.5);
    add(t, "\"%s\":%" PRId64 ".%03d,", name, nanoseconds / 1000, (int)(nanoseconds % 1000));
}

static void add_event(text *t, int rank, double shift, const event *e)
{
    add(t, "{\"ph\":\"X\",\"name\":\"%s\",\"cat\":\"%s\",\"pid\":%d,\"tid\":%d,", e->name,
        ashi_lane_name(e->lane), rank, (int)e->lane * ROWS + e->row);
    add_time(t, "ts", e->begin + shift);
    add_time(t, "dur", e->end - e->begin);
    add(t, "\"args\":{\"step\":%" PRId64 ",\"words\":%" PRId64 ",\"peer\":%" PRId64 "}},\n", e->step, e->words,
        e->peer);
}

ashlar_status ashi_trace_lines(ashi_trace *trace, int rank, char **out, int64_t *bytes, ashlar_error *err)
{
    const int64_t events = ashi_trace_events(trace);
    text t = {0};
    *out = NULL;
    *bytes = 0;
    add(&t, "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":%d,\"tid\":0,\"args\":{\"name\":\"rank %d\"}},\n", rank,
        rank);
    add(&t, "{\"ph\":\"M\",\"name\":\"process_sort_index\",\"pid\":%d,\"tid\":0,\"args\":{\"sort_index\":%d}},\n", rank,
        rank);
    qsort(trace->at, (size_t)events, sizeof *trace->at, by_lane_and_time);
    for (int64_t first = 0, end; first < events; first = end) {
        for (end = first; end < events && trace->at[end].lane == trace->at[first].lane; end++)
            continue;
        add_lane(&t, rank, trace->at[first].lane, assign_rows(&trace->at[first], &trace->at[end]));
        for (int64_t i = first; i < end && !t.failed; i++)
            add_event(&t, rank, trace->shift, &trace->at[i]);
    }
    if (t.failed) {
        free(t.at);
        return ashi_fail_memory(err, "trace", 2 * t.room);
    }
    *out = t.at;
    *bytes = t.bytes;
    return ASHLAR_OK;
}

void ashi_trace_head(char *out, int64_t ranks, int64_t events, int64_t dropped)
{
    snprintf(out, ASHI_TRACE_HEAD,
             "{\"displayTimeUnit\":\"ms\",\"otherData\":{\"format\":\"ashlar trace\",\"schema\":1,"
             "\"ranks\":%" PRId64 ",\"events\":%" PRId64 ",\"dropped\":%" PRId64 "},\"traceEvents\":[\n",
             ranks, events, dropped);
}

const char ashi_trace_end[] = "{\"ph\":\"M\",\"name\":\"trace_end\",\"pid\":0,\"tid\":0,\"args\":{}}\n]}\n";
