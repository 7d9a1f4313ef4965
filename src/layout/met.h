/* Products of tiles that come and go in a row of C, when a few tiles of A and B change. */
#ifndef ASHI_MET_H
#define ASHI_MET_H

#include "base/array.h"
#include "layout/symbolic_update.h"

/* A list that grows; all 0 to begin with. */
typedef struct ashi_met_numbers {
    int64_t *number;
    int64_t count, room;
} ashi_met_numbers;

/* Room for `more` than there are; false if memory lacks. */
static inline bool ashi_met_room(ashi_met_numbers *x, int64_t more)
{
    int64_t *room = ashi_array_room(x->number, &x->room, x->count + more + 1, sizeof *room);
    x->number = room ? room : x->number;
    return room != NULL;
}

/* A tile of B that comes or goes. */
typedef struct ashi_met_tile {
    int64_t col;      /* ~column: it goes */
    int64_t columns;  /* of elements, times rows of elements; below 0: it goes */
} ashi_met_tile;

typedef struct ashi_met {
    const ashi_symbolic_changes *changes;
    ashi_symbolic *s;      /* `visited` is changed; so are `formed` and `multiplies`, unless C retains its tiles */
    int64_t allowed;       /* products that have come, less those that have gone */
    int64_t *first;        /* for each k, where its tiles of B that change begin in `other` */
    ashi_met_tile *other;  /* and some that are all 0 behind them */
    int64_t all;           /* their columns in all, those that go as those that come */
    bool overflows;        /* that is above INT64_MAX */
    ashi_met_tile *listed; /* those that tiles of the row in hand meet */
    int64_t listed_room;
    int64_t *by;           /* for each column of C: products that come to the tile of the row in hand; below 0: go */
    int64_t *columns;      /* and columns of elements times the k of these products; NULL: C gets what products make */
    ashi_met_numbers touched;  /* columns of that row where `by` may be other than 0, some of them repeatedly */
    int64_t row_gone, row_come; /* rows of A's changes that were met last */
} ashi_met;

/* Freed by ashi_met_end, also after a failure. ASHLAR_ERR_MEMORY. */
ashlar_status ashi_met_begin(const ashi_symbolic_changes *changes, ashi_symbolic *symbolic, ashi_met *out,
                             ashlar_error *err);
void ashi_met_end(ashi_met *met);

/* Rows ascend; in_a: which row of after->a it is, -1: none. The tiles of the row of A that go meet what B was, those
 * that come what B is, and those that stay the tiles of B that change. Afterwards the caller sets `by` to 0, and
 * `columns`, and touched.count. False if memory lacks. */
bool ashi_met_row(ashi_met *met, int64_t row, int64_t in_a);

/* The tiles of a pattern's row; *x is at most the row's index, and becomes it. */
void ashi_met_find_in(const ashi_pattern *pattern, int64_t row, int64_t *x, int64_t *begin, int64_t *end);

#endif
