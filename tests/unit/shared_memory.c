/* In shared memory a little more words are no reason to move sums; over a network they are. */
#include "choosing.h"
#include "test.h"

#include <ashlar/layout.h>
#include <inttypes.h>

/* Square matrices of a side, in blocks of 64 on rows x cols processes, that share two cores. */
typedef struct sample {
    int64_t side;
    int rows, cols;
} sample;

static ashlar_status choose_with(const sample *s, double bandwidth, ashi_choice *out, ashlar_error *err)
{
    ashlar_layout *layout = NULL;
    ashi_problem q = problem_of(s->side, s->side, s->side, s->rows * s->cols);
    ashlar_status status = ashlar_layout_block_cyclic(s->side, s->side, 64, 64, s->rows, s->cols, 0, 0, NULL,
                                                      ASHLAR_COL_MAJOR, 0, &layout, err);
    for (int x = 0; x < 3; x++)
        q.layout[x] = layout;
    q.least_words = false;
    q.ranks_per_core = s->rows * s->cols / 2.0;
    q.machine.bandwidth = bandwidth;
    if (status == ASHLAR_OK)
        status = ashi_choose(&q, NULL, walk_all, NULL, out, err);
    ashlar_layout_free(&layout);
    return status;
}

/* The grid of the layout keeps C in its place; boxes cut along k, too, move an eighth to a fifth fewer words. */
static void one_sample(ashi_test *t, const sample *s)
{
    const ashlar_machine machine = ashlar_machine_default();
    ashi_choice memory = {0}, network = {0};
    ashlar_error err = {0};
    const bool chosen = choose_with(s, machine.copy_bandwidth / 2, &memory, &err) == ASHLAR_OK &&
                        choose_with(s, machine.bandwidth, &network, &err) == ASHLAR_OK;
    CHECK(t, chosen, "%" PRId64 " on %d x %d: %s", s->side, s->rows, s->cols, err.text);
    if (chosen) {
        const int64_t *grid = memory.compared[memory.taken].grid;
        CHECK(t, grid[0] == s->rows && grid[1] == s->cols && grid[2] == 1, "%" PRId64 " on %d x %d: %s, %" PRId64 " x %"
              PRId64 " x %" PRId64, s->side, s->rows, s->cols, memory.strategy->name, grid[0], grid[1], grid[2]);
        CHECK(t, network.totals.words_max < memory.totals.words_max, "%" PRId64 " on %d x %d: %" PRId64
              " words over a network, %" PRId64 " in shared memory", s->side, s->rows, s->cols,
              network.totals.words_max, memory.totals.words_max);
    }
    ashi_choice_free(&memory);
    ashi_choice_free(&network);
}

int main(void)
{
    static const sample samples[] = {{500, 1, 7}, {500, 7, 1}, {1000, 1, 7}, {1000, 7, 1}, {2000, 1, 7}, {1000, 2, 7}};
    ashi_test t = {0};
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++)
        one_sample(&t, &samples[i]);
    return ashi_test_end(&t, "shared_memory");
}
