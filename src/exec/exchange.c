/* Who sends which elements to whom when a matrix moves between two layouts, and where they lie. */
#include "exec/exchange.h"

#include "base/checked.h"
#include "base/error.h"

#include <stdlib.h>

/* The dims of a layout along x and y of the target. */
typedef struct dims {
    const ashi_dim *x, *y;
    bool x_is_row;
} dims;

static dims dims_of(const ashlar_layout *layout, bool x_is_row)
{
    return (dims){x_is_row ? &layout->row : &layout->col, x_is_row ? &layout->col : &layout->row, x_is_row};
}

/* The number of the pair in the layout's arrays. */
static int64_t pair_of(const ashlar_layout *layout, const dims *d, int64_t x_part, int64_t y_part)
{
    return d->x_is_row ? x_part * layout->col.parts + y_part : y_part * layout->col.parts + x_part;
}

static void mark_own(const ashlar_layout *layout, const dims *d, int rank, bool *x_mine, bool *y_mine)
{
    for (int64_t x = 0; x < d->x->parts; x++)
        for (int64_t y = 0; y < d->y->parts; y++)
            if (layout->owner[pair_of(layout, d, x, y)] == rank)
                x_mine[x] = y_mine[y] = true;
}

static ashlar_status build_matches(const ashi_exchange_request *q, const dims *from, const dims *to, ashi_exchange *out,
                                 ashlar_error *err)
{
    const int64_t n = from->x->parts + from->y->parts + to->x->parts + to->y->parts;
    bool *mine = calloc((size_t)n, sizeof *mine);
    if (!mine)
        return ashi_fail_memory(err, "exchange", n);
    bool *from_x = mine, *from_y = from_x + from->x->parts, *to_x = from_y + from->y->parts;
    bool *to_y = to_x + to->x->parts;
    mark_own(q->from, from, q->rank, from_x, from_y);
    mark_own(q->to, to, q->rank, to_x, to_y);
    ashlar_status status = ashi_matches_build(from->x, from_x, to->x, to_x, &out->x, err);
    if (status == ASHLAR_OK)
        status = ashi_matches_build(from->y, from_y, to->y, to_y, &out->y, err);
    free(mine);
    return status;
}

static void locate(const ashlar_layout *layout, const dims *d, int64_t x_part, int64_t y_part, const int64_t *x,
                   const int64_t *y, ashi_origin *array, ashi_patch_side *side)
{
    const int64_t pair = pair_of(layout, d, x_part, y_part);
    const ashi_storage s = ashi_layout_storage(layout, pair / layout->col.parts, pair % layout->col.parts);
    *array = (ashi_origin){s.tile, s.start};
    *side = (ashi_patch_side){x, y, s.offset, d->x_is_row ? s.row_stride : s.col_stride,
                              d->x_is_row ? s.col_stride : s.row_stride};
}

/* Where a share lies in this rank's part of the source, or of the target. */
static void locate_from(const ashlar_layout *layout, const dims *d, ashi_share *s)
{
    locate(layout, d, s->x->from_part, s->y->from_part, s->x->from, s->y->from, &s->from_array, &s->from);
}

static void locate_to(const ashlar_layout *layout, const dims *d, ashi_share *s)
{
    locate(layout, d, s->x->to_part, s->y->to_part, s->x->to, s->y->to, &s->to_array, &s->to);
}

/* Walk the shares of this rank in one order on all ranks; with room in the lists they are stored, else counted. */
static void list_shares(const ashi_exchange_request *q, const dims *from, const dims *to, ashi_exchange *e)
{
    e->in.count = e->out.count = e->own.count = 0;
    for (const ashi_match *x = e->x.match; x < e->x.match + e->x.count; x++)
        for (const ashi_match *y = e->y.match; y < e->y.match + e->y.count; y++) {
            const int sender = q->from->owner[pair_of(q->from, from, x->from_part, y->from_part)];
            const int receiver = q->to->owner[pair_of(q->to, to, x->to_part, y->to_part)];
            if (sender != q->rank && receiver != q->rank)
                continue;
            ashi_shares *list = sender != q->rank ? &e->in : receiver != q->rank ? &e->out : &e->own;
            ashi_share share = {.x = x, .y = y, .peer = sender == q->rank ? receiver : sender};
            if (list->share && sender == q->rank)
                locate_from(q->from, from, &share);
            if (list->share && receiver == q->rank)
                locate_to(q->to, to, &share);
            if (list->share)
                list->share[list->count] = share;
            list->count++;
        }
}

/* The dims of both layouts as the request wants them seen. */
static void turn(const ashi_exchange_request *q, const ashlar_layout *from, const ashlar_layout *to, dims out[2])
{
    if (from)
        out[0] = dims_of(from, (q->op == ASHLAR_OP_N) != q->by_rows);
    if (to)
        out[1] = dims_of(to, !q->by_rows);
}

