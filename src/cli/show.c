/* ashlar show: what a matrix of tiles in a file is, as text, as JSON and as a drawing. */
#include "cli/command.h"

#include "base/checked.h"
#include "base/error.h"
#include "base/number.h"
#include "cli/named_files.h"
#include "cli/on_ranks.h"
#include "cli/show.h"
#include "cli/text_file.h"
#include "draw/svg_write.h"
#include "draw/tiles_svg.h"
#include "plan/context.h"
#include "tiles/file_norms.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(x) ((int)(sizeof(x) / sizeof((x)[0])))

typedef struct wishes {
    const char *input, *svg, *cuts, *grid;
    bool json;
    int64_t grid_rows, grid_cols;
} wishes;

enum { OPTIONS = 4 };

static ashi_usage usage_of(wishes *wish, ashi_option options[OPTIONS])
{
    const ashi_option rows[] = {
        {"svg", 0, ASHI_FILE, "FILE", NULL, "draw the tiles, with their norms as shades and their ranks, to this file",
         &wish->svg, NULL},
        {"cuts", 0, ASHI_FILE, "FILE", NULL, "write the sizes of the tiles to this file, as ashlar tile takes them",
         &wish->cuts, NULL},
        {"grid", 0, ASHI_TEXT, "ROWSxCOLS", NULL,
         "deal the tiles out cyclically over such a process grid: the imbalance, and colours in the drawing",
         &wish->grid, NULL},
        {"json", 0, ASHI_FLAG, NULL, NULL, "print JSON", &wish->json, NULL},
    };
    _Static_assert(COUNT(rows) == OPTIONS, "OPTIONS");
    memcpy(options, rows, sizeof rows);
    return (ashi_usage){
        .command = "show", .synopsis = "A [OPTION...]",
        .summary = "Show a matrix of tiles: how it is cut, which tiles are present, their norms and ranks.",
        .example = "ashlar show A.h5:/A --svg A.svg --grid 2x3",
        .options = options, .option_count = OPTIONS, .least = 1, .most = 1, .files = true,
    };
}

void ashi_describe_show(ashi_usage_use use, void *context)
{
    wishes wish = {0};
    ashi_option options[OPTIONS];
    const ashi_usage usage = usage_of(&wish, options);
    use(&usage, context);
}

static bool read_grid(const char *text, int64_t *rows, int64_t *cols)
{
    char first[32];
    const char *x = strchr(text, 'x');
    const size_t length = x ? (size_t)(x - text) : sizeof first;
    if (length >= sizeof first)
        return false;
    memcpy(first, text, length);
    first[length] = '\0';
    return ashi_number_count(first, rows) && ashi_number_count(x + 1, cols) && *rows >= 1 && *cols >= 1 &&
           ashi_mul_most(*rows, *cols) <= ASHI_SHOW_PROCESSES;
}

static int settle(char **argv, bool speak, void *to)
{
    wishes *wish = to;
    ashlar_error err = {0};
    wish->input = argv[1];
    if (!wish->grid || read_grid(wish->grid, &wish->grid_rows, &wish->grid_cols))
        return -1;
    ashi_fail(&err, ASHLAR_ERR_ARG, "--grid '%.40s', wanted ROWSxCOLS, two numbers of at least 1 with a product of at "
                                    "most %d", wish->grid ? wish->grid : "", ASHI_SHOW_PROCESSES);
    return speak ? ashi_complain("show", &err) : ASHI_EXIT_USAGE;
}

/* Of all tiles; to be freed. */
typedef struct lists {
    int64_t *columns, *ranks; /* ranks: NULL if all are dense */
    double *norms;
} lists;

