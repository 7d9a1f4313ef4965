/* Cannon, SD-Cannon and SUMMA load the links of l-ary d-cubes with exactly the words of their formulas. */
#include "base/checked.h"
#include "choosing.h"
#include "schedule/program.h"
#include "simulate/links.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

/* An l-ary d-cube and square blocks, one a node of each matrix, whose words d divides. */
typedef struct cube {
    ashi_torus torus;
    int64_t length, dims, side, block_side;
    int64_t cannon[2], sd_cannon[2]; /* blocks over the busiest link if both stagger, as fractions */
    int64_t chain[3]; /* hops of the longest chain: steps, which cross all of the row's dimensions at times; one
                         dimension a step; the deepest of a multicast's trees */
    int64_t staggered[2]; /* the first two of these if blocks come from a given layout */
    int64_t paper;    /* shifts of the paper's SD-Cannon */
} cube;

static const cube cubes[] = {
    {{2, {8, 8}}, 8, 2, 8, 4, {10, 1}, {13, 2}, {7, 7, 7}, {11, 11}, 15},
    {{4, {4, 4, 4, 4}}, 4, 4, 16, 4, {17, 1}, {19, 4}, {30, 15, 6}, {34, 19}, 26},
    {{6, {3, 3, 3, 3, 3, 3}}, 3, 6, 27, 6, {27, 1}, {16, 3}, {78, 26, 6}, {81, 29}, 45},
};

static int64_t block_of(const cube *c)
{
    return c->block_side * c->block_side;
}

/* What is handed on during the contraction, link by link. */
typedef struct contraction {
    const ashi_torus *torus;
    int64_t *words;
    int64_t rank, message;
} contraction;

static void load_link(void *context, int64_t link)
{
    contraction *c = context;
    c->words[link] += c->message;
}

static ashlar_status load_sends(void *context, const ashi_operation *op, ashlar_error *err)
{
    contraction *c = context;
    (void)err;
    if (op->kind != ASHI_DO_SEND)
        return ASHLAR_OK;
    c->message = op->words;
    ashi_torus_route(c->torus, c->rank, op->peer, load_link, c);
    return ASHLAR_OK;
}

/* Words over the busiest link of the contraction alone, and over the idlest. */
static ashlar_status contract(ashi_schedule *schedule, const ashi_torus *torus, int64_t *most, int64_t *least,
                              ashlar_error *err)
{
    const int64_t numbers = ashi_torus_numbers(torus);
    contraction c = {.torus = torus, .words = calloc((size_t)numbers, sizeof *c.words)};
    const ashi_program_visitor visitor = {ashi_program_ignored.panel, load_sends, &c};
    ashi_program program = {0};
    ashlar_status status = c.words ? ashi_program_of(schedule, &program, err) : ASHLAR_ERR_MEMORY;
    for (; c.rank < schedule->ranks && status == ASHLAR_OK; c.rank++)
        status = ashi_program_walk(&program, c.rank, &visitor, err);
    ashi_program_free(&program);
    *most = 0;
    *least = INT64_MAX;
    for (int64_t i = 0; status == ASHLAR_OK && i < numbers; i++) {
        *most = ashi_max(*most, c.words[i]);
        *least = ashi_min(*least, c.words[i]);
    }
    free(c.words);
    return status;
}

typedef struct loads {
    int64_t contraction_most, contraction_least; /* words over a link */
    int64_t total_most, chain;
} loads;

static loads load(ashi_test *t, const cube *c, const char *name, ashi_route route, const ashlar_layout *given)
{
    const int64_t n = c->side * c->block_side;
    const bool plane = strcmp(name, "summa") == 0;
    ashi_problem q = problem_of(n, n, n, c->side * c->side);
    q.idle = 0;
    q.route = route;
    q.torus = c->torus;
    q.layout[ASHLAR_A] = q.layout[ASHLAR_B] = given;
    if (plane)
        memcpy(q.grid, (const int64_t[3]){c->side, c->side, 1}, sizeof q.grid);
    ashi_choice choice;
    ashi_links links;
    ashlar_error err = {0};
    loads out = {0};
    ashlar_status status = ashi_choose(&q, name, walk_all, NULL, &choice, &err);
    CHECK(t, status == ASHLAR_OK, "%s: %s", name, err.text);
    if (status != ASHLAR_OK)
        return out;
    status = contract(&choice.schedule, &c->torus, &out.contraction_most, &out.contraction_least, &err);
    CHECK(t, status == ASHLAR_OK, "%s: %s", name, err.text);
    status = ashi_links_count(&choice.schedule, &c->torus, &links, &err);
    CHECK(t, status == ASHLAR_OK, "%s: %s", name, err.text);
    out.total_most = links.words_max;
    out.chain = links.chain_hops_max;
    ashi_links_free(&links);
    ashi_choice_free(&choice);
    return out;
}

