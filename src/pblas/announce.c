/* Tells all processes of a context about a matrix that lies on some of them. */
#include "pblas/announce.h"

#include <stdlib.h>

/* What is announced of a submatrix. */
enum { FACTS = 15, READY = 2 * FACTS, ERROR, LENGTH, SCALE = 100, NO_ERROR = 10000 };

static int rank_in(const ashi_grid *all)
{
    return all->ranks[all->at.row * all->at.cols + all->at.col];
}

/* Known by the first process of the grid; the others say what is less than anything. */
static void write_facts(const ashi_grid *all, const ashi_party *p, int64_t out[FACTS])
{
    const ashi_descriptor *d = &p->sub.of;
    const bool tells = p->grid && p->at.row == 0 && p->at.col == 0;
    const int64_t known[FACTS] = {rank_in(all),  p->grid ? p->grid->serial : 0,
                                  p->at.rows,    p->at.cols,
                                  p->sub.row,    p->sub.col,
                                  d->type,       d->rows,
                                  d->cols,       d->first_rows,
                                  d->first_cols, d->block_rows,
                                  d->block_cols, d->row_source,
                                  d->col_source};
    for (int i = 0; i < FACTS; i++)
        out[i] = tells ? known[i] : INT64_MIN;
}

static void read_facts(ashi_party *p, const int64_t f[FACTS])
{
    p->identity[0] = f[0];
    p->identity[1] = f[1];
    if (p->grid)
        return;
    p->at = (ashi_coordinates){(int)f[2], (int)f[3], -1, -1};
    p->sub.row = f[4];
    p->sub.col = f[5];
    p->sub.of = (ashi_descriptor){.type = (int)f[6],        .context = -1,
                                  .rows = (int)f[7],        .cols = (int)f[8],
                                  .first_rows = (int)f[9],  .first_cols = (int)f[10],
                                  .block_rows = (int)f[11], .block_cols = (int)f[12],
                                  .row_source = (int)f[13], .col_source = (int)f[14]};
}

/* Errors are compared by 100 times the argument's number plus the entry. */
static int64_t code_of(int info)
{
    return info == 0 ? NO_ERROR : info < -SCALE ? -info : -(int64_t)info * SCALE;
}

int ashi_announce(const ashi_grid *all, ashi_party party[2], bool *ready, int info)
{
    int64_t own[LENGTH], most[LENGTH];
    for (int x = 0; x < 2; x++)
        write_facts(all, &party[x], own + x * FACTS);
    own[READY] = !*ready;
    own[ERROR] = -code_of(info);
    if (MPI_Allreduce(own, most, LENGTH, MPI_INT64_T, MPI_MAX, all->comm) != MPI_SUCCESS) {
        *ready = false;
        return info;
    }
    *ready = most[READY] == 0;
    const int code = (int)-most[ERROR];
    if (code != NO_ERROR)
        return code % SCALE ? -code : -(code / SCALE);
    for (int x = 0; x < 2; x++)
        read_facts(&party[x], most + x * FACTS);
    return 0;
}

int *ashi_announce_ranks(const ashi_grid *all, const ashi_party *p)
{
    const int count = p->at.rows * p->at.cols;
    int *own = malloc((size_t)count * sizeof *own), *ranks = malloc((size_t)count * sizeof *ranks);
    bool known = ashi_grid_all(all, own && ranks);
    for (int i = 0; known && i < count; i++)
        own[i] = p->grid && i == p->at.row * p->at.cols + p->at.col ? rank_in(all) : -1;
    known = known && MPI_Allreduce(own, ranks, count, MPI_INT, MPI_MAX, all->comm) == MPI_SUCCESS;
    for (int i = 0; known && i < count; i++)
        known = ranks[i] >= 0;
    free(own);
    if (!known) {
        free(ranks);
        ranks = NULL;
    }
    return ranks;
}
