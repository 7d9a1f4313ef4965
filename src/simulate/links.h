/* The load of every link of a torus: words of all ranks' messages, each along its route. */
#ifndef ASHI_LINKS_H
#define ASHI_LINKS_H

#include "model/torus.h"
#include "simulate/simulate.h"

typedef struct ashi_links {
    ashi_torus torus;
    int64_t *words;        /* of each link, by its number in the torus */
    int64_t count, used;   /* links that exist, and those that carry anything */
    int64_t words_max;     /* of the busiest link */
    int64_t words_total;   /* over all links: a word counts once for each link it passes */
    double words_mean;     /* over all links that exist; 0 where none does */
    int64_t hops_max;      /* links on the longest route of a message */
    int64_t chain_hops_max; /* links that a rank's messages pass one after the other, of the rank with most */
} ashi_links;

/* Count all ranks' messages. The torus has as many nodes as the schedule has ranks. End with ashi_links_free, also
 * if it fails.
 * @return ASHLAR_OK; ASHLAR_ERR_OVERFLOW; ASHLAR_ERR_MEMORY; what the schedule fails with */
ashlar_status ashi_links_count(ashi_schedule *schedule, const ashi_torus *torus, ashi_links *out, ashlar_error *err);

void ashi_links_free(ashi_links *links);

/* Seconds where a link carries the machine's bandwidth and a message waits its latency at each link: the busiest link's
 * words, the longest chain's hops, and the busiest rank's products and copies, one after the other.
 *
 * A chain is what a rank waits for: messages of one step travel at the same time, steps follow each other. So each step
 * counts the hops of its longest route; a message that hands on what others brought counts those before it too, each
 * taken to have come as far. The machine has no figure for what it costs a rank to begin a message: none is charged. */
double ashi_links_seconds(const ashi_links *links, const ashi_totals *totals, const ashi_pace *pace);

#endif
