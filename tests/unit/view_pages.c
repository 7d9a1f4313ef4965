/* The pages that tilings of matrices seen in arrays are said to move: those in which elements of their boxes lie. */
#include "plan/view_pages.h"

#include "engine/grid_schedule.h"
#include "engine/nest_items.h"
#include "model/rates.h"
#include "test.h"

enum { SIDE = 24, ALL = SIDE * SIDE * SIDE, START = 1000, BYTES = 8, PAGES = (START + ALL * BYTES) / 4096 + 1 };

/* An array of 24 x 24 x 24 doubles as a matrix: the dimension `single` is one side of it, the other two are the other
 * one, their order in the file or not. */
static ashi_unfolding view_of(int single, bool rows, bool in_order)
{
    ashi_unfolding view = {.order = 3, .stride = {SIDE * SIDE, SIDE, 1}};
    for (int i = 0; i < 3; i++) {
        const int d = in_order ? 2 - i : i;
        ashi_unfolding_side *side = &view.side[(d == single) != rows];
        side->index[side->count++] = (ashi_unfolding_index){SIDE, UINT64_C(1) << d, 1};
    }
    return view;
}

/* Bytes after the array's first element, found without the code that is tested. */
static int64_t place_of(const ashi_unfolding *view, const int64_t at[2])
{
    int64_t place = 0;
    for (int s = 0; s < 2; s++) {
        int64_t left = at[s];
        for (int i = 0; i < view->side[s].count; i++, left /= SIDE)
            for (int d = 0; d < 3; d++)
                place += view->side[s].index[i].dimensions >> d & 1 ? left % SIDE * view->stride[d] * BYTES : 0;
    }
    return place;
}

static double pages_of(const ashi_plain_file *file, const ashi_box *box)
{
    bool met[PAGES] = {false};
    double pages = 0;
    for (int64_t i = box->minor_lo; i < box->minor_hi; i++)
        for (int64_t j = box->major_lo; j < box->major_hi; j++) {
            const int64_t at[2] = {file->turned ? j : i, file->turned ? i : j};
            met[(START + place_of(file->view, at)) / ASHI_DISK_PAGE] = true;
        }
    for (int p = 0; p < PAGES; p++)
        pages += met[p];
    return pages * ASHI_DISK_PAGE;
}

/* All items of all ranks, as docs/TENSORS.md says what is moved. */
static ashi_tiling_bytes expected(const ashi_tiling_request *q, const ashi_nest *nest, ashlar_operand x,
                                  const ashi_plain_file *file)
{
    ashi_tiling_bytes sum = {0, 0};
    for (int64_t rank = 0; rank < nest->ranks; rank++) {
        const ashi_nest_place place = ashi_nest_place_of(nest, rank);
        for (int64_t i = 0; i < place.items; i++) {
            const ashi_nest_item item = ashi_nest_item_of(nest, &place, i);
            const ashi_box whole = ashi_nest_box(&item, x);
            const ashi_box box = ashi_nest_piece(nest, x, &whole, ashi_nest_sharers(&item, x),
                                                 ashi_nest_sharer(&place, x));
            const double own = (double)((box.minor_hi - box.minor_lo) * (box.major_hi - box.major_lo) * BYTES);
            const double bytes = (x == nest->stays && !item.first) || item.idle ? 0 : pages_of(file, &box);
            const bool again = q->adds || (nest->stays != ASHLAR_C && item.block[2] > 0);
            sum.read += x < ASHLAR_C || again ? bytes : bytes > 0 ? bytes - own : 0;
            sum.written += x == ASHLAR_C ? bytes : 0;
        }
    }
    return sum;
}

static void tilings_are_counted(ashi_test *t)
{
    uint64_t state = 5;
    for (int i = 0; i < 200; i++) {
        const ashlar_operand x = (ashlar_operand)ashi_random_in(&state, 0, 2);
        const int index = (int)ashi_random_in(&state, 0, 2);
        const bool rows = ashi_random_in(&state, 0, 1);
        const ashi_unfolding view = view_of(index, rows, ashi_random_in(&state, 0, 1));
        const ashi_plain_file file = {.fd = -1, .offset = START, .view = &view, .turned = ashi_random_in(&state, 0, 1)};
        const int64_t minor = rows != file.turned ? SIDE : SIDE * SIDE, major = ALL / minor;
        const int a = ashi_dims_of[x][0], b = ashi_dims_of[x][1];
        ashi_nest nest = {.ranks = 2, .stays = (ashlar_operand)ashi_random_in(&state, 0, 2), .parts = {1, 1},
                          .team = {1, 1}, .strips = 1, .ahead = 1, .minor = {true, true, true}};
        nest.size[a] = minor;
        nest.size[b] = major;
        nest.size[3 - a - b] = 10;
        nest.team[nest.stays == ASHLAR_B] = 2;
        for (int d = 0; d < 3; d++)
            nest.cut[d] = ashi_random_in(&state, 1, 5);
        const ashi_tiling_request q = {.bytes = BYTES, .adds = ashi_random_in(&state, 0, 1)};
        const ashi_tiling_bytes wanted = expected(&q, &nest, x, &file);
        ashi_tiling_bytes got = {-1, -1};
        const bool made = ashi_view_pages(&q, &nest, x, &file, &got);
        CHECK(t, made && got.read == wanted.read && got.written == wanted.written,
              "tiling %d: %g read, %g written, wanted %g, %g", i, got.read, got.written, wanted.read, wanted.written);
    }
}

int main(void)
{
    ashi_test t = {0};
    tilings_are_counted(&t);
    return ashi_test_end(&t, "view_pages");
}
