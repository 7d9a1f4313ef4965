/* store: .npy files, places, and the rules for output that hold for every format. */
#include "store_check.h"

#include <signal.h>
#include <sys/resource.h>

/* A file made by hand: version, text of the header, and a body of `body` bytes that count up from 1. */
static void make(const char *path, int major, const char *text, size_t body)
{
    unsigned char bytes[2048] = "\x93NUMPY";
    const size_t n = strlen(text), lead = major == 1 ? 10 : 12;
    bytes[6] = (unsigned char)major;
    bytes[8] = (unsigned char)(n & 255);
    bytes[9] = (unsigned char)(n >> 8);
    memcpy(bytes + lead, text, n);
    for (size_t i = 0; i < body; i++)
        bytes[lead + n + i] = (unsigned char)(i + 1);
    write_bytes(path, bytes, lead + n + body);
}

static void random_shapes(ashi_test *t, const folder *f)
{
    char place[PATH_BYTES];
    folder_name(f, "a.npy", place);
    for (uint64_t seed = 1; seed <= 150; seed++) {
        uint64_t state = seed;
        const ashi_store_info info = random_info(&state);
        round_trip(t, place, info, info.type, false, seed);
    }
}

/* Larger than the buffer in every way a box can be: runs longer than it, many short runs, gaps. */
static void large_shapes(ashi_test *t, const folder *f)
{
    static const int64_t shapes[][2] = {{700, 900}, {3, 300000}, {300000, 3}, {90000, 1}};
    char place[PATH_BYTES];
    folder_name(f, "large.npy", place);
    for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++)
        for (int order = 0; order < 2; order++)
            round_trip(t, place, matrix_info(ASHLAR_TYPE_D, shapes[s][0], shapes[s][1], (ashlar_order)order),
                       ASHLAR_TYPE_D, false, s);
}

/* Elements of hand-made files: byte k of the body is k + 1. */
static void big_first(ashlar_type type, int64_t row, int64_t col, void *out)
{
    const int64_t bytes = (int64_t)ashlar_type_bytes(type), half = type >= ASHLAR_TYPE_C ? 2 : 1;
    const int64_t part = bytes / half;
    unsigned char *o = out;
    for (int64_t p = 0; p < half; p++)
        for (int64_t b = 0; b < part; b++)
            o[p * part + b] = (unsigned char)((row * 3 + col) * bytes + p * part + (part - 1 - b) + 1);
}

static void little_first(ashlar_type type, int64_t row, int64_t col, void *out)
{
    const int64_t bytes = (int64_t)ashlar_type_bytes(type);
    for (int64_t b = 0; b < bytes; b++)
        ((unsigned char *)out)[b] = (unsigned char)((row * 3 + col) * bytes + b + 1);
}

/* Both orders of bytes, every type, every version. This test is for machines that put the low byte first. */
static void foreign_files(ashi_test *t, const folder *f)
{
    static const char *const types[] = {"f4", "f8", "c8", "c16"};
    char place[PATH_BYTES], text[128];
    folder_name(f, "foreign.npy", place);
    for (int version = 1; version <= 3; version++)
        for (int type = 0; type < 4; type++)
            for (int big = 0; big < 2; big++) {
                ashi_store *store = NULL;
                ashi_store_info info = {0};
                ashlar_error err = {0};
                test_box b = {.rows = 2, .cols = 3, .row_stride = big ? 1 : 3, .col_stride = big ? 2 : 1, .extent = 9};
                snprintf(text, sizeof text, "{\"shape\":( 2L ,3,),'descr': '%c%s', 'fortran_order':False}\n",
                         big ? '>' : '<', types[type]);
                make(place, version, text, 6 * ashlar_type_bytes((ashlar_type)type));
                CHECK(t, ashi_store_open(place, &store, &info, &err) == ASHLAR_OK, "%s", err.text);
                CHECK(t, info.rows == 2 && info.cols == 3 && (int)info.type == type, "%s", text);
                if (store)
                    check_box_with(t, store, info.type, &b, big ? big_first : little_first);
                ashi_store_close(&store, NULL);
            }
}

