/* A drawing of a trace: lanes as rows, time to the right. */
#include "base/checked.h"
#include "draw/svg_write.h"
#include "draw/timeline.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum {
    LEFT = 140, RIGHT = 150, TOP = 90, LINE = 19,
    WIDTH = 1000,                 /* pixels of all the time */
    BAND = 16, GAP = 4, APART = 10, /* of a lane; between lanes; between ranks */
    ROWS_DRAWN = 4,               /* of a lane; what more is under way at once is in the last of them */
    RANKS_DRAWN = 64,
    TICKS = 8                     /* about */
};

/* The kinds of event, each with its colour and pattern. Patterns can be seen in grey print too. */
typedef enum kind { PRODUCT, WORK, WAIT, ARRIVING, LEAVING, READING, WRITING, INWARD, OUTWARD, KINDS } kind;

static const struct {
    const char *fill, *what;
} kinds[KINDS] = {
    {"#2b4a6f", "multiply"},          {"#8fb8de", "other work of the cores"}, {"url(#wait)", "waiting"},
    {"#c97b63", "receive"},           {"#f4d6b2", "send, put"},               {"#4f7a3a", "read"},
    {"#b9d8a6", "write"},             {"#3f8f8f", "copy in"},                 {"#b3dcdc", "copy out"},
};

typedef struct sheet {
    FILE *file;
    const ashi_timeline *t;
    int ranks;                /* that are drawn */
    bool shown[ASHI_LANES];   /* some rank has events in it */
    double height, per_microsecond;
    const ashi_timeline_rank *of; /* of each rank that is drawn */
} sheet;

static kind kind_of(const ashi_timed *e)
{
    if (e->wait)
        return WAIT;
    if (e->lane == ASHI_LANE_DEVICE_IN || e->lane == ASHI_LANE_DEVICE_OUT)
        return e->lane == ASHI_LANE_DEVICE_IN ? INWARD : OUTWARD;
    if (e->lane == ASHI_LANE_CORES || e->lane == ASHI_LANE_DEVICE)
        return strcmp(e->name, "multiply") == 0 ? PRODUCT : WORK;
    if (e->lane == ASHI_LANE_NETWORK)
        return strcmp(e->name, "receive") == 0 ? ARRIVING : LEAVING;
    return strcmp(e->name, "write") == 0 ? WRITING : READING;
}

static double x_of(const sheet *s, double microseconds)
{
    return LEFT + (microseconds - s->t->begin) * s->per_microsecond;
}

static int lanes_shown(const sheet *s)
{
    int shown = 0;
    for (int l = 0; l < ASHI_LANES; l++)
        shown += s->shown[l];
    return shown;
}

static double rank_height(const sheet *s)
{
    return lanes_shown(s) * (BAND + GAP) - GAP + APART;
}

/* The top of a rank's lane. */
static double y_of(const sheet *s, int rank, ashi_trace_lane lane)
{
    int above = 0;
    for (int l = 0; l < (int)lane; l++)
        above += s->shown[l];
    return TOP + rank * rank_height(s) + above * (BAND + GAP);
}

