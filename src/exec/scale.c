/* A rank's part of a matrix times a number. */
#include "exec/scale.h"

#include <string.h>

typedef struct scaling {
    const ashi_kernels *kernels;
    size_t bytes;
    const void *beta;
    const ashi_part *part;
} scaling;

static void scale_block(void *context, const ashi_block *b)
{
    const scaling *s = context;
    const ashi_kernels *k = s->kernels;
    char *x = ashi_part_address(s->part, b, s->bytes);
    const bool clear = k->is_zero(s->beta); /* 0 * NaN is NaN: zeros are made from one that is not X's */
    const ashi_matrix zero = {k->zero, 0, 0}, own = {x, b->minor_stride, b->major_stride};
    k->axpby(b->minor_count, b->major_count, clear ? k->one : s->beta, clear ? &zero : &own, false, k->zero, x,
             b->minor_stride, b->major_stride);
}

void ashi_scale_view(const ashi_view *view, int rank, const ashi_kernels *kernels, size_t bytes, const void *beta,
                     const ashi_part *part)
{
    const ashi_box all = {0, view->minor.size, 0, view->major.size};
    scaling s = {kernels, bytes, beta, part};
    if (memcmp(beta, kernels->one, bytes) != 0)
        ashi_view_blocks(view, rank, &all, ashi_whole, scale_block, &s);
}
