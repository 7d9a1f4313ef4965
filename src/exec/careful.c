/* Moving boxes of plain files with care for the system's memory. */
#include "exec/careful.h"

#include "base/error.h"
#include "model/rates.h"
#include "store/pages.h"

enum { PLACES = 64 }; /* of a box, at most, where it is looked whether the system has its pages */

ashlar_status ashi_care_begin(ashi_care *care, bool memory_is_short, ashlar_error *err)
{
    *care = (ashi_care){.window = ASHI_DISK_WINDOW, .is_short = memory_is_short};
    return pthread_mutex_init(&care->mutex, NULL) == 0 ? ASHLAR_OK
                                                       : ashi_fail_memory(err, "player", (int64_t)sizeof care->mutex);
}

void ashi_care_end(ashi_care *care)
{
    pthread_mutex_destroy(&care->mutex);
}

/* Put a box in its place, or nothing. Returns what was there. */
static ashi_moved_box exchange(ashi_care *care, ashi_moved_box *place, const ashi_box_move *move)
{
    pthread_mutex_lock(&care->mutex);
    const ashi_moved_box before = *place;
    place->any = move != NULL;
    if (move) {
        place->move = *move;
        place->reads = place->turn == care->turn ? place->reads + 1 : 1;
        place->turn = care->turn;
    }
    pthread_mutex_unlock(&care->mutex);
    return before;
}

/* Whether memory is short, and how much of lines is fetched ahead. */
typedef struct state {
    bool is_short;
    int64_t window;
} state;

static state state_of(ashi_care *care)
{
    pthread_mutex_lock(&care->mutex);
    const state s = {care->is_short, care->window};
    pthread_mutex_unlock(&care->mutex);
    return s;
}

/* A box that is looked at. */
typedef struct look {
    ashi_care *care;
    const ashi_moved_box *box;
    bool goes_on; /* in its lines: what was fetched ahead is needed now */
    int places;   /* that are still looked at */
} look;

/* Pages of a box are lost: from now on what has served is let go; if it is already, windows are halved. What was
 * fetched in an earlier turn says nothing of this one. */
static void lost(const look *l, int64_t run_bytes)
{
    ashi_care *care = l->care;
    pthread_mutex_lock(&care->mutex);
    const bool renewed = l->box->turn == care->turn && l->box->reads * run_bytes > care->window + run_bytes;
    if (!care->is_short || (l->goes_on && renewed && care->window > run_bytes)) {
        care->window /= care->is_short ? 2 : 1;
        care->is_short = true;
        care->turn++;
    }
    pthread_mutex_unlock(&care->mutex);
}

static void look_at(void *context, const ashi_box_move *m, const ashi_page_runs *runs)
{
    look *l = context;
    if (l->places-- > 0 && !ashi_pages_are_kept(m->file.fd, runs))
        lost(l, runs->bytes);
}

static void fetch(void *context, const ashi_box_move *m, const ashi_page_runs *runs)
{
    const state *s = context;
    ashi_pages_fetch(m->file.fd, runs, s->window);
}

/* Whether a box goes on in each line of the file where the one before ended. Views have no lines. */
static bool goes_on(const ashi_box_move *m, const ashi_box_move *before)
{
    int along = 0;
    if (m->file.view)
        return false;
    for (int i = 1; i < m->indices; i++)
        if (m->file.stride[i] < m->file.stride[along])
            along = i;
    for (int i = 0; i < m->indices; i++)
        if (i != along && (m->lo[i] != before->lo[i] || m->extent[i] != before->extent[i]))
            return false;
    return m->lo[along] == before->lo[along] + before->extent[along];
}

/* Long runs, and those read together, have left no pages. Views are written through the system's memory. */
static bool leaves_pages(const ashi_box_move *m, const ashi_page_runs *runs)
{
    const int64_t run = runs->bytes == runs->step ? runs->bytes * runs->count : runs->bytes;
    const bool past = m->past && !(m->write && m->file.view);
    return !past || (run < ASHI_DIRECT_LEAST && !(m->batch && ashi_direct_batch_takes(run)));
}

/* `context` says whether pages of which the box has a part stay. To write a part of a page the system needs the rest
 * of it, so it is better there when sums come back that were read. Nobody knows which box of a view needs the rest. */
static void let_go(void *context, const ashi_box_move *m, const ashi_page_runs *runs)
{
    if (leaves_pages(m, runs))
        ashi_pages_let_go(m->file.fd, runs, *(const bool *)context || m->file.view);
}

