/* The rows of a bench of scenarios as tables in Markdown, the first like Table 4 of the COSMA paper. */
#include "evaluation/scenario_text.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* What a cell tells of a way in a scenario. */
typedef void (*cell)(const ashi_scenario_mean *mean, FILE *out);

/* Whether it serves any product: else it has no column. */
static bool serves(const ashi_scenario_rows *rows, int way)
{
    for (int64_t i = 0; i < rows->count; i++)
        if (rows->row[i].way == way && rows->row[i].applicable)
            return true;
    return false;
}

static void served_of(const ashi_scenario_mean *mean, FILE *out)
{
    if (mean->served < mean->counts)
        fprintf(out, " (%" PRId64 " of %" PRId64 ")", mean->served, mean->counts);
}

static void tell_megabytes(const ashi_scenario_mean *mean, FILE *out)
{
    fprintf(out, "%.4g", ashi_scenario_mb(mean->words));
    served_of(mean, out);
}

static void tell_ratio(const ashi_scenario_mean *mean, FILE *out)
{
    fprintf(out, "%.3f", mean->words_max / mean->bound);
}

static void tell_wins(const ashi_scenario_mean *mean, FILE *out)
{
    fprintf(out, "%" PRId64 " : %" PRId64, mean->more, mean->less);
}

static void head(const ashi_scenario_rows *rows, bool published, FILE *out)
{
    fputs("| shape | scaling |", out);
    for (int way = 0; ashi_scenario_way(way); way++)
        if (serves(rows, way))
            fprintf(out, " %s |", ashi_scenario_way(way));
    for (int r = 0; r < ASHI_RIVALS && published; r++)
        fprintf(out, " paper: %s |", ashi_rival_name((ashi_rival)r));
    fputs("\n|---|---|", out);
    for (int way = 0; ashi_scenario_way(way); way++)
        if (serves(rows, way))
            fputs("--:|", out);
    for (int r = 0; r < ASHI_RIVALS && published; r++)
        fputs("--:|", out);
    fputc('\n', out);
}

static void line(const ashi_scenario_rows *rows, ashi_shape shape, ashi_scaling scaling, cell tell, bool published,
                 FILE *out)
{
    bool any = false;
    for (int way = 0; ashi_scenario_way(way); way++) {
        const ashi_scenario_mean mean = ashi_scenario_mean_of(rows, shape, scaling, way);
        if (mean.counts == 0 || !serves(rows, way))
            continue;
        if (!any)
            fprintf(out, "| %s | %s |", ashi_shape_name(shape), ashi_scaling_name(scaling));
        any = true;
        fputc(' ', out);
        if (mean.served > 0)
            tell(&mean, out);
        else
            fputc('-', out);
        fputs(" |", out);
    }
    for (int r = 0; r < ASHI_RIVALS && any && published; r++)
        fprintf(out, " %g |", ashi_scenario_published(shape, scaling, (ashi_rival)r));
    if (any)
        fputc('\n', out);
}

static void table(const ashi_scenario_rows *rows, cell tell, bool published, FILE *out)
{
    head(rows, published, out);
    for (int shape = 0; shape < ASHI_SHAPES; shape++)
        for (int scaling = 0; scaling < ASHI_SCALINGS; scaling++)
            line(rows, (ashi_shape)shape, (ashi_scaling)scaling, tell, published, out);
    fputc('\n', out);
}

/* The number of a way; -1 if no row is of it. */
static int way_named(const ashi_scenario_rows *rows, const char *name)
{
    for (int way = 0; ashi_scenario_way(way); way++)
        if (strcmp(ashi_scenario_way(way), name) == 0)
            return serves(rows, way) ? way : -1;
    return -1;
}

/* Our way of what a library of the paper does, in the order of its libraries. */
static const char *const counterpart[ASHI_RIVALS] = {"summa", "2.5d", "carma", "cosma"};

static void ratios_head(const ashi_scenario_rows *rows, FILE *out)
{
    fputs("Words over COSMA's, ours over the counts of ranks that both serve, and the paper's:\n\n"
          "| shape | scaling |", out);
    for (int r = 0; r < ASHI_COSMA; r++)
        if (way_named(rows, counterpart[r]) >= 0)
            fprintf(out, " %s | paper: %s |", counterpart[r], ashi_rival_name((ashi_rival)r));
    fputs("\n|---|---|", out);
    for (int r = 0; r < ASHI_COSMA; r++)
        if (way_named(rows, counterpart[r]) >= 0)
            fputs("--:|--:|", out);
    fputc('\n', out);
}

