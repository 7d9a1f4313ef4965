/* A drawing of a matrix of tiles: tile by tile, or in cells if there are many. */
#include "draw/tiles_svg.h"

#include "base/error.h"
#include "draw/svg_write.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

enum {
    LONGEST = 640,       /* pixels of the longer side */
    SHORTEST = 40,       /* the shorter one has no less */
    MARGIN = 20, TOP = 64,
    LEGEND = 150,
    TILES_DRAWN = 20000, /* more are drawn in cells */
    CELL = 4,            /* pixels of a cell's side */
    HUES = 12,
    SMALLEST_TEXT = 4, LARGEST_TEXT = 13 /* pixels of a rank's digits */
};

/* Shades go from the largest norm down to this part of it. */
static const double least_part = 1e-16;

typedef struct sheet {
    const ashi_tile_picture *p;
    FILE *file;
    double width, height; /* of the matrix, in pixels */
    double most;          /* the largest finite norm */
    double *cell;         /* the largest norm in each, -1 for none; NULL: tile by tile */
    int64_t cells_across, cells_down;
} sheet;

static void measure(sheet *s)
{
    const ashi_tile_head *h = s->p->head;
    const double rows = (double)ashi_cuts_all(&h->row), cols = (double)ashi_cuts_all(&h->col);
    const double longer = fmax(1, fmax(rows, cols));
    s->width = fmax(SHORTEST, LONGEST * cols / longer);
    s->height = fmax(SHORTEST, LONGEST * rows / longer);
    s->most = 0;
    for (int64_t t = 0; t < h->tiles; t++)
        if (isfinite(s->p->norms[t]))
            s->most = fmax(s->most, s->p->norms[t]);
}

static double x_of(const sheet *s, int64_t col)
{
    const ashi_cuts *cuts = &s->p->head->col;
    return s->width * (double)cuts->at[col] / fmax(1, (double)ashi_cuts_all(cuts));
}

static double y_of(const sheet *s, int64_t row)
{
    const ashi_cuts *cuts = &s->p->head->row;
    return s->height * (double)cuts->at[row] / fmax(1, (double)ashi_cuts_all(cuts));
}

/* 1 for the largest norm, less for smaller ones, and 0.1 for all that are too small to be seen apart. */
static double shade(const sheet *s, double norm)
{
    if (!(norm > 0) || !(s->most > 0))
        return 0.1;
    const double part = fmax(least_part, norm / s->most);
    return 0.1 + 0.9 * (1 - log10(part) / log10(least_part));
}

/* Black, or the colour of the tile's process. */
static void put_fill(const sheet *s, double norm, int64_t row, int64_t col)
{
    const ashi_tile_picture *p = s->p;
    if (!isfinite(norm))
        fputs(" fill=\"#d00\"", s->file);
    else if (p->grid_rows > 0) {
        const int64_t process = row % p->grid_rows * p->grid_cols + col % p->grid_cols;
        fprintf(s->file, " fill=\"hsl(%d,70%%,%d%%)\" fill-opacity=\"%.2f\"", (int)(process % HUES) * 360 / HUES,
                30 + (int)(process / HUES % 3) * 15, shade(s, norm));
    } else
        fprintf(s->file, " fill-opacity=\"%.2f\"", shade(s, norm));
}

/* The rank in the middle of a tile, if its digits fit: white on the darker shades. */
static void put_rank(const sheet *s, int64_t row, int64_t col, double norm, int64_t rank)
{
    const double x = x_of(s, col), y = y_of(s, row), width = x_of(s, col + 1) - x, height = y_of(s, row + 1) - y;
    const double digits = rank > 0 ? 1 + floor(log10((double)rank)) : 1;
    const double size = fmin(LARGEST_TEXT, fmin(height - 2, (width - 2) / (0.6 * digits)));
    if (size < SMALLEST_TEXT)
        return;
    fprintf(s->file, "<text x=\"%.2f\" y=\"%.2f\" font-size=\"%.1f\" text-anchor=\"middle\"%s "
                     "pointer-events=\"none\">%" PRId64 "</text>\n", x + width / 2, y + height / 2 + 0.35 * size, size,
            shade(s, norm) > 0.5 ? " fill=\"#fff\"" : "", rank);
}

static void put_tile(const sheet *s, int64_t row, int64_t col, double norm, int64_t rank, bool mirrored)
{
    const double x = x_of(s, col), y = y_of(s, row);
    fprintf(s->file, "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\"", x, y, x_of(s, col + 1) - x,
            y_of(s, row + 1) - y);
    put_fill(s, norm, mirrored ? col : row, mirrored ? row : col);
    fprintf(s->file, "><title>(%" PRId64 ", %" PRId64 ")%s, %" PRId64 " x %" PRId64 ", norm %.3g", row, col,
            mirrored ? ", a mirror image" : "", ashi_cuts_size(&s->p->head->row, row),
            ashi_cuts_size(&s->p->head->col, col), norm);
    if (rank >= 0)
        fprintf(s->file, ", rank %" PRId64, rank);
    fputs("</title></rect>\n", s->file);
    if (rank >= 0)
        put_rank(s, row, col, norm, rank);
}

