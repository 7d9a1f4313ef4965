/* Packed chunks of files that are streamed are unpacked once for each time that they are read: slabs, tiles and what
 * one rank reads of them end at the edges of chunks. */
#define PROGRAM "unpacking"

#include "mpi/filing.h"

#include <hdf5.h>
#include <stdatomic.h>

enum { FILTER = 301 }; /* a number that is free for trials */

/* A chunk of CHUNK x CHUNK is larger than half of what HDF5 keeps of a data set, so that it keeps one. */
enum { CHUNK = 270 };

typedef struct job {
    rig *rig;
    ashlar_context *context;
    folder folder;
} job;

/* A product: sizes m, n, k, and the rows and columns of chunks of A and of B, which have equally many words. All
 * chunks are full. */
typedef struct packed_product {
    int64_t m, n, k, chunk[2][2], memory_words;
} packed_product;

static atomic_int unpacked;

/* Leaves the data as they are, and counts. */
static size_t count(unsigned flags, size_t values_count, const unsigned values[], size_t bytes, size_t *room,
                    void **data)
{
    (void)values_count, (void)values, (void)room, (void)data;
    if (flags & H5Z_FLAG_REVERSE)
        atomic_fetch_add(&unpacked, 1);
    return bytes;
}

/* A matrix of small integers. */
static void make_file(job *j, const char *path, int64_t rows, int64_t cols, const int64_t chunk[2])
{
    const hsize_t size[2] = {(hsize_t)rows, (hsize_t)cols}, sides[2] = {(hsize_t)chunk[0], (hsize_t)chunk[1]};
    double *data = malloc((size_t)(rows * cols) * sizeof *data);
    if (!data)
        exit(1);
    for (int64_t i = 0; i < rows * cols; i++)
        data[i] = (double)(i * 7 % 11 - 5);
    const hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    const hid_t space = H5Screate_simple(2, size, NULL), list = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(list, 2, sides);
    H5Pset_filter(list, FILTER, H5Z_FLAG_MANDATORY, 0, NULL);
    const hid_t set = H5Dcreate2(file, "x", H5T_IEEE_F64LE, space, H5P_DEFAULT, list, H5P_DEFAULT);
    const bool good = H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0;
    CHECK(&j->rig->test, good && H5Dclose(set) >= 0 && H5Pclose(list) >= 0 && H5Sclose(space) >= 0 &&
          H5Fclose(file) >= 0, "%s", path);
    free(data);
}

static void verify(job *j, ashlar_verification *check)
{
    const double one = 1;
    ashlar_verdict verdict = {0};
    GOOD(j, ashlar_verify_end(check, &one, NULL, NULL, NULL, &verdict, &err));
    CHECK(&j->rig->test, verdict.passed, CASE "not passed: %g", CASE_OF(j->rig), verdict.worst);
}

static void run(job *j, const packed_product *p, ashlar_file *const file[3])
{
    const double one = 1, zero = 0;
    const ashlar_problem problem = {.size = sizeof problem, .type = ASHLAR_TYPE_D, .m = p->m, .n = p->n, .k = p->k,
                                    .a_file = file[0], .b_file = file[1], .c_file = file[2]};
    ashlar_options options = ashlar_options_default();
    ashlar_plan *plan = NULL;
    ashlar_verification *check = NULL;
    ashlar_explanation why = {0};
    ashlar_figures found = {0};
    options.memory_words = p->memory_words;
    options.strategy = "sequential";
    GOOD(j, ashlar_plan_create(j->context, &problem, &options, &plan, &err));
    GOOD(j, ashlar_plan_explain(plan, &why, &err));
    CHECK(&j->rig->test, strstr(why.reason, " of C stay in memory") &&
          strstr(why.reason, "; 1.0 words of chunks or text are read for each that is wanted"), CASE "%s",
          CASE_OF(j->rig), why.reason);
    GOOD(j, ashlar_verify_begin(plan, &zero, NULL, &check, &err));
    atomic_store(&unpacked, 0);
    GOOD(j, ashlar_plan_execute(plan, &one, NULL, NULL, &zero, NULL, &err));
    int own = atomic_load(&unpacked), all = 0;
    MPI_Allreduce(&own, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    GOOD(j, ashlar_plan_measured(plan, &found, &err));
    const int64_t wanted = (found.disk_words - p->m * p->n) / (p->chunk[0][0] * p->chunk[0][1]);
    CHECK(&j->rig->test, all == wanted && found.memory_words <= p->memory_words, CASE "unpacked %d times, wanted %"
          PRId64 ": %s", CASE_OF(j->rig), all, wanted, why.reason);
    verify(j, check);
    ashlar_verify_free(&check);
    ashlar_plan_free(&plan);
}

static void one_case(job *j, const packed_product *p)
{
    char path[3][PATH_BYTES], place[3][PATH_BYTES + 8];
    ashlar_file *file[3] = {0};
    for (int x = 0; x < 3; x++) {
        folder_name(&j->folder, x == 0 ? "A.h5" : x == 1 ? "B.h5" : "C.npy", path[x]);
        snprintf(place[x], sizeof place[x], "%s%s", path[x], x < 2 ? ":/x" : "");
    }
    if (j->rig->rank == 0) {
        make_file(j, path[0], p->m, p->k, p->chunk[0]);
        make_file(j, path[1], p->k, p->n, p->chunk[1]);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    for (int x = 0; x < 2; x++)
        GOOD(j, ashlar_file_open(j->context, place[x], &file[x], &err));
    GOOD(j, ashlar_file_create(j->context, place[2], ASHLAR_TYPE_D, p->m, p->n, ASHLAR_ROW_MAJOR, &file[2], &err));
    run(j, p, file);
    for (int x = 0; x < 3; x++)
        ashlar_file_close(&file[x]);
}

int main(int argc, char **argv)
{
    static const H5Z_class2_t class = {H5Z_CLASS_T_VERS, FILTER, 1, 1, "count", NULL, NULL, count};
    const packed_product products[] = {
        {8 * CHUNK, 6 * CHUNK, 8 * CHUNK, {{CHUNK, CHUNK}, {CHUNK, CHUNK}}, 700000},
        {6 * CHUNK, 6 * CHUNK, 8 * CHUNK, {{CHUNK, CHUNK}, {CHUNK, CHUNK}}, 600000},
    };
    rig r;
    job j = {.rig = &r};
    if (!ranks_begin(&r, &argc, &argv, 1))
        return 1;
    j.folder = folder_of_ranks(&r);
    H5Zregister(&class);
    GOOD(&j, ashlar_context_create(MPI_COMM_WORLD, &j.context, &err));
    for (size_t i = 0; i < sizeof products / sizeof *products; i++, r.seed++)
        one_case(&j, &products[i]);
    ashlar_context_free(&j.context);
    MPI_Barrier(MPI_COMM_WORLD);
    if (r.rank == 0)
        folder_remove(&j.folder);
    return ranks_end(&r, "unpacking");
}
