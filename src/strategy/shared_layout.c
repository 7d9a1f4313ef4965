/* Equal shares of a matrix for ranks whose faces on it overlap, by earliest deadline first along one side. */
#include "strategy/shared_layout.h"

#include "base/checked.h"
#include "base/error.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double sliver = 1e-6;  /* what is less is nothing */

/* A face, and what its rank gets along the major side of the strip at hand. If pieces follow one another along the
 * minor side, minor and major are exchanged here. */
typedef struct claim {
    int64_t minor_lo, minor_hi, lo, hi; /* lo .. hi-1 of the major side */
    int rank;
    double share;  /* what the rank is to have of the matrix, beside what others are to have */
    double wanted; /* what is still to come */
} claim;

/* Where a rank's piece of a strip ends; it begins where the one before ends. */
typedef struct piece {
    int64_t end;
    int rank;
} piece;

/* Strips, one for each interval of the minor side, and the pieces of each. */
typedef struct shares {
    int64_t claims, open, strips, pieces, capacity;
    claim *claim;      /* all, by where they begin on the minor side */
    claim *at;         /* those of the strip at hand, by where they begin on the major side */
    claim **waiting;   /* of those the ones that have begun and not ended */
    int64_t *edge;     /* strips + 1 minor positions */
    int64_t *first;    /* strips + 1: where the pieces of a strip begin */
    piece *piece;
} shares;

static void shares_free(shares *s)
{
    free(s->claim);
    free(s->at);
    free(s->waiting);
    free(s->edge);
    free(s->first);
    free(s->piece);
}

