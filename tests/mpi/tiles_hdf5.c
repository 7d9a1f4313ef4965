/* Calls of HDF5 fail, one at a time and on one rank, while matrices of tiles are saved, loaded, cut from dense ones,
 * made dense and read to be multiplied. Then all ranks have ASHLAR_ERR_IO and one line with HDF5's reason; files are as
 * they were, and there are no others; nothing stays open or allocated; and the call can be made again. A failure that
 * takes nothing away may go unnoticed: the result is that of a run without failures. */
#define PROGRAM "tiles_hdf5"

#include "mpi/allocations.h"
#include "mpi/filing.h"
#include "mpi/hdf5_calls.h"

#include "cli/multiply_tiles.h"
#include "tiles/from_file.h"
#include "tiles/to_file.h"

#include <inttypes.h>

enum { TILES = 4, SIZE = 10, FILE_BYTES = 1 << 16, RUNS = 25, AGAIN = 5 };

static const int64_t sizes[TILES] = {3, 0, 5, 2};

/* The contents of a file. */
typedef struct contents {
    size_t bytes; /* 0: there is none */
    char data[FILE_BYTES];
} contents;

typedef struct scene {
    rig *rig;
    ashlar_context *context;
    ashlar_tiles *low, *made; /* a matrix with a tile of low rank; one that was loaded */
    ashi_cuts cuts;
    folder folder;
    char saved[PATH_BYTES], dense[PATH_BYTES], packed[PATH_BYTES], fresh[PATH_BYTES], kept[PATH_BYTES]; /* places */
    double x[2 * SIZE * SIZE]; /* complex numbers */
    contents before, after, now; /* of the file that is written */
    ashlar_error err;
} scene;

/* ---- the calls ---- */

static ashlar_status save(scene *s)
{
    return ashlar_tiles_save(s->low, s->fresh, &s->err);
}

/* In place of another matrix of tiles. */
static ashlar_status replace(scene *s)
{
    return ashlar_tiles_save(s->low, s->kept, &s->err);
}

static ashlar_status load(scene *s)
{
    return ashlar_tiles_load(s->context, s->saved, NULL, &s->made, &s->err);
}

static ashlar_status cut(scene *s, const char *from)
{
    const ashi_tile_cutting cutting = {from, s->fresh, &s->cuts, &s->cuts, 0, 0};
    return ashi_tiles_cut_file(s->context, &cutting, &s->err);
}

static ashlar_status cut_dense(scene *s)
{
    return cut(s, s->dense);
}

static ashlar_status cut_packed(scene *s)
{
    return cut(s, s->packed);
}

/* In place of a data set. */
static ashlar_status expand(scene *s)
{
    return ashi_tiles_expand_file(s->context, s->saved, s->dense, ASHLAR_ROW_MAJOR, &s->err);
}

static void free_job(ashi_tiles_job *job)
{
    for (int x = 0; x < 3; x++) {
        ashi_cuts_free(&job->stored[x][0]);
        ashi_cuts_free(&job->stored[x][1]);
        ashi_cuts_free(&job->cuts[x]);
    }
    ashlar_tiles_free(&job->x[1]);
    ashlar_tiles_free(&job->c);
}

/* What `ashlar multiply` does before it multiplies; A is kept. It saves as `save` does. */
static ashlar_status multiply(scene *s)
{
    const ashi_multiply_wishes wish = {.input = {s->saved, s->saved}, .alpha.part = {1, 0},
                                       .plan = ashlar_options_default()};
    ashi_tiles_job job = {.wish = &wish, .context = s->context};
    ashlar_status status = ashi_multiply_find_tiles(s->context, &wish, job.tiled, &s->err);
    if (status == ASHLAR_OK)
        status = ashi_tiles_job_describe(&job, &s->err);
    if (status == ASHLAR_OK)
        status = ashi_tiles_job_load(&job, &s->err);
    free_job(&job);
    s->made = job.x[0];
    return status;
}

typedef struct file_call {
    const char *name;
    ashlar_status (*make)(scene *s);
    const char *written; /* the file */
    int64_t step;        /* on one rank each `step`th call of HDF5 fails: 1 unless much of it is done before, too */
} file_call;

static const file_call calls[] = {
    {"save", save, "fresh.h5", 1},      {"replace", replace, "kept.h5", 3},         {"load", load, NULL, 1},
    {"tile", cut_dense, "fresh.h5", 1}, {"tile packed", cut_packed, "fresh.h5", 3}, {"untile", expand, "dense.h5", 3},
    {"multiply", multiply, NULL, 7},
};

/* ---- files ---- */

/* On rank 0; what is too long for the test is a failure. */
static void read_contents(scene *s, const char *name, contents *out)
{
    char path[PATH_BYTES];
    out->bytes = 0;
    if (!name || s->rig->rank != 0)
        return;
    folder_name(&s->folder, name, path);
    FILE *f = fopen(path, "rb");
    if (!f)
        return;
    out->bytes = fread(out->data, 1, FILE_BYTES, f);
    CHECK(&s->rig->test, out->bytes > 0 && out->bytes < FILE_BYTES, "%s: %zu bytes", name, out->bytes);
    fclose(f);
}

