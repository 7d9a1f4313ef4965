/* Lay the messages of all ranks on the links of a torus. */
#include "simulate/links.h"

#include "base/checked.h"
#include "base/error.h"
#include "simulate/messages.h"

#include <stdlib.h>

/* Messages of the rank and the step that are counted now. */
typedef struct loading {
    ashi_links *links;
    int64_t rank, step;
    int64_t hops;  /* on the longest way of the step */
    int64_t chain; /* links of the longest ways of the steps before */
    int64_t words; /* of the message on its way */
    bool overflow;
} loading;

static void load_link(void *context, int64_t link)
{
    loading *l = context;
    l->overflow = l->overflow || !ashi_add(l->links->words[link], l->words, &l->links->words[link]) ||
                  !ashi_add(l->links->words_total, l->words, &l->links->words_total);
}

/* A rank's chain grows by the longest way of each step. */
static void end_step(loading *l, int64_t rank, int64_t step)
{
    l->chain += l->hops;
    l->links->chain_hops_max = ashi_max(l->links->chain_hops_max, l->chain);
    l->chain = rank == l->rank ? l->chain : 0;
    l->hops = 0;
    l->rank = rank;
    l->step = step;
}

static ashlar_status load(void *context, int64_t rank, int64_t step, const ashi_message *message, ashlar_error *err)
{
    loading *l = context;
    if (rank != l->rank || step != l->step)
        end_step(l, rank, step);
    if (!message->send)
        return ASHLAR_OK;
    l->words = message->words;
    const int64_t hops = ashi_torus_route(&l->links->torus, rank, message->peer, load_link, l);
    l->links->hops_max = ashi_max(l->links->hops_max, hops);
    l->hops = ashi_max(l->hops, (message->before + 1) * hops);
    return l->overflow ? ashi_fail(err, ASHLAR_ERR_OVERFLOW, "the words of the torus' links are too many to count")
                       : ASHLAR_OK;
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
    loading l = {.links = out, .rank = -1, .step = -1};
    const ashlar_status status = ashi_messages_visit(schedule, load, &l, err);
    end_step(&l, -1, -1);
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
