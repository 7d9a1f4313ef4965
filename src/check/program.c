/* Prove that programs compute C: the reading of all ranks' operations. */
#include "check/proof.h"

#include "base/error.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- moves ---- */

/* A tile of C, all of its products formed, goes to the file. */
static ashlar_status write_tile(ashi_proof *p, const ashi_operation *o, const ashi_proof_panel *from,
                                ashi_proof_panel *target, ashlar_error *err)
{
    const ashi_panel *to = &target->panel;
    if (from->panel.part < 0 && (!p->program->replicated || from->sum != ASHI_PROOF_TOTAL))
        return ashi_proof_fail(p, o, err, "writes something else than sums");
    if (!ashi_proof_same_box(&from->panel, to) || to->given || !o->last[0])
        return ashi_proof_fail(p, o, err, "writes something else than it has summed up, or reads it later");
    if (from->loaded != p->program->adds && !p->program->replicated)
        return ashi_proof_fail(p, o, err, "writes sums with C0 that is not to be added, or without it");
    const int64_t copy = p->program->replicated ? p->rank : 0;
    ashi_cover_box *box = ashi_check_add(&p->writes, sizeof *box);
    if (!box)
        return ashi_fail_memory(err, "checker", p->writes.count * (int64_t)sizeof *box);
    *box = (ashi_cover_box){.lo = {to->lo[0], to->lo[1], copy}, .hi = {to->hi[0], to->hi[1], copy + 1, 1},
                            .rank = p->rank, .step = p->step};
    p->report->written += to->words;
    target->loaded = from->loaded;
    target->sum = ashi_proof_sum_of(p, from);
    target->write = p->writes.count - 1;
    return ashi_proof_make(p, o, from->arrival, err);
}

/* C0, or sums that the rank has written, come from the file to where products are summed up. */
static ashlar_status load_tile(ashi_proof *p, const ashi_operation *o, const ashi_proof_panel *from,
                               ashi_proof_panel *to, ashlar_error *err)
{
    const ashi_panel *f = &from->panel;
    if (f->memory != ASHI_MEMORY_FILE || !ashi_proof_same_box(f, &to->panel) || to->begun || to->loaded ||
        to->panel.memory != ASHI_MEMORY_POOL)
        return ashi_proof_fail(p, o, err, "reads C0 twice, or after products were added");
    if (!f->given && !o->last[0])
        return ashi_proof_fail(p, o, err, "reads back sums that may be read back again");
    to->loaded = f->given || from->loaded;
    to->begun = !f->given;
    to->sum = from->sum;
    if (!f->given) /* what is written later takes their place */
        ((ashi_cover_box *)p->writes.data)[from->write].rank = -1;
    p->report->read += f->words;
    return ASHLAR_OK;
}

/* What a rank has of A or B goes to a file of its own. */
static ashlar_status write_copy(ashi_proof *p, const ashi_operation *o, const ashi_proof_panel *from,
                                const ashi_panel *to, ashlar_error *err)
{
    const ashi_panel *f = &from->panel;
    if (!ashi_proof_same_box(f, to) || f->memory != ASHI_MEMORY_POOL || f->content != ASHI_CONTENT_ALL || to->given)
        return ashi_proof_fail(p, o, err, "writes something else than it has");
    p->report->written += to->words;
    return ashi_proof_make(p, o, from->arrival, err);
}

/* From the rank's array, a file or the pool to the pool: the same words. */
static ashlar_status move_words(ashi_proof *p, const ashi_operation *o, const ashi_proof_panel *from,
                                const ashi_panel *to, ashlar_error *err)
{
    const ashi_panel *f = &from->panel;
    const bool whole = f->memory == ASHI_MEMORY_FILE && to->content == ASHI_CONTENT_ALL;
    const bool own = f->memory == ASHI_MEMORY_CALLER && f->content == ASHI_CONTENT_SHARE &&
                     to->content == ASHI_CONTENT_REST && to->within >= 0;
    const bool piece = f->memory != ASHI_MEMORY_FILE && f->content == ASHI_CONTENT_SHARE &&
                       to->content == ASHI_CONTENT_SHARE && f->words == to->words;
    if (!ashi_proof_same_box(f, to) || f->operand == ASHLAR_C || to->memory != ASHI_MEMORY_POOL ||
        !(whole || own || piece) || (!whole && f->owner != to->owner) || (own && to->owner != p->rank))
        return ashi_proof_fail(p, o, err, "moves one thing and makes another");
    p->report->read += whole ? f->words : 0;
    return ashi_proof_make(p, o, from->arrival, err);
}

