/* The ports of a joint play: the ends of the network, the links between them, the disks and the cores. */
#ifndef ASHI_JOINT_PORTS_H
#define ASHI_JOINT_PORTS_H

#include "simulate/jobs.h"
#include "simulate/joint.h"

typedef struct ashi_joint_ports {
    const ashi_joint_request *request;
    int64_t ranks;
    double links_of_node; /* of a torus, that leave a node: 1 if there is no torus */
    int64_t *port;        /* of the message that begins: room for two ends and the longest route */
    int64_t ports;
} ashi_joint_ports;

/* Make the jobs, with all ports as they are if no rank multiplies. End with ashi_joint_ports_free, also if it fails.
 * ASHLAR_ERR_MEMORY; ASHLAR_ERR_OVERFLOW if the torus has too many links to count. */
ashlar_status ashi_joint_ports_create(const ashi_joint_request *request, int64_t ranks, ashi_joint_ports *out,
                                      ashi_jobs *jobs, ashlar_error *err);
void ashi_joint_ports_free(ashi_joint_ports *ports);

/* Seconds until the first byte of a message arrives: the latency, of each link on a torus. */
double ashi_joint_delay(const ashi_joint_ports *p, int64_t from, int64_t to);

/* Find the ports that a message passes: p->port and p->ports, until the next call. */
void ashi_joint_route(ashi_joint_ports *p, int64_t from, int64_t to);

/* The network has the part `part` of its rate at a rank's end from now on. */
void ashi_joint_slow_down(const ashi_joint_ports *p, ashi_jobs *jobs, int64_t rank, double part);

enum { ASHI_DISK_PORTS = 2 };

/* The ports of a rank's disk, for reading or for writing. */
void ashi_joint_disk(const ashi_joint_ports *p, int64_t rank, bool reads, int64_t port[ASHI_DISK_PORTS]);

/* The port of the cores that ranks share; -1: each rank has its own. */
int64_t ashi_joint_cores(const ashi_joint_ports *p);

#endif
