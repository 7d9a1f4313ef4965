/* A rank's program ready to run: groups have become messages, panels have places in the pool, and every operation has
 * the list of those that must end before it begins.
 *
 * The three passes that make it know no strategy, no MPI and no matrix memory: `lower` turns groups into messages,
 * `place` gives panels their places, `order` finds predecessors. They work on one step at a time, so that a long
 * program is never in memory as a whole. The result depends on the program, the rank and the look-ahead only. */
#ifndef ASHI_READY_H
#define ASHI_READY_H

#include "schedule/program.h"

/* A panel and where its words are. A panel in the caller's array or in a file is found through its view or file. */
typedef struct ashi_placed {
    ashi_panel panel;
    int64_t at;   /* in the pool: the first word, counted from the pool's beginning; else -1 */
    int64_t base; /* in the pool: `at` of the outermost panel that it lies within, or its own. Elements that are shorter
                     than a word of the pool lie one after the other from there on */
    int64_t ld;   /* not packed: the distance in words between neighbours along order[1]; along order[0] it is 1 */
    bool packed; /* its words lie one after the other from `at` on, a SHARE in the order of a piece (layout/view.h);
                    else each word lies at its place in the panel's box, whose first position is at `at` */
} ashi_placed;

/* An operation that is lowered, placed and ordered. */
typedef struct ashi_task {
    ashi_operation_kind kind;     /* neither MULTICAST nor REDUCE */
    int64_t number, step;         /* number: in program order, from 0 */
    int64_t read[ASHI_READS_MAX]; /* panels, as in an ashi_operation */
    bool last[ASHI_READS_MAX];
    int64_t makes;
    bool completes;               /* the panel `makes` is whole when this operation ends */
    bool begins;
    int64_t lo[ASHI_PRODUCT_INDICES], hi[ASHI_PRODUCT_INDICES];
    int64_t peer, tag;            /* SEND, RECEIVE */
    int64_t offset, words;        /* SEND, RECEIVE: which words of the panel, in the order in which they lie packed. A
                                     SEND of running sums as they lie: `words` words one after the other, the first
                                     `offset` words behind `at` of read[0]. MULTIPLY: `words` as in an
                                     ashi_operation */
    int64_t depth;                /* SEND: messages of the same step that go before it on its way; 0 for most */
    bool last_to_peer;            /* SEND: the last of its step to that peer */
    const int64_t *before;        /* numbers of the operations that must end before this one begins, growing; an
                                     operation of a step below `step` - look-ahead is not named, as it has ended */
    int64_t befores;              /* `before` is valid during the visit */
} ashi_task;

/* A panel is visited before the first operation that names it; one in the pool that nothing makes is not visited. */
typedef struct ashi_task_visitor {
    ashlar_status (*panel)(void *context, const ashi_placed *panel, ashlar_error *err);
    ashlar_status (*task)(void *context, const ashi_task *task, ashlar_error *err);
    void *context;
} ashi_task_visitor;

/* Ignores all, for steps that are only gone through. */
extern const ashi_task_visitor ashi_tasks_ignored;

typedef struct ashi_passes_request {
    ashi_program *program; /* outlives the passes */
    int64_t rank;
    int64_t look_ahead;    /* L: operations of step s may begin when all steps below s - L have ended */
    int64_t tags;          /* how many tags there are, at least 16384 */
} ashi_passes_request;

typedef struct ashi_passes ashi_passes;

/* ASHLAR_ERR_MEMORY. */
ashlar_status ashi_passes_create(const ashi_passes_request *request, ashi_passes **out, ashlar_error *err);

/* Visit the next step: steps are passed in order, from 0, each once. Errors of the program and of the visitor. */
ashlar_status ashi_passes_step(ashi_passes *passes, const ashi_task_visitor *visitor, ashlar_error *err);

/* Words of the pool that the steps passed so far use: up to the end of the panel that reaches furthest. */
int64_t ashi_passes_peak(const ashi_passes *passes);

void ashi_passes_free(ashi_passes **passes);

/* The peak of all steps. */
ashlar_status ashi_passes_peak_of(const ashi_passes_request *request, int64_t *words, ashlar_error *err);

#endif
