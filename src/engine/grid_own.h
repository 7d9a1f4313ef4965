/* What the files that make the program of boxes share: what the schedule holds, and where a rank is among the boxes. */
#ifndef ASHI_GRID_OWN_H
#define ASHI_GRID_OWN_H

#include "engine/domains.h"
#include "schedule/program.h"

/* What a rank contributes to one owner's words of its box in a round of sums. */
typedef struct ashi_contribution {
    int64_t words;
    bool packed; /* before it is sent; else it is sent from where it is summed up */
} ashi_contribution;

/* All of them together, one message each. */
typedef struct ashi_bundle {
    int64_t words, messages, packed; /* packed: words that are; messages < 0: not yet counted */
} ashi_bundle;

/* Round by round, for ranks that sum up one face of C with one leading dimension: what it would be for one that owns
 * nothing of the face. */
typedef struct ashi_bundles {
    int64_t face, ld;
    ashi_bundle *round; /* reduce_rounds; NULL if none is counted */
} ashi_bundles;

/* Ranks that own a part of the box's rows or columns sum up the others: even parts have two sizes. */
enum { ASHI_BUNDLES = 2 };

enum { ASHI_NO_FACE = -2 };

/* The k side of each face of the matrix that stays, cut into what its owners have: a rank then needs no memory for its
 * own. */
typedef struct ashi_owner_stretches {
    int64_t most; /* of a face */
    int64_t *cut; /* most + 1 positions a face; stretches at the end may be empty */
} ashi_owner_stretches;

/* What the schedule holds. */
typedef struct ashi_grid_own {
    ashi_domains domains;
    ashi_axis axis[3];
    ashi_slabs slabs;
    ashi_owner_stretches stretches; /* if A or B stays */
    int64_t turned[2];              /* of A and B: owners along k that a face has in a round at most, each of which
                                       sends k contiguous; 0 if the view is not turned */
    bool one_sum; /* a box of C of which a rank owns a part is summed up as one: see ashi_grid_request */
    /* Whose words are in the face of C of the last rank that moved sums, which is -1 if that rank is idle and
     * ASHI_NO_FACE if none did; what its members send. */
    ashi_pieces summed;
    int64_t summed_face;
    ashi_bundles bundles[ASHI_BUNDLES];
    int next_bundles; /* which of them the next face or leading dimension takes */
    ashi_pieces fibre; /* whose words are in a round's box of A or B */
} ashi_grid_own;

/* The box of C that a rank sums up, and where: if boxes overlap on C, in its own C only where that lies in the box; if
 * the box is one sum, in its own C only if that has all of it. */
ashi_box ashi_grid_domain(const ashi_schedule *schedule, int64_t rank, int64_t part);
ashi_home ashi_grid_home(const ashi_schedule *schedule, int64_t rank, int64_t part);

/* The part of a face that a round needs, or sums up: of a matrix that rounds cut. */
ashi_box ashi_grid_slab(const ashi_grid_own *g, ashlar_operand x, int64_t face, int64_t round);

/* The rank whose steps are made. */
typedef struct ashi_grid_at {
    ashi_schedule *schedule;
    ashi_grid_own *g;
    int64_t rank;
    const ashi_seat *me;
    ashi_home home; /* of the rank's box of C */
    ashlar_error *err;
} ashi_grid_at;

/* A MULTICAST or REDUCE of the owner's words of a box, or of a chunk of them, and the ranks of a face. */
ashi_operation ashi_grid_group(const ashi_grid_at *at, ashi_operation_kind kind, ashlar_operand operand,
                               int64_t face, int64_t owner, int64_t words);

/* The smallest box that has all that a rank owns of a matrix. */
ashi_box ashi_grid_owned(const ashi_view *view, int64_t rank);

/* What this rank contributes to an owner's words of its box in a round that goes straight to owners. */
ashi_contribution ashi_grid_contribution(const ashi_grid_at *at, int64_t owner, ashi_chunk chunk);

/* All that it contributes to others. */
ashlar_status ashi_grid_bundle(const ashi_grid_at *at, ashi_chunk chunk, ashi_bundle *out);

/* Whose words are in the rank's box of C: fills at->g->summed. */
ashlar_status ashi_grid_find_owners(const ashi_grid_at *at);

/* How many words of C the rank has to multiply by beta before sums are added to them; 0 if something else begins
 * them. */
int64_t ashi_grid_scaled_words(const ashi_grid_at *at);

#endif
