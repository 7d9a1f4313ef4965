/* Special cases of the COSMA paper, by its formulas and counted by walking schedules.
 *
 * Table 3, square: n = 4096 on 64 ranks. S = 2n^2/p holds no product (docs/THEORY.md, section 6): COSMA's row is
 * counted in the least memory in which there is a schedule. The recursive row's cubes, worked off one after the other,
 * are no schedule of ours; its grid is the one of enough memory. Table 3, tall: p = 1024 = 2^10, a power 3n + 1 whose
 * root is whole. The 2.5D grid is the one with the fewest replicas not below p^(1/3). */
#include "evaluation/landmarks.h"

#include "choose/choose.h"

#include <math.h>
#include <string.h>

enum { SQUARE = 4096, SQUARE_RANKS = 64, TALL = 32, TALL_RANKS = TALL * TALL, FIGURE_RANKS = 65 };

static ashlar_status walk(void *context, ashi_schedule *schedule, ashi_totals *out, ashlar_error *err)
{
    (void)context;
    return ashi_simulate(schedule, NULL, NULL, out, err);
}

/* On the landmark's grid or, where it has none, on the best one in this memory. */
static ashlar_status count(ashi_landmark *l, int64_t memory_words, ashlar_error *err)
{
    const ashi_problem q = {.size = {l->size[0], l->size[1], l->size[2]}, .ranks = l->ranks, .type = ASHLAR_TYPE_D,
                            .memory_words = memory_words, .idle = 0.03, .least_words = true,
                            .machine = ashlar_machine_default(), .window = 1,
                            .grid = {l->grid[0], l->grid[1], l->grid[2]}};
    ashi_choice choice;
    const ashlar_status status = ashi_choose(&q, "cosma", walk, NULL, &choice, err);
    if (status != ASHLAR_OK)
        return status;
    memcpy(l->grid, choice.schedule.grid, sizeof l->grid);
    l->counted = choice.totals.words_max;
    ashi_choice_free(&choice);
    return ASHLAR_OK;
}

static void describe(const ashi_table3_case rows[4], const char *source, int64_t m, int64_t k, int64_t ranks,
                     const int64_t grid[4][3], ashi_landmark out[4])
{
    for (int i = 0; i < 4; i++)
        out[i] = (ashi_landmark){.source = source, .name = rows[i].name, .size = {m, m, k}, .ranks = ranks,
                                 .printed = rows[i].printed, .touched = rows[i].touched,
                                 .arriving = rows[i].arriving, .grid = {grid[i][0], grid[i][1], grid[i][2]}};
}

/* Figure 5: whole faces of a domain, and what of them arrives. */
static ashi_landmark of_figure(const char *name, int64_t pm, int64_t pn, int64_t pk)
{
    const double n = SQUARE, i = n / (double)pm, j = n / (double)pn, l = n / (double)pk;
    const double faces = i * j + i * l + j * l;
    return (ashi_landmark){.source = "Figure 5", .name = name, .size = {SQUARE, SQUARE, SQUARE}, .ranks = FIGURE_RANKS,
                           .printed = NAN, .touched = faces, .arriving = faces - 3 * n * n / (double)(pm * pn * pk),
                           .grid = {pm, pn, pk}};
}

ashlar_status ashi_landmarks_count(ashi_landmark out[ASHI_LANDMARKS], ashlar_error *err)
{
    static const int64_t square[4][3] = {{8, 8, 1}, {8, 8, 1}, {4, 4, 4}, {0, 0, 0}};
    static const int64_t tall[4][3] = {{32, 32, 1}, {8, 8, 16}, {2, 2, 256}, {0, 0, 0}};
    const int64_t least = 3 * SQUARE / 8 * (SQUARE / 8) + 2 * SQUARE / 8; /* the shares, a column of A, a row of B */
    ashi_table3_case rows[4];
    ashi_table3_square(SQUARE, SQUARE_RANKS, rows);
    describe(rows, "Table 3, square", SQUARE, SQUARE, SQUARE_RANKS, square, out);
    ashi_table3_tall(TALL, rows);
    describe(rows, "Table 3, tall", TALL, TALL * TALL_RANKS / 4, TALL_RANKS, tall, out + 4);
    out[8] = of_figure("1x5x13", 1, 5, 13);
    out[9] = of_figure("4x4x4", 4, 4, 4);
    ashlar_status status = ASHLAR_OK;
    for (int i = 0; i < ASHI_LANDMARKS && status == ASHLAR_OK; i++)
        status = count(&out[i], i == 3 ? least : 0, err);
    return status;
}
