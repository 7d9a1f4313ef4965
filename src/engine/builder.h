/* How engines write programs: panels get their numbers, operations their step.
 *
 * Nothing is looked up or remembered about panels: an engine says which operation is the last to read one. Once a visit
 * or a part of a step has failed nothing more is visited, so that only the end of a step asks for the status. */
#ifndef ASHI_BUILDER_H
#define ASHI_BUILDER_H

#include "engine/areas.h"

enum { ASHI_NO_PANEL = -1 };

typedef struct ashi_builder {
    ashi_program *program;
    const ashi_program_visitor *visitor;
    ashlar_error *err;
    ashlar_status status;
    int64_t rank, step; /* the one that is made; -1: none yet */
    int64_t panels;     /* of this rank so far */
    ashi_areas areas;   /* of the rank's pool */
} ashi_builder;

/* Before the first step of any rank. */
ashi_builder ashi_builder_of(ashi_program *program);

/* An engine's part: all operations of `builder->step` of `builder->rank`. In step 0 nothing of the rank was made
 * before. A failure is returned, or left in builder->status. */
typedef ashlar_status (*ashi_build_step)(ashi_builder *builder);

/* An ashi_program's `emit`. If `step` does not follow the one that was made last, the rank's steps before it are made
 * again first, unseen. If panels get their places in areas, and the program is not brief, all of a rank's steps are
 * made once, unseen, before its first one is emitted: that finds how long the areas are. */
ashlar_status ashi_build(ashi_builder *builder, ashi_build_step make, int64_t rank, int64_t step,
                         const ashi_program_visitor *visitor, ashlar_error *err);

/* An ashi_program's `pool`. After a rank's last step that takes no time. */
ashlar_status ashi_build_pool(ashi_builder *builder, ashi_build_step make, int64_t rank, int64_t *words,
                              ashlar_error *err);

/* ---- panels and operations ---- */

/* Number a panel and visit it. Returns the number, which is also its id from now on. In the pool it gets a place in the
 * area that was entered last. */
int64_t ashi_build_panel(ashi_builder *builder, ashi_panel *panel);

/* The same with a place in the pool, counted from the beginning of an area. */
int64_t ashi_build_panel_at(ashi_builder *builder, ashi_panel *panel, int area, int64_t at);

/* Give a panel of A or B in the pool the order of its matrix's pieces: k is contiguous if the view is turned. */
void ashi_build_turn(const ashi_builder *builder, ashi_panel *panel);

/* An operation that reads and makes nothing yet. */
static inline ashi_operation ashi_operation_blank(ashi_operation_kind kind)
{
    return (ashi_operation){.kind = kind, .read = {ASHI_NO_PANEL, ASHI_NO_PANEL, ASHI_NO_PANEL, ASHI_NO_PANEL},
                            .makes = ASHI_NO_PANEL, .peer = -1, .owner = -1, .owner_at = -1, .rank_at = -1,
                            .chunk = ashi_whole};
}

/* Visit an operation. */
void ashi_build_operation(ashi_builder *builder, ashi_operation *operation);

/* Let an operation read a panel. */
static inline void ashi_operation_reads(ashi_operation *operation, int at, int64_t panel, bool last)
{
    operation->read[at] = panel;
    operation->last[at] = last && panel >= 0;
}

/* Move all of a panel, which nothing reads later if it is `last`, to a new one. Returns the new one's number. */
int64_t ashi_build_move(ashi_builder *builder, int64_t from, bool last, ashi_panel *to);

/* Move what the rank owns of a box of A or B from its array to a panel in the pool: all of it (SHARE), or what BLAS
 * cannot read in the array (REST). `within`: the panel of which that is a part, or none. Returns the new number. */
int64_t ashi_build_own(ashi_builder *builder, ashlar_operand operand, const ashi_box *box, ashi_content content,
                       int64_t words, int64_t within);

/* What BLAS can read of a box of A or B in the rank's own array: how many words, and the panel of them. */
int64_t ashi_build_words_here(const ashi_builder *builder, ashlar_operand operand, const ashi_box *box);
int64_t ashi_build_here(ashi_builder *builder, ashlar_operand operand, const ashi_box *box, int64_t words);

/* ---- groups: an ashi_operation with the members and the words of one ---- */

/* The panel in the pool of the piece that a group moves. */
ashi_panel ashi_group_piece(const ashi_operation *group);

/* A MULTICAST of this rank's own piece: from where it lies, or packed, as a part of the panel `within` if there is
 * one. */
void ashi_build_multicast_own(ashi_builder *builder, ashi_operation *group, bool packs, int64_t within);

/* A MULTICAST of another's piece for the panel `within`: straight to its place there if it lands, else beside it, and
 * from there to its place. If it is within none, nothing reads it. */
void ashi_build_multicast(ashi_builder *builder, ashi_operation *group, bool lands, int64_t within);

/* The same of several pieces together, if the program is brief: `group` has their words and messages, and `apart` of
 * the words do not land. */
void ashi_build_multicasts(ashi_builder *builder, ashi_operation *group, int64_t apart, int64_t within);

#endif
