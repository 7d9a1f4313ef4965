/* Texts in files: written whole, or not at all. */
#ifndef ASHI_TEXT_FILE_H
#define ASHI_TEXT_FILE_H

#include <ashlar/base.h>

/* An existing file is replaced only once the new one is complete. ASHLAR_ERR_IO; ASHLAR_ERR_MEMORY. */
ashlar_status ashi_text_file_write(const char *path, const char *text, ashlar_error *err);

/* A whole file of at most 1 MiB, which the caller frees; NULL on failure. ASHLAR_ERR_IO; ASHLAR_ERR_MEMORY. */
ashlar_status ashi_text_file_read(const char *path, char **out, ashlar_error *err);

#endif
