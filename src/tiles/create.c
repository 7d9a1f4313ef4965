/* Making a matrix of tiles from its description: what is asked for is checked on each rank, and compared between them.
 */
#include "base/checked.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/structure.h"
#include "base/type.h"
#include "choose/tile_grid.h"
#include "tiles/matrix.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char *const who = "ashlar_tiles_create";

static ashlar_status take(const ashlar_tiles_description *given, ashlar_tiles_description *out, ashlar_error *err)
{
    const ashi_filled filled = {who, "description", given, ASHI_FIRST_VERSION(ashlar_tiles_description, user)};
    *out = (ashlar_tiles_description){0};
    if (!given)
        return ashi_fail(err, ASHLAR_ERR_ARG, "%s: description is NULL", who);
    const ashlar_status status = ashi_structure_take(&filled, out, sizeof *out, err);
    if (status != ASHLAR_OK)
        return status;
    if (!ashi_type_of(out->type))
        return ashi_fail(err, ASHLAR_ERR_ARG, "%s: type = %d is none", who, (int)out->type);
    if (!ashi_type_is_alike(out->type))
        return ashi_type_refuse(out->type, who, "matrices of tiles", err);
    if ((int)out->symmetry < ASHLAR_GENERAL || (int)out->symmetry > ASHLAR_ANTIHERMITIAN)
        return ashi_fail(err, ASHLAR_ERR_ARG, "%s: symmetry = %d is none", who, (int)out->symmetry);
    return ASHLAR_OK;
}

static ashlar_status cut(const ashlar_tiles_description *d, ashlar_tiles *t, ashlar_error *err)
{
    int64_t words = 0;
    if (!d->col_sizes && d->tile_cols != d->tile_rows)
        return ashi_fail(err, ASHLAR_ERR_ARG,
                         "%s: col_sizes is NULL, and there are %" PRId64 " rows of tiles and %" PRId64 " columns", who,
                         d->tile_rows, d->tile_cols);
    ashlar_status status = ashi_cuts_make(d->tile_rows, d->row_sizes, "the rows of a matrix of tiles", &t->row, err);
    if (status == ASHLAR_OK)
        status = ashi_cuts_make(d->tile_cols, d->col_sizes ? d->col_sizes : d->row_sizes,
                                "the columns of a matrix of tiles", &t->col, err);
    if (status != ASHLAR_OK)
        return status;
    if (!ashi_mul(ashi_cuts_all(&t->row), ashi_cuts_all(&t->col), &words))
        return ashi_fail(err, ASHLAR_ERR_OVERFLOW, "%s: %" PRId64 " x %" PRId64 " elements are more than 2^63 - 1", who,
                         ashi_cuts_all(&t->row), ashi_cuts_all(&t->col));
    const int64_t differ = ashi_cuts_differ(&t->row, &t->col);
    if (t->symmetry != ASHLAR_GENERAL && differ >= 0)
        return ashi_fail(err, ASHLAR_ERR_ARG,
                         "%s: a matrix with a symmetry has rows and columns that are cut alike; tile %" PRId64
                         " differs", who, differ);
    return ASHLAR_OK;
}

/* Numbers of a map or of a grid, each at least 0 and below `end`. */
static ashlar_status take_numbers(const int *given, int64_t count, int64_t end, const char *name, int **out,
                                  ashlar_error *err)
{
    *out = malloc((size_t)ashi_max(count, 1) * sizeof **out);
    if (!*out)
        return ashi_fail_memory(err, who, count * (int64_t)sizeof **out);
    for (int64_t i = 0; i < count; i++) {
        if (given && (given[i] < 0 || given[i] >= end))
            return ashi_fail(err, ASHLAR_ERR_ARG, "%s: %s[%" PRId64 "] = %d, wanted 0 to %" PRId64, who, name, i,
                             given[i], end - 1);
        (*out)[i] = given ? given[i] : (int)i;
    }
    return ASHLAR_OK;
}

static ashlar_status deal_on_grid(const ashlar_tiles_description *d, ashlar_tiles *t, ashlar_error *err)
{
    ashi_deal *const deal = &t->deal;
    const int ranks = t->context->ranks;
    *deal = (ashi_deal){.grid_rows = d->grid_rows, .grid_cols = d->grid_cols};
    if (d->grid_rows == 0 && d->grid_cols == 0) {
        int64_t grid[2];
        ashi_tile_grid(&t->row, &t->col, ranks, grid);
        deal->grid_rows = grid[0];
        deal->grid_cols = grid[1];
    }
    if (deal->grid_rows < 1 || deal->grid_cols < 1 || deal->grid_rows > ranks / deal->grid_cols)
        return ashi_fail(err, ASHLAR_ERR_ARG,
                         "%s: a grid of %" PRId64 " x %" PRId64 " processes, wanted at least 1 x 1 and at most %d "
                         "processes", who, d->grid_rows, d->grid_cols, ranks);
    ashlar_status status = take_numbers(d->grid_ranks, deal->grid_rows * deal->grid_cols, ranks, "grid_ranks",
                                        &deal->grid_rank, err);
    if (status == ASHLAR_OK && d->row_map)
        status = take_numbers(d->row_map, t->row.tiles, deal->grid_rows, "row_map", &deal->row_part, err);
    if (status == ASHLAR_OK && d->col_map)
        status = take_numbers(d->col_map, t->col.tiles, deal->grid_cols, "col_map", &deal->col_part, err);
    return status;
}

/* Some of the tiles, spread over all, and a number for the ranks that they belong to. */
enum { TRIED_ROWS = 32, TRIED_COLS = 32 };