static void relocate(ashi_shares *list, const ashlar_layout *layout, const dims *d, bool target)
{
    for (ashi_share *s = list->share; layout && s < list->share + list->count; s++) {
        if (target)
            locate_to(layout, d, s);
        else
            locate_from(layout, d, s);
    }
}

void ashi_exchange_relocate(ashi_exchange *e)
{
    dims d[2] = {{0}, {0}};
    turn(&e->request, e->from, e->to, d);
    relocate(&e->out, e->from, &d[0], false);
    relocate(&e->own, e->from, &d[0], false);
    relocate(&e->in, e->to, &d[1], true);
    relocate(&e->own, e->to, &d[1], true);
}

/* Where shares of a peer begin once sorted: first those of the next rank, so that not all ranks turn to one at once.
 * `start` has ranks + 1 zeros. */
static void count_peers(const ashi_shares *list, const ashi_exchange_request *q, int64_t *start)
{
    for (int64_t i = 0; i < list->count; i++)
        start[1 + (list->share[i].peer - q->rank + q->ranks) % q->ranks]++;
    for (int p = 0; p < q->ranks; p++)
        start[p + 1] += start[p];
}

static void write_letters(ashi_shares *list)
{
    for (int64_t i = 0; i < list->count; i++) {
        const ashi_share *s = &list->share[i];
        if (i == 0 || s->peer != s[-1].peer)
            list->letter[list->letters++] = (ashi_letter){.peer = s->peer, .first = i};
        ashi_letter *l = &list->letter[list->letters - 1];
        l->end = i + 1;
        l->words += s->x->count * s->y->count;
        list->words += s->x->count * s->y->count;
    }
}

/* Sort a list by peer, keeping the order of what one peer has, and make its letters. */
static ashlar_status group_by_peer(ashi_shares *list, const ashi_exchange_request *q, ashlar_error *err)
{
    const size_t most = (size_t)ashi_min(list->count, q->ranks);
    ashi_share *sorted = malloc((size_t)ashi_max(list->count, 1) * sizeof *sorted);
    int64_t *start = calloc((size_t)q->ranks + 1, sizeof *start);
    list->letter = malloc((most + 1) * sizeof *list->letter);
    if (!sorted || !start || !list->letter) {
        free(sorted);
        free(start);
        return ashi_fail_memory(err, "exchange", list->count * (int64_t)sizeof *sorted + q->ranks * 8);
    }
    count_peers(list, q, start);
    for (int64_t i = 0; i < list->count; i++)
        sorted[start[(list->share[i].peer - q->rank + q->ranks) % q->ranks]++] = list->share[i];
    free(list->share);
    free(start);
    list->share = sorted;
    write_letters(list);
    return ASHLAR_OK;
}

static ashlar_status make_room(ashi_shares *list, ashlar_error *err)
{
    list->share = malloc((size_t)ashi_max(list->count, 1) * sizeof *list->share);
    return list->share ? ASHLAR_OK : ashi_fail_memory(err, "exchange", list->count * (int64_t)sizeof *list->share);
}

ashlar_status ashi_exchange_build(const ashi_exchange_request *q, ashi_exchange *out, ashlar_error *err)
{
    *out = (ashi_exchange){.request = *q};
    ashi_shares *const list[3] = {&out->in, &out->out, &out->own};
    dims d[2] = {{0}, {0}};
    turn(q, q->from, q->to, d);
    ashlar_status status = build_matches(q, &d[0], &d[1], out, err);
    if (status == ASHLAR_OK && !q->from->row.cuts)
        status = ashi_layout_copy(q->from, &out->from, err);
    if (status == ASHLAR_OK && !q->to->row.cuts)
        status = ashi_layout_copy(q->to, &out->to, err);
    if (status == ASHLAR_OK)
        list_shares(q, &d[0], &d[1], out);
    for (int i = 0; i < 3 && status == ASHLAR_OK; i++)
        status = make_room(list[i], err);
    if (status == ASHLAR_OK)
        list_shares(q, &d[0], &d[1], out);
    for (int i = 0; i < 3 && status == ASHLAR_OK; i++)
        status = group_by_peer(list[i], q, err);
    if (status != ASHLAR_OK)
        ashi_exchange_free(out);
    return status;
}

static void free_shares(ashi_shares *shares)
{
    free(shares->share);
    free(shares->letter);
}

void ashi_exchange_free(ashi_exchange *exchange)
{
    ashlar_layout_free(&exchange->from);
    ashlar_layout_free(&exchange->to);
    ashi_matches_free(&exchange->x);
    ashi_matches_free(&exchange->y);
    free_shares(&exchange->in);
    free_shares(&exchange->out);
    free_shares(&exchange->own);
    *exchange = (ashi_exchange){0};
}
