/* store: dense Matrix Market files. */
#include "store_check.h"

#include <locale.h>
#include <math.h>
#include <signal.h>
#include <sys/resource.h>

static void make(const folder *f, const char *text, char place[PATH_BYTES])
{
    folder_name(f, "made.mtx", place);
    write_bytes(place, text, strlen(text));
}

static void random_shapes(ashi_test *t, const folder *f)
{
    char place[PATH_BYTES];
    folder_name(f, "a.mtx", place);
    for (uint64_t seed = 1; seed <= 100; seed++) {
        uint64_t state = seed;
        ashi_store_info info = random_info(&state);
        info.type = seed % 2 ? ASHLAR_TYPE_D : ASHLAR_TYPE_Z;
        round_trip(t, place, info, info.type, true, seed);
    }
    round_trip(t, place, matrix_info(ASHLAR_TYPE_D, 3, 9001, ASHLAR_COL_MAJOR), ASHLAR_TYPE_D, true, 1);
    round_trip(t, place, matrix_info(ASHLAR_TYPE_Z, 9001, 3, ASHLAR_ROW_MAJOR), ASHLAR_TYPE_Z, true, 2);
}

/* What is written as float is read as double, and rounds to the same float. */
static void floats_come_back(ashi_test *t, const folder *f)
{
    char place[PATH_BYTES];
    const float data[12] = {1.0f / 3.0f, -0.0f, 1e-45f, 3.4e38f, INFINITY, -INFINITY, 16777217.0f, 0.1f, 1, 2, 3, 4};
    double back[12];
    folder_name(f, "float.mtx", place);
    for (int complex = 0; complex < 2; complex++) {
        const int64_t rows = complex ? 3 : 6;
        const ashi_store_info info = matrix_info(complex ? ASHLAR_TYPE_C : ASHLAR_TYPE_S, rows, 2, ASHLAR_COL_MAJOR);
        ashi_store_info found = {0};
        ashi_store *store = NULL;
        CHECK(t, ashi_store_create(place, &info, &store, NULL) == ASHLAR_OK, "create");
        CHECK(t, ashi_store_write(store, 0, rows, 0, 1, data, 1, rows, NULL) == ASHLAR_OK, "first column");
        CHECK(t, ashi_store_write(store, 0, 1, 1, 1, data + 6, 1, 1, NULL) == ASHLAR_OK, "a piece of the second");
        CHECK(t, ashi_store_write(store, 0, 1, 1, 1, data + 6, 1, 1, NULL) == ASHLAR_ERR_ARG, "the same again");
        ashi_store_close(&store, NULL);
        CHECK(t, ashi_store_create(place, &info, &store, NULL) == ASHLAR_OK, "create");
        CHECK(t, ashi_store_write(store, 0, rows, 0, 2, data, 1, rows, NULL) == ASHLAR_OK, "both columns");
        CHECK(t, ashi_store_publish(store, NULL) == ASHLAR_OK, "publish");
        ashi_store_close(&store, NULL);
        CHECK(t, ashi_store_open(place, &store, &found, NULL) == ASHLAR_OK, "open");
        CHECK(t, found.type == (complex ? ASHLAR_TYPE_Z : ASHLAR_TYPE_D), "read as double");
        CHECK(t, ashi_store_read(store, 0, rows, 0, 2, back, 1, rows, NULL) == ASHLAR_OK, "read");
        for (int i = 0; i < 12; i++)
            CHECK(t, (float)back[i] == data[i] && !signbit(back[i]) == !signbit(data[i]), "%g", back[i]);
        ashi_store_close(&store, NULL);
    }
}

static long bytes_of(const char *place, char **out)
{
    FILE *file = fopen(place, "rb");
    long bytes = -1;
    *out = NULL;
    if (file && fseek(file, 0, SEEK_END) == 0 && (bytes = ftell(file)) >= 0 && (*out = malloc((size_t)bytes + 1))) {
        rewind(file);
        bytes = (long)fread(*out, 1, (size_t)bytes, file);
    }
    if (file)
        fclose(file);
    return bytes;
}

