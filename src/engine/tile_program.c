/* The program of SUMMA over tiles: each step moves and multiplies one iteration. */
#include "engine/tile_program.h"

#include "base/checked.h"
#include "base/error.h"
#include "engine/builder.h"

#include <stdlib.h>

typedef struct tile_program {
    ashi_builder builder;
    const ashi_tile_problem *problem;
    ashi_tile_groups groups; /* of the rank `of` */
    int64_t of;              /* -1: of none */
    int64_t sums[ASHI_TILE_PANELS_MAX * ASHI_TILE_PANELS_MAX]; /* panels of the rank's C; none without tiles of C */
    int *member;
} tile_program;

/* An interval of the rank's line. */
static ashi_panel panel_of(ashlar_operand x, ashi_memory memory, int64_t lo, int64_t hi)
{
    const ashi_box box = {lo, hi, 0, 1};
    ashi_panel panel = ashi_panel_of(x, &box);
    panel.memory = memory;
    return panel;
}

static int64_t build_panel(tile_program *t, ashlar_operand x, ashi_memory memory, int64_t lo, int64_t hi,
                           int64_t within)
{
    ashi_panel panel = panel_of(x, memory, lo, hi);
    panel.within = within;
    return ashi_build_panel(&t->builder, &panel);
}

/* The message of a group. Its first tile is its name, which all ranks agree on: positions differ from rank to rank. */
static ashi_operation group_of(tile_program *t, ashlar_operand x, const ashi_tile_group *g)
{
    const ashi_tile_line *line = &t->groups.line[x];
    const ashi_tile_at *first = &line->tile[ashi_tile_line_find(line, g->lo)];
    ashi_operation o = ashi_operation_blank(ASHI_DO_MULTICAST);
    o.operand = x;
    o.box = (ashi_box){first->row, first->row + 1, first->col, first->col + 1};
    o.words = g->hi - g->lo;
    o.owner = g->owner;
    o.member = t->member;
    o.members = ashi_tile_members(t->problem, x, g, t->member);
    for (int64_t i = 0; i < o.members; i++) {
        o.owner_at = t->member[i] == g->owner ? i : o.owner_at;
        o.rank_at = t->member[i] == t->builder.rank ? i : o.rank_at;
    }
    return o;
}

/* What a rank sends is packed first, where it is multiplied if the rank needs it too. */
static void bring_group(tile_program *t, ashlar_operand x, const ashi_tile_group *g, int64_t pool)
{
    const bool own = g->owner == t->builder.rank;
    const int64_t within = g->needed ? pool : ASHI_NO_PANEL;
    if (g->alone)
        return;
    ashi_operation o = group_of(t, x, g);
    if (own) {
        const int64_t from = build_panel(t, x, ASHI_MEMORY_CALLER, g->lo, g->hi, ASHI_NO_PANEL);
        ashi_panel packed = panel_of(x, ASHI_MEMORY_POOL, g->lo, g->hi);
        packed.within = within;
        ashi_operation_reads(&o, 0, ashi_build_move(&t->builder, from, true, &packed), true);
        if (g->needed && o.members == 1)
            return;
    } else {
        o.makes = build_panel(t, x, ASHI_MEMORY_POOL, g->lo, g->hi, within);
    }
    ashi_build_operation(&t->builder, &o);
}

/* What a rank multiplies of A or B in a step, for one row or column of panels of C: what comes together, and what the
 * rank has alone. */
typedef struct brought {
    int64_t panel[2];
} brought;

static bool is_any(const brought *b)
{
    return b->panel[0] >= 0 || b->panel[1] >= 0;
}

/* All groups of an operand for one row or column of panels. */
static brought bring_part(tile_program *t, ashlar_operand x, int at)
{
    const ashi_tile_round *round =
        &t->groups.round[x][t->builder.step * ashi_tile_panels(t->problem, (int)x) + at];
    brought b = {{ASHI_NO_PANEL, ASHI_NO_PANEL}};
    if (round->own > round->lo)
        b.panel[0] = build_panel(t, x, ASHI_MEMORY_POOL, round->lo, round->own, ASHI_NO_PANEL);
    for (int64_t i = 0; i < round->groups; i++)
        bring_group(t, x, &t->groups.group[round->group + i], b.panel[0]);
    if (round->sent > round->own)
        b.panel[1] = build_panel(t, x, ASHI_MEMORY_CALLER, round->own, round->sent, ASHI_NO_PANEL);
    return b;
}

/* All of an operand: *first and *last are the first and the last row or column of panels that something is multiplied
 * for; none: *last is below *first. */
