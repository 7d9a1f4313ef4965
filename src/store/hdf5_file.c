/* HDF5 files as a whole: opened to be read, and begun as an output. */
#include "store/hdf5_file.h"

#include "base/checked.h"
#include "store/file.h"
#include "store/hdf5_error.h"

#include <errno.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

/* Data sets of some pages begin at one, so that parts of them can be read and written in whole pages. */
enum { ALIGNED_BYTES = 1 << 16, PAGE = 4096 };

/* What a file is opened with; negative on failure. */
static hid_t access_list(bool lock)
{
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    bool good = access >= 0 && H5Pset_fclose_degree(access, H5F_CLOSE_STRONG) >= 0 &&
                H5Pset_alignment(access, ALIGNED_BYTES, PAGE) >= 0;
#if H5_VERSION_GE(1, 10, 7)
    good = good && H5Pset_file_locking(access, lock, true) >= 0;
#endif
    if (good)
        return access;
    ashi_hdf5_close(access);
    return H5I_INVALID_HID;
}

/* Files of the process that are looked at to find one that is open already. */
enum { OPEN_FILES = 256 };

/* The file at this path if the process has it open, as a program may that uses HDF5 itself, else negative. */
static hid_t open_already(const char *path)
{
    hid_t files[OPEN_FILES];
    struct stat wanted, st;
    const ssize_t count = stat(path, &wanted) == 0 ? H5Fget_obj_ids((hid_t)H5F_OBJ_ALL, H5F_OBJ_FILE, OPEN_FILES, files)
                                                   : 0;
    for (ssize_t i = 0; i < count; i++) {
        char name[PATH_MAX];
        const ssize_t length = H5Fget_name(files[i], name, sizeof name);
        if (length > 0 && (size_t)length < sizeof name && stat(name, &st) == 0 && st.st_dev == wanted.st_dev &&
            st.st_ino == wanted.st_ino)
            return files[i];
    }
    return H5I_INVALID_HID;
}

static hid_t open_file(const char *path, unsigned flags, bool create, hid_t access)
{
    hid_t file = H5I_INVALID_HID;
    if (access >= 0)
        file = create ? H5Fcreate(path, flags, H5P_DEFAULT, access) : H5Fopen(path, flags, access);
    ashi_hdf5_close(access);
    return file;
}

hid_t ashi_hdf5_open_file(const char *path, bool lock)
{
    /* HDF5 opens a file again only with the properties that it was opened with. */
    const hid_t other = open_already(path);
    return open_file(path, H5F_ACC_RDONLY, false, other >= 0 ? H5Fget_access_plist(other) : access_list(lock));
}

bool ashi_hdf5_storage(hid_t list, H5D_layout_t *layout, bool *elsewhere)
{
    *layout = list < 0 ? H5D_LAYOUT_ERROR : H5Pget_layout(list);
    const int files = *layout == H5D_LAYOUT_ERROR ? -1 : H5Pget_external_count(list);
    *elsewhere = files > 0 || *layout == H5D_VIRTUAL;
    return files >= 0;
}

/* HDF5 lengthens a file as it closes it, and after a failure there it ends the program at its exit. So find out first
 * whether the file may get as long as that: as it is, with the elements and what HDF5 keeps about them. */
static ashlar_status try_length(const ashi_file_place *place, int fd, int64_t bytes, ashlar_error *err)
{
    static const int64_t about_them = 1 << 16;
    struct stat st;
    int64_t wanted = 0;
    if (fstat(fd, &st) != 0)
        return ashi_fail_errno(err, place->path, "cannot be examined", errno);
    if (!ashi_add((int64_t)st.st_size, bytes, &wanted) || !ashi_add(wanted, about_them, &wanted))
        return ashi_fail_file(err, ASHLAR_ERR_OVERFLOW, place->path, "too large for a file");
    const int rc = ftruncate(fd, wanted), code = errno;
    if (rc != 0 || ftruncate(fd, st.st_size) != 0)
        return ashi_fail_errno(err, place->path, "cannot be made long enough", rc != 0 ? code : errno);
    return ASHLAR_OK;
}

ashlar_status ashi_hdf5_begin_file(const ashi_file_place *place, ashi_output *out, int64_t bytes, hid_t *file,
                                   ashlar_error *err)
{
    *file = H5I_INVALID_HID;
    ashlar_status status = out->replaces ? ashi_output_copy_existing(out, err) : ASHLAR_OK;
    if (status == ASHLAR_OK)
        status = try_length(place, out->fd, bytes, err);
    if (status != ASHLAR_OK)
        return status;
    *file = open_file(out->temporary, out->replaces ? H5F_ACC_RDWR : H5F_ACC_TRUNC, !out->replaces,
                      access_list(false));
    return *file >= 0 ? ASHLAR_OK : ashi_hdf5_fail(place, "cannot be written as HDF5", err);
}
