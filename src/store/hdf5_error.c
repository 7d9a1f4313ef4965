/* HDF5's errors: kept from being printed, and reported with the reason that HDF5 gives. */
#include "store/hdf5_error.h"

#include "store/file.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define REASON_BYTES 160

static pthread_mutex_t one_thread = PTHREAD_MUTEX_INITIALIZER;

ashi_hdf5_printing ashi_hdf5_enter(void)
{
    ashi_hdf5_printing was = {NULL, NULL};
    pthread_mutex_lock(&one_thread);
    H5dont_atexit();
    H5Eget_auto2(H5E_DEFAULT, &was.function, &was.data);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return was;
}

void ashi_hdf5_leave(ashi_hdf5_printing was)
{
    H5Eset_auto2(H5E_DEFAULT, was.function, was.data);
    pthread_mutex_unlock(&one_thread);
}

void ashi_hdf5_close(hid_t id)
{
    if (id < 0)
        return;
    const hid_t errors = H5Eget_current_stack(); /* which empties it */
    H5Idec_ref(id);
    if (errors >= 0)
        H5Eset_current_stack(errors);
}

/* What is found in HDF5's list of errors, from the innermost outwards. */
typedef struct reasons {
    char system[REASON_BYTES]; /* the text of an errno */
    char first[REASON_BYTES];  /* the innermost reason */
    char plugin[REASON_BYTES]; /* the innermost reason of those that only say that a folder of plugins was searched */
} reasons;

static herr_t take_reason(unsigned n, const H5E_error2_t *entry, void *out)
{
    static const char mark[] = "error message = '";
    reasons *r = out;
    const char *text = entry->desc ? entry->desc : "", *system = strstr(text, mark);
    char *kept = entry->maj_num == H5E_PLUGIN ? r->plugin : r->first;
    (void)n;
    if (!kept[0])
        snprintf(kept, REASON_BYTES, "%s", text);
    if (system && !r->system[0])
        snprintf(r->system, REASON_BYTES, "%.*s", (int)strcspn(system + sizeof mark - 1, "'"),
                 system + sizeof mark - 1);
    return 0;
}

/* Why the last call failed; empty if it did not, or gives no reason. */
static const char *find_reason(reasons *r)
{
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, take_reason, r);
    return r->system[0] ? r->system : r->first[0] ? r->first : r->plugin;
}

ashlar_status ashi_hdf5_fail(const ashi_file_place *place, const char *what, ashlar_error *err)
{
    reasons r = {"", "", ""};
    const char *reason = find_reason(&r);
    return ashi_fail_file(err, ASHLAR_ERR_IO, place->path, "%s (HDF5: %s)", what,
                          reason[0] ? reason : "no reason given");
}

ashlar_status ashi_hdf5_refuse(const ashi_file_place *place, ashlar_error *err, const char *format, ...)
{
    char what[ASHLAR_MESSAGE_MAX];
    reasons r = {"", "", ""};
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    return find_reason(&r)[0] ? ashi_hdf5_fail(place, what, err)
                              : ashi_fail_file(err, ASHLAR_ERR_IO, place->path, "%s", what);
}
