/* The nest engine's programs: slabs are read, handed round, multiplied, and tiles written, one item a step. */
#include "base/checked.h"
#include "base/error.h"
#include "engine/nest_items.h"
#include "engine/nest_stagger.h"
#include "engine/nest_tell.h"

#include <stdlib.h>

/* The emission of one rank's program. Without a visitor panels are only numbered. */
typedef struct stream {
    ashi_nest nest;
    int64_t rank;
    ashi_nest_place place;
    int64_t shape[3];            /* of the largest box: what it takes is the same for all items */
    int64_t moving[2][3];        /* by the parity of the item's number: the panels of its slabs */
    int64_t staying;             /* the panel of A or B that stays, */
    int64_t strip[ASHI_NEST_STRIPS]; /* or those of C */
    int64_t *written;            /* by the innermost loop's block: the sums of it that were written last */
    ashi_nest_tale tale;
} stream;

/* ---- panels ---- */

/* Where in the pool an operand's panels begin: what stays, then a buffer for odd and one for even items, each for what
 * is read past it. Item 0 has the largest panels, so the buffer of even items ends exactly where ashi_nest_memory
 * says. A rank that has one item has one buffer. */
static int64_t begin_of(const stream *s, ashlar_operand x, int64_t item)
{
    const int64_t *n = s->shape, words[3] = {n[0] * n[2], n[1] * n[2], n[0] * n[1]};
    const int stays = (int)s->nest.stays;
    int64_t slabs = 0, before = 0;
    for (int y = 0; y < 3; y++) {
        before += y != stays && y < (int)x ? words[y] : 0;
        slabs += y != stays ? words[y] : 0;
    }
    const bool second = s->nest.ahead && s->place.items > 1 && item % 2 == 0;
    return (int)x == stays ? 0 : words[stays] + (second ? slabs : 0) + before;
}

static void read_from_file(stream *s, ashlar_operand x, const ashi_box *box, int64_t to)
{
    ashi_nest_tell_move(&s->tale, ashi_nest_tell_file(&s->tale, x, box, true), to);
}

/* ---- slabs of A and B ---- */

/* The panel of a piece, which is the slab itself if that has no other pieces. */
static int64_t tell_piece(stream *s, ashlar_operand x, const ashi_box *piece, const ashi_box *box, int64_t slab)
{
    if (ashi_box_words(piece) == ashi_box_words(box))
        return slab;
    ashi_panel p = ashi_nest_in_pool(&s->nest, x, piece, -1);
    p.within = slab;
    return ashi_nest_tell_panel(&s->tale, p);
}

static ashi_operation message(ashi_operation_kind kind, ashlar_operand x, const ashi_box *piece, int64_t peer)
{
    ashi_operation o = ashi_operation_blank(kind);
    o.peer = peer;
    o.operand = x;
    o.box = *piece;
    o.words = ashi_box_words(piece);
    return o;
}

/* The rank of sharer q. */
static int64_t rank_of(const stream *s, ashlar_operand x, int64_t q)
{
    const int64_t *at = s->place.at, down = s->nest.team[0];
    return s->place.first + (x == ASHLAR_A ? at[0] + q * down : q + at[1] * down);
}

/* Read the own piece of a slab and send it to the other ranks that need the slab, the next one first. */
static void read_piece(stream *s, ashlar_operand x, const ashi_box *box, int64_t sharers, int64_t slab)
{
    const int64_t own = ashi_nest_sharer(&s->place, x);
    const ashi_box piece = ashi_nest_piece(&s->nest, x, box, sharers, own);
    if (ashi_box_words(&piece) == 0)
        return;
    const int64_t id = tell_piece(s, x, &piece, box, slab);
    read_from_file(s, x, &piece, id);
    for (int64_t i = 1; i < sharers; i++) {
        ashi_operation o = message(ASHI_DO_SEND, x, &piece, rank_of(s, x, (own + i) % sharers));
        o.read[0] = id;
        o.last[0] = i == sharers - 1 && id != slab;
        ashi_nest_tell(&s->tale, o);
    }
}

static int64_t fetch_slab(stream *s, const ashi_nest_item *item, ashlar_operand x, int64_t at)
{
    const ashi_box box = ashi_nest_box(item, x);
    const int64_t sharers = ashi_nest_sharers(item, x), own = ashi_nest_sharer(&s->place, x);
    const int64_t slab = ashi_nest_tell_panel(&s->tale, ashi_nest_in_pool(&s->nest, x, &box, at));
    if (sharers == 1) {
        read_from_file(s, x, &box, slab);
        return slab;
    }
    read_piece(s, x, &box, sharers, slab);
    for (int64_t i = 1; i < sharers; i++) {
        const int64_t q = (own + sharers - i) % sharers;
        const ashi_box other = ashi_nest_piece(&s->nest, x, &box, sharers, q);
        if (ashi_box_words(&other) == 0)
            continue;
        ashi_operation o = message(ASHI_DO_RECEIVE, x, &other, rank_of(s, x, q));
        o.makes = tell_piece(s, x, &other, &box, slab);
        ashi_nest_tell(&s->tale, o);
    }
    return slab;
}

