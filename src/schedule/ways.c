/* Which work runs on one thread, so that several tasks run side by side, and which on all threads of the rank. */
#include "schedule/ways.h"

#include "base/checked.h"
#include "schedule/window.h"

/* The products of one sum, a row, run one after the other. If each thread has at least ROWS_PER_THREAD times the work
 * of the longest row, no thread is without work for long at the end of a step. */
enum { ROWS_PER_THREAD = 4 };

ashi_way_sizes ashi_way_sizes_usual(void)
{
    return (ashi_way_sizes){ASHI_HANDED_LEAST, ASHI_ONE_THREAD, ASHI_SIDE_BY_SIDE, ASHI_PART_WORDS,
                            ASHI_PART_SIDE};
}

int ashi_ways_parts(int64_t words, int threads, const ashi_way_sizes *sizes)
{
    return (int)ashi_min(words / ashi_max(1, sizes->part_words), threads);
}

int ashi_ways_shares(int64_t side, int threads, const ashi_way_sizes *sizes)
{
    const int64_t parts = side / ashi_max(1, sizes->part_side);
    if (threads < 2 || parts < threads)
        return 1;
    return parts < 2 * (int64_t)threads ? threads : 2 * threads;
}

/* The work of a step that may run on one thread each. */
typedef struct step_work {
    int64_t all, longest, sums; /* multiply-adds: of all that can be handed over, and of the sum that has most; sums */
} step_work;

static step_work add_up(ashi_window *w, int64_t first, int64_t least, int64_t most)
{
    step_work s = {0};
    for (int64_t i = first; i < w->end; i++)
        if (ashi_window_node(w, i)->makes >= 0)
            w->panel[ashi_window_node(w, i)->makes].load = 0;
    for (int64_t i = first; i < w->end; i++) {
        const ashi_node *n = ashi_window_node(w, i);
        const int64_t multiplies = ashi_window_words(w, n);
        if (n->task.kind != ASHI_DO_MULTIPLY || n->makes < 0 || multiplies < least || multiplies > most)
            continue;
        int64_t *load = &w->panel[n->makes].load;
        s.sums += *load == 0;
        *load += multiplies;
        s.all += multiplies;
        s.longest = ashi_max(s.longest, *load);
    }
    return s;
}

bool ashi_ways_find(ashi_window *w, int64_t first, int threads, const ashi_way_sizes *sizes)
{
    int64_t most = ashi_max(sizes->one_thread, sizes->side_by_side);
    step_work s = add_up(w, first, sizes->handed_least, most);
    if (s.all < ashi_mul_most(ROWS_PER_THREAD * (int64_t)threads, s.longest)) {
        most = sizes->one_thread;
        s = add_up(w, first, sizes->handed_least, most);
    }
    for (int64_t i = first; i < w->end; i++) {
        ashi_node *n = ashi_window_node(w, i);
        n->one_thread = n->task.kind == ASHI_DO_MULTIPLY && ashi_window_words(w, n) <= most;
    }
    return s.sums > 1;
}
