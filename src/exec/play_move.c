/* Panels copied, added up and scaled in memory. */
#include "exec/place_of.h"

#include "base/checked.h"
#include "base/error.h"
#include "kernel/narrow.h"

#include <inttypes.h>
#include <string.h>

/* Words of one panel that are copied to another, or added to it. */
typedef struct moving {
    const ashi_play *play;
    const ashi_placed *to, *from;
    ashi_stripe stripe; /* of `to` */
    const void *beta;   /* what is in `to` is multiplied by it */
    int64_t copy;       /* which rank's contribution, if `from` has several */
} moving;

static void move_block(void *context, const ashi_block *b)
{
    const moving *m = context;
    const ashi_play *play = m->play;
    const ashi_kernels *k = play->kernels;
    const ashi_panel *from = &m->from->panel;
    const ashi_spot to = ashi_block_spot(play, m->to, b);
    ashi_spot at = ashi_block_spot(play, m->from, b);
    const bool conjugate = from->memory == ASHI_MEMORY_CALLER && play->program->view[from->operand].conjugate;
    at.data += (size_t)(m->copy * from->words) * play->element[from->operand];
    if (play->element[from->operand] != play->bytes) { /* A or B, which are copied only */
        const ashi_matrix x = {at.data, at.minor_stride, at.major_stride};
        ashi_narrow_copy(b->minor_count, b->major_count, &x, to.data, to.minor_stride, to.major_stride);
        return;
    }
    if (to.minor_stride == 1) {
        const ashi_matrix x = {at.data, at.minor_stride, at.major_stride};
        k->axpby(b->minor_count, b->major_count, k->one, &x, conjugate, m->beta, to.data, 1, to.major_stride);
    } else {
        const ashi_matrix x = {at.data, at.major_stride, at.minor_stride};
        k->axpby(b->major_count, b->minor_count, k->one, &x, conjugate, m->beta, to.data, to.major_stride,
                 to.minor_stride);
    }
}

/* Only panels of two indices have blocks. */
static ashlar_status check_indices(const ashi_placed *placed, ashlar_error *err)
{
    return !placed || placed->panel.indices == 2
               ? ASHLAR_OK
               : ashi_fail(err, ASHLAR_ERR_INTERNAL, "panel %" PRId64 " has %d indices, which are not moved in memory",
                           placed->panel.id, placed->panel.indices);
}

static ashlar_status check_panels(const ashi_play *play, const ashi_node *n, ashlar_error *err)
{
    ashlar_status status = check_indices(ashi_window_placed(&play->window, n->makes), err);
    for (int i = 0; i < ASHI_READS_MAX && status == ASHLAR_OK; i++)
        status = check_indices(ashi_window_placed(&play->window, n->read[i]), err);
    return status;
}

ashlar_status ashi_play_move(const ashi_play *play, const ashi_node *n, ashi_stripe stripe, ashlar_error *err)
{
    const ashlar_status status = check_panels(play, n, err);
    moving m = {.play = play, .to = ashi_window_placed(&play->window, n->makes), .stripe = stripe,
                .beta = play->kernels->zero};
    for (int i = 0; i < ASHI_READS_MAX && status == ASHLAR_OK; i++) {
        m.from = ashi_window_placed(&play->window, n->read[i]);
        if (m.from)
            ashi_visit_stripe(play, m.to, m.from, stripe, move_block, &m);
    }
    return status;
}

/* Part of the words of a contribution, as they lie, to the same words of the sum. */
static void add_run(const moving *m)
{
    const ashi_play *play = m->play;
    const int64_t all = m->from->panel.words, at = ashi_cut(all, m->stripe.parts, m->stripe.part);
    const int64_t words = ashi_cut_size(all, m->stripe.parts, m->stripe.part);
    const ashi_matrix x = {ashi_pool_address(play, m->from) + (size_t)(m->copy * all + at) * play->bytes, 1, words};
    play->kernels->axpby(words, 1, play->kernels->one, &x, false, m->beta,
                         ashi_pool_address(play, m->to) + (size_t)at * play->bytes, 1, words);
}

