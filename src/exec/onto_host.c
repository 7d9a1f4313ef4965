/* The device has failed: the host multiplies what is missing in C. Every element of C is as it was before the item that
 * it is missing (frontier), so the items that are left are formed from there. */
#include "base/checked.h"
#include "engine/nest_items.h"
#include "exec/onto_run.h"
#include "kernel/narrow.h"

static const char *at(const ashi_matrix *x, int64_t minor, int64_t major, int64_t bytes)
{
    return (const char *)x->data + (minor * x->minor_stride + major * x->major_stride) * bytes;
}

/* The product of an item, for a box of C. */
static void multiply_item(const ashi_onto_run *run, const ashi_nest_item *item, const ashi_box *c)
{
    const ashi_onto_product *p = run->product;
    const ashi_onto *onto = run->onto;
    const int64_t *bytes = onto->bytes, k = item->hi[2] - item->lo[2];
    const int64_t m = c->minor_hi - c->minor_lo, n = c->major_hi - c->major_lo;
    ashi_matrix a = p->a, b = p->b;
    a.data = at(&p->a, c->minor_lo, item->lo[2], bytes[ASHLAR_A]);
    b.data = at(&p->b, c->major_lo, item->lo[2], bytes[ASHLAR_B]);
    char *to = (char *)p->c + (c->minor_lo * p->minor_stride + c->major_lo * p->major_stride) * bytes[ASHLAR_C];
    const void *beta = item->block[2] == 0 ? p->beta : onto->kernels->one;
    if (onto->floats)
        ashi_narrow_gemm(onto->request.type, m, n, k, p->alpha, &a, &b, beta, to, p->minor_stride, p->major_stride,
                         onto->floats);
    else
        onto->kernels->gemm(m, n, k, p->alpha, &a, p->conjugate_a, &b, p->conjugate_b, beta, to, p->minor_stride,
                            p->major_stride);
    run->onto->tally.on_host += m * n * k;
}

/* Of the product of an item what is missing in a box of C: the rest of a line, and the lines behind it. */
static void multiply_missing(const ashi_onto_run *run, const ashi_nest_item *item, ashi_box c)
{
    const ashi_onto_frontier *f = &run->frontier;
    const bool minor = run->nest.minor[ASHLAR_C];
    int64_t *line = minor ? &c.major_lo : &c.minor_lo;
    const int64_t begin = minor ? c.minor_lo : c.major_lo, end = minor ? c.major_hi : c.minor_hi;
    *line = ashi_max(*line, f->line);
    if (*line == f->line && *line < end && f->at > begin) {
        const ashi_box rest = minor ? (ashi_box){f->at, c.minor_hi, f->line, f->line + 1}
                                    : (ashi_box){f->line, f->line + 1, f->at, c.major_hi};
        multiply_item(run, item, &rest);
        (*line)++;
    }
    if (*line < end)
        multiply_item(run, item, &c);
}

/* Staggered strips come back along the rows of tiles, a row after the other: of the row that had come last the lines
 * beyond are missing, and all of the rows beyond. */
static void finish_staggered(const ashi_onto_run *run)
{
    const ashi_onto_product *p = run->product;
    const ashi_nest_item all = {.hi = {p->m, p->n, p->k}};
    const bool minor = run->nest.minor[ASHLAR_C];
    ashi_box rest = run->frontier.last, beyond = {0, p->m, 0, p->n};
    *(minor ? &rest.major_hi : &rest.minor_hi) = minor ? p->n : p->m;
    *(minor ? &beyond.minor_lo : &beyond.major_lo) = minor ? rest.minor_hi : rest.major_hi;
    multiply_missing(run, &all, rest);
    if (ashi_box_words(&beyond) > 0)
        multiply_item(run, &all, &beyond);
}

void ashi_onto_finish_on_host(ashi_onto_run *run)
{
    const ashi_nest_place place = ashi_nest_place_of(&run->nest, 0);
    const ashi_onto_frontier f = run->frontier;
    const bool stays = run->nest.stays == ASHLAR_C;
    if (f.item < 0) {
        const ashi_nest_item all = {.hi = {run->product->m, run->product->n, run->product->k}};
        const ashi_box c = ashi_nest_box(&all, ASHLAR_C);
        multiply_item(run, &all, &c);
        return;
    }
    if (run->nest.stagger > 0) {
        finish_staggered(run);
        return;
    }
    /* If C stays, all items of a tile are formed again for the lines that are missing. */
    const int64_t first = stays ? f.item - place.count[2] + 1 : f.item;
    for (int64_t i = first; i < place.items; i++) {
        const ashi_nest_item item = ashi_nest_item_of(&run->nest, &place, i);
        const ashi_box c = ashi_nest_box(&item, ASHLAR_C);
        if (i <= f.item)
            multiply_missing(run, &item, c);
        else
            multiply_item(run, &item, &c);
        if (run->product->listen)
            run->product->listen(run->product->context);
    }
}
