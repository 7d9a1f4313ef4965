/* What products of matrices of tiles on several ranks hold at most: 1.3 times A, B and C.
 *
 * All that Ashlar's own objects allocate is counted: the matrices, the plan, the pool and the buffers for multiplying.
 * An iteration has a whole tile of k, so none of these tiles is long. */
#define _GNU_SOURCE
#define PROGRAM "tiles_memory"

#include "mpi/ranks.h"

#include <ashlar/ashlar.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/mman.h>

/* Of A, B and C, in hundredths. */
enum { MOST = 130, TILES_MOST = 512 };

/* ---- counting ---- */

static _Atomic int64_t live, most; /* bytes */

void *__real_malloc(size_t bytes);
void *__real_calloc(size_t count, size_t bytes);
void *__real_realloc(void *old, size_t bytes);
int __real_posix_memalign(void **out, size_t alignment, size_t bytes);
void __real_free(void *old);
void *__real_mmap(void *at, size_t bytes, int protection, int flags, int file, off_t offset);
int __real_munmap(void *at, size_t bytes);
void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
void *__wrap_realloc(void *old, size_t bytes);
int __wrap_posix_memalign(void **out, size_t alignment, size_t bytes);
void __wrap_free(void *old);
void *__wrap_mmap(void *at, size_t bytes, int protection, int flags, int file, off_t offset);
int __wrap_munmap(void *at, size_t bytes);

static void count(int64_t bytes)
{
    const int64_t now = atomic_fetch_add(&live, bytes) + bytes;
    if (now > most)
        most = now;
}

static int64_t size_of(void *memory)
{
    return memory ? (int64_t)malloc_usable_size(memory) : 0;
}

void *__wrap_malloc(size_t bytes)
{
    void *const made = __real_malloc(bytes);
    count(size_of(made));
    return made;
}

void *__wrap_calloc(size_t number, size_t bytes)
{
    void *const made = __real_calloc(number, bytes);
    count(size_of(made));
    return made;
}

void *__wrap_realloc(void *old, size_t bytes)
{
    const int64_t before = size_of(old);
    void *const made = __real_realloc(old, bytes);
    if (made)
        count(size_of(made) - before);
    return made;
}

int __wrap_posix_memalign(void **out, size_t alignment, size_t bytes)
{
    const int code = __real_posix_memalign(out, alignment, bytes);
    if (code == 0)
        count(size_of(*out));
    return code;
}

void __wrap_free(void *old)
{
    count(-size_of(old));
    __real_free(old);
}

/* What is more than is wanted is given back at once, untouched: the most is found then. Kernels for small tiles are
 * code, which is kept for other products. */
void *__wrap_mmap(void *at, size_t bytes, int protection, int flags, int file, off_t offset)
{
    void *const made = __real_mmap(at, bytes, protection, flags, file, offset);
    if (made != MAP_FAILED && !(protection & PROT_EXEC))
        live += (int64_t)bytes;
    return made;
}

int __wrap_munmap(void *at, size_t bytes)
{
    count(-(int64_t)bytes);
    return __real_munmap(at, bytes);
}

/* ---- products ---- */

typedef struct product {
    const char *what;
    int64_t n, least, range; /* sizes of tiles: least + any below range */
    int64_t percent;         /* of tiles that are present */
} product;

static const product products[] = {
    {"all tiles of 23", 2001, 23, 1, 100}, {"all tiles, large and small ones", 2000, 1, 120, 100},
    {"a fifth of tiles of 64", 3008, 64, 1, 20}, {"a fifth, uneven", 3000, 20, 60, 20},
    {"a twentieth, uneven", 4000, 20, 60, 5},
};

/* The first small tiles make libxsmm allocate what it keeps. */
static const product first = {"a small product", 690, 23, 1, 50};

typedef struct scene {
    rig *r;
    ashlar_context *context;
    int64_t size[TILES_MOST];
    ashlar_tiles_description d;
    uint64_t state;
    ashlar_error err;
} scene;

