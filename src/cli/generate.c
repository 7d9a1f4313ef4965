/* ashlar generate: a matrix or a tensor of repeatable values, written to a file piece by piece. */
#include "cli/command.h"

#include "base/checked.h"
#include "base/error.h"
#include "base/number.h"
#include "cli/described_tiles.h"
#include "cli/generate_tiles.h"
#include "cli/progress.h"
#include "cli/values.h"
#include "store/bands.h"
#include "store/store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(x) ((int)(sizeof(x) / sizeof((x)[0])))

static const int64_t band_bytes = 4 << 20;

typedef struct wishes {
    const char *output, *tiling, *shape;
    double density, decay; /* of tiles */
    bool density_given, decay_given;
    int type, kind, order; /* in the order of the choices, which is that of the enumerations */
    int64_t seed;
    bool quiet;
} wishes;

/* A tensor is the matrix that has its last dimension as columns: these rows of it follow one another in the file. */
static ashlar_status write_band(ashi_store *store, const ashi_store_info *info, const ashi_file_box *b,
                                int64_t cols, const void *data, int64_t row_stride, int64_t col_stride,
                                ashlar_error *err)
{
    if (info->tensor)
        return ashi_store_write(store, b->row * cols + b->col, b->rows * b->cols, 0, 1, data, 1, 1, err);
    return ashi_store_write(store, b->row, b->rows, b->col, b->cols, data, row_stride, col_stride, err);
}

/* Every band of the matrix in the order of the file. */
static ashlar_status fill(ashi_store *store, const ashi_store_info *info, const ashi_values *values, void *data,
                          bool loud, ashlar_error *err)
{
    const int64_t most = band_bytes / (int64_t)ashlar_type_bytes(info->type);
    const ashlar_order order = ashi_store_order(store);
    const int64_t last = info->tensor && info->dimensions > 0 ? info->extent[info->dimensions - 1] : 1;
    const int64_t cols = info->tensor ? ashi_max(last, 1) : info->cols, rows = info->rows / (info->tensor ? cols : 1);
    ashi_bands bands = ashi_bands_of(rows, cols, order, most);
    ashi_progress progress = ashi_progress_start("generating", rows * cols, loud);
    ashlar_status status = ASHLAR_OK;
    for (ashi_file_box b; status == ASHLAR_OK && ashi_bands_next(&bands, &b);) {
        const int64_t row_stride = order == ASHLAR_ROW_MAJOR ? b.cols : 1;
        const int64_t col_stride = order == ASHLAR_ROW_MAJOR ? 1 : b.rows;
        ashi_values_fill(values, b.row, b.rows, b.col, b.cols, data, row_stride, col_stride);
        status = write_band(store, info, &b, cols, data, row_stride, col_stride, err);
        ashi_progress_add(&progress, b.rows * b.cols);
    }
    ashi_progress_end(&progress);
    return status;
}

static ashlar_status generate(const ashi_store_info *info, const wishes *wish, ashlar_error *err)
{
    const ashi_values values = {info->type, (ashi_values_kind)wish->kind, (uint64_t)wish->seed};
    void *data = malloc((size_t)band_bytes);
    if (!data)
        return ashi_fail_memory(err, "generate", band_bytes);
    ashi_store *store = NULL;
    ashi_store_info made;
    ashlar_status status = ashi_store_create(wish->output, info, &store, err);
    if (status == ASHLAR_OK)
        ashi_store_describe(store, &made);
    if (status == ASHLAR_OK)
        status = fill(store, &made, &values, data, !wish->quiet, err);
    if (status == ASHLAR_OK)
        status = ashi_store_publish(store, err);
    const ashlar_status closed = ashi_store_close(&store, status == ASHLAR_OK ? err : NULL);
    free(data);
    return status == ASHLAR_OK ? closed : status;
}

enum { OPTIONS = 10 };

static ashi_usage usage_of(wishes *wish, ashi_option options[OPTIONS])
{
    const ashi_option rows[] = {
        {"output", 'o', ASHI_FILE, "FILE", NULL, "the file to write: .npy, .mtx, or .h5:/NAME", &wish->output, NULL},
        {"type", 't', ASHI_CHOICE, NULL, "s|d|c|z|h",
         "element type: float, double (default), their complex types, or float16", &wish->type, NULL},
        {"seed", 's', ASHI_COUNT, "N", "0 to 9223372036854775807",
         "which of many matrices; the same seed gives the same one (default 0)", &wish->seed, NULL},
        {"kind", 0, ASHI_CHOICE, NULL, "uniform|integers",
         "values in [-1, 1) (default), or integers from -4 to 4, whose products are exact", &wish->kind, NULL},
        {"order", 0, ASHI_CHOICE, NULL, "C|F",
         "how a .npy file keeps them: row after row (default), or column after column", &wish->order, NULL},
        {"shape", 0, ASHI_TEXT, "N1xN2x...", NULL,
         "a tensor of these extents instead of a matrix, to .npy or .h5:/NAME; the last varies fastest", &wish->shape,
         NULL},
        {"tiling", 0, ASHI_TEXT, "TILING", NULL,
         "a matrix of tiles, to .h5:/GROUP: random:MEAN[:SPREAD], sizes that are SPREAD times apart (default 1), "
         "even:MEAN, or file:CUTS, a text of two lines with the sizes for rows and columns", &wish->tiling, NULL},
        {"density", 0, ASHI_NUMBER, "D", "0 to 1", "the part of the tiles that are present (default 1)",
         &wish->density, &wish->density_given},
        {"decay", 0, ASHI_NUMBER, "X", "0 to 1000",
         "multiply the elements of a tile by exp(-X d) if it is d tiles from the diagonal (default 0)", &wish->decay,
         &wish->decay_given},
        {"quiet", 'q', ASHI_FLAG, NULL, NULL, "show no progress", &wish->quiet, NULL},
    };
    _Static_assert(COUNT(rows) == OPTIONS, "OPTIONS");
    memcpy(options, rows, sizeof rows);
    return (ashi_usage){
        .command = "generate", .synopsis = "ROWS COLS -o FILE [OPTION...]",
        .summary = "Write a matrix, or with --shape a tensor, of repeatable pseudo-random values to a file.",
        .example = "ashlar generate 4000 3000 -o A.npy --type d --seed 1",
        .options = options, .option_count = OPTIONS, .most = 2,
    };
}

