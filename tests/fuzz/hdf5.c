/* Bytes as a recipe for an HDF5 file with one data set of any kind.
 *
 * The HDF5 library is not ours to fuzz, and leaks and breaks on some damaged files. So the file is made by the library,
 * of any kind that we must tell apart; files cut short are a unit test. */
#include "fuzz.h"

#include <hdf5.h>

/* The recipe, read byte after byte; zeros follow its end. */
typedef struct recipe {
    const uint8_t *at, *end;
} recipe;

static unsigned take(recipe *r)
{
    return r->at < r->end ? *r->at++ : 0;
}

/* A number of any magnitude: a byte of value, shifted by another. */
static hsize_t take_size(recipe *r)
{
    const hsize_t value = take(r);
    return value << take(r) % 64;
}

static hid_t take_number(recipe *r)
{
    const hid_t numbers[] = {H5T_IEEE_F32LE, H5T_IEEE_F64LE, H5T_IEEE_F32BE, H5T_IEEE_F64BE,
                             H5T_STD_I8LE,   H5T_STD_U64BE,  H5T_C_S1,       H5T_NATIVE_LDOUBLE};
    return H5Tcopy(numbers[take(r) % 8]);
}

/* A compound of up to three members, of any widths at any offsets. */
static hid_t take_compound(recipe *r)
{
    static const char *const names[] = {"r", "i", "real", "imag", "x", ""};
    const hid_t type = H5Tcreate(H5T_COMPOUND, 1 + take(r) % 64);
    for (unsigned n = take(r) % 4; n > 0; n--) {
        const hid_t number = take_number(r);
        const char *name = names[take(r) % 6];
        H5Tinsert(type, name, take(r) % 64, number);
        H5Tclose(number);
    }
    return type;
}

static hid_t take_type(recipe *r)
{
    const unsigned kind = take(r) % 4;
    if (kind == 0)
        return take_compound(r);
    const hid_t number = take_number(r);
    if (kind == 1) { /* widths and biases that are not IEEE's */
        H5Tset_precision(number, 1 + take(r) % 64);
        H5Tset_ebias(number, take(r));
    }
    return number;
}

static hid_t take_space(recipe *r, int *dimensions)
{
    hsize_t size[4];
    *dimensions = (int)(take(r) % 5);
    for (int d = 0; d < *dimensions; d++)
        size[d] = take_size(r);
    const hid_t space = *dimensions ? H5Screate_simple(*dimensions, size, NULL) : H5Screate(H5S_SCALAR);
    return space >= 0 ? space : H5Screate(H5S_NULL);
}

/* Space in the file is taken late, so that the largest shapes cost nothing; chunks and other files may be claimed. */
static hid_t take_layout(recipe *r, int dimensions)
{
    const hid_t plist = H5Pcreate(H5P_DATASET_CREATE);
    hsize_t chunk[4];
    H5Pset_alloc_time(plist, H5D_ALLOC_TIME_LATE);
    switch (take(r) % 4) {
    case 0:
        H5Pset_layout(plist, H5D_COMPACT);
        H5Pset_alloc_time(plist, H5D_ALLOC_TIME_EARLY); /* nothing else is allowed there */
        break;
    case 1:
        for (int d = 0; d < dimensions; d++)
            chunk[d] = 1 + take_size(r);
        H5Pset_chunk(plist, dimensions, chunk);
        break;
    case 2:
        H5Pset_external(plist, "/dev/null", 0, H5F_UNLIMITED);
        break;
    default:
        break;
    }
    return plist;
}

/* Write a corner, so that some of the data set is stored; the recipe's bytes are the elements. */
static void write_corner(recipe *r, hid_t set, hid_t type, hid_t space, int dimensions)
{
    static uint8_t data[1 << 12];
    hsize_t size[4], start[4] = {0}, count[4];
    hssize_t bytes = (hssize_t)H5Tget_size(type);
    H5Sget_simple_extent_dims(space, size, NULL);
    for (int d = 0; d < dimensions; d++) {
        count[d] = size[d] < 3 ? size[d] : 3;
        bytes *= (hssize_t)count[d];
    }
    for (hssize_t i = 0; i < bytes && i < (hssize_t)sizeof data; i++)
        data[i] = (uint8_t)take(r);
    const hid_t memory = H5Screate_simple(dimensions, count, NULL);
    const hssize_t whole = H5Sget_simple_extent_npoints(space);
    const bool small = bytes > 0 && bytes <= (hssize_t)sizeof data && whole > 0 && whole < 1 << 16;
    if (small && H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL) >= 0)
        H5Dwrite(set, type, memory, space, H5P_DEFAULT, data);
    H5Sclose(memory);
}

static void make(recipe *r, const char *path)
{
    int dimensions = 0;
    const hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    const hid_t type = take_type(r), space = take_space(r, &dimensions), plist = take_layout(r, dimensions);
    const unsigned how = take(r);
    if (how & 4) /* which packs chunks, and is refused for what has none */
        H5Pset_shuffle(plist);
    const hid_t set = H5Dcreate2(file, "x", type, space, H5P_DEFAULT, plist, H5P_DEFAULT);
    if (set >= 0 && how % 4 && dimensions > 0)
        write_corner(r, set, type, space, dimensions);
    if (set >= 0)
        H5Dclose(set);
    H5Pclose(plist);
    H5Sclose(space);
    H5Tclose(type);
    H5Lcreate_soft("x", file, "soft", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_external("x.h5", "x", file, "external", H5P_DEFAULT, H5P_DEFAULT);
    H5Fclose(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    recipe r = {data, data + size};
    static const char *const names[] = {"x", "soft", "external"};
    char place[520];
    const fuzz_file f = fuzz_make("x.h5");
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    make(&r, f.path);
    for (size_t n = 0; n < sizeof names / sizeof names[0]; n++) {
        snprintf(place, sizeof place, "%s:/%s", f.path, names[n]);
        fuzz_read(place);
    }
    fuzz_remove(&f);
    if (H5Fget_obj_count(H5F_OBJ_ALL, H5F_OBJ_ALL) != 0)
        abort();
    return 0;
}
