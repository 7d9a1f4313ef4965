/* How many iterations of SUMMA are in flight, and the words that they take: the formulas of the task-based SUMMA
 * paper. */
#include "model/in_flight.h"
#include "base/checked.h"

int64_t ashi_in_flight(int64_t grid_rows, int64_t grid_cols, int64_t inner)
{
    if (grid_rows >= inner && grid_cols >= inner)
        return inner;
    if (grid_rows < 2 || grid_cols < 2)
        return ashi_min(2, inner);
    return ashi_min(inner, ashi_min(grid_rows, grid_cols));
}

ashi_in_flight_words ashi_words_in_flight(int64_t m, int64_t n, int64_t k, int64_t inner, int64_t grid_rows,
                                          int64_t grid_cols)
{
    const double width = inner > 0 ? (double)k / (double)inner : 0;
    const double rows = (double)m / (double)grid_rows, cols = (double)n / (double)grid_cols;
    return (ashi_in_flight_words){.a = rows * width, .b = cols * width, .c = rows * cols};
}
