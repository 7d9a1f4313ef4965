/* Where boxes of views lie in a file in which elements lie one by one. */
#include "store/unfolding_runs.h"

/* A dimension of a box: its extent, and the elements between neighbours in the file. */
typedef struct level {
    int64_t extent, step;
} level;

/* From the fastest to the slowest. */
typedef struct levels {
    int count;
    level level[ASHI_DIMENSIONS_MAX];
} levels;

static levels sorted(const int64_t *stride, const ashi_array_box *box)
{
    levels l = {0};
    for (int d = 0; d < box->order; d++) {
        if (box->extent[d] == 1)
            continue;
        int at = l.count++;
        for (; at > 0 && l.level[at - 1].step > stride[d]; at--)
            l.level[at] = l.level[at - 1];
        l.level[at] = (level){box->extent[d], stride[d]};
    }
    return l;
}

/* The elements of a run; the dimensions that they take are gone from the list. */
static int64_t take_run(levels *l)
{
    int64_t count = 1;
    int taken = 0;
    while (taken < l->count && l->level[taken].step == count)
        count *= l->level[taken++].extent;
    l->count -= taken;
    for (int i = 0; i < l->count; i++)
        l->level[i] = l->level[taken + i];
    return count;
}

/* Go on to the next values of all dimensions but the first; false after the last. */
static bool next(const levels *l, int64_t *at, ashi_unfolding_run *run)
{
    for (int i = 1; i < l->count; i++) {
        run->at += l->level[i].step;
        if (++at[i] < l->level[i].extent)
            return true;
        run->at -= l->level[i].extent * l->level[i].step;
        at[i] = 0;
    }
    return false;
}

typedef struct telling {
    const ashi_unfolding *view;
    ashi_unfolding_runs_visit visit;
    void *context;
} telling;

static ashlar_status tell(void *context, const ashi_array_box *box, int64_t in_memory, ashlar_error *err)
{
    const telling *t = context;
    levels l = sorted(t->view->stride, box);
    ashi_unfolding_run run = {.count = take_run(&l), .runs = 1};
    int64_t at[ASHI_DIMENSIONS_MAX] = {0};
    (void)in_memory, (void)err;
    run.step = run.count;
    if (l.count > 0) {
        run.runs = l.level[0].extent;
        run.step = l.level[0].step;
    }
    for (int d = 0; d < box->order; d++)
        run.at += box->from[d] * t->view->stride[d];
    do
        t->visit(t->context, &run);
    while (next(&l, at, &run));
    return ASHLAR_OK;
}

void ashi_unfolding_runs(const ashi_unfolding *view, const ashi_unfolding_box *box, ashi_unfolding_runs_visit visit,
                         void *context)
{
    telling t = {view, visit, context};
    const ashi_unfolding_box positions = {{box->from[0], box->from[1]}, {box->extent[0], box->extent[1]}, {0, 0}};
    ashlar_error err;
    ashi_unfolding_boxes(view, &positions, tell, &t, &err); /* no visit fails */
}
