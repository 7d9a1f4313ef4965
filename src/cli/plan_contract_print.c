/* plan-contract for people. */
#include "base/checked.h"
#include "base/type.h"
#include "cli/command.h"
#include "cli/figures.h"
#include "cli/plan_contract.h"
#include "model/bounds.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

double ashi_contract_prepare(const ashi_contract_report *r)
{
    const ashi_matching *m = r->matching;
    double words = 0;
    for (int x = 0; x < 2; x++)
        if (m->read[x] != m->words[x])
            words += ((double)m->read[x] + (double)m->words[x]) / (double)r->problem->ranks;
    return words;
}

ashi_contract_bounds ashi_contract_bounds_of(const ashi_contract_report *r)
{
    const ashi_paper_problem *q = r->problem;
    const int64_t *n = q->extent;
    const ashi_bound disk = ashi_bound_files(n[0], n[1], n[2], ashi_mul_most(r->memory_words, q->ranks));
    const ashi_bound network = ashi_bound_batch(q->batch, n[0], n[1], n[2], q->ranks, 0);
    const double a = (double)n[0] * (double)n[2], b = (double)n[1] * (double)n[2], c = (double)n[0] * (double)n[1];
    const bool once = disk.words < a + b + 2 * c;
    ashi_contract_bounds out = {.disk = fmax(disk.words, a + b + 2 * c) * (double)q->batch,
                                .disk_source = once ? "A and B are read once, C is read and written" : disk.which,
                                .network = network.words, .network_source = network.source};
    if (q->batch >= q->ranks)
        out.network_source = "each rank has some values of the batch";
    return out;
}

static const ashi_paper_schedule *next_best(const ashi_contract_report *r)
{
    const ashi_paper_schedule *best = &r->schedule[r->best], *next = NULL;
    for (int i = 0; i < ASHI_PAPER_SCHEDULES; i++) {
        const ashi_paper_schedule *o = &r->schedule[i];
        const bool other = o->inside != best->inside || o->method != best->method;
        if (r->shown[i] && o->applicable && other && (!next || o->seconds < next->seconds))
            next = o;
    }
    return next;
}

void ashi_contract_why(const ashi_contract_report *r, char *out, size_t room)
{
    const ashi_paper_schedule *o = &r->schedule[r->best], *next = next_best(r);
    const double disk = (o->rank.reads + o->rank.writes) / r->problem->disk;
    const double network = o->rank.network / r->problem->network;
    const double moved = r->constrained ? r->moved[r->best].seconds : 0;
    int used = snprintf(out, room, "%s in the order %s takes the least time: %s of disk and %s of network",
                        ashi_paper_name(o->inside, o->method), ashi_paper_order_name(o->order),
                        ashi_figure_seconds(disk).text, ashi_figure_seconds(network).text);
    if (moved > 0 && used > 0 && (size_t)used < room)
        used += snprintf(out + used, room - (size_t)used, ", and %s of redistribution",
                         ashi_figure_seconds(moved).text);
    if (next && used > 0 && (size_t)used < room)
        snprintf(out + used, room - (size_t)used, "; the next method, %s, takes %.2f times as long",
                 ashi_paper_name(next->inside, next->method), next->seconds / o->seconds);
}

static void print_group(const ashi_contract_report *r, ashi_index_class c)
{
    const ashi_index_group *g = &r->matching->group[c];
    if (g->count == 0)
        return;
    printf("  %-11s %10" PRId64 "  ", ashi_index_class_name(c), g->extent);
    for (int i = 0; i < g->count; i++)
        printf(" %c=%" PRId64, r->expression->name[g->index[i]], r->expression->extent[g->index[i]]);
    putchar('\n');
}

static void print_arrays(const ashi_contract_report *r)
{
    for (int x = 0; x < 3; x++) {
        const char *how = r->matching->in_place[x] ? "multiplied where it lies" : "permuted as it is packed";
        if (x < 2 && r->matching->diagonal[x])
            how = "its diagonal is taken as it is packed";
        else if (x < 2 && r->matching->read[x] != r->matching->words[x])
            how = "summed over its own indices first";
        else if (x == 2 && !r->matching->in_place[x])
            how = "permuted as it is unpacked";
        printf("  %c %10s words, %s\n", "ABC"[x], ashi_figure_of((double)r->matching->stored[x], "").text, how);
    }
}

/* What no schedule can do better. */
static void print_bounds(const ashi_contract_report *r)
{
    const ashi_contract_bounds b = ashi_contract_bounds_of(r);
    printf("bounds      disk, all %s words or more (%s); network %s or more for a rank if distributions are free "
           "(%s)\n", ashi_figure_of(b.disk, "").text, b.disk_source, ashi_figure_of(b.network, "").text,
           b.network_source);
}

static void print_problem(const ashi_contract_report *r)
{
    const ashi_paper_problem *q = r->problem;
    const double bytes = (double)ashi_type_of(r->type)->bytes;
    printf("contraction %s, type %s\n", r->text, ashi_type_of(r->type)->name);
    for (int c = 0; c < ASHI_CLASSES; c++)
        print_group(r, (ashi_index_class)c);
    print_arrays(r);
    printf("product     I %" PRId64 "  J %" PRId64 "  K %" PRId64 ", %" PRId64 " time%s\n", q->extent[0], q->extent[1],
           q->extent[2], q->batch, q->batch == 1 ? "" : "s");
    printf("machine     %" PRId64 " rank%s, M = %s words for tiles of each array, disk %s/s, network %s/s, f %.6g, "
           "g %.6g\n", q->ranks, q->ranks == 1 ? "" : "s", ashi_figure_of((double)q->tile_words, "").text,
           ashi_figure_of(q->disk * bytes, "B").text, ashi_figure_of(q->network * bytes, "B").text, q->replicate,
           q->reduce);
    if (ashi_contract_prepare(r) > 0)
        printf("before      %s words of disk per rank, to sum operands over indices of their own\n",
               ashi_figure_of(ashi_contract_prepare(r), "").text);
    print_bounds(r);
}

