/* p?gemr2d: the way of a call, from its arguments to its end. */
#include "pblas/gemr2d.h"

#include "pblas/announce.h"
#include "pblas/behind.h"
#include "pblas/check.h"
#include "pblas/place.h"
#include "pblas/transfer.h"

#include <stdio.h>
#include <stdlib.h>

/* Numbers of the arguments, and of entries of a descriptor of eleven. */
enum { M = 1, N, DESCA = 6, DESCB = 10, CONTEXT };
enum { ENTRY_CONTEXT = 2, SCALE = 100 };

typedef void (*gemr2d_function)(const int *m, const int *n, const void *a, const int *ia, const int *ja,
                                const int *desca, void *b, const int *ib, const int *jb, const int *descb,
                                const int *context);

static const struct {
    const char *name, *routine;
    ashlar_type type;
} routines[] = {[ASHI_GEMR2D_S] = {"psgemr2d_", "PSGEMR2D", ASHLAR_TYPE_S},
                [ASHI_GEMR2D_D] = {"pdgemr2d_", "PDGEMR2D", ASHLAR_TYPE_D},
                [ASHI_GEMR2D_C] = {"pcgemr2d_", "PCGEMR2D", ASHLAR_TYPE_C},
                [ASHI_GEMR2D_Z] = {"pzgemr2d_", "PZGEMR2D", ASHLAR_TYPE_Z},
                [ASHI_GEMR2D_I] = {"pigemr2d_", "PIGEMR2D", ASHLAR_TYPE_S}};

typedef struct gemr2d_call {
    ashi_gemr2d_type which;
    ashlar_type type;
    const ashi_gemr2d_arguments *given;
    int m, n;
    ashi_grid *all;       /* of all processes that call */
    ashi_party party[2];
    bool complete;        /* all processes are in both grids, so that all know the whole shape */
} gemr2d_call;

static gemr2d_function scalapack(ashi_gemr2d_type which)
{
    static ashi_kept_function kept[5];
    return (gemr2d_function)ashi_behind(&kept[which], routines[which].name);
}

/* A descriptor of eleven entries; ScaLAPACK's routine would take the first nine for those of the short kind. */
static bool is_long(const int *desc)
{
    return desc[1] >= 0 && desc[0] == ASHI_DESCRIPTOR_LONG;
}

/* To the ScaLAPACK behind us; if it cannot serve the call, the program ends with the reason why we cannot. */
static void hand_over(const gemr2d_call *c, const char *reason)
{
    const ashi_gemr2d_arguments *g = c->given;
    const gemr2d_function gemr2d = scalapack(c->which);
    const bool fits = !is_long(g->desc[0]) && !is_long(g->desc[1]);
    if (gemr2d && fits)
        gemr2d(g->m, g->n, g->a, g->i[0], g->j[0], g->desc[0], g->b, g->i[1], g->j[1], g->desc[1], g->context);
    else
        ashi_blacs_give_up(*g->context, routines[c->which].routine, reason,
                           fits ? ASHI_NO_SCALAPACK : "ScaLAPACK does not move matrices with descriptors of type 2");
}

/* ---- arguments ---- */

/* A or B as this process sees it. Like ScaLAPACK's routine it looks at no DTYPE, except for that of the long kind. */
static ashi_party party_of(const gemr2d_call *c, int x)
{
    const ashi_gemr2d_arguments *g = c->given;
    ashi_party p = {.at = {-1, -1, -1, -1}, .sub = {.rows = c->m, .cols = c->n}};
    const int context = g->desc[x][1];
    if (context >= 0)
        p.at = ashi_blacs_grid(context);
    if (p.at.row < 0 || p.at.row >= p.at.rows || p.at.col < 0 || p.at.col >= p.at.cols) {
        p.at = (ashi_coordinates){-1, -1, -1, -1};
        return p;
    }
    p.sub.of = is_long(g->desc[x]) ? ashi_descriptor_read(g->desc[x]) : ashi_descriptor_read_short(g->desc[x]);
    p.sub.row = (int64_t)*g->i[x] - 1;
    p.sub.col = (int64_t)*g->j[x] - 1;
    return p;
}