static void write_contents(scene *s, const char *name, const contents *from)
{
    char path[PATH_BYTES];
    if (!name || s->rig->rank != 0)
        return;
    folder_name(&s->folder, name, path);
    unlink(path);
    FILE *f = from->bytes > 0 ? fopen(path, "wb") : NULL;
    CHECK(&s->rig->test, from->bytes == 0 || (f && fwrite(from->data, 1, from->bytes, f) == from->bytes), "%s", name);
    if (f)
        fclose(f);
}

static bool same(const contents *x, const contents *y)
{
    return x->bytes == y->bytes && memcmp(x->data, y->data, x->bytes) == 0;
}

/* A dense matrix, in one piece or in chunks. */
static void write_dense(scene *s, const char *name, bool chunked)
{
    const hsize_t size[2] = {SIZE, SIZE}, chunk[2] = {4, 4};
    char path[PATH_BYTES];
    if (s->rig->rank != 0)
        return;
    folder_name(&s->folder, name, path);
    const hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), type = H5Tcreate(H5T_COMPOUND, 16);
    const hid_t space = H5Screate_simple(2, size, NULL), list = H5Pcreate(H5P_DATASET_CREATE);
    bool good = H5Tinsert(type, "r", 0, H5T_NATIVE_DOUBLE) >= 0 && H5Tinsert(type, "i", 8, H5T_NATIVE_DOUBLE) >= 0 &&
                (!chunked || (H5Pset_chunk(list, 2, chunk) >= 0 && H5Pset_shuffle(list) >= 0));
    const hid_t set = H5Dcreate2(file, "/d", type, space, H5P_DEFAULT, list, H5P_DEFAULT);
    good = good && H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, s->x) >= 0;
    H5Dclose(set);
    H5Idec_ref(list);
    H5Idec_ref(space);
    H5Tclose(type);
    CHECK(&s->rig->test, good && H5Fclose(file) >= 0, "%s is not made", name);
}

/* ---- trying one ---- */

static char doing[160]; /* what is tried */

static void clear(scene *s)
{
    ashlar_tiles_free(&s->low);
    ashlar_tiles_free(&s->made);
    ashlar_context_free(&s->context);
}

static void prepare(scene *s)
{
    const ashlar_tiles_description d = {.type = ASHLAR_TYPE_Z, .tile_rows = TILES, .tile_cols = TILES,
                                        .row_sizes = sizes};
    bool good = ashlar_context_create(MPI_COMM_WORLD, &s->context, &s->err) == ASHLAR_OK &&
                ashlar_tiles_create(s->context, &d, &s->low, &s->err) == ASHLAR_OK;
    if (good && s->rig->rank == 0) {
        good = ashlar_tiles_put_low_rank(s->low, 2, 2, 1, s->x, 5, s->x, 5, &s->err) == ASHLAR_OK;
        for (int64_t i = 0; i < TILES; i++)
            good = good && ashlar_tiles_put(s->low, i, 3, sizes[i], 2, ASHLAR_COL_MAJOR, SIZE, s->x, &s->err) ==
                               ASHLAR_OK;
    }
    good = ashlar_tiles_finish(s->low, &s->err) == ASHLAR_OK && good;
    CHECK(&s->rig->test, good, "%s%s", doing, s->err.text);
    s->err = (ashlar_error){0};
}

/* What a call has made: its file, or the matrix, is that of a run without failures. */
static void check_made(scene *s, const file_call *call)
{
    double norm[2] = {-1, -2};
    if (call->written)
        CHECK(&s->rig->test, same(&s->now, &s->after), "%sanother file, %zu bytes", doing, s->now.bytes);
    else
        CHECK(&s->rig->test, ashlar_tiles_norm(s->made, &norm[0], NULL) == ASHLAR_OK &&
                                 ashlar_tiles_norm(s->low, &norm[1], NULL) == ASHLAR_OK && norm[0] >= norm[1] &&
                                 norm[0] <= norm[1], "%sanother matrix", doing);
}

/* HDF5's reason is in the text, except where a failure cannot be told from the answer "there is no such thing": then
 * what follows fails for another reason, or the file is blamed. */
static bool has_reason(const char *text, const char *name)
{
    return strstr(text, "(HDF5: " HDF5_REASON ")") || strcmp(name, "H5Tget_member_index") == 0 ||
           (strcmp(name, "H5Lget_info") == 0 && strstr(text, "(HDF5: name already exists)")) ||
           strstr(text, ".h5: has no data set /m (HDF5: not a dataset)");
}

