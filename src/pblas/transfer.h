/* A movement prepared for a shape of p?tran or p?gemr2d call, or the reason why there is none. */
#ifndef ASHI_TRANSFER_H
#define ASHI_TRANSFER_H

#include "pblas/grid.h"
#include "pblas/log.h"

/* What is to be moved, over whose processes. */
typedef struct ashi_transfer_request {
    ashlar_type type;
    ashlar_op op;
    ashi_grid *grid;        /* its workspace is used */
    const ashlar_layout *from, *to;
    int64_t ld[2];          /* this process's, of from and to */
    bool fixed;             /* a layout is not block-cyclic: another leading dimension means another movement */
    int64_t copies;         /* words that this process receives afterwards, for copies of T */
    const char *text;       /* for the log: what is called */
} ashi_transfer_request;

typedef struct ashi_transfer {
    ashlar_mover *mover;    /* NULL: to be handed to ScaLAPACK */
    char reason[ASHLAR_MESSAGE_MAX];
    int64_t ld[2];
    bool fixed;
    ashi_log_line line;
    bool logs;              /* this process keeps the log */
} ashi_transfer;

/* Prepare. A layout of NULL is one that could not be made. Collective over the grid. NULL on all processes or on none,
 * for lack of memory. */
ashi_transfer *ashi_transfer_make(const ashi_transfer_request *request);

/* True where what was prepared serves these leading dimensions as well; on all processes or on none. Collective where
 * `fixed`. */
bool ashi_transfer_serves(const ashi_transfer *transfer, const ashi_grid *grid, const int64_t ld[2]);

/* T <- alpha op(S) + beta T, on the grid that it was prepared for. Collective. The status is this process's own. */
ashlar_status ashi_transfer_run(ashi_transfer *transfer, ashi_grid *grid, ashlar_type type, const int64_t ld[2],
                                const void *alpha, const void *source, const void *beta, void *target,
                                ashlar_error *err);

/* For ashi_cache_put. */
void ashi_transfer_free(void *transfer);

#endif
