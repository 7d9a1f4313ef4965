/* A GPU by the plug-in for CUDA, beside cuBLAS and cublasXt on the same machine; prints one line of JSON.
 *
 *   cuda resident s|d N [REPETITIONS]          three matrices in device memory: seconds of a plan and of
 *                                              cuBLAS, which take turns
 *   cuda host d N [REPETITIONS] [MEMORY] [pageable]
 *                                              three matrices in memory of the host, pinned unless said: seconds of a
 *                                              plan with so much device memory, of cublasXt, and the longest of copies
 *                                              in, copies out and arithmetic, from rates measured first */
#include "base/number.h"

#include <ashlar/ashlar.h>

#include <cublasXt.h>
#include <cublas_v2.h>
#include <cuda_runtime_api.h>
#include <inttypes.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REPETITIONS_MOST = 99 };

static const size_t RATE_BYTES = (size_t)256 << 20;

typedef struct job {
    bool is_single, pageable;
    int64_t n, memory;
    int repetitions;
    size_t bytes; /* of a matrix */
    void *host[3], *device[3];
    cublasHandle_t blas;
    ashlar_context *context;
    ashlar_plan *plan;
} job;

static _Noreturn void stop(const char *what, const char *why)
{
    fprintf(stderr, "cuda: %s: %s\n", what, why);
    exit(1);
}

static void cuda(cudaError_t result, const char *what)
{
    if (result != cudaSuccess)
        stop(what, cudaGetErrorString(result));
}

static void blas(cublasStatus_t result, const char *what)
{
    if (result != CUBLAS_STATUS_SUCCESS)
        stop(what, cublasGetStatusString(result));
}

static void ashlar(ashlar_status status, const ashlar_error *err, const char *what)
{
    if (status != ASHLAR_OK)
        stop(what, err->text);
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *seconds, int count)
{
    qsort(seconds, (size_t)count, sizeof *seconds, by_value);
    return seconds[count / 2];
}

/* ---- matrices ---- */

static void fill(const job *j, void *to, uint64_t seed)
{
    for (int64_t i = 0; i < j->n * j->n; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        const double x = (double)(seed >> 40) / (double)(1 << 24) - 0.5;
        if (j->is_single)
            ((float *)to)[i] = (float)x;
        else
            ((double *)to)[i] = x;
    }
}

static void make_matrices(job *j, bool on_device)
{
    for (int x = 0; x < 3; x++) {
        if (j->pageable)
            j->host[x] = malloc(j->bytes);
        else
            cuda(cudaHostAlloc(&j->host[x], j->bytes, cudaHostAllocDefault), "pinned memory");
        if (!j->host[x])
            stop("memory", "there is too little");
        fill(j, j->host[x], (uint64_t)x + 1);
        if (!on_device)
            continue;
        cuda(cudaMalloc(&j->device[x], j->bytes), "device memory");
        cuda(cudaMemcpy(j->device[x], j->host[x], j->bytes, cudaMemcpyHostToDevice), "a copy");
    }
}

/* A block-cyclic layout of one block: by columns, as the matrices are. */
static void make_plan(job *j, int64_t memory)
{
    ashlar_error err = {0};
    ashlar_layout *layout = NULL;
    ashlar_options options = ashlar_options_default();
    ashlar(ashlar_context_create(MPI_COMM_WORLD, &j->context, &err), &err, "a context");
    ashlar(ashlar_context_set_device(j->context, "cuda", memory, &err), &err, "the device");
    ashlar(ashlar_layout_block_cyclic(j->n, j->n, j->n, j->n, 1, 1, 0, 0, NULL, ASHLAR_COL_MAJOR, 0, &layout, &err),
           &err, "a layout");
    const ashlar_problem problem = {.type = j->is_single ? ASHLAR_TYPE_S : ASHLAR_TYPE_D, .m = j->n, .n = j->n,
                                    .k = j->n, .a = layout, .b = layout, .c = layout};
    ashlar(ashlar_plan_create(j->context, &problem, &options, &j->plan, &err), &err, "a plan");
    ashlar_layout_free(&layout);
}