/* ---- sums ---- */

/* A running sum: with what is in its file already, or to be begun. `given`: the file has what it begins with. */
static int64_t open_sum(stream *s, const ashi_box *box, int64_t at, bool given, int64_t back)
{
    ashi_panel p = ashi_nest_in_pool(&s->nest, ASHLAR_C, box, at);
    p.part = 0;
    const int64_t id = ashi_nest_tell_panel(&s->tale, p);
    if (back >= 0)
        ashi_nest_tell_move(&s->tale, back, id);
    else if (given)
        read_from_file(s, ASHLAR_C, box, id);
    return id;
}

/* Strip i of the rank's box of C: cut along the side that is not contiguous. */
static int64_t strips_of(const stream *s, const ashi_box *box)
{
    const int64_t slow = s->nest.minor[ASHLAR_C] ? box->major_hi - box->major_lo : box->minor_hi - box->minor_lo;
    return ashi_min(s->nest.strips, ashi_ceil_div(slow, ashi_nest_piece_unit(&s->nest, ASHLAR_C)));
}

static ashi_box strip_of(const stream *s, const ashi_box *box, int64_t strips, int64_t i)
{
    return ashi_nest_piece(&s->nest, ASHLAR_C, box, strips, i);
}

/* ---- the three things that a step does ---- */

static void fetch_item(stream *s, int64_t number)
{
    const ashi_nest_item item = ashi_nest_item_of(&s->nest, &s->place, number);
    const ashlar_operand stays = s->nest.stays;
    int64_t *slab = s->moving[number % 2];
    if (item.idle)
        return;
    for (int x = 0; x < 2 && s->nest.size[2] > 0; x++)
        if (x != (int)stays)
            slab[x] = fetch_slab(s, &item, (ashlar_operand)x, begin_of(s, (ashlar_operand)x, number));
    if (stays == ASHLAR_C)
        return;
    const ashi_box box = ashi_nest_box(&item, ASHLAR_C);
    const int inner = ashi_nest_loops(&s->nest)[2];
    const bool again = item.block[2] > 0, here = again && number - s->place.count[inner] >= s->nest.from;
    const int64_t back = here ? s->written[item.block[inner]] : -1;
    slab[ASHLAR_C] = open_sum(s, &box, begin_of(s, ASHLAR_C, number), again || s->nest.adds, back);
}

/* Add a product to one panel of sums. */
static void multiply(stream *s, const ashi_nest_item *item, const int64_t read[2], const bool last[2],
                     const ashi_box *c, int64_t sum)
{
    ashi_operation o = ashi_operation_blank(s->nest.size[2] > 0 ? ASHI_DO_MULTIPLY : ASHI_DO_SCALE);
    o.makes = sum;
    o.begins = item->block[2] == 0;
    if (o.kind == ASHI_DO_MULTIPLY) {
        const int64_t lo[] = {c->minor_lo, c->major_lo, item->lo[2], 0};
        const int64_t hi[] = {c->minor_hi, c->major_hi, item->hi[2], 1};
        for (int d = 0; d < ASHI_PRODUCT_INDICES; d++) {
            o.lo[d] = lo[d];
            o.hi[d] = hi[d];
        }
        for (int x = 0; x < 2; x++) {
            ashi_operation_reads(&o, 2 * x, read[x], last[x]);
        }
    }
    ashi_nest_tell(&s->tale, o);
}

/* C stays: each strip in turn. */
static void multiply_strips(stream *s, const ashi_nest_item *item, const int64_t slab[2])
{
    const ashi_box box = ashi_nest_box(item, ASHLAR_C);
    const int64_t strips = strips_of(s, &box);
    int64_t at = begin_of(s, ASHLAR_C, 0);
    for (int64_t i = 0; i < strips; i++) {
        const ashi_box strip = strip_of(s, &box, strips, i);
        const bool end = i == strips - 1, last[2] = {end, end};
        if (item->first)
            s->strip[i] = open_sum(s, &strip, at, s->nest.adds, -1);
        at += ashi_box_words(&strip);
        multiply(s, item, slab, last, &strip, s->strip[i]);
    }
}

static void multiply_item(stream *s, int64_t number)
{
    const ashi_nest_item item = ashi_nest_item_of(&s->nest, &s->place, number);
    const ashlar_operand stays = s->nest.stays;
    const int64_t *slab = s->moving[number % 2];
    if (item.idle)
        return;
    if (stays == ASHLAR_C) {
        multiply_strips(s, &item, slab);
        return;
    }
    const ashi_box tile = ashi_nest_box(&item, stays), c = ashi_nest_box(&item, ASHLAR_C);
    if (item.first) {
        s->staying = ashi_nest_tell_panel(&s->tale, ashi_nest_in_pool(&s->nest, stays, &tile, begin_of(s, stays, 0)));
        read_from_file(s, stays, &tile, s->staying);
    }
    const int64_t read[2] = {stays == ASHLAR_A ? s->staying : slab[0], stays == ASHLAR_B ? s->staying : slab[1]};
    const bool last[2] = {stays != ASHLAR_A || item.last, stays != ASHLAR_B || item.last};
    multiply(s, &item, read, last, &c, slab[ASHLAR_C]);
}