static void ratios_line(const ashi_scenario_rows *rows, ashi_shape shape, ashi_scaling scaling, FILE *out)
{
    const int cosma = way_named(rows, counterpart[ASHI_COSMA]);
    if (ashi_scenario_mean_of(rows, shape, scaling, cosma).served == 0)
        return;
    fprintf(out, "| %s | %s |", ashi_shape_name(shape), ashi_scaling_name(scaling));
    for (int r = 0; r < ASHI_COSMA; r++) {
        const int way = way_named(rows, counterpart[r]);
        if (way < 0)
            continue;
        const double ratio = ashi_scenario_ratio(rows, shape, scaling, way, cosma);
        if (isnan(ratio))
            fputs(" - |", out);
        else
            fprintf(out, " %.2f |", ratio);
        fprintf(out, " %.2f |", ashi_scenario_published(shape, scaling, (ashi_rival)r) /
                                    ashi_scenario_published(shape, scaling, ASHI_COSMA));
    }
    fputc('\n', out);
}

/* Ratios, which compare where megabytes do not, if COSMA and another of the paper's ways are there. */
static void ratios(const ashi_scenario_rows *rows, FILE *out)
{
    bool any = false;
    for (int r = 0; r < ASHI_COSMA; r++)
        any = any || way_named(rows, counterpart[r]) >= 0;
    if (!any || way_named(rows, counterpart[ASHI_COSMA]) < 0)
        return;
    ratios_head(rows, out);
    for (int shape = 0; shape < ASHI_SHAPES; shape++)
        for (int scaling = 0; scaling < ASHI_SCALINGS; scaling++)
            ratios_line(rows, (ashi_shape)shape, (ashi_scaling)scaling, out);
    fputc('\n', out);
}

/* Where a way's words in a scenario are those of a sample of the ranks, and why some counts are not served. */
static void tell_limits(const ashi_scenario_mean *mean, const char *way, const char *shape, const char *scaling,
                        FILE *out)
{
    if (mean->sampled > 0)
        fprintf(out, "* %s, %s %s: a sample of the ranks on %" PRId64 " of %" PRId64 " counts\n", way, shape, scaling,
                mean->sampled, mean->counts);
    if (mean->reason)
        fprintf(out, "* %s, %s %s: %s\n", way, shape, scaling, mean->reason);
}

/* One reason for each way that does not serve all counts of some scenario; one in all where it serves none. */
static void limits(const ashi_scenario_rows *rows, FILE *out)
{
    for (int way = 0; ashi_scenario_way(way); way++) {
        const char *const name = ashi_scenario_way(way), *reason = NULL;
        const bool any = serves(rows, way);
        for (int i = 0; i < ASHI_SHAPES * ASHI_SCALINGS; i++) {
            const ashi_shape shape = (ashi_shape)(i / ASHI_SCALINGS);
            const ashi_scaling scaling = (ashi_scaling)(i % ASHI_SCALINGS);
            const ashi_scenario_mean mean = ashi_scenario_mean_of(rows, shape, scaling, way);
            reason = reason ? reason : mean.reason;
            if (any)
                tell_limits(&mean, name, ashi_shape_name(shape), ashi_scaling_name(scaling), out);
        }
        if (!any && reason)
            fprintf(out, "* %s: %s\n", name, reason);
    }
}

void ashi_scenario_table(const ashi_scenario_rows *rows, FILE *out)
{
    fputs("Mean words a rank that works receives, in MB of 8-byte words, over the counts of ranks "
          "(how many are served):\n\n", out);
    table(rows, tell_megabytes, true, out);
    ratios(rows, out);
    fputs("Words of the busiest rank over the lower bound, means over the same counts:\n\n", out);
    table(rows, tell_ratio, false, out);
    fputs("On how many counts of ranks the planner's busiest rank receives fewer words : more words:\n\n", out);
    table(rows, tell_wins, false, out);
    limits(rows, out);
}

static void number(double value, FILE *out)
{
    if (isnan(value))
        fputs(" |", out);
    else
        fprintf(out, " %.0f |", value);
}

void ashi_landmarks_table(const ashi_landmark marks[ASHI_LANDMARKS], FILE *out)
{
    fputs("\n| case | m x n x k | ranks | way | printed | touched | arriving | grid | counted |\n"
          "|---|---|--:|---|--:|--:|--:|---|--:|\n", out);
    for (int i = 0; i < ASHI_LANDMARKS; i++) {
        const ashi_landmark *l = &marks[i];
        fprintf(out, "| %s | %" PRId64 " x %" PRId64 " x %" PRId64 " | %" PRId64 " | %s |", l->source, l->size[0],
                l->size[1], l->size[2], l->ranks, l->name);
        number(l->printed, out);
        number(l->touched, out);
        number(l->arriving, out);
        fprintf(out, " %" PRId64 "x%" PRId64 "x%" PRId64 " | %" PRId64 " |\n", l->grid[0], l->grid[1], l->grid[2],
                l->counted);
    }
    fprintf(out, "\nFigure 5: %s saves %.1f %% of %s's whole faces, and %.1f %% of the words that arrive.\n",
            marks[9].name, 100 * (1 - marks[9].touched / marks[8].touched), marks[8].name,
            100 * (1 - (double)marks[9].counted / (double)marks[8].counted));
}
