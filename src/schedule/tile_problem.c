/* A product of matrices of tiles, and which rank has which tile of it. */
#include "schedule/tile_problem.h"

int ashi_tile_owner(const ashi_tile_problem *p, ashlar_operand x, const ashi_tile_at *at)
{
    const ashi_tile_operand *o = &p->operand[x];
    return o->turned ? ashi_deal_owner(o->deal, at->col, at->row) : ashi_deal_owner(o->deal, at->row, at->col);
}

int64_t ashi_tile_words(const ashi_tile_problem *p, ashlar_operand x, const ashi_tile_at *at)
{
    const ashi_cuts *row = p->cuts[x == ASHLAR_B ? 2 : 0], *col = p->cuts[x == ASHLAR_A ? 2 : 1];
    return ashi_cuts_size(row, at->row) * ashi_cuts_size(col, at->col);
}
