/* What plan and simulate say of a product of matrices of tiles, as text and as JSON. */
#include "base/checked.h"
#include "base/type.h"
#include "cli/figures.h"
#include "cli/plan_tiles.h"
#include "cli/report.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

/* ---- what follows from the plan ---- */

/* Sizes of a side's tiles, without those of no index. */
static void extremes(const ashi_cuts *cuts, double *least, double *most)
{
    *least = INFINITY;
    *most = 0;
    for (int64_t t = 0; t < cuts->tiles; t++) {
        const double size = (double)ashi_cuts_size(cuts, t);
        if (size == 0)
            continue;
        *least = fmin(*least, size);
        *most = fmax(*most, size);
    }
}

static double ratio_of(const ashi_cuts *cuts)
{
    double least, most;
    extremes(cuts, &least, &most);
    return most > 0 ? most / least : 1;
}

double ashi_tiles_words_ratio(const ashi_tiles_case *c)
{
    return ratio_of(&c->cuts[0]) * ratio_of(&c->cuts[1]);
}

double ashi_tiles_work_ratio(const ashi_tiles_case *c)
{
    return ashi_tiles_words_ratio(c) * ratio_of(&c->cuts[2]);
}

static const ashi_sparse_totals *totals_of(const ashi_tiles_case *c)
{
    return &c->plan.of[ASHI_DEALT_BY_TURNS].totals;
}

/* The process with the most words over the one with the fewest; 0 if that has none. */
static double share_ratio(const ashi_sparse_totals *t)
{
    return t->share_least > 0 ? (double)t->share_most / (double)t->share_least : 0;
}

static double flops_of(const ashi_tiles_case *c)
{
    return (double)totals_of(c)->multiplies * ashi_type_of(c->problem.type)->flops;
}

/* Of all tiles, if they were there. */
static double full_flops(const ashi_tiles_case *c)
{
    const int64_t *size = c->problem.size;
    return (double)size[0] * (double)size[1] * (double)size[2] * ashi_type_of(c->problem.type)->flops;
}

static double c_density(const ashi_tiles_case *c)
{
    const double all = (double)c->problem.size[0] * (double)c->problem.size[1];
    return all > 0 ? (double)totals_of(c)->c_words / all : 0;
}

/* ---- text ---- */

static void print_factor(const char *name, const ashi_tiles_factor *x)
{
    double row[2], col[2];
    extremes(&x->row, &row[0], &row[1]);
    extremes(&x->col, &col[0], &col[1]);
    printf("%s        %" PRId64 " x %" PRId64 " in %" PRId64 " x %" PRId64 " tiles", name, ashi_cuts_all(&x->row),
           ashi_cuts_all(&x->col), x->row.tiles, x->col.tiles);
    if (row[1] > 0 && col[1] > 0)
        printf(" of %.0f-%.0f x %.0f-%.0f", row[0], row[1], col[0], col[1]);
    printf(", %" PRId64 " stored, %.3g %% full", x->pattern.tiles, 100 * x->density);
    if (x->rank)
        printf("; %" PRId64 " of low rank, %" PRId64 " words in all", x->low_tiles, x->words);
    putchar('\n');
}

static void print_problem(const ashi_tiles_case *c)
{
    const ashi_sparse_totals *t = totals_of(c);
    ashi_problem_print(&c->problem);
    if (flops_of(c) < full_flops(c))
        printf("of that  %s, since tiles are absent: %.3g %%\n", ashi_figure_of(flops_of(c), "flop").text,
               100 * flops_of(c) / full_flops(c));
    print_factor("A", &c->x[0]);
    print_factor("B", &c->x[1]);
    printf("C        %" PRId64 " tiles, %.3g %% full; %s a rank\n", t->c_tiles, 100 * c_density(c),
           ashi_figure_of(ashi_tiles_for_each(c), "").text);
    printf("tiles    smallest to largest: of C 1:%.2f in words, products 1:%.2f in work\n", ashi_tiles_words_ratio(c),
           ashi_tiles_work_ratio(c));
    printf("grid     %" PRId64 "x%" PRId64 ", on which C stays: SUMMA over tiles\n", c->plan.grid[0], c->plan.grid[1]);
}

