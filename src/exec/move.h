/* Movement of a matrix between two layouts: each word travels at most once. */
#ifndef ASHI_MOVE_H
#define ASHI_MOVE_H

#include "exec/executor.h"
#include "exec/kernels.h"

/* T <- alpha op(S) + beta T, prepared. Both seen in the rows and columns of T. */
typedef struct ashi_move ashi_move;

/* Collective only in that all ranks make the same; the status is this rank's own. */
ashlar_status ashi_move_create(const ashlar_layout *from, ashlar_op op, const ashlar_layout *to, ashlar_type type,
                               MPI_Comm comm, int rank, int ranks, ashi_move **out, ashlar_error *err);

/* Words this rank sends to and receives from others. */
void ashi_move_words(const ashi_move *move, int64_t *sent, int64_t *received);

/* The fewest rounds that keep this rank's workspace within `memory` words; as many as there can be if none does. */
int64_t ashi_move_rounds(const ashi_move *move, int64_t memory);

/* Words of workspace that this rank needs in so many rounds. */
int64_t ashi_move_workspace(const ashi_move *move, int64_t rounds);

/* Allocate what a run in so many rounds needs; the caller frees the buffer and the transport. */
ashlar_status ashi_move_prepare(const ashi_move *move, int64_t rounds, ashi_transport **wire, char **buffer,
                                ashlar_error *err);

/* All ranks with the same number of rounds. The status is this rank's own. */
ashlar_status ashi_move_run(ashi_move *move, int64_t rounds, ashi_transport *wire, char *buffer, const void *alpha,
                            const void *source, const void *beta, void *target, ashlar_error *err);

/* T <- beta T of this rank's part. Local. */
void ashi_move_scale(ashi_move *move, const void *beta, void *target);

void ashi_move_free(ashi_move **move);

#endif
