/* A C of which every rank has all: each partial sum goes once into a total, and each total once into each rank's C. */
#include "check/proof.h"

ashlar_status ashi_proof_add_partial(ashi_proof *p, const ashi_operation *o, ashi_proof_panel *sum, ashlar_error *err)
{
    if (!p->program->replicated || !sum)
        return ASHLAR_OK;
    if (sum->sum == ASHI_PROOF_TOTAL || sum->told > 0)
        return ashi_proof_fail(p, o, err, "adds partial sums to a total");
    sum->sum = ASHI_PROOF_PARTIAL;
    return ASHLAR_OK;
}

ashi_proof_sum ashi_proof_sum_of(const ashi_proof *p, const ashi_proof_panel *sum)
{
    return sum->sum == ASHI_PROOF_PARTIAL && sum->told == p->program->ranks - 1 ? ASHI_PROOF_TOTAL : sum->sum;
}

ashlar_status ashi_proof_send_sum(ashi_proof *p, const ashi_operation *o, ashi_proof_panel *e, ashlar_error *err)
{
    const int64_t ranks = p->program->ranks;
    if (e->sum == ASHI_PROOF_TOTAL)
        return ashi_proof_fail(p, o, err, "sends what it has for its own C");
    if (o->owner == o->peer) { /* partial sums: C0 would come into the total once from each rank */
        if (o->last[0] && !e->loaded && !o->begins && e->told == 0)
            return ASHLAR_OK;
        return ashi_proof_fail(p, o, err, "sends partial sums that have C0, or that it reads again");
    }
    if (o->owner != p->rank || o->last[0] || o->begins != e->loaded || o->peer != (p->rank + 1 + e->told) % ranks)
        return ashi_proof_fail(p, o, err, "does not send a total to each other rank in turn");
    e->told++;
    return ASHLAR_OK;
}

ashlar_status ashi_proof_receive_sum(ashi_proof *p, const ashi_operation *o, ashi_proof_panel *e, ashlar_error *err)
{
    if (!p->program->replicated || e->panel.part >= 0 || (o->owner != p->rank && o->owner != o->peer) ||
        (o->owner == p->rank && o->begins))
        return ashi_proof_fail(p, o, err, "receives sums that are neither partial ones nor a total");
    e->sum = o->owner == p->rank ? ASHI_PROOF_PARTIAL : ASHI_PROOF_TOTAL;
    e->loaded = o->begins;
    return ASHLAR_OK;
}

ashlar_status ashi_proof_add_sum(ashi_proof *p, const ashi_operation *o, ashlar_error *err)
{
    ashi_proof_panel *to = ashi_proof_find(p, o->makes);
    const ashi_proof_panel *from = ashi_proof_read(p, o, 0, err);
    if (!from)
        return ASHLAR_ERR_INTERNAL;
    if (!to || to->panel.part < 0 || to->panel.memory != ASHI_MEMORY_POOL || from->panel.operand != ASHLAR_C ||
        from->panel.memory != ASHI_MEMORY_POOL || !ashi_proof_same_box(&from->panel, &to->panel) || !o->last[0] ||
        o->read[0] == o->makes || o->read[1] >= 0)
        return ashi_proof_fail(p, o, err, "adds something else than sums of the same box, or not for the last time");
    ashlar_status status = ASHLAR_OK;
    if (ashi_proof_sum_of(p, from) == ASHI_PROOF_PARTIAL) {
        if (from->panel.part >= 0 || from->loaded)
            return ashi_proof_fail(p, o, err, "adds partial sums that no rank has sent, or that have C0");
        status = ashi_proof_add_partial(p, o, to, err);
    } else if (ashi_proof_sum_of(p, from) != ASHI_PROOF_TOTAL || from->loaded || to->sum == ASHI_PROOF_PARTIAL) {
        return ashi_proof_fail(p, o, err, "adds a total that has C0, or adds it to partial sums");
    } else {
        to->sum = ASHI_PROOF_TOTAL;
    }
    to->arrival = to->arrival > from->arrival ? to->arrival : from->arrival;
    return status == ASHLAR_OK ? ashi_proof_update(p, o, to, err) : status;
}

ashlar_status ashi_proof_copies_end(ashi_proof *p, ashlar_error *err)
{
    const ashi_proof_panel *e = p->panel.data;
    for (int64_t i = 0; i < p->panel.count; i++) {
        const bool final = e[i].live && e[i].whole && e[i].panel.operand == ASHLAR_C &&
                           e[i].panel.memory == ASHI_MEMORY_FILE && !e[i].panel.given;
        if (final && (e[i].sum != ASHI_PROOF_TOTAL || e[i].loaded != p->program->adds))
            return ashi_proof_fail(p, NULL, err, "partial sums stay in C's file, or C0 is not added to it once");
    }
    return ASHLAR_OK;
}
