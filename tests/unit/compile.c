/* compile: programs mean what they say, however they are optimised; their errors; the work of coupled cluster. */
#include "ash_loops.h"
#include "compile/factor.h"

typedef struct compiled {
    ashi_ash_program *program;
    ashi_ash_sums *sums;
    ashi_ash_graph graph;
    ashi_ash_steps steps;
} compiled;

static void compile(ashi_test *t, const char *text, bool share, compiled *c)
{
    ashi_ash_spot spot;
    ashlar_error err = {0};
    *c = (compiled){0};
    ashlar_status status = ashi_ash_read(text, &c->program, &spot, &err);
    if (status == ASHLAR_OK)
        status = ashi_ash_sums_make(c->program, &c->sums, &spot, &err);
    if (status == ASHLAR_OK)
        status = ashi_ash_optimise(&c->graph, c->sums, share, &err);
    if (status == ASHLAR_OK)
        status = ashi_ash_steps_make(&c->steps, &c->graph, &err);
    CHECK(t, status == ASHLAR_OK, "%s", err.text);
    if (status != ASHLAR_OK)
        exit(1);
}

static void forget(compiled *c)
{
    ashi_ash_steps_free(&c->steps);
    ashi_ash_graph_free(&c->graph);
    free(c->sums);
    free(c->program);
}

/* Copy between an array and the part of it that a tensor is. */
static void copy_part(const ashi_ash_sums *s, int tensor, long double *array, double *part, bool into_part)
{
    const ashi_ash_tensor *x = &s->tensor[tensor];
    const ashi_ash_array *a = &s->program->array[x->array];
    int64_t size = 1;
    for (int d = 0; d < x->order; d++)
        size *= s->program->range[x->range[d]].typical;
    for (int64_t e = 0; e < size; e++) {
        int64_t rest = e, at = 0, step = 1;
        for (int d = x->order - 1; d >= 0; d--) {
            const int64_t extent = s->program->range[x->range[d]].typical;
            at += step * (rest % extent + ash_begin(s->program, x->range[d], a->range[d]));
            rest /= extent;
            step *= s->program->range[a->range[d]].typical;
        }
        if (into_part)
            part[e] = (double)array[at];
        else
            array[at] -= part[e];
    }
}

/* The steps of a program give what its text says. */
/* The steps of each loop follow one another: C has one loop for them. */
static void loops_are_whole(ashi_test *t, const ashi_ash_steps *s, const char *text)
{
    int begun = 0;
    for (int64_t i = 0; i < s->count; i++)
        begun += s->step[i].loop >= 0 && (i == 0 || s->step[i - 1].loop != s->step[i].loop);
    CHECK(t, begun == s->loops, "%d loops begin %d times in\n%s", s->loops, begun, text);
}

static void agrees(ashi_test *t, const char *text, bool share, uint64_t seed)
{
    compiled c;
    whole w;
    compile(t, text, share, &c);
    loops_are_whole(t, &c.steps, text);
    ash_begin_arrays(&w, c.program, &seed);
    machine m = {.s = &c.steps, .node = calloc((size_t)c.graph.nodes, sizeof *m.node)};
    for (int n = 0; n < (int)c.graph.nodes; n++) {
        m.node[n] = calloc((size_t)ash_node_size(&c.graph, n) + 1, sizeof **m.node);
        if (n < c.sums->tensors)
            copy_part(c.sums, n, w.array[c.sums->tensor[n].array], m.node[n], true);
    }
    ash_run(&m);
    for (int i = 0; i < c.program->arrays; i++)
        ash_evaluate(&w, i);
    double size = 0, error = 0;
    for (int n = 0; n < c.sums->tensors; n++) {
        const ashi_ash_array *a = &c.program->array[c.sums->tensor[n].array];
        if (a->kind != ASHI_ASH_OUTPUT || c.sums->tensor[n].within >= 0)
            continue;
        for (int64_t e = 0; e < ash_size(c.program, a->order, a->range); e++)
            size = fmax(size, fabs((double)w.array[c.sums->tensor[n].array][e]));
        copy_part(c.sums, n, w.array[c.sums->tensor[n].array], m.node[n], false);
    }
    for (int i = 0; i < c.program->arrays; i++)
        for (int64_t e = 0; c.program->array[i].kind == ASHI_ASH_OUTPUT &&
                            e < ash_size(c.program, c.program->array[i].order, c.program->array[i].range); e++) {
            const double now = fabs((double)w.array[i][e]);
            error = now > error || isnan(now) ? now : error;
        }
    CHECK(t, error <= 1e-12 * (1 + size), "share %d: error %.3g of %.3g in\n%s", share, error, size, text);
    for (int n = 0; n < (int)c.graph.nodes; n++)
        free(m.node[n]);
    free(m.node);
    ash_end_arrays(&w);
    forget(&c);
}

