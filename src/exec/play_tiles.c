/* Tasks of the cores in a program of tiles: tiles packed, multiplied and scaled. */
#include "exec/play_tiles.h"

#include "base/array.h"
#include "base/checked.h"
#include "base/error.h"
#include "exec/place_of.h"
#include "exec/play_tiles_ready.h"
#include "kernel/tile_kernels.h"

#include <complex.h>
#include <stdlib.h>
#include <string.h>

ashlar_status ashi_tiles_create(ashi_play *play, ashi_play_tiles **out, ashlar_error *err)
{
    ashi_program *program = play->request.program;
    ashi_play_tiles *t = calloc(1, sizeof *t);
    *out = t;
    if (!t)
        return ashi_fail_memory(err, "player", (int64_t)sizeof *t);
    ashlar_status status = ashi_tile_hands_create(play->request.threads, play->bytes, &t->hands, err);
    if (status == ASHLAR_OK && play->request.tiles_device)
        status = ashi_onto_tiles_create(play->request.tiles_device, &play->request.tiles->own[ASHLAR_C], program->tiles,
                                        &t->onto, err);
    t->on_device = t->onto;
    return status == ASHLAR_OK ? program->lines(program, play->request.rank, &t->line, err) : status;
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

/* Where the tiles are in this run, counted from the beginning of the pool: the rank's own are in other memory. */
static ashlar_status find_places(const ashi_play *play, ashi_ready_product *r, ashlar_error *err)
{
    for (int i = 0; i < 4; i++) {
        const intptr_t apart = (intptr_t)own_address(play, i / 2, r->term, 0) - (intptr_t)play->workspace;
        const int64_t words = apart / (intptr_t)play->bytes;
        if (words * (int64_t)play->bytes != apart)
            return ashi_fail(err, ASHLAR_ERR_INTERNAL, "tiles are not aligned to their elements");
        ashi_ready_operand_set_apart(&r->operand[i / 2][i % 2], words);
    }
    return ASHLAR_OK;
}

static ashi_ready_product *kept(const ashi_play *play, const ashi_node *n)
{
    const ashi_play_tiles *t = play->tiles;
    return n->task.number < t->count ? t->kept[n->task.number] : NULL;
}

/* Make it ready, and count what it takes of the device. The hands note what it needs. */
static ashlar_status make_and_count(const ashi_play *play, const ashi_node *n, ashi_ready_product **out,
                                    ashlar_error *err)
{
    ashlar_status status = ashi_ready_make(play, n, out, err);
    for (int i = 0; i < 4 && status == ASHLAR_OK && play->tiles->onto; i++) {
        const ashi_tile_product *product = (*out)->part[i / 2][i % 2].product;
        status = product ? ashi_onto_tiles_count(play->tiles->onto, product, err) : ASHLAR_OK;
    }
    return status;
}

static ashlar_status measure_product(const ashi_play *play, const ashi_node *n, ashlar_error *err)
{
    ashi_ready_product *r = NULL;
    const ashlar_status status = make_and_count(play, n, &r, err);
    ashi_ready_free(r);
    return status;
}

ashlar_status ashi_tiles_reserve(const ashi_play *play, const ashi_node *n, ashlar_error *err)
{
    ashi_play_tiles *t = play->tiles;
    if (!play->window.keeps)
        return play->request.later || t->onto ? measure_product(play, n, err) : ASHLAR_OK;
    ashi_ready_product **room = ashi_array_room(t->kept, &t->capacity, n->task.number + 1, sizeof *room);
    if (!room)
        return ashi_fail_memory(err, "player", (n->task.number + 1) * (int64_t)sizeof *room);
    t->kept = room;
    while (t->count <= n->task.number)
        room[t->count++] = NULL;
    return make_and_count(play, n, &room[n->task.number], err);
}

ashlar_status ashi_tiles_start(const ashi_play *play, ashlar_error *err)
{
    ashi_ready_lists_free(&play->tiles->lists);
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
        ashi_ready_free(t->kept[i]);
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
    int64_t bytes = (int64_t)sizeof *t + t->capacity * (int64_t)sizeof(ashi_ready_product *) + t->hands->bytes +
                    (t->lists.room[0] + t->lists.room[1]) * (int64_t)sizeof *t->lists.tile[0];
    bytes += t->onto ? ashi_onto_tiles_bytes(t->onto) : 0;
    for (int64_t i = 0; i < t->count; i++) {
        const ashi_ready_product *r = t->kept[i];
        bytes += r ? (int64_t)sizeof *r : 0;
        for (int o = 0; o < 4 && r; o++) {
            const ashi_tile_product *product = r->part[o / 2][o % 2].product;
            bytes += ashi_ready_operand_bytes(&r->operand[o / 2][o % 2]);
            bytes += product ? ashi_tile_product_bytes(product) : 0;
        }
    }
    return bytes;
}

static void listen(void *play)
{
    ashi_play_listen(play);
}

static ashlar_status multiply_part(const ashi_play *play, ashi_play *heard, const ashi_ready_product *r, int a, int b,
                                   int64_t step, ashlar_error *err)
{
    const ashi_share_between between = {listen, heard}, *const hears = play->cuts && heard ? &between : NULL;
    const ashi_tile_run *run = &play->request.tiles[r->term];
    double _Complex minus_alpha = 0; /* room for an element of any type */
    const void *alpha = play->work.terms ? play->work.terms[r->term].alpha : play->work.alpha;
    char *const sums = own_address(play, ASHLAR_C, 0, 0);
    if (!r->part[a][b].product || play->kernels->is_zero(alpha))
        return ASHLAR_OK;
    if (run->use[0][a].negated != run->use[1][b].negated) {
        const ashi_tile_kernels *k = ashi_tile_kernels_of(play->request.type);
        const ashi_number x = k->number(alpha);
        k->element((ashi_number){-x.re, -x.im}, &minus_alpha);
        alpha = &minus_alpha;
    }
    const ashi_onto_tiles_work with = {alpha, play->workspace, play->workspace, sums, step};
    if (play->tiles->on_device)
        return ashi_onto_tiles_multiply(play->tiles->onto, r->part[a][b].product, &with, hears, err);
    ashi_tile_product_run(r->part[a][b].product, alpha, play->workspace, play->workspace, sums,
                          play->workers > 0 ? play->request.workers : NULL, hears, NULL);
    return ASHLAR_OK;
}

ashlar_status ashi_tiles_multiply(const ashi_play *play, ashi_play *heard, const ashi_node *n, ashlar_error *err)
{
    ashi_ready_product *known = kept(play, n), *r = known;
    ashlar_status status = known ? ASHLAR_OK : ashi_ready_make(play, n, &r, err);
    if (status == ASHLAR_OK)
        status = ashi_tile_hands_make(play->tiles->hands, err);
    if (status == ASHLAR_OK)
        status = find_places(play, r, err);
    for (int i = 0; i < 4 && status == ASHLAR_OK; i++)
        status = multiply_part(play, heard, r, i / 2, i % 2, n->task.step, err);
    if (!known)
        ashi_ready_free(r);
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
    ashi_play_tiles_of(play, &to->panel, &first, &end);
    const int64_t tiles = end - first, at = first + ashi_cut(tiles, stripe.parts, stripe.part);
    for (int64_t t = at; t < at + ashi_cut_size(tiles, stripe.parts, stripe.part); t++) {
        const int64_t word = line->start[t] - to->panel.lo[0], words = line->start[t + 1] - line->start[t];
        const ashi_tile_source source = ashi_play_source_of(play, x, t);
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

/* Where the rank has tile t of C's line. */
static int64_t home_of_sum(const ashi_play *play, int64_t t)
{
    const ashi_tile_line *line = &play->tiles->line[ASHLAR_C];
    if (line->of)
        return line->start[t];
    const ashi_tile_source source = ashi_play_source_of(play, ASHLAR_C, t);
    return home_of(play, ASHLAR_C, &source);
}

/* beta = 0 does not read what is there. */
static void scale(const ashi_play *play, char *data, int64_t words)
{
    const ashi_kernels *k = play->kernels;
    if (words > 0 && k->is_zero(play->work.beta))
        memset(data, 0, (size_t)words * play->bytes);
    else if (words > 0)
        k->axpby(words, 1, play->work.beta, &(ashi_matrix){data, 1, words}, false, k->zero, data, 1, words);
}

/* Tiles that follow each other in memory are scaled at once. */
ashlar_status ashi_tiles_scale(const ashi_play *play, const ashi_node *n, ashi_stripe stripe)
{
    const ashi_placed *sums = ashi_window_placed(&play->window, n->makes);
    const ashi_tile_line *line = &play->tiles->line[ASHLAR_C];
    char *run = NULL;
    int64_t first, end, words = 0;
    if (memcmp(play->work.beta, play->kernels->one, play->bytes) == 0)
        return ASHLAR_OK;
    ashi_play_tiles_of(play, &sums->panel, &first, &end);
    const int64_t tiles = end - first, at = first + ashi_cut(tiles, stripe.parts, stripe.part);
    for (int64_t t = at; t < at + ashi_cut_size(tiles, stripe.parts, stripe.part); t++) {
        char *const data = own_address(play, ASHLAR_C, 0, home_of_sum(play, t));
        if (words == 0 || data != run + (size_t)words * play->bytes) {
            scale(play, run, words);
            run = data;
            words = 0;
        }
        words += line->start[t + 1] - line->start[t];
    }
    scale(play, run, words);
    return ASHLAR_OK;
}

/* ---- a run ---- */

void ashi_tiles_open(const ashi_play *play)
{
    if (play->tiles->on_device)
        ashi_onto_tiles_begin(play->tiles->onto, play->request.trace);
}

ashlar_status ashi_tiles_close(ashi_play *play, ashlar_error *err)
{
    const ashi_share_between between = {listen, play};
    if (!play->tiles->on_device)
        return ASHLAR_OK;
    return ashi_onto_tiles_end(play->tiles->onto, play->failure.status == ASHLAR_OK && !play->draining,
                               play->cuts ? &between : NULL, err);
}

const ashi_onto_tiles *ashi_tiles_device(const ashi_play *play)
{
    return play->tiles->onto;
}

void ashi_tiles_use_device(const ashi_play *play, bool used)
{
    play->tiles->on_device = used && play->tiles->onto;
}

bool ashi_tiles_on_device(const ashi_play *play)
{
    return play->tiles->on_device;
}

void ashi_tiles_free(ashi_play_tiles **tiles)
{
    if (*tiles) {
        ashi_onto_tiles_free(&(*tiles)->onto);
        ashi_ready_lists_free(&(*tiles)->lists);
        ashi_tile_hands_free(&(*tiles)->hands);
    }
    free(*tiles);
    *tiles = NULL;
}
