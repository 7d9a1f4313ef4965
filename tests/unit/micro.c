/* Small blocks of C by each kernel that this processor can run, not only the fastest. Exactly: elements are small
 * integers. */
#include "kernel/micro.h"
#include "kernel/pack.h"
#include "test.h"

#include "base/type.h"
#include "element.h"

#include <string.h>

/* Rows in one piece: the first `wanted` of them in `wide` columns. */
static void kernel_case(ashi_test *t, ashlar_type type, const ashi_micro *micro, int wanted, int wide, int64_t k,
                        bool add)
{
    enum { BYTES = 16, DEPTH = 40 };
    static char a[ASHI_MICRO_ROWS_MOST * DEPTH * BYTES], b[ASHI_MICRO_COLS_MOST * DEPTH * BYTES];
    static char c[ASHI_MICRO_ROWS_MOST * ASHI_MICRO_COLS_MOST * BYTES];
    const int parts = ashi_type_of(type)->flops == 8 ? 2 : 1, rows = micro->rows, cols = micro->cols;
    const ashlar_type real = type == ASHLAR_TYPE_S || type == ASHLAR_TYPE_C ? ASHLAR_TYPE_S : ASHLAR_TYPE_D;
    int64_t at[ASHI_MICRO_COLS_MOST];
    for (int64_t i = 0; i < parts * rows * k; i++)
        set_element(real, a, i, (double)(i * 7 % 11 - 5));
    for (int64_t i = 0; i < parts * cols * k; i++)
        set_element(real, b, i, (double)(i * 5 % 13 - 6));
    for (int64_t i = 0; i < rows * cols; i++)
        set_element(type, c, i, (double)(i % 5) + I * (double)(i % 3));
    for (int j = 0; j < cols; j++)
        at[j] = (int64_t)(cols - 1 - j) * rows;
    micro->form(wanted, wide, k, a, b, add, c, NULL, at);
    const int formed = micro->exact ? wanted : (wanted + micro->lanes - 1) / micro->lanes * micro->lanes;
    int64_t wrong = 0;
    for (int64_t j = 0; j < cols; j++)
        for (int64_t i = 0; i < rows; i++) {
            double _Complex sum = 0;
            for (int64_t l = 0; l < k; l++) {
                const int64_t x = l * parts * rows + i, y = l * parts * cols + j;
                sum += (get_element(real, a, x) + (parts == 2 ? I * get_element(real, a, x + rows) : 0)) *
                       (get_element(real, b, y) + (parts == 2 ? I * get_element(real, b, y + cols) : 0));
            }
            const int64_t to = at[j] + i;
            const bool outside = i >= formed || j >= wide, kept = add || outside;
            const double _Complex before = kept ? (double)(to % 5) + (parts == 2 ? I * (double)(to % 3) : 0) : 0;
            wrong += get_element(type, c, to) != (outside ? 0 : sum) + before;
        }
    CHECK(t, wrong == 0, "type %d, %d of %d x %d of %d, k %" PRId64, (int)type, wanted, rows, wide, cols, k);
}

/* ---- rows in two pieces ---- */

/* Where the lower piece begins, beyond the upper one. */
enum { APART = ASHI_MICRO_ROWS_MOST * ASHI_MICRO_COLS_MOST };

/* Columns of the upper piece end where the next begin, in descending order; those of the lower one have gaps. */
static int64_t place(const ashi_micro *micro, int split, int i, int j)
{
    return i < split ? (int64_t)(micro->cols - 1 - j) * split + i
                     : APART + (int64_t)j * (micro->rows - split + 3) + i - split;
}

