/* How well copies and products overlap: one product on an emulated device whose copies take half of, as long as, and
 * twice as long as its arithmetic, against the longest of copies in, copies out and arithmetic. Seconds are those that
 * the device counts by its rates, the same on any machine. */
#include "device/device.h"
#include "exec/onto_device.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { SIDE = 768, FLOPS = 400000000, BYTES = 8 };

static _Noreturn void stop(const char *why)
{
    fprintf(stderr, "device: %s\n", why);
    exit(1);
}

static ashi_onto *open_onto(double rate, int64_t memory, ashi_device **device)
{
    char text[128];
    ashi_onto *onto = NULL;
    ashlar_error err = {0};
    snprintf(text, sizeof text, "emulated:in=%.0f,out=%.0f,flops=%d,count-time=1", rate, rate, FLOPS);
    if (ashi_device_open(text, device, &err) != ASHLAR_OK)
        stop(err.text);
    const ashi_onto_request request = {.device = *device, .type = ASHLAR_TYPE_D, .memory_words = memory};
    if (ashi_onto_create(&request, &onto, &err) != ASHLAR_OK)
        stop(err.text);
    return onto;
}

/* Seconds beside the bound for copies that take `ratio` times as long as the arithmetic. */
static void measure(const ashi_onto_product *product, int64_t memory, double ratio)
{
    const double arithmetic = 2.0 * SIDE * SIDE * SIDE / FLOPS;
    ashi_device *device;
    ashi_nest nest;
    ashlar_error err = {0};
    double rate = 1e9;
    for (int time = 0; time < 2; time++) { /* the first finds how many words there are */
        ashi_onto *onto = open_onto(rate, memory, &device);
        if (ashi_onto_plan(onto, product, &nest, &err) != ASHLAR_OK)
            stop(err.text);
        const ashi_nest_figures f = ashi_nest_of_rank(&nest, 0);
        const double in = (double)(f.disk - f.c) * BYTES, out = (double)f.c * BYTES;
        if (time == 1) {
            const double longest = in > out ? in / rate : out / rate;
            const double bound = longest > arithmetic ? longest : arithmetic;
            if (ashi_onto_multiply(onto, product, &err) != ASHLAR_OK)
                stop(err.text);
            const double took = device->kind->facts(device).seconds;
            printf("%8" PRId64 " %10" PRId64 " %9" PRId64 "  %4.1f  %5.2f  %5.2f  %5.2f  %5.3f\n", memory, f.disk - f.c,
                   f.c, ratio, longest, arithmetic, took, took / bound);
        }
        rate = (in > out ? in : out) / (arithmetic * ratio);
        ashi_onto_free(&onto);
        ashi_device_close(&device);
    }
}

int main(void)
{
    const double one = 1, zero = 0;
    double *x = calloc((size_t)3 * SIDE * SIDE, sizeof *x);
    if (!x)
        stop("no memory");
    const ashi_onto_product product = {.m = SIDE, .n = SIDE, .k = SIDE, .alpha = &one, .beta = &zero, .a = {x, 1, SIDE},
                                       .b = {x + SIDE * SIDE, 1, SIDE}, .c = x + 2 * SIDE * SIDE, .minor_stride = 1,
                                       .major_stride = SIDE};
    printf("   words   words in words out  copy:arithmetic, seconds of both, seconds, over the longest\n");
    for (int parts = 4; parts <= 16; parts *= 4)
        for (double ratio = 0.5; ratio <= 2; ratio *= 2)
            measure(&product, SIDE * SIDE / parts, ratio);
    free(x);
    return 0;
}
