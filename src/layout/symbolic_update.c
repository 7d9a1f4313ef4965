/* The symbolic product after a few tiles of A and B have changed. */
#include "layout/symbolic_update.h"
#include "base/array.h"
#include "base/checked.h"
#include "base/error.h"
#include "base/ordering.h"

#include <stdlib.h>
#include <string.h>

typedef struct numbers {
    int64_t *number;
    int64_t count, room;
} numbers;

typedef struct updating {
    const ashi_symbolic_changes *changes;
    ashi_symbolic *s; /* C is as before until all changes are known */
    int64_t *gone_row, *come_row; /* for each k: which row of B's tiles that go, and of those that come, -1: none */
    int64_t *by;                  /* for each column of C: products that come to the tile of the row in hand, or go */
    numbers touched, gone, come;  /* columns of that row; a column may be there twice */
    numbers products;             /* of each tile of C that comes */
    ashi_pattern_maker added, removed;
} updating;

static bool have_room(numbers *x, int64_t more)
{
    int64_t *room = ashi_array_room(x->number, &x->room, x->count + more + 1, sizeof *room);
    x->number = room ? room : x->number;
    return room != NULL;
}

/* ---- products that come and go ---- */

static void count_work(updating *u, int64_t row, int64_t k, int64_t columns, int64_t sign)
{
    const ashi_sparse_product *p = u->changes->after;
    const int64_t each = ashi_mul_most(ashi_cuts_size(p->rows, row), ashi_cuts_size(p->inner, k));
    const int64_t work = ashi_mul_most(each, columns);
    if (!ashi_add(u->s->multiplies, sign * work, &u->s->multiplies))
        u->s->multiplies = INT64_MAX;
}

/* A tile (row, k) of A meets tiles of row k of B: all products come, or all go. */
static bool meet(updating *u, int64_t row, int64_t k, const int64_t *col, int64_t count, int64_t sign)
{
    const ashi_sparse_product *p = u->changes->after;
    int64_t columns = 0;
    if (!have_room(&u->touched, count))
        return false;
    u->s->visited += count;
    for (int64_t j = 0; j < count; j++) {
        if (p->half && col[j] < row)
            continue;
        if (u->by[col[j]] == 0)
            u->touched.number[u->touched.count++] = col[j];
        u->by[col[j]] += sign;
        u->s->formed += sign;
        columns += ashi_cuts_size(p->cols, col[j]);
    }
    count_work(u, row, k, columns, sign);
    return true;
}

static bool meet_row(updating *u, int64_t row, int64_t k, const ashi_factor *b, int64_t sign)
{
    ashi_factor_run run[2];
    const int64_t x = ashi_factor_find(b, k);
    const int runs = x < 0 ? 0 : ashi_factor_runs(b, x, run);
    for (int r = 0; r < runs; r++)
        if (!meet(u, row, k, run[r].col, run[r].count, sign))
            return false;
    return true;
}

/* A tile of A that stays meets the tiles of B that change. */
static bool meet_changes(updating *u, int64_t row, int64_t k)
{
    const ashi_pattern *gone = &u->changes->b->removed, *come = &u->changes->b->added;
    const int64_t x = u->gone_row[k], y = u->come_row[k];
    return (x < 0 || meet(u, row, k, gone->col + gone->start[x], gone->start[x + 1] - gone->start[x], -1)) &&
           (y < 0 || meet(u, row, k, come->col + come->start[y], come->start[y + 1] - come->start[y], 1));
}

