/* plan-contract of three and more operands, for people. */
#include "base/type.h"
#include "cli/command.h"
#include "cli/figures.h"
#include "cli/plan_sequence.h"

#include <inttypes.h>
#include <stdio.h>

const char *ashi_fused_name(const ashi_tile_by_tile *t)
{
    const int64_t *n = t->extent;
    if (ashi_is_mttkrp(t))
        return "MTTKRP";
    return n[ASHI_FUSED_R] == 1 && n[ASHI_FUSED_B] > 1 && n[ASHI_FUSED_C] > 1 ? "TTMc" : "product of three operands";
}

void ashi_sequence_why(const ashi_sequence_report *r, char *out, size_t room)
{
    const ashi_sequence_plan *p = r->plan;
    const ashi_sequence *q = &p->sequence;
    const char *how = q->exact ? "no order of pairs takes fewer multiply-adds, or as many and fewer words"
                               : "more than 10 operands: pairs are chosen greedily until 10 are left";
    if (q->multiply_adds > p->cheapest)
        how = "the order of fewest multiply-adds whose intermediates fit in half of the memory";
    int used = snprintf(out, room, "%s", how);
    if (q->multiply_adds > p->cheapest && used > 0 && (size_t)used < room)
        used += snprintf(out + used, room - (size_t)used, ", %.4g times the fewest of all, with scratch files, which "
                         "would take longer", (double)q->multiply_adds / (double)p->cheapest);
    if (used > 0 && (size_t)used < room)
        snprintf(out + used, room - (size_t)used, p->scratch ? "; %d intermediate%s in scratch files"
                                                              : "; no intermediate needs a scratch file",
                 p->scratch, p->scratch == 1 ? " is" : "s are");
}

static void print_array(const ashi_sequence_report *r, const char *name, const ashi_index_list *list)
{
    char text[ASHI_ORDER_MOST + 1] = "";
    for (int d = 0; d < list->order; d++)
        text[d] = r->expression->name[list->index[d]];
    printf("  %-3s %-12s %10s words\n", name, text,
           ashi_figure_of((double)ashi_expression_words(r->expression, list), "").text);
}

static void print_problem(const ashi_sequence_report *r)
{
    const ashi_sequence_request *q = r->request;
    const double bytes = (double)q->bytes;
    printf("contraction %s, type %s\n", r->text, ashi_type_of(r->type)->name);
    for (int x = 0; x < r->expression->operands; x++) {
        char name[16];
        snprintf(name, sizeof name, "%d", x + 1);
        print_array(r, name, &r->expression->operand[x]);
    }
    print_array(r, "out", &r->expression->output);
    printf("machine     %" PRId64 " rank%s, memory for %s words each, disk %s/s, %s/s\n", q->ranks,
           q->ranks == 1 ? "" : "s", ashi_figure_of((double)q->memory_words, "").text,
           ashi_figure_of(q->disk * bytes, "B").text,
           ashi_figure_of(q->multiply_adds * ashi_type_of(r->type)->flops, "flop").text);
}

/* Where the result of a step is. */
static const char *place_of(const ashi_sequence_plan *p, int s)
{
    if (p->sequence.step[s].user < 0)
        return "output";
    return s == p->fused ? "in tiles" : p->step[s].scratch ? "scratch" : "memory";
}

static void print_step(const ashi_sequence_report *r, int s)
{
    const ashi_sequence_step *step = &r->plan->sequence.step[s];
    const ashi_planned_step *o = &r->plan->step[s];
    const bool fused = r->plan->fused >= 0 && (s == r->plan->fused || s == r->plan->fused + 1);
    char text[ASHI_STEP_TEXT];
    ashi_sequence_text(r->expression, &r->plan->sequence, s, text);
    printf("%3d %-20s", s + 1, text);
    if (o->batch > 0)
        printf(" %8" PRId64 " %8" PRId64 " %8" PRId64 " %6" PRId64, o->m, o->n, o->k, o->batch);
    else
        printf(" %33s", "a sum");
    printf(" %10s %10s %10s", ashi_figure_of((double)step->multiply_adds, "").text,
           ashi_figure_of((double)step->words, "").text, ashi_figure_of((double)step->held, "").text);
    printf(" %-8s %10s %10s  %s %s\n", place_of(r->plan, s), fused ? "-" : ashi_figure_of(o->disk_words, "").text,
           fused ? "-" : ashi_figure_seconds(o->seconds).text,
           o->paper.applicable ? ashi_paper_name(o->paper.inside, o->paper.method) : "",
           o->paper.applicable ? ashi_paper_order_name(o->paper.order) : "");
}

/* Two steps as one of three operands, and what is known about the least words that it moves. */
static void print_tiles(const ashi_sequence_report *r)
{
    const ashi_sequence_plan *p = r->plan;
    const ashi_tile_by_tile *t = &p->tiles;
    if (!p->three)
        return;
    printf("\nsteps %d and %d are one %s: ", p->candidate + 1, p->candidate + 2,
           ashi_fused_name(t));
    printf("tile by tile, without the array between them, %s words of disk; one after the other %s\n",
           ashi_figure_of(t->disk_words, "").text, ashi_figure_of(p->disk_pairs, "").text);
    printf("  %s; blocks of %" PRId64 " x %" PRId64 " x %" PRId64 ", %s words of memory, %s multiply-adds\n",
           p->fused >= 0 ? "they are done tile by tile" : "they are done one after the other", t->block[0],
           t->block[1], t->block[2], ashi_figure_of((double)t->memory_words, "").text,
           ashi_figure_of((double)t->multiply_adds, "").text);
    if (ashi_is_mttkrp(t))
        printf("  bound: a rank moves %s words or more (3 I J K R / (P S^(2/3)), Ziogas et al., Deinsum, SC 2022)\n",
               ashi_figure_of(ashi_mttkrp_bound(t, r->request->ranks, r->request->memory_words), "").text);
}

int ashi_sequence_print(const ashi_sequence_report *r)
{
    const ashi_sequence_plan *p = r->plan;
    char why[320];
    print_problem(r);
    printf("\n%3s %-20s %8s %8s %8s %6s %10s %10s %10s %-8s %10s %10s  %s\n", "", "step", "m", "n", "k", "batch",
           "mult.-adds", "words", "held", "result", "disk", "time", "the paper's fastest");
    for (int s = 0; s < p->sequence.steps; s++)
        print_step(r, s);
    ashi_sequence_why(r, why, sizeof why);
    printf("\n%s multiply-adds, %s words, %s of intermediates in memory at most, %s words of disk, %s\n",
           ashi_figure_of((double)p->sequence.multiply_adds, "").text,
           ashi_figure_of((double)p->sequence.words, "").text, ashi_figure_of((double)p->held, "").text,
           ashi_figure_of(p->disk_words, "").text, ashi_figure_seconds(p->seconds).text);
    printf("%s\n", why);
    print_tiles(r);
    return ASHI_EXIT_DONE;
}
