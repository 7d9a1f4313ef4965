/* A report for people: the problem, the bound, the choice, and a row for each candidate. */
#include "base/type.h"
#include "cli/figures.h"
#include "cli/report.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static double bytes_of(const ashi_problem *q, int64_t words)
{
    return (double)words * (double)ashi_type_of(q->type)->bytes;
}

void ashi_cache_print(int width)
{
    printf("%-*sseconds are predicted as if every word of files were read from the disk each time\n", width, "cache");
}

void ashi_problem_print(const ashi_problem *q)
{
    static const char ops[] = "NTC";
    const ashi_type *type = ashi_type_of(q->type);
    const double flops = (double)q->size[0] * (double)q->size[1] * (double)q->size[2] * type->flops;
    printf("problem  %c %c%c   m %" PRId64 "  n %" PRId64 "  k %" PRId64 "   %s\n", type->letter, ops[q->op[0]],
           ops[q->op[1]], q->size[0], q->size[1], q->size[2], ashi_figure_of(flops, "flop").text);
    printf("ranks    %" PRId64 ", ", q->ranks);
    if (q->memory_words > 0)
        printf("each with memory for %s words (%s)\n", ashi_figure_of((double)q->memory_words, "").text,
               ashi_figure_of(bytes_of(q, q->memory_words), "B").text);
    else
        puts("memory not limited");
}

static void print_bound(const ashi_report *r)
{
    printf("bound    %s words a rank: %s\n         (%s)\n", ashi_figure_of(r->bound.words, "").text, r->bound.which,
           r->bound.source);
}

static void print_choice(const ashi_report *r)
{
    const ashi_candidate *c = &r->strategy[r->chosen];
    printf("chosen   %s, grid %s%s: %" PRId64 " rank%s used, %" PRId64 " round%s\n", c->name,
           ashi_figure_grid(c->grid).text, ashi_candidate_is_folded(c) ? " of processes, folded" : "",
           c->ranks_used, c->ranks_used == 1 ? "" : "s", c->rounds, c->rounds == 1 ? "" : "s");
}

static void print_row(const ashi_report *r, const char *what, const ashi_candidate *c, const char *note)
{
    char ratio[16] = "-";
    if (r->bound.words > 0)
        snprintf(ratio, sizeof ratio, "%.3f", (double)c->words_max / r->bound.words);
    printf("  %-18s %10s  %8s  %11s  %8s  %9s  %s\n", what, ashi_figure_of((double)c->words_max, "").text, ratio,
           ashi_figure_of(bytes_of(&r->problem, c->memory_words), "B").text,
           ashi_figure_of((double)c->messages_max, "").text, ashi_figure_seconds(c->seconds).text, note);
}

static const char *note_of(const ashi_report *r, const ashi_candidate *c, char *out, size_t room)
{
    const int64_t idle = r->problem.ranks - c->ranks_used;
    const bool chosen = memcmp(c->grid, r->strategy[r->chosen].grid, sizeof c->grid) == 0;
    out[0] = '\0';
    if (idle > 0)
        snprintf(out, room, "%s%" PRId64 " idle", chosen ? "chosen, " : "", idle);
    else if (chosen)
        snprintf(out, room, "chosen");
    return out;
}

static void print_table(const ashi_report *r)
{
    char note[64];
    printf("\n  %-18s %10s  %8s  %11s  %8s  %9s  %s\n", r->grids > 0 ? "grid" : "strategy", "words/rank", "x bound",
           "memory/rank", "messages", "predicted", "note");
    for (int i = 0; i < r->grids; i++)
        print_row(r, ashi_figure_grid(r->grid[i].grid).text, &r->grid[i],
                  note_of(r, &r->grid[i], note, sizeof note));
    for (int i = 0; i < r->strategies; i++) {
        const ashi_candidate *c = &r->strategy[i];
        if (!c->applicable)
            printf("  %-18s rejected: %s\n", c->name, c->reason);
        else if (r->grids == 0 || i > 0) /* the grids above are the first strategy's */
            print_row(r, c->name, c, i == r->chosen ? "chosen" : "");
    }
}

static void print_candidate(const ashi_report *r, const ashi_candidate *c)
{
    if (!c->applicable) {
        printf("  %-10s rejected: %s\n", c->name, c->reason);
        return;
    }
    printf("  %-10s %12s %7" PRId64 " %6" PRId64 " %14" PRId64 " %14.1f %11s %9s %9s %12s%s\n", c->name,
           ashi_figure_grid(c->grid).text,
           c->ranks_used, c->rounds, c->words_max, c->words_mean,
           ashi_figure_of(bytes_of(&r->problem, c->memory_words), "B").text,
           ashi_figure_of((double)c->messages_max, "").text, ashi_figure_seconds(c->seconds).text,
           c->formula.text ? ashi_figure_of(c->formula.words, "").text : "-",
           c == &r->strategy[r->chosen] ? "  chosen" : "");
}

static void print_formulas(const ashi_report *r)
{
    puts("\npaper's form: words that arrive at a rank; share, the rank's (mk + nk + mn)/p, does not");
    for (int i = 0; i < r->strategies; i++) {
        const ashi_candidate *c = &r->strategy[i];
        if (c->applicable && c->formula.text)
            printf("  %-10s %s\n             (%s)\n", c->name, c->formula.text, c->formula.source);
    }
}