/* The shifts of the paper's own SD-Cannon, each of 1/d of a block: l + l^2 + .. + l^(d/2) in the contraction, where the
 * last of each loop only restore positions, and (l - 1) d/2 to stagger the pieces before. */
static int64_t paper_shifts(const cube *c)
{
    int64_t shifts = (c->length - 1) * c->dims / 2, power = 1;
    for (int64_t i = 1; i <= c->dims / 2; i++) {
        power *= c->length;
        shifts += power;
    }
    return shifts;
}

/* SUMMA has half of the paper's bound on them, 2 sqrt P in the contraction; it has not quite half of their count where
 * that is well below its bound. */
static void against_paper(ashi_test *t, const cube *c, int64_t summa)
{
    const int64_t pieces = summa * c->dims / block_of(c);
    CHECK(t, paper_shifts(c) == c->paper, "%" PRId64 " shifts", paper_shifts(c));
    CHECK(t, 2 * pieces <= 2 * c->side && 2 * pieces >= 2 * (c->side - 1), "SUMMA: %" PRId64 " pieces", pieces);
    CHECK(t, 10 * c->paper > 17 * pieces, "%" PRId64 " shifts, SUMMA: %" PRId64 " pieces", c->paper, pieces);
}

/* If rank i * side + j owns block (i, j) of A and of B, blocks are staggered first: that is all that is added. */
static void with_given_layouts(ashi_test *t, const cube *c)
{
    const int64_t block = block_of(c);
    const int side = (int)c->side;
    ashlar_layout *given = NULL;
    ashlar_error err = {0};
    const ashlar_status status =
        ashlar_layout_block_cyclic(side * c->block_side, side * c->block_side, c->block_side, c->block_side, side, side,
                                   0, 0, NULL, ASHLAR_COL_MAJOR, 0, &given, &err);
    CHECK(t, status == ASHLAR_OK, "%s", err.text);
    const loads cannon = load(t, c, "cannon", ASHI_DIRECT, given), sd = load(t, c, "sd_cannon", ASHI_DIRECT, given);
    CHECK(t, cannon.total_most * c->cannon[1] == block * c->cannon[0], "Cannon: %" PRId64, cannon.total_most);
    CHECK(t, sd.total_most * c->sd_cannon[1] == block * c->sd_cannon[0], "SD-Cannon: %" PRId64, sd.total_most);
    CHECK(t, cannon.contraction_most == c->dims * sd.contraction_most, "%" PRId64, sd.contraction_most);
    CHECK(t, cannon.chain == c->staggered[0] && sd.chain == c->staggered[1], "chains of %" PRId64 ", %" PRId64 " hops",
          cannon.chain, sd.chain);
    ashlar_layout_free(&given);
}

static void one_cube(ashi_test *t, const cube *c)
{
    const int64_t block = block_of(c), shifts = c->side - 1;
    const loads cannon = load(t, c, "cannon", ASHI_DIRECT, NULL), sd = load(t, c, "sd_cannon", ASHI_DIRECT, NULL);
    const loads summa = load(t, c, "summa", ASHI_RECTANGULAR, NULL);
    CHECK(t, cannon.contraction_most == shifts * block, "Cannon's contraction: %" PRId64, cannon.contraction_most);
    CHECK(t, cannon.contraction_most == c->dims * sd.contraction_most, "%" PRId64 " dimensions: %" PRId64, c->dims,
          sd.contraction_most);
    CHECK(t, cannon.contraction_least == 0 && sd.contraction_least == sd.contraction_most, "idlest links: %" PRId64
          ", %" PRId64, cannon.contraction_least, sd.contraction_least);
    CHECK(t, cannon.total_most == cannon.contraction_most && sd.total_most == sd.contraction_most, "in all %" PRId64
          ", %" PRId64, cannon.total_most, sd.total_most);
    CHECK(t, summa.total_most * c->dims == shifts * block, "SUMMA: %" PRId64, summa.total_most);
    CHECK(t, sd.contraction_most == summa.total_most, "SD-Cannon and SUMMA: %" PRId64, sd.contraction_most);
    CHECK(t, cannon.chain == c->chain[0] && sd.chain == c->chain[1] && summa.chain == c->chain[2], "chains of %" PRId64
          ", %" PRId64 ", %" PRId64 " hops", cannon.chain, sd.chain, summa.chain);
    against_paper(t, c, summa.total_most);
    with_given_layouts(t, c);
}

int main(void)
{
    ashi_test t = {0};
    for (size_t i = 0; i < sizeof cubes / sizeof *cubes; i++)
        one_cube(&t, &cubes[i]);
    return ashi_test_end(&t, "torus_family");
}
