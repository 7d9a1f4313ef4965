/* Going on with a product that goes through memory in pieces from what an earlier run has finished, and recording what
 * this one finishes.
 *
 * A rank's `items` are done one after the other: those of the nest engine if the matrices are streamed, else slabs.
 * What is recorded as finished is on the disk: the file is synced first, by a thread beside those that multiply and
 * move. Nothing is sent for that.
 *
 * If C stays, or sums come back for a short time only, a record is made when no sum is half made: at the end of a tile
 * of C, or when all blocks of k are through. A run that resumes forms again what was formed since, to the same bits.
 *
 * Else each `epoch` blocks of k are a program of their own. The sums that it leaves are written to C's file and to one
 * beside it by turns, those of the last epoch to C's. So a run that ends within an epoch has spoilt only what that
 * epoch would have written. Between two epochs all ranks agree that each has its sums and its record on the disk,
 * because the next epoch writes over the sums of the last but one. */
#ifndef ASHI_RESUME_H
#define ASHI_RESUME_H

#include "plan/plan.h"
#include "store/record.h"

#include <pthread.h>

/* If the user asks for no other time, ASHI_RECORD_SECONDS lie between two records of a rank, and at least
 * ASHI_RECORD_PART times what the last one took: syncing takes at most 3 % of the time, and a kill costs little beside
 * a run that is worth resuming. A run of less than ASHI_RECORD_SECONDS writes no record and syncs nothing. */
#define ASHI_RECORD_SECONDS 10.0
enum { ASHI_RECORD_PART = 32 };

/* What of it says how the product is formed. */
enum { ASHI_RESUME_HOW = 1000 };

/* What an execution makes. */
typedef struct ashi_resume_request {
    const void *alpha, *beta;
    bool multiplies, adds;     /* A and B are read; C0 is */
    ashi_nest_turns own, most; /* of this rank's items, and of those of rank 0, which has the most */
    int64_t epoch;             /* ashi_resume_epoch, or 0 */
    const char *kind;          /* the first line of the record */
    char how[ASHI_RESUME_HOW]; /* lines, on rank 0: what else the bits of C depend on */
    /* A number computed from the elements in this rank's memory that C is made from; NULL: there are none. Any thread
     * may call it. */
    int64_t (*memory)(const void *context);
    const void *context; /* of `memory` */
} ashi_resume_request;

/* Where to begin, and the thread that records. */
typedef struct ashi_resume {
    ashlar_file *file; /* of C */
    ashi_series *series;
    int64_t base;      /* items of the products before this one */
    int64_t from;      /* items that need not be done: as many on all ranks */
    int64_t epoch;     /* blocks of k; 0: records are made only where no sum is half made */
    int sums;          /* the file beside C's, or -1 */
    double seconds;    /* between two records; 0: ASHI_RECORD_SECONDS */
    int64_t (*memory)(const void *context); /* of the request */
    const void *context;
    int64_t summed;    /* what `memory` returned; -1: it was not called yet */
    ashi_record record;
    char text[ASHI_RECORD_TEXT];

    pthread_t thread;        /* if `started` */
    bool started;
    pthread_mutex_t mutex;   /* guards what follows */
    pthread_cond_t come;
    bool ends, busy;         /* busy: `entry` is to be recorded */
    bool lost;               /* no more records can be made */
    ashi_record_entry entry;
    int64_t offered;         /* items: those of the last entry */
    double began, took;      /* when that one was begun, or the run; seconds */
    ashlar_error failure;    /* of syncing C; status ASHLAR_OK: none */
} ashi_resume;

/* Blocks of k in an epoch of a choice: the fewest that are predicted to take `seconds` or, if that is 0, at least
 * ASHI_RECORD_SECONDS and ASHI_RECORD_PART times what writing the sums takes. 0: no epochs. */
int64_t ashi_resume_epoch(const ashi_nest *nest, double product_seconds, double sums_seconds, double seconds);

/* See what an earlier run left of C, and compare what it made with what is asked for: ASHLAR_ERR_ARG says what differs.
 * ASHLAR_ERR_IO; ASHLAR_ERR_MEMORY; ASHLAR_ERR_MPI. Collective, the same on all ranks; whatever is returned,
 * ashi_resume_end follows. */
ashlar_status ashi_resume_begin(ashlar_plan *plan, const ashi_resume_request *request, ashi_resume *resume,
                                ashlar_error *err);

/* Make this rank's place in the record, if there is none yet: rank 0 makes the record. Local. */
ashlar_status ashi_resume_open(ashi_resume *resume, ashlar_error *err);

/* What `memory` of the request returns, or 0; it is called once. Not by two threads at once. Local. */
int64_t ashi_resume_memory(ashi_resume *resume);

/* The time between two records counts from now on. Local. */
void ashi_resume_began(ashi_resume *resume);

/* This rank has finished `items` items, after which no sum is half made: to be recorded, if it is time. Local. */
void ashi_resume_offer(ashi_resume *resume, int64_t items);

/* The same at the end of an epoch: all ranks have recorded it when this returns. `fd`: where its sums are. Collective,
 * the same on all ranks. */
ashlar_status ashi_resume_epoch_ends(ashi_resume *resume, ashlar_status mine, int64_t items, int fd, ashlar_error *err);

/* Wait for the thread and close what is open. The first failure to have C on the disk is returned. Local. */
ashlar_status ashi_resume_end(ashi_resume *resume, ashlar_error *err);

/* A plan that forms its product in memory, or a caller that writes the file: what an earlier run left cannot be gone on
 * with, which is an error if it was to be; what this one recorded is no longer true. Collective, the same on all
 * ranks. */
ashlar_status ashi_resume_none(ashlar_file *file, ashlar_error *err);

#endif
