/* Movement of a matrix between two layouts: each word travels at most once, in as many rounds as memory asks for. */
#ifndef ASHI_MOVE_H
#define ASHI_MOVE_H

#include "exec/exchange.h"
#include "exec/transport.h"
#include "kernel/part.h"

/* T <- alpha op(S) + beta T, prepared. */
typedef struct ashi_move ashi_move;

/* Collective only in that all ranks make the same; the status is this rank's own. */
ashlar_status ashi_move_create(const ashi_exchange_request *request, ashlar_type type, MPI_Comm comm, ashi_move **out,
                               ashlar_error *err);

/* What this rank sends to and receives from others. */
const ashi_exchange *ashi_move_exchange(const ashi_move *move);

/* Another leading dimension of this rank's part of S, or of T, whose layout must be block-cyclic and allow it.
 * Local. */
void ashi_move_set_ld(ashi_move *move, bool target, int64_t ld);

/* The fewest rounds of which each keeps within `memory` words on this rank; as many as there can be if none does. */
int64_t ashi_move_rounds(const ashi_move *move, int64_t memory);

/* Messages of this rank if the movement takes `rounds` rounds: those that it sends or, if they are more, receives. */
int64_t ashi_move_messages(const ashi_move *move, int64_t rounds);

/* Words of workspace that this rank needs for one round if there are `rounds` of them. */
int64_t ashi_move_workspace(const ashi_move *move, int64_t rounds);

/* Fix the number of rounds, and of rounds under way at once (`window`); both are the same on all ranks. Allocates what
 * the messages need beside the workspace, which is `window` times the above. */
ashlar_status ashi_move_prepare(ashi_move *move, int64_t rounds, int window, ashlar_error *err);

/* Whether all that this rank has to read of its part of S, or to write of that of T, has an address. Local. */
bool ashi_move_has(const ashi_move *move, bool target, const ashi_part *part);

/* After ashi_move_prepare, with its workspace. The target is written to. Allocates nothing; the status is this rank's
 * own. */
ashlar_status ashi_move_run(ashi_move *move, void *workspace, const void *alpha, const ashi_part *source,
                            const void *beta, const ashi_part *target, ashlar_error *err);

/* What a run brings to this rank and sends from it. */
typedef struct ashi_move_tally {
    int64_t received, received_messages, sent_messages; /* words; messages */
} ashi_move_tally;

/* In the number of rounds that ashi_move_prepare has fixed. */
ashi_move_tally ashi_move_planned(const ashi_move *move);

/* Of the last run, counted as it went. */
ashi_move_tally ashi_move_done(const ashi_move *move);

/* T <- beta T of this rank's part. Local. */
void ashi_move_scale(const ashi_move *move, const void *beta, const ashi_part *target);

void ashi_move_free(ashi_move **move);

#endif
