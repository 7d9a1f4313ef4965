/** The machine's figures, from which seconds are predicted. No MPI is needed. */
#ifndef ASHLAR_MACHINE_H
#define ASHLAR_MACHINE_H

#include <ashlar/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The most dimensions of a torus. */
#define ASHLAR_TORUS_MOST 12

/**
 * What `ashlar calibrate` measures, for one rank while every rank is busy, and the shape of the network if it is known.
 * All figures are above zero; the torus and what follows it are optional.
 */
typedef struct ashlar_machine {
    size_t size;             /**< sizeof(ashlar_machine), or 0: see base.h */
    double flops_per_second; /**< of a large real double product on one rank; others are scaled from it */
    double latency;          /**< seconds from sending an empty message to its arrival */
    double bandwidth;        /**< bytes per second that one rank can receive */
    double copy_bandwidth;   /**< bytes per second of a copy in memory */
    double disk_bandwidth;   /**< bytes per second of one rank's sequential reading and writing at once, together */
    int torus_dims;          /**< dimensions of the torus that the ranks are the nodes of, at most ASHLAR_TORUS_MOST; 0:
                                  no torus. If the context's communicator has a periodic Cartesian topology, that torus
                                  is used; otherwise nothing is assumed about the network. */
    int64_t torus[ASHLAR_TORUS_MOST]; /**< length of each dimension, at least 1; their product is the number of ranks.
                                  Rank r has r's digits as its coordinates, the last dimension's being the lowest, as
                                  MPI_Cart_create numbers ranks. */
    double forms[4];         /**< Flop/s of a double product of which BLAS is given both matrices as they are (NN), the
                                  second transposed (NT), the first (TN), both (TT), all column-major and with a long
                                  k: a plan's own layouts are stored for the fastest of the forms that are possible.
                                  Only the ratios count. All above 0, or all 0: not known. */
    double disk_read_bandwidth;  /**< bytes per second of one rank's reading alone; 0: disk_bandwidth */
    double disk_write_bandwidth; /**< the same of its writing alone */
    double task_seconds;     /**< what each operation of a schedule takes of the thread that runs it, beside what it
                                  moves or multiplies; 0: not known. Only `ashlar simulate` and predictions for files
                                  use it, and the next one. */
    double message_work;     /**< the part of its rate that a message loses while a rank at one of its ends multiplies,
                                  0 to 1. 0: the network works alone; 1: messages stand still meanwhile */
    double product_bandwidth; /**< bytes per second with which a product goes through its three matrices, beside the
                                  arithmetic: what makes a product with a short side slow. 0: not known. Only
                                  `ashlar simulate` and predictions for files use it. */
    double device_in_bandwidth;  /**< bytes per second of one rank's copies from its memory to its device's; 0 here and
                                  below: not known. A device that states a rate itself is predicted by that. */
    double device_out_bandwidth; /**< the same from the device */
    double device_delay;         /**< seconds that each copy, and each product on the device, takes beside that */
    double device_flops[4];      /**< operations per second of a large product on the device, of types s, d, c and z; a
                                  multiply-add is 2 operations, of complex numbers 8. 0: as of d */
    double device_memory;        /**< bytes of the device's memory that one rank can have */
} ashlar_machine;

/** What ashlar_machine_default calls: fill a structure of `size` bytes. For languages that do not read this header. */
ASHLAR_API void ashlar_machine_default_sized(ashlar_machine *out, size_t size);

/**
 * The machine that is assumed if none was measured: a rank is a core of a current cluster node, 40 GFlop/s, 2 us,
 * 1 GB/s (a 36-core node's share of a 300 Gbit/s network), 5 GB/s of copying, 0.5 GB/s of disk. If
 * these figures are unchanged and all ranks of a plan share one node, the bandwidth of copying is taken for that of the
 * network.
 */
static inline ashlar_machine ashlar_machine_default(void)
{
    ashlar_machine machine;
    ashlar_machine_default_sized(&machine, sizeof machine);
    return machine;
}

#ifdef __cplusplus
}
#endif
#endif
