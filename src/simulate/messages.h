/* The messages of all ranks of a schedule, one by one. */
#ifndef ASHI_MESSAGES_H
#define ASHI_MESSAGES_H

#include "schedule/program.h"

/* Called at both ends of each message: rank after rank, and on each rank step after step. */
typedef ashlar_status (*ashi_message_seen)(void *context, int64_t rank, int64_t step, const ashi_message *message,
                                           ashlar_error *err);

/* Stops at the first call that fails and returns its status, or that with which the schedule itself failed. */
ashlar_status ashi_messages_visit(ashi_schedule *schedule, ashi_message_seen seen, void *context, ashlar_error *err);

#endif
