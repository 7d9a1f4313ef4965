/* A product of matrices of tiles within a limit of memory: how k is cut, and how many iterations are in flight. */
#include "tiles/product_parts.h"

#include "base/checked.h"
#include "base/error.h"
#include "engine/tile_room.h"
#include "exec/mpi.h"

#include <inttypes.h>
#include <stdlib.h>

typedef struct fitting {
    ashi_tiles_product *p;
    int64_t *words;                  /* for each tile of k, in this rank's pool */
    int64_t held;                    /* words of this rank's tiles */
    bool finest;                     /* k cannot be cut more finely */
    int64_t needs[ASHI_WINDOW_MAX];  /* words that the fullest rank holds, for each window of 1, 2, ... iterations */
    bool done;
} fitting;

/* ---- what is held ---- */

/* Whether another factor before this one is the same matrix. */
static bool is_again(const ashi_tiles_product *p, int64_t q, int x)
{
    for (int64_t i = 0; i < 2 * q + x; i++)
        if (p->term[i / 2].from[i % 2] == p->term[q].from[x])
            return true;
    return false;
}

int64_t ashi_tiles_product_words(const ashi_tiles_product *p, const ashlar_tiles *c)
{
    const int64_t after = p->offset[p->symbolic.c.tiles];
    const bool grows = p->apart || c->held.low || !ashi_pattern_equal(ashi_tiles_product_after(p), &c->held.pattern);
    int64_t words = after + (grows ? ashi_held_words(&c->held) : 0) + (p->whole ? ashi_held_words(&p->whole->held) : 0);
    for (int64_t q = 0; q < p->terms; q++)
        for (int x = 0; x < 2; x++)
            words += is_again(p, q, x) ? 0 : ashi_held_words(&p->term[q].x[x]->held);
    return words;
}

int64_t ashi_tiles_product_peak(const ashi_tiles_product *p, int64_t held, int64_t workspace)
{
    return held + (p->kept ? workspace + p->adding_words : ashi_max(workspace, p->adding_words));
}

/* What the fullest rank holds for each window, without the buffers for multiplying if there is no player yet.
 * Collective; `mine` is what this rank comes with. */
static ashlar_status find_needs(fitting *f, ashlar_status mine, ashlar_error *err)
{
    const ashi_tiles_product *p = f->p;
    const int64_t buffers = mine == ASHLAR_OK && p->player ? ashi_player_buffers(p->player) : 0;
    ashi_figures figures = {0};
    for (int w = 1; w <= ASHI_WINDOW_MAX && mine == ASHLAR_OK; w++) {
        const int64_t pool = ashi_tile_room_pool(f->words, p->first, p->problem.iterations, w);
        figures.greatest[w - 1] = ashi_tiles_product_peak(p, f->held, buffers + pool);
    }
    const ashlar_status status = ashi_agree_figures_first(p->c->context, mine, &figures, err);
    for (int w = 0; w < ASHI_WINDOW_MAX; w++)
        f->needs[w] = figures.greatest[w];
    return status;
}

/* ---- the window ---- */

/* The least window that will do: two iterations, so that one can come while another is multiplied, if there are two. */
static int least_window(const fitting *f)
{
    if (f->p->window > 0)
        return f->p->window;
    return f->finest ? 1 : (int)ashi_max(1, ashi_min(2, f->p->problem.iterations));
}

static int most_window(const fitting *f)
{
    const int64_t all = ashi_max(least_window(f), ashi_min(ASHI_WINDOW_MAX, f->p->problem.iterations));
    return f->p->window > 0 ? f->p->window : (int)all;
}

/* The largest window that fits; 0: not even the least one does. */
static int fitting_window(const fitting *f)
{
    for (int w = most_window(f); w >= least_window(f); w--)
        if (f->needs[w - 1] <= f->p->memory_words)
            return w;
    return 0;
}

