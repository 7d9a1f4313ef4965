/* The running sums of a program that stay on a device while MULTIPLYs add to them. */
#include "exec/play_sums.h"

#include "base/checked.h"
#include "base/error.h"

#include <stdlib.h>

/* A stretch of MULTIPLYs, and the sum that they add to. */
typedef struct one_stretch {
    ashi_onto_sum sum;
    int64_t done;     /* MULTIPLYs of it in this run */
    int64_t first;    /* where their numbers begin in the list */
    int64_t lost;     /* how many of them the host has to make again */
    const void *beta; /* that begins the sum; NULL: it had begun before */
    bool there;       /* the device has it */
} one_stretch;

struct ashi_play_sums {
    const ashi_onto_sums *plan;
    ashi_onto *onto;
    ashi_onto_stay *stay; /* of the run in progress; NULL: sums go there and back */
    one_stretch *at;
    int64_t *number;      /* of tasks: of each stretch that stays its MULTIPLYs */
};

static bool has_failed(const ashi_play_sums *s)
{
    return ashi_onto_total(s->onto)->failure.status != ASHLAR_OK;
}

/* ---- before and after ---- */

ashlar_status ashi_play_sums_create(const ashi_play *play, ashi_play_sums **out, ashlar_error *err)
{
    const ashi_onto_sums *plan = play->request.sums;
    ashi_play_sums *s = *out = calloc(1, sizeof *s);
    int64_t numbers = 0;
    for (int64_t i = 0; i < plan->stretches; i++)
        numbers += plan->stretch[i].at >= 0 ? plan->stretch[i].multiplies : 0;
    if (s) {
        s->at = calloc((size_t)plan->stretches + 1, sizeof *s->at);
        s->number = calloc((size_t)numbers + 1, sizeof *s->number);
    }
    if (!s || !s->at || !s->number) {
        ashi_play_sums_free(out);
        return ashi_fail_memory(err, "player", plan->stretches * (int64_t)sizeof *s->at);
    }
    s->plan = plan;
    s->onto = play->request.onto;
    numbers = 0;
    for (int64_t i = 0; i < plan->stretches; i++) {
        s->at[i].first = numbers;
        s->at[i].sum.at = plan->stretch[i].at;
        numbers += plan->stretch[i].at >= 0 ? plan->stretch[i].multiplies : 0;
    }
    return ASHLAR_OK;
}

void ashi_play_sums_free(ashi_play_sums **sums)
{
    ashi_play_sums *s = *sums;
    if (!s)
        return;
    free(s->at);
    free(s->number);
    free(s);
    *sums = NULL;
}

void ashi_play_sums_open(ashi_play_sums *s, bool mends)
{
    ashlar_error ignored;
    if (mends)
        return;
    for (int64_t i = 0; i < s->plan->stretches; i++) {
        s->at[i].done = s->at[i].lost = 0;
        s->at[i].there = false;
    }
    if (!has_failed(s))
        ashi_onto_stay_begin(s->onto, s->plan->area, &s->stay, &ignored); /* else all sums go there and back */
}

/* After a failure of another kind sums may be there that nobody wants any more. */
void ashi_play_sums_close(ashi_play_sums *s)
{
    ashi_onto_stay_end(&s->stay);
}

/* ---- what is lost ---- */

bool ashi_play_sums_lost(const ashi_play_sums *s)
{
    bool lost = false;
    for (int64_t i = 0; i < s->plan->stretches; i++)
        lost = lost || s->at[i].lost > 0;
    return lost;
}

/* What has not come back: the rest of a line, and the lines behind it. */
static int missing_of(const ashi_onto_sum *sum, ashi_box out[2])
{
    const bool minor = sum->stride[0] == 1;
    const int64_t m = sum->size[0], n = sum->size[1], all = minor ? n : m, line = sum->lines, at = sum->within;
    const int64_t next = line + (at > 0);
    int boxes = 0;
    if (at > 0)
        out[boxes++] = minor ? (ashi_box){at, m, line, line + 1} : (ashi_box){line, line + 1, at, n};
    if (next < all)
        out[boxes++] = minor ? (ashi_box){0, m, next, n} : (ashi_box){next, m, 0, n};
    return boxes;
}

/* A sum without any product is beta times what is there. */
static void begin(const ashi_play *play, const one_stretch *one, const ashi_box *b)
{
    const ashi_onto_sum *sum = &one->sum;
    char *at = (char *)sum->c + (b->minor_lo * sum->stride[0] + b->major_lo * sum->stride[1]) *
                                    (int64_t)play->element[ASHLAR_C];
    const ashi_matrix unread = {at, 1, 1};
    play->kernels->gemm(b->minor_hi - b->minor_lo, b->major_hi - b->major_lo, 0, play->kernels->one, &unread, false,
                        &unread, false, one->beta, at, sum->stride[0], sum->stride[1]);
}

