/* A program of empty tasks: words that are moved from place to place. */
#include "engine/chains.h"

#include "base/error.h"

#include <stdlib.h>

typedef struct chains {
    ashi_builder builder;
    int64_t width;
    int64_t at[]; /* the panel that has each word */
} chains;

static ashlar_status build_step(ashi_builder *b)
{
    chains *c = b->program->own;
    for (int64_t i = 0; i < c->width; i++) {
        const ashi_box box = {i, i + 1, 0, 1};
        ashi_panel to = ashi_panel_of(ASHLAR_C, &box);
        if (b->step > 0) {
            to.unread = b->step + 1 == b->program->steps;
            c->at[i] = ashi_build_move(b, c->at[i], true, &to);
            continue;
        }
        to.part = i;
        ashi_operation begin = ashi_operation_blank(ASHI_DO_SCALE);
        begin.makes = c->at[i] = ashi_build_panel(b, &to);
        begin.begins = true;
        ashi_build_operation(b, &begin);
    }
    return b->status;
}

static ashlar_status emit(ashi_program *program, int64_t rank, int64_t step, const ashi_program_visitor *visitor,
                          ashlar_error *err)
{
    chains *c = program->own;
    c->builder.program = program;
    return ashi_build(&c->builder, build_step, rank, step, visitor, err);
}

static void free_chains(ashi_program *program)
{
    free(program->own);
}

ashlar_status ashi_chains_program(int64_t steps, int64_t width, ashi_program *out, ashlar_error *err)
{
    const int64_t bytes = (int64_t)sizeof(chains) + width * (int64_t)sizeof(int64_t);
    chains *c = malloc((size_t)bytes);
    *out = (ashi_program){0};
    if (!c)
        return ashi_fail_memory(err, "chains", bytes);
    *out = (ashi_program){.m = width, .n = 1, .k = 1, .ranks = 1, .steps = steps, .own = c, .emit = emit,
                          .free_own = free_chains};
    c->builder = ashi_builder_of(out);
    c->width = width;
    return ASHLAR_OK;
}
