/* MPI's window: workspaces that all ranks make together, so that each can put into the others'. */
#ifndef ASHI_PUT_WINDOW_H
#define ASHI_PUT_WINDOW_H

#include <ashlar/plan.h>

/* With .win = MPI_WIN_NULL there is none. */
typedef struct ashi_put_window {
    MPI_Win win;
    char *begin; /* of this rank's part */
    bool common; /* all ranks have it, so that they can free it together */
} ashi_put_window;

/* Make it: `words` of this rank's memory, at *workspace, which begins on a cache line; displacements are bytes from
 * window->begin. one_node: all ranks of comm share memory. Collective: every rank makes every call, whatever went
 * wrong. A failure of MPI is noted in *failure. */
void ashi_put_window_open(ashi_put_window *window, MPI_Comm comm, int64_t words, size_t bytes, bool one_node,
                          void **workspace, ashlar_error *failure);

/* Collective, unless there is none. What fails to be freed stays until MPI ends. */
void ashi_put_window_free(ashi_put_window *window);

#endif
