/* A drawing of how the m x n x k box is cut among the ranks. */
#include "cli/svg.h"

#include "base/checked.h"
#include "base/error.h"
#include "cli/svg_box.h"
#include "draw/svg_write.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum {
    LONGEST = 300,    /* pixels of the longest side; the shortest has no less than a quarter of them */
    PARTS_DRAWN = 24, /* more cuts along a side could not be told apart */
    LEFT = 170
};

/* Sides keep their order, but extreme proportions are compressed until the shortest side can still be seen. */
static void measure(ashi_svg_box *d)
{
    const int64_t *size = d->report->problem.size;
    const double most = (double)ashi_max(1, ashi_max(size[0], ashi_max(size[1], size[2])));
    const double least = (double)ashi_max(1, ashi_min(size[0], ashi_min(size[1], size[2])));
    const double power = most / least > 4 ? log(4) / log(most / least) : 1;
    for (int i = 0; i < 3; i++)
        d->length[i] = LONGEST * pow((double)ashi_max(1, size[i]) / most, power);
    const double across = d->length[1] + d->length[2];
    d->x0 = LEFT;
    d->y0 = ASHI_SVG_TOP + 0.5 * d->length[2];
    d->width = LEFT + 0.866 * across + 60 + ASHI_SVG_LEGEND;
    d->height = fmax(ASHI_SVG_TOP + d->length[0] + 0.5 * across + 80, 440);
}

static void polygon(const ashi_svg_box *d, const ashi_svg_point p[4], const char *style)
{
    fprintf(d->file, "<polygon points=\"%.1f,%.1f %.1f,%.1f %.1f,%.1f %.1f,%.1f\" %s/>\n", p[0].x, p[0].y, p[1].x,
            p[1].y, p[2].x, p[2].y, p[3].x, p[3].y, style);
}

/* The visible faces, A's, B's and C's, of the box from `lo` to `hi` (pixels along m, n, k). Style NULL: not drawn. */
static void faces(const ashi_svg_box *d, const double lo[3], const double hi[3], const char *const style[3])
{
    static const bool far[3][4][3] = {{{0, 1, 0}, {0, 1, 1}, {1, 1, 1}, {1, 1, 0}},
                                      {{0, 0, 0}, {0, 1, 0}, {0, 1, 1}, {0, 0, 1}},
                                      {{0, 0, 0}, {0, 1, 0}, {1, 1, 0}, {1, 0, 0}}};
    for (int x = 0; x < 3; x++) {
        ashi_svg_point corner[4];
        for (int i = 0; i < 4; i++) {
            const bool *is = far[x][i];
            corner[i] = ashi_svg_project(d, is[0] ? hi[0] : lo[0], is[1] ? hi[1] : lo[1], is[2] ? hi[2] : lo[2]);
        }
        if (style[x])
            polygon(d, corner, style[x]);
    }
}

static void line(const ashi_svg_box *d, ashi_svg_point from, ashi_svg_point to)
{
    fprintf(d->file, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>\n", from.x, from.y, to.x, to.y);
}

/* A cut across dimension `along` shows as a line on each of the two faces that have that dimension. */
static void cuts(const ashi_svg_box *d)
{
    const double *l = d->length;
    fputs("<g stroke=\"#555\" stroke-width=\"0.7\">\n", d->file);
    for (int along = 0; along < 3; along++)
        for (int64_t i = 1; i < d->drawn[along]; i++) {
            const double at = l[along] * (double)i / (double)d->drawn[along];
            const double m = along == 0 ? at : 0, n = along == 1 ? at : l[1], k = along == 2 ? at : 0;
            const ashi_svg_point corner = ashi_svg_project(d, m, n, k);
            line(d, corner, along == 0   ? ashi_svg_project(d, m, 0, 0)
                            : along == 1 ? ashi_svg_project(d, l[0], n, 0)
                                         : ashi_svg_project(d, l[0], l[1], k));
            line(d, corner, along == 0 ? ashi_svg_project(d, m, l[1], l[2])
                            : along == 1 ? ashi_svg_project(d, 0, n, l[2])
                                         : ashi_svg_project(d, 0, 0, k));
        }
    fputs("</g>\n", d->file);
}

/* What is seen of boxes of any shape: their faces where k, m and n begin and end as in the picture. */
static void box_faces(const ashi_svg_box *d)
{
    static const char *const outline = "fill=\"none\" stroke=\"#555\" stroke-width=\"0.7\"";
    const int64_t *size = d->report->problem.size;
    for (int64_t i = 0; i < d->bricks->count; i++) {
        const ashi_cuboid *b = &d->bricks->box[i];
        const char *const style[3] = {b->hi[1] == size[1] ? outline : NULL, b->lo[0] == 0 ? outline : NULL,
                                      b->lo[2] == 0 ? outline : NULL};
        double lo[3], hi[3];
        for (int x = 0; x < 3; x++) {
            lo[x] = d->length[x] * (double)b->lo[x] / (double)size[x];
            hi[x] = d->length[x] * (double)b->hi[x] / (double)size[x];
        }
        faces(d, lo, hi, style);
    }
}

static void head(const ashi_svg_box *d)
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
    if (d->bricks)
        fprintf(d->file, "%" PRId64 " boxes", d->bricks->count);
    else
        fprintf(d->file, "grid %" PRId64 " x %" PRId64 " x %" PRId64, d->grid[0], d->grid[1], d->grid[2]);
    fprintf(d->file, " on %" PRId64 " ranks</text>\n", d->report->problem.ranks);
}

