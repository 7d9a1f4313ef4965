/* A product of matrices of tiles, and which rank has which tile of it. */
#include "schedule/tile_problem.h"

ashi_tile_source ashi_tile_source_of(const ashi_tile_problem *p, ashlar_operand x, const ashi_tile_at *at)
{
    const ashi_tile_operand *o = &p->operand[x];
    const int64_t row = o->turned ? at->col : at->row, col = o->turned ? at->row : at->col;
    const bool mirrored = o->half && row > col;
    return (ashi_tile_source){mirrored ? (ashi_tile_at){col, row} : (ashi_tile_at){row, col}, mirrored};
}

int ashi_tile_owner(const ashi_tile_problem *p, ashlar_operand x, const ashi_tile_at *at)
{
    const ashi_tile_source source = ashi_tile_source_of(p, x, at);
    return ashi_deal_owner(p->operand[x].deal, source.at.row, source.at.col);
}

int64_t ashi_tile_words(const ashi_tile_problem *p, ashlar_operand x, const ashi_tile_at *at)
{
    const ashi_cuts *row = p->cuts[x == ASHLAR_B ? 2 : 0], *col = p->cuts[x == ASHLAR_A ? 2 : 1];
    return ashi_cuts_size(row, at->row) * ashi_cuts_size(col, at->col);
}
