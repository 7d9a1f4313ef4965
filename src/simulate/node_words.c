/* Sort out the messages of all ranks that leave a node. */
#include "simulate/node_words.h"

#include "base/checked.h"
#include "base/error.h"
#include "simulate/messages.h"

#include <stdlib.h>

typedef struct node {
    int64_t ranks, received, sent; /* words from other nodes, and to them */
} node;

typedef struct crossing {
    const int *node_of;
    node *at;
    int64_t rank, received; /* the rank that is counted, and what came to it from other nodes */
    int64_t received_max;
} crossing;

static ashlar_status cross(void *context, int64_t rank, int64_t step, const ashi_message *message, ashlar_error *err)
{
    crossing *c = context;
    (void)step;
    if (c->node_of[message->peer] == c->node_of[rank])
        return ASHLAR_OK;
    node *own = &c->at[c->node_of[rank]];
    int64_t *sum = message->send ? &own->sent : &own->received;
    if (!ashi_add(*sum, message->words, sum))
        return ashi_fail(err, ASHLAR_ERR_OVERFLOW, "the words between nodes are too many to count");
    c->received = (c->rank == rank ? c->received : 0) + (message->send ? 0 : message->words);
    c->rank = rank;
    c->received_max = ashi_max(c->received_max, c->received);
    return ASHLAR_OK;
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
    crossing c = {.node_of = node_of, .at = at, .rank = -1};
    for (int64_t rank = 0; rank < schedule->ranks; rank++)
        at[node_of[rank]].ranks++;
    ashlar_status status = ashi_messages_visit(schedule, cross, &c, err);
    out->rank_words_max = c.received_max;
    if (status == ASHLAR_OK)
        status = sum_up(at, out, err);
    free(at);
    return status;
}
