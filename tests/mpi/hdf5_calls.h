/* Counts the calls of HDF5 by Ashlar's own objects and what they leave open, and lets one fail: for programs linked
 * with --wrap for each name of the table (tests/CMakeLists.txt takes them from here).
 *
 * Not in the table: what looks at errors (H5E...) and at the process's open files (H5Fget_obj_ids, H5Fget_name), and
 * H5Pget_filter2 and H5Zfilter_avail, which are only called once a reading has failed. */
#ifndef ASHI_HDF5_CALLS_H
#define ASHI_HDF5_CALLS_H

#include <hdf5.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct hdf5_calls {
    int64_t made, live; /* calls; types, spaces, lists, objects and files that are open */
    int64_t fail_at;    /* the call that fails, counted in `made`; 0 for none */
    bool failed;
    const char *name;   /* of the call that failed */
} hdf5_calls;

static hdf5_calls hdf5_side;

/* What HDF5 says of the call that fails. */
#define HDF5_REASON "a call made to fail"

static bool hdf5_fails(const char *name)
{
    if (++hdf5_side.made != hdf5_side.fail_at)
        return false;
    hdf5_side.failed = true;
    hdf5_side.name = name;
    H5Eclear2(H5E_DEFAULT);
    H5Epush2(H5E_DEFAULT, __FILE__, name, __LINE__, H5E_ERR_CLS, H5E_INTERNAL, H5E_SYSTEM, HDF5_REASON);
    return true;
}

/* One of HDF5's functions: what it returns, its name, its parameters, its arguments, and what it returns on failure. A
 * name may be a macro for that of a version. */