static char *read_text(const char *name)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", ASHI_SOURCE, name);
    FILE *file = fopen(path, "rb");
    char *text = calloc(1, 1 << 16);
    if (!file || fread(text, 1, (1 << 16) - 1, file) == 0) {
        perror(path);
        exit(1);
    }
    fclose(file);
    return text;
}

/* The text with other typical extents: "range o = 10", wherever the number stands. */
static char *with_extent(char *text, const char *range, int extent)
{
    char line[64], *out = calloc(1, strlen(text) + 16);
    snprintf(line, sizeof line, "range %s = ", range);
    const char *at = strstr(text, line) + strlen(line);
    snprintf(out, strlen(text) + 16, "%.*s%d%s", (int)(at - text), text, extent, at + strspn(at, "0123456789"));
    free(text);
    return out;
}

static const char small[] = "range o = 3\nrange v = 4\nrange n = o + v\nindex i, j, k : o\nindex a, b, c, d : v\n"
                            "index p, q, r : n\ninput A[n,n]\ninput B[v,o] # a comment\ninput e[n]\n"
                            "input U[v,v,v]\nsymmetry U[a,b,c] = -U[b,a,c]\n"
                            "output X[v,o]\noutput Y[o,o,v]\noutput z\noutput W[v,v,v]\narray T[n,n]\n";

static void means_what_it_says(ashi_test *t)
{
    static const char *const statements[] = {
        "X[a,i] = A[a,b]*B[b,i] - 2*A[a,i]\nY[i,j,a] = A[i,j]*B[a,j]\nz = A[p,p]\nW[a,b,c] = U[c,a,b]\nT[p,q]=A[p,q]\n",
        "X[a,i] += A[a,p]*A[p,i] + T[a,p]*T[p,i]\nT[p,q] = A[q,p] + A[p,r]*A[r,q]\nY[i,j,a] = P(i,j) (A[i,p]*T[p,a]\n"
        "  + B[a,i]) * e[j]\nz = B[a,i]*B[a,i]*e[i] - B[a,i]*B[b,j]*A[a,b]*A[i,j]\nW[a,b,c] -= U[a,b,d]*A[d,c]\n",
        "X[a,i] = B[a,i] / (e[i] - e[a]) + (A[a,b] + 3*A[b,a])*B[b,i] / 4\nT[p,q] = A[p,q]\n"
        "z = 1.5*T[p,q]*T[q,p]*e[p]\n"
        "Y[i,j,a] = S(i,j) A[i,j]*B[a,j]/(e[i] + e[j]) - B[a,i]*B[a,j]/e[j]\n"
        "W[a,b,c] = P(c/a,b) U[a,b,c] + P(a,b) U[a,b,c]\n",
        "X[a,i] = A[a,b]*A[b,c]*A[c,d]*B[d,i] + A[a,b]*A[b,c]*B[c,j]*A[j,i]\nT[p,q]=A[p,q]\n"
        "Y[i,j,a] = A[i,p]*A[p,q]*A[q,j]*B[a,i]\nz = A[p,q]*A[q,r]*A[r,p] + U[a,b,c]*U[a,b,c]\n"
        "W[a,b,c] = U[a,b,d]*A[d,c] - U[b,a,d]*(A[d,c] + A[c,d]) - A[c,d]*U[a,b,d]\n",
        "X[a,i] = A[a,i]*B[a,i]*e[a]\nT[i,j] = A[i,j]\nT[a,b] = A[b,a]\n"
        "Y[i,j,a] = T[i,j]*e[a] + P(i,j) T[i,k]*T[k,j]*e[a]\n"
        "z = T[i,i] + T[a,a]*e[b]*e[b]\nW[a,b,c] = P(a/b,c) P(a,b) U[a,b,c]*B[c,i]*e[i]\n",
    };
    char text[2048];
    for (size_t i = 0; i < sizeof statements / sizeof statements[0]; i++)
        for (int share = 0; share < 2; share++) {
            snprintf(text, sizeof text, "%s%s", small, statements[i]);
            agrees(t, text, share, i + 1);
        }
}

