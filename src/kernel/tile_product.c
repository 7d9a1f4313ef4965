/* C += alpha op(A) op(B) of sets of tiles of one rank: making ready, and dealing the tasks to threads. */
#include "kernel/tile_product.h"

#include "base/checked.h"
#include "base/error.h"
#include "base/ordering.h"
#include "base/type.h"
#include "kernel/large.h"
#include "kernel/threads.h"
#include "kernel/tile_boxes.h"
#include "kernel/tile_plan.h"
#include "schedule/ways.h"

#include <stdlib.h>
#include <string.h>

/* Boxes of a task that are multiplied as fast as larger ones. */
static const ashi_tile_limits usual = {.box_least = 192, .block_rows = 4096, .block_cols = 512,
                                       .task_work = ASHI_TILE_TASK_WORK};

/* Nothing if the count is 0. */
static ashlar_status take_room(ashi_tile_product *p, int64_t count, size_t size, void *out, ashlar_error *err)
{
    void *room = NULL;
    int64_t bytes = 0;
    if (count <= 0)
        return ASHLAR_OK;
    if (ashi_mul(count, (int64_t)size, &bytes))
        room = ashi_large_make((size_t)bytes);
    if (!room)
        return ashi_fail_memory(err, "a product of tiles", bytes);
    memcpy(out, &room, sizeof room);
    p->bytes += bytes;
    return ASHLAR_OK;
}

static void give_room(void *room, int64_t count, size_t size)
{
    ashi_large_free(room, (size_t)count * size);
}

/* ---- making ready ---- */

/* Which row of op(B) each tile of op(A) meets: looked up in a list of all k from the first row of op(B) to the last. */
static ashlar_status find_b_rows(ashi_tile_product *p, ashlar_error *err)
{
    const ashi_tile_rows *b = &p->b;
    const int64_t first = b->rows > 0 ? b->row[0] : 0, count = b->rows > 0 ? b->row[b->rows - 1] + 1 - first : 0;
    int64_t *row = malloc(((size_t)count + 1) * sizeof *row);
    if (!row)
        return ashi_fail_memory(err, "a product of tiles", count * (int64_t)sizeof *row);
    for (int64_t i = 0; i < count; i++)
        row[i] = -1;
    for (int64_t r = 0; r < b->rows; r++)
        row[b->row[r] - first] = r;
    for (int64_t t = 0; t < p->a_tiles; t++) {
        const int64_t k = p->a.col[t] - first;
        p->b_row[t] = k >= 0 && k < count ? row[k] : -1;
    }
    free(row);
    return ASHLAR_OK;
}

/* Which row of op(B) each tile of op(A) meets, and which row of C each row of op(A) is summed up in. */
static ashlar_status find_partners(ashi_tile_product *p, ashlar_error *err)
{
    p->a_tiles = p->a.start[p->a.rows];
    p->a_rows = p->a.rows;
    ashlar_status status = take_room(p, p->a_tiles, sizeof *p->b_row, &p->b_row, err);
    if (status == ASHLAR_OK)
        status = take_room(p, p->a_rows, sizeof *p->c_row, &p->c_row, err);
    if (status != ASHLAR_OK)
        return status;
    for (int64_t r = 0, at = 0; r < p->a.rows; r++) {
        at = ashi_first_near(p->c.row, at, p->c.rows, p->a.row[r]);
        p->c_row[r] = at < p->c.rows && p->c.row[at] == p->a.row[r] ? at : -1;
    }
    return find_b_rows(p, err);
}

/* What the tasks need of the lists of a box. */
static void need_lists(const ashi_tile_product *p, ashi_tile_need *need)
{
    for (int64_t i = 0; i < p->tasks; i++) {
        int64_t count[ASHI_BOX_ARRAYS];
        if (!p->task[i].alike)
            continue;
        ashi_tile_box_room(p, &p->task[i], count);
        for (int x = 0; x < ASHI_BOX_ARRAYS; x++)
            need->edges[x] = ashi_max(need->edges[x], count[x]);
    }
}

/* *rest: whether products are formed outside boxes. */
static ashlar_status need_blocks(const ashi_tile_product *p, ashi_tile_need *need, bool *rest, ashlar_error *err)
{
    int64_t all = 0, *array[ASHI_BOX_ARRAYS];
    for (int x = 0; x < ASHI_BOX_ARRAYS; x++)
        all += need->edges[x];
    int64_t *const lists = malloc(((size_t)all + 1) * sizeof *lists);
    if (!lists)
        return ashi_fail_memory(err, "a product of tiles", all * (int64_t)sizeof *lists);
    for (int x = 0; x < ASHI_BOX_ARRAYS; x++)
        array[x] = x == 0 ? lists : array[x - 1] + need->edges[x - 1];
    *rest = ashi_tile_merged_need(p, array, need->block);
    free(lists);
    return ASHLAR_OK;
}

