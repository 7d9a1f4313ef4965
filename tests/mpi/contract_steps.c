/* Contractions of three to six operands against plain loops in higher precision: random expressions, layouts, types and
 * limits of memory. */
#define PROGRAM "contract_steps"

#include "folder.h"
#include "mpi/contracting.h"

#include <inttypes.h>

/* EXECUTED: so often `contract` does it. */
enum { CASES = 60, EXECUTED = 2 };

/* ---- random expressions ---- */

static void random_case(uint64_t *state, int ranks, contracting *c)
{
    memset(c, 0, sizeof *c);
    c->ranks = ranks;
    c->operands = (int)ashi_random_in(state, 3, 6);
    const int letters = (int)ashi_random_in(state, 1, 7);
    c->content = (content){.type = (ashlar_type)ashi_random_in(state, 0, 3), .seed = ashi_random(state)};
    c->alpha = ashi_random_in(state, 0, 5) == 0 ? (number){0, 0} : (number){2, 0};
    c->beta = ashi_random_in(state, 0, 1) == 0 ? (number){0, 0} : (number){-1, 0};
    for (int i = 0; i < letters; i++) {
        const bool everywhere = ashi_random_in(state, 0, 12) == 0;
        c->extent[i] = ashi_random_in(state, 0, 30) == 0 ? 0 : ashi_random_in(state, 1, i < 2 ? 7 : 3);
        const int64_t first = ashi_random_in(state, 0, c->operands - 1);
        const int64_t second = ashi_random_in(state, 0, c->operands - 1);
        for (int x = 0; x < c->operands; x++)
            if (everywhere || x == first || x == second)
                add_index(state, c, x, i);
        if (ashi_random_in(state, 0, 2) == 0)
            add_index(state, c, c->operands, i);
        if (ashi_random_in(state, 0, 15) == 0)
            add_index(state, c, (int)first, i); /* a diagonal */
    }
    for (int x = 0; x <= c->operands; x++) {
        c->conjugate[x] = x < c->operands && ashi_random_in(state, 0, 2) == 0;
        random_deal(state, c, x);
    }
}

/* The least that is named does, and one word less does not. */
static void limited(ashlar_context *context, rig *r, contracting *c)
{
    ashlar_options options = ashlar_options_default();
    ashlar_error err = {0};
    const int64_t least = least_words(context, r, c);
    if (least == 0)
        return;
    options.memory_words = least;
    const ashlar_status status = contract(context, r, c, &options, &err);
    CHECK(&r->test, status == ASHLAR_OK, CASE "%s: %s", CASE_OF(r), c->text, err.text);
}

/* Memory is for intermediates of the operands' size: the order changes with it, and the text has every step. */
static void under_a_limit(ashlar_context *context, rig *r)
{
    contracting c = {.operands = 5, .ranks = r->ranks, .list = {"abcd", "ae", "bf", "cg", "dh", "efgh"},
                     .extent = {6, 6, 6, 6, 2, 2, 2, 2}, .content = {ASHLAR_TYPE_D, r->seed, true},
                     .alpha = {1, 0}, .beta = {1, 0}, .own = {true, true, true, true, true, true}};
    ashlar_options options = ashlar_options_default();
    ashlar_error err = {0};
    CHECK(&r->test, contract(context, r, &c, NULL, &err) == ASHLAR_OK, CASE "%s", CASE_OF(r), err.text);
    options.memory_words = 1;
    CHECK(&r->test, contract(context, r, &c, &options, &err) == ASHLAR_ERR_LIMIT, CASE "no limit", CASE_OF(r));
    const int64_t least = ashlar_context_memory_words(context);
    const int64_t tensors = 1296 + 4 * 12 + 16;
    CHECK(&r->test, r->ranks > 1 || least < tensors + 432 + 100, CASE "%" PRId64 " words", CASE_OF(r), least);
    options.memory_words = least;
    CHECK(&r->test, contract(context, r, &c, &options, &err) == ASHLAR_OK, CASE "%s", CASE_OF(r), err.text);
}

/* A large intermediate between two steps, which are done in slices: an MTTKRP, the last slice shorter than the others,
 * and a sum to which all slices add. */
