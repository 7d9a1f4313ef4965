/* Products of small tiles by kernels of libxsmm, made for the sizes when somebody asks for one. */
#define _GNU_SOURCE
#include "kernel/small.h"

#include "base/type.h"
#include "kernel/overlap.h"

#ifdef ASHI_XSMM
#include <libxsmm_cpuid.h>
#include <libxsmm_generator.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Every type of function pointer can be kept as another and cast back. */
typedef void (*any_kernel)(void);

/* ---- making ---- */

/* A kernel lies behind this, in pages of its own. */
typedef struct made {
    const struct made *next; /* of the same list */
    int64_t key;
} made;

/* HEAD: bytes from `made` to the kernel. CODE_MOST: of libxsmm's longest kernel. */
enum { HEAD = 64, CODE_MOST = 128 << 10, LISTS = 1 << 12 };

/* All that were made. They stay until the program ends, for other products of the same sizes. libxsmm has such a table
 * too, which takes 11 MB; only its generator is used here. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const made *list[LISTS];

typedef struct sizes {
    ashlar_type type;
    int64_t m, n, k;
    bool turned_b;
} sizes;

static int64_t key_of(const sizes *s)
{
    const int64_t side = ASHI_SMALL_MOST + 1;
    return (((s->type * side + s->m) * side + s->n) * side + s->k) * 2 + s->turned_b;
}

static bool serves(const sizes *s)
{
    return (s->type == ASHLAR_TYPE_S || s->type == ASHLAR_TYPE_D) && s->m >= 1 && s->n >= 1 && s->k >= 1 &&
           s->m <= ASHI_SMALL_MOST && s->n <= ASHI_SMALL_MOST && s->k <= ASHI_SMALL_MOST;
}

/* C += A B, or A B^T. NULL: libxsmm has none. */
static const libxsmm_gemm_descriptor *describe(const sizes *s, libxsmm_descriptor_blob *blob)
{
    const libxsmm_blasint m = (libxsmm_blasint)s->m, n = (libxsmm_blasint)s->n, k = (libxsmm_blasint)s->k;
    const libxsmm_blasint ldb = s->turned_b ? n : k;
    const int flags = s->turned_b ? LIBXSMM_GEMM_FLAG_TRANS_B : LIBXSMM_GEMM_FLAG_NONE;
    return s->type == ASHLAR_TYPE_S
               ? libxsmm_sgemm_descriptor_init(blob, m, n, k, m, ldb, m, 1, 1, flags, LIBXSMM_GEMM_PREFETCH_NONE)
               : libxsmm_dgemm_descriptor_init(blob, m, n, k, m, ldb, m, 1, 1, flags, LIBXSMM_GEMM_PREFETCH_NONE);
}

/* Long registers are slower where a side has so few elements, by libxsmm's own rule. */
static int processor_for(const sizes *s)
{
    enum { FEW = 16 };
    const int processor = libxsmm_cpuid();
    const bool few = s->m * s->k <= FEW || s->k * s->n <= FEW || s->m * s->n <= FEW;
    return few && processor > LIBXSMM_X86_AVX2 ? LIBXSMM_X86_AVX2 : processor;
}

/* Code of at most CODE_MOST bytes; returns how many, 0: libxsmm has none. */
static size_t generate(const sizes *s, void *code)
{
    libxsmm_descriptor_blob blob;
    const libxsmm_gemm_descriptor *const what = describe(s, &blob);
    const int processor = processor_for(s);
    libxsmm_generated_code to = {.generated_code = code, .buffer_size = CODE_MOST, .code_type = 2,
                                 .arch = (unsigned)processor};
    if (!what || processor < LIBXSMM_X86_AVX)
        return 0;
    libxsmm_generator_gemm_kernel(&to, what);
    return to.last_error == 0 ? to.code_size : 0;
}

static size_t pages(size_t bytes)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    return (bytes + page - 1) / page * page;
}

/* Pages are written first and executed then, never both. */
static made *make(const sizes *s)
{
    const size_t room = pages(HEAD + CODE_MOST);
    made *const head = mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (head == MAP_FAILED)
        return NULL;
    const size_t bytes = generate(s, (char *)head + HEAD);
    const size_t used = bytes > 0 ? pages(HEAD + bytes) : 0;
    const int64_t key = key_of(s);
    *head = (made){list[key % LISTS], key};
    munmap((char *)head + used, room - used);
    if (used == 0 || mprotect(head, used, PROT_READ | PROT_EXEC) == 0)
        return used > 0 ? head : NULL;
    munmap(head, used);
    return NULL;
}

static const made *find(const sizes *s)
{
    const int64_t key = key_of(s);
    const made *found = list[key % LISTS];
    while (found && found->key != key)
        found = found->next;
    if (!found && (found = make(s)))
        list[key % LISTS] = found;
    return found;
}

ashi_small ashi_small_find(ashlar_type type, int64_t m, int64_t n, int64_t k, bool turned_b)
{
    const sizes s = {type, m, n, k, turned_b};
    ashi_small out = {.kernel = NULL};
    if (!serves(&s))
        return out;
    ashi_overlap *const overlap = ashi_overlap_of(type, m);
    if (overlap && ashi_overlap_is_faster(type, m))
        return (ashi_small){(any_kernel)overlap, (int16_t)m, (int16_t)n, (int16_t)k, turned_b};
    pthread_mutex_lock(&lock);
    const made *const found = find(&s);
    pthread_mutex_unlock(&lock);
    const void *const code = found ? (const char *)found + HEAD : NULL;
    memcpy(&out.kernel, &code, sizeof code);
    return out;
}

/* ---- running ---- */

/* By a kernel that asks for the sizes. */
static void run_overlap(const ashi_small *s, size_t bytes, int64_t count, const ashi_small_at *at, const char *a,
                        const char *b, char *c)
{
    ashi_overlap *const multiply = (ashi_overlap *)s->kernel;
    for (int64_t i = 0; i < count; i++)
        multiply(s->m, s->n, s->k, s->turned_b, a + at[i].a * (int64_t)bytes, b + at[i].b * (int64_t)bytes,
                 c + at[i].c * (int64_t)bytes);
}

void ashi_small_run(ashi_small kernel, ashlar_type type, int64_t count, const ashi_small_at *at, const void *a,
                    const void *b, void *c)
{
    if (kernel.m > 0) {
        run_overlap(&kernel, ashi_type_of(type)->bytes, count, at, a, b, c);
    } else if (type == ASHLAR_TYPE_S) {
        const libxsmm_smmfunction multiply = (libxsmm_smmfunction)kernel.kernel;
        for (int64_t i = 0; i < count; i++)
            multiply((const float *)a + at[i].a, (const float *)b + at[i].b, (float *)c + at[i].c);
    } else {
        const libxsmm_dmmfunction multiply = (libxsmm_dmmfunction)kernel.kernel;
        for (int64_t i = 0; i < count; i++)
            multiply((const double *)a + at[i].a, (const double *)b + at[i].b, (double *)c + at[i].c);
    }
}

#else

ashi_small ashi_small_find(ashlar_type type, int64_t m, int64_t n, int64_t k, bool turned_b)
{
    (void)type, (void)m, (void)n, (void)k, (void)turned_b;
    return (ashi_small){.kernel = NULL};
}

void ashi_small_run(ashi_small kernel, ashlar_type type, int64_t count, const ashi_small_at *at, const void *a,
                    const void *b, void *c)
{
    (void)kernel, (void)type, (void)count, (void)at, (void)a, (void)b, (void)c;
}

#endif
