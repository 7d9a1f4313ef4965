/* Who sends which elements to whom when a matrix moves between two layouts, and where they lie. */
#ifndef ASHI_EXCHANGE_H
#define ASHI_EXCHANGE_H

#include "kernel/patch.h"
#include "layout/layout.h"

/* The movement T <- op(S). Elements (x, y) are seen in T: x counts rows and y columns, or the other way round where
 * by_rows. Messages have x contiguous, so by_rows is good where T is stored by rows; equal on all ranks. */
typedef struct ashi_exchange_request {
    const ashlar_layout *from, *to;
    ashlar_op op;
    bool by_rows;
    int rank, ranks;
} ashi_exchange_request;

/* Where the places of a side of a patch are counted from: pointer number `tile` of the part, or element `start` of its
 * only array. */
typedef struct ashi_origin {
    int64_t tile, start;
} ashi_origin;

/* What a match of rows and one of columns have in common: where it is read and written. The side of a message is not
 * filled in. */
typedef struct ashi_share {
    const ashi_match *x, *y;
    int64_t peer;
    ashi_origin from_array, to_array;
    ashi_patch_side from, to;
} ashi_share;

/* The shares that one peer is sent, or sends: one message, which has them in this order. */
typedef struct ashi_letter {
    int64_t peer, first, end; /* shares first .. end-1 */
    int64_t words;
} ashi_letter;

typedef struct ashi_shares {
    int64_t count, letters, words;
    ashi_share *share;
    ashi_letter *letter;
} ashi_shares;

typedef struct ashi_exchange {
    ashi_exchange_request request; /* its layouts are the caller's and not to be used any more */
    ashlar_layout *from, *to;      /* copies where block-cyclic, else NULL */
    ashi_matches x, y;
    ashi_shares in, out, own; /* what arrives, what is sent, what stays */
} ashi_exchange;

/* Local. The layouts are not needed afterwards. */
ashlar_status ashi_exchange_build(const ashi_exchange_request *request, ashi_exchange *out, ashlar_error *err);

/* The leading dimension of `from` or `to` has been changed: say anew where this rank's elements lie. Local. */
void ashi_exchange_relocate(ashi_exchange *exchange);
void ashi_exchange_free(ashi_exchange *exchange);

#endif
