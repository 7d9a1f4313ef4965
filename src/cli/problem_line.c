/* A problem as the command line states it: the options that plan, simulate and check-schedule share. */
#include "cli/problem_line.h"

#include "base/checked.h"
#include "base/error.h"
#include "base/type.h"
#include "cli/command.h"
#include "cli/grid_text.h"
#include "cli/machine.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { NODES_MOST = 100000000 }; /* ranks whose nodes are listed */

ashi_problem_line ashi_problem_line_default(void)
{
    return (ashi_problem_line){.window = 2, .type = ASHLAR_TYPE_D, .idle = 0.03, .route = ASHI_EITHER};
}

void ashi_problem_line_options(ashi_problem_line *l, ashi_option *out)
{
    _Static_assert(ASHI_WINDOW_MAX == 16, "the range of --window");
    _Static_assert(INT_MAX == 2147483647, "the range of --ranks: MPI numbers them by int");
    ashi_strategy_words(l->takes_all ? "all" : NULL, l->strategies);
    const ashi_option rows[ASHI_PROBLEM_OPTIONS] = {
        {"ranks", 0, ASHI_COUNT, "P", "1 to 2147483647", "how many ranks there are", &l->ranks, &l->ranks_given},
        {"type", 0, ASHI_CHOICE, NULL, "s|d|c|z", "element type, by its letter in BLAS; d unless given", &l->type,
         NULL},
        {"transa", 0, ASHI_CHOICE, NULL, "N|T|C", "what op(A) is: A, its transpose, its conjugate transpose", &l->op[0],
         NULL},
        {"transb", 0, ASHI_CHOICE, NULL, "N|T|C", "the same for B", &l->op[1], NULL},
        {"objective", 0, ASHI_CHOICE, NULL, "time|words",
         "choose the least predicted time, or the fewest words of the busiest rank; time unless given", &l->objective,
         NULL},
        {"memory", 0, ASHI_SIZE, "SIZE", NULL,
         "the most a rank may hold, its shares of A, B and C included, such as 2GiB", &l->memory, &l->memory_given},
        {"memory-words", 0, ASHI_COUNT, "W", "at least 1", "the same in words, that is elements", &l->memory_words,
         &l->words_given},
        {"idle", 0, ASHI_NUMBER, "PART", "0 to 1", "the part of the ranks that may idle; 0.03 unless given", &l->idle,
         NULL},
        {"window", 0, ASHI_COUNT, "W", "1 to 16",
         "rounds in flight at once; 2 unless given, SUMMA more; with 1 nothing overlaps", &l->window, &l->window_given},
        {"grid", 0, ASHI_TEXT, "PMxPNxPK", NULL, "use this grid instead of searching one: three numbers of at least 1",
         &l->grid, NULL},
        {"node-ranks", 0, ASHI_COUNT, "G", "1 to 2147483647",
         "this many ranks, one after the other, share a node: for strategies that work at two levels", &l->node_ranks,
         NULL},
        {"machine", 0, ASHI_FILE, "FILE", NULL, "figures of the machine, as 'ashlar calibrate' writes them",
         &l->machine, NULL},
        {"torus", 0, ASHI_TEXT, "L1xL2...", NULL,
         "the network is a torus of these 1 to 12 lengths, rank by rank, the last dimension's coordinate the fastest",
         &l->torus, NULL},
        {"route", 0, ASHI_CHOICE, NULL, "direct|tree|auto|rectangular",
         "from owner to each directly, along trees, or what is predicted to be faster; along the links of a torus; "
         "auto unless given", &l->route, NULL},
        {"layout", 0, ASHI_TEXT, "LAYOUT", NULL,
         "how A, B and C are laid out: own, the strategy's, or block-cyclic:MBxNB:PRxPC, ScaLAPACK's with blocks of MB "
         "x NB on PR x PC processes; own unless given", &l->layouts, NULL},
        {"layout-a", 0, ASHI_TEXT, "LAYOUT", NULL, "the same for A alone, as stored", &l->layout[0], NULL},
        {"layout-b", 0, ASHI_TEXT, "LAYOUT", NULL, "the same for B alone, as stored", &l->layout[1], NULL},
        {"layout-c", 0, ASHI_TEXT, "LAYOUT", NULL, "the same for C alone", &l->layout[2], NULL},
        {"strategy", 0, ASHI_NAME, "NAME", l->strategies, l->takes_all ? "consider this strategy only, or show all"
                                                                       : "consider this strategy only",
         &l->strategy, NULL},
    };
    memcpy(out, rows, sizeof rows);
}