#define HDF5_CALL(result, name, parameters, arguments, failure) HDF5_CALL_(result, name, parameters, arguments, failure)
#define HDF5_CALL_(result, name, parameters, arguments, failure)  \
    result __real_##name parameters;                              \
    result __wrap_##name parameters;                              \
    result __wrap_##name parameters                               \
    {                                                             \
        return hdf5_fails(#name) ? failure : __real_##name arguments; \
    }

/* One that opens or makes something. */
#define HDF5_OPENS(name, parameters, arguments) HDF5_OPENS_(name, parameters, arguments)
#define HDF5_OPENS_(name, parameters, arguments)                                              \
    hid_t __real_##name parameters;                                                           \
    hid_t __wrap_##name parameters;                                                           \
    hid_t __wrap_##name parameters                                                            \
    {                                                                                         \
        const hid_t made = hdf5_fails(#name) ? H5I_INVALID_HID : __real_##name arguments;     \
        hdf5_side.live += made >= 0;                                                          \
        return made;                                                                          \
    }

/* One that closes something: it does so, and is said to have failed. */
#define HDF5_CLOSES(result, name)                                      \
    result __real_##name(hid_t id);                                    \
    result __wrap_##name(hid_t id);                                    \
    result __wrap_##name(hid_t id)                                     \
    {                                                                  \
        const bool fails_now = ++hdf5_side.made == hdf5_side.fail_at;  \
        const result got = __real_##name(id);                          \
        hdf5_side.live -= got >= 0;                                    \
        hdf5_side.made -= fails_now;                                   \
        return fails_now && hdf5_fails(#name) ? -1 : got;              \
    }

HDF5_OPENS(H5Acreate2, (hid_t at, const char *name, hid_t type, hid_t space, hid_t list, hid_t access),
           (at, name, type, space, list, access))
HDF5_CALL(htri_t, H5Aexists, (hid_t at, const char *name), (at, name), -1)
HDF5_OPENS(H5Aget_space, (hid_t at), (at))
HDF5_OPENS(H5Aget_type, (hid_t at), (at))
HDF5_OPENS(H5Aopen, (hid_t at, const char *name, hid_t access), (at, name, access))
HDF5_CALL(herr_t, H5Aread, (hid_t at, hid_t type, void *data), (at, type, data), -1)
HDF5_CALL(herr_t, H5Awrite, (hid_t at, hid_t type, const void *data), (at, type, data), -1)

HDF5_CLOSES(herr_t, H5Dclose)
HDF5_OPENS(H5Dcreate2, (hid_t at, const char *name, hid_t type, hid_t space, hid_t link, hid_t list, hid_t access),
           (at, name, type, space, link, list, access))
HDF5_OPENS(H5Dget_create_plist, (hid_t set), (set))
HDF5_CALL(haddr_t, H5Dget_offset, (hid_t set), (set), HADDR_UNDEF)
HDF5_OPENS(H5Dget_space, (hid_t set), (set))
HDF5_CALL(hsize_t, H5Dget_storage_size, (hid_t set), (set), 0)
HDF5_OPENS(H5Dget_type, (hid_t set), (set))
HDF5_OPENS(H5Dopen2, (hid_t at, const char *name, hid_t access), (at, name, access))
HDF5_CALL(herr_t, H5Dread, (hid_t set, hid_t type, hid_t inside, hid_t outside, hid_t list, void *data),
          (set, type, inside, outside, list, data), -1)

HDF5_CLOSES(herr_t, H5Fclose)
HDF5_OPENS(H5Fcreate, (const char *path, unsigned flags, hid_t list, hid_t access), (path, flags, list, access))
HDF5_OPENS(H5Fget_access_plist, (hid_t file), (file))
HDF5_CALL(herr_t, H5Fget_filesize, (hid_t file, hsize_t *bytes), (file, bytes), -1)
HDF5_OPENS(H5Fopen, (const char *path, unsigned flags, hid_t access), (path, flags, access))
HDF5_OPENS(H5Gcreate2, (hid_t at, const char *name, hid_t link, hid_t list, hid_t access),
           (at, name, link, list, access))

HDF5_CLOSES(int, H5Idec_ref)
HDF5_CALL(H5I_type_t, H5Iget_type, (hid_t id), (id), H5I_BADID)
HDF5_CALL(herr_t, H5Ldelete, (hid_t at, const char *name, hid_t access), (at, name, access), -1)
HDF5_CALL(htri_t, H5Lexists, (hid_t at, const char *name, hid_t access), (at, name, access), -1)
HDF5_CALL(herr_t, H5Lget_info, (hid_t at, const char *name, H5L_info_t *out, hid_t access), (at, name, out, access),
          -1)
HDF5_CALL(herr_t, H5Literate,
          (hid_t at, H5_index_t index, H5_iter_order_t order, hsize_t *next, H5L_iterate_t each, void *context),
          (at, index, order, next, each, context), -1)
HDF5_OPENS(H5Oopen, (hid_t at, const char *name, hid_t access), (at, name, access))

HDF5_OPENS(H5Pcreate, (hid_t kind), (kind))
HDF5_CALL(int, H5Pget_chunk, (hid_t list, int most, hsize_t *out), (list, most, out), -1)
HDF5_CALL(int, H5Pget_external_count, (hid_t list), (list), -1)
HDF5_CALL(H5D_layout_t, H5Pget_layout, (hid_t list), (list), H5D_LAYOUT_ERROR)
HDF5_CALL(int, H5Pget_nfilters, (hid_t list), (list), -1)
HDF5_CALL(herr_t, H5Pset_alloc_time, (hid_t list, H5D_alloc_time_t when), (list, when), -1)
HDF5_CALL(herr_t, H5Pset_chunk_cache, (hid_t list, size_t slots, size_t bytes, double w0), (list, slots, bytes, w0), -1)
HDF5_CALL(herr_t, H5Pset_create_intermediate_group, (hid_t list, unsigned made), (list, made), -1)
HDF5_CALL(herr_t, H5Pset_elink_cb, (hid_t list, H5L_elink_traverse_t call, void *context), (list, call, context), -1)
HDF5_CALL(herr_t, H5Pset_fclose_degree, (hid_t list, H5F_close_degree_t degree), (list, degree), -1)
HDF5_CALL(herr_t, H5Pset_file_locking, (hid_t list, hbool_t use, hbool_t ignore), (list, use, ignore), -1)
HDF5_CALL(herr_t, H5Pset_fill_time, (hid_t list, H5D_fill_time_t when), (list, when), -1)
HDF5_CALL(herr_t, H5Pset_obj_track_times, (hid_t list, hbool_t on), (list, on), -1)

HDF5_OPENS(H5Screate, (H5S_class_t kind), (kind))
HDF5_OPENS(H5Screate_simple, (int order, const hsize_t *size, const hsize_t *most), (order, size, most))
HDF5_CALL(int, H5Sget_simple_extent_dims, (hid_t space, hsize_t *size, hsize_t *most), (space, size, most), -1)
HDF5_CALL(int, H5Sget_simple_extent_ndims, (hid_t space), (space), -1)
HDF5_CALL(hssize_t, H5Sget_simple_extent_npoints, (hid_t space), (space), -1)
HDF5_CALL(H5S_class_t, H5Sget_simple_extent_type, (hid_t space), (space), H5S_NO_CLASS)
HDF5_CALL(herr_t, H5Sselect_hyperslab,
          (hid_t space, H5S_seloper_t how, const hsize_t *start, const hsize_t *stride, const hsize_t *count,
           const hsize_t *block), (space, how, start, stride, count, block), -1)

HDF5_CLOSES(herr_t, H5Tclose)
HDF5_OPENS(H5Tcopy, (hid_t type), (type))
HDF5_OPENS(H5Tcreate, (H5T_class_t kind, size_t bytes), (kind, bytes))
HDF5_CALL(htri_t, H5Tequal, (hid_t a, hid_t b), (a, b), -1)
HDF5_CALL(H5T_class_t, H5Tget_class, (hid_t type), (type), H5T_NO_CLASS)
HDF5_CALL(int, H5Tget_member_index, (hid_t type, const char *name), (type, name), -1)
HDF5_OPENS(H5Tget_member_type, (hid_t type, unsigned member), (type, member))
HDF5_CALL(int, H5Tget_nmembers, (hid_t type), (type), -1)
HDF5_CALL(H5T_order_t, H5Tget_order, (hid_t type), (type), H5T_ORDER_ERROR)
HDF5_CALL(size_t, H5Tget_size, (hid_t type), (type), 0)
HDF5_CALL(herr_t, H5Tinsert, (hid_t type, const char *name, size_t at, hid_t member), (type, name, at, member), -1)
HDF5_CALL(htri_t, H5Tis_variable_str, (hid_t type), (type), -1)
HDF5_CALL(herr_t, H5Tset_cset, (hid_t type, H5T_cset_t set), (type, set), -1)
HDF5_CALL(herr_t, H5Tset_order, (hid_t type, H5T_order_t order), (type, order), -1)
HDF5_CALL(herr_t, H5Tset_size, (hid_t type, size_t bytes), (type, bytes), -1)

#endif
