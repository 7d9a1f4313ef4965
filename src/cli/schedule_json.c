/* One rank's program as JSON. */
#include "base/error.h"
#include "cli/report.h"
#include "cli/schedule_print.h"

#include <inttypes.h>
#include <stdio.h>

/* The step that is printed. */
typedef struct printing {
    const ashi_print_request *request;
    ashi_passes *passes;         /* if tasks are printed */
    json_t *panels, *operations; /* or tasks */
    bool failed;                 /* a document could not be made */
} printing;

/* Add to an array; a NULL, as lack of memory gives, is remembered. */
static void append(printing *p, json_t *array, json_t *value)
{
    if (json_array_append_new(array, value) != 0)
        p->failed = true;
}

static json_t *number_or_null(int64_t value)
{
    return value >= 0 ? json_integer((json_int_t)value) : json_null();
}

/* ---- what operations and tasks have in common ---- */

static json_t *panel_of(printing *p, const ashi_panel *panel)
{
    json_t *lo = json_array(), *hi = json_array(), *order = json_array();
    for (int i = 0; i < panel->indices; i++) {
        append(p, lo, json_integer((json_int_t)panel->lo[i]));
        append(p, hi, json_integer((json_int_t)panel->hi[i]));
        append(p, order, json_integer(panel->order[i]));
    }
    return json_pack("{s:I, s:s, s:s, s:s, s:o, s:o, s:o, s:I, s:I, s:o, s:o, s:[I,I], s:o}", "id",
                     (json_int_t)panel->id, "operand", ashi_operand_name(panel->operand), "memory",
                     ashi_memory_name(panel->memory), "content", ashi_content_name(panel->content), "lo", lo, "hi", hi,
                     "order", order, "words", (json_int_t)panel->words, "copies", (json_int_t)panel->copies, "within",
                     number_or_null(panel->within), "owner", number_or_null(panel->owner), "chunk",
                     (json_int_t)panel->chunk.number, (json_int_t)panel->chunk.chunks, "part",
                     number_or_null(panel->part));
}

static json_t *reads_of(printing *p, const int64_t *read, const bool *last)
{
    json_t *reads = json_array();
    for (int i = 0; i < ASHI_READS_MAX; i++)
        if (read[i] >= 0)
            append(p, reads, json_pack("{s:I, s:b}", "panel", (json_int_t)read[i], "last", last[i]));
    return reads;
}

static json_t *product_of(ashi_operation_kind kind, const int64_t *lo, const int64_t *hi)
{
    if (kind != ASHI_DO_MULTIPLY)
        return json_null();
    return json_pack("{s:[I,I], s:[I,I], s:[I,I]}", "m", (json_int_t)lo[0], (json_int_t)hi[0], "n", (json_int_t)lo[1],
                     (json_int_t)hi[1], "k", (json_int_t)lo[2], (json_int_t)hi[2]);
}

/* ---- operations ---- */

static ashlar_status add_panel(void *context, const ashi_panel *panel, ashlar_error *err)
{
    printing *p = context;
    (void)err;
    append(p, p->panels, panel_of(p, panel));
    return ASHLAR_OK;
}

/* Where the messages of one operation go. */
typedef struct adding {
    printing *p;
    json_t *messages;
} adding;

static ashlar_status add_message(void *context, const ashi_operation *op, const ashi_message *m, ashlar_error *err)
{
    const adding *a = context;
    (void)op;
    (void)err;
    append(a->p, a->messages, json_pack("{s:b, s:I, s:I}", "send", m->send, "peer", (json_int_t)m->peer, "words",
                                        (json_int_t)m->words));
    return ASHLAR_OK;
}

static ashlar_status add_operation(void *context, const ashi_operation *o, ashlar_error *err)
{
    printing *p = context;
    adding a = {p, json_array()};
    const ashlar_status status =
        ashi_program_messages(p->request->program, p->request->rank, o, add_message, &a, err);
    append(p, p->operations,
           json_pack("{s:s, s:I, s:o, s:o, s:b, s:o, s:o}", "kind", ashi_operation_name(o->kind), "step",
                     (json_int_t)o->step, "reads", reads_of(p, o->read, o->last), "makes", number_or_null(o->makes),
                     "begins", o->begins, "product", product_of(o->kind, o->lo, o->hi), "messages", a.messages));
    return status;
}

/* ---- tasks ---- */

