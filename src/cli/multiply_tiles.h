/* What the parts of `ashlar multiply` share if matrices of tiles are multiplied. */
#ifndef ASHI_MULTIPLY_TILES_H
#define ASHI_MULTIPLY_TILES_H

#include "cli/multiply.h"
#include "tiles/matrix.h"

/* What all ranks did, added up. */
typedef struct ashi_tiles_sums {
    int64_t products, left_out, dropped, flops, flops_most;
    int64_t words, words_most, messages_most, predicted;
    int64_t memory_most; /* words of a rank's tiles of A, B and C, before and after, and its workspace */
    double seconds;      /* of the slowest rank */
} ashi_tiles_sums;

/* A run in progress. Zeroed at first. */
typedef struct ashi_tiles_job {
    const ashi_multiply_wishes *wish;
    ashlar_context *context;
    bool loud;                  /* this rank shows progress */
    ashi_threads threads;
    bool tiled[3];              /* of A, B and C0: it is a matrix of tiles; else a dense one, if it was named */
    ashlar_file_info info[3];   /* of A, B and C0, as they are stored */
    ashi_cuts stored[3][2];     /* rows and columns of those that are of tiles */
    int64_t size[3];            /* m, n, k */
    ashi_cuts cuts[3];          /* of m, n and k */
    int64_t grid[2];            /* of the processes that C lies on */
    ashlar_tiles *x[2], *c, *c0; /* c0: a copy for --check */
    unsigned char alpha[16], beta[16]; /* one element of the type each */
    ashlar_tiles_info about[3]; /* of A, B and C as it became */
    ashlar_tiles_result own;
    ashi_tiles_sums sums;
    ashi_device_report device;
    bool checked;
    ashlar_verdict verdict;
    ashi_multiply_times took;
    ashi_output stats;          /* on rank 0, if asked for */
    bool stats_begun;
} ashi_tiles_job;

/* All below are collective over job->context and return the same on all ranks, except ashi_tiles_job_report. */

/* Which of the inputs are matrices of tiles: the same on all ranks. */
ashlar_status ashi_multiply_find_tiles(const ashlar_context *context, const ashi_multiply_wishes *wish, bool tiled[3],
                                       ashlar_error *err);

/* Multiply them. *checked: there is a verdict; a wrong product is not written. */
ashlar_status ashi_multiply_tiles(ashlar_context *context, const ashi_multiply_wishes *wish, const bool tiled[3],
                                  bool loud, bool *checked, ashlar_verdict *verdict, ashlar_error *err);

/* What the files say: types, shapes, cuts; a dense matrix is cut as the others are. Then the tiles. */
ashlar_status ashi_tiles_job_describe(ashi_tiles_job *job, ashlar_error *err);
ashlar_status ashi_tiles_job_load(ashi_tiles_job *job, ashlar_error *err);

/* Whether more than rounding is lost. */
static inline bool ashi_tiles_job_loses(const ashi_tiles_job *job)
{
    return job->wish->threshold > 0 || job->wish->tolerance > 0;
}

/* The words that a rank may hold; 0: no limit. */
int64_t ashi_tiles_job_limit(const ashi_tiles_job *job);

/* Local to rank 0: the figures for people on standard output, or as JSON, and to the file asked for. */
ashlar_status ashi_tiles_job_report(ashi_tiles_job *job, ashlar_error *err);

#endif
