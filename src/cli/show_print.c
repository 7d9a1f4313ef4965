/* What ashlar show says of a matrix of tiles, as text and as JSON. */
#include "cli/show.h"

#include "base/checked.h"
#include "base/error.h"
#include "base/type.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    SCHEMA = 1,
    LEAST_DECADE = -20, /* smaller norms are counted together, and larger ones than 10^MOST_DECADE */
    MOST_DECADE = 19,
    DECADES = MOST_DECADE - LEAST_DECADE + 1
};

typedef struct side {
    int64_t indices, tiles, least, most;
} side;

typedef struct summary {
    side row, col;
    int64_t present, present_words; /* mirror images included */
    double density;                 /* of elements */
    double least, most;             /* of norms that are finite and above 0 */
    int64_t decade[DECADES], zero, not_finite; /* stored tiles by their norms */
    int64_t low, least_rank, most_rank; /* stored tiles that are U V^T */
    int64_t busiest;                /* words of a process; of stored tiles */
    double imbalance;
} summary;

static side side_of(const ashi_cuts *cuts)
{
    side s = {ashi_cuts_all(cuts), cuts->tiles, cuts->tiles > 0 ? ashi_cuts_size(cuts, 0) : 0, 0};
    for (int64_t t = 0; t < cuts->tiles; t++) {
        const int64_t size = ashi_cuts_size(cuts, t);
        s.least = size < s.least ? size : s.least;
        s.most = size > s.most ? size : s.most;
    }
    return s;
}

static void add_norm(summary *s, double norm)
{
    if (!isfinite(norm))
        s->not_finite++;
    else if (norm == 0)
        s->zero++;
    else {
        const double decade = fmin(fmax(floor(log10(norm)), LEAST_DECADE), MOST_DECADE);
        s->decade[(int)decade - LEAST_DECADE]++;
        s->least = fmin(s->least, norm);
        s->most = fmax(s->most, norm);
    }
}

/* Words of each process, added up tile by tile: `words` has a number for each. */
static void add_tile(const ashi_tile_picture *p, int64_t row, int64_t t, int64_t *words, summary *s)
{
    const ashi_tile_head *h = p->head;
    const int64_t col = p->columns[t], size = ashi_cuts_size(&h->row, row) * ashi_cuts_size(&h->col, col);
    const bool mirrored = h->symmetry != ASHLAR_GENERAL && row != col;
    s->present += mirrored ? 2 : 1;
    s->present_words += mirrored ? 2 * size : size;
    add_norm(s, p->norms[t]);
    const int64_t rank = p->ranks ? p->ranks[t] : -1;
    if (rank >= 0) {
        s->least_rank = s->low > 0 ? ashi_min(s->least_rank, rank) : rank;
        s->most_rank = ashi_max(s->most_rank, rank);
        s->low++;
    }
    if (words)
        words[row % p->grid_rows * p->grid_cols + col % p->grid_cols] += ashi_tile_head_words(h, row, col, rank);
}

static ashlar_status summarize(const ashi_tile_picture *p, summary *s, ashlar_error *err)
{
    const int64_t processes = p->grid_rows * p->grid_cols;
    int64_t *words = processes > 0 ? calloc((size_t)processes, sizeof *words) : NULL;
    *s = (summary){.row = side_of(&p->head->row), .col = side_of(&p->head->col), .least = INFINITY};
    if (processes > 0 && !words)
        return ashi_fail_memory(err, "show", processes * (int64_t)sizeof *words);
    for (int64_t row = 0; row < p->head->row.tiles; row++)
        for (int64_t t = p->starts[row]; t < p->starts[row + 1]; t++)
            add_tile(p, row, t, words, s);
    for (int64_t i = 0; i < processes; i++)
        s->busiest = words[i] > s->busiest ? words[i] : s->busiest;
    s->imbalance = p->head->words > 0 ? (double)s->busiest * (double)processes / (double)p->head->words : 1;
    const double all = (double)s->row.indices * (double)s->col.indices;
    s->density = all > 0 ? (double)s->present_words / all : 0;
    if (s->most == 0)
        s->least = 0;
    free(words);
    return ASHLAR_OK;
}

/* ---- text ---- */

static void print_side(const char *name, const side *s)
{
    printf("%s%" PRId64 " in %" PRId64 " tiles", name, s->indices, s->tiles);
    if (s->tiles > 0)
        printf(" of %" PRId64 " to %" PRId64 ", mean %.4g", s->least, s->most, (double)s->indices / (double)s->tiles);
    putchar('\n');
}

