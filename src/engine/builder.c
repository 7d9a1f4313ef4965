/* How engines write programs: panels get their numbers, operations their step. */
#include "engine/builder.h"

/* ---- steps ---- */

ashi_builder ashi_builder_of(ashi_program *program)
{
    return (ashi_builder){.program = program, .rank = -1, .step = -1};
}

/* Make the steps up to one, which is visited. */
static ashlar_status make_until(ashi_builder *b, ashi_build_step make, int64_t rank, int64_t step,
                                const ashi_program_visitor *visitor, ashlar_error *err)
{
    if (b->rank != rank || step <= b->step) {
        b->panels = 0;
        b->step = -1;
        ashi_areas_begin(&b->areas, rank);
    }
    b->rank = rank;
    b->err = err;
    b->status = ASHLAR_OK;
    while (b->status == ASHLAR_OK && b->step < step) {
        b->step++;
        b->visitor = b->step < step ? &ashi_program_ignored : visitor;
        const ashlar_status status = make(b);
        b->status = b->status == ASHLAR_OK ? status : b->status;
    }
    if (b->status == ASHLAR_OK && b->step + 1 == b->program->steps)
        b->status = ashi_areas_end(&b->areas, rank, err);
    if (b->status != ASHLAR_OK)
        b->rank = -1;
    return b->status;
}

/* A brief program needs as much memory as the full one. */
static ashlar_status measure(ashi_builder *b, ashi_build_step make, int64_t rank, ashlar_error *err)
{
    const bool brief = b->program->brief;
    b->program->brief = true;
    b->rank = -1;
    const ashlar_status status = make_until(b, make, rank, b->program->steps - 1, &ashi_program_ignored, err);
    b->program->brief = brief;
    b->rank = -1;
    return status;
}

ashlar_status ashi_build(ashi_builder *b, ashi_build_step make, int64_t rank, int64_t step,
                         const ashi_program_visitor *visitor, ashlar_error *err)
{
    ashlar_status status = ASHLAR_OK;
    if (b->areas.count > 0 && b->areas.rank != rank && !b->program->brief)
        status = measure(b, make, rank, err);
    return status == ASHLAR_OK ? make_until(b, make, rank, step, visitor, err) : status;
}

ashlar_status ashi_build_pool(ashi_builder *b, ashi_build_step make, int64_t rank, int64_t *words, ashlar_error *err)
{
    const ashlar_status status = b->areas.rank == rank ? ASHLAR_OK : measure(b, make, rank, err);
    *words = status == ASHLAR_OK ? ashi_areas_words(&b->areas) : 0;
    return status;
}

/* ---- panels and operations ---- */

void ashi_build_turn(const ashi_builder *b, ashi_panel *panel)
{
    const ashi_view *view = b->program->view;
    if (view && view[panel->operand].turned) {
        panel->order[0] = 1;
        panel->order[1] = 0;
    }
}

static int64_t visit_panel(ashi_builder *b, ashi_panel *panel)
{
    panel->id = b->panels++;
    if (b->status == ASHLAR_OK)
        b->status = b->visitor->panel(b->visitor->context, panel, b->err);
    return panel->id;
}

int64_t ashi_build_panel(ashi_builder *b, ashi_panel *panel)
{
    const bool placed = b->areas.count > 0 && panel->memory == ASHI_MEMORY_POOL && panel->within < 0;
    if (placed && b->status == ASHLAR_OK)
        b->status = ashi_areas_place(&b->areas, panel, b->err);
    return visit_panel(b, panel);
}

int64_t ashi_build_panel_at(ashi_builder *b, ashi_panel *panel, int area, int64_t at)
{
    if (b->status == ASHLAR_OK)
        b->status = ashi_areas_place_at(&b->areas, panel, area, at, b->err);
    return visit_panel(b, panel);
}

void ashi_build_operation(ashi_builder *b, ashi_operation *operation)
{
    operation->step = b->step;
    if (b->status == ASHLAR_OK)
        b->status = b->visitor->operation(b->visitor->context, operation, b->err);
}

int64_t ashi_build_move(ashi_builder *b, int64_t from, bool last, ashi_panel *to)
{
    ashi_operation o = ashi_operation_blank(ASHI_DO_MOVE);
    ashi_operation_reads(&o, 0, from, last);
    o.makes = ashi_build_panel(b, to);
    ashi_build_operation(b, &o);
    return o.makes;
}

int64_t ashi_build_own(ashi_builder *b, ashlar_operand operand, const ashi_box *box, ashi_content content,
                       int64_t words, int64_t within)
{
    ashi_panel from = ashi_panel_own(&b->program->view[operand], operand, b->rank, box, ashi_whole);
    ashi_panel to = ashi_panel_of(operand, box);
    ashi_build_turn(b, &to);
    to.content = content;
    to.owner = b->rank;
    to.words = words;
    to.within = within;
    return ashi_build_move(b, ashi_build_panel(b, &from), true, &to);
}

int64_t ashi_build_words_here(const ashi_builder *b, ashlar_operand operand, const ashi_box *box)
{
    return ashi_view_in_place(&b->program->view[operand], b->rank, box, ashi_view_least_in_place(box)) *
           (box->minor_hi - box->minor_lo);
}

int64_t ashi_build_here(ashi_builder *b, ashlar_operand operand, const ashi_box *box, int64_t words)
{
    ashi_panel p = ashi_panel_own(&b->program->view[operand], operand, b->rank, box, ashi_whole);
    p.content = ASHI_CONTENT_HERE;
    p.words = words;
    return ashi_build_panel(b, &p);
}

/* ---- groups ---- */

ashi_panel ashi_group_piece(const ashi_operation *group)
{
    ashi_panel p = ashi_panel_of(group->operand, &group->box);
    p.content = ASHI_CONTENT_SHARE;
    p.owner = group->owner;
    p.chunk = group->chunk;
    p.words = group->words;
    return p;
}

void ashi_build_multicast_own(ashi_builder *b, ashi_operation *group, bool packs, int64_t within)
{
    int64_t piece;
    if (packs) {
        piece = ashi_build_own(b, group->operand, &group->box, ASHI_CONTENT_SHARE, group->words, within);
    } else {
        ashi_panel own = ashi_panel_own(&b->program->view[group->operand], group->operand, b->rank, &group->box,
                                        group->chunk);
        piece = ashi_build_panel(b, &own);
    }
    ashi_operation_reads(group, 0, piece, true);
    ashi_build_operation(b, group);
}

void ashi_build_multicast(ashi_builder *b, ashi_operation *group, bool lands, int64_t within)
{
    ashi_panel piece = ashi_group_piece(group);
    ashi_build_turn(b, &piece);
    piece.within = lands ? within : ASHI_NO_PANEL;
    piece.unread = within < 0;
    group->makes = ashi_build_panel(b, &piece);
    ashi_build_operation(b, group);
    piece.within = within;
    if (!lands && within >= 0)
        ashi_build_move(b, group->makes, true, &piece);
}

void ashi_build_multicasts(ashi_builder *b, ashi_operation *group, int64_t apart, int64_t within)
{
    ashi_panel pieces = ashi_group_piece(group);
    pieces.words = apart;
    if (apart > 0)
        group->makes = ashi_build_panel(b, &pieces);
    ashi_build_operation(b, group);
    pieces.within = within;
    if (apart > 0)
        ashi_build_move(b, group->makes, true, &pieces);
}