/* One contribution after the other: pieces that lie packed on both sides as one run of words. If the rank's own sums
 * were added too, parts are stripes as theirs are. */
static void add_panel(moving *m, bool own)
{
    const ashi_kernels *k = m->play->kernels;
    const ashi_placed *to = m->to, *from = m->from;
    const bool runs = to->packed && from->packed && to->panel.memory == ASHI_MEMORY_POOL &&
                      !(own && m->stripe.parts > 1);
    const void *beta = m->beta;
    for (m->copy = 0; m->copy < from->panel.copies; m->copy++, m->beta = k->one) {
        if (runs)
            add_run(m);
        else
            ashi_visit_stripe(m->play, to, from, m->stripe, move_block, m);
    }
    m->copy = 0;
    m->beta = from->panel.copies > 0 ? k->one : beta;
}

/* A rank's own sums come first, in as many panels as there are, then what others contributed. */
ashlar_status ashi_play_add(const ashi_play *play, const ashi_node *n, ashi_stripe stripe, ashlar_error *err)
{
    const ashlar_status status = check_panels(play, n, err);
    moving m = {.play = play, .to = ashi_window_placed(&play->window, n->makes), .stripe = stripe,
                .beta = play->kernels->one};
    bool own = false;
    if (status != ASHLAR_OK)
        return status;
    if (n->task.begins)
        m.beta = m.to->panel.memory == ASHI_MEMORY_CALLER ? play->work.beta : play->kernels->zero;
    const void *beta = m.beta;
    for (int i = 1; i < ASHI_READS_MAX; i++) {
        m.from = ashi_window_placed(&play->window, n->read[i]);
        m.beta = beta;
        own = own || m.from;
        if (m.from)
            ashi_visit_stripe(play, m.to, m.from, stripe, move_block, &m);
    }
    m.beta = n->read[1] >= 0 ? play->kernels->one : beta;
    m.from = ashi_window_placed(&play->window, n->read[0]);
    if (m.from)
        add_panel(&m, own);
    return ASHLAR_OK;
}

/* beta = 0 does not read what is there: zeros are made from one that is not the panel's. */
typedef struct scaling {
    const ashi_play *play;
    const ashi_placed *to;
    const void *beta;
} scaling;

static void scale_block(void *context, const ashi_block *b)
{
    const scaling *s = context;
    const ashi_kernels *k = s->play->kernels;
    const ashi_spot x = ashi_block_spot(s->play, s->to, b);
    const bool clear = k->is_zero(s->beta);
    const ashi_matrix zero = {k->zero, 0, 0}, own = {x.data, x.minor_stride, x.major_stride};
    k->axpby(b->minor_count, b->major_count, clear ? k->one : s->beta, clear ? &zero : &own, false, k->zero, x.data,
             x.minor_stride, x.major_stride);
}

/* A running sum is begun by the same routine that adds products to it, so that it has the same bits. */
static void begin_block(void *context, const ashi_block *b)
{
    const scaling *s = context;
    const ashi_spot x = ashi_block_spot(s->play, s->to, b);
    const ashi_matrix unread = {x.data, 1, 1};
    s->play->kernels->gemm(b->minor_count, b->major_count, 0, s->play->kernels->one, &unread, false, &unread, false,
                           s->beta, x.data, x.minor_stride, x.major_stride);
}

ashlar_status ashi_play_scale(const ashi_play *play, const ashi_node *n, ashi_stripe stripe, ashlar_error *err)
{
    const ashlar_status status = check_panels(play, n, err);
    scaling s = {.play = play, .to = ashi_window_placed(&play->window, n->makes), .beta = play->kernels->zero};
    if (status != ASHLAR_OK)
        return status;
    if (s.to->panel.memory == ASHI_MEMORY_CALLER || play->window.panel[n->makes].from_file)
        s.beta = play->work.beta;
    if (s.to->panel.part >= 0)
        ashi_visit_stripe(play, s.to, s.to, stripe, begin_block, &s);
    else if (memcmp(s.beta, play->kernels->one, play->bytes) != 0)
        ashi_visit_stripe(play, s.to, s.to, stripe, scale_block, &s);
    return ASHLAR_OK;
}