static void one_dimension_is_a_column(ashi_test *t, const folder *f)
{
    char place[PATH_BYTES];
    folder_name(f, "column.npy", place);
    for (int order = 0; order < 2; order++) {
        ashi_store *store = NULL;
        ashi_store_info info = {0};
        unsigned char data[12];
        make(place, 1,
             order ? "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }"
                   : "{'descr': '<f4', 'fortran_order': True, 'shape': (3,), }",
             12);
        CHECK(t, ashi_store_open(place, &store, &info, NULL) == ASHLAR_OK, "open");
        CHECK(t, info.rows == 3 && info.cols == 1, "%" PRId64 " x %" PRId64, info.rows, info.cols);
        CHECK(t, store && ashi_store_read(store, 1, 2, 0, 1, data, 1, 7, NULL) == ASHLAR_OK, "read");
        CHECK(t, data[0] == 5 && data[7] == 12, "its elements");
        ashi_store_close(&store, NULL);
    }
}

static void malformed_files(ashi_test *t, const folder *f)
{
#define DICT(descr, order, shape) "{'descr': " descr ", 'fortran_order': " order ", 'shape': " shape "}"
    static const struct {
        const char *text, *says;
    } cases[] = {
        {DICT("'<f8'", "False", "(3, 3)"), "truncated: 3 x 3"},
        {DICT("'<f8'", "False", "(-3, -3)"), "negative"},
        {DICT("'<f8'", "False", "(4611686018427387904, 4611686018427387904)"), "too large"},
        {DICT("'<f8'", "False", "(2305843009213693952, 1)"), "too large"},
        {DICT("'<f8'", "False", "(99999999999999999999, 1)"), "too large"},
        {DICT("'<f8'", "False", "()"), "no dimension"},
        {DICT("'<f8'", "False", "(3)"), "not a tuple"},
        {DICT("'<f8'", "False", "[3, 3]"), "not a tuple"},
        {DICT("'<f8'", "False", "(3 3)"), "not a tuple"},
        {DICT("'<f8'", "False", "(3, 1e2)"), "not a tuple"},
        {DICT("'<f8'", "False", "((3, 3), 3)"), "not a tuple"},
        {DICT("'<f8'", "False", "(,)"), "not a tuple"},
        {DICT("'<f8'", "False", "(1, 1, 1)"), "more than two dimensions"},
        {DICT("'<f8'", "0", "(1, 1)"), "neither True nor False"},
        {DICT("'|O'", "False", "(1, 1)"), "Python objects"},
        {DICT("'<i8'", "False", "(1, 1)"), "'<i8', wanted f2, f4"},
        {DICT("'<f2'", "False", "(3, 3)"), "truncated: 3 x 3 elements need 18 bytes"},
        {DICT("'<f3'", "False", "(1, 1)"), "wanted f2, f4"},
        {DICT("'f8'", "False", "(1, 1)"), "wanted f2, f4"},
        {DICT("'<f8\\x'", "False", "(1, 1)"), "not a string"},
        {DICT("8", "False", "(1, 1)"), "not a string"},
        {DICT("'<f8\n'", "False", "(1, 1)"), "not a string"},
        {DICT("[('a', '<f8')]", "False", "(1, 1)"), "structured"},
        {"{'descr': '<f8', 'descr': '<f8', 'shape': (1, 1)}", "twice"},
        {"{'descr': '<f8', 'shape': (1, 1)}", "missing"},
        {"{}", "missing"},
        {"{'descr': '<f8', 'evil': 1}", "a key other"},
        {"{'descr': '<f8' 'shape': (1, 1)}", "a comma"},
        {DICT("'<f8'", "False", "(1, 1)") " import", "follows"},
        {DICT("'<f8'", "False", "(1, 1)") "\xc3\xa9", "ASCII"},
        {"{'descr': '<f8", "not a string"},
        {"[1, 2]", "not a dictionary"},
        {"{{{{{{{{", "not a dictionary"},
        {"", "not a dictionary"},
    };
    char place[PATH_BYTES];
    folder_name(f, "bad.npy", place);
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        make(place, 1, cases[c].text, 16);
        check_refused(t, place, ASHLAR_ERR_IO, cases[c].says);
    }
    static const struct {
        const char *bytes;
        size_t n;
        const char *says;
    } raw[] = {
        {"", 0, "not a .npy file"},
        {"\x93NUMPY", 6, "not a .npy file"},
        {"NUMPY12345678", 13, "not a .npy file"},
        {"\x93NUMPY\x04\x00\x01\x00{", 11, "version 4.0"},
        {"\x93NUMPY\x02\x00\x01\x00", 10, "truncated"},
        {"\x93NUMPY\x01\x00\xff\x00{}", 12, "truncated"},
        {"\x93NUMPY\x02\x00\xff\xff\xff\xff{}", 14, "4294967295 bytes"},
    };
    for (size_t c = 0; c < sizeof raw / sizeof raw[0]; c++) {
        write_bytes(place, raw[c].bytes, raw[c].n);
        check_refused(t, place, ASHLAR_ERR_IO, raw[c].says);
    }
}

