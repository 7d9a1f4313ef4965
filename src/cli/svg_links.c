/* A drawing of how much each link of a torus carries. */
#include "cli/svg_links.h"

#include "base/checked.h"
#include "base/error.h"
#include "cli/figures.h"
#include "draw/svg_write.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

enum {
    MARGIN = 40, TOP = 70, LEGEND = 330, LINE = 20,
    SHEET = 900,             /* pixels that the longer side of a plane takes at most */
    PITCH_MOST = 84, PITCH_LEAST = 12,
    PITCH_NUMBERS = 64       /* from node to node, so that a link's words can be written beside it */
};

/* The last dimension runs to the right, the one before it down; a first of three lies in planes side by side. */
typedef struct sheet {
    FILE *file;
    const ashi_candidate *chosen;
    int right, down, deep; /* dimensions; deep is -1 where there are two */
    int64_t planes, across; /* planes, and how many of them stand in a row */
    double pitch, plane_width, plane_height, width, height;
} sheet;

typedef struct spot {
    double x, y;
} spot;

static int64_t length_of(const sheet *s, int dim)
{
    return dim < 0 ? 1 : s->chosen->links.torus.length[dim];
}

static void measure(sheet *s)
{
    const int64_t cols = length_of(s, s->right), rows = length_of(s, s->down);
    s->planes = length_of(s, s->deep);
    s->across = (int64_t)ceil(sqrt((double)s->planes));
    s->pitch = fmin(PITCH_MOST, fmax(PITCH_LEAST, SHEET / (double)ashi_max(cols, rows)));
    s->plane_width = s->pitch * (double)cols + MARGIN;
    s->plane_height = s->pitch * (double)rows + MARGIN;
    s->width = MARGIN + (double)s->across * s->plane_width + LEGEND;
    s->height = fmax(TOP + (double)ashi_ceil_div(s->planes, s->across) * s->plane_height, TOP + 19 * LINE);
}

static spot spot_of(const sheet *s, const int64_t at[ASHI_TORUS_MOST])
{
    const int64_t plane = s->deep < 0 ? 0 : at[s->deep];
    return (spot){MARGIN + (double)(plane % s->across) * s->plane_width + s->pitch * ((double)at[s->right] + 0.5),
                  TOP + (double)(plane / s->across) * s->plane_height + s->pitch * ((double)at[s->down] + 0.5)};
}

static double part_of(const sheet *s, int64_t words)
{
    return s->chosen->links.words_max > 0 ? (double)words / (double)s->chosen->links.words_max : 0;
}

/* From light to dark without going back, so that grey printing keeps the order; wider and darker is more. */
static void stroke(const sheet *s, int64_t words, char *out, size_t room)
{
    static const int stop[3][3] = {{250, 208, 120}, {214, 83, 60}, {52, 12, 60}};
    const double part = part_of(s, words), along = part < 0.5 ? 2 * part : 2 * part - 1;
    const int *from = stop[part >= 0.5], *to = stop[1 + (part >= 0.5)];
    int rgb[3];
    for (int i = 0; i < 3; i++)
        rgb[i] = (int)lround(from[i] + along * (to[i] - from[i]));
    if (words == 0)
        snprintf(out, room, "stroke=\"#bbb\" stroke-width=\"0.8\" stroke-dasharray=\"2 3\"");
    else
        snprintf(out, room, "stroke=\"#%02x%02x%02x\" stroke-width=\"%.1f\"", (unsigned)rgb[0], (unsigned)rgb[1],
                 (unsigned)rgb[2], fmin(1 + 4 * part, s->pitch / 6));
}

static void segment(const sheet *s, spot from, spot to, int64_t words)
{
    char style[96];
    stroke(s, words, style, sizeof style);
    fprintf(s->file, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" %s/>\n", from.x, from.y, to.x, to.y,
            style);
}

static void write_at(const sheet *s, double x, double y, const char *rest, const char *words)
{
    fprintf(s->file, "<text x=\"%.1f\" y=\"%.1f\" %s>%s</text>\n", x, y, rest, words);
}

