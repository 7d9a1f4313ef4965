/* One product on a device in progress: what the files of exec/onto_*.c share. */
#ifndef ASHI_ONTO_RUN_H
#define ASHI_ONTO_RUN_H

#include "exec/onto_device.h"
#include "schedule/ready.h"

/* A piece of C on its way back, in memory of the host. */
typedef struct ashi_onto_stage {
    char *data;
    ashi_device_event *event;
    bool under_way;
    int64_t item;           /* of the nest, that completed it */
    ashi_box box, all;      /* of C: the piece, and the panel that it is of */
} ashi_onto_stage;

enum { ASHI_ONTO_STAGES = 2 };

struct ashi_onto {
    ashi_onto_request request;
    const ashi_device_kind *calls;
    const ashi_kernels *kernels;
    int64_t bytes[3]; /* of an element of A, B and C */
    int64_t word;     /* bytes of a word of the device's memory and of the stages */
    float *floats;    /* of types with 16 bits: what the host needs to multiply (kernel/narrow.h); else NULL */
    void *pool;    /* of the device */
    int64_t pool_words, stage_words;
    int64_t area;  /* words at the pool's end, for sums that stay (exec/onto_stay.h) */
    void *stages; /* both, in memory of the host that the device has given */
    ashi_onto_stage stage[ASHI_ONTO_STAGES];
    ashi_device_event *end[2][ASHI_DEVICE_QUEUES]; /* of the last two steps, by the parity of the step */
    ashi_device_event **event[2];                  /* of the tasks of the last two steps, by the parity of the step */
    int64_t events[2], event_capacity[2];
    ashi_onto_tally tally; /* its failure is the device's */
};

/* A task of the step that is being put into the queues. */
typedef struct ashi_onto_task {
    ashi_task task; /* its `before` is not valid */
    int64_t before, befores; /* where those of its step begin in the list of all */
    ashi_device_queue queue;
    int64_t watched; /* its number for a trace */
    bool put;
} ashi_onto_task;

/* How far C is: all that items before `item` completed is there, and of what that item completed the lines before
 * `line`, counted along the side of C that is not contiguous, and of that line what lies before `at`. item -1: nothing
 * is there. The panel `last` was coming. */
typedef struct ashi_onto_frontier {
    int64_t item, line, at;
    ashi_box last;
} ashi_onto_frontier;

/* A task whose end is looked for. */
typedef struct ashi_onto_watched {
    int64_t step, words; /* words: of a product, its multiply-adds */
    ashi_device_queue queue;
    ashi_device_event *event;
    int64_t before[ASHI_DEVICE_QUEUES]; /* the last number in each queue of a task that it waits for; -1: none */
    double put, end;
    bool seen;           /* to have ended */
} ashi_onto_watched;

/* The tasks of the last two steps, in the order in which they were put into the queues; the first has number `gone`. */
typedef struct ashi_onto_watch {
    ashi_onto_watched *at;
    int64_t count, capacity, gone;
    double queue_end[ASHI_DEVICE_QUEUES], step_end[2];
    bool apart; /* a step does not wait for the one before it */
} ashi_onto_watch;

typedef struct ashi_onto_run {
    ashi_onto *onto;
    const ashi_onto_product *product;
    ashi_nest nest;
    int64_t step;
    ashi_placed *panel; /* in the pool, that later tasks may name */
    int64_t panels, panel_capacity;
    ashi_onto_task *task; /* of the step */
    int64_t tasks, task_capacity;
    int64_t *before;      /* numbers of tasks */
    int64_t befores, before_capacity;
    int next_stage;
    ashi_onto_watch watch; /* if the product has a trace */
    ashi_onto_frontier frontier;
} ashi_onto_run;

/* ashi_onto_multiply by a nest on one rank that the caller has chosen, of C's orders and `adds` as the product's. */
ashlar_status ashi_onto_multiply_as(ashi_onto *onto, const ashi_onto_product *product, const ashi_nest *nest,
                                    ashlar_error *err);

/* Let onto->pool have at least `words` words of the device's memory. ASHLAR_ERR_MEMORY; ASHLAR_ERR_DEVICE. */
ashlar_status ashi_onto_allocate(ashi_onto *onto, int64_t words, ashlar_error *err);

/* The same for products that hold `words` words beside the sums that stay. A device that has failed needs none. */
ashlar_status ashi_onto_reserve(ashi_onto *onto, int64_t words, ashlar_error *err);

/* The host's matrix that an operand is, seen as the nest does: A m x k, B n x k, C m x n. */
ashi_matrix ashi_onto_matrix(const ashi_onto_product *product, ashlar_operand x);

/* Which matrices have their first side contiguous; of A, m x k, not if it is to be conjugated. */
void ashi_onto_orders(const ashi_onto_product *product, bool minor[3]);

/* Put task `i` of the step into its queue, after those of its step that go before it. There are events for it. */
ashlar_status ashi_onto_put_task(ashi_onto_run *run, int64_t i, ashlar_error *err);

/* Let each of the last two steps, by its parity `set`, have events for `count` tasks. ASHLAR_ERR_MEMORY. */
ashlar_status ashi_onto_room_for_events(ashi_onto *onto, int set, int64_t count, ashlar_error *err);

/* The device reads and writes nothing of the host's any more. */
void ashi_onto_stop(ashi_onto *onto);

/* Copy a panel's box to the device, or from it by way of the stages. */
ashlar_status ashi_onto_copy_in(ashi_onto_run *run, const ashi_placed *panel, ashlar_error *err);
ashlar_status ashi_onto_copy_out(ashi_onto_run *run, const ashi_placed *panel, ashlar_error *err);

/* Wait until all that was to come back is in C. */
ashlar_status ashi_onto_collect(ashi_onto_run *run, ashlar_error *err);

/* Wait for an event, listening. */
ashlar_status ashi_onto_await(ashi_onto_run *run, ashi_device_event *event, ashlar_error *err);

/* Put all steps into the queues and wait until C is whole. ASHLAR_ERR_INTERRUPTED; errors of the passes and of the
 * device. */
ashlar_status ashi_onto_run_program(ashi_onto_run *run, ashi_passes *passes, int64_t steps, ashlar_error *err);

/* For a trace: a task was put into its queue; and note the tasks that have ended since the last look, with the moments
 * that the host saw. A task began when it was put, or when what it waited for had ended. ASHLAR_ERR_MEMORY. */
ashlar_status ashi_onto_watch_put(ashi_onto_run *run, const ashi_onto_watched *task, ashlar_error *err);
void ashi_onto_watch_events(ashi_onto_run *run);

/* Multiply on the host what is missing in C. */
void ashi_onto_finish_on_host(ashi_onto_run *run);

/* Distances between neighbours along both sides of a panel in the pool, and where position (minor, major) is. */
void ashi_onto_strides(const ashi_placed *panel, int64_t stride[2]);
char *ashi_onto_address(const ashi_onto_run *run, const ashi_placed *panel, int64_t minor, int64_t major);

#endif