static void write_out(void *context, const ashi_box_move *m, const ashi_page_runs *runs)
{
    (void)context;
    if (leaves_pages(m, runs))
        ashi_pages_write_out(m->file.fd, runs);
}

/* Runs that are read through memory, but long enough for a request of their own. */
static void fetch_runs(void *context, const ashi_box_move *m, const ashi_page_runs *runs)
{
    (void)context;
    if (ashi_direct_batch_takes(runs->bytes))
        ashi_pages_fetch_runs(m->file.fd, runs);
}

/* What was written goes to the disk, and older boxes of it are let go. Reads of A and B do that, since reads of sums
 * wait for what is written. */
static void tidy(ashi_care *care, ashi_file_role role)
{
    bool parts_stay = true;
    for (int i = 0; i < ASHI_CAREFUL_WRITES; i++) {
        ashi_moved_box *place = &care->written[role][i];
        pthread_mutex_lock(&care->mutex);
        const bool old = place->any && care->writes - place->number >= ASHI_CAREFUL_WRITES;
        const ashi_moved_box box = *place;
        place->fresh = false;
        place->any = place->any && !old;
        pthread_mutex_unlock(&care->mutex);
        if (box.any && box.fresh)
            ashi_box_pages(&box.move, write_out, NULL);
        if (old)
            ashi_box_pages(&box.move, let_go, &parts_stay);
    }
}

static ashlar_status read_box(ashi_care *care, const ashi_box_move *m, ashi_file_role role, int piece, void *between,
                              ashlar_error *err)
{
    ashi_moved_box *place = &care->moved[role][piece];
    const ashi_moved_box before = exchange(care, place, NULL);
    look l = {care, &before, before.any && goes_on(m, &before.move), PLACES};
    bool comes_back = role == ASHI_FILE_C0;
    if (before.any && !before.move.batch && !(before.move.file.view && state_of(care).is_short))
        ashi_box_pages(&before.move, look_at, &l);
    state s = state_of(care);
    if (l.goes_on || m->file.goes_on)
        ashi_box_pages(m, fetch, &s);
    ashi_box_move now = *m;
    now.past = s.is_short;
    if (!s.is_short || l.goes_on || m->file.goes_on || (role != ASHI_FILE_A && role != ASHI_FILE_B))
        now.batch = NULL; /* pages serve again */
    if (s.is_short && (role == ASHI_FILE_C || role == ASHI_FILE_C0))
        ashi_box_pages(m, fetch_runs, NULL);
    const ashlar_status status = ashi_move_box(&now, between, err);
    if (before.any && role != ASHI_FILE_C && state_of(care).is_short) /* sums are let go when they are written again */
        ashi_box_pages(&before.move, let_go, &comes_back);
    exchange(care, place, &now);
    for (int i = 0; i < ASHI_FILES && s.is_short && (role == ASHI_FILE_A || role == ASHI_FILE_B); i++)
        tidy(care, (ashi_file_role)i);
    return status;
}

static ashlar_status write_box(ashi_care *care, const ashi_box_move *m, ashi_file_role role, void *between,
                               ashlar_error *err)
{
    ashi_box_move now = *m;
    bool parts_stay = true;
    now.past = state_of(care).is_short;
    now.pace = &care->pace;
    now.batch = NULL;
    const ashlar_status status = ashi_move_box(&now, between, err);
    if (status != ASHLAR_OK || !now.past)
        return status;
    now.past = !ashi_direct_is_slow(&care->pace);
    pthread_mutex_lock(&care->mutex);
    ashi_moved_box *place = &care->written[role][care->writes % ASHI_CAREFUL_WRITES];
    const ashi_moved_box before = *place;
    *place = (ashi_moved_box){.any = true, .move = now, .fresh = true, .number = care->writes++};
    pthread_mutex_unlock(&care->mutex);
    if (before.any && before.fresh)
        ashi_box_pages(&before.move, write_out, NULL);
    else if (before.any)
        ashi_box_pages(&before.move, let_go, &parts_stay);
    return status;
}

ashlar_status ashi_move_with_care(ashi_care *care, const ashi_box_move *m, ashi_file_role role, int piece,
                                  void *between, ashlar_error *err)
{
    return m->write ? write_box(care, m, role, between, err) : read_box(care, m, role, piece, between, err);
}
