/* The nest engine's programs pass the checker, and their words, messages and steps are those of the closed forms. A
 * program may be cut where tiles end. */
#include "base/checked.h"
#include "check/program.h"
#include "check/ready.h"
#include "engine/builder.h"
#include "engine/nest.h"
#include "program_mutants.h"
#include "random_nest.h"
#include "schedule/ready.h"

#include <string.h>

/* What a walk over one rank's program finds. */
typedef struct counted {
    ashi_nest_figures f;
    ashi_panel *panel;
    int64_t panels, capacity;
} counted;

static ashlar_status note_panel(void *context, const ashi_panel *panel, ashlar_error *err)
{
    counted *c = context;
    (void)err;
    if (c->panels == c->capacity) {
        c->capacity = 2 * c->capacity + 64;
        c->panel = realloc(c->panel, (size_t)c->capacity * sizeof *c->panel);
        if (!c->panel)
            abort();
    }
    c->panel[c->panels++] = *panel;
    return ASHLAR_OK;
}

static ashlar_status note_operation(void *context, const ashi_operation *o, ashlar_error *err)
{
    counted *c = context;
    ashi_nest_figures *f = &c->f;
    (void)err;
    if (o->kind == ASHI_DO_MOVE) {
        const ashi_panel *from = &c->panel[o->read[0]], *to = &c->panel[o->makes];
        int64_t *const given[] = {&f->a, &f->b, &f->c0};
        if (from->memory == ASHI_MEMORY_FILE)
            *(from->given ? given[from->operand] : &f->back) += from->words;
        if (to->memory == ASHI_MEMORY_FILE)
            f->c += to->words;
        f->disk += from->words;
    }
    f->sent += o->kind == ASHI_DO_SEND ? o->words : 0;
    f->sent_messages += o->kind == ASHI_DO_SEND;
    f->received += o->kind == ASHI_DO_RECEIVE ? o->words : 0;
    f->received_messages += o->kind == ASHI_DO_RECEIVE;
    if (o->kind == ASHI_DO_MULTIPLY)
        f->products += (o->hi[0] - o->lo[0]) * (o->hi[1] - o->lo[1]) * (o->hi[2] - o->lo[2]);
    return ASHLAR_OK;
}

/* They are all of one type. */
static bool same_figures(const ashi_nest_figures *x, const ashi_nest_figures *y)
{
    return memcmp(x, y, sizeof *x) == 0;
}

static void add_figures(ashi_nest_figures *total, ashi_nest_figures *most, const ashi_nest_figures *f)
{
    int64_t all[sizeof *f / sizeof f->a], largest[sizeof *f / sizeof f->a], own[sizeof *f / sizeof f->a];
    memcpy(all, total, sizeof all);
    memcpy(largest, most, sizeof largest);
    memcpy(own, f, sizeof own);
    for (size_t i = 0; i < sizeof own / sizeof *own; i++) {
        all[i] += own[i];
        largest[i] = ashi_max(largest[i], own[i]);
    }
    memcpy(total, all, sizeof all);
    memcpy(most, largest, sizeof largest);
}

/* Every rank's walk gives its closed form; their sums and the most of them are as said. */
static void figures_are_exact(ashi_test *t, uint64_t seed, const ashi_nest *nest, ashi_program *program)
{
    ashi_nest_figures all = {0}, largest = {0}, total, most;
    ashlar_error err = {0};
    for (int64_t rank = 0; rank < nest->ranks; rank++) {
        counted c = {0};
        const ashi_program_visitor visitor = {note_panel, note_operation, &c};
        CHECK(t, ashi_program_walk(program, rank, &visitor, &err) == ASHLAR_OK, "seed %" PRIu64 ": %s", seed, err.text);
        const ashi_nest_figures f = ashi_nest_of_rank(nest, rank);
        CHECK(t, same_figures(&f, &c.f), "seed %" PRIu64 ": rank %" PRId64 " has %" PRId64 " words of files, %" PRId64
              " received; said are %" PRId64 " and %" PRId64, seed, rank, c.f.disk, c.f.received, f.disk, f.received);
        add_figures(&all, &largest, &f);
        free(c.panel);
    }
    CHECK(t, ashi_nest_total(nest, &total, &most, &err) == ASHLAR_OK, "seed %" PRIu64 ": %s", seed, err.text);
    CHECK(t, same_figures(&all, &total), "seed %" PRIu64 ": %" PRId64 " words of files, said are %" PRId64, seed,
          all.disk, total.disk);
    CHECK(t, same_figures(&largest, &most), "seed %" PRIu64 ": %" PRId64 " words of files at most, said are %" PRId64,
          seed, largest.disk, most.disk);
}

/* The passes place every rank's panels in the memory that the closed form says. If the program has all items some rank
 * needs exactly that. */
