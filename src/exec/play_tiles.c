/* Tasks of the cores in a program of tiles: tiles packed, multiplied and scaled. */
#include "exec/play_tiles.h"

#include "base/array.h"
#include "base/checked.h"
#include "base/error.h"
#include "base/ordering.h"
#include "exec/place_of.h"
#include "exec/tile_kernels.h"
#include "exec/tile_product.h"
#include "layout/left_out.h"

#include <complex.h>
#include <stdlib.h>
#include <string.h>

/* A tile of A or B that a product reads: the tile of op(X), as it is stored, and the word of the pool, or of the rank's
 * own tiles, at which it begins. */
typedef struct operand_tile {
    ashi_tile_at of_op, stored;
    int64_t word, rank; /* rank: -1: it is dense */
    bool own;
} operand_tile;

/* The tiles of an operand that are mirrored, or those that are not. */
typedef struct operand {
    ashi_pattern pattern;
    operand_tile *tile; /* in the order of the pattern */
    int64_t *at;        /* of the run in progress, counted from the pool's beginning */
    int64_t *rank;      /* NULL: all tiles of the matrix are dense */
} operand;

/* The products of some tiles of A with some of B. */
typedef struct part {
    const operand *a, *b;
    ashi_left_out left;        /* if any of all products are left out */
    ashi_tile_product *product; /* NULL: there are none */
} part;

/* A MULTIPLY made ready: what is mirrored is multiplied apart from what is not. */
typedef struct ready_product {
    operand operand[2][2];
    part part[2][2];
    int64_t term; /* of several products that are added up */
} ready_product;

struct ashi_play_tiles {
    const ashi_tile_line *line;
    ashi_tile_hands *hands; /* of all products */
    ready_product **kept; /* by the numbers of tasks */
    int64_t count, capacity;
};

ashlar_status ashi_tiles_create(ashi_play *play, ashi_play_tiles **out, ashlar_error *err)
{
    ashi_program *program = play->request.program;
    ashi_play_tiles *t = calloc(1, sizeof *t);
    *out = t;
    if (!t)
        return ashi_fail_memory(err, "player", (int64_t)sizeof *t);
    const ashlar_status status = ashi_tile_hands_create(play->request.threads, play->bytes, &t->hands, err);
    return status == ASHLAR_OK ? program->lines(program, play->request.rank, &t->line, err) : status;
}

/* The tiles of a panel along its line: the first, and the one behind the last. */
static void tiles_of(const ashi_play *play, const ashi_panel *panel, int64_t *first, int64_t *end)
{
    const ashi_tile_line *line = &play->tiles->line[panel->operand];
    *first = ashi_tile_line_find(line, panel->lo[0]);
    *end = ashi_tile_line_find(line, panel->hi[0]);
}

static ashi_tile_source source_of(const ashi_play *play, int x, int64_t t)
{
    return ashi_tile_source_of(play->program->tiles, (ashlar_operand)x, &play->tiles->line[x].tile[t]);
}

/* Where the rank has a tile of its own: words from where the operand's data begins. */
static int64_t home_of(const ashi_play *play, int x, const ashi_tile_source *source)
{
    const ashi_tile_set *own = &play->request.tiles[source->term].own[x];
    return own->at[ashi_pattern_find(own->pattern, source->at.row, source->at.col)];
}

static char *own_address(const ashi_play *play, int x, int64_t term, int64_t word)
{
    const ashi_term_work *terms = x == ASHLAR_C ? NULL : play->work.terms;
    const void *data = terms ? terms[term].data[x] : play->work.part[x].base;
    return (char *)(uintptr_t)data + (size_t)word * play->bytes;
}

/* ---- products ---- */

static bool in_order(const operand_tile *tile, int64_t count)
{
    for (int64_t t = 1; t < count; t++) {
        const ashi_tile_at *x = &tile[t - 1].stored, *y = &tile[t].stored;
        if (x->row > y->row || (x->row == y->row && x->col > y->col))
            return false;
    }
    return true;
}

