/* A matrix of tiles to and from an array of any layout. */
#include "base/checked.h"
#include "base/error.h"
#include "layout/layout.h"
#include "plan/check.h"
#include "tiles/boxes.h"
#include "tiles/filter.h"

#include <inttypes.h>
#include <string.h>

/* Both matrices, and what travels. */
typedef struct conversion {
    const char *who;
    const ashlar_tiles *tiles;
    const ashlar_layout *layout;
    char *data;
    ashi_packets out, in;
    ashi_carrier carrier;
    ashi_box_source source; /* of the tiles, if they go to an array */
    ashi_box_target *put;   /* where they are put, if they come from one */
} conversion;

static ashlar_status check(const conversion *v, ashlar_error *err)
{
    const ashlar_tiles *const t = v->tiles;
    const int rank = t->context->rank;
    if (!v->layout)
        return ashi_fail(err, ASHLAR_ERR_ARG, "%s: layout is NULL", v->who);
    const int64_t rows = ashlar_layout_rows(v->layout), cols = ashlar_layout_cols(v->layout);
    if (rows != ashi_cuts_all(&t->row) || cols != ashi_cuts_all(&t->col))
        return ashi_fail(err, ASHLAR_ERR_ARG,
                         "%s: the layout is of %" PRId64 " x %" PRId64 " elements, the matrix of %" PRId64
                         " x %" PRId64, v->who, rows, cols, ashi_cuts_all(&t->row), ashi_cuts_all(&t->col));
    const ashlar_status status = ashi_check_layout(t->context, v->layout, v->who, err);
    if (status != ASHLAR_OK)
        return status;
    if (ashi_layout_needs_pointers(v->layout, rank))
        return ashi_fail(err, ASHLAR_ERR_ARG, "%s: the layout has no offsets", v->who);
    if (!v->data && ashlar_layout_words(v->layout, rank) > 0)
        return ashi_fail(err, ASHLAR_ERR_ARG, "%s: data is NULL", v->who);
    return ASHLAR_OK;
}

/* Together with all ranks: everything fits, and all have the same layout. */
static ashlar_status check_on_all(const conversion *v, ashlar_error *err)
{
    const ashlar_status mine = check(v, err);
    const ashi_shared value = {"the layout", mine == ASHLAR_OK ? (int64_t)(ashi_layout_digest(v->layout) >> 1) : 0};
    return ashi_agree_same(v->tiles->context, mine, v->who, &value, 1, err);
}

/* Where an element of the array is, and the distances of its neighbours. */
typedef struct spot {
    char *at;
    int64_t row_stride, col_stride;
} spot;

static spot find(const conversion *v, int64_t row, int64_t col)
{
    const ashi_dim_run r = ashi_dim_run_at(&v->layout->row, row), c = ashi_dim_run_at(&v->layout->col, col);
    const ashi_storage s = ashi_layout_storage(v->layout, r.part, c.part);
    const int64_t at = s.start + s.offset + r.local * s.row_stride + c.local * s.col_stride;
    return (spot){v->data + (size_t)at * v->tiles->bytes, s.row_stride, s.col_stride};
}

/* ---- to an array ---- */

/* Send a box of the array, of which a tile has all, to the owners of its pieces. */
static ashlar_status send_box(conversion *v, const ashi_region *b, bool turned, ashlar_error *err)
{
    const ashlar_layout *const layout = v->layout;
    ashlar_status status = ASHLAR_OK;
    for (int64_t col = b->col; col < b->col_end && status == ASHLAR_OK;) {
        const ashi_dim_run c = ashi_dim_run_at(&layout->col, col);
        const int64_t col_end = ashi_min(c.end, b->col_end);
        for (int64_t row = b->row; row < b->row_end && status == ASHLAR_OK;) {
            const ashi_dim_run r = ashi_dim_run_at(&layout->row, row);
            const int64_t rows = ashi_min(r.end, b->row_end) - row;
            const ashi_packet packet = {.rank = layout->owner[r.part * layout->col.parts + c.part], .row = row,
                                        .col = col, .at = rows, .words = rows * (col_end - col),
                                        .what = turned ? ASHI_BOX_TURNED : ASHI_BOX_STRAIGHT};
            status = ashi_packets_add(&v->out, &packet, err);
            row += rows;
        }
        col = col_end;
    }
    return status;
}

static ashlar_status send_tiles(conversion *v, ashlar_error *err)
{
    const ashlar_tiles *const t = v->tiles;
    ashlar_status status = ASHLAR_OK;
    for (ashi_held_walk w = {.number = -1}; status == ASHLAR_OK && ashi_held_next(&t->held, &w);) {
        const ashi_region b = ashi_tiles_region(t, w.at);
        const ashi_region turned = {b.col, b.col_end, b.row, b.row_end};
        status = send_box(v, &b, false, err);
        if (status == ASHLAR_OK && t->symmetry != ASHLAR_GENERAL && w.at.row != w.at.col)
            status = send_box(v, &turned, true, err);
    }
    return status;
}