static void memory_is_kept(ashi_test *t, uint64_t seed, const ashi_nest *nest, ashi_program *program)
{
    const int64_t promised = ashi_nest_memory(nest);
    int64_t most = 0;
    for (int64_t rank = 0; rank < nest->ranks; rank++) {
        const ashi_passes_request request = {.program = program, .rank = rank, .look_ahead = 0, .tags = 32768};
        int64_t peak = 0;
        ashlar_error err = {0};
        CHECK(t, ashi_passes_peak_of(&request, &peak, &err) == ASHLAR_OK, "seed %" PRIu64 ": %s", seed, err.text);
        CHECK(t, peak <= promised, "seed %" PRIu64 ", %c stays: rank %" PRId64 " uses %" PRId64 " words, promised %"
              PRId64, seed, "ABC"[nest->stays], rank, peak, promised);
        most = ashi_max(most, peak);
    }
    CHECK(t, most == promised || nest->from > 0 || nest->to > 0, "seed %" PRIu64 ", %c stays: %" PRId64
          " words are used, promised %" PRId64, seed, "ABC"[nest->stays], most, promised);
}

/* With their places and predecessors the tasks may run as data arrives, with the look-ahead that they are meant for and
 * with a larger one. */
static void tasks_are_safe(ashi_test *t, uint64_t seed, ashi_program *program)
{
    ashi_ready_request request = {.program = program, .look_ahead = (int64_t)(seed % 4 / 2), .tags = 32768,
                                  .walk = ashi_ready_walk};
    ashi_check_report report;
    ashlar_error err = {0};
    request.context = &request;
    CHECK(t, ashi_check_ready(&request, &report, &err) == ASHLAR_OK, "seed %" PRIu64 ", look-ahead %" PRId64 ": %s",
          seed, request.look_ahead, err.text);
}

/* Whether the items of all ranks that work are counted alike. */
static bool turns_are_equal(const ashi_nest *nest)
{
    const ashi_nest_turns first = ashi_nest_turns_of(nest, 0);
    for (int64_t rank = 1; rank < nest->ranks; rank++) {
        const ashi_nest_turns turns = ashi_nest_turns_of(nest, rank);
        if (turns.all > 0 && (turns.all != first.all || turns.tile != first.tile || turns.sums != first.sums))
            return false;
    }
    return true;
}

/* What one rank does in a part of the items, which also needs no more memory and is as safe to run. */
static void count_part(ashi_test *t, uint64_t seed, const ashi_nest *part, int64_t rank, counted *c)
{
    ashi_program program;
    ashlar_error err = {0};
    const ashi_program_visitor visitor = {note_panel, note_operation, c};
    c->panels = 0;
    CHECK(t, ashi_nest_program(part, &program, &err) == ASHLAR_OK &&
          ashi_program_walk(&program, rank, &visitor, &err) == ASHLAR_OK, "seed %" PRIu64 ": %s", seed, err.text);
    memory_is_kept(t, seed, part, &program);
    tasks_are_safe(t, seed, &program);
    ashi_program_free(&program);
}

/* Programs of some items each, one after the other, do what the program of all does. Sums that an earlier one began are
 * given to a later one. */
static void parts_are_the_whole(ashi_test *t, uint64_t seed, const ashi_nest *nest)
{
    uint64_t state = seed;
    const ashi_nest_turns turns = ashi_nest_turns_of(nest, 0);
    const int64_t tiles = turns.all / turns.tile;
    ashi_nest part = *nest;
    if (!turns_are_equal(nest))
        return;
    CHECK(t, turns.sums % turns.tile == 0 && turns.all % turns.sums == 0, "seed %" PRIu64 ": turns", seed);
    const int64_t rank = ashi_random_in(&state, 0, nest->ranks - 1);
    ashi_nest_figures whole = ashi_nest_of_rank(nest, rank);
    counted c = {0};
    for (int64_t at = 0; at < tiles; at = part.to / turns.tile) {
        part.from = at * turns.tile;
        part.to = ashi_random_in(&state, at + 1, tiles) * turns.tile;
        count_part(t, seed, &part, rank, &c);
    }
    free(c.panel);
    whole.c0 += whole.back;
    c.f.c0 += c.f.back;
    whole.back = c.f.back = 0;
    CHECK(t, same_figures(&whole, &c.f), "seed %" PRIu64 ", %c stays: rank %" PRId64 " has %" PRId64
          " words of files and %" PRId64 " products in parts, %" PRId64 " and %" PRId64 " in one", seed,
          "ABC"[nest->stays], rank, c.f.disk, c.f.products, whole.disk, whole.products);
}

/* ---- what is read from a file in vain ---- */

/* The program first, so that a pointer to it is one to this: rank 0 reads an element of A once more at the end. */
typedef struct wasteful {
    ashi_program program;
    ashi_program *original;
    bool says; /* the panel says that nothing reads it */
    int64_t panels;
    const ashi_program_visitor *visitor;
} wasteful;