static ashlar_status add_placed(void *context, const ashi_placed *placed, ashlar_error *err)
{
    printing *p = context;
    const bool pool = placed->at >= 0;
    json_t *panel = panel_of(p, &placed->panel);
    (void)err;
    if (json_object_set_new(panel, "at", number_or_null(placed->at)) != 0 ||
        json_object_set_new(panel, "ld", pool && !placed->packed ? number_or_null(placed->ld) : json_null()) != 0)
        p->failed = true;
    append(p, p->panels, panel);
    return ASHLAR_OK;
}

static json_t *message_of(const ashi_task *t)
{
    if (t->kind != ASHI_DO_SEND && t->kind != ASHI_DO_RECEIVE)
        return json_null();
    return json_pack("{s:b, s:I, s:I, s:I, s:I}", "send", t->kind == ASHI_DO_SEND, "peer", (json_int_t)t->peer, "words",
                     (json_int_t)t->words, "offset", (json_int_t)t->offset, "tag", (json_int_t)t->tag);
}

static ashlar_status add_task(void *context, const ashi_task *t, ashlar_error *err)
{
    printing *p = context;
    json_t *before = json_array();
    (void)err;
    for (int64_t i = 0; i < t->befores; i++)
        append(p, before, json_integer((json_int_t)t->before[i]));
    append(p, p->operations,
           json_pack("{s:I, s:s, s:I, s:o, s:o, s:b, s:b, s:o, s:o, s:o}", "number", (json_int_t)t->number, "kind",
                     ashi_operation_name(t->kind), "step", (json_int_t)t->step, "reads", reads_of(p, t->read, t->last),
                     "makes", number_or_null(t->makes), "completes", t->completes, "begins", t->begins, "product",
                     product_of(t->kind, t->lo, t->hi), "message", message_of(t), "before", before));
    return ASHLAR_OK;
}

/* ---- the document ---- */

static ashlar_status visit_step(printing *p, int64_t step, ashlar_error *err)
{
    const ashi_print_request *q = p->request;
    const ashi_program_visitor operations = {add_panel, add_operation, p};
    const ashi_task_visitor tasks = {add_placed, add_task, p};
    return q->tasks ? ashi_passes_step(p->passes, &tasks, err)
                    : q->program->emit(q->program, q->rank, step, &operations, err);
}

static ashlar_status print_step(printing *p, int64_t step, ashlar_error *err)
{
    p->panels = json_array();
    p->operations = json_array();
    const ashlar_status status = visit_step(p, step, err);
    json_t *document = json_pack("{s:I, s:o, s:o}", "step", (json_int_t)step, "panels", p->panels,
                                 p->request->tasks ? "tasks" : "operations", p->operations);
    const bool printed = document && !p->failed && printf("%s", step > 0 ? ",\n" : "") >= 0 &&
                         json_dumpf(document, stdout, 0) == 0;
    json_decref(document);
    return status == ASHLAR_OK && !printed ? ashi_fail(err, ASHLAR_ERR_IO, "the document could not be written")
                                           : status;
}

static ashlar_status print_head(const ashi_print_request *q, ashlar_error *err)
{
    json_t *problem = ashi_problem_json(q->problem);
    printf("{\"schema\": 1, \"strategy\": \"%s\", \"rank\": %" PRId64 ", \"problem\": ", q->strategy, q->rank);
    const bool printed = problem && json_dumpf(problem, stdout, 0) == 0;
    json_decref(problem);
    printf(", \"steps\": [\n");
    return printed ? ASHLAR_OK : ashi_fail(err, ASHLAR_ERR_IO, "the document could not be written");
}

ashlar_status ashi_schedule_print_json(const ashi_print_request *q, ashlar_error *err)
{
    const ashi_passes_request request = {q->program, q->rank, q->program->look_ahead, ASHI_PRINT_TAGS};
    printing p = {.request = q};
    ashlar_status status = q->tasks ? ashi_passes_create(&request, &p.passes, err) : ASHLAR_OK;
    if (status == ASHLAR_OK)
        status = print_head(q, err);
    for (int64_t step = 0; step < q->program->steps && status == ASHLAR_OK; step++)
        status = print_step(&p, step, err);
    printf("]");
    if (q->tasks && status == ASHLAR_OK)
        printf(", \"look_ahead\": %" PRId64 ", \"pool_words\": %" PRId64, request.look_ahead,
               ashi_passes_peak(p.passes));
    printf("}\n");
    ashi_passes_free(&p.passes);
    return status;
}
