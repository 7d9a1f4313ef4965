/* Kinds of devices in plug-ins: shared libraries that are opened when such a device is asked for. So the library needs
 * none of what they need, and one build of it serves machines with and without such devices.
 *
 * A plug-in is looked for in the folder that ASHLAR_PLUGINS names, and nowhere else if that is set; else beside the
 * library (or the program that contains it), where it is built and installed, and in the folder of libraries for which
 * the build was configured. It exports one variable, ASHI_DEVICE_PLUGIN. A plug-in of another version of Ashlar, or of
 * another interface, is refused. */
#ifndef ASHI_PLUGIN_H
#define ASHI_PLUGIN_H

#include "device/device.h"

/* It rises whenever device.h changes. */
enum { ASHI_DEVICE_INTERFACE = 3 };

typedef struct ashi_device_plugin {
    int64_t interface;   /* ASHI_DEVICE_INTERFACE */
    const char *version; /* of Ashlar: ashlar_version() */
    const ashi_device_kind *kind;
} ashi_device_plugin;

/* The variable's name, as a name and as text. */
#define ASHI_DEVICE_PLUGIN ashlar_device_plugin
#define ASHI_DEVICE_PLUGIN_NAME "ashlar_device_plugin"

/* NVIDIA's GPUs by CUDA, in libashlar_cuda.so. Opening one returns ASHLAR_ERR_DEVICE, with the reason, if there is no
 * plug-in or it cannot be used; counting finds 0 devices if there is none. */
extern const ashi_device_kind ashi_cuda_kind;

#endif