/* Returns the panel in the file. */
static int64_t write_sum(stream *s, const ashi_box *box, int64_t sum)
{
    const int64_t to = ashi_nest_tell_file(&s->tale, ASHLAR_C, box, false);
    ashi_nest_tell_move(&s->tale, sum, to);
    return to;
}

/* What an item completed. */
static void write_item(stream *s, int64_t number)
{
    const ashi_nest_item item = ashi_nest_item_of(&s->nest, &s->place, number);
    const ashi_box box = ashi_nest_box(&item, ASHLAR_C);
    if (item.idle)
        return;
    if (s->nest.stays != ASHLAR_C) {
        const int64_t to = write_sum(s, &box, s->moving[number % 2][ASHLAR_C]);
        if (s->written)
            s->written[item.block[ashi_nest_loops(&s->nest)[2]]] = to;
        return;
    }
    const int64_t strips = item.last ? strips_of(s, &box) : 0;
    for (int64_t i = 0; i < strips; i++) {
        const ashi_box strip = strip_of(s, &box, strips, i);
        write_sum(s, &strip, s->strip[i]);
    }
}

/* What is written goes first, so that its memory serves again. Without reading ahead the order is that of one item. */
static void emit_step(stream *s)
{
    void (*const todo[3])(stream *, int64_t) = {write_item, fetch_item, multiply_item};
    const int ahead = s->nest.ahead;
    const int64_t from = s->nest.from, to = s->nest.to > 0 ? ashi_min(s->nest.to, s->place.items) : s->place.items;
    const int64_t first = from + s->tale.step, number[3] = {first - 2 * ahead, first, first - ahead};
    for (int i = 0; i < 3; i++) {
        const int which = ahead ? i : (i + 1) % 3;
        if (number[which] >= from && number[which] < to)
            todo[which](s, number[which]);
    }
    s->tale.step++;
}

static ashlar_status emit(ashi_program *program, int64_t rank, int64_t step, const ashi_program_visitor *visitor,
                          ashlar_error *err)
{
    stream *s = program->own;
    if (rank != s->rank || step < s->tale.step) {
        s->rank = rank;
        s->tale.step = s->tale.panels = 0;
        s->place = ashi_nest_place_of(&s->nest, rank);
    }
    s->tale.status = ASHLAR_OK;
    s->tale.visitor = NULL;
    while (s->tale.step < step)
        emit_step(s);
    s->tale.visitor = visitor;
    s->tale.err = err;
    emit_step(s);
    return s->tale.status;
}

static void free_own(ashi_program *program)
{
    stream *s = program->own;
    free(s->written);
    free(s);
}

ashlar_status ashi_nest_program(const ashi_nest *nest, ashi_program *out, ashlar_error *err)
{
    if (nest->stagger > 0)
        return ashi_stagger_program(nest, out, err);
    const ashi_nest_place largest = ashi_nest_place_of(nest, 0);
    const int inner = ashi_nest_loops(nest)[2];
    const bool comes_back = nest->stays != ASHLAR_C && largest.count[2] > 1;
    const int64_t slabs = comes_back ? largest.count[inner] : 0;
    int64_t steps = 0;
    *out = (ashi_program){0};
    const ashlar_status status = ashi_nest_steps(nest, &steps, err);
    if (status != ASHLAR_OK)
        return status;
    if (nest->strips < 1 || nest->strips > ASHI_NEST_STRIPS)
        return ashi_fail(err, ASHLAR_ERR_INTERNAL, "nest: a tile cannot be cut into that many strips");
    const int64_t units = ashi_nest_units(nest, inner, nest->size[inner]);
    if (comes_back && nest->ahead > 0 && ashi_min(nest->cut[inner], units / nest->parts[inner]) < 2)
        return ashi_fail(err, ASHLAR_ERR_INTERNAL, "nest: sums would come back before they are written");
    stream *s = calloc(1, sizeof *s);
    if (!s)
        return ashi_fail_memory(err, "plan", (int64_t)sizeof *s);
    s->nest = *nest;
    ashi_nest_shape(nest, s->shape);
    s->rank = -1;
    s->written = slabs > 0 ? malloc((size_t)slabs * sizeof *s->written) : NULL;
    if (slabs > 0 && !s->written) {
        free(s);
        return ashi_fail_memory(err, "plan", slabs * (int64_t)sizeof *s->written);
    }
    *out = (ashi_program){.m = nest->size[0], .n = nest->size[1], .k = nest->size[2], .ranks = nest->ranks,
                          .steps = steps, .source = {ASHI_MEMORY_FILE, ASHI_MEMORY_FILE, ASHI_MEMORY_FILE},
                          .adds = nest->adds, .own = s, .emit = emit, .free_own = free_own};
    return ASHLAR_OK;
}
