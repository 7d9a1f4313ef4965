/* The messages with matrix elements that this rank hands to MPI, recorded on their way. */
#ifndef ASHI_BENCH_SENT_H
#define ASHI_BENCH_SENT_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

/* Two digests over all ranks. Both are made of the sender, the receiver and the elements of every message. */
typedef struct ashi_sent {
    uint64_t messages; /* of all that are sent, whatever their order */
    uint64_t order;    /* of each ordered pair of ranks, in the order in which receives are posted; a message that is
                          passed on is sent when it has arrived, so the order of sends may vary. Puts are in none, as
                          one begins when its receiver allows it */
    int64_t words;     /* elements, over all ranks */
} ashi_sent;

/* Mix two numbers (splitmix64: Steele, Lea and Flood, OOPSLA 2014); which is first matters. */
uint64_t ashi_sent_mix(uint64_t a, uint64_t b);

/*
 * Forget what was recorded and record from now on. Messages are those of point-to-point and one-sided calls whose
 * elements are floating-point numbers; notes in bytes or integers, and empty messages, are not counted. Ranks are
 * numbered as in the communicator that the call names.
 */
void ashi_sent_begin(void);

/* The digests of what was recorded, which goes on. backwards: as if each pair's messages had come in the reverse order.
 * Collective over MPI_COMM_WORLD; equal on all ranks. Ends the program if MPI fails. */
ashi_sent ashi_sent_end(bool backwards);

#endif
