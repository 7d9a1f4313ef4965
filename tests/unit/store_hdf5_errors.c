/* store: HDF5's own reasons reach the message. */
#include "store_check.h"

#include <hdf5.h>
#include <signal.h>
#include <sys/resource.h>

/* A filter's number that is free for trials, and a name for it. */
#define FILTER 300

static size_t pass_through(unsigned flags, size_t values_count, const unsigned values[], size_t bytes, size_t *room,
                           void **data)
{
    (void)flags, (void)values_count, (void)values, (void)room, (void)data;
    return bytes;
}

/* A data set packed with a filter that this process then has no longer. */
static void a_missing_filter_is_named(ashi_test *t, const folder *f)
{
    static const H5Z_class2_t filter = {H5Z_CLASS_T_VERS, FILTER, 1, 1, "trial", NULL, NULL, pass_through};
    const hsize_t size[2] = {4, 3};
    const double data[12] = {1};
    char path[PATH_BYTES], place[PATH_BYTES + 20];
    folder_name(f, "filter.h5", path);
    CHECK(t, H5Zregister(&filter) >= 0, "the filter");
    const hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    const hid_t space = H5Screate_simple(2, size, NULL), list = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(list, 2, size);
    H5Pset_filter(list, FILTER, H5Z_FLAG_OPTIONAL, 0, NULL); /* as h5py has its own filters */
    const hid_t set = H5Dcreate2(file, "x", H5T_IEEE_F64LE, space, H5P_DEFAULT, list, H5P_DEFAULT);
    H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, data);
    H5Dclose(set);
    H5Pclose(list);
    H5Sclose(space);
    H5Fclose(file);
    CHECK(t, H5Zunregister(FILTER) >= 0, "the filter");
    snprintf(place, sizeof place, "%s:/x", path);
    check_refused(t, place, ASHLAR_ERR_IO,
                  "data set /x is packed with trial (filter 300), which this HDF5 does not have; no plugin was found");
}

/* Writing a matrix that needs more room than files may have: the system's reason is given, wherever it is met. */
static void a_full_disk_is_named(ashi_test *t, const folder *f)
{
    static const ashi_store_info large = {.type = ASHLAR_TYPE_D, .rows = 512, .cols = 512, .order = ASHLAR_ROW_MAJOR};
    static double data[512 * 512];
    struct rlimit was, limit;
    char place[PATH_BYTES];
    ashi_store *store = NULL;
    ashlar_error err = {0};
    folder_name(f, "full.h5:/x", place);
    signal(SIGXFSZ, SIG_IGN);
    CHECK(t, getrlimit(RLIMIT_FSIZE, &was) == 0, "getrlimit");
    limit = was;
    limit.rlim_cur = 1 << 20;
    CHECK(t, setrlimit(RLIMIT_FSIZE, &limit) == 0, "setrlimit");
    ashlar_status status = ashi_store_create(place, &large, &store, &err);
    if (status == ASHLAR_OK)
        status = ashi_store_write(store, 0, 512, 0, 512, data, 512, 1, &err);
    if (status == ASHLAR_OK)
        status = ashi_store_publish(store, &err);
    CHECK(t, setrlimit(RLIMIT_FSIZE, &was) == 0, "setrlimit");
    CHECK(t, status == ASHLAR_ERR_IO && strstr(err.text, "full.h5: cannot be made long enough: File too large"),
          "status %d, says '%s'", (int)status, err.text);
    ashi_store_close(&store, NULL);
    CHECK(t, access(place, F_OK) != 0 && folder_files(f, false) == 1, "a file was left behind");
}

/* A file that is no HDF5 says why. */
static void another_format_is_named(ashi_test *t, const folder *f)
{
    char path[PATH_BYTES], place[PATH_BYTES + 20];
    folder_name(f, "none.h5", path);
    snprintf(place, sizeof place, "%s:/x", path);
    write_bytes(path, "no HDF5 at all", 14);
    check_refused(t, place, ASHLAR_ERR_IO, "cannot be opened as HDF5 (HDF5: file signature not found)");
}

int main(void)
{
    ashi_test t = {0};
    const folder f = folder_make();
    a_missing_filter_is_named(&t, &f);
    a_full_disk_is_named(&t, &f);
    another_format_is_named(&t, &f);
    folder_remove(&f);
    return ashi_test_end(&t, "store_hdf5_errors");
}
