/* The symbolic product after a few tiles of A and B have changed. */
#include "layout/symbolic_update.h"
#include "base/checked.h"
#include "base/error.h"
#include "base/ordering.h"
#include "layout/met.h"

#include <stdlib.h>

typedef struct updating {
    ashi_met met;
    ashi_symbolic *s;  /* C is as before until all changes are known */
    ashi_met_numbers gone, come, spare; /* columns of that row; such as come may be there repeatedly */
    int64_t row_of_c;  /* the row of C's pattern that was met last */
    struct {
        int32_t *number;
        int64_t count, room;
    } products;        /* of each tile of C that comes */
    ashi_pattern_maker added, removed;
} updating;

/* ---- what products make of a row of C ---- */

/* A tile that has no products any more. */
static void leave_tile(updating *u, int64_t row, int64_t col)
{
    const ashi_pattern *stays = u->met.changes->after->c;
    if (!stays || ashi_pattern_find(stays, row, col) < 0)
        u->gone.number[u->gone.count++] = col;
}

static void change_tile(updating *u, int64_t row, int64_t tile, int64_t col)
{
    u->s->products[tile] += (int32_t)u->met.by[col];
    u->met.by[col] = 0;
    if (u->s->products[tile] == 0)
        leave_tile(u, row, col);
}

static bool put_in_order(ashi_met_numbers *list, ashi_met_numbers *spare)
{
    if (!ashi_met_room(spare, list->count))
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
        const int64_t col = u->come.number[i];
        if (u->met.by[col] == 0)
            continue;
        done = ashi_pattern_add(&u->added, row, col);
        room[u->products.count++] = (int32_t)u->met.by[col];
        u->met.by[col] = 0;
    }
    u->gone.count = u->come.count = 0;
    return done;
}

/* All tiles of C's row, without branches: most products of most tiles stay. */
static void pass_row(updating *u, int64_t row, int64_t begin, int64_t end)
{
    const int64_t *const col = u->s->c.col;
    int32_t *const products = u->s->products;
    int64_t *const by = u->met.by, changed = 0, empty = 0;
    for (int64_t t = begin; t < end; t++) {
        const int64_t j = col[t], more = by[j];
        by[j] = 0;
        products[t] += (int32_t)more;
        changed += more != 0;
        empty += products[t] == 0;
    }
    u->s->visited += changed;
    for (int64_t t = begin; t < end && empty > 0; t++)
        if (products[t] == 0) {
            leave_tile(u, row, col[t]);
            empty--;
        }
}

/* If much of C's row is touched all of it is passed, else each tile is looked for. */
static bool settle_row(updating *u, int64_t row)
{
    enum { FEW = 128 };
    const ashi_pattern *c = &u->s->c;
    const int64_t touches = u->met.touched.count;
    int64_t begin, end;
    u->met.touched.count = 0;
    if (touches == 0)
        return true;
    ashi_met_find_in(c, row, &u->row_of_c, &begin, &end);
    const bool passes = FEW * touches > end - begin;
    if (!ashi_met_room(&u->gone, passes ? end - begin : touches) || !ashi_met_room(&u->come, touches))
        return false;
    if (passes)
        pass_row(u, row, begin, end);
    for (int64_t i = 0; i < touches; i++) {
        const int64_t col = u->met.touched.number[i];
        if (u->met.by[col] == 0)
            continue;
        const int64_t t = passes ? end : ashi_first_from(c->col, begin, end, col);
        u->s->visited++;
        if (t < end && c->col[t] == col)
            change_tile(u, row, t, col);
        else
            u->come.number[u->come.count++] = col;
    }
    return list_tiles(u, row);
}

/* C's row if it gets no other tiles: those that it has get products, or lose them. */
static bool settle_retained(updating *u, int64_t row)
{
    ashi_met *m = &u->met;
    ashi_symbolic *s = u->s;
    const int64_t touches = m->touched.count, height = ashi_cuts_size(m->changes->after->rows, row);
    int64_t begin, end, work;
    ashi_met_find_in(&s->c, row, &u->row_of_c, &begin, &end);
    m->touched.count = 0;
    s->visited += touches;
    for (int64_t i = 0; i < touches; i++) {
        const int64_t col = m->touched.number[i], products = m->by[col], columns = m->columns[col];
        m->by[col] = m->columns[col] = 0;
        if (products == 0 && columns == 0)
            continue;
        const int64_t t = ashi_first_from(s->c.col, begin, end, col);
        if (t == end || s->c.col[t] != col)
            continue;
        s->products[t] += (int32_t)products;
        s->formed += products;
        if (!ashi_mul(height, columns, &work) || !ashi_add(s->multiplies, work, &s->multiplies))
            m->overflows = true;
    }
    return true;
}

static bool find_all(updating *u)
{
    const ashi_factor *a = u->met.changes->after->a;
    const ashi_pattern *gone = &u->met.changes->a->removed;
    const bool retains = u->met.changes->after->retain;
    bool done = true;
    for (int64_t x = 0, y = 0; done && (x < a->rows || y < gone->rows);) {
        const bool in_a = x < a->rows && (y == gone->rows || a->row[x] <= gone->row[y]);
        const int64_t row = in_a ? a->row[x] : gone->row[y];
        done = ashi_met_row(&u->met, row, in_a ? x : -1) && (retains ? settle_retained(u, row) : settle_row(u, row));
        x += in_a;
        y += y < gone->rows && gone->row[y] == row;
    }
    return done;
}

/* ---- all of it ---- */

static ashlar_status start(const ashi_symbolic_changes *changes, ashi_symbolic *s, updating *u, ashlar_error *err)
{
    *u = (updating){.s = s};
    return ashi_met_begin(changes, s, &u->met, err);
}

static void end_updating(updating *u)
{
    ashi_met_end(&u->met);
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
    if (after->screen || after->budget || s->first || s->multiplies == INT64_MAX ||
        after->inner->tiles > INT32_MAX)
        return make_anew(changes, s, tiles, splice, err);
    s->visited = 0;
    updating u;
    const int64_t formed = s->formed;
    ashlar_status status = start(changes, s, &u, err);
    const bool done = status == ASHLAR_OK && find_all(&u);
    s->left_out += u.met.allowed - (s->formed - formed);
    if (status == ASHLAR_OK)
        status = ashi_pattern_finish(&u.added, done, &tiles->added, err);
    const ashlar_status gone = ashi_pattern_finish(&u.removed, done, &tiles->removed, status == ASHLAR_OK ? err : NULL);
    status = status == ASHLAR_OK ? gone : status;
    if (status == ASHLAR_OK)
        status = ashi_symbolic_change_tiles(s, tiles, u.products.number, splice, err);
    end_updating(&u);
    return status;
}
