/* The program of a staggered nest: step s reads the slabs of item s, multiplies those of item s - 1 and writes the
 * strips that item s - 2 completed. */
#include "base/checked.h"
#include "base/error.h"
#include "engine/nest_stagger.h"

#include <stdlib.h>

enum { STRIPS_MOST = 64, LAG = 2 };

typedef struct stream {
    ashi_nest nest;
    ashi_stagger all;
    int64_t shape[3], step, panels;
    int64_t slab[2][2];         /* by the parity of the item's number: of A and B */
    int64_t strip[STRIPS_MOST]; /* by the strip's place: the panel of its sums */
    const ashi_program_visitor *visitor;
    ashlar_error *err;
    ashlar_status status;
} stream;

static int64_t tell_panel(stream *s, ashi_panel p)
{
    p.id = s->panels++;
    if (s->visitor && s->status == ASHLAR_OK)
        s->status = s->visitor->panel(s->visitor->context, &p, s->err);
    return p.id;
}

static void tell(stream *s, ashi_operation o)
{
    o.step = s->step;
    if (s->visitor && s->status == ASHLAR_OK)
        s->status = s->visitor->operation(s->visitor->context, &o, s->err);
}

static ashi_operation blank(ashi_operation_kind kind)
{
    return (ashi_operation){.kind = kind, .read = {-1, -1, -1, -1}, .makes = -1, .peer = -1, .chunk = ashi_whole,
                            .owner = -1, .owner_at = -1, .rank_at = -1};
}

static void move(stream *s, int64_t from, int64_t to)
{
    ashi_operation o = blank(ASHI_DO_MOVE);
    o.read[0] = from;
    o.last[0] = true;
    o.makes = to;
    tell(s, o);
}

static ashi_box box_of(ashlar_operand x, const int64_t lo[3], const int64_t hi[3])
{
    const int minor = x == ASHLAR_B ? 1 : 0, major = x == ASHLAR_C ? 1 : 2;
    return (ashi_box){lo[minor], hi[minor], lo[major], hi[major]};
}

static ashi_panel in_pool(const stream *s, ashlar_operand x, const ashi_box *box, int64_t at)
{
    ashi_panel p = ashi_panel_of(x, box);
    p.order[0] = s->nest.minor[x] ? 0 : 1;
    p.order[1] = (signed char)(1 - p.order[0]);
    p.fixed = true;
    p.at = at;
    return p;
}

static int64_t tell_in_file(stream *s, ashlar_operand x, const ashi_box *box, bool given)
{
    ashi_panel p = ashi_panel_of(x, box);
    p.memory = ASHI_MEMORY_FILE;
    p.given = given;
    return tell_panel(s, p);
}

/* The box of C of a strip. */
static ashi_box strip_box(const stream *s, const ashi_stagger_item *item, int64_t strip)
{
    int64_t lo[3] = {item->lo[0], item->lo[1], 0}, hi[3] = {item->hi[0], item->hi[1], 0};
    lo[s->all.along] = ashi_stagger_edge(&s->all, strip);
    hi[s->all.along] = ashi_stagger_edge(&s->all, strip + 1);
    return box_of(ASHLAR_C, lo, hi);
}

/* The pool has the strips' places, each as wide as the first tile's strip, and after these two buffers of slabs. */
static int64_t place_of(const stream *s, int64_t strip)
{
    return s->shape[s->all.across] * ashi_stagger_edge(&s->all, strip % s->all.strips);
}

static void fetch_item(stream *s, int64_t number)
{
    const ashi_stagger_item item = ashi_stagger_item_of(&s->all, number);
    const int64_t *n = s->shape, words = (n[0] + n[1]) * n[2];
    int64_t at = n[0] * n[1] + number % 2 * words;
    for (int x = 0; x < 2; x++) {
        const ashi_box box = box_of((ashlar_operand)x, item.lo, item.hi);
        const int64_t id = tell_panel(s, in_pool(s, (ashlar_operand)x, &box, at));
        move(s, tell_in_file(s, (ashlar_operand)x, &box, true), id);
        s->slab[number % 2][x] = id;
        at += n[x] * n[2];
    }
}

