/* ashlar tile: a dense matrix in a file cut into tiles of given sizes. */
#include "cli/command.h"

#include "base/error.h"
#include "cli/cuts_text.h"
#include "cli/named_files.h"
#include "cli/on_ranks.h"
#include "tiles/from_file.h"

#include <string.h>

#define COUNT(x) ((int)(sizeof(x) / sizeof((x)[0])))

typedef struct wishes {
    const char *input, *output, *cuts;
    double threshold, tolerance;
} wishes;

enum { OPTIONS = 4 };

static ashi_usage usage_of(wishes *wish, ashi_option options[OPTIONS])
{
    const ashi_option rows[] = {
        {"output", 'o', ASHI_FILE, "FILE", NULL, "where the matrix of tiles goes: .h5:/GROUP", &wish->output, NULL},
        {"cuts", 0, ASHI_FILE, "FILE", NULL,
         "a text of two lines: the tile sizes of the rows, and those of the columns", &wish->cuts, NULL},
        {"threshold", 0, ASHI_NUMBER, "X", "0 to 1e300",
         "leave out tiles whose Frobenius norm is below X (default: those of zeros only)", &wish->threshold, NULL},
        {"tolerance", 0, ASHI_NUMBER, "X", "0 to 1",
         "store tiles as U V^T if that takes at most half of the memory and loses at most X times the tile's norm "
         "(default: all are dense)", &wish->tolerance, NULL},
    };
    _Static_assert(COUNT(rows) == OPTIONS, "OPTIONS");
    memcpy(options, rows, sizeof rows);
    return (ashi_usage){
        .command = "tile", .synopsis = "A --cuts FILE -o FILE [OPTION...]",
        .summary = "Cut a matrix in a file into tiles, of which those that matter are kept.",
        .example = "ashlar tile A.npy --cuts cuts.txt --threshold 1e-8 -o A.h5:/A",
        .options = options, .option_count = OPTIONS, .least = 1, .most = 1, .files = true,
    };
}

void ashi_describe_tile(ashi_usage_use use, void *context)
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
    if (wish->cuts && wish->output)
        return -1;
    ashi_fail(&err, ASHLAR_ERR_ARG, wish->cuts ? "no output named, wanted -o FILE.h5:/GROUP"
                                               : "no sizes of tiles, wanted --cuts FILE");
    return speak ? ashi_complain("tile", &err) : ASHI_EXIT_USAGE;
}

static ashlar_status work(ashlar_context *context, void *from, ashlar_error *err)
{
    const wishes *wish = from;
    const ashi_named_file files[] = {
        {"A", wish->input, false, true}, {"-o", wish->output, true, true}, {"--cuts", wish->cuts, false, false}};
    ashi_cuts row = {0}, col = {0};
    ashlar_status status = context->rank == 0 ? ashi_named_files_differ(files, COUNT(files), err) : ASHLAR_OK;
    status = ashi_agree(context, status, err);
    if (status == ASHLAR_OK)
        status = ashi_cuts_text_read(context, wish->cuts, &row, &col, err);
    const ashi_tile_cutting cutting = {wish->input, wish->output, &row, &col, wish->threshold,
                                       wish->tolerance};
    if (status == ASHLAR_OK)
        status = ashi_tiles_cut_file(context, &cutting, err);
    ashi_cuts_free(&row);
    ashi_cuts_free(&col);
    return status;
}

int ashi_command_tile(int argc, char **argv)
{
    wishes wish = {0};
    ashi_option options[OPTIONS];
    const ashi_usage usage = usage_of(&wish, options);
    const ashi_ranked ranked = {&usage, settle, work};
    return ashi_on_ranks(&ranked, argc, argv, &wish);
}
