/* Panels handed on, and several parts a rank: Cannon's algorithm on MPI by a schedule made here. */
#define PROGRAM "handing"

#include "mpi/executing.h"
#include "mpi/handing_sums.h"

/* One rank's piece of a block, to the rank that has the block. `beside`: how far each rank's room
 * beside its cells is used. */
static ashlar_status fetch_piece(const emission *e, int x, int64_t v, int64_t t, const ashi_box *box,
                                 const ashi_piece *p, bool speak, int64_t *beside)
{
    const cannon *c = e->c;
    const int64_t words = c->cell_words[x], panel = c->cell[x][t][v] * words, to = c->rank_of[v];
    ashi_block block;
    ashi_op op = {.operand = (ashlar_operand)x, .words = p->words, .box = *box, .chunk = ashi_whole};
    if (p->owner == to) {
        op.kind = ASHI_COPY;
        op.offset = panel;
        return speak && to == e->rank && !lies_in_own(e->s, x, v, t) ? emit(e, &op) : ASHLAR_OK;
    }
    const int64_t stage = c->cells[x][to] * words + beside[to], pack = c->cells[x][p->owner] * words + beside[p->owner];
    beside[to] += p->lands ? 0 : p->words;
    beside[p->owner] += p->words;
    if (!speak || (to != e->rank && p->owner != e->rank))
        return ASHLAR_OK;
    op.kind = ASHI_MULTICAST;
    op.owner = p->owner;
    op.member = &c->rank_of[v];
    op.members = 1;
    op.owner_at = -1;
    op.rank_at = to == e->rank ? 0 : -1;
    op.number = v;
    op.panel = panel;
    op.lands = p->lands;
    op.offset = p->lands ? panel + (p->at - box->major_lo) * (box->minor_hi - box->minor_lo) : stage;
    op.pack_offset = pack;
    if (p->owner == e->rank && ashi_view_is_packed(&e->s->view[x], e->rank, box, ashi_whole, &block))
        op.pack_offset = -1;
    return emit(e, &op);
}

static ashlar_status fetch(const emission *e, int x, int64_t t, bool speak, int64_t *beside)
{
    ashlar_status status = ASHLAR_OK;
    for (int64_t v = 0; v < e->c->virtuals && status == ASHLAR_OK; v++) {
        if (rests(e->c, v, t))
            continue;
        const ashi_box box = box_of(e->c, x, v, t);
        status = ashi_view_pieces(&e->s->view[x], &box, &e->c->pieces, e->err);
        for (int64_t i = 0; i < e->c->pieces.count && status == ASHLAR_OK; i++)
            status = fetch_piece(e, x, v, t, &box, &e->c->pieces.piece[i], speak, beside);
    }
    return status;
}

static ashlar_status acquire_panels(const emission *e)
{
    ashlar_status status = ASHLAR_OK;
    for (int x = 0; x < 2 && status == ASHLAR_OK; x++) {
        int64_t most = 0;
        for (int64_t t = 0; t < e->s->rounds && status == ASHLAR_OK; t += e->c->rounds) {
            int64_t beside[RANDOM_RANKS_MAX] = {0};
            status = fetch(e, x, t, false, beside);
            most = ashi_max(most, beside[e->rank]);
        }
        if (status == ASHLAR_OK)
            status = plain(e, ASHI_ACQUIRE, (ashlar_operand)x, 0,
                           e->c->cells[x][e->rank] * e->c->cell_words[x] + most);
    }
    return status;
}

static ashlar_status hand_on(const emission *e, int x, int64_t t)
{
    const cannon *c = e->c;
    ashlar_status status = ASHLAR_OK;
    for (int64_t v = 0; v < c->virtuals && status == ASHLAR_OK; v++) {
        const int64_t source = source_of(c, x, v), from = c->rank_of[source], to = c->rank_of[v];
        if (rests(c, v, t) || from == to || (from != e->rank && to != e->rank))
            continue;
        const ashi_box box = box_of(c, x, v, t);
        ashi_op op = {.kind = ASHI_RECEIVE, .operand = (ashlar_operand)x, .words = ashi_box_words(&box), .box = box,
                      .chunk = ashi_whole, .peer = from, .offset = c->cell[x][t][v] * c->cell_words[x], .number = v,
                      .pack_offset = -1};
        if (from == e->rank) {
            op.kind = ASHI_SEND;
            op.peer = to;
            op.peer_offset = op.offset;
            op.own = lies_in_own(e->s, x, source, t - 1);
            op.offset = c->cell[x][t - 1][source] * c->cell_words[x];
        }
        status = emit(e, &op);
    }
    return status;
}

