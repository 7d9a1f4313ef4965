/* Which matrix stays in a product of matrices of tiles, and in how many layers C lies, by the words that travel. */
#include "choose/tile_ways.h"

#include "base/checked.h"

#include <math.h>

/* SAMPLES: tiles of each matrix that are looked at. LAYERS_MOST: of C. WORDS_LEAST: for each rank; if there are fewer,
 * another way is not worth planning. */
enum { SAMPLES = 64, LAYERS_MOST = 8, WORDS_LEAST = 4096 };

/* Another way than C in one layer has to need fewer words than this part: LESS by the estimate, BETTER once they are
 * counted. EVEN: how much less even its work may be. */
static const double LESS = 0.7, BETTER = 0.8, EVEN = 1.1;

typedef struct estimate {
    const ashi_way_problem *p;
    const ashi_deal *deal; /* of C, or of its sums */
    const ashi_tile_layers *layers;
    double rows, cols, count; /* of processes in a layer; layers */
    double words[2], density[2]; /* of A and B, of all terms */
    double tiles[3], size[3];    /* of m, n, k */
} estimate;

/* How many tiles of a side of a term take part: terms have a k each. */
static int64_t tiles_of(const ashi_way_problem *p, int64_t q, int side)
{
    return ashi_max(0, ashi_min(p->end[side], p->term[q].cuts[side]->tiles) - p->first[side]);
}

/* The indices of these tiles. */
static double taking_part(const ashi_way_problem *p, int64_t q, int side)
{
    const ashi_cuts *cuts = p->term[q].cuts[side];
    const int64_t tiles = tiles_of(p, q, side);
    return tiles > 0 ? (double)(cuts->at[p->first[side] + tiles] - cuts->at[p->first[side]]) : 0;
}

/* The part of a side of a term that takes part. */
static double part_of(const ashi_way_problem *p, int64_t q, int side)
{
    const double all = (double)ashi_cuts_all(p->term[q].cuts[side]);
    return all > 0 ? taking_part(p, q, side) / all : 0;
}

/* Of ranges A and B are taken to have as many words as their parts of the whole. */
static void find_factors(estimate *e)
{
    const ashi_way_problem *p = e->p;
    for (int64_t q = 0; q < p->terms; q++)
        for (int x = 0; x < 2; x++)
            e->words[x] += p->term[q].x[x].words * part_of(p, q, x) * part_of(p, q, 2);
    for (int side = 0; side < 3; side++)
        for (int64_t q = 0; q < (side == 2 ? p->terms : 1); q++) {
            e->tiles[side] += (double)tiles_of(p, q, side);
            e->size[side] += taking_part(p, q, side);
        }
    for (int x = 0; x < 2; x++) {
        const double all = e->size[x] * e->size[2];
        e->density[x] = all > 0 ? fmin(1, e->words[x] / all) : 0;
    }
}

static estimate begin(const ashi_way_problem *p, const ashi_way_grid *grid)
{
    estimate e = {.p = p, .deal = grid ? &grid->deal : p->c, .layers = grid ? &grid->layers : NULL};
    e.count = e.layers ? (double)e.layers->count : 1;
    e.rows = (double)e.deal->grid_rows / e.count;
    e.cols = (double)e.deal->grid_cols;
    find_factors(&e);
    return e;
}

/* Which tile of a side of a term is looked at: any that takes part, but always the same ones. */
static int64_t sampled(const ashi_way_problem *p, int64_t q, int side, int64_t sample, int64_t step)
{
    return p->first[side] + sample * step % tiles_of(p, q, side);
}

/* The rank that has a tile of op(X) of a term; k is the term's. */
static int owner_of(const ashi_way_term *t, int x, int64_t outer, int64_t k)
{
    const bool rows_are_outer = (x == ASHLAR_A) != t->x[x].turned;
    const int64_t row = rows_are_outer ? outer : k, col = rows_are_outer ? k : outer;
    const bool mirrored = t->x[x].half && row > col;
    return ashi_deal_owner(t->x[x].deal, mirrored ? col : row, mirrored ? row : col);
}

/* Whether a rank is one of those that may multiply a tile. */
static bool may_need(const estimate *e, int x, int64_t outer, int64_t k, int rank)
{
    const ashi_deal *d = e->deal;
    const int64_t first = ashi_tile_layer_row(e->layers, k), rows = (int64_t)e->rows;
    const int64_t part = x == ASHLAR_A ? ashi_deal_row_part(d, outer) : ashi_deal_col_part(d, outer);
    for (int64_t i = 0; i < (x == ASHLAR_A ? d->grid_cols : rows); i++) {
        const int64_t row = first + (x == ASHLAR_A ? part : i), col = x == ASHLAR_A ? i : part;
        if (d->grid_rank[row * d->grid_cols + col] == rank)
            return true;
    }
    return false;
}

