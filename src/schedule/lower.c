/* Operations to messages. Group operations go straight between owner and members, or along a binomial tree of them.
 *
 * The tree's places are the owner, then the members in their order, beginning after the owner's own place among them so
 * that different owners of one fibre have different trees. Place v hangs on v with its lowest set bit cleared. A
 * multicast on a sub-torus has trees of its own instead (schedule/rectangle.h). */
#include "schedule/lower.h"

#include "base/checked.h"
#include "schedule/rectangle.h"

/* Members that are not the owner. */
static int64_t others_of(const ashi_operation *g)
{
    return g->members - (g->owner_at >= 0);
}

/* Where the walk over the other members begins: spreads the load where the owner is no member. */
static int64_t origin(const ashi_operation *g)
{
    return g->owner_at >= 0 ? g->owner_at + 1 : g->owner % g->members;
}

/* The rank at place 1 .. others. */
static int64_t rank_at(const ashi_operation *g, int64_t place)
{
    return g->member[(origin(g) + place - 1) % g->members];
}

/* The place of the rank that walks: 0 for the owner, -1 for a stranger. */
static int64_t place_of(const ashi_operation *g, int64_t rank)
{
    if (rank == g->owner)
        return 0;
    if (g->rank_at < 0)
        return -1;
    return (g->rank_at - origin(g) + 2 * g->members) % g->members + 1;
}

/* How many of the members' own order come before a place: the fixed order in which contributions are added. */
static int64_t order_of(const ashi_operation *g, int64_t place)
{
    const int64_t index = (origin(g) + place - 1) % g->members;
    return index - (g->owner_at >= 0 && g->owner_at < index);
}

bool ashi_lower_along_tree(const ashi_program *program, bool multicast)
{
    return program->tree && (multicast || !program->one_sided);
}

bool ashi_lower_together(const ashi_program *program, bool multicast)
{
    return program->brief && !ashi_lower_along_tree(program, multicast) && (!multicast || program->torus.dims == 0);
}

typedef struct visitor {
    const ashi_operation *op;
    ashi_message_visit visit;
    void *context;
    ashlar_error *err;
} visitor;

static ashlar_status tell(const visitor *v, bool send, int64_t peer, int64_t before, int64_t place)
{
    const ashi_message message = {.send = send, .peer = peer, .ready = before == 0, .before = before, .place = place,
                                  .words = v->op->words};
    return v->visit(v->context, v->op, &message, v->err);
}

/* The owner has a message with each other member, in either direction. */
static ashlar_status direct(const ashi_operation *g, int64_t place, const visitor *v)
{
    const bool multicast = v->op->kind == ASHI_DO_MULTICAST;
    if (place > 0)
        return tell(v, !multicast, g->owner, 0, multicast ? 0 : order_of(g, place));
    ashlar_status status = ASHLAR_OK;
    for (int64_t i = 1, others = others_of(g); i <= others && status == ASHLAR_OK; i++)
        status = tell(v, multicast, rank_at(g, i), 0, multicast ? 0 : order_of(g, i));
    return status;
}

static int64_t low_bit(int64_t v, int64_t places)
{
    int64_t bit = 1;
    while (v ? (v & bit) == 0 : bit < places)
        bit *= 2;
    return bit;
}

/* How many children hang on a place before the one at place + bit. */
static int64_t children_before(int64_t bit)
{
    int64_t n = 0;
    while (bit > 1) {
        bit /= 2;
        n++;
    }
    return n;
}

/* How many links of the tree lead to a place from the owner. */
static int64_t depth(int64_t place)
{
    int64_t n = 0;
    for (; place > 0; place &= place - 1)
        n++;
    return n;
}

/* How many links of the tree lead to a place from the farthest below it. */
static int64_t height(int64_t place, int64_t bit, int64_t places)
{
    int64_t below = ashi_min(bit, places - place), n = 0;
    for (; below > 1; below /= 2)
        n++;
    return n;
}

static ashlar_status tree(const ashi_operation *g, int64_t place, const visitor *v)
{
    const int64_t places = others_of(g) + 1, bit = low_bit(place, places);
    const bool multicast = v->op->kind == ASHI_DO_MULTICAST;
    ashlar_status status = ASHLAR_OK;
    const int64_t parent = place - bit;
    if (place > 0 && multicast)
        status = tell(v, false, parent ? rank_at(g, parent) : g->owner, 0, 0);
    for (int64_t b = bit / 2; b >= 1 && status == ASHLAR_OK; b /= 2)
        if (place + b < places)
            status = tell(v, multicast, rank_at(g, place + b), depth(place), multicast ? 0 : children_before(b));
    if (place > 0 && !multicast && status == ASHLAR_OK)
        status = tell(v, true, parent ? rank_at(g, parent) : g->owner, height(place, bit, places),
                      children_before(bit));
    return status;
}

ashlar_status ashi_program_messages(const ashi_program *program, int64_t rank, const ashi_operation *o,
                                    ashi_message_visit visit, void *context, ashlar_error *err)
{
    const visitor v = {o, visit, context, err};
    const bool multicast = o->kind == ASHI_DO_MULTICAST;
    if (o->kind == ASHI_DO_SEND || o->kind == ASHI_DO_RECEIVE)
        return o->words ? tell(&v, o->kind == ASHI_DO_SEND, o->peer, 0, 0) : ASHLAR_OK;
    if (!multicast && o->kind != ASHI_DO_REDUCE)
        return ASHLAR_OK;
    const int64_t place = place_of(o, rank);
    if (place < 0 || others_of(o) == 0 || o->words == 0)
        return ASHLAR_OK;
    ashi_rectangle rectangle;
    if (multicast && ashi_rectangle_find(&program->torus, o, &rectangle))
        return ashi_rectangle_lower(&rectangle, rank, visit, context, err);
    return ashi_lower_along_tree(program, multicast) ? tree(o, place, &v) : direct(o, place, &v);
}

/* How many hang on a place of a tree. */
static int64_t children_of(int64_t place, int64_t places)
{
    int64_t n = 0;
    for (int64_t b = low_bit(place, places) / 2; b >= 1; b /= 2)
        n += place + b < places;
    return n;
}

ashi_traffic ashi_lower_count(const ashi_program *program, const ashi_operation *g, int64_t rank)
{
    const bool multicast = g->kind == ASHI_DO_MULTICAST;
    const int64_t place = place_of(g, rank), others = others_of(g);
    if (place < 0 || others == 0)
        return (ashi_traffic){0, 0};
    const int64_t above = place > 0, straight = place == 0 ? others : 0;
    const int64_t below = ashi_lower_along_tree(program, multicast) ? children_of(place, others + 1) : straight;
    return multicast ? (ashi_traffic){below, above} : (ashi_traffic){above, below};
}
