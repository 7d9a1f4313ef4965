/* How engines write rounds of moving sums: each rank's sums of a box go to the ranks that own words of it. */
#include "engine/moving_sums.h"

#include "base/checked.h"

void ashi_moving_open(ashi_moving_sums *m, int64_t at, int64_t name, ashi_box box, ashi_home home)
{
    ashi_moving_part *p = &m->part[at];
    *p = (ashi_moving_part){.box = box, .home = home, .last_round = -1, .last_owner = -1};
    ashi_build_sums(m->builder, &box, &home, name, &p->sums);
}

void ashi_moving_begin(ashi_moving_sums *m)
{
    for (int64_t i = 0; i < m->parts; i++)
        ashi_build_begin(m->builder, &m->part[i].sums);
}

/* Ranks begin with the owners after themselves, so that not all send to the same rank at once; but along trees, where
 * two ranks may pass on several sums to each other, all must name them in one order. A rank's own sums are added to its
 * C after the others have left. */
static int64_t turn_of(const ashi_moving_sums *m, int64_t owner)
{
    const int64_t ranks = m->builder->program->ranks, me = m->builder->rank;
    if (owner == me)
        return ranks;
    return m->builder->program->tree ? owner : (owner - me + ranks) % ranks;
}

/* The step in which a rank's sums are read for an owner's words of a round. */
static int64_t step_of(const ashi_moving_sums *m, int64_t owner, int64_t round)
{
    return owner == m->builder->rank ? round + m->lag : round;
}

/* In the last step that reads a part's sums, the last of those that do. */
static ashlar_status find_last_reader(ashi_moving_sums *m, int64_t part)
{
    ashi_moving_part *p = &m->part[part];
    const ashi_view *view = &m->builder->program->view[ASHLAR_C];
    const ashi_pieces *pieces = NULL;
    const ashlar_status status = m->source->pieces(m->own, part, &pieces, m->builder->err);
    int64_t last_step = -1;
    for (int64_t i = 0; status == ASHLAR_OK && i < pieces->count; i++) {
        const int64_t owner = pieces->piece[i].owner;
        const int64_t round = ashi_view_chunks(view, owner, &p->box, m->rounds) - 1, step = step_of(m, owner, round);
        if (round < 0 || (owner == m->builder->rank && p->sums.kept))
            continue;
        if (step > last_step || (step == last_step && turn_of(m, owner) > turn_of(m, p->last_owner))) {
            last_step = step;
            p->last_round = round;
            p->last_owner = owner;
        }
    }
    return status;
}

static bool is_last(const ashi_moving_part *p, int64_t owner, ashi_chunk chunk)
{
    return owner == p->last_owner && chunk.number == p->last_round;
}

static ashi_operation group_of(int64_t owner, ashi_chunk chunk)
{
    ashi_operation group = ashi_operation_blank(ASHI_DO_REDUCE);
    group.operand = ASHLAR_C;
    group.owner = owner;
    group.chunk = chunk;
    return group;
}

static void contribute(ashi_moving_sums *m, int64_t part, int64_t owner, ashi_chunk chunk)
{
    const ashi_moving_part *p = &m->part[part];
    const ashi_view *view = &m->builder->program->view[ASHLAR_C];
    ashi_operation group = group_of(owner, chunk);
    int64_t offset;
    group.words = ashi_view_chunk_words(view, owner, &p->box, chunk);
    if (group.words == 0)
        return;
    m->source->name(m->own, part, owner, &group);
    ashi_build_contribution(m->builder, &group, &p->sums,
                            !ashi_home_is_packed(&p->home, view, owner, &p->box, chunk, &offset),
                            is_last(p, owner, chunk));
}

/* To owners lo .. hi-1. */
static ashlar_status contribute_to(ashi_moving_sums *m, int64_t lo, int64_t hi, ashi_chunk chunk)
{
    ashlar_status status = ASHLAR_OK;
    for (int64_t part = 0; part < m->parts && status == ASHLAR_OK; part++) {
        const ashi_pieces *pieces = NULL;
        status = m->source->pieces(m->own, part, &pieces, m->builder->err);
        for (int64_t i = 0; status == ASHLAR_OK && i < pieces->count; i++)
            if (pieces->piece[i].owner >= lo && pieces->piece[i].owner < hi)
                contribute(m, part, pieces->piece[i].owner, chunk);
    }
    return status;
}

