/* Compares Ashlar's transports, routes and windows on the same block-cyclic matrices, in turns. */
#include "program.h"
#include "variants.h"

enum { TRANSPORTS = 2, ROUTES = 2, WINDOWS = 3, WAYS = TRANSPORTS * ROUTES * WINDOWS };

static const char *const names[WAYS] = {
    "two-sided direct 1", "two-sided direct 2", "two-sided direct 3", "two-sided tree 1",
    "two-sided tree 2",   "two-sided tree 3",   "one-sided direct 1", "one-sided direct 2",
    "one-sided direct 3", "one-sided tree 1",   "one-sided tree 2",   "one-sided tree 3"};

/* In the order of the names. */
static ashlar_options options_of(const ashi_case *what, int way)
{
    ashlar_options options = what->options;
    options.transport = (ashlar_transport)(way / (ROUTES * WINDOWS));
    options.route = (ashlar_route)(way / WINDOWS % ROUTES);
    options.window = way % WINDOWS + 1;
    return options;
}

static void measure(ashi_matrices *x, json_t *report)
{
    ashlar_options options[WAYS];
    for (int w = 0; w < WAYS; w++)
        options[w] = options_of(&x->what, w);
    ashi_compare_variants(x, names, options, WAYS, 1, report); /* 1 is the default */
}

int main(int argc, char **argv)
{
    return ashi_program_run(argc, argv, "routes", "Compare Ashlar's transports, routes and windows.", measure);
}
