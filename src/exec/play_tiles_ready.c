/* Products of a program of tiles are made ready. */
#include "exec/play_tiles_ready.h"

#include "base/error.h"
#include "base/ordering.h"
#include "exec/play_tiles.h"

#include <stdlib.h>

void ashi_play_tiles_of(const ashi_play *play, const ashi_panel *panel, int64_t *first, int64_t *end)
{
    const ashi_tile_line *line = &play->tiles->line[panel->operand];
    *first = ashi_tile_line_find(line, panel->lo[0]);
    *end = ashi_tile_line_find(line, panel->hi[0]);
}

ashi_tile_source ashi_play_source_of(const ashi_play *play, int x, int64_t t)
{
    return ashi_tile_source_of(play->program->tiles, (ashlar_operand)x, &play->tiles->line[x].tile[t]);
}

/* A tile of A or B that a product reads: the tile of op(X), as it is stored, and the word of the pool, or of the rank's
 * own tiles, at which it begins. */
typedef struct ashi_operand_tile {
    ashi_tile_at of_op, stored;
    int64_t word, rank; /* rank: -1: it is dense */
    bool own;
} ashi_operand_tile;

/* While a product is made ready: the tiles of each operand, in the order of its pattern. */
typedef struct readying {
    ashi_operand_tile *tile[2][2];
} readying;

static bool in_order(const ashi_operand_tile *tile, int64_t count)
{
    for (int64_t t = 1; t < count; t++) {
        const ashi_tile_at *x = &tile[t - 1].stored, *y = &tile[t].stored;
        if (x->row > y->row || (x->row == y->row && x->col > y->col))
            return false;
    }
    return true;
}

/* By row, then by column. `other` has room for as many; false if memory lacks. */
static bool put_in_order(ashi_operand_tile **tile, ashi_operand_tile **other, int64_t count)
{
    enum { STRIDE = sizeof(ashi_operand_tile) / sizeof(int64_t) };
    ashi_operand_tile *const from = *tile, *const to = *other;
    if (in_order(from, count))
        return true;
    int64_t *order = malloc((size_t)count * sizeof *order);
    if (order)
        ashi_order_start(count, order);
    const bool done = order && ashi_order_by(&from->stored.col, STRIDE, count, order) &&
                      ashi_order_by(&from->stored.row, STRIDE, count, order);
    for (int64_t t = 0; t < count && done; t++)
        to[t] = from[order[t]];
    free(order);
    *tile = done ? to : from;
    *other = done ? from : to;
    return done;
}

/* Whether tiles of op(X) are those of X. */
static bool stands_for_itself(const ashi_play *play, int x)
{
    const ashi_tile_problem *p = play->program->tiles;
    return !p->term && !p->operand[x].turned && !p->operand[x].half;
}

static void add_tiles(const ashi_play *play, const ashi_placed *placed, bool mirrored, ashi_operand_tile *tile,
                      int64_t *count)
{
    int64_t first, end;
    if (!placed)
        return;
    const int x = (int)placed->panel.operand;
    const bool own = placed->panel.memory == ASHI_MEMORY_CALLER, as_stored = stands_for_itself(play, x);
    const ashi_tile_line *line = &play->tiles->line[x];
    ashi_play_tiles_of(play, &placed->panel, &first, &end);
    for (int64_t t = first; t < end; t++) {
        const int64_t word = placed->at + line->start[t] - placed->panel.lo[0];
        const ashi_tile_at *of_op = &line->tile[t];
        const ashi_tile_source source = as_stored ? (ashi_tile_source){.at = *of_op} : ashi_play_source_of(play, x, t);
        if (source.mirrored == mirrored)
            tile[(*count)++] = (ashi_operand_tile){*of_op, source.at, word,
                                                   ashi_tile_rank(play->program->tiles, placed->panel.operand, of_op),
                                                   own};
    }
}

