/* A trace as it was read: events of ranks and lanes, and what they amount to. */
#ifndef ASHI_TIMELINE_H
#define ASHI_TIMELINE_H

#include "exec/trace.h"

typedef struct ashi_timed {
    const char *name; /* of the timeline's names */
    double begin, end; /* microseconds */
    int64_t step, words;
    int rank, row, peer; /* row: of its lane; peer: -1 for none */
    ashi_trace_lane lane;
    bool wait;
} ashi_timed;

enum { ASHI_NAME_MOST = 60, ASHI_NAMES_MOST = 64 };

typedef struct ashi_timeline {
    int ranks;
    int64_t count, room, dropped; /* events that there are, that fit into memory, that were not recorded */
    ashi_timed *event; /* by rank, lane and time */
    char *name[ASHI_NAMES_MOST]; /* each once; NULL beyond the last */
    double begin, end; /* of all events; 0 if there are none */
} ashi_timeline;

/* Read a file of plan/trace.h, and no other: ASHLAR_ERR_ARG names the line that is not as that says. ASHLAR_ERR_IO;
 * ASHLAR_ERR_MEMORY. After a failure there is nothing to free. */
ashlar_status ashi_timeline_read(const char *path, ashi_timeline *out, ashlar_error *err);
void ashi_timeline_free(ashi_timeline *timeline);

/* What one rank did, in microseconds in which at least one event of the kind was under way. */
typedef struct ashi_timeline_rank {
    double busy[ASHI_LANES]; /* waits are not */
    double waiting;
    double hidden; /* moving, while the cores or the device were busy */
    double moving; /* the network, the disk, copies to the device or from it, or several of these */
} ashi_timeline_rank;

/* ASHLAR_ERR_MEMORY. */
ashlar_status ashi_timeline_measure(const ashi_timeline *timeline, int rank, ashi_timeline_rank *out,
                                    ashlar_error *err);

/* The longest wait of all ranks, or NULL. */
const ashi_timed *ashi_timeline_longest_wait(const ashi_timeline *timeline);

/* The events of a rank are number *first .. *end-1. */
void ashi_timeline_of_rank(const ashi_timeline *timeline, int rank, int64_t *first, int64_t *end);

/* Lanes as rows, time to the right, as an SVG that the caller frees; NULL on failure. ASHLAR_ERR_MEMORY. */
ashlar_status ashi_timeline_draw(const ashi_timeline *timeline, char **out, ashlar_error *err);

#endif
