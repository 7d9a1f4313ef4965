/* From a panel to addresses: where the blocks of a panel, or the words of a message, lie in memory. */
#include "exec/place_of.h"

#include "base/checked.h"
#include "base/error.h"

#include <inttypes.h>

void ashi_pool_strides(const ashi_placed *placed, int64_t *stride)
{
    const ashi_panel *p = &placed->panel;
    int64_t next = 1;
    for (int i = 0; i < p->indices; i++) {
        const int index = p->order[i];
        stride[index] = next;
        next = i == 0 && !placed->packed ? placed->ld : next * (p->hi[index] - p->lo[index]);
    }
}

char *ashi_pool_address(const ashi_play *play, const ashi_placed *placed)
{
    return play->workspace + (size_t)placed->base * play->bytes +
           (size_t)(placed->at - placed->base) * play->element[placed->panel.operand];
}

ashi_spot ashi_pool_spot(const ashi_play *play, const ashi_placed *placed, int64_t minor, int64_t major)
{
    const int64_t *lo = placed->panel.lo;
    int64_t stride[ASHI_INDICES_MAX];
    ashi_pool_strides(placed, stride);
    const int64_t skipped = (minor - lo[0]) * stride[0] + (major - lo[1]) * stride[1];
    return (ashi_spot){ashi_pool_address(play, placed) + skipped * (int64_t)play->element[placed->panel.operand],
                       stride[0], stride[1]};
}

/* Whether the panel's words are in the order of a rank's piece. */
static bool is_piece(const ashi_placed *placed)
{
    return placed->packed && placed->panel.content == ASHI_CONTENT_SHARE;
}

ashi_spot ashi_block_spot(const ashi_play *play, const ashi_placed *placed, const ashi_block *b)
{
    const ashi_panel *p = &placed->panel;
    const size_t bytes = play->element[p->operand];
    if (p->memory == ASHI_MEMORY_CALLER)
        return (ashi_spot){ashi_part_address(&play->work.part[p->operand], b, bytes), b->minor_stride,
                           b->major_stride};
    if (is_piece(placed))
        return (ashi_spot){ashi_pool_address(play, placed) + (size_t)b->packed * bytes, b->packed_minor_stride,
                           b->packed_major_stride};
    return ashi_pool_spot(play, placed, b->minor_at, b->major_at);
}

/* The blocks of a piece, cut to a box. */
typedef struct cutting {
    ashi_box box;
    ashi_block_visit visit;
    void *context;
} cutting;

static void cut_block(void *context, const ashi_block *block)
{
    const cutting *c = context;
    ashi_block b = *block;
    const int64_t skipped_minor = ashi_max(0, c->box.minor_lo - b.minor_at);
    const int64_t skipped_major = ashi_max(0, c->box.major_lo - b.major_at);
    b.minor_count = ashi_min(b.minor_at + b.minor_count, c->box.minor_hi) - b.minor_at - skipped_minor;
    b.major_count = ashi_min(b.major_at + b.major_count, c->box.major_hi) - b.major_at - skipped_major;
    if (b.minor_count <= 0 || b.major_count <= 0)
        return;
    b.minor_at += skipped_minor;
    b.major_at += skipped_major;
    b.packed += skipped_minor * b.packed_minor_stride + skipped_major * b.packed_major_stride;
    b.offset += skipped_minor * b.minor_stride + skipped_major * b.major_stride;
    c->visit(c->context, &b);
}

/* What is not read where it lies. */
typedef struct resting {
    const ashi_view *view;
    int64_t width, least;
    cutting *cut;
} resting;

static void rest_block(void *context, const ashi_block *b)
{
    const resting *r = context;
    if (!ashi_block_in_place(r->view, b, r->width, r->least))
        cut_block(r->cut, b);
}

static ashi_box common_box(const ashi_panel *a, const ashi_panel *b)
{
    return (ashi_box){ashi_max(a->lo[0], b->lo[0]), ashi_min(a->hi[0], b->hi[0]), ashi_max(a->lo[1], b->lo[1]),
                      ashi_min(a->hi[1], b->hi[1])};
}

