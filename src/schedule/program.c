/* Panels, and the messages of a program's operations. */
#include "schedule/lower.h"

#include "base/checked.h"

const char *ashi_operation_name(ashi_operation_kind kind)
{
    static const char *const names[] = {"MOVE", "SEND", "RECEIVE", "MULTICAST", "REDUCE", "MULTIPLY", "ADD", "SCALE"};
    return kind >= ASHI_DO_MOVE && kind <= ASHI_DO_SCALE ? names[kind] : "unknown operation";
}

ashi_box ashi_panel_box(const ashi_panel *panel)
{
    return (ashi_box){panel->lo[0], panel->hi[0], panel->lo[1], panel->hi[1]};
}

ashi_panel ashi_panel_of(ashlar_operand operand, const ashi_box *box)
{
    return (ashi_panel){.id = -1, .within = -1, .operand = operand, .memory = ASHI_MEMORY_POOL, .owner = -1,
                        .chunk = ashi_whole, .indices = 2, .lo = {box->minor_lo, box->major_lo},
                        .hi = {box->minor_hi, box->major_hi}, .order = {0, 1}, .words = ashi_box_words(box),
                        .copies = 1, .part = -1};
}

bool ashi_panel_room(const ashi_panel *panel, int64_t *words)
{
    *words = 1;
    if (panel->content != ASHI_CONTENT_ALL && panel->content != ASHI_CONTENT_AWAY)
        return ashi_mul(panel->words, panel->copies, words);
    for (int i = 0; i < panel->indices; i++)
        if (!ashi_mul(*words, panel->hi[i] - panel->lo[i], words))
            return false;
    return true;
}

ashi_panel ashi_panel_own(const ashi_view *view, ashlar_operand operand, int64_t rank, const ashi_box *box,
                          ashi_chunk chunk)
{
    ashi_panel p = ashi_panel_of(operand, box);
    const bool column_contiguous = view->layout->order == ASHLAR_COL_MAJOR;
    p.memory = ASHI_MEMORY_CALLER;
    p.content = ASHI_CONTENT_SHARE;
    p.owner = rank;
    p.chunk = chunk;
    p.words = ashi_view_chunk_words(view, rank, box, chunk);
    p.order[0] = column_contiguous == view->minor_is_row ? 0 : 1;
    p.order[1] = (signed char)(1 - p.order[0]);
    return p;
}

static ashlar_status count_message(void *context, const ashi_operation *o, const ashi_message *message,
                                   ashlar_error *err)
{
    ashi_program_traffic *t = context;
    (void)o;
    (void)err;
    *(message->send ? &t->sends : &t->receives) += 1;
    *(message->send ? &t->sent : &t->received) += message->words;
    return ASHLAR_OK;
}

ashi_program_traffic ashi_program_count(const ashi_program *program, int64_t rank, const ashi_operation *o)
{
    ashi_program_traffic out = {0, 0, 0, 0};
    const bool multicast = o->kind == ASHI_DO_MULTICAST;
    if (multicast && program->torus.dims > 0) {
        (void)ashi_program_messages(program, rank, o, count_message, &out, NULL); /* a visit that cannot fail */
    } else if ((multicast || o->kind == ASHI_DO_REDUCE) && o->words > 0) {
        const ashi_traffic t = ashi_lower_count(program, o, rank);
        out = (ashi_program_traffic){t.sends, t.receives, t.sends * o->words, t.receives * o->words};
    } else if (o->kind == ASHI_DO_SEND && o->words > 0) {
        out = (ashi_program_traffic){1, 0, o->words, 0};
    } else if (o->kind == ASHI_DO_RECEIVE && o->words > 0) {
        out = (ashi_program_traffic){0, 1, 0, o->words};
    }
    return out;
}

int64_t ashi_program_contributions(const ashi_program *program, int64_t rank, const ashi_operation *o)
{
    return o->words > 0 ? ashi_lower_count(program, o, rank).receives : 0;
}

ashlar_status ashi_program_walk(ashi_program *program, int64_t rank, const ashi_program_visitor *visitor,
                                ashlar_error *err)
{
    ashlar_status status = ASHLAR_OK;
    for (int64_t step = 0; step < program->steps && status == ASHLAR_OK; step++)
        status = program->emit(program, rank, step, visitor, err);
    return status;
}

bool ashi_program_has_files(const ashi_program *program)
{
    const ashi_memory *source = program->source;
    return source[0] == ASHI_MEMORY_FILE || source[1] == ASHI_MEMORY_FILE || source[2] == ASHI_MEMORY_FILE;
}

void ashi_program_free(ashi_program *program)
{
    if (program->free_own)
        program->free_own(program);
    *program = (ashi_program){0};
}

ashlar_status ashi_program_of(ashi_schedule *schedule, ashi_program *out, ashlar_error *err)
{
    return schedule->program(schedule, out, err);
}

static ashlar_status ignore_panel(void *context, const ashi_panel *panel, ashlar_error *err)
{
    (void)context;
    (void)panel;
    (void)err;
    return ASHLAR_OK;
}

static ashlar_status ignore_operation(void *context, const ashi_operation *operation, ashlar_error *err)
{
    (void)context;
    (void)operation;
    (void)err;
    return ASHLAR_OK;
}

const ashi_program_visitor ashi_program_ignored = {ignore_panel, ignore_operation, NULL};