/* As arrays of any number of dimensions: what is too many, or too many elements. */
static void malformed_arrays(ashi_test *t, const folder *f)
{
    char place[PATH_BYTES], many[400] = "(";
    for (int d = 0; d < 65; d++)
        strcat(many, "1,");
    char text[600];
    snprintf(text, sizeof text, "{'descr': '<f8', 'fortran_order': False, 'shape': %s)}", many);
    const struct {
        const char *text, *says;
    } cases[] = {
        {text, "more than 64 dimensions"},
        {DICT("'<f8'", "False", "(3, 3, 3)"), "truncated: 27 x 1 elements need 216 bytes"},
        {DICT("'<f8'", "False", "(2147483648, 2147483648, 2)"), "a shape that is too large"},
        {DICT("'<f8'", "False", "(2147483648, 1073741824)"), "too large"},
        {DICT("'<f8'", "False", "(3, -3, 3)"), "negative"},
    };
    folder_name(f, "bad.npy", place);
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        ashi_store *store = NULL;
        ashi_store_info info;
        ashlar_error err = {0};
        make(place, 1, cases[c].text, 16);
        const ashlar_status status = ashi_store_open_tensor(place, &store, &info, &err);
        CHECK(t, status == ASHLAR_ERR_IO && !store && strstr(err.text, cases[c].says), "'%s', wanted '%s'", err.text,
              cases[c].says);
        ashi_store_close(&store, NULL);
    }
}

/* Arrays that are written are read as they were written, and their headers are those of NumPy. */
static void arrays(ashi_test *t, const folder *f)
{
    static const struct {
        ashi_store_info info;
        const char *shape;
    } cases[] = {
        {{.type = ASHLAR_TYPE_D, .tensor = true}, "'shape': (), }"},
        {{.type = ASHLAR_TYPE_S, .tensor = true, .dimensions = 1, .extent = {3}}, "'shape': (3,), }"},
        {{.type = ASHLAR_TYPE_Z, .tensor = true, .dimensions = 3, .extent = {2, 0, 3}}, "'shape': (2, 0, 3), }"},
        {{.type = ASHLAR_TYPE_C, .tensor = true, .dimensions = 4, .extent = {2, 1, 3, 2}}, "'shape': (2, 1, 3, 2), }"},
    };
    char place[PATH_BYTES], header[128] = "";
    folder_name(f, "array.npy", place);
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        ashi_store *store = NULL;
        ashi_store_info info;
        double data[24] = {0}, back[24] = {0};
        ashlar_error err = {0};
        for (int i = 0; i < 24; i++)
            data[i] = i + 0.5;
        CHECK(t, ashi_store_create(place, &cases[c].info, &store, &err) == ASHLAR_OK, "%s", err.text);
        ashi_store_describe(store, &info);
        CHECK(t, ashi_store_write(store, 0, info.rows, 0, 1, data, 1, 1, &err) == ASHLAR_OK, "%s", err.text);
        CHECK(t, ashi_store_publish(store, &err) == ASHLAR_OK, "%s", err.text);
        ashi_store_close(&store, NULL);
        FILE *file = fopen(place, "rb");
        CHECK(t, file && fread(header, 1, 120, file) == 120 && strstr(header + 10, cases[c].shape), "%s", header + 10);
        if (file)
            fclose(file);
        CHECK(t, ashi_store_open_tensor(place, &store, &info, &err) == ASHLAR_OK, "%s", err.text);
        CHECK(t, store && info.dimensions == cases[c].info.dimensions && info.type == cases[c].info.type &&
              memcmp(info.extent, cases[c].info.extent, (size_t)info.dimensions * sizeof *info.extent) == 0, "shape");
        CHECK(t, store && ashi_store_read(store, 0, info.rows, 0, 1, back, 1, 1, &err) == ASHLAR_OK &&
              memcmp(data, back, (size_t)info.rows * ashlar_type_bytes(info.type)) == 0, "elements");
        ashi_store_close(&store, NULL);
    }
}

