/** The machine's figures, from which seconds are predicted. No MPI is needed. */
#ifndef ASHLAR_MACHINE_H
#define ASHLAR_MACHINE_H

#include <ashlar/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What `ashlar calibrate` measures, for one rank while every rank is busy. All figures are above zero. */
typedef struct ashlar_machine {
    double flops_per_second; /**< of a large real double product on one rank; others are scaled from it */
    double latency;          /**< seconds from sending an empty message to its arrival */
    double bandwidth;        /**< bytes per second that one rank can receive */
    double copy_bandwidth;   /**< bytes per second of a copy in memory */
    double disk_bandwidth;   /**< bytes per second of one rank's sequential reading and writing */
} ashlar_machine;

/**
 * The machine that is assumed where none was measured: one rank a core of a current cluster node, 40 GFlop/s, 2 us,
 * 1 GB/s (a 36-core node's share of a 300 Gbit/s network), 5 GB/s of copying, 0.5 GB/s of disk. A plan whose ranks all
 * share one node takes the bandwidth of copying for that of the network as long as these figures are left as they are.
 */
ASHLAR_API ashlar_machine ashlar_machine_default(void);

#ifdef __cplusplus
}
#endif
#endif
