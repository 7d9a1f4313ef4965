/* A matrix in axis positions: whose words are in a box, and where they lie in memory. */
#include "layout/view.h"

#include "base/checked.h"
#include "base/error.h"

#include <stdlib.h>
#include <string.h>

static ashlar_status group_pairs(ashi_view *view, ashlar_error *err)
{
    const ashlar_layout *layout = view->layout;
    const int64_t pairs = layout->row.parts * layout->col.parts;
    view->start = calloc((size_t)view->ranks + 2, sizeof *view->start);
    view->pair = malloc((size_t)pairs * sizeof *view->pair);
    if (!view->start || !view->pair)
        return ashi_fail_memory(err, "view", (view->ranks + pairs) * 8);
    for (int64_t i = 0; i < pairs; i++)
        view->start[layout->owner[i] + 2]++;
    for (int64_t r = 0; r < view->ranks; r++)
        view->start[r + 2] += view->start[r + 1];
    for (int64_t i = 0; i < pairs; i++)
        view->pair[view->start[layout->owner[i] + 1]++] = i;
    return ASHLAR_OK;
}

ashlar_status ashi_view_build(const ashlar_layout *layout, ashlar_op op, bool minor_is_row, const ashi_axis *minor,
                              const ashi_axis *major, int64_t ranks, ashi_view *out, ashlar_error *err)
{
    if (op != ASHLAR_OP_N)
        minor_is_row = !minor_is_row;
    *out = (ashi_view){
        .layout = layout, .minor_is_row = minor_is_row, .conjugate = op == ASHLAR_OP_C, .ranks = ranks};
    ashlar_status status = ashi_strip_build(minor, minor_is_row ? &layout->row : &layout->col, &out->minor, err);
    if (status == ASHLAR_OK)
        status = ashi_strip_build(major, minor_is_row ? &layout->col : &layout->row, &out->major, err);
    if (status == ASHLAR_OK)
        status = group_pairs(out, err);
    if (status != ASHLAR_OK)
        ashi_view_free(out);
    return status;
}

ashlar_status ashi_view_copy(const ashi_view *view, ashi_view *out, ashlar_error *err)
{
    const size_t starts = ((size_t)view->ranks + 2) * sizeof *out->start;
    const size_t pairs = (size_t)(view->layout->row.parts * view->layout->col.parts) * sizeof *out->pair;
    *out = *view;
    out->minor = out->major = (ashi_strip){0};
    out->start = malloc(starts);
    out->pair = malloc(pairs);
    ashlar_status status =
        out->start && out->pair ? ASHLAR_OK : ashi_fail_memory(err, "view", (int64_t)(starts + pairs));
    if (status == ASHLAR_OK)
        status = ashi_strip_copy(&view->minor, &out->minor, err);
    if (status == ASHLAR_OK)
        status = ashi_strip_copy(&view->major, &out->major, err);
    if (status != ASHLAR_OK) {
        ashi_view_free(out);
        return status;
    }
    memcpy(out->start, view->start, starts);
    memcpy(out->pair, view->pair, pairs);
    return ASHLAR_OK;
}

void ashi_view_free(ashi_view *view)
{
    ashi_strip_free(&view->minor);
    ashi_strip_free(&view->major);
    free(view->start);
    free(view->pair);
    *view = (ashi_view){0};
}

int64_t ashi_view_major_part(const ashi_view *view, int64_t pair)
{
    const int64_t cols = view->layout->col.parts;
    return view->minor_is_row ? pair % cols : pair / cols;
}

int64_t ashi_box_words(const ashi_box *box)
{
    return (box->minor_hi - box->minor_lo) * (box->major_hi - box->major_lo);
}

bool ashi_box_same(const ashi_box *a, const ashi_box *b)
{
    return a->minor_lo == b->minor_lo && a->minor_hi == b->minor_hi && a->major_lo == b->major_lo &&
           a->major_hi == b->major_hi;
}

/* What a pair has of a box: counts of positions, and how many of its part come before the box. */
typedef struct overlap {
    int64_t minor_part, major_part;
    int64_t minor_first, minor_count, major_first, major_count;
} overlap;

static overlap overlap_of(const ashi_view *view, int64_t pair, const ashi_box *box)
{
    const int64_t r = pair / view->layout->col.parts, c = pair % view->layout->col.parts;
    overlap o = {.minor_part = view->minor_is_row ? r : c, .major_part = view->minor_is_row ? c : r};
    o.minor_count = ashi_strip_between(&view->minor, o.minor_part, box->minor_lo, box->minor_hi, &o.minor_first);
    if (o.minor_count > 0)
        o.major_count = ashi_strip_between(&view->major, o.major_part, box->major_lo, box->major_hi, &o.major_first);
    return o;
}

