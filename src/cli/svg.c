/* A drawing of how the m x n x k box is cut among the ranks. */
#include "cli/svg.h"

#include "base/checked.h"
#include "base/error.h"
#include "cli/figures.h"
#include "strategy/cosma.h"
#include "strategy/uneven.h"
#include "strategy/uneven_cut.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    LONGEST = 300,  /* pixels of the longest side; the shortest has no less than a quarter of them */
    PARTS_DRAWN = 24, /* more cuts along a side could not be told apart */
    LEFT = 170, TOP = 80, LEGEND = 400, LINE = 19
};

/* The faces that are seen: C's in front on the left, A's in front on the right, B's on top. The marked cell is at the
 * corner where they meet, first along m and k and last along n. */
typedef struct drawing {
    FILE *file;
    const ashi_report *report;
    int64_t grid[3], drawn[3]; /* parts of m, n and k, and how many of them are drawn */
    int64_t side[3];           /* of the marked domain */
    ashi_cuboid *box;          /* of the uneven strategy; NULL for a grid */
    int64_t boxes;
    double length[3];          /* pixels along m, n, k */
    double x0, y0, width, height;
} drawing;

typedef struct point {
    double x, y;
} point;

/* m goes down, n to the right and down, k to the right and up. */
static point project(const drawing *d, double m, double n, double k)
{
    return (point){d->x0 + 0.866 * (n + k), d->y0 + m + 0.5 * (n - k)};
}

/* Sides keep their order, but extreme proportions are compressed until the shortest side can still be seen. */
static void measure(drawing *d)
{
    const int64_t *size = d->report->problem.size;
    const double most = (double)ashi_max(1, ashi_max(size[0], ashi_max(size[1], size[2])));
    const double least = (double)ashi_max(1, ashi_min(size[0], ashi_min(size[1], size[2])));
    const double power = most / least > 4 ? log(4) / log(most / least) : 1;
    for (int i = 0; i < 3; i++)
        d->length[i] = LONGEST * pow((double)ashi_max(1, size[i]) / most, power);
    const double across = d->length[1] + d->length[2];
    d->x0 = LEFT;
    d->y0 = TOP + 0.5 * d->length[2];
    d->width = LEFT + 0.866 * across + 60 + LEGEND;
    d->height = fmax(TOP + d->length[0] + 0.5 * across + 80, 440);
}

static void polygon(const drawing *d, const point p[4], const char *style)
{
    fprintf(d->file, "<polygon points=\"%.1f,%.1f %.1f,%.1f %.1f,%.1f %.1f,%.1f\" %s/>\n", p[0].x, p[0].y, p[1].x,
            p[1].y, p[2].x, p[2].y, p[3].x, p[3].y, style);
}

/* The three visible faces of the box from `lo` to `hi` (pixels along m, n, k). */
static void faces(const drawing *d, const double lo[3], const double hi[3], const char *const style[3])
{
    const point a[4] = {project(d, lo[0], hi[1], lo[2]), project(d, lo[0], hi[1], hi[2]),
                        project(d, hi[0], hi[1], hi[2]), project(d, hi[0], hi[1], lo[2])};
    const point b[4] = {project(d, lo[0], lo[1], lo[2]), project(d, lo[0], hi[1], lo[2]),
                        project(d, lo[0], hi[1], hi[2]), project(d, lo[0], lo[1], hi[2])};
    const point c[4] = {project(d, lo[0], lo[1], lo[2]), project(d, lo[0], hi[1], lo[2]),
                        project(d, hi[0], hi[1], lo[2]), project(d, hi[0], lo[1], lo[2])};
    polygon(d, a, style[0]);
    polygon(d, b, style[1]);
    polygon(d, c, style[2]);
}

