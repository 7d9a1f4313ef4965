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
    int64_t sums;            /* the panel of the rank's C; none if it has no tiles of C */
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

/* All groups of an operand; the product reads what comes together, and what the rank has alone. */
static void bring(tile_program *t, ashlar_operand x, ashi_operation *product)
{
    const ashi_tile_round *round = &t->groups.round[x][t->builder.step];
    const int at = x == ASHLAR_A ? 0 : 2;
    int64_t pool = ASHI_NO_PANEL;
    if (round->own > round->lo)
        pool = build_panel(t, x, ASHI_MEMORY_POOL, round->lo, round->own, ASHI_NO_PANEL);
    for (int64_t i = 0; i < round->groups; i++)
        bring_group(t, x, &t->groups.group[round->group + i], pool);
    ashi_operation_reads(product, at, pool, true);
    if (round->sent > round->own)
        ashi_operation_reads(product, at + 1,
                             build_panel(t, x, ASHI_MEMORY_CALLER, round->own, round->sent, ASHI_NO_PANEL), true);
}

static void begin_sums(tile_program *t)
{
    const ashi_tile_line *line = &t->groups.line[ASHLAR_C];
    const int64_t words = line->start[line->tiles];
    t->sums = ASHI_NO_PANEL;
    if (words == 0)
        return;
    ashi_panel sums = panel_of(ASHLAR_C, ASHI_MEMORY_CALLER, 0, words);
    ashi_operation scale = ashi_operation_blank(ASHI_DO_SCALE);
    sums.part = 0;
    scale.makes = t->sums = ashi_build_panel(&t->builder, &sums);
    scale.begins = true;
    ashi_build_operation(&t->builder, &scale);
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
    ashi_operation product = ashi_operation_blank(ASHI_DO_MULTIPLY);
    bring(t, ASHLAR_A, &product);
    bring(t, ASHLAR_B, &product);
    product.makes = t->sums;
    product.lo[2] = t->problem->first[b->step];
    product.hi[2] = t->problem->first[b->step + 1];
    product.hi[3] = 1;
    if (product.read[0] >= 0 || product.read[1] >= 0)
        ashi_build_operation(b, &product);
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

ashlar_status ashi_tile_program_of(const ashi_tile_problem *problem, ashi_program *out, ashlar_error *err)
{
    const ashi_deal *c = problem->operand[ASHLAR_C].deal;
    tile_program *t = calloc(1, sizeof *t);
    *out = (ashi_program){0};
    if (!t)
        return ashi_fail_memory(err, "program", (int64_t)sizeof *t);
    *t = (tile_program){.builder = ashi_builder_of(out), .problem = problem, .of = -1, .sums = ASHI_NO_PANEL,
                        .member = malloc((size_t)ashi_max(c->grid_rows, c->grid_cols) * sizeof *t->member)};
    *out = (ashi_program){.m = ashi_cuts_all(problem->cuts[0]), .n = ashi_cuts_all(problem->cuts[1]),
                          .k = ashi_cuts_all(problem->cuts[2]), .ranks = problem->ranks,
                          .steps = ashi_max(1, problem->iterations), .look_ahead = problem->window - 1,
                          .tree = problem->tree, .own = t, .tiles = problem, .emit = emit,
                          .pool = pool, .lines = lines, .free_own = free_own};
    int area = ashi_areas_add(&t->builder.areas, ASHI_AREA_FIRST);
    for (int i = 0; i < problem->window; i++)
        area = ashi_areas_add(&t->builder.areas, area);
    if (t->member)
        return ASHLAR_OK;
    ashi_program_free(out);
    return ashi_fail_memory(err, "program", ashi_max(c->grid_rows, c->grid_cols) * (int64_t)sizeof *t->member);
}

int64_t ashi_tile_program_tiles(const ashi_program *program)
{
    const tile_program *t = program->own;
    return t->groups.line[0].tiles + t->groups.line[1].tiles + t->groups.line[2].tiles;
}

int64_t ashi_tile_program_bytes(const ashi_program *program)
{
    const tile_program *t = program->own;
    const ashi_deal *c = t->problem->operand[ASHLAR_C].deal;
    return (int64_t)sizeof *t + ashi_max(c->grid_rows, c->grid_cols) * (int64_t)sizeof *t->member +
           ashi_tile_program_tiles(program) * (int64_t)(sizeof(ashi_tile_at) + sizeof(int64_t)) +
           t->groups.groups * (int64_t)sizeof *t->groups.group +
           2 * (t->problem->iterations + 1) * (int64_t)sizeof *t->groups.round[0];
}
