/* The whole pages of a file that a tiling moves of a matrix which is seen in an array. */
#include "plan/view_pages.h"

#include "base/checked.h"
#include "engine/nest_items.h"
#include "model/rates.h"
#include "store/by_chunk.h"
#include "store/unfolding_runs.h"

#include <stdlib.h>

/* BOXES that are counted, or fewer if they have more than RUNS runs together, but FEWEST in any case. */
enum { BOXES = 400, FEWEST = 8, RUNS = 1 << 21 };

/* Pages from `from` to `to` - 1 of the file. */
typedef struct stretch {
    int64_t from, to;
} stretch;

typedef struct counter {
    const ashi_tiling_request *q;
    const ashi_nest *nest;
    ashlar_operand x;
    const ashi_plain_file *file;
    const ashi_store *chunked; /* whose chunks are counted; NULL: pages of `file` are */
    ashi_chunks_kept *kept;
    stretch *list;       /* of the box in hand */
    int64_t count, room;
    bool sorted, failed;
    int64_t runs;        /* of all boxes so far */
} counter;

/* ---- one box ---- */

static void add_stretch(counter *c, int64_t from, int64_t to)
{
    stretch *last = c->count > 0 ? &c->list[c->count - 1] : NULL;
    if (last && from >= last->from && from <= last->to) {
        last->to = ashi_max(last->to, to);
        return;
    }
    if (c->count == c->room) {
        const int64_t room = ashi_max(2 * c->room, 1024);
        stretch *list = realloc(c->list, (size_t)room * sizeof *list);
        c->failed = c->failed || !list;
        if (!list)
            return;
        c->list = list;
        c->room = room;
    }
    c->sorted = c->sorted && (!last || from > c->list[c->count - 1].to);
    c->list[c->count++] = (stretch){from, to};
}

static void add_runs(void *context, const ashi_unfolding_run *run)
{
    counter *c = context;
    for (int64_t i = 0; i < run->runs && !c->failed; i++) {
        const int64_t at = c->file->offset + (run->at + i * run->step) * c->q->bytes;
        add_stretch(c, at / ASHI_DISK_PAGE, ashi_ceil_div(at + run->count * c->q->bytes, ASHI_DISK_PAGE));
    }
    c->runs += run->runs;
}

static int by_place(const void *left, const void *right)
{
    const stretch *a = left, *b = right;
    return (a->from > b->from) - (a->from < b->from);
}

/* Bytes of the pages of a box, each once, or of its chunks. */
static double page_bytes(counter *c, const ashi_box *box)
{
    const int64_t lo[2] = {box->minor_lo, box->major_lo}, hi[2] = {box->minor_hi, box->major_hi};
    ashi_unfolding_box positions = {{0, 0}, {0, 0}, {0, 0}};
    double chunks = 0;
    for (int s = 0; s < 2; s++) {
        const int side = c->file->turned ? 1 - s : s;
        positions.from[s] = lo[side];
        positions.extent[s] = hi[side] - lo[side];
    }
    if (c->chunked) {
        const ashi_file_box own = {positions.from[0], positions.extent[0], positions.from[1], positions.extent[1]};
        c->runs++;
        c->failed = c->failed || !ashi_store_chunk_bytes(c->chunked, &own, c->kept, &chunks);
        return chunks;
    }
    c->count = 0;
    c->sorted = true;
    ashi_unfolding_runs(c->file->view, &positions, add_runs, c);
    if (!c->sorted)
        qsort(c->list, (size_t)c->count, sizeof *c->list, by_place);
    int64_t pages = 0, end = 0;
    for (int64_t i = 0; i < c->count; i++) {
        pages += ashi_max(c->list[i].to - ashi_max(c->list[i].from, end), 0);
        end = ashi_max(end, c->list[i].to);
    }
    return (double)pages * ASHI_DISK_PAGE;
}

/* ---- all boxes ---- */

