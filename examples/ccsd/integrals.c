/* Integrals of an FCIDUMP or of a group of an HDF5 file: rank 0 reads, all ranks receive. */
#include "integrals.h"

#include <ashlar/ashlar.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PLACE_MOST = 4096, PIECE_MOST = 1 << 20 };

/* ---- text ---- */

/* The whole file; NULL: it cannot be read, or memory is short. */
static char *read_text(const char *path)
{
    FILE *file = fopen(path, "rb");
    char *text = NULL;
    size_t length = 0, got = 0;
    bool whole = file != NULL;
    do {
        char *longer = whole ? realloc(text, length + PIECE_MOST + length / 2 + 1) : NULL;
        whole = longer != NULL;
        text = longer ? longer : text;
        got = whole ? fread(text + length, 1, PIECE_MOST + length / 2, file) : 0;
        length += got;
    } while (got > 0);
    if (!whole || ferror(file)) {
        free(text);
        text = NULL;
    } else {
        text[length] = '\0';
    }
    if (file)
        fclose(file);
    return text;
}

static int read_fcidump(const char *path, fcidump *out, char *message, size_t room)
{
    char *text = read_text(path);
    snprintf(message, room, "could not be read");
    const int result = text ? fcidump_read(text, out, message, room) : -1;
    free(text);
    return result;
}

/* ---- HDF5 ---- */

/* Read one data set into an array that is allocated for it. *n is its extent in each dimension; 0: it has any. */
static ashlar_status read_set(ashlar_context *self, const char *group, const char *name, int order, int64_t *n,
                              double **out, ashlar_error *err)
{
    static const char *const expression[5] = {"->", NULL, "pq->pq", NULL, "pqrs->pqrs"};
    const double unit = 1, zero = 0;
    const void *none = NULL;
    char place[PLACE_MOST];
    ashlar_tensor_file *file = NULL;
    ashlar_tensor_info info = {0};
    snprintf(place, sizeof place, "%s/%s", group, name);
    ashlar_status status = ashlar_tensor_open(self, place, &file, err);
    if (status == ASHLAR_OK)
        status = ashlar_tensor_describe(file, &info, err);
    int64_t words = 1;
    bool fits = info.order == order && info.type == ASHLAR_TYPE_D;
    for (int d = 0; d < order && fits; d++) {
        *n = *n ? *n : info.extent[d];
        fits = info.extent[d] == *n && *n > 0 && *n <= FCIDUMP_ORBITALS_MOST;
        words *= *n;
    }
    if (status == ASHLAR_OK && !fits) {
        snprintf(err->text, sizeof err->text,
                 order ? "wanted '%s' with doubles and %d dimensions, in each the number of orbitals, 1 to 128"
                       : "wanted '%s' to be one double, a scalar", name, order);
        status = ASHLAR_ERR_ARG;
    }
    *out = status == ASHLAR_OK ? calloc((size_t)words, sizeof **out) : NULL;
    if (status == ASHLAR_OK && !*out) {
        snprintf(err->text, sizeof err->text, "not enough memory");
        status = ASHLAR_ERR_MEMORY;
    }
    const ashlar_tensor source = {.order = order, .file = file}, result = {.order = order};
    const ashlar_contraction copy = {.type = ASHLAR_TYPE_D, .expression = expression[order], .operands = 1,
                                     .operand = &source, .output = &result};
    if (status == ASHLAR_OK)
        status = ashlar_contract(self, &copy, NULL, &unit, &none, &zero, *out, err);
    ashlar_tensor_close(&file);
    return status;
}

/* (pq|rs) is the same with p and q exchanged, with r and s, and with both pairs. */
static bool symmetric(const double *two, int64_t n)
{
    for (int64_t p = 0; p < n; p++)
        for (int64_t q = 0; q < n; q++)
            for (int64_t r = 0; r < n; r++)
                for (int64_t s = 0; s < n; s++) {
                    const double x = two[((p * n + q) * n + r) * n + s], most = 1e-8 * (1 + fabs(x));
                    if (!(fabs(x - two[((q * n + p) * n + r) * n + s]) <= most) ||
                        !(fabs(x - two[((r * n + s) * n + p) * n + q]) <= most))
                        return false;
                }
    return true;
}

static int read_group(const char *place, fcidump *out, char *message, size_t room)
{
    ashlar_context *self = NULL;
    ashlar_error err = {0};
    double *electrons = NULL, *core = NULL;
    int64_t none = 0;
    *out = (fcidump){0};
    ashlar_status status = ashlar_context_create(MPI_COMM_SELF, &self, &err);
    if (status == ASHLAR_OK)
        status = read_set(self, place, "electrons", 0, &none, &electrons, &err);
    if (status == ASHLAR_OK)
        status = read_set(self, place, "core", 0, &none, &core, &err);
    if (status == ASHLAR_OK)
        status = read_set(self, place, "one", 2, &out->orbitals, &out->one, &err);
    if (status == ASHLAR_OK)
        status = read_set(self, place, "two", 4, &out->orbitals, &out->two, &err);
    const char *wrong = status == ASHLAR_OK ? NULL : err.text;
    if (!wrong) {
        out->electrons = *electrons >= 0 && *electrons <= 2 * FCIDUMP_ORBITALS_MOST ? (int64_t)*electrons : -1;
        out->core = *core;
        wrong = !symmetric(out->two, out->orbitals) ? "'two' lacks the symmetries of (pq|rs)" : fcidump_mistake(out);
    }
    if (wrong)
        snprintf(message, room, "%s", wrong);
    free(electrons);
    free(core);
    ashlar_context_free(&self);
    return wrong ? -1 : 0;
}

static bool in_hdf5(const char *place)
{
    return strstr(place, ".h5:/") || strstr(place, ".hdf5:/");
}

/* ---- to all ranks ---- */

static void send(fcidump *f, int rank)
{
    int64_t size[5] = {f->orbitals, f->electrons, f->open, f->shared, f->alpha};
    MPI_Bcast(size, 5, MPI_INT64_T, 0, MPI_COMM_WORLD);
    MPI_Bcast(&f->core, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    f->orbitals = size[0];
    f->electrons = size[1];
    f->open = size[2];
    f->shared = size[3];
    f->alpha = size[4];
    const int64_t words = f->orbitals * f->orbitals;
    if (rank > 0) {
        f->one = calloc((size_t)words, sizeof *f->one);
        f->two = calloc((size_t)(words * words), sizeof *f->two);
    }
    int good = f->one && f->two;
    MPI_Allreduce(MPI_IN_PLACE, &good, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (!good) {
        fcidump_free(f);
        return;
    }
    MPI_Bcast(f->one, (int)words, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    MPI_Bcast(f->two, (int)(words * words), MPI_DOUBLE, 0, MPI_COMM_WORLD);
}

int integrals_read(const char *place, fcidump *out, char *message, size_t room)
{
    int rank, result = 0;
    *out = (fcidump){0};
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        result = in_hdf5(place) ? read_group(place, out, message, room) : read_fcidump(place, out, message, room);
    MPI_Bcast(&result, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Bcast(message, (int)room, MPI_CHAR, 0, MPI_COMM_WORLD);
    if (result == 0)
        send(out, rank);
    else
        fcidump_free(out);
    if (result == 0 && !out->two) {
        snprintf(message, room, "not enough memory for the integrals");
        result = -1;
    }
    return result;
}