/* The panel whose blocks are those of a rank's piece; NULL if there is none. */
static const ashi_panel *piece_of(const ashi_panel *to, const ashi_panel *from)
{
    const ashi_panel *const each[] = {to, from};
    for (int i = 0; i < 2; i++)
        if (each[i]->content == ASHI_CONTENT_SHARE || each[i]->content == ASHI_CONTENT_REST)
            return each[i];
    for (int i = 0; i < 2; i++)
        if (each[i]->memory == ASHI_MEMORY_CALLER)
            return each[i];
    return NULL;
}

/* Cut a box to what lies in a stripe of panel `to`, across its longer side. */
static ashi_box cut_to_stripe(const ashi_panel *to, ashi_stripe s, ashi_box box)
{
    const int64_t minor = to->hi[0] - to->lo[0], major = to->hi[1] - to->lo[1];
    if (major >= minor) {
        box.major_lo = ashi_max(box.major_lo, to->lo[1] + ashi_cut(major, s.parts, s.part));
        box.major_hi = ashi_min(box.major_hi, to->lo[1] + ashi_cut(major, s.parts, s.part + 1));
    } else {
        box.minor_lo = ashi_max(box.minor_lo, to->lo[0] + ashi_cut(minor, s.parts, s.part));
        box.minor_hi = ashi_min(box.minor_hi, to->lo[0] + ashi_cut(minor, s.parts, s.part + 1));
    }
    return box;
}

void ashi_visit_blocks(const ashi_play *play, const ashi_placed *to, const ashi_placed *from, ashi_block_visit visit,
                       void *context)
{
    ashi_visit_stripe(play, to, from, (ashi_stripe){0, 1}, visit, context);
}

void ashi_visit_stripe(const ashi_play *play, const ashi_placed *to, const ashi_placed *from, ashi_stripe stripe,
                       ashi_block_visit visit, void *context)
{
    const ashi_panel *piece = piece_of(&to->panel, &from->panel);
    cutting cut = {cut_to_stripe(&to->panel, stripe, common_box(&to->panel, &from->panel)), visit, context};
    const ashi_box *c = &cut.box;
    if (c->minor_lo >= c->minor_hi || c->major_lo >= c->major_hi)
        return;
    if (!piece) {
        const ashi_block all = {.minor_at = c->minor_lo, .minor_count = c->minor_hi - c->minor_lo,
                                .major_at = c->major_lo, .major_count = c->major_hi - c->major_lo};
        visit(context, &all);
        return;
    }
    const ashi_view *view = &play->program->view[piece->operand];
    const ashi_box box = ashi_panel_box(piece);
    const bool share = piece->content == ASHI_CONTENT_SHARE;
    const int64_t rank = share ? piece->owner : play->request.rank;
    resting rest = {view, box.minor_hi - box.minor_lo, ashi_view_least_in_place(&box), &cut};
    ashi_view_blocks(view, rank, &box, share ? piece->chunk : ashi_whole,
                     piece->content == ASHI_CONTENT_REST ? rest_block : cut_block,
                     piece->content == ASHI_CONTENT_REST ? (void *)&rest : (void *)&cut);
}

static void note_block(void *context, const ashi_block *b)
{
    ashi_block *first = context;
    if (first->minor_count == 0)
        *first = *b;
}

ashlar_status ashi_message_address(const ashi_play *play, const ashi_placed *placed, int64_t offset, int64_t words,
                                   char **address, ashlar_error *err)
{
    const ashi_panel *p = &placed->panel;
    if (p->memory == ASHI_MEMORY_CALLER) { /* a piece that lies in one block as it would be packed */
        ashi_block block = {0};
        ashi_visit_blocks(play, placed, placed, note_block, &block);
        *address = ashi_block_spot(play, placed, &block).data + (size_t)offset * play->element[p->operand];
        return ASHLAR_OK;
    }
    const int64_t width = p->hi[p->order[0]] - p->lo[p->order[0]];
    int64_t at = offset;
    if (p->part < 0 && !placed->packed && width > 0 && placed->ld != width) {
        at = offset % width + offset / width * placed->ld;
        if (offset % width + words > width)
            return ashi_fail(err, ASHLAR_ERR_INTERNAL, "panel %" PRId64 ": %" PRId64 " words of a message lie apart",
                             p->id, words);
    }
    *address = ashi_pool_address(play, placed) + (size_t)at * play->element[p->operand];
    return ASHLAR_OK;
}
