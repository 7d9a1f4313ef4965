/* p?tran, p?tranu, p?tranc: the way of a call, from its arguments to its end. */
#include "pblas/tran.h"

#include "pblas/behind.h"
#include "pblas/check.h"
#include "pblas/place.h"
#include "pblas/replicate.h"
#include "pblas/scalar.h"
#include "pblas/transfer.h"

#include <stdio.h>

/* Numbers of the arguments, and the code for A's context being gone: PBLAS/SRC/pdtran_.c. */
enum { M = 1, N, ALPHA, DESCA = 7, BETA, DESCC = 12, CONTEXT_GONE = -702 };

typedef void (*tran_function)(const int *m, const int *n, const void *alpha, const void *a, const int *ia,
                              const int *ja, const int *desca, const void *beta, void *c, const int *ic, const int *jc,
                              const int *descc);

/* By type; those of complex types by whether they conjugate, too. */
static const struct {
    const char *name, *routine;
} routines[6] = {{"pstran_", "PSTRAN"},   {"pdtran_", "PDTRAN"},   {"pctranu_", "PCTRANU"},
                 {"pztranu_", "PZTRANU"}, {"pctranc_", "PCTRANC"}, {"pztranc_", "PZTRANC"}};

typedef struct tran_call {
    ashlar_type type;
    ashlar_op op;
    int which;                  /* in `routines` */
    const ashi_tran_arguments *given;
    int m, n;
    bool nothing;               /* alpha is zero: C <- beta C */
    ashi_submatrix sub[2];      /* of A, n x m, and of C, m x n */
} tran_call;

static ashi_submatrix submatrix(const ashi_tran_arguments *given, int x, int rows, int cols)
{
    return (ashi_submatrix){.of = ashi_descriptor_read(given->desc[x]),
                            .row = (int64_t)*given->i[x] - 1,
                            .col = (int64_t)*given->j[x] - 1,
                            .rows = rows,
                            .cols = cols};
}

static tran_call read(ashlar_type type, ashlar_op op, const ashi_tran_arguments *given)
{
    tran_call c = {.type = type, .op = op, .given = given, .m = *given->m, .n = *given->n};
    c.which = (int)type + (op == ASHLAR_OP_C ? 2 : 0);
    c.nothing = ashi_scalar_is(type, given->alpha, 0);
    c.sub[0] = submatrix(given, 0, c.n, c.m);
    c.sub[1] = submatrix(given, 1, c.m, c.n);
    return c;
}

static tran_function scalapack(const tran_call *c)
{
    static ashi_kept_function kept[6];
    return (tran_function)ashi_behind(&kept[c->which], routines[c->which].name);
}

/* To the ScaLAPACK behind us; without one the program ends with the reason why we cannot serve the call. */
static void hand_over(const tran_call *c, const char *reason)
{
    const ashi_tran_arguments *g = c->given;
    const tran_function tran = scalapack(c);
    if (tran)
        tran(g->m, g->n, g->alpha, g->a, g->i[0], g->j[0], g->desc[0], g->beta, g->c, g->i[1], g->j[1], g->desc[1]);
    else
        ashi_blacs_give_up(c->sub[0].of.context, routines[c->which].routine, reason, ASHI_NO_SCALAPACK);
}

/* ---- arguments ---- */

static int check(const tran_call *c, const ashi_grid *grid)
{
    const ashi_operand_place a = {N, M, DESCA, 'A', true}, t = {M, N, DESCC, 'C', true};
    const ashi_checked_call call = {routines[c->which].routine, c->sub[0].of.context, &grid->at};
    int info = ashi_descriptor_check(&c->sub[0], a, &call, 0);
    info = ashi_descriptor_check(&c->sub[1], t, &call, info);
    if (!grid->settings.check)
        return info;
    ashi_call_check all = {0};
    ashi_call_check_add(&all, M, 0, c->m);
    ashi_call_check_add(&all, N, 0, c->n);
    ashi_scalar_compare(&all, ALPHA, c->type, c->given->alpha);
    ashi_scalar_compare(&all, BETA, c->type, c->given->beta);
    ashi_call_check_add_submatrix(&all, DESCA, &c->sub[0]);
    ashi_call_check_add_submatrix(&all, DESCC, &c->sub[1]);
    return ashi_call_check_all(&all, grid, routines[c->which].routine, info);
}

static bool is_done(const tran_call *c)
{
    return c->m == 0 || c->n == 0 || (c->nothing && ashi_scalar_is(c->type, c->given->beta, 1));
}

