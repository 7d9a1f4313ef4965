/* One rank's program as text. */
#include "cli/report.h"
#include "cli/schedule_print.h"

#include <inttypes.h>
#include <stdio.h>

const char *ashi_memory_name(ashi_memory memory)
{
    static const char *const names[] = {"caller", "pool", "file"};
    return names[memory];
}

const char *ashi_content_name(ashi_content content)
{
    static const char *const names[] = {"all", "share", "here", "away", "rest"};
    return names[content];
}

const char *ashi_operand_name(ashlar_operand operand)
{
    static const char *const names[] = {"A", "B", "C"};
    return names[operand];
}

static void print_panel(const ashi_panel *p)
{
    printf("  panel %" PRId64 ": %s of %s [%" PRId64 ", %" PRId64 ") x [%" PRId64 ", %" PRId64 "), %" PRId64
           " words, %s", p->id, ashi_content_name(p->content), ashi_operand_name(p->operand), p->lo[0], p->hi[0],
           p->lo[1], p->hi[1], p->words, ashi_memory_name(p->memory));
    if (p->content == ASHI_CONTENT_SHARE)
        printf(", owner %" PRId64, p->owner);
    if (p->chunk.chunks > 1)
        printf(", chunk %" PRId64 " of %" PRId64, p->chunk.number, p->chunk.chunks);
    if (p->within >= 0)
        printf(", within %" PRId64, p->within);
}

static void print_product(const int64_t *lo, const int64_t *hi)
{
    printf(" [%" PRId64 ", %" PRId64 ") x [%" PRId64 ", %" PRId64 "), k [%" PRId64 ", %" PRId64 ")", lo[0], hi[0],
           lo[1], hi[1], lo[2], hi[2]);
}

/* What an operation or a task reads, and what it makes. */
static void print_panels_of(ashi_operation_kind kind, const int64_t *read, const bool *last, int64_t makes, bool begins)
{
    for (int i = 0; i < ASHI_READS_MAX; i++)
        if (read[i] >= 0)
            printf(", reads %" PRId64 "%s", read[i], last[i] ? " (last)" : "");
    if (makes >= 0)
        printf(", %s %" PRId64, kind >= ASHI_DO_MULTIPLY ? begins ? "begins" : "updates" : "makes", makes);
}

/* ---- operations ---- */

static ashlar_status see_panel(void *context, const ashi_panel *p, ashlar_error *err)
{
    (void)context;
    (void)err;
    print_panel(p);
    printf("\n");
    return ASHLAR_OK;
}

static ashlar_status print_message(void *context, const ashi_operation *op, const ashi_message *m, ashlar_error *err)
{
    (void)context;
    (void)op;
    (void)err;
    printf(", %" PRId64 " words %s %" PRId64, m->words, m->send ? "to" : "from", m->peer);
    return ASHLAR_OK;
}

static ashlar_status print_operation(void *context, const ashi_operation *o, ashlar_error *err)
{
    const ashi_print_request *q = context;
    printf("  %s", ashi_operation_name(o->kind));
    if (o->kind == ASHI_DO_MULTIPLY)
        print_product(o->lo, o->hi);
    print_panels_of(o->kind, o->read, o->last, o->makes, o->begins);
    const ashlar_status status = ashi_program_messages(q->program, q->rank, o, print_message, NULL, err);
    printf("\n");
    return status;
}

static ashlar_status print_operations(const ashi_print_request *q, ashlar_error *err)
{
    ashi_print_request own = *q;
    const ashi_program_visitor visitor = {see_panel, print_operation, &own};
    ashlar_status status = ASHLAR_OK;
    for (int64_t step = 0; step < q->program->steps && status == ASHLAR_OK; step++) {
        printf("step %" PRId64 "\n", step);
        status = q->program->emit(q->program, q->rank, step, &visitor, err);
    }
    return status;
}

/* ---- tasks ---- */

static ashlar_status see_placed(void *context, const ashi_placed *p, ashlar_error *err)
{
    (void)context;
    (void)err;
    print_panel(&p->panel);
    if (p->at >= 0)
        printf(" at %" PRId64, p->at);
    if (p->at >= 0 && !p->packed)
        printf(", %s %" PRId64 " apart", p->panel.order[0] == 0 ? "columns" : "rows", p->ld);
    printf("\n");
    return ASHLAR_OK;
}

static ashlar_status print_task(void *context, const ashi_task *t, ashlar_error *err)
{
    (void)context;
    (void)err;
    printf("  task %" PRId64 ": %s", t->number, ashi_operation_name(t->kind));
    if (t->kind == ASHI_DO_MULTIPLY)
        print_product(t->lo, t->hi);
    print_panels_of(t->kind, t->read, t->last, t->makes, t->begins);
    if (t->kind == ASHI_DO_SEND || t->kind == ASHI_DO_RECEIVE)
        printf(", words [%" PRId64 ", %" PRId64 ") %s %" PRId64 ", tag %" PRId64, t->offset, t->offset + t->words,
               t->kind == ASHI_DO_SEND ? "to" : "from", t->peer, t->tag);
    for (int64_t i = 0; i < t->befores; i++)
        printf("%s%" PRId64, i == 0 ? ", after " : " ", t->before[i]);
    printf("\n");
    return ASHLAR_OK;
}

static ashlar_status print_tasks(const ashi_print_request *q, ashlar_error *err)
{
    const ashi_passes_request request = {q->program, q->rank, q->program->look_ahead, ASHI_PRINT_TAGS};
    const ashi_task_visitor visitor = {see_placed, print_task, NULL};
    ashi_passes *passes = NULL;
    ashlar_status status = ashi_passes_create(&request, &passes, err);
    for (int64_t step = 0; step < q->program->steps && status == ASHLAR_OK; step++) {
        printf("step %" PRId64 "\n", step);
        status = ashi_passes_step(passes, &visitor, err);
    }
    if (status == ASHLAR_OK)
        printf("\nlook-ahead %" PRId64 ", pool %" PRId64 " words\n", request.look_ahead, ashi_passes_peak(passes));
    ashi_passes_free(&passes);
    return status;
}

ashlar_status ashi_schedule_print_text(const ashi_print_request *q, ashlar_error *err)
{
    ashi_problem_print(q->problem);
    printf("schedule %s, rank %" PRId64 "\n\n", q->strategy, q->rank);
    return q->tasks ? print_tasks(q, err) : print_operations(q, err);
}