/* Each process is in both grids, or one is not, and then all know: its own grid lacks it, or has fewer places. */
static bool is_complete(const gemr2d_call *c)
{
    const int processes = c->all->at.rows * c->all->at.cols;
    for (int x = 0; x < 2; x++)
        if (c->party[x].at.row < 0 || c->party[x].at.rows * c->party[x].at.cols != processes)
            return false;
    return true;
}

/* Sources of -1 are refused by pgemraux.c too. */
static int check(const gemr2d_call *c)
{
    const ashi_operand_place place[2] = {{M, N, DESCA, 'A', false}, {M, N, DESCB, 'B', false}};
    int info = 0;
    for (int x = 0; x < 2; x++) {
        const ashi_party *p = &c->party[x];
        const ashi_checked_call call = {routines[c->which].routine, p->sub.of.context, &p->at};
        if (p->at.row >= 0)
            info = ashi_descriptor_check(&p->sub, place[x], &call, info);
    }
    return info;
}

/* Both grids exist on some process; seen by all alike. */
static int check_exists(const gemr2d_call *c)
{
    for (int x = 0; x < 2; x++)
        if (c->party[x].at.rows < 1)
            return -((x ? DESCB : DESCA) * SCALE + ENTRY_CONTEXT);
    return 0;
}

/* ASHLAR_CHECK: all processes of a grid must say the same of its matrix, those outside say what they were told. */
static int check_same(const gemr2d_call *c)
{
    ashi_call_check all = {0};
    ashi_call_check_add(&all, M, 0, (int64_t)c->which * INT32_MAX + c->m); /* another type is another routine */
    ashi_call_check_add(&all, N, 0, c->n);
    ashi_call_check_add_submatrix(&all, DESCA, &c->party[0].sub);
    ashi_call_check_add_submatrix(&all, DESCB, &c->party[1].sub);
    return ashi_call_check_all(&all, c->all, routines[c->which].routine, 0);
}

/* ---- preparing ---- */

static void describe(const gemr2d_call *c, char *out, size_t room)
{
    const ashi_party *a = &c->party[0], *b = &c->party[1];
    snprintf(out, room, "%.8s %dx%d, blocks %dx%d %dx%d, grids %dx%d %dx%d", routines[c->which].name, c->m, c->n,
             a->sub.of.block_rows, a->sub.of.block_cols, b->sub.of.block_rows, b->sub.of.block_cols, a->at.rows,
             a->at.cols, b->at.rows, b->at.cols);
}

static ashi_transfer *make(const gemr2d_call *c)
{
    char text[200];
    ashlar_layout *layout[2] = {NULL, NULL};
    ashi_transfer_request q = {.type = c->type, .op = ASHLAR_OP_N, .grid = c->all, .text = text};
    describe(c, text, sizeof text);
    for (int x = 0; x < 2; x++) {
        const ashi_party *p = &c->party[x];
        int *ranks = ashi_announce_ranks(c->all, p);
        q.ld[x] = p->sub.of.ld;
        if (ranks)
            ashi_place_layout(&p->sub, &p->at, ranks, &layout[x], NULL);
        free(ranks);
    }
    q.from = layout[0];
    q.to = layout[1];
    ashi_transfer *transfer = ashi_transfer_make(&q);
    ashlar_layout_free(&layout[0]);
    ashlar_layout_free(&layout[1]);
    return transfer;
}

/* Grids are named by this process's serial numbers where all processes are in both, else by what was announced: in each
 * case a shape is found on all processes or on none. */
static ashi_call_shape shape_of(const gemr2d_call *c)
{
    ashi_call_shape shape = {0};
    ashi_shape_add(&shape, ASHI_ROUTINE_GEMR2D);
    ashi_shape_add(&shape, c->type);
    ashi_shape_add(&shape, c->complete);
    for (int x = 0; x < 2; x++) {
        const ashi_party *p = &c->party[x];
        ashi_shape_add(&shape, c->complete ? 0 : p->identity[0]);
        ashi_shape_add_submatrix(&shape, &p->sub, c->complete ? p->grid->serial : p->identity[1]);
    }
    return shape;
}