static bool ok(scene *s, ashlar_status status)
{
    CHECK(&s->r->test, status == ASHLAR_OK, CASE "%s", CASE_OF(s->r), s->err.text);
    return status == ASHLAR_OK;
}

static ashlar_tiles *make(scene *s, int64_t percent)
{
    ashlar_tiles *tiles = NULL;
    if (!ok(s, ashlar_tiles_create(s->context, &s->d, &tiles, &s->err)))
        return NULL;
    for (int64_t i = 0; i < s->d.tile_rows; i++)
        for (int64_t j = 0; j < s->d.tile_cols; j++)
            if (ashi_random_in(&s->state, 0, 99) < percent && ashlar_tiles_owner(tiles, i, j) == s->r->rank)
                ok(s, ashlar_tiles_reserve(tiles, 1, &i, &j, &s->err));
    ok(s, ashlar_tiles_finish(tiles, &s->err));
    return tiles;
}

static int64_t bytes_of(scene *s, const ashlar_tiles *tiles)
{
    ashlar_tiles_info info = {0};
    ok(s, ashlar_tiles_inspect(tiles, &info, &s->err));
    return info.local_words * (int64_t)sizeof(double);
}

/* The matrices of a problem, C without tiles. */
static void make_all(scene *s, const product *p, ashlar_tiles *x[3])
{
    int64_t all = 0;
    s->state = s->r->seed;
    s->d = (ashlar_tiles_description){.type = ASHLAR_TYPE_D, .row_sizes = s->size};
    for (; all < p->n; all += s->size[s->d.tile_rows++]) {
        const int64_t size = p->least + ashi_random_in(&s->state, 0, p->range - 1);
        s->size[s->d.tile_rows] = size < p->n - all ? size : p->n - all;
    }
    s->d.tile_cols = s->d.tile_rows;
    for (int i = 0; i < 3; i++)
        x[i] = make(s, i < ASHLAR_C ? p->percent : 0);
}

/* Of all ranks together: some have fewer tiles than others, and as many come. */
static int64_t of_all(int64_t bytes)
{
    int64_t sum = 0;
    MPI_Allreduce(&bytes, &sum, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    return sum;
}

static void try_product(scene *s, const product *p, bool checks)
{
    const double one = 1, zero = 0;
    const int64_t before = live;
    ashlar_tiles *x[3] = {NULL, NULL, NULL};
    ashlar_tiles_result done = {0};
    make_all(s, p, x);
    const int64_t held = live;
    most = live;
    if (x[0] && x[1] && x[2] && ok(s, ashlar_tiles_multiply(&one, ASHLAR_OP_N, x[0], ASHLAR_OP_N, x[1], &zero, x[2],
                                                            NULL, &done, &s->err)) && checks) {
        const int64_t c = bytes_of(s, x[2]), workspace = done.workspace_words * (int64_t)sizeof(double);
        const int64_t matrices = of_all(bytes_of(s, x[0]) + bytes_of(s, x[1]) + c), all = of_all(most - before);
        CHECK(&s->r->test, 100 * all <= MOST * matrices,
              CASE "%s: %" PRId64 " bytes, A, B and C have %" PRId64 ", the workspace of rank %d %" PRId64,
              CASE_OF(s->r), p->what, all, matrices, s->r->rank, workspace);
        CHECK(&s->r->test, workspace > 0 && workspace <= most - held - c,
              CASE "%s: rank %d had no %" PRId64 " bytes of workspace", CASE_OF(s->r), p->what, s->r->rank, workspace);
    }
    for (int i = 0; i < 3; i++)
        ashlar_tiles_free(&x[i]);
}

int main(int argc, char **argv)
{
    rig r;
    scene s = {.r = &r};
    if (!ranks_begin(&r, &argc, &argv, 1))
        return 1;
    r.seed = r.first;
    ok(&s, ashlar_context_create(MPI_COMM_WORLD, &s.context, &s.err));
    try_product(&s, &first, false);
    for (size_t i = 0; i < sizeof products / sizeof products[0]; i++)
        try_product(&s, &products[i], true);
    ashlar_context_free(&s.context);
    return ranks_end(&r, PROGRAM);
}