static void text(const sheet *s, double x, double y, const char *anchor, const char *words)
{
    fprintf(s->file, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>\n", x, y, anchor, words);
}

/* ---- events ---- */

/* Events that touch in the drawing are one: a file of a million of them would draw nothing else. */
typedef struct bar {
    double from, to, y, height; /* pixels */
    kind what;
    int64_t events;
    const ashi_timed *first;
} bar;

static void put_escaped(FILE *file, const char *words)
{
    for (const char *c = words; *c; c++)
        if (*c == '<' || *c == '>' || *c == '&' || *c == '"')
            fprintf(file, "&#%d;", *c);
        else
            fputc(*c, file);
}

static void put_title(const sheet *s, const bar *b)
{
    const ashi_timed *e = b->first;
    fputs("<title>", s->file);
    if (b->events > 1) {
        fprintf(s->file, "%" PRId64 " events, first ", b->events);
    }
    put_escaped(s->file, e->name);
    fprintf(s->file, ", step %" PRId64 ", %" PRId64 " words", e->step, e->words);
    if (e->peer >= 0)
        fprintf(s->file, ", rank %d", e->peer);
    fprintf(s->file, ", %.3f ms at %.3f ms</title>", 1e-3 * (e->end - e->begin), 1e-3 * (e->begin - s->t->begin));
}

static void put_bar(const sheet *s, const bar *b)
{
    if (b->events == 0)
        return;
    fprintf(s->file, "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" fill=\"%s\"%s>", b->from, b->y,
            fmax(0.3, b->to - b->from), b->height, kinds[b->what].fill,
            b->what == WAIT ? " stroke=\"#a00\" stroke-width=\"0.5\"" : "");
    put_title(s, b);
    fputs("</rect>\n", s->file);
}

/* A lane's events are in order of time: each row has one bar that may still grow. */
static void put_lane(const sheet *s, const ashi_timed *first, const ashi_timed *end, int rank)
{
    static const double touching = 0.25; /* pixels */
    bar open[ROWS_DRAWN] = {{0}};
    int rows = 1;
    for (const ashi_timed *e = first; e < end; e++)
        rows = e->row < rows ? rows : e->row < ROWS_DRAWN ? e->row + 1 : ROWS_DRAWN;
    for (const ashi_timed *e = first; e < end; e++) {
        const int row = e->row < ROWS_DRAWN ? e->row : ROWS_DRAWN - 1;
        const double height = (double)BAND / rows, from = x_of(s, e->begin), to = x_of(s, e->end);
        bar *b = &open[row];
        const bool short_ones = from - b->from < 1 || to - from < 1;
        if (b->events > 0 && b->what == kind_of(e) && from <= b->to + touching && short_ones) {
            b->to = fmax(b->to, to);
            b->events++;
            continue;
        }
        put_bar(s, b);
        *b = (bar){from, to, y_of(s, rank, e->lane) + row * height, height, kind_of(e), 1, e};
    }
    for (int row = 0; row < rows; row++)
        put_bar(s, &open[row]);
}

static void put_share(const sheet *s, int rank, ashi_trace_lane lane)
{
    char words[64];
    const double all = s->t->end - s->t->begin;
    if (!(all > 0))
        return;
    const int length = snprintf(words, sizeof words, "%.0f %%", 100 * s->of[rank].busy[lane] / all);
    if (lane == ASHI_LANE_CORES)
        snprintf(words + length, sizeof words - (size_t)length, ", waits %.0f %%", 100 * s->of[rank].waiting / all);
    text(s, LEFT + WIDTH + 8, y_of(s, rank, lane) + BAND - 4, "start", words);
}

static void put_rank(const sheet *s, int rank)
{
    int64_t first = 0, end = 0;
    char words[32];
    ashi_timeline_of_rank(s->t, rank, &first, &end);
    snprintf(words, sizeof words, "rank %d", rank);
    text(s, 12, TOP + rank * rank_height(s) + BAND - 4, "start", words);
    for (int l = 0; l < ASHI_LANES; l++) {
        if (!s->shown[l])
            continue;
        const double y = y_of(s, rank, (ashi_trace_lane)l);
        fprintf(s->file, "<rect x=\"%d\" y=\"%.1f\" width=\"%d\" height=\"%d\" fill=\"#f2f2f2\"/>\n", LEFT, y, WIDTH,
                BAND);
        text(s, LEFT - 8, y + BAND - 4, "end", ashi_lane_name((ashi_trace_lane)l));
        put_share(s, rank, (ashi_trace_lane)l);
        int64_t stop = first;
        while (stop < end && s->t->event[stop].lane == (ashi_trace_lane)l)
            stop++;
        put_lane(s, &s->t->event[first], &s->t->event[stop], rank);
        first = stop;
    }
}

/* ---- what stands around them ---- */

static void put_axis(const sheet *s)
{
    const double all = s->t->end - s->t->begin, bottom = TOP + s->ranks * rank_height(s);
    if (!(all > 0))
        return;
    double step = pow(10, floor(log10(all / TICKS)));
    step *= all / step > 5 * TICKS ? 5 : all / step > 2 * TICKS ? 2 : 1;
    const double unit = all < 1e3 ? 1 : all < 1e6 ? 1e3 : 1e6;
    for (int i = 0; i * step <= all; i++) {
        char words[64];
        const double x = x_of(s, s->t->begin + i * step);
        fprintf(s->file, "<line x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"#ccc\" stroke-width=\"0.7\"/>\n",
                x, TOP - 6, x, bottom);
        snprintf(words, sizeof words, "%g %s", i * step / unit, unit < 1e3 ? "&#181;s" : unit < 1e6 ? "ms" : "s");
        text(s, x, TOP - 10, "middle", words);
    }
}

static void put_head(const sheet *s)
{
    char words[200];
    const double width = LEFT + WIDTH + RIGHT;
    fprintf(s->file,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\" "
            "font-family=\"sans-serif\" font-size=\"12\">\n<defs>\n"
            "<pattern id=\"wait\" width=\"5\" height=\"5\" patternUnits=\"userSpaceOnUse\"><rect width=\"5\" "
            "height=\"5\" fill=\"#fff\"/><path d=\"M-1 6L6 -1\" stroke=\"#a00\" stroke-width=\"1\"/></pattern>\n"
            "</defs>\n<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n",
            width, s->height, width, s->height);
    int length = snprintf(words, sizeof words, "%d rank%s, %" PRId64 " events, %.4g s", s->t->ranks,
                          s->t->ranks == 1 ? "" : "s", s->t->count, 1e-6 * (s->t->end - s->t->begin));
    if (s->t->dropped > 0)
        length += snprintf(words + length, sizeof words - (size_t)length,
                           "; %" PRId64 " later ones were not recorded", s->t->dropped);
    if (s->ranks < s->t->ranks)
        snprintf(words + length, sizeof words - (size_t)length, "; the first %d ranks are drawn", s->ranks);
    fprintf(s->file, "<text x=\"12\" y=\"30\" font-size=\"18\">%s</text>\n", words);
}

static void put_legend(const sheet *s)
{
    const double y = TOP + s->ranks * rank_height(s) + LINE;
    double x = LEFT;
    for (int k = 0; k < KINDS; k++) {
        fprintf(s->file, "<rect x=\"%.1f\" y=\"%.1f\" width=\"20\" height=\"12\" fill=\"%s\" stroke=\"#000\" "
                "stroke-width=\"0.5\"/>\n", x, y - 10, kinds[k].fill);
        text(s, x + 26, y, "start", kinds[k].what);
        x += 50 + 7 * (double)strlen(kinds[k].what);
    }
    const ashi_timed *longest = ashi_timeline_longest_wait(s->t);
    if (!longest)
        return;
    char words[200];
    int length = snprintf(words, sizeof words, "Longest wait: rank %d, %.4g ms at %.4g ms, step %" PRId64,
                          longest->rank, 1e-3 * (longest->end - longest->begin),
                          1e-3 * (longest->begin - s->t->begin), longest->step);
    if (longest->peer >= 0)
        snprintf(words + length, sizeof words - (size_t)length, ", %" PRId64 " words of rank %d", longest->words,
                 longest->peer);
    text(s, LEFT, y + LINE, "start", words);
    text(s, LEFT, y + 2 * LINE, "start",
         "On the right: the part of the time in which a lane is busy. Waiting is not being busy.");
}

static void draw(void *context, FILE *file)
{
    sheet *s = context;
    s->file = file;
    put_head(s);
    put_axis(s);
    for (int r = 0; r < s->ranks; r++)
        put_rank(s, r);
    put_legend(s);
    fputs("</svg>\n", file);
}

ashlar_status ashi_timeline_draw(const ashi_timeline *t, char **out, ashlar_error *err)
{
    ashi_timeline_rank of[RANKS_DRAWN];
    sheet s = {.t = t, .ranks = (int)ashi_min(t->ranks, RANKS_DRAWN), .shown = {true}, .of = of};
    ashlar_status status = ASHLAR_OK;
    *out = NULL;
    for (int r = 0; r < s.ranks && status == ASHLAR_OK; r++)
        status = ashi_timeline_measure(t, r, &of[r], err);
    if (status != ASHLAR_OK)
        return status;
    for (int64_t i = 0; i < t->count; i++)
        s.shown[t->event[i].lane] = true;
    s.per_microsecond = t->end > t->begin ? WIDTH / (t->end - t->begin) : 0;
    s.height = TOP + s.ranks * rank_height(&s) + 4 * LINE;
    return ashi_svg_write(draw, &s, out, err);
}