/* Append a random term of at most four arrays for Y[i,j,a] that has all three indices. */
static void random_term(uint64_t *state, char *text, size_t room)
{
    static const char *const arrays[] = {"A[oo]", "A[ov]", "A[vo]", "A[vv]", "B[vo]", "e[o]", "e[v]", "U[vvv]"};
    static const char *const operators[] = {"", "", "P(i,j) ", "S(i,j) 2 * "};
    static const char *const ends[] = {"", "", "/4", "/(e[i] + e[j] - e[a])"};
    static const char letter[2][5] = {"ijk", "abcd"};
    char term[256];
    do {
        size_t used = (size_t)snprintf(term, sizeof term, "%d*%s", (int)ashi_random_in(state, 1, 3),
                                       operators[ashi_random_in(state, 0, 3)]);
        for (int64_t f = ashi_random_in(state, 1, 4); f > 0; f--) {
            const char *form = arrays[ashi_random_in(state, 0, 7)];
            used += (size_t)snprintf(term + used, sizeof term - used, "%.2s", form);
            for (const char *c = form + 2; *c != ']'; c++)
                used += (size_t)snprintf(term + used, sizeof term - used, "%c%c",
                                         letter[*c == 'v'][ashi_random_in(state, 0, *c == 'v' ? 3 : 2)],
                                         c[1] == ']' ? ']' : ',');
            used += (size_t)snprintf(term + used, sizeof term - used, "%s", f > 1 ? "*" : "");
        }
    } while (!strpbrk(strchr(term, '['), "i") || !strpbrk(strchr(term, '['), "j") || !strpbrk(strchr(term, '['), "a"));
    const size_t used = strlen(text);
    snprintf(text + used, room - used, " %s %s%s", ashi_random_in(state, 0, 1) ? "+" : "-", term,
             ends[ashi_random_in(state, 0, 3)]);
}

/* Random sums for one output mean what they say. */
static void random_programs(ashi_test *t)
{
    for (uint64_t seed = 1; seed <= 60; seed++) {
        uint64_t state = seed;
        char text[4096];
        snprintf(text, sizeof text, "%sX[a,i] = B[a,i]\nz = e[i]\nT[p,q] = A[p,q]\nW[a,b,c] = U[a,b,c]\nY[i,j,a] =",
                 small);
        for (int64_t terms = ashi_random_in(&state, 2, 6); terms > 0; terms--)
            random_term(&state, text, sizeof text);
        strcat(text, "\n");
        agrees(t, text, true, seed);
    }
}

/* Steps of a text at given extents. */
static double operations_of(ashi_test *t, const char *name, bool share, int o, int v)
{
    char *text = with_extent(with_extent(read_text(name), "o", o), "v", v);
    compiled c;
    compile(t, text, share, &c);
    const double operations = c.graph.operations;
    forget(&c);
    free(text);
    return operations;
}

/* Unfactored coupled cluster takes no more work than the factorisation of Stanton, Gauss, Watts and Bartlett (1991). */
static void work_of_coupled_cluster(ashi_test *t)
{
    for (int o = 10; o <= 40; o += 30)
        for (int ratio = 4; ratio <= 10; ratio += 6) {
            const double ours = operations_of(t, "examples/ccsd/ccsd.ash", true, o, ratio * o),
                         theirs = operations_of(t, "tests/stanton.ash", false, o, ratio * o);
            CHECK(t, ours <= theirs, "o %d v %d: %.0f, theirs %.0f", o, ratio * o, ours, theirs);
            if (o == 10)
                printf("o %d v %d: %.0f multiply-adds, %.3f of the authors'\n", o, ratio * o, ours, ours / theirs);
        }
}

