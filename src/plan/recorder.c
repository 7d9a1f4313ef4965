/* Recording what is finished of a product that goes through memory in pieces: a thread has it on the disk first. */
#include "base/error.h"
#include "base/quiet_thread.h"
#include "plan/resume.h"
#include "store/ending.h"
#include "store/file.h"
#include "store/leftover.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

/* A signal that ends the process removes the record with the output, unless both are kept. */
static ashlar_status remember(ashlar_file *file, ashlar_error *err)
{
    if (file->resumes) {
        ashi_store_keep(file->store);
        return ASHLAR_OK;
    }
    if (!file->record)
        file->record = ashi_beside_name(file->temporary, ASHI_BESIDE_RECORD);
    if (!file->record)
        return ashi_fail_memory(err, "record", (int64_t)strlen(file->temporary));
    ashi_ending_remember(file->record);
    return ASHLAR_OK;
}

ashlar_status ashi_resume_open(ashi_resume *r, ashlar_error *err)
{
    const int rank = r->file->context->rank;
    ashi_record_entry last;
    ashlar_status status = ASHLAR_OK;
    if (r->record.fd >= 0)
        return ASHLAR_OK;
    if (rank == 0)
        status = ashi_record_create(r->file->temporary, r->text, err);
    if (status == ASHLAR_OK && rank == 0)
        status = remember(r->file, err);
    return status == ASHLAR_OK ? ashi_record_open(r->file->temporary, rank, &r->record, &last, err) : status;
}

int64_t ashi_resume_memory(ashi_resume *r)
{
    if (r->summed < 0)
        r->summed = r->memory ? r->memory(r->context) : 0;
    return r->summed;
}

/* Only what is on the disk is finished. *noted: the record says so now. On another rank than 0 it may not be there. */
static ashlar_status sync_and_note(ashi_resume *r, int fd, ashi_record_entry entry, bool *noted, ashlar_error *err)
{
    ashlar_error told = {0};
    const ashlar_status status = ashi_file_sync_data(fd, r->file->place, err);
    *noted = status == ASHLAR_OK && ashi_resume_open(r, &told) == ASHLAR_OK &&
             (r->record.fd < 0 || ashi_record_note(&r->record, entry, &told) == ASHLAR_OK);
    return status;
}

/* The thread. A record that cannot be made is no failure of the product. */
static void *work(void *context)
{
    ashi_resume *r = context;
    pthread_mutex_lock(&r->mutex);
    while (!r->ends || r->busy) {
        if (!r->busy) {
            pthread_cond_wait(&r->come, &r->mutex);
            continue;
        }
        ashi_record_entry entry = r->entry;
        pthread_mutex_unlock(&r->mutex);
        entry.memory = ashi_resume_memory(r);
        ashlar_error err = {0};
        bool noted = false;
        const double start = ashi_trace_clock();
        const ashlar_status status = sync_and_note(r, ashi_store_plain_of(r->file->store).fd, entry, &noted, &err);
        pthread_mutex_lock(&r->mutex);
        if (status != ASHLAR_OK && r->failure.status == ASHLAR_OK)
            r->failure = err;
        r->lost = r->lost || !noted;
        r->took = ashi_trace_clock() - start;
        r->busy = false;
    }
    pthread_mutex_unlock(&r->mutex);
    return NULL;
}

static bool start(ashi_resume *r)
{
    if (pthread_mutex_init(&r->mutex, NULL) != 0)
        return false;
    if (pthread_cond_init(&r->come, NULL) != 0) {
        pthread_mutex_destroy(&r->mutex);
        return false;
    }
    r->started = ashi_quiet_thread_start(&r->thread, work, r);
    if (!r->started) {
        pthread_cond_destroy(&r->come);
        pthread_mutex_destroy(&r->mutex);
    }
    return r->started;
}

/* Whether it is time for another record; the mutex is held if there is a thread. */
static bool is_time(const ashi_resume *r, int64_t items, double time)
{
    const double between = r->seconds > 0 ? r->seconds : fmax(ASHI_RECORD_SECONDS, ASHI_RECORD_PART * r->took);
    return !r->lost && !r->busy && items > r->offered && time - r->began >= between;
}

void ashi_resume_offer(ashi_resume *r, int64_t items)
{
    const double time = ashi_trace_clock();
    if (!r->started && is_time(r, items, time))
        r->lost = !start(r); /* without a thread nothing is recorded */
    if (!r->started)
        return;
    pthread_mutex_lock(&r->mutex);
    if (is_time(r, items, time)) {
        r->entry = (ashi_record_entry){r->base + items, 0, 0};
        r->busy = true;
        r->offered = items;
        r->began = time;
        pthread_cond_signal(&r->come);
    }
    pthread_mutex_unlock(&r->mutex);
}

ashlar_status ashi_resume_epoch_ends(ashi_resume *r, ashlar_status mine, int64_t items, int fd, ashlar_error *err)
{
    const ashlar_context *c = r->file->context;
    bool noted = false;
    ashlar_status status = ashi_agree_named(c, mine, err); /* all have written */
    if (status != ASHLAR_OK)
        return status;
    status = sync_and_note(r, fd, (ashi_record_entry){r->base + items, r->epoch, ashi_resume_memory(r)}, &noted, err);
    if (status == ASHLAR_OK && (!noted || r->record.fd < 0))
        status = ashi_fail_file(err, ASHLAR_ERR_IO, r->file->place, "what is finished cannot be recorded");
    return ashi_agree_named(c, status, err);
}

void ashi_resume_began(ashi_resume *r)
{
    r->began = ashi_trace_clock();
}

ashlar_status ashi_resume_end(ashi_resume *r, ashlar_error *err)
{
    if (r->started) {
        pthread_mutex_lock(&r->mutex);
        r->ends = true;
        pthread_cond_signal(&r->come);
        pthread_mutex_unlock(&r->mutex);
        pthread_join(r->thread, NULL);
        pthread_cond_destroy(&r->come);
        pthread_mutex_destroy(&r->mutex);
        r->started = false;
    }
    if (r->sums >= 0)
        close(r->sums);
    r->sums = -1;
    ashi_record_close(&r->record);
    if (r->series) {
        r->series->began = r->began;
        r->series->took = r->took;
        r->series->lost = r->lost;
        r->series->summed = r->summed;
    }
    return r->failure.status == ASHLAR_OK ? ASHLAR_OK : ashi_fail(err, r->failure.status, "%s", r->failure.text);
}
