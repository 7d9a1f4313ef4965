/* Walk every rank's schedule and lay its messages on the links of a torus. */
#include "simulate/links.h"

#include "base/checked.h"
#include "base/error.h"
#include "schedule/lower.h"

#include <stdlib.h>

/* The walk of one rank. */
typedef struct loading {
    ashi_schedule *schedule;
    ashi_links *links;
    int64_t rank, hops; /* on the longest way of the step */
    int64_t words;      /* of the message on its way */
    bool overflow;
} loading;

static void load_link(void *context, int64_t link)
{
    loading *l = context;
    l->overflow = l->overflow || !ashi_add(l->links->words[link], l->words, &l->links->words[link]) ||
                  !ashi_add(l->links->words_total, l->words, &l->links->words_total);
}

static ashlar_status load_message(void *context, const ashi_op *op, const ashi_message *message, ashlar_error *err)
{
    loading *l = context;
    (void)op;
    if (!message->send)
        return ASHLAR_OK;
    l->words = message->words;
    const int64_t hops = ashi_torus_route(&l->links->torus, l->rank, message->peer, load_link, l);
    l->links->hops_max = ashi_max(l->links->hops_max, hops);
    l->hops = ashi_max(l->hops, (message->before + 1) * hops);
    return l->overflow ? ashi_fail(err, ASHLAR_ERR_OVERFLOW, "the words of the torus' links are too many to count")
                       : ASHLAR_OK;
}

static ashlar_status load_op(void *context, const ashi_op *op, ashlar_error *err)
{
    loading *l = context;
    return ashi_lower(l->schedule, l->rank, op, load_message, l, err);
}

/* Lay down one rank's messages; its chain grows by the longest way of each step. */
static ashlar_status load_rank(ashi_schedule *schedule, ashi_links *links, int64_t rank, ashlar_error *err)
{
    loading l = {.schedule = schedule, .links = links, .rank = rank};
    int64_t chain = 0;
    ashlar_status status = ASHLAR_OK;
    for (int64_t step = 0; step < schedule->steps && status == ASHLAR_OK; step++) {
        l.hops = 0;
        status = schedule->emit(schedule, rank, step, load_op, &l, err);
        chain += l.hops;
    }
    links->chain_hops_max = ashi_max(links->chain_hops_max, chain);
    return status;
}

static void sum_up(ashi_links *links)
{
    const int64_t numbers = ashi_torus_numbers(&links->torus);
    links->count = ashi_torus_links(&links->torus);
    for (int64_t i = 0; i < numbers; i++) {
        links->words_max = ashi_max(links->words_max, links->words[i]);
        links->used += links->words[i] > 0;
    }
    links->words_mean = links->count > 0 ? (double)links->words_total / (double)links->count : 0;
}

ashlar_status ashi_links_count(ashi_schedule *schedule, const ashi_torus *torus, ashi_links *out, ashlar_error *err)
{
    const int64_t numbers = ashi_torus_numbers(torus);
    *out = (ashi_links){.torus = *torus, .words = calloc((size_t)numbers, sizeof *out->words)};
    if (!out->words)
        return ashi_fail_memory(err, "links", numbers * (int64_t)sizeof *out->words);
    ashlar_status status = ASHLAR_OK;
    for (int64_t rank = 0; rank < schedule->ranks && status == ASHLAR_OK; rank++)
        status = load_rank(schedule, out, rank, err);
    sum_up(out);
    return status;
}

void ashi_links_free(ashi_links *links)
{
    free(links->words);
    *links = (ashi_links){0};
}

double ashi_links_seconds(const ashi_links *links, const ashi_totals *totals, const ashi_pace *pace)
{
    ashi_totals t = *totals;
    t.words_max = t.sent_max = links->words_max;
    t.messages_max = links->chain_hops_max;
    t.words_total = t.messages_total = 0; /* ranks that share cores do not share links */
    return ashi_predict_seconds(&t, pace);
}