static void print_window(const ashi_tiles_case *c)
{
    const ashi_sparse_plan *p = &c->plan;
    const double each = p->paper.a + p->paper.b;
    const char *why = p->fitted ? "the most that fit" : c->request.window > 0 ? "as asked for" : "by eq. (1)";
    printf("window   %" PRId64 " of %" PRId64 " iterations in flight, %s; eq. (1) gives %" PRId64 "\n", p->window,
           totals_of(c)->iterations, why, p->paper_window);
    printf("         their tiles are %" PRId64 " words at most, on the busiest rank in its worst window (exact)\n",
           totals_of(c)->in_flight_most);
    printf("         eq. (2) gives %s words an iteration for A and B, %s for %" PRId64
           "; (2) is an average of full matrices, not a bound\n", ashi_figure_of(each, "").text,
           ashi_figure_of(each * (double)p->window, "").text, p->window);
}

static void print_row(const ashi_tiles_case *c, ashi_tile_dealing how)
{
    const ashi_sparse_figures *f = &c->plan.of[how];
    const ashi_sparse_totals *t = &f->totals;
    char shares[24] = "-";
    if (share_ratio(t) > 0)
        snprintf(shares, sizeof shares, "1:%.3f", share_ratio(t));
    printf("  %-10s %9.3f %10s %14" PRId64 " %14.1f %10" PRId64 " %14" PRId64 " %9s\n", ashi_tile_dealing_name(how),
           t->imbalance, shares, t->received_most, t->received_mean, t->messages_most, t->peak_most,
           ashi_figure_seconds(f->seconds).text);
}

static void print_play(const ashi_tiles_case *c)
{
    const ashi_joint_play *p = &c->play;
    const double all = p->seconds > 0 ? p->seconds : 1;
    if (c->unplayed)
        puts("\nplayed   not: there are too many tiles or tasks; the seconds above are those of the busiest rank, and "
             "nothing overlaps");
    if (p->played)
        printf("\nplayed   %s by turns with what overlaps and what waits (%" PRId64 " tasks); busy are, at most: cores "
               "%.0f %%, network %.0f %%\n", ashi_figure_seconds(p->seconds).text, p->tasks,
               100 * p->busy[ASHI_LANE_CORES] / all, 100 * p->busy[ASHI_LANE_NETWORK] / all);
}

static void print_device(const ashi_tiles_case *c)
{
    const ashi_plan_device *d = &c->device;
    ashi_plan_device_print(d);
    if (d->device && ashi_tiles_are_low(c))
        puts("         products with tiles of low rank are the host's");
    else if (d->device && c->ways.chosen > 0)
        puts("         these are the figures of C in one layer");
    if (d->device && c->problem.memory_words > 0)
        puts("         without the limit of the host's memory, for which k may have to be cut more finely");
}

void ashi_plan_tiles_print(const ashi_tiles_case *c)
{
    print_problem(c);
    print_window(c);
    printf("\n  %-10s %9s %10s %14s %14s %10s %14s %9s\n", "dealt out", "imbalance", "shares", "words/rank", "mean",
           "messages", "held at once", "predicted");
    for (ashi_tile_dealing how = ASHI_DEALT_BY_TURNS; how < ASHI_TILE_DEALINGS; how++)
        print_row(c, how);
    ashi_plan_tiles_print_ways(c);
    print_device(c);
    print_play(c);
    if (totals_of(c)->c_tiles > 0 && ashi_tiles_for_each(c) < ASHI_TILES_ENOUGH)
        printf("\nwarning  %.3g tiles of C a rank are fewer than %d: the work can hardly be even, and little "
               "overlaps\n", ashi_tiles_for_each(c), (int)ASHI_TILES_ENOUGH);
}

/* ---- JSON ---- */

static json_t *factor_json(const ashi_tiles_factor *x)
{
    return json_pack("{s:I, s:I, s:I, s:f, s:I, s:I}", "tile_rows", (json_int_t)x->row.tiles, "tile_columns",
                     (json_int_t)x->col.tiles, "tiles", (json_int_t)x->pattern.tiles, "density", x->density,
                     "low_rank_tiles", (json_int_t)x->low_tiles, "words", (json_int_t)x->words);
}

