/* p?gemm: the way of a call, from its arguments to its end. */
#include "pblas/gemm.h"

#include "pblas/behind.h"
#include "pblas/check.h"
#include "pblas/repeated.h"

#include <stdio.h>

enum { CONTEXT_GONE = -1002 }; /* PBLAS/SRC/pdgemm_.c */

typedef void (*gemm_function)(const char *transa, const char *transb, const int *m, const int *n, const int *k,
                              const void *alpha, const void *a, const int *ia, const int *ja, const int *desca,
                              const void *b, const int *ib, const int *jb, const int *descb, const void *beta, void *c,
                              const int *ic, const int *jc, const int *descc);

static gemm_function scalapack(ashlar_type type)
{
    static const char *const name[] = {"psgemm_", "pdgemm_", "pcgemm_", "pzgemm_"};
    static ashi_kept_function kept[4];
    return (gemm_function)ashi_behind(&kept[type], name[type]);
}

/* As ScaLAPACK requires. */
static bool is_in_one_context(const ashi_gemm_call *call)
{
    const int context = call->sub[0].of.context;
    return call->sub[1].of.context == context && call->sub[2].of.context == context;
}

/* The routine of the ScaLAPACK behind us that can serve the call; NULL if there is none. */
static gemm_function other_server(const ashi_gemm_call *call)
{
    return is_in_one_context(call) ? scalapack(call->type) : NULL;
}

/* To the ScaLAPACK behind us; if it cannot serve the call, the program ends with the reason why we cannot. */
static void hand_over(const ashi_gemm_call *call, const char *reason)
{
    const ashi_gemm_arguments *g = &call->given;
    const gemm_function gemm = other_server(call);
    if (gemm)
        gemm(g->transa, g->transb, g->m, g->n, g->k, g->alpha, g->a, g->i[0], g->j[0], g->desc[0], g->b, g->i[1],
             g->j[1], g->desc[1], g->beta, g->c, g->i[2], g->j[2], g->desc[2]);
    else
        ashi_blacs_give_up(call->sub[0].of.context, ashi_gemm_routine(call->type), reason,
                           is_in_one_context(call) ? ASHI_NO_SCALAPACK
                                                   : "ScaLAPACK does not multiply matrices in different contexts");
}

/* ---- grids ---- */

/* Whether the processes of a context are those of A's. */
static bool has_same_processes(int context, const ashi_grid *grid)
{
    int result = MPI_UNEQUAL;
    const MPI_Comm comm = ashi_blacs_comm(context);
    return comm != MPI_COMM_NULL && MPI_Comm_compare(comm, grid->comm, &result) == MPI_SUCCESS && result != MPI_UNEQUAL;
}

/* The context that each matrix must have, and its grid: A's, or for calls that allow it one of the same processes. */
static void find_contexts(const ashi_gemm_call *call, bool one_context, const ashi_grid *grid, int context[3],
                          ashi_coordinates at[3])
{
    for (int x = 0; x < 3; x++) {
        const int own = call->sub[x].of.context;
        context[x] = call->sub[0].of.context;
        at[x] = grid->at;
        if (x == 0 || one_context || own == context[0])
            continue;
        const ashi_coordinates there = ashi_blacs_grid(own);
        if (there.rows < 0 || !has_same_processes(own, grid))
            continue;
        context[x] = own;
        at[x] = there;
    }
}

static ashlar_status find_grids(const ashi_gemm_call *call, ashi_grid *grid[3], ashlar_error *err)
{
    ashlar_status status = ASHLAR_OK;
    for (int x = 1; x < 3 && status == ASHLAR_OK; x++) {
        grid[x] = grid[0];
        if (call->sub[x].of.context != call->sub[0].of.context)
            status = ashi_grid_of(call->sub[x].of.context, &grid[x], err);
    }
    return status;
}

/* ---- calls ---- */

static bool is_small(const ashi_gemm_call *call, const ashi_settings *settings)
{
    return (double)call->m * call->n * call->k < (double)settings->smallest && other_server(call);
}

