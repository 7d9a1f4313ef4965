/* Contractions of chunked HDF5 files read as many bytes as is planned, for every order of indices, and form the right
 * elements: random chunks, with and without gzip. What is read is what the system's calls deliver to the process. */
#define PROGRAM "chunks_read"

#include "mpi/filing.h"

#include "contract/plan.h"

#include <hdf5.h>

enum { LETTERS = 6, ORDER = 4, A = 0, B = 1, C = 2, METADATA = 6000 /* bytes of a file and rank beside chunks */ };

typedef struct job {
    rig *rig;
    ashlar_context *context;
    folder folder;
    char letters[3][ORDER + 1];
    int64_t extent[LETTERS];       /* of 'a' and so on */
    int64_t chunk[2][ORDER];
    unsigned level;                /* of gzip; 0: not packed */
    int64_t memory_words;
    int64_t taken, wrong, sampled; /* elements of C */
} job;

/* ---- elements ---- */

static int64_t extent_of(const job *j, int x, int d)
{
    return j->extent[j->letters[x][d] - 'a'];
}

static double element_of(const job *j, int x, const int64_t *value)
{
    int64_t number = x;
    for (int d = 0; d < ORDER; d++)
        number = number * extent_of(j, x, d) + value[j->letters[x][d] - 'a'];
    return (double)(number * 7 % 11 - 5);
}

/* e and f are summed over. */
static double sum_of(const job *j, int64_t *value)
{
    double sum = 0;
    for (value[4] = 0; value[4] < j->extent[4]; value[4]++)
        for (value[5] = 0; value[5] < j->extent[5]; value[5]++)
            sum += element_of(j, A, value) * element_of(j, B, value);
    return sum;
}

static int take(void *user, const int64_t *from, const int64_t *extent, const void *elements)
{
    job *const j = user;
    const double *const found = elements;
    int64_t words = 1, value[LETTERS];
    for (int d = 0; d < ORDER; d++)
        words *= extent[d];
    for (int64_t e = (int64_t)(j->rig->seed % 101); e < words; e += 101, j->sampled++) {
        int64_t left = e;
        for (int d = ORDER - 1; d >= 0; left /= extent[d--])
            value[j->letters[C][d] - 'a'] = from[d] + left % extent[d];
        j->wrong += found[e] != sum_of(j, value);
    }
    j->taken += words;
    return 0;
}

static void make_file(job *j, int x, const char *path)
{
    hsize_t size[ORDER], sides[ORDER], words = 1;
    int64_t value[LETTERS];
    for (int d = 0; d < ORDER; d++) {
        size[d] = (hsize_t)extent_of(j, x, d);
        sides[d] = (hsize_t)j->chunk[x][d];
        words *= size[d];
    }
    double *data = malloc((size_t)words * sizeof *data);
    if (!data)
        exit(1);
    for (hsize_t e = 0; e < words; e++) {
        hsize_t left = e;
        for (int d = ORDER - 1; d >= 0; left /= size[d--])
            value[j->letters[x][d] - 'a'] = (int64_t)(left % size[d]);
        data[e] = element_of(j, x, value);
    }
    const hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    const hid_t space = H5Screate_simple(ORDER, size, NULL), list = H5Pcreate(H5P_DATASET_CREATE);
    bool good = H5Pset_chunk(list, ORDER, sides) >= 0 && (j->level == 0 || H5Pset_deflate(list, j->level) >= 0);
    const hid_t set = H5Dcreate2(file, "x", H5T_IEEE_F64LE, space, H5P_DEFAULT, list, H5P_DEFAULT);
    good = good && H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0;
    CHECK(&j->rig->test, good && H5Dclose(set) >= 0 && H5Pclose(list) >= 0 && H5Sclose(space) >= 0 &&
          H5Fclose(file) >= 0, "%s", path);
    free(data);
}

/* ---- a case ---- */

static void shuffle(uint64_t *state, const char *letters, char *out)
{
    strcpy(out, letters);
    for (int i = ORDER - 1; i > 0; i--) {
        const int other = (int)ashi_random_in(state, 0, i);
        const char held = out[i];
        out[i] = out[other];
        out[other] = held;
    }
}

static void random_case(job *j)
{
    static const int64_t extents[2][3] = {{20, 24, 32}, {12, 16, 24}}, sides[2][4] = {{6, 8, 12, 16}, {2, 3, 4, 6}};
    uint64_t state = j->rig->seed;
    const bool small = j->rig->seed % 2 == 0; /* chunks of some hundred bytes, in files of which much is kept */
    shuffle(&state, "abef", j->letters[A]);
    shuffle(&state, "cdef", j->letters[B]);
    shuffle(&state, "abcd", j->letters[C]);
    for (int i = 0; i < LETTERS; i++)
        j->extent[i] = extents[small][ashi_random_in(&state, 0, 2)];
    for (int x = 0; x < 2; x++)
        for (int d = 0; d < ORDER; d++) {
            const int64_t side = sides[small][ashi_random_in(&state, 0, 3)];
            j->chunk[x][d] = ashi_random_in(&state, 0, 5) == 0 ? extent_of(j, x, d) : side;
        }
    j->level = (unsigned)ashi_random_in(&state, 0, 1);
    j->memory_words = small ? ashi_random_in(&state, 8000, 60000) : ashi_random_in(&state, 100000, 250000);
}

