/* Products on a device: what is made once, and what each product does before, after, and if the device fails. */
#include "exec/onto_device.h"

#include "base/checked.h"
#include "base/error.h"
#include "base/type.h"
#include "exec/onto_run.h"
#include "kernel/narrow.h"
#include "search/onto_device.h"

#include <stdlib.h>

/* STAGING_BYTES: a copy that long takes far longer than a call. LONGEST_WORD: bytes. */
enum { STAGING_BYTES = 1 << 20, LONGEST_WORD = 16, TAGS = 1 << 15 };

int64_t ashi_onto_staging_bytes(int64_t memory)
{
    return ashi_max(ashi_min(STAGING_BYTES, memory / 2), ASHI_ONTO_STAGES * LONGEST_WORD);
}

/* ---- one product ---- */

void ashi_onto_stop(ashi_onto *onto)
{
    ashlar_error ignored;
    onto->calls->finish(onto->request.device, &ignored);
    for (int i = 0; i < ASHI_ONTO_STAGES; i++)
        onto->stage[i].under_way = false;
}

static ashlar_status play(ashi_onto_run *run, ashlar_error *err)
{
    ashi_program program;
    ashi_passes *passes = NULL;
    ashlar_status status = ashi_nest_program(&run->nest, &program, err);
    if (status != ASHLAR_OK)
        return status;
    const ashi_passes_request request = {.program = &program, .look_ahead = 0, .tags = TAGS};
    status = ashi_passes_create(&request, &passes, err);
    if (status == ASHLAR_OK)
        status = ashi_onto_run_program(run, passes, program.steps, err);
    ashi_onto_stop(run->onto);
    if (status == ASHLAR_OK)
        ashi_onto_watch_events(run);
    free(run->watch.at);
    ashi_passes_free(&passes);
    ashi_program_free(&program);
    free(run->panel);
    free(run->task);
    free(run->before);
    return status;
}

void ashi_onto_orders(const ashi_onto_product *p, bool minor[3])
{
    for (int x = 0; x < 3; x++)
        minor[x] = ashi_onto_matrix(p, (ashlar_operand)x).minor_stride == 1;
    if (p->conjugate_a)
        minor[ASHLAR_A] = false; /* A's major stride is 1; of a line both are */
}

ashlar_status ashi_onto_plan(const ashi_onto *onto, const ashi_onto_product *p, ashi_nest *out, ashlar_error *err)
{
    const ashi_device_facts facts = onto->calls->facts(onto->request.device);
    ashi_onto_problem problem = {.size = {p->m, p->n, p->k}, .type = onto->request.type,
                                 .adds = !onto->kernels->is_zero(p->beta),
                                 .memory_words = onto->request.memory_words - onto->area, .rate = facts.in,
                                 .out = facts.out, .flops = facts.flops, .delay = facts.delay};
    ashi_onto_orders(p, problem.minor);
    return ashi_onto_choose(&problem, out, err);
}

ashlar_status ashi_onto_allocate(ashi_onto *onto, int64_t words, ashlar_error *err)
{
    if (words <= onto->pool_words)
        return ASHLAR_OK;
    onto->calls->release(onto->request.device, onto->pool);
    onto->pool = NULL;
    onto->pool_words = 0;
    const ashlar_status status = onto->calls->allocate(onto->request.device, words * onto->word, &onto->pool, err);
    onto->pool_words = status == ASHLAR_OK ? words : 0;
    return status;
}

ashlar_status ashi_onto_reserve(ashi_onto *onto, int64_t words, ashlar_error *err)
{
    if (onto->tally.failure.status != ASHLAR_OK)
        return ASHLAR_OK;
    onto->tally.held = ashi_max(onto->tally.held, onto->area + words);
    return ashi_onto_allocate(onto, words, err);
}

ashlar_status ashi_onto_multiply_as(ashi_onto *onto, const ashi_onto_product *p, const ashi_nest *nest,
                                    ashlar_error *err)
{
    ashi_onto_run run = {.onto = onto, .product = p, .nest = *nest, .frontier = {.item = -1}};
    ashlar_error *failure = &onto->tally.failure;
    ashlar_error why = {0};
    ashlar_status status = ashi_onto_reserve(onto, ashi_nest_memory(nest), &why);
    if (status == ASHLAR_OK && failure->status == ASHLAR_OK)
        status = play(&run, &why);
    else if (status != ASHLAR_OK && status != ASHLAR_ERR_DEVICE)
        return ashi_fail(err, status, "%s", why.text);
    if (status == ASHLAR_ERR_INTERRUPTED)
        return ashi_fail(err, status, "%s", why.text);
    if (status != ASHLAR_OK)
        *failure = why;
    if (failure->status != ASHLAR_OK)
        ashi_onto_finish_on_host(&run);
    return ASHLAR_OK;
}