/* One of two outcomes, the same on all ranks. `name`: the call that failed. */
static void check_outcome(scene *s, const file_call *call, ashlar_status got, const char *name, int files)
{
    rig *r = s->rig;
    read_contents(s, call->written, &s->now);
    CHECK(&r->test, ranks_agree(MPI_COMM_WORLD, (int)got, s->err.text), "%s%s", doing, s->err.text);
    CHECK(&r->test, got == ASHLAR_OK || got == ASHLAR_ERR_IO, "%s%s", doing, ashlar_status_name(got));
    if (r->rank == 0) {
        const int there = folder_files(&s->folder, false) - (s->now.bytes > 0) + (s->before.bytes > 0);
        CHECK(&r->test, there == files, "%s%d files, wanted %d", doing, there, files);
    }
    if (got == ASHLAR_OK) {
        check_made(s, call);
        return;
    }
    CHECK(&r->test, same(&s->now, &s->before), "%sthe file has changed", doing);
    CHECK(&r->test, !strchr(s->err.text, '\n') && has_reason(s->err.text, name), "%s%s", doing, s->err.text);
}

static void try_one(scene *s, const file_call *call, int64_t n, int files)
{
    rig *r = s->rig;
    const int victim = (int)(n % r->ranks);
    const int64_t live = heap.live, open = hdf5_side.live;
    prepare(s);
    hdf5_side.failed = false;
    hdf5_side.fail_at = r->rank == victim ? hdf5_side.made + n : 0;
    const ashlar_status got = call->make(s);
    hdf5_side.fail_at = 0;
    char name[64] = "nothing";
    snprintf(name, sizeof name, "%s", hdf5_side.failed ? hdf5_side.name : "nothing");
    MPI_Bcast(name, sizeof name, MPI_CHAR, victim, MPI_COMM_WORLD);
    snprintf(doing, sizeof doing, "%s: call %" PRId64 ", %s, fails on rank %d of %d: ", call->name, n, name, victim,
             r->ranks);
    check_outcome(s, call, got, name, files);
    ashlar_tiles_free(&s->made);
    s->err = (ashlar_error){0};
    write_contents(s, call->written, &s->before);
    MPI_Barrier(MPI_COMM_WORLD);
    if (n % AGAIN == 0)
        CHECK(&r->test, call->make(s) == ASHLAR_OK, "%sagain: %s", doing, s->err.text);
    MPI_Barrier(MPI_COMM_WORLD);
    write_contents(s, call->written, &s->before);
    clear(s);
    CHECK(&r->test, heap.live == live, "%s%" PRId64 " allocations are lost", doing, heap.live - live);
    CHECK(&r->test, hdf5_side.live == open, "%s%" PRId64 " stay open", doing, hdf5_side.live - open);
    hdf5_side.live = open;
}

static void try_call(scene *s, const file_call *call)
{
    snprintf(doing, sizeof doing, "%s: ", call->name);
    read_contents(s, call->written, &s->before);
    prepare(s);
    const int files = s->rig->rank == 0 ? folder_files(&s->folder, false) : 0;
    const int64_t made = hdf5_side.made;
    CHECK(&s->rig->test, call->make(s) == ASHLAR_OK, "%s%s", doing, s->err.text);
    int64_t most = hdf5_side.made - made;
    PMPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
    CHECK(&s->rig->test, most > 50, "%s%" PRId64 " calls of HDF5", doing, most);
    read_contents(s, call->written, &s->after);
    write_contents(s, call->written, &s->before);
    clear(s);
    const int64_t step = s->rig->ranks == 1 ? call->step : 1 + most / RUNS;
    for (int64_t n = 1; n <= most; n += step)
        try_one(s, call, n, files);
}

/* The files that are read, and one that is written to. */
static void make_files(scene *s)
{
    s->folder = folder_of_ranks(s->rig);
    folder_name(&s->folder, "saved.h5:/m", s->saved);
    folder_name(&s->folder, "dense.h5:/d", s->dense);
    folder_name(&s->folder, "packed.h5:/d", s->packed);
    folder_name(&s->folder, "fresh.h5:/m", s->fresh);
    folder_name(&s->folder, "kept.h5:/m", s->kept);
    for (int i = 0; i < 2 * SIZE * SIZE; i++)
        s->x[i] = i % 7 - 3;
    write_dense(s, "dense.h5", false);
    write_dense(s, "packed.h5", true);
    write_dense(s, "kept.h5", false);
    prepare(s);
    CHECK(&s->rig->test, ashlar_tiles_save(s->low, s->saved, &s->err) == ASHLAR_OK, "%s", s->err.text);
    CHECK(&s->rig->test, ashlar_tiles_save(s->low, s->kept, &s->err) == ASHLAR_OK, "%s", s->err.text);
    CHECK(&s->rig->test, ashi_cuts_make(TILES, sizes, "tiles", &s->cuts, &s->err) == ASHLAR_OK, "%s", s->err.text);
    clear(s);
}

int main(int argc, char **argv)
{
    static scene s;
    rig r;
    if (!ranks_begin(&r, &argc, &argv, 1))
        return 1;
    s.rig = &r;
    make_files(&s);
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++)
        try_call(&s, &calls[i]);
    ashi_cuts_free(&s.cuts);
    if (r.rank == 0)
        folder_remove(&s.folder);
    return ranks_end(&r, PROGRAM);
}
