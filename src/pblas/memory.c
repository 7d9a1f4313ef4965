/* How much memory a product may take where the user has not said it. */
#include "pblas/memory.h"

#include "base/checked.h"

/* FEW_BYTES: MPI itself holds more. With as much, a product of 500 x 500 x 500 goes in one round. Source: measured, see
 * "What a round costs" in docs/PERFORMANCE.md. */
enum { LOGICAL_BLOCK = 32, PIECES = 2, FEW_BYTES = 1 << 21 };

/* ScaLAPACK lets a matrix stay whose movement would cost most: the largest, nearly always. */
static int64_t scalapack_words(const ashi_gemm_call *call, const ashi_coordinates *grid)
{
    const int64_t side[3][3] = {{call->m, call->k, call->n}, {call->k, call->n, call->m}, {call->m, call->n, call->k}};
    int stays = 2;
    for (int x = 0; x < 2; x++)
        if (side[x][0] * side[x][1] > side[stays][0] * side[stays][1])
            stays = x;
    const int64_t rows = ashi_ceil_div(side[stays][0], grid->rows), cols = ashi_ceil_div(side[stays][1], grid->cols);
    return PIECES * ashi_min(LOGICAL_BLOCK, side[stays][2]) * (rows + cols);
}

int64_t ashi_memory_allowed(const ashi_gemm_call *call, const ashi_coordinates *grid, int64_t share)
{
    const int64_t few = FEW_BYTES / (int64_t)ashlar_type_bytes(call->type);
    return share + ashi_max(few, share / 3 + scalapack_words(call, grid));
}
