/* A torus of nodes: rank r is the node whose coordinates are r's digits, the last dimension's the lowest.
 *
 * Between neighbours of a dimension there is a link each way. A dimension of length 2 has two neighbours that are one
 * node, hence two links each way; one of length 1 has none. */
#ifndef ASHI_TORUS_H
#define ASHI_TORUS_H

#include <ashlar/machine.h>

enum { ASHI_TORUS_MOST = ASHLAR_TORUS_MOST, ASHI_TORUS_TEXT = ASHI_TORUS_MOST * 20 };

typedef struct ashi_torus {
    int dims;                        /* 0: there is none */
    int64_t length[ASHI_TORUS_MOST]; /* of each dimension, at least 1 */
} ashi_torus;

/* How many nodes it has; -1 where it is none: a length below 1, too many dimensions or nodes to count. */
int64_t ashi_torus_nodes(const ashi_torus *torus);

/* "4x4x2", as the command line writes it. */
const char *ashi_torus_text(const ashi_torus *torus, char out[ASHI_TORUS_TEXT]);

/* ASHLAR_ERR_ARG, naming both, where it has not as many nodes as there are ranks. dims = 0 fits any number. */
ashlar_status ashi_torus_check(const ashi_torus *torus, int64_t ranks, const char *who, ashlar_error *err);

/* The torus of a machine's figures, not checked. */
ashi_torus ashi_torus_of(const ashlar_machine *machine);

/* The coordinates of a node, and the node at given ones. */
void ashi_torus_at(const ashi_torus *torus, int64_t node, int64_t at[ASHI_TORUS_MOST]);
int64_t ashi_torus_node(const ashi_torus *torus, const int64_t at[ASHI_TORUS_MOST]);

/* Links are numbered from 0 to ashi_torus_numbers - 1, those that do not exist included; ashi_torus_links exist. */
int64_t ashi_torus_numbers(const ashi_torus *torus);
int64_t ashi_torus_links(const ashi_torus *torus);

/* The link that leaves a node along a dimension, upwards or downwards. */
int64_t ashi_torus_link(const ashi_torus *torus, int64_t node, int dim, bool down);

/* Visit the links from one node to another, dimension after dimension from the first, the shorter way round. Where both
 * ways are as long, nodes whose coordinates sum up to an even number send upwards and the others downwards: of any line
 * of nodes that send that far together each way carries half. Returns how many links there are. */
int64_t ashi_torus_route(const ashi_torus *torus, int64_t from, int64_t to, void (*visit)(void *context, int64_t link),
                         void *context);

#endif
