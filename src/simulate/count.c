/* Count what a rank's program moves, copies, multiplies and holds. */
#include "simulate/count.h"

#include "base/checked.h"
#include "base/error.h"
#include "base/ordering.h"

#include <stdlib.h>

/* What takes room in the pool: what stays, the running sums or a block of A or B; another panel of A, B or C; or
 * nothing. */
enum { STAYS = 3, CLASSES, NO_ROOM = -1 };

/* A panel that may still be read. */
typedef struct held {
    int64_t id, words; /* words: of room */
    int class;
} held;

typedef struct counter {
    const ashi_program *program;
    int64_t rank, window;
    ashi_need *need;
    held *panel;              /* by their numbers: those with room: first those of earlier steps, then this one's */
    int64_t panels, capacity;
    ashi_panel newest;        /* the panel that was visited last */
    int64_t before[CLASSES];  /* words of room that panels of earlier steps take */
    int64_t made[CLASSES], gone[CLASSES]; /* in this step */
    int64_t most[CLASSES];    /* in any step */
    int64_t recent[ASHI_WINDOW_MAX], kept[ASHI_WINDOW_MAX]; /* of each of the last steps: words made; there before */
    int64_t steps;
} counter;

/* ---- panels ---- */

/* Of what stays, pieces that are to be unpacked or sent pass. */
static int class_of(const ashi_program *program, const ashi_panel *p)
{
    if (p->memory != ASHI_MEMORY_POOL || p->within >= 0)
        return NO_ROOM;
    const bool stays = program->stays == ASHI_STAYS_C
                           ? p->part >= 0
                           : p->operand == ashi_stationary(program->stays) && p->content != ASHI_CONTENT_SHARE;
    return stays ? (int)STAYS : (int)p->operand;
}

static ashlar_status count_panel(void *context, const ashi_panel *p, ashlar_error *err)
{
    counter *c = context;
    const int class = class_of(c->program, p);
    int64_t room = 0;
    c->newest = *p;
    if (class == NO_ROOM)
        return ASHLAR_OK;
    if (!ashi_panel_room(p, &room))
        return ashi_fail(err, ASHLAR_ERR_OVERFLOW, "a panel has more than 2^63 words");
    if (c->panels == c->capacity) {
        const int64_t capacity = ashi_max(32, 2 * c->capacity);
        held *grown = realloc(c->panel, (size_t)capacity * sizeof *grown);
        if (!grown)
            return ashi_fail_memory(err, "count", capacity * (int64_t)sizeof *grown);
        c->panel = grown;
        c->capacity = capacity;
    }
    c->panel[c->panels++] = (held){p->id, room, class};
    c->made[class] += room;
    return ASHLAR_OK;
}

static held *find(const counter *c, int64_t id)
{
    const int64_t at = c->panels > 0 ? ashi_first_key(&c->panel->id, sizeof *c->panel, c->panels, id) : 0;
    return at < c->panels && c->panel[at].id == id ? &c->panel[at] : NULL;
}

static void free_room(counter *c, int64_t id)
{
    held *h = find(c, id);
    if (h && h->class != NO_ROOM) {
        c->gone[h->class] += h->words;
        h->class = NO_ROOM;
    }
}

/* Room is free after the step of the last reader; that of sums that a rank passes on after the step of the REDUCE. */
static void let_go(counter *c, const ashi_operation *o)
{
    for (int i = 0; i < ASHI_READS_MAX; i++)
        if (o->last[i])
            free_room(c, o->read[i]);
    if (o->kind == ASHI_DO_REDUCE && o->owner != c->rank && o->makes >= 0)
        free_room(c, o->makes);
}

/* ---- operations ---- */

/* What is not in the pool is in the caller's array, or in a file if the operand is. */
static void count_move(counter *c, const ashi_operation *o)
{
    const ashi_panel *newest = c->newest.id == o->makes ? &c->newest : NULL;
    const held *to = newest ? NULL : find(c, o->makes); /* a sum, into which C is read */
    const int64_t words = newest ? newest->words : to ? to->words : 0;
    const ashlar_operand x = newest ? newest->operand : ASHLAR_C;
    if (newest && newest->memory == ASHI_MEMORY_FILE)
        c->need->written += words;
    else if (c->program->source[x] == ASHI_MEMORY_FILE && !find(c, o->read[0]))
        c->need->read += words;
    else
        c->need->copied += words;
}

