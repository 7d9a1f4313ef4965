/* Figures like 6 and 7 of the COSMA paper: a script for gnuplot, and the columns that it reads. */
#include "evaluation/scenario_text.h"

#include <inttypes.h>

/* A curve is a way, or the bound, in one scenario: one block of the columns. */
enum { BOUND = -1 };

/* Of a figure: a plot without its legend, a line of that, both in points; columns of a legend. */
enum { PLOT_HEIGHT = 400, LINE_HEIGHT = 20, LEGENDS = 3 };

typedef void (*curve_visit)(const ashi_scenario_rows *rows, ashi_shape shape, ashi_scaling scaling, int way,
                            int64_t index, FILE *out);

static bool is_served(const ashi_scenario_rows *rows, ashi_shape shape, ashi_scaling scaling, int way)
{
    return ashi_scenario_mean_of(rows, shape, scaling, way).served > 0;
}

/* The curves of one scenario, the bound last, numbered on from `index`; returns the next number. */
static int64_t each_curve(const ashi_scenario_rows *rows, ashi_shape shape, ashi_scaling scaling, int64_t index,
                          curve_visit visit, FILE *out)
{
    bool any = false;
    for (int way = 0; ashi_scenario_way(way); way++) {
        if (!is_served(rows, shape, scaling, way))
            continue;
        visit(rows, shape, scaling, way, index++, out);
        any = true;
    }
    if (any)
        visit(rows, shape, scaling, BOUND, index++, out);
    return index;
}

static void write_block(const ashi_scenario_rows *rows, ashi_shape shape, ashi_scaling scaling, int way,
                        int64_t index, FILE *out)
{
    int64_t last = 0; /* counts ascend within a scenario */
    fprintf(out, "# %" PRId64 ": %s, %s, %s: ranks, MB\n", index, ashi_shape_name(shape), ashi_scaling_name(scaling),
            way == BOUND ? "bound" : ashi_scenario_way(way));
    for (int64_t i = 0; i < rows->count; i++) {
        const ashi_scenario_row *r = &rows->row[i];
        const bool wanted = way == BOUND ? r->ranks > last : r->way == way && r->applicable;
        if (r->shape != shape || r->scaling != scaling || !wanted)
            continue;
        const double words = way == BOUND ? r->bound : (double)r->words_total / (double)r->ranks_used;
        fprintf(out, "%" PRId64 " %.9g\n", r->ranks, ashi_scenario_mb(words));
        last = r->ranks;
    }
    fputs("\n\n", out);
}

static void write_curve(const ashi_scenario_rows *rows, ashi_shape shape, ashi_scaling scaling, int way,
                        int64_t index, FILE *out)
{
    (void)rows;
    (void)shape;
    (void)scaling;
    if (way == BOUND)
        fprintf(out, "\"words.dat\" index %" PRId64 " using 1:2 with lines ls 20 title \"bound\"\n", index);
    else
        fprintf(out, "\"words.dat\" index %" PRId64 " using 1:2 with linespoints ls %d title \"%s\", ", index,
                way + 1, ashi_scenario_way(way));
}

void ashi_scenario_columns(const ashi_scenario_rows *rows, FILE *out)
{
    int64_t index = 0;
    for (int shape = 0; shape < ASHI_SHAPES; shape++)
        for (int scaling = 0; scaling < ASHI_SCALINGS; scaling++)
            index = each_curve(rows, (ashi_shape)shape, (ashi_scaling)scaling, index, write_block, out);
}

/* The most curves of any scenario of a shape, the bound among them. */
static int curves_most(const ashi_scenario_rows *rows, ashi_shape shape)
{
    int most = 0;
    for (int scaling = 0; scaling < ASHI_SCALINGS; scaling++) {
        int curves = 1;
        for (int way = 0; ashi_scenario_way(way); way++)
            curves += is_served(rows, shape, (ashi_scaling)scaling, way);
        most = curves > most ? curves : most;
    }
    return most;
}

/* Legends are below the titles of the axes, which have room for as many lines as the longest has. */
static void begin_figure(const ashi_scenario_rows *rows, ashi_shape shape, FILE *out)
{
    const int lines = (curves_most(rows, shape) + LEGENDS - 1) / LEGENDS;
    fprintf(out, "\nset terminal svg size 1260,%d noenhanced font \"sans-serif,12\" background \"white\"\n"
                 "set bmargin %d\nset key at graph 0.5, screen 0.02 center bottom vertical maxrows %d samplen 2\n",
            PLOT_HEIGHT + LINE_HEIGHT * lines, lines + 4, lines);
    fprintf(out, "set output \"words-%s.svg\"\nset multiplot layout 1,3 title \"%s: mean words that a rank "
                 "that works receives, counted by walking schedules\"\n",
            ashi_shape_name(shape), ashi_shape_name(shape));
}

static void styles(FILE *out)
{
    static const char *const tone[] = {"#000000", "#c0392b", "#2471a3", "#1e8449", "#af7ac5",
                                       "#b9770e", "#707b7c", "#17a589", "#7d6608", "#5d6d7e"};
    const int tones = (int)(sizeof tone / sizeof tone[0]);
    for (int i = 0; i < 2 * tones - 1; i++)
        fprintf(out, "set style line %d lc rgb \"%s\" lw 1.5 dt %d pt %d ps 0.5\n", i + 1, tone[i % tones], i % 5 + 1,
                i % 12 + 4);
    fputs("set style line 20 lc rgb \"#000000\" lw 1 dt 3\n", out);
}

void ashi_scenario_script(const ashi_scenario_rows *rows, FILE *out)
{
    int64_t index = 0;
    fputs("# Run in this folder: gnuplot words.gp\n"
          "set encoding utf8\nset grid ytics lc rgb \"#dddddd\" dt 1\nset border 3\nset tics nomirror\n"
          "set logscale x 2\nset logscale y\nset xlabel \"ranks\"\nset ylabel \"MB a rank\"\n"
          "set xtics 4\n", out);
    styles(out);
    for (int shape = 0; shape < ASHI_SHAPES; shape++) {
        bool begun = false;
        for (int scaling = 0; scaling < ASHI_SCALINGS; scaling++) {
            bool any = false;
            for (int way = 0; ashi_scenario_way(way) && !any; way++)
                any = is_served(rows, (ashi_shape)shape, (ashi_scaling)scaling, way);
            if (!any)
                continue;
            if (!begun)
                begin_figure(rows, (ashi_shape)shape, out);
            begun = true;
            fprintf(out, "set title \"%s\"\nplot ", ashi_scaling_name((ashi_scaling)scaling));
            index = each_curve(rows, (ashi_shape)shape, (ashi_scaling)scaling, index, write_curve, out);
        }
        if (begun)
            fputs("unset multiplot\n", out);
    }
}
