/* Messages of which one end or both have begun, while all ranks are played: each is found by its two ends. */
#ifndef ASHI_MESSAGE_ENDS_H
#define ASHI_MESSAGE_ENDS_H

#include "base/map.h"

#include <ashlar/base.h>

#include <stdbool.h>

enum { ASHI_SENDER, ASHI_RECEIVER, ASHI_ENDS };

typedef struct ashi_paired_message {
    int64_t rank[ASHI_ENDS], task[ASHI_ENDS]; /* -1: that end has not begun */
    int64_t words;
} ashi_paired_message;

typedef struct ashi_message_ends {
    ashi_map waiting; /* for the other end */
    ashi_paired_message *message;
    int64_t count, capacity, free; /* free ones are a list by task[0] */
} ashi_message_ends;

/* None has begun. */
ashi_message_ends ashi_message_ends_none(void);

/* One end of the message that both ends call `key` has begun: task `task` of `rank`, the sender's or the receiver's.
 * *at is the message's place until it is released, and *both is whether the other end had begun before.
 * ASHLAR_ERR_MEMORY. */
ashlar_status ashi_message_ends_begin(ashi_message_ends *ends, int64_t key, int end, int64_t rank, int64_t task,
                                      int64_t words, int64_t *at, bool *both, ashlar_error *err);

/* A message has ended: its place may serve another. */
void ashi_message_ends_release(ashi_message_ends *ends, int64_t at);

void ashi_message_ends_free(ashi_message_ends *ends);

#endif