/* The next group that has words of this rank's C in a round. */
static bool next_owned(const ashi_moving_sums *m, int64_t *at, ashi_chunk chunk, ashi_operation *group, int64_t *part)
{
    const int64_t me = m->builder->rank;
    *group = group_of(me, chunk);
    while (m->source->next(m->own, at, group, part)) {
        group->words = ashi_view_chunk_words(&m->builder->program->view[ASHLAR_C], me, &group->box, chunk);
        if (group->words > 0)
            return true;
    }
    return false;
}

static void receive_sums(ashi_moving_sums *m, ashi_chunk chunk)
{
    ashi_operation group;
    int64_t part;
    for (int64_t at = 0; next_owned(m, &at, chunk, &group, &part);)
        ashi_build_arrivals(m->builder, &group);
}

static void add(ashi_moving_sums *m, ashi_operation *group, int64_t arrived, int64_t part)
{
    const ashi_moving_part *p = part >= 0 ? &m->part[part] : NULL;
    ashi_build_add(m->builder, group, arrived, p ? &p->sums : NULL, m->begins,
                   p && is_last(p, m->builder->rank, group->chunk));
}

/* Both in one pass, which counts the same if they are in one step. */
static void receive_and_add(ashi_moving_sums *m, ashi_chunk chunk)
{
    ashi_operation group;
    int64_t part;
    for (int64_t at = 0; next_owned(m, &at, chunk, &group, &part);)
        add(m, &group, ashi_build_arrivals(m->builder, &group), part);
}

/* What arrived is in panels that were numbered one after the other. */
static void add_sums(ashi_moving_sums *m, int64_t round)
{
    const ashi_chunk chunk = {round, m->rounds};
    int64_t arrived = m->arrived[round % 2];
    ashi_operation group;
    int64_t part;
    for (int64_t at = 0; next_owned(m, &at, chunk, &group, &part);) {
        const bool others = ashi_program_contributions(m->builder->program, m->builder->rank, &group) > 0;
        add(m, &group, others ? arrived++ : ASHI_NO_PANEL, part);
    }
}

/* Whether what arrives is added up in the pass that finds it: if that is only counted. */
static bool adds_at_once(const ashi_moving_sums *m)
{
    return m->together && m->lag == 0;
}

static ashlar_status send_sums(ashi_moving_sums *m, int64_t round)
{
    const ashi_program *q = m->builder->program;
    const ashi_chunk chunk = {round, m->rounds};
    const int64_t me = m->builder->rank;
    ashlar_status status = ASHLAR_OK;
    for (int64_t i = 0; i < m->parts && round == 0 && !m->together && status == ASHLAR_OK; i++)
        status = find_last_reader(m, i); /* who only counts needs no last reader of what is there to the end */
    if (q->tree && !m->together && status == ASHLAR_OK)
        status = contribute_to(m, 0, me, chunk);
    m->arrived[round % 2] = m->builder->panels;
    if (m->together && status == ASHLAR_OK)
        status = m->source->together(m->own, chunk);
    if (status == ASHLAR_OK && adds_at_once(m))
        receive_and_add(m, chunk);
    else if (status == ASHLAR_OK)
        receive_sums(m, chunk);
    if (!m->together && status == ASHLAR_OK)
        status = contribute_to(m, me + 1, q->ranks, chunk);
    if (!q->tree && !m->together && status == ASHLAR_OK)
        status = contribute_to(m, 0, me, chunk);
    return status;
}

ashlar_status ashi_moving_step(ashi_moving_sums *m, int64_t step)
{
    const ashlar_status status = step < m->rounds ? send_sums(m, step) : ASHLAR_OK;
    if (status == ASHLAR_OK && step >= m->lag && !adds_at_once(m))
        add_sums(m, step - m->lag);
    return status;
}
