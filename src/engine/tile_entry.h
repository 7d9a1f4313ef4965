/* The tiles of A and B that a rank handles, and what their groups are made of. */
#ifndef ASHI_TILE_ENTRY_H
#define ASHI_TILE_ENTRY_H

#include "engine/tile_groups.h"

/* What happens to a tile on a rank, in the order of the line. */
enum { ASHI_TILE_COMES, ASHI_TILE_STAYS, ASHI_TILE_ONLY_SENT };

typedef struct ashi_tile_entry {
    int64_t iteration;
    int panel; /* A: the row of panels of C that it is multiplied for; B: the column */
    int use;
    int64_t owner, part, mask_words;
    const uint64_t *mask;
    ashi_tile_at at;
} ashi_tile_entry;

/* Tiles of a group along the line: `of` is the first, or any of them. */
typedef struct ashi_tile_piece {
    ashi_tile_entry of;
    int64_t tiles;
} ashi_tile_piece;

typedef struct ashi_tile_finding {
    const ashi_tile_problem *p;
    int64_t rank;
    int64_t part[2]; /* of C's grid, the rank's process row and column; -1: it is none of its processes */
    int x;
    signed char *panel[2]; /* of each tile of m, and of n: the row and the column of panels of its process; NULL: 0 */
    ashi_tile_entry *entry;
    int64_t entries, entry_room;
    ashi_tile_piece *piece;
    int64_t pieces, piece_room;
    ashi_tile_groups *out;
} ashi_tile_finding;

/* Freed by ashi_tile_finding_end, also after a failure. ASHLAR_ERR_MEMORY. */
ashlar_status ashi_tile_finding_begin(const ashi_tile_problem *problem, int64_t rank, ashi_tile_groups *out,
                                      ashi_tile_finding *f, ashlar_error *err);
void ashi_tile_finding_end(ashi_tile_finding *f);

/* Add an entry for a tile of op(X), X being f->x, if the rank handles it. `number` is the tile's in op(X)'s pattern,
 * and is not used unless needs are exact. ASHLAR_ERR_MEMORY. */
ashlar_status ashi_tile_note(ashi_tile_finding *f, const ashi_tile_at *at, int64_t number, ashlar_error *err);

/* The panel of C that a tile of C is in. */
int ashi_tile_sums_panel(const ashi_tile_finding *f, const ashi_tile_at *at);

/* The order of a line, for qsort of entries or of pieces; and whether two entries are of one group. */
int ashi_tile_along_line(const void *entry, const void *other);
bool ashi_tile_same_group(const ashi_tile_entry *a, const ashi_tile_entry *b);

/* The order of groups within a round, for one group against what an entry says. */
int ashi_tile_compare_name(const ashi_tile_group *group, const ashi_tile_entry *e);

/* Add a piece. ASHLAR_ERR_MEMORY. */
ashlar_status ashi_tile_add_piece(ashi_tile_finding *f, const ashi_tile_entry *of, int64_t tiles, ashlar_error *err);

/* The groups and rounds of f->x, behind those that `out` has, from its line and its pieces, which are in the order of
 * the line. ASHLAR_ERR_MEMORY. */
ashlar_status ashi_tile_make_rounds(ashi_tile_finding *f, ashlar_error *err);

/* Add what the entries' tiles of f->x have to the rows of A or columns of B that are multiplied
 * (ashi_tile_groups.side), or with sign = -1 take it off. */
void ashi_tile_add_sides(const ashi_tile_finding *f, int64_t sign, int64_t *side);

/* Whether C's line is C's pattern: the rank has all of its tiles, and they are one panel. */
bool ashi_tile_lends_sums(const ashi_tile_problem *problem);

/* Where the panels of C begin, from its line. */
void ashi_tile_find_sums(ashi_tile_finding *f);

#endif
