/* A compiled function that keeps its plans: executed again, with other arrays, and with wrong extents;
 * under a limit, and resumed. */
#define PROGRAM "compiled"

#include <compiled.c> /* before others, whose names its variables have */

#include "folder.h"
#include "mpi/ranks.h"

#include <math.h>

enum { O = 5, V = 7 };

/* Arrays that every rank has whole, so that plain loops can check them. */
typedef struct arrays {
    double e[O + V], A[O][V], B[V][O], C[O][O], D[O][V], energy;
} arrays;

/* Small integers; e[i] - e[a] is 4, so that division is exact. */
static void fill(arrays *x, int64_t seed)
{
    for (int p = 0; p < O + V; p++)
        x->e[p] = p < O ? 5 : 1;
    for (int i = 0; i < O; i++)
        for (int a = 0; a < V; a++) {
            x->A[i][a] = (double)((seed + 3 * i + 5 * a) % 7 - 3);
            x->B[a][i] = (double)((seed + 2 * i + 3 * a) % 5 - 2);
        }
    for (int i = 0; i < O; i++)
        for (int j = 0; j < O; j++)
            x->C[i][j] = (double)(10 * i + j);
}

static void expect(arrays *x)
{
    double ab[O][O] = {{0}};
    for (int i = 0; i < O; i++)
        for (int j = 0; j < O; j++)
            for (int a = 0; a < V; a++)
                ab[i][j] += x->A[i][a] * x->B[a][j];
    x->energy = 0;
    for (int i = 0; i < O; i++) {
        for (int j = 0; j < O; j++)
            x->C[i][j] += 2 * (ab[i][j] + ab[j][i]);
        for (int a = 0; a < V; a++) {
            x->D[i][a] = 0;
            for (int j = 0; j < O; j++)
                x->D[i][a] += ab[i][j] * x->A[j][a] / 4;
            x->energy += x->D[i][a] * x->B[a][i];
        }
    }
}

/* This rank's rows of an array of so many, in even blocks: the first, and in *count how many. */
static int rows(const rig *r, int of, int *count)
{
    const int block = (of + r->ranks - 1) / r->ranks, begin = r->rank * block < of ? r->rank * block : of;
    *count = begin + block < of ? block : of - begin;
    return begin;
}

/* The parts of arrays that are this rank's; results lie in x itself. */
static compiled_arguments arguments_of(const rig *r, arrays *x)
{
    int count;
    const int o = rows(r, O, &count), v = rows(r, V, &count);
    return (compiled_arguments){.o = O, .v = V, .e_o = x->e + o, .e_v = x->e + O + v, .A = (double *)x->A + o * V,
                                .B = (double *)x->B + v * O, .C = (double *)x->C + o * O,
                                .D = (double *)x->D + o * V, .energy = &x->energy};
}

static void compare(rig *r, const arrays *got, const arrays *want)
{
    int count;
    const int begin = rows(r, O, &count);
    for (int i = begin; i < begin + count; i++) {
        CHECK(&r->test, memcmp(got->C[i], want->C[i], sizeof got->C[i]) == 0, "row %d of C", i);
        for (int a = 0; a < V; a++)
            CHECK(&r->test, got->D[i][a] == want->D[i][a], "D[%d][%d]: %g, not %g", i, a, got->D[i][a],
                  want->D[i][a]);
    }
    CHECK(&r->test, r->rank != 0 || got->energy == want->energy, "energy %g, not %g", got->energy, want->energy);
}

static void try_executions(rig *r, compiled_state *state)
{
    ashlar_error err = {0};
    for (int64_t seed = 0; seed < 3; seed++) {
        arrays got = {.energy = NAN}, want = {.energy = 0};
        fill(&got, seed);
        fill(&want, seed);
        expect(&want);
        const compiled_arguments given = arguments_of(r, &got);
        CHECK(&r->test, compiled_execute(state, &given, &err) == ASHLAR_OK, "%s", err.text);
        compare(r, &got, &want);
    }
    arrays same = {.energy = 7};
    compiled_arguments wrong = arguments_of(r, &same);
    wrong.v += r->rank == r->ranks - 1; /* on one rank */
    CHECK(&r->test, compiled_execute(state, &wrong, &err) == ASHLAR_ERR_ARG, "an extent that was not planned for");
    CHECK(&r->test, strcmp(err.text, "extents are not those of compiled_create") == 0, "'%s'", err.text);
    CHECK(&r->test, same.energy == 7, "energy %g", same.energy);
}

