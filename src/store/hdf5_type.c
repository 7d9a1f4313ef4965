/* Element types of HDF5 data sets: real IEEE numbers of 16, 32 and 64 bits, and complex ones as a compound of two. */
#include "store/hdf5_type.h"

#include "base/type.h"
#include "base/half.h"
#include "store/hdf5_error.h"

#include <string.h>

/* Bytes of an IEEE real type in either order of bytes, 0 for any other type, -1 if HDF5 fails. */
static int real_bytes(hid_t type)
{
    const hid_t known[4] = {H5T_IEEE_F32LE, H5T_IEEE_F32BE, H5T_IEEE_F64LE, H5T_IEEE_F64BE};
    for (int n = 0; n < 4; n++) {
        const htri_t same = H5Tequal(type, known[n]);
        if (same != 0)
            return same < 0 ? -1 : n < 2 ? 4 : 8;
    }
    return 0;
}

static hid_t make_complex(size_t part, const char *real, const char *imaginary)
{
    const hid_t number = part == 4 ? H5T_NATIVE_FLOAT : H5T_NATIVE_DOUBLE;
    const hid_t type = H5Tcreate(H5T_COMPOUND, 2 * part);
    if (type >= 0 && (H5Tinsert(type, real, 0, number) < 0 || H5Tinsert(type, imaginary, part, number) < 0)) {
        ashi_hdf5_close(type);
        return H5I_INVALID_HID;
    }
    return type;
}

/* The bytes of the member of that name; 0 if there is none that is real, -1 if HDF5 fails. */
static int member_bytes(hid_t type, const char *name)
{
    const int at = H5Tget_member_index(type, name);
    if (at < 0) { /* which is no failure: another name may be there */
        H5Eclear2(H5E_DEFAULT);
        return 0;
    }
    const hid_t member = H5Tget_member_type(type, (unsigned)at);
    const int bytes = member < 0 ? -1 : real_bytes(member);
    ashi_hdf5_close(member);
    return bytes;
}

static bool complex_type_of(hid_t type, ashlar_type *out, hid_t *memory)
{
    static const char *const names[][2] = {{"r", "i"}, {"real", "imag"}}; /* h5py and Julia; Octave */
    if (H5Tget_nmembers(type) != 2)
        return false;
    for (size_t n = 0; n < sizeof names / sizeof names[0]; n++) {
        const int bytes = member_bytes(type, names[n][0]), other = bytes > 0 ? member_bytes(type, names[n][1]) : 0;
        if (bytes < 0 || other < 0)
            return false;
        if (bytes == 0 || other != bytes)
            continue;
        const hid_t made = make_complex((size_t)bytes, names[n][0], names[n][1]);
        if (made < 0)
            return false;
        *out = bytes == 4 ? ASHLAR_TYPE_C : ASHLAR_TYPE_Z;
        *memory = made;
        return true;
    }
    return false;
}

/* IEEE binary16 in this machine's order of bytes; negative if HDF5 fails. HDF5 has a name for it from 1.14.4 on. */
static hid_t make_half(void)
{
    const hid_t type = H5Tcopy(H5T_NATIVE_FLOAT);
    if (type >= 0 && (H5Tset_fields(type, 15, 10, 5, 0, 10) < 0 || H5Tset_size(type, ASHI_HALF_BYTES) < 0 ||
                      H5Tset_ebias(type, 15) < 0)) {
        ashi_hdf5_close(type);
        return H5I_INVALID_HID;
    }
    return type;
}

/* Whether elements are IEEE binary16; *memory is what they are read as then. */
static bool half_type_of(hid_t type, hid_t *memory)
{
    bool swapped = false;
    if (H5Tget_size(type) != ASHI_HALF_BYTES)
        return false;
    const hid_t made = make_half();
    if (made >= 0 && ashi_hdf5_type_is_plain(type, made, &swapped)) {
        *memory = made;
        return true;
    }
    ashi_hdf5_close(made);
    return false;
}

bool ashi_hdf5_type_of(hid_t type, ashlar_type *out, bool *half, hid_t *memory)
{
    const H5T_class_t kind = H5Tget_class(type);
    *half = false;
    if (kind == H5T_COMPOUND)
        return complex_type_of(type, out, memory);
    const int bytes = kind == H5T_NO_CLASS ? -1 : real_bytes(type);
    if (bytes == 0 && kind == H5T_FLOAT && half_type_of(type, memory)) {
        *half = true;
        *out = ASHLAR_TYPE_S;
        return true;
    }
    if (bytes <= 0)
        return false;
    const hid_t made = H5Tcopy(bytes == 4 ? H5T_NATIVE_FLOAT : H5T_NATIVE_DOUBLE);
    if (made < 0)
        return false;
    *out = bytes == 4 ? ASHLAR_TYPE_S : ASHLAR_TYPE_D;
    *memory = made;
    return true;
}

bool ashi_hdf5_type_is_plain(hid_t stored, hid_t memory, bool *swapped)
{
    *swapped = false;
    const htri_t same = H5Tequal(stored, memory);
    if (same != 0)
        return same > 0;
    if (H5Tget_class(memory) != H5T_FLOAT)
        return false;
    const hid_t turned = H5Tcopy(memory);
    const H5T_order_t order = H5Tget_order(memory) == H5T_ORDER_LE ? H5T_ORDER_BE : H5T_ORDER_LE;
    *swapped = turned >= 0 && H5Tset_order(turned, order) >= 0 && H5Tequal(stored, turned) > 0;
    ashi_hdf5_close(turned);
    return *swapped;
}

hid_t ashi_hdf5_type_make(ashlar_type type)
{
    const ashi_type *t = ashi_type_of(type);
    const size_t part = t->complex ? t->bytes / 2 : t->bytes;
    if (part == ASHI_HALF_BYTES)
        return make_half();
    return t->complex ? make_complex(part, "r", "i") : H5Tcopy(part == 4 ? H5T_NATIVE_FLOAT : H5T_NATIVE_DOUBLE);
}