/* The same text and number on all ranks. */
static ashlar_status refuse(const fitting *f, ashlar_error *err)
{
    const int least = least_window(f);
    const char *sums = f->p->whole ? ", partial sums of C" : "";
    ashi_refuse(f->p->c->context, f->needs[least - 1]);
    if (f->p->window > 1)
        return ashi_fail(err, ASHLAR_ERR_LIMIT, "%s: a rank may hold %" PRId64 " words, but its tiles of A, B and C "
                         "%s and %d iterations in flight take %" PRId64 ": %" PRId64 " would do, or a smaller window",
                         f->p->who, f->p->memory_words, sums, least, f->needs[least - 1], f->needs[least - 1]);
    return ashi_fail(err, ASHLAR_ERR_LIMIT, "%s: a rank may hold %" PRId64 " words, but its tiles of A, B and C%s and "
                     "one iteration take %" PRId64 ": %" PRId64 " would do", f->p->who, f->p->memory_words, sums,
                     f->needs[least - 1], f->needs[least - 1]);
}

/* ---- trying ---- */

static ashlar_status play(fitting *f, int window, ashlar_error *err)
{
    ashi_product_stop(f->p);
    f->p->problem.window = window;
    return ashi_product_play(f->p, NULL, true, err);
}

/* Program and player are there for a window that fits without the buffers: find one that fits with them. Collective;
 * `mine` is what this rank comes with. */
static ashlar_status settle(fitting *f, ashlar_status mine, ashlar_error *err)
{
    ashlar_status status = find_needs(f, mine, err);
    const int window = status == ASHLAR_OK ? fitting_window(f) : 0;
    if (status != ASHLAR_OK || (window == 0 && !f->finest))
        return status;
    if (window == 0)
        return refuse(f, err);
    f->done = true;
    if (window != f->p->problem.window)
        status = play(f, window, err);
    return status == ASHLAR_OK ? ashi_player_provide(f->p->player, err) : status;
}

/* Cut k into iterations of at most `most`, and see whether that fits. Collective, as above. */
static ashlar_status try_cut(fitting *f, double most, ashlar_status mine, ashlar_error *err)
{
    ashi_tiles_product *p = f->p;
    ashi_product_stop(p);
    if (mine == ASHLAR_OK)
        mine = ashi_product_cut_iterations(p, most, err);
    ashlar_status status = find_needs(f, mine, err);
    if (status != ASHLAR_OK)
        return status;
    f->finest = most == 0 || p->problem.iterations == p->problem.cuts[2]->tiles;
    const int window = fitting_window(f);
    if (window == 0 && !f->finest)
        return ASHLAR_OK;
    status = play(f, window > 0 ? window : least_window(f), err);
    return settle(f, status, err);
}

static ashlar_status begin(fitting *f, ashlar_error *err)
{
    const ashi_tiles_product *p = f->p;
    const int64_t tiles = p->problem.cuts[2]->tiles;
    f->words = malloc(((size_t)tiles + 1) * sizeof *f->words);
    if (!f->words)
        return ashi_fail_memory(err, p->who, tiles * (int64_t)sizeof *f->words);
    f->held = ashi_tiles_product_words(p, p->c);
    return ashi_tile_room_find(&p->problem, p->c->context->rank, f->words, err);
}

/* Iterations become shorter until two of them fit, or the window that is asked for; if each has one tile of k, one has
 * to fit. */
ashlar_status ashi_product_fit(ashi_tiles_product *p, ashlar_status mine, ashlar_error *err)
{
    fitting f = {.p = p};
    double most = 0;
    ashlar_status status = mine == ASHLAR_OK ? begin(&f, err) : mine;
    if (status == ASHLAR_OK)
        status = ashi_product_inner_most(p, &most, err);
    ashi_refuse(p->c->context, 0);
    do {
        status = try_cut(&f, most, status, err);
        most = most >= 2 ? most / 2 : 0;
    } while (status == ASHLAR_OK && !f.done);
    free(f.words);
    return status;
}