static void bring(tile_program *t, ashlar_operand x, brought *b, int *first, int *last)
{
    const ashi_tile_problem *p = t->problem;
    const int panels = ashi_tile_panels(p, (int)x);
    *first = panels;
    *last = -1;
    for (int i = 0; i < panels; i++) {
        b[i] = bring_part(t, x, i);
        *first = is_any(&b[i]) && *first == panels ? i : *first;
        *last = is_any(&b[i]) ? i : *last;
    }
}

/* ---- products ---- */

/* Multiply-adds of the products that a row and a column of panels allow in a step. */
static int64_t work_of(const tile_program *t, int row, int col)
{
    const ashi_tile_problem *p = t->problem;
    const int rows = ashi_tile_panels(p, ASHLAR_A), cols = ashi_tile_panels(p, ASHLAR_B);
    int64_t work = 0;
    for (int64_t k = p->first[t->builder.step]; k < p->first[t->builder.step + 1]; k++) {
        const int64_t c = ashi_mul_most(t->groups.side[0][k * rows + row], t->groups.side[1][k * cols + col]);
        if (!ashi_add(work, ashi_mul_most(c, ashi_cuts_size(p->cuts[2], k)), &work))
            return INT64_MAX;
    }
    return work;
}

/* The panel of C, or any if the rank has no tiles in that one: then no product is formed. */
static int64_t sums_of(const tile_program *t, int row, int col)
{
    const int cols = ashi_tile_panels(t->problem, ASHLAR_B), panels = ashi_tile_panels(t->problem, ASHLAR_A) * cols;
    int64_t sums = t->sums[row * cols + col];
    for (int i = 0; i < panels && sums < 0; i++)
        sums = t->sums[i];
    return sums;
}

static void read_part(ashi_operation *product, int at, const brought *b, bool last)
{
    ashi_operation_reads(product, at, b->panel[0], last);
    ashi_operation_reads(product, at + 1, b->panel[1], last);
}

/* One product for each panel of C. Each reads a row and a column of panels, the last one for the last time. */
static void multiply(tile_program *t)
{
    const ashi_tile_problem *p = t->problem;
    brought a[ASHI_TILE_PANELS_MAX], b[ASHI_TILE_PANELS_MAX];
    int first[2], last[2];
    bring(t, ASHLAR_A, a, &first[0], &last[0]);
    bring(t, ASHLAR_B, b, &first[1], &last[1]);
    for (int r = first[0]; r <= last[0]; r++)
        for (int c = first[1]; c <= last[1]; c++) {
            ashi_operation product = ashi_operation_blank(ASHI_DO_MULTIPLY);
            if (!is_any(&a[r]) || !is_any(&b[c]))
                continue;
            read_part(&product, 0, &a[r], c == last[1]);
            read_part(&product, 2, &b[c], r == last[0]);
            product.makes = sums_of(t, r, c);
            product.lo[2] = p->first[t->builder.step];
            product.hi[2] = p->first[t->builder.step + 1];
            product.hi[3] = 1;
            product.words = work_of(t, r, c);
            ashi_build_operation(&t->builder, &product);
        }
}

/* ---- steps ---- */

static void begin_sums(tile_program *t)
{
    const int panels = ashi_tile_panels(t->problem, ASHLAR_A) * ashi_tile_panels(t->problem, ASHLAR_B);
    for (int i = 0; i < panels; i++) {
        const int64_t lo = t->groups.sums[i], hi = t->groups.sums[i + 1];
        ashi_panel sums = panel_of(ASHLAR_C, ASHI_MEMORY_CALLER, lo, hi);
        ashi_operation scale = ashi_operation_blank(ASHI_DO_SCALE);
        t->sums[i] = ASHI_NO_PANEL;
        if (lo == hi)
            continue;
        sums.part = i;
        scale.makes = t->sums[i] = ashi_build_panel(&t->builder, &sums);
        scale.begins = true;
        ashi_build_operation(&t->builder, &scale);
    }
}

static ashlar_status find_rank(tile_program *t, int64_t rank, ashlar_error *err)
{
    if (t->of == rank)
        return ASHLAR_OK;
    t->of = -1;
    ashi_tile_groups_free(&t->groups);
    const ashlar_status status = ashi_tile_groups_find(t->problem, rank, &t->groups, err);
    t->of = status == ASHLAR_OK ? rank : -1;
    return status;
}

static ashlar_status make_step(ashi_builder *b)
{
    tile_program *t = b->program->own;
    const ashlar_status status = find_rank(t, b->rank, b->err);
    if (status != ASHLAR_OK)
        return status;
    if (b->step == 0)
        begin_sums(t);
    if (b->step >= t->problem->iterations)
        return ASHLAR_OK;
    ashi_areas_enter(&b->areas, 1 + (int)(b->step % t->problem->window));
    multiply(t);
    return ASHLAR_OK;
}

