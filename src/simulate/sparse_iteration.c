/* What each process receives and multiplies in one iteration of SUMMA over tiles of which many are absent. */
#include "simulate/sparse_iteration.h"
#include "base/array.h"
#include "base/checked.h"
#include "base/error.h"

#include <stdlib.h>
#include <string.h>

enum { ROWS, COLS };

static ashlar_status make_room(ashi_sparse_iteration *it, ashlar_error *err)
{
    const ashi_deal *grid = it->summa->c_deal;
    const int64_t sides[] = {grid->grid_rows, grid->grid_cols}, processes = sides[ROWS] * sides[COLS];
    for (int64_t p = 0; p < processes; p++)
        it->ranks = ashi_max(it->ranks, (int64_t)grid->grid_rank[p] + 1);
    it->process_of_rank = malloc((size_t)it->ranks * sizeof *it->process_of_rank);
    bool done = it->process_of_rank;
    for (int which = ROWS; which <= COLS; which++) {
        const size_t bytes = (size_t)sides[which] * sizeof(int64_t);
        it->place[which] = malloc(bytes);
        it->part[which] = malloc(bytes);
        it->side[which] = malloc(bytes);
        it->filled[which] = malloc((size_t)sides[which] * sizeof(bool));
        done = done && it->place[which] && it->part[which] && it->side[which] && it->filled[which];
        for (int64_t part = 0; part < sides[which] && done; part++)
            it->place[which][part] = -1;
    }
    if (!done)
        return ashi_fail_memory(err, "counting iterations", (it->ranks + 3 * (sides[ROWS] + sides[COLS])) * 8);
    for (int64_t rank = 0; rank < it->ranks; rank++)
        it->process_of_rank[rank] = -1;
    for (int64_t p = 0; p < processes; p++)
        it->process_of_rank[grid->grid_rank[p]] = p;
    return ASHLAR_OK;
}

ashlar_status ashi_sparse_iteration_begin(const ashi_sparse_summa *summa, ashi_sparse_iteration *out, ashlar_error *err)
{
    *out = (ashi_sparse_iteration){.summa = summa};
    if (summa->c_deal->owner)
        return ashi_fail(err, ASHLAR_ERR_ARG, "SUMMA wants C on a process grid; a function deals its tiles out");
    return make_room(out, err);
}

void ashi_sparse_iteration_free(ashi_sparse_iteration *iteration)
{
    free(iteration->process_of_rank);
    for (int which = ROWS; which <= COLS; which++) {
        free(iteration->place[which]);
        free(iteration->part[which]);
        free(iteration->side[which]);
        free(iteration->filled[which]);
    }
    free(iteration->meets);
    free(iteration->event);
    *iteration = (ashi_sparse_iteration){0};
}

static int part_of(const ashi_sparse_iteration *it, int which, int64_t line)
{
    return which == ROWS ? ashi_deal_row_part(it->summa->c_deal, line) : ashi_deal_col_part(it->summa->c_deal, line);
}

static const ashi_cuts *cuts_of(const ashi_sparse_iteration *it, int which)
{
    return which == ROWS ? it->summa->product->rows : it->summa->product->cols;
}

static const ashi_factor *factor_of(const ashi_sparse_iteration *it, int which)
{
    return which == ROWS ? it->summa->a_columns : it->summa->product->b;
}

/* Words of a tile of an iteration. */
static int64_t words_of(const ashi_sparse_iteration *it, int which, int64_t k, const ashi_factor_run *run, int64_t t)
{
    return ashi_factor_words(factor_of(it, which), ashi_run_tile(run, t),
                             ashi_cuts_size(cuts_of(it, which), run->col[t]),
                             ashi_cuts_size(it->summa->product->inner, k));
}

/* The process rows that A's tiles are for, or the process columns that B's are for. */
static void list_parts(ashi_sparse_iteration *it, int which, int64_t k, const ashi_factor_run *run, int runs)
{
    for (int64_t p = 0; p < it->parts[which]; p++)
        it->place[which][it->part[which][p]] = -1;
    it->parts[which] = 0;
    for (int r = 0; r < runs; r++)
        for (int64_t t = 0; t < run[r].count; t++) {
            const int part = part_of(it, which, run[r].col[t]);
            int64_t *place = &it->place[which][part];
            if (*place < 0) {
                *place = it->parts[which]++;
                it->part[which][*place] = part;
                it->side[which][*place] = 0;
                it->filled[which][*place] = false;
            }
            it->filled[which][*place] = it->filled[which][*place] || words_of(it, which, k, &run[r], t) > 0;
            it->side[which][*place] += ashi_cuts_size(cuts_of(it, which), run[r].col[t]);
        }
}

static bool begin_events(ashi_sparse_iteration *it)
{
    it->events = it->parts[ROWS] * it->parts[COLS];
    if (it->events == 0)
        return true;
    ashi_sparse_event *larger = ashi_array_room(it->event, &it->event_room, it->events, sizeof *larger);
    if (!larger)
        return false;
    it->event = larger;
    for (int64_t r = 0; r < it->parts[ROWS]; r++)
        for (int64_t c = 0; c < it->parts[COLS]; c++)
            larger[r * it->parts[COLS] + c] = (ashi_sparse_event){
                .process = it->part[ROWS][r] * it->summa->c_deal->grid_cols + it->part[COLS][c]};
    return true;
}

