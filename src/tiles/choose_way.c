/* Which matrix stays in a product of matrices of tiles, and in how many layers C lies, by the words that travel. */
#include "tiles/choose_way.h"

#include "base/checked.h"

#include <math.h>

/* SAMPLES: tiles of each matrix that are looked at. LAYERS_MOST: of C. WORDS_LEAST: for each rank; if there are fewer,
 * another way is not worth planning. */
enum { SAMPLES = 64, LAYERS_MOST = 8, WORDS_LEAST = 4096 };

/* Another way than C in one layer has to need fewer words than this part. */
static const double LESS = 0.7;

typedef struct estimate {
    const ashi_tiles_product *p;
    const ashi_deal *deal; /* of C, or of its sums */
    const ashi_tile_layers *layers;
    double rows, cols, count; /* of processes in a layer; layers */
    double words[2], density[2]; /* of A and B, of all terms */
    double tiles[3], size[3];    /* of m, n, k */
} estimate;

static void find_factors(estimate *e)
{
    for (int64_t q = 0; q < e->p->terms; q++)
        for (int x = 0; x < 2; x++) {
            const ashlar_tiles *t = e->p->term[q].x[x];
            e->words[x] += (double)t->all_words + (double)t->all_mirrored;
        }
    for (int side = 0; side < 3; side++)
        for (int64_t q = 0; q < (side == 2 ? e->p->terms : 1); q++) {
            const ashi_cuts *cuts = ashi_tiles_factors_cuts(&e->p->term[q], side);
            e->tiles[side] += (double)cuts->tiles;
            e->size[side] += (double)ashi_cuts_all(cuts);
        }
    for (int x = 0; x < 2; x++) {
        const double all = e->size[x] * e->size[2];
        e->density[x] = all > 0 ? fmin(1, e->words[x] / all) : 0;
    }
}

static estimate begin(const ashi_tiles_product *p, const ashi_tiles_grid *grid)
{
    estimate e = {.p = p, .deal = grid ? &grid->sums->deal : &p->c->deal, .layers = grid ? &grid->layers : NULL};
    e.count = e.layers ? (double)e.layers->count : 1;
    e.rows = (double)e.deal->grid_rows / e.count;
    e.cols = (double)e.deal->grid_cols;
    find_factors(&e);
    return e;
}

/* Which tile is looked at: any, but always the same ones. */
static int64_t sampled(int64_t sample, int64_t step, int64_t tiles)
{
    return sample * step % tiles;
}

/* The rank that has a tile of op(X) of a term; k is the term's. */
static int owner_of(const ashi_tiles_factors *t, int x, int64_t outer, int64_t k)
{
    const bool rows_are_outer = (x == ASHLAR_A) == (t->op[x] == ASHLAR_OP_N);
    const int64_t row = rows_are_outer ? outer : k, col = rows_are_outer ? k : outer;
    const bool mirrored = t->x[x]->symmetry != ASHLAR_GENERAL && row > col;
    return ashi_deal_owner(&t->x[x]->deal, mirrored ? col : row, mirrored ? row : col);
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
        const ashi_tiles_factors *t = &e->p->term[q];
        const int64_t outer = ashi_tiles_factors_cuts(t, x)->tiles, k = ashi_tiles_factors_cuts(t, 2)->tiles;
        for (int64_t s = 0; s < SAMPLES && outer > 0 && k > 0; s++, all++) {
            const int64_t i = sampled(s, 7919, outer), l = sampled(s, 104729, k);
            in_place += may_need(e, x, i, before + l, owner_of(t, x, i, l));
        }
        before += k;
    }
    return all > 0 ? (double)in_place / (double)all : 0;
}

/* The part of the sums that lie where C's tiles are. */
static double sums_in_place(const estimate *e)
{
    const ashlar_tiles *c = e->p->c;
    int64_t in_place = 0, all = 0;
    for (int64_t s = 0; s < SAMPLES && c->row.tiles > 0 && c->col.tiles > 0; s++)
        for (int64_t l = 0; l < (int64_t)e->count; l++, all++) {
            const int64_t i = sampled(s, 7919, c->row.tiles), j = sampled(s, 104729, c->col.tiles);
            const int64_t row = l * (int64_t)e->rows + ashi_deal_row_part(e->deal, i);
            in_place += e->deal->grid_rank[row * e->deal->grid_cols + ashi_deal_col_part(e->deal, j)] ==
                        ashi_deal_owner(&c->deal, i, j);
        }
    return all > 0 ? (double)in_place / (double)all : 1;
}

/* That one of `tiles` tiles of that density is there. */
static double any_of(double density, double tiles)
{
    return 1 - pow(1 - density, tiles);
}

/* The words that about arrive at all ranks together, if the product that is begun is made on C's own grid (NULL) or on
 * another one: tiles of A and B are taken to be spread evenly over rows and columns, as they are in a random pattern;
 * how many of them lie already where they are needed is found from some of them. The same on all ranks. */
static double estimate_words(const ashi_tiles_product *p, const ashi_tiles_grid *grid)
{
    const estimate e = begin(p, grid);
    const double met[2] = {any_of(e.density[1], fmax(1, e.tiles[1] / e.cols)),
                           any_of(e.density[0], fmax(1, e.tiles[0] / e.rows))};
    const double c = e.size[0] * e.size[1] * (p->c->symmetry == ASHLAR_GENERAL ? 1 : 0.5);
    double words = e.words[0] * met[0] * (e.cols - factor_in_place(&e, ASHLAR_A)) +
                   e.words[1] * met[1] * (e.rows - factor_in_place(&e, ASHLAR_B));
    if (grid)
        words += e.count * c * any_of(e.density[0] * e.density[1], e.tiles[2] / e.count) * (1 - sums_in_place(&e));
    return words;
}

/* Take a way if it needs fewer words. */
static ashlar_status try_way(const ashi_tiles_product *p, const ashi_tiles_way *way, double *least,
                             ashi_tiles_way *out, ashlar_error *err)
{
    ashi_tiles_grid grid;
    const ashlar_status status = ashi_tiles_grid_make(p, way, &grid, err);
    const double words = status == ASHLAR_OK ? estimate_words(p, &grid) : INFINITY;
    if (words < *least) {
        *least = words;
        *out = *way;
    }
    ashi_tiles_grid_free(&grid);
    return status;
}

ashlar_status ashi_tiles_choose_way(const ashi_tiles_product *p, const ashlar_tiles_options *o, ashi_tiles_way *out,
                                    ashlar_error *err)
{
    const int ranks = p->c->context->ranks;
    ashlar_status status = ASHLAR_OK;
    *out = (ashi_tiles_way){ASHLAR_STAYS_C, 1}; /* also if memory lacks */
    const double at_c = p->c->deal.owner ? INFINITY : estimate_words(p, NULL);
    double least = LESS * at_c;
    if (at_c < (double)WORDS_LEAST * ranks)
        return ASHLAR_OK;
    for (int x = 0; x < 2 && !o->stays && status == ASHLAR_OK; x++)
        if (!ashi_tiles_grid_refuses(p, x))
            status = try_way(p, &(ashi_tiles_way){x == ASHLAR_A ? ASHLAR_STAYS_A : ASHLAR_STAYS_B, 1}, &least, out,
                             err);
    for (int64_t layers = p->c->deal.owner ? 1 : 2; layers <= ashi_min(ranks, LAYERS_MOST) && status == ASHLAR_OK;
         layers++)
        if (ranks % layers == 0)
            status = try_way(p, &(ashi_tiles_way){ASHLAR_STAYS_C, layers}, &least, out, err);
    return status;
}
