/* The tasks of a program that were passed and have not ended, which of them are ready, and the panels that they name.
 *
 * Tasks are kept in the order of their numbers. A task becomes ready when all before it have ended. A window that
 * `keeps` its tasks has all of a program, and can be rewound for another run. */
#ifndef ASHI_WINDOW_H
#define ASHI_WINDOW_H

#include "base/map.h"
#include "schedule/ready.h"

/* A panel that a task in the window names, or that a later one may. */
typedef struct ashi_window_panel {
    ashi_placed placed;
    int64_t users;  /* tasks in the window that name it, and 1 while a later one may */
    bool from_file; /* a running sum that began as a panel of C's file */
    int64_t load;   /* of ways.c: multiply-adds of a step */
} ashi_window_panel;

typedef struct ashi_node {
    ashi_task task;                 /* its `before` is not valid */
    int64_t read[ASHI_READS_MAX], makes; /* places of the panels in the window, -1 for none */
    int64_t befores, waits;         /* tasks before it that had not ended when it was passed, and that have not now */
    int64_t after;                  /* the first of the list of those that it is before, -1 for none */
    int64_t parts;                  /* for a lane: messages, or parts of it, that are under way */
    double began;                   /* for traces */
    bool ended;
    bool one_thread;                /* a product that the BLAS makes with one thread: see ways.h */
} ashi_node;

/* Lanes that work beside the calling thread, and the cores. */
typedef enum ashi_queue { ASHI_QUEUE_BESIDE, ASHI_QUEUE_CORES, ASHI_QUEUES } ashi_queue;

typedef struct ashi_numbers {
    int64_t *number;
    int64_t count, capacity;
} ashi_numbers;

typedef struct ashi_link {
    int64_t number, next;
} ashi_link;

typedef struct ashi_window {
    bool keeps;
    ashi_node *node;       /* a ring: task `number` is at number & (capacity - 1) */
    int64_t capacity, base, end; /* tasks base .. end-1 are there; base has not ended, unless the window keeps */
    int64_t first;         /* all tasks below it have ended */
    ashi_link *link;
    int64_t links, link_capacity, free_link; /* free ones are a list by `next` */
    ashi_window_panel *panel;
    int64_t panels, panel_capacity, free_panel; /* free ones are a list by their ids */
    ashi_map place;        /* from a panel's id to its place */
    ashi_numbers ready[ASHI_QUEUES]; /* heaps, the smallest number first */
    ashi_numbers copies;   /* likewise: the cores' tasks that copy. They go before others: most of what is copied is
                              sent then, and is on its way while products are formed */
    void (*rest)(void *context); /* NULL, or called before nodes and panels move in memory: other threads that read them
                                    have to stop meanwhile */
    void *rest_context;
} ashi_window;

/* What passes into the window: the visitor of ashi_passes_step. A step of which memory lacked for some tasks may be
 * passed again: tasks that are there already, and their panels, are not taken twice. */
ashi_task_visitor ashi_window_visitor(ashi_window *window);

/* Bytes that it allocated. */
static inline int64_t ashi_window_bytes(const ashi_window *w)
{
    const int64_t heaps = ASHI_QUEUES + 1; /* each has room for all tasks */
    return w->capacity * (int64_t)sizeof *w->node + w->link_capacity * (int64_t)sizeof *w->link +
           w->panel_capacity * (int64_t)sizeof *w->panel + heaps * w->capacity * (int64_t)sizeof *w->copies.number;
}

static inline ashi_node *ashi_window_node(const ashi_window *w, int64_t number)
{
    return &w->node[number & (w->capacity - 1)];
}

/* The panel that a node names at a place, NULL for -1. */
static inline const ashi_placed *ashi_window_placed(const ashi_window *w, int64_t place)
{
    return place < 0 ? NULL : &w->panel[place].placed;
}

/* Whether all tasks that were passed have ended, and the step of the first that has not. */
static inline bool ashi_window_is_empty(const ashi_window *w)
{
    return w->first == w->end;
}

static inline int64_t ashi_window_step(const ashi_window *w)
{
    return ashi_window_node(w, w->first)->task.step;
}

/* How many tasks of a queue are ready. */
static inline int64_t ashi_window_ready(const ashi_window *w, ashi_queue queue)
{
    return w->ready[queue].count + (queue == ASHI_QUEUE_CORES ? w->copies.count : 0);
}

ashi_queue ashi_window_queue(const ashi_window *window, const ashi_node *node);

/* Whether a MOVE reads a file or writes one. */
bool ashi_window_is_filed(const ashi_window *window, const ashi_node *node);

/* The multiply-adds of a product, else the words that a task makes or sends. */
int64_t ashi_window_words(const ashi_window *window, const ashi_node *node);

/* What a trace calls a task that no file takes part in. */
const char *ashi_task_name(ashi_operation_kind kind);

/* Take a ready task of a queue that is not above step `most`: the first, of the cores' tasks one that copies if there
 * is any, or the one at place `chosen` modulo those that are ready. -1 if there is none. */
int64_t ashi_window_take(ashi_window *window, ashi_queue queue, int64_t most);
int64_t ashi_window_take_any(ashi_window *window, ashi_queue queue, int64_t most, uint64_t chosen);

/* A task has ended: those that waited for it alone become ready. */
void ashi_window_ended(ashi_window *window, int64_t number);

/* Make the first task that has not ended ready, whatever it waits for. */
void ashi_window_force(ashi_window *window);

/* No task of a window that keeps its tasks has begun. */
void ashi_window_rewind(ashi_window *window);

/* Forget all tasks and panels; memory is kept for those that come. */
void ashi_window_clear(ashi_window *window);

void ashi_window_free(ashi_window *window);

#endif