/* What each strategy asks of the torus' links. */
static void print_loads(const ashi_report *r)
{
    printf("\n  %-10s %14s %14s %10s %6s %9s\n", "on links", "busiest", "mean", "used", "chain", "on torus");
    for (int i = 0; i < r->strategies; i++) {
        const ashi_candidate *c = &r->strategy[i];
        const ashi_links *l = &c->links;
        if (c->applicable && l->torus.dims > 0)
            printf("  %-10s %14" PRId64 " %14.1f %10" PRId64 " %6" PRId64 " %9s\n", c->name, l->words_max,
                   l->words_mean, l->used, l->chain_hops_max, ashi_figure_seconds(c->links_seconds).text);
    }
}

/* What each strategy has cross between nodes. */
static void print_crossings(const ashi_report *r)
{
    printf("\n  %-10s %14s %14s %14s %14s\n", "nodes", "words/node", "sent/node", "all", "words/rank");
    for (int i = 0; i < r->strategies; i++) {
        const ashi_candidate *c = &r->strategy[i];
        const ashi_node_words *w = &c->crossing;
        if (c->applicable && w->nodes > 0)
            printf("  %-10s %14" PRId64 " %14" PRId64 " %14" PRId64 " %14" PRId64 "\n", c->name, w->words_max,
                   w->sent_max, w->words_total, w->rank_words_max);
    }
}

static void print_all(const ashi_report *r)
{
    printf("\n  %-10s %12s %7s %6s %14s %14s %11s %9s %9s %12s\n", "strategy", "grid", "ranks", "rounds", "words/rank",
           "mean", "memory/rank", "messages", "predicted", "paper's form");
    for (int i = 0; i < r->strategies; i++)
        print_candidate(r, &r->strategy[i]);
    if (r->strategy[r->chosen].links.torus.dims > 0)
        print_loads(r);
    if (r->strategy[r->chosen].crossing.nodes > 0)
        print_crossings(r);
    print_formulas(r);
}

static void print_both_ways(const ashi_report *r)
{
    const int64_t straight = r->strategy[r->chosen].words_max;
    const int64_t saved = r->relayout_words - straight;
    printf("\nfrom the layouts given  %s words a rank, straight from the owners\n"
           "by way of the own one   %s words a rank, moved into COSMA's own layout first%s\n",
           ashi_figure_of((double)straight, "").text, ashi_figure_of((double)r->relayout_words, "").text,
           saved < 0 ? " (fewer)" : "");
}

static void print_exact(const ashi_report *r)
{
    const ashi_candidate *c = &r->strategy[r->chosen];
    printf("\nwords    busiest rank %" PRId64 ", mean %.1f, all %" PRId64 "\nmessages busiest rank %" PRId64
           "\nmemory   fullest rank %" PRId64 " words\n",
           c->words_max, c->words_mean, c->words_total, c->messages_max, c->memory_words);
}

static void print_torus(const ashi_report *r)
{
    const ashi_candidate *c = &r->strategy[r->chosen];
    const ashi_links *l = &c->links;
    char text[ASHI_TORUS_TEXT];
    printf("\ntorus    %s: %" PRId64 " of %" PRId64 " links used, the longest route has %" PRId64
           "\nlinks    busiest %" PRId64 " words, mean %.1f, all %" PRId64
           "\nseconds  %s predicted from the links: on this torus that counts"
           "\n         %s in the table, from words and messages of ranks alone, by which strategies are compared\n",
           ashi_torus_text(&l->torus, text), l->used, l->count, l->hops_max, l->words_max, l->words_mean,
           l->words_total, ashi_figure_seconds(c->links_seconds).text, ashi_figure_seconds(c->seconds).text);
}

static void print_nodes(const ashi_report *r)
{
    const ashi_node_words *w = &r->strategy[r->chosen].crossing;
    printf("\nnodes    %" PRId64 " of at most %" PRId64 " rank%s\nbetween  busiest node %" PRId64 " words in, %" PRId64
           " out, all %" PRId64 "; busiest rank %" PRId64 " in\n", w->nodes, w->ranks_most,
           w->ranks_most == 1 ? "" : "s", w->words_max, w->sent_max, w->words_total, w->rank_words_max);
}

/* What the lanes do of all the time, where they are busy longest. */
static void print_play(const ashi_joint_play *p)
{
    const double all = p->seconds > 0 ? p->seconds : 1;
    printf("\nplayed   %s with what overlaps and what waits (%" PRId64 " tasks); busy are, at most: cores %.0f %%, "
           "network %.0f %%\n", ashi_figure_seconds(p->seconds).text, p->tasks,
           100 * p->busy[ASHI_LANE_CORES] / all, 100 * p->busy[ASHI_LANE_NETWORK] / all);
}

void ashi_report_print(const ashi_report *r)
{
    ashi_problem_print(&r->problem);
    print_bound(r);
    print_choice(r);
    if (r->all)
        print_all(r);
    else
        print_table(r);
    if (r->layouts)
        print_both_ways(r);
    if (r->walked)
        print_exact(r);
    if (r->play.played)
        print_play(&r->play);
    else if (r->unplayed)
        printf("\nplayed   not: the schedule has more than %d tasks\n", ASHI_JOINT_TASKS);
    if (r->strategy[r->chosen].links.torus.dims > 0)
        print_torus(r);
    if (r->strategy[r->chosen].crossing.nodes > 0)
        print_nodes(r);
    ashi_plan_device_print(&r->device);
    printf("\nwhy      %s\n", r->why);
}