/* Intermediates go to scratch files, and contractions of them are streamed: the same results, and nothing is left. */
static void try_limit(rig *r, ashlar_context *context, int64_t memory)
{
    ashlar_error err = {0};
    arrays got = {.energy = NAN}, want = {.energy = 0};
    fill(&got, 1);
    fill(&want, 1);
    expect(&want);
    compiled_arguments given = arguments_of(r, &got);
    given.memory = memory;
    CHECK(&r->test, compiled(context, MPI_COMM_WORLD, &given, NULL, &err) == ASHLAR_OK, "%d bytes: %s", (int)memory,
          err.text);
    compare(r, &got, &want);
    given.scratch = "none/of/these";
    const ashlar_status status = compiled(context, MPI_COMM_WORLD, &given, NULL, &err);
    CHECK(&r->test, status == (memory < 800 ? ASHLAR_ERR_IO : ASHLAR_OK), "%d bytes, no folder: status %d", (int)memory,
          (int)status);
    CHECK(&r->test, status == ASHLAR_OK || strncmp(err.text, "none/of/these/ashlar.", 21) == 0, "'%s'", err.text);
}

/* Extents that are none, or of more elements than can be counted, on one rank: an error on all, and nothing is done. */
static void try_extents(rig *r, ashlar_context *context)
{
    static const struct {
        int64_t v;
        ashlar_status status;
        const char *text;
    } wrong[] = {{-1, ASHLAR_ERR_ARG, " has -1 values, wanted at least 0"},
                 {INT64_C(1) << 50, ASHLAR_ERR_OVERFLOW, ": more than 2^50 elements"}};
    for (int i = 0; i < 2; i++) {
        ashlar_error err = {0};
        arrays got = {.energy = 7};
        compiled_arguments given = arguments_of(r, &got);
        given.v = r->rank == r->ranks - 1 ? wrong[i].v : V;
        const ashlar_status status = compiled(context, MPI_COMM_WORLD, &given, NULL, &err);
        CHECK(&r->test, status == wrong[i].status && strstr(err.text, wrong[i].text), "status %d: %s", (int)status,
              err.text);
        CHECK(&r->test, got.energy == 7, "energy %g", got.energy);
    }
}