static ashlar_status count_panel(void *context, const ashi_panel *panel, ashlar_error *err)
{
    wasteful *w = context;
    w->panels = panel->id + 1;
    return w->visitor->panel(w->visitor->context, panel, err);
}

static ashlar_status hand_on(void *context, const ashi_operation *o, ashlar_error *err)
{
    const wasteful *w = context;
    return w->visitor->operation(w->visitor->context, o, err);
}

static ashlar_status read_in_vain(const wasteful *w, int64_t step, ashlar_error *err)
{
    const ashi_box box = {0, 1, 0, 1};
    ashi_panel from = ashi_panel_of(ASHLAR_A, &box), to = from;
    ashi_operation move = ashi_operation_blank(ASHI_DO_MOVE);
    from.id = w->panels;
    from.memory = ASHI_MEMORY_FILE;
    from.given = true;
    to.id = w->panels + 1;
    to.unread = w->says;
    ashi_operation_reads(&move, 0, from.id, true);
    move.makes = to.id;
    move.step = step;
    ashlar_status status = w->visitor->panel(w->visitor->context, &from, err);
    if (status == ASHLAR_OK)
        status = w->visitor->panel(w->visitor->context, &to, err);
    return status == ASHLAR_OK ? w->visitor->operation(w->visitor->context, &move, err) : status;
}

static ashlar_status emit_more(ashi_program *program, int64_t rank, int64_t step, const ashi_program_visitor *visitor,
                               ashlar_error *err)
{
    wasteful *w = (wasteful *)program;
    const ashi_program_visitor counting = {count_panel, hand_on, w};
    w->visitor = visitor;
    w->panels = step == 0 ? 0 : w->panels;
    const ashlar_status status = w->original->emit(w->original, rank, step, &counting, err);
    return status == ASHLAR_OK && rank == 0 && step + 1 == program->steps ? read_in_vain(w, step, err) : status;
}

/* It is refused, unless the panel and the program say so. */
static void nothing_is_read_in_vain(ashi_test *t, uint64_t seed, ashi_program *program)
{
    static const char *const text[] = {"nothing reads a panel, and it does not say so",
                                       "MOVE: brings a panel that nothing reads", ""};
    for (int i = 0; i < 3 && program->steps > 0 && program->k > 0; i++) {
        wasteful w = {.program = *program, .original = program, .says = i > 0};
        ashi_check_report report;
        w.program.emit = emit_more;
        w.program.brings_more = i == 2;
        const ashlar_status status = ashi_check_program(&w.program, &report, NULL);
        CHECK(t, status == (i == 2 ? ASHLAR_OK : ASHLAR_ERR_INTERNAL) && strstr(report.text, text[i]),
              "seed %" PRIu64 ": wanted '%s', not '%s'", seed, text[i], report.text);
    }
}

static void one_nest(ashi_test *t, uint64_t seed, program_mutants *mutants)
{
    const ashi_nest nest = random_nest(seed);
    ashi_program program;
    ashi_check_report report;
    ashi_nest_figures total, most;
    ashlar_error err = {0};
    ashlar_status status = ashi_nest_program(&nest, &program, &err);
    CHECK(t, status == ASHLAR_OK, "seed %" PRIu64 ": %s", seed, err.text);
    if (status != ASHLAR_OK)
        return;
    figures_are_exact(t, seed, &nest, &program);
    status = ashi_check_program(&program, &report, &err);
    CHECK(t, status == ASHLAR_OK, "seed %" PRIu64 ", %c stays: %s", seed, "ABC"[nest.stays], err.text);
    if (status == ASHLAR_OK && ashi_nest_total(&nest, &total, &most, NULL) == ASHLAR_OK)
        CHECK(t, report.products == total.products && report.read + report.written == total.disk &&
              report.written == total.c && report.words == total.sent && report.messages == total.sent_messages,
              "seed %" PRIu64 ": %" PRId64 " words read, %" PRId64 " written", seed, report.read, report.written);
    memory_is_kept(t, seed, &nest, &program);
    tasks_are_safe(t, seed, &program);
    if (status == ASHLAR_OK)
        passes_agree(t, seed, &program, 0, &report);
    parts_are_the_whole(t, seed, &nest);
    nothing_is_read_in_vain(t, seed, &program);
    mutants_of_program_are_found(t, seed, &program, 6, mutants);
    ashi_program_free(&program);
}

int main(int argc, char **argv)
{
    ashi_test t = {0};
    program_mutants mutants = {0};
    const ashi_seeds seeds = ashi_seeds_of(argc, argv, 600);
    for (uint64_t seed = seeds.first; seed <= seeds.last; seed++)
        one_nest(&t, seed, &mutants);
    if (!seeds.told)
        program_mutants_were_many(&t, &mutants, "lost sum, owner, member, chunk, swap, landing", 100);
    return ashi_test_end(&t, "nest");
}