static int by_number(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static int64_t unique(int64_t *number, int64_t count)
{
    int64_t n = 0;
    qsort(number, (size_t)count, sizeof *number, by_number);
    for (int64_t i = 0; i < count; i++)
        if (n == 0 || number[n - 1] != number[i])
            number[n++] = number[i];
    return n;
}

static int by_minor(const void *a, const void *b)
{
    const claim *x = a, *y = b;
    if (x->minor_lo != y->minor_lo)
        return x->minor_lo < y->minor_lo ? -1 : 1;
    return (x->rank > y->rank) - (x->rank < y->rank);
}

static int by_major(const void *a, const void *b)
{
    const claim *x = a, *y = b;
    if (x->lo != y->lo)
        return x->lo < y->lo ? -1 : 1;
    if (x->hi != y->hi)
        return x->hi < y->hi ? -1 : 1;
    return (x->rank > y->rank) - (x->rank < y->rank);
}

/* `cut.along_minor`: strips are intervals of the major side. */
static ashlar_status shares_build(const ashi_bricks *b, ashlar_operand operand, ashi_shared_cut cut, shares *s,
                                  ashlar_error *err)
{
    const size_t n = (size_t)b->count;
    *s = (shares){.claims = b->count};
    s->claim = malloc(n * sizeof *s->claim);
    s->at = malloc(n * sizeof *s->at);
    s->waiting = malloc(n * sizeof *s->waiting);
    s->edge = malloc(2 * n * sizeof *s->edge);
    s->first = malloc(2 * n * sizeof *s->first);
    if (!s->claim || !s->at || !s->waiting || !s->edge || !s->first)
        return ashi_fail_memory(err, "layout", b->count * (int64_t)(2 * sizeof *s->claim + 40));
    for (int64_t i = 0; i < b->count; i++) {
        const ashi_cuboid box = ashi_bricks_box(b, i);
        const ashi_box face = ashi_cuboid_face(&box, operand);
        const ashi_box f = cut.along_minor ? (ashi_box){face.major_lo, face.major_hi, face.minor_lo, face.minor_hi}
                                           : face;
        const double share = cut.share ? cut.share[i] : 1;
        s->claim[i] = (claim){f.minor_lo, f.minor_hi, f.major_lo, f.major_hi, b->rank_of[i], share, 0};
        s->edge[2 * i] = f.minor_lo;
        s->edge[2 * i + 1] = f.minor_hi;
    }
    s->strips = unique(s->edge, 2 * b->count) - 1;
    qsort(s->claim, n, sizeof *s->claim, by_minor);
    return ASHLAR_OK;
}

static ashlar_status add_piece(shares *s, int64_t strip, int64_t end, int rank, ashlar_error *err)
{
    const int64_t begin = s->pieces > s->first[strip] ? s->piece[s->pieces - 1].end : 0;
    if (end <= begin)
        return ASHLAR_OK;
    if (s->pieces > s->first[strip] && s->piece[s->pieces - 1].rank == rank) {
        s->piece[s->pieces - 1].end = end;
        return ASHLAR_OK;
    }
    if (s->pieces == s->capacity) {
        const int64_t capacity = ashi_max(2 * s->capacity, 4 * s->claims);
        piece *more = realloc(s->piece, (size_t)capacity * sizeof *more);
        if (!more)
            return ashi_fail_memory(err, "layout", capacity * (int64_t)sizeof *more);
        s->piece = more;
        s->capacity = capacity;
    }
    s->piece[s->pieces++] = (piece){end, rank};
    return ASHLAR_OK;
}

/* The claims on a strip; *entered of all have begun so far on the minor side. */
static void enter_strip(shares *s, int64_t strip, int64_t *entered)
{
    const int64_t lo = s->edge[strip];
    int64_t n = 0;
    for (int64_t i = 0; i < s->open; i++)
        if (s->at[i].minor_hi > lo)
            s->at[n++] = s->at[i];
    for (; *entered < s->claims && s->claim[*entered].minor_lo == lo; (*entered)++)
        s->at[n++] = s->claim[*entered];
    s->open = n;
    qsort(s->at, (size_t)n, sizeof *s->at, by_major);
}

/* Equal shares of the matrix are as much longer on a strip as their faces are narrower. */
static void want(shares *s, int64_t length)
{
    double all = 0;
    for (int64_t i = 0; i < s->open; i++)
        all += s->at[i].share / (double)(s->at[i].minor_hi - s->at[i].minor_lo);
    for (int64_t i = 0; i < s->open; i++)
        s->at[i].wanted = (double)length * s->at[i].share / (double)(s->at[i].minor_hi - s->at[i].minor_lo) / all;
}

/* The one to serve now: that ends first of those that still want something. If none does, that which was served last,
 * so that its words stay together, or that ends first. Leaves out those that have ended. */
static claim *most_urgent(shares *s, int64_t strip, int64_t *waiting, double now)
{
    const int served = s->pieces > s->first[strip] ? s->piece[s->pieces - 1].rank : -1;
    claim *best = NULL, *last = NULL;
    int64_t n = 0;
    for (int64_t i = 0; i < *waiting; i++) {
        claim *c = s->waiting[i];
        if ((double)c->hi <= now)
            continue;
        s->waiting[n++] = c;
        const bool wants = c->wanted > sliver, best_wants = best && best->wanted > sliver;
        if (!best || (wants && !best_wants) || (wants == best_wants && c->hi < best->hi))
            best = c;
        last = c->rank == served ? c : last;
    }
    *waiting = n;
    return last && best->wanted <= sliver ? last : best;
}

/* Serve the claims of a strip from one end to the other. */
static ashlar_status serve_strip(shares *s, int64_t strip, int64_t length, ashlar_error *err)
{
    ashlar_status status = ASHLAR_OK;
    int64_t begun = 0, waiting = 0;
    double now = 0;
    s->first[strip] = s->pieces;
    want(s, length);
    while (now < (double)length && status == ASHLAR_OK) {
        while (begun < s->open && (double)s->at[begun].lo <= now)
            s->waiting[waiting++] = &s->at[begun++];
        claim *c = most_urgent(s, strip, &waiting, now);
        double end = (double)c->hi;
        if (c->wanted > sliver)
            end = fmin(end, now + c->wanted);
        if (begun < s->open)
            end = fmin(end, (double)s->at[begun].lo);
        c->wanted -= end - now;
        now = end;
        status = add_piece(s, strip, llround(end), c->rank, err);
    }
    return status;
}

/* Where tiles end along the strips: with all pieces, and with faces if asked for. NULL without memory. */
static int64_t *cuts_of(const shares *s, bool at_faces, int64_t *cuts)
{
    int64_t n = 0, *cut = malloc((size_t)(s->pieces + 1 + s->claims) * sizeof *cut);
    if (!cut)
        return NULL;
    cut[n++] = 0;
    for (int64_t i = 0; i < s->pieces; i++)
        cut[n++] = s->piece[i].end;
    for (int64_t i = 0; i < s->claims && at_faces; i++)
        cut[n++] = s->claim[i].hi;
    *cuts = unique(cut, n) - 1;
    return cut;
}

/* Tiles: the strips, cut along them. */
static ashlar_status tiles_of(const shares *s, bool at_faces, bool strips_are_rows, ashlar_order order,
                              ashlar_layout **out, ashlar_error *err)
{
    int64_t cuts, *cut = cuts_of(s, at_faces, &cuts);
    int *owner = NULL;
    if (!cut)
        return ashi_fail_memory(err, "layout", (s->pieces + 1 + s->claims) * (int64_t)sizeof *cut);
    owner = malloc((size_t)(cuts * s->strips) * sizeof *owner);
    ashlar_status status = ASHLAR_OK;
    if (!owner)
        status = ashi_fail_memory(err, "layout", cuts * s->strips * (int64_t)sizeof *owner);
    for (int64_t x = 0; x < s->strips && owner; x++) {
        int64_t p = s->first[x];
        for (int64_t y = 0; y < cuts; y++) {
            p += cut[y] >= s->piece[p].end;
            owner[strips_are_rows ? x * cuts + y : y * s->strips + x] = s->piece[p].rank;
        }
    }
    if (owner && strips_are_rows)
        status = ashlar_layout_tiles(s->strips, cuts, s->edge, cut, owner, order, out, err);
    else if (owner)
        status = ashlar_layout_tiles(cuts, s->strips, cut, s->edge, owner, order, out, err);
    free(cut);
    free(owner);
    return status;
}

ashlar_status ashi_shared_layout(const ashi_bricks *b, const ashlar_op op[2], ashlar_operand operand,
                                 ashi_shared_cut cut, ashlar_layout **out, ashlar_error *err)
{
    const bool minor_is_row = ashi_minor_is_row(op, operand);
    shares s;
    *out = NULL;
    ashlar_status status = shares_build(b, operand, cut, &s, err);
    int64_t length = 0, entered = 0;
    for (int64_t i = 0; i < s.claims && status == ASHLAR_OK; i++)
        length = ashi_max(length, s.claim[i].hi);
    for (int64_t x = 0; x < s.strips && status == ASHLAR_OK; x++) {
        enter_strip(&s, x, &entered);
        status = serve_strip(&s, x, length, err);
        s.first[x + 1] = s.pieces;
    }
    if (status == ASHLAR_OK)
        status = tiles_of(&s, cut.at_faces, minor_is_row != cut.along_minor,
                          minor_is_row ? ASHLAR_COL_MAJOR : ASHLAR_ROW_MAJOR, out, err);
    shares_free(&s);
    return status;
}