static void print_norms(const summary *s)
{
    printf("norms     %.3g to %.3g\n", s->least, s->most);
    for (int d = DECADES - 1; d >= 0; d--)
        if (s->decade[d] > 0)
            printf("  %s1e%+03d  %" PRId64 " tiles\n", d == 0 ? "below " : "from  ",
                   d == 0 ? LEAST_DECADE + 1 : LEAST_DECADE + d, s->decade[d]);
    if (s->zero > 0)
        printf("  zero        %" PRId64 " tiles\n", s->zero);
    if (s->not_finite > 0)
        printf("  not finite  %" PRId64 " tiles\n", s->not_finite);
}

static void print_text(const ashi_tile_picture *p, const summary *s)
{
    const ashi_tile_head *h = p->head;
    printf("matrix    %s, %s\n", ashi_type_of(h->type)->name, ashi_symmetry_name(h->symmetry));
    print_side("rows      ", &s->row);
    print_side("columns   ", &s->col);
    const double all = (double)s->row.tiles * (double)s->col.tiles;
    printf("tiles     %" PRId64 " present of %.0f (%.3g %%), %" PRId64 " stored\n", s->present, all,
           all > 0 ? 100 * (double)s->present / all : 0, h->tiles);
    printf("elements  %" PRId64 " present (%.3g %%), %" PRId64 " stored\n", s->present_words, 100 * s->density,
           h->words);
    if (s->low > 0)
        printf("low rank  %" PRId64 " tiles are stored as U V^T, of rank %" PRId64 " to %" PRId64 "\n", s->low,
               s->least_rank, s->most_rank);
    print_norms(s);
    if (p->grid_rows > 0)
        printf("grid      %" PRId64 " x %" PRId64 ": the busiest process stores %" PRId64
               " elements, imbalance %.3f\n", p->grid_rows, p->grid_cols, s->busiest, s->imbalance);
}

/* ---- JSON ---- */

static json_t *json_side(const side *s)
{
    return json_pack("{s:I, s:I, s:I, s:I}", "size", (json_int_t)s->indices, "tiles", (json_int_t)s->tiles, "least",
                     (json_int_t)s->least, "most", (json_int_t)s->most);
}

static json_t *json_norms(const summary *s)
{
    json_t *decades = json_array();
    for (int d = 0; d < DECADES; d++)
        if (s->decade[d] > 0)
            json_array_append_new(decades, json_pack("{s:i, s:I}", "decade", LEAST_DECADE + d, "tiles",
                                                     (json_int_t)s->decade[d]));
    return json_pack("{s:f, s:f, s:o, s:I, s:I}", "least", s->least, "most", s->most, "decades", decades, "zero",
                     (json_int_t)s->zero, "not_finite", (json_int_t)s->not_finite);
}

static ashlar_status print_json(const ashi_tile_picture *p, const summary *s, ashlar_error *err)
{
    const ashi_tile_head *h = p->head;
    const char type[2] = {ashi_type_of(h->type)->letter, '\0'};
    json_t *root = json_pack("{s:i, s:s, s:s, s:o, s:o, s:I, s:I, s:I, s:I, s:f, s:o}", "schema", SCHEMA, "type", type,
                             "symmetry", ashi_symmetry_name(h->symmetry), "rows", json_side(&s->row), "columns",
                             json_side(&s->col), "tiles_present", (json_int_t)s->present, "tiles_stored",
                             (json_int_t)h->tiles, "words_present", (json_int_t)s->present_words, "words_stored",
                             (json_int_t)h->words, "density", s->density, "norms", json_norms(s));
    if (root && p->grid_rows > 0)
        json_object_set_new(root, "grid", json_pack("{s:[I, I], s:I, s:f}", "size", (json_int_t)p->grid_rows,
                                                    (json_int_t)p->grid_cols, "words_max", (json_int_t)s->busiest,
                                                    "imbalance", s->imbalance));
    if (root && s->low > 0)
        json_object_set_new(root, "low_rank", json_pack("{s:I, s:I, s:I}", "tiles", (json_int_t)s->low, "least",
                                                        (json_int_t)s->least_rank, "most", (json_int_t)s->most_rank));
    char *text = root ? json_dumps(root, JSON_INDENT(2) | JSON_REAL_PRECISION(9)) : NULL;
    json_decref(root);
    if (!text)
        return ashi_fail_memory(err, "show", 1 << 12);
    puts(text);
    free(text);
    return ASHLAR_OK;
}

ashlar_status ashi_show_print(const ashi_tile_picture *picture, bool json, ashlar_error *err)
{
    summary s;
    const ashlar_status status = summarize(picture, &s, err);
    if (status != ASHLAR_OK)
        return status;
    if (json)
        return print_json(picture, &s, err);
    print_text(picture, &s);
    return ASHLAR_OK;
}
