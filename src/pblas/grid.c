/* What Ashlar keeps for a BLACS context: hung on the context's communicator, and gone with it. */
#include "pblas/grid.h"

#include "plan/node_memory.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void grid_free(ashi_grid *grid)
{
    if (!grid)
        return;
    if (grid->deferred) {
        ashi_deferred_leave(grid->deferred);
    } else {
        ashi_cache_free(grid->cache);
        ashlar_context_free(&grid->context);
    }
    for (int s = 0; s < 2; s++)
        if (grid->sharing[s] != MPI_COMM_NULL)
            (void)MPI_Comm_free(&grid->sharing[s]); /* nobody to report to */
    ashi_workspace_free(&grid->workspace);
    free(grid->repeated);
    free(grid->ranks);
    free(grid);
}

/* MPI calls this while blacs_gridexit frees the communicator. */
static int forget(MPI_Comm comm, int keyval, void *attribute, void *extra)
{
    (void)comm;
    (void)keyval;
    (void)extra;
    grid_free(attribute);
    return MPI_SUCCESS;
}

/* One for all contexts, made by the first thread that asks. */
static int attribute_key = MPI_KEYVAL_INVALID;

static void make_key(void)
{
    if (MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget, &attribute_key, NULL) != MPI_SUCCESS)
        attribute_key = MPI_KEYVAL_INVALID;
}

static int key(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    return pthread_once(&once, make_key) == 0 ? attribute_key : MPI_KEYVAL_INVALID;
}

bool ashi_grid_logs(const ashi_grid *grid)
{
    return grid->settings.log && grid->at.row == 0 && grid->at.col == 0;
}

bool ashi_grid_all(const ashi_grid *grid, bool mine)
{
    int own = mine, all = 0;
    return MPI_Allreduce(&own, &all, 1, MPI_INT, MPI_MIN, grid->comm) == MPI_SUCCESS && all;
}

static ashi_grid *grid_new(MPI_Comm comm, const ashi_coordinates *at)
{
    static _Atomic int64_t grids;
    ashi_grid *grid = calloc(1, sizeof *grid);
    int *ranks = malloc((size_t)at->rows * (size_t)at->cols * sizeof *ranks);
    if (!grid || !ranks) {
        free(grid);
        free(ranks);
        return NULL;
    }
    *grid = (ashi_grid){.comm = comm, .at = *at, .serial = ++grids, .ranks = ranks,
                        .sharing = {MPI_COMM_NULL, MPI_COMM_NULL}};
    return grid;
}

/* Where every process is; false unless each place of the grid has one. */
static bool learn_ranks(ashi_grid *grid)
{
    const int ranks = grid->at.rows * grid->at.cols, mine = grid->at.row * grid->at.cols + grid->at.col;
    int *place = malloc((size_t)ranks * sizeof *place), size = 0;
    const bool ready =
        ashi_grid_all(grid, place && MPI_Comm_size(grid->comm, &size) == MPI_SUCCESS && size == ranks);
    bool known = ready && MPI_Allgather(&mine, 1, MPI_INT, place, 1, MPI_INT, grid->comm) == MPI_SUCCESS;
    for (int r = 0; known && r < ranks; r++)
        grid->ranks[r] = -1;
    for (int r = 0; known && r < ranks; r++)
        grid->ranks[place[r]] = r;
    for (int r = 0; known && r < ranks; r++)
        known = grid->ranks[r] >= 0;
    free(place);
    return known;
}

/* All processes go by what process (0, 0) was told: launchers do not give every process the same environment. */
static bool learn_settings(ashi_grid *grid)
{
    int rank = 0;
    if (MPI_Comm_rank(grid->comm, &rank) != MPI_SUCCESS)
        return false;
    if (rank == grid->ranks[0])
        grid->settings = ashi_environment_read();
    return MPI_Bcast(&grid->settings, (int)sizeof grid->settings, MPI_BYTE, grid->ranks[0], grid->comm) == MPI_SUCCESS;
}

/* The node's memory is divided by the processes of the grid there. */
static bool learn_memory(ashi_grid *grid)
{
    MPI_Comm node = MPI_COMM_NULL;
    int processes = 1;
    const bool known = MPI_Comm_split_type(grid->comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node) == MPI_SUCCESS &&
                       MPI_Comm_size(node, &processes) == MPI_SUCCESS;
    if (node != MPI_COMM_NULL)
        (void)MPI_Comm_free(&node); /* what was asked of it is there */
    const int64_t own = known ? ashi_node_memory() / processes : 0;
    return MPI_Allreduce(&own, &grid->memory_bytes, 1, MPI_INT64_T, MPI_MIN, grid->comm) == MPI_SUCCESS;
}