/* The tiles of a row of A that go meet what B was, those that come what B is. */
static bool find_row(updating *u, int64_t row, int64_t in_a)
{
    const ashi_pattern *gone = &u->changes->a->removed, *come = &u->changes->a->added;
    const int64_t x = ashi_pattern_row(gone, row), y = ashi_pattern_row(come, row);
    ashi_factor_run run[2];
    const int runs = in_a < 0 ? 0 : ashi_factor_runs(u->changes->after->a, in_a, run);
    int64_t next = y < 0 ? 0 : come->start[y];
    const int64_t end = y < 0 ? 0 : come->start[y + 1];
    bool done = true;
    for (int64_t t = x < 0 ? 0 : gone->start[x]; done && x >= 0 && t < gone->start[x + 1]; t++)
        done = meet_row(u, row, gone->col[t], u->changes->before->b, -1);
    for (int r = 0; r < runs; r++)
        for (int64_t i = 0; i < run[r].count && done; i++) {
            const int64_t k = run[r].col[i];
            const bool comes = next < end && come->col[next] == k;
            done = comes ? meet_row(u, row, k, u->changes->after->b, 1) : meet_changes(u, row, k);
            next += comes;
        }
    return done;
}

/* ---- what that makes of a row of C ---- */

static void change_tile(updating *u, int64_t row, int64_t tile)
{
    const int64_t col = u->s->c.col[tile];
    const ashi_pattern *stays = u->changes->after->c;
    u->s->products[tile] += u->by[col];
    u->by[col] = 0;
    if (u->s->products[tile] == 0 && (!stays || ashi_pattern_find(stays, row, col) < 0))
        u->gone.number[u->gone.count++] = col;
}

/* Those of a list of columns that it has once, in order. */
static bool put_in_order(numbers *list, numbers *spare)
{
    int64_t count = 0;
    if (!have_room(spare, list->count))
        return false;
    ashi_sort_numbers(list->number, list->count, spare->number);
    for (int64_t i = 0; i < list->count; i++)
        if (count == 0 || list->number[count - 1] != list->number[i])
            list->number[count++] = list->number[i];
    list->count = count;
    return true;
}

static bool list_tiles(updating *u, int64_t row)
{
    bool done = put_in_order(&u->gone, &u->touched) && put_in_order(&u->come, &u->touched) &&
                have_room(&u->products, u->come.count);
    for (int64_t i = 0; i < u->gone.count && done; i++)
        done = ashi_pattern_add(&u->removed, row, u->gone.number[i]);
    for (int64_t i = 0; i < u->come.count && done; i++) {
        done = ashi_pattern_add(&u->added, row, u->come.number[i]);
        u->products.number[u->products.count++] = u->by[u->come.number[i]];
        u->by[u->come.number[i]] = 0;
    }
    u->touched.count = u->gone.count = u->come.count = 0;
    return done;
}

/* If much of C's row is touched all of it is passed, else each tile is looked for. */
static bool settle_row(updating *u, int64_t row)
{
    enum { FEW = 8 };
    const ashi_pattern *c = &u->s->c;
    const int64_t x = u->touched.count == 0 ? -1 : ashi_pattern_row(c, row);
    const int64_t begin = x < 0 ? 0 : c->start[x], end = x < 0 ? 0 : c->start[x + 1];
    const bool passes = FEW * u->touched.count > end - begin;
    if (!have_room(&u->gone, u->touched.count + end - begin) || !have_room(&u->come, u->touched.count))
        return false;
    for (int64_t t = begin; t < end && passes; t++)
        if (u->by[c->col[t]] != 0)
            change_tile(u, row, t);
    u->s->visited += u->touched.count;
    for (int64_t i = 0; i < u->touched.count; i++) {
        const int64_t col = u->touched.number[i];
        if (u->by[col] == 0)
            continue;
        const int64_t t = passes ? end : ashi_first_from(c->col, begin, end, col);
        if (t < end && c->col[t] == col)
            change_tile(u, row, t);
        else
            u->come.number[u->come.count++] = col;
    }
    return list_tiles(u, row);
}

static bool find_all(updating *u)
{
    const ashi_factor *a = u->changes->after->a;
    const ashi_pattern *gone = &u->changes->a->removed;
    bool done = true;
    for (int64_t x = 0, y = 0; done && (x < a->rows || y < gone->rows);) {
        const bool in_a = x < a->rows && (y == gone->rows || a->row[x] <= gone->row[y]);
        const int64_t row = in_a ? a->row[x] : gone->row[y];
        done = find_row(u, row, in_a ? x : -1) && settle_row(u, row);
        x += in_a;
        y += y < gone->rows && gone->row[y] == row;
    }
    return done;
}

