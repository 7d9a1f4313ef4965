/* Arrays of 16-bit numbers that lie in a file one by one: boxes of them are read as floats, or as they are. */
#ifndef ASHI_STORE_HALF_FILE_H
#define ASHI_STORE_HALF_FILE_H

#include "store/format.h"

typedef struct ashi_half_file {
    int fd;        /* its own */
    int64_t start; /* of the elements, in bytes */
    bool swapped;  /* bytes of numbers are not in the machine's order */
    char *buffer;
} ashi_half_file;

/* Read through `fd`, which is taken over, whether this fails or not. ASHLAR_ERR_MEMORY: *out is NULL. */
ashlar_status ashi_half_file_make(int fd, int64_t start, bool swapped, ashi_half_file **out, ashlar_error *err);

/* Read a box of the array that `store` describes: as floats, or if that is of type h as they are. ASHLAR_ERR_IO. */
ashlar_status ashi_half_file_read(const ashi_half_file *file, const ashi_store *store, const ashi_array_box *box,
                                  void *data, ashlar_error *err);

/* Takes NULL. */
void ashi_half_file_close(ashi_half_file *file);

#endif
