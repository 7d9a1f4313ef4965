/* The faces that a schedule's boxes have on A, B and C, and which ranks share each. */
#ifndef ASHI_DOMAINS_H
#define ASHI_DOMAINS_H

#include "engine/grid_schedule.h"
#include "engine/slabs.h"

/* What one or several boxes need of A or B, or sum up of C. */
typedef struct ashi_face {
    ashi_box box;           /* over all rounds */
    int64_t part;           /* of the matrices that rounds cut: the part that is its side along the dimension cut */
    int64_t first, members; /* in the list of members */
} ashi_face;

/* The faces that have one minor side. */
typedef struct ashi_band {
    int64_t lo, hi;
    int64_t first; /* face */
} ashi_band;

/* The faces on one matrix, each once, by their minor, then by their major sides. */
typedef struct ashi_faces {
    int64_t count, bands;
    ashi_face *face;
    ashi_band *band; /* bands + 1 */
    int64_t *face_reach, *band_reach; /* the highest end of a major side up to each face of a band; of a minor side up
                                         to each band */
    int *member; /* the ranks of each face's boxes, face after face, along the dimension that the face lacks */
} ashi_faces;

/* A rank's faces, and its place among the members of each; -1 where it is idle. */
typedef struct ashi_seat {
    int64_t face[3], at[3];
    bool idle;
} ashi_seat;

typedef struct ashi_domains {
    ashi_faces of[3]; /* the first one's arrays have room for all three's */
    ashi_seat *seat;     /* of each rank */
    int cut;             /* the dimension that rounds cut: that of which the matrix that stays has nothing */
    ashi_reach *part;    /* the boxes' sides along it, each once, by where they begin */
    int64_t parts;
    bool c_overlaps;     /* an element of C is in several faces, or in none */
} ashi_domains;

/* `stays`: the matrix of which rounds cut nothing. */
ashlar_status ashi_domains_build(const ashi_bricks *bricks, const int64_t size[3], int64_t ranks, ashlar_operand stays,
                                 ashi_domains *out, ashlar_error *err);
void ashi_domains_free(ashi_domains *domains);

/* The index of a rank among the members of a face, -1 where it is none of them. */
int64_t ashi_domains_index(const ashi_domains *domains, ashlar_operand x, int64_t face, int64_t rank);

/* A walk over the faces that have positions of a box, in their order. */
typedef struct ashi_touching {
    const ashi_faces *faces;
    ashi_box box;
    int64_t band, face; /* the present one */
    int64_t face_end;   /* of the band */
} ashi_touching;

ashi_touching ashi_faces_touching(const ashi_faces *faces, const ashi_box *box);
bool ashi_faces_next(ashi_touching *walk);

#endif