static json_t *row_json(const ashi_tiles_case *c, ashi_tile_dealing how)
{
    const ashi_sparse_figures *f = &c->plan.of[how];
    const ashi_sparse_totals *t = &f->totals;
    return json_pack("{s:s, s:b, s:s, s:[I, I, i], s:I, s:I, s:I, s:f, s:I, s:I, s:I, s:I, s:f, s:f, s:f}", "name",
                     ashi_tile_dealing_name(how), "applicable", 1, "reason",
                     how == ASHI_DEALT_BY_TURNS ? "what the library does of itself" : "to compare with", "grid",
                     (json_int_t)c->plan.grid[0], (json_int_t)c->plan.grid[1], 1, "ranks_used",
                     (json_int_t)(c->plan.grid[0] * c->plan.grid[1]), "rounds", (json_int_t)t->iterations, "words_max",
                     (json_int_t)t->received_most, "words_mean", t->received_mean, "words_total",
                     (json_int_t)t->received, "messages_max", (json_int_t)t->messages_most, "memory_words",
                     (json_int_t)t->peak_most, "disk_words", (json_int_t)0, "imbalance", t->imbalance, "share_ratio",
                     share_ratio(t), "seconds", f->seconds);
}

static json_t *window_json(const ashi_tiles_case *c)
{
    const ashi_sparse_plan *p = &c->plan;
    return json_pack("{s:I, s:b, s:I, s:I, s:I, s:{s:f, s:f, s:f}}", "in_flight", (json_int_t)p->window, "fitted",
                     (int)p->fitted, "iterations", (json_int_t)totals_of(c)->iterations, "words",
                     (json_int_t)totals_of(c)->in_flight_most, "equation_1", (json_int_t)p->paper_window, "equation_2",
                     "a", p->paper.a, "b", p->paper.b, "c", p->paper.c);
}

static json_t *tiles_json(const ashi_tiles_case *c)
{
    return json_pack("{s:o, s:o, s:{s:I, s:I, s:f}, s:f, s:f, s:f, s:b}", "a", factor_json(&c->x[0]), "b",
                     factor_json(&c->x[1]), "c", "tiles", (json_int_t)totals_of(c)->c_tiles, "words",
                     (json_int_t)totals_of(c)->c_words, "density", c_density(c), "words_ratio",
                     ashi_tiles_words_ratio(c), "work_ratio", ashi_tiles_work_ratio(c), "of_c_a_rank",
                     ashi_tiles_for_each(c), "too_few", (int)(ashi_tiles_for_each(c) < ASHI_TILES_ENOUGH));
}

json_t *ashi_plan_tiles_json(const ashi_tiles_case *c)
{
    const char type[2] = {ashi_type_of(c->problem.type)->letter, '\0'};
    json_t *rows = json_array();
    for (ashi_tile_dealing how = ASHI_DEALT_BY_TURNS; how < ASHI_TILE_DEALINGS; how++)
        json_array_append_new(rows, row_json(c, how));
    json_t *root = json_pack(
        "{s:i, s:{s:I, s:I, s:I, s:s, s:I, s:o}, s:n, s:o, s:s, s:o, s:o, s:o, s:o, s:f}", "schema", 1, "problem", "m",
        (json_int_t)c->problem.size[0], "n", (json_int_t)c->problem.size[1], "k", (json_int_t)c->problem.size[2],
        "type", type, "ranks", (json_int_t)c->problem.ranks, "memory_words",
        ashi_json_limit(c->problem.memory_words), "bound", "strategies", rows, "chosen",
        ashi_tile_dealing_name(ASHI_DEALT_BY_TURNS), "tiles", tiles_json(c), "window", window_json(c),
        "ways", ashi_plan_tiles_ways_json(c), "device",
        ashi_plan_device_json(&c->device), "flops", flops_of(c));
    if (root && c->wish->plays)
        json_object_set_new(root, "play", ashi_play_json(&c->play));
    return root;
}
