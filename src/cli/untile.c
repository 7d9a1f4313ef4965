/* ashlar untile: a matrix of tiles in a file made dense. */
#include "cli/command.h"

#include "base/error.h"
#include "cli/on_ranks.h"
#include "tiles/to_file.h"

#include <string.h>

#define COUNT(x) ((int)(sizeof(x) / sizeof((x)[0])))

typedef struct wishes {
    const char *input, *output;
    int order; /* in the order of the choices */
} wishes;

enum { OPTIONS = 2 };

static ashi_usage usage_of(wishes *wish, ashi_option options[OPTIONS])
{
    const ashi_option rows[] = {
        {"output", 'o', ASHI_FILE, "FILE", NULL, "the file to write: .npy, .mtx, or .h5:/DATASET", &wish->output, NULL},
        {"order", 0, ASHI_CHOICE, NULL, "C|F",
         "how a .npy file keeps its elements: row after row (default), or column after column", &wish->order, NULL},
    };
    _Static_assert(COUNT(rows) == OPTIONS, "OPTIONS");
    memcpy(options, rows, sizeof rows);
    return (ashi_usage){
        .command = "untile", .synopsis = "A -o FILE [OPTION...]",
        .summary = "Write a matrix of tiles as a dense one, with zeros for tiles that are absent.",
        .example = "ashlar untile C.h5:/C -o C.npy",
        .options = options, .option_count = OPTIONS, .least = 1, .most = 1, .files = true,
    };
}

void ashi_describe_untile(ashi_usage_use use, void *context)
{
    wishes wish = {0};
    ashi_option options[OPTIONS];
    const ashi_usage usage = usage_of(&wish, options);
    use(&usage, context);
}

static int settle(char **argv, bool speak, void *to)
{
    wishes *wish = to;
    ashlar_error err = {0};
    wish->input = argv[1];
    if (wish->output)
        return -1;
    ashi_fail(&err, ASHLAR_ERR_ARG, "no output named, wanted -o FILE");
    return speak ? ashi_complain("untile", &err) : ASHI_EXIT_USAGE;
}

static ashlar_status work(ashlar_context *context, void *from, ashlar_error *err)
{
    const wishes *wish = from;
    return ashi_tiles_expand_file(context, wish->input, wish->output,
                                  wish->order == 0 ? ASHLAR_ROW_MAJOR : ASHLAR_COL_MAJOR, err);
}

int ashi_command_untile(int argc, char **argv)
{
    wishes wish = {0};
    ashi_option options[OPTIONS];
    const ashi_usage usage = usage_of(&wish, options);
    const ashi_ranked ranked = {&usage, settle, work};
    return ashi_on_ranks(&ranked, argc, argv, &wish);
}
