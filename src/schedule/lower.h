/* What one rank sends and receives for an operation: the same for the executor, the simulator and the checker. */
#ifndef ASHI_LOWER_H
#define ASHI_LOWER_H

#include "schedule/schedule.h"

/* A message of an operation. */
typedef struct ashi_message {
    bool send;         /* else it is received */
    int64_t peer;
    bool ready;        /* for a send: nothing of the same operation need be received first; else the same share */
    int64_t before;    /* for a send: messages of the same operation that go before it, one after the other */
    int64_t place;     /* REDUCE: which contribution it is at the receiver, counted from 0 */
    int share;         /* MULTICAST: which part of the piece it is, counted from 0 */
    int64_t words;
    int64_t offset;    /* MULTICAST: where in the piece the share begins */
} ashi_message;

typedef ashlar_status (*ashi_message_visit)(void *context, const ashi_op *op, const ashi_message *message,
                                            ashlar_error *err);

/* Visit the messages of `rank` in one operation, receives first: of MULTICAST and REDUCE those that they are lowered
 * to, of SEND and RECEIVE the one that they are; others have none. */
ashlar_status ashi_lower(const ashi_schedule *schedule, int64_t rank, const ashi_op *op, ashi_message_visit visit,
                         void *context, ashlar_error *err);

/* Whether group operations of a kind go along trees; else straight between the owner and each other member. */
bool ashi_lower_along_tree(const ashi_schedule *schedule, ashi_op_kind kind);

/* How many contributions of a REDUCE arrive at a rank. */
int64_t ashi_lower_contributions(const ashi_schedule *schedule, int64_t rank, const ashi_op *op);

/* The owner and the members of a MULTICAST or REDUCE, and where a rank is among them. */
typedef struct ashi_group {
    const int *member;
    int64_t members, owner, owner_at, rank_at;
} ashi_group;

/* How many messages a rank sends and receives in a group that goes straight, or along a binomial tree: what ashi_lower
 * visits, counted. */
typedef struct ashi_traffic {
    int64_t sends, receives;
} ashi_traffic;

ashi_traffic ashi_lower_count(const ashi_group *group, bool multicast, bool tree, int64_t rank);

#endif
