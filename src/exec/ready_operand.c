/* The tiles of A or B that a product of a program of tiles reads. */
#include "exec/ready_operand.h"

#include "base/array.h"
#include "base/error.h"
#include "base/ordering.h"
#include "exec/play_tiles_ready.h"

#include <stdlib.h>

void ashi_play_tiles_of(const ashi_play *play, const ashi_panel *panel, int64_t *first, int64_t *end)
{
    const ashi_tile_line *line = &play->tiles->line[panel->operand];
    *first = ashi_tile_line_find(line, panel->lo[0]);
    *end = ashi_tile_line_find(line, panel->hi[0]);
}

ashi_tile_source ashi_play_source_of(const ashi_play *play, int x, int64_t t)
{
    return ashi_tile_source_of(play->program->tiles, (ashlar_operand)x, &play->tiles->line[x].tile[t]);
}

void ashi_ready_lists_free(ashi_ready_lists *lists)
{
    free(lists->tile[0]);
    free(lists->tile[1]);
    *lists = (ashi_ready_lists){0};
}

/* ---- in order ---- */

static bool is_before(const ashi_read_tile *x, const ashi_read_tile *y)
{
    return x->row != y->row ? x->row < y->row : x->col < y->col;
}

/* RUNS: parts of a list, each in order, that are merged. */
enum { RUNS = 8 };

/* Where the parts of a list begin that are in order, and where it ends. Returns how many there are; more than RUNS:
 * they are not all found. */
static int find_runs(const ashi_read_tile *tile, int64_t count, int64_t edge[RUNS + 1])
{
    int runs = 1;
    edge[0] = 0;
    for (int64_t t = 1; t < count; t++)
        if (is_before(&tile[t], &tile[t - 1])) {
            if (runs == RUNS)
                return RUNS + 1;
            edge[runs++] = t;
        }
    edge[runs] = count;
    return runs;
}

static void merge(const ashi_read_tile *from, int64_t first, int64_t middle, int64_t end, ashi_read_tile *to)
{
    int64_t x = first, y = middle;
    for (int64_t t = first; t < end; t++)
        to[t] = from[y == end || (x < middle && is_before(&from[x], &from[y])) ? x++ : y++];
}

static void exchange(ashi_ready_lists *lists)
{
    const ashi_ready_lists were = *lists;
    *lists = (ashi_ready_lists){{were.tile[1], were.tile[0]}, {were.room[1], were.room[0]}};
}

/* Each part with the next until one is left. */
static void merge_runs(ashi_ready_lists *lists, int64_t *edge, int runs)
{
    while (runs > 1) {
        int made = 0;
        for (int r = 0; r < runs; r += 2) {
            const int64_t first = edge[r], middle = edge[r + 1], end = r + 1 < runs ? edge[r + 2] : middle;
            merge(lists->tile[0], first, middle, end, lists->tile[1]);
            edge[made++] = first;
            edge[made] = end;
        }
        runs = made;
        exchange(lists);
    }
}

/* By row, then by column. False if memory lacks. */
static bool put_in_order(ashi_ready_lists *lists, int64_t count)
{
    enum { STRIDE = sizeof(ashi_read_tile) / sizeof(int64_t) };
    const ashi_read_tile *from = lists->tile[0];
    int64_t edge[RUNS + 1];
    const int runs = find_runs(from, count, edge);
    if (runs <= RUNS) {
        merge_runs(lists, edge, runs);
        return true;
    }
    int64_t *order = malloc((size_t)count * sizeof *order);
    if (order)
        ashi_order_start(count, order);
    const bool done = order && ashi_order_by(&from->col, STRIDE, count, order) &&
                      ashi_order_by(&from->row, STRIDE, count, order);
    for (int64_t t = 0; t < count && done; t++)
        lists->tile[1][t] = from[order[t]];
    free(order);
    exchange(lists);
    return done;
}

/* ---- which tiles ---- */

/* Whether tiles of op(X) are those of X. */
static bool stands_for_itself(const ashi_play *play, int x)
{
    const ashi_tile_problem *p = play->program->tiles;
    return !p->term && !p->operand[x].turned && !p->operand[x].half;
}

static int64_t add_tiles(const ashi_ready_request_of *q, const ashi_placed *placed, ashi_read_tile *tile)
{
    int64_t first, end, count = 0;
    if (!placed)
        return 0;
    const bool own = placed->panel.memory == ASHI_MEMORY_CALLER, as_stored = stands_for_itself(q->play, q->x);
    const ashi_tile_line *line = &q->play->tiles->line[q->x];
    const int64_t apart = placed->at - placed->panel.lo[0];
    ashi_play_tiles_of(q->play, &placed->panel, &first, &end);
    for (int64_t t = first; t < end; t++) {
        const int64_t word = own ? -1 : line->start[t] + apart;
        const ashi_tile_source source =
            as_stored ? (ashi_tile_source){.at = line->tile[t]} : ashi_play_source_of(q->play, q->x, t);
        if (source.mirrored == q->mirrored)
            tile[count++] = (ashi_read_tile){source.at.row, source.at.col, word};
    }
    return count;
}

static int64_t tiles_in(const ashi_play *play, const ashi_placed *placed)
{
    int64_t first = 0, end = 0;
    if (placed)
        ashi_play_tiles_of(play, &placed->panel, &first, &end);
    return end - first;
}

static bool may_mirror(const ashi_ready_request_of *q)
{
    const ashi_tile_problem *p = q->play->program->tiles;
    return p->term ? p->term[q->term].operand[q->x].half : p->operand[q->x].half;
}

