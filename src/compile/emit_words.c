/* Names, extents and letters in the C that is written. */
#include "compile/emit_words.h"

#include <ctype.h>
#include <string.h>

void ashi_ash_write_node(const ashi_ash_graph *g, int node, FILE *out)
{
    if (node < g->sums->tensors) {
        fputs(g->sums->tensor[node].name, out);
        return;
    }
    char name[64];
    int skipped = 0;
    for (int i = 0; i <= g->sums->tensors; i++) { /* a name that no tensor has */
        snprintf(name, sizeof name, "X%d%.*s", node - g->sums->tensors + 1, skipped, "____________________");
        if (i < g->sums->tensors && strcmp(name, g->sums->tensor[i].name) == 0 && skipped < 20) {
            skipped++;
            i = -1;
        }
    }
    fputs(name, out);
}

void ashi_ash_write_reading(const ashi_ash_graph *g, int node, const int8_t *label, const char *letter, FILE *out)
{
    ashi_ash_write_node(g, node, out);
    for (int d = 0; d < g->node[node].order; d++)
        fprintf(out, "%s%c", d == 0 ? "[" : ",", letter[label ? label[d] : d]);
    fputs(g->node[node].order > 0 ? "]" : "", out);
}

void ashi_ash_write_extents(const ashi_ash_program *p, int count, const int8_t *range, FILE *out)
{
    const char *between = "";
    for (int r = 0; r < p->ranges; r++) {
        int power = 0;
        for (int i = 0; i < count; i++)
            power += range[i] == r;
        if (power > 0)
            fprintf(out, "%s%s", between, p->range[r].name);
        if (power > 1)
            fprintf(out, "^%d", power);
        between = power > 0 ? " " : between;
    }
    fputs(*between ? "" : "1", out);
}

void ashi_ash_write_begin(const ashi_ash_program *p, int range, int whole, FILE *out)
{
    const char *between = "";
    for (; range != whole; range = p->range[range].whole) {
        const ashi_ash_range *outer = &p->range[p->range[range].whole];
        for (int i = 0; outer->part[i] != range; i++) {
            fprintf(out, "%s%s", between, p->range[outer->part[i]].name);
            between = " + ";
        }
    }
    fputs(*between ? "" : "0", out);
}

