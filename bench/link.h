/* What the links of this process's host have carried. */
#ifndef ASHI_BENCH_LINK_H
#define ASHI_BENCH_LINK_H

/* Bytes over all interfaces but the loopback, headers included, since the host began; -1 where the system says none. */
typedef struct ashi_link {
    long long received, sent;
} ashi_link;

ashi_link ashi_link_read(void);

#endif