/* A NaN is larger than all. */
static void mark_cells(const sheet *s, int64_t row, int64_t col, double norm, int64_t rank, bool mirrored)
{
    (void)rank, (void)mirrored;
    const int64_t across = s->cells_across, down = s->cells_down;
    const int64_t x0 = (int64_t)(x_of(s, col) / CELL), x1 = (int64_t)ceil(x_of(s, col + 1) / CELL);
    const int64_t y0 = (int64_t)(y_of(s, row) / CELL), y1 = (int64_t)ceil(y_of(s, row + 1) / CELL);
    for (int64_t y = y0; y < y1 && y < down; y++)
        for (int64_t x = x0; x < x1 && x < across; x++) {
            double *cell = &s->cell[y * across + x];
            *cell = isnan(norm) || norm > *cell ? norm : *cell;
        }
}

/* Every tile and every mirror image. */
static void each_tile(const sheet *s, void (*use)(const sheet *s, int64_t row, int64_t col, double norm, int64_t rank,
                                                  bool mirrored))
{
    const ashi_tile_picture *p = s->p;
    for (int64_t row = 0; row < p->head->row.tiles; row++)
        for (int64_t t = p->starts[row]; t < p->starts[row + 1]; t++) {
            const int64_t rank = p->ranks ? p->ranks[t] : -1;
            use(s, row, p->columns[t], p->norms[t], rank, false);
            if (p->head->symmetry != ASHLAR_GENERAL && p->columns[t] != row)
                use(s, p->columns[t], row, p->norms[t], rank, true);
        }
}

static void put_cells(const sheet *s)
{
    for (int64_t y = 0; y < s->cells_down; y++)
        for (int64_t x = 0; x < s->cells_across; x++) {
            const double norm = s->cell[y * s->cells_across + x];
            if (norm == -1)
                continue;
            fprintf(s->file, "<rect x=\"%" PRId64 "\" y=\"%" PRId64 "\" width=\"%d\" height=\"%d\"", x * CELL, y * CELL,
                    CELL, CELL);
            if (isfinite(norm))
                fprintf(s->file, " fill-opacity=\"%.2f\"/>\n", shade(s, norm));
            else
                fputs(" fill=\"#d00\"/>\n", s->file);
        }
}

/* What the shades mean. */
static void put_legend(const sheet *s)
{
    fprintf(s->file, "<g transform=\"translate(%.1f,%d)\">\n", s->width + 2 * MARGIN, TOP);
    for (int step = 0; step < 5; step++) {
        const double norm = s->most * pow(least_part, step / 4.0);
        fprintf(s->file, "<rect y=\"%d\" width=\"20\" height=\"16\" fill-opacity=\"%.2f\" stroke=\"#999\"/>\n"
                         "<text x=\"28\" y=\"%d\">%s%.2g</text>\n", step * 22, shade(s, norm), step * 22 + 13,
                step == 0 ? "norm " : "", norm);
    }
    if (s->cell)
        fputs("<text y=\"128\">a cell has the</text>\n<text y=\"144\">largest norm in it</text>\n", s->file);
    else if (s->p->grid_rows > 0)
        fprintf(s->file, "<text y=\"128\">colours: processes</text>\n<text y=\"144\">of a %" PRId64 " x %" PRId64
                         " grid</text>\n", s->p->grid_rows, s->p->grid_cols);
    if (!s->cell && s->p->ranks)
        fputs("<text y=\"172\">a number: the rank</text>\n<text y=\"188\">of a tile U V^T</text>\n", s->file);
    fputs("</g>\n", s->file);
}

static void draw(void *context, FILE *file)
{
    sheet *s = context;
    const ashi_tile_head *h = s->p->head;
    s->file = file;
    fprintf(file, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" font-family=\"sans-serif\" "
                  "font-size=\"13\">\n<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n",
            s->width + 3 * MARGIN + LEGEND, s->height + TOP + MARGIN);
    fprintf(file, "<text x=\"%d\" y=\"24\" font-size=\"15\">%" PRId64 " x %" PRId64 ", %" PRId64 " x %" PRId64
                  " tiles, %s</text>\n<text x=\"%d\" y=\"46\">%" PRId64 " tiles are stored</text>\n",
            MARGIN, ashi_cuts_all(&h->row), ashi_cuts_all(&h->col), h->row.tiles, h->col.tiles,
            ashi_symmetry_name(h->symmetry), MARGIN, h->tiles);
    fprintf(file, "<g transform=\"translate(%d,%d)\">\n", MARGIN, TOP);
    if (s->cell)
        put_cells(s);
    else
        each_tile(s, put_tile);
    fprintf(file, "<rect width=\"%.2f\" height=\"%.2f\" fill=\"none\" stroke=\"#000\"/>\n</g>\n", s->width, s->height);
    put_legend(s);
    fputs("</svg>\n", file);
}

static ashlar_status fill_cells(sheet *s, ashlar_error *err)
{
    s->cells_across = (int64_t)ceil(s->width / CELL);
    s->cells_down = (int64_t)ceil(s->height / CELL);
    const int64_t cells = s->cells_across * s->cells_down;
    s->cell = malloc((size_t)cells * sizeof *s->cell);
    if (!s->cell)
        return ashi_fail_memory(err, "svg", cells * (int64_t)sizeof *s->cell);
    for (int64_t c = 0; c < cells; c++)
        s->cell[c] = -1;
    each_tile(s, mark_cells);
    return ASHLAR_OK;
}

ashlar_status ashi_tiles_svg(const ashi_tile_picture *picture, char **out, ashlar_error *err)
{
    sheet s = {.p = picture};
    *out = NULL;
    measure(&s);
    ashlar_status status = picture->head->tiles > TILES_DRAWN ? fill_cells(&s, err) : ASHLAR_OK;
    if (status == ASHLAR_OK)
        status = ashi_svg_write(draw, &s, out, err);
    free(s.cell);
    return status;
}
