/* A sparse product whose columns are numbered anew, so that those of one process are neighbours. */
#include "layout/symbolic_joined.h"

#include <stdlib.h>

/* The columns between the first and the last that occur. */
typedef struct span {
    int64_t first, end;
    int64_t *number; /* of each of them: 1 if it occurs, then its new number */
} span;

static void widen(span *s, const ashi_pattern *p)
{
    for (int64_t x = 0; p && x < p->rows; x++) {
        const int64_t first = p->col[p->start[x]], end = p->col[p->start[x + 1] - 1] + 1;
        s->first = s->end == 0 || first < s->first ? first : s->first;
        s->end = end > s->end ? end : s->end;
    }
}

static void mark(const span *s, const ashi_pattern *p)
{
    for (int64_t t = 0; p && t < p->tiles; t++)
        s->number[p->col[t] - s->first] = 1;
}

/* Columns are numbered in their order. */
static int64_t count(const span *s)
{
    int64_t columns = 0;
    for (int64_t x = 0; x < s->end - s->first; x++)
        columns += s->number[x];
    return columns;
}

static void number(const span *s, const ashi_cuts *cuts, ashi_joined *out)
{
    int64_t columns = 0;
    out->cuts.at[0] = 0;
    for (int64_t x = 0; x < s->end - s->first; x++) {
        if (s->number[x] == 0)
            continue;
        const int64_t col = s->first + x;
        out->col[columns] = col;
        out->cuts.at[columns + 1] = out->cuts.at[columns] + (cuts->at[col + 1] - cuts->at[col]);
        s->number[x] = columns++;
    }
    out->cuts.tiles = columns;
}

/* False: memory lacks. */
static bool renumber(const span *s, const ashi_pattern *from, ashi_pattern *out)
{
    *out = *from;
    out->col = malloc(((size_t)from->tiles + 1) * sizeof *out->col);
    for (int64_t t = 0; out->col && t < from->tiles; t++)
        out->col[t] = s->number[from->col[t] - s->first];
    return out->col != NULL;
}

/* Of every four columns between the first and the last at most three occur. */
static bool are_few(const span *s, int64_t columns)
{
    return columns <= (s->end - s->first) / 4 * 3;
}

static bool make(const ashi_sparse_product *product, const span *s, int64_t columns, ashi_joined *out)
{
    out->product = *product;
    out->col = malloc(((size_t)columns + 1) * sizeof *out->col);
    out->cuts.at = malloc(((size_t)columns + 1) * sizeof *out->cuts.at);
    if (!out->col || !out->cuts.at)
        return false;
    number(s, product->cols, out);
    out->b = *product->b;
    out->b.stored = &out->stored;
    out->product.b = &out->b;
    out->product.cols = &out->cuts;
    if (!renumber(s, product->b->stored, &out->stored))
        return false;
    if (!product->c)
        return true;
    out->product.c = &out->c;
    return renumber(s, product->c, &out->c);
}

bool ashi_joined_make(const ashi_sparse_product *product, ashi_joined *out)
{
    span s = {0};
    *out = (ashi_joined){.col = NULL};
    if (!product->screen || product->retain || product->budget || product->half || product->b->turned.tiles > 0)
        return false;
    widen(&s, product->b->stored);
    widen(&s, product->c);
    s.number = calloc((size_t)(s.end - s.first) + 1, sizeof *s.number);
    bool made = s.number != NULL;
    if (made) {
        mark(&s, product->b->stored);
        mark(&s, product->c);
        const int64_t columns = count(&s);
        made = are_few(&s, columns) && make(product, &s, columns, out);
    }
    free(s.number);
    if (!made)
        ashi_joined_free(out);
    return made;
}

void ashi_joined_free(ashi_joined *j)
{
    free(j->col);
    free(j->cuts.at);
    free(j->stored.col);
    free(j->c.col);
    *j = (ashi_joined){.col = NULL};
}