/* A folder lies where the scratch file of a step would be, whichever array it writes; or no longer. */
static void block_step(rig *r, const folder *f, int step, bool blocked)
{
    static const char *const names[] = {"C", "D", "X1", "X2", "X3"};
    for (size_t i = 0; i < sizeof names / sizeof names[0] && r->rank == 0; i++) {
        char name[40], path[PATH_BYTES];
        snprintf(name, sizeof name, "ashlar.%s.%d", names[i], step);
        folder_name(f, name, path);
        CHECK(&r->test, (blocked ? mkdir(path, 0700) : rmdir(path)) == 0, "%s", path);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

/* Add to the first element of the output C in the scratch file of its step, by which it is seen that the step is not
 * done again. */
static void change_c(rig *r, const folder *f, double by)
{
    char path[PATH_BYTES];
    double first = 0;
    if (r->rank != 0)
        return;
    folder_name(f, "ashlar.C.1", path);
    const int file = open(path, O_RDWR);
    CHECK(&r->test, file >= 0 && pread(file, &first, sizeof first, 0) == sizeof first, "%s", path);
    first += by;
    CHECK(&r->test, pwrite(file, &first, sizeof first, 0) == sizeof first, "%s", path);
    close(file);
}

/* A function that fails after some steps goes on from these, with the same inputs only. */
static void try_resume(rig *r, ashlar_context *context, int steps)
{
    folder f;
    ashlar_error err = {0};
    arrays got = {.energy = NAN}, want = {.energy = 0};
    if (r->rank == 0)
        f = folder_make();
    MPI_Bcast(&f, (int)sizeof f, MPI_BYTE, 0, MPI_COMM_WORLD);
    fill(&got, 2);
    fill(&want, 2);
    expect(&want);
    compiled_arguments given = arguments_of(r, &got);
    given.scratch = f.path;
    given.resume = true;
    block_step(r, &f, steps + 1, true);
    ashlar_status status = compiled(context, MPI_COMM_WORLD, &given, NULL, &err);
    block_step(r, &f, steps + 1, false);
    CHECK(&r->test, status == ASHLAR_ERR_IO && strstr(err.text, "Is a directory"),
          "%d steps: status %d, %s", steps, (int)status, err.text);
    got.A[O - 1][0] += 1;
    status = compiled(context, MPI_COMM_WORLD, &given, NULL, &err);
    CHECK(&r->test, status == ASHLAR_ERR_IO && strstr(err.text, "or of other extents or inputs: remove it"),
          "%d steps: status %d, %s", steps, (int)status, err.text);
    got.A[O - 1][0] -= 1;
    if (steps == 1) {
        change_c(r, &f, 1000);
        want.C[0][0] += 1000;
    }
    status = compiled(context, MPI_COMM_WORLD, &given, NULL, &err);
    CHECK(&r->test, status == ASHLAR_OK, "%d steps: %s", steps, err.text);
    compare(r, &got, &want);
    MPI_Barrier(MPI_COMM_WORLD);
    if (r->rank == 0) {
        CHECK(&r->test, folder_files(&f, false) == 0, "files are left");
        folder_remove(&f);
    }
}

/* ---- which arrays are in memory ---- */

/* The most words of files that arrays can save within so much memory: of all choices. */
static double most_saved(const ash_life *life, int count, int64_t room)
{
    double most = 0;
    for (unsigned choice = 0; choice < 1u << count; choice++) {
        double saved = 0;
        bool fits = true;
        for (int at = 0; at < 20 && fits; at++) {
            int64_t words = 0;
            for (int i = 0; i < count; i++)
                words += (choice >> i & 1) != 0 && life[i].from <= at && at <= life[i].to ? life[i].words : 0;
            fits = words <= room;
        }
        for (int i = 0; i < count; i++) {
            fits = fits && (life[i].moves >= 0 || (choice >> i & 1) != 0);
            saved += (choice >> i & 1) != 0 && life[i].moves > 0 ? (double)life[i].words * life[i].moves : 0;
        }
        most = fits && saved > most ? saved : most;
    }
    return most;
}

/* Random arrays of random times. */
static void try_keeping(rig *r)
{
    enum { COUNT = 9 };
    uint64_t state = 7;
    for (int n = 0; n < 60; n++) {
        ash_life life[COUNT];
        ash_room room = {.most = ashi_random_in(&state, 100, 400)};
        const ash_run run = {.room = &room};
        double saved = 0;
        for (int i = 0; i < COUNT; i++) {
            const int from = (int)ashi_random_in(&state, 0, 18);
            life[i] = (ash_life){.words = ashi_random_in(&state, 1, 90), .from = from,
                                 .to = (int)ashi_random_in(&state, from, 19),
                                 .moves = i == 0 ? -1 : (int)ashi_random_in(&state, 0, 4)};
        }
        ash_keep(&run, life, COUNT);
        for (int i = 0; i < COUNT; i++) {
            CHECK(&r->test, !life[i].kept || i == 0 ||
                  ash_crowd(life, COUNT, i) + life[i].words <= room.most - room.most / 4, "choice %d: array %d", n, i);
            saved += life[i].kept && life[i].moves > 0 ? (double)life[i].words * life[i].moves : 0;
        }
        const double most = most_saved(life, COUNT, room.most - room.most / 4);
        CHECK(&r->test, life[0].kept && saved == most, "choice %d: %g words saved of %g", n, saved, most);
    }
}

int main(int argc, char **argv)
{
    rig r;
    ashlar_context *context = NULL;
    compiled_state *state = NULL;
    ashlar_error err = {0};
    const compiled_arguments extents = {.o = O, .v = V};
    ashlar_options little = {.size = sizeof little, .memory_words = 1};
    if (!ranks_begin(&r, &argc, &argv, 1))
        return 1;
    CHECK(&r.test, ashlar_context_create(MPI_COMM_WORLD, &context, &err) == ASHLAR_OK, "%s", err.text);
    CHECK(&r.test, compiled_create(context, MPI_COMM_WORLD, &extents, &little, &state, &err) == ASHLAR_ERR_LIMIT &&
          !state, "one word of memory is too little: %s", err.text);
    CHECK(&r.test, compiled_create(context, MPI_COMM_WORLD, &extents, NULL, &state, &err) == ASHLAR_OK, "%s",
          err.text);
    if (state)
        try_executions(&r, state);
    try_extents(&r, context);
    try_limit(&r, context, 80);
    try_limit(&r, context, 8000);
    try_keeping(&r);
    for (int steps = 1; steps < 6; steps++)
        try_resume(&r, context, steps);
    compiled_free(&state);
    compiled_free(&state);
    CHECK(&r.test, !state, "a state that was freed");
    ashlar_context_free(&context);
    return ranks_end(&r, PROGRAM);
}
