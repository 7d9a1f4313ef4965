/* The program of a staggered nest: step s reads the slabs of item s, multiplies those of item s - 1 and writes the
 * strips that item s - 2 completed. */
#include "base/checked.h"
#include "base/error.h"
#include "engine/nest_stagger.h"
#include "engine/nest_tell.h"

#include <stdlib.h>

enum { LAG = 2 };

typedef struct stream {
    ashi_nest nest;
    ashi_stagger all;
    int64_t shape[3];
    int64_t slab[2][2];         /* by the parity of the item's number: of A and B */
    int64_t strip[ASHI_NEST_STRIPS]; /* by the strip's place: the panel of its sums */
    ashi_nest_tale tale;
} stream;

static ashi_box box_of(ashlar_operand x, const int64_t lo[3], const int64_t hi[3])
{
    const int minor = x == ASHLAR_B ? 1 : 0, major = x == ASHLAR_C ? 1 : 2;
    return (ashi_box){lo[minor], hi[minor], lo[major], hi[major]};
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
        const int64_t id = ashi_nest_tell_panel(&s->tale, ashi_nest_in_pool(&s->nest, (ashlar_operand)x, &box, at));
        ashi_nest_tell_move(&s->tale, ashi_nest_tell_file(&s->tale, (ashlar_operand)x, &box, true), id);
        s->slab[number % 2][x] = id;
        at += n[x] * n[2];
    }
}

static void open_strip(stream *s, const ashi_box *box, int64_t strip)
{
    ashi_panel p = ashi_nest_in_pool(&s->nest, ASHLAR_C, box, place_of(s, strip));
    p.part = 0;
    const int64_t id = ashi_nest_tell_panel(&s->tale, p);
    s->strip[strip % s->all.strips] = id;
    if (s->nest.adds)
        ashi_nest_tell_move(&s->tale, ashi_nest_tell_file(&s->tale, ASHLAR_C, box, true), id);
}

/* Strips that begin come last: their places may still be on their way out. */
static void multiply_item(stream *s, int64_t number)
{
    const ashi_stagger_item item = ashi_stagger_item_of(&s->all, number);
    for (int64_t strip = item.strip_lo; strip < item.strip_hi; strip++) {
        const ashi_box c = strip_box(s, &item, strip);
        ashi_operation o = ashi_operation_blank(ASHI_DO_MULTIPLY);
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
            ashi_operation_reads(&o, 2 * x, s->slab[number % 2][x], strip == item.strip_hi - 1);
        }
        ashi_nest_tell(&s->tale, o);
    }
}

static void write_item(stream *s, int64_t number)
{
    const ashi_stagger_item item = ashi_stagger_item_of(&s->all, number);
    for (int64_t strip = item.strip_lo; strip < item.complete; strip++) {
        const ashi_box c = strip_box(s, &item, strip);
        const int64_t written = ashi_nest_tell_file(&s->tale, ASHLAR_C, &c, false);
        ashi_nest_tell_move(&s->tale, s->strip[strip % s->all.strips], written);
    }
}

/* What is written goes first, so that its memory serves again. */
static void emit_step(stream *s)
{
    const int64_t step = s->tale.step, items = s->all.items;
    if (step >= LAG)
        write_item(s, step - LAG);
    if (step < items)
        fetch_item(s, step);
    if (step >= 1 && step <= items)
        multiply_item(s, step - 1);
    s->tale.step++;
}

static ashlar_status emit(ashi_program *program, int64_t rank, int64_t step, const ashi_program_visitor *visitor,
                          ashlar_error *err)
{
    stream *s = program->own;
    (void)rank;
    if (step < s->tale.step)
        s->tale.step = s->tale.panels = 0;
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
        nest->strips > ASHI_NEST_STRIPS)
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
