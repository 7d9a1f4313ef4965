/* C that chooses which arrays are in memory if not all fit: when each is there, and how often it would be moved. */
#include "compile/emit_words.h"

#include <inttypes.h>

/* What a loop reads whole for each of its blocks counts so often. */
enum { BLOCKS = 8 };

/* ---- which arrays ---- */

static const ashi_ash_array *array_of(const ashi_ash_writer *w, int node)
{
    return node < w->g->sums->tensors ? &w->p->array[w->g->sums->tensor[node].array] : NULL;
}

/* Whether there is a choice for the array: it is the program's own and no block of a loop, or an input of the caller
 * that may be in a file. */
static bool has_life(const ashi_ash_writer *w, int node)
{
    const ashi_ash_array *const a = array_of(w, node);
    if (w->s->blocked[node] >= 0 || (a && w->g->sums->tensor[node].within >= 0))
        return false;
    return ashi_ash_is_own(w->g, node) || a->kind == ASHI_ASH_INPUT;
}

void ashi_ash_write_kept(const ashi_ash_writer *w, int node)
{
    int number = 0;
    for (int n = 0; n < node; n++)
        number += has_life(w, n);
    if (has_life(w, node))
        fprintf(w->out, "life[%d].kept", number);
    else
        fputs("true", w->out);
}

/* ---- what files cost ---- */

static bool is_or_within(const ashi_ash_writer *w, int node, int whole)
{
    return node == whole || (node < w->g->sums->tensors && w->g->sums->tensor[node].within == whole);
}

/* How often a step reads or writes the array if that is in a file. */
static int moves_of_step(const ashi_ash_writer *w, const ashi_ash_step *step, int node)
{
    const int cut = ashi_ash_steps_cut(w->s, step);
    int moves = 0;
    if (step->kind == ASHI_ASH_DIVIDE && step->node == node)
        return 2;
    if (step->kind != ASHI_ASH_ADD)
        return 0;
    const ashi_ash_part *const p = &w->g->part[step->part];
    if (is_or_within(w, p->node, node)) {
        const bool whole = step->loop >= 0 && cut >= w->g->node[p->node].order; /* each block adds to all of it */
        moves += 2 * (whole ? BLOCKS : 1) - step->begins;
    }
    for (int r = 0; r < p->readings; r++) {
        bool whole = step->loop >= 0;
        if (!is_or_within(w, p->reading[r].node, node))
            continue;
        for (int d = 0; d < w->g->node[p->reading[r].node].order; d++)
            whole = whole && p->reading[r].label[d] != cut;
        moves += whole ? BLOCKS : 1;
    }
    return moves;
}

/* Beyond the one time that an input is read, or an output is written, in any case. */
static int moves_of(const ashi_ash_writer *w, int node)
{
    const ashi_ash_array *const a = array_of(w, node);
    int moves = 0;
    if (w->g->node[node].order < 2)
        return -1;
    for (int64_t i = 0; i < w->s->count; i++)
        moves += moves_of_step(w, &w->s->step[i], node);
    if (a && a->kind == ASHI_ASH_INPUT)
        return moves > 0 ? moves - 1 : 0;
    return moves + (a && a->kind == ASHI_ASH_OUTPUT);
}

/* ---- when arrays are there ---- */

static void find_steps(const ashi_ash_writer *w, int node, int64_t *from, int64_t *to)
{
    const ashi_ash_array *const a = array_of(w, node);
    *from = 0;
    *to = w->s->count;
    for (int64_t i = 0; i < w->s->count && (!a || a->kind == ASHI_ASH_INTERMEDIATE); i++) {
        *from = w->s->step[i].kind == ASHI_ASH_BEGIN && w->s->step[i].node == node ? i : *from;
        *to = w->s->step[i].kind == ASHI_ASH_END && w->s->step[i].node == node ? i : *to;
    }
}

static void write_life(const ashi_ash_writer *w, int node)
{
    const ashi_ash_array *const a = array_of(w, node);
    const bool given = a && ashi_ash_is_given(w->g, node);
    const int moves = moves_of(w, node);
    int64_t from, to;
    find_steps(w, node, &from, &to);
    fputs("        {.words = ", w->out);
    if (given)
        fprintf(w->out, "!given->place.%s ? 0 : ", a->name);
    fputs("ash_size(r, ", w->out);
    ashi_ash_write_shape(w, node);
    fprintf(w->out, "),\n         .from = %" PRId64 ", .to = %" PRId64 ", .moves = %d}, /* ", from, to, moves);
    ashi_ash_write_node(w->g, node, w->out);
    fprintf(w->out, ", %.3g elements */\n", ashi_ash_extent(w->g->sums, w->g->node[node].order,
                                                            w->g->node[node].range));
}

/* The blocks of a loop: an eighth of the index, or of the limit if that is less. */
static void write_loop_life(const ashi_ash_writer *w, int loop)
{
    int64_t from = w->s->count, to = 0;
    for (int64_t i = 0; i < w->s->count; i++)
        if (w->s->step[i].loop == loop) {
            from = i < from ? i : from;
            to = i;
        }
    fprintf(w->out, "        {.words = ash_least(r->room->most / %d, (%s / %d + 1) *\n             (", BLOCKS,
            w->p->range[w->s->loop[loop].range].name, BLOCKS);
    ashi_ash_write_loop_words(w, loop);
    fprintf(w->out, ")),\n         .from = %" PRId64 ", .to = %" PRId64 ", .moves = -1}, /* blocks */\n", from, to);
}

void ashi_ash_write_lives(const ashi_ash_writer *w)
{
    int count = w->s->loops;
    for (int n = 0; n < (int)w->g->nodes; n++)
        count += has_life(w, n);
    if (count == 0)
        return;
    fputs("    /* Which arrays are in memory if not all fit: those that save the most words of files.\n"
          "     * `moves`: how often all elements are read or written for being in a file. */\n"
          "    ash_life life[] = {\n", w->out);
    for (int n = 0; n < (int)w->g->nodes; n++)
        if (has_life(w, n))
            write_life(w, n);
    for (int l = 0; l < w->s->loops; l++)
        write_loop_life(w, l);
    fprintf(w->out, "    };\n    ash_keep(r, life, %d);\n", count);
}