/* Both texts of coupled cluster mean what they say, and the same. */
static void coupled_cluster(ashi_test *t)
{
    static const char *const names[] = {"examples/ccsd/ccsd.ash", "tests/stanton.ash"};
    whole w[2];
    for (int i = 0; i < 2; i++) {
        char *text = with_extent(with_extent(read_text(names[i]), "o", 3), "v", 2);
        ashi_ash_program *p = NULL;
        ashi_ash_spot spot;
        uint64_t seed = 7;
        agrees(t, text, i == 0, 7);
        CHECK(t, ashi_ash_read(text, &p, &spot, NULL) == ASHLAR_OK, "%s", names[i]);
        ash_begin_arrays(&w[i], p, &seed);
        free(text);
    }
    for (int a = 0; a < w[1].p->arrays; a++) { /* the same inputs */
        const int same = ashi_ash_array_named(w[0].p, w[1].p->array[a].name);
        if (w[1].p->array[a].kind == ASHI_ASH_INPUT)
            memcpy(w[1].array[a], w[0].array[same],
                   (size_t)ash_size(w[1].p, w[1].p->array[a].order, w[1].p->array[a].range) * sizeof **w[0].array);
    }
    static const char *const residual[] = {"R1", "R2"};
    for (int r = 0; r < 2; r++) {
        const int one = ashi_ash_array_named(w[0].p, residual[r]), other = ashi_ash_array_named(w[1].p, residual[r]);
        ash_evaluate(&w[0], one);
        ash_evaluate(&w[1], other);
        for (int64_t e = 0; e < ash_size(w[0].p, w[0].p->array[one].order, w[0].p->array[one].range); e++)
            CHECK(t, fabsl(w[0].array[one][e] - w[1].array[other][e]) < 1e-12L * (1 + fabsl(w[0].array[one][e])),
                  "%s[%d]: %Lg and %Lg", residual[r], (int)e, w[0].array[one][e], w[1].array[other][e]);
    }
    for (int i = 0; i < 2; i++) {
        ash_end_arrays(&w[i]);
        free((void *)(uintptr_t)w[i].p);
    }
}

/* Four steps of n^5, of which no intermediate is held whole. */
static void four_index(ashi_test *t)
{
    char *text = with_extent(with_extent(read_text("examples/four_index.ash"), "n", 4), "m", 4);
    compiled c;
    agrees(t, text, true, 3);
    compile(t, text, true, &c);
    CHECK(t, c.graph.operations == 4 * 1024, "%.0f multiply-adds", c.graph.operations);
    CHECK(t, c.steps.loops == 1 && c.steps.loop[0].whole == 3 * 256 && c.steps.peak == 0,
          "%d loops, %.0f elements in blocks, %.0f held", c.steps.loops, c.steps.loop[0].whole, c.steps.peak);
    forget(&c);
    free(text);
}

/* Loops one after the other that make an intermediate, which is begun before the first of them, and read another one,
 * which ends after the last. */
static void two_loops(ashi_test *t)
{
    agrees(t, "range o = 5\nindex i, j, k : o\ninput A[o,o]\ninput C[o,o,o]\ninput D[o,o,o]\narray T[o,o]\n"
           "output Z[o,o,o]\nT[j,i] = -S(j,i) D[i,j,i]\nZ[i,j,k] = 2 * S(i,k) D[j,k,i]*A[i,k]*T[j,i]\n"
           "Z[i,j,k] += 0.5 * S(i,k) C[k,i,j]*D[j,i,j]*A[i,k]\n", true, 5);
}