static void places(ashi_test *t, const folder *f)
{
    char place[PATH_BYTES];
    folder_name(f, "none.npy", place);
    check_refused(t, place, ASHLAR_ERR_IO, "none.npy: cannot open: ");
    check_refused(t, f->path, ASHLAR_ERR_ARG, "wanted FILE.npy");
    check_refused(t, "no\nsuch.npy", ASHLAR_ERR_IO, "no?such.npy: cannot open: ");
    check_refused(t, ".npy", ASHLAR_ERR_ARG, "no known format");
    check_refused(t, "/tmp/", ASHLAR_ERR_ARG, "no known format");
    folder_name(f, "folder.npy", place);
    mkdir(place, 0777);
    check_refused(t, place, ASHLAR_ERR_IO, "not a regular file");
    rmdir(place);
    mkfifo(place, 0666);
    check_refused(t, place, ASHLAR_ERR_IO, "not a regular file");
    unlink(place);
}

/* Permissions of a replaced file and a link to it stay; a new file follows the umask. */
static void existing_targets(ashi_test *t, const folder *f)
{
    char place[PATH_BYTES], link[PATH_BYTES], astray[PATH_BYTES];
    struct stat st;
    const ashi_store_info info = matrix_info(ASHLAR_TYPE_S, 2, 2, ASHLAR_COL_MAJOR);
    ashi_store *store = NULL;
    folder_name(f, "target.npy", place);
    folder_name(f, "link.npy", link);
    folder_name(f, "astray.npy", astray);
    const mode_t mask = umask(027);
    round_trip(t, place, info, info.type, false, 1);
    CHECK(t, stat(place, &st) == 0 && (st.st_mode & 0777) == 0640, "mode %o", (unsigned)st.st_mode);
    chmod(place, 0604);
    CHECK(t, symlink("target.npy", link) == 0 && symlink("nothing.npy", astray) == 0, "links");
    round_trip(t, link, info, info.type, false, 2);
    umask(mask);
    CHECK(t, stat(place, &st) == 0 && (st.st_mode & 0777) == 0604, "mode %o", (unsigned)st.st_mode);
    CHECK(t, lstat(link, &st) == 0 && S_ISLNK(st.st_mode), "the link is still one");
    CHECK(t, ashi_store_create(astray, &info, &store, NULL) == ASHLAR_ERR_IO && !store, "a link to nothing");
    check_matrix(t, place, &info, 3);
}

/* The error of creating `place` in words. */
static void check_create_refused(ashi_test *t, const char *place, const ashi_store_info *info, ashlar_status wanted,
                                 const char *says)
{
    ashi_store *store = NULL;
    ashlar_error err = {0};
    const ashlar_status status = ashi_store_create(place, info, &store, &err);
    CHECK(t, status == wanted && !store && strstr(err.text, says), "status %d '%s', wanted '%s'", (int)status, err.text,
          says);
    ashi_store_close(&store, NULL);
}