static void line(const drawing *d, point from, point to)
{
    fprintf(d->file, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>\n", from.x, from.y, to.x, to.y);
}

/* A cut across dimension `along` shows as a line on each of the two faces that have that dimension. */
static void cuts(const drawing *d)
{
    const double *l = d->length;
    fputs("<g stroke=\"#555\" stroke-width=\"0.7\">\n", d->file);
    for (int along = 0; along < 3; along++)
        for (int64_t i = 1; i < d->drawn[along]; i++) {
            const double at = l[along] * (double)i / (double)d->drawn[along];
            const double m = along == 0 ? at : 0, n = along == 1 ? at : l[1], k = along == 2 ? at : 0;
            const point corner = project(d, m, n, k);
            line(d, corner, along == 0   ? project(d, m, 0, 0)
                            : along == 1 ? project(d, l[0], n, 0)
                                         : project(d, l[0], l[1], k));
            line(d, corner, along == 0 ? project(d, m, l[1], l[2])
                            : along == 1 ? project(d, 0, n, l[2])
                                         : project(d, 0, 0, k));
        }
    fputs("</g>\n", d->file);
}

/* What is seen of uneven boxes: their faces where k, m and n begin and end as in the picture. */
static void box_faces(const drawing *d)
{
    const int64_t *size = d->report->problem.size;
    for (int64_t i = 0; i < d->boxes; i++) {
        const ashi_cuboid *b = &d->box[i];
        double lo[3], hi[3];
        for (int x = 0; x < 3; x++) {
            lo[x] = d->length[x] * (double)b->lo[x] / (double)size[x];
            hi[x] = d->length[x] * (double)b->hi[x] / (double)size[x];
        }
        const point a[4] = {project(d, lo[0], hi[1], lo[2]), project(d, lo[0], hi[1], hi[2]),
                            project(d, hi[0], hi[1], hi[2]), project(d, hi[0], hi[1], lo[2])};
        const point t[4] = {project(d, lo[0], lo[1], lo[2]), project(d, lo[0], hi[1], lo[2]),
                            project(d, lo[0], hi[1], hi[2]), project(d, lo[0], lo[1], hi[2])};
        const point c[4] = {project(d, lo[0], lo[1], lo[2]), project(d, lo[0], hi[1], lo[2]),
                            project(d, hi[0], hi[1], lo[2]), project(d, hi[0], lo[1], lo[2])};
        const char *const style = "fill=\"none\" stroke=\"#555\" stroke-width=\"0.7\"";
        if (b->hi[1] == size[1])
            polygon(d, a, style);
        if (b->lo[0] == 0)
            polygon(d, t, style);
        if (b->lo[2] == 0)
            polygon(d, c, style);
    }
}

/* The box at the corner where the faces that are seen meet. */
static const ashi_cuboid *corner_box(const drawing *d)
{
    int64_t i = 0;
    while (d->box[i].lo[0] != 0 || d->box[i].hi[1] != d->report->problem.size[1] || d->box[i].lo[2] != 0)
        i++;
    return &d->box[i];
}

static void text(const drawing *d, double x, double y, const char *anchor, const char *words)
{
    fprintf(d->file, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>\n", x, y, anchor, words);
}

/* What a side is, and into how many parts it is cut, beside the edge whose middle is at (x, y). */
static void side_label(const drawing *d, int along, double x, double y, const char *anchor)
{
    char words[96];
    snprintf(words, sizeof words, "%c = %" PRId64, "mnk"[along], d->report->problem.size[along]);
    text(d, x, y, anchor, words);
    if (d->box)
        return;
    snprintf(words, sizeof words, d->drawn[along] < d->grid[along] ? "%" PRId64 " parts (%" PRId64 " drawn)"
                                  : d->grid[along] == 1 ? "one part" : "%" PRId64 " parts",
             d->grid[along], d->drawn[along]);
    text(d, x, y + LINE, anchor, words);
}

static void side_labels(const drawing *d)
{
    const double *l = d->length;
    const point m = project(d, l[0] / 2, 0, 0), n = project(d, l[0], l[1] / 2, 0), k = project(d, l[0], l[1], l[2] / 2);
    side_label(d, 0, m.x - 10, m.y - 4, "end");
    side_label(d, 1, n.x - 8, n.y + 20, "end");
    side_label(d, 2, k.x + 8, k.y + 20, "start");
}

/* Words that the marked rank owns of a matrix in COSMA's own layout (strategy/cosma_grid.h says which). */
static int64_t own_words(const drawing *d, ashlar_operand x)
{
    const int64_t *s = d->side, *g = d->grid;
    const ashi_cosma_query query = ashi_cosma_query_of(&d->report->problem);
    int64_t cut[2];
    if (x == ASHLAR_A)
        return s[0] * ashi_cut_size(s[2], g[1], g[1] - 1);
    if (x == ASHLAR_B)
        return s[1] * ashi_cut_size(s[2], g[0], 0);
    ashi_cosma_c_cut(&query, g, cut);
    return ashi_cut_size(s[0], cut[0], 0) * ashi_cut_size(s[1], cut[1], 0);
}

static void swatch(const drawing *d, double x, double y, const char *fill)
{
    fprintf(d->file,
            "<rect x=\"%.1f\" y=\"%.1f\" width=\"26\" height=\"16\" fill=\"url(#%s)\" stroke=\"#000\"/>\n", x, y, fill);
}

/* Two lines about the marked domain's face on one matrix. */
static void legend_matrix(const drawing *d, ashlar_operand x, double left, double top)
{
    static const int side[3][2] = {{0, 2}, {2, 1}, {0, 1}};
    static const char *const name[3] = {"op(A)", "op(B)", "C"}, *const fill[3] = {"hatch-a", "hatch-b", "hatch-c"};
    const int64_t rows = d->side[side[x][0]], cols = d->side[side[x][1]], words = rows * cols;
    char row[160];
    swatch(d, left, top - 13, fill[x]);
    snprintf(row, sizeof row, "%s: %" PRId64 " x %" PRId64 " = %s words%s", name[x], rows, cols,
             ashi_figure_of((double)words, "").text, x == ASHLAR_C && d->side[2] < d->report->problem.size[2] ? " of partial sums" : "");
    text(d, left + 36, top, "start", row);
    if (d->report->layouts || d->box)
        return; /* what of it is the rank's own depends on the layouts */
    const int64_t own = own_words(d, x), received = x == ASHLAR_C ? (d->grid[2] - 1) * own : words - own;
    snprintf(row, sizeof row, "%s %s its own, %s received", ashi_figure_of((double)own, "").text,
             own == 1 ? "is" : "are", ashi_figure_of((double)received, "").text);
    text(d, left + 36, top + LINE, "start", row);
}

static void legend(const drawing *d)
{
    const ashi_candidate *c = &d->report->strategy[d->report->chosen];
    const double left = d->width - LEGEND + 10;
    double top = TOP + 20;
    char row[192];
    if (d->report->layouts)
        snprintf(row, sizeof row, "One rank&#8217;s domain, were the cut even");
    else if (d->box)
        snprintf(row, sizeof row, "The domain of rank %" PRId64, (int64_t)(corner_box(d) - d->box));
    else
        snprintf(row, sizeof row, "The domain of rank %" PRId64, (d->grid[1] - 1) * d->grid[2]);
    text(d, left, top, "start", row);
    for (int x = 0; x < 3; x++)
        legend_matrix(d, (ashlar_operand)x, left, top + LINE * 1.6 + x * LINE * 2.4);
    top += LINE * 9.4;
    snprintf(row, sizeof row, "Busiest rank: %s words received", ashi_figure_of((double)c->words_max, "").text);
    text(d, left, top, "start", row);
    snprintf(row, sizeof row, "Least possible: %s words", ashi_figure_of(d->report->bound.words, "").text);
    text(d, left, top + LINE, "start", row);
    snprintf(row, sizeof row, "Memory of the fullest rank: %s words", ashi_figure_of((double)c->memory_words, "").text);
    text(d, left, top + 2 * LINE, "start", row);
    snprintf(row, sizeof row, "%" PRId64 " of %" PRId64 " ranks used, %" PRId64 " round%s", c->ranks_used,
             d->report->problem.ranks, c->rounds, c->rounds == 1 ? "" : "s");
    text(d, left, top + 3 * LINE, "start", row);
    text(d, left, top + 4.6 * LINE, "start", "A word is one element. k M G: 10&#179; 10&#8310; 10&#8313;");
    text(d, left, top + 5.6 * LINE, "start", "Lengths are compressed where sides differ much.");
}

static void head(const drawing *d)
{
    const ashi_candidate *c = &d->report->strategy[d->report->chosen];
    fprintf(d->file,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\" "
            "font-family=\"sans-serif\" font-size=\"14\">\n<defs>\n"
            "<pattern id=\"hatch-a\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\"><rect width=\"6\" "
            "height=\"6\" fill=\"#8fb8de\"/><path d=\"M0 3h6\" stroke=\"#123\" stroke-width=\"1\"/></pattern>\n"
            "<pattern id=\"hatch-b\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\"><rect width=\"6\" "
            "height=\"6\" fill=\"#f4e3b2\"/><circle cx=\"3\" cy=\"3\" r=\"1\" fill=\"#432\"/></pattern>\n"
            "<pattern id=\"hatch-c\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\"><rect width=\"6\" "
            "height=\"6\" fill=\"#c97b63\"/><path d=\"M-1 7L7 -1\" stroke=\"#200\" stroke-width=\"1.2\"/></pattern>\n"
            "</defs>\n<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n",
            d->width, d->height, d->width, d->height);
    fprintf(d->file, "<text x=\"20\" y=\"32\" font-size=\"18\">%s: ", c->name);
    if (d->box)
        fprintf(d->file, "%" PRId64 " boxes", d->boxes);
    else
        fprintf(d->file, "grid %" PRId64 " x %" PRId64 " x %" PRId64, d->grid[0], d->grid[1], d->grid[2]);
    fprintf(d->file, " on %" PRId64 " ranks</text>\n", d->report->problem.ranks);
}

static void draw(void *context, FILE *file)
{
    drawing *d = context;
    static const char *const plain[3] = {"fill=\"#e4e4e4\" stroke=\"#000\"", "fill=\"#fafafa\" stroke=\"#000\"",
                                         "fill=\"#f0f0f0\" stroke=\"#000\""};
    static const char *const marked[3] = {"fill=\"url(#hatch-a)\" stroke=\"#000\" stroke-width=\"2\"",
                                          "fill=\"url(#hatch-b)\" stroke=\"#000\" stroke-width=\"2\"",
                                          "fill=\"url(#hatch-c)\" stroke=\"#000\" stroke-width=\"2\""};
    const double *l = d->length;
    const double none[3] = {0, 0, 0};
    double lo[3] = {0, l[1] - l[1] / (double)d->drawn[1], 0};
    double hi[3] = {l[0] / (double)d->drawn[0], l[1], l[2] / (double)d->drawn[2]};
    for (int x = 0; x < 3 && d->box; x++) {
        const double part = l[x] * (double)d->side[x] / (double)d->report->problem.size[x];
        lo[x] = x == 1 ? l[x] - part : 0;
        hi[x] = x == 1 ? l[x] : part;
    }
    d->file = file;
    head(d);
    faces(d, none, l, plain);
    if (d->box)
        box_faces(d);
    else
        cuts(d);
    faces(d, lo, hi, marked);
    side_labels(d);
    legend(d);
    fputs("</svg>\n", d->file);
}

ashlar_status ashi_svg_write(void (*write)(void *context, FILE *file), void *context, char **out, ashlar_error *err)
{
    char *text_made = NULL;
    size_t bytes = 0;
    FILE *file = open_memstream(&text_made, &bytes);
    *out = NULL;
    if (file)
        write(context, file);
    const bool failed = !file || ferror(file);
    if ((file && fclose(file) != 0) || failed) {
        free(text_made);
        return ashi_fail_memory(err, "svg", 1 << 16);
    }
    *out = text_made;
    return ASHLAR_OK;
}

static void measure_grid(const ashi_candidate *c, drawing *d)
{
    for (int i = 0; i < 3; i++) {
        d->grid[i] = c->grid[i];
        d->drawn[i] = ashi_min(c->grid[i], PARTS_DRAWN);
        d->side[i] = ashi_cut_size(d->report->problem.size[i], c->grid[i], i == 1 ? c->grid[i] - 1 : 0);
    }
}

static ashlar_status measure_boxes(drawing *d, ashlar_error *err)
{
    ashi_uneven_cut cut;
    const ashi_problem *q = &d->report->problem;
    const ashi_uneven_room room = ashi_uneven_room_of(q);
    ashi_uneven_search(q->size, q->ranks, &room, &cut);
    d->boxes = cut.ranks;
    d->box = malloc((size_t)cut.ranks * sizeof *d->box);
    if (!d->box)
        return ashi_fail_memory(err, "svg", cut.ranks * (int64_t)sizeof *d->box);
    ashi_uneven_boxes(&cut, d->box);
    for (int i = 0; i < 3; i++) {
        d->drawn[i] = 1;
        d->side[i] = corner_box(d)->hi[i] - corner_box(d)->lo[i];
    }
    return ASHLAR_OK;
}

ashlar_status ashi_svg_draw(const ashi_report *report, char **out, ashlar_error *err)
{
    const ashi_candidate *c = &report->strategy[report->chosen];
    drawing d = {.report = report};
    *out = NULL;
    if (c->grid[0] > 0)
        measure_grid(c, &d);
    else if (strcmp(c->name, "uneven") != 0)
        return ashi_fail(err, ASHLAR_ERR_UNSUPPORTED, "svg: only grids and uneven boxes are drawn, not those of %s",
                         c->name);
    else if (measure_boxes(&d, err) != ASHLAR_OK)
        return ASHLAR_ERR_MEMORY;
    measure(&d);
    const ashlar_status status = ashi_svg_write(draw, &d, out, err);
    free(d.box);
    return status;
}
