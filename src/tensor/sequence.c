/* Sequences: the steps of the tree that was chosen, their results and their figures. */
#include "tensor/sequence.h"

#include "base/checked.h"
#include "base/error.h"
#include "tensor/sequence_parts.h"

#include <string.h>

/* The steps as they are written, and which arrays are still to be used. */
typedef struct writer {
    const ashi_expression *expression;
    const ashi_sequence_parts *parts;
    ashi_sequence *out;
    ashi_index_set indices[ASHI_OPERANDS_MOST + ASHI_SEQUENCE_STEPS]; /* of arrays */
    bool waits[ASHI_OPERANDS_MOST + ASHI_SEQUENCE_STEPS];
} writer;

static ashi_index_set needed(const writer *w)
{
    ashi_index_set all = ashi_index_set_of(&w->expression->output);
    for (int x = 0; x < w->out->operands + w->out->steps; x++)
        all |= w->waits[x] ? w->indices[x] : 0;
    return all;
}

/* Add a step; b is -1 if it has one operand. Returns the number of what it makes. */
static int write_step(writer *w, int a, int b)
{
    const int made = w->out->operands + w->out->steps;
    ashi_sequence_step *s = &w->out->step[w->out->steps];
    const ashi_index_set inside = w->indices[a] | (b < 0 ? 0 : w->indices[b]);
    w->waits[a] = false;
    if (b >= 0)
        w->waits[b] = false;
    const ashi_index_set kept = inside & needed(w);
    *s = (ashi_sequence_step){.operand = {b < 0 || a < b ? a : b, b < 0 || a < b ? b : a}};
    for (int x = 0; x < w->expression->indices; x++)
        if (kept >> x & 1)
            s->result.index[s->result.order++] = x;
    w->indices[made] = kept;
    w->waits[made] = true;
    w->out->steps++;
    return made;
}

/* Make a part. Returns the number of the array. */
static int write_part(writer *w, int part)
{
    const ashi_sequence_part *p = &w->parts->part[part];
    if (p->made_of[0] < 0)
        return p->leaf.indices == w->indices[part] ? part : write_step(w, part, -1);
    const int first = write_part(w, p->made_of[0]);
    return write_step(w, first, write_part(w, p->made_of[1]));
}

static void write_tree(writer *w, const ashi_sequence_tree *tree)
{
    int made[2 * ASHI_SEQUENCE_EXACT], count = 0;
    for (int i = 0; i < tree->entries; i++)
        if (tree->entry[i] == ASHI_SEQUENCE_PAIR) {
            count--;
            made[count - 1] = write_step(w, made[count - 1], made[count]);
        } else
            made[count++] = write_part(w, w->parts->open[tree->entry[i]]);
    if (w->out->steps == 0) /* one operand, of which nothing is summed */
        write_step(w, made[0], -1);
}

static const ashi_index_list *list_of(const ashi_expression *e, const ashi_sequence *q, int array)
{
    return array < q->operands ? &e->operand[array] : &q->step[array - q->operands].result;
}

static void find_users(ashi_sequence *q)
{
    for (int s = 0; s < q->steps; s++)
        q->step[s].user = -1;
    for (int s = 0; s < q->steps; s++)
        for (int x = 0; x < 2; x++)
            if (q->step[s].operand[x] >= q->operands)
                q->step[q->step[s].operand[x] - q->operands].user = s;
}

/* Where an index stands in an intermediate: those that its user keeps come first, in the order of the user's result,
 * and then those that the user sums over, in the order of its other operand. So both are neighbours if they can be. */
static int rank_of(const ashi_expression *e, const ashi_sequence *q, int s, int index)
{
    const ashi_sequence_step *user = &q->step[q->step[s].user];
    const int other = user->operand[user->operand[0] == q->operands + s];
    const int kept = ashi_index_find(&user->result, index);
    return kept >= 0 || other < 0 ? kept : ASHI_ORDER_MOST + ashi_index_find(list_of(e, q, other), index);
}

static void order_results(const ashi_expression *e, ashi_sequence *q)
{
    q->step[q->steps - 1].result = e->output;
    memset(q->step[q->steps - 1].result.column, 0, sizeof e->output.column);
    for (int s = q->steps - 2; s >= 0; s--) {
        ashi_index_list *list = &q->step[s].result;
        for (int d = 1; d < list->order; d++)
            for (int x = d; x > 0 && rank_of(e, q, s, list->index[x]) < rank_of(e, q, s, list->index[x - 1]); x--) {
                const int index = list->index[x];
                list->index[x] = list->index[x - 1];
                list->index[x - 1] = index;
            }
    }
}

