/* What a rank's products of tiles take of a device, from the patterns of whole matrices. */
#include "exec/onto_tiles_rank.h"

#include "base/checked.h"
#include "base/error.h"
#include "base/type.h"

#include <stdlib.h>

/* Tiles of op(A) or op(B) that a rank multiplies, as they are in op(X): in each iteration those that are not mirrored
 * (`maker` of an even number) and those that are. */
typedef struct factor_tiles {
    ashi_pattern_maker *maker;
    ashi_pattern *pattern;
} factor_tiles;

typedef struct counting {
    const ashi_tile_problem *problem;
    int64_t rank, process[2];
    int64_t *iteration; /* of each tile of k */
    factor_tiles x[2];
    ashi_pattern c;     /* the rank's tiles */
    int64_t *c_word;
    ashi_tile_hands *hands;
    ashi_onto_tiles *onto;
} counting;

/* ---- the rank's tiles ---- */

static ashlar_status find_iterations(counting *n, ashlar_error *err)
{
    const ashi_tile_problem *p = n->problem;
    n->iteration = malloc(((size_t)p->cuts[2]->tiles + 1) * sizeof *n->iteration);
    if (!n->iteration)
        return ashi_fail_memory(err, "device", p->cuts[2]->tiles * (int64_t)sizeof *n->iteration);
    for (int64_t i = 0; i < p->iterations; i++)
        for (int64_t k = p->first[i]; k < p->first[i + 1]; k++)
            n->iteration[k] = i;
    return ASHLAR_OK;
}

/* Whether a rank multiplies a tile of op(A) or op(B): those of its process row, or column, of C's grid. */
static bool is_multiplied(const counting *n, int x, const ashi_tile_at *at)
{
    const ashi_deal *c = n->problem->operand[ASHLAR_C].deal;
    return x == ASHLAR_A ? ashi_deal_row_part(c, at->row) == n->process[0]
                         : ashi_deal_col_part(c, at->col) == n->process[1];
}

static ashlar_status find_factor(counting *n, int x, ashlar_error *err)
{
    const ashi_tile_problem *p = n->problem;
    const ashi_pattern *all = p->operand[x].pattern;
    const size_t lists = 2 * (size_t)p->iterations + 1;
    factor_tiles *f = &n->x[x];
    bool added = true;
    f->maker = calloc(lists, sizeof *f->maker);
    f->pattern = calloc(lists, sizeof *f->pattern);
    if (!f->maker || !f->pattern)
        return ashi_fail_memory(err, "device", (int64_t)(lists * (sizeof *f->maker + sizeof *f->pattern)));
    for (int64_t r = 0; r < all->rows; r++)
        for (int64_t t = all->start[r]; t < all->start[r + 1] && added; t++) {
            const ashi_tile_at at = {all->row[r], all->col[t]};
            if (!is_multiplied(n, x, &at))
                continue;
            const bool mirrored = ashi_tile_source_of(p, (ashlar_operand)x, &at).mirrored;
            const int64_t i = n->iteration[x == ASHLAR_A ? at.col : at.row];
            added = ashi_pattern_add(&f->maker[2 * i + mirrored], at.row, at.col);
        }
    ashlar_status status = ASHLAR_OK;
    for (int64_t i = 0; i < 2 * p->iterations; i++) {
        const ashlar_status made = ashi_pattern_finish(&f->maker[i], added, &f->pattern[i], err);
        status = status == ASHLAR_OK ? made : status;
    }
    return status;
}

static ashlar_status find_sums(counting *n, ashlar_error *err)
{
    const ashi_tile_operand *c = &n->problem->operand[ASHLAR_C];
    ashi_pattern_maker maker = {.row_room = 0};
    bool added = true;
    for (int64_t r = 0; r < c->pattern->rows; r++)
        for (int64_t t = c->pattern->start[r]; t < c->pattern->start[r + 1] && added; t++)
            if (ashi_deal_owner(c->deal, c->pattern->row[r], c->pattern->col[t]) == n->rank)
                added = ashi_pattern_add(&maker, c->pattern->row[r], c->pattern->col[t]);
    return ashi_pattern_finish(&maker, added, &n->c, err);
}

/* Where tiles would begin: one after the other. */
static ashlar_status find_words(const ashi_pattern *p, const ashi_cuts *rows, const ashi_cuts *cols, int64_t **out,
                                ashlar_error *err)
{
    int64_t word = 0;
    *out = malloc(((size_t)p->tiles + 1) * sizeof **out);
    if (!*out)
        return ashi_fail_memory(err, "device", p->tiles * (int64_t)sizeof **out);
    for (int64_t r = 0; r < p->rows; r++)
        for (int64_t t = p->start[r]; t < p->start[r + 1]; t++) {
            (*out)[t] = word;
            word += ashi_cuts_size(rows, p->row[r]) * ashi_cuts_size(cols, p->col[t]);
        }
    return ASHLAR_OK;
}