/* Where the rank has its own tiles among those of an operand, which are in order: most follow each other. */
static void find_homes(const ashi_tile_set *own, const ashi_operand_tile *tile, ashi_ready_operand *o)
{
    const ashi_pattern *p = own->pattern;
    int64_t row = -1, at = 0, end = 0;
    for (int64_t t = 0; t < o->pattern.tiles; t++) {
        const ashi_tile_at *stored = &tile[t].stored;
        o->home[t] = tile[t].word;
        if (!tile[t].own)
            continue;
        if (stored->row != row) {
            const int64_t x = ashi_pattern_row(p, stored->row);
            row = stored->row;
            at = p->start[x];
            end = p->start[x + 1];
        }
        if (p->col[at] != stored->col)
            at = ashi_first_from(p->col, at, end, stored->col);
        o->home[t] = -1 - own->at[at];
        at += at + 1 < end;
    }
}

static int64_t tiles_in(const ashi_play *play, const ashi_placed *placed)
{
    int64_t first = 0, end = 0;
    if (placed)
        ashi_play_tiles_of(play, &placed->panel, &first, &end);
    return end - first;
}

/* The pattern of tiles that are in order. */
static ashlar_status find_pattern(const ashi_operand_tile *tile, int64_t count, ashi_ready_operand *o,
                                  ashlar_error *err)
{
    ashi_pattern *p = &o->pattern;
    int64_t rows = 0;
    for (int64_t t = 0; t < count; t++)
        rows += t == 0 || tile[t].stored.row != tile[t - 1].stored.row;
    const ashlar_status status = ashi_pattern_reserve(rows, count, p, err);
    rows = 0;
    for (int64_t t = 0; t < count && status == ASHLAR_OK; t++) {
        p->col[t] = tile[t].stored.col;
        if (t > 0 && tile[t].stored.row == tile[t - 1].stored.row)
            continue;
        p->row[rows] = tile[t].stored.row;
        p->start[rows++] = t;
    }
    return status;
}

static bool may_mirror(const ashi_play *play, int x, int64_t term)
{
    const ashi_tile_problem *p = play->program->tiles;
    return p->term ? p->term[term].operand[x].half : p->operand[x].half;
}

/* Room for as many tiles. */
static bool make_room(ashi_ready_operand *o, int64_t most, bool ranked, ashi_operand_tile **tile,
                      ashi_operand_tile **other)
{
    *other = malloc((size_t)most * sizeof **other);
    *tile = malloc((size_t)most * sizeof **tile);
    o->home = malloc((size_t)most * sizeof *o->home);
    o->at = calloc((size_t)most, sizeof *o->at);
    o->rank = ranked ? malloc((size_t)most * sizeof *o->rank) : NULL;
    return *other && *tile && o->home && o->at && (o->rank || !ranked);
}

/* The tiles of A or B that a product reads, from the pool and from the rank's own. */
static ashlar_status find_operand(const ashi_play *play, const ashi_node *n, int64_t term, int x, bool mirrored,
                                  ashi_ready_operand *o, ashi_operand_tile **tile, ashlar_error *err)
{
    const ashi_placed *pool = ashi_window_placed(&play->window, n->read[2 * x]);
    const ashi_placed *own = ashi_window_placed(&play->window, n->read[2 * x + 1]);
    const int64_t most = tiles_in(play, pool) + tiles_in(play, own);
    const bool ranked = play->program->tiles->operand[x].rank != NULL;
    ashi_operand_tile *other = NULL;
    int64_t count = 0;
    if (most == 0 || (mirrored && !may_mirror(play, x, term)))
        return ASHLAR_OK;
    const bool room = make_room(o, most, ranked, tile, &other);
    if (room) {
        add_tiles(play, pool, mirrored, *tile, &count);
        add_tiles(play, own, mirrored, *tile, &count);
    }
    const bool done = room && put_in_order(tile, &other, count);
    free(other);
    if (!done)
        return ashi_fail_memory(err, "a product of tiles", most * 2 * (int64_t)sizeof **tile);
    for (int64_t t = 0; t < count && ranked; t++)
        o->rank[t] = (*tile)[t].rank;
    const ashlar_status status = find_pattern(*tile, count, o, err);
    if (status == ASHLAR_OK)
        find_homes(&play->request.tiles[term].own[x], *tile, o);
    return status;
}