/* Written in any order, and read back before it is published, it becomes the text of the one written in order. */
static void shared_writing_gives_the_same_text(ashi_test *t, const folder *f, uint64_t seed)
{
    char place[PATH_BYTES], ordered[PATH_BYTES], *text[2];
    uint64_t state = seed;
    ashi_store_info info = random_info(&state);
    ashi_store *store = NULL;
    ashlar_error err = {0};
    info.type = seed % 2 ? ASHLAR_TYPE_D : ASHLAR_TYPE_Z;
    folder_name(f, "shared.mtx", place);
    folder_name(f, "ordered.mtx", ordered);
    round_trip(t, ordered, info, info.type, true, 2 * seed);
    CHECK(t, ashi_store_create_shared(place, &info, &store, &err) == ASHLAR_OK, "seed %" PRIu64 " %s", seed, err.text);
    CHECK(t, ashi_store_order(store) == ASHLAR_COL_MAJOR && ashi_store_plain_of(store).fd >= 0, "seed %" PRIu64, seed);
    write_matrix(t, store, &info, false, &state);
    check_unpublished(t, place, store, info, info.type, seed);
    CHECK(t, access(place, F_OK) != 0, "seed %" PRIu64 ": there before it is published", seed);
    CHECK(t, ashi_store_publish(store, &err) == ASHLAR_OK, "seed %" PRIu64 " %s", seed, err.text);
    ashi_store_close(&store, NULL);
    const long bytes[2] = {bytes_of(place, &text[0]), bytes_of(ordered, &text[1])};
    CHECK(t, text[0] && text[1] && bytes[0] == bytes[1] && memcmp(text[0], text[1], (size_t)bytes[0]) == 0,
          "seed %" PRIu64 ": other text", seed);
    free(text[0]);
    free(text[1]);
    unlink(place);
    unlink(ordered);
}

/* A disk without room for the text: nothing appears, and what was written can be gone on with. */
static void no_room_for_the_text(ashi_test *t, const folder *f)
{
    char place[PATH_BYTES];
    const ashi_store_info info = matrix_info(ASHLAR_TYPE_D, 1000, 2, ASHLAR_COL_MAJOR);
    const int files = folder_files(f, false);
    double data[1000];
    struct rlimit was, now;
    ashi_store *store = NULL;
    ashlar_error err = {0};
    folder_name(f, "room.mtx", place);
    for (int i = 0; i < 1000; i++)
        data[i] = 1.0 / (i + 3);
    getrlimit(RLIMIT_FSIZE, &was);
    now = was;
    now.rlim_cur = 20000; /* as numbers 16 KB, as text 40 */
    signal(SIGXFSZ, SIG_IGN);
    CHECK(t, setrlimit(RLIMIT_FSIZE, &now) == 0, "setrlimit");
    CHECK(t, ashi_store_create_shared(place, &info, &store, &err) == ASHLAR_OK, "%s", err.text);
    for (int j = 0; j < 2; j++)
        CHECK(t, ashi_store_write(store, 0, 1000, j, 1, data, 1, 1000, &err) == ASHLAR_OK, "%s", err.text);
    CHECK(t, ashi_store_publish(store, &err) == ASHLAR_ERR_IO && strstr(err.text, "room.mtx: cannot write: "), "%s",
          err.text);
    setrlimit(RLIMIT_FSIZE, &was);
    CHECK(t, access(place, F_OK) != 0 && access(ashi_store_temporary(store), F_OK) == 0 &&
          folder_files(f, false) == files + 1, "the numbers alone are there");
    ashi_store_close(&store, NULL);
    CHECK(t, folder_files(f, false) == files, "a file was left behind");
}

