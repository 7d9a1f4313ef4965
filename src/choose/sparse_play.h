/* The program of a planned product of matrices of tiles, of all ranks, played against lanes. */
#ifndef ASHI_SPARSE_PLAY_H
#define ASHI_SPARSE_PLAY_H

#include "choose/sparse_plan.h"
#include "simulate/joint.h"

/* Tiles are dealt out by turns, and an iteration is one tile of k. out->played is false if that is too much: products
 * of tiles, tiles times ranks, or tasks. ASHLAR_ERR_MEMORY and what ashi_joint_run returns. */
ashlar_status ashi_sparse_play(const ashi_sparse_request *request, const ashi_sparse_plan *plan, ashi_joint_play *out,
                             ashlar_error *err);

#endif
