/* The part of a rank's piece of a box that can be used where it lies. */
#include "layout/view.h"

#include "base/checked.h"

/* Own columns of A (rows of B) are multiplied where they lie from this many on; fewer join the received ones. */
enum { THINNEST_IN_PLACE = 128 };

bool ashi_block_in_place(const ashi_view *view, const ashi_block *block, int64_t width, int64_t least)
{
    bool readable = block->minor_stride == 1 || block->major_stride == 1;
    if (view->conjugate)
        readable = (view->conjugated_by == ASHI_MINOR && block->minor_stride == 1) ||
                   (view->conjugated_by == ASHI_MAJOR && block->major_stride == 1);
    return readable && block->minor_count == width && block->major_count >= least;
}

typedef struct in_place {
    const ashi_view *view;
    int64_t width, least, covered;
} in_place;

static void add_in_place(void *context, const ashi_block *b)
{
    in_place *p = context;
    if (ashi_block_in_place(p->view, b, p->width, p->least))
        p->covered += b->major_count;
}

int64_t ashi_view_in_place(const ashi_view *view, int64_t rank, const ashi_box *box, int64_t least)
{
    in_place p = {view, box->minor_hi - box->minor_lo, least, 0};
    ashi_view_blocks(view, rank, box, ashi_whole, add_in_place, &p);
    return p.covered;
}

int64_t ashi_view_least_in_place(const ashi_box *box)
{
    return ashi_min(THINNEST_IN_PLACE, box->major_hi - box->major_lo);
}

typedef struct packed_test {
    int64_t blocks;
    ashi_block *block;
} packed_test;

static void test_block(void *context, const ashi_block *b)
{
    packed_test *t = context;
    t->blocks++;
    *t->block = *b;
}

bool ashi_view_is_packed(const ashi_view *view, int64_t rank, const ashi_box *box, ashi_chunk chunk, ashi_block *out)
{
    packed_test t = {0, out};
    if (view->conjugate)
        return false;
    ashi_view_blocks(view, rank, box, chunk, test_block, &t);
    if (t.blocks != 1)
        return false;
    return view->turned
               ? out->major_stride == 1 && (out->minor_stride == out->major_count || out->minor_count == 1)
               : out->minor_stride == 1 && (out->major_stride == out->minor_count || out->major_count == 1);
}

typedef struct lying {
    const ashi_box *memory;
    bool turned;
    int64_t ld, at;
    bool begun, packed;
} lying;

/* Every word of the piece is as far from its place in the packed piece as every other. */
static void compare_block(void *context, const ashi_block *b)
{
    lying *l = context;
    const ashi_box *m = l->memory;
    const bool inside = b->minor_at >= m->minor_lo && b->minor_at + b->minor_count <= m->minor_hi &&
                        b->major_at >= m->major_lo && b->major_at + b->major_count <= m->major_hi;
    const int64_t minor = b->minor_at - m->minor_lo, major = b->major_at - m->major_lo;
    const int64_t at = (l->turned ? minor * l->ld + major : minor + major * l->ld) - b->packed;
    const bool alike = l->turned ? b->minor_count == 1 || b->packed_minor_stride == l->ld
                                 : b->major_count == 1 || b->packed_major_stride == l->ld;
    l->packed = l->packed && inside && alike && (!l->begun || at == l->at);
    l->at = at;
    l->begun = true;
}

bool ashi_view_lies_packed(const ashi_view *view, int64_t rank, const ashi_box *box, ashi_chunk chunk,
                           const ashi_box *memory, int64_t ld, int64_t *at)
{
    lying l = {.memory = memory, .turned = view->turned, .ld = ld, .packed = true};
    ashi_view_blocks(view, rank, box, chunk, compare_block, &l);
    *at = l.at;
    return l.begun && l.packed;
}