static void mistakes(ashi_test *t)
{
    static const struct {
        const char *text, *says;
        int line, column;
    } wrong[] = {
        {"X[a,i] = Q[a,i]", "array 'Q' is not declared", 17, 10},
        {"X[a,i] = B[a,m]", "index 'm' is not declared", 17, 14},
        {"X[a,i] = B[i,a]", "index 'i' has range 'o', wanted 'v' or a part of it", 17, 12},
        {"X[p,i] = A[p,i]", "index 'p' has range 'n', wanted 'v' or a part of it", 17, 3},
        {"X[a,i] = A[a,b]", "index 'i' of 'X' is in no array of this term", 17, 10},
        {"X[a,a] = A[a,b]", "index 'a' has range 'v', wanted 'o' or a part of it", 17, 5},
        {"T[p,p] = A[p,p]", "index 'p' of 'T' is there twice", 17, 1},
        {"B[a,i] = A[a,i]", "'B' is an input and not written", 17, 1},
        {"X[a,i] = B[a]", "'B' has 2 indices, found 1", 17, 10},
        {"X[a,i] = e[a,i]", "'e' has 1 index", 17, 14},
        {"X[a,i] = B[a,i", "the program ends here, wanted ',' or ']'", 17, 15},
        {"X[a,i] = 3", "a term without an array", 17, 10},
        {"X[a,i] = B[a,i] * ", "the program ends here, wanted an array", 17, 19},
        {"X[a,i] B[a,i]", "'B', wanted '=', '+=' or '-='", 17, 8},
        {"X[a,i] = B[a,i] / (e[i] + B[a,i])", "the divisor 'B' has not one index", 17, 27},
        {"X[a,i] = B[a,i] / e[j]", "index 'j' of a divisor is no index of 'X'", 17, 19},
        {"Y[i,j,a] = P(i,j) B[a,i]*e[j] / e[i]",
         "the divisor changes if 'i' and 'j' are exchanged: wanted one that does not", 17, 33},
        {"X[a,i] = P(i,j) B[a,i]", "index 'j' is exchanged, and no index of 'X'", 17, 10},
        {"X[a,i] = P(i,a) B[a,i]", "wanted another index of range 'o'", 17, 14},
        {"X[a,i] = B[a,i] P(a,b)", "'P', wanted an operator or the end of the line", 17, 17},
        {"X[a,i] = B[a,i] $", "'$' begins no word", 17, 17},
        {"symmetry B[a,i] = B[i,a]", "index 'i' has range 'o', wanted 'v' or a part of it", 17, 21},
        {"symmetry U[a,b,c] = U[b,a,c]", "'U' would be zero, or have more than 48 symmetries", 17, 21},
        {"range r = 3", "'r' names a variable of the C that is made", 17, 7},
        {"range v = 3", "'v' is declared already", 17, 7},
        {"range m = o + v", "range 'o' is a part of 'n' already", 17, 11},
        {"range m = a + a", "range 'a' is not declared", 17, 11},
        {"range m = 5\nrange l = m + m", "range 'm' is a part of 'l' already", 18, 15},
        {"range m = -3", "'-', wanted a typical extent, or a range and '+'", 17, 11},
        {"array MPI_x[o]", "'MPI_x' begins as names of C, MPI and Ashlar do", 17, 7},
        {"array linux[o]", "'linux' is a word of the language or of C", 17, 7},
        {"z[i] = e[i]", "'z' is a scalar, without indices", 17, 3},
        {"z = conj(e[i])*conj(e[i]) / conj(e[i])", "'conj' is a word of the language or of C, wanted an array", 17, 29},
        {"X[a,i] = B[a,i] / -2", "'-', wanted a number without sign, a vector, or a sum of vectors in parentheses", 17,
         19},
        {"X[a,i] = B[a,i] / (1 + e[i])", "'1', wanted a vector: a divisor is a number or a sum of vectors", 17, 20},
        {"X[a,i] = 1e200 * 1e200 * B[a,i]", "the factor 1e+200 times 1e+200 is no number that a double holds", 17, 18},
        {"X[a,i] = 1e-200 * 1e-200 * B[a,i]", "the factor 1e-200 times 1e-200 is no number that a double holds", 17,
         19},
        {"X[a,i] = B[a,i] / 1e-320", "the factor 1 times inf is no number that a double holds", 17, 19},
        {"X[a,i] = 1e999 * B[a,i]", "'1e999', wanted a number that a double holds, of at most 63 characters", 17, 10},
        {"X[a,i] = (B[a,i]\nz = e[i]", "'z', wanted ')' after the '(' of line 17, column 10", 18, 1},
        {"X[a,i] = B[a,i] \xE2\x88\x92 B[a,i]", "'\xE2\x88\x92' begins no word", 17, 17},
        {"output Q[o] to \"\xC3\xA9\xE2\x82\xAC.npy\" oops", "'oops', wanted the end of the line", 17, 25},
        {"range m = 0", "'0', wanted a typical extent from 1 to 2^40", 17, 11},
        {"array for[o]", "'for' is a word of the language or of C", 17, 7},
        {"array Q[u]", "range 'u' is not declared", 17, 9},
        {"output Q[o] to file", "'file', wanted the place of a file in quotes", 17, 16},
        {"output Q[o] to \"Q.npy\"\noutput R to \"Q.npy\"", "'Q' goes to the same place", 18, 14},
        {"output Q[o] to \"f//Q.npy\"\noutput R to \"././f/./Q.npy\"", "'Q' goes to the same place", 18, 14},
        {"output Q[o] to \"/Q.h5:/x\"\noutput R to \"//Q.h5:/.//x/\"", "'Q' goes to the same place", 18, 14},
        {"output Q[o] to \"Q.npy", "the string does not end on its line", 17, 16},
        {"X[a,i] = B[a,i]", "no statement writes 'Y'", 13, 8},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        char text[2048], says[512];
        ashi_ash_program *p = NULL;
        ashi_ash_sums *s = NULL;
        ashi_ash_spot spot = {0, 0};
        ashlar_error err = {0};
        snprintf(text, sizeof text, "%s%s", small, wrong[i].text);
        snprintf(says, sizeof says, "line %d, column %d: %s", wrong[i].line, wrong[i].column, wrong[i].says);
        ashlar_status status = ashi_ash_read(text, &p, &spot, &err);
        if (status == ASHLAR_OK)
            status = ashi_ash_sums_make(p, &s, &spot, &err);
        CHECK(t, status == ASHLAR_ERR_ARG && strcmp(err.text, says) == 0 && spot.line == wrong[i].line &&
              spot.column == wrong[i].column, "%s: %s", wrong[i].text, err.text);
        free(s);
        free(p);
    }
}