static void in_slices(ashlar_context *context, rig *r)
{
    contracting c = {.operands = 3, .ranks = r->ranks, .content = {ASHLAR_TYPE_D, r->seed, true}, .alpha = {2, 0},
                     .beta = {-1, 0}, .own = {true, true, true, true}, .says = "slices of index"};
    const contracting cases[2] = {{.list = {"abc", "cd", "bd", "ad"}, .extent = {2, 2, 2, 131101}},
                                  {.list = {"ab", "ba", "ab", ""}, .extent = {700, 801}}};
    for (int i = 0; i < 2; i++) {
        ashlar_error err = {0};
        memcpy(c.list, cases[i].list, sizeof c.list);
        memcpy(c.extent, cases[i].extent, sizeof c.extent);
        CHECK(&r->test, contract(context, r, &c, NULL, &err) == ASHLAR_OK, CASE "%s", CASE_OF(r), err.text);
    }
}

/* On four ranks, X by its first index: neither X nor what is made of it moves, only the two matrices of 64 words. Each
 * rank needs all of both, and has a quarter. */
static void follows(ashlar_context *context, rig *r)
{
    const int64_t extent[4][3] = {{8, 16, 16}, {16, 4}, {16, 4}, {8, 4}};
    const int by_first[3] = {4, 1, 1};
    ashlar_tensor_layout *layout = NULL;
    ashlar_contraction_plan *plan = NULL;
    ashlar_figures figures = {0};
    ashlar_error err = {0};
    ashlar_options options = ashlar_options_default();
    options.objective = ASHLAR_LEAST_WORDS;
    CHECK(&r->test, ashlar_tensor_layout_blocks(3, extent[0], NULL, by_first, NULL, NULL, &layout, &err) == ASHLAR_OK,
          "%s", err.text);
    const ashlar_tensor operand[3] = {{.order = 3, .extent = extent[0], .layout = layout},
                                      {.order = 2, .extent = extent[1]}, {.order = 2, .extent = extent[2]}};
    const ashlar_tensor output = {.order = 2, .extent = extent[3]};
    const ashlar_contraction what = {.type = ASHLAR_TYPE_D, .expression = "ijk,jb,kb->ib", .operands = 3,
                                     .operand = operand, .output = &output};
    CHECK(&r->test, ashlar_contraction_plan_create(context, &what, &options, &plan, &err) == ASHLAR_OK &&
          ashlar_contraction_predicted(plan, &figures, &err) == ASHLAR_OK, "%s", err.text);
    CHECK(&r->test, figures.words_max == 2 * 48, "%" PRId64 " words", figures.words_max);
    ashlar_contraction_plan_free(&plan);
    ashlar_tensor_layout_free(&layout);
}

/* Free layouts: on a grid of ranks over the indices each has a quarter of X and of each matrix, and receives what it
 * lacks of their boxes and of the sums. What is received in a four-index transformation, too, as docs/TENSORS.md has
 * it. */
static void freely_4(ashlar_context *context, rig *r)
{
    contracting c = {.operands = 3, .ranks = r->ranks, .list = {"abc", "bd", "cd", "ad"},
                     .extent = {16, 16, 16, 8}, .content = {ASHLAR_TYPE_D, r->seed, true}, .alpha = {2, 0},
                     .beta = {-1, 0}, .own = {true, true, true, true}, .words = 160,
                     .says = "each of 4 ranks contracts boxes"};
    static const struct {
        int operands;
        int64_t first, second, words; /* extents of a to d, of the rest */
        const char *expression;
        const char *list[6];
    } cases[] = {{3, 48, 16, 960, "abc,be,ce->ae", {"abc", "be", "ce"}},
                 {5, 20, 8, 3392, "abcd,ae,bf,cg,dh->efgh", {"abcd", "ae", "bf", "cg", "dh"}}};
    ashlar_options options = ashlar_options_default();
    ashlar_error err = {0};
    options.objective = ASHLAR_LEAST_WORDS;
    CHECK(&r->test, contract(context, r, &c, &options, &err) == ASHLAR_OK, CASE "%s", CASE_OF(r), err.text);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        int64_t extent[5][4];
        ashlar_tensor operand[5] = {{0}};
        const ashlar_tensor output = {.extent = NULL};
        ashlar_contraction_plan *plan = NULL;
        ashlar_figures figures = {0};
        for (int x = 0; x < cases[i].operands; x++) {
            const char *const list = cases[i].list[x];
            operand[x] = (ashlar_tensor){.order = (int)strlen(list), .extent = extent[x]};
            for (int d = 0; list[d]; d++)
                extent[x][d] = list[d] < 'e' ? cases[i].first : cases[i].second;
        }
        const ashlar_contraction what = {.type = ASHLAR_TYPE_D, .expression = cases[i].expression,
                                         .operands = cases[i].operands, .operand = operand, .output = &output};
        CHECK(&r->test, ashlar_contraction_plan_create(context, &what, &options, &plan, &err) == ASHLAR_OK &&
              ashlar_contraction_predicted(plan, &figures, &err) == ASHLAR_OK, "%s", err.text);
        CHECK(&r->test, figures.words_max == cases[i].words, "%s: %" PRId64 " words", what.expression,
              figures.words_max);
        ashlar_contraction_plan_free(&plan);
    }
}

