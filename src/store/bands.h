/* A matrix cut into boxes that follow one another in the order of its file, each of bounded size. */
#ifndef ASHI_BANDS_H
#define ASHI_BANDS_H

#include "store/store.h"

typedef struct ashi_bands {
    int64_t rows, cols, most;
    ashlar_order order;
    int64_t line, place; /* the line, a row or a column by the order, and the place in it, where the next begins */
} ashi_bands;

/* Whole lines, as many as fit into `most` elements (at least 1); where one line alone does not, pieces of it. */
ashi_bands ashi_bands_of(int64_t rows, int64_t cols, ashlar_order order, int64_t most);

/* False after the last. An empty matrix has none. */
bool ashi_bands_next(ashi_bands *bands, ashi_file_box *out);

#endif