/* What only the whole program shows: arrays that need themselves, and parts that nobody writes. */
static void mistakes_of_order(ashi_test *t)
{
    static const char *const wrong[][2] = {
        {"X[i] = Y[i]\nY[i] = A[i,j]*Z[j]\nZ[i] = X[i]\n", "'X' needs itself: X needs Y needs Z needs X"},
        {"X[i] = Y[i]\nY[i] = A[i,j]*Y[j]\nZ[i] = X[i]\n", "'Y' needs itself: Y needs Y"},
        {"X[i] = T[i,j]*e[j]\nT[a,b] = e[a]*e[b]\nY[i] = e[i]\nZ[i] = e[i]\n",
         "'T' is read over ranges over which no statement writes it"},
        {"X[i] = e[i]\nY[i] = e[i]\nX[j] = 2*e[j]\nZ[i] = Y[i]\n", "a second statement with '=' writes 'X'"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        char text[1024];
        ashi_ash_program *p = NULL;
        ashi_ash_sums *s = NULL;
        ashi_ash_spot spot;
        ashlar_error err = {0};
        snprintf(text, sizeof text, "range o = 3\nrange v = 2\nrange n = o + v\nindex i, j : o\nindex a, b : v\n"
                 "input A[n,n]\ninput e[n]\noutput X[o]\narray Y[o]\noutput Z[o]\n%s%s", i == 2 ? "array T[n,n]\n" : "",
                 wrong[i][0]);
        CHECK(t, ashi_ash_read(text, &p, &spot, &err) == ASHLAR_OK, "%s", err.text);
        if (p) {
            CHECK(t, ashi_ash_sums_make(p, &s, &spot, &err) == ASHLAR_ERR_ARG && spot.line >= 11, "%s", wrong[i][0]);
            CHECK(t, strstr(err.text, wrong[i][1]) != NULL, "%s: %s", wrong[i][0], err.text);
        }
        free(p);
    }
}

int main(void)
{
    ashi_test t = {0};
    means_what_it_says(&t);
    random_programs(&t);
    coupled_cluster(&t);
    four_index(&t);
    two_loops(&t);
    work_of_coupled_cluster(&t);
    mistakes(&t);
    mistakes_of_order(&t);
    return ashi_test_end(&t, "compile");
}
