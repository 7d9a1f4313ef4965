/* The ways to form a product that are compared: each is opened, run any number of times on the same data, closed. */
#ifndef ASHI_BENCH_WAY_H
#define ASHI_BENCH_WAY_H

#include "matrices.h"

#include <mpi.h>

typedef struct ashi_way ashi_way;

/* Every function ends the program where it fails. Opening, running and closing are collective. */
struct ashi_way {
    const char *name; /* key of the result */
    void *state;
    void (*run)(ashi_way *way, const ashi_matrices *x, double *c); /* c <- A B */
    void (*close)(ashi_way *way);
    /* The largest error of this rank's part of the product, as ashi_matrices_error; NULL: the product is in c. */
    double (*error)(const ashi_way *way, const ashi_matrices *x, int64_t samples);
};

/* Ashlar with the plan made beforehand. */
ashi_way ashi_way_planned(const char *name, const ashi_matrices *x, const ashlar_options *options, MPI_Comm comm);

/* The plan of such a way. */
ashlar_plan *ashi_way_plan(const ashi_way *way);

/* Ashlar in one call, choosing and preparing each time. */
ashi_way ashi_way_once(const char *name, const ashlar_options *options, MPI_Comm comm);

/* The same on a communicator like this one on which a context is kept. */
ashi_way ashi_way_kept(const char *name, const ashlar_options *options, MPI_Comm comm);

/* Ashlar with matrices of its own, in the plan's own layouts, with the same elements as those of x. */
ashi_way ashi_way_own(const char *name, const ashi_matrices *x, const ashlar_options *options, MPI_Comm comm);

/* COSMA's pdgemm on x, and COSMA with matrices of its own, in the layouts of its strategy: see bench/peers.c. */
ashi_way ashi_way_cosma(const char *name, const ashi_matrices *x, MPI_Comm comm);
ashi_way ashi_way_cosma_own(const char *name, const ashi_matrices *x, MPI_Comm comm);

/* ScaLAPACK's pdgemm. */
ashi_way ashi_way_scalapack(const char *name, const ashi_matrices *x, MPI_Comm comm);

/* The BLAS alone: for one rank. */
ashi_way ashi_way_blas(const char *name, const ashi_matrices *x, MPI_Comm comm);

#endif
