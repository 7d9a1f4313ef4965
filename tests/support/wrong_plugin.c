/* A plug-in for CUDA that is to be refused: of another interface, another version, another kind, or none at all. */
#include "device/plugin.h"

static const ashi_device_kind kind = {.name = WRONG_KIND};

__attribute__((visibility("default"))) extern const ashi_device_plugin WRONG_NAME;
const ashi_device_plugin WRONG_NAME = {WRONG_INTERFACE, WRONG_VERSION, &kind};