/* ---- preparing ---- */

static void describe(const tran_call *c, const ashi_grid *grid, char *out, size_t room)
{
    const ashi_descriptor *a = &c->sub[0].of, *t = &c->sub[1].of;
    snprintf(out, room, "%.*s %dx%d, blocks %dx%d %dx%d, grid %dx%d", c->type < ASHLAR_TYPE_C ? 6 : 7,
             routines[c->which].name, c->m, c->n, a->block_rows, a->block_cols, t->block_rows, t->block_cols,
             grid->at.rows, grid->at.cols);
}

static ashi_transfer *make(const tran_call *c, ashi_grid *grid)
{
    char text[160];
    ashlar_layout *layout[2] = {NULL, NULL};
    ashi_transfer_request q = {.type = c->type, .op = c->op, .grid = grid, .text = text};
    describe(c, grid, text, sizeof text);
    for (int x = 0; x < 2; x++) {
        q.ld[x] = c->sub[x].of.ld;
        q.fixed = q.fixed || ashi_place_is_replicated(&c->sub[x], &grid->at);
        ashi_place_layout(&c->sub[x], &grid->at, grid->ranks, &layout[x], NULL);
    }
    if (ashi_place_is_replicated(&c->sub[1], &grid->at))
        q.copies = ashi_replicate_words(grid, &c->sub[1]);
    q.from = layout[0];
    q.to = layout[1];
    ashi_transfer *transfer = ashi_transfer_make(&q);
    ashlar_layout_free(&layout[0]);
    ashlar_layout_free(&layout[1]);
    return transfer;
}

static ashi_transfer *transfer_of(const tran_call *c, ashi_grid *grid, const int64_t ld[2])
{
    const int64_t values[] = {ASHI_ROUTINE_TRAN, c->type, c->op};
    ashi_call_shape shape = {0};
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++)
        ashi_shape_add(&shape, values[i]);
    for (int x = 0; x < 2; x++)
        ashi_shape_add_submatrix(&shape, &c->sub[x], grid->serial);
    ashi_transfer *transfer = ashi_cache_find(grid->cache, &shape);
    if (transfer && ashi_transfer_serves(transfer, grid, ld))
        return transfer;
    if (transfer)
        ashi_cache_drop(grid->cache, &shape);
    transfer = make(c, grid);
    if (transfer)
        ashi_cache_put(grid->cache, &shape, transfer, ashi_transfer_free);
    return transfer;
}

/* ---- calls ---- */

static void transpose(const tran_call *c, ashi_grid *grid)
{
    const ashi_tran_arguments *g = c->given;
    const int64_t ld[2] = {c->sub[0].of.ld, c->sub[1].of.ld};
    const double start = MPI_Wtime();
    ashlar_error err = {0};
    ashi_transfer *transfer = transfer_of(c, grid, ld);
    if (!transfer || !transfer->mover) {
        hand_over(c, transfer ? transfer->reason : "there is no memory");
    } else {
        ashlar_status status = ashi_transfer_run(transfer, grid, c->type, ld, g->alpha, g->a, g->beta, g->c, &err);
        if (status == ASHLAR_OK && ashi_place_is_replicated(&c->sub[1], &grid->at))
            status = ashi_replicate(grid, &c->sub[1], c->type, g->c);
        if (status != ASHLAR_OK)
            ashi_blacs_give_up(c->sub[0].of.context, routines[c->which].routine,
                               err.text[0] ? err.text : ashlar_status_text(status), NULL);
    }
    if (transfer && transfer->logs)
        ashi_log_count(transfer->line, MPI_Wtime() - start);
}

void ashi_tran(ashlar_type type, ashlar_op op, const ashi_tran_arguments *given)
{
    const tran_call call = read(type, op, given);
    const int context = call.sub[0].of.context;
    ashi_grid *grid = NULL;
    ashlar_error err = {0};
    if (ashi_blacs_grid(context).rows < 0) {
        ashi_blacs_report(context, routines[call.which].routine, CONTEXT_GONE);
        return;
    }
    if (ashi_grid_of(context, &grid, &err) != ASHLAR_OK) {
        hand_over(&call, err.text);
        return;
    }
    const int info = check(&call, grid);
    if (info != 0)
        ashi_blacs_report(context, routines[call.which].routine, info);
    else if (!is_done(&call))
        transpose(&call, grid);
}