static ashlar_status try_owners(const ashlar_tiles *t, int64_t *digest, ashlar_error *err)
{
    uint64_t number = 0;
    const int64_t rows = ashi_min(t->row.tiles, TRIED_ROWS), cols = ashi_min(t->col.tiles, TRIED_COLS);
    for (int64_t r = 0; r < rows; r++)
        for (int64_t c = 0; c < cols; c++) {
            const int64_t row = ashi_cut(t->row.tiles, rows, r), col = ashi_cut(t->col.tiles, cols, c);
            const int owner = ashlar_tiles_owner(t, row, col);
            if (owner < 0 || owner >= t->context->ranks)
                return ashi_fail(err, ASHLAR_ERR_ARG,
                                 "%s: tile (%" PRId64 ", %" PRId64 ") is to belong to rank %d, there are %d ranks", who,
                                 row, col, owner, t->context->ranks);
            number = ashi_hash(number, owner);
        }
    *digest = (int64_t)(number >> 1);
    return ASHLAR_OK;
}

/* What is compared between ranks. */
typedef struct digests {
    int64_t row, col, deal, owners;
} digests;

static uint64_t mix(uint64_t digest, const void *from, size_t bytes)
{
    const unsigned char *byte = from;
    for (size_t i = 0; i < bytes; i++)
        digest = (digest ^ byte[i]) * 0x100000001B3u; /* FNV-1a */
    return digest;
}

static int64_t digest_of_cuts(const ashi_cuts *cuts)
{
    uint64_t digest = 0xCBF29CE484222325u;
    for (int64_t i = 0; i <= cuts->tiles; i++)
        digest = ashi_hash(digest, cuts->at[i]);
    return (int64_t)(digest >> 1);
}

static int64_t digest_of_deal(const ashlar_tiles *t)
{
    const ashi_deal *d = &t->deal;
    uint64_t digest = 0xCBF29CE484222325u;
    if (d->owner)
        return 1;
    digest = mix(digest, &d->grid_rows, sizeof d->grid_rows);
    digest = mix(digest, &d->grid_cols, sizeof d->grid_cols);
    digest = mix(digest, d->grid_rank, (size_t)(d->grid_rows * d->grid_cols) * sizeof *d->grid_rank);
    if (d->row_part)
        digest = mix(digest, d->row_part, (size_t)t->row.tiles * sizeof *d->row_part);
    digest = mix(digest, d->col_part ? "" : "cyclic", d->col_part ? 0 : 6);
    if (d->col_part)
        digest = mix(digest, d->col_part, (size_t)t->col.tiles * sizeof *d->col_part);
    return (int64_t)(digest >> 1);
}

static ashlar_status fill(const ashlar_tiles_description *d, ashlar_tiles *t, digests *out, ashlar_error *err)
{
    ashlar_status status = cut(d, t, err);
    if (status != ASHLAR_OK)
        return status;
    if (d->owner)
        t->deal = (ashi_deal){.owner = d->owner, .context = d->user};
    else
        status = deal_on_grid(d, t, err);
    if (status == ASHLAR_OK)
        status = try_owners(t, &out->owners, err);
    if (status != ASHLAR_OK)
        return status;
    out->row = digest_of_cuts(&t->row);
    out->col = digest_of_cuts(&t->col);
    out->deal = digest_of_deal(t);
    return status;
}

/* All ranks have made their matrix, or none keeps it. */
static ashlar_status compare(const ashlar_context *c, ashlar_status mine, const ashlar_tiles_description *d,
                             const digests *own, ashlar_error *err)
{
    const ashi_shared values[] = {{"the type", (int64_t)d->type},
                                  {"the symmetry", (int64_t)d->symmetry},
                                  {"tile_rows", d->tile_rows},
                                  {"tile_cols", d->tile_cols},
                                  {"the sizes of the rows of tiles", own->row},
                                  {"the sizes of the columns of tiles", own->col},
                                  {"the grid and its maps", own->deal},
                                  {"which rank has which tile", own->owners}};
    return ashi_agree_same(c, mine, who, values, (int)(sizeof values / sizeof values[0]), err);
}

ashlar_status ashlar_tiles_create(ashlar_context *context, const ashlar_tiles_description *description,
                                  ashlar_tiles **out, ashlar_error *err)
{
    ashlar_error own = {0};
    ashlar_tiles_description d;
    digests mine = {0};
    err = err ? err : &own;
    if (out)
        *out = NULL;
    if (!context)
        return ashi_fail(err, ASHLAR_ERR_ARG, "%s: context is NULL", who);
    ashlar_tiles *t = calloc(1, sizeof *t);
    ashlar_status status = t ? take(description, &d, err) : ashi_fail_memory(err, who, (int64_t)sizeof *t);
    if (status == ASHLAR_OK && !out)
        status = ashi_fail(err, ASHLAR_ERR_ARG, "%s: out is NULL", who);
    if (status == ASHLAR_OK) {
        *t = (ashlar_tiles){.context = context, .type = d.type, .bytes = ashlar_type_bytes(d.type),
                            .kernels = ashi_kernels_of(d.type), .tile_kernels = ashi_tile_kernels_of(d.type),
                            .symmetry = d.symmetry};
        status = fill(&d, t, &mine, err);
    } else {
        d = (ashlar_tiles_description){0};
    }
    status = compare(context, status, &d, &mine, err);
    if (status == ASHLAR_OK)
        *out = t;
    else
        ashlar_tiles_free(&t);
    return status;
}