static ashlar_status emit(ashi_program *program, int64_t rank, int64_t step, const ashi_program_visitor *visitor,
                          ashlar_error *err)
{
    tile_program *t = program->own;
    t->builder.program = program;
    return ashi_build(&t->builder, make_step, rank, step, visitor, err);
}

static ashlar_status pool(ashi_program *program, int64_t rank, int64_t *words, ashlar_error *err)
{
    tile_program *t = program->own;
    t->builder.program = program;
    return ashi_build_pool(&t->builder, make_step, rank, words, err);
}

static ashlar_status lines(ashi_program *program, int64_t rank, const ashi_tile_line **line, ashlar_error *err)
{
    tile_program *t = program->own;
    const ashlar_status status = find_rank(t, rank, err);
    *line = status == ASHLAR_OK ? t->groups.line : NULL;
    return status;
}

static void free_own(ashi_program *program)
{
    tile_program *t = program->own;
    ashi_tile_groups_free(&t->groups);
    free(t->member);
    free(t);
}

/* Room for the members of a group. */
static ashlar_status make_room(tile_program *t, ashlar_error *err)
{
    const ashi_deal *c = t->problem->operand[ASHLAR_C].deal;
    const int64_t members = ashi_max(c->grid_rows, c->grid_cols);
    t->member = malloc((size_t)members * sizeof *t->member);
    return t->member ? ASHLAR_OK : ashi_fail_memory(err, "program", members * (int64_t)sizeof *t->member);
}

ashlar_status ashi_tile_program_of(const ashi_tile_problem *problem, ashi_program *out, ashlar_error *err)
{
    tile_program *t = calloc(1, sizeof *t);
    *out = (ashi_program){0};
    if (!t)
        return ashi_fail_memory(err, "program", (int64_t)sizeof *t);
    *t = (tile_program){.builder = ashi_builder_of(out), .problem = problem, .of = -1};
    *out = (ashi_program){.m = ashi_cuts_all(problem->cuts[0]), .n = ashi_cuts_all(problem->cuts[1]),
                          .k = ashi_cuts_all(problem->cuts[2]), .ranks = problem->ranks,
                          .steps = ashi_max(1, problem->iterations), .look_ahead = problem->window - 1,
                          .tree = problem->tree, .own = t, .tiles = problem, .emit = emit,
                          .pool = pool, .lines = lines, .free_own = free_own};
    int area = ashi_areas_add(&t->builder.areas, ASHI_AREA_FIRST);
    for (int i = 0; i < problem->window; i++)
        area = ashi_areas_add(&t->builder.areas, area);
    const ashlar_status status = make_room(t, err);
    if (status != ASHLAR_OK)
        ashi_program_free(out);
    return status;
}

int64_t ashi_tile_program_words(const ashi_program *program)
{
    const tile_program *t = program->own;
    int64_t words = 0;
    for (int64_t i = 0; i < t->groups.groups; i++) {
        const ashi_tile_group *g = &t->groups.group[i];
        words += g->needed && g->owner != t->of ? g->hi - g->lo : 0;
    }
    return words;
}

ashi_tile_groups ashi_tile_program_take(ashi_program *program)
{
    tile_program *t = program->own;
    const ashi_tile_groups groups = t->groups;
    t->groups = (ashi_tile_groups){0};
    t->of = -1;
    return groups;
}

void ashi_tile_program_give(ashi_program *program, int64_t rank, const ashi_tile_groups *groups)
{
    tile_program *t = program->own;
    ashi_tile_groups_free(&t->groups);
    t->groups = *groups;
    t->of = rank;
}

int64_t ashi_tile_program_tiles(const ashi_program *program)
{
    const tile_program *t = program->own;
    const ashi_tile_line *line = t->groups.line;
    return line[0].tiles + line[1].tiles + (line[ASHLAR_C].of ? 0 : line[ASHLAR_C].tiles);
}

int64_t ashi_tile_program_bytes(const ashi_program *program)
{
    const tile_program *t = program->own;
    const ashi_deal *c = t->problem->operand[ASHLAR_C].deal;
    int64_t room = 0;
    for (int x = 0; x < 3; x++)
        room += t->groups.line[x].room;
    return (int64_t)sizeof *t + ashi_max(c->grid_rows, c->grid_cols) * (int64_t)sizeof *t->member +
           room * (int64_t)(sizeof(ashi_tile_at) + sizeof(int64_t)) +
           t->groups.groups * (int64_t)sizeof *t->groups.group +
           (ashi_tile_panels(t->problem, ASHLAR_A) + ashi_tile_panels(t->problem, ASHLAR_B)) *
               ((t->problem->iterations + 1) * (int64_t)sizeof *t->groups.round[0] +
                t->problem->cuts[2]->tiles * (int64_t)sizeof *t->groups.side[0]);
}
