/* The two special cases of Table 3 of the COSMA paper: as printed, and as its general case gives them. */
#include "model/bounds.h"

#include <math.h>

static void fill(ashi_table3_case out[4], int64_t m, int64_t n, int64_t k, int64_t p, int64_t s,
                 const double printed[4])
{
    const double words = (double)m * (double)n + (double)m * (double)k + (double)n * (double)k;
    ashi_table3_row rows[4];
    ashi_table3(m, n, k, p, s, rows);
    for (int i = 0; i < 4; i++)
        out[i] = (ashi_table3_case){rows[i].name, printed[i], rows[i].words, rows[i].words - words / (double)p};
}

void ashi_table3_square(int64_t n, int64_t p, ashi_table3_case out[4])
{
    const double face = (double)n * (double)n, ranks = (double)p, third = cbrt(ranks);
    const double flat = 2 * face * (sqrt(ranks) + 1) / ranks;
    const double cubes = 2 * face * (sqrt(1.5 / ranks) + 1 / (2 * third * third));
    fill(out, n, n, n, p, (int64_t)(2 * face / ranks), (const double[]){flat, flat, cubes, flat});
}

void ashi_table3_tall(int64_t n, ashi_table3_case out[4])
{
    const double ranks = (double)n * (double)n, third = cbrt(ranks);
    const int64_t k = n * n * n / 4, memory = (int64_t)(2 * (double)n * (double)k / (third * third));
    const double printed[4] = {ranks * (double)n / 2, ranks * third / 2 + third, 0.75 * ranks,
                               ranks * (3 - cbrt(2)) / exp2(4.0 / 3)};
    fill(out, n, n, k, n * n, memory, printed);
}
