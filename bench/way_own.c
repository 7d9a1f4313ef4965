/* Ashlar as a way to form a product of matrices in the plan's own layouts. */
#include "die.h"
#include "way.h"

#include <math.h>
#include <stdlib.h>

typedef struct own {
    ashlar_context *context;
    ashlar_plan *plan;
    double *part[3];
} own;

static const double one = 1, zero = 0;

/* This rank's tiles of a matrix; freed by the caller. */
static ashlar_tile *tiles_of(const own *s, ashlar_operand which, int rank, int64_t *count)
{
    ashlar_error err = {0};
    const ashlar_layout *layout = ashlar_plan_layout(s->plan, which);
    if (ashlar_layout_list_tiles(layout, rank, 0, NULL, count, &err) != ASHLAR_OK)
        ashi_die("%s", err.text);
    ashlar_tile *tile = ashi_need(*count, (long long)sizeof *tile);
    if (ashlar_layout_list_tiles(layout, rank, *count, tile, count, &err) != ASHLAR_OK)
        ashi_die("%s", err.text);
    return tile;
}

static double *place(const own *s, ashlar_operand which, const ashlar_tile *t, int64_t i, int64_t j)
{
    const bool by_cols = t->order == ASHLAR_COL_MAJOR;
    return s->part[which] + t->offset + (by_cols ? i + j * t->ld : i * t->ld + j);
}

static void fill(own *s, ashlar_operand which, const ashi_matrices *x)
{
    int64_t tiles = 0;
    ashlar_tile *tile = tiles_of(s, which, x->rank, &tiles);
    for (const ashlar_tile *t = tile; t < tile + tiles; t++)
        for (int64_t j = 0; j < t->cols; j++)
            for (int64_t i = 0; i < t->rows; i++)
                *place(s, which, t, i, j) =
                    which == ASHLAR_C ? NAN : ashi_matrices_element(x, which, t->row + i, t->col + j);
    free(tile);
}

/* Up to `samples` elements of each tile. */
static double error_of(const ashi_way *way, const ashi_matrices *x, int64_t samples)
{
    const own *s = way->state;
    int64_t tiles = 0;
    double worst = 0;
    ashlar_tile *tile = tiles_of(s, ASHLAR_C, x->rank, &tiles);
    for (const ashlar_tile *t = tile; t < tile + tiles; t++) {
        const int64_t all = t->rows * t->cols, step = all > samples ? all / samples : 1;
        for (int64_t at = 0; at < all; at += step) {
            const int64_t i = at % t->rows, j = at / t->rows;
            worst = fmax(worst, ashi_matrices_error_at(x, t->row + i, t->col + j, *place(s, ASHLAR_C, t, i, j)));
        }
    }
    free(tile);
    return worst;
}

static void run(ashi_way *way, const ashi_matrices *x, double *c)
{
    ashlar_error err = {0};
    const own *s = way->state;
    (void)x;
    (void)c;
    if (ashlar_plan_execute(s->plan, &one, s->part[0], s->part[1], &zero, s->part[2], &err) != ASHLAR_OK)
        ashi_die("%s", err.text);
}

static void close_own(ashi_way *way)
{
    own *s = way->state;
    for (int i = 0; i < 3; i++)
        free(s->part[i]);
    ashlar_plan_free(&s->plan);
    ashlar_context_free(&s->context);
    free(s);
    way->state = NULL;
}

ashi_way ashi_way_own(const char *name, const ashi_matrices *x, const ashlar_options *options, MPI_Comm comm)
{
    ashlar_error err = {0};
    ashlar_problem problem = x->problem;
    own *s = ashi_need(1, (long long)sizeof *s);
    problem.a = problem.b = problem.c = NULL;
    if (ashlar_context_create(comm, &s->context, &err) != ASHLAR_OK ||
        ashlar_plan_create(s->context, &problem, options, &s->plan, &err) != ASHLAR_OK)
        ashi_die("%s", err.text);
    for (int i = 0; i < 3; i++) {
        const int64_t count = ashlar_layout_extent(ashlar_plan_layout(s->plan, (ashlar_operand)i), x->rank);
        s->part[i] = ashi_need(count, (long long)sizeof(double));
        fill(s, (ashlar_operand)i, x);
    }
    return (ashi_way){.name = name, .state = s, .run = run, .close = close_own, .error = error_of};
}
