/* The whole pages of a file that a tiling moves of a matrix which is seen in an array. */
#include "plan/view_pages.h"

#include "base/checked.h"
#include "engine/nest_items.h"
#include "model/rates.h"
#include "store/by_chunk.h"
#include "store/unfolding_runs.h"

#include <stdlib.h>

/* BOXES that are counted, or fewer if they have more than RUNS runs together, but FEWEST in any case. Of a matrix in
 * chunks all boxes are counted, or if they meet more than MEETINGS chunks boxes that follow one another in STRETCHES
 * places. */
enum { BOXES = 400, FEWEST = 8, RUNS = 1 << 21, MEETINGS = 1 << 20, STRETCHES = 8 };

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
    int64_t runs;        /* of all boxes so far, or chunks that they meet */
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
        const int64_t met = c->kept->met;
        c->failed = c->failed || !ashi_store_chunk_bytes(c->chunked, &own, c->kept, &chunks);
        c->runs += c->kept->met - met;
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

/* Which boxes are counted: the first `length` in every `of`. The `before` boxes before these are read too, so that it
 * is known what is kept of their chunks. */
typedef struct sample {
    int64_t of, length, before;
} sample;

/* Add what boxes of one rank move, of which the first is number `first` of all ranks' boxes. Returns how many are
 * counted. */
static int64_t count_rank(counter *c, const sample *s, int64_t rank, int64_t first, ashi_tiling_bytes *sum)
{
    const ashi_nest_place place = ashi_nest_place_of(c->nest, rank);
    const int64_t boxes = boxes_of(c, rank);
    const int64_t turn = c->x == c->nest->stays ? ashi_nest_turns_of(c->nest, rank).tile : 1;
    int64_t counted = 0, last = -2;
    for (int64_t i = 0; i < boxes && !c->failed; i++) {
        const int64_t at = (first + i) % s->of;
        if (at >= s->length && at < s->of - s->before) {
            i += s->of - s->before - at - 1; /* to the one before the next that is read */
            continue;
        }
        if (c->kept && last != i - 1)
            ashi_chunks_forget(c->kept, ashi_store_chunks_kept(c->chunked));
        last = i;
        const ashi_nest_item item = ashi_nest_item_of(c->nest, &place, i * turn);
        const ashi_tiling_bytes bytes = item.idle ? (ashi_tiling_bytes){0, 0} : of_item(c, &place, &item);
        if (at >= s->length)
            continue;
        sum->read += bytes.read;
        sum->written += bytes.written;
        counted++;
    }
    return counted;
}

static int64_t count_some(counter *c, const sample *s, ashi_tiling_bytes *sum)
{
    int64_t first = 0, counted = 0;
    for (int64_t rank = 0; rank < c->nest->ranks && !c->failed; rank++) {
        counted += count_rank(c, s, rank, first, sum);
        first += boxes_of(c, rank);
    }
    return counted;
}

/* The boxes to count if all have about so many runs, or meet so many chunks, as the first. */
static sample sample_of(const counter *c, int64_t all)
{
    const int64_t most = ashi_max((c->kept ? MEETINGS : RUNS) / ashi_max(c->runs, 1), FEWEST);
    if (!c->kept)
        return (sample){ashi_ceil_div(all, ashi_min(BOXES, most)), 1, 0};
    if (all <= most)
        return (sample){1, 1, 0};
    const int64_t length = ashi_max(most / (2 * STRETCHES), 1);
    return (sample){ashi_max(ashi_ceil_div(all, STRETCHES), 2 * length), length, length};
}

static bool count_boxes(counter c, ashi_tiling_bytes *out)
{
    const ashi_nest *const nest = c.nest;
    ashi_tiling_bytes sum = {0, 0};
    int64_t all = 0;
    for (int64_t rank = 0; rank < nest->ranks; rank++)
        all += boxes_of(&c, rank);
    all = ashi_max(all, 1);
    count_some(&c, &(sample){all, 1, 0}, &sum); /* one, to see how many runs a box has */
    const sample some = sample_of(&c, all);
    sum = (ashi_tiling_bytes){0, 0};
    const int64_t counted = count_some(&c, &some, &sum);
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
