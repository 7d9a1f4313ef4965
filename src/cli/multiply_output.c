/* The output of `ashlar multiply`: written by all ranks at once where its format allows that, else through rank 0. */
#include "base/checked.h"
#include "base/error.h"
#include "cli/multiply.h"
#include "cli/progress.h"
#include "exec/transport.h"
#include "store/strided.h"
#include "store/tiles.h"

#include <stdlib.h>
#include <string.h>

static const int64_t band_bytes = 8 << 20;

static size_t element_bytes(const ashi_multiply_job *job)
{
    return ashlar_type_bytes(job->problem.type);
}

static char *element(const ashi_multiply_job *job, int64_t offset)
{
    return (char *)job->data[ASHLAR_C] + offset * (int64_t)element_bytes(job);
}

/* ---- beginning ---- */

/* Tell every rank the name of the temporary file, and open it there. */
static ashlar_status join(ashi_multiply_job *job, ashlar_error *err)
{
    const MPI_Comm comm = job->context->comm;
    const char *name = job->context->rank == 0 ? ashi_store_temporary(job->out) : NULL;
    int length = name ? (int)strlen(name) + 1 : 0;
    ashlar_status status = ashi_mpi(MPI_Bcast(&length, 1, MPI_INT, 0, comm), "MPI_Bcast", err);
    if (status != ASHLAR_OK)
        return status;
    char *text = malloc((size_t)length);
    status = text ? ASHLAR_OK : ashi_fail_memory(err, "multiply", length);
    status = ashi_multiply_agree(job, status, err);
    if (status == ASHLAR_OK && name)
        memcpy(text, name, (size_t)length);
    if (status == ASHLAR_OK)
        status = ashi_mpi(MPI_Bcast(text, length, MPI_CHAR, 0, comm), "MPI_Bcast", err);
    if (status == ASHLAR_OK && job->context->rank != 0)
        status = ashi_store_join(job->wish->output, text, &job->info[2], &job->out, err);
    job->temporary = text;
    return ashi_multiply_agree(job, status, err);
}

ashlar_status ashi_multiply_begin_output(ashi_multiply_job *job, ashlar_error *err)
{
    ashlar_status status = ASHLAR_OK;
    int order = 0;
    if (job->context->rank == 0) {
        status = ashi_store_create(job->wish->output, &job->info[2], &job->out, err);
        if (status == ASHLAR_OK && job->wish->stats) {
            status = ashi_output_create(job->wish->stats, &job->stats, err);
            job->stats_begun = status == ASHLAR_OK;
        }
        if (status == ASHLAR_OK && job->wish->trace) {
            status = ashi_output_create(job->wish->trace, &job->trace_file, err);
            job->trace_begun = status == ASHLAR_OK;
        }
        order = job->out ? (int)ashi_store_order(job->out) : 0;
    }
    status = ashi_agree(job->context, status, err);
    if (status == ASHLAR_OK)
        status = ashi_mpi(MPI_Bcast(&order, 1, MPI_INT, 0, job->context->comm), "MPI_Bcast", err);
    if (status != ASHLAR_OK)
        return status;
    job->info[2].order = (ashlar_order)order;
    return ashi_store_shared_writing(job->wish->output) ? join(job, err) : ASHLAR_OK;
}

/* ---- all ranks write ---- */

static ashlar_status write_own(ashi_multiply_job *job, ashlar_error *err)
{
    const ashlar_layout *layout = ashlar_plan_layout(job->plan, ASHLAR_C);
    const int rank = job->context->rank;
    ashi_progress progress = ashi_progress_start("writing", ashlar_layout_words(layout, rank), job->loud);
    ashi_tiles tiles = ashi_tiles_all(layout, rank);
    ashlar_status status = ASHLAR_OK;
    for (ashi_tile t; status == ASHLAR_OK && ashi_tiles_next(&tiles, &t);) {
        ashi_bands bands = ashi_bands_of(t.rows, t.cols, job->info[2].order, band_bytes / (int64_t)element_bytes(job));
        for (ashi_file_box b; status == ASHLAR_OK && ashi_bands_next(&bands, &b);) {
            status = ashi_store_write(job->out, t.row + b.row, b.rows, t.col + b.col, b.cols,
                                      element(job, t.offset + b.row * t.row_stride + b.col * t.col_stride),
                                      t.row_stride, t.col_stride, err);
            ashi_progress_add(&progress, b.rows * b.cols);
        }
    }
    ashi_progress_end(&progress);
    if (rank != 0) {
        const ashlar_status closed = ashi_store_close(&job->out, status == ASHLAR_OK ? err : NULL);
        status = status == ASHLAR_OK ? closed : status;
    }
    return status;
}