static ashi_transfer *transfer_of(const gemr2d_call *c)
{
    const ashi_call_shape shape = shape_of(c);
    ashi_transfer *transfer = ashi_cache_find(c->all->cache, &shape);
    if (transfer)
        return transfer;
    transfer = make(c);
    if (transfer)
        ashi_cache_put(c->all->cache, &shape, transfer, ashi_transfer_free);
    return transfer;
}

/* ---- calls ---- */

static void redistribute(const gemr2d_call *c)
{
    static const float s_one[2] = {1, 0}, s_zero[2] = {0, 0};
    static const double d_one[2] = {1, 0}, d_zero[2] = {0, 0};
    const bool single = c->type == ASHLAR_TYPE_S || c->type == ASHLAR_TYPE_C;
    const int64_t ld[2] = {c->party[0].sub.of.ld, c->party[1].sub.of.ld};
    const double start = MPI_Wtime();
    ashlar_error err = {0};
    ashi_transfer *transfer = transfer_of(c);
    if (!transfer || !transfer->mover) {
        hand_over(c, transfer ? transfer->reason : "there is no memory");
    } else {
        const ashlar_status status =
            ashi_transfer_run(transfer, c->all, c->type, ld, single ? (const void *)s_one : d_one, c->given->a,
                              single ? (const void *)s_zero : d_zero, c->given->b, &err);
        if (status != ASHLAR_OK)
            ashi_blacs_give_up(*c->given->context, routines[c->which].routine,
                               err.text[0] ? err.text : ashlar_status_text(status), NULL);
    }
    if (transfer && transfer->logs)
        ashi_log_count(transfer->line, MPI_Wtime() - start);
}

/* The grids of both matrices, where this process is in them. Each is collective over its own processes only, in one
 * order on all. */
static bool find_grids(gemr2d_call *c, ashlar_error *err)
{
    bool found = true;
    for (int x = 0; x < 2; x++) {
        ashlar_error own = {0};
        if (c->party[x].at.row < 0 || ashi_grid_of(c->party[x].sub.of.context, &c->party[x].grid, &own) == ASHLAR_OK)
            continue;
        found = false;
        *err = own;
    }
    return found;
}

/* What is wrong with the arguments; what processes do not know of them they then do. */
static int learn(gemr2d_call *c, bool *ready)
{
    int info = check(c);
    if (!c->complete || c->all->settings.check) {
        info = ashi_announce(c->all, c->party, ready, info);
        if (info == 0 && *ready)
            info = check_exists(c);
    }
    return info == 0 && *ready && c->all->settings.check ? check_same(c) : info;
}

void ashi_gemr2d(ashi_gemr2d_type which, const ashi_gemr2d_arguments *given)
{
    gemr2d_call c = {.which = which, .type = routines[which].type, .given = given, .m = *given->m, .n = *given->n};
    ashlar_error err = {0};
    if (c.m == 0 || c.n == 0)
        return;
    if (ashi_blacs_grid(*given->context).rows < 0) {
        ashi_blacs_report(*given->context, routines[which].routine, -CONTEXT);
        return;
    }
    if (ashi_grid_of(*given->context, &c.all, &err) != ASHLAR_OK) {
        hand_over(&c, err.text);
        return;
    }
    c.party[0] = party_of(&c, 0);
    c.party[1] = party_of(&c, 1);
    c.complete = is_complete(&c);
    bool ready = find_grids(&c, &err);
    const int info = learn(&c, &ready);
    if (info != 0)
        ashi_blacs_report(*given->context, routines[which].routine, info);
    else if (!ready)
        hand_over(&c, err.text[0] ? err.text : "a process cannot use its context");
    else
        redistribute(&c);
}
