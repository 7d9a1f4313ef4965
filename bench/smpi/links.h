/* Bytes that a program's messages put on each link of the simulated network. */
#ifndef ASHI_SMPI_LINKS_H
#define ASHI_SMPI_LINKS_H

#include <stdint.h>

/* Tell, on every rank and before the first message, which host this one is on. */
void ashi_links_join(int rank);

typedef struct ashi_link_bytes {
    int64_t links, used;     /* between nodes: how many there are, and how many carried anything */
    int64_t most, total;     /* bytes of the busiest, and of all together */
} ashi_link_bytes;

/* So far. */
ashi_link_bytes ashi_links_read(void);

#endif
