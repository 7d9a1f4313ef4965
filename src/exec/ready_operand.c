/* The tiles of A or B that a product of a program of tiles reads. */
#include "exec/ready_operand.h"

#include "base/array.h"
#include "base/error.h"
#include "base/ordering.h"
#include "exec/play_tiles_ready.h"
#include "exec/read_runs.h"

#include <stdlib.h>
#include <string.h>

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

/* By row, then by column. False if memory lacks. */
static bool put_in_order(ashi_ready_lists *lists, int64_t count)
{
    enum { STRIDE = sizeof(ashi_read_tile) / sizeof(int64_t) };
    const ashi_read_tile *from = lists->tile[0];
    ashi_read_tile *to = ashi_array_room(lists->tile[1], &lists->room[1], count, sizeof *to);
    lists->tile[1] = to ? to : lists->tile[1];
    int64_t *order = malloc((size_t)count * sizeof *order);
    if (order)
        ashi_order_start(count, order);
    const bool done = to && order && ashi_order_by(&from->col, STRIDE, count, order) &&
                      ashi_order_by(&from->row, STRIDE, count, order);
    for (int64_t t = 0; t < count && done; t++)
        to[t] = from[order[t]];
    free(order);
    const ashi_ready_lists were = *lists;
    *lists = (ashi_ready_lists){{were.tile[1], were.tile[0]}, {were.room[1], were.room[0]}};
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
    const bool own = placed->panel.memory == ASHI_MEMORY_CALLER;
    const ashi_tile_line *line = &q->play->tiles->line[q->x];
    const int64_t apart = placed->at - placed->panel.lo[0];
    ashi_play_tiles_of(q->play, &placed->panel, &first, &end);
    for (int64_t t = first; t < end; t++) {
        const int64_t word = own ? -1 : line->start[t] + apart;
        const ashi_tile_source source = ashi_play_source_of(q->play, q->x, t);
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

static ashi_read_run run_of(const ashi_read_tile *tile, int64_t count)
{
    enum { STRIDE = sizeof *tile / sizeof(int64_t) };
    return (ashi_read_run){&tile->row, &tile->word, STRIDE, STRIDE, 0, count};
}

/* Tiles that are listed, since those of the line are others, or too many runs of it. */
static ashlar_status list_tiles(const ashi_ready_request_of *q, const ashi_placed *const from[2], int64_t most,
                                ashi_ready_lists *lists, ashi_read_runs *out, ashlar_error *err)
{
    ashi_read_tile *room = ashi_array_room(lists->tile[0], &lists->room[0], most, sizeof *room);
    lists->tile[0] = room ? room : lists->tile[0];
    bool done = room != NULL;
    *out = (ashi_read_runs){0};
    if (done) {
        int64_t count = add_tiles(q, from[0], room);
        count += add_tiles(q, from[1], room + count);
        ashi_read_run list = run_of(room, count);
        if (!ashi_read_runs_add(out, &list)) {
            done = put_in_order(lists, count);
            list = run_of(lists->tile[0], count);
            *out = (ashi_read_runs){0};
            done = done && ashi_read_runs_add(out, &list);
        }
    }
    return done ? ASHLAR_OK : ashi_fail_memory(err, "a product of tiles", most * 2 * (int64_t)sizeof *room);
}

/* The runs of the line where the tiles are those of the matrix. */
static bool take_line(const ashi_ready_request_of *q, const ashi_placed *const from[2], ashi_read_runs *out)
{
    const ashi_tile_line *line = &q->play->tiles->line[q->x];
    bool done = stands_for_itself(q->play, q->x);
    for (int i = 0; i < 2 && done; i++) {
        int64_t first = 0, end = 0;
        if (!from[i])
            continue;
        ashi_play_tiles_of(q->play, &from[i]->panel, &first, &end);
        const bool own = from[i]->panel.memory == ASHI_MEMORY_CALLER;
        const ashi_read_run list = {&line->tile[first].row, own ? NULL : line->start + first,
                                    sizeof *line->tile / sizeof(int64_t), 1,
                                    from[i]->at - from[i]->panel.lo[0], end - first};
        done = ashi_read_runs_add(out, &list);
    }
    return done;
}

/* What task q->node reads of X. */
static void find_read(const ashi_ready_request_of *q, const ashi_placed *from[2])
{
    for (int i = 0; i < 2; i++)
        from[i] = ashi_window_placed(&q->play->window, q->node->read[2 * q->x + i]);
}

static const ashi_tile_set *own_of(const ashi_ready_request_of *q)
{
    return &q->play->request.tiles[q->term].own[q->x];
}

/* Whether these are all tiles that the rank has, each once, and no others: then they are in the order of its own. */
static bool are_all_own(const ashi_ready_request_of *q)
{
    const ashi_placed *from[2];
    int64_t tiles = 0;
    find_read(q, from);
    for (int i = 0; i < 2; i++) {
        if (from[i] && from[i]->panel.memory != ASHI_MEMORY_CALLER)
            return false;
        tiles += tiles_in(q->play, from[i]);
    }
    return !q->mirrored && tiles > 0 && tiles == own_of(q)->pattern->tiles && stands_for_itself(q->play, q->x);
}

/* The tiles in order. */
static ashlar_status find_runs(const ashi_ready_request_of *q, ashi_ready_lists *lists, ashi_read_runs *out,
                               ashlar_error *err)
{
    const ashi_placed *from[2];
    find_read(q, from);
    const int64_t most = tiles_in(q->play, from[0]) + tiles_in(q->play, from[1]);
    *out = (ashi_read_runs){0};
    if (most == 0 || (q->mirrored && !may_mirror(q)) || take_line(q, from, out))
        return ASHLAR_OK;
    return list_tiles(q, from, most, lists, out, err);
}

/* ---- the operand ---- */

static bool is_ranked(const ashi_ready_request_of *q)
{
    return q->play->program->tiles->operand[q->x].rank != NULL;
}

/* Room for what each tile has, and for the pattern. */
static ashlar_status make_room(int64_t rows, int64_t count, bool ranked, ashi_ready_operand *out, ashlar_error *err)
{
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

static void find_ranks(const ashi_ready_request_of *q, ashi_ready_operand *o)
{
    const ashi_pattern *p = &o->pattern;
    for (int64_t r = 0; r < p->rows; r++)
        for (int64_t t = p->start[r]; t < p->start[r + 1]; t++) {
            const ashi_tile_at at = of_op(q, &(ashi_tile_at){p->row[r], p->col[t]});
            o->rank[t] = ashi_tile_rank(q->play->program->tiles, (ashlar_operand)q->x, &at);
        }
}

static ashlar_status copy_own(const ashi_ready_request_of *q, ashi_ready_operand *out, ashlar_error *err)
{
    const ashi_tile_set *own = own_of(q);
    const ashi_pattern *from = own->pattern;
    const ashlar_status status = make_room(from->rows, from->tiles, is_ranked(q), out, err);
    if (status != ASHLAR_OK)
        return status;
    out->pattern.rows = from->rows;
    memcpy(out->pattern.row, from->row, (size_t)from->rows * sizeof *from->row);
    memcpy(out->pattern.start, from->start, ((size_t)from->rows + 1) * sizeof *from->start);
    memcpy(out->pattern.col, from->col, (size_t)from->tiles * sizeof *from->col);
    memcpy(out->at, own->at, (size_t)from->tiles * sizeof *out->at);
    memset(out->own, 1, (size_t)from->tiles);
    return ASHLAR_OK;
}

static ashlar_status merge(const ashi_ready_request_of *q, ashi_ready_lists *lists, ashi_ready_operand *out,
                           ashlar_error *err)
{
    ashi_read_runs runs;
    ashlar_status status = find_runs(q, lists, &runs, err);
    if (status == ASHLAR_OK && runs.tiles > 0)
        status = make_room(runs.rows, runs.tiles, is_ranked(q), out, err);
    if (status == ASHLAR_OK && runs.tiles > 0)
        ashi_read_runs_merge(&runs, own_of(q), &(ashi_read_places){&out->pattern, out->at, out->own});
    return status;
}

ashlar_status ashi_ready_operand_make(const ashi_ready_request_of *q, ashi_ready_lists *lists, ashi_ready_operand *out,
                                      ashlar_error *err)
{
    const ashlar_status status = are_all_own(q) ? copy_own(q, out, err) : merge(q, lists, out, err);
    if (status == ASHLAR_OK && out->rank)
        find_ranks(q, out);
    return status;
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
