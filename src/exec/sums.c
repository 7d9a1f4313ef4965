/* Where a rank sums up its parts of C. */
#include "base/error.h"
#include "exec/run.h"

#include <stdlib.h>

static void note_block(void *context, const ashi_block *block)
{
    *(ashi_block *)context = *block;
}

/* What of a part's box stays in the rank's own C: one block, if anything. */
static ashi_block own_c_of(const ashi_executor *x, const ashi_sums *sums)
{
    ashi_home_part pieces[3];
    ashi_block block = {0};
    const int count = ashi_home_parts(&sums->home, &sums->box, pieces);
    for (int i = 0; i < count; i++)
        if (pieces[i].own)
            ashi_view_blocks(&x->schedule->view[ASHLAR_C], x->rank, &pieces[i].box, ashi_whole, note_block, &block);
    return block;
}

ashlar_status ashi_run_place_sums(ashi_executor *x, ashlar_error *err)
{
    const ashi_schedule *s = x->schedule;
    const int64_t parts = s->parts(s, x->rank);
    int64_t at = 0;
    x->sums = calloc((size_t)parts, sizeof *x->sums);
    if (!x->sums)
        return ashi_fail_memory(err, "executor", parts * (int64_t)sizeof *x->sums);
    x->sums_count = parts;
    for (int64_t i = 0; i < parts; i++) {
        ashi_sums *sums = &x->sums[i];
        *sums = (ashi_sums){.box = s->domain(s, x->rank, i), .home = s->home(s, x->rank, i), .at = at};
        sums->own_c = own_c_of(x, sums);
        at += ashi_home_buffer_words(&sums->home, &sums->box);
    }
    return ASHLAR_OK;
}

char *ashi_run_sums(const ashi_executor *x, const ashi_sums *sums, int64_t minor, int64_t major)
{
    const int64_t at = sums->at + ashi_home_offset(&sums->home, &sums->box, minor, major);
    return x->workspace + (size_t)at * x->bytes;
}

char *ashi_run_packed_sums(const ashi_executor *x, const ashi_op *op)
{
    const ashi_sums *sums = &x->sums[op->part];
    int64_t offset = 0;
    ashi_home_is_packed(&sums->home, &x->schedule->view[ASHLAR_C], op->owner, &op->box, op->chunk, &offset);
    return x->workspace + (size_t)(sums->at + offset) * x->bytes;
}

typedef struct packing {
    const ashi_executor *x;
    const ashi_sums *sums; /* NULL where packed ones are added */
    char *packed;
    const void *beta;
} packing;

/* A block of the rank's own sums. */
static ashi_matrix sums_of(const packing *p, const ashi_block *b)
{
    return (ashi_matrix){ashi_run_sums(p->x, p->sums, b->minor_at, b->major_at), 1,
                         ashi_home_ld(&p->sums->home, &p->sums->box)};
}

static void pack_block(void *context, const ashi_block *b)
{
    const packing *p = context;
    const ashi_matrix from = sums_of(p, b);
    p->x->kernels->axpby(b->minor_count, b->major_count, p->x->kernels->one, &from, false, p->x->kernels->zero,
                         p->packed + (size_t)b->packed * p->x->bytes, 1, b->packed_ld);
}

void ashi_run_pack_sums(const ashi_executor *x, const ashi_op *op, char *to)
{
    packing p = {x, &x->sums[op->part], to, NULL};
    const double begin = ashi_trace_begin(x->trace);
    ashi_view_blocks(&x->schedule->view[ASHLAR_C], op->owner, &op->box, op->chunk, pack_block, &p);
    ashi_run_note(x, "pack", begin, op->words);
}

static void add_block(void *context, const ashi_block *b)
{
    const packing *p = context;
    const ashi_executor *x = p->x;
    ashi_matrix from = {p->packed, 1, b->packed_ld};
    if (p->sums)
        from = sums_of(p, b);
    else
        from.data = p->packed + (size_t)b->packed * x->bytes;
    x->kernels->axpby(b->minor_count, b->major_count, x->kernels->one, &from, false, p->beta,
                      ashi_run_address(x, ASHLAR_C, b), b->minor_stride, b->major_stride);
}

/* Add one contribution: the rank's own, or the packed one at `from` where `sums` is NULL. */
static void add(const ashi_executor *x, const ashi_op *op, const ashi_sums *sums, char *from, const void *beta)
{
    packing p = {x, sums, from, beta};
    const double begin = ashi_trace_begin(x->trace);
    ashi_view_blocks(&x->schedule->view[ASHLAR_C], x->rank, &op->box, op->chunk, add_block, &p);
    ashi_run_note(x, "add", begin, op->words);
}

void ashi_run_add(const ashi_executor *x, const ashi_op *op)
{
    const ashi_sums *own = op->part >= 0 ? &x->sums[op->part] : NULL;
    const void *beta = op->begins ? x->beta : x->kernels->one;
    if (own) {
        if (own->home.kind == ASHI_HOME_BUFFER)
            add(x, op, own, NULL, beta);
        beta = x->kernels->one;
    }
    const int64_t count = ashi_lower_contributions(x->schedule, x->rank, op);
    char *from = ashi_run_buffer(x, ASHLAR_C, op->slot) + (size_t)op->offset * x->bytes;
    for (int64_t i = 0; i < count; i++, from += (size_t)op->words * x->bytes) {
        add(x, op, NULL, from, beta);
        beta = x->kernels->one;
    }
}