/* A link's words beside it, on the outer side of its pair. */
static void number(const sheet *s, spot middle, bool across, bool down, int64_t words)
{
    char rest[128];
    const double x = across ? middle.x : middle.x + (down ? 8 : -8), y = middle.y + (down ? 11 : -4);
    if (words == 0 || s->pitch < PITCH_NUMBERS)
        return;
    snprintf(rest, sizeof rest, "font-size=\"9\" text-anchor=\"middle\"");
    if (!across)
        snprintf(rest, sizeof rest,
                 "font-size=\"9\" text-anchor=\"middle\" transform=\"translate(%.1f,%.1f) rotate(90)\"", x,
                 middle.y);
    write_at(s, across ? x : 0, across ? y : 3, rest, ashi_figure_of((double)words, "").text);
}

/* One link within a plane: traffic keeps to a side, so that the two of a pair are apart. The one that closes the ring
 * is cut in two at the plane's edges. */
static void plane_link(const sheet *s, const int64_t at[ASHI_TORUS_MOST], int dim, bool down, int64_t words)
{
    const bool across = dim == s->right;
    const int64_t length = length_of(s, dim), next = (at[dim] + (down ? length - 1 : 1)) % length;
    const double aside = fmin(4, s->pitch / 8) * (down ? 1 : -1), way = down ? -1 : 1;
    const double gap = s->pitch * 0.16, half = s->pitch * 0.5;
    int64_t there[ASHI_TORUS_MOST];
    for (int d = 0; d < s->chosen->links.torus.dims; d++)
        there[d] = d == dim ? next : at[d];
    const spot a = spot_of(s, at), b = spot_of(s, there);
    const spot shift = across ? (spot){0, aside} : (spot){-aside, 0}, unit = across ? (spot){way, 0} : (spot){0, way};
    const spot leave = {a.x + shift.x + gap * unit.x, a.y + shift.y + gap * unit.y};
    const spot middle = {a.x + shift.x + half * unit.x, a.y + shift.y + half * unit.y};
    const spot enter = {b.x + shift.x - gap * unit.x, b.y + shift.y - gap * unit.y};
    const spot edge = {b.x + shift.x - half * unit.x, b.y + shift.y - half * unit.y};
    segment(s, leave, middle, words);
    segment(s, edge, enter, words);
    number(s, middle, across, across == down, words);
}

/* A link to the plane before or after: a stub at its node. */
static void deep_link(const sheet *s, const int64_t at[ASHI_TORUS_MOST], bool down, int64_t words)
{
    const double near = s->pitch * 0.1, far = s->pitch * 0.34, way = down ? -1 : 1;
    const spot a = spot_of(s, at);
    segment(s, (spot){a.x + way * near, a.y - way * near}, (spot){a.x + way * far, a.y - way * far}, words);
}

static void links(const sheet *s)
{
    const ashi_links *l = &s->chosen->links;
    const int64_t nodes = ashi_torus_nodes(&l->torus);
    const double box = s->pitch * 0.2;
    int64_t at[ASHI_TORUS_MOST];
    for (int64_t node = 0; node < nodes; node++) {
        ashi_torus_at(&l->torus, node, at);
        for (int way = 0; way < 2 * l->torus.dims; way++) {
            const int dim = way / 2;
            const int64_t words = l->words[ashi_torus_link(&l->torus, node, dim, way % 2)];
            if (l->torus.length[dim] > 1 && dim == s->deep)
                deep_link(s, at, way % 2, words);
            else if (l->torus.length[dim] > 1)
                plane_link(s, at, dim, way % 2, words);
        }
        const spot a = spot_of(s, at);
        fprintf(s->file, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"#fff\" stroke=\"#000\" "
                         "stroke-width=\"0.8\"/>\n", a.x - box / 2, a.y - box / 2, box, box);
    }
}

