/* Packets: elements that travel from any rank to any rank, in messages of a bounded size. */
#ifndef ASHI_PACKETS_H
#define ASHI_PACKETS_H

#include "plan/context.h"

/* What travels together. The receiver learns all of it; `rank` is the one at the other end. */
typedef struct ashi_packet {
    int64_t rank;
    int64_t row, col; /* what the caller makes of them, as of the next two */
    int64_t what, at;
    int64_t words;
} ashi_packet;

typedef struct ashi_packets {
    ashi_packet *packet;
    int64_t count, capacity;
    int64_t *start; /* by rank, once they are in the order of ranks: ranks + 1 numbers */
} ashi_packets;

/* ASHLAR_ERR_MEMORY: the list is as before. */
ashlar_status ashi_packets_add(ashi_packets *packets, const ashi_packet *packet, ashlar_error *err);
void ashi_packets_free(ashi_packets *packets);

/* What carries packets. Elements of a packet are counted from 0, and may travel in several messages. */
typedef struct ashi_carrier {
    size_t bytes; /* of an element */
    bool in_turn; /* what comes from a rank is unpacked after all that comes from lower ranks */
    int64_t only; /* packets with this `what`; -1: all */
    void (*pack)(void *user, const ashi_packet *packet, int64_t first, int64_t count, char *to);
    void (*unpack)(void *user, const ashi_packet *packet, int64_t first, int64_t count, const char *from);
    void *user;
    char *buffer[2]; /* of ashi_carrier_make */
} ashi_carrier;

/* The two buffers: large enough for all that `out` and `in` have, and of at most ASHI_PACKETS_BYTES each, which they
 * are for a list that is NULL because it is not known yet. Local. Freed by ashi_carrier_free, also after a failure. */
enum { ASHI_PACKETS_BYTES = 1 << 20 };
ashlar_status ashi_carrier_make(ashi_carrier *carrier, const ashi_packets *out, const ashi_packets *in,
                                ashlar_error *err);
void ashi_carrier_free(ashi_carrier *carrier);

/* The elements, of `bytes` each, that the two buffers take for these lists. */
int64_t ashi_carrier_words(size_t bytes, const ashi_packets *out, const ashi_packets *in);

/* Put `out` in the order of ranks, and find out what comes: `in` has the packets of each rank in the order in which
 * that rank has them. Collective; status and text are the same on all ranks, and name the rank if not all have failed:
 * `mine` is what this rank comes with. `in` is freed by ashi_packets_free, also after a failure. */
ashlar_status ashi_packets_announce(const ashlar_context *context, ashlar_status mine, ashi_packets *out,
                                    ashi_packets *in, ashlar_error *err);

/* Pack all that goes out and unpack all that comes in. All ranks must have made their carriers. Collective; what fails
 * in MPI is noted, and then elements are missing. */
void ashi_packets_carry(const ashlar_context *context, const ashi_carrier *carrier, const ashi_packets *out,
                        const ashi_packets *in);

#endif
