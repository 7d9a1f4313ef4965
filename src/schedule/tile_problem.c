/* A product of matrices of tiles, and which rank has which tile of it. */
#include "schedule/tile_problem.h"

int64_t ashi_tile_term_of(const ashi_tile_problem *p, int64_t k)
{
    int64_t below = 0, above = p->term ? p->terms : 1;
    while (above - below > 1) {
        const int64_t middle = below + (above - below) / 2;
        if (p->term[middle].first <= k)
            below = middle;
        else
            above = middle;
    }
    return below;
}

static int64_t inner_of(ashlar_operand x, const ashi_tile_at *at)
{
    return x == ASHLAR_A ? at->col : at->row;
}

const ashi_tile_operand *ashi_tile_operand_of(const ashi_tile_problem *p, ashlar_operand x, const ashi_tile_at *at)
{
    if (!p->term || x == ASHLAR_C)
        return &p->operand[x];
    return &p->term[ashi_tile_term_of(p, inner_of(x, at))].operand[x];
}

ashi_tile_source ashi_tile_source_of(const ashi_tile_problem *p, ashlar_operand x, const ashi_tile_at *at)
{
    const ashi_tile_operand *o = ashi_tile_operand_of(p, x, at);
    const int64_t term = p->term && x != ASHLAR_C ? ashi_tile_term_of(p, inner_of(x, at)) : 0;
    const int64_t before = p->term && x != ASHLAR_C ? p->term[term].first : 0;
    const ashi_tile_at of_op = {at->row - (x == ASHLAR_B ? before : 0), at->col - (x == ASHLAR_A ? before : 0)};
    const int64_t row = o->turned ? of_op.col : of_op.row, col = o->turned ? of_op.row : of_op.col;
    const bool mirrored = o->half && row > col;
    return (ashi_tile_source){mirrored ? (ashi_tile_at){col, row} : (ashi_tile_at){row, col}, term, mirrored};
}

ashi_tile_at ashi_tile_of_op(const ashi_tile_problem *p, ashlar_operand x, const ashi_tile_source *source)
{
    const bool turned = p->term ? p->term[source->term].operand[x].turned : p->operand[x].turned;
    const int64_t before = p->term ? p->term[source->term].first : 0;
    const ashi_tile_at at = turned != source->mirrored ? (ashi_tile_at){source->at.col, source->at.row} : source->at;
    return (ashi_tile_at){at.row + (x == ASHLAR_B ? before : 0), at.col + (x == ASHLAR_A ? before : 0)};
}

bool ashi_tile_process(const ashi_tile_problem *p, int64_t rank, int64_t process[2])
{
    const ashi_deal *c = p->operand[ASHLAR_C].deal;
    process[0] = process[1] = -1;
    for (int64_t i = 0; i < c->grid_rows * c->grid_cols; i++)
        if (c->grid_rank[i] == rank) {
            process[0] = i / c->grid_cols;
            process[1] = i % c->grid_cols;
        }
    return process[0] >= 0;
}

const ashi_pattern *ashi_tile_sums(const ashi_tile_problem *p, int64_t layer)
{
    return p->layers && p->layers->sums ? &p->layers->sums[layer] : p->operand[ASHLAR_C].pattern;
}

bool ashi_tile_is_at(const ashi_tile_problem *p, const ashi_tile_at *c, int64_t row, int64_t col)
{
    const ashi_deal *deal = p->operand[ASHLAR_C].deal;
    const int64_t within = p->layers && row >= 0 ? row % p->layers->rows : row;
    return within == ashi_deal_row_part(deal, c->row) && col == ashi_deal_col_part(deal, c->col);
}

int ashi_tile_owner(const ashi_tile_problem *p, ashlar_operand x, const ashi_tile_at *at)
{
    const ashi_tile_source source = ashi_tile_source_of(p, x, at);
    return ashi_deal_owner(ashi_tile_operand_of(p, x, at)->deal, source.at.row, source.at.col);
}

int64_t ashi_tile_rank(const ashi_tile_problem *p, ashlar_operand x, const ashi_tile_at *at)
{
    const ashi_tile_operand *o = &p->operand[x];
    const int64_t number = o->rank ? ashi_pattern_find(o->pattern, at->row, at->col) : -1;
    return number < 0 ? -1 : o->rank[number];
}

int64_t ashi_tile_words(const ashi_tile_problem *p, ashlar_operand x, const ashi_tile_at *at)
{
    const ashi_cuts *row = p->cuts[x == ASHLAR_B ? 2 : 0], *col = p->cuts[x == ASHLAR_A ? 2 : 1];
    const int64_t rows = ashi_cuts_size(row, at->row), cols = ashi_cuts_size(col, at->col);
    return ashi_tile_stored_words(ashi_tile_rank(p, x, at), rows, cols);
}
