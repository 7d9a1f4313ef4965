/* In which way a contraction is made on a device. */
#include "exec/onto_way.h"

#include "base/checked.h"
#include "base/error.h"
#include "base/type.h"
#include "kernel/contraction_groups.h"
#include "kernel/positions.h"

#include <inttypes.h>

enum { A, B, C };

/* ---- as matrices ---- */

static ashi_index only(const ashi_stride_group *g)
{
    return g->count > 0 ? g->index[0] : (ashi_index){1, {0}};
}

/* Whether the first side of a matrix is contiguous, or the second; false if neither is, or lines overlap. An index of
 * one value is contiguous. */
static bool find_minor(const ashi_stride_group *first, const ashi_stride_group *second, int matrix, bool *first_minor)
{
    const ashi_index x = only(first), y = only(second);
    *first_minor = first->count == 0 || (second->count > 0 && x.stride[matrix] == 1);
    const ashi_index *const minor = *first_minor ? &x : &y, *const major = *first_minor ? &y : &x;
    return (minor->extent == 1 || minor->stride[matrix] == 1) &&
           (major->extent == 1 || major->stride[matrix] >= minor->extent);
}

/* The product with C's rows contiguous, if its matrices lie as the BLAS takes them, and are conjugated where it can. */
static bool lies_as_matrices(ashi_onto_way *way, bool minor[3])
{
    ashi_contraction *const p = &way->product;
    ashi_group_join(&p->rows), ashi_group_join(&p->cols), ashi_group_join(&p->depth), ashi_group_join(&p->batch);
    if (p->rows.count > 1 || p->cols.count > 1 || p->depth.count > 1 || !find_minor(&p->rows, &p->cols, C, &minor[C]))
        return false;
    way->turned = !minor[C];
    if (way->turned)
        ashi_contraction_turn(p);
    if (!find_minor(&p->rows, &p->cols, C, &minor[C]) || !minor[C] ||
        !find_minor(&p->rows, &p->depth, A, &minor[A]) || !find_minor(&p->cols, &p->depth, B, &minor[B]))
        return false;
    const bool complex = ashi_type_of(p->type)->complex;
    return !complex || ((!p->conjugate_a || !minor[A]) && (!p->conjugate_b || minor[B]));
}

static ashlar_status by_matrices(const ashi_contraction *product, const ashi_device_terms *t, bool adds,
                                 ashi_onto_way *out, bool *able, ashlar_error *err)
{
    const int64_t batches = ashi_positions_of(&product->batch);
    ashi_onto_problem p = {.type = product->type, .adds = adds, .memory_words = t->memory_words, .rate = t->stated.in,
                           .out = t->stated.out, .flops = t->stated.flops, .delay = t->stated.delay};
    *out = (ashi_onto_way){.by_matrices = true, .product = *product};
    *able = lies_as_matrices(out, p.minor);
    if (!*able)
        return ASHLAR_OK;
    const ashi_contraction *const of = &out->product;
    p.size[0] = only(&of->rows).extent, p.size[1] = only(&of->cols).extent, p.size[2] = only(&of->depth).extent;
    const ashlar_status status = ashi_onto_choose(&p, &out->nest, err);
    const ashi_nest_figures f = ashi_nest_of_rank(&out->nest, 0);
    out->need = (ashi_device_need){.in = ashi_mul_most(f.a + f.b + f.c0 + f.back, batches),
                                   .out = ashi_mul_most(f.c, batches), .held = ashi_nest_memory(&out->nest),
                                   .calls = batches, .products = ashi_mul_most(f.products, batches)};
    if (status == ASHLAR_OK)
        out->need.seconds = (double)batches * ashi_onto_predict(&p, &out->nest, &t->rates);
    return status;
}

/* ---- box by box ---- */

static ashi_cut_terms cut_terms_of(const ashi_device_terms *t, bool adds)
{
    return (ashi_cut_terms){t->memory_words, t->rates, adds};
}

/* A permutation reads and writes the device's own memory, which is so much faster than copies from the host that only
 * its delay is counted. */
static ashlar_status find_need(const ashi_device_terms *t, bool adds, ashi_onto_way *out, ashlar_error *err)
{
    const ashi_contraction *const p = &out->cut.product;
    const ashi_cut_terms terms = cut_terms_of(t, adds);
    const ashi_cut_figures f = ashi_onto_cut_figures(&out->cut, adds);
    const int64_t per_value = ashi_mul_most(ashi_mul_most(ashi_positions_of(&p->rows), ashi_positions_of(&p->cols)),
                                            ashi_positions_of(&p->depth));
    out->need = (ashi_device_need){.in = f.in, .out = f.out, .held = f.held, .calls = f.calls,
                                   .products = ashi_mul_most(per_value, ashi_positions_of(&p->batch)),
                                   .seconds = ashi_onto_cut_seconds(&out->cut, &terms)};
    if (out->need.in == INT64_MAX || out->need.out == INT64_MAX || out->need.products == INT64_MAX)
        return ashi_fail(err, ASHLAR_ERR_OVERFLOW, "the words to be copied to the device do not fit in 64 bits");
    return ASHLAR_OK;
}

static ashlar_status by_boxes(const ashi_contraction *p, const ashi_device_terms *t, bool adds, ashi_onto_way *out,
                              bool *able, ashlar_error *err)
{
    int64_t least;
    *out = (ashi_onto_way){0};
    *able = ashi_onto_cut_make(p, t->memory_words, &out->cut, &least);
    if (!*able && least > 0)
        return ashi_fail(err, ASHLAR_ERR_LIMIT,
                         "device: %" PRId64 " words of device memory are too few: %" PRId64 " would do (a word is %zu "
                         "bytes)", t->memory_words, least, ashi_type_word(t->type));
    return *able ? find_need(t, adds, out, err) : ASHLAR_OK;
}

/* Whether the matrices of a value of the batch are whole in a box. */
static bool has_whole_values(const ashi_onto_cut *cut)
{
    return ashi_cut_boxes(cut, ASHI_CUT_ROWS) == 1 && ashi_cut_boxes(cut, ASHI_CUT_COLS) == 1 &&
           ashi_cut_boxes(cut, ASHI_CUT_DEPTH) == 1;
}

ashlar_status ashi_onto_way_choose(const ashi_contraction *product, const ashi_device_terms *terms, bool adds,
                                   ashi_onto_way *out, bool *able, ashlar_error *err)
{
    bool matrices = false;
    ashi_onto_way other;
    ashlar_status status = by_boxes(product, terms, adds, out, able, err);
    if (!*able && status == ASHLAR_OK)
        return status;
    const ashlar_status tried = by_matrices(product, terms, adds, &other, &matrices, NULL);
    const bool lies = tried == ASHLAR_OK && matrices;
    if (lies && (status != ASHLAR_OK || other.need.calls == 1 || !has_whole_values(&out->cut))) {
        *out = other;
        *able = true;
        return ASHLAR_OK;
    }
    if (status != ASHLAR_OK)
        return status;
    const ashi_cut_terms with = cut_terms_of(terms, adds);
    ashi_onto_cut_overlap(&out->cut, &with);
    return find_need(terms, adds, out, err);
}