/* Plans that may have windows outlive blacs_gridexit: see deferred.h. On all processes or on none. */
static bool defer(ashi_grid *grid)
{
    const bool windows = grid->settings.transport == ASHLAR_ONE_SIDED;
    if (grid->cache && windows)
        grid->deferred = ashi_deferred_add(grid->comm, grid->cache, grid->context);
    if (ashi_grid_all(grid, grid->cache && (grid->deferred || !windows)))
        return true;
    ashi_deferred_remove(grid->deferred);
    grid->deferred = NULL;
    return false;
}

/* A device that cannot be had ends the program: the user asked for it. */
static ashlar_status use_device(ashi_grid *grid, int context, ashlar_error *err)
{
    const ashi_settings *s = &grid->settings;
    ashlar_error own = {0};
    err = err ? err : &own;
    if (strcmp(s->device, "none") == 0)
        return ASHLAR_OK;
    const ashlar_status status = ashlar_context_set_device(grid->context, s->device, s->device_bytes, err);
    if (status == ASHLAR_OK || status == ASHLAR_ERR_MPI)
        return status;
    if (grid->at.row == 0 && grid->at.col == 0)
        fprintf(stderr, "ashlar: ASHLAR_DEVICE=%s: %s\n", s->device, err->text);
    fflush(stderr);
    (void)MPI_Barrier(grid->comm); /* the first to end the program ends it for all */
    ashi_blacs_end(context);
    return status;
}

static ashlar_status fill(ashi_grid *grid, int context, ashlar_error *err)
{
    if (!learn_ranks(grid) || !learn_settings(grid))
        return ASHLAR_ERR_MPI;
    if (grid->settings.refused) /* process (0, 0) has said which */
        ashi_blacs_end(context);
    if (!learn_memory(grid))
        return ASHLAR_ERR_MPI;
    ashlar_status status = ashlar_context_create(grid->comm, &grid->context, err);
    if (status == ASHLAR_OK)
        status = use_device(grid, context, err);
    if (status != ASHLAR_OK)
        return status;
    grid->cache = ashi_cache_create(grid->settings.plans);
    return defer(grid) ? ASHLAR_OK : ASHLAR_ERR_MEMORY;
}

/* From here on the communicator owns the grid. */
static ashlar_status hang(ashi_grid *grid)
{
    const bool hung = MPI_Comm_set_attr(grid->comm, key(), grid) == MPI_SUCCESS;
    if (ashi_grid_all(grid, hung))
        return ASHLAR_OK;
    if (hung)
        (void)MPI_Comm_delete_attr(grid->comm, key()); /* if it fails, the grid stays until blacs_gridexit */
    else
        grid_free(grid);
    return ASHLAR_ERR_MPI;
}

static ashlar_status make(MPI_Comm comm, int context, ashi_grid **out, ashlar_error *err)
{
    const ashi_coordinates at = ashi_blacs_grid(context);
    ashi_grid *grid = grid_new(comm, &at);
    int own = grid != NULL, all = 0;
    if (MPI_Allreduce(&own, &all, 1, MPI_INT, MPI_MIN, comm) != MPI_SUCCESS || !all) {
        grid_free(grid);
        return ASHLAR_ERR_MEMORY;
    }
    ashi_deferred_free(comm);
    ashlar_status status = fill(grid, context, err);
    if (status != ASHLAR_OK) {
        grid_free(grid);
        return status;
    }
    status = hang(grid);
    if (status == ASHLAR_OK)
        *out = grid;
    return status;
}

/* Give an error a text if it has none. */
static ashlar_status explain(ashlar_status status, const char *text, ashlar_error *err)
{
    if (err && !err->text[0])
        snprintf(err->text, sizeof err->text, "%s", text);
    return status;
}

ashlar_status ashi_grid_of(int context, ashi_grid **out, ashlar_error *err)
{
    const MPI_Comm comm = ashi_blacs_comm(context);
    int found = 0;
    *out = NULL;
    if (err)
        err->text[0] = '\0';
    if (comm == MPI_COMM_NULL || key() == MPI_KEYVAL_INVALID)
        return explain(ASHLAR_ERR_UNSUPPORTED, "the BLACS do not give the context's communicator", err);
    if (MPI_Comm_get_attr(comm, key(), out, &found) == MPI_SUCCESS && found)
        return ASHLAR_OK;
    const ashlar_status status = make(comm, context, out, err);
    return status == ASHLAR_OK ? status : explain(status, ashlar_status_text(status), err);
}
