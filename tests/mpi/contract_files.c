/* Contractions of tensors in files, some beside others in memory, against plain loops in higher precision: random
 * expressions, formats, ranges, layouts, types and memory limits; what is read, written, sent and held is what was
 * predicted, also of the paper's 48 schedules. */
#define PROGRAM "contract_files"

#include "mpi/contracting.h"

#include "folder.h"
#include "plan/device.h"

#include <fcntl.h>
#include <hdf5.h>
#include <time.h>

enum { CASES = 80, OPERANDS = 5, C = OPERANDS, C0, FILES, ARRAY_MOST = 8 };

typedef enum format { NPY, NPY_COLUMNS, NPY_SWAPPED, HDF5, HDF5_PACKED, FUNCTION, MEMORY, FORMATS } format;

/* A tensor, and the array that it is a part of: dimension d of the array begins `before` values earlier. */
typedef struct stored {
    format format;
    int tensor; /* whose elements */
    int order;  /* of the array */
    int dimension[ORDER_MOST];
    int64_t extent[ARRAY_MOST + ORDER_MOST], before[ARRAY_MOST + ORDER_MOST];
    char place[PATH_BYTES + 200], path[PATH_BYTES];
} stored;

typedef struct job {
    rig *rig;
    ashlar_context *context;
    contracting c;
    folder folder;
    stored stored[FILES];
    ashlar_tensor_file *file[FILES];
    unsigned char *taken; /* the output, if a function takes it */
    int *times;
    char method[40]; /* one of the 48 schedules; empty: the planner chooses */
} job;

/* ---- cases ---- */

static void random_contraction(uint64_t *state, int ranks, contracting *c)
{
    const int64_t kinds = ashi_random_in(state, 0, 9);
    const int letters = (int)ashi_random_in(state, 1, 5);
    memset(c, 0, sizeof *c);
    c->ranks = ranks;
    c->operands = kinds == 0 ? 1 : kinds >= 8 ? (int)ashi_random_in(state, 3, OPERANDS) : 2;
    c->content = (content){.type = (ashlar_type)ashi_random_in(state, 0, 3), .seed = ashi_random(state),
                           .integers = ashi_random_in(state, 0, 1)};
    c->content.integers = c->content.integers && c->operands <= 2; /* products of more have more digits than a float */
    for (int i = 0; i < letters; i++) {
        static const int64_t where_of[8] = {3, 3, 1, 2, 5, 5, 6, 6}; /* A: 1, B: 2, C: 4 */
        int64_t where = kinds == 1 ? ashi_random_in(state, 1, 7) : where_of[ashi_random_in(state, i < 2 ? 4 : 0, 7)];
        c->extent[i] = ashi_random_in(state, 0, 60) == 0 ? 0 : ashi_random_in(state, 1, i < 2 ? 12 : 6);
        if (c->operands > 2)
            where = 1 << ashi_random_in(state, 0, c->operands - 1) | 1 << ashi_random_in(state, 0, c->operands - 1) |
                    ashi_random_in(state, 0, 1) << c->operands;
        where = c->operands == 1 ? (where & ~2) | 1 : c->operands == 2 && where == 4 ? 7 : where;
        for (int x = 0; x < c->operands; x++)
            if (where & 1 << x)
                add_index(state, c, x, i);
        if (where & (c->operands == 1 ? 4 : 1 << c->operands))
            add_index(state, c, c->operands, i);
        if (ashi_random_in(state, 0, 12) == 0)
            add_index(state, c, where & 1 ? 0 : 1, i); /* a diagonal */
    }
    c->alpha = ashi_random_in(state, 0, 5) == 0 ? (number){0, 0} : random_number(&c->content, state);
    c->beta = ashi_random_in(state, 0, 1) == 0 ? (number){0, 0} : random_number(&c->content, state);
    number *const factor[2] = {&c->alpha, &c->beta};
    for (int i = 0; i < 2; i++) {
        unsigned char element_of[16];
        number_store(c->content.type, *factor[i], element_of);
        *factor[i] = number_load(c->content.type, element_of);
    }
    for (int x = 0; x < c->operands; x++)
        c->conjugate[x] = ashi_random_in(state, 0, 3) == 0;
    int used = 0;
    for (int x = 0; x <= c->operands; x++)
        used += snprintf(c->text + used, sizeof c->text - (size_t)used, "%s%.*s",
                         x == 0 ? "" : x < c->operands ? "," : "->", ORDER_MOST, c->list[x]);
}

/* An array of which the tensor is a part, or all of it. */
static void random_array(uint64_t *state, const contracting *c, int tensor, bool opened, stored *s)
{
    const int order = (int)strlen(c->list[tensor]);
    s->tensor = tensor;
    s->format = (format)ashi_random_in(state, 0, FORMATS - 1);
    if (!opened && s->format == HDF5_PACKED)
        s->format = HDF5;
    const bool piece = opened && s->format < FUNCTION && ashi_random_in(state, 0, 2) == 0;
    s->order = 0;
    for (int d = 0; d <= order; d++) {
        if (piece && ashi_random_in(state, 0, 3) == 0) { /* one position of a dimension that the tensor lacks */
            s->extent[s->order] = ashi_random_in(state, 1, 3);
            s->before[s->order++] = -1;
        }
        if (d == order)
            break;
        const int64_t extent = c->extent[c->list[tensor][d] - 'a'];
        s->dimension[d] = s->order;
        s->before[s->order] = piece ? ashi_random_in(state, 0, 2) : 0;
        s->extent[s->order] = extent + s->before[s->order] + (piece ? ashi_random_in(state, 0, 2) : 0);
        s->order++;
    }
}

