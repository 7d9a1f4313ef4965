/* How long a task takes a lane, while all ranks are played. */
#include "simulate/task_seconds.h"

#include "base/checked.h"
#include "model/rates.h"
#include "schedule/ways.h"

/* ---- the disk ---- */

bool ashi_task_reads_file(const ashi_window *w, const ashi_node *n)
{
    const ashi_placed *from = ashi_window_placed(w, n->read[0]);
    return from && from->panel.memory == ASHI_MEMORY_FILE;
}

/* What is in a file of what is read or written. */
static const ashi_panel *file_panel(const ashi_window *w, const ashi_node *n)
{
    return &ashi_window_placed(w, ashi_task_reads_file(w, n) ? n->read[0] : n->makes)->panel;
}

static double call_seconds(const ashi_joint_request *q, const ashi_panel *file)
{
    return (double)file->words * q->word_seconds[file->operand];
}

double ashi_task_disk_seconds(const ashi_joint_request *q, const ashi_window *w, const ashi_node *n)
{
    const ashi_panel *file = file_panel(w, n);
    return call_seconds(q, file) +
           (double)file->words * (double)q->bytes /
               (ashi_task_reads_file(w, n) ? ashi_read_rate(q->machine) : ashi_write_rate(q->machine));
}

double ashi_task_disk_work(const ashi_joint_request *q, const ashi_window *w, const ashi_node *n)
{
    const ashi_panel *file = file_panel(w, n);
    const double bytes = (double)file->words * (double)q->bytes;
    return q->disk_share * (call_seconds(q, file) + ashi_disk_work(q->machine, bytes));
}

/* ---- the cores ---- */

/* Into how many parts a task that moves, adds up or scales is cut; 0 or 1: it is not. */
static int parts_of(const ashi_joint_request *q, const ashi_window *w, const ashi_node *n)
{
    const ashi_way_sizes sizes = ashi_way_sizes_usual();
    const ashi_placed *to = ashi_window_placed(w, n->makes);
    return to ? ashi_ways_parts(to->panel.words, ashi_joint_threads(q), &sizes) : 0;
}

bool ashi_task_is_handed(const ashi_joint_request *q, const ashi_window *w, const ashi_node *n)
{
    if (n->task.kind != ASHI_DO_MULTIPLY)
        return parts_of(q, w, n) > 1;
    return n->one_thread && ashi_window_words(w, n) >= ASHI_HANDED_LEAST;
}

int ashi_task_threads(const ashi_joint_request *q, const ashi_window *w, const ashi_node *n)
{
    if (n->task.kind == ASHI_DO_MULTIPLY)
        return n->one_thread ? 1 : ashi_joint_threads(q);
    return (int)ashi_max(1, parts_of(q, w, n));
}

/* Words that are written when panels are added up, or one is scaled or copied. */
static double words_copied(const ashi_window *w, const ashi_node *n)
{
    double words = 0;
    for (int i = 0; i < ASHI_READS_MAX && n->task.kind == ASHI_DO_ADD; i++) {
        const ashi_placed *from = ashi_window_placed(w, n->read[i]);
        words += from ? (double)from->panel.words * (double)from->panel.copies : 0;
    }
    return words > 0 ? words : (double)ashi_window_words(w, n);
}

/* Words of the tiles that a product reads, and of those of C that it may add to. */
static double words_of_tiles(const ashi_window *w, const ashi_node *n)
{
    const ashi_placed *sums = ashi_window_placed(w, n->makes);
    double words = sums ? (double)sums->panel.words : 0;
    for (int i = 0; i < ASHI_READS_MAX; i++) {
        const ashi_placed *from = ashi_window_placed(w, n->read[i]);
        words += from ? (double)from->panel.words : 0;
    }
    return words;
}

double ashi_task_thread_seconds(const ashi_joint_request *q, const ashi_window *w, const ashi_node *n, int threads)
{
    const ashlar_machine *m = q->machine;
    const ashi_task *t = &n->task;
    if (t->kind != ASHI_DO_MULTIPLY)
        return words_copied(w, n) * (double)q->bytes / m->copy_bandwidth / threads;
    const double batch = (double)(t->hi[3] - t->lo[3]), part = (double)ashi_joint_threads(q) / threads;
    if (t->words > 0)
        return part * ashi_work_seconds(m, (double)t->words, words_of_tiles(w, n), q->bytes, q->flops);
    return batch * part *
           ashi_product_seconds(m, (double)(t->hi[0] - t->lo[0]), (double)(t->hi[1] - t->lo[1]),
                                (double)(t->hi[2] - t->lo[2]), q->bytes, q->flops);
}
