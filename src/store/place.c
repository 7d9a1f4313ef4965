/* Places: which format a name means, and the path and data set in it. */
#include "store/format.h"

#include "base/error.h"
#include "store/file.h"

#include <stdlib.h>
#include <string.h>

/* Adding a format is a file with its functions, and a row here. */
static const ashi_format *const formats[] = {&ashi_format_npy, &ashi_format_hdf5, &ashi_format_mtx};
#define FORMATS (sizeof formats / sizeof formats[0])

static const char wanted[] = "wanted FILE.npy, FILE.mtx, FILE.h5:/DATASET or FILE.hdf5:/DATASET";

static bool ends_with(const char *text, const char *ending)
{
    const size_t n = strlen(text), m = strlen(ending);
    return n > m && strcmp(text + n - m, ending) == 0;
}

/* The colon in PATH:/dataset, or NULL. It follows the first ending, since a data set's name may hold anything. */
static const char *find_colon(const char *text, const char *ending)
{
    for (const char *at = strstr(text, ending); at; at = strstr(at + 1, ending))
        if (at != text && strncmp(at + strlen(ending), ":/", 2) == 0)
            return at + strlen(ending);
    return NULL;
}

/* The format of a place. *colon is left NULL where no data set is named. Names with a data set are looked for first:
 * a.h5:/b.npy is a data set of a.h5. */
static const ashi_format *find(const char *text, const char **colon)
{
    *colon = NULL;
    for (size_t f = 0; f < FORMATS; f++)
        for (const char *const *e = formats[f]->endings; formats[f]->named_data_sets && *e; e++)
            if ((*colon = find_colon(text, *e)))
                return formats[f];
    for (size_t f = 0; f < FORMATS; f++)
        for (const char *const *e = formats[f]->endings; *e; e++)
            if (ends_with(text, *e))
                return formats[f];
    return NULL;
}

ashlar_status ashi_file_place_parse(const char *text, ashi_file_place *out, ashlar_error *err)
{
    *out = (ashi_file_place){0};
    if (!text)
        return ashi_fail(err, ASHLAR_ERR_ARG, "store: no place given, %s", wanted);
    const char *colon = NULL;
    const ashi_format *format = find(text, &colon);
    if (!format)
        return ashi_fail_file(err, ASHLAR_ERR_ARG, text, "of no known format, %s", wanted);
    if (format->named_data_sets && (!colon || colon[2] == '\0'))
        return ashi_fail_file(err, ASHLAR_ERR_ARG, text, "names no data set, wanted FILE%s:/DATASET",
                              format->endings[0]);
    out->format = format;
    out->path = colon ? strndup(text, (size_t)(colon - text)) : strdup(text);
    out->data_set = colon ? strdup(colon + 1) : NULL;
    if (!out->path || (colon && !out->data_set)) {
        ashi_file_place_free(out);
        return ashi_fail_memory(err, "store", (int64_t)strlen(text) + 1);
    }
    return ASHLAR_OK;
}

void ashi_file_place_free(ashi_file_place *place)
{
    free(place->path);
    free(place->data_set);
    *place = (ashi_file_place){0};
}

char *ashi_store_path(const char *place)
{
    ashi_file_place parsed;
    if (ashi_file_place_parse(place, &parsed, NULL) != ASHLAR_OK)
        return NULL;
    char *path = parsed.path;
    parsed.path = NULL;
    ashi_file_place_free(&parsed);
    return path;
}