static void incomplete_output_is_refused(ashi_test *t, const folder *f)
{
    char place[PATH_BYTES];
    const ashi_store_info info = matrix_info(ASHLAR_TYPE_D, 2, 3, ASHLAR_COL_MAJOR);
    const double data[6] = {1, 2, 3, 4, 5, 6};
    ashi_store *store = NULL;
    ashlar_error err = {0};
    folder_name(f, "incomplete.mtx", place);
    CHECK(t, ashi_store_create(place, &info, &store, NULL) == ASHLAR_OK, "create");
    CHECK(t, ashi_store_order(store) == ASHLAR_COL_MAJOR, "order");
    CHECK(t, ashi_store_write(store, 0, 2, 0, 1, data, 1, 2, NULL) == ASHLAR_OK, "write");
    CHECK(t, ashi_store_publish(store, &err) == ASHLAR_ERR_ARG && strstr(err.text, "2 elements"), "%s", err.text);
    ashi_store_close(&store, NULL);
    CHECK(t, access(place, F_OK) != 0, "nothing appears");
}

/* Every box of a small matrix against the whole of it, so that mirrored elements are found from either side. */
static void check_whole(ashi_test *t, const char *place, bool complex, int64_t n, const double *wanted)
{
    ashi_store *store = NULL;
    ashi_store_info info = {0};
    ashlar_error err = {0};
    const int64_t words = complex ? 2 : 1;
    CHECK(t, ashi_store_open(place, &store, &info, &err) == ASHLAR_OK, "%s", err.text);
    CHECK(t, info.rows == n && info.cols == n && (info.type == ASHLAR_TYPE_Z) == complex, "%s", place);
    for (int64_t box = 0; store && box < n * n * n * n; box++) {
        const int64_t r0 = box % n, r1 = box / n % n, c0 = box / n / n % n, c1 = box / n / n / n;
        double data[32];
        if (r1 < r0 || c1 < c0)
            continue;
        const ashlar_status status = ashi_store_read(store, r0, r1 - r0 + 1, c0, c1 - c0 + 1, data, n, 1, &err);
        CHECK(t, status == ASHLAR_OK, "%s", err.text);
        for (int64_t i = r0; i <= r1; i++)
            for (int64_t j = c0; j <= c1; j++)
                for (int64_t w = 0; w < words; w++)
                    CHECK(t, data[((i - r0) * n + j - c0) * words + w] == wanted[(i * n + j) * words + w],
                          "%" PRId64 " %" PRId64, i, j);
    }
    ashi_store_close(&store, NULL);
}

static void symmetries(ashi_test *t, const folder *f)
{
    static const double general[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9}, symmetric[9] = {1, 2, 3, 2, 4, 5, 3, 5, 6};
    static const double skew[9] = {0, -1, -2, 1, 0, -3, 2, 3, 0};
    static const double hermitian[18] = {1, 0, 2, -3, 4, -5, 2, 3, 6, 0, 7, -8, 4, 5, 7, 8, 9, 0};
    char place[PATH_BYTES];
    make(f, "%%MatrixMarket matrix array real general\n% comment\n\n3 3\n1\n4\n7\n2\n5\n8\n3 6\n\n9", place);
    check_whole(t, place, false, 3, general);
    make(f, "%%matrixmarket MATRIX Array Integer SYMMETRIC\r\n3 3\r\n1\r\n2\r\n3\r\n+4\r\n5\r\n6\r\n", place);
    check_whole(t, place, false, 3, symmetric);
    make(f, "%%MatrixMarket matrix array real skew-symmetric\n3 3\n1\n2e0\n.3e1\n%end\n", place);
    check_whole(t, place, false, 3, skew);
    make(f, "%%MatrixMarket matrix array complex hermitian\n3 3\n1 0\n2 3\n4 5\n6 0\n7 8\n9 0\n", place);
    check_whole(t, place, true, 3, hermitian);
}

