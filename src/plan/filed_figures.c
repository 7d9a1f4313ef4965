/* What matrices in files cost: words that pass between ranks and files, and seconds. */
#include "model/rates.h"
#include "plan/plan.h"

bool ashi_filed_passes(const ashi_filed *f)
{
    return f->streamed.on || f->mixed.on;
}

bool ashi_filed_calls(const ashi_filed *f)
{
    for (int x = 0; x < 4; x++)
        if (f->file[x] && f->file[x]->store && ashi_store_is_made(f->file[x]->store))
            return true;
    return false;
}

int64_t ashi_filed_disk_words(const ashlar_plan *plan)
{
    const ashlar_problem *p = &plan->problem;
    const int64_t words[4] = {p->m * p->k, p->k * p->n, p->m * p->n, p->m * p->n};
    int64_t all = 0;
    if (plan->filed.streamed.on)
        return plan->filed.streamed.total.disk;
    for (int x = 0; x < 4; x++)
        all += plan->filed.file[x] && !(plan->empty && x < 2) ? words[x] : 0;
    return all;
}

double ashi_filed_word_seconds(const ashlar_file *file)
{
    const bool has = file && file->store && !file->created;
    const ashi_store_chunks pieces = has ? ashi_store_packed(file->store) : (ashi_store_chunks){0};
    if (pieces.rows == 0)
        return 0;
    return 1.0 / (!pieces.packed ? ASHI_CHUNKED_WORDS : pieces.bytes > 0 ? ASHI_UNPACKED_WORDS : ASHI_PARSED_WORDS);
}

void ashi_filed_seconds(const ashlar_plan *plan, double *reading, double *writing)
{
    const ashlar_problem *p = &plan->problem;
    const double rate = plan->disk_words_per_second * plan->context->ranks;
    const double c = plan->filed.file[ASHLAR_C] ? (double)p->m * (double)p->n : 0;
    *reading = *writing = 0;
    if (!plan->filed.any || ashi_filed_passes(&plan->filed))
        return;
    *writing = c / rate;
    *reading = ((double)ashi_filed_disk_words(plan) - c) / rate;
}