static bool count_step(const ashi_expression *e, ashi_sequence *q, int s)
{
    ashi_sequence_step *step = &q->step[s];
    ashi_index_set all = 0;
    bool fits = true;
    step->result_words = ashi_expression_words(e, &step->result);
    step->words = step->result_words;
    for (int x = 0; x < 2 && step->operand[x] >= 0; x++) {
        const ashi_index_list *list = list_of(e, q, step->operand[x]);
        all |= ashi_index_set_of(list);
        fits = ashi_add(step->words, ashi_expression_words(e, list), &step->words) && fits;
    }
    for (int t = 0; t <= s; t++)
        if (q->step[t].user >= s)
            fits = ashi_add(step->held, q->step[t].result_words, &step->held) && fits;
    fits = ashi_narrow(ashi_index_set_size(e, all), &step->multiply_adds) && fits;
    fits = ashi_add(q->multiply_adds, step->multiply_adds, &q->multiply_adds) && fits;
    fits = ashi_add(q->words, step->words, &q->words) && fits;
    q->held = ashi_max(q->held, step->held);
    return fits;
}

/* The best sequence that begins with the pairs of a measure, if there are too many operands. */
static ashlar_status choose(const ashi_expression *e, ashi_pair_measure measure, int64_t words_most,
                            ashi_sequence *out, int64_t *least, ashlar_error *err)
{
    ashi_sequence_parts parts;
    ashi_sequence_tree tree;
    ashi_sequence_leaf leaf[ASHI_SEQUENCE_EXACT];
    ashi_sequence_parts_make(e, &parts);
    ashi_sequence_parts_join(e, &parts, ASHI_SEQUENCE_EXACT, measure);
    for (int x = 0; x < parts.left; x++)
        leaf[x] = parts.part[parts.open[x]].leaf;
    const ashlar_status status = ashi_sequence_search(e, parts.left, leaf, ashi_index_set_of(&e->output), words_most,
                                                      &tree, least, err);
    if (status != ASHLAR_OK)
        return status;
    *out = (ashi_sequence){.operands = e->operands, .exact = e->operands <= ASHI_SEQUENCE_EXACT};
    writer w = {.expression = e, .parts = &parts, .out = out};
    for (int x = 0; x < e->operands; x++) {
        w.indices[x] = ashi_index_set_of(&e->operand[x]);
        w.waits[x] = true;
    }
    write_tree(&w, &tree);
    find_users(out);
    order_results(e, out);
    bool fits = true;
    for (int s = 0; s < out->steps; s++)
        fits = count_step(e, out, s) && fits;
    return fits ? ASHLAR_OK : ashi_fail(err, ASHLAR_ERR_OVERFLOW, "the products of elements do not fit in 64 bits");
}

static bool is_cheaper(const ashi_sequence *a, const ashi_sequence *b)
{
    return a->multiply_adds < b->multiply_adds || (a->multiply_adds == b->multiply_adds && a->words < b->words);
}

ashlar_status ashi_sequence_choose(const ashi_expression *e, int64_t words_most, ashi_sequence *out, int64_t *least,
                                   ashlar_error *err)
{
    ashlar_error ignored;
    ashi_sequence other;
    int64_t needed = INT64_MAX;
    const ashlar_status status = choose(e, ASHI_PAIR_WORK, words_most, out, least, err);
    if (e->operands <= ASHI_SEQUENCE_EXACT)
        return status;
    const ashlar_status second = choose(e, ASHI_PAIR_WORDS, words_most, &other, &needed, &ignored);
    if (second == ASHLAR_OK && (status != ASHLAR_OK || is_cheaper(&other, out)))
        *out = other;
    if (status == ASHLAR_ERR_LIMIT && second == ASHLAR_ERR_LIMIT && needed < *least) {
        *least = needed;
        return ashi_fail(err, ASHLAR_ERR_LIMIT, "%s", ignored.text);
    }
    return second == ASHLAR_OK ? ASHLAR_OK : status;
}

void ashi_sequence_expression(const ashi_expression *e, const ashi_sequence *q, int step, ashi_expression *out)
{
    const ashi_sequence_step *s = &q->step[step];
    *out = (ashi_expression){.operands = s->operand[1] < 0 ? 1 : 2, .indices = e->indices, .output = s->result};
    for (int x = 0; x < out->operands; x++)
        out->operand[x] = *list_of(e, q, s->operand[x]);
    memcpy(out->name, e->name, sizeof out->name);
    memcpy(out->extent, e->extent, sizeof out->extent);
}

static char *write_list(const ashi_expression *e, const ashi_index_list *list, char *at)
{
    for (int d = 0; d < list->order; d++)
        *at++ = e->name[list->index[d]];
    return at;
}

void ashi_sequence_text(const ashi_expression *e, const ashi_sequence *q, int step, char text[ASHI_STEP_TEXT])
{
    const ashi_sequence_step *s = &q->step[step];
    char *at = write_list(e, list_of(e, q, s->operand[0]), text);
    if (s->operand[1] >= 0) {
        *at++ = ',';
        at = write_list(e, list_of(e, q, s->operand[1]), at);
    }
    memcpy(at, "->", 2);
    *write_list(e, &s->result, at + 2) = '\0';
}