/* ---- all of it ---- */

static bool start(updating *u)
{
    const ashi_sparse_product *p = u->changes->after;
    const ashi_pattern *gone = &u->changes->b->removed, *come = &u->changes->b->added;
    const size_t inner = (size_t)p->inner->tiles + 1;
    u->gone_row = malloc(inner * sizeof *u->gone_row);
    u->come_row = malloc(inner * sizeof *u->come_row);
    u->by = calloc((size_t)p->cols->tiles + 1, sizeof *u->by);
    if (!u->gone_row || !u->come_row || !u->by)
        return false;
    memset(u->gone_row, -1, inner * sizeof *u->gone_row);
    memset(u->come_row, -1, inner * sizeof *u->come_row);
    for (int64_t x = 0; x < gone->rows; x++)
        u->gone_row[gone->row[x]] = x;
    for (int64_t x = 0; x < come->rows; x++)
        u->come_row[come->row[x]] = x;
    return true;
}

static void end(updating *u)
{
    free(u->gone_row);
    free(u->come_row);
    free(u->by);
    free(u->touched.number);
    free(u->gone.number);
    free(u->come.number);
    free(u->products.number);
}

ashlar_status ashi_symbolic_change_tiles(ashi_symbolic *s, const ashi_pattern_changes *tiles, const int64_t *products,
                                         ashi_splice *splice, ashlar_error *err)
{
    ashlar_status status = ashi_pattern_splice(&s->c, tiles, splice, err);
    for (int i = 0; i < 2; i++)
        s->room[i] = ashi_max(s->room[i], s->c.tiles - 1);
    int64_t *moved = NULL;
    if (status == ASHLAR_OK) {
        moved = ashi_splice_array(splice, s->products, &s->room[1], sizeof *moved);
        status = moved ? ASHLAR_OK
                       : ashi_fail_memory(err, "the numbers of products", splice->after * (int64_t)sizeof *moved);
    }
    if (status != ASHLAR_OK)
        return status;
    s->products = moved;
    for (int64_t i = 0; i < splice->comes; i++)
        moved[splice->place[i]] = products ? products[i] : 0;
    return ashi_pattern_change_in_place(&s->c, tiles, splice, &s->room[0], err);
}

/* Made anew, and compared. */
static ashlar_status make_anew(const ashi_symbolic_changes *changes, ashi_symbolic *s, ashi_pattern_changes *tiles,
                               ashi_splice *splice, ashlar_error *err)
{
    ashi_symbolic made;
    ashlar_status status = ashi_symbolic_make(changes->after, &made, err);
    if (status == ASHLAR_OK)
        status = ashi_pattern_compare(&s->c, &made.c, tiles, &made.visited, err);
    if (status == ASHLAR_OK)
        status = ashi_pattern_splice(&s->c, tiles, splice, err);
    ashi_symbolic_free(s);
    *s = made;
    return status;
}

ashlar_status ashi_symbolic_update(const ashi_symbolic_changes *changes, ashi_symbolic *s, ashi_pattern_changes *tiles,
                                   ashi_splice *splice, ashlar_error *err)
{
    const ashi_sparse_product *after = changes->after;
    *tiles = (ashi_pattern_changes){0};
    *splice = (ashi_splice){0};
    if (after->screen || after->budget || after->retain || s->first || s->multiplies == INT64_MAX)
        return make_anew(changes, s, tiles, splice, err);
    s->visited = 0;
    updating u = {.changes = changes, .s = s};
    const bool done = start(&u) && find_all(&u);
    ashlar_status status = ashi_pattern_finish(&u.added, done, &tiles->added, err);
    const ashlar_status gone = ashi_pattern_finish(&u.removed, done, &tiles->removed, status == ASHLAR_OK ? err : NULL);
    status = status == ASHLAR_OK ? gone : status;
    if (status == ASHLAR_OK)
        status = ashi_symbolic_change_tiles(s, tiles, u.products.number, splice, err);
    end(&u);
    return status;
}
