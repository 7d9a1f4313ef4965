/* Ranks are late by turns: rank k modulo p rests before it sends anything of iteration k. With as many iterations in
 * flight as eq. (1) says, the rests of all ranks but one are hidden. In simulated time, an iteration being 1 s. */
#include "even_tiles.h"
#include "model/in_flight.h"

enum { GRID = 4, EACH = 4, SIZE = 8, INNER = 48, RANKS = GRID * GRID };

static const double latency = 0.25, rest_seconds = 2;

typedef struct turns {
    int64_t rested[RANKS]; /* 1 + the iteration before which a rank has rested */
    double came[RANKS][INNER]; /* when the last message of an iteration came */
    int64_t overlaps;      /* messages that arrived while earlier iterations were multiplied */
} turns;

static double rest(void *context, int64_t rank, const ashi_task *t)
{
    turns *s = context;
    if (t->kind != ASHI_DO_SEND || t->step % RANKS != rank || s->rested[rank] > t->step)
        return 0;
    s->rested[rank] = t->step + 1;
    return rest_seconds;
}

/* Events come as they end: a product that began before a message had come, and is of an earlier step. */
static void event(void *context, const ashi_joint_event *e)
{
    turns *s = context;
    if (strcmp(e->name, "receive") == 0)
        s->came[e->rank][e->step] = fmax(s->came[e->rank][e->step], e->end);
    if (strcmp(e->name, "multiply") == 0)
        for (int64_t step = e->step + 1; step < INNER; step++)
            s->overlaps += s->came[e->rank][step] > e->begin;
}

static double play(ashi_test *t, int64_t window, int64_t *overlaps)
{
    even_tiles e;
    turns s = {.overlaps = 0};
    const ashi_joint_late late = {.rank = rest, .context = &s};
    CHECK(t, even_tiles_make(GRID, GRID, EACH, SIZE, INNER, latency, &e), "no memory");
    const double seconds = even_tiles_play(t, &e, (int)window, 1, 1, &late, event, &s);
    for (int64_t rank = 0; rank < RANKS; rank++)
        CHECK(t, s.rested[rank] == INNER - RANKS + rank + 1, "rank %" PRId64 " rested before %" PRId64, rank,
              s.rested[rank] - 1);
    *overlaps = s.overlaps;
    even_tiles_free(&e);
    return seconds;
}

int main(void)
{
    ashi_test t = {0};
    int64_t none, one, several;
    const int64_t in_flight = ashi_in_flight(GRID, GRID, INNER);
    const double own = INNER + INNER / RANKS * rest_seconds; /* what each rank does alone */
    const double bulk = play(&t, 1, &none), ahead = play(&t, 2, &one), best = play(&t, in_flight, &several);
    CHECK(&t, in_flight == GRID, "%" PRId64 " in flight", in_flight);
    CHECK(&t, none == 0, "%" PRId64 " messages of later iterations, one being in flight", none);
    CHECK(&t, several > one && one > 0, "%" PRId64 " and %" PRId64 " messages overlap", one, several);
    CHECK(&t, best >= own && best <= own + rest_seconds + 2 * latency, "%g seconds, each rank has %g", best, own);
    CHECK(&t, ahead >= 1.15 * best && bulk >= 2 * best, "%g seconds, %g with one ahead, %g with none", best, ahead,
          bulk);
    return ashi_test_end(&t, "slow_turns");
}