ashlar_status ashi_onto_multiply(ashi_onto *onto, const ashi_onto_product *p, ashlar_error *err)
{
    ashi_nest nest;
    const ashlar_status status = ashi_onto_plan(onto, p, &nest, err);
    return status == ASHLAR_OK ? ashi_onto_multiply_as(onto, p, &nest, err) : status;
}

const ashi_onto_tally *ashi_onto_total(const ashi_onto *onto)
{
    return &onto->tally;
}

/* ---- before and after ---- */

static ashlar_status make(ashi_onto *onto, ashlar_error *err)
{
    ashi_device *device = onto->request.device;
    const bool narrow = ashi_is_narrow(onto->request.type);
    if (narrow && !(onto->floats = malloc(ASHI_NARROW_FLOATS * sizeof *onto->floats)))
        return ashi_fail_memory(err, "device", ASHI_NARROW_FLOATS * (int64_t)sizeof *onto->floats);
    const int64_t bytes = onto->stage_words * onto->word;
    ashlar_status status = ASHLAR_OK;
    onto->stages = onto->request.stages;
    if (!onto->stages)
        status = onto->calls->host_allocate(device, ASHI_ONTO_STAGES * bytes, &onto->stages, err);
    for (int i = 0; i < ASHI_ONTO_STAGES && status == ASHLAR_OK; i++) {
        onto->stage[i].data = (char *)onto->stages + i * bytes;
        status = onto->calls->event_create(device, &onto->stage[i].event, err);
    }
    for (int i = 0; i < 2 * ASHI_DEVICE_QUEUES && status == ASHLAR_OK; i++)
        status = onto->calls->event_create(device, &onto->end[i % 2][i / 2], err);
    return status;
}

ashlar_status ashi_onto_create(const ashi_onto_request *q, ashi_onto **out, ashlar_error *err)
{
    ashi_onto_problem least = {.size = {1, 1, 1}, .type = q->type, .memory_words = q->memory_words};
    ashi_nest nest;
    *out = NULL;
    ashlar_status status = ashi_onto_choose(&least, &nest, err);
    if (status != ASHLAR_OK)
        return status;
    ashi_onto *onto = calloc(1, sizeof *onto);
    if (!onto)
        return ashi_fail_memory(err, "device", (int64_t)sizeof *onto);
    onto->request = *q;
    onto->calls = q->device->kind;
    onto->kernels = ashi_kernels_of(q->type);
    for (int x = 0; x < 3; x++)
        onto->bytes[x] = (int64_t)ashi_type_bytes(q->type, (ashlar_operand)x);
    onto->word = (int64_t)ashi_type_word(q->type);
    onto->pool = q->pool;
    onto->pool_words = q->pool ? q->memory_words : 0;
    const int64_t words = q->staging_words > 0 ? q->staging_words
                                               : ashi_onto_staging_bytes(q->memory_words * onto->word) / onto->word;
    onto->stage_words = ashi_max(words / ASHI_ONTO_STAGES, 1);
    status = make(onto, err);
    if (status == ASHLAR_OK)
        *out = onto;
    else
        ashi_onto_free(&onto);
    return status;
}

void ashi_onto_free(ashi_onto **at)
{
    ashi_onto *onto = *at;
    if (!onto)
        return;
    ashi_device *device = onto->request.device;
    if (!onto->request.pool)
        onto->calls->release(device, onto->pool);
    if (!onto->request.stages)
        onto->calls->host_release(device, onto->stages);
    for (int i = 0; i < ASHI_ONTO_STAGES; i++)
        onto->calls->event_free(device, onto->stage[i].event);
    for (int i = 0; i < 2 * ASHI_DEVICE_QUEUES; i++)
        onto->calls->event_free(device, onto->end[i % 2][i / 2]);
    for (int set = 0; set < 2; set++) {
        for (int64_t i = 0; i < onto->events[set]; i++)
            onto->calls->event_free(device, onto->event[set][i]);
        free(onto->event[set]);
    }
    free(onto->floats);
    free(onto);
    *at = NULL;
}