/* "PATH:/x[1:4,0]", or without ranges if the tensor is all of the array. */
static void name_place(const job *j, int x)
{
    stored *s = (stored *)&j->stored[x];
    char name[32], path[PATH_BYTES];
    int used;
    const bool hdf5 = s->format == HDF5 || s->format == HDF5_PACKED;
    bool all = true;
    snprintf(name, sizeof name, "%c.%s", "abcdefg"[x], hdf5 ? "h5" : "npy");
    folder_name(&j->folder, name, path);
    memcpy(s->path, path, sizeof path);
    used = snprintf(s->place, sizeof s->place, "%s%s", path, hdf5 ? ":/x" : "");
    const int order = (int)strlen(j->c.list[s->tensor]);
    for (int d = 0, own = 0; d < s->order; d++) {
        const bool kept = own < order && s->dimension[own] == d;
        const int64_t extent = kept ? j->c.extent[j->c.list[s->tensor][own++] - 'a'] : 0;
        all = all && kept && s->extent[d] == extent;
    }
    for (int d = 0, own = 0; d < s->order && !all; d++) {
        const bool kept = own < order && s->dimension[own] == d;
        const size_t room = sizeof s->place - (size_t)used;
        char *const at = s->place + used;
        const char open = d == 0 ? '[' : ',';
        if (!kept) {
            used += snprintf(at, room, "%c %" PRId64, open, s->extent[d] - 1);
            continue;
        }
        const int64_t from = s->before[d], to = from + j->c.extent[j->c.list[s->tensor][own++] - 'a'];
        if (from == 0 && to == s->extent[d])
            used += snprintf(at, room, "%c:", open);
        else
            used += snprintf(at, room, "%c%" PRId64 ":%" PRId64, open, from, to);
    }
    if (!all)
        snprintf(s->place + used, sizeof s->place - (size_t)used, "]");
}

/* ---- elements of arrays ---- */

static int64_t words_of(const stored *s)
{
    int64_t all = 1;
    for (int d = 0; d < s->order; d++)
        all *= s->extent[d];
    return all;
}

/* The element at a position of the array; NaN beside the tensor. As stored: not conjugated. */
static void element_at(const job *j, const stored *s, const int64_t *position, void *out)
{
    const contracting *c = &j->c;
    int64_t value[LETTERS] = {0};
    bool inside = true;
    number n = {NAN, NAN};
    content of = c->content;
    int64_t place = 0;
    for (int d = 0; d < s->order; d++)
        inside = inside && (s->before[d] >= 0 || position[d] == s->extent[d] - 1);
    for (int d = 0; c->list[s->tensor][d]; d++) {
        const int letter = c->list[s->tensor][d] - 'a', at = s->dimension[d];
        value[d] = position[at] - s->before[at];
        inside = inside && value[d] >= 0 && value[d] < c->extent[letter];
        place = place * c->extent[letter] + value[d];
    }
    of.seed += (uint64_t)s->tensor * 0x5851F42D4C957F2Du;
    if (inside)
        n = element(&of, place, 0);
    number_store(c->content.type, n, out);
}

static void swap_element(ashlar_type type, unsigned char *element_bytes)
{
    const size_t bytes = ashlar_type_bytes(type), half = ashi_type_of(type)->complex ? bytes / 2 : bytes;
    for (size_t piece = 0; piece < bytes; piece += half)
        for (size_t i = 0; i < half / 2; i++) {
            const unsigned char kept = element_bytes[piece + i];
            element_bytes[piece + i] = element_bytes[piece + half - 1 - i];
            element_bytes[piece + half - 1 - i] = kept;
        }
}

/* All elements in the order of the file. */
static unsigned char *make_array(const job *j, const stored *s)
{
    const size_t bytes = ashlar_type_bytes(j->c.content.type);
    const int64_t words = words_of(s);
    unsigned char *data = malloc((size_t)words * bytes + 1);
    int64_t position[ARRAY_MOST + ORDER_MOST] = {0};
    for (int64_t e = 0; data && e < words; e++) {
        element_at(j, s, position, data + (size_t)e * bytes);
        if (s->format == NPY_SWAPPED)
            swap_element(j->c.content.type, data + (size_t)e * bytes);
        for (int i = 0; i < s->order; i++) {
            const int d = s->format == NPY_COLUMNS ? i : s->order - 1 - i;
            if (++position[d] < s->extent[d])
                break;
            position[d] = 0;
        }
    }
    return data;
}

/* ---- files ---- */

static void write_npy(const job *j, const stored *s, const unsigned char *data)
{
    static const char *const names[] = {"f4", "f8", "c8", "c16"};
    char header[1024], shape[512] = "";
    for (int d = 0; d < s->order; d++)
        snprintf(shape + strlen(shape), sizeof shape - strlen(shape), "%" PRId64 ",", s->extent[d]);
    int n = snprintf(header + 10, sizeof header - 10, "{'descr': '%c%s', 'fortran_order': %s, 'shape': (%s), }\n",
                     s->format == NPY_SWAPPED ? '>' : '<', names[j->c.content.type],
                     s->format == NPY_COLUMNS ? "True" : "False", shape);
    memcpy(header, "\x93NUMPY\x01", 8);
    header[8] = (char)(n & 255);
    header[9] = (char)(n >> 8);
    FILE *f = fopen(s->path, "wb");
    const size_t bytes = (size_t)words_of(s) * ashlar_type_bytes(j->c.content.type);
    if (!f || fwrite(header, 1, (size_t)n + 10, f) != (size_t)n + 10 || fwrite(data, 1, bytes, f) != bytes ||
        fclose(f) != 0)
        exit(1);
}