/* What the given distributions cost. */
static void print_free(const ashi_contract_report *r)
{
    const ashi_paper_schedule *o = &r->schedule[ashi_max(r->free_best, 0)];
    if (r->constrained && r->free_best >= 0)
        printf("with free distributions %s in the order %s takes %s: the given ones cost %s\n",
               ashi_paper_name(o->inside, o->method), ashi_paper_order_name(o->order),
               ashi_figure_seconds(r->free_seconds).text,
               ashi_figure_seconds(r->schedule[r->best].seconds - r->free_seconds).text);
}

/* "3", "3x2": outer and inner loop. */
static void print_tiles(const double count[2], bool real)
{
    char text[48];
    int used = snprintf(text, sizeof text, real ? "%.4f" : "%.0f", count[0]);
    if (count[1] > 1 && used > 0 && (size_t)used < sizeof text)
        snprintf(text + used, sizeof text - (size_t)used, real ? "x%.4f" : "x%.0f", count[1]);
    printf(" %10s", text);
}

/* "i j k 3.20 M": the indices that are cut, and words that the busiest rank receives to redistribute the arrays. */
static void print_moved(const ashi_contract_report *r, int i)
{
    const ashi_redistribution *m = &r->moved[i];
    char text[8] = "";
    for (int d = 0, used = 0; d < 3; d++)
        if (m->index[d] >= 0)
            text[used++] = r->expression->name[m->index[d]];
    printf(" %-3s %10s", text, ashi_figure_of(m->received[0] + m->received[1] + m->received[2], "").text);
}

static void print_schedule(const ashi_contract_report *r, int i)
{
    const ashi_paper_schedule *o = &r->schedule[i];
    printf("%c %-21s %s", i == r->best ? '*' : ' ', ashi_paper_name(o->inside, o->method),
           ashi_paper_order_name(o->order));
    if (!o->applicable) {
        printf("  not applicable: %s\n", o->reason);
        return;
    }
    for (int d = 0; d < 3; d++)
        print_tiles(o->tiles.count[d], r->problem->real);
    printf(" %10s %10s %10s", ashi_figure_of(o->rank.reads, "").text, ashi_figure_of(o->rank.writes, "").text,
           ashi_figure_of(o->rank.network, "").text);
    printf(" %10s %10s %10s", ashi_figure_of(o->busiest.reads + o->busiest.writes, "").text,
           ashi_figure_of(o->total_disk, "").text, ashi_figure_seconds(o->seconds).text);
    if (r->constrained)
        print_moved(r, i);
    if (o->method == ASHI_PAPER_ROTATION)
        printf("  %" PRId64 "x%" PRId64, o->grid[0], o->grid[1]);
    for (int x = 0, first = 1; x < 3; x++)
        if (o->resident[x]) {
            printf(first ? "  %c" : "%c", "ABC"[x]);
            first = 0;
        }
    putchar('\n');
}

double ashi_contract_fewest(const ashi_contract_report *r)
{
    double least = INFINITY;
    for (int i = 0; i < ASHI_PAPER_SCHEDULES; i++)
        if (r->schedule[i].applicable)
            least = fmin(least, r->schedule[i].total_disk);
    return least;
}

/* What is possible with all of the memory for one tile. */
static void print_tiling(const ashi_contract_report *r)
{
    const ashi_contract_tiling *t = &r->tiling;
    if (!t->applicable) {
        printf("\none large tile: %s\n", t->reason);
        return;
    }
    printf("\none large tile of %c stays in the memory of %" PRId64 " x %" PRId64 " ranks, the rest is streamed: "
           "a rank has up to %" PRId64 " x %" PRId64 " x %" PRId64 " of I x J x K at once\n",
           "ABC"[t->nest.stays], t->nest.team[0], t->nest.team[1], t->shape[0], t->shape[1], t->shape[2]);
    printf("  disk, all %s words; disk, max %s; network %s; %s", ashi_figure_of(t->disk_total, "").text,
           ashi_figure_of(t->disk_busiest, "").text, ashi_figure_of(t->network_busiest, "").text,
           ashi_figure_seconds(t->seconds).text);
    if (isfinite(ashi_contract_fewest(r)))
        printf("; %.3f times the words of disk of the schedule that has fewest",
               t->disk_total / ashi_contract_fewest(r));
    putchar('\n');
}

int ashi_contract_print(const ashi_contract_report *r)
{
    char why[460];
    print_problem(r);
    printf("\n%-23s %-3s %10s %10s %10s %10s %10s %10s %10s %10s %10s%s  %s\n", "  method", "by", "It", "Jt", "Kt",
           "reads", "writes", "network", "disk, max", "disk, all", "time", r->constrained ? " cut redistrib." : "",
           "grid, stays in memory");
    for (int i = 0; i < ASHI_PAPER_SCHEDULES; i++)
        if (r->shown[i])
            print_schedule(r, i);
    if (r->best < 0) {
        puts("\nnone of these is applicable");
        return ASHI_EXIT_NO;
    }
    ashi_contract_why(r, why, sizeof why);
    printf("\n%s\n", why);
    print_free(r);
    print_tiling(r);
    return ASHI_EXIT_DONE;
}
