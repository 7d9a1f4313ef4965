/* How much memory a product may take where the user has not said it. */
#ifndef ASHI_MEMORY_H
#define ASHI_MEMORY_H

#include "pblas/gemm_call.h"

/**
 * The words that a process may hold for a call: its shares, of which the largest is `share`, and beside them a third of
 * that and what ScaLAPACK's routine would take, or 2 MiB if that is more.
 *
 * The latter is counted as panels, as wide as the logical block, along both local sides of the matrix that stays where
 * it is, once as received and once as packed.
 * Source: ScaLAPACK 2.2, PBLAS/SRC/PTOOLS/PB_CpgemmAB.c (WA, WB, Abuf, Bbuf), PB_CpgemmAC.c and PB_CpgemmBC.c; the
 * logical block is PBLAS/SRC/pilaenv.f's 32.
 */
int64_t ashi_memory_allowed(const ashi_gemm_call *call, const ashi_coordinates *grid, int64_t share);

#endif
