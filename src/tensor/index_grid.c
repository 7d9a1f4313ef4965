/* Who has what on a grid of ranks over the indices of a contraction. */
#include "tensor/index_grid.h"

#include "base/checked.h"
#include "base/error.h"

#include <stdlib.h>

static bool has(const ashi_index_list *list, int index)
{
    return ashi_index_find(list, index) >= 0;
}

/* ---- how an array is dealt out ---- */

/* The largest prime factor. */
static int factor_of(int number)
{
    int factor = 1;
    for (int f = 2; number > 1; f++)
        for (; number % f == 0; number /= f)
            factor = f;
    return factor;
}

/* Words of the largest part if dimension `cut` were cut `more` times more. */
static int64_t words_with(const ashi_index_list *list, const ashi_index_grid_share *s, const int64_t *box, int cut,
                          int more)
{
    int64_t words = 1;
    for (int d = 0; d < list->order; d++)
        words = ashi_mul_most(words, d == cut ? ashi_ceil_div(box[d], (int64_t)s->extra[d] * more) : s->piece[d]);
    return words;
}

/* Parts of an index that the grid cuts must be of equal size: the next block begins where the last one ends. */
static bool may_cut(const ashi_index_grid *grid, int index, const ashi_index_grid_share *s, const int64_t *box, int d,
                    int more)
{
    const int64_t parts = (int64_t)s->extra[d] * more;
    return parts <= box[d] && (grid->parts[index] == 1 || box[d] % parts == 0);
}

void ashi_index_grid_share_of(const ashi_expression *e, const ashi_index_grid *grid, const ashi_index_list *list,
                              ashi_index_grid_share *out)
{
    int64_t box[ASHI_ORDER_MOST];
    *out = (ashi_index_grid_share){.sharers = 1, .owners = 1, .box_words = 1, .most = 1, .least = 1};
    for (int i = 0; i < e->indices; i++)
        out->sharers *= has(list, i) ? 1 : grid->parts[i];
    for (int d = 0; d < list->order; d++) {
        box[d] = out->piece[d] = grid->block[list->index[d]];
        out->extra[d] = 1;
        out->box_words = ashi_mul_most(out->box_words, box[d]);
    }
    for (int left = out->sharers; left > 1;) {
        const int more = factor_of(left);
        int best = -1;
        int64_t words = 0;
        for (int d = 0; d < list->order; d++) {
            const int64_t next = words_with(list, out, box, d, more);
            if (may_cut(grid, list->index[d], out, box, d, more) && (best < 0 || next < words)) {
                best = d;
                words = next;
            }
        }
        left /= more;
        if (best < 0)
            continue;
        out->extra[best] *= more;
        out->piece[best] = ashi_ceil_div(box[best], out->extra[best]);
        out->owners *= more;
    }
    for (int d = 0; d < list->order; d++) {
        out->most = ashi_mul_most(out->most, out->piece[d]);
        out->least = ashi_mul_most(out->least, ashi_max(0, box[d] - (out->extra[d] - 1) * out->piece[d]));
    }
    out->least = out->owners < out->sharers ? 0 : out->least;
}

/* ---- ranks ---- */

void ashi_index_grid_coordinates(const ashi_expression *e, const ashi_index_grid *grid, int rank, int *coordinate)
{
    for (int i = e->indices - 1; i >= 0; i--) {
        coordinate[i] = rank % grid->parts[i];
        rank /= grid->parts[i];
    }
}

int ashi_index_grid_sharer(const ashi_expression *e, const ashi_index_grid *grid, const ashi_index_list *list,
                           const int *coordinate, int n)
{
    int rank = 0, weight = 1;
    for (int i = e->indices - 1; i >= 0; i--) {
        const int at = has(list, i) ? coordinate[i] : n % grid->parts[i];
        n /= has(list, i) ? 1 : grid->parts[i];
        rank += at * weight;
        weight *= grid->parts[i];
    }
    return rank;
}

int ashi_index_grid_number(const ashi_expression *e, const ashi_index_grid *grid, const ashi_index_list *list,
                           const int *coordinate)
{
    int number = 0;
    for (int i = 0; i < e->indices; i++)
        number = has(list, i) ? number : number * grid->parts[i] + coordinate[i];
    return number;
}

/* ---- boxes ---- */

int64_t ashi_index_grid_box(const ashi_expression *e, const ashi_index_grid *grid, const ashi_index_list *list,
                            const int *coordinate, int64_t *extent)
{
    int64_t words = 1;
    for (int d = 0; d < list->order; d++) {
        const int i = list->index[d];
        extent[d] = ashi_min(grid->block[i], e->extent[i] - coordinate[i] * grid->block[i]);
        words = ashi_mul_most(words, extent[d]);
    }
    return words;
}

int64_t ashi_index_grid_part(const ashi_index_list *list, const ashi_index_grid_share *share, const int64_t *box, int n,
                             int64_t *from, int64_t *extent)
{
    int64_t words = n < share->owners ? 1 : 0;
    for (int d = list->order - 1; d >= 0; d--) {
        from[d] = ashi_min(box[d], n % share->extra[d] * share->piece[d]);
        extent[d] = ashi_min(share->piece[d], box[d] - from[d]);
        words = ashi_mul_most(words, extent[d]);
        n /= share->extra[d];
    }
    return words;
}

/* ---- layouts ---- */

/* The rank that is a process of the layout's own grid, whose last dimension counts first. */
static int rank_of(const ashi_expression *e, const ashi_index_grid *grid, const ashi_index_list *list,
                   const ashi_index_grid_share *share, int process)
{
    int coordinate[ASHI_INDICES_MOST] = {0}, n = 0, weight = 1;
    for (int d = list->order - 1; d >= 0; d--) {
        const int i = list->index[d], parts = grid->parts[i] * share->extra[d];
        coordinate[i] = process % parts / share->extra[d];
        n += process % share->extra[d] * weight;
        weight *= share->extra[d];
        process /= parts;
    }
    return ashi_index_grid_sharer(e, grid, list, coordinate, n);
}

ashlar_status ashi_index_grid_layout(const ashi_expression *e, const ashi_index_grid *grid, const ashi_index_list *list,
                                     ashlar_tensor_layout **out, ashlar_error *err)
{
    int64_t extent[ASHI_ORDER_MOST];
    int parts[ASHI_ORDER_MOST], processes = 1;
    ashi_index_grid_share share;
    ashi_index_grid_share_of(e, grid, list, &share);
    for (int d = 0; d < list->order; d++) {
        extent[d] = e->extent[list->index[d]];
        parts[d] = grid->parts[list->index[d]] * share.extra[d];
        processes *= parts[d];
    }
    int *const ranks = malloc((size_t)processes * sizeof *ranks);
    *out = NULL;
    if (!ranks)
        return ashi_fail_memory(err, "layout of a tensor", (int64_t)processes * (int64_t)sizeof *ranks);
    for (int p = 0; p < processes; p++)
        ranks[p] = rank_of(e, grid, list, &share, p);
    const ashlar_status status =
        ashlar_tensor_layout_blocks(list->order, extent, share.piece, parts, ranks, NULL, out, err);
    free(ranks);
    return status;
}