static int by_number(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* All sums that the device has. None goes there any more. */
static void lose(const ashi_play *play, const ashlar_error *why)
{
    ashi_play_sums *s = play->sums;
    ashi_box box[2];
    ashi_onto_stay_lose(s->stay, why);
    for (int64_t i = 0; i < s->plan->stretches; i++) {
        one_stretch *one = &s->at[i];
        if (!one->there)
            continue;
        const int boxes = missing_of(&one->sum, box);
        one->there = false;
        one->lost = one->done;
        qsort(s->number + one->first, (size_t)one->lost, sizeof *s->number, by_number);
        for (int b = 0; b < boxes && one->beta; b++)
            begin(play, one, &box[b]);
    }
    ashi_onto_stay_end(&s->stay);
}

int ashi_play_sums_missing(const ashi_play_sums *s, const ashi_node *n, ashi_box out[2])
{
    const ashi_onto_sums *plan = s->plan;
    const int64_t panel = n->task.makes;
    for (int64_t i = ashi_onto_sums_first(plan, panel); i < plan->stretches && plan->stretch[i].panel == panel; i++) {
        const one_stretch *one = &s->at[i];
        if (one->lost > 0 && bsearch(&n->task.number, s->number + one->first, (size_t)one->lost, sizeof *s->number,
                                     by_number))
            return missing_of(&one->sum, out);
    }
    return 0;
}

/* ---- a MULTIPLY ---- */

/* Sums that go there and back use all of the memory beside the area. */
static int64_t goes_there_and_back(const ashi_play_sums *s)
{
    if (s->stay)
        ashi_onto_stay_rest(s->stay);
    return -1;
}

int64_t ashi_play_sums_next(const ashi_play *play, const ashi_node *n)
{
    ashi_play_sums *s = play->sums;
    const ashi_onto_sums *plan = s->plan;
    const int64_t panel = n->task.makes;
    if (has_failed(s) && s->stay)
        lose(play, &ashi_onto_total(s->onto)->failure);
    int64_t i = ashi_onto_sums_first(plan, panel);
    while (i < plan->stretches && plan->stretch[i].panel == panel && s->at[i].done == plan->stretch[i].multiplies)
        i++;
    if (i == plan->stretches || plan->stretch[i].panel != panel)
        return goes_there_and_back(s);
    one_stretch *one = &s->at[i];
    one->done++;
    if (plan->stretch[i].at < 0 || !s->stay || has_failed(s) || (one->done > 1 && !one->there))
        return goes_there_and_back(s);
    s->number[one->first + one->done - 1] = n->task.number;
    return i;
}

/* The stretch begins with this product, of the box of a MULTIPLY. */
static void take(const ashi_play *play, one_stretch *one, const ashi_node *n, const ashi_onto_product *p)
{
    const ashi_panel *panel = &ashi_window_placed(&play->window, n->makes)->panel;
    ashi_onto_sum *sum = &one->sum;
    const int64_t before = (n->task.lo[0] - panel->lo[0]) * p->minor_stride +
                           (n->task.lo[1] - panel->lo[1]) * p->major_stride;
    for (int d = 0; d < 2; d++)
        sum->size[d] = panel->hi[d] - panel->lo[d];
    sum->stride[0] = p->minor_stride;
    sum->stride[1] = p->major_stride;
    sum->c = (char *)p->c - before * (int64_t)play->element[ASHLAR_C];
    sum->lines = sum->within = 0;
    one->beta = n->task.begins ? p->beta : NULL;
    one->there = true;
}

void ashi_play_sums_add(const ashi_play *play, int64_t i, const ashi_node *n, const ashi_onto_product *p, bool first)
{
    ashi_play_sums *s = play->sums;
    one_stretch *one = &s->at[i];
    const ashi_panel *panel = &ashi_window_placed(&play->window, n->makes)->panel;
    const int64_t at[2] = {n->task.lo[0] - panel->lo[0], n->task.lo[1] - panel->lo[1]};
    const bool begins = first && one->done == 1;
    ashlar_error err = {0};
    if (begins)
        take(play, one, n, p);
    if (!one->there)
        return;
    const bool reads = begins && (!one->beta || !play->kernels->is_zero(one->beta));
    const ashi_onto_before before = !reads                    ? ASHI_ONTO_NOTHING
                                    : s->plan->stretch[i].zero ? ASHI_ONTO_CLEAR
                                                               : ASHI_ONTO_FETCH;
    if (ashi_onto_stay_add(s->stay, &one->sum, at, p, before, &err) != ASHLAR_OK)
        lose(play, &err);
}

void ashi_play_sums_added(const ashi_play *play, int64_t i, const ashi_onto_product *p)
{
    ashi_play_sums *s = play->sums;
    one_stretch *one = &s->at[i];
    ashlar_error err = {0};
    if (!one->there)
        return;
    ashlar_status status = ashi_onto_stay_copied(s->stay, p, &err);
    if (status == ASHLAR_OK && one->done == s->plan->stretch[i].multiplies) {
        status = ashi_onto_stay_return(s->stay, &one->sum, p, &err);
        one->there = status != ASHLAR_OK;
    }
    if (status != ASHLAR_OK)
        lose(play, &err);
}