/* The part of A or B that lies where it may be needed. */
static double factor_in_place(const estimate *e, int x)
{
    int64_t in_place = 0, all = 0, before = 0;
    for (int64_t q = 0; q < e->p->terms; q++) {
        const ashi_way_term *t = &e->p->term[q];
        for (int64_t s = 0; s < SAMPLES && tiles_of(e->p, q, x) > 0 && tiles_of(e->p, q, 2) > 0; s++, all++) {
            const int64_t i = sampled(e->p, q, x, s, 7919), l = sampled(e->p, q, 2, s, 104729);
            in_place += may_need(e, x, i, before + l, owner_of(t, x, i, l));
        }
        before += t->cuts[2]->tiles;
    }
    return all > 0 ? (double)in_place / (double)all : 0;
}

/* The part of the sums that lie where C's tiles are. */
static double sums_in_place(const estimate *e)
{
    int64_t in_place = 0, all = 0;
    for (int64_t s = 0; s < SAMPLES && tiles_of(e->p, 0, 0) > 0 && tiles_of(e->p, 0, 1) > 0; s++)
        for (int64_t l = 0; l < (int64_t)e->count; l++, all++) {
            const int64_t i = sampled(e->p, 0, 0, s, 7919), j = sampled(e->p, 0, 1, s, 104729);
            const int64_t row = l * (int64_t)e->rows + ashi_deal_row_part(e->deal, i);
            in_place += e->deal->grid_rank[row * e->deal->grid_cols + ashi_deal_col_part(e->deal, j)] ==
                        ashi_deal_owner(e->p->c, i, j);
        }
    return all > 0 ? (double)in_place / (double)all : 1;
}

/* That one of `tiles` tiles of that density is there. */
static double any_of(double density, double tiles)
{
    return 1 - pow(1 - density, tiles);
}

/* Of C in each layer. A C that retains its tiles has no sums of others. */
static double sums_of(const estimate *e)
{
    const double all = e->size[0] * e->size[1] * (e->p->half ? 0.5 : 1);
    const double met = any_of(e->density[0] * e->density[1], e->tiles[2] / e->count);
    const double had = e->p->c_words * part_of(e->p, 0, 0) * part_of(e->p, 0, 1);
    return met * (e->p->retain ? fmin(all, had) : all);
}

double ashi_way_words(const ashi_way_problem *p, const ashi_way_grid *grid)
{
    const estimate e = begin(p, grid);
    const double met[2] = {any_of(e.density[1], fmax(1, e.tiles[1] / e.cols)),
                           any_of(e.density[0], fmax(1, e.tiles[0] / e.rows))};
    const double words = e.words[0] * met[0] * (e.cols - factor_in_place(&e, ASHLAR_A)) +
                         e.words[1] * met[1] * (e.rows - factor_in_place(&e, ASHLAR_B));
    return grid ? words + e.count * sums_of(&e) * (1 - sums_in_place(&e)) : words;
}

/* ---- ways ---- */

static ashlar_status add_way(const ashi_way_problem *p, ashi_tile_way way, ashi_way_estimate *out, int *count,
                             ashlar_error *err)
{
    const bool whole = way.stays == ASHLAR_C && way.layers == 1 && !p->c->owner;
    ashi_way_grid grid = {.layer_of = NULL};
    const ashlar_status status = whole ? ASHLAR_OK : ashi_way_grid_make(p, &way, &grid, err);
    if (status == ASHLAR_OK) {
        const int64_t layers = whole ? 1 : grid.layers.count;
        out[(*count)++] = (ashi_way_estimate){{way.stays, layers}, ashi_way_words(p, whole ? NULL : &grid)};
    }
    ashi_way_grid_free(&grid);
    return status;
}

ashlar_status ashi_ways_list(const ashi_way_problem *p, bool any, ashi_way_estimate out[ASHI_WAYS_MOST], int *count,
                             ashlar_error *err)
{
    *count = 0;
    ashlar_status status = add_way(p, (ashi_tile_way){ASHLAR_C, 1}, out, count, err);
    for (int x = 0; x < 2 && any && status == ASHLAR_OK; x++)
        if (!ashi_way_refuses(p, x))
            status = add_way(p, (ashi_tile_way){(ashlar_operand)x, 1}, out, count, err);
    for (int64_t layers = 2; layers <= ashi_min(p->ranks, LAYERS_MOST) && status == ASHLAR_OK; layers++)
        if (p->ranks % layers == 0)
            status = add_way(p, (ashi_tile_way){ASHLAR_C, layers}, out, count, err);
    return status;
}

int ashi_ways_promising(const ashi_way_problem *p, const ashi_way_estimate *way, int count)
{
    double least = way[0].words * (p->c->owner ? 1 : LESS);
    int best = 0;
    if (!p->c->owner && way[0].words < (double)WORDS_LEAST * (double)p->ranks)
        return 0;
    for (int i = 1; i < count; i++)
        if (way[i].words < least) {
            least = way[i].words;
            best = i;
        }
    return best;
}

bool ashi_way_is_better(const ashi_way_figures *other, const ashi_way_figures *at_c, bool limited, int64_t matrices)
{
    const bool room = limited || other->sums <= matrices || other->sums_most <= ASHI_SUMS_WORDS;
    return room && (double)other->words < BETTER * (double)at_c->words && other->imbalance <= EVEN * at_c->imbalance;
}
