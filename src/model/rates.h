/* The machine's figures that need not be given. */
#ifndef ASHI_RATES_H
#define ASHI_RATES_H

#include <ashlar/machine.h>

#include <math.h>
#include <stdbool.h>

/* Whether words arrive as fast as the cores copy them in and out, as in shared memory: then no network works beside the
 * cores. */
static inline bool ashi_shares_memory(const ashlar_machine *machine)
{
    return 2 * machine->bandwidth >= machine->copy_bandwidth;
}

/* Bytes per second that one rank reads from the disk, and writes to it. */
static inline double ashi_read_rate(const ashlar_machine *machine)
{
    return machine->disk_read_bandwidth > 0 ? machine->disk_read_bandwidth : machine->disk_bandwidth;
}

static inline double ashi_write_rate(const ashlar_machine *machine)
{
    return machine->disk_write_bandwidth > 0 ? machine->disk_write_bandwidth : machine->disk_bandwidth;
}

/* Whether the disk's rate is one that somebody gave, measured or not, and not the assumed one. */
static inline bool ashi_disk_is_given(const ashlar_machine *machine)
{
    return machine->disk_bandwidth != ashlar_machine_default().disk_bandwidth;
}

/* A disk delivers whole pages: the bytes that it delivers for a box of `runs` runs of elements that do not follow one
 * another, if the pages at the ends of runs are read anew for the next box. */
enum { ASHI_DISK_PAGE = 4096 };

static inline double ashi_disk_bytes(double bytes, double runs)
{
    return bytes + runs * ASHI_DISK_PAGE;
}

/* Seconds for which a rank waits for `runs` runs beside their bytes, with several reads under way, on a solid-state
 * disk. On slower disks long runs pay even more. */
static inline double ashi_disk_waits(double runs)
{
    return runs * 5e-5;
}

/* The same of runs of `bytes` bytes of an array: those of at least 8 KiB are asked for 32 at a time. */
static inline double ashi_disk_array_waits(double runs, double bytes)
{
    return ashi_disk_waits(bytes < 8192 ? runs : runs / 32);
}

/* Bytes of one request to the disk: what is fetched ahead of short runs if memory suffices, and the most. */
enum { ASHI_DISK_WINDOW = 1 << 15, ASHI_DISK_REQUEST = 1 << 19 };

/* Seconds for which a core is busy with `requests` requests to the disk, beside their bytes. Source: measured, the
 * system's time for 12000 x 12000 x 12000 in files (docs/PERFORMANCE.md). */
static inline double ashi_disk_asks(double requests)
{
    return requests * 3e-5;
}

/* Seconds for which a core is busy if a rank reads or writes `bytes` bytes: the system keeps account of the pages and
 * copies them, which takes it about six times as long as a copy alone. Source: measured, 0.5 s for 10^9 bytes that are
 * read past the system's memory in long runs, without its reading ahead, where a copy takes 0.08 s. */
static inline double ashi_disk_work(const ashlar_machine *machine, double bytes)
{
    return 6 * bytes / machine->copy_bandwidth;
}

/* Words that a core makes of text in a second, of packed chunks, and of chunks that it has only to copy from HDF5.
 * Source: measured, random doubles with 17 digits, of 3 digits packed by gzip, and in chunks of 16 x 16 x 16 x 16 that
 * the system holds in memory (2.8e8 to 4.7e8 beside other work). */
enum { ASHI_PARSED_WORDS = 5000000, ASHI_UNPACKED_WORDS = 15000000, ASHI_CHUNKED_WORDS = 300000000 };

/* Whether the figures are those of a calibration, in which all ranks were busy. */
static inline bool ashi_is_measured(const ashlar_machine *machine)
{
    return machine->task_seconds > 0;
}

/* How much of reading and of writing the disk does at once: from 1, if it does one or the other, to 2. */
static inline double ashi_disk_overlap(const ashlar_machine *machine)
{
    const double both = 2 * machine->disk_bandwidth / (ashi_read_rate(machine) + ashi_write_rate(machine));
    return fmin(fmax(both, 1), 2);
}

/* The rate of products is measured with a cube: its side, the bytes of its elements, the flops of a multiply-add. */
enum { ASHI_RATED_SIDE = 768, ASHI_RATED_BYTES = 8, ASHI_RATED_FLOPS = 2 };

/* Bytes of that cube's three matrices for each of its flops. */
static inline double ashi_rated_bytes(void)
{
    return 3.0 * ASHI_RATED_BYTES / (ASHI_RATED_SIDE * (double)ASHI_RATED_FLOPS);
}

/* Seconds of `products` multiply-adds of matrices that have `words` words: the arithmetic, and the way through these
 * matrices, so that the product by which the rate was measured takes what it took. */
static inline double ashi_work_seconds(const ashlar_machine *machine, double products, double words, int64_t bytes,
                                       int flops)
{
    const double bandwidth = machine->product_bandwidth;
    const double own = products * flops / machine->flops_per_second;
    if (bandwidth <= 0)
        return own;
    return fmax(own / 2, own - products * flops * ashi_rated_bytes() / bandwidth) + words * (double)bytes / bandwidth;
}

/* Seconds of a product of m x n x k. */
static inline double ashi_product_seconds(const ashlar_machine *machine, double m, double n, double k, int64_t bytes,
                                          int flops)
{
    return ashi_work_seconds(machine, m * n * k, m * k + k * n + m * n, bytes, flops);
}

/* The bandwidth with which a product of doubles goes through its matrices, from the seconds that it took; 0 if the
 * arithmetic alone takes that long. */
static inline double ashi_product_bandwidth(const ashlar_machine *machine, double m, double n, double k, double seconds)
{
    const double flops = ASHI_RATED_FLOPS * m * n * k, beside = seconds - flops / machine->flops_per_second;
    const double bytes = ASHI_RATED_BYTES * (m * k + k * n + m * n);
    return beside > 0 ? (bytes - flops * ashi_rated_bytes()) / beside : 0;
}

static inline bool ashi_is_figure(double value)
{
    return value >= 0 && isfinite(value);
}

static inline bool ashi_device_rates_are_valid(const ashlar_machine *machine)
{
    bool valid = ashi_is_figure(machine->device_in_bandwidth) && ashi_is_figure(machine->device_out_bandwidth) &&
                 ashi_is_figure(machine->device_delay) && ashi_is_figure(machine->device_memory);
    for (int type = 0; type < 4; type++)
        valid = valid && ashi_is_figure(machine->device_flops[type]);
    return valid;
}

/* Whether those that may be 0 are 0 or more, and the part of a message's time no more than 1. */
static inline bool ashi_rates_are_valid(const ashlar_machine *machine)
{
    return ashi_device_rates_are_valid(machine) && ashi_is_figure(machine->disk_read_bandwidth) &&
           ashi_is_figure(machine->disk_write_bandwidth) && ashi_is_figure(machine->task_seconds) &&
           machine->message_work >= 0 && machine->message_work <= 1 && ashi_is_figure(machine->product_bandwidth);
}

#endif
