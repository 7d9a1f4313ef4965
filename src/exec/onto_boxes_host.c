/* The device has failed: the host contracts what is missing in C, in the order in which boxes and their chunks come
 * back. */
#include "base/checked.h"
#include "exec/onto_boxes.h"
#include "kernel/threads.h"

enum { A, B, C, ALIGNMENT = 64 };

/* The contraction of a part of C, for all of the sum. */
static void part_of(const ashi_onto_cut *cut, const ashi_cut_box *box, ashi_contraction *out)
{
    static const int groups[] = {ASHI_CUT_ROWS, ASHI_CUT_COLS, ASHI_CUT_BATCH};
    *out = cut->product;
    ashi_stride_group *const group[] = {&out->rows, &out->cols, &out->batch};
    for (int g = 0; g < 3; g++) {
        int kept = 0;
        for (int i = 0; i < group[g]->count; i++) {
            group[g]->index[kept] = group[g]->index[i];
            group[g]->index[kept].extent = box->extent[groups[g]][i];
            kept += box->extent[groups[g]][i] > 1;
        }
        group[g]->count = kept;
    }
}

/* Let a box be the part of itself that a chunk is. */
static void narrow(const ashi_onto_cut *cut, const ashi_boxes_chunk *chunk, ashi_cut_box *box)
{
    const ashi_cut_matrix *const m = &cut->matrix[C];
    for (int i = 0; i < m->count; i++) {
        box->from[m->axis[i].group][m->axis[i].index] += chunk->from[i];
        box->extent[m->axis[i].group][m->axis[i].index] = chunk->extent[i];
    }
}

static void contract_part(ashi_boxes_run *run, const ashi_cut_box *box)
{
    const ashi_onto_arguments *const with = run->with;
    const int64_t bytes = run->onto->word;
    ashi_contraction part;
    ashi_contraction_plan plan;
    part_of(run->cut, box, &part);
    ashi_contraction_make(&part, &plan);
    ashi_blas_begin(1);
    ashi_contraction_run(&plan, with->alpha, (const char *)with->a + ashi_cut_box_begin(run->cut, box, A) * bytes,
                         (const char *)with->b + ashi_cut_box_begin(run->cut, box, B) * bytes, with->beta,
                         (char *)with->c + ashi_cut_box_begin(run->cut, box, C) * bytes, 0, 1, with->workspace);
    ashi_blas_end();
    run->onto->tally.on_host += plan.m * plan.n * plan.k * plan.batches;
}

void ashi_boxes_finish_on_host(ashi_boxes_run *run)
{
    const ashi_onto_cut *const cut = run->cut;
    const int64_t batches = ashi_cut_boxes(cut, ASHI_CUT_BATCH), outers = ashi_cut_boxes(cut, cut->outer);
    const int64_t inners = ashi_cut_boxes(cut, ashi_cut_inner(cut)), from = run->chunks;
    run->box = (ashi_cut_box){0}; /* sums begin with their first element */
    for (int64_t n = run->whole; n < batches * outers * inners; n++) {
        ashi_boxes_chunk chunk;
        ashi_cut_box_of_c(cut, n / (outers * inners), n / inners % outers, n % inners, &run->box);
        if (n > run->whole || from == 0) {
            contract_part(run, &run->box);
            continue;
        }
        for (int64_t i = from; ashi_boxes_chunk_of(cut, &run->box, run->onto->stage_words, i, &chunk); i++) {
            ashi_cut_box part = run->box;
            narrow(cut, &chunk, &part);
            contract_part(run, &part);
        }
    }
}

/* ---- workspace ---- */

static int64_t bytes_of(const ashi_onto_cut *cut, const ashi_cut_box *box)
{
    ashi_contraction part;
    ashi_contraction_plan plan;
    part_of(cut, box, &part);
    ashi_contraction_make(&part, &plan);
    return plan.bytes;
}

/* Boxes of a group have two sizes at most, those of the first and of the last of the index that is cut; so have chunks
 * of a box. */
static int64_t last_of(const ashi_onto_cut *cut, int group)
{
    const ashi_stride_group *const g = ashi_cut_group(&cut->product, group);
    const ashi_group_cut c = cut->cut[group];
    return g->count > 0 ? ashi_ceil_div(g->index[c.index].extent, c.length) - 1 : 0;
}

static int64_t bytes_of_box(const ashi_onto_cut *cut, const ashi_cut_box *box, int64_t chunk_words)
{
    ashi_boxes_chunk chunk = {0};
    int64_t most = bytes_of(cut, box), last = 0;
    for (int64_t i = 0; ashi_boxes_chunk_of(cut, box, chunk_words, i, &chunk); i++) {
        ashi_cut_box part = *box;
        if (chunk.words == last)
            continue;
        last = chunk.words;
        narrow(cut, &chunk, &part);
        most = ashi_max(most, bytes_of(cut, &part));
    }
    return most;
}

int64_t ashi_boxes_host_bytes(const ashi_onto_cut *cut, int64_t chunk_words)
{
    ashi_cut_box box;
    int64_t most = 0;
    for (int which = 0; which < 8; which++) {
        ashi_cut_box_of(cut, ASHI_CUT_ROWS, which & 1 ? last_of(cut, ASHI_CUT_ROWS) : 0, &box);
        ashi_cut_box_of(cut, ASHI_CUT_COLS, which & 2 ? last_of(cut, ASHI_CUT_COLS) : 0, &box);
        ashi_cut_box_of(cut, ASHI_CUT_BATCH, which & 4 ? last_of(cut, ASHI_CUT_BATCH) : 0, &box);
        most = ashi_max(most, bytes_of_box(cut, &box, chunk_words));
    }
    return ashi_mul_most(ashi_ceil_div(most, ALIGNMENT), ALIGNMENT);
}