/* Kernels are made only if they are used. */
static ashlar_status find_need(ashi_tile_product *p, ashi_tile_need *need, ashlar_error *err)
{
    bool rest = false;
    if (p->request.rank[0]) {
        ashi_tile_low_rank_need(p, need->block);
        return ASHLAR_OK;
    }
    need_lists(p, need);
    ashlar_status status = need_blocks(p, need, &rest, err);
    if (status == ASHLAR_OK && rest)
        status = ashi_tile_plan_kernels(p, err);
    if (status == ASHLAR_OK && p->has_kernels) {
        need->stacks = p->sizes[1].count;
        need->pack = TILE_PACK;
    }
    return status;
}

/* What a thread has to have. If the hands are the product's own they are made. */
static ashlar_status find_hands(ashi_tile_product *p, ashlar_error *err)
{
    ashi_tile_need need = {.columns = p->c.cuts[1]->tiles};
    ashlar_status status = find_need(p, &need, err);
    p->hands = p->request.hands;
    if (status == ASHLAR_OK && !p->hands) {
        p->own_hands = true;
        status = ashi_tile_hands_create(p->request.threads, p->element, &p->hands, err);
    }
    if (status != ASHLAR_OK)
        return status;
    ashi_tile_hands_need(p->hands, &need);
    return p->own_hands ? ashi_tile_hands_make(p->hands, err) : ASHLAR_OK;
}

static ashlar_status make(ashi_tile_product *p, ashlar_error *err)
{
    const ashi_tile_request *q = &p->request;
    ashlar_status status = ashi_tile_rows_make(&q->set[0], q->op[0], &p->a, err);
    if (status == ASHLAR_OK)
        status = ashi_tile_rows_make(&q->set[1], q->op[1], &p->b, err);
    if (status == ASHLAR_OK)
        status = ashi_tile_rows_make(&q->set[2], ASHLAR_OP_N, &p->c, err);
    if (status == ASHLAR_OK)
        status = find_partners(p, err);
    if (status == ASHLAR_OK)
        status = ashi_tile_plan_tasks(p, err);
    if (status == ASHLAR_OK)
        status = find_hands(p, err);
    p->bytes += p->tasks_capacity * (int64_t)sizeof *p->task;
    p->bytes += (p->a.own_count + p->b.own_count) * (int64_t)sizeof *p->a.own;
    return status;
}

ashlar_status ashi_tile_product_create(const ashi_tile_request *request, ashi_tile_product **out, ashlar_error *err)
{
    ashi_tile_product *p = calloc(1, sizeof *p);
    *out = NULL;
    if (!p)
        return ashi_fail_memory(err, "a product of tiles", (int64_t)sizeof *p);
    p->request = *request;
    p->limits = request->limits ? *request->limits : usual;
    p->kernels = ashi_kernels_of(request->type);
    p->element = ashi_type_of(request->type)->bytes;
    p->bytes = (int64_t)sizeof *p;
    const ashlar_status status = make(p, err);
    if (status == ASHLAR_OK)
        *out = p;
    else
        ashi_tile_product_free(&p);
    return status;
}

int64_t ashi_tile_product_bytes(const ashi_tile_product *p)
{
    return p->bytes + (p->own_hands ? p->hands->bytes : 0);
}

void ashi_tile_product_free(ashi_tile_product **product)
{
    ashi_tile_product *p = *product;
    if (!p)
        return;
    if (p->own_hands)
        ashi_tile_hands_free(&p->hands);
    free(p->task);
    free(p->kernel);
    give_room(p->b_row, p->a_tiles, sizeof *p->b_row);
    give_room(p->c_row, p->a_rows, sizeof *p->c_row);
    ashi_tile_rows_free(&p->a);
    ashi_tile_rows_free(&p->b);
    ashi_tile_rows_free(&p->c);
    free(p);
    *product = NULL;
}

/* ---- running ---- */

static bool do_task(void *context, const ashi_job *job, int hand)
{
    const ashi_tile_product *p = context;
    const ashi_tile_task *task = &p->task[job->number];
    if (p->request.rank[0])
        ashi_tile_low_rank_run(p, &p->hands->hand[hand], task);
    else if (task->alike)
        ashi_tile_merged_run(p, &p->hands->hand[hand], task);
    else
        ashi_tile_stacks_run(p, &p->hands->hand[hand], task, 0, INT64_MAX);
    return true;
}

void ashi_tile_product_run(ashi_tile_product *p, const void *alpha, const void *a, const void *b, void *c,
                           ashi_workers *workers, const ashi_share_between *between, int64_t *flops)
{
    const ashi_type *type = ashi_type_of(p->request.type);
    int64_t key[2], one[2], done = 0;
    for (int i = 0; i < p->request.threads; i++)
        p->hands->hand[i].flops = 0;
    if (!p->kernels->is_zero(alpha)) {
        p->kernels->key(alpha, key);
        p->kernels->key(p->kernels->one, one);
        p->alpha = alpha;
        p->alpha_is_one = key[0] == one[0] && key[1] == one[1];
        p->from[0] = a;
        p->from[1] = b;
        p->to = c;
        ashi_blas_begin(1);
        ashi_share(workers, p->request.threads, p->tasks, do_task, p, between);
        ashi_blas_end();
    }
    for (int i = 0; i < p->request.threads; i++)
        done += p->hands->hand[i].flops;
    if (flops)
        *flops = done * type->flops;
}