/* What a rank moves of the operand in an item. A page of C that is written in parts is read before. */
static ashi_tiling_bytes of_item(counter *c, const ashi_nest_place *place, const ashi_nest_item *item)
{
    const int64_t sharers = ashi_nest_sharers(item, c->x);
    const ashi_box whole = ashi_nest_box(item, c->x);
    const ashi_box box = ashi_nest_piece(c->nest, c->x, &whole, sharers, ashi_nest_sharer(place, c->x));
    const double bytes = page_bytes(c, &box);
    const double own = (double)(box.minor_hi - box.minor_lo) * (double)(box.major_hi - box.major_lo) *
                       (double)c->q->bytes;
    const bool comes_back = c->q->adds || (c->nest->stays != ASHLAR_C && item->block[2] > 0);
    if (c->x != ASHLAR_C)
        return (ashi_tiling_bytes){bytes, 0};
    return (ashi_tiling_bytes){comes_back ? bytes : bytes - own, bytes};
}

static int64_t boxes_of(const counter *c, int64_t rank)
{
    const ashi_nest_turns turns = ashi_nest_turns_of(c->nest, rank);
    return c->x == c->nest->stays ? turns.all / ashi_max(turns.tile, 1) : turns.all;
}

/* What a rank moves of the operand in an item, which is the next after the one that was counted last, or not: then the
 * one before it is read first, so that it is known what is kept of its chunks. */
static ashi_tiling_bytes of_turn(counter *c, const ashi_nest_place *place, int64_t item, int64_t turn, bool anew)
{
    const ashi_nest_item now = ashi_nest_item_of(c->nest, place, item);
    if (c->kept && (anew || item == 0))
        ashi_chunks_forget(c->kept, ashi_store_chunks_kept(c->chunked));
    if (c->kept && anew && item >= turn) {
        const ashi_nest_item before = ashi_nest_item_of(c->nest, place, item - turn);
        if (!before.idle)
            of_item(c, place, &before);
    }
    return now.idle ? (ashi_tiling_bytes){0, 0} : of_item(c, place, &now);
}

/* One in `of` boxes of all ranks. Returns how many. */
static int64_t count_some(counter *c, int64_t of, ashi_tiling_bytes *sum)
{
    int64_t next = 0, before = 0, counted = 0;
    for (int64_t rank = 0; rank < c->nest->ranks && !c->failed; rank++) {
        const ashi_nest_place place = ashi_nest_place_of(c->nest, rank);
        const int64_t boxes = boxes_of(c, rank);
        const int64_t turn = c->x == c->nest->stays ? ashi_nest_turns_of(c->nest, rank).tile : 1;
        for (; next < before + boxes && !c->failed; next += of, counted++) {
            const ashi_tiling_bytes bytes = of_turn(c, &place, (next - before) * turn, turn, of > 1);
            sum->read += bytes.read;
            sum->written += bytes.written;
        }
        before += boxes;
    }
    return counted;
}

static bool count_boxes(counter c, ashi_tiling_bytes *out)
{
    const ashi_nest *const nest = c.nest;
    ashi_tiling_bytes sum = {0, 0};
    int64_t all = 0;
    for (int64_t rank = 0; rank < nest->ranks; rank++)
        all += boxes_of(&c, rank);
    count_some(&c, ashi_max(all, 1), &sum); /* one, to see how many runs a box has */
    const int64_t most = ashi_max(ashi_min(BOXES, RUNS / ashi_max(c.runs, 1)), FEWEST);
    sum = (ashi_tiling_bytes){0, 0};
    const int64_t counted = count_some(&c, ashi_ceil_div(ashi_max(all, 1), most), &sum);
    const double times = (double)all / (double)ashi_max(counted, 1);
    free(c.list);
    *out = c.failed ? *out : (ashi_tiling_bytes){sum.read * times, sum.written * times};
    return !c.failed;
}

bool ashi_view_pages(const ashi_tiling_request *q, const ashi_nest *nest, ashlar_operand x,
                     const ashi_plain_file *file, ashi_tiling_bytes *out)
{
    return count_boxes((counter){.q = q, .nest = nest, .x = x, .file = file}, out);
}

bool ashi_view_chunk_bytes(const ashi_tiling_request *q, const ashi_nest *nest, ashlar_operand x,
                           const ashi_store *store, bool turned, ashi_tiling_bytes *out)
{
    const ashi_plain_file how = {.turned = turned};
    counter c = {.q = q, .nest = nest, .x = x, .file = &how, .chunked = store};
    c.kept = ashi_store_chunks_kept(store) > 0 ? malloc(sizeof *c.kept) : NULL;
    const bool counted = c.kept && count_boxes(c, out);
    free(c.kept);
    return counted;
}
