/* Public structures between versions: shorter ones and longer ones, the default machine, and the version macros. */
#include "base/structure.h"
#include "test.h"

#include <ashlar/machine.h>
#include <string.h>

/* A structure in three versions; ours is the second. */
typedef struct first_version {
    size_t size;
    int64_t a;
} first_version;

typedef struct our_version {
    size_t size;
    int64_t a, b;
} our_version;

typedef struct later_version {
    size_t size;
    int64_t a, b, c;
} later_version;

static ashlar_status take(const void *structure, our_version *out, ashlar_error *err)
{
    const ashi_filled filled = {"caller", "thing", structure, ASHI_FIRST_VERSION(our_version, a)};
    *out = (our_version){.b = 7};
    *err = (ashlar_error){0};
    return ashi_structure_take(&filled, out, sizeof *out, err);
}

static void taken(ashi_test *t)
{
    const first_version old = {sizeof old, 3}, silent = {0, 4};
    const our_version same = {sizeof same, 5, 6};
    const later_version empty = {sizeof empty, 8, 9, 0}, full = {sizeof full, 8, 9, 10};
    our_version got;
    ashlar_error err;
    CHECK(t, sizeof old == ASHI_FIRST_VERSION(our_version, a), "%zu bytes", sizeof old);
    CHECK(t, take(&old, &got, &err) == ASHLAR_OK && got.a == 3 && got.b == 7 && got.size == sizeof got, "%s", err.text);
    CHECK(t, take(&silent, &got, &err) == ASHLAR_OK && got.a == 4 && got.b == 7, "%s", err.text);
    CHECK(t, take(&same, &got, &err) == ASHLAR_OK && got.a == 5 && got.b == 6, "%s", err.text);
    CHECK(t, take(&empty, &got, &err) == ASHLAR_OK && got.a == 8 && got.b == 9 && got.size == sizeof got, "%s",
          err.text);
    CHECK(t, take(&full, &got, &err) == ASHLAR_ERR_ARG && got.a == 0 && got.b == 7, "a = %" PRId64, got.a);
    CHECK(t, strcmp(err.text, "caller: thing has a member that this library, version " ASHLAR_VERSION_STRING
                              ", lacks; wanted 0 in it") == 0, "%s", err.text);
}

/* Sizes that no version has, as memory that was never filled may hold. */
static void wrong_sizes(ashi_test *t)
{
    const size_t sizes[] = {1, 8, 15, 4097, SIZE_MAX};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        const our_version wrong = {sizes[i], 1, 2};
        our_version got;
        ashlar_error err;
        char text[ASHLAR_MESSAGE_MAX];
        snprintf(text, sizeof text, "caller: thing.size = %zu, wanted 0 or 24", sizes[i]);
        CHECK(t, take(&wrong, &got, &err) == ASHLAR_ERR_ARG && strcmp(err.text, text) == 0, "%s", err.text);
    }
}

static void given(ashi_test *t)
{
    const our_version ours = {1, 2, 3};
    first_version old[2] = {{9, 9}, {9, 9}};
    later_version later = {9, 9, 9, 9};
    ashi_structure_give(&ours, sizeof ours, &old[0], sizeof old[0]);
    CHECK(t, old[0].size == 1 && old[0].a == 2 && old[1].size == 9, "what is behind an old structure was written to");
    ashi_structure_give(&ours, sizeof ours, &later, sizeof later);
    CHECK(t, later.size == 1 && later.a == 2 && later.b == 3 && later.c == 0, "c = %" PRId64, later.c);
}

/* A default for a program of a later version, and for one whose structure ends earlier. */
static void defaults(ashi_test *t)
{
    const ashlar_machine machine = ashlar_machine_default();
    struct {
        ashlar_machine known;
        int64_t more;
    } later;
    struct {
        unsigned char known[offsetof(ashlar_machine, disk_bandwidth)], behind[sizeof(ashlar_machine)];
    } old;
    memset(&later, 255, sizeof later);
    memset(&old, 255, sizeof old);
    ashlar_machine_default_sized(&later.known, sizeof later);
    CHECK(t, later.known.size == sizeof later && later.more == 0 && later.known.disk_bandwidth == 0.5e9,
          "size %zu, then %" PRId64, later.known.size, later.more);
    ashlar_machine_default_sized((ashlar_machine *)(void *)&old, sizeof old.known);
    size_t size = 0;
    memcpy(&size, &old, sizeof size);
    CHECK(t, size == sizeof old.known && memcmp(old.known + sizeof size, (const char *)&machine + sizeof size,
                                                sizeof old.known - sizeof size) == 0, "size %zu", size);
    CHECK(t, old.behind[0] == 255, "what is behind an old structure was written to");
    CHECK(t, machine.size == sizeof machine && machine.torus_dims == 0, "size %zu", machine.size);
}

/* The header's version against that of the build. */
static void version(ashi_test *t)
{
    char text[64];
    snprintf(text, sizeof text, "%d.%d.%d", ASHLAR_VERSION_MAJOR, ASHLAR_VERSION_MINOR, ASHLAR_VERSION_PATCH);
    CHECK(t, strcmp(text, ASHI_VERSION) == 0, "%s in the header, %s in the build", text, ASHI_VERSION);
    CHECK(t, strcmp(ASHLAR_VERSION_STRING, text) == 0, "%s", ASHLAR_VERSION_STRING);
    CHECK(t, strcmp(ashlar_version(), text) == 0, "%s", ashlar_version());
    int major = -1, minor = -1, patch = -1;
    sscanf(ASHI_VERSION, "%d.%d.%d", &major, &minor, &patch);
    CHECK(t, ASHLAR_VERSION == major * 10000 + minor * 100 + patch, "%d", ASHLAR_VERSION);
}

int main(void)
{
    ashi_test t = {0};
    taken(&t);
    wrong_sizes(&t);
    given(&t);
    defaults(&t);
    version(&t);
    return ashi_test_end(&t, "structure");
}