static void count_group(counter *c, const ashi_operation *o)
{
    ashi_need *need = c->need;
    if (o->owner < 0 && (o->kind == ASHI_DO_REDUCE || o->kind == ASHI_DO_MULTICAST)) { /* of a brief program */
        const bool sends = o->kind == ASHI_DO_REDUCE;
        *(sends ? &need->sent : &need->received) += o->words;
        *(sends ? &need->sent_messages : &need->received_messages) += o->members;
        return;
    }
    const ashi_program_traffic t = ashi_program_count(c->program, c->rank, o);
    need->sent += t.sent;
    need->received += t.received;
    need->received_sums += o->operand == ASHLAR_C ? t.received : 0;
    need->sent_messages += t.sends;
    need->received_messages += t.receives;
    if (o->kind == ASHI_DO_REDUCE && o->owner == c->rank)
        need->copied += o->words * o->members; /* they are added to C later */
}

static void count_products(ashi_need *need, const ashi_operation *o)
{
    const int64_t m = o->hi[0] - o->lo[0], n = o->hi[1] - o->lo[1], k = o->hi[2] - o->lo[2];
    const int64_t count = o->hi[3] - o->lo[3];
    need->products += m * n * k * count;
    need->thin += o->joined ? o->words : ashi_thin_words(m, n, k) * count;
}

static ashlar_status count_operation(void *context, const ashi_operation *o, ashlar_error *err)
{
    counter *c = context;
    (void)err;
    const bool own_c = c->newest.id == o->makes && c->newest.part < 0;
    if (o->kind == ASHI_DO_MOVE)
        count_move(c, o);
    else if (o->kind <= ASHI_DO_REDUCE)
        count_group(c, o);
    else if (o->kind == ASHI_DO_MULTIPLY)
        count_products(c->need, o);
    else if (own_c && (o->kind == ASHI_DO_SCALE || o->read[0] < 0)) /* beta C, or the rank's own sums alone */
        c->need->copied += c->newest.words;
    let_go(c, o);
    return ASHLAR_OK;
}

/* ---- steps ---- */

/* Those that nothing reads later leave the list. */
static void keep_panels(counter *c)
{
    int64_t kept = 0;
    for (int64_t i = 0; i < c->panels; i++)
        if (c->panel[i].class != NO_ROOM)
            c->panel[kept++] = c->panel[i];
    c->panels = kept;
}

static void end_step(counter *c)
{
    ashi_need *need = c->need;
    const int64_t at = c->steps++ % c->window;
    c->recent[at] = c->kept[at] = 0;
    for (int x = 0; x < CLASSES; x++) {
        c->most[x] = ashi_max(c->most[x], c->before[x] + c->made[x]);
        if (x != STAYS) {
            c->recent[at] += c->made[x];
            c->kept[at] += c->before[x];
        }
        c->before[x] += c->made[x] - c->gone[x];
        c->made[x] = c->gone[x] = 0;
    }
    const int64_t first = c->steps < c->window ? 0 : c->steps % c->window; /* the oldest of the last steps */
    int64_t words = c->kept[first];
    for (int64_t i = 0; i < c->window; i++)
        words += c->recent[i];
    need->workspace = ashi_max(need->workspace, words);
    keep_panels(c);
}

static void finish(counter *c)
{
    ashi_need *need = c->need;
    for (int x = 0; x < 3 && c->program->view; x++) {
        const ashi_view *view = &c->program->view[x];
        const ashi_box all = {0, view->minor.size, 0, view->major.size};
        if (c->program->source[x] == ASHI_MEMORY_CALLER)
            need->share += ashi_view_words(view, c->rank, &all);
    }
    const int first = (int)ashi_stationary(c->program->stays); /* what arrives once, or moves when all is multiplied */
    need->c_words = c->most[STAYS];
    need->panel_words = c->most[(first + 1) % 3] + c->most[(first + 2) % 3];
    need->sum_words = c->most[first];
    need->sum_cols = c->program->stays == ASHI_STAYS_C ? c->program->n : c->program->k;
    need->workspace += need->c_words;
}

ashlar_status ashi_count_in_full(ashi_program *program, int64_t rank, ashi_need *out, ashlar_error *err)
{
    *out = (ashi_need){0};
    counter c = {.program = program, .rank = rank, .window = ashi_min(program->look_ahead + 1, ASHI_WINDOW_MAX),
                 .need = out, .newest = {.id = -1}};
    const ashi_program_visitor visitor = {count_panel, count_operation, &c};
    ashlar_status status = ASHLAR_OK;
    for (int64_t step = 0; step < program->steps && status == ASHLAR_OK; step++) {
        status = program->emit(program, rank, step, &visitor, err);
        end_step(&c);
    }
    finish(&c);
    free(c.panel);
    return status == ASHLAR_OK && program->pool ? program->pool(program, rank, &out->workspace, err) : status;
}

ashlar_status ashi_count_program(ashi_program *program, int64_t rank, ashi_need *out, ashlar_error *err)
{
    program->brief = true;
    const ashlar_status status = ashi_count_in_full(program, rank, out, err);
    program->brief = false;
    return status;
}
