/* Bytes as a recipe for an HDF5 file with a matrix of tiles, some of whose lists and attributes are made otherwise.
 *
 * As in hdf5.c the HDF5 library makes the file. What begins as a small sound matrix has any of its lists replaced: by
 * other numbers, lengths, kinds of number, dimensions and layouts. Each that opens is read from end to end. */
#include "fuzz.h"
#include "store/tile_file.h"

#include <hdf5.h>

typedef struct recipe {
    const uint8_t *at, *end;
} recipe;

static unsigned take(recipe *r)
{
    return r->at < r->end ? *r->at++ : 0;
}

/* Small ones mostly, some negative, some of any magnitude. */
static int64_t take_number(recipe *r)
{
    const unsigned how = take(r);
    const int64_t value = (int64_t)(how & 0x1f);
    return how < 0xc0 ? value : how < 0xe0 ? -value : (int64_t)((uint64_t)take(r) << take(r) % 64);
}

static void put_text(hid_t group, const char *name, const char *text)
{
    const hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);
    H5Tset_size(type, strlen(text) + 1);
    const hid_t made = H5Acreate2(group, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    H5Awrite(made, type, text);
    H5Aclose(made);
    H5Sclose(space);
    H5Tclose(type);
}

static void put_number(hid_t group, const char *name, hid_t type, int64_t number)
{
    const hid_t space = H5Screate(H5S_SCALAR);
    const hid_t made = H5Acreate2(group, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    H5Awrite(made, H5T_NATIVE_INT64, &number);
    H5Aclose(made);
    H5Sclose(space);
}

/* Chunks, packed or not, other files, or one piece. */
static hid_t take_layout(recipe *r, hsize_t length)
{
    const hid_t plist = H5Pcreate(H5P_DATASET_CREATE);
    const hsize_t chunk = 1 + take(r) % 8;
    switch (take(r) % 6) {
    case 0:
        H5Pset_chunk(plist, 1, &chunk);
        break;
    case 1:
        H5Pset_chunk(plist, 1, &chunk);
        H5Pset_shuffle(plist);
        break;
    case 2:
        H5Pset_external(plist, "/dev/null", 0, H5F_UNLIMITED);
        break;
    default:
        (void)length;
        break;
    }
    return plist;
}

enum { MOST = 64 };

/* A list as a sound matrix has it, or another. */
static void put_list(recipe *r, hid_t group, const char *name, hid_t sound, int64_t count, const int64_t *number)
{
    const hid_t types[] = {H5T_STD_I64LE, H5T_STD_U64BE, H5T_STD_I8LE, H5T_IEEE_F64LE, H5T_IEEE_F32BE, H5T_STD_I32LE};
    int64_t own[MOST];
    hsize_t size[2] = {(hsize_t)count, 1};
    const unsigned how = take(r);
    hid_t type = sound;
    memcpy(own, number, (size_t)count * sizeof *own);
    if (how & 1) /* some other number */
        own[take(r) % (unsigned)(count + !count)] = take_number(r);
    if (how & 2)
        type = types[take(r) % 6];
    if (how & 4)
        size[0] = (hsize_t)(take_number(r) & INT64_MAX);
    if ((how & 0x18) == 0x18)
        return; /* it is missing */
    const int dimensions = (how & 0x60) == 0x60 ? 2 : 1;
    const hid_t plist = (how & 0x80) && dimensions == 1 ? take_layout(r, size[0]) : H5Pcreate(H5P_DATASET_CREATE);
    const hid_t space = H5Screate_simple(dimensions, size, NULL);
    const hid_t set = H5Dcreate2(group, name, type, space, H5P_DEFAULT, plist, H5P_DEFAULT);
    if (set >= 0 && size[0] <= (hsize_t)count)
        H5Dwrite(set, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, own);
    if (set >= 0)
        H5Dclose(set);
    if (space >= 0)
        H5Sclose(space);
    H5Pclose(plist);
}

/* Two rows of 2 and 1, columns of 1, 2: (0, 0), (0, 1), (1, 1). */
static void make(recipe *r, const char *path)
{
    static const char *const symmetries[] = {"general", "symmetric", "hermitian", "other"};
    static const int64_t rows[] = {2, 1}, cols[] = {1, 2}, starts[] = {0, 2, 3}, columns[] = {0, 1, 1},
                         offsets[] = {0, 2, 6, 8}, norms[] = {1, 2, 3}, ranks[] = {-1, -1, -1},
                         elements[] = {1, 2, 3, 4, 5, 6, 7, 8};
    const hid_t elements_type = H5T_IEEE_F64LE;
    const hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    const hid_t group = H5Gcreate2(file, "x", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    const unsigned marks = take(r);
    put_text(group, "format", marks % 16 == 15 ? "ashlar" : "ashlar-tiles");
    put_text(group, "symmetry", symmetries[marks / 16 % 4]);
    put_number(group, "version", marks >= 0xf0 ? H5T_STD_U64LE : H5T_STD_I32LE,
               marks >= 0xe0 ? take_number(r) : 1 + marks / 4 % 2);
    put_list(r, group, "row_sizes", H5T_STD_I64LE, 2, rows);
    put_list(r, group, "column_sizes", H5T_STD_I64LE, 2, marks / 16 % 4 ? rows : cols);
    put_list(r, group, "row_starts", H5T_STD_I64LE, 3, starts);
    put_list(r, group, "columns", H5T_STD_I64LE, 3, columns);
    put_list(r, group, "offsets", H5T_STD_I64LE, 4, offsets);
    put_list(r, group, "norms", H5T_IEEE_F64LE, 3, norms);
    put_list(r, group, "ranks", H5T_STD_I64LE, 3, ranks);
    put_list(r, group, "elements", elements_type, 8, elements);
    H5Gclose(group);
    H5Fclose(file);
}

/* All that it claims can be read, and fits together. */
static void read_all(ashi_tile_file *file)
{
    static char data[1 << 16];
    const ashi_tile_head *h = ashi_tile_file_head(file);
    const int64_t *starts = ashi_tile_file_starts(file), length[ASHI_TILE_LISTS] = {
        h->row.tiles, h->col.tiles, h->row.tiles + 1, h->tiles, h->tiles + 1, h->tiles, h->low ? h->tiles : 0,
        h->words};
    if (ashlar_type_bytes(h->type) == 0 || starts[0] != 0 || starts[h->row.tiles] != h->tiles)
        abort();
    for (ashi_tile_list l = 0; l < ASHI_TILE_LISTS; l++) {
        if (length[l] < 0)
            abort();
        for (int64_t at = 0; at < length[l] && at < 1 << 16; at += 1 << 10) {
            const int64_t left = length[l] - at;
            ashlar_error err = {0};
            if (l == ASHI_TILE_NORMS && !ashi_tile_file_has_norms(file))
                break;
            if (ashi_tile_file_read(file, l, at, left < 1 << 10 ? left : 1 << 10, data, &err) != ASHLAR_OK &&
                (err.text[0] == '\0' || strchr(err.text, '\n')))
                abort();
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    recipe r = {data, data + size};
    char place[520];
    ashi_tile_file *file = NULL;
    ashlar_error err = {0};
    const fuzz_file f = fuzz_make("x.h5");
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    make(&r, f.path);
    snprintf(place, sizeof place, "%s:/x", f.path);
    const ashlar_status status = ashi_tile_file_open(place, &file, &err);
    if ((status == ASHLAR_OK) != (file != NULL) || (!file && err.text[0] == '\0') || strchr(err.text, '\n'))
        abort();
    if (size == 0 && !file) /* the sound matrix */
        abort();
    if (file)
        read_all(file);
    ashi_tile_file_close(&file, NULL);
    fuzz_remove(&f);
    if (H5Fget_obj_count(H5F_OBJ_ALL, H5F_OBJ_ALL) != 0)
        abort();
    return 0;
}
