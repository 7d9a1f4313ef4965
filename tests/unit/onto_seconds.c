/* Copies, products and the way back of C overlap on a device: by its own count of time a product takes at most 1.15 of
 * the longest of copies in, copies out and arithmetic, whatever the host is busy with. Bytes are those of each type. */
#include "base/type.h"
#include "device/device.h"
#include "exec/onto_device.h"
#include "search/onto_seconds.h"
#include "test.h"

enum { SIDE = 192, FLOPS = 4000000, BYTES = 8 };

static void open_onto(ashi_test *t, double rate, int64_t memory, ashi_device **device, ashi_onto **onto)
{
    char text[128];
    ashlar_error err = {0};
    snprintf(text, sizeof text, "emulated:in=%.0f,out=%.0f,flops=%d,count-time=1", rate, rate, FLOPS);
    ashlar_status status = ashi_device_open(text, device, &err);
    const ashi_onto_request request = {.device = *device, .type = ASHLAR_TYPE_D, .memory_words = memory};
    if (status == ASHLAR_OK)
        status = ashi_onto_create(&request, onto, &err);
    CHECK(t, status == ASHLAR_OK, "%s", err.text);
    if (status != ASHLAR_OK)
        exit(1);
}

/* Seconds that the product takes at a rate of copies, and the words that go in. */
static double seconds_of(ashi_test *t, const ashi_onto_product *p, int64_t memory, double rate, int64_t *in)
{
    ashi_device *device = NULL;
    ashi_onto *onto = NULL;
    ashi_nest nest;
    ashlar_error err = {0};
    open_onto(t, rate, memory, &device, &onto);
    CHECK(t, ashi_onto_plan(onto, p, &nest, &err) == ASHLAR_OK, "%s", err.text);
    CHECK(t, ashi_onto_multiply(onto, p, &err) == ASHLAR_OK, "%s", err.text);
    const double seconds = device->kind->facts(device).seconds;
    *in = ashi_onto_total(onto)->in;
    ashi_onto_free(&onto);
    ashi_device_close(&device);
    return seconds;
}

static void way_back_is_hidden(ashi_test *t, const ashi_onto_product *p, int64_t memory, double ratio)
{
    const double arithmetic = 2.0 * SIDE * SIDE * SIDE / FLOPS;
    int64_t in, again;
    seconds_of(t, p, memory, 1e6, &in);
    const double rate = (double)in * BYTES / (arithmetic * ratio);
    const double seconds = seconds_of(t, p, memory, rate, &in), copies = (double)in * BYTES / rate;
    const double longest = copies > arithmetic ? copies : arithmetic;
    CHECK(t, seconds <= 1.15 * longest, "%" PRId64 " words, %g: %g s for %g s", memory, ratio, seconds, longest);
    CHECK(t, seconds >= longest, "%" PRId64 " words, %g: %g s for %g s", memory, ratio, seconds, longest);
    const double other = seconds_of(t, p, memory, rate, &again);
    CHECK(t, again == in && other >= seconds && other <= seconds, "%g s and %g s", seconds, other);
}

/* With slow copies in, or slow copies out, and all else at no time a product takes what the bytes of its words take,
 * and that is predicted, but for the first copy in and the last copy out. */
static void bytes_are_priced(ashi_test *t, ashlar_type type, bool in)
{
    enum { N = 64, MEMORY = 600, RATE = 1000 };
    static const double fast = 1e15;
    static char a[N * N * 8], b[N * N * 8], c[N * N * 8]; /* zeros */
    const float one = 1;
    const double one_d = 1;
    const void *scalar = ashi_type_word(type) == 4 ? (const void *)&one : &one_d;
    const ashi_onto_product p = {.m = N, .n = N, .k = N, .alpha = scalar, .beta = scalar, .a = {a, 1, N},
                                 .b = {b, 1, N}, .c = c, .minor_stride = 1, .major_stride = N};
    const ashi_onto_rates rates = {in ? RATE : fast, in ? fast : RATE, fast, 0};
    char text[128];
    ashi_device *device = NULL;
    ashi_onto *onto = NULL;
    ashi_nest nest;
    ashlar_error err = {0};
    snprintf(text, sizeof text, "emulated:in=%.0f,out=%.0f,flops=%.0f,count-time=1", rates.in, rates.out, rates.flops);
    CHECK(t, ashi_device_open(text, &device, &err) == ASHLAR_OK, "%s", err.text);
    const ashi_onto_request request = {.device = device, .type = type, .memory_words = MEMORY};
    CHECK(t, ashi_onto_create(&request, &onto, &err) == ASHLAR_OK, "%s", err.text);
    CHECK(t, ashi_onto_plan(onto, &p, &nest, &err) == ASHLAR_OK, "%s", err.text);
    CHECK(t, ashi_onto_multiply(onto, &p, &err) == ASHLAR_OK, "%s", err.text);
    const ashi_nest_figures f = ashi_nest_of_rank(&nest, 0);
    const double bytes[2] = {(double)ashlar_type_bytes(type), (double)ashi_type_bytes(type, ASHLAR_C)};
    const double want = (in ? (double)(f.a + f.b) * bytes[0] + (double)(f.c0 + f.back) * bytes[1]
                            : (double)f.c * bytes[1]) / RATE;
    const double took = device->kind->facts(device).seconds;
    const ashi_onto_problem problem = {.size = {N, N, N}, .type = type, .adds = true, .minor = {true, true, true},
                                       .memory_words = MEMORY};
    const double predicted = ashi_onto_predict(&problem, &nest, &rates);
    const double ends = 3.0 * MEMORY * bytes[1] / RATE;
    CHECK(t, took >= want * 0.999999 && took <= want * 1.000001, "type %d: %g s, %g are right", (int)type, took, want);
    CHECK(t, predicted >= want * 0.999999 && predicted <= want + ends, "type %d: %g s predicted, %g are right",
          (int)type, predicted, want);
    ashi_onto_free(&onto);
    ashi_device_close(&device);
}

int main(void)
{
    ashi_test t = {0};
    const double one = 1, zero = 0;
    double *x = calloc((size_t)3 * SIDE * SIDE, sizeof *x);
    if (!x)
        return 1;
    const ashi_onto_product p = {.m = SIDE, .n = SIDE, .k = SIDE, .alpha = &one, .beta = &zero, .a = {x, 1, SIDE},
                                 .b = {x + SIDE * SIDE, 1, SIDE}, .c = x + 2 * SIDE * SIDE, .minor_stride = 1,
                                 .major_stride = SIDE};
    ashi_onto_product by_rows = p;
    by_rows.a.minor_stride = by_rows.minor_stride = by_rows.b.major_stride = SIDE;
    by_rows.a.major_stride = by_rows.major_stride = 1;
    by_rows.b.minor_stride = 1;
    for (double ratio = 0.5; ratio <= 2; ratio *= 2)
        for (int64_t parts = 4; parts <= 16; parts *= 4) {
            way_back_is_hidden(&t, &p, SIDE * SIDE / parts, ratio);
            way_back_is_hidden(&t, &by_rows, SIDE * SIDE / parts, ratio);
        }
    static const ashlar_type types[] = {ASHLAR_TYPE_S, ASHLAR_TYPE_D, ASHLAR_TYPE_H, ASHLAR_TYPE_B};
    for (int i = 0; i < 8; i++)
        bytes_are_priced(&t, types[i / 2], i % 2);
    free(x);
    return ashi_test_end(&t, "onto_seconds");
}