void ashi_ready_free(ashi_ready_product *r)
{
    for (int i = 0; i < 4 && r; i++) {
        ashi_ready_operand *o = &r->operand[i / 2][i % 2];
        ashi_pattern_free(&o->pattern);
        free(o->home);
        free(o->at);
        free(o->rank);
        ashi_tile_product_free(&r->part[i / 2][i % 2].product);
        ashi_left_out_free(&r->part[i / 2][i % 2].left);
    }
    free(r);
}

static ashi_tile_set set_of(const ashi_tile_run *run, int x, const ashi_ready_operand *o)
{
    return (ashi_tile_set){.pattern = &o->pattern, .rows = run->own[x].rows, .cols = run->own[x].cols, .at = o->at};
}

/* Which of these products are left out. */
static ashlar_status find_left(const ashi_play *play, const ashi_operand_tile *const tile[2], ashi_ready_part *p,
                               ashlar_error *err)
{
    const ashi_tile_choice *choice = play->program->tiles->choice;
    const ashi_ready_operand *const of[2] = {p->a, p->b};
    ashi_tile_at *list[2] = {NULL, NULL};
    ashlar_status status = ASHLAR_OK;
    if (!choice)
        return ASHLAR_OK;
    for (int x = 0; x < 2 && status == ASHLAR_OK; x++) {
        const int64_t tiles = of[x]->pattern.tiles;
        list[x] = malloc((size_t)tiles * sizeof *list[x]);
        if (!list[x])
            status = ashi_fail_memory(err, "a product of tiles", tiles * (int64_t)sizeof *list[x]);
        for (int64_t t = 0; t < tiles && status == ASHLAR_OK; t++)
            list[x][t] = tile[x][t].of_op;
    }
    const int64_t tiles[2] = {p->a->pattern.tiles, p->b->pattern.tiles};
    if (status == ASHLAR_OK)
        status = ashi_left_out_make(choice, list, tiles, &p->left, err);
    free(list[0]);
    free(list[1]);
    return status;
}

/* The products of A's tiles that are mirrored, or are not, with such of B. */
static ashlar_status make_part(const ashi_play *play, const readying *now, ashi_ready_product *r, int a, int b,
                               ashlar_error *err)
{
    const ashi_tile_run *run = &play->request.tiles[r->term];
    ashi_ready_part *p = &r->part[a][b];
    *p = (ashi_ready_part){.a = &r->operand[0][a], .b = &r->operand[1][b]};
    if (p->a->pattern.tiles == 0 || p->b->pattern.tiles == 0)
        return ASHLAR_OK;
    const ashi_operand_tile *const tile[2] = {now->tile[0][a], now->tile[1][b]};
    const ashlar_status status = find_left(play, tile, p, err);
    if (status != ASHLAR_OK)
        return status;
    const ashi_tile_request request = {.type = play->request.type, .op = {run->use[0][a].op, run->use[1][b].op},
                                       .threads = play->request.threads,
                                       .set = {set_of(run, 0, p->a), set_of(run, 1, p->b), run->own[ASHLAR_C]},
                                       .first = p->left.first, .left = p->left.bits,
                                       .rank = {p->a->rank, p->b->rank},
                                       .hands = play->tiles->hands};
    return ashi_tile_product_create(&request, &p->product, err);
}

ashlar_status ashi_ready_make(const ashi_play *play, const ashi_node *n, ashi_ready_product **out, ashlar_error *err)
{
    ashi_ready_product *r = calloc(1, sizeof *r);
    readying now = {0};
    ashlar_status status = r ? ASHLAR_OK : ashi_fail_memory(err, "a product of tiles", (int64_t)sizeof *r);
    if (r)
        r->term = ashi_tile_term_of(play->program->tiles, n->task.lo[2]);
    for (int i = 0; i < 4 && status == ASHLAR_OK; i++)
        status = find_operand(play, n, r->term, i / 2, i % 2, &r->operand[i / 2][i % 2],
                              &now.tile[i / 2][i % 2], err);
    for (int i = 0; i < 4 && status == ASHLAR_OK; i++)
        status = make_part(play, &now, r, i / 2, i % 2, err);
    for (int i = 0; i < 4; i++)
        free(now.tile[i / 2][i % 2]);
    if (status != ASHLAR_OK)
        ashi_ready_free(r);
    *out = status == ASHLAR_OK ? r : NULL;
    return status;
}