static const double one_d = 1, zero_d = 0;
static const float one_s = 1, zero_s = 0;

static double seconds_of_plan(const job *j, void *const x[3])
{
    ashlar_error err = {0};
    const double begin = MPI_Wtime();
    const ashlar_status status =
        ashlar_plan_execute(j->plan, j->is_single ? (const void *)&one_s : &one_d, x[0], x[1],
                            j->is_single ? (const void *)&zero_s : &zero_d, x[2], &err);
    ashlar(status, &err, "a product");
    return MPI_Wtime() - begin;
}

static double seconds_of_cublas(const job *j)
{
    const int64_t n = j->n;
    const double begin = MPI_Wtime();
    if (j->is_single)
        blas(cublasSgemm_64(j->blas, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one_s, j->device[0], n, j->device[1], n,
                            &zero_s, j->device[2], n), "cublasSgemm");
    else
        blas(cublasDgemm_64(j->blas, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one_d, j->device[0], n, j->device[1], n,
                            &zero_d, j->device[2], n), "cublasDgemm");
    cuda(cudaDeviceSynchronize(), "cuBLAS");
    return MPI_Wtime() - begin;
}

/* ---- device-resident ---- */

static void resident(job *j)
{
    double own[REPETITIONS_MOST], theirs[REPETITIONS_MOST];
    make_matrices(j, true);
    make_plan(j, 1 << 20);
    blas(cublasCreate(&j->blas), "cuBLAS");
    seconds_of_plan(j, j->device);
    seconds_of_cublas(j);
    for (int i = 0; i < j->repetitions; i++) {
        own[i] = seconds_of_plan(j, j->device);
        theirs[i] = seconds_of_cublas(j);
    }
    const double a = median(own, j->repetitions), b = median(theirs, j->repetitions);
    printf("{\"program\": \"cuda\", \"what\": \"resident\", \"type\": \"%c\", \"n\": %" PRId64 ", \"ashlar_s\": %.6f, "
           "\"cublas_s\": %.6f, \"part_of_cublas\": %.4f}\n", j->is_single ? 's' : 'd', j->n, a, b, b / a);
}

/* ---- host-resident ---- */

/* Bytes a second of a copy of pinned memory. */
static double copy_rate(bool in)
{
    void *here, *there;
    double seconds[5];
    cuda(cudaHostAlloc(&here, RATE_BYTES, cudaHostAllocDefault), "pinned memory");
    cuda(cudaMalloc(&there, RATE_BYTES), "device memory");
    memset(here, 0, RATE_BYTES);
    for (int i = 0; i < 5; i++) {
        const double begin = MPI_Wtime();
        cuda(in ? cudaMemcpy(there, here, RATE_BYTES, cudaMemcpyHostToDevice)
                : cudaMemcpy(here, there, RATE_BYTES, cudaMemcpyDeviceToHost), "a copy");
        seconds[i] = MPI_Wtime() - begin;
    }
    cuda(cudaFree(there), "device memory");
    cuda(cudaFreeHost(here), "pinned memory");
    return (double)RATE_BYTES / median(seconds, 5);
}

/* Operations a second of a product in device memory. */
static double product_rate(void)
{
    job j = {.n = 8192, .bytes = (size_t)8192 * 8192 * sizeof(double)};
    double seconds[5];
    blas(cublasCreate(&j.blas), "cuBLAS");
    for (int x = 0; x < 3; x++) {
        cuda(cudaMalloc(&j.device[x], j.bytes), "device memory");
        cuda(cudaMemset(j.device[x], 0x3e, j.bytes), "device memory");
    }
    for (int i = 0; i < 5; i++)
        seconds[i] = seconds_of_cublas(&j);
    for (int x = 0; x < 3; x++)
        cuda(cudaFree(j.device[x]), "device memory");
    cublasDestroy(j.blas);
    return 2.0 * 8192 * 8192 * 8192 / median(seconds, 5);
}