/* ---- what they take ---- */

/* The products of list `a` of op(A)'s tiles with list `b` of op(B)'s. */
static ashlar_status count(counting *n, ashlar_type type, int64_t a, int64_t b, ashlar_error *err)
{
    const ashi_cuts *const *cuts = n->problem->cuts;
    const ashi_pattern *const pattern[2] = {&n->x[0].pattern[a], &n->x[1].pattern[b]};
    int64_t *word[2] = {NULL, NULL};
    ashi_tile_product *product = NULL;
    if (pattern[0]->tiles == 0 || pattern[1]->tiles == 0)
        return ASHLAR_OK;
    ashlar_status status = find_words(pattern[0], cuts[0], cuts[2], &word[0], err);
    if (status == ASHLAR_OK)
        status = find_words(pattern[1], cuts[2], cuts[1], &word[1], err);
    const ashi_tile_request request = {.type = type, .op = {ASHLAR_OP_N, ASHLAR_OP_N}, .threads = 1,
                                       .set = {{pattern[0], cuts[0], cuts[2], word[0]},
                                               {pattern[1], cuts[2], cuts[1], word[1]},
                                               {&n->c, cuts[0], cuts[1], n->c_word}},
                                       .hands = n->hands};
    if (status == ASHLAR_OK)
        status = ashi_tile_product_create(&request, &product, err);
    if (status == ASHLAR_OK)
        status = ashi_onto_tiles_count(n->onto, product, err);
    ashi_tile_product_free(&product);
    free(word[0]);
    free(word[1]);
    return status;
}

/* In the order of the run: what is mirrored is multiplied apart from what is not. */
static ashlar_status count_all(counting *n, ashlar_type type, ashlar_error *err)
{
    ashlar_status status = ASHLAR_OK;
    for (int64_t i = 0; i < n->problem->iterations; i++)
        for (int part = 0; part < 4 && status == ASHLAR_OK; part++)
            status = count(n, type, 2 * i + part / 2, 2 * i + part % 2, err);
    return status;
}

static ashlar_status find(counting *n, ashlar_type type, ashlar_error *err)
{
    ashlar_status status = find_iterations(n, err);
    if (status == ASHLAR_OK)
        status = find_sums(n, err);
    if (status == ASHLAR_OK)
        status = find_words(&n->c, n->problem->cuts[0], n->problem->cuts[1], &n->c_word, err);
    for (int x = 0; x < 2 && status == ASHLAR_OK && n->c.tiles > 0; x++)
        status = find_factor(n, x, err);
    if (status == ASHLAR_OK)
        status = ashi_tile_hands_create(1, ashi_type_of(type)->bytes, &n->hands, err);
    return status;
}

static void clear(counting *n)
{
    for (int x = 0; x < 2; x++) {
        for (int64_t i = 0; i < 2 * n->problem->iterations && n->x[x].pattern; i++)
            ashi_pattern_free(&n->x[x].pattern[i]);
        free(n->x[x].maker);
        free(n->x[x].pattern);
    }
    ashi_onto_tiles_free(&n->onto);
    ashi_tile_hands_free(&n->hands);
    ashi_pattern_free(&n->c);
    free(n->c_word);
    free(n->iteration);
}

ashlar_status ashi_onto_tiles_of_rank(const ashi_tile_problem *p, int64_t rank, ashlar_type type, int64_t words,
                                      ashi_onto_tiles_need *out, ashlar_error *err)
{
    counting n = {.problem = p, .rank = rank};
    *out = (ashi_onto_tiles_need){0};
    ashi_tile_process(p, rank, n.process);
    ashlar_status status = find(&n, type, err);
    const ashi_tile_set c = {&n.c, p->cuts[0], p->cuts[1], n.c_word};
    const ashi_onto_tiles_request request = {.words = words, .type = type, .new_c = true};
    if (status == ASHLAR_OK)
        status = ashi_onto_tiles_create(&request, &c, p, &n.onto, err);
    if (status == ASHLAR_OK && n.c.tiles > 0)
        status = count_all(&n, type, err);
    if (status == ASHLAR_OK)
        *out = *ashi_onto_tiles_counted(n.onto);
    clear(&n);
    return status;
}
