/* What the player's files share: one run of a program in progress, and what a lane offers. */
#ifndef ASHI_PLAY_H
#define ASHI_PLAY_H

#include "exec/player.h"
#include "kernel/kernels.h"
#include "schedule/ways.h"
#include "schedule/window.h"

typedef struct ashi_play ashi_play;

/* A lane that works beside the calling thread: the network, or the disk. It tells of a task that has ended by
 * ashi_play_ended, from within `begin` or `wait`. After a failure (ashi_play_fail) the network still sends and receives
 * every message, with no words, and the disk does nothing. */
typedef struct ashi_beside {
    void (*begin)(struct ashi_beside *lane, int64_t number);
    /* Tell of tasks that have ended. seconds: 0: do not wait for one; below 0: wait until one has ended; else wait for
     * so long at most, if the lane can. */
    void (*wait)(struct ashi_beside *lane, double seconds);
    void (*free)(struct ashi_beside *lane);
    int64_t under_way; /* tasks begun and not ended */
} ashi_beside;

/* Part `part` of `parts` of what is moved, added up, scaled or multiplied, which threads do side by side. */
typedef struct ashi_stripe {
    int part, parts;
} ashi_stripe;

/* Where a rectangle lies, in whatever memory a run is given: in the pool, or in the caller's array. */
typedef struct ashi_site {
    int64_t tile;          /* of the caller's; -1: in the pool */
    int64_t start, offset; /* elements from the array's beginning to the tile, and from there; in the pool `start` is
                              in words of the pool, the `base` of a panel */
    int64_t minor_stride, major_stride;
} ashi_site;

/* An interval of k that a side of a product is multiplied over: its site begins at the product's first minor position
 * and k = lo. */
typedef struct ashi_k_run {
    int64_t lo, hi;
    ashi_site site;
    bool conjugate;
} ashi_k_run;

typedef struct ashi_k_runs {
    ashi_k_run *at;
    int64_t count, capacity;
} ashi_k_runs;

/* A product of a program that is kept ready: where everything lies is found once. */
typedef struct ashi_sited {
    bool known;
    int64_t first[2], count[2]; /* intervals of A and of B, among all that are known */
    ashi_site sum;              /* the product's first element */
} ashi_sited;

/* What a thread that does tasks of the cores has of its own. */
typedef struct ashi_hand {
    ashi_play *heard;     /* of the calling thread: the lanes are heard during a long product. NULL of a worker */
    ashi_k_runs k_run[2]; /* of A and of B, of the product in progress */
    float *floats;        /* of narrow operands: room for blocks of them (narrow.h); else NULL */
    ashlar_error failure; /* the first of the run; status ASHLAR_OK: none */
} ashi_hand;

struct ashi_play {
    ashi_player_request request;
    const ashi_program *program;
    size_t bytes;                 /* of a word of the pool, and of an element of C */
    size_t element[3];            /* bytes of an element of each operand */
    const ashi_kernels *kernels;
    char *workspace;
    ashi_window window;
    ashi_beside *network, *disk;
    int64_t requests;       /* of MPI that the network has under way at most */
    ashi_hand *hand;        /* [0] of the calling thread, the others of the workers */
    int hands;              /* request.threads; one more if `shares`: the calling thread attends to the disk then */
    int workers;            /* that serve this run */
    int64_t handed;         /* parts of tasks that were given to the workers and have not been heard of as ended */
    int64_t handed_work;    /* multiply-adds, or words, of their tasks */
    bool side_by_side;      /* there are tasks for the workers */
    ashi_sited *sited;      /* by the numbers of tasks, sited_count of them; only read once the player is made */
    int64_t sited_count, sited_capacity;
    ashi_k_runs known;      /* the intervals of all of these; only read too */
    struct ashi_play_sums *sums;  /* that stay on a device (exec/play_sums.h); else NULL */
    bool mends;                   /* of all products only those are made that the last run has lost */
    struct ashi_play_tiles *tiles; /* of a program of tiles (exec/play_tiles.h); else NULL */
    bool cuts;                    /* products are cut, so that lanes are heard in between */
    bool shares;                  /* products for all threads are cut into parts of one thread each: see ways.h */
    uint64_t disorder;            /* the state of random numbers; 0: tasks begin in program order */

