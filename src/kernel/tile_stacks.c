/* Products of tiles one by one: in stacks of equal sizes if there is a kernel for them, else by the BLAS. */
#include "kernel/tile_plan.h"

#include "base/checked.h"

/* The tile of A in hand, and what it is multiplied with. */
typedef struct left {
    int64_t bit;             /* tile t of op(B) has the bit of number bit + t */
    int64_t m, k;
    int64_t from, at;        /* where it begins in A; and for kernels, in A or in the hand's pack */
    const ashi_small *kernel; /* those of m and k, for each known n; NULL: none */
    int64_t stride;          /* from one n to the next */
} left;

static bool packs(const ashi_tile_product *p)
{
    return p->a.turned || !p->alpha_is_one;
}

/* Form what waits. */
static void flush(const ashi_tile_product *p, ashi_tile_hand *hand)
{
    const void *a = packs(p) ? hand->pack : p->from[0];
    for (int i = 0; p->has_kernels && i < p->sizes[1].count; i++) {
        ashi_tile_stack *s = &hand->stack[i];
        if (s->count > 0)
            ashi_small_run(s->kernel, p->request.type, s->count, s->at, a, p->from[1], p->to);
        s->count = 0;
    }
    hand->packed = 0;
}

static int known(const ashi_tile_sizes *sizes, int64_t size)
{
    return size <= ASHI_SMALL_MOST ? sizes->known[size] : -1;
}

/* Kernels add op(A) as it lies: tiles of A that are turned or scaled are copied. */
static void pack(const ashi_tile_product *p, ashi_tile_hand *hand, left *l)
{
    const int64_t ld = p->a.turned ? l->k : l->m;
    const ashi_matrix from = {ashi_tile_from(p, 0, l->from), p->a.turned ? ld : 1, p->a.turned ? 1 : ld};
    if (hand->packed + l->m * l->k > TILE_PACK)
        flush(p, hand);
    l->at = hand->packed;
    p->kernels->axpby(l->m, l->k, p->alpha, &from, p->a.conjugate, p->kernels->zero,
                      (char *)hand->pack + (size_t)l->at * p->element, 1, l->m);
    hand->packed += l->m * l->k;
}

/* Products that wait have other kernels than those of this tile's m and k: for the same tile of C they come first. */
static left take(const ashi_tile_product *p, ashi_tile_hand *hand, int64_t t, int64_t m, const left *before)
{
    left l = {.m = m, .k = ashi_tile_rows_width(&p->a, p->a.col[t]), .from = ashi_tile_rows_at(&p->a, t)};
    const int x = known(&p->sizes[0], m), z = known(&p->sizes[2], l.k);
    l.at = l.from;
    if (l.m != before->m || l.k != before->k)
        flush(p, hand);
    if (x < 0 || z < 0 || !p->has_kernels)
        return l;
    l.kernel = p->kernel + (int64_t)x * p->sizes[1].count * p->sizes[2].count + z;
    l.stride = p->sizes[2].count;
    if (packs(p))
        pack(p, hand, &l);
    return l;
}

/* By the BLAS: tile t of B, and with it as many of those before `end` as follow it in B and in C. Returns the next. */
static int64_t multiply_run(const ashi_tile_product *p, ashi_tile_hand *hand, const left *l, int64_t t, int64_t end)
{
    const ashi_tile_rows *b = &p->b;
    const int64_t k = l->k, at = ashi_tile_rows_at(b, t), to = hand->place[b->col[t]];
    int64_t n = ashi_tile_rows_width(b, b->col[t]), next = t + 1;
    for (; next < end && !b->turned; next++) {
        const int64_t j = b->col[next], more = ashi_tile_rows_width(b, j);
        if (ashi_tile_rows_at(b, next) != at + k * n || hand->place[j] != to + l->m * n ||
            ashi_tile_left_out(p, l->bit + next))
            break;
        const int y = known(&p->sizes[1], more);
        if (l->kernel && y >= 0 && l->kernel[y * l->stride].kernel)
            break;
        n += more;
    }
    const ashi_matrix of_a = {ashi_tile_from(p, 0, l->from), p->a.turned ? k : 1, p->a.turned ? 1 : l->m};
    const ashi_matrix of_b = {ashi_tile_from(p, 1, at), b->turned ? 1 : k, b->turned ? n : 1};
    if (l->m > 0 && n > 0 && k > 0)
        p->kernels->gemm(l->m, n, k, p->alpha, &of_a, p->a.conjugate, &of_b, b->conjugate, p->kernels->one,
                         ashi_tile_to(p, to), 1, l->m);
    hand->flops += l->m * n * k;
    return next;
}