/* List the tiles in order. */
static ashlar_status list_tiles(const ashi_ready_request_of *q, ashi_ready_lists *lists, int64_t *count,
                                ashlar_error *err)
{
    const ashi_placed *pool = ashi_window_placed(&q->play->window, q->node->read[2 * q->x]);
    const ashi_placed *own = ashi_window_placed(&q->play->window, q->node->read[2 * q->x + 1]);
    const int64_t most = tiles_in(q->play, pool) + tiles_in(q->play, own);
    bool done = true;
    *count = 0;
    if (most == 0 || (q->mirrored && !may_mirror(q)))
        return ASHLAR_OK;
    for (int i = 0; i < 2; i++) {
        ashi_read_tile *room = ashi_array_room(lists->tile[i], &lists->room[i], most, sizeof *room);
        lists->tile[i] = room ? room : lists->tile[i];
        done = done && room;
    }
    if (done) {
        *count = add_tiles(q, pool, lists->tile[0]);
        *count += add_tiles(q, own, lists->tile[0] + *count);
        done = put_in_order(lists, *count);
    }
    return done ? ASHLAR_OK : ashi_fail_memory(err, "a product of tiles", most * 2 * (int64_t)sizeof *lists->tile[0]);
}

/* ---- the operand ---- */

static void fill_pattern(const ashi_read_tile *tile, ashi_pattern *p)
{
    int64_t rows = 0;
    for (int64_t t = 0; t < p->tiles; t++) {
        p->col[t] = tile[t].col;
        if (t > 0 && tile[t].row == tile[t - 1].row)
            continue;
        p->row[rows] = tile[t].row;
        p->start[rows++] = t;
    }
}

/* The rank's own tiles are looked up among all that it has: most follow each other. */
static void fill_places(const ashi_tile_set *own, const ashi_read_tile *tile, ashi_ready_operand *o)
{
    const ashi_pattern *p = own->pattern;
    int64_t x = 0, row = -1, at = 0, end = 0;
    for (int64_t t = 0; t < o->pattern.tiles; t++) {
        o->own[t] = tile[t].word < 0;
        o->at[t] = tile[t].word;
        if (!o->own[t])
            continue;
        if (tile[t].row != row) {
            row = tile[t].row;
            x = ashi_first_near(p->row, x, p->rows, row);
            at = p->start[x];
            end = p->start[x + 1];
        }
        if (p->col[at] != tile[t].col)
            at = ashi_first_from(p->col, at, end, tile[t].col);
        o->at[t] = own->at[at];
        at += at + 1 < end;
    }
}

static ashlar_status make_room(const ashi_read_tile *tile, int64_t count, bool ranked, ashi_ready_operand *out,
                               ashlar_error *err)
{
    int64_t rows = 0;
    for (int64_t t = 0; t < count; t++)
        rows += t == 0 || tile[t].row != tile[t - 1].row;
    out->at = malloc((size_t)count * sizeof *out->at);
    out->own = malloc((size_t)count * sizeof *out->own);
    out->rank = ranked ? malloc((size_t)count * sizeof *out->rank) : NULL;
    if (!out->at || !out->own || (ranked && !out->rank))
        return ashi_fail_memory(err, "a product of tiles", count * (int64_t)(2 * sizeof *out->at + sizeof *out->own));
    return ashi_pattern_reserve(rows, count, &out->pattern, err);
}

static ashi_tile_at of_op(const ashi_ready_request_of *q, const ashi_tile_at *stored)
{
    const ashi_tile_source source = {*stored, q->term, q->mirrored};
    return ashi_tile_of_op(q->play->program->tiles, (ashlar_operand)q->x, &source);
}

ashlar_status ashi_ready_operand_make(const ashi_ready_request_of *q, ashi_ready_lists *lists, ashi_ready_operand *out,
                                      ashlar_error *err)
{
    const ashi_tile_problem *p = q->play->program->tiles;
    int64_t count;
    ashlar_status status = list_tiles(q, lists, &count, err);
    if (status != ASHLAR_OK || count == 0)
        return status;
    const ashi_read_tile *tile = lists->tile[0];
    status = make_room(tile, count, p->operand[q->x].rank != NULL, out, err);
    if (status != ASHLAR_OK)
        return status;
    fill_pattern(tile, &out->pattern);
    fill_places(&q->play->request.tiles[q->term].own[q->x], tile, out);
    for (int64_t t = 0; t < count && out->rank; t++) {
        const ashi_tile_at at = of_op(q, &(ashi_tile_at){tile[t].row, tile[t].col});
        out->rank[t] = ashi_tile_rank(p, (ashlar_operand)q->x, &at);
    }
    return ASHLAR_OK;
}

void ashi_ready_operand_free(ashi_ready_operand *o)
{
    ashi_pattern_free(&o->pattern);
    free(o->at);
    free(o->own);
    free(o->rank);
    *o = (ashi_ready_operand){0};
}

void ashi_ready_operand_set_apart(ashi_ready_operand *o, int64_t apart)
{
    const int64_t by = apart - o->apart;
    o->apart = apart;
    for (int64_t t = 0; t < o->pattern.tiles && by != 0; t++)
        o->at[t] += o->own[t] ? by : 0;
}

void ashi_ready_operand_of_op(const ashi_ready_request_of *q, const ashi_ready_operand *o, ashi_tile_at *list)
{
    const ashi_pattern *p = &o->pattern;
    for (int64_t r = 0; r < p->rows; r++)
        for (int64_t t = p->start[r]; t < p->start[r + 1]; t++)
            list[t] = of_op(q, &(ashi_tile_at){p->row[r], p->col[t]});
}

int64_t ashi_ready_operand_bytes(const ashi_ready_operand *o)
{
    const size_t each = sizeof *o->at + sizeof *o->own + (o->rank ? sizeof *o->rank : 0);
    return ashi_pattern_bytes(&o->pattern) + o->pattern.tiles * (int64_t)each;
}