    /* Of the run in progress. */
    ashi_player_work work;
    ashi_player_tally *tally;
    ashlar_error failure;         /* the first; status ASHLAR_OK: none */
    bool draining;                /* this rank failed, or another did: messages have no words */
};

/* Take a ready task of a queue of which the step may begin, -1 if there is none: the first, in tests any. */
int64_t ashi_play_take(ashi_play *play, ashi_queue queue);

/* In tests a task may be late, or its lane. */
bool ashi_play_is_late(ashi_play *play);

/* Note a failure: what is left of the program moves no words. */
void ashi_play_fail(ashi_play *play, const ashlar_error *failure);

void ashi_play_ended(ashi_play *play, int64_t number);

/* The last step of which tasks may begin. */
int64_t ashi_play_last_step(const ashi_play *play);

/* Begin what is ready for the network and the disk. */
void ashi_play_begin_beside(ashi_play *play);

/* Hear what they have to tell, then that. */
void ashi_play_listen(ashi_play *play);

/* The panel that a message fills, or is read from. */
static inline const ashi_placed *ashi_message_panel(const ashi_play *play, const ashi_node *node)
{
    return ashi_window_placed(&play->window, node->task.kind == ASHI_DO_RECEIVE ? node->makes : node->read[0]);
}

/* Count a message that begins. */
void ashi_play_count_message(ashi_play *play, const ashi_node *node);

/* A task of a lane that began at n->began has ended now: to the trace, if there is one. */
void ashi_play_note(const ashi_play *play, ashi_trace_lane lane, const ashi_node *node);

/* The lanes. */
ashlar_status ashi_network_create(ashi_play *play, ashi_beside **out, ashlar_error *err);
ashlar_status ashi_puts_create(ashi_play *play, ashi_beside **out, ashlar_error *err); /* the network, one-sided */
ashlar_status ashi_disk_create(ashi_play *play, ashi_beside **out, ashlar_error *err);

/* Make the window of one-sided transport, `words` words on this rank: play->workspace. Collective, every rank makes
 * every call; the status is this rank's own. Freeing the lane is collective from then on. */
ashlar_status ashi_puts_open(ashi_beside *lane, int64_t words, ashlar_error *err);

/* The cores: MULTIPLY, ADD, SCALE, and a MOVE in memory. The calling thread does one after the other, or gives those
 * that run on one thread, and parts of others, to the workers and does them beside these. */
ashlar_status ashi_cores_create(ashi_play *play, ashlar_error *err);
void ashi_cores_free(ashi_play *play);

/* Make room for a product, and keep what serves every run if the window keeps its tasks; forget what was kept. */
ashlar_status ashi_cores_reserve(ashi_play *play, const ashi_node *node, ashlar_error *err);
void ashi_cores_forget(ashi_play *play);

/* A step was passed, from task `first` on: find which tasks can run side by side. */
void ashi_cores_look(ashi_play *play, int64_t first);

/* The program was passed once: if there is work for them, start the workers. */
ashlar_status ashi_cores_start(ashi_play *play, ashlar_error *err);

/* A run begins. */
void ashi_cores_open(ashi_play *play);

/* Do a task that is ready, or a part of one, and hear of what workers have ended. False if there was nothing. */
bool ashi_cores_turn(ashi_play *play);

/* Hear of what workers have ended; seconds as for a lane. */
void ashi_cores_wait(ashi_play *play, double seconds);

/* One kind of task each. A `stripe` is the part of it that is done. */
ashlar_status ashi_play_multiply(const ashi_play *play, ashi_hand *hand, const ashi_node *node, ashi_stripe stripe,
                                 ashlar_error *err);
ashlar_status ashi_play_move(const ashi_play *play, const ashi_node *node, ashi_stripe stripe, ashlar_error *err);
ashlar_status ashi_play_add(const ashi_play *play, const ashi_node *node, ashi_stripe stripe, ashlar_error *err);
ashlar_status ashi_play_scale(const ashi_play *play, const ashi_node *node, ashi_stripe stripe, ashlar_error *err);

/* Find the intervals of a product, so that there is room for them, before workers start. If the window keeps its tasks
 * the intervals are kept too, unless there are many. */
ashlar_status ashi_play_reserve(ashi_play *play, ashi_hand *hand, const ashi_node *node, ashlar_error *err);

/* Forget what was kept: the window does not keep its tasks after all, or the player ends. */
void ashi_play_forget(ashi_play *play);

#endif