void ashi_describe_generate(ashi_usage_use use, void *context)
{
    wishes wish = {0};
    ashi_option options[OPTIONS];
    const ashi_usage usage = usage_of(&wish, options);
    use(&usage, context);
}

/* -1, or the exit status after one line. */
static int check_tiles(const wishes *wish)
{
    ashlar_error err = {0};
    ashi_tiling tiling;
    if (!wish->tiling && (wish->density_given || wish->decay_given))
        ashi_fail(&err, ASHLAR_ERR_ARG, "--%s wants --tiling", wish->density_given ? "density" : "decay");
    else if (wish->tiling && wish->decay > 0 && wish->kind == ASHI_VALUES_INTEGERS)
        ashi_fail(&err, ASHLAR_ERR_ARG, "--decay makes fractions of integers, wanted --kind uniform");
    else if (wish->tiling && wish->type == ASHLAR_TYPE_H)
        ashi_fail(&err, ASHLAR_ERR_ARG, "--type=h (float16) is not for --tiling, tiles are of type s, d, c or z");
    else if (!wish->tiling || ashi_tiling_read(wish->tiling, &tiling, &err) == ASHLAR_OK)
        return -1;
    return ashi_complain("generate", &err);
}

/* "40x40x30x30" */
static ashlar_status read_shape(const char *text, ashi_store_info *info, ashlar_error *err)
{
    info->tensor = true;
    for (const char *at = text;; at++) {
        char number[32];
        const size_t n = strcspn(at, "x");
        if (info->dimensions == ASHI_DIMENSIONS_MAX)
            return ashi_fail(err, ASHLAR_ERR_ARG, "--shape has more than %d extents", ASHI_DIMENSIONS_MAX);
        snprintf(number, sizeof number, "%.*s", (int)(n < sizeof number ? n : sizeof number - 1), at);
        if (n >= sizeof number || !ashi_number_count(number, &info->extent[info->dimensions++]))
            return ashi_fail(err, ASHLAR_ERR_ARG, "--shape=%.100s, wanted extents such as 40x40x30x30", text);
        at += n;
        if (!*at)
            return ASHLAR_OK;
    }
}

/* ROWS and COLS, or --shape. -1, or the exit status after one line. */
static int read_size(int count, char **argv, const wishes *wish, ashi_store_info *info)
{
    ashlar_error err;
    if (wish->shape && (count > 0 || wish->tiling || wish->order != 0)) {
        ashi_fail(&err, ASHLAR_ERR_ARG, "--shape is for a tensor in C order: neither ROWS and COLS, --tiling nor "
                  "--order F are wanted");
        return ashi_complain("generate", &err);
    }
    if (wish->shape)
        return read_shape(wish->shape, info, &err) == ASHLAR_OK ? -1 : ashi_complain("generate", &err);
    if (count < 2) {
        fprintf(stderr, "ashlar generate: %s missing; 'ashlar generate --help' says more\n",
                count == 0 ? "ROWS is" : "COLS is");
        return ASHI_EXIT_USAGE;
    }
    return ashi_options_count("generate", "ROWS", argv[1], 0, true, &info->rows) &&
                   ashi_options_count("generate", "COLS", argv[2], 0, true, &info->cols)
               ? -1 : ASHI_EXIT_USAGE;
}

int ashi_command_generate(int argc, char **argv)
{
    wishes wish = {.type = ASHLAR_TYPE_D, .order = 0, .density = 1};
    ashi_option options[OPTIONS];
    const ashi_usage usage = usage_of(&wish, options);
    int count = 0;
    ashi_store_info info = {0};
    const int done = ashi_options_parse(&usage, argc, argv, true, &count);
    if (done >= 0)
        return done;
    const int shaped = read_size(count, argv, &wish, &info);
    if (shaped >= 0)
        return shaped;
    if (!wish.output) {
        fputs("ashlar generate: no output named, wanted -o FILE\n", stderr);
        return ASHI_EXIT_USAGE;
    }
    const int wrong = check_tiles(&wish);
    if (wrong >= 0)
        return wrong;
    if (wish.tiling) {
        const ashi_generated_tiles tiles = {
            wish.output, wish.tiling, {(ashlar_type)wish.type, (ashi_values_kind)wish.kind, (uint64_t)wish.seed},
            info.rows, info.cols, wish.density, wish.decay};
        return ashi_generate_tiles(&tiles);
    }
    info.type = (ashlar_type)wish.type;
    info.half = info.type == ASHLAR_TYPE_H;
    info.order = wish.order == 0 ? ASHLAR_ROW_MAJOR : ASHLAR_COL_MAJOR;
    ashlar_error err = {0};
    const ashlar_status status = generate(&info, &wish, &err);
    return status == ASHLAR_OK ? ASHI_EXIT_DONE : ashi_complain("generate", &err);
}
