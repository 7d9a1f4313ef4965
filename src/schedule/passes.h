/* What the three passes share: the panels that are live on a rank, and the tasks of the step that is passed. */
#ifndef ASHI_PASSES_H
#define ASHI_PASSES_H

#include "base/map.h"
#include "schedule/ready.h"
#include "schedule/space.h"

/* A panel that operations may still name. Uses older than the look-ahead are forgotten. */
typedef struct ashi_live {
    ashi_placed placed;
    int64_t outer, inner, next; /* places in the table: what it lies within; the first of those within it; the next
                                   within the same; -1 none */
    bool has_place;
    bool touched;               /* an operation reads or makes it, or a panel within it */
    int64_t step;               /* the last in which one did */
    int64_t filled;             /* words that operations have made of it */
    ashi_uses made, read;       /* who makes and reads the panel itself */
    ashi_uses made_within, read_within; /* who makes and reads panels within it */
    ashi_uses after;            /* who must end before its memory is written */
} ashi_live;

/* A panel of the step, and how many of the step's tasks come before it. */
typedef struct ashi_step_panel {
    ashi_placed placed;
    int64_t tasks;
} ashi_step_panel;

/* How many messages went to a rank and came from it, and the last step whose last message to it is known. */
typedef struct ashi_peer {
    int64_t sent, received, step;
} ashi_peer;

struct ashi_passes {
    ashi_passes_request request;
    int64_t step, tasks; /* the step that is passed; tasks so far */
    ashi_map place_of;   /* by id: where in `live` */
    ashi_live *live;
    int64_t live_count, live_capacity;
    int64_t *unused;     /* places in `live` */
    int64_t unused_count, unused_capacity;
    int64_t *outside;    /* places of the panels of C that are not in the pool */
    int64_t outside_count, outside_capacity;
    int64_t sums[ASHI_READS_MAX]; /* panels of one part that were told and have no place yet */
    int sums_count;
    ashi_space space;
    ashi_map peer_of;
    ashi_peer *peer;
    int64_t peers, peer_capacity;
    /* Of the step. */
    ashi_step_panel *panel;
    int64_t panel_count, panel_capacity;
    ashi_task *task;     /* `before` is set when the step is visited: until then befores are counted only */
    int64_t task_count, task_capacity;
    int64_t *before;
    int64_t before_count, before_capacity;
};

/* ---- live panels (live.c) ---- */

/* The place of a panel in `live`; -1 if it is not there any more. */
int64_t ashi_live_find(const ashi_passes *p, int64_t id);
ashlar_status ashi_live_add(ashi_passes *p, const ashi_panel *panel, ashlar_error *err);

/* A panel is gone, with those within it. */
ashlar_status ashi_live_drop(ashi_passes *p, int64_t at, ashlar_error *err);

/* Panels outside the pool that no operation of the window names are forgotten. */
ashlar_status ashi_live_forget(ashi_passes *p, ashlar_error *err);
void ashi_live_free(ashi_passes *p);

/* Operations of steps below this one have ended before any of the present step begins. */
int64_t ashi_passes_window(const ashi_passes *p);

/* ---- lower (lower_program.c) ---- */

typedef ashlar_status (*ashi_task_visit)(ashi_passes *p, const ashi_operation *o, ashi_task *task, ashlar_error *err);

/* Visit the tasks of an operation, with their tags. */
ashlar_status ashi_lower_operation(ashi_passes *p, const ashi_operation *o, ashi_task_visit visit, ashlar_error *err);

/* Say of the step's SENDs which are the last to their peers. */
ashlar_status ashi_lower_end_step(ashi_passes *p, ashlar_error *err);

/* ---- place (place.c) ---- */

/* A panel was told: running sums get their place before anything else is told. */
ashlar_status ashi_place_panel(ashi_passes *p, const ashi_panel *panel, ashlar_error *err);
ashlar_status ashi_place_sums(ashi_passes *p, ashlar_error *err);

/* What a task makes gets its place; a SEND of sums as they lie finds its words. */
ashlar_status ashi_place_task(ashi_passes *p, const ashi_operation *o, ashi_task *task, ashlar_error *err);

/* What an operation was the last to read is gone. */
ashlar_status ashi_place_end(ashi_passes *p, const ashi_operation *o, ashlar_error *err);

/* ---- order (order.c) ---- */

/* Find the predecessors of a task: they are appended to `before`. */
ashlar_status ashi_order_task(ashi_passes *p, ashi_task *task, ashlar_error *err);

#endif