static ashlar_status read_nodes(ashi_problem_line *l, ashi_problem *q, ashlar_error *err)
{
    if (l->node_ranks == 0)
        return ASHLAR_OK;
    if (q->ranks > NODES_MOST)
        return ashi_fail(err, ASHLAR_ERR_UNSUPPORTED,
                         "--node-ranks has a list made of each rank's node, for at most %d ranks", (int)NODES_MOST);
    l->node_of = malloc((size_t)q->ranks * sizeof *l->node_of);
    if (!l->node_of)
        return ashi_fail_memory(err, "nodes", q->ranks * (int64_t)sizeof *l->node_of);
    for (int64_t r = 0; r < q->ranks; r++)
        l->node_of[r] = (int)(r / l->node_ranks);
    q->node_of = l->node_of;
    return ASHLAR_OK;
}

/* From the line, or from the machine's file. */
static ashlar_status read_torus(const ashi_problem_line *l, ashi_problem *q, ashlar_error *err)
{
    if (!l->torus) {
        q->torus = ashi_torus_of(&q->machine);
        return ashi_torus_check(&q->torus, q->ranks, "--machine", err);
    }
    q->torus.dims = 1;
    for (const char *c = strchr(l->torus, 'x'); c; c = strchr(c + 1, 'x'))
        q->torus.dims++;
    if (q->torus.dims > ASHI_TORUS_MOST || !ashi_grid_text_read(l->torus, q->torus.dims, q->torus.length))
        return ashi_fail(err, ASHLAR_ERR_ARG, "--torus is '%.64s', wanted 1 to %d lengths of at least 1 with an x "
                                              "between them", l->torus, (int)ASHI_TORUS_MOST);
    return ashi_torus_check(&q->torus, q->ranks, "--torus", err);
}

static ashlar_status read_memory(const ashi_problem_line *l, ashi_problem *q, ashlar_error *err)
{
    const int64_t bytes = (int64_t)ashi_type_of(q->type)->bytes;
    if (l->memory_given && l->words_given)
        return ashi_fail(err, ASHLAR_ERR_ARG, "--memory and --memory-words say the same: wanted one of them");
    q->memory_words = l->memory_given ? l->memory / bytes : l->memory_words;
    if (l->memory_given && q->memory_words < 1)
        return ashi_fail(err, ASHLAR_ERR_ARG, "--memory is less than one word of %" PRId64 " bytes", bytes);
    return ASHLAR_OK;
}

