/* A matrix in axis positions: whose words are in a box, and where they lie in memory.
 *
 * Boxes have a minor and a major side. op(A) is seen with m minor and k major, op(B) with n minor and k major, C with m
 * minor and n major: a panel keeps its minor side contiguous, so that what one round of k needs is one interval. */
#ifndef ASHI_VIEW_H
#define ASHI_VIEW_H

#include "layout/axis.h"
#include "layout/layout.h"

typedef struct ashi_box {
    int64_t minor_lo, minor_hi, major_lo, major_hi;
} ashi_box;

typedef enum ashi_side { ASHI_NEITHER, ASHI_MINOR, ASHI_MAJOR } ashi_side;

typedef struct ashi_view {
    const ashlar_layout *layout; /* not owned */
    bool minor_is_row, conjugate;
    ashi_side conjugated_by; /* the side whose stride must be 1 for BLAS to conjugate where the piece lies */
    bool turned;             /* pieces are packed with the major side contiguous; else the minor side is */
    ashi_strip minor, major;
    int64_t ranks;
    int64_t *start; /* ranks + 1: where a rank's pairs begin in `pair` */
    int64_t *pair;  /* row part * col.parts + column part, by owner, in the layout's order */
} ashi_view;

/* minor_is_row: of op(X), so of the layout itself where op is N. ranks: more than any owner. */
ashlar_status ashi_view_build(const ashlar_layout *layout, ashlar_op op, bool minor_is_row, const ashi_axis *minor,
                              const ashi_axis *major, int64_t ranks, ashi_view *out, ashlar_error *err);
ashlar_status ashi_view_copy(const ashi_view *view, ashi_view *out, ashlar_error *err);
void ashi_view_free(ashi_view *view);

/* The part along the major side that a pair has. */
int64_t ashi_view_major_part(const ashi_view *view, int64_t pair);

int64_t ashi_box_words(const ashi_box *box);
bool ashi_box_same(const ashi_box *a, const ashi_box *b);

/* Cut a box's major side to the first interval that the part which has a rank's elements has of it; empty if there is
 * none. The rank owns elements of one part along the major side. */
void ashi_view_cut_to_part(const ashi_view *view, int64_t rank, ashi_box *box);

/* How many elements of the box a rank owns. */
int64_t ashi_view_words(const ashi_view *view, int64_t rank, const ashi_box *box);

/* A rank's part of a box is sent as one piece: its pairs one after the other, each a dense matrix with the minor side
 * contiguous, or the major side if the view is `turned`. A piece can be cut into `chunks` by cutting every pair's major
 * side evenly. */
typedef struct ashi_chunk {
    int64_t number, chunks;
} ashi_chunk;

static const ashi_chunk ashi_whole = {0, 1};

int64_t ashi_view_chunk_words(const ashi_view *view, int64_t rank, const ashi_box *box, ashi_chunk chunk);

/* How many of `chunks` chunks have words: the first ones. */
int64_t ashi_view_chunks(const ashi_view *view, int64_t rank, const ashi_box *box, int64_t chunks);

/* One rectangle of a piece that is regular in the box, in the packed piece, and in the owner's memory. */
typedef struct ashi_block {
    int64_t minor_at, minor_count, major_at, major_count; /* positions */
    int64_t packed;                                       /* (x, y) at packed + x * packed_minor_stride + ... of the */
    int64_t packed_minor_stride, packed_major_stride;     /* piece; one of the two strides is 1 */
    int64_t tile, start, offset;                          /* in the owner's memory: tile, where the tile starts */
    int64_t minor_stride, major_stride;                   /* (x, y) at start + offset + x * minor_stride + ... */
} ashi_block;

/* Walk the blocks of a rank's piece of a box; the visit is given the caller's context. */
typedef void (*ashi_block_visit)(void *context, const ashi_block *block);
void ashi_view_blocks(const ashi_view *view, int64_t rank, const ashi_box *box, ashi_chunk chunk,
                      ashi_block_visit visit, void *context);

/* Who owns how much of a box, in the order of ranks. */
typedef struct ashi_piece {
    int64_t owner, words;
    bool lands; /* the packed piece is an interval of the box's major side over its whole minor side; of a turned view
                   an interval of its minor side over its whole major side ... */
    int64_t at; /* ... that begins at this position */
} ashi_piece;

typedef struct ashi_pieces {
    int64_t count, capacity;
    ashi_piece *piece;
} ashi_pieces;

/* Fill `out`, which grows as needed and is freed by the caller with ashi_pieces_free. */
ashlar_status ashi_view_pieces(const ashi_view *view, const ashi_box *box, ashi_pieces *out, ashlar_error *err);
void ashi_pieces_free(ashi_pieces *pieces);

/* True where BLAS can read the block where it lies as part of a panel `width` wide: it spans the minor side, is at
 * least `least` long on the major side, and need not be conjugated unless BLAS can. */
bool ashi_block_in_place(const ashi_view *view, const ashi_block *block, int64_t width, int64_t least);

/* The `least` of schedules: shorter intervals of k are copied beside what was received of the box. */
int64_t ashi_view_least_in_place(const ashi_box *box);

/* How many major positions of a box are in such blocks of a rank's own. */
int64_t ashi_view_in_place(const ashi_view *view, int64_t rank, const ashi_box *box, int64_t least);

/* True if a rank's piece of a box would lie packed in a memory that has the position (x, y) of `memory` at word
 * x - minor_lo + (y - major_lo) * ld, or (x - minor_lo) * ld + y - major_lo if the view is turned. *at: the word at
 * which it begins. False if some of it is outside `memory`. */
bool ashi_view_lies_packed(const ashi_view *view, int64_t rank, const ashi_box *box, ashi_chunk chunk,
                           const ashi_box *memory, int64_t ld, int64_t *at);

/* True where a rank's piece of a box lies in its memory just as it would be packed, in one block: *out. */
bool ashi_view_is_packed(const ashi_view *view, int64_t rank, const ashi_box *box, ashi_chunk chunk, ashi_block *out);

#endif
