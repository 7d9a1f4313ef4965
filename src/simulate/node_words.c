/* Walk every rank's schedule and sort out the messages that leave a node. */
#include "simulate/node_words.h"

#include "base/checked.h"
#include "base/error.h"
#include "schedule/lower.h"

#include <stdlib.h>

typedef struct node {
    int64_t ranks, received, sent; /* words from other nodes, and to them */
} node;

/* The walk of one rank. */
typedef struct crossing {
    ashi_schedule *schedule;
    const int *node_of;
    node *own;
    int64_t rank, received;
} crossing;

static ashlar_status cross_message(void *context, const ashi_op *op, const ashi_message *message, ashlar_error *err)
{
    crossing *c = context;
    (void)op;
    if (c->node_of[message->peer] == c->node_of[c->rank])
        return ASHLAR_OK;
    int64_t *sum = message->send ? &c->own->sent : &c->own->received;
    if (!ashi_add(*sum, message->words, sum))
        return ashi_fail(err, ASHLAR_ERR_OVERFLOW, "the words between nodes are too many to count");
    c->received += message->send ? 0 : message->words;
    return ASHLAR_OK;
}

static ashlar_status cross_op(void *context, const ashi_op *op, ashlar_error *err)
{
    crossing *c = context;
    return ashi_lower(c->schedule, c->rank, op, cross_message, c, err);
}

static ashlar_status sum_up(const node *at, ashi_node_words *out, ashlar_error *err)
{
    for (int64_t n = 0; n < out->nodes; n++) {
        out->ranks_most = ashi_max(out->ranks_most, at[n].ranks);
        out->words_max = ashi_max(out->words_max, at[n].received);
        out->sent_max = ashi_max(out->sent_max, at[n].sent);
        if (!ashi_add(out->words_total, at[n].received, &out->words_total))
            return ashi_fail(err, ASHLAR_ERR_OVERFLOW, "the words between nodes are too many to count");
    }
    return ASHLAR_OK;
}

ashlar_status ashi_node_words_count(ashi_schedule *schedule, const int *node_of, ashi_node_words *out,
                                    ashlar_error *err)
{
    *out = (ashi_node_words){0};
    for (int64_t rank = 0; rank < schedule->ranks; rank++)
        out->nodes = ashi_max(out->nodes, (int64_t)node_of[rank] + 1);
    node *at = calloc((size_t)out->nodes, sizeof *at);
    if (!at)
        return ashi_fail_memory(err, "nodes", out->nodes * (int64_t)sizeof *at);
    ashlar_status status = ASHLAR_OK;
    for (int64_t rank = 0; rank < schedule->ranks && status == ASHLAR_OK; rank++) {
        crossing c = {schedule, node_of, &at[node_of[rank]], rank, 0};
        c.own->ranks++;
        status = ashi_schedule_walk(schedule, rank, cross_op, &c, err);
        out->rank_words_max = ashi_max(out->rank_words_max, c.received);
    }
    if (status == ASHLAR_OK)
        status = sum_up(at, out, err);
    free(at);
    return status;
}