/* What a file of a trace says: the words that came to each rank, that came and went in all, and each rank's
 * multiply-adds. */
typedef struct noted {
    int64_t came[4], all_came, all_went, worked[4];
} noted;

static noted read_trace(const char *path)
{
    static const char form[] = "{\"ph\":\"X\",\"name\":\"%31[^\"]\",\"cat\":\"%*[a-z]\",\"pid\":%d,\"tid\":%*d,"
                               "\"ts\":%*f,\"dur\":%*f,\"args\":{\"step\":%*d,\"words\":%" SCNd64;
    char line[512], name[32];
    noted n = {{0}, 0, 0, {0}};
    FILE *const file = fopen(path, "r");
    while (file && fgets(line, sizeof line, file)) {
        int rank = 0;
        int64_t words = 0;
        if (sscanf(line, form, name, &rank, &words) != 3 || rank < 0 || rank >= 4)
            continue;
        n.came[rank] += strcmp(name, "receive") == 0 ? words : 0;
        n.all_came += strcmp(name, "receive") == 0 ? words : 0;
        n.all_went += strcmp(name, "send") == 0 ? words : 0;
        n.worked[rank] += strcmp(name, "multiply") == 0 ? words : 0;
    }
    if (file)
        fclose(file);
    return n;
}

/* The trace of a contraction on a grid of ranks has its messages and what each rank does by itself. */
static void is_traced_4(ashlar_context *context, rig *r)
{
    contracting c = {.operands = 3, .ranks = r->ranks, .list = {"abc", "bd", "cd", "ad"},
                     .extent = {16, 16, 16, 8}, .content = {ASHLAR_TYPE_D, r->seed, true}, .alpha = {2, 0},
                     .beta = {-1, 0}, .own = {true, true, true, true}, .words = 160,
                     .says = "each of 4 ranks contracts boxes"};
    ashlar_options options = ashlar_options_default();
    ashlar_error err = {0};
    char path[PATH_BYTES] = "";
    folder f = {""};
    if (r->rank == 0)
        f = folder_make();
    snprintf(path, sizeof path, "%s/trace.json", f.path);
    options.objective = ASHLAR_LEAST_WORDS;
    CHECK(&r->test, ashlar_context_trace_begin(context, path, 0, &err) == ASHLAR_OK, "%s", err.text);
    CHECK(&r->test, contract(context, r, &c, &options, &err) == ASHLAR_OK, CASE "%s", CASE_OF(r), err.text);
    CHECK(&r->test, ashlar_context_trace_end(context, 1, &err) == ASHLAR_OK, "%s", err.text);
    if (r->rank != 0)
        return;
    const noted n = read_trace(path);
    int64_t most = 0;
    for (int i = 0; i < 4; i++) {
        most = ashi_max(most, n.came[i]);
        CHECK(&r->test, n.worked[i] > 0, "rank %d has not multiplied", i);
    }
    CHECK(&r->test, most == EXECUTED * 160 && n.all_came == n.all_went,
          "%" PRId64 " words, %" PRId64 " of %" PRId64, most, n.all_came, n.all_went);
    folder_remove(&f);
}

static void one(ashlar_context *context, rig *r)
{
    uint64_t state = r->seed * 91;
    contracting c;
    ashlar_error err = {0};
    if (r->seed % 60 == 7 && r->ranks == 4)
        follows(context, r), freely_4(context, r), is_traced_4(context, r);
    if (r->seed % 60 == 7 && r->ranks == 1)
        in_slices(context, r);
    if (r->ranks > 1 && r->seed % 4 != 0) /* plans over ranks are dearer */
        return;
    random_case(&state, r->ranks, &c);
    const ashlar_status status = contract(context, r, &c, NULL, &err);
    CHECK(&r->test, status == ASHLAR_OK, CASE "%s: %s", CASE_OF(r), c.text, err.text);
    if (r->seed % (r->ranks > 1 ? 12 : 4) == 0)
        limited(context, r, &c);
    if (r->seed % 60 == 0)
        under_a_limit(context, r);
}

int main(int argc, char **argv)
{
    return try_in_context(argc, argv, CASES, one);
}
