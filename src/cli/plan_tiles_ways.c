/* What plan and simulate say of which matrix stays in a product of matrices of tiles, as text and as JSON. */
#include "cli/figures.h"
#include "cli/plan_tiles.h"

#include <inttypes.h>
#include <stdio.h>

/* WHY: room for the reason. */
enum { WHY = 160 };

static const ashi_way_estimate *chosen_of(const ashi_tiles_case *c)
{
    return &c->ways.way[c->ways.chosen];
}

static const char *name_of(ashlar_operand x)
{
    static const char *const names[] = {"A", "B", "C"};
    return names[x];
}

static void say_why(const ashi_tiles_case *c, char why[WHY])
{
    static const char *const reasons[] = {
        [ASHI_WAY_ALONE] = "there is one rank",
        [ASHI_WAY_LOW] = "some tiles are of low rank, and with these C stays, in one layer",
        [ASHI_WAY_MANY] = "there are too many products of tiles to count another way here",
        [ASHI_WAY_USUAL] = "by these estimates no other way needs much fewer words, or there are few",
        [ASHI_WAY_COUNTED] = "the other way that was counted saves few words, is less even or takes too much memory"};
    const ashi_ways_weighed *w = &c->ways;
    if (w->reason != ASHI_WAY_BETTER)
        snprintf(why, WHY, "%s", reasons[w->reason]);
    else
        snprintf(why, WHY, "it needs %.2f of the words of C in one layer",
                 (double)w->figures[w->chosen].words / (double)w->figures[0].words);
}

static void print_way(const ashi_ways_weighed *w, int i)
{
    const ashi_way_figures *f = &w->figures[i];
    char counted[24] = "-", sums[24] = "-", imbalance[24] = "-";
    if (w->counted[i]) {
        snprintf(counted, sizeof counted, "%" PRId64, f->words);
        snprintf(sums, sizeof sums, "%" PRId64, f->sums);
        snprintf(imbalance, sizeof imbalance, "%.3f", f->imbalance);
    }
    printf("  %-10s %9" PRId64 " %14s %14s %14s %10s%s\n", name_of(w->way[i].way.stays), w->way[i].way.layers,
           ashi_figure_of(w->way[i].words, "").text, counted, sums, imbalance, i == w->chosen ? "  chosen" : "");
}

void ashi_plan_tiles_print_ways(const ashi_tiles_case *c)
{
    const ashi_tile_way *way = &chosen_of(c)->way;
    char why[WHY];
    say_why(c, why);
    printf("\n  %-10s %9s %14s %14s %14s %10s\n", "stays", "layers", "words, about", "counted", "sums of C",
           "imbalance");
    for (int i = 0; i < c->ways.count; i++)
        print_way(&c->ways, i);
    printf("\nstays    %s, in %" PRId64 " layer%s of k: %s\n", name_of(way->stays), way->layers,
           way->layers == 1 ? "" : "s", why);
    if (c->ways.chosen > 0)
        puts("         the figures by how tiles are dealt out, and the window, are those of C in one layer");
}

static json_t *way_json(const ashi_ways_weighed *w, int i)
{
    const ashi_way_figures *f = &w->figures[i];
    json_t *way = json_pack("{s:s, s:I, s:f, s:b}", "stays", name_of(w->way[i].way.stays), "layers",
                            (json_int_t)w->way[i].way.layers, "words_estimated", w->way[i].words, "chosen",
                            (int)(i == w->chosen));
    if (way && w->counted[i]) {
        json_object_set_new(way, "words_total", json_integer(f->words));
        json_object_set_new(way, "sums_words", json_integer(f->sums));
        json_object_set_new(way, "sums_words_max", json_integer(f->sums_most));
        json_object_set_new(way, "imbalance", json_real(f->imbalance));
    }
    return way;
}

json_t *ashi_plan_tiles_ways_json(const ashi_tiles_case *c)
{
    char why[WHY];
    json_t *ways = json_array();
    for (int i = 0; i < c->ways.count; i++)
        json_array_append_new(ways, way_json(&c->ways, i));
    say_why(c, why);
    return json_pack("{s:s, s:I, s:s, s:o}", "stays", name_of(chosen_of(c)->way.stays), "layers",
                     (json_int_t)chosen_of(c)->way.layers, "reason", why, "weighed", ways);
}
