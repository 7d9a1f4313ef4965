/* What the fuzz targets share: a file in a folder of its own, opened, and small boxes of it read. */
#ifndef ASHI_FUZZ_H
#define ASHI_FUZZ_H

#include "store/store.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct fuzz_file {
    char folder[400], path[500];
} fuzz_file;

/* The folder lives as long as one input: a fuzzer may end at any time, and should leave nothing behind. */
static inline fuzz_file fuzz_make(const char *name)
{
    fuzz_file f;
    const char *base = getenv("TMPDIR");
    snprintf(f.folder, sizeof f.folder, "%s/ashlar-fuzz-XXXXXX", base && *base ? base : "/tmp");
    if (!mkdtemp(f.folder)) {
        perror(f.folder);
        abort();
    }
    snprintf(f.path, sizeof f.path, "%s/%s", f.folder, name);
    return f;
}

static inline void fuzz_write(const fuzz_file *f, const uint8_t *data, size_t size)
{
    FILE *file = fopen(f->path, "wb");
    if (!file || fwrite(data, 1, size, file) != size || fclose(file) != 0) {
        perror(f->path);
        abort();
    }
}

static inline void fuzz_remove(const fuzz_file *f)
{
    unlink(f->path);
    rmdir(f->folder);
}

/* The first and the last elements of it as an array: its last dimension is the columns, the others are the rows. */
static inline void fuzz_read_tensor(const char *place)
{
    static unsigned char data[4 * 4 * 16];
    ashi_store *whole = NULL, *store = NULL;
    ashi_store_info info = {0};
    ashlar_error err = {0};
    ashi_unfolding view = {0};
    const ashlar_status status = ashi_store_open_tensor(place, &whole, &info, &err);
    if ((status == ASHLAR_OK) != (whole != NULL) || (!whole && err.text[0] == '\0') || strchr(err.text, '\n'))
        abort();
    if (!whole)
        return;
    if (info.dimensions < 0 || info.dimensions > ASHI_DIMENSIONS_MAX)
        abort();
    for (int d = info.dimensions - 1; d >= 0; d--) {
        ashi_unfolding_side *side = &view.side[d == info.dimensions - 1];
        side->index[side->count++] = (ashi_unfolding_index){info.extent[d], UINT64_C(1) << d, 1};
    }
    if (info.rows > 0 && ashi_store_view(whole, &view, &store, &info, &err) == ASHLAR_OK) {
        const int64_t rows = info.rows < 4 ? info.rows : 4, cols = info.cols < 4 ? info.cols : 4;
        ashi_store_read(store, 0, rows, 0, cols, data, 1, 4, &err);
        ashi_store_read(store, info.rows - rows, rows, info.cols - cols, cols, data, 4, 1, &err);
    }
    ashi_store_close(&store, NULL);
    ashi_store_close(&whole, NULL);
}

/* Read the corners at the beginning and at the end, at most 4 x 4 each. What cannot be opened must say so in one line
 * and leave nothing open. */
static inline void fuzz_read(const char *place)
{
    static unsigned char data[4 * 4 * 16];
    ashi_store *store = NULL;
    ashi_store_info info = {0};
    ashlar_error err = {0};
    fuzz_read_tensor(place);
    const ashlar_status status = ashi_store_open(place, &store, &info, &err);
    if ((status == ASHLAR_OK) != (store != NULL) || (!store && err.text[0] == '\0') || strchr(err.text, '\n'))
        abort();
    if (!store)
        return;
    if (info.rows < 0 || info.cols < 0 || ashlar_type_bytes(info.type) == 0)
        abort();
    const int64_t rows = info.rows < 4 ? info.rows : 4, cols = info.cols < 4 ? info.cols : 4;
    ashi_store_read(store, 0, rows, 0, cols, data, 1, 4, &err);
    ashi_store_read(store, info.rows - rows, rows, info.cols - cols, cols, data, 4, 1, &err);
    ashi_store_close(&store, &err);
}

#endif
