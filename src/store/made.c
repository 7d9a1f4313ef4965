/* Arrays that functions make when they are read, or take when they are written. */
#include "store/made.h"

#include "base/checked.h"
#include "base/error.h"
#include "store/cells.h"
#include "store/file.h"
#include "store/format.h"
#include "store/unfolding_move.h"

#include <stdlib.h>
#include <string.h>

/* The most that a function is asked for at once. */
static const int64_t buffer_bytes = 1 << 20;

typedef struct made {
    ashi_store_function function;
    char *buffer;
} made;

static ashlar_status made_read(ashi_store *store, const ashi_array_box *box, void *data, ashlar_error *err)
{
    const made *m = store->state;
    const int64_t bytes = (int64_t)ashlar_type_bytes(store->info.type);
    ashi_cells cells = ashi_cells_within(box, buffer_bytes / bytes);
    int64_t at = 0;
    for (ashi_array_box part; ashi_cells_next(&cells, &part, &at);) {
        const int code = m->function.produce(m->function.user, part.from, part.extent, m->buffer);
        if (code != 0)
            return ashi_fail_file(err, ASHLAR_ERR_IO, store->place.path, "the function that makes it returned %d",
                                  code);
        ashi_array_unpack((size_t)bytes, &part, m->buffer, (char *)data + at * bytes);
    }
    return ASHLAR_OK;
}

static ashlar_status made_write(ashi_store *store, const ashi_array_box *box, const void *data, ashlar_error *err)
{
    const made *m = store->state;
    const int64_t bytes = (int64_t)ashlar_type_bytes(store->info.type);
    ashi_cells cells = ashi_cells_within(box, buffer_bytes / bytes);
    int64_t at = 0;
    for (ashi_array_box part; ashi_cells_next(&cells, &part, &at);) {
        ashi_array_pack((size_t)bytes, &part, (const char *)data + at * bytes, m->buffer);
        const int code = m->function.consume(m->function.user, part.from, part.extent, m->buffer);
        if (code != 0)
            return ashi_fail_file(err, ASHLAR_ERR_IO, store->place.path, "the function that takes it returned %d",
                                  code);
    }
    return ASHLAR_OK;
}

static void made_close(ashi_store *store)
{
    made *m = store->state;
    if (m)
        free(m->buffer);
    free(m);
    store->state = NULL;
}

/* Nothing opens it by a name. */
static const ashi_format format_made = {
    .name = "function", .endings = {NULL}, .read = made_read, .write = made_write, .close = made_close};

static ashlar_status fill(ashi_store *store, const ashi_store_function *function, ashlar_error *err)
{
    made *m = calloc(1, sizeof *m);
    store->state = m;
    store->place.path = strdup("a tensor made by a function");
    if (m)
        m->buffer = malloc((size_t)buffer_bytes);
    if (!m || !m->buffer || !store->place.path)
        return ashi_fail_memory(err, "store", buffer_bytes);
    m->function = *function;
    return ASHLAR_OK;
}

ashlar_status ashi_store_make(const ashi_store_info *info, const ashi_store_function *function, ashi_store **out,
                              ashlar_error *err)
{
    ashi_store *store = calloc(1, sizeof *store);
    *out = NULL;
    if (!store)
        return ashi_fail_memory(err, "store", (int64_t)sizeof *store);
    store->mode = function->produce ? ASHI_STORE_READING : ASHI_STORE_CREATED;
    store->place.format = &format_made;
    store->output.fd = -1;
    store->array = ASHI_NO_ARRAY;
    store->info = *info;
    store->info.tensor = true;
    store->info.order = ASHLAR_ROW_MAJOR;
    ashlar_status status = ashi_store_check_shape(&store->info, err);
    if (status == ASHLAR_OK)
        status = fill(store, function, err);
    if (status == ASHLAR_OK)
        *out = store;
    else
        ashi_store_close(&store, NULL);
    return status;
}

bool ashi_store_is_made(const ashi_store *store)
{
    const ashi_store *whole = store->whole ? store->whole : store;
    return whole->place.format == &format_made;
}
