/* The figures of all ranks of a plan. */
#include "base/checked.h"
#include "contract/plan.h"

ashlar_figures ashi_contract_join(const ashlar_contraction_plan *plan, const ashi_player_tally *mine, int64_t memory,
                                  double seconds)
{
    const MPI_Comm comm = plan->context->comm;
    const int64_t own[3] = {mine->received, ashi_max(mine->received_messages, mine->sent_messages), memory};
    int64_t most[3] = {own[0], own[1], own[2]}, total = own[0];
    double longest = seconds;
    ashi_note(plan->context, MPI_Allreduce(own, most, 3, MPI_INT64_T, MPI_MAX, comm), "MPI_Allreduce");
    ashi_note(plan->context, MPI_Allreduce(own, &total, 1, MPI_INT64_T, MPI_SUM, comm), "MPI_Allreduce");
    ashi_note(plan->context, MPI_Allreduce(&seconds, &longest, 1, MPI_DOUBLE, MPI_MAX, comm), "MPI_Allreduce");
    return (ashlar_figures){.words_max = most[0], .words_mean = (double)total / plan->context->ranks,
                            .words_total = total, .messages_max = most[1], .memory_words = most[2],
                            .seconds = longest};
}

void ashi_contract_add_figures(ashlar_figures *sum, const ashlar_figures *one)
{
    sum->words_max += one->words_max;
    sum->words_total += one->words_total;
    sum->words_mean += one->words_mean;
    sum->messages_max += one->messages_max;
    sum->disk_words += one->disk_words;
    sum->memory_words = ashi_max(sum->memory_words, one->memory_words);
    sum->seconds += one->seconds;
    sum->read_seconds += one->read_seconds;
    sum->write_seconds += one->write_seconds;
    sum->resumed = one->resumed;
}