int64_t ashi_view_chunk_words(const ashi_view *view, int64_t rank, const ashi_box *box, ashi_chunk chunk)
{
    int64_t words = 0;
    for (int64_t i = view->start[rank]; i < view->start[rank + 1]; i++) {
        const overlap o = overlap_of(view, view->pair[i], box);
        words += o.minor_count * ashi_cut_size(o.major_count, chunk.chunks, chunk.number);
    }
    return words;
}

int64_t ashi_view_chunks(const ashi_view *view, int64_t rank, const ashi_box *box, int64_t chunks)
{
    int64_t most = 0;
    for (int64_t i = view->start[rank]; i < view->start[rank + 1]; i++)
        most = ashi_max(most, overlap_of(view, view->pair[i], box).major_count);
    return ashi_min(most, chunks);
}

int64_t ashi_view_words(const ashi_view *view, int64_t rank, const ashi_box *box)
{
    return ashi_view_chunk_words(view, rank, box, ashi_whole);
}

/* A part's positions number first .. first + count - 1, segment by segment. */
typedef struct span {
    const ashi_strip *strip;
    int64_t item, end; /* in strip->list */
    int64_t first, last;
    int64_t at, count, local, done; /* of the present piece of a segment; positions before it */
} span;

static span span_begin(const ashi_strip *strip, int64_t part, int64_t first, int64_t count)
{
    int64_t lo = strip->start[part], hi = strip->start[part + 1];
    while (hi - lo > 1) { /* the last segment that has no more than `first` positions before it */
        const int64_t mid = lo + (hi - lo) / 2;
        if (strip->before[strip->list[mid]] <= first)
            lo = mid;
        else
            hi = mid;
    }
    return (span){.strip = strip, .item = lo, .end = strip->start[part + 1], .first = first, .last = first + count};
}

static bool span_next(span *s)
{
    if (s->item >= s->end || s->first >= s->last)
        return false;
    const ashi_strip *strip = s->strip;
    const int64_t seg = strip->list[s->item++], skip = s->first - strip->before[seg];
    s->done += s->count;
    s->at = strip->at[seg] + skip;
    s->local = strip->local[seg] + skip;
    s->count = ashi_min(strip->at[seg + 1] - s->at, s->last - s->first);
    s->first += s->count;
    return true;
}

void ashi_view_blocks(const ashi_view *view, int64_t rank, const ashi_box *box, ashi_chunk chunk,
                      ashi_block_visit visit, void *context)
{
    int64_t packed = 0;
    for (int64_t i = view->start[rank]; i < view->start[rank + 1]; i++) {
        const int64_t pair = view->pair[i];
        const overlap o = overlap_of(view, pair, box);
        const int64_t first = o.major_first + ashi_cut(o.major_count, chunk.chunks, chunk.number);
        const int64_t count = ashi_cut_size(o.major_count, chunk.chunks, chunk.number);
        if (o.minor_count == 0 || count == 0)
            continue;
        const ashi_storage s =
            ashi_layout_storage(view->layout, pair / view->layout->col.parts, pair % view->layout->col.parts);
        const int64_t minor_stride = view->minor_is_row ? s.row_stride : s.col_stride;
        const int64_t major_stride = view->minor_is_row ? s.col_stride : s.row_stride;
        const int64_t packed_minor = view->turned ? count : 1, packed_major = view->turned ? 1 : o.minor_count;
        for (span y = span_begin(&view->major, o.major_part, first, count); span_next(&y);)
            for (span x = span_begin(&view->minor, o.minor_part, o.minor_first, o.minor_count); span_next(&x);) {
                const ashi_block block = {
                    x.at, x.count, y.at, y.count, packed + x.done * packed_minor + y.done * packed_major, packed_minor,
                    packed_major, s.tile, s.start, s.offset + x.local * minor_stride + y.local * major_stride,
                    minor_stride, major_stride};
                visit(context, &block);
            }
        packed += o.minor_count * count;
    }
}

static ashlar_status grow(ashi_pieces *pieces, ashlar_error *err)
{
    if (pieces->count < pieces->capacity)
        return ASHLAR_OK;
    const int64_t capacity = ashi_max(16, 2 * pieces->capacity);
    ashi_piece *piece = realloc(pieces->piece, (size_t)capacity * sizeof *piece);
    if (!piece)
        return ashi_fail_memory(err, "pieces", capacity * (int64_t)sizeof *piece);
    pieces->piece = piece;
    pieces->capacity = capacity;
    return ASHLAR_OK;
}

/* The next segment of a strip in lo .. hi-1 whose part did not occur in an earlier one; count where none is left. */
static int64_t next_part(const ashi_strip *strip, int64_t lo, int64_t hi, int64_t segment)
{
    for (; segment < strip->count && strip->at[segment] < hi; segment++) {
        const int64_t before = strip->before[segment];
        if (strip->at[segment] <= lo || before == 0 || before == ashi_strip_below(strip, strip->part[segment], lo))
            return segment;
    }
    return strip->count;
}

