/* MPI's window: workspaces that all ranks make together, so that each can put into the others'. */
#include "exec/put_window.h"

#include "base/checked.h"
#include "base/error.h"
#include "exec/mpi.h"

enum { LINE = 64 };

/* If all ranks share memory the window is not made by MPI_Win_allocate: Open MPI 4 lets its component for remote memory
 * make that one, which names a file in /dev/shm after the number of the communicator alone. Communicators without a
 * common rank may have the same number, and if both make a window at once one takes the other's file. */
static void allocate(ashi_put_window *w, MPI_Comm comm, int64_t words, size_t size, bool one_node,
                     ashlar_error *failure)
{
    /* Whole lines: with odd sizes MPICH 4.0's ranks disagree by some bytes about where a shared window begins. One
     * more, since a window may begin between two of them. */
    const MPI_Aint bytes = (MPI_Aint)((ashi_ceil_div(words * (int64_t)size, LINE) + 1) * LINE);
    void *begin = NULL;
    if (one_node)
        ashi_mpi_note(failure, MPI_Win_allocate_shared(bytes, 1, MPI_INFO_NULL, comm, &begin, &w->win),
                      "MPI_Win_allocate_shared");
    else
        ashi_mpi_note(failure, MPI_Win_allocate(bytes, 1, MPI_INFO_NULL, comm, &begin, &w->win), "MPI_Win_allocate");
    w->begin = begin;
}

void ashi_put_window_open(ashi_put_window *w, MPI_Comm comm, int64_t words, size_t bytes, bool one_node,
                          void **workspace, ashlar_error *failure)
{
    *w = (ashi_put_window){.win = MPI_WIN_NULL};
    allocate(w, comm, words, bytes, one_node, failure);
    *workspace = w->begin ? w->begin + (LINE - (uintptr_t)w->begin % LINE) % LINE : NULL;
    const int mine = w->win != MPI_WIN_NULL;
    int all = mine;
    if (mine)
        ashi_mpi_note(failure, MPI_Win_set_errhandler(w->win, MPI_ERRORS_RETURN), "MPI_Win_set_errhandler");
    ashi_mpi_note(failure, MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, comm), "MPI_Allreduce");
    w->common = all;
    if (!all && failure->status == ASHLAR_OK)
        ashi_fail(failure, ASHLAR_ERR_MPI, "a rank has no window");
}

void ashi_put_window_free(ashi_put_window *w)
{
    if (w->win != MPI_WIN_NULL && w->common && ashi_mpi_runs(NULL))
        (void)MPI_Win_free(&w->win); /* nobody to report to: what fails to be freed stays until MPI ends */
}
