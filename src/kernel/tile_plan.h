/* What a product of tile sets is made of: tasks, the kernels of its sizes, and the memory of each thread. */
#ifndef ASHI_TILE_PLAN_H
#define ASHI_TILE_PLAN_H

#include "base/bits.h"
#include "kernel/kernels.h"
#include "kernel/tile_hands.h"
#include "kernel/tile_product.h"

/* SIZES: different sizes of tiles on a side that have kernels. */
enum { TILE_SIZES = 32 };

/* Rows row_lo to row_hi - 1 (of those of op(A) that have tiles) times columns col_lo to col_hi - 1 of tiles. */
typedef struct ashi_tile_task {
    int64_t row_lo, row_hi, col_lo, col_hi;
    double work; /* about, to begin with the largest */
    bool alike;  /* the rows have tiles in the same columns: some may be merged */
    bool full;   /* all products between them and op(B) are wanted and C has all tiles: every one is merged */
    int64_t part[2], parts[2]; /* if full: which part of the rows and of the columns of elements, and of how many */
} ashi_tile_task;

/* The sizes that occur most on one side of the products. */
typedef struct ashi_tile_sizes {
    int count;
    int16_t size[TILE_SIZES];
    double share[TILE_SIZES];           /* of the products */
    int8_t known[ASHI_SMALL_MOST + 1];  /* which of these a size is, -1: none */
} ashi_tile_sizes;

struct ashi_tile_product {
    ashi_tile_request request;
    ashi_tile_limits limits;
    const ashi_kernels *kernels;
    size_t element;
    ashi_tile_rows a, b, c;
    int64_t a_tiles, a_rows; /* of op(A) */
    int64_t *b_row; /* for each tile of op(A), in its order: which row of op(B) it meets, -1: none */
    int64_t *c_row; /* for each row of op(A): which row of C, -1: none */
    ashi_tile_sizes sizes[3]; /* of m, n, k */
    ashi_small *kernel;       /* sizes of m x of n x of k */
    bool has_kernels;
    ashi_tile_task *task;     /* in the order in which they are begun */
    int64_t tasks, tasks_capacity;
    ashi_tile_hands *hands;
    bool own_hands;           /* they are freed with the product */
    int64_t bytes;
    const void *alpha; /* of the run under way, and where the data begins */
    const char *from[2];
    char *to;
    bool alpha_is_one;
};

/* Cut into tasks. */
ashlar_status ashi_tile_plan_tasks(ashi_tile_product *p, ashlar_error *err);

/* Find the sizes, and the kernels for those that occur often. */
ashlar_status ashi_tile_plan_kernels(ashi_tile_product *p, ashlar_error *err);

/* Form the products of tiles first to first + count - 1 of each row of a task, one by one: in stacks if there is a
 * kernel, else by the BLAS, neighbouring tiles of B as one. */
void ashi_tile_stacks_run(const ashi_tile_product *p, ashi_tile_hand *hand, const ashi_tile_task *task, int64_t first,
                          int64_t count);

/* A task of rows that are alike: tiles that make a full box are merged. */
void ashi_tile_merged_run(const ashi_tile_product *p, ashi_tile_hand *hand, const ashi_tile_task *task);

/* The most words of each block that its tasks need; `array` has the lists of a box. Returns whether tasks form products
 * outside boxes. */
bool ashi_tile_merged_need(const ashi_tile_product *p, int64_t *const array[5], int64_t block[3]);

/* A task in which tiles of A or B have a rank, and the words of each block that its tasks need. */
void ashi_tile_low_rank_run(const ashi_tile_product *p, ashi_tile_hand *hand, const ashi_tile_task *task);
void ashi_tile_low_rank_need(const ashi_tile_product *p, int64_t block[3]);

/* The bit of the first product of tile t of op(A), which is in row r. */
int64_t ashi_tile_first_bit(const ashi_tile_product *p, int64_t r, int64_t t);

static inline bool ashi_tile_left_out(const ashi_tile_product *p, int64_t bit)
{
    return p->request.first && ashi_bit(p->request.left, bit);
}

static inline const char *ashi_tile_from(const ashi_tile_product *p, int operand, int64_t at)
{
    return p->from[operand] + (size_t)at * p->element;
}

static inline char *ashi_tile_to(const ashi_tile_product *p, int64_t at)
{
    return p->to + (size_t)at * p->element;
}

#endif
