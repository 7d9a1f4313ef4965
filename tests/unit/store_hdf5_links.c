/* store: names in HDF5 files that lead elsewhere, in the file or out of it. */
#include "store_check.h"

#include <hdf5.h>

static const ashi_store_info small = {.type = ASHLAR_TYPE_D, .rows = 4, .cols = 3, .order = ASHLAR_ROW_MAJOR};

/* The test's matrix of that shape, in groups that are made as needed. */
static void make_matrix(hid_t file, const char *name)
{
    const hsize_t size[2] = {4, 3};
    double data[12];
    const hid_t space = H5Screate_simple(2, size, NULL), links = H5Pcreate(H5P_LINK_CREATE);
    H5Pset_create_intermediate_group(links, 1);
    for (int e = 0; e < 12; e++)
        element(ASHLAR_TYPE_D, e / 3, e % 3, &data[e]);
    const hid_t set = H5Dcreate2(file, name, H5T_IEEE_F64LE, space, links, H5P_DEFAULT, H5P_DEFAULT);
    H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, data);
    H5Dclose(set);
    H5Pclose(links);
    H5Sclose(space);
}

/* A data set whose elements are those of another file: by a virtual layout, or as that file's bytes. */
static void make_elsewhere(hid_t file, const char *name, bool virtual)
{
    const hsize_t size[2] = {4, 3};
    const hid_t space = H5Screate_simple(2, size, NULL), list = H5Pcreate(H5P_DATASET_CREATE);
    if (virtual)
        H5Pset_virtual(list, space, "other.h5", "/h/m", space);
    else
        H5Pset_external(list, "other.h5", 0, sizeof(double[12]));
    H5Dclose(H5Dcreate2(file, name, H5T_IEEE_F64LE, space, H5P_DEFAULT, list, H5P_DEFAULT));
    H5Pclose(list);
    H5Sclose(space);
}

static void make_files(const char *mine, const char *other)
{
    hid_t file = H5Fcreate(other, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    make_matrix(file, "/h/m");
    H5Fclose(file);
    file = H5Fcreate(mine, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    make_matrix(file, "/d");
    make_matrix(file, "/in/side");
    H5Lcreate_external("other.h5", "/h", file, "/g", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_external("other.h5", "/h/m", file, "/x", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_external("none.h5", "/h/m", file, "/lost", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_soft("/g/m", file, "/soft", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_soft("/g", file, "/softgroup", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_soft("/in", file, "/inside", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_soft("/nowhere", file, "/dangling", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_soft("/d", file, "/alias", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_hard(file, "/d", file, "/twin", H5P_DEFAULT, H5P_DEFAULT);
    make_elsewhere(file, "/virtual", true);
    make_elsewhere(file, "/raw", false);
    H5Fclose(file);
}

/* The bytes of a file of less than 64 KiB. */
typedef struct copy {
    size_t bytes;
    char data[1 << 16];
} copy;

static void take_copy(const char *path, copy *out)
{
    FILE *file = fopen(path, "rb");
    out->bytes = file ? fread(out->data, 1, sizeof out->data, file) : 0;
    if (file)
        fclose(file);
}

static void check_same(ashi_test *t, const char *path, const copy *before, const char *after)
{
    static copy now;
    take_copy(path, &now);
    CHECK(t, before->bytes > 0 && now.bytes == before->bytes && memcmp(now.data, before->data, now.bytes) == 0,
          "%s has changed after %s", path, after);
}

static void external_links_are_refused(ashi_test *t, const folder *f)
{
    static const struct {
        const char *name, *says;
        bool read; /* else only written */
    } cases[] = {
        {"/g/m", "data set /g/m is behind an external link to other.h5:/h; name that file itself", true},
        {"/x", "external link to other.h5:/h/m", true},
        {"/lost", "external link to none.h5:/h/m", true},
        {"/soft", "external link to other.h5:/h", true},
        {"/softgroup/m", "external link to other.h5:/h", true},
        {"/g/new", "external link to other.h5:/h", false},
        {"/softgroup/new", "external link to other.h5:/h", false},
        {"/g/deep/new", "external link to other.h5:/h", false},
    };
    static copy mine_was, other_was;
    char mine[PATH_BYTES], other[PATH_BYTES], place[PATH_BYTES + 20];
    folder_name(f, "mine.h5", mine);
    folder_name(f, "other.h5", other);
    make_files(mine, other);
    take_copy(mine, &mine_was);
    take_copy(other, &other_was);
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        ashi_store *store = NULL;
        ashlar_error err = {0};
        snprintf(place, sizeof place, "%s:%s", mine, cases[c].name);
        if (cases[c].read)
            check_refused(t, place, ASHLAR_ERR_IO, cases[c].says);
        CHECK(t, ashi_store_create(place, &small, &store, &err) == ASHLAR_ERR_IO && !store, "%s", cases[c].name);
        CHECK(t, strstr(err.text, cases[c].says), "wanted '%s', says '%s'", cases[c].says, err.text);
        ashi_store_close(&store, NULL);
        check_same(t, mine, &mine_was, cases[c].name);
        check_same(t, other, &other_was, cases[c].name);
    }
    CHECK(t, folder_files(f, false) == 2, "a file was left behind");
}

/* A new data set takes its name and nothing else: what the name led to keeps its other names, and other files stay. */
static void only_the_name_is_taken(ashi_test *t, const folder *f)
{
    static const char *const names[] = {"/virtual", "/raw", "/dangling", "/inside/new", "/alias", "/twin"};
    static copy other_was;
    const ashi_store_info large = {.type = ASHLAR_TYPE_D, .rows = 9, .cols = 5, .order = ASHLAR_ROW_MAJOR};
    char mine[PATH_BYTES], other[PATH_BYTES], place[PATH_BYTES + 20];
    folder_name(f, "mine.h5", mine);
    folder_name(f, "other.h5", other);
    make_files(mine, other);
    take_copy(other, &other_was);
    for (size_t n = 0; n < sizeof names / sizeof names[0]; n++) {
        snprintf(place, sizeof place, "%s:%s", mine, names[n]);
        if (n < 2)
            check_refused(t, place, ASHLAR_ERR_IO, "has its data in other files");
        round_trip(t, place, large, large.type, false, n);
        check_same(t, other, &other_was, names[n]);
    }
    snprintf(place, sizeof place, "%s:/d", mine);
    check_matrix(t, place, &small, 1);
    snprintf(place, sizeof place, "%s:/in/new", mine);
    check_matrix(t, place, &large, 2);
}

int main(void)
{
    ashi_test t = {0};
    const folder f = folder_make();
    external_links_are_refused(&t, &f);
    only_the_name_is_taken(&t, &f);
    folder_remove(&f);
    CHECK(&t, H5Fget_obj_count(H5F_OBJ_ALL, H5F_OBJ_ALL) == 0, "objects were left open");
    return ashi_test_end(&t, "store_hdf5_links");
}
