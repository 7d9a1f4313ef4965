/* Numbers as people write them: each way gives its value, and what is no number is refused. */
#include "base/number.h"
#include "test.h"

#include <locale.h>

static void sizes(ashi_test *t)
{
    static const struct {
        const char *text;
        int64_t bytes;
    } right[] = {{"0", 0}, {"7", 7}, {"7B", 7}, {"9007199254740993", 9007199254740993}, {"1e3", 1000},
                 {"1.5KiB", 1536}, {"12MB", 12000000}, {"1GB", 1000000000}, {"2TB", 2000000000000}, {"3kB", 3000},
                 {"3KB", 3000}, {"3k", 3000}, {"4mib", 4194304}, {"4MIB", 4194304}, {"4Mi", 4194304}, {"5m", 5000000},
                 {"6gb", 6000000000}, {"1TiB", 1099511627776}, {"1ti", 1099511627776}, {"8b", 8}, {".5kb", 500}};
    static const char *const wrong[] = {"", "much", "-1GiB", "inf", "nan", "1e300", "0x10", "1GX", "1 GB", " 1", "1GBs",
                                        "1 ", "MB", "1B B", "12MBit", "9223372036854775808", "1,5GB", "k", "1kk"};
    int64_t bytes = -1;
    for (size_t i = 0; i < sizeof right / sizeof right[0]; i++)
        CHECK(t, ashi_number_size(right[i].text, &bytes) && bytes == right[i].bytes, "%s is %" PRId64, right[i].text,
              bytes);
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        CHECK(t, !ashi_number_size(wrong[i], &bytes), "'%s' is taken for %" PRId64, wrong[i], bytes);
}

static void counts(ashi_test *t)
{
    static const char *const wrong[] = {"", "1.5", "1KiB", "-1", "1x", "inf", "1e19", "0x1"};
    int64_t count = -1;
    CHECK(t, ashi_number_count("4096", &count) && count == 4096, "4096");
    CHECK(t, ashi_number_count("1.5e3", &count) && count == 1500, "1.5e3");
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        CHECK(t, !ashi_number_count(wrong[i], &count), "'%s' is taken for %" PRId64, wrong[i], count);
}

static void reals(ashi_test *t)
{
    double value = 0;
    CHECK(t, ashi_number_real("-2.5e-1", &value) && value == -0.25, "-2.5e-1");
    CHECK(t, !ashi_number_real("1s", &value) && !ashi_number_real("", &value) && !ashi_number_real("nan", &value),
          "no number is taken for %g", value);
}

/* The drop-in reads the environment of programs that may have called setlocale. Not tried without such a locale. */
static void decimal_commas(ashi_test *t)
{
    int64_t bytes = -1;
    if (setlocale(LC_NUMERIC, "de_DE.UTF-8") || setlocale(LC_NUMERIC, "fr_FR.UTF-8"))
        CHECK(t, ashi_number_size("1.5k", &bytes) && bytes == 1500, "1.5k with a decimal comma: %" PRId64, bytes);
    setlocale(LC_NUMERIC, "C");
}

int main(void)
{
    ashi_test t = {0};
    sizes(&t);
    counts(&t);
    reals(&t);
    decimal_commas(&t);
    return ashi_test_end(&t, "number");
}
