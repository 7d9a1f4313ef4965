/* A trial: what is repeated and timed on all ranks together to measure one figure. */
#ifndef ASHI_MEASURE_TRIAL_H
#define ASHI_MEASURE_TRIAL_H

#include "cli/measure.h"
#include "exec/player.h"

enum {
    ASHI_TRIALS_MOST = 1000,      /* repetitions */
    ASHI_TRIAL_MESSAGE = 4 << 20  /* bytes of a message: large against the latency of any network */
};

typedef struct ashi_trial {
    const ashlar_context *context;
    /* One repetition on this rank. It may fail on one rank alone; then all ranks return that error. */
    ashlar_status (*once)(struct ashi_trial *trial, ashlar_error *err);
    double work;         /* flops or bytes of a repetition; 0 if the seconds are the figure, */
    double times;        /* of what is done so often in one */
    double *product[3];
    int form;
    char *from, *to;     /* memory */
    int partner, fd;     /* -1 for none */
    char *path;
    struct ashi_trial *beside; /* another file */
    ashi_player *player;
    int64_t slabs;       /* that are multiplied in a repetition, */
    int message_bytes;   /* sent and received while that product runs */
    const struct ashi_context_device *device;
    ashlar_type type;    /* of a product on it, */
    int64_t size;        /* the side of its matrices, or the bytes of a copy, */
    int copies;          /* how many copies, */
    bool outward;        /* from the device */
} ashi_trial;

/* Start together, and take the slowest rank's time. Collective. */
ashlar_status ashi_trial_once(ashi_trial *trial, double *seconds, ashlar_error *err);

/* The figure, if a repetition takes so long. */
double ashi_trial_value(const ashi_trial *trial, double seconds);

/* The median of n values, which are sorted. */
void ashi_trial_median(double *value, int n, ashi_measurement *out);

/* Repeat until the time is over; the first repetition warms caches and connections and does not count. The seconds that
 * end it are the same on all ranks, so all stop together. Collective. */
ashlar_status ashi_trial_repeat(ashi_trial *trial, double budget, ashi_measurement *out, ashlar_error *err);

/* The matrices of a product, of small numbers. Collective. */
ashlar_status ashi_trial_matrices(ashi_trial *trial, const int64_t count[3], ashlar_error *err);
void ashi_trial_free_matrices(ashi_trial *trial);

/* Memory that has been written to, so that no page is missing when it is timed. NULL if there is none. */
char *ashi_touched(size_t bytes);

/* The rank in the other half of the ranks: on another node, if each has its ranks together. -1: there is none. */
int ashi_partner_of(const ashlar_context *context);

#endif
