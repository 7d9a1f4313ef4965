/* The words that cross between nodes: of all ranks' messages, those between ranks of different nodes. */
#ifndef ASHI_NODE_WORDS_H
#define ASHI_NODE_WORDS_H

#include "schedule/schedule.h"

typedef struct ashi_node_words {
    int64_t nodes;      /* 0: it is not known which ranks share one */
    int64_t ranks_most; /* of a node */
    int64_t words_max;  /* that a node receives from others, of the busiest */
    int64_t sent_max;   /* that a node sends to others, of the busiest */
    int64_t words_total;
    int64_t rank_words_max; /* that a rank receives from other nodes, of the busiest */
} ashi_node_words;

/* Count all ranks' messages. node_of: of each rank the node that it is on, counted from 0.
 * @return ASHLAR_OK; ASHLAR_ERR_OVERFLOW; ASHLAR_ERR_MEMORY; what the schedule fails with */
ashlar_status ashi_node_words_count(ashi_schedule *schedule, const int *node_of, ashi_node_words *out,
                                    ashlar_error *err);

#endif
