/* The operations of the loops over tiles: panels, moves and messages. */
#include "engine/tile_loops_do.h"

static ashi_panel in_pool(const ashi_loops *l, int x, const ashi_box *box)
{
    ashi_panel p = ashi_panel_of((ashlar_operand)x, box);
    p.order[0] = l->q.minor[x] ? 0 : 1;
    p.order[1] = (signed char)(1 - p.order[0]);
    return p;
}

static int64_t in_file(ashi_loops *l, int x, const ashi_box *box, bool given)
{
    ashi_panel p = ashi_panel_of((ashlar_operand)x, box);
    p.memory = ASHI_MEMORY_FILE;
    p.given = given;
    return ashi_build_panel(&l->builder, &p);
}

int64_t ashi_loops_panel(ashi_loops *l, int x, const ashi_box *box, bool idle)
{
    ashi_panel p = in_pool(l, x, box);
    p.unread = idle;
    return ashi_build_panel(&l->builder, &p);
}

void ashi_loops_move(ashi_loops *l, int64_t from, bool last, int64_t to)
{
    ashi_operation o = ashi_operation_blank(ASHI_DO_MOVE);
    ashi_operation_reads(&o, 0, from, last);
    o.makes = to;
    ashi_build_operation(&l->builder, &o);
}

void ashi_loops_load(ashi_loops *l, int x, const ashi_box *box, int64_t filed, int64_t to)
{
    const bool given = filed < 0;
    ashi_loops_move(l, given ? in_file(l, x, box, true) : filed, given || x == ASHLAR_C, to);
}

int64_t ashi_loops_store(ashi_loops *l, int x, const ashi_box *box, int64_t from)
{
    const int64_t to = in_file(l, x, box, false);
    ashi_loops_move(l, from, true, to);
    return to;
}

static ashi_operation message(ashi_operation_kind kind, const ashi_loops *l, int x, const ashi_box *box, int64_t peer,
                              int64_t owner)
{
    ashi_operation o = ashi_operation_blank(kind);
    o.peer = peer;
    o.operand = (ashlar_operand)x;
    o.box = *box;
    o.words = ashi_box_words(box);
    o.owner = owner;
    o.begins = owner >= 0 && owner == (kind == ASHI_DO_SEND ? l->builder.rank : peer) && !l->q.inside &&
               !l->q.resident[ASHLAR_C] && l->q.adds;
    return o;
}

void ashi_loops_send(ashi_loops *l, int x, const ashi_box *box, int64_t peer, int64_t panel, bool last, int64_t owner)
{
    if (ashi_box_words(box) == 0)
        return;
    ashi_operation o = message(ASHI_DO_SEND, l, x, box, peer, owner);
    ashi_operation_reads(&o, 0, panel, last);
    ashi_build_operation(&l->builder, &o);
}

int64_t ashi_loops_receive(ashi_loops *l, int x, const ashi_box *box, int64_t peer, bool idle, int64_t owner)
{
    if (ashi_box_words(box) == 0)
        return ASHI_NO_PANEL;
    ashi_operation o = message(ASHI_DO_RECEIVE, l, x, box, peer, owner);
    o.makes = ashi_loops_panel(l, x, box, idle);
    ashi_build_operation(&l->builder, &o);
    return idle ? ASHI_NO_PANEL : o.makes;
}