static ashlar_status read_tiles(ashi_tile_file *file, lists *l, ashlar_error *err)
{
    const bool low = ashi_tile_file_head(file)->low;
    const int64_t tiles = ashi_tile_file_head(file)->tiles, bytes = (tiles + 1) * (int64_t)sizeof *l->columns;
    l->columns = malloc((size_t)bytes);
    l->norms = malloc((size_t)bytes);
    l->ranks = low ? malloc((size_t)bytes) : NULL;
    if (!l->columns || !l->norms || (low && !l->ranks))
        return ashi_fail_memory(err, "show", (2 + low) * bytes);
    ashlar_status status = ashi_tile_file_read(file, ASHI_TILE_COLUMNS, 0, tiles, l->columns, err);
    if (status == ASHLAR_OK && low)
        status = ashi_tile_file_read(file, ASHI_TILE_RANKS, 0, tiles, l->ranks, err);
    return status == ASHLAR_OK ? ashi_tile_file_norms(file, l->norms, err) : status;
}

/* The sizes of one side's tiles in a line. */
static void put_sizes(FILE *file, const ashi_cuts *cuts)
{
    for (int64_t t = 0; t < cuts->tiles; t++)
        fprintf(file, "%s%" PRId64, t > 0 ? " " : "", ashi_cuts_size(cuts, t));
    fputc('\n', file);
}

static void put_cuts(void *context, FILE *file)
{
    const ashi_tile_head *head = context;
    put_sizes(file, &head->row);
    put_sizes(file, &head->col);
}

static ashlar_status write_cuts(const wishes *wish, const ashi_tile_head *head, ashlar_error *err)
{
    ashi_tile_head lent = *head;
    char *text = NULL;
    ashlar_status status = ashi_svg_write(put_cuts, &lent, &text, err);
    if (status == ASHLAR_OK)
        status = ashi_text_file_write(wish->cuts, text, err);
    free(text);
    return status;
}

static ashlar_status show(const wishes *wish, const ashi_tile_picture *picture, ashlar_error *err)
{
    char *svg = NULL;
    ashlar_status status = ASHLAR_OK;
    if (wish->svg)
        status = ashi_tiles_svg(picture, &svg, err);
    if (status == ASHLAR_OK && wish->svg)
        status = ashi_text_file_write(wish->svg, svg, err);
    free(svg);
    if (status == ASHLAR_OK && wish->cuts)
        status = write_cuts(wish, picture->head, err);
    return status == ASHLAR_OK ? ashi_show_print(picture, wish->json, err) : status;
}

static ashlar_status work_first(const wishes *wish, ashlar_error *err)
{
    const ashi_named_file files[] = {
        {"A", wish->input, false, true}, {"--svg", wish->svg, true, false}, {"--cuts", wish->cuts, true, false}};
    ashi_tile_file *file = NULL;
    lists l = {NULL, NULL, NULL};
    ashlar_status status = ashi_named_files_differ(files, COUNT(files), err);
    if (status == ASHLAR_OK)
        status = ashi_tile_file_open(wish->input, &file, err);
    if (status == ASHLAR_OK)
        status = read_tiles(file, &l, err);
    if (status == ASHLAR_OK) {
        const ashi_tile_picture picture = {ashi_tile_file_head(file), ashi_tile_file_starts(file), l.columns, l.norms,
                                           l.ranks, wish->grid_rows, wish->grid_cols};
        status = show(wish, &picture, err);
    }
    ashi_tile_file_close(&file, NULL);
    free(l.columns);
    free(l.norms);
    free(l.ranks);
    return status;
}

/* Rank 0 shows it: that is little work, if the file has norms. */
static ashlar_status work(ashlar_context *context, void *from, ashlar_error *err)
{
    return ashi_agree(context, context->rank == 0 ? work_first(from, err) : ASHLAR_OK, err);
}

int ashi_command_show(int argc, char **argv)
{
    wishes wish = {0};
    ashi_option options[OPTIONS];
    const ashi_usage usage = usage_of(&wish, options);
    const ashi_ranked ranked = {&usage, settle, work};
    return ashi_on_ranks(&ranked, argc, argv, &wish);
}
