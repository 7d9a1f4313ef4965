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
    int64_t *first;   /* for each k, where its tiles of B that change begin in `other` */
    int64_t *other;   /* the column of a tile that comes; ~column: it goes */
    int64_t *by;      /* for each column of C: products that come to the tile of the row in hand, or go */
    bool *seen;       /* for each column, whether it is touched */
    int64_t *touched; /* columns of that row, each once */
    int64_t touches;
    int64_t *met;     /* numbers of a row's tiles of A, or of C, that changes meet */
    numbers gone, come, spare; /* columns of that row */
    int64_t row_of_c, row_gone, row_come; /* rows of C's pattern and of A's changes that were met last */
    struct {
        int32_t *number;
        int64_t count, room;
    } products;                /* of each tile of C that comes */
    ashi_pattern_maker added, removed;
} updating;

static bool have_room(numbers *x, int64_t more)
{
    int64_t *room = ashi_array_room(x->number, &x->room, x->count + more + 1, sizeof *room);
    x->number = room ? room : x->number;
    return room != NULL;
}

/* ---- products that come and go ---- */

/* A tile (row, k) of A meets tiles of row k of B: those that come have so many columns of elements more than those that
 * go. */
static void count_work(updating *u, int64_t row, int64_t k, int64_t columns)
{
    const ashi_sparse_product *p = u->changes->after;
    const int64_t each = ashi_mul_most(ashi_cuts_size(p->rows, row), ashi_cuts_size(p->inner, k));
    int64_t work;
    if (!ashi_mul(each, columns, &work) || !ashi_add(u->s->multiplies, work, &u->s->multiplies))
        u->s->multiplies = INT64_MAX;
}

/* Returns the columns of elements that come, below 0: that go. */
static inline int64_t touch(updating *u, int64_t col, int64_t sign)
{
    u->touched[u->touches] = col;
    u->touches += !u->seen[col];
    u->seen[col] = true;
    u->by[col] += sign;
    return sign * ashi_cuts_size(u->changes->after->cols, col);
}

/* All products come, or all go. */
static void meet_row(updating *u, int64_t row, int64_t k, const ashi_factor *b, int64_t sign)
{
    ashi_factor_run run[2];
    const bool half = u->changes->after->half;
    const int64_t x = ashi_factor_find(b, k);
    const int runs = x < 0 ? 0 : ashi_factor_runs(b, x, run);
    int64_t columns = 0;
    for (int r = 0; r < runs; r++) {
        const int64_t first = half ? ashi_first_from(run[r].col, 0, run[r].count, row) : 0;
        u->s->visited += run[r].count;
        u->s->formed += sign * (run[r].count - first);
        for (int64_t j = first; j < run[r].count; j++)
            columns += touch(u, run[r].col[j], sign);
    }
    count_work(u, row, k, columns);
}

/* A tile of A that stays meets the tiles of B that change. */
static void meet_changes(updating *u, int64_t row, int64_t k)
{
    const int64_t begin = u->first[k], end = u->first[k + 1], least = u->changes->after->half ? row : 0;
    int64_t columns = 0;
    u->s->visited += end - begin;
    for (int64_t i = begin; i < end; i++) {
        const int64_t goes = -(u->other[i] < 0), col = u->other[i] ^ goes, sign = 2 * goes + 1;
        if (col < least)
            continue;
        u->s->formed += sign;
        columns += touch(u, col, sign);
    }
    count_work(u, row, k, columns);
}

/* The tiles of a pattern's row; *x is at most the row's index, and becomes it. */
static void find_in(const ashi_pattern *pattern, int64_t row, int64_t *x, int64_t *begin, int64_t *end)
{
    while (*x < pattern->rows && pattern->row[*x] < row)
        ++*x;
    const bool there = *x < pattern->rows && pattern->row[*x] == row;
    *begin = there ? pattern->start[*x] : 0;
    *end = there ? pattern->start[*x + 1] : 0;
}

/* Tiles of a row of A, of which those from `next` to `end` come. Which ones meet changes is listed first: that branches
 * at few of them. */
static void meet_run(updating *u, int64_t row, const ashi_factor_run *run, int64_t *next, int64_t end)
{
    const int64_t *const come = u->changes->a->added.col;
    const int64_t last = run->count > 0 ? run->col[run->count - 1] : -1;
    int64_t count = 0;
    for (int64_t i = 0; i < run->count; i++) {
        u->met[count] = run->col[i];
        count += u->first[run->col[i]] < u->first[run->col[i] + 1];
    }
    for (int64_t i = 0, k; i < count; i++) {
        k = u->met[i];
        for (; *next < end && come[*next] < k; ++*next)
            meet_row(u, row, come[*next], u->changes->after->b, 1);
        if (*next == end || come[*next] != k)
            meet_changes(u, row, k);
    }
    for (; *next < end && come[*next] <= last; ++*next)
        meet_row(u, row, come[*next], u->changes->after->b, 1);
}

/* The tiles of a row of A that go meet what B was, those that come what B is. */
static void find_row(updating *u, int64_t row, int64_t in_a)
{
    const ashi_pattern *gone = &u->changes->a->removed, *come = &u->changes->a->added;
    int64_t went, went_end, next, end;
    ashi_factor_run run[2];
    const int runs = in_a < 0 ? 0 : ashi_factor_runs(u->changes->after->a, in_a, run);
    find_in(gone, row, &u->row_gone, &went, &went_end);
    find_in(come, row, &u->row_come, &next, &end);
    for (; went < went_end; went++)
        meet_row(u, row, gone->col[went], u->changes->before->b, -1);
    for (int r = 0; r < runs; r++)
        meet_run(u, row, &run[r], &next, end);
}