static ashlar_status check_move(ashi_proof *p, const ashi_operation *o, ashlar_error *err)
{
    ashi_proof_panel *to = ashi_proof_find(p, o->makes);
    const ashi_proof_panel *from = ashi_proof_read(p, o, 0, err);
    if (!from)
        return ASHLAR_ERR_INTERNAL;
    if (!to)
        return ashi_proof_fail(p, o, err, "makes a panel that is not there");
    if (to->panel.memory == ASHI_MEMORY_FILE)
        return to->panel.operand == ASHLAR_C ? write_tile(p, o, from, to, err)
                                             : write_copy(p, o, from, &to->panel, err);
    if (from->panel.part < 0)
        return to->panel.part >= 0 ? load_tile(p, o, from, to, err)
                                   : move_words(p, o, from, &to->panel, err);
    const ashi_panel target = to->panel;
    if (target.memory != ASHI_MEMORY_POOL || target.part >= 0)
        return ashi_proof_fail(p, o, err, "moves sums to where they cannot be sent from");
    const int64_t arrival = from->arrival;
    const ashlar_status status = ashi_proof_leave(p, o, 0, &target, err);
    return status == ASHLAR_OK ? ashi_proof_make(p, o, arrival, err) : status;
}

/* ---- the walk ---- */

static ashlar_status multiply(ashi_proof *p, const ashi_operation *o, ashlar_error *err)
{
    const ashlar_status status = ashi_proof_add_partial(p, o, ashi_proof_find(p, o->makes), err);
    return status == ASHLAR_OK ? ashi_proof_multiply(p, o, err) : status;
}

static ashlar_status check_kind(ashi_proof *p, const ashi_operation *o, ashlar_error *err)
{
    switch (o->kind) {
    case ASHI_DO_MOVE:
        return check_move(p, o, err);
    case ASHI_DO_SEND:
        return ashi_proof_send(p, o, err);
    case ASHI_DO_RECEIVE:
        return ashi_proof_receive(p, o, err);
    case ASHI_DO_MULTICAST:
        return ashi_proof_multicast(p, o, err);
    case ASHI_DO_REDUCE:
        return ashi_proof_reduce(p, o, err);
    case ASHI_DO_MULTIPLY:
        return multiply(p, o, err);
    case ASHI_DO_ADD:
        return p->program->replicated ? ashi_proof_add_sum(p, o, err) : ashi_proof_add(p, o, err);
    case ASHI_DO_SCALE:
        return ashi_proof_scale(p, o, err);
    default:
        break;
    }
    return ashi_proof_fail(p, o, err, "is none of the operations");
}

/* Whether an operation has words come from another rank or from a file. */
static bool brings(ashi_proof *p, const ashi_operation *o)
{
    const ashi_proof_panel *from = ashi_proof_find(p, o->read[0]);
    return o->kind != ASHI_DO_MOVE || (from && from->panel.memory == ASHI_MEMORY_FILE);
}

static ashlar_status check_operation(void *context, const ashi_operation *o, ashlar_error *err)
{
    ashi_proof *p = context;
    if (o->step != p->step)
        return ashi_proof_fail(p, o, err, "is not of the step in which it is emitted");
    const ashlar_status status = check_kind(p, o, err);
    p->operations++;
    const ashi_proof_panel *made = status == ASHLAR_OK ? ashi_proof_find(p, o->makes) : NULL;
    if (made && made->panel.unread && !p->program->brings_more && brings(p, o))
        return ashi_proof_fail(p, o, err, "brings a panel that nothing reads");
    if (made && made->panel.unread)
        ashi_proof_drop(p, o->makes);
    return status == ASHLAR_OK ? ashi_proof_let_go(p, o, err) : status;
}

static ashlar_status check_panel(void *context, const ashi_panel *panel, ashlar_error *err)
{
    const ashlar_status status = ashi_proof_add_panel(context, panel, err);
    return status == ASHLAR_OK && panel->part >= 0 ? ashi_proof_open_sum(context, panel, err) : status;
}

static ashlar_status check_rank(ashi_proof *p, int64_t rank, ashlar_error *err)
{
    const ashi_program_visitor visitor = {check_panel, check_operation, p};
    ashlar_status status = ASHLAR_OK;
    p->rank = rank;
    p->parts.count = p->begun.count = p->deliveries.count = 0;
    p->begun_words = 0;
    ashi_proof_clear_panels(p);
    for (p->step = 0; p->step < p->program->steps && status == ASHLAR_OK; p->step++) {
        p->operations = 0;
        status = p->program->emit(p->program, rank, p->step, &visitor, err);
    }
    if (status == ASHLAR_OK)
        status = ashi_proof_sums_end(p, err);
    if (status == ASHLAR_OK && p->program->replicated)
        status = ashi_proof_copies_end(p, err);
    return status == ASHLAR_OK ? ashi_proof_all_gone(p, err) : status;
}

