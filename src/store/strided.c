/* Elements copied between two strided boxes in memory, and their bytes reversed. */
#include "store/strided.h"

#include "base/checked.h"

#include <string.h>

/* A square of this side stays in cache whichever of the two boxes is walked against its grain. */
#define SQUARE 32

/* One row's piece. The size is a constant in each branch, so that memcpy becomes a move. */
static void copy_line(size_t bytes, int64_t n, const char *from, int64_t from_step, char *to, int64_t to_step)
{
    if (from_step == (int64_t)bytes && to_step == (int64_t)bytes)
        memcpy(to, from, (size_t)n * bytes);
    else if (bytes == 2)
        for (int64_t i = 0; i < n; i++)
            memcpy(to + i * to_step, from + i * from_step, 2);
    else if (bytes == 4)
        for (int64_t i = 0; i < n; i++)
            memcpy(to + i * to_step, from + i * from_step, 4);
    else if (bytes == 8)
        for (int64_t i = 0; i < n; i++)
            memcpy(to + i * to_step, from + i * from_step, 8);
    else
        for (int64_t i = 0; i < n; i++)
            memcpy(to + i * to_step, from + i * from_step, 16);
}

void ashi_copy_strided(size_t bytes, int64_t rows, int64_t cols, const void *from, int64_t from_row, int64_t from_col,
                       void *to, int64_t to_row, int64_t to_col)
{
    const char *f = from;
    char *t = to;
    const int64_t b = (int64_t)bytes;
    const int64_t wide = from_col == 1 && to_col == 1 ? ashi_max(cols, 1) : SQUARE;
    for (int64_t j = 0; j < cols; j += wide)
        for (int64_t i0 = 0; i0 < rows; i0 += SQUARE)
            for (int64_t i = i0; i < ashi_min(rows, i0 + SQUARE); i++)
                copy_line(bytes, ashi_min(wide, cols - j), f + (i * from_row + j * from_col) * b, from_col * b,
                          t + (i * to_row + j * to_col) * b, to_col * b);
}

void ashi_swap_bytes(size_t bytes, int64_t count, void *data)
{
    char *p = data;
    for (int64_t k = 0; k < count; k++, p += bytes) {
        if (bytes == 4) {
            uint32_t x;
            memcpy(&x, p, 4);
            x = x >> 24 | (x >> 8 & 0xFF00u) | (x << 8 & 0xFF0000u) | x << 24;
            memcpy(p, &x, 4);
        } else {
            uint64_t x;
            memcpy(&x, p, 8);
            x = (x & 0x00FF00FF00FF00FFu) << 8 | (x >> 8 & 0x00FF00FF00FF00FFu);
            x = (x & 0x0000FFFF0000FFFFu) << 16 | (x >> 16 & 0x0000FFFF0000FFFFu);
            x = x << 32 | x >> 32;
            memcpy(p, &x, 8);
        }
    }
}