/* Zeros in all that this rank has of the array. */
static void clear_array(const conversion *v)
{
    const ashlar_layout *const layout = v->layout;
    const ashi_kernels *const k = v->tiles->kernels;
    const ashi_matrix zero = {k->zero, 0, 0};
    for (int64_t r = 0; r < layout->row.parts; r++)
        for (int64_t c = 0; c < layout->col.parts; c++) {
            if (layout->owner[r * layout->col.parts + c] != v->tiles->context->rank)
                continue;
            const ashi_storage s = ashi_layout_storage(layout, r, c);
            const int64_t rows = ashi_dim_count(&layout->row, r), cols = ashi_dim_count(&layout->col, c);
            k->axpby(rows, cols, k->one, &zero, false, k->zero,
                     v->data + (size_t)(s.start + s.offset) * v->tiles->bytes, s.row_stride, s.col_stride);
        }
}

static void unpack_array(void *user, const ashi_packet *packet, int64_t first, int64_t count, const char *from)
{
    const conversion *const v = user;
    const ashi_kernels *const k = v->tiles->kernels;
    const size_t bytes = v->tiles->bytes;
    const spot to = find(v, packet->row, packet->col);
    for (ashi_span at = {0}; ashi_span_next(packet, first, count, &at); from += (size_t)at.count * bytes)
        k->axpby(1, at.count, k->one, &(ashi_matrix){from, 1, 1}, false, k->zero,
                 to.at + (size_t)(at.row * to.row_stride + at.col * to.col_stride) * bytes, 1, to.row_stride);
}

static void pack_box(void *user, const ashi_packet *packet, int64_t first, int64_t count, char *to)
{
    ashi_box_pack(&((conversion *)user)->source, packet, first, count, to);
}

static ashlar_status to_dense(conversion *v, ashlar_error *err)
{
    const ashlar_context *const c = v->tiles->context;
    ashlar_status status = check_on_all(v, err);
    if (status != ASHLAR_OK)
        return status;
    status = ashi_carrier_make(&v->carrier, NULL, NULL, err);
    if (status == ASHLAR_OK)
        status = send_tiles(v, err);
    status = ashi_packets_announce(c, status, &v->out, &v->in, err);
    if (status != ASHLAR_OK)
        return status;
    clear_array(v);
    ashi_held_begin(&v->tiles->held);
    ashi_packets_carry(c, &v->carrier, &v->out, &v->in);
    return ashi_conclude(c, ASHLAR_OK, err);
}

static void end(conversion *v)
{
    ashi_packets_free(&v->out);
    ashi_packets_free(&v->in);
    ashi_carrier_free(&v->carrier);
}

ashlar_status ashlar_tiles_to_dense(const ashlar_tiles *tiles, const ashlar_layout *layout, void *data,
                                    ashlar_error *err)
{
    ashlar_error own = {0};
    conversion v = {.who = "ashlar_tiles_to_dense", .tiles = tiles, .layout = layout, .data = data};
    err = err ? err : &own;
    if (!tiles)
        return ashi_fail(err, ASHLAR_ERR_ARG, "%s: tiles is NULL", v.who);
    v.source = (ashi_box_source){.tiles = tiles, .mirror = {[1] = ashi_tiles_mirror(tiles)}};
    v.carrier =
        (ashi_carrier){.bytes = tiles->bytes, .only = -1, .pack = pack_box, .unpack = unpack_array, .user = &v};
    const ashlar_status status = to_dense(&v, err);
    end(&v);
    return status;
}

/* ---- from an array ---- */

static void pack_array(void *user, const ashi_packet *packet, int64_t first, int64_t count, char *to)
{
    const conversion *const v = user;
    const ashi_kernels *const k = v->tiles->kernels;
    const size_t bytes = v->tiles->bytes;
    const spot from = find(v, packet->row, packet->col);
    for (ashi_span at = {0}; ashi_span_next(packet, first, count, &at); to += (size_t)at.count * bytes) {
        const ashi_matrix column = {from.at + (size_t)(at.row * from.row_stride + at.col * from.col_stride) * bytes, 1,
                                    from.row_stride};
        k->axpby(1, at.count, k->one, &column, false, k->zero, to, 1, 1);
    }
}