static void plane_names(const sheet *s)
{
    int64_t at[ASHI_TORUS_MOST] = {0};
    char words[64];
    for (int64_t plane = 0; s->deep >= 0 && plane < s->planes; plane++) {
        at[s->deep] = plane;
        const spot a = spot_of(s, at);
        snprintf(words, sizeof words, "first coordinate %" PRId64, plane);
        write_at(s, a.x - s->pitch * 0.5, a.y - s->pitch * 0.5 - 6, "font-size=\"12\"", words);
    }
}

/* Samples of the scale, from nothing to the busiest link. */
static void scale(const sheet *s, double left, double top)
{
    const int64_t most = s->chosen->links.words_max;
    char words[96];
    for (int i = 0; i <= 4; i++) {
        const int64_t sample = i == 4 ? most : most / 4 * i + most % 4 * i / 4;
        const double y = top + i * LINE;
        segment(s, (spot){left, y - 5}, (spot){left + 50, y - 5}, sample);
        snprintf(words, sizeof words, "%s words%s", ashi_figure_of((double)sample, "").text,
                 i == 4 ? ", the busiest link" : i == 0 ? ", an idle link" : "");
        write_at(s, left + 60, y, "", words);
        if (most == 0)
            return;
    }
}

static void legend(const sheet *s)
{
    const ashi_links *l = &s->chosen->links;
    const double left = s->width - LEGEND + 10;
    double top = TOP + LINE;
    char row[192];
    write_at(s, left, top, "", "Words that a link carries one way");
    scale(s, left, top + 1.4 * LINE);
    top += 7.4 * LINE;
    snprintf(row, sizeof row, "Mean of all %" PRId64 " links: %s words", l->count,
             ashi_figure_of(l->words_mean, "").text);
    write_at(s, left, top, "", row);
    snprintf(row, sizeof row, "Links that carry anything: %" PRId64, l->used);
    write_at(s, left, top + LINE, "", row);
    snprintf(row, sizeof row, "Longest route: %" PRId64 " links", l->hops_max);
    write_at(s, left, top + 2 * LINE, "", row);
    write_at(s, left, top + 3.6 * LINE, "", "Squares are ranks, numbered row by row.");
    write_at(s, left, top + 4.6 * LINE, "", "Of a pair the upper link goes right,");
    write_at(s, left, top + 5.6 * LINE, "", "the right one down.");
    write_at(s, left, top + 6.6 * LINE, "", "Links at an edge go on at the other.");
    if (s->deep >= 0) {
        write_at(s, left, top + 7.8 * LINE, "", "Slanted: up to the next plane, or");
        write_at(s, left, top + 8.8 * LINE, "", "down to the one before.");
    }
}

static void draw(void *context, FILE *file)
{
    sheet *s = context;
    char torus[ASHI_TORUS_TEXT];
    s->file = file;
    fprintf(file,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\" "
            "font-family=\"sans-serif\" font-size=\"14\">\n<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n",
            s->width, s->height, s->width, s->height);
    fprintf(file, "<text x=\"20\" y=\"32\" font-size=\"18\">%s on a torus of %s</text>\n", s->chosen->name,
            ashi_torus_text(&s->chosen->links.torus, torus));
    links(s);
    plane_names(s);
    legend(s);
    fputs("</svg>\n", file);
}

ashlar_status ashi_svg_links_check(const ashi_torus *torus, ashlar_error *err)
{
    if (torus->dims == 2 || torus->dims == 3)
        return ASHLAR_OK;
    if (torus->dims == 0)
        return ashi_fail(err, ASHLAR_ERR_ARG, "--svg draws the links of a torus: --torus is wanted");
    return ashi_fail(err, ASHLAR_ERR_ARG, "--svg draws a torus of 2 or 3 dimensions, this one has %d", torus->dims);
}

ashlar_status ashi_svg_links_draw(const ashi_report *report, char **out, ashlar_error *err)
{
    const int dims = report->problem.torus.dims;
    sheet s = {.chosen = &report->strategy[report->chosen], .right = dims - 1, .down = dims - 2, .deep = dims - 3};
    measure(&s);
    return ashi_svg_write(draw, &s, out, err);
}
