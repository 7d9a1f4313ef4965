/* Texts in files: written whole, or not at all. */
#include "cli/text_file.h"

#include "base/error.h"
#include "store/file.h"
#include "store/output.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { READ_MOST = 1 << 20 };

ashlar_status ashi_text_file_write(const char *path, const char *text, ashlar_error *err)
{
    ashi_output out = {0};
    ashlar_status status = ashi_output_create(path, &out, err);
    if (status == ASHLAR_OK)
        status = ashi_file_write(out.fd, path, text, (int64_t)strlen(text), 0, err);
    if (status == ASHLAR_OK)
        status = ashi_output_publish(&out, err);
    ashi_output_discard(&out);
    return status;
}

ashlar_status ashi_text_file_read(const char *path, char **out, ashlar_error *err)
{
    FILE *file = fopen(path, "rb");
    char *text = file ? malloc(READ_MOST + 1) : NULL;
    const int reason = errno;
    const size_t length = text ? fread(text, 1, READ_MOST + 1, file) : 0;
    ashlar_status status = ASHLAR_OK;
    *out = NULL;
    if (!file)
        return ashi_fail(err, ASHLAR_ERR_IO, "%s: %s", path, strerror(reason));
    if (!text)
        status = ashi_fail_memory(err, path, READ_MOST + 1);
    else if (ferror(file))
        status = ashi_fail(err, ASHLAR_ERR_IO, "%s: could not be read", path);
    else if (length > READ_MOST || memchr(text, '\0', length))
        status = ashi_fail(err, ASHLAR_ERR_IO, "%s: no text of at most 1 MiB", path);
    fclose(file);
    if (status != ASHLAR_OK) {
        free(text);
        return status;
    }
    text[length] = '\0';
    *out = text;
    return ASHLAR_OK;
}
