/* Programs in which A or B stays pass the checkers, count what they move, and the checkers find what is altered in
 * them. */
#include "base/checked.h"
#include "engine/grid_own.h"
#include "program_mutants.h"
#include "random_request.h"
#include "simulate/count.h"

#include <string.h>

/* What was tried. */
typedef struct seen {
    int64_t moved[3], in_place, pieces; /* problems in which words of A, B or C moved, sums in the caller's C, ... */
    int64_t across;                     /* in which owners share what stays along its minor side */
    program_mutants mutants;
} seen;

/* Words that all ranks move of each matrix. */
typedef struct moved {
    const ashi_program *program;
    int64_t rank, words[3];
    bool in_place;
} moved;

static ashlar_status note_panel(void *context, const ashi_panel *panel, ashlar_error *err)
{
    moved *m = context;
    (void)err;
    m->in_place = m->in_place || (panel->part >= 0 && panel->memory == ASHI_MEMORY_CALLER);
    return ASHLAR_OK;
}

static ashlar_status note_message(void *context, const ashi_operation *op, const ashi_message *message,
                                  ashlar_error *err)
{
    moved *m = context;
    (void)err;
    m->words[op->operand] += message->send ? 0 : message->words;
    return ASHLAR_OK;
}

static ashlar_status note_operation(void *context, const ashi_operation *o, ashlar_error *err)
{
    moved *m = context;
    return ashi_program_messages(m->program, m->rank, o, note_message, m, err);
}

static ashlar_status note_all(ashi_program *program, const ashi_schedule *s, seen *n, ashlar_error *err)
{
    moved m = {.program = program};
    const ashi_program_visitor visitor = {note_panel, note_operation, &m};
    ashlar_status status = ASHLAR_OK;
    for (m.rank = 0; m.rank < program->ranks && status == ASHLAR_OK; m.rank++)
        status = ashi_program_walk(program, m.rank, &visitor, err);
    for (int x = 0; x < 3; x++)
        n->moved[x] += m.words[x] > 0;
    n->in_place += m.in_place;
    n->pieces += s->reduce_rounds > 1 && m.words[ashi_stationary(s->stays)] > 0;
    return status;
}

static void one_problem(ashi_test *t, uint64_t seed, int64_t longest, int tries, seen *n)
{
    grid_problem p;
    ashi_schedule s = {0};
    ashi_program program = {0};
    ashi_check_report report = {0};
    ashlar_error err = {0};
    const bool made = random_grid_problem(seed, longest, &p, &err);
    p.request.stays = seed % 2 ? ASHI_STAYS_A : ASHI_STAYS_B;
    p.request.tree = seed / 2 % 2;
    p.request.once = seed / 4 % 2;
    ashlar_status status = made ? ashi_grid_schedule(&p.request, &s, &err) : ASHLAR_ERR_ARG;
    s.torus = p.request.tree ? p.torus : (ashi_torus){0};
    if (status == ASHLAR_OK)
        status = ashi_program_of(&s, &program, &err);
    if (status == ASHLAR_OK)
        status = ashi_check_program(&program, &report, &err);
    for (int64_t look_ahead = 0; look_ahead < 3 && status == ASHLAR_OK; look_ahead++)
        passes_agree(t, seed, &program, look_ahead, &report);
    if (status == ASHLAR_OK && program.look_ahead > 2)
        passes_agree(t, seed, &program, program.look_ahead, &report);
    if (status == ASHLAR_OK)
        counts_agree(t, seed, &program, &report);
    if (status == ASHLAR_OK)
        status = note_all(&program, &s, n, &err);
    CHECK(t, status == ASHLAR_OK, "seed %" PRIu64 ": %s", seed, err.text);
    ashi_program_free(&program);
    if (status == ASHLAR_OK) {
        const ashi_grid_own *g = s.own;
        n->across += g->stretches.minor && g->stretches.most > 1;
        program_mutants_are_found(t, seed, &s, tries, &n->mutants);
    }
    ashi_schedule_free(&s);
    free_grid_problem(&p);
}

int main(int argc, char **argv)
{
    ashi_test t = {0};
    seen n = {0};
    const ashi_seeds seeds = ashi_seeds_of(argc, argv, 800);
    for (uint64_t seed = seeds.first; seed <= seeds.last; seed++)
        one_problem(&t, seed, 40, seed % 3 ? 0 : 3, &n);
    for (int x = 0; x < 3 && !seeds.told; x++)
        CHECK(&t, n.moved[x] > 100, "words of %c moved in only %" PRId64 " problems", 'A' + x, n.moved[x]);
    CHECK(&t, seeds.told || (n.in_place > 100 && n.pieces > 100), "%" PRId64 " problems with sums in place, %" PRId64
          " in which what stays arrived in pieces", n.in_place, n.pieces);
    CHECK(&t, seeds.told || n.across > 20, "only %" PRId64 " problems in which owners share what stays along its minor "
          "side", n.across);
    if (!seeds.told)
        program_mutants_were_many(&t, &n.mutants, "peer, swap", 10);
    return ashi_test_end(&t, "stays");
}