/* ---- rank 0 writes ---- */

/* A band of C on its way to the file, dense in the file's order; and a piece of it on its way to rank 0. */
typedef struct gathering {
    ashi_multiply_job *job;
    char *band, *piece;
    ashi_file_box at;
    int64_t row_stride, col_stride; /* of the band */
} gathering;

/* Where a piece of C belongs in the band. */
static char *in_band(const gathering *g, const ashi_tile *t)
{
    const int64_t at = (t->row - g->at.row) * g->row_stride + (t->col - g->at.col) * g->col_stride;
    return g->band + at * (int64_t)element_bytes(g->job);
}

/* A piece travels with its rows together. It is no larger than a band, so that its count fits. */
static ashlar_status pass_on(const gathering *g, const ashi_tile *t, ashlar_error *err)
{
    const ashi_multiply_job *job = g->job;
    const size_t bytes = element_bytes(job);
    const MPI_Datatype type = ashi_mpi_type(job->problem.type);
    const int count = (int)(t->rows * t->cols), rank = job->context->rank;
    if (t->owner == rank)
        ashi_copy_strided(bytes, t->rows, t->cols, element(job, t->offset), t->row_stride, t->col_stride,
                          rank == 0 ? in_band(g, t) : g->piece, rank == 0 ? g->row_stride : t->cols,
                          rank == 0 ? g->col_stride : 1);
    if (t->owner == 0)
        return ASHLAR_OK;
    if (rank != 0)
        return ashi_mpi(MPI_Send(g->piece, count, type, 0, 0, job->context->comm), "MPI_Send", err);
    const ashlar_status status = ashi_mpi(
        MPI_Recv(g->piece, count, type, t->owner, 0, job->context->comm, MPI_STATUS_IGNORE), "MPI_Recv", err);
    if (status == ASHLAR_OK)
        ashi_copy_strided(bytes, t->rows, t->cols, g->piece, t->cols, 1, in_band(g, t), g->row_stride, g->col_stride);
    return status;
}

static ashlar_status gather_band(gathering *g, ashlar_error *err)
{
    const bool by_row = g->job->info[2].order == ASHLAR_ROW_MAJOR;
    const int rank = g->job->context->rank;
    ashlar_status status = ASHLAR_OK;
    g->row_stride = by_row ? g->at.cols : 1;
    g->col_stride = by_row ? 1 : g->at.rows;
    ashi_tiles tiles = ashi_tiles_of(ashlar_plan_layout(g->job->plan, ASHLAR_C), rank == 0 ? -1 : rank, g->at,
                                     ASHLAR_ROW_MAJOR);
    for (ashi_tile t; status == ASHLAR_OK && ashi_tiles_next(&tiles, &t);)
        status = pass_on(g, &t, err);
    if (rank == 0 && status == ASHLAR_OK)
        status = ashi_store_write(g->job->out, g->at.row, g->at.rows, g->at.col, g->at.cols, g->band, g->row_stride,
                                  g->col_stride, err);
    return status;
}

/* Band after band. All ranks agree after each: nobody sends to a rank 0 that cannot go on, nor far ahead of it. */
static ashlar_status gather(ashi_multiply_job *job, ashlar_error *err)
{
    const ashi_store_info *c = &job->info[2];
    const bool first = job->context->rank == 0;
    gathering g = {.job = job, .band = first ? malloc((size_t)band_bytes) : NULL, .piece = malloc((size_t)band_bytes)};
    ashi_bands bands = ashi_bands_of(c->rows, c->cols, c->order, band_bytes / (int64_t)element_bytes(job));
    ashlar_status status = ASHLAR_OK;
    if (!g.piece || (first && !g.band))
        status = ashi_fail_memory(err, "multiply", 2 * band_bytes);
    status = ashi_multiply_agree(job, status, err);
    ashi_progress progress = ashi_progress_start("writing", c->rows * c->cols, job->loud);
    while (status == ASHLAR_OK && ashi_bands_next(&bands, &g.at)) {
        status = ashi_agree(job->context, gather_band(&g, err), err);
        ashi_progress_add(&progress, g.at.rows * g.at.cols);
    }
    ashi_progress_end(&progress);
    free(g.band);
    free(g.piece);
    return status;
}

ashlar_status ashi_multiply_write(ashi_multiply_job *job, ashlar_error *err)
{
    ashlar_status status = ashi_store_shared_writing(job->wish->output)
                               ? ashi_multiply_agree(job, write_own(job, err), err)
                               : gather(job, err);
    if (status != ASHLAR_OK)
        return status;
    if (job->context->rank == 0)
        status = ashi_store_publish(job->out, err);
    return ashi_agree(job->context, status, err);
}
