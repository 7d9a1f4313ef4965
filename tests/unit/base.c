/* base: the arithmetic, the cutting of ranges, the tables. */
#include "base/checked.h"
#include "base/error.h"
#include "base/interrupt.h"
#include "base/type.h"
#include "test.h"

#include <string.h>

static void cuts_cover_the_range(ashi_test *t, uint64_t seed)
{
    uint64_t state = seed;
    const int64_t n = ashi_random_in(&state, 0, 1000), parts = ashi_random_in(&state, 1, 50);
    CHECK(t, ashi_cut(n, parts, 0) == 0 && ashi_cut(n, parts, parts) == n, "seed %" PRIu64, seed);
    for (int64_t i = 0; i < parts; i++) {
        const int64_t lo = ashi_cut(n, parts, i), hi = ashi_cut(n, parts, i + 1);
        CHECK(t, hi - lo == ashi_cut_size(n, parts, i), "seed %" PRIu64, seed);
        CHECK(t, hi - lo == n / parts || hi - lo == n / parts + 1, "seed %" PRIu64, seed);
        for (int64_t x = lo; x < hi; x++)
            CHECK(t, ashi_cut_find(n, parts, x) == i, "seed %" PRIu64 " x %" PRId64, seed, x);
    }
}

int main(void)
{
    ashi_test t = {0};
    int64_t r = 0;
    int i = 0;
    CHECK(&t, ashi_mul(INT64_MAX / 2, 2, &r) && !ashi_mul(INT64_MAX / 2 + 1, 2, &r), "mul");
    CHECK(&t, ashi_add(INT64_MAX - 1, 1, &r) && !ashi_add(INT64_MAX, 1, &r), "add");
    CHECK(&t, ashi_to_int(INT_MAX, &i) && !ashi_to_int((int64_t)INT_MAX + 1, &i), "to_int");
    for (uint64_t seed = 1; seed <= 200; seed++)
        cuts_cover_the_range(&t, seed);

    ashlar_error err = {0};
    CHECK(&t, ashi_fail(&err, ASHLAR_ERR_ARG, "k = %d, wanted k >= 0", -1) == ASHLAR_ERR_ARG, "fail");
    CHECK(&t, strcmp(err.text, "k = -1, wanted k >= 0") == 0 && err.status == ASHLAR_ERR_ARG, "%s", err.text);
    CHECK(&t, strcmp(ashlar_status_name(ASHLAR_ERR_LIMIT), "ASHLAR_ERR_LIMIT") == 0, "name");
    CHECK(&t, strcmp(ashlar_status_name((ashlar_status)99), "unknown status") == 0, "unknown");

    CHECK(&t, strcmp(ashlar_status_name(ASHLAR_ERR_DEVICE), "ASHLAR_ERR_DEVICE") == 0, "the last name");
    CHECK(&t, ashi_interrupt_check(&err) == ASHLAR_OK, "nobody has asked");
    ashlar_interrupt(7);
    CHECK(&t, ashi_interrupt_check(&err) == ASHLAR_ERR_INTERRUPTED && strcmp(err.text, "interrupted") == 0, "%s",
          err.text);
    ashlar_interrupt(0);
    CHECK(&t, ashi_interrupt_check(&err) == ASHLAR_OK, "asked no longer");

    for (int type = ASHLAR_TYPE_S; type <= (int)ASHLAR_TYPE_B; type++)
        CHECK(&t, ashi_type_of((ashlar_type)type)->letter == "sdczhb"[type], "type %d", type);
    CHECK(&t, ashlar_type_bytes((ashlar_type)7) == 0, "no such type");
    return ashi_test_end(&t, "base");
}
