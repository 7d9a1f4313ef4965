/* One tile of A comes very late: the rank that needs it goes on with the panels of C that do not, as far ahead as
 * iterations are in flight, and the other ranks go on too. In simulated time, an iteration being one second. */
#include "even_tiles.h"

enum { GRID = 4, EACH = 4, SIZE = 8, INNER = 32, WINDOW = 4, LATE_STEP = 10, SENDER = LATE_STEP % GRID, LATE_RANK = 3 };

static const double latency = 0.125, late_by = 6;

/* Without the late message every rank begins iteration s at this time. */
static double begins(int64_t step)
{
    return latency + (double)step;
}

/* The message was asked for when the iterations before it were few enough. */
static double comes(void)
{
    return begins(LATE_STEP - (WINDOW - 1)) + latency + late_by;
}

/* What is multiplied while the tile is awaited. */
typedef struct watch {
    const even_tiles *tiles;
    double late, other; /* seconds of products on the late rank, and on the one that sends the tile */
    int64_t ahead;      /* the last step of which the late rank multiplies something */
    bool came;          /* the late message, when it should */
} watch;

/* Groups go straight, so between ranks of one row of processes only A's go, numbered from 0: one for each row of panels
 * in each iteration of which the sender has A. The first one of the iteration is late. */
static double message(void *context, int64_t rank, const ashi_task *t)
{
    const even_tiles *e = ((const watch *)context)->tiles;
    const int64_t before = LATE_STEP / GRID * ashi_tile_panels(&e->problem, ASHLAR_A);
    return rank == SENDER && t->peer == LATE_RANK && t->tag == before ? late_by : 0;
}

static void event(void *context, const ashi_joint_event *e)
{
    watch *w = context;
    const double begin = fmax(e->begin, begins(LATE_STEP)), end = fmin(e->end, comes());
    if (strcmp(e->name, "receive") == 0 && e->rank == LATE_RANK && e->peer == SENDER && e->step == LATE_STEP)
        w->came = w->came || fabs(e->end - comes()) < 1e-9;
    if (strcmp(e->name, "multiply") != 0 || end <= begin)
        return;
    w->other += e->rank == SENDER ? end - begin : 0;
    w->late += e->rank == LATE_RANK ? end - begin : 0;
    w->ahead = e->rank == LATE_RANK ? ashi_max(w->ahead, e->step) : w->ahead;
}

/* With `panels` x `panels` panels of C, of which the late tile is for one row. */
static void one_play(ashi_test *t, int64_t panels)
{
    even_tiles e;
    watch w = {.tiles = &e, .ahead = -1};
    const ashi_joint_late late = {.message = message, .context = &w};
    const double awaited = comes() - begins(LATE_STEP);
    const double done = WINDOW * (double)(panels - 1) / (double)panels; /* meanwhile, of the iterations in flight */
    CHECK(t, even_tiles_make(GRID, GRID, EACH, SIZE, INNER, latency, &e), "no memory");
    e.problem.tree = false;
    const double usual = even_tiles_play(t, &e, WINDOW, (int)panels, (int)panels, NULL, NULL, NULL);
    const double seconds = even_tiles_play(t, &e, WINDOW, (int)panels, (int)panels, &late, event, &w);
    CHECK(t, w.came, "the message is not late");
    CHECK(t, fabs(usual - begins(INNER)) < 1e-9, "%g seconds if nothing is late", usual);
    CHECK(t, fabs(w.late - fmin(done, awaited)) < 1e-9, "%" PRId64 " panels: %g seconds of products, wanted %g", panels,
          w.late, done);
    CHECK(t, w.ahead == (panels > 1 ? LATE_STEP + WINDOW - 1 : -1), "%" PRId64 " panels: to step %" PRId64, panels,
          w.ahead);
    CHECK(t, fabs(w.other - awaited) < 1e-9, "%" PRId64 " panels: another rank multiplies for %g seconds of %g", panels,
          w.other, awaited);
    CHECK(t, fabs(seconds - (usual + awaited - w.late)) < 1e-9, "%" PRId64 " panels: %g seconds, %g if nothing is late",
          panels, seconds, usual);
    even_tiles_free(&e);
}

int main(void)
{
    ashi_test t = {0};
    for (int64_t panels = 1; panels <= EACH; panels *= 2)
        one_play(&t, panels);
    return ashi_test_end(&t, "late_tile");
}
