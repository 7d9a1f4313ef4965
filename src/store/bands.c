/* A matrix cut into boxes in the order of its file. */
#include "store/bands.h"

#include "base/checked.h"

ashi_bands ashi_bands_of(int64_t rows, int64_t cols, ashlar_order order, int64_t most)
{
    return (ashi_bands){rows, cols, ashi_max(most, 1), order, 0, 0};
}

bool ashi_bands_next(ashi_bands *b, ashi_file_box *out)
{
    const bool by_row = b->order == ASHLAR_ROW_MAJOR;
    const int64_t lines = by_row ? b->rows : b->cols, length = by_row ? b->cols : b->rows;
    if (length == 0 || b->line == lines)
        return false;
    int64_t count = 1, part = length - b->place;
    const int64_t line = b->line, place = b->place;
    if (length > b->most) {
        part = ashi_min(part, b->most);
        b->place += part;
        b->line += b->place == length;
        b->place %= length;
    } else {
        count = ashi_min(b->most / length, lines - line);
        b->line += count;
    }
    *out = by_row ? (ashi_file_box){line, count, place, part} : (ashi_file_box){place, part, line, count};
    return true;
}