static ashlar_status post(const emission *e, int64_t t)
{
    ashlar_status status = ASHLAR_OK;
    for (int x = 0; x < 2 && status == ASHLAR_OK && t < e->s->rounds; x++) {
        int64_t beside[RANDOM_RANKS_MAX] = {0};
        status = fetches(e->c, t) ? fetch(e, x, t, true, beside) : hand_on(e, x, t);
    }
    return status;
}

static ashlar_status begin(const emission *e)
{
    const int64_t words = ashi_schedule_sum_words(e->s, e->rank);
    ashlar_status status = plain(e, ASHI_ACQUIRE, ASHLAR_C, ASHI_NO_SLOT, words);
    if (status == ASHLAR_OK)
        status = plain(e, ASHI_PHASE, ASHLAR_C, 0, 0);
    if (status == ASHLAR_OK)
        status = acquire_panels(e);
    return status == ASHLAR_OK ? post(e, 0) : status;
}

static ashlar_status multiply(const emission *e, int64_t t)
{
    const cannon *c = e->c;
    ashlar_status status = ASHLAR_OK;
    for (int64_t v = 0; v < c->virtuals && status == ASHLAR_OK; v++) {
        if (c->rank_of[v] != e->rank || rests(c, v, t))
            continue;
        const int64_t *k = &c->cut[2][k_of(c, v, t)];
        ashi_op op = {.kind = ASHI_MULTIPLY, .box = sum_box(c, v), .k_lo = k[0], .k_hi = k[1],
                      .part = part_of_virtual(c, v)};
        for (int x = 0; x < 2; x++) {
            op.whole[x] = !lies_in_own(e->s, x, v, t);
            op.at[x] = c->cell[x][t][v] * c->cell_words[x];
        }
        status = emit(e, &op);
    }
    return status;
}

static ashlar_status round_step(const emission *e, int64_t t)
{
    ashlar_status status = plain(e, ASHI_ARRIVE, ASHLAR_A, 0, 0);
    if (status == ASHLAR_OK)
        status = plain(e, ASHI_SENT, ASHLAR_A, 0, 0);
    if (status == ASHLAR_OK)
        status = post(e, t + 1);
    if (status == ASHLAR_OK)
        status = multiply(e, t);
    return status == ASHLAR_OK && t == e->s->rounds - 1 ? plain(e, ASHI_RELEASE, ASHLAR_A, 0, 0) : status;
}

static ashlar_status emit_step(ashi_schedule *s, int64_t rank, int64_t step, ashi_visit visit, void *context,
                               ashlar_error *err)
{
    const emission e = {s, s->own, rank, visit, context, err};
    if (step == 0)
        return begin(&e);
    if (step <= s->rounds)
        return round_step(&e, step - 1);
    if (step > s->rounds + 1)
        return sum_step(&e, step - s->rounds - 2);
    ashlar_status status = plain(&e, ASHI_PHASE, ASHLAR_C, 0, 0);
    for (int64_t r = 0; r < s->window - 1 && status == ASHLAR_OK; r++)
        status = post_sums(&e, r);
    return status;
}

static bool random_schedule(uint64_t *state, execution *p, const rig *r, ashlar_error *err)
{
    const product *q = &p->product;
    const ashlar_layout *const layout[3] = {p->layout[0], p->layout[1], p->layout[2]};
    const ashi_lead lead = {.operand = (ashlar_operand)ashi_random_in(state, 0, 2),
                            .alone = ashi_random_in(state, 0, 1)};
    const bool one_sided = ashi_random_in(state, 0, 1);
    cannon *c = random_cannon(state, q->size, r->ranks, one_sided);
    if (!c)
        return false;
    ashi_schedule *s = &p->schedule;
    *s = (ashi_schedule){.strategy = "test", .m = q->size[0], .n = q->size[1], .k = q->size[2], .ranks = r->ranks,
                         .rounds = c->rounds * c->slabs, .reduce_rounds = ashi_random_in(state, 1, 4),
                         .window = (int)ashi_random_in(state, 1, 4), .one_sided = one_sided,
                         .pooled = true, .own = c, .emit = emit_step, .parts = cannon_parts, .domain = cannon_domain,
                         .home = cannon_home, .free_own = free_cannon};
    s->tree = !s->one_sided && ashi_random_in(state, 0, 1);
    s->steps = s->rounds + s->reduce_rounds + 2;
    return ashi_grid_axes(layout, q->op, q->size, lead, c->axis, err) == ASHLAR_OK &&
           ashi_grid_views(layout, q->op, c->axis, r->ranks, s->view, err) == ASHLAR_OK;
}

int main(int argc, char **argv)
{
    return try_executions(argc, argv, 24, random_schedule);
}
