/* What a step takes about, from how its arrays are dealt out: so quick that many layouts can be compared. */
#include "base/checked.h"
#include "base/type.h"
#include "contract/steps.h"

/* More ranks than these are not looked at one by one. */
enum { RANKS_MOST = 64, ARRAYS = 3 };

/* The arrays of a step: each index once. */
typedef struct view {
    const ashi_expression *e;
    const ashlar_tensor_layout *const *layout;
    int arrays;
    ashi_index_list once[ARRAYS];
    int64_t extent[ARRAYS][ASHI_ORDER_MOST];
} view;

static const ashi_index_list *list_of(const view *v, int x)
{
    return x == v->arrays - 1 ? &v->e->output : &v->e->operand[x];
}

static void look(const ashi_expression *e, const ashlar_tensor_layout *const *layout, view *v)
{
    *v = (view){.e = e, .layout = layout, .arrays = e->operands + 1};
    for (int x = 0; x < v->arrays; x++) {
        const ashi_index_list *const list = list_of(v, x);
        ashi_index_list *const once = &v->once[x];
        for (int d = 0; d < list->order; d++) {
            if (ashi_index_find(list, list->index[d]) != d)
                continue;
            v->extent[x][once->order] = e->extent[list->index[d]];
            once->index[once->order++] = list->index[d];
        }
    }
}

/* Words of array x with the values that the rank has of array `stays`; with `own`, those of them that it has of x. */
static int64_t words_of(const view *v, int x, int stays, bool own, int rank)
{
    const ashi_dealt_by by[2] = {{v->layout[stays], list_of(v, stays)->index}, {v->layout[x], list_of(v, x)->index}};
    return ashi_tensor_layout_part_of(v->once[x].order, v->extent[x], v->once[x].index, by, own ? 2 : 1, rank);
}

/* Multiply-adds for the rank's part of the array that stays. */
static double work_of(const view *v, int stays, int rank)
{
    double work = (double)words_of(v, stays, stays, false, rank);
    bool seen[ASHI_INDICES_MOST] = {false};
    for (int d = 0; d < v->once[stays].order; d++)
        seen[v->once[stays].index[d]] = true;
    for (int x = 0; x < v->arrays; x++)
        for (int d = 0; d < v->once[x].order; d++) {
            const int index = v->once[x].index[d];
            work *= seen[index] ? 1 : (double)v->e->extent[index];
            seen[index] = true;
        }
    return work;
}

double ashi_contract_steps_estimate(const ashi_expression *e, const ashlar_tensor_layout *const *layout, int ranks,
                                    ashlar_type type, const ashlar_machine *machine)
{
    const double by_word = (double)ashlar_type_bytes(type) / machine->bandwidth;
    const double by_work = ashi_type_of(type)->flops / machine->flops_per_second;
    double least = 0;
    view v;
    look(e, layout, &v);
    for (int stays = 0; stays < v.arrays; stays++) {
        double longest = 0;
        for (int i = 0; i < ranks && i < RANKS_MOST && (stays == 0 || longest < least); i++) {
            const int rank = ranks <= RANKS_MOST ? i : (int)((int64_t)i * ranks / RANKS_MOST);
            double seconds = work_of(&v, stays, rank) * by_work;
            for (int x = 0; x < v.arrays; x++)
                if (x != stays)
                    seconds += by_word * (double)(words_of(&v, x, stays, false, rank) -
                                                  words_of(&v, x, stays, true, rank));
            longest = seconds > longest ? seconds : longest;
        }
        least = stays == 0 || longest < least ? longest : least;
    }
    return least;
}
