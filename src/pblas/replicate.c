/* Brings all copies of a replicated matrix up to date from the chosen ones. */
#include "pblas/replicate.h"

#include "pblas/place.h"

/* The processes that hold the same elements as this one: their number, and each one's place in the grid. */
typedef struct sharers {
    bool rows, cols; /* whether all of a column of the grid, of a row of it, or both */
    int count;
} sharers;

static sharers sharers_of(const ashi_grid *grid, const ashi_submatrix *sub)
{
    sharers s = {sub->of.row_source < 0 && grid->at.rows > 1, sub->of.col_source < 0 && grid->at.cols > 1, 1};
    s.count = (s.rows ? grid->at.rows : 1) * (s.cols ? grid->at.cols : 1);
    return s;
}

static ashi_slab slab_of(const ashi_grid *grid, const ashi_submatrix *sub, const sharers *s, int i)
{
    const int row = s->rows ? (s->cols ? i / grid->at.cols : i) : grid->at.row;
    const int col = s->cols ? i % grid->at.cols : grid->at.col;
    return ashi_place_slab(sub, &grid->at, row, col);
}

/* Their communicator, in which the root is number i, or at both directions the rank of place i. */
static MPI_Comm communicator_of(ashi_grid *grid, const sharers *s)
{
    if (s->rows && s->cols)
        return grid->comm;
    MPI_Comm *comm = &grid->sharing[s->cols];
    const int colour = s->cols ? grid->at.row : grid->at.col, place = s->cols ? grid->at.col : grid->at.row;
    if (*comm == MPI_COMM_NULL && MPI_Comm_split(grid->comm, colour, place, comm) != MPI_SUCCESS)
        *comm = MPI_COMM_NULL;
    return *comm;
}

static ashlar_status send_slab(const ashi_slab *slab, int ld, ashlar_type type, void *data, int root, MPI_Comm comm)
{
    const MPI_Datatype of[] = {MPI_FLOAT, MPI_DOUBLE, MPI_C_FLOAT_COMPLEX, MPI_C_DOUBLE_COMPLEX};
    MPI_Datatype columns = MPI_DATATYPE_NULL;
    if (slab->rows == 0 || slab->cols == 0)
        return ASHLAR_OK;
    int code = MPI_Type_vector((int)slab->cols, (int)slab->rows, ld, of[type], &columns);
    if (code == MPI_SUCCESS)
        code = MPI_Type_commit(&columns);
    if (code == MPI_SUCCESS)
        code = MPI_Bcast((char *)data + (size_t)slab->offset * ashlar_type_bytes(type), 1, columns, root, comm);
    if (columns != MPI_DATATYPE_NULL)
        MPI_Type_free(&columns);
    return code == MPI_SUCCESS ? ASHLAR_OK : ASHLAR_ERR_MPI;
}

ashlar_status ashi_replicate(ashi_grid *grid, const ashi_submatrix *sub, ashlar_type type, void *data)
{
    const sharers s = sharers_of(grid, sub);
    const MPI_Comm comm = communicator_of(grid, &s);
    ashlar_status status = comm == MPI_COMM_NULL ? ASHLAR_ERR_MPI : ASHLAR_OK;
    for (int i = 0; i < s.count && status == ASHLAR_OK; i++) {
        const ashi_slab slab = slab_of(grid, sub, &s, i);
        status = send_slab(&slab, sub->of.ld, type, data, s.rows && s.cols ? grid->ranks[i] : i, comm);
    }
    return status;
}

int64_t ashi_replicate_words(const ashi_grid *grid, const ashi_submatrix *sub)
{
    const sharers s = sharers_of(grid, sub);
    const ashi_slab own = ashi_place_slab(sub, &grid->at, grid->at.row, grid->at.col);
    int64_t words = -own.rows * own.cols;
    for (int i = 0; i < s.count; i++) {
        const ashi_slab slab = slab_of(grid, sub, &s, i);
        words += slab.rows * slab.cols;
    }
    return words;
}