void ashi_ash_letters(const ashi_ash_program *p, const ashi_ash_part *part, char letter[ASHI_ASH_LABELS_MOST + 1])
{
    static const char all[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    memset(letter, 0, ASHI_ASH_LABELS_MOST + 1);
    for (int l = 0; l < part->labels; l++) {
        for (int i = 0; i < p->indices && !letter[l]; i++) {
            const ashi_ash_index *index = &p->index[i];
            if (index->range == part->range[l] && isalpha((unsigned char)index->name[0]) && !index->name[1] &&
                !memchr(letter, index->name[0], (size_t)l))
                letter[l] = index->name[0];
        }
        for (int i = 0; all[i] && !letter[l]; i++)
            if (!memchr(letter, all[i], (size_t)l))
                letter[l] = all[i];
    }
}

static const ashi_ash_array *array_of(const ashi_ash_graph *g, int node)
{
    return &g->sums->program->array[g->sums->tensor[node].array];
}

bool ashi_ash_is_own(const ashi_ash_graph *g, int node)
{
    if (node >= g->sums->tensors)
        return true;
    const ashi_ash_array *a = array_of(g, node);
    return g->sums->tensor[node].within < 0 && (a->kind == ASHI_ASH_INTERMEDIATE || a->place[0]);
}

bool ashi_ash_is_given(const ashi_ash_graph *g, int node)
{
    return node < g->sums->tensors && g->sums->tensor[node].within < 0 && !array_of(g, node)->place[0] &&
           array_of(g, node)->kind != ASHI_ASH_INTERMEDIATE;
}

/* Whether some step, or some part of the node that is read, cuts one of its dimensions. */
static bool is_cut(const ashi_ash_steps *s, int node, int dimension)
{
    const ashi_ash_graph *g = s->graph;
    if (s->blocked[node] >= 0)
        return dimension == s->blocked[node]; /* its blocks are dealt out along another one */
    for (int t = 0; t < g->sums->tensors; t++)
        if (g->sums->tensor[t].within == node && g->node[t].range[dimension] != g->node[node].range[dimension])
            return true;
    for (int64_t i = 0; i < s->count; i++) {
        const int cut = ashi_ash_steps_cut(s, &s->step[i]);
        if (cut < 0)
            continue;
        const ashi_ash_part *p = &g->part[s->step[i].part];
        if (p->node == node && cut == dimension)
            return true;
        for (int r = 0; r < p->readings; r++) {
            const int from = p->reading[r].node;
            const bool same = from == node || (from < g->sums->tensors && g->sums->tensor[from].within == node);
            if (same && p->reading[r].label[dimension] == cut)
                return true;
        }
    }
    return false;
}

int ashi_ash_dealt(const ashi_ash_steps *s, int node)
{
    for (int d = 0; d < s->graph->node[node].order; d++)
        if (!is_cut(s, node, d))
            return d;
    return -1;
}

void ashi_ash_write_string(const char *text, FILE *out)
{
    fputc('"', out);
    for (const char *c = text; *c; c++) {
        const char before = c > text ? c[-1] : '\0';
        const bool comment = (*c == '/' && before == '*') || (*c == '*' && before == '/');
        if (comment || (unsigned char)*c < ' ' || (unsigned char)*c > '~' || strchr("\\?\"", *c))
            fprintf(out, "\\%03o", (unsigned)(unsigned char)*c);
        else
            fputc(*c, out);
    }
    fputc('"', out);
}

const char *ashi_ash_c_type(ashlar_type type)
{
    static const char *const names[] = {"float", "double", "float complex", "double complex"};
    return names[type];
}

bool ashi_ash_has_files(const ashi_ash_program *p)
{
    bool has = false;
    for (int a = 0; a < p->arrays; a++)
        has = has || p->array[a].place[0];
    return has;
}

const char *ashi_ash_function(const ashi_ash_emission *e)
{
    return e->function ? e->function : "compute";
}

void ashi_ash_write_shape(const ashi_ash_writer *w, int node)
{
    const ashi_ash_node *n = &w->g->node[node];
    fprintf(w->out, "%d, %d, (int64_t[]){", n->order, ashi_ash_dealt(w->s, node));
    for (int d = 0; d < n->order; d++)
        if (d == w->s->blocked[node])
            fprintf(w->out, "%sto - from", d == 0 ? "" : ", ");
        else
            fprintf(w->out, "%s%s", d == 0 ? "" : ", ", w->p->range[n->range[d]].name);
    fputs(n->order == 0 ? "0}" : "}", w->out);
}

/* "n * ash_share(r, m)": the elements of a rank for one value of the index that is cut. */
static void write_words_of_one(const ashi_ash_writer *w, int node)
{
    const ashi_ash_node *n = &w->g->node[node];
    const char *between = "";
    for (int d = 0; d < n->order; d++) {
        if (d == w->s->blocked[node])
            continue;
        fprintf(w->out, d == ashi_ash_dealt(w->s, node) ? "%sash_share(r, %s)" : "%s%s", between,
                w->p->range[n->range[d]].name);
        between = " * ";
    }
    fputs(*between ? "" : "1", w->out);
}

void ashi_ash_write_loop_words(const ashi_ash_writer *w, int loop)
{
    const char *between = "";
    for (int64_t i = 0; i < w->s->count; i++)
        if (w->s->step[i].loop == loop && w->s->step[i].kind == ASHI_ASH_BEGIN) {
            fputs(between, w->out);
            write_words_of_one(w, w->s->step[i].node);
            between = " + ";
        }
}