static hid_t memory_type(ashlar_type type)
{
    const hid_t piece = type == ASHLAR_TYPE_S || type == ASHLAR_TYPE_C ? H5T_NATIVE_FLOAT : H5T_NATIVE_DOUBLE;
    if (!ashi_type_of(type)->complex)
        return H5Tcopy(piece);
    const hid_t both = H5Tcreate(H5T_COMPOUND, ashlar_type_bytes(type));
    H5Tinsert(both, "r", 0, piece);
    H5Tinsert(both, "i", H5Tget_size(piece), piece);
    return both;
}

static void write_hdf5(const job *j, const stored *s, const unsigned char *data, uint64_t *state)
{
    hsize_t size[ARRAY_MOST + ORDER_MOST], chunk[ARRAY_MOST + ORDER_MOST];
    const hid_t file = H5Fcreate(s->path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    const hid_t type = memory_type(j->c.content.type), list = H5Pcreate(H5P_DATASET_CREATE);
    for (int d = 0; d < s->order; d++) {
        size[d] = (hsize_t)s->extent[d];
        chunk[d] = (hsize_t)ashi_random_in(state, 1, s->extent[d] > 0 ? s->extent[d] : 1);
    }
    const hid_t space = s->order > 0 ? H5Screate_simple(s->order, size, NULL) : H5Screate(H5S_SCALAR);
    if (s->format == HDF5_PACKED && s->order > 0) {
        H5Pset_chunk(list, s->order, chunk);
        H5Pset_deflate(list, 1);
    }
    const hid_t set = H5Dcreate2(file, "/x", type, space, H5P_DEFAULT, list, H5P_DEFAULT);
    const bool good = H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0;
    H5Dclose(set);
    H5Sclose(space);
    H5Pclose(list);
    H5Tclose(type);
    if (!good || H5Fclose(file) < 0)
        exit(1);
}

static int produce(void *user, const int64_t *from, const int64_t *extent, void *elements)
{
    const job *j = ((void **)user)[0];
    const stored *s = ((void **)user)[1];
    const size_t bytes = ashlar_type_bytes(j->c.content.type);
    int64_t position[ORDER_MOST] = {0};
    for (unsigned char *to = elements;; to += bytes) {
        int64_t at[ARRAY_MOST + ORDER_MOST];
        for (int d = 0; d < s->order; d++)
            at[d] = from[d] + position[d];
        element_at(j, s, at, to);
        int d = s->order - 1;
        for (; d >= 0 && ++position[d] == extent[d]; d--)
            position[d] = 0;
        if (d < 0)
            return 0;
    }
}

static int consume(void *user, const int64_t *from, const int64_t *extent, const void *elements)
{
    const job *j = user;
    const stored *s = &j->stored[C];
    const size_t bytes = ashlar_type_bytes(j->c.content.type);
    int64_t position[ORDER_MOST] = {0};
    for (const unsigned char *e = elements;; e += bytes) {
        int64_t at = 0;
        for (int d = 0; d < s->order; d++)
            at = at * s->extent[d] + from[d] + position[d];
        memcpy(j->taken + (size_t)at * bytes, e, bytes);
        j->times[at]++;
        int d = s->order - 1;
        for (; d >= 0 && ++position[d] == extent[d]; d--)
            position[d] = 0;
        if (d < 0)
            return 0;
    }
}

/* An operand, or C0. */
static ashlar_status open_input(job *j, int x, uint64_t *state, void *user[2], ashlar_error *err)
{
    stored *s = &j->stored[x];
    const uint64_t own = ashi_random(state);
    user[0] = j;
    user[1] = s;
    if (s->format == MEMORY)
        return ASHLAR_OK;
    if (s->format == FUNCTION)
        return ashlar_tensor_from_function(j->context, j->c.content.type, s->order, s->extent, produce, user,
                                           &j->file[x], err);
    if (j->rig->rank == 0) {
        unsigned char *data = make_array(j, s);
        uint64_t chunks = own;
        if (s->format >= HDF5)
            write_hdf5(j, s, data, &chunks);
        else
            write_npy(j, s, data);
        free(data);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    return ashlar_tensor_open(j->context, s->place, &j->file[x], err);
}

static ashlar_status open_output(job *j, ashlar_error *err)
{
    const stored *s = &j->stored[C];
    const size_t bytes = ashlar_type_bytes(j->c.content.type);
    j->taken = calloc((size_t)words_of(s) + 1, bytes);
    j->times = calloc((size_t)words_of(s) + 1, sizeof *j->times);
    if (s->format == MEMORY)
        return ASHLAR_OK;
    if (s->format == FUNCTION)
        return ashlar_tensor_to_function(j->context, j->c.content.type, s->order, s->extent, consume, j, &j->file[C],
                                         err);
    return ashlar_tensor_create(j->context, s->place, j->c.content.type, s->order, s->extent, &j->file[C], err);
}

/* ---- the result ---- */

static void read_output(job *j)
{
    const stored *s = &j->stored[C];
    const size_t bytes = (size_t)words_of(s) * ashlar_type_bytes(j->c.content.type);
    if (s->format == HDF5) {
        const hid_t file = H5Fopen(s->path, H5F_ACC_RDONLY, H5P_DEFAULT), set = H5Dopen2(file, "/x", H5P_DEFAULT);
        const hid_t type = memory_type(j->c.content.type);
        CHECK(&j->rig->test, words_of(s) == 0 || H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, j->taken) >= 0,
              "%s cannot be read", s->place);
        H5Tclose(type);
        H5Dclose(set);
        H5Fclose(file);
        return;
    }
    FILE *f = fopen(s->path, "rb");
    CHECK(&j->rig->test, f && fseek(f, -(long)bytes, SEEK_END) == 0 && fread(j->taken, 1, bytes, f) == bytes,
          "%s cannot be read", s->place);
    if (f)
        fclose(f);
}

/* Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., section 3.1, as in contracting.h. */
static bool is_right(const contracting *c, const int64_t *value, const unsigned char *got_at)
{
    int64_t mine[LETTERS], terms;
    long double size;
    memcpy(mine, value, sizeof mine);
    const ashlar_type type = c->content.type;
    const number sum = sum_at(c, mine, &size, &terms), old = value_at(c, c->operands, value);
    const number want = number_add(number_mul(c->alpha, sum), number_mul(c->beta, old));
    const number got = number_load(type, got_at);
    const long double off = number_abs((number){got.re - want.re, got.im - want.im});
    const long double u = ashi_type_of(type)->roundoff * (long double)(2 * terms + 8) * 1.5L;
    return off <= (c->content.integers ? 0 : u * (number_abs(c->alpha) * size + number_abs(c->beta) * number_abs(old)));
}

static void compare_output(job *j)
{
    const contracting *c = &j->c;
    const char *list = c->list[c->operands];
    const size_t bytes = ashlar_type_bytes(c->content.type);
    int64_t wrong = 0;
    for (int64_t e = 0; e < words_of(&j->stored[C]); e++) {
        int64_t value[LETTERS] = {0}, left = e;
        for (int d = (int)strlen(list) - 1; d >= 0; d--) {
            value[list[d] - 'a'] = left % c->extent[list[d] - 'a'];
            left /= c->extent[list[d] - 'a'];
        }
        wrong += !is_right(c, value, j->taken + (size_t)e * bytes);
    }
    CHECK(&j->rig->test, wrong == 0, CASE "%s: %" PRId64 " of %" PRId64 " elements are wrong", CASE_OF(j->rig), c->text,
          wrong, words_of(&j->stored[C]));
}

/* Every element was handed over once, on one of the ranks. */
static void gather_taken(job *j)
{
    const stored *s = &j->stored[C];
    const int64_t words = words_of(s);
    MPI_Allreduce(MPI_IN_PLACE, j->times, (int)words, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, j->taken, (int)(words * (int64_t)ashlar_type_bytes(j->c.content.type)), MPI_BYTE,
                  MPI_BOR, MPI_COMM_WORLD);
    int64_t wrong = 0;
    for (int64_t e = 0; e < words; e++)
        wrong += j->times[e] != 1;
    CHECK(&j->rig->test, wrong == 0, CASE "%s: %" PRId64 " elements were not taken once", CASE_OF(j->rig), j->c.text,
          wrong);
}

/* ---- a case ---- */

/* With an output that is in no file, scratch files have a folder of their own; else they are beside it. */
static void name_scratch(const job *j)
{
    if (j->stored[C].format >= FUNCTION)
        setenv("ASHLAR_SCRATCH", j->folder.path, 1);
    else
        unsetenv("ASHLAR_SCRATCH");
}

/* The operands and the output are in the folder, and no scratch file. */
static void check_folder(const job *j)
{
    int files = 0;
    for (int x = 0; x < FILES; x++)
        files += j->stored[x].path[0] != '\0' && j->stored[x].format < FUNCTION;
    CHECK(&j->rig->test, folder_files(&j->folder, false) == files, CASE "%s: %d files, wanted %d", CASE_OF(j->rig),
          j->c.text, folder_files(&j->folder, false), files);
}

static void compare_figures(job *j, ashlar_contraction_plan *plan)
{
    ashlar_figures told, found;
    ashlar_error err;
    CHECK(&j->rig->test, ashlar_contraction_predicted(plan, &told, &err) == ASHLAR_OK &&
          ashlar_contraction_measured(plan, &found, &err) == ASHLAR_OK, "%s", err.text);
    const bool multiplies = j->c.alpha.re != 0 || j->c.alpha.im != 0, reads = j->c.beta.re != 0 || j->c.beta.im != 0;
    if (multiplies && (reads || !j->file[C0]))
        CHECK(&j->rig->test, told.disk_words == found.disk_words && told.words_max == found.words_max &&
              told.words_total == found.words_total && told.messages_max == found.messages_max, CASE "%s: disk %" PRId64
              " and %" PRId64 ", words %" PRId64 " and %" PRId64, CASE_OF(j->rig), j->c.text, told.disk_words,
              found.disk_words, told.words_total, found.words_total);
    if (multiplies && (reads || !j->file[C0]))
        (void)check_device(j->rig, &j->c, plan);
    CHECK(&j->rig->test, found.memory_words <= told.memory_words, CASE "%s: %" PRId64 " words held, %" PRId64
          " predicted", CASE_OF(j->rig), j->c.text, found.memory_words, told.memory_words);
}

/* What a refusal names as enough, where even one word is not. */
static int64_t find_least(const job *j, const ashlar_contraction *what, ashlar_options options)
{
    ashlar_contraction_plan *plan = NULL;
    ashlar_error err;
    options.memory_words = 1;
    const ashlar_status status = ashlar_contraction_plan_create(j->context, what, &options, &plan, &err);
    const int64_t least = status == ASHLAR_OK ? 1 : ashlar_context_memory_words(j->context);
    CHECK(&j->rig->test, status == ASHLAR_OK || (status == ASHLAR_ERR_LIMIT && ashi_says_least(err.text, least)),
          CASE "%s: status %d, %s", CASE_OF(j->rig), j->c.text, (int)status, err.text);
    ashlar_contraction_plan_free(&plan);
    options.memory_words = least - 1;
    CHECK(&j->rig->test, least == 1 || ashlar_contraction_plan_create(j->context, what, &options, &plan, &err) ==
          ASHLAR_ERR_LIMIT, CASE "%s: one word less does", CASE_OF(j->rig), j->c.text);
    ashlar_contraction_plan_free(&plan);
    return least;
}

static bool all_filed(const job *j)
{
    bool all = true;
    for (int x = 0; x <= j->c.operands; x++)
        all = all && j->stored[x < j->c.operands ? x : C].format != MEMORY;
    return all;
}

/* The plan; with tensors in memory, or a schedule that is asked for, the limit is what a refusal names as enough, if it
 * is refused. A schedule that cuts an index into more parts than it has values is not asked for. */
static ashlar_status make_plan(const job *j, const ashlar_contraction *what, ashlar_options *options,
                               ashlar_contraction_plan **plan, ashlar_error *err)
{
    const contracting *c = &j->c;
    const bool filed = all_filed(j);
    if (c->operands > 2 && options->memory_words % 2 == 1 && filed && !options->strategy)
        options->memory_words = find_least(j, what, *options);
    ashlar_status status = ashlar_contraction_plan_create(j->context, what, options, plan, err);
    if (status == ASHLAR_ERR_UNSUPPORTED && options->strategy && strstr(err->text, ", too few for ")) {
        options->strategy = NULL;
        return make_plan(j, what, options, plan, err);
    }
    if (status != ASHLAR_ERR_LIMIT || (filed && !options->strategy))
        return status;
    options->memory_words = ashlar_context_memory_words(j->context);
    CHECK(&j->rig->test, ashi_says_least(err->text, options->memory_words), CASE "%s: %s", CASE_OF(j->rig), c->text,
          err->text);
    return ashlar_contraction_plan_create(j->context, what, options, plan, err);
}

/* With this rank's parts of what is in memory. */
static ashlar_status execute(job *j, ashlar_contraction_plan *plan, ashlar_error *err)
{
    const contracting *c = &j->c;
    const bool no_sum = c->alpha.re == 0 && c->alpha.im == 0, clears = c->beta.re == 0 && c->beta.im == 0;
    tensor_part held[TENSORS] = {{0}};
    const void *operand[OPERANDS] = {NULL};
    unsigned char alpha[16], beta[16];
    number_store(c->content.type, c->alpha, alpha);
    number_store(c->content.type, c->beta, beta);
    for (int x = 0; x <= c->operands; x++)
        if (j->stored[x < c->operands ? x : C].format == MEMORY)
            held[x] = tensor_part_make(c, x, ashlar_contraction_layout(plan, x), j->rig->rank,
                                       x < c->operands ? no_sum : clears);
    for (int x = 0; x < c->operands; x++)
        operand[x] = held[x].base;
    tensor_part *const out = &held[c->operands];
    const ashlar_status status = ashlar_contraction_execute(plan, alpha, operand, beta, out->base, err);
    if (status == ASHLAR_OK && out->layout) {
        const int64_t words = ashlar_tensor_layout_words(out->layout, j->rig->rank);
        check_all_is_owned(j->rig, c, out->layout, words);
        CHECK(&j->rig->test, compare(c, out, j->rig->rank) == words, CASE "%s: wrong", CASE_OF(j->rig), c->text);
    }
    for (int x = 0; x <= c->operands; x++)
        tensor_part_free(&held[x]);
    return status;
}

static ashlar_status contract_files(job *j, ashlar_options *options, ashlar_error *err)
{
    const contracting *c = &j->c;
    ashlar_tensor tensor[TENSORS] = {{0}};
    ashlar_tensor_layout *layout[TENSORS] = {NULL};
    int64_t extent[TENSORS][ORDER_MOST];
    ashlar_contraction_plan *plan = NULL;
    for (int x = 0; x <= c->operands; x++) {
        const stored *s = &j->stored[x < c->operands ? x : C];
        shape_of(c, x, extent[x]);
        layout[x] = s->format == MEMORY ? make_layout(c, x) : NULL;
        tensor[x] = (ashlar_tensor){.conjugate = c->conjugate[x], .layout = layout[x],
                                    .file = j->file[x < c->operands ? x : C]};
        if (s->format == MEMORY) {
            tensor[x].order = s->order;
            tensor[x].extent = extent[x];
        }
    }
    const ashlar_contraction what = {.type = c->content.type, .expression = c->text, .operands = c->operands,
                                     .operand = tensor, .output = &tensor[c->operands], .output0 = j->file[C0]};
    ashlar_status status = make_plan(j, &what, options, &plan, err);
    if (status == ASHLAR_OK)
        status = execute(j, plan, err);
    if (status == ASHLAR_OK)
        compare_figures(j, plan);
    ashlar_contraction_plan_free(&plan);
    for (int x = 0; x <= c->operands; x++)
        ashlar_tensor_layout_free(&layout[x]);
    return status;
}

/* ---- failures ---- */

/* Ones, but a failure on the rank whose number is given. */
static int fail_on(void *user, const int64_t *from, const int64_t *extent, void *elements)
{
    int rank;
    double *to = elements;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    (void)from;
    for (int64_t i = 0; i < extent[0] * extent[1]; i++)
        to[i] = 1;
    return rank == *(const int *)user ? 7 : 0;
}

/* A function that fails on one rank ends the contraction on all, in memory and streamed, and nothing is published. */
static void failing_function(ashlar_context *context, rig *r)
{
    const int64_t extent[2] = {24, 24};
    const double factor = 1, zero = 0;
    const void *const nothing[3] = {NULL};
    char place[PATH_BYTES];
    folder f;
    unsetenv("ASHLAR_SCRATCH");
    if (r->rank == 0)
        f = folder_make();
    MPI_Bcast(&f, (int)sizeof f, MPI_BYTE, 0, MPI_COMM_WORLD);
    folder_name(&f, "c.npy", place);
    for (int way = 0; way < 3; way++) { /* the last with a scratch file */
        int failing = way == 0 ? r->ranks - 1 : 0, never = -1; /* the first rank reads of the thinnest slabs too */
        ashlar_options options = ashlar_options_default();
        ashlar_tensor_file *a = NULL, *good = NULL, *c = NULL;
        ashlar_error err = {0};
        options.memory_words = way > 0 ? 200 : 0;
        ashlar_status status = ashlar_tensor_from_function(context, ASHLAR_TYPE_D, 2, extent, fail_on, &failing, &a,
                                                           &err);
        if (status == ASHLAR_OK)
            status = ashlar_tensor_from_function(context, ASHLAR_TYPE_D, 2, extent, fail_on, &never, &good, &err);
        if (status == ASHLAR_OK)
            status = ashlar_tensor_create(context, place, ASHLAR_TYPE_D, 2, extent, &c, &err);
        const ashlar_tensor operand[3] = {{.file = way < 2 ? a : good}, {.file = a}, {.file = good}};
        const ashlar_tensor output = {.file = c};
        const ashlar_contraction what = {.type = ASHLAR_TYPE_D, .expression = way < 2 ? "ij,jk->ik" : "ij,jk,kl->il",
                                         .operands = way < 2 ? 2 : 3,
                                         .operand = operand, .output = &output};
        CHECK(&r->test, status == ASHLAR_OK, CASE "%s", CASE_OF(r), err.text);
        status = ashlar_contract(context, &what, &options, &factor, nothing, &factor, NULL, &err);
        CHECK(&r->test, status == ASHLAR_ERR_ARG && strstr(err.text, "there is no output0"), CASE "%s", CASE_OF(r),
              err.text);
        status = ashlar_contract(context, &what, &options, &factor, nothing, &zero, NULL, &err);
        CHECK(&r->test, status == ASHLAR_ERR_IO && strstr(err.text, "the function that makes it returned 7") &&
              ranks_agree(MPI_COMM_WORLD, (int)status, err.text), CASE "status %d: %s", CASE_OF(r), (int)status,
              err.text);
        status = ashlar_tensor_publish(c, &err);
        CHECK(&r->test, status == ASHLAR_ERR_ARG && strstr(err.text, "is not complete"), CASE "%s", CASE_OF(r),
              err.text);
        ashlar_tensor_close(&a);
        ashlar_tensor_close(&good);
        ashlar_tensor_close(&c);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (r->rank == 0) {
        CHECK(&r->test, folder_files(&f, false) == 0, "files are left");
        folder_remove(&f);
    }
}

/* Every other case of files has one of the 48 schedules, which read back what they write. */
static void choose_method(job *j, ashlar_options *options)
{
    static const char *const methods[] = {"rotation", "replication-a", "replication-b", "accumulation"};
    static const char *const orders[] = {"ABC", "ACB", "BAC", "BCA", "CAB", "CBA"};
    const uint64_t n = j->rig->seed;
    if (!all_filed(j) || j->stored[C].format == FUNCTION || n % 2 == 0)
        return;
    snprintf(j->method, sizeof j->method, "%s/%s/%s", n / 2 % 2 ? "inside" : "outside", methods[n / 4 % 4],
             orders[(n / 16 + (uint64_t)j->rig->ranks) % 6]);
    options->strategy = j->method;
}

/* Nothing is summed into a file: the operand in memory, whose layout is free, has one. */
static void nothing_beside_a_file(ashlar_context *context, rig *r)
{
    const int64_t extent[3][2] = {{3, 0}, {0, 5}, {3, 5}};
    const double factor[2] = {1, 0};
    const void *const operand[2] = {NULL};
    job j = {.rig = r, .context = context, .taken = calloc(15, sizeof(double)), .times = calloc(15, sizeof(int))};
    ashlar_tensor_file *c = NULL;
    ashlar_contraction_plan *plan = NULL;
    ashlar_error err = {0};
    j.c.content.type = ASHLAR_TYPE_D;
    j.stored[C] = (stored){.order = 2, .extent = {3, 5}};
    ashlar_status status = ashlar_tensor_to_function(context, ASHLAR_TYPE_D, 2, extent[2], consume, &j, &c, &err);
    const ashlar_tensor in[2] = {{.order = 2, .extent = extent[0]}, {.order = 2, .extent = extent[1]}};
    const ashlar_tensor output = {.file = c};
    const ashlar_contraction what = {.type = ASHLAR_TYPE_D, .expression = "ij,jk->ik", .operands = 2, .operand = in,
                                     .output = &output};
    if (status == ASHLAR_OK)
        status = ashlar_contraction_plan_create(context, &what, NULL, &plan, &err);
    CHECK(&r->test, status == ASHLAR_OK && ashlar_contraction_layout(plan, 0) && ashlar_contraction_layout(plan, 1),
          CASE "%s", CASE_OF(r), err.text);
    if (status == ASHLAR_OK)
        status = ashlar_contraction_execute(plan, &factor[0], operand, &factor[1], NULL, &err);
    CHECK(&r->test, status == ASHLAR_OK, CASE "%s", CASE_OF(r), err.text);
    memcpy(j.c.text, "ij,jk->ik", 10);
    gather_taken(&j);
    ashlar_contraction_plan_free(&plan);
    ashlar_tensor_close(&c);
    free(j.taken);
    free(j.times);
}

/* ---- a batch that is gone on with ---- */

/* Elements of a tensor zjk that are made in the order z, and how many tiles of it may be made before it fails. */
typedef struct counted {
    int64_t made, most;
} counted;

static int produce_some(void *user, const int64_t *from, const int64_t *extent, void *elements)
{
    static const struct timespec little = {0, 200000}; /* so that what is finished is recorded meanwhile */
    counted *const count = user;
    double *to = elements;
    nanosleep(&little, NULL);
    for (int64_t z = 0; z < extent[0]; z++)
        for (int64_t j = 0; j < extent[1]; j++)
            for (int64_t k = 0; k < extent[2]; k++)
                *to++ = 1.0 / (double)(1 + from[0] + z + 3 * (from[1] + j) + 5 * (from[2] + k));
    return ++count->made > count->most ? 7 : 0;
}

/* This rank's elements of an operand in memory, of which the last is given. */
static double *some_elements(const ashlar_contraction_plan *plan, int x, const rig *r, double last)
{
    const int64_t words = ashlar_tensor_layout_words(ashlar_contraction_layout(plan, x), r->rank);
    double *const mine = malloc((size_t)(words + 1) * sizeof *mine);
    for (int64_t i = 0; i < words; i++)
        mine[i] = i == words - 1 ? last : 1.0 / (double)(i + 2 + r->rank);
    return mine;
}

/* With one operand in memory, of which `changed` is one element, or two operands and two steps; and with an output at
 * `place` that is gone on with or made anew. */
static ashlar_status contract_batch(ashlar_context *context, rig *r, int operands, counted *count, const char *place,
                                    bool resumes, double changed, ashlar_figures *figures, ashlar_error *err)
{
    const int64_t a_extent[3] = {12, 9, 10}, b_extent[3] = {12, 10, 8}, c_extent[3] = {12, 9, 8}, d_extent[2] = {8, 8};
    const double factor[2] = {1, 0};
    ashlar_options options = ashlar_options_default();
    ashlar_tensor_file *b = NULL, *c = NULL;
    ashlar_contraction_plan *plan = NULL;
    options.checkpoint_seconds = 1e-9;
    options.memory_words = 700;
    ashlar_status status = ashlar_tensor_from_function(context, ASHLAR_TYPE_D, 3, b_extent, produce_some, count, &b,
                                                       err);
    if (status == ASHLAR_OK)
        status = (resumes ? ashlar_tensor_resume : ashlar_tensor_create)(context, place, ASHLAR_TYPE_D, 3, c_extent, &c,
                                                                         err);
    const ashlar_tensor in[3] = {{.order = 3, .extent = a_extent}, {.file = b}, {.order = 2, .extent = d_extent}};
    const ashlar_tensor output = {.file = c};
    const ashlar_contraction what = {.type = ASHLAR_TYPE_D,
                                     .expression = operands == 2 ? "zij,zjk->zik" : "zij,zjk,kl->zil",
                                     .operands = operands, .operand = in, .output = &output};
    if (status == ASHLAR_OK)
        status = ashlar_contraction_plan_create(context, &what, &options, &plan, err);
    if (status == ASHLAR_ERR_LIMIT) {
        options.memory_words = ashlar_context_memory_words(context) + 20; /* some products slab by slab */
        status = ashlar_contraction_plan_create(context, &what, &options, &plan, err);
    }
    if (status == ASHLAR_OK) {
        double *const a = some_elements(plan, 0, r, changed);
        double *const d = operands == 2 ? NULL : some_elements(plan, 2, r, 1);
        status = ashlar_contraction_execute(plan, &factor[0], (const void *[]){a, NULL, d}, &factor[1], NULL, err);
        free(a);
        free(d);
    }
    if (status == ASHLAR_OK && figures)
        status = ashlar_contraction_measured(plan, figures, err);
    if (status == ASHLAR_OK)
        status = ashlar_tensor_publish(c, err);
    ashlar_contraction_plan_free(&plan);
    ashlar_tensor_close(&b);
    ashlar_tensor_close(&c);
    return status;
}

/* What failed in the middle goes on, to the bits of what did not, if what is in memory is the same. */
static void resumed_batch(ashlar_context *context, rig *r, int operands)
{
    const char *const other = operands == 2 ? "had other elements of the matrices in memory" : "operands in memory";
    char place[2][PATH_BYTES];
    folder f;
    counted all = {0, INT64_MAX}, some = {0, 0}, rest = {0, INT64_MAX};
    ashlar_figures figures = {0};
    ashlar_error err = {0};
    if (r->rank == 0)
        f = folder_make();
    MPI_Bcast(&f, (int)sizeof f, MPI_BYTE, 0, MPI_COMM_WORLD);
    folder_name(&f, "c.npy", place[0]);
    folder_name(&f, "whole.npy", place[1]);
    CHECK(&r->test, contract_batch(context, r, operands, &all, place[1], false, 2, NULL, &err) == ASHLAR_OK, CASE "%s",
          CASE_OF(r), err.text);
    some.most = all.made / 2;
    ashlar_status status = contract_batch(context, r, operands, &some, place[0], true, 2, NULL, &err);
    CHECK(&r->test, status == ASHLAR_ERR_IO && strstr(err.text, "returned 7"), CASE "status %d: %s", CASE_OF(r),
          (int)status, err.text);
    rest = (counted){0, INT64_MAX};
    status = contract_batch(context, r, operands, &rest, place[0], true, 3, NULL, &err);
    CHECK(&r->test, status == ASHLAR_ERR_ARG && strstr(err.text, other),
          CASE "status %d: %s", CASE_OF(r), (int)status, err.text);
    rest = (counted){0, INT64_MAX};
    status = contract_batch(context, r, operands, &rest, place[0], true, 2, &figures, &err);
    CHECK(&r->test, status == ASHLAR_OK && figures.resumed > 0 && figures.resumed < 1 && rest.made < all.made,
          CASE "status %d, %.3f resumed, %" PRId64 " of %" PRId64 " tiles made: %s", CASE_OF(r), (int)status,
          figures.resumed, rest.made, all.made, err.text);
    MPI_Barrier(MPI_COMM_WORLD);
    if (r->rank == 0) {
        double found[2][1000] = {{0}};
        for (int i = 0; i < 2; i++) {
            FILE *const file = fopen(place[i], "rb");
            CHECK(&r->test, file && fread(found[i], 1, sizeof found[i], file) > 0, "%s", place[i]);
            if (file)
                fclose(file);
        }
        CHECK(&r->test, memcmp(found[0], found[1], sizeof found[0]) == 0, CASE "other bits", CASE_OF(r));
        CHECK(&r->test, folder_files(&f, false) == 2, "files are left");
        folder_remove(&f);
    }
}

static void one(ashlar_context *context, rig *r)
{
    uint64_t state = r->seed * 131;
    job j = {.rig = r, .context = context};
    void *user[FILES][2];
    ashlar_error err = {0};
    ashlar_options options = ashlar_options_default();
    CHECK(&r->test, ashlar_context_set_device(context, r->seed % 3 == 0 ? "emulated" : "none", 8192, &err) == ASHLAR_OK,
          "%s", err.text);
    if (r->seed % 60 == 1) {
        failing_function(context, r);
        nothing_beside_a_file(context, r);
        resumed_batch(context, r, 2);
        resumed_batch(context, r, 3);
    }
    random_contraction(&state, r->ranks, &j.c);
    if (r->rank == 0)
        j.folder = folder_make();
    MPI_Bcast(&j.folder, (int)sizeof j.folder, MPI_BYTE, 0, MPI_COMM_WORLD);
    const bool adds = j.c.beta.re != 0 || j.c.beta.im != 0;
    for (int x = 0; x <= j.c.operands; x++)
        random_deal(&state, &j.c, x);
    ashlar_status status = ASHLAR_OK;
    for (int x = 0; x < FILES && status == ASHLAR_OK; x++) {
        if ((x < C && x >= j.c.operands) || (x == C0 && (!adds || j.stored[C].format == MEMORY)))
            continue;
        random_array(&state, &j.c, x < C ? x : j.c.operands, x != C, &j.stored[x]);
        if (x == C0 && j.stored[x].format == MEMORY)
            j.stored[x].format = NPY;
        name_place(&j, x);
        status = x == C ? open_output(&j, &err) : open_input(&j, x, &state, user[x], &err);
    }
    CHECK(&r->test, status == ASHLAR_OK, CASE "%s: %s", CASE_OF(r), j.c.text, err.text);
    name_scratch(&j);
    if (ashi_random_in(&state, 0, 2) > 0)
        options.memory_words = ashi_random_in(&state, 3, 400) + ashi_context_device_aside(context, j.c.content.type);
    choose_method(&j, &options);
    if (status == ASHLAR_OK)
        status = contract_files(&j, &options, &err);
    CHECK(&r->test, status == ASHLAR_OK, CASE "%s, %" PRId64 " words: %s", CASE_OF(r), j.c.text, options.memory_words,
          err.text);
    if (status == ASHLAR_OK && j.file[C])
        status = ashlar_tensor_publish(j.file[C], &err);
    CHECK(&r->test, status == ASHLAR_OK, CASE "%s: %s", CASE_OF(r), j.c.text, err.text);
    for (int x = 0; x < FILES; x++)
        ashlar_tensor_close(&j.file[x]);
    MPI_Barrier(MPI_COMM_WORLD);
    if (r->rank == 0)
        check_folder(&j);
    if (status == ASHLAR_OK && j.stored[C].format == FUNCTION)
        gather_taken(&j);
    else if (status == ASHLAR_OK && r->rank == 0 && j.stored[C].format != MEMORY)
        read_output(&j);
    if (status == ASHLAR_OK && r->rank == 0 && j.stored[C].format != MEMORY)
        compare_output(&j);
    MPI_Barrier(MPI_COMM_WORLD);
    if (r->rank == 0)
        folder_remove(&j.folder);
    free(j.taken);
    free(j.times);
}

int main(int argc, char **argv)
{
    return try_in_context(argc, argv, CASES, one);
}
