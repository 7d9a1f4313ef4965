/* Files without a name: made, opened, and their names removed at once. */
#include "store/spare.h"

#include "store/file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* "FOLDER/.ashlar-XXXXXX", to be freed. */
static char *template_of(const char *beside)
{
    static const char name[] = ".ashlar-XXXXXX";
    const char *folder = getenv(ASHI_SPARE_FOLDER), *slash = strrchr(beside, '/');
    const bool named = folder && folder[0];
    const size_t length = named ? strlen(folder) : slash ? (size_t)(slash - beside) + 1 : 0;
    char *out = malloc(length + sizeof name + 1);
    if (out)
        snprintf(out, length + sizeof name + 1, "%.*s%s%s", (int)length, named ? folder : beside, named ? "/" : "",
                 name);
    return out;
}

ashlar_status ashi_spare_open(const char *beside, int64_t bytes, int *fd, ashlar_error *err)
{
    char *path = template_of(beside);
    *fd = -1;
    if (!path)
        return ashi_fail_memory(err, "scratch file", (int64_t)strlen(beside));
    ashlar_status status = ASHLAR_OK;
    *fd = mkstemp(path);
    if (*fd < 0)
        status = ashi_fail_errno(err, path, "cannot create", errno);
    else if (unlink(path) != 0 || ftruncate(*fd, (off_t)bytes) != 0)
        status = ashi_fail_errno(err, path, "cannot make a scratch file", errno);
    if (status != ASHLAR_OK && *fd >= 0) {
        close(*fd);
        *fd = -1;
    }
    free(path);
    return status;
}
