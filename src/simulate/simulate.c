/* Count exactly what a run would move and hold, over all ranks' programs. */
#include "simulate/simulate.h"

#include "base/checked.h"
#include "model/rates.h"
#include "simulate/count.h"

#include <math.h>

ashlar_status ashi_need_of(ashi_schedule *schedule, int64_t rank, ashi_need *out, ashlar_error *err)
{
    ashi_program program = {0};
    ashlar_status status = ashi_program_of(schedule, &program, err);
    if (status == ASHLAR_OK)
        status = ashi_count_program(&program, rank, out, err);
    ashi_program_free(&program);
    return status;
}

void ashi_totals_add(ashi_totals *t, const ashi_need *need)
{
    t->words_max = ashi_max(t->words_max, need->received);
    t->words_total += need->received;
    t->sent_max = ashi_max(t->sent_max, need->sent);
    t->messages_max = ashi_max(t->messages_max, ashi_max(need->received_messages, need->sent_messages));
    t->memory_max = ashi_max(t->memory_max, need->share + need->workspace);
    t->share_max = ashi_max(t->share_max, need->share);
    t->workspace_max = ashi_max(t->workspace_max, need->workspace);
    t->fixed_max = ashi_max(t->fixed_max, need->share + need->c_words);
    t->panels_max = ashi_max(t->panels_max, need->panel_words);
    t->sums_max = ashi_max(t->sums_max, need->sum_words);
    t->sums_cols_max = ashi_max(t->sums_cols_max, need->sum_cols);
    t->copied_max = ashi_max(t->copied_max, need->copied);
    t->products_max = ashi_max(t->products_max, need->products);
    t->thin_max = ashi_max(t->thin_max, need->thin);
    t->messages_total += ashi_max(need->received_messages, need->sent_messages);
    t->copied_total += need->copied;
    t->products_total += need->products;
    t->thin_total += need->thin;
    t->disk_max = ashi_max(t->disk_max, need->read + need->written);
    t->disk_total += need->read + need->written;
}

static ashlar_status count_ranks(ashi_program *program, void (*progress)(void *context, int64_t done, int64_t of),
                                 void *context, ashi_totals *out, ashlar_error *err)
{
    for (int64_t rank = 0; rank < program->ranks; rank++) {
        ashi_need need;
        const ashlar_status status = ashi_count_program(program, rank, &need, err);
        if (status != ASHLAR_OK)
            return status;
        ashi_totals_add(out, &need);
        if (progress)
            progress(context, rank + 1, program->ranks);
    }
    return ASHLAR_OK;
}

ashlar_status ashi_simulate(ashi_schedule *schedule, void (*progress)(void *context, int64_t done, int64_t of),
                            void *context, ashi_totals *out, ashlar_error *err)
{
    ashi_program program = {0};
    *out = (ashi_totals){0};
    ashlar_status status = ashi_program_of(schedule, &program, err);
    if (status == ASHLAR_OK)
        status = count_ranks(&program, progress, context, out, err);
    ashi_program_free(&program);
    out->words_mean = (double)out->words_total / (double)schedule->ranks;
    return status;
}

/* Nothing hidden: what is overlapped may still be in the way of something else. Thin products count where words are
 * copies, as those cost no more than going through a matrix once more; on a network words are what is saved. */
static double seconds_of(const ashi_pace *pace, double products, double words, double messages, double copied)
{
    const ashlar_machine *machine = pace->machine;
    const double bytes = (double)pace->bytes;
    return products * pace->flops / machine->flops_per_second + words * bytes / machine->bandwidth +
           messages * machine->latency + copied * bytes / machine->copy_bandwidth;
}

double ashi_predict_seconds(const ashi_totals *t, const ashi_pace *pace)
{
    const double turns = fmax(1, pace->ranks_per_core) / (double)pace->ranks;
    const bool shares = ashi_shares_memory(pace->machine);
    const double busiest = seconds_of(pace, (double)t->products_max, (double)ashi_max(t->words_max, t->sent_max),
                                      (double)t->messages_max, (double)(t->copied_max + (shares ? t->thin_max : 0)));
    const double together = seconds_of(pace, (double)t->products_total, (double)t->words_total,
                                       (double)t->messages_total,
                                       (double)(t->copied_total + (shares ? t->thin_total : 0)));
    const double disk = (double)t->disk_max * (double)pace->bytes / pace->machine->disk_bandwidth;
    return fmax(busiest, together * turns) + disk;
}
