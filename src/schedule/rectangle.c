/* Shares of a multicast along spanning trees of a sub-torus. */
#include "schedule/rectangle.h"

#include "base/checked.h"

/* Which dimensions vary among the members; the product of their lengths. */
static int64_t find_sides(const ashi_torus *torus, const ashi_operation *op, ashi_rectangle *out)
{
    int64_t nodes = 1;
    bool varies[ASHI_TORUS_MOST] = {false};
    for (int64_t i = 0; i < op->members; i++) {
        int64_t at[ASHI_TORUS_MOST];
        ashi_torus_at(torus, op->member[i], at);
        for (int d = 0; d < torus->dims; d++)
            varies[d] = varies[d] || at[d] != out->owner[d];
    }
    for (int d = 0; d < torus->dims; d++)
        if (varies[d]) {
            out->dim[out->dims++] = d;
            nodes *= torus->length[d];
        }
    return nodes;
}

/* The members are distinct and agree in what does not vary: if they are as many as the sub-torus has nodes, they are
 * its nodes. */
bool ashi_rectangle_find(const ashi_torus *torus, const ashi_operation *op, ashi_rectangle *out)
{
    if (torus->dims == 0)
        return false;
    *out = (ashi_rectangle){.torus = torus, .op = op};
    ashi_torus_at(torus, op->owner, out->owner);
    if (find_sides(torus, op, out) != op->members + (op->owner_at < 0) || out->dims == 0)
        return false;
    for (int i = 0; i < out->dims; i++)
        for (int down = 0; down < (torus->length[out->dim[i]] > 2 ? 2 : 1); down++) {
            out->tree[out->shares].first = i;
            out->tree[out->shares++].down = down;
        }
    return true;
}

/* One rank's place in one tree. */
typedef struct place {
    const ashi_rectangle *r;
    const int64_t *at;
    int64_t rank;
    int share;
} place;

/* The dimension at a position in the order of the tree. */
static int dim_at(const place *p, int position)
{
    return p->r->dim[(p->r->tree[p->share].first + position) % p->r->dims];
}

/* Links between the owner and the rank along a dimension, in the tree's direction. */
static int64_t steps(const place *p, int dim)
{
    const int64_t length = p->r->torus->length[dim], away = p->at[dim] - p->r->owner[dim];
    return ((p->r->tree[p->share].down ? -away : away) + length) % length;
}

/* The last position at which the rank is away from the owner, -1 for the owner itself. */
static int last_position(const place *p)
{
    int position = p->r->dims - 1;
    while (position >= 0 && steps(p, dim_at(p, position)) == 0)
        position--;
    return position;
}

/* The next node along a dimension in the tree's direction, or against it. */
static int64_t neighbour(const place *p, int dim, bool against)
{
    int64_t at[ASHI_TORUS_MOST];
    const int64_t length = p->r->torus->length[dim];
    const bool down = p->r->tree[p->share].down != against;
    for (int d = 0; d < p->r->torus->dims; d++)
        at[d] = p->at[d];
    at[dim] = (at[dim] + (down ? length - 1 : 1)) % length;
    return ashi_torus_node(p->r->torus, at);
}

/* How many messages bring a share from the owner to the rank. */
static int64_t depth(const place *p)
{
    int64_t n = 0;
    for (int i = 0; i < p->r->dims; i++)
        n += steps(p, p->r->dim[i]);
    return n;
}

static ashi_message message_of(const place *p, bool send, int64_t peer)
{
    const ashi_operation *op = p->r->op;
    return (ashi_message){.send = send, .peer = peer, .ready = !send || op->owner == p->rank,
                          .before = send ? depth(p) : 0, .share = p->share,
                          .words = ashi_cut_size(op->words, p->r->shares, p->share),
                          .offset = ashi_cut(op->words, p->r->shares, p->share)};
}

static ashlar_status tell_sends(const place *p, ashi_message_visit visit, void *context, ashlar_error *err)
{
    ashlar_status status = ASHLAR_OK;
    for (int i = (int)ashi_max(last_position(p), 0); i < p->r->dims && status == ASHLAR_OK; i++) {
        const int dim = dim_at(p, i);
        const ashi_message message = message_of(p, true, neighbour(p, dim, false));
        if (steps(p, dim) + 1 < p->r->torus->length[dim])
            status = visit(context, p->r->op, &message, err);
    }
    return status;
}

ashlar_status ashi_rectangle_lower(const ashi_rectangle *r, int64_t rank, ashi_message_visit visit, void *context,
                                   ashlar_error *err)
{
    int64_t at[ASHI_TORUS_MOST];
    place p = {r, at, rank, 0};
    const int shares = (int)ashi_min(r->shares, r->op->words);
    ashlar_status status = ASHLAR_OK;
    ashi_torus_at(r->torus, rank, at);
    for (p.share = 0; p.share < shares && rank != r->op->owner && status == ASHLAR_OK; p.share++) {
        const ashi_message message = message_of(&p, false, neighbour(&p, dim_at(&p, last_position(&p)), true));
        status = visit(context, r->op, &message, err);
    }
    for (p.share = 0; p.share < shares && status == ASHLAR_OK; p.share++)
        status = tell_sends(&p, visit, context, err);
    return status;
}