static void draw(void *context, FILE *file)
{
    ashi_svg_box *d = context;
    static const char *const plain[3] = {"fill=\"#e4e4e4\" stroke=\"#000\"", "fill=\"#fafafa\" stroke=\"#000\"",
                                         "fill=\"#f0f0f0\" stroke=\"#000\""};
    static const char *const marked[3] = {"fill=\"url(#hatch-a)\" stroke=\"#000\" stroke-width=\"2\"",
                                          "fill=\"url(#hatch-b)\" stroke=\"#000\" stroke-width=\"2\"",
                                          "fill=\"url(#hatch-c)\" stroke=\"#000\" stroke-width=\"2\""};
    const double *l = d->length;
    const double none[3] = {0, 0, 0};
    double lo[3] = {0, l[1] - l[1] / (double)d->drawn[1], 0};
    double hi[3] = {l[0] / (double)d->drawn[0], l[1], l[2] / (double)d->drawn[2]};
    for (int x = 0; x < 3 && d->bricks; x++) {
        const double part = l[x] * (double)d->side[x] / (double)d->report->problem.size[x];
        lo[x] = x == 1 ? l[x] - part : 0;
        hi[x] = x == 1 ? l[x] : part;
    }
    d->file = file;
    head(d);
    faces(d, none, l, plain);
    if (d->bricks)
        box_faces(d);
    else
        cuts(d);
    faces(d, lo, hi, marked);
    ashi_svg_legend(d);
    fputs("</svg>\n", d->file);
}

static void measure_grid(const ashi_candidate *c, ashi_svg_box *d)
{
    const int64_t cell = (c->grid[1] - 1) * c->grid[2];
    if (c->bricks.count == 0)
        d->marked = (int)cell;
    else
        d->marked = memcmp(c->grid, c->bricks.grid, sizeof c->grid) == 0 ? c->bricks.rank_of[cell] : -1;
    for (int i = 0; i < 3; i++) {
        d->grid[i] = c->grid[i];
        d->drawn[i] = ashi_min(c->grid[i], PARTS_DRAWN);
        d->side[i] = ashi_cut_size(d->report->problem.size[i], c->grid[i], i == 1 ? c->grid[i] - 1 : 0);
    }
}

/* The marked box is at the corner where the faces that are seen meet. */
static ashlar_status measure_boxes(const ashi_candidate *c, ashi_svg_box *d, ashlar_error *err)
{
    for (int64_t i = 0; i < c->bricks.count && c->bricks.box; i++) {
        const ashi_cuboid *b = &c->bricks.box[i];
        if (b->lo[0] != 0 || b->hi[1] != d->report->problem.size[1] || b->lo[2] != 0)
            continue;
        d->bricks = &c->bricks;
        d->marked = c->bricks.rank_of[i];
        for (int x = 0; x < 3; x++) {
            d->drawn[x] = 1;
            d->side[x] = b->hi[x] - b->lo[x];
        }
        return ASHLAR_OK;
    }
    return ashi_fail(err, ASHLAR_ERR_UNSUPPORTED, "svg: %s has neither a grid nor boxes to draw", c->name);
}

ashlar_status ashi_svg_draw(const ashi_report *report, char **out, ashlar_error *err)
{
    const ashi_candidate *c = &report->strategy[report->chosen];
    ashi_svg_box d = {.report = report};
    ashlar_status status = ASHLAR_OK;
    *out = NULL;
    if (c->grid[0] > 0)
        measure_grid(c, &d);
    else
        status = measure_boxes(c, &d, err);
    if (status != ASHLAR_OK)
        return status;
    measure(&d);
    return ashi_svg_write(draw, &d, out, err);
}
