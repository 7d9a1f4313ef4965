/* The kind of device that a test is about. The environment's ASHLAR_TEST_DEVICE names it: `emulated`, also if it is not
 * set; `fake`, the plug-in for CUDA over a CUDA that the host plays (support/fake_cuda.h); `cuda`, a GPU. */
#ifndef ASHI_TEST_DEVICE_KIND_H
#define ASHI_TEST_DEVICE_KIND_H

#include "device/emulated.h"
#include "device/plugin.h"
#include "test.h"

#include <dlfcn.h>
#include <limits.h>

typedef enum device_kind { KIND_EMULATED, KIND_FAKE, KIND_CUDA } device_kind;

static inline device_kind kind_under_test(void)
{
    const char *told = getenv("ASHLAR_TEST_DEVICE");
    return !told || strcmp(told, "emulated") == 0 ? KIND_EMULATED : strcmp(told, "fake") == 0 ? KIND_FAKE : KIND_CUDA;
}

/* A function of the plug-in, which is open. The fake's are for tests. */
static inline void *in_plugin(const char *name)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/libashlar_cuda.so", getenv("ASHLAR_PLUGINS"));
    void *handle = dlopen(path, RTLD_NOW | RTLD_NOLOAD), *found = handle ? dlsym(handle, name) : NULL;
    if (!found) {
        fprintf(stderr, "%s is not in %s\n", name, path);
        exit(1);
    }
    dlclose(handle);
    return found;
}

static inline void fake_set(const char *text)
{
    void (*call)(const char *) = NULL;
    *(void **)&call = in_plugin("fake_cuda_set");
    call(text);
}

static inline int64_t fake_number(const char *name)
{
    int64_t (*call)(void) = NULL;
    *(void **)&call = in_plugin(name);
    return call();
}

/* End the program as skipped, with the reason, if there is no such device here. */
static inline void need_device(void)
{
    int64_t count = 0;
    ashi_device *device = NULL;
    ashlar_error err = {0};
    if (kind_under_test() == KIND_EMULATED)
        return;
    if (ashi_cuda_kind.count(&count, &err) == ASHLAR_OK && count > 0)
        return;
    if (ashi_cuda_kind.open("", &device, &err) == ASHLAR_OK)
        ashi_device_close(&device);
    printf("skipped: %s\n", err.text);
    exit(kind_under_test() == KIND_CUDA ? 77 : 1);
}

/* Open a device with options that all kinds have. `fails` says how it fails, "fail-copy=3", or is "". A GPU cannot be
 * made to fail. */
static inline ashlar_status open_failing(const char *options, const char *fails, ashi_device **out, ashlar_error *err)
{
    char text[256];
    const bool emulated = kind_under_test() == KIND_EMULATED;
    if (kind_under_test() == KIND_FAKE)
        fake_set(fails);
    snprintf(text, sizeof text, "%s:%s%s%s", emulated ? "emulated" : "cuda", options,
             emulated && options[0] && fails[0] ? "," : "", emulated ? fails : "");
    return ashi_device_open(text, out, err);
}

/* While a queue is held it begins nothing more. Not of a GPU. */
static inline void hold(ashi_device *device, ashi_device_queue queue, bool held)
{
    void (*call)(int, bool) = NULL;
    if (kind_under_test() == KIND_EMULATED) {
        ashi_emulated_hold(device, queue, held);
        return;
    }
    *(void **)&call = in_plugin("fake_cuda_hold");
    call((int)queue, held);
}

/* Whether a text is what the device says of a failure; of CUDA the call that met it is any. */
static inline bool says_failure(const char *text, const char *emulated)
{
    return kind_under_test() == KIND_EMULATED
               ? strcmp(text, emulated) == 0
               : strncmp(text, "device: cuda:0 (Fake 0): ", 25) == 0 &&
                     strstr(text, ": unspecified launch failure (cudaErrorLaunchFailure)") != NULL;
}

#endif
