/* C for single steps. */
#include "compile/emit_words.h"

#include <inttypes.h>

/* "ash_cut(ash_whole(&t.A), 1, from, to)" */
static void write_part(const ashi_ash_writer *w, int node, bool conjugate, const int8_t *label, int cut)
{
    const int within = node < w->g->sums->tensors ? w->g->sums->tensor[node].within : -1;
    int cuts = 0;
    for (int d = 0; d < w->g->node[node].order; d++) {
        cuts += within >= 0 && w->g->node[node].range[d] != w->g->node[within].range[d];
        cuts += (label ? label[d] : d) == cut && w->s->blocked[node] < 0;
    }
    fputs(conjugate ? "ash_conjugate(" : "", w->out);
    for (int c = 0; c < cuts; c++)
        fputs("ash_cut(", w->out);
    fputs("ash_whole(&t.", w->out);
    ashi_ash_write_node(w->g, within >= 0 ? within : node, w->out);
    fputs(")", w->out);
    for (int d = 0; d < w->g->node[node].order; d++) {
        const int range = w->g->node[node].range[d];
        if (within >= 0 && range != w->g->node[within].range[d]) {
            fprintf(w->out, ", %d, ", d);
            ashi_ash_write_begin(w->p, range, w->g->node[within].range[d], w->out);
            fputs(", ", w->out);
            ashi_ash_write_begin(w->p, range, w->g->node[within].range[d], w->out);
            fprintf(w->out, " + %s)", w->p->range[range].name);
        }
        if ((label ? label[d] : d) == cut && w->s->blocked[node] < 0)
            fprintf(w->out, ", %d, from, to)", d);
    }
    fputs(conjugate ? ")" : "", w->out);
}

/* "; 120 words received, 1e+06 of files, 0.2 s" */
static void write_forecast(const ashi_ash_writer *w, ashi_ash_forecast f)
{
    fputs("; ", w->out);
    if (w->e->target.ranks > 1)
        fprintf(w->out, "%.3g words received, ", f.received);
    if (f.filed > 0)
        fprintf(w->out, "%.3g words of files, ", f.filed);
    fprintf(w->out, "%.2g s", f.seconds);
}

/* "3. X1[m,n] += 2 A[m,e] B[e,n]: o^2 v multiply-adds, 4e+03; 120 words received, 2e-07 s" */
static void write_comment(ashi_ash_writer *w, const ashi_ash_step *step, const char *letter)
{
    const ashi_ash_part *p = &w->g->part[step->part];
    fprintf(w->out, "/* %" PRId64 ". ", ++w->number);
    ashi_ash_write_reading(w->g, p->node, NULL, letter, w->out);
    fprintf(w->out, " %s ", step->begins ? "=" : "+=");
    if (p->coefficient != 1)
        fprintf(w->out, "%.6g ", p->coefficient);
    for (int i = 0; i < p->readings; i++) {
        ashi_ash_write_reading(w->g, p->reading[i].node, p->reading[i].label, letter, w->out);
        fputs(i + 1 < p->readings ? " " : "", w->out);
    }
    fputs(": ", w->out);
    ashi_ash_write_extents(w->p, p->labels, p->range, w->out);
    fprintf(w->out, " %s, %.3g", p->readings == 2 ? "multiply-adds" : "elements",
            ashi_ash_extent(w->g->sums, p->labels, p->range));
    if (w->e->predict)
        write_forecast(w, w->e->predict(w->s, p, &w->e->target));
    fputs(" */\n", w->out);
}

static void write_add(ashi_ash_writer *w, const ashi_ash_step *step, const char *indent)
{
    const ashi_ash_part *p = &w->g->part[step->part];
    const int cut = ashi_ash_steps_cut(w->s, step), order = w->g->node[p->node].order;
    char letter[ASHI_ASH_LABELS_MOST + 1];
    ashi_ash_letters(w->p, p, letter);
    fputs(indent, w->out);
    write_comment(w, step, letter);
    fprintf(w->out, "%sif (status == ASHLAR_OK)\n%s    status = %s(r, \"", indent, indent,
            p->readings == 2 ? "ash_multiply" : "ash_add");
    for (int i = 0; i < p->readings; i++) {
        for (int d = 0; d < w->g->node[p->reading[i].node].order; d++)
            fputc(letter[p->reading[i].label[d]], w->out);
        fputs(i + 1 < p->readings ? "," : "->", w->out);
    }
    fprintf(w->out, "%.*s\", %s%.17g,", order, letter, w->e->target.type == ASHLAR_TYPE_S ? "(element)" : "",
            p->coefficient);
    for (int i = 0; i < p->readings; i++) {
        fprintf(w->out, "\n%s             ", indent);
        write_part(w, p->reading[i].node, p->reading[i].conjugate, p->reading[i].label, cut);
        fputs(",", w->out);
    }
    fprintf(w->out, "\n%s             %s, ", indent, !step->begins ? "1" : cut >= order ? "from > 0" : "0");
    write_part(w, p->node, false, NULL, cut);
    fputs(");\n", w->out);
}

static void write_divide(const ashi_ash_writer *w, const ashi_ash_step *step, const char *indent)
{
    const ashi_ash_group *group = &w->g->sums->group[w->g->node[step->node].divided];
    fprintf(w->out, "%sif (status == ASHLAR_OK)\n%s    status = ash_divide(r, &t.", indent, indent);
    ashi_ash_write_node(w->g, step->node, w->out);
    fprintf(w->out, ", %d, (ash_divisor[]){", group->divisors);
    for (int v = 0; v < group->divisors; v++) {
        fprintf(w->out, "%s\n%s                  {", v == 0 ? "" : ",", indent);
        write_part(w, group->divisor[v].tensor, false, NULL, -1);
        fprintf(w->out, ", %d, %d}", group->divisor[v].at, group->divisor[v].sign);
    }
    fputs("});\n", w->out);
}

void ashi_ash_write_begin_array(const ashi_ash_writer *w, int node, const char *indent)
{
    fprintf(w->out, "if (status == ASHLAR_OK)\n%s    status = ash_begin(r, &t.", indent);
    ashi_ash_write_node(w->g, node, w->out);
    fputs(", \"", w->out);
    ashi_ash_write_node(w->g, node, w->out);
    fputs("\", ", w->out);
    ashi_ash_write_kept(w, node);
    fputs(", ", w->out);
    ashi_ash_write_shape(w, node);
    fputs(");\n", w->out);
}

void ashi_ash_write_step(ashi_ash_writer *w, const ashi_ash_step *step)
{
    const char *indent = step->loop >= 0 ? "        " : "    ";
    if (step->kind == ASHI_ASH_ADD) {
        write_add(w, step, indent);
    } else if (step->kind == ASHI_ASH_DIVIDE) {
        write_divide(w, step, indent);
    } else if (step->kind == ASHI_ASH_BEGIN && ashi_ash_is_own(w->g, step->node)) {
        fputs(indent, w->out);
        ashi_ash_write_begin_array(w, step->node, indent);
    } else if (step->kind == ASHI_ASH_END || step->kind == ASHI_ASH_ZERO) {
        fprintf(w->out, "%sif (status == ASHLAR_OK)\n%s    %s(r, &t.", indent, indent,
                step->kind == ASHI_ASH_END ? "ash_end" : "status = ash_zero");
        ashi_ash_write_node(w->g, step->node, w->out);
        fputs(");\n", w->out);
    }
}
