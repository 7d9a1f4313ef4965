/* The files that a command line names: what is written must not be another of them. */
#include "cli/named_files.h"

#include "base/error.h"
#include "contract/tensor_file.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Which file a path leads to. */
typedef struct identity {
    bool known;
    dev_t device;
    ino_t number;     /* of the file, or of the folder that it would be in */
    const char *name; /* in that folder, a part of the path; NULL: the file is there */
} identity;

/* Cuts the path in two. */
static identity identity_of(char *path)
{
    struct stat st;
    char *slash = strrchr(path, '/');
    identity id = {.known = stat(path, &st) == 0};
    if (!id.known) {
        id.name = slash ? slash + 1 : path;
        if (slash && slash != path)
            *slash = '\0';
        id.known = stat(!slash ? "." : slash == path ? "/" : path, &st) == 0;
    }
    if (id.known) {
        id.device = st.st_dev;
        id.number = st.st_ino;
    }
    return id;
}

static bool same(const identity *a, const identity *b)
{
    if (!a->known || !b->known || a->device != b->device || a->number != b->number || !a->name != !b->name)
        return false;
    return !a->name || strcmp(a->name, b->name) == 0;
}

/* A path that can be cut; NULL if memory is short, or a matrix has a name of no known format. */
static char *path_of(const ashi_named_file *file)
{
    if (!file->matrix)
        return strdup(file->path);
    char *place = strndup(file->path, ashi_ranges_begin(file->path)), *path = place ? ashi_store_path(place) : NULL;
    free(place);
    return path;
}

static ashlar_status compare(const ashi_named_file *a, const ashi_named_file *b, ashlar_error *err)
{
    if (!a->path || !b->path || !(a->written || b->written) || (a->matrix && b->matrix))
        return ASHLAR_OK;
    char *first = path_of(a), *second = path_of(b);
    ashlar_status status = ASHLAR_OK;
    if (first && second) { /* else what uses the name says what is wrong */
        const identity one = identity_of(first), two = identity_of(second);
        if (same(&one, &two))
            status = ashi_fail(err, ASHLAR_ERR_ARG, "%s and %s name the same file: %.100s, %.100s", a->option,
                               b->option, a->path, b->path);
    }
    free(first);
    free(second);
    return status;
}

ashlar_status ashi_named_files_differ(const ashi_named_file *files, int count, ashlar_error *err)
{
    ashlar_status status = ASHLAR_OK;
    for (int i = 0; i < count; i++)
        for (int j = 0; j < i && status == ASHLAR_OK; j++)
            status = compare(&files[i], &files[j], err);
    return status;
}
