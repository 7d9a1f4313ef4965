/* What the files that make the program of boxes share: what the schedule holds, and where a rank is among the boxes. */
#ifndef ASHI_GRID_OWN_H
#define ASHI_GRID_OWN_H

#include "engine/domains.h"
#include "schedule/program.h"

/* Of a rank's box of C what a round of sums moves, and where that is summed up. */
typedef struct ashi_summed_box {
    ashi_box box;
    ashi_home home;
    ashi_chunk chunk;
    int64_t round;
    bool slab; /* rounds have different boxes */
} ashi_summed_box;

/* All of them together, one message each. */
typedef struct ashi_bundle {
    int64_t words, messages, packed; /* packed: words that are */
} ashi_bundle;

/* For ranks that sum up one face of C with one leading dimension in a round: what it would be for one that owns nothing
 * of the face. */
typedef struct ashi_face_bundle {
    bool counted;
    int64_t face, ld;
    ashi_bundle all;
} ashi_face_bundle;

/* How many bundles a round remembers, each of a face and a leading dimension: at most, and at least. With many rounds
 * it is fewer: all of them together have ASHI_BUNDLES_OF_ALL. */
enum { ASHI_BUNDLES_MOST = 64, ASHI_BUNDLES_LEAST = 2, ASHI_BUNDLES_OF_ALL = 1 << 15 };

enum { ASHI_NO_FACE = -2 };

/* One side of each face of the matrix that stays, cut into what its owners have: a rank then needs no memory for its
 * own. That is the k side, or the other one if the owners share each face along that. */
typedef struct ashi_owner_stretches {
    bool minor;   /* the other one */
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
    bool tiled;   /* what a rank owns of its box of C is summed up in its place also if it is several tiles */
    bool one_sum; /* a box of C of which a rank owns a part is summed up as one: see ashi_grid_request */
    /* Whose words are in the face of C of the last rank that moved sums, which is -1 if that rank is idle and
     * ASHI_NO_FACE if none did; what its members send. */
    ashi_pieces summed;
    int64_t summed_face;
    ashi_face_bundle *bundle; /* round by round; NULL if none is counted */
    int64_t bundles;          /* of a round */
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

/* All that this rank contributes to others in a round that goes straight to owners. */
ashlar_status ashi_grid_bundle(const ashi_grid_at *at, const ashi_summed_box *sums, ashi_bundle *out);

/* Whose words are in the rank's box of C: fills at->g->summed. */
ashlar_status ashi_grid_find_owners(const ashi_grid_at *at);

/* How many words of C the rank has to multiply by beta before sums are added to them; 0 if something else begins
 * them. */
int64_t ashi_grid_scaled_words(const ashi_grid_at *at);

#endif
