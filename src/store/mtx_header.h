/* The head of a Matrix Market file: its banner, comments and size. */
#ifndef ASHI_STORE_MTX_HEADER_H
#define ASHI_STORE_MTX_HEADER_H

#include "store/scan.h"
#include "store/store.h"

typedef enum ashi_mtx_symmetry {
    ASHI_MTX_GENERAL,
    ASHI_MTX_SYMMETRIC,
    ASHI_MTX_HERMITIAN,
    ASHI_MTX_SKEW /* the diagonal is zero and not stored */
} ashi_mtx_symmetry;

typedef struct ashi_mtx_header {
    bool complex, integer;
    ashi_mtx_symmetry symmetry; /* other than general: the file has the lower triangle only */
    int64_t rows, cols;
    int64_t entries; /* how many the file must have */
    int64_t data;    /* the byte where the first entry's line begins */
} ashi_mtx_header;

/* Parse the head with a scan that stands at the file's beginning. A sparse (`coordinate`) file is refused, and one
 * that is too short for the entries its size promises. */
ashlar_status ashi_mtx_read_header(ashi_scan *scan, int64_t file_bytes, ashi_mtx_header *out, ashlar_error *err);

#endif