/* Where a part's positions in lo .. hi-1 begin, if they are one interval; -1 otherwise. */
static int64_t interval_begin(const ashi_strip *strip, int64_t part, int64_t first, int64_t count)
{
    span s = span_begin(strip, part, first, count);
    int64_t begin = -1, end = -1;
    while (span_next(&s)) {
        if (begin >= 0 && s.at != end)
            return -1;
        if (begin < 0)
            begin = s.at;
        end = s.at + s.count;
    }
    return begin;
}

void ashi_view_cut_to_part(const ashi_view *view, int64_t rank, ashi_box *box)
{
    if (view->start[rank] == view->start[rank + 1]) {
        box->major_hi = box->major_lo;
        return;
    }
    const int64_t part = ashi_view_major_part(view, view->pair[view->start[rank]]);
    int64_t first = 0;
    const int64_t count = ashi_strip_between(&view->major, part, box->major_lo, box->major_hi, &first);
    span s = span_begin(&view->major, part, first, count);
    int64_t lo = box->major_lo, hi = lo;
    while (span_next(&s) && (lo == hi || s.at == hi)) {
        lo = lo == hi ? s.at : lo;
        hi = s.at + s.count;
    }
    box->major_lo = lo;
    box->major_hi = hi;
}

static int by_owner(const void *a, const void *b)
{
    const ashi_piece *x = a, *y = b;
    if (x->owner != y->owner)
        return x->owner < y->owner ? -1 : 1;
    return (x->at > y->at) - (x->at < y->at);
}

/* Whether a piece that lands continues one that does, as panel and as packed: parts follow one another as positions.
 * width: of the side over which pieces land. */
static bool continues(const ashi_view *view, int64_t width, const ashi_piece *p, const ashi_piece *next)
{
    const ashi_strip *along = view->turned ? &view->minor : &view->major;
    return p->lands && next->lands && p->at + p->words / width == next->at &&
           along->part[ashi_strip_find(along, next->at - 1)] < along->part[ashi_strip_find(along, next->at)];
}

/* Join what several pairs of one owner have. Pairs are packed in the layout's order: the piece lands only if that is
 * also the order of positions. */
static void join_owners(const ashi_view *view, const ashi_box *box, ashi_pieces *pieces)
{
    const int64_t width = view->turned ? box->major_hi - box->major_lo : box->minor_hi - box->minor_lo;
    int64_t n = 0;
    qsort(pieces->piece, (size_t)pieces->count, sizeof *pieces->piece, by_owner);
    for (int64_t i = 0; i < pieces->count; i++) {
        const ashi_piece *next = &pieces->piece[i];
        ashi_piece *last = n ? &pieces->piece[n - 1] : NULL;
        if (last && last->owner == next->owner) {
            last->lands = continues(view, width, last, next);
            last->words += next->words;
        } else {
            pieces->piece[n++] = *next;
        }
    }
    pieces->count = n;
}

/* What a pair has of a box. */
static ashi_piece piece_of(const ashi_view *view, int64_t pair, const overlap *o, const ashi_box *box)
{
    const int64_t begin = view->turned ? interval_begin(&view->minor, o->minor_part, o->minor_first, o->minor_count)
                                       : interval_begin(&view->major, o->major_part, o->major_first, o->major_count);
    const bool across = view->turned ? o->major_count == box->major_hi - box->major_lo
                                     : o->minor_count == box->minor_hi - box->minor_lo;
    return (ashi_piece){view->layout->owner[pair], o->minor_count * o->major_count, begin >= 0 && across, begin};
}

ashlar_status ashi_view_pieces(const ashi_view *view, const ashi_box *box, ashi_pieces *out, ashlar_error *err)
{
    out->count = 0;
    if (ashi_box_words(box) == 0)
        return ASHLAR_OK;
    const ashi_strip *minor = &view->minor, *major = &view->major;
    const int64_t first_x = ashi_strip_find(minor, box->minor_lo), first_y = ashi_strip_find(major, box->major_lo);
    for (int64_t y = next_part(major, box->major_lo, box->major_hi, first_y); y < major->count;
         y = next_part(major, box->major_lo, box->major_hi, y + 1))
        for (int64_t x = next_part(minor, box->minor_lo, box->minor_hi, first_x); x < minor->count;
             x = next_part(minor, box->minor_lo, box->minor_hi, x + 1)) {
            const int64_t a = minor->part[x], b = major->part[y];
            const int64_t pair = view->minor_is_row ? a * view->layout->col.parts + b : b * view->layout->col.parts + a;
            const overlap o = overlap_of(view, pair, box);
            if (grow(out, err) != ASHLAR_OK)
                return ASHLAR_ERR_MEMORY;
            out->piece[out->count++] = piece_of(view, pair, &o, box);
        }
    join_owners(view, box, out);
    return ASHLAR_OK;
}

void ashi_pieces_free(ashi_pieces *pieces)
{
    free(pieces->piece);
    *pieces = (ashi_pieces){0};
}