static void log_small(const ashi_gemm_call *call, const ashi_grid *grid, double seconds)
{
    char shape[160], line[240];
    if (!ashi_grid_logs(grid))
        return;
    ashi_gemm_describe(call, grid, shape, sizeof shape);
    snprintf(line, sizeof line, "%s: to ScaLAPACK: smaller than ASHLAR_SMALLEST", shape);
    ashi_log_count(ashi_log_open(line), seconds);
}

static ashi_product *product_of(const ashi_gemm_call *call, ashi_grid *const grid[3])
{
    const ashi_call_shape shape = ashi_gemm_shape(call, grid);
    ashi_product *product = ashi_cache_find(grid[0]->cache, &shape);
    if (product && ashi_product_serves(product, call, grid[0]))
        return product;
    if (product)
        ashi_cache_drop(grid[0]->cache, &shape);
    product = ashi_product_make(call, grid);
    if (product)
        ashi_cache_put(grid[0]->cache, &shape, product, ashi_product_free);
    return product;
}

static double start_of(const ashi_grid *grid)
{
    return ashi_grid_logs(grid) ? MPI_Wtime() : 0;
}

/* `start`: when the call began, if there is a log. */
static void run(ashi_product *product, const ashi_gemm_call *call, ashi_grid *const grid[3], double start)
{
    if (!product->plan) {
        hand_over(call, product->reason);
    } else {
        ashlar_error err;
        err.text[0] = '\0';
        const ashlar_status status = ashi_product_run(product, call, grid, &err);
        if (status != ASHLAR_OK)
            ashi_blacs_give_up(call->sub[0].of.context, ashi_gemm_routine(call->type),
                               err.text[0] ? err.text : ashlar_status_text(status), NULL);
    }
    if (product->logs)
        ashi_log_count(product->line, MPI_Wtime() - start);
}

static void multiply(const ashi_gemm_call *call, bool one_context, ashi_grid *const grid[3])
{
    const double start = start_of(grid[0]);
    ashi_product *product = product_of(call, grid);
    if (!product) {
        hand_over(call, "there is no memory");
        return;
    }
    ashi_repeated_keep(call, one_context, grid[0], product);
    run(product, call, grid, start);
}

/* Most calls that take little time are like the one before them. */
static bool repeat(ashlar_type type, bool one_context, const ashi_gemm_arguments *given, ashi_grid *grid)
{
    const ashi_gemm_call *call = NULL;
    const double start = start_of(grid);
    ashi_product *product = ashi_repeated_find(type, one_context, given, grid, &call);
    if (product)
        run(product, call, (ashi_grid *const[3]){grid, grid, grid}, start);
    return product != NULL;
}

void ashi_gemm(ashlar_type type, bool one_context, const ashi_gemm_arguments *given)
{
    const int context = ashi_descriptor_context(given->desc[0]);
    ashi_grid *grid[3] = {NULL, NULL, NULL};
    ashlar_error err;
    err.text[0] = '\0';
    if (ashi_blacs_grid(context).rows < 0) {
        ashi_blacs_report(context, ashi_gemm_routine(type), CONTEXT_GONE);
        return;
    }
    const ashlar_status status = ashi_grid_of(context, &grid[0], &err);
    if (status == ASHLAR_OK && repeat(type, one_context, given, grid[0]))
        return;
    const ashi_gemm_call call = ashi_gemm_read(type, given);
    if (status != ASHLAR_OK) {
        hand_over(&call, err.text);
        return;
    }
    int contexts[3];
    ashi_coordinates at[3];
    find_contexts(&call, one_context, grid[0], contexts, at);
    int info = ashi_gemm_check(&call, contexts, at);
    if (grid[0]->settings.check) {
        ashi_call_check check = {0};
        ashi_gemm_compare(&call, &check);
        info = ashi_call_check_all(&check, grid[0], ashi_gemm_routine(type), info);
    }
    if (info != 0) {
        ashi_blacs_report(context, ashi_gemm_routine(type), info);
        return;
    }
    if (ashi_gemm_is_done(&call))
        return;
    if (find_grids(&call, grid, &err) != ASHLAR_OK) {
        hand_over(&call, err.text);
    } else if (is_small(&call, &grid[0]->settings)) {
        const double start = MPI_Wtime();
        hand_over(&call, "");
        log_small(&call, grid[0], MPI_Wtime() - start);
    } else {
        multiply(&call, one_context, grid);
    }
}