static double seconds_of_xt(const job *j, cublasXtHandle_t xt)
{
    const size_t n = (size_t)j->n;
    const double begin = MPI_Wtime();
    blas(cublasXtDgemm(xt, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one_d, j->host[0], n, j->host[1], n, &zero_d, j->host[2],
                       n), "cublasXtDgemm");
    cuda(cudaDeviceSynchronize(), "cublasXt");
    return MPI_Wtime() - begin;
}

static void host(job *j)
{
    double own[REPETITIONS_MOST], theirs[REPETITIONS_MOST];
    int devices[1] = {0};
    cublasXtHandle_t xt;
    ashlar_error err = {0};
    ashlar_device_figures total;
    const double in = copy_rate(true), out = copy_rate(false), flops = product_rate();
    make_matrices(j, false);
    blas(cublasXtCreate(&xt), "cublasXt");
    blas(cublasXtDeviceSelect(xt, 1, devices), "cublasXt");
    blas(cublasXtSetBlockDim(xt, 4096), "cublasXt");
    theirs[0] = seconds_of_xt(j, xt);
    for (int i = 0; i < j->repetitions; i++)
        theirs[i] = seconds_of_xt(j, xt);
    cublasXtDestroy(xt); /* before the plan takes all memory */
    make_plan(j, j->memory);
    own[0] = seconds_of_plan(j, j->host);
    ashlar(ashlar_plan_device(j->plan, &total, &err), &err, "the tally");
    for (int i = 0; i < j->repetitions; i++)
        own[i] = seconds_of_plan(j, j->host);
    const double a = median(own, j->repetitions), b = median(theirs, j->repetitions);
    double bound = 2.0 * (double)j->n * (double)j->n * (double)j->n / flops;
    const double copies[2] = {(double)total.measured_in_total * sizeof(double) / in,
                              (double)total.measured_out_total * sizeof(double) / out};
    for (int i = 0; i < 2; i++)
        bound = copies[i] > bound ? copies[i] : bound;
    printf("{\"program\": \"cuda\", \"what\": \"host\", \"type\": \"d\", \"n\": %" PRId64 ", \"memory\": %" PRId64
           ", \"pageable\": %s, \"words_in\": %" PRId64 ", \"words_out\": %" PRId64 ", \"in_rate\": %.4g, "
           "\"out_rate\": %.4g, \"flops\": %.4g, \"ashlar_s\": %.4f, \"cublasxt_s\": %.4f, \"bound_s\": %.4f, "
           "\"bound_part\": %.4f, \"failure\": \"%s\"}\n", j->n, j->memory, j->pageable ? "true" : "false",
           total.measured_in_total, total.measured_out_total, in, out, flops, a, b, bound, bound / a,
           total.failure ? total.failure : "");
}

int main(int argc, char **argv)
{
    job j = {.repetitions = 5};
    int64_t repetitions = 5;
    MPI_Init(&argc, &argv);
    const bool known = argc > 3 && (strcmp(argv[1], "resident") == 0 || strcmp(argv[1], "host") == 0);
    if (!known || !ashi_number_count(argv[3], &j.n) || (argc > 4 && !ashi_number_count(argv[4], &repetitions)) ||
        (argc > 5 && !ashi_number_size(argv[5], &j.memory)) || repetitions < 1 || repetitions > REPETITIONS_MOST)
        stop("usage", "cuda resident s|d N [REPETITIONS], or cuda host d N [REPETITIONS] [MEMORY] [pageable]");
    j.is_single = argv[2][0] == 's';
    j.pageable = argc > 6;
    j.repetitions = (int)repetitions;
    j.bytes = (size_t)(j.n * j.n) * (j.is_single ? sizeof(float) : sizeof(double));
    (strcmp(argv[1], "resident") == 0 ? resident : host)(&j);
    ashlar_plan_free(&j.plan);
    ashlar_context_free(&j.context);
    MPI_Finalize();
    return 0;
}