/* What this rank has of rows row .. row_end - 1. */
static ashlar_status send_rows(conversion *v, int64_t row, int64_t row_end, ashlar_error *err)
{
    const ashlar_layout *const layout = v->layout;
    const int64_t cols = ashlar_layout_cols(layout);
    ashlar_status status = ASHLAR_OK;
    while (row < row_end) {
        const ashi_dim_run r = ashi_dim_run_at(&layout->row, row);
        const int64_t end = ashi_min(r.end, row_end);
        for (int64_t col = 0; col < cols && status == ASHLAR_OK;) {
            const ashi_dim_run c = ashi_dim_run_at(&layout->col, col);
            const ashi_region region = {row, end, col, ashi_min(c.end, cols)};
            if (layout->owner[r.part * layout->col.parts + c.part] == v->tiles->context->rank)
                status = ashi_boxes_send(v->tiles, &region, ASHI_BOX_STRAIGHT, &v->out, err);
            col = region.col_end;
        }
        row = end;
    }
    return status;
}

/* Elements of the array that all ranks take over at a time, for each of them. */
enum { WORDS_AT_ONCE = 1 << 22 };

/* The end of the rows of tiles, from `tile` on, that are taken over together; at least one. */
static int64_t rows_at_once(const ashlar_tiles *t, int64_t tile)
{
    const int64_t most = ashi_mul_most(WORDS_AT_ONCE, t->context->ranks), cols = ashi_max(ashi_cuts_all(&t->col), 1);
    int64_t end = tile + 1;
    while (end < t->row.tiles && t->row.at[end + 1] - t->row.at[tile] <= most / cols)
        end++;
    return end;
}

/* Take some rows of tiles over, and keep those tiles that are not dropped. */
static ashlar_status take_rows(conversion *v, int64_t tile, int64_t end, double threshold, ashi_held *all,
                               ashlar_error *err)
{
    const ashlar_tiles *const t = v->tiles;
    const ashlar_context *const c = t->context;
    ashi_held some = {0};
    ashi_box_target target = {t, &some};
    ashi_packets_free(&v->out);
    ashlar_status status = send_rows(v, t->row.at[tile], t->row.at[end], err);
    status = ashi_packets_announce(c, status, &v->out, &v->in, err);
    if (status == ASHLAR_OK)
        status = ashi_agree(c, ashi_boxes_room(t, &v->in, &some, err), err);
    if (status == ASHLAR_OK) {
        v->put = &target;
        ashi_packets_carry(c, &v->carrier, &v->out, &v->in);
        ashi_boxes_follow(t, &some);
        status = ashi_held_filter(t, threshold, &some, err);
        if (status == ASHLAR_OK)
            status = ashi_held_append(all, &some, t->bytes, err);
        status = ashi_agree(c, status, err);
    }
    ashi_held_free(&some);
    ashi_packets_free(&v->in);
    return status;
}

static void unpack_box(void *user, const ashi_packet *packet, int64_t first, int64_t count, const char *from)
{
    ashi_box_unpack(((conversion *)user)->put, packet, first, count, from);
}

static ashlar_status check_threshold(conversion *v, double threshold, ashlar_error *err)
{
    int64_t bits = 0;
    memcpy(&bits, &threshold, sizeof bits);
    const ashlar_status mine = threshold >= 0 ? ashi_carrier_make(&v->carrier, NULL, NULL, err)
                                              : ashi_fail(err, ASHLAR_ERR_ARG, "%s: threshold = %g, wanted at least 0",
                                                          v->who, threshold);
    return ashi_agree_same(v->tiles->context, mine, v->who, &(ashi_shared){"the threshold", bits}, 1, err);
}

ashlar_status ashlar_tiles_from_dense(ashlar_tiles *tiles, const ashlar_layout *layout, const void *data,
                                      double threshold, ashlar_error *err)
{
    ashlar_error own = {0};
    conversion v = {.who = "ashlar_tiles_from_dense", .tiles = tiles, .layout = layout};
    ashi_held all = {0};
    err = err ? err : &own;
    if (!tiles)
        return ashi_fail(err, ASHLAR_ERR_ARG, "%s: tiles is NULL", v.who);
    v.data = (char *)(uintptr_t)data; /* only read */
    v.carrier = (ashi_carrier){.bytes = tiles->bytes, .only = -1, .pack = pack_array, .unpack = unpack_box, .user = &v};
    ashlar_status status = check_on_all(&v, err);
    if (status == ASHLAR_OK)
        status = check_threshold(&v, threshold, err);
    for (int64_t tile = 0, after; tile < tiles->row.tiles && status == ASHLAR_OK; tile = after) {
        after = rows_at_once(tiles, tile);
        status = take_rows(&v, tile, after, threshold, &all, err);
    }
    if (status == ASHLAR_OK)
        status = ashi_tiles_settle(tiles, &all, err);
    end(&v);
    ashi_held_free(&all);
    return status;
}