static ashlar_status read_layout(const ashi_problem *q, int x, const char *text, ashlar_layout **out,
                                 ashlar_error *err)
{
    static const char kind[] = "block-cyclic:";
    static const int side[3][2] = {{0, 2}, {2, 1}, {0, 1}}; /* which of m, n, k are rows and columns of op(X) */
    const bool flipped = x < 2 && q->op[x] != ASHLAR_OP_N;
    const int64_t rows = q->size[side[x][flipped]], cols = q->size[side[x][!flipped]];
    int64_t block[2], grid[2], used = 0;
    char blocks[64];
    const size_t length = strncmp(text, kind, strlen(kind)) == 0 ? strcspn(text + strlen(kind), ":") : 0;
    if (strcmp(text, "own") == 0)
        return ASHLAR_OK;
    if (length > 0 && length < sizeof blocks && text[strlen(kind) + length] == ':') {
        memcpy(blocks, text + strlen(kind), length);
        blocks[length] = '\0';
        if (ashi_grid_text_read(blocks, 2, block) && ashi_grid_text_read(text + strlen(kind) + length + 1, 2, grid)) {
            if (!ashi_mul(grid[0], grid[1], &used) || used > q->ranks)
                return ashi_fail(err, ASHLAR_ERR_ARG, "layout '%.64s' needs more than --ranks=%" PRId64, text,
                                 q->ranks);
            return ashlar_layout_block_cyclic(rows, cols, block[0], block[1], (int)grid[0], (int)grid[1], 0, 0, NULL,
                                              ASHLAR_COL_MAJOR, 0, out, err);
        }
    }
    return ashi_fail(err, ASHLAR_ERR_ARG, "layout '%.64s', wanted own or block-cyclic:MBxNB:PRxPC", text);
}

static ashlar_status read_layouts(ashi_problem_line *l, ashi_problem *q, ashlar_error *err)
{
    ashlar_status status = ASHLAR_OK;
    for (int x = 0; x < 3 && status == ASHLAR_OK; x++) {
        const char *text = l->layout[x] ? l->layout[x] : l->layouts;
        if (text)
            status = read_layout(q, x, text, &l->made[x], err);
        q->layout[x] = l->made[x];
    }
    for (int d = 0; d < 3 && status == ASHLAR_OK; d++)
        if (q->size[d] < 1 && (q->layout[0] || q->layout[1] || q->layout[2]))
            status = ashi_fail(err, ASHLAR_ERR_ARG, "%c is 0, wanted at least 1 with layouts", "MNK"[d]);
    return status;
}

static ashlar_status read_rest(ashi_problem_line *l, ashi_problem *q, ashlar_error *err)
{
    if (!l->ranks_given)
        return ashi_fail(err, ASHLAR_ERR_ARG, "--ranks=P is wanted, from 1 to %d", INT_MAX);
    l->every = l->takes_all && l->strategy && strcmp(l->strategy, "all") == 0;
    ashlar_status status = read_nodes(l, q, err);
    if (status == ASHLAR_OK && l->grid)
        status = ashi_grid_text_check(l->grid, q->size, q->ranks, q->grid, err);
    if (status == ASHLAR_OK)
        status = read_memory(l, q, err);
    if (status == ASHLAR_OK && l->machine)
        status = ashi_machine_read(l->machine, &q->machine, err);
    if (status == ASHLAR_OK)
        status = read_torus(l, q, err);
    return status == ASHLAR_OK ? read_layouts(l, q, err) : status;
}

int ashi_problem_line_read(const char *command, ashi_problem_line *l, char *const size[3], int64_t least,
                           ashi_problem *out)
{
    static const char *const names[3] = {"M", "N", "K"};
    ashlar_error err;
    *out = (ashi_problem){.ranks = l->ranks, .type = (ashlar_type)l->type, .op = {(ashlar_op)l->op[0],
                          (ashlar_op)l->op[1]}, .idle = l->idle, .least_words = l->objective == 1,
                          .machine = ashlar_machine_default(), .window = (int)ashi_min(l->window, INT_MAX),
                          .route = (ashi_route)l->route, .window_given = l->window_given};
    for (int d = 0; d < 3; d++)
        if (!ashi_options_count(command, names[d], size[d], least, true, &out->size[d]))
            return ASHI_EXIT_USAGE;
    return read_rest(l, out, &err) == ASHLAR_OK ? -1 : ashi_complain(command, &err);
}

void ashi_problem_line_free(ashi_problem_line *l)
{
    for (int x = 0; x < 3; x++)
        ashlar_layout_free(&l->made[x]);
    free(l->node_of);
}
