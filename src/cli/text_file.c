/* A text written to a file: whole, or not at all. */
#include "cli/text_file.h"

#include "store/file.h"
#include "store/output.h"

#include <string.h>

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
