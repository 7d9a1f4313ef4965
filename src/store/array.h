/* Elements of a matrix that lie in a file one by one, in rows or in columns: read and written at their places. */
#ifndef ASHI_STORE_ARRAY_H
#define ASHI_STORE_ARRAY_H

#include "store/direct.h"
#include "store/store.h"

typedef struct ashi_file_array {
    int fd;        /* -1: there is none */
    bool own_fd;   /* closed by ashi_file_array_close */
    bool swapped;  /* bytes of numbers are not in the machine's order */
    int64_t start; /* of the elements, in bytes */
    ashi_direct direct; /* the same file, once ashi_store_expect_parts has opened it */
    char *buffer;
} ashi_file_array;

/* What is not there yet; ashi_file_array_close takes it. */
#define ASHI_NO_ARRAY ((ashi_file_array){.fd = -1, .direct.fd = -1})

/* Memory for boxes that cannot go straight between file and memory. ASHLAR_ERR_MEMORY */
ashlar_status ashi_file_array_make_buffer(ashi_file_array *array, ashlar_error *err);

/* Open an existing file to read and write the array in it. */
ashlar_status ashi_file_array_join(ashi_file_array *array, const char *path, ashlar_error *err);

/* Have the disk promise `bytes` bytes to the file now, so that a full one is an error before anything is computed. */
ashlar_status ashi_file_array_reserve(const ashi_file_array *array, const char *path, int64_t bytes, ashlar_error *err);

/* Move a box of a matrix, which is not empty. `path` is for messages. */
ashlar_status ashi_file_array_read(const ashi_file_array *array, const ashi_store_info *info, const char *path,
                                   const ashi_file_box *box, void *data, int64_t row_stride, int64_t col_stride,
                                   ashlar_error *err);
ashlar_status ashi_file_array_write(const ashi_file_array *array, const ashi_store_info *info, const char *path,
                                    const ashi_file_box *box, const void *data, int64_t row_stride, int64_t col_stride,
                                    ashlar_error *err);

/* Have what was written through a descriptor of its own on the disk. The creator of a file syncs it when it is
 * published. */
ashlar_status ashi_file_array_finish(const ashi_file_array *array, const char *path, ashlar_error *err);

void ashi_file_array_close(ashi_file_array *array);

#endif
