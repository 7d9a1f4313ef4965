/* A drawing as a text. */
#include "draw/svg_write.h"

#include "base/error.h"

#include <stdlib.h>

ashlar_status ashi_svg_write(void (*write)(void *context, FILE *file), void *context, char **out, ashlar_error *err)
{
    char *text_made = NULL;
    size_t bytes = 0;
    FILE *file = open_memstream(&text_made, &bytes);
    *out = NULL;
    if (file)
        write(context, file);
    const bool failed = !file || ferror(file);
    if ((file && fclose(file) != 0) || failed) {
        free(text_made);
        return ashi_fail_memory(err, "svg", 1 << 16);
    }
    *out = text_made;
    return ASHLAR_OK;
}