/* A tile of A times the tiles of B that meet it. */
static void multiply_tile(const ashi_tile_product *p, ashi_tile_hand *hand, const left *l, int64_t t, int64_t end)
{
    const ashi_tile_rows *b = &p->b;
    while (t < end) {
        const int64_t j = b->col[t], to = hand->place[j];
        if (to < 0 || ashi_tile_left_out(p, l->bit + t)) {
            t++;
            continue;
        }
        const int64_t n = ashi_tile_rows_width(b, j);
        const int y = l->kernel ? known(&p->sizes[1], n) : -1;
        if (y < 0 || !l->kernel[y * l->stride].kernel) {
            t = multiply_run(p, hand, l, t, end);
            continue;
        }
        ashi_tile_stack *s = &hand->stack[y];
        s->kernel = l->kernel[y * l->stride];
        s->at[s->count++] = (ashi_small_at){l->at, ashi_tile_rows_at(b, t), to};
        hand->flops += l->m * n * l->k;
        if (s->count == TILE_STACK) {
            const void *a = packs(p) ? hand->pack : p->from[0];
            ashi_small_run(s->kernel, p->request.type, s->count, s->at, a, p->from[1], p->to);
            s->count = 0;
        }
        t++;
    }
}

/* Where the tiles of a row of C begin, or -1 again. */
static void place(const ashi_tile_product *p, ashi_tile_hand *hand, const ashi_tile_task *task, int64_t c_row,
                  bool there)
{
    const ashi_tile_rows *c = &p->c;
    const int64_t end = c->start[c_row + 1];
    for (int64_t t = ashi_tile_rows_from(c, c_row, task->col_lo); t < end && c->col[t] < task->col_hi; t++)
        hand->place[c->col[t]] = there ? c->at[t] : -1;
}

void ashi_tile_stacks_run(const ashi_tile_product *p, ashi_tile_hand *hand, const ashi_tile_task *task, int64_t first,
                          int64_t count)
{
    const ashi_tile_rows *a = &p->a, *b = &p->b;
    const bool all = task->col_lo == 0 && task->col_hi == p->c.cuts[1]->tiles;
    left l = {.m = -1};
    for (int64_t r = task->row_lo; r < task->row_hi; r++) {
        if (p->c_row[r] < 0)
            continue;
        place(p, hand, task, p->c_row[r], true);
        const int64_t m = ashi_tile_rows_height(a, a->row[r]), begin = a->start[r] + first;
        const int64_t tiles = ashi_min(count, a->start[r + 1] - begin);
        int64_t bit = ashi_tile_first_bit(p, r, begin);
        for (int64_t t = begin; t < begin + tiles; t++) {
            const int64_t row = p->b_row[t], first_bit = bit;
            if (row < 0)
                continue;
            bit += b->start[row + 1] - b->start[row];
            const int64_t from = all ? b->start[row] : ashi_tile_rows_from(b, row, task->col_lo);
            const int64_t end = all ? b->start[row + 1] : ashi_tile_rows_from(b, row, task->col_hi);
            if (from == end)
                continue;
            l = take(p, hand, t, m, &l);
            l.bit = first_bit - b->start[row];
            multiply_tile(p, hand, &l, from, end);
        }
        place(p, hand, task, p->c_row[r], false);
    }
    flush(p, hand);
}