static void outputs_that_cannot_be(ashi_test *t, const folder *f)
{
    char place[PATH_BYTES];
    ashi_store_info info = matrix_info(ASHLAR_TYPE_D, 2, 2, ASHLAR_COL_MAJOR);
    const int files = folder_files(f, false);
    folder_name(f, "none/x.npy", place);
    check_create_refused(t, place, &info, ASHLAR_ERR_IO, "none/x.npy: cannot create a file beside it: ");
    check_create_refused(t, "/proc/x.npy", &info, ASHLAR_ERR_IO, "/proc/x.npy: cannot");
    folder_name(f, "x.txt", place);
    check_create_refused(t, place, &info, ASHLAR_ERR_ARG, "no known format");
    folder_name(f, "x.npy", place);
    info.rows = -1;
    check_create_refused(t, place, &info, ASHLAR_ERR_ARG, "-1");
    info.rows = INT64_MAX / 2;
    check_create_refused(t, place, &info, ASHLAR_ERR_OVERFLOW, "too many");
    info.rows = INT64_MAX / 64;
    check_create_refused(t, place, &info, ASHLAR_ERR_IO, "cannot be made long enough");
    info.type = (ashlar_type)9;
    check_create_refused(t, place, &info, ASHLAR_ERR_ARG, "type");
    CHECK(t, folder_files(f, false) == files, "a file was left behind");
}

/* A limit on the size of files stands for a full disk: found when the output is made, or when text is written. */
static void full_disk(ashi_test *t, const folder *f)
{
    char npy[PATH_BYTES], mtx[PATH_BYTES];
    const ashi_store_info info = matrix_info(ASHLAR_TYPE_D, 20000, 1, ASHLAR_COL_MAJOR);
    const int files = folder_files(f, false);
    struct rlimit was, now;
    ashi_store *store = NULL;
    ashlar_error err = {0};
    double *zeros = calloc(20000, sizeof *zeros);
    folder_name(f, "full.npy", npy);
    folder_name(f, "full.mtx", mtx);
    getrlimit(RLIMIT_FSIZE, &was);
    now = was;
    now.rlim_cur = 30000;
    signal(SIGXFSZ, SIG_IGN);
    CHECK(t, zeros && setrlimit(RLIMIT_FSIZE, &now) == 0, "setrlimit");
    check_create_refused(t, npy, &info, ASHLAR_ERR_IO, "full.npy: cannot be made long enough: ");
    CHECK(t, ashi_store_create(mtx, &info, &store, &err) == ASHLAR_OK, "%s", err.text);
    ashlar_status status = ashi_store_write(store, 0, 20000, 0, 1, zeros, 1, 20000, &err);
    if (status == ASHLAR_OK)
        status = ashi_store_publish(store, &err);
    CHECK(t, status == ASHLAR_ERR_IO && strstr(err.text, "full.mtx: cannot write: "), "%s", err.text);
    CHECK(t, ashi_store_publish(store, &err) == ASHLAR_ERR_ARG, "after a failed write");
    ashi_store_close(&store, NULL);
    setrlimit(RLIMIT_FSIZE, &was);
    CHECK(t, folder_files(f, false) == files, "a file was left behind");
    free(zeros);
}

int main(void)
{
    ashi_test t = {0};
    const folder f = folder_make();
    random_shapes(&t, &f);
    large_shapes(&t, &f);
    foreign_files(&t, &f);
    one_dimension_is_a_column(&t, &f);
    malformed_files(&t, &f);
    malformed_arrays(&t, &f);
    arrays(&t, &f);
    places(&t, &f);
    joined_writers(&t, &f, "joined.npy", ASHLAR_TYPE_C);
    existing_targets(&t, &f);
    outputs_that_cannot_be(&t, &f);
    full_disk(&t, &f);
    unpublished_is_harmless(&t, &f, "u.npy", false);
    wrong_calls_are_refused(&t, &f, "w.npy");
    folder_remove(&f);
    return ashi_test_end(&t, "store_npy");
}
