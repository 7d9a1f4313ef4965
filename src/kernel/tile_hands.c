/* What the threads that form products of tiles have of their own: made once, for all products of a player. */
#include "kernel/tile_hands.h"

#include "base/checked.h"
#include "base/error.h"
#include "kernel/large.h"

#include <stdlib.h>
#include <string.h>

ashlar_status ashi_tile_hands_create(int threads, size_t element, ashi_tile_hands **out, ashlar_error *err)
{
    ashi_tile_hands *h = calloc(1, sizeof *h);
    *out = h;
    if (!h)
        return ashi_fail_memory(err, "a product of tiles", (int64_t)sizeof *h);
    *h = (ashi_tile_hands){.threads = threads, .element = element, .hand = calloc((size_t)threads, sizeof *h->hand)};
    if (h->hand)
        return ASHLAR_OK;
    ashi_tile_hands_free(out);
    return ashi_fail_memory(err, "a product of tiles", threads * (int64_t)sizeof *h->hand);
}

void ashi_tile_hands_need(ashi_tile_hands *hands, const ashi_tile_need *need)
{
    ashi_tile_need *most = &hands->need;
    most->columns = ashi_max(most->columns, need->columns);
    most->stacks = ashi_max(most->stacks, need->stacks);
    most->pack = ashi_max(most->pack, need->pack);
    for (int i = 0; i < 3; i++)
        most->block[i] = ashi_max(most->block[i], need->block[i]);
    for (int i = 0; i < 5; i++)
        most->edges[i] = ashi_max(most->edges[i], need->edges[i]);
}

/* An array of a hand, which may be there already: as long as is needed. What it held is lost. */
static ashlar_status fit(ashi_tile_hands *h, void *array, int64_t *has, int64_t need, size_t size, ashlar_error *err)
{
    void *memory = NULL;
    int64_t bytes = 0;
    if (need <= *has)
        return ASHLAR_OK;
    memcpy(&memory, array, sizeof memory);
    ashi_large_free(memory, (size_t)*has * size);
    h->bytes -= *has * (int64_t)size;
    *has = 0;
    memory = ashi_mul(need, (int64_t)size, &bytes) ? ashi_large_make((size_t)bytes) : NULL;
    memcpy(array, &memory, sizeof memory);
    if (!memory)
        return ashi_fail_memory(err, "a product of tiles", bytes);
    *has = need;
    h->bytes += bytes;
    return ASHLAR_OK;
}

static ashlar_status make_hand(ashi_tile_hands *h, ashi_tile_hand *hand, ashlar_error *err)
{
    const ashi_tile_need *need = &h->need;
    ashi_tile_need *has = &hand->has;
    const int64_t columns = has->columns;
    ashlar_status status = fit(h, &hand->place, &has->columns, need->columns, sizeof *hand->place, err);
    if (columns < has->columns)
        memset(hand->place, -1, (size_t)has->columns * sizeof *hand->place);
    if (status == ASHLAR_OK)
        status = fit(h, &hand->stack, &has->stacks, need->stacks, sizeof *hand->stack, err);
    if (status == ASHLAR_OK)
        status = fit(h, &hand->pack, &has->pack, need->pack, h->element, err);
    for (int i = 0; i < 3 && status == ASHLAR_OK; i++)
        status = fit(h, &hand->block[i], &has->block[i], need->block[i], h->element, err);
    for (int i = 0; i < 5 && status == ASHLAR_OK; i++)
        status = fit(h, &hand->edge[i], &has->edges[i], need->edges[i], sizeof *hand->edge[i], err);
    return status;
}

ashlar_status ashi_tile_hands_make(ashi_tile_hands *hands, ashlar_error *err)
{
    ashlar_status status = ASHLAR_OK;
    for (int i = 0; i < hands->threads && status == ASHLAR_OK; i++)
        status = make_hand(hands, &hands->hand[i], err);
    return status;
}

int64_t ashi_tile_hands_wanted(const ashi_tile_hands *hands)
{
    const ashi_tile_need *need = &hands->need;
    const ashi_tile_hand *hand = hands->hand;
    int64_t elements = need->pack, bytes = 0;
    for (int i = 0; i < 3; i++)
        elements += need->block[i];
    for (int i = 0; i < 5; i++)
        bytes += need->edges[i] * (int64_t)sizeof *hand->edge[i];
    bytes += need->columns * (int64_t)sizeof *hand->place + need->stacks * (int64_t)sizeof *hand->stack;
    return hands->threads * (bytes + elements * (int64_t)hands->element);
}

static void free_hand(const ashi_tile_hands *h, ashi_tile_hand *hand)
{
    const ashi_tile_need *has = &hand->has;
    ashi_large_free(hand->place, (size_t)has->columns * sizeof *hand->place);
    ashi_large_free(hand->stack, (size_t)has->stacks * sizeof *hand->stack);
    ashi_large_free(hand->pack, (size_t)has->pack * h->element);
    for (int i = 0; i < 3; i++)
        ashi_large_free(hand->block[i], (size_t)has->block[i] * h->element);
    for (int i = 0; i < 5; i++)
        ashi_large_free(hand->edge[i], (size_t)has->edges[i] * sizeof *hand->edge[i]);
}

void ashi_tile_hands_free(ashi_tile_hands **hands)
{
    ashi_tile_hands *h = *hands;
    for (int i = 0; h && h->hand && i < h->threads; i++)
        free_hand(h, &h->hand[i]);
    if (h)
        free(h->hand);
    free(h);
    *hands = NULL;
}