static void malformed_files(ashi_test *t, const folder *f)
{
#define BANNER "%%MatrixMarket matrix array real general\n"
    static const struct {
        const char *text, *says;
    } cases[] = {
        {"", "not a Matrix Market file"},
        {"1 1\n1\n", "not a Matrix Market file"},
        {"%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 1\n", "sparse (coordinate)"},
        {"%%MatrixMarket vector array real general\n1 1\n1\n", "wanted %%MatrixMarket matrix"},
        {"%%MatrixMarket matrix array real\n1 1\n1\n", "wanted %%MatrixMarket matrix"},
        {"%%MatrixMarket matrix array pattern general\n1 1\n1\n", "wanted the field"},
        {"%%MatrixMarket matrix array real hermitian\n1 1\n1\n", "hermitian, but not complex"},
        {"%%MatrixMarket matrix array real odd\n1 1\n1\n", "wanted general"},
        {"%%MatrixMarket matrix array real symmetric\n1 2\n1\n2\n", "not square"},
        {BANNER, "rows and columns"},
        {BANNER "2\n1\n1\n", "rows and columns"},
        {BANNER "1 1 1\n1\n", "rows and columns alone"},
        {BANNER "-1 1\n1\n", "rows and columns"},
        {BANNER "1 99999999999999999999\n1\n", "rows and columns"},
        {BANNER "4611686018427387904 4\n1\n", "too many"},
        {"%%MatrixMarket matrix array real symmetric\n9223372036854775807 9223372036854775807\n1\n", "too many"},
        {BANNER "100 100\n1\n2\n", "truncated: 10000 entries"},
        {BANNER "2 2\n1\n2\n3.00000\n", "truncated: it ends before the entry of row 2, column 2"},
        {BANNER "1 1\n1\n2\n", "something follows"},
        {BANNER "2 1\n1\nx2\n", "row 2, column 1 is not a number"},
        {BANNER "1 1\n0x10\n", "not a number"},
        {BANNER "1 1\n1e999\n", "not a number that fits"},
        {BANNER "1 1\n1,5\n", "not a number"},
        {BANNER "1 1\nnan(1)\n", "not a number"},
        {BANNER "1 1\n-\n", "not a number"},
        {BANNER "1 1\n1e\n", "not a number"},
        {"%%MatrixMarket matrix array integer general\n1 1\n1.5\n", "not a whole number"},
        {"%%MatrixMarket matrix array complex general\n1 2\n1 2\n30000\n", "truncated: it ends"},
    };
    char place[PATH_BYTES], word[3000];
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        make(f, cases[c].text, place);
        check_refused(t, place, ASHLAR_ERR_IO, cases[c].says);
    }
    snprintf(word, sizeof word, "%s1 1\n%02000d\n", BANNER, 1);
    make(f, word, place);
    check_refused(t, place, ASHLAR_ERR_IO, "more than 1023 characters");
    snprintf(word, sizeof word, "%%%%MatrixMarket%02000d", 1);
    make(f, word, place);
    check_refused(t, place, ASHLAR_ERR_IO, "a line of more than");
}

/* A program that talks German must still read and write points. Skipped quietly where no such locale is installed. */
static void locale_does_not_matter(ashi_test *t, const folder *f)
{
    char place[PATH_BYTES];
    folder_name(f, "locale.mtx", place);
    if (!setlocale(LC_ALL, "de_DE.UTF-8"))
        printf("store_mtx: no German locale here, so only the C locale is tested\n");
    round_trip(t, place, matrix_info(ASHLAR_TYPE_D, 4, 4, ASHLAR_COL_MAJOR), ASHLAR_TYPE_D, true, 1);
    setlocale(LC_ALL, "C");
}

int main(void)
{
    ashi_test t = {0};
    const folder f = folder_make();
    random_shapes(&t, &f);
    floats_come_back(&t, &f);
    for (uint64_t seed = 1; seed <= 30; seed++)
        shared_writing_gives_the_same_text(&t, &f, seed);
    no_room_for_the_text(&t, &f);
    joined_writers(&t, &f, "joined.mtx", ASHLAR_TYPE_Z);
    incomplete_output_is_refused(&t, &f);
    symmetries(&t, &f);
    malformed_files(&t, &f);
    locale_does_not_matter(&t, &f);
    unpublished_is_harmless(&t, &f, "u.mtx", true);
    wrong_calls_are_refused(&t, &f, "w.mtx");
    folder_remove(&f);
    return ashi_test_end(&t, "store_mtx");
}
