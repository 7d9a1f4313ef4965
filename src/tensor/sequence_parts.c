/* Greedy choice of pairs. */
#include "tensor/sequence_parts.h"

#include "base/checked.h"

static int64_t words_of(const ashi_expression *e, ashi_index_set indices)
{
    const ashi_wide size = ashi_index_set_size(e, indices);
    return size < INT64_MAX ? (int64_t)size : INT64_MAX;
}

void ashi_sequence_parts_make(const ashi_expression *e, ashi_sequence_parts *out)
{
    *out = (ashi_sequence_parts){.count = e->operands, .left = e->operands};
    for (int x = 0; x < e->operands; x++) {
        const ashi_index_set all = ashi_index_set_of(&e->operand[x]);
        ashi_index_set others = ashi_index_set_of(&e->output);
        for (int y = 0; y < e->operands; y++)
            others |= y == x ? 0 : ashi_index_set_of(&e->operand[y]);
        const bool summed = e->operands > 1 && (all & ~others) != 0;
        const int64_t words = summed ? words_of(e, all & others) : ashi_expression_words(e, &e->operand[x]);
        const int64_t held = summed ? words : 0;
        out->part[x] = (ashi_sequence_part){
            .leaf = {.indices = all & others, .words = words, .result = held, .held = held}, .made_of = {-1, -1}};
        out->open[x] = x;
    }
}

/* What two parts make: their indices that the output or another open part has. */
static ashi_index_set made_by(const ashi_expression *e, const ashi_sequence_parts *p, int i, int j)
{
    ashi_index_set others = ashi_index_set_of(&e->output);
    for (int x = 0; x < p->left; x++)
        others |= x == i || x == j ? 0 : p->part[p->open[x]].leaf.indices;
    return (p->part[p->open[i]].leaf.indices | p->part[p->open[j]].leaf.indices) & others;
}

static void join(const ashi_expression *e, ashi_sequence_parts *p, int i, int j)
{
    const ashi_sequence_leaf *a = &p->part[p->open[i]].leaf, *b = &p->part[p->open[j]].leaf;
    const ashi_index_set made = made_by(e, p, i, j);
    const int64_t words = words_of(e, made);
    const int64_t held = ashi_sequence_held(a, b, words), turned = ashi_sequence_held(b, a, words);
    p->part[p->count] = (ashi_sequence_part){
        .leaf = {.indices = made, .words = words, .result = words, .held = ashi_min(held, turned)},
        .made_of = {p->open[turned < held ? j : i], p->open[turned < held ? i : j]}};
    p->open[i] = p->count++;
    p->left--;
    for (int x = j; x < p->left; x++)
        p->open[x] = p->open[x + 1];
}

/* The measure of a pair, and its multiply-adds, which decide between equals. */
typedef struct worth {
    double measure, multiply_adds;
} worth;

static worth worth_of(const ashi_expression *e, const ashi_sequence_parts *p, int i, int j, ashi_pair_measure measure)
{
    const ashi_sequence_leaf *a = &p->part[p->open[i]].leaf, *b = &p->part[p->open[j]].leaf;
    const double adds = (double)ashi_index_set_size(e, a->indices | b->indices);
    const double words = (double)a->words + (double)b->words;
    if (measure == ASHI_PAIR_WORK)
        return (worth){words > 0 ? adds / words : 0, adds};
    return (worth){(double)ashi_index_set_size(e, made_by(e, p, i, j)) - words, adds};
}

static bool is_better(worth a, worth b)
{
    return a.measure < b.measure || (a.measure <= b.measure && a.multiply_adds < b.multiply_adds);
}

void ashi_sequence_parts_join(const ashi_expression *e, ashi_sequence_parts *p, int most, ashi_pair_measure measure)
{
    while (p->left > most) {
        worth best = worth_of(e, p, 0, 1, measure);
        int pair[2] = {0, 1};
        for (int j = 1; j < p->left; j++)
            for (int i = 0; i < j; i++) {
                const worth here = worth_of(e, p, i, j, measure);
                if (!is_better(here, best))
                    continue;
                best = here;
                pair[0] = i;
                pair[1] = j;
            }
        join(e, p, pair[0], pair[1]);
    }
}