/* ---- what that makes of a row of C ---- */

static void change_tile(updating *u, int64_t row, int64_t tile, int64_t col)
{
    const ashi_pattern *stays = u->changes->after->c;
    u->s->products[tile] += (int32_t)u->by[col];
    u->by[col] = 0;
    if (u->s->products[tile] == 0 && (!stays || ashi_pattern_find(stays, row, col) < 0))
        u->gone.number[u->gone.count++] = col;
}

static bool put_in_order(numbers *list, numbers *spare)
{
    if (!have_room(spare, list->count))
        return false;
    ashi_sort_numbers(list->number, list->count, spare->number);
    return true;
}

static bool list_tiles(updating *u, int64_t row)
{
    const int64_t count = u->products.count;
    bool done = put_in_order(&u->gone, &u->spare) && put_in_order(&u->come, &u->spare);
    int32_t *room = ashi_array_room(u->products.number, &u->products.room, count + u->come.count + 1, sizeof *room);
    u->products.number = room ? room : u->products.number;
    done = done && room;
    for (int64_t i = 0; i < u->gone.count && done; i++)
        done = ashi_pattern_add(&u->removed, row, u->gone.number[i]);
    for (int64_t i = 0; i < u->come.count && done; i++) {
        done = ashi_pattern_add(&u->added, row, u->come.number[i]);
        room[u->products.count++] = (int32_t)u->by[u->come.number[i]];
        u->by[u->come.number[i]] = 0;
    }
    u->gone.count = u->come.count = 0;
    return done;
}

/* If much of C's row is touched all of it is passed, else each tile is looked for. */
static bool settle_row(updating *u, int64_t row)
{
    enum { FEW = 8 };
    const ashi_pattern *c = &u->s->c;
    int64_t begin, end;
    if (u->touches == 0)
        return true;
    find_in(c, row, &u->row_of_c, &begin, &end);
    const bool passes = FEW * u->touches > end - begin;
    if (!have_room(&u->gone, u->touches) || !have_room(&u->come, u->touches))
        return false;
    int64_t count = 0;
    for (int64_t t = begin; t < end && passes; t++) {
        u->met[count] = t;
        count += u->by[c->col[t]] != 0;
    }
    for (int64_t i = 0; i < count; i++)
        change_tile(u, row, u->met[i], c->col[u->met[i]]);
    u->s->visited += u->touches;
    for (int64_t i = 0; i < u->touches; i++) {
        const int64_t col = u->touched[i];
        u->seen[col] = false;
        if (u->by[col] == 0)
            continue;
        const int64_t t = passes ? end : ashi_first_from(c->col, begin, end, col);
        if (t < end && c->col[t] == col)
            change_tile(u, row, t, col);
        else
            u->come.number[u->come.count++] = col;
    }
    u->touches = 0;
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
        find_row(u, row, in_a ? x : -1);
        done = settle_row(u, row);
        x += in_a;
        y += y < gone->rows && gone->row[y] == row;
    }
    return done;
}

/* ---- all of it ---- */

/* Those that go, and behind them those that come, of each row k. */
static void list_other(updating *u, int64_t inner)
{
    const ashi_pattern *gone = &u->changes->b->removed, *come = &u->changes->b->added;
    int64_t count = 0;
    for (int64_t k = 0, x = 0, y = 0; k < inner; k++) {
        u->first[k] = count;
        if (x < gone->rows && gone->row[x] == k) {
            for (int64_t t = gone->start[x]; t < gone->start[x + 1]; t++)
                u->other[count++] = ~gone->col[t];
            x++;
        }
        if (y < come->rows && come->row[y] == k) {
            for (int64_t t = come->start[y]; t < come->start[y + 1]; t++)
                u->other[count++] = come->col[t];
            y++;
        }
    }
    u->first[inner] = count;
}

static bool start(updating *u)
{
    const ashi_sparse_product *p = u->changes->after;
    const ashi_pattern *gone = &u->changes->b->removed, *come = &u->changes->b->added;
    const size_t cols = (size_t)p->cols->tiles + 1;
    u->first = malloc(((size_t)p->inner->tiles + 1) * sizeof *u->first);
    u->other = malloc((size_t)(gone->tiles + come->tiles + 1) * sizeof *u->other);
    u->by = calloc(cols, sizeof *u->by);
    u->seen = calloc(cols, sizeof *u->seen);
    u->touched = malloc(cols * sizeof *u->touched);
    u->met = malloc(((size_t)ashi_max(p->inner->tiles, p->cols->tiles) + 1) * sizeof *u->met);
    if (!u->first || !u->other || !u->by || !u->seen || !u->touched || !u->met)
        return false;
    list_other(u, p->inner->tiles);
    return true;
}

static void end(updating *u)
{
    free(u->first);
    free(u->other);
    free(u->by);
    free(u->seen);
    free(u->touched);
    free(u->met);
    free(u->gone.number);
    free(u->come.number);
    free(u->spare.number);
    free(u->products.number);
}

ashlar_status ashi_symbolic_change_tiles(ashi_symbolic *s, const ashi_pattern_changes *tiles, const int32_t *products,
                                         ashi_splice *splice, ashlar_error *err)
{
    ashlar_status status = ashi_pattern_splice(&s->c, tiles, splice, err);
    for (int i = 0; i < 2; i++)
        s->room[i] = ashi_max(s->room[i], s->c.tiles - 1);
    int32_t *moved = NULL;
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
    if (after->screen || after->budget || after->retain || s->first || s->multiplies == INT64_MAX ||
        after->inner->tiles > INT32_MAX)
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
