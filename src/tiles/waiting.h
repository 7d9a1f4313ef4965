/* What was put, added or asked for in a matrix of tiles, and is not yet where it belongs. */
#ifndef ASHI_WAITING_H
#define ASHI_WAITING_H

#include "tiles/packets.h"

typedef struct ashi_waiting {
    ashi_packets list;             /* in the order of the calls */
    struct ashi_buffered *newest;  /* where the elements are */
    ashlar_error refused;          /* the first call that failed; status ASHLAR_OK: none */
} ashi_waiting;

/* Room for elements of any type, until all is freed. NULL if memory lacks. */
void *ashi_waiting_room(ashi_waiting *waiting, size_t bytes);

/* Drop all of it. */
void ashi_waiting_free(ashi_waiting *waiting);

#endif
