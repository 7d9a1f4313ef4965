/* Products of a program of tiles are made ready. */
#include "exec/play_tiles_ready.h"

#include "base/error.h"
#include "exec/play_tiles.h"

#include <stdlib.h>

void ashi_ready_free(ashi_ready_product *r)
{
    for (int i = 0; i < 4 && r; i++) {
        ashi_ready_operand_free(&r->operand[i / 2][i % 2]);
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
static ashlar_status find_left(const ashi_ready_request_of of_op[2], ashi_ready_part *p, ashlar_error *err)
{
    const ashi_tile_choice *choice = of_op->play->program->tiles->choice;
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
        if (status == ASHLAR_OK)
            ashi_ready_operand_of_op(&of_op[x], of[x], list[x]);
    }
    const int64_t tiles[2] = {p->a->pattern.tiles, p->b->pattern.tiles};
    if (status == ASHLAR_OK)
        status = ashi_left_out_make(choice, list, tiles, &p->left, err);
    free(list[0]);
    free(list[1]);
    return status;
}

/* The products of A's tiles that are mirrored, or are not, with such of B. */
static ashlar_status make_part(const ashi_play *play, const ashi_node *n, ashi_ready_product *r, int a, int b,
                               ashlar_error *err)
{
    const ashi_tile_run *run = &play->request.tiles[r->term];
    ashi_ready_part *p = &r->part[a][b];
    *p = (ashi_ready_part){.a = &r->operand[0][a], .b = &r->operand[1][b]};
    if (p->a->pattern.tiles == 0 || p->b->pattern.tiles == 0)
        return ASHLAR_OK;
    const ashlar_status status = find_left((ashi_ready_request_of[]){{play, n, r->term, 0, a == 1},
                                                                     {play, n, r->term, 1, b == 1}}, p, err);
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
    ashlar_status status = r ? ASHLAR_OK : ashi_fail_memory(err, "a product of tiles", (int64_t)sizeof *r);
    if (r)
        r->term = ashi_tile_term_of(play->program->tiles, n->task.lo[2]);
    for (int i = 0; i < 4 && status == ASHLAR_OK; i++)
        status = ashi_ready_operand_make(&(ashi_ready_request_of){play, n, r->term, i / 2, i % 2 == 1},
                                         &play->tiles->lists, &r->operand[i / 2][i % 2], err);
    for (int i = 0; i < 4 && status == ASHLAR_OK; i++)
        status = make_part(play, n, r, i / 2, i % 2, err);
    if (status != ASHLAR_OK)
        ashi_ready_free(r);
    *out = status == ASHLAR_OK ? r : NULL;
    return status;
}