static void open_strip(stream *s, const ashi_box *box, int64_t strip)
{
    ashi_panel p = in_pool(s, ASHLAR_C, box, place_of(s, strip));
    p.part = 0;
    const int64_t id = tell_panel(s, p);
    s->strip[strip % s->all.strips] = id;
    if (s->nest.adds)
        move(s, tell_in_file(s, ASHLAR_C, box, true), id);
}

/* Strips that begin come last: their places may still be on their way out. */
static void multiply_item(stream *s, int64_t number)
{
    const ashi_stagger_item item = ashi_stagger_item_of(&s->all, number);
    for (int64_t strip = item.strip_lo; strip < item.strip_hi; strip++) {
        const ashi_box c = strip_box(s, &item, strip);
        ashi_operation o = blank(ASHI_DO_MULTIPLY);
        const int64_t lo[] = {c.minor_lo, c.major_lo, item.lo[2], 0}, hi[] = {c.minor_hi, c.major_hi, item.hi[2], 1};
        o.begins = strip >= item.begun;
        if (o.begins)
            open_strip(s, &c, strip);
        o.makes = s->strip[strip % s->all.strips];
        for (int d = 0; d < ASHI_PRODUCT_INDICES; d++) {
            o.lo[d] = lo[d];
            o.hi[d] = hi[d];
        }
        for (int x = 0; x < 2; x++) {
            o.read[2 * x] = s->slab[number % 2][x];
            o.last[2 * x] = strip == item.strip_hi - 1;
        }
        tell(s, o);
    }
}

static void write_item(stream *s, int64_t number)
{
    const ashi_stagger_item item = ashi_stagger_item_of(&s->all, number);
    for (int64_t strip = item.strip_lo; strip < item.complete; strip++) {
        const ashi_box c = strip_box(s, &item, strip);
        move(s, s->strip[strip % s->all.strips], tell_in_file(s, ASHLAR_C, &c, false));
    }
}

/* What is written goes first, so that its memory serves again. */
static void emit_step(stream *s)
{
    const int64_t step = s->step, items = s->all.items;
    if (step >= LAG)
        write_item(s, step - LAG);
    if (step < items)
        fetch_item(s, step);
    if (step >= 1 && step <= items)
        multiply_item(s, step - 1);
    s->step++;
}

static ashlar_status emit(ashi_program *program, int64_t rank, int64_t step, const ashi_program_visitor *visitor,
                          ashlar_error *err)
{
    stream *s = program->own;
    (void)rank;
    if (step < s->step)
        s->step = s->panels = 0;
    s->status = ASHLAR_OK;
    s->visitor = NULL;
    while (s->step < step)
        emit_step(s);
    s->visitor = visitor;
    s->err = err;
    emit_step(s);
    return s->status;
}

static void free_own(ashi_program *program)
{
    free(program->own);
}

ashlar_status ashi_stagger_program(const ashi_nest *nest, ashi_program *out, ashlar_error *err)
{
    const bool alone = nest->ranks == 1 && nest->parts[0] * nest->parts[1] * nest->team[0] * nest->team[1] == 1;
    const bool whole = nest->from == 0 && nest->to == 0 && ashi_nest_unit(nest, 0) == 1 &&
                       ashi_nest_unit(nest, 1) == 1 && ashi_nest_unit(nest, 2) == 1;
    int64_t steps = 0;
    *out = (ashi_program){0};
    if (!alone || !whole || nest->stays != ASHLAR_C || nest->ahead != 1 || nest->size[2] < 1 || nest->strips < 1 ||
        nest->strips > STRIPS_MOST)
        return ashi_fail(err, ASHLAR_ERR_INTERNAL, "nest: the strips of such a choice cannot be staggered");
    const ashlar_status status = ashi_nest_steps(nest, &steps, err);
    if (status != ASHLAR_OK)
        return status;
    stream *s = calloc(1, sizeof *s);
    if (!s)
        return ashi_fail_memory(err, "plan", (int64_t)sizeof *s);
    s->nest = *nest;
    s->all = ashi_stagger_of(nest);
    ashi_stagger_shape(nest, s->shape);
    *out = (ashi_program){.m = nest->size[0], .n = nest->size[1], .k = nest->size[2], .ranks = 1, .steps = steps,
                          .source = {ASHI_MEMORY_FILE, ASHI_MEMORY_FILE, ASHI_MEMORY_FILE}, .adds = nest->adds,
                          .own = s, .emit = emit, .free_own = free_own};
    return ASHLAR_OK;
}