/* Nothing beside the pieces is touched. */
static void split_case(ashi_test *t, ashlar_type type, const ashi_micro *micro, int split, int64_t k)
{
    enum { DEPTH = 40, WORDS = APART + (ASHI_MICRO_ROWS_MOST + 3) * ASHI_MICRO_COLS_MOST };
    static double a[ASHI_MICRO_ROWS_MOST * DEPTH], b[ASHI_MICRO_COLS_MOST * DEPTH], c[WORDS], wanted[WORDS];
    const int rows = micro->rows, cols = micro->cols;
    int64_t at[2][ASHI_MICRO_COLS_MOST], wrong = 0;
    for (int64_t i = 0; i < rows * k; i++)
        set_element(type, a, i, (double)(i * 7 % 11 - 5));
    for (int64_t i = 0; i < cols * k; i++)
        set_element(type, b, i, (double)(i * 5 % 13 - 6));
    for (int64_t i = 0; i < WORDS; i++) {
        wanted[i] = (double)(i % 5);
        set_element(type, c, i, wanted[i]);
    }
    for (int j = 0; j < cols; j++) {
        at[0][j] = place(micro, split, 0, j);
        at[1][j] = place(micro, split, split, j) - APART;
        for (int i = 0; i < rows; i++)
            for (int64_t l = 0; l < k; l++)
                wanted[place(micro, split, i, j)] +=
                    creal(get_element(type, a, l * rows + i) * get_element(type, b, l * cols + j));
    }
    void *const to[2] = {c, (char *)c + APART * ashi_type_of(type)->bytes};
    micro->add_split(split, k, a, b, to, (const int64_t *const[]){at[0], at[1]});
    for (int64_t i = 0; i < WORDS; i++)
        wrong += get_element(type, c, i) != wanted[i];
    CHECK(t, wrong == 0, "type %d, %d of %d rows, k %" PRId64 ": %" PRId64 " elements", (int)type, split, rows, k,
          wrong);
}

/* ---- packing ---- */

/* Elements in runs of `run` neighbours (0: the positions of the sum are neighbours): each width of registers packs them
 * like the shortest, and that one as the panels' order says. */
static void pack_case(ashi_test *t, ashlar_type type, int64_t run, int64_t minors, int64_t majors)
{
    enum { BYTES = 16, SIDE = 60, WIDTH = 12 };
    static char from[4 * SIDE * SIDE * BYTES], packed[(SIDE + WIDTH) * SIDE * BYTES], first[sizeof packed];
    const int parts = ashi_type_of(type)->flops == 8 ? 2 : 1;
    const ashlar_type real = type == ASHLAR_TYPE_S || type == ASHLAR_TYPE_C ? ASHLAR_TYPE_S : ASHLAR_TYPE_D;
    int64_t minor[SIDE], major[SIDE], wrong = 0;
    const ashi_pack *all[ASHI_SIMD_KINDS];
    for (int64_t i = 0; i < 2 * SIDE * SIDE; i++)
        set_element(type, from, i, (double)i + I * (double)(i % 77));
    for (int64_t i = 0; i < minors; i++)
        minor[i] = run == 0 ? i * SIDE : i / run * 2 * run + i % run;
    for (int64_t p = 0; p < majors; p++)
        major[p] = run == 0 ? p : p * SIDE / 2;
    for (int kind = ashi_pack_all(type, all) - 1, shortest = kind; kind >= 0; kind--) {
        const size_t size = (size_t)((minors + WIDTH - 1) / WIDTH * WIDTH * majors) * ashi_type_of(type)->bytes;
        memset(packed, 1, sizeof packed);
        all[kind]->pack(&(ashi_scattered){minor, major, minors, majors}, from, true, WIDTH, packed);
        if (kind == shortest)
            memcpy(first, packed, sizeof packed);
        wrong += memcmp(first, packed, size) != 0;
    }
    for (int64_t i = 0; i < minors; i++)
        for (int64_t p = 0; p < majors; p++) {
            const int64_t at = (i / WIDTH * majors + p) * WIDTH * parts + i % WIDTH;
            const double _Complex x = get_element(type, from, minor[i] + major[p]);
            wrong += creal(get_element(real, first, at)) != creal(x);
            wrong += parts == 2 && creal(get_element(real, first, at + WIDTH)) != -cimag(x);
        }
    CHECK(t, wrong == 0, "type %d, runs of %" PRId64 ", %" PRId64 " x %" PRId64, (int)type, run, minors, majors);
}

int main(void)
{
    ashi_test t = {0};
    for (int type = 0; type < 4; type++)
        for (int64_t run = 0; run < 15; run++)
            for (int64_t minors = 5; minors < 60; minors += 9)
                pack_case(&t, (ashlar_type)type, run, minors, minors % 2 == 0 ? 37 : 16);
    for (int type = 0; type < 4; type++) {
        const ashi_micro *all[ASHI_SIMD_KINDS];
        const int kinds = ashi_micro_all((ashlar_type)type, all);
        for (int i = 0; i < kinds; i++)
            for (int64_t k = 0; k < 40; k += 13) {
                for (int wanted = 1; wanted <= all[i]->rows; wanted++)
                    kernel_case(&t, (ashlar_type)type, all[i], wanted, 1 + wanted % all[i]->cols, k, k % 2 == 0);
                for (int split = 1; split < all[i]->rows && all[i]->add_split; split++)
                    split_case(&t, (ashlar_type)type, all[i], split, k);
            }
    }
    return ashi_test_end(&t, "micro");
}
