/* What the parts of the checker of ready programs share. */
#ifndef ASHI_TASKS_H
#define ASHI_TASKS_H

#include "base/map.h"
#include "check/list.h"
#include "check/ready.h"

/* A task, of any rank, without what it reads. */
typedef struct ashi_seen_task {
    int64_t rank, number, step;
    ashi_operation_kind kind;
    int64_t peer, tag, words;
    int64_t before, befores; /* where its predecessors are in `before` */
    int64_t match;           /* a message: the other end; else -1 */
    int64_t looked;          /* the last search for a path that came here */
} ashi_seen_task;

/* Words of the pool that have one state. */
typedef struct ashi_seen_words {
    int64_t lo, hi;
    int64_t root;   /* the panel in the pool, within no other, for which they were written */
    int64_t writer; /* the last */
} ashi_seen_words;

/* Words that were read, or a panel outside the pool that was. */
typedef struct ashi_seen_read {
    int64_t lo, hi, task;
} ashi_seen_read;

/* A use of a panel of C that is not in the pool. */
typedef struct ashi_seen_use {
    ashi_panel panel;
    int64_t task;
    bool writes;
} ashi_seen_use;

/* What an operation of the program is to become. */
typedef struct ashi_expected {
    ashi_task task;
    ashlar_operand operand; /* a message of sums: whose words */
    ashi_box box;
    int64_t owner;
    ashi_chunk chunk;
} ashi_expected;

typedef struct ashi_ready_proof {
    const ashi_ready_request *request;
    ashi_check_report *report;
    ashi_check_list task;   /* ashi_seen_task, of all ranks */
    ashi_check_list before; /* int64_t: numbers within the rank */
    /* Of the rank that is read. */
    int64_t rank, first;    /* its first task in `task` */
    int64_t step, searches;
    int64_t reach;          /* where the words used so far end */
    ashi_check_list expected;      /* ashi_expected */
    ashi_map place_of;             /* by id: in `panel` */
    ashi_check_list panel;         /* ashi_placed */
    ashi_check_list filled;        /* int64_t: words made of each, by place */
    ashi_check_list open, closed;  /* int64_t: peers of the step's SENDs of which none, or one, is called the last */
    ashi_check_list words;         /* ashi_seen_words: sorted, apart */
    ashi_check_list reads;         /* ashi_seen_read, of the window */
    ashi_check_list uses;          /* ashi_seen_use, of the window */
    ashi_check_list stack;         /* int64_t */
    ashi_check_list segments;      /* ashi_seen_read: of one panel, without task */
} ashi_ready_proof;

/* Say what is wrong with a task, or with the rank if it is NULL. Returns ASHLAR_ERR_INTERNAL. */
ashlar_status ashi_ready_fail(ashi_ready_proof *p, const ashi_task *task, ashlar_error *err, const char *what);

/* The placed panel with an id; NULL if it was not visited. */
ashi_placed *ashi_ready_panel(const ashi_ready_proof *p, int64_t id);

/* How many of its words have been made; NULL if it was not visited. */
int64_t *ashi_ready_filled(const ashi_ready_proof *p, int64_t id);

/* Whether a running sum has C from the file in it: then the first update does not begin it. */
bool ashi_ready_is_loaded(const ashi_ready_proof *p, int64_t id);

/* ---- what the program says (expected.c) ---- */

/* The tasks that the rank's program is to become. */
ashlar_status ashi_ready_expect(ashi_ready_proof *p, ashlar_error *err);

/* Whether a task is that one. */
bool ashi_ready_is_expected(const ashi_expected *e, const ashi_task *task);

/* ---- memory (memory.c) ---- */

/* All conflicts of a task with earlier ones, and whether what it reads is there. */
ashlar_status ashi_ready_use(ashi_ready_proof *p, const ashi_expected *e, const ashi_task *task, ashlar_error *err);

/* ---- waiting (waiting.c) ---- */

/* Whether a task of the rank has ended whenever another, later one begins. */
bool ashi_ready_precedes(ashi_ready_proof *p, int64_t earlier, int64_t later, ashlar_error *err);

/* Messages pair, and nothing waits for itself. */
ashlar_status ashi_ready_pairing(ashi_ready_proof *p, ashlar_error *err);

#endif