/* By row, then by column. `other` has room for as many; false if memory lacks. */
static bool put_in_order(operand_tile **tile, operand_tile **other, int64_t count)
{
    enum { STRIDE = sizeof(operand_tile) / sizeof(int64_t) };
    operand_tile *const from = *tile, *const to = *other;
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

static void add_tiles(const ashi_play *play, const ashi_placed *placed, bool mirrored, operand_tile *tile,
                      int64_t *count)
{
    int64_t first, end;
    if (!placed)
        return;
    const int x = (int)placed->panel.operand;
    const bool own = placed->panel.memory == ASHI_MEMORY_CALLER, as_stored = stands_for_itself(play, x);
    const ashi_tile_line *line = &play->tiles->line[x];
    tiles_of(play, &placed->panel, &first, &end);
    for (int64_t t = first; t < end; t++) {
        const int64_t word = placed->at + line->start[t] - placed->panel.lo[0];
        const ashi_tile_source source = as_stored ? (ashi_tile_source){.at = line->tile[t]} : source_of(play, x, t);
        if (source.mirrored == mirrored)
            tile[(*count)++] = (operand_tile){line->tile[t], source.at, word,
                                              ashi_tile_rank(play->program->tiles, (ashlar_operand)x, &line->tile[t]),
                                              own};
    }
}

/* Where the rank has its own tiles among those of an operand, which are in order: most follow each other. */
static void find_homes(const ashi_tile_set *own, operand *o)
{
    const ashi_pattern *p = own->pattern;
    int64_t row = -1, at = 0, end = 0;
    for (int64_t t = 0; t < o->pattern.tiles; t++) {
        const ashi_tile_at *stored = &o->tile[t].stored;
        if (!o->tile[t].own)
            continue;
        if (stored->row != row) {
            const int64_t x = ashi_pattern_row(p, stored->row);
            row = stored->row;
            at = p->start[x];
            end = p->start[x + 1];
        }
        if (p->col[at] != stored->col)
            at = ashi_first_from(p->col, at, end, stored->col);
        o->tile[t].word = own->at[at];
        at += at + 1 < end;
    }
}

static int64_t tiles_in(const ashi_play *play, const ashi_placed *placed)
{
    int64_t first = 0, end = 0;
    if (placed)
        tiles_of(play, &placed->panel, &first, &end);
    return end - first;
}

/* The pattern of tiles that are in order. */
static ashlar_status find_pattern(operand *o, int64_t count, ashlar_error *err)
{
    ashi_pattern *p = &o->pattern;
    int64_t rows = 0;
    for (int64_t t = 0; t < count; t++)
        rows += t == 0 || o->tile[t].stored.row != o->tile[t - 1].stored.row;
    const ashlar_status status = ashi_pattern_reserve(rows, count, p, err);
    rows = 0;
    for (int64_t t = 0; t < count && status == ASHLAR_OK; t++) {
        p->col[t] = o->tile[t].stored.col;
        if (t > 0 && o->tile[t].stored.row == o->tile[t - 1].stored.row)
            continue;
        p->row[rows] = o->tile[t].stored.row;
        p->start[rows++] = t;
    }
    return status;
}

static bool may_mirror(const ashi_play *play, int x, int64_t term)
{
    const ashi_tile_problem *p = play->program->tiles;
    return p->term ? p->term[term].operand[x].half : p->operand[x].half;
}

/* The tiles of A or B that a product reads, from the pool and from the rank's own. */
static ashlar_status find_operand(const ashi_play *play, const ashi_node *n, int64_t term, int x, bool mirrored,
                                  operand *o, ashlar_error *err)
{
    const ashi_placed *pool = ashi_window_placed(&play->window, n->read[2 * x]);
    const ashi_placed *own = ashi_window_placed(&play->window, n->read[2 * x + 1]);
    const int64_t most = tiles_in(play, pool) + tiles_in(play, own);
    const bool ranked = play->program->tiles->operand[x].rank != NULL;
    int64_t count = 0;
    if (most == 0 || (mirrored && !may_mirror(play, x, term)))
        return ASHLAR_OK;
    operand_tile *other = malloc((size_t)most * sizeof *other);
    o->tile = malloc((size_t)most * sizeof *o->tile);
    o->at = calloc((size_t)most, sizeof *o->at);
    o->rank = ranked ? malloc((size_t)most * sizeof *o->rank) : NULL;
    const bool room = other && o->tile && o->at && (o->rank || !ranked);
    if (room) {
        add_tiles(play, pool, mirrored, o->tile, &count);
        add_tiles(play, own, mirrored, o->tile, &count);
    }
    if (!room || !put_in_order(&o->tile, &other, count)) {
        free(other);
        return ashi_fail_memory(err, "a product of tiles", most * 2 * (int64_t)sizeof *o->tile);
    }
    free(other);
    for (int64_t t = 0; t < count && ranked; t++)
        o->rank[t] = o->tile[t].rank;
    const ashlar_status status = find_pattern(o, count, err);
    if (status == ASHLAR_OK)
        find_homes(&play->request.tiles[term].own[x], o);
    return status;
}

static void free_product(ready_product *r)
{
    for (int i = 0; i < 4 && r; i++) {
        operand *o = &r->operand[i / 2][i % 2];
        ashi_pattern_free(&o->pattern);
        free(o->tile);
        free(o->at);
        free(o->rank);
        ashi_tile_product_free(&r->part[i / 2][i % 2].product);
        ashi_left_out_free(&r->part[i / 2][i % 2].left);
    }
    free(r);
}

static ashi_tile_set set_of(const ashi_tile_run *run, int x, const operand *o)
{
    return (ashi_tile_set){.pattern = &o->pattern, .rows = run->own[x].rows, .cols = run->own[x].cols, .at = o->at};
}

/* Which of these products are left out. */
static ashlar_status find_left(const ashi_play *play, part *p, ashlar_error *err)
{
    const ashi_tile_choice *choice = play->program->tiles->choice;
    const operand *const of[2] = {p->a, p->b};
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
            list[x][t] = of[x]->tile[t].of_op;
    }
    const int64_t tiles[2] = {p->a->pattern.tiles, p->b->pattern.tiles};
    if (status == ASHLAR_OK)
        status = ashi_left_out_make(choice, list, tiles, &p->left, err);
    free(list[0]);
    free(list[1]);
    return status;
}

