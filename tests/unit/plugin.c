/* Plug-ins for devices: each way in which one cannot be used is said in one line, and none of them ends the process. */
#include "device/plugin.h"
#include "test.h"

#include <sys/stat.h>
#include <unistd.h>

/* The folder of this program has a folder for each wrong plug-in. */
static char folder[4096];

static void look_in(const char *name)
{
    char path[4200];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    setenv("ASHLAR_PLUGINS", path, 1);
}

/* `%s` in the text is the folder. */
static void is_refused(ashi_test *t, const char *name, const char *text)
{
    ashi_device *device = NULL;
    ashlar_error err = {0};
    char wanted[8400], path[4200];
    int64_t count = 1;
    look_in(name);
    snprintf(path, sizeof path, "%s/%s", folder, name);
    const char *at = strstr(text, "%s");
    snprintf(wanted, sizeof wanted, "%.*s%s%s", (int)(at - text), text, path, at + 2);
    wanted[sizeof err.text - 1] = '\0'; /* a long path is cut as the text is */
    CHECK(t, ashi_device_open("cuda:0", &device, &err) == ASHLAR_ERR_DEVICE && !device && strcmp(err.text, wanted) == 0,
          "%s, wanted %s", err.text, wanted);
    const bool missing = strcmp(name, "none") == 0;
    CHECK(t, ashi_cuda_kind.count(&count, &err) == (missing ? ASHLAR_OK : ASHLAR_ERR_DEVICE) && count == 0, "%s: %s",
          name, err.text);
}

int main(int argc, char **argv)
{
    ashi_test t = {0};
    char text[256];
    snprintf(folder, sizeof folder, "%s", argc > 1 ? argv[1] : ".");
    is_refused(&t, "none", "device: cuda: there is no plug-in libashlar_cuda.so in %s");
    is_refused(&t, "name",
               "device: cuda: %s/libashlar_cuda.so is no plug-in of Ashlar: it has no ashlar_device_plugin");
    is_refused(&t, "kind", "device: cuda: %s/libashlar_cuda.so is the plug-in of 'hip'");
    snprintf(text, sizeof text, "device: cuda: %%s/libashlar_cuda.so is of Ashlar %s with interface %d, wanted "
             "Ashlar %s with interface %d", ashlar_version(), ASHI_DEVICE_INTERFACE + 1, ashlar_version(),
             ASHI_DEVICE_INTERFACE);
    is_refused(&t, "interface", text);
    snprintf(text, sizeof text, "device: cuda: %%s/libashlar_cuda.so is of Ashlar 99.0.0 with interface %d, wanted "
             "Ashlar %s with interface %d", ASHI_DEVICE_INTERFACE, ashlar_version(), ASHI_DEVICE_INTERFACE);
    is_refused(&t, "version", text);
    is_refused(&t, "text", "device: cuda: %s/libashlar_cuda.so: file too short");
    return ashi_test_end(&t, "plugin");
}
