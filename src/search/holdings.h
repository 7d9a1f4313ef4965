/* How many words of a domain's faces each rank owns, for many domains and ranks at once. */
#ifndef ASHI_HOLDINGS_H
#define ASHI_HOLDINGS_H

#include "layout/view.h"
#include "search/assign.h"

/* Domains as intervals of m, n and k, in axis positions. */
typedef struct ashi_sides {
    int64_t domains;
    int64_t count[3];             /* intervals of m, n, k */
    const int64_t *lo[3], *hi[3]; /* interval i is lo[i] .. hi[i] - 1 */
    bool listed; /* domain d is interval d of each; else (i, j, l) of a grid is at (i * count[1] + j) * count[2] + l */
} ashi_sides;

typedef struct ashi_holdings {
    const ashi_view *view; /* of A, B, C; not owned */
    ashi_sides sides;      /* what it points to is not owned */
    int64_t *have[3][2]; /* positions that part x of an operand's minor or major side has in interval i: at
                            x * count + i; NULL where that would be too many */
    int64_t *sums;       /* of each rank: words of C that it owns, once for each domain over them */
} ashi_holdings;

ashlar_status ashi_holdings_build(const ashi_view view[3], const ashi_sides *sides, ashi_holdings *out,
                                  ashlar_error *err);
void ashi_holdings_free(ashi_holdings *holdings);

/* Words of the domain's three faces that the rank owns. */
int64_t ashi_holdings_words(const ashi_holdings *holdings, int64_t rank, int64_t domain);

/* What each rank would receive: what it lacks of the faces on A and B, and sums for its C from all domains but its own.
 * The holdings outlive it. */
ashi_arrivals ashi_holdings_arrivals(const ashi_holdings *holdings);

#endif