/* The products of A's tiles that are mirrored, or are not, with such of B. */
static ashlar_status make_part(const ashi_play *play, ready_product *r, int a, int b, ashlar_error *err)
{
    const ashi_tile_run *run = &play->request.tiles[r->term];
    part *p = &r->part[a][b];
    *p = (part){.a = &r->operand[0][a], .b = &r->operand[1][b]};
    if (p->a->pattern.tiles == 0 || p->b->pattern.tiles == 0)
        return ASHLAR_OK;
    const ashlar_status status = find_left(play, p, err);
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

static ashlar_status make_product(const ashi_play *play, const ashi_node *n, ready_product **out, ashlar_error *err)
{
    ready_product *r = calloc(1, sizeof *r);
    ashlar_status status = r ? ASHLAR_OK : ashi_fail_memory(err, "a product of tiles", (int64_t)sizeof *r);
    if (r)
        r->term = ashi_tile_term_of(play->program->tiles, n->task.lo[2]);
    for (int i = 0; i < 4 && status == ASHLAR_OK; i++)
        status = find_operand(play, n, r->term, i / 2, i % 2, &r->operand[i / 2][i % 2], err);
    for (int i = 0; i < 4 && status == ASHLAR_OK; i++)
        status = make_part(play, r, i / 2, i % 2, err);
    if (status != ASHLAR_OK)
        free_product(r);
    *out = status == ASHLAR_OK ? r : NULL;
    return status;
}

/* Where the tiles are in this run, counted from the beginning of the pool: the rank's own are in other memory. */
static ashlar_status find_places(const ashi_play *play, ready_product *r, ashlar_error *err)
{
    for (int i = 0; i < 4; i++) {
        const operand *o = &r->operand[i / 2][i % 2];
        const intptr_t apart = (intptr_t)own_address(play, i / 2, r->term, 0) - (intptr_t)play->workspace;
        const int64_t words = apart / (intptr_t)play->bytes;
        if (words * (int64_t)play->bytes != apart)
            return ashi_fail(err, ASHLAR_ERR_INTERNAL, "tiles are not aligned to their elements");
        for (int64_t t = 0; t < o->pattern.tiles; t++)
            o->at[t] = o->tile[t].word + (o->tile[t].own ? words : 0);
    }
    return ASHLAR_OK;
}

static ready_product *kept(const ashi_play *play, const ashi_node *n)
{
    const ashi_play_tiles *t = play->tiles;
    return n->task.number < t->count ? t->kept[n->task.number] : NULL;
}

/* The hands note what the product needs. */
static ashlar_status measure_product(const ashi_play *play, const ashi_node *n, ashlar_error *err)
{
    ready_product *r = NULL;
    const ashlar_status status = make_product(play, n, &r, err);
    free_product(r);
    return status;
}

ashlar_status ashi_tiles_reserve(const ashi_play *play, const ashi_node *n, ashlar_error *err)
{
    ashi_play_tiles *t = play->tiles;
    if (!play->window.keeps)
        return play->request.later ? measure_product(play, n, err) : ASHLAR_OK;
    ready_product **room = ashi_array_room(t->kept, &t->capacity, n->task.number + 1, sizeof *room);
    if (!room)
        return ashi_fail_memory(err, "player", (n->task.number + 1) * (int64_t)sizeof *room);
    t->kept = room;
    while (t->count <= n->task.number)
        room[t->count++] = NULL;
    return make_product(play, n, &room[n->task.number], err);
}

ashlar_status ashi_tiles_start(const ashi_play *play, ashlar_error *err)
{
    return ashi_tile_hands_make(play->tiles->hands, err);
}

int64_t ashi_tiles_hand_bytes(const ashi_play *play)
{
    return play->tiles->hands->bytes;
}

int64_t ashi_tiles_hand_bytes_wanted(const ashi_play *play)
{
    return ashi_tile_hands_wanted(play->tiles->hands);
}

void ashi_tiles_forget(const ashi_play *play)
{
    ashi_play_tiles *t = play->tiles;
    for (int64_t i = 0; i < t->count; i++)
        free_product(t->kept[i]);
    free(t->kept);
    t->kept = NULL;
    t->count = t->capacity = 0;
}

int64_t ashi_tiles_kept_tiles(const ashi_play *play)
{
    const ashi_play_tiles *t = play->tiles;
    int64_t tiles = 0;
    for (int64_t i = 0; i < t->count; i++)
        for (int o = 0; o < 4 && t->kept[i]; o++)
            tiles += t->kept[i]->operand[o / 2][o % 2].pattern.tiles;
    return tiles;
}

int64_t ashi_tiles_kept_bytes(const ashi_play *play)
{
    const ashi_play_tiles *t = play->tiles;
    int64_t bytes = (int64_t)sizeof *t + t->capacity * (int64_t)sizeof(ready_product *) + t->hands->bytes;
    for (int64_t i = 0; i < t->count; i++) {
        const ready_product *r = t->kept[i];
        bytes += r ? (int64_t)sizeof *r : 0;
        for (int o = 0; o < 4 && r; o++) {
            const operand *x = &r->operand[o / 2][o % 2];
            const ashi_tile_product *product = r->part[o / 2][o % 2].product;
            const size_t each = sizeof *x->tile + sizeof *x->at + (x->rank ? sizeof *x->rank : 0);
            bytes += ashi_pattern_bytes(&x->pattern) + x->pattern.tiles * (int64_t)each;
            bytes += product ? ashi_tile_product_bytes(product) : 0;
        }
    }
    return bytes;
}

static void listen(void *play)
{
    ashi_play_listen(play);
}

static void multiply_part(const ashi_play *play, ashi_play *heard, const ready_product *r, int a, int b)
{
    const ashi_share_between between = {listen, heard};
    const ashi_tile_run *run = &play->request.tiles[r->term];
    double _Complex minus_alpha = 0; /* room for an element of any type */
    const void *alpha = play->work.terms ? play->work.terms[r->term].alpha : play->work.alpha;
    if (!r->part[a][b].product || play->kernels->is_zero(alpha))
        return;
    if (run->use[0][a].negated != run->use[1][b].negated) {
        const ashi_tile_kernels *k = ashi_tile_kernels_of(play->request.type);
        const ashi_number x = k->number(alpha);
        k->element((ashi_number){-x.re, -x.im}, &minus_alpha);
        alpha = &minus_alpha;
    }
    ashi_tile_product_run(r->part[a][b].product, alpha, play->workspace, play->workspace,
                          own_address(play, ASHLAR_C, 0, 0), play->workers > 0 ? play->request.workers : NULL,
                          play->cuts && heard ? &between : NULL, NULL);
}

ashlar_status ashi_tiles_multiply(const ashi_play *play, ashi_play *heard, const ashi_node *n, ashlar_error *err)
{
    ready_product *known = kept(play, n), *r = known;
    ashlar_status status = known ? ASHLAR_OK : make_product(play, n, &r, err);
    if (status == ASHLAR_OK)
        status = ashi_tile_hands_make(play->tiles->hands, err);
    if (status == ASHLAR_OK)
        status = find_places(play, r, err);
    for (int i = 0; i < 4 && status == ASHLAR_OK; i++)
        multiply_part(play, heard, r, i / 2, i % 2);
    if (!known)
        free_product(r);
    return status;
}

/* ---- copies, and what is there before ---- */

ashlar_status ashi_tiles_move(const ashi_play *play, const ashi_node *n, ashi_stripe stripe, ashlar_error *err)
{
    const ashi_placed *to = ashi_window_placed(&play->window, n->makes);
    const ashi_placed *from = ashi_window_placed(&play->window, n->read[0]);
    int64_t first, end;
    if (from->panel.memory != ASHI_MEMORY_CALLER || to->panel.memory != ASHI_MEMORY_POOL)
        return ashi_fail(err, ASHLAR_ERR_INTERNAL, "tiles are moved from or to a place that they do not come from");
    const int x = (int)to->panel.operand;
    const ashi_kernels *k = play->kernels;
    const ashi_tile_line *line = &play->tiles->line[x];
    tiles_of(play, &to->panel, &first, &end);
    const int64_t tiles = end - first, at = first + ashi_cut(tiles, stripe.parts, stripe.part);
    for (int64_t t = at; t < at + ashi_cut_size(tiles, stripe.parts, stripe.part); t++) {
        const int64_t word = line->start[t] - to->panel.lo[0], words = line->start[t + 1] - line->start[t];
        const ashi_tile_source source = source_of(play, x, t);
        const char *data = own_address(play, x, source.term, home_of(play, x, &source));
        char *packed = ashi_pool_address(play, to) + (size_t)word * play->bytes;
        const ashi_matrix stored = {data, 1, words};
        if (x != ASHLAR_C && play->request.tiles[source.term].use[x][source.mirrored].conjugated)
            k->axpby(words, 1, k->one, &stored, true, k->zero, packed, 1, words);
        else
            memcpy(packed, data, (size_t)words * play->bytes);
    }
    return ASHLAR_OK;
}

/* beta = 0 does not read what is there. */
ashlar_status ashi_tiles_scale(const ashi_play *play, const ashi_node *n, ashi_stripe stripe)
{
    const ashi_placed *sums = ashi_window_placed(&play->window, n->makes);
    const ashi_kernels *k = play->kernels;
    const bool clear = k->is_zero(play->work.beta);
    const ashi_tile_line *line = &play->tiles->line[ASHLAR_C];
    int64_t first, end;
    if (memcmp(play->work.beta, k->one, play->bytes) == 0)
        return ASHLAR_OK;
    tiles_of(play, &sums->panel, &first, &end);
    const int64_t tiles = end - first, at = first + ashi_cut(tiles, stripe.parts, stripe.part);
    for (int64_t t = at; t < at + ashi_cut_size(tiles, stripe.parts, stripe.part); t++) {
        const int64_t words = line->start[t + 1] - line->start[t];
        const ashi_tile_source source = source_of(play, ASHLAR_C, t);
        char *data = own_address(play, ASHLAR_C, 0, home_of(play, ASHLAR_C, &source));
        const ashi_matrix zero = {k->zero, 0, 0}, own = {data, 1, words};
        k->axpby(words, 1, clear ? k->one : play->work.beta, clear ? &zero : &own, false, k->zero, data, 1, words);
    }
    return ASHLAR_OK;
}

void ashi_tiles_free(ashi_play_tiles **tiles)
{
    if (*tiles)
        ashi_tile_hands_free(&(*tiles)->hands);
    free(*tiles);
    *tiles = NULL;
}