/* Boxes of all ranks fill a space. */
static ashlar_status check_filled(ashi_proof *p, const ashi_check_list *boxes, const ashi_cover_box *all,
                                  const char *const what[2], ashlar_error *err)
{
    ashi_cover_finding finding = ASHI_COVER_FILLED;
    ashi_cover_box at;
    char text[ASHLAR_MESSAGE_MAX / 2];
    const ashlar_status status = ashi_cover(boxes->data, boxes->count, all, false, &finding, &at, err);
    if (status != ASHLAR_OK || finding == ASHI_COVER_FILLED)
        return status;
    p->rank = at.rank;
    p->step = at.step;
    snprintf(text, sizeof text, "[%" PRId64 ", %" PRId64 ") x [%" PRId64 ", %" PRId64 ") of C, k [%" PRId64 ", %" PRId64
             "): %s", at.lo[0], at.hi[0], at.lo[1], at.hi[1], at.lo[2], at.hi[2], what[finding == ASHI_COVER_TWICE]);
    return ashi_proof_fail(p, NULL, err, text);
}

/* Of what was written, keep what was not read back. */
static void drop_what_came_back(ashi_check_list *writes)
{
    ashi_cover_box *w = writes->data;
    int64_t kept = 0;
    for (int64_t i = 0; i < writes->count; i++)
        if (w[i].rank >= 0)
            w[kept++] = w[i];
    writes->count = kept;
}

static ashlar_status check_ranks(ashi_proof *p, const ashi_check_progress *progress, ashlar_error *err)
{
    const int64_t ranks = p->program->ranks;
    ashlar_status status = ASHLAR_OK;
    for (int64_t rank = 0; rank < ranks && status == ASHLAR_OK; rank++) {
        status = check_rank(p, rank, err);
        if (status == ASHLAR_OK && progress->after_rank)
            progress->after_rank(progress->context, rank + 1, ranks);
    }
    return status;
}

static ashlar_status check_all(ashi_proof *p, const ashi_check_progress *progress, ashlar_error *err)
{
    static const char *const products[] = {"no rank forms these products", "forms products that another forms too"};
    static const char *const writes[] = {"no rank writes these elements", "writes what another writes too"};
    const ashi_program *q = p->program;
    const bool in_memory = q->source[ASHLAR_C] == ASHI_MEMORY_CALLER;
    ashlar_status status = in_memory ? ashi_proof_places(p, err) : ASHLAR_OK;
    if (status == ASHLAR_OK && in_memory)
        status = ashi_proof_tally_init(p, err);
    if (status == ASHLAR_OK)
        status = check_ranks(p, progress, err);
    p->operations = 0;
    drop_what_came_back(&p->writes);
    const ashi_cover_box all = {.hi = {q->m, q->n, q->k, 1}};
    const ashi_cover_box of_c = {.hi = {q->m, q->n, q->replicated ? q->ranks : 1, 1}};
    if (status == ASHLAR_OK)
        status = check_filled(p, &p->products, &all, products, err);
    if (status == ASHLAR_OK && !in_memory)
        status = check_filled(p, &p->writes, &of_c, writes, err);
    return status == ASHLAR_OK ? ashi_proof_pairing(p, err) : status;
}

static void free_all(ashi_proof *p)
{
    ashi_check_list *const lists[] = {&p->products, &p->writes, &p->messages, &p->place,     &p->panel,
                                      &p->unused,   &p->parts,  &p->begun,    &p->deliveries};
    ashi_proof_clear_panels(p);
    ashi_proof_tally_free(p);
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        free(lists[i]->data);
    free(p->named);
    free(p);
}

ashlar_status ashi_check_program(ashi_program *program, ashi_check_report *report, ashlar_error *err)
{
    return ashi_check_program_telling(program, &(ashi_check_progress){NULL, NULL}, report, err);
}

ashlar_status ashi_check_program_telling(ashi_program *program, const ashi_check_progress *progress,
                                         ashi_check_report *report, ashlar_error *err)
{
    *report = (ashi_check_report){0};
    ashi_proof *p = calloc(1, sizeof *p);
    if (!p)
        return ashi_fail_memory(err, "checker", (int64_t)sizeof *p);
    p->program = program;
    p->report = report;
    p->rank = p->step = -1;
    p->named = calloc((size_t)program->ranks + 1, sizeof *p->named);
    const ashlar_status status =
        p->named ? check_all(p, progress, err) : ashi_fail_memory(err, "checker", program->ranks * 8);
    free_all(p);
    return status;
}
