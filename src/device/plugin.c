/* Finding and opening the plug-in of a kind of device. */
#define _GNU_SOURCE /* dladdr */
#include "device/plugin.h"

#include "base/error.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FOLDERS = 3 };

/* Where to look: `count` folders. */
typedef struct places {
    char folder[FOLDERS][PATH_MAX];
    int count;
} places;

static void add_folder(places *p, const char *format, const char *text, const char *more)
{
    const int n = snprintf(p->folder[p->count], PATH_MAX, format, text, more);
    p->count += n > 0 && n < PATH_MAX;
}

static void find_places(places *p)
{
    static const char inside = 0; /* any address of the library */
    const char *told = getenv("ASHLAR_PLUGINS");
    Dl_info info = {0};
    char own[PATH_MAX];
    p->count = 0;
    if (told && told[0] != '\0') {
        add_folder(p, "%s%s", told, "");
        return;
    }
    if (dladdr(&inside, &info) != 0 && info.dli_fname && realpath(info.dli_fname, own)) {
        char *end = strrchr(own, '/');
        *(end ? end : own) = '\0';
        add_folder(p, "%s%s", own, "");
        add_folder(p, "%s/%s", own, ASHI_PLUGINS_FROM_PROGRAMS);
    }
    add_folder(p, "%s%s", ASHI_PLUGINS_FOLDER, "");
}

/* The path of a file that is there; else false, and in `out` where it was looked for. */
static bool find_file(const places *p, const char *file, char *out, size_t room)
{
    for (int i = 0; i < p->count; i++) {
        const int n = snprintf(out, room, "%s/%s", p->folder[i], file);
        if (n > 0 && (size_t)n < room && access(out, F_OK) == 0)
            return true;
    }
    size_t used = 0;
    out[0] = '\0';
    for (int i = 0; i < p->count && used < room; i++) {
        const int n = snprintf(out + used, room - used, "%s%s", i > 0 ? ", " : "", p->folder[i]);
        used += n > 0 ? (size_t)n : 0;
    }
    return false;
}

/* What a file exports, if it is a plug-in of this version for this kind. */
static ashlar_status check(const char *name, const char *path, const ashi_device_plugin *plugin, ashlar_error *err)
{
    if (!plugin)
        return ashi_fail(err, ASHLAR_ERR_DEVICE, "device: %s: %s is no plug-in of Ashlar: it has no "
                         ASHI_DEVICE_PLUGIN_NAME, name, path);
    if (plugin->interface != ASHI_DEVICE_INTERFACE || strcmp(plugin->version, ashlar_version()) != 0)
        return ashi_fail(err, ASHLAR_ERR_DEVICE, "device: %s: %s is of Ashlar %s with interface %" PRId64
                         ", wanted Ashlar %s with interface %d", name, path, plugin->version, plugin->interface,
                         ashlar_version(), ASHI_DEVICE_INTERFACE);
    if (strcmp(plugin->kind->name, name) != 0)
        return ashi_fail(err, ASHLAR_ERR_DEVICE, "device: %s: %s is the plug-in of '%s'", name, path,
                         plugin->kind->name);
    return ASHLAR_OK;
}

/* Vendors' libraries do not like to be closed, so a good plug-in stays open for the life of the process. *missing:
 * there is no such file. */
static ashlar_status open_file(const char *name, const char *file, const ashi_device_kind **out, bool *missing,
                               ashlar_error *err)
{
    char path[FOLDERS * PATH_MAX];
    places where;
    find_places(&where);
    *missing = !find_file(&where, file, path, sizeof path);
    if (*missing)
        return ashi_fail(err, ASHLAR_ERR_DEVICE, "device: %s: there is no plug-in %s in %s", name, file, path);
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
        const char *why = dlerror();
        return ashi_fail(err, ASHLAR_ERR_DEVICE, "device: %s: %s", name, why ? why : path);
    }
    const ashi_device_plugin *plugin = dlsym(handle, ASHI_DEVICE_PLUGIN_NAME);
    const ashlar_status status = check(name, path, plugin, err);
    if (status == ASHLAR_OK)
        *out = plugin->kind;
    else
        dlclose(handle);
    return status;
}

/* ---- CUDA ---- */

static pthread_mutex_t cuda_mutex = PTHREAD_MUTEX_INITIALIZER;
static const ashi_device_kind *cuda_calls; /* NULL: not opened yet */

static ashlar_status load_cuda(const ashi_device_kind **out, bool *missing, ashlar_error *err)
{
    ashlar_status status = ASHLAR_OK;
    *missing = false;
    pthread_mutex_lock(&cuda_mutex);
    if (!cuda_calls)
        status = open_file(ashi_cuda_kind.name, "libashlar_cuda.so", &cuda_calls, missing, err);
    *out = cuda_calls;
    pthread_mutex_unlock(&cuda_mutex);
    return status;
}

static ashlar_status open_cuda(const char *options, ashi_device **out, ashlar_error *err)
{
    const ashi_device_kind *calls = NULL;
    bool missing;
    *out = NULL;
    const ashlar_status status = load_cuda(&calls, &missing, err);
    return status == ASHLAR_OK ? calls->open(options, out, err) : status;
}

static ashlar_status count_cuda(int64_t *out, ashlar_error *err)
{
    const ashi_device_kind *calls = NULL;
    bool missing;
    *out = 0;
    const ashlar_status status = load_cuda(&calls, &missing, err);
    if (missing)
        return ASHLAR_OK;
    return status == ASHLAR_OK ? calls->count(out, err) : status;
}

const ashi_device_kind ashi_cuda_kind = {
    .name = "cuda",
    .options = "NUMBER, memory=BYTES, pinned=BYTES, in=BYTES_A_SECOND, out=BYTES_A_SECOND, flops=OPERATIONS_A_SECOND",
    .open = open_cuda,
    .count = count_cuda,
};