/* The stored tile that is used as (k, line) of a factor. */
static int owner_of(const ashi_deal *deal, int64_t k, int64_t line, unsigned how)
{
    return how & ASHI_TILE_TURNED ? ashi_deal_owner(deal, line, k) : ashi_deal_owner(deal, k, line);
}

/* A tile comes to the processes of its row (or column) that it meets, and not to its owner. NULL: it meets all that
 * have words to multiply it with. */
static void bring(ashi_sparse_iteration *it, int which, int64_t line, int64_t words, int owner, const bool *meets)
{
    const int64_t home = owner < it->ranks ? it->process_of_rank[owner] : -1;
    const int64_t own = it->place[which][part_of(it, which, line)];
    for (int64_t other = 0; other < it->parts[1 - which]; other++) {
        const int64_t row = which == ROWS ? own : other, col = which == ROWS ? other : own;
        ashi_sparse_event *e = &it->event[row * it->parts[COLS] + col];
        if (!(meets ? meets : it->filled[1 - which])[other] || e->process == home)
            continue;
        e->words += words;
        e->tiles++;
    }
}

static bool is_formed(const ashi_sparse_product *product, int64_t row, int64_t col)
{
    return (!product->half || row <= col) &&
           (!product->retain || (product->c && ashi_pattern_find(product->c, row, col) >= 0));
}

/* The parts of the other side in which a tile is multiplied; of rows the multiply-adds are counted. */
static void find_meetings(ashi_sparse_iteration *it, int which, int64_t k, int64_t line, const ashi_factor_run *other,
                          int runs)
{
    const ashi_sparse_product *product = it->summa->product;
    const int64_t own = it->place[which][part_of(it, which, line)];
    memset(it->meets, 0, (size_t)it->parts[1 - which] * sizeof *it->meets);
    for (int r = 0; r < runs; r++)
        for (int64_t t = 0; t < other[r].count; t++) {
            const int64_t across = other[r].col[t], place = it->place[1 - which][part_of(it, 1 - which, across)];
            if (!is_formed(product, which == ROWS ? line : across, which == ROWS ? across : line))
                continue;
            it->meets[place] = it->meets[place] || words_of(it, 1 - which, k, &other[r], t) > 0;
            if (which == ROWS)
                it->event[own * it->parts[COLS] + place].multiplies +=
                    ashi_cuts_size(product->rows, line) * ashi_cuts_size(product->cols, across) *
                    ashi_cuts_size(product->inner, k);
        }
}

/* All tiles of one operand, with the runs that they meet. */
static bool bring_all(ashi_sparse_iteration *it, int which, int64_t k, const ashi_factor_run *run, int runs,
                      const ashi_factor_run *other, int other_runs)
{
    const ashi_sparse_product *product = it->summa->product;
    const ashi_deal *deal = which == ROWS ? it->summa->a_deal : it->summa->b_deal;
    const bool some = product->half || product->retain;
    bool *larger = ashi_array_room(it->meets, &it->meets_room, it->parts[1 - which], sizeof *larger);
    if (!larger)
        return false;
    it->meets = larger;
    for (int r = 0; r < runs; r++)
        for (int64_t t = 0; t < run[r].count; t++) {
            const int64_t line = run[r].col[t];
            const int64_t words = words_of(it, which, k, &run[r], t);
            if (some) /* it counts the work, too */
                find_meetings(it, which, k, line, other, other_runs);
            if (words == 0)
                continue;
            bring(it, which, line, words, owner_of(deal, k, line, run[r].how), some ? it->meets : NULL);
        }
    return true;
}

/* Processes that multiply nothing are no part of the iteration: they received nothing either. */
static void remove_idle(ashi_sparse_iteration *it)
{
    int64_t kept = 0;
    for (int64_t e = 0; e < it->events; e++)
        if (it->event[e].multiplies > 0 || it->event[e].tiles > 0)
            it->event[kept++] = it->event[e];
    it->events = kept;
}

bool ashi_sparse_iteration_at(ashi_sparse_iteration *it, int64_t x)
{
    const ashi_sparse_summa *summa = it->summa;
    ashi_factor_run a[2], b[2];
    const int64_t k = summa->a_columns->row[x], y = ashi_factor_find(summa->product->b, k);
    it->events = 0;
    if (y < 0)
        return true;
    const int a_runs = ashi_factor_runs(summa->a_columns, x, a), b_runs = ashi_factor_runs(summa->product->b, y, b);
    list_parts(it, ROWS, k, a, a_runs);
    list_parts(it, COLS, k, b, b_runs);
    if (!begin_events(it))
        return false;
    if (!summa->product->half && !summa->product->retain)
        for (int64_t r = 0; r < it->parts[ROWS]; r++)
            for (int64_t c = 0; c < it->parts[COLS]; c++)
                it->event[r * it->parts[COLS] + c].multiplies =
                    it->side[ROWS][r] * it->side[COLS][c] * ashi_cuts_size(summa->product->inner, k);
    if (!bring_all(it, ROWS, k, a, a_runs, b, b_runs) || !bring_all(it, COLS, k, b, b_runs, a, a_runs))
        return false;
    remove_idle(it);
    return true;
}
