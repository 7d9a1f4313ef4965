/* Copies, permutations and products of a contraction overlap on a device: by its own count of time it takes at most
 * 1.15 of the longest of copies in, copies out and arithmetic, and about what is predicted. */
#include "exec/onto_contract.h"
#include "kernel/positions.h"
#include "test.h"

enum { FLOPS = 4000000, BYTES = 8 };

/* What a contraction took. */
typedef struct taken {
    double seconds, predicted;
    int64_t in, out;
    bool overlaps;
} taken;

static double products_of(const ashi_contraction *p)
{
    return (double)ashi_positions_of(&p->rows) * (double)ashi_positions_of(&p->cols) *
           (double)ashi_positions_of(&p->depth) * (double)ashi_positions_of(&p->batch);
}

static taken contract(ashi_test *t, const ashi_contraction *p, int64_t memory, double rate, bool adds)
{
    const double one = 1, zero = 0;
    const ashi_device_terms terms = {.type = p->type, .memory_words = memory, .rates = {rate, rate, FLOPS, 0}};
    int64_t words = ashi_positions_of(&p->batch) * 128 * 128;
    double *data = calloc((size_t)words * 3, sizeof *data);
    ashi_device *device = NULL;
    ashi_onto *onto = NULL;
    ashi_onto_way way;
    ashlar_error err = {0};
    void *workspace = NULL;
    char text[128];
    bool able = false;
    snprintf(text, sizeof text, "emulated:in=%.0f,out=%.0f,flops=%d,count-time=1", rate, rate, FLOPS);
    ashlar_status status = data ? ashi_device_open(text, &device, &err) : ASHLAR_ERR_MEMORY;
    const ashi_onto_request request = {.device = device, .type = p->type, .memory_words = memory};
    if (status == ASHLAR_OK)
        status = ashi_onto_create(&request, &onto, &err);
    if (status == ASHLAR_OK)
        status = ashi_onto_way_choose(p, &terms, adds, &way, &able, &err);
    CHECK(t, status == ASHLAR_OK && able && !way.by_matrices, "%s", err.text);
    if (status != ASHLAR_OK || posix_memalign(&workspace, 64, (size_t)ashi_onto_contract_bytes(onto, &way) + 1) != 0)
        exit(1);
    const ashi_onto_arguments with = {.alpha = &one, .a = data, .b = data + words, .beta = adds ? &one : &zero,
                                      .c = data + 2 * words, .workspace = workspace};
    CHECK(t, ashi_onto_contract(onto, &way, &with, &err) == ASHLAR_OK, "%s", err.text);
    const ashi_onto_tally *tally = ashi_onto_total(onto);
    CHECK(t, tally->in == way.need.in && tally->out == way.need.out && tally->held == way.need.held &&
          tally->held <= memory && tally->on_host == 0, "%" PRId64 " words in, %" PRId64 " predicted", tally->in,
          way.need.in);
    const taken took = {device->kind->facts(device).seconds, way.need.seconds, tally->in, tally->out,
                        way.cut.overlaps};
    ashi_onto_free(&onto);
    ashi_device_close(&device);
    free(workspace);
    free(data);
    return took;
}

/* At a rate of copies at which those in take `ratio` times the arithmetic, or near it: words depend on it. */
static void all_overlaps(ashi_test *t, const char *what, const ashi_contraction *p, int64_t memory, double ratio,
                         bool adds)
{
    const double arithmetic = 2 * products_of(p) / FLOPS;
    double rate = 1e6;
    for (int i = 0; i < 2; i++)
        rate = (double)contract(t, p, memory, rate, adds).in * BYTES / (arithmetic * ratio);
    const taken took = contract(t, p, memory, rate, adds);
    const double in = (double)took.in * BYTES / rate, out = (double)took.out * BYTES / rate;
    double longest = in > out ? in : out;
    longest = longest > arithmetic ? longest : arithmetic;
    CHECK(t, took.overlaps && took.seconds <= 1.15 * longest && took.seconds >= longest,
          "%s, %" PRId64 " words, %g: %g s for in %g, out %g, arithmetic %g", what, memory, ratio, took.seconds, in,
          out, arithmetic);
    CHECK(t, took.predicted >= 0.9 * took.seconds && took.predicted <= 1.1 * took.seconds,
          "%s, %" PRId64 " words, %g: %g s predicted, %g taken", what, memory, ratio, took.predicted, took.seconds);
}

int main(void)
{
    ashi_test t = {0};
    /* A(k1 m1 k2 m2), B(n1 k1 n2 k2), C(m1 n1 m2 n2), the fastest first: all are permuted. */
    const ashi_contraction tensors = {
        .type = ASHLAR_TYPE_D, .rows = {2, {{8, {8, 0, 1}}, {16, {1024, 0, 64}}}},
        .cols = {2, {{8, {0, 1, 8}}, {16, {0, 64, 1024}}}}, .depth = {2, {{8, {1, 8, 0}}, {16, {64, 1024, 0}}}}};
    /* A batch in the middle of each: A(m z k), B(k z n), C(n z m). */
    const ashi_contraction batch = {
        .type = ASHLAR_TYPE_D, .rows = {1, {{24, {1, 0, 24 * 64}}}}, .cols = {1, {{24, {0, 24 * 64, 1}}}},
        .depth = {1, {{24, {24 * 64, 1, 0}}}}, .batch = {1, {{64, {24, 24, 24}}}}};
    for (double ratio = 0.5; ratio <= 2; ratio *= 2)
        for (int adds = 0; adds < 2; adds++) {
            for (int64_t parts = 4; parts <= 16; parts *= 4)
                all_overlaps(&t, "tensors", &tensors, 128 * 128 / parts, ratio, adds);
            all_overlaps(&t, "batch", &batch, 64 * 24 * 24 * 4, ratio, adds);
            all_overlaps(&t, "batch", &batch, 64 * 24 * 24 / 2, ratio, adds);
        }
    return ashi_test_end(&t, "contract_seconds");
}
