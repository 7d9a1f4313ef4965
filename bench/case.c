/* What is to be measured, as the command line of a measuring program says it. */
#include "case.h"
#include "die.h"
#include "machine.h"

#include <errno.h>
#include <inttypes.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "  --block N            rows and columns of a block (64)\n"
    "  --grid RxC           process grid of the block-cyclic layout (the squarest, R <= C)\n"
    "  --repetitions N      how often each way is timed (5)\n"
    "  --objective WHAT     time or words (time)\n"
    "  --transport WHICH    two-sided or one-sided (two-sided)\n"
    "  --route WHICH        direct or tree (the plan's choice)\n"
    "  --window N           rounds in flight (2)\n"
    "  --memory-words N     most words a rank may hold, its shares included (the plan's default)\n"
    "  --machine FILE       figures of the machine, from ashlar calibrate (the default's)\n"
    "  --link-mbit N        Mbit/s of each host's link, for the record (none)\n"
    "  --help               show this text and end\n";

static int64_t number(const char *name, const char *text, int64_t least, int64_t most)
{
    char *end = NULL;
    errno = 0;
    const long long value = strtoll(text, &end, 10);
    if (errno != 0 || end == text || *end != '\0' || value < least || value > most)
        ashi_die("%s is '%s', wanted a whole number from %" PRId64 " to %" PRId64, name, text, least, most);
    return value;
}

/* Which of two words; the index of it. */
static int either(const char *name, const char *text, const char *first, const char *second)
{
    if (strcmp(text, first) != 0 && strcmp(text, second) != 0)
        ashi_die("%s is '%s', wanted %s or %s", name, text, first, second);
    return strcmp(text, second) == 0;
}

static void read_grid(const char *text, ashi_case *c)
{
    char rest = 0;
    if (sscanf(text, "%dx%d%c", &c->grid_rows, &c->grid_cols, &rest) != 2 || c->grid_rows < 1 || c->grid_cols < 1)
        ashi_die("--grid is '%s', wanted rows and columns as in 2x4", text);
}

static void read_machine(const char *path, ashi_case *c)
{
    static ashlar_machine machine;
    machine = ashi_machine_of(path);
    c->options.machine = &machine;
}

static void read_option(const char *name, const char *value, ashi_case *c)
{
    if (strcmp(name, "--block") == 0)
        c->block = number(name, value, 1, INT32_MAX);
    else if (strcmp(name, "--grid") == 0)
        read_grid(value, c);
    else if (strcmp(name, "--repetitions") == 0)
        c->repetitions = (int)number(name, value, 1, 100000);
    else if (strcmp(name, "--objective") == 0)
        c->options.objective = (ashlar_objective)either(name, value, "time", "words");
    else if (strcmp(name, "--transport") == 0)
        c->options.transport = (ashlar_transport)either(name, value, "two-sided", "one-sided");
    else if (strcmp(name, "--route") == 0)
        c->options.route = (ashlar_route)either(name, value, "direct", "tree");
    else if (strcmp(name, "--window") == 0)
        c->options.window = (int)number(name, value, 1, 1000);
    else if (strcmp(name, "--memory-words") == 0)
        c->options.memory_words = number(name, value, 1, INT64_MAX);
    else if (strcmp(name, "--machine") == 0)
        read_machine(value, c);
    else if (strcmp(name, "--link-mbit") == 0)
        c->link_mbit = number(name, value, 1, 100000000);
    else
        ashi_die("unknown option %s; --help lists them", name);
}

static void squarest_grid(int ranks, ashi_case *c)
{
    c->grid_rows = 1;
    for (int rows = 1; rows <= ranks / rows; rows++)
        if (ranks % rows == 0)
            c->grid_rows = rows;
    c->grid_cols = ranks / c->grid_rows;
}

static void show_help(const char *program, const char *purpose, int rank)
{
    if (rank == 0)
        printf("Usage: %s M N K [OPTION VALUE]...\n\n%s\n\n%s", program, purpose, help);
    MPI_Finalize();
    exit(0);
}

ashi_case ashi_case_parse(int argc, char **argv, const char *purpose, int rank, int ranks)
{
    ashi_case c = {.block = 64, .repetitions = 5, .options = ashlar_options_default()};
    if (argc == 2 && strcmp(argv[1], "--help") == 0)
        show_help(argv[0], purpose, rank);
    if (argc < 4 || argc % 2 != 0)
        ashi_die("wanted M N K and options with a value each; --help says more");
    c.m = number("M", argv[1], 1, INT32_MAX);
    c.n = number("N", argv[2], 1, INT32_MAX);
    c.k = number("K", argv[3], 1, INT32_MAX);
    for (int i = 4; i + 1 < argc; i += 2)
        read_option(argv[i], argv[i + 1], &c);
    if (c.grid_rows == 0)
        squarest_grid(ranks, &c);
    if ((int64_t)c.grid_rows * c.grid_cols != ranks)
        ashi_die("a grid of %d x %d was asked for on %d ranks", c.grid_rows, c.grid_cols, ranks);
    return c;
}
