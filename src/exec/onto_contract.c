/* Contractions on a device. */
#include "exec/onto_contract.h"

#include "exec/onto_boxes.h"
#include "kernel/positions.h"

enum { A, B, C };

/* The only index of a side: a side without one has one position. */
static int64_t extent_of(const ashi_stride_group *side)
{
    return side->count > 0 ? side->index[0].extent : 1;
}

/* Strides along both sides of a matrix, of which that of a side of one position is any that BLAS takes. */
static void strides_of(const ashi_stride_group *first, const ashi_stride_group *second, bool first_minor, int matrix,
                       int64_t stride[2])
{
    const ashi_stride_group *const major = first_minor ? second : first, *const minor = first_minor ? first : second;
    stride[first_minor ? 0 : 1] = 1;
    stride[first_minor ? 1 : 0] = major->count > 0 ? major->index[0].stride[matrix] : extent_of(minor);
}

static ashlar_status by_matrices(ashi_onto *onto, const ashi_onto_way *way, const ashi_onto_arguments *with,
                                 ashlar_error *err)
{
    const ashi_contraction *const p = &way->product;
    const int64_t batches = ashi_positions_of(&p->batch), bytes = onto->word;
    const void *const given[2] = {way->turned ? with->b : with->a, way->turned ? with->a : with->b};
    int64_t stride[3][2];
    strides_of(&p->rows, &p->depth, way->nest.minor[A], A, stride[A]);
    strides_of(&p->cols, &p->depth, way->nest.minor[B], B, stride[B]);
    strides_of(&p->rows, &p->cols, true, C, stride[C]);
    ashlar_status status = ASHLAR_OK;
    for (int64_t z = 0; z < batches && status == ASHLAR_OK; z++) {
        int64_t at[3] = {0}, left = z;
        for (int i = 0; i < p->batch.count; i++) {
            for (int x = 0; x < 3; x++)
                at[x] += left % p->batch.index[i].extent * p->batch.index[i].stride[x] * bytes;
            left /= p->batch.index[i].extent;
        }
        const ashi_onto_product one = {
            .m = extent_of(&p->rows), .n = extent_of(&p->cols), .k = extent_of(&p->depth), .alpha = with->alpha,
            .beta = with->beta, .a = {(const char *)given[A] + at[A], stride[A][0], stride[A][1]},
            .b = {(const char *)given[B] + at[B], stride[B][0], stride[B][1]}, .conjugate_a = p->conjugate_a,
            .conjugate_b = p->conjugate_b, .c = (char *)with->c + at[C], .minor_stride = 1,
            .major_stride = stride[C][1], .trace = with->trace, .trace_step = with->trace_step};
        status = ashi_onto_multiply_as(onto, &one, &way->nest, err);
    }
    return status;
}

int64_t ashi_onto_contract_bytes(const ashi_onto *onto, const ashi_onto_way *way)
{
    return way->by_matrices ? 0 : ashi_boxes_host_bytes(&way->cut, onto->stage_words);
}

ashlar_status ashi_onto_contract(ashi_onto *onto, const ashi_onto_way *way, const ashi_onto_arguments *with,
                                 ashlar_error *err)
{
    return way->by_matrices ? by_matrices(onto, way, with, err) : ashi_boxes_contract(onto, way, with, err);
}