/* Bytes that calls of the system have delivered to this process; -1: the system does not count them. */
static int64_t bytes_delivered(void)
{
    FILE *const file = fopen("/proc/self/io", "r");
    long long bytes = -1;
    if (!file || fscanf(file, "rchar: %lld", &bytes) != 1)
        bytes = -1;
    if (file)
        fclose(file);
    return bytes;
}

static void compare(job *j, const ashlar_contraction_plan *plan, int64_t delivered)
{
    int64_t own[4] = {delivered, j->taken, j->wrong, j->sampled}, all[4] = {0};
    MPI_Allreduce(own, all, 4, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    const double read = (double)all[0], slack = 2 * METADATA * j->rig->ranks;
    const double more = j->level > 0 ? 1.2 : 1.1; /* the bytes of packed chunks are known in the mean only */
    int64_t words = 1;
    for (int i = 0; i < 4; i++)
        words *= j->extent[i];
    CHECK(&j->rig->test, all[1] == words && all[2] == 0 && all[3] > 0, CASE "%" PRId64 " of %" PRId64 " elements, %"
          PRId64 " of %" PRId64 " wrong", CASE_OF(j->rig), all[1], words, all[2], all[3]);
    CHECK(&j->rig->test, plan->page_bytes == 0 ||
          (read <= 1.1 * plan->page_bytes + slack && plan->page_bytes <= more * read + slack), CASE "%.3f MB "
          "delivered, %.3f MB planned: chunks %" PRId64 "x%" PRId64 "x%" PRId64 "x%" PRId64 " and %" PRId64 "x%" PRId64
          "x%" PRId64 "x%" PRId64 ", level %u: %s", CASE_OF(j->rig), read / 1e6, plan->page_bytes / 1e6, j->chunk[A][0],
          j->chunk[A][1], j->chunk[A][2], j->chunk[A][3], j->chunk[B][0], j->chunk[B][1], j->chunk[B][2],
          j->chunk[B][3], j->level, plan->text);
}

static void contract(job *j, ashlar_tensor_file *const file[3])
{
    const double one = 1, zero = 0;
    const void *const none[2] = {NULL, NULL};
    char text[3 * ORDER + 4];
    snprintf(text, sizeof text, "%s,%s->%s", j->letters[A], j->letters[B], j->letters[C]);
    const ashlar_tensor operand[2] = {{.size = sizeof operand[0], .order = ORDER, .file = file[A]},
                                      {.size = sizeof operand[1], .order = ORDER, .file = file[B]}};
    const ashlar_tensor output = {.size = sizeof output, .order = ORDER, .file = file[C]};
    const ashlar_contraction contraction = {.size = sizeof contraction, .type = ASHLAR_TYPE_D, .expression = text,
                                            .operands = 2, .operand = operand, .output = &output};
    const ashlar_options options = {.size = sizeof options, .memory_words = j->memory_words};
    ashlar_contraction_plan *plan = NULL;
    GOOD(j, ashlar_contraction_plan_create(j->context, &contraction, &options, &plan, &err));
    const int64_t before = bytes_delivered();
    GOOD(j, ashlar_contraction_execute(plan, &one, none, &zero, NULL, &err));
    compare(j, plan, bytes_delivered() - before);
    ashlar_contraction_plan_free(&plan);
}

static void one_case(job *j)
{
    char path[2][PATH_BYTES], place[2][PATH_BYTES + 8];
    ashlar_tensor_file *file[3] = {0};
    int64_t extent[ORDER];
    random_case(j);
    j->taken = j->wrong = j->sampled = 0;
    for (int x = 0; x < 2; x++) {
        folder_name(&j->folder, x == A ? "A.h5" : "B.h5", path[x]);
        if (j->rig->rank == 0)
            make_file(j, x, path[x]);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    for (int x = 0; x < 2; x++) {
        snprintf(place[x], sizeof place[x], "%.*s:/x", PATH_BYTES - 1, path[x]);
        GOOD(j, ashlar_tensor_open(j->context, place[x], &file[x], &err));
    }
    for (int d = 0; d < ORDER; d++)
        extent[d] = extent_of(j, C, d);
    GOOD(j, ashlar_tensor_to_function(j->context, ASHLAR_TYPE_D, ORDER, extent, take, j, &file[C], &err));
    contract(j, file);
    for (int x = 0; x < 3; x++)
        ashlar_tensor_close(&file[x]);
    MPI_Barrier(MPI_COMM_WORLD); /* the files may be made anew */
}

int main(int argc, char **argv)
{
    rig r;
    job j = {.rig = &r};
    if (!ranks_begin(&r, &argc, &argv, 12))
        return 1;
    j.folder = folder_of_ranks(&r);
    GOOD(&j, ashlar_context_create(MPI_COMM_WORLD, &j.context, &err));
    if (bytes_delivered() < 0 && r.rank == 0)
        printf("note: this system does not count what a process reads\n");
    for (uint64_t i = 0; i < r.cases && bytes_delivered() >= 0; i++) {
        r.seed = r.first + i;
        one_case(&j);
    }
    ashlar_context_free(&j.context);
    MPI_Barrier(MPI_COMM_WORLD);
    if (r.rank == 0)
        folder_remove(&j.folder);
    return ranks_end(&r, "chunks read");
}
