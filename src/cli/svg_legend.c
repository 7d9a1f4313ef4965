/* What stands beside the picture of the box: its sides, the marked domain, the plan's figures. */
#include "base/checked.h"
#include "cli/figures.h"
#include "cli/svg_box.h"
#include "strategy/cosma_cost.h"
#include "strategy/cosma_query.h"

#include <inttypes.h>

enum { LINE = 19 };

static void text(const ashi_svg_box *d, double x, double y, const char *anchor, const char *words)
{
    fprintf(d->file, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>\n", x, y, anchor, words);
}

/* What a side is, and into how many parts it is cut, beside the edge whose middle is at (x, y). */
static void side_label(const ashi_svg_box *d, int along, double x, double y, const char *anchor)
{
    char words[96];
    snprintf(words, sizeof words, "%c = %" PRId64, "mnk"[along], d->report->problem.size[along]);
    text(d, x, y, anchor, words);
    if (d->bricks)
        return;
    snprintf(words, sizeof words, d->drawn[along] < d->grid[along] ? "%" PRId64 " parts (%" PRId64 " drawn)"
                                  : d->grid[along] == 1 ? "one part" : "%" PRId64 " parts",
             d->grid[along], d->drawn[along]);
    text(d, x, y + LINE, anchor, words);
}

static void side_labels(const ashi_svg_box *d)
{
    const double *l = d->length;
    const ashi_svg_point m = ashi_svg_project(d, l[0] / 2, 0, 0), n = ashi_svg_project(d, l[0], l[1] / 2, 0),
                         k = ashi_svg_project(d, l[0], l[1], l[2] / 2);
    side_label(d, 0, m.x - 10, m.y - 4, "end");
    side_label(d, 1, n.x - 8, n.y + 20, "end");
    side_label(d, 2, k.x + 8, k.y + 20, "start");
}

/* Words that the marked rank owns of a matrix in COSMA's own layout if C stays and memory is not short
 * (strategy/cosma_grid.h says which). */
static int64_t own_words(const ashi_svg_box *d, ashlar_operand x)
{
    const int64_t *s = d->side, *g = d->grid;
    const ashi_cosma_query query = ashi_cosma_query_of(&d->report->problem);
    if (x == ASHLAR_A)
        return s[0] * ashi_cut_size(s[2], g[1], g[1] - 1);
    if (x == ASHLAR_B)
        return s[1] * ashi_cut_size(s[2], g[0], 0);
    const ashi_parts parts = ashi_cosma_parts(&query, g, false);
    return ashi_parts_words(&parts, s[0], s[1], 0);
}

static void swatch(const ashi_svg_box *d, double x, double y, const char *fill)
{
    fprintf(d->file,
            "<rect x=\"%.1f\" y=\"%.1f\" width=\"26\" height=\"16\" fill=\"url(#%s)\" stroke=\"#000\"/>\n", x, y, fill);
}

/* Two lines about the marked domain's face on one matrix. */
static void legend_matrix(const ashi_svg_box *d, ashlar_operand x, double left, double top)
{
    static const int side[3][2] = {{0, 2}, {2, 1}, {0, 1}};
    static const char *const name[3] = {"op(A)", "op(B)", "C"}, *const fill[3] = {"hatch-a", "hatch-b", "hatch-c"};
    const int64_t rows = d->side[side[x][0]], cols = d->side[side[x][1]], words = rows * cols;
    const ashi_candidate *c = &d->report->strategy[d->report->chosen];
    const bool sums = x == ASHLAR_C && d->side[2] < d->report->problem.size[2];
    char row[160];
    swatch(d, left, top - 13, fill[x]);
    snprintf(row, sizeof row, "%s: %" PRId64 " x %" PRId64 " = %s words%s", name[x], rows, cols,
             ashi_figure_of((double)words, "").text, sums ? " of partial sums" : "");
    text(d, left + 36, top, "start", row);
    if (d->report->layouts || d->bricks || !ashi_strategy_named(c->name)->foresee || c->stays != ASHI_STAYS_C ||
        d->report->problem.memory_words > 0)
        return; /* the layouts are not those for which own_words has the rank's share */
    const int64_t own = own_words(d, x), received = x == ASHLAR_C ? (d->grid[2] - 1) * own : words - own;
    snprintf(row, sizeof row, "%s %s its own, %s received", ashi_figure_of((double)own, "").text,
             own == 1 ? "is" : "are", ashi_figure_of((double)received, "").text);
    text(d, left + 36, top + LINE, "start", row);
}

void ashi_svg_legend(const ashi_svg_box *d)
{
    const ashi_candidate *c = &d->report->strategy[d->report->chosen];
    const double left = d->width - ASHI_SVG_LEGEND + 10;
    double top = ASHI_SVG_TOP + 20;
    char row[192];
    if (d->report->layouts && !d->bricks)
        snprintf(row, sizeof row, "One rank&#8217;s domain, were the cut even");
    else if (d->marked < 0)
        snprintf(row, sizeof row, "One rank&#8217;s domain");
    else
        snprintf(row, sizeof row, "The domain of rank %d", d->marked);
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
    side_labels(d);
}
