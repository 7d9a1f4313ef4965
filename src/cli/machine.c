/* A machine's figures in a JSON file: what calibrate writes and --machine reads. */
#include "cli/machine.h"

#include "cli/text_file.h"
#include "model/forms.h"
#include "model/rates.h"
#include "store/file.h"

#include <ctype.h>
#include <jansson.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SCHEMA = 1, MOST_BYTES = 1 << 20 };

/* Those that are `optional` may be missing, or 0. */
static const struct {
    const char *name;
    size_t offset;
    bool optional;
} figures[] = {
    {"flops_per_second", offsetof(ashlar_machine, flops_per_second), false},
    {"latency", offsetof(ashlar_machine, latency), false},
    {"bandwidth", offsetof(ashlar_machine, bandwidth), false},
    {"copy_bandwidth", offsetof(ashlar_machine, copy_bandwidth), false},
    {"disk_bandwidth", offsetof(ashlar_machine, disk_bandwidth), false},
    {"disk_read_bandwidth", offsetof(ashlar_machine, disk_read_bandwidth), true},
    {"disk_write_bandwidth", offsetof(ashlar_machine, disk_write_bandwidth), true},
    {"task_seconds", offsetof(ashlar_machine, task_seconds), true},
    {"message_work", offsetof(ashlar_machine, message_work), true},
    {"product_bandwidth", offsetof(ashlar_machine, product_bandwidth), true},
    {"device_in_bandwidth", offsetof(ashlar_machine, device_in_bandwidth), true},
    {"device_out_bandwidth", offsetof(ashlar_machine, device_out_bandwidth), true},
    {"device_delay", offsetof(ashlar_machine, device_delay), true},
    {"device_flops_s", offsetof(ashlar_machine, device_flops[ASHLAR_TYPE_S]), true},
    {"device_flops_d", offsetof(ashlar_machine, device_flops[ASHLAR_TYPE_D]), true},
    {"device_flops_c", offsetof(ashlar_machine, device_flops[ASHLAR_TYPE_C]), true},
    {"device_flops_z", offsetof(ashlar_machine, device_flops[ASHLAR_TYPE_Z]), true},
    {"device_memory", offsetof(ashlar_machine, device_memory), true},
};

enum { FIGURES = sizeof figures / sizeof figures[0] };

static double *figure(ashlar_machine *machine, int i)
{
    return (double *)(void *)((char *)machine + figures[i].offset);
}

/* The file's bytes, to be freed. */
static ashlar_status load(const char *path, char **text, int64_t *bytes, ashlar_error *err)
{
    int fd = -1;
    *text = NULL;
    ashlar_status status = ashi_file_open(path, &fd, bytes, err);
    if (status != ASHLAR_OK)
        return status;
    if (*bytes > MOST_BYTES)
        status = ashi_fail_file(err, ASHLAR_ERR_IO, path, "is too large for a machine file");
    else if (!(*text = malloc((size_t)*bytes + 1)))
        status = ashi_fail_memory(err, "machine", *bytes + 1);
    else
        status = ashi_file_read(fd, path, *text, *bytes, 0, err);
    close(fd);
    return status;
}

/* A key as it may be repeated on a terminal. */
static const char *printable(const char *key)
{
    for (const char *c = key; *c; c++)
        if (!isprint((unsigned char)*c))
            return "(not printable)";
    return key;
}

/* "torus": its lengths, where the network is one. */
static ashlar_status take_torus(const char *path, const json_t *lengths, ashlar_machine *out, ashlar_error *err)
{
    const size_t dims = json_array_size(lengths);
    if (!lengths)
        return ASHLAR_OK;
    if (!json_is_array(lengths) || dims < 1 || dims > ASHLAR_TORUS_MOST)
        return ashi_fail_file(err, ASHLAR_ERR_IO, path, "\"torus\" is no array of 1 to %d lengths",
                              ASHLAR_TORUS_MOST);
    out->torus_dims = (int)dims;
    for (size_t d = 0; d < dims; d++) {
        out->torus[d] = json_integer_value(json_array_get(lengths, d)); /* 0 where it is no integer */
        if (out->torus[d] < 1)
            return ashi_fail_file(err, ASHLAR_ERR_IO, path, "a length of \"torus\" is no whole number of at least 1");
    }
    return ASHLAR_OK;
}

/* "forms": the rate of each form of a product, by name; files of older versions have none. */
static ashlar_status take_forms(const char *path, json_t *rates, ashlar_machine *out, ashlar_error *err)
{
    if (!rates)
        return ASHLAR_OK;
    for (int f = 0; f < ASHI_FORMS; f++) {
        out->forms[f] = json_number_value(json_object_get(rates, ashi_form_name(f))); /* 0 if it is no number */
        if (!(out->forms[f] > 0 && isfinite(out->forms[f])) || json_object_size(rates) != ASHI_FORMS)
            return ashi_fail_file(err, ASHLAR_ERR_IO, path,
                                  "\"forms\" is not an object of NN, NT, TN and TT, numbers above 0");
    }
    return ASHLAR_OK;
}

static ashlar_status only_known(const char *path, json_t *object, ashlar_error *err)
{
    for (void *i = json_object_iter(object); i; i = json_object_iter_next(object, i)) {
        const char *key = json_object_iter_key(i);
        bool known = strcmp(key, "schema") == 0 || strcmp(key, "torus") == 0 ||
                     strcmp(key, "forms") == 0;
        for (int f = 0; f < FIGURES; f++)
            known = known || strcmp(key, figures[f].name) == 0;
        if (!known)
            return ashi_fail_file(err, ASHLAR_ERR_IO, path, "\"%.64s\" is no figure of a machine", printable(key));
    }
    return ASHLAR_OK;
}

static ashlar_status take_figure(const char *path, const json_t *object, int i, ashlar_machine *out, ashlar_error *err)
{
    const json_t *value = json_object_get(object, figures[i].name);
    const bool optional = figures[i].optional;
    if (!value && optional)
        return ASHLAR_OK;
    if (!value)
        return ashi_fail_file(err, ASHLAR_ERR_IO, path, "\"%s\" is missing", figures[i].name);
    const double number = json_is_number(value) ? json_number_value(value) : -1;
    if (!isfinite(number) || (optional ? number < 0 : number <= 0))
        return ashi_fail_file(err, ASHLAR_ERR_IO, path, "\"%s\" is not a number %s 0", figures[i].name,
                              optional ? "of at least" : "above");
    *figure(out, i) = number;
    return ASHLAR_OK;
}

static ashlar_status take(const char *path, json_t *object, ashlar_machine *out, ashlar_error *err)
{
    if (!json_is_object(object))
        return ashi_fail_file(err, ASHLAR_ERR_IO, path, "is no JSON object");
    const json_t *schema = json_object_get(object, "schema");
    if (!json_is_integer(schema) || json_integer_value(schema) != SCHEMA)
        return ashi_fail_file(err, ASHLAR_ERR_IO, path, "\"schema\" is missing or not %d", SCHEMA);
    ashlar_status status = ASHLAR_OK;
    for (int i = 0; i < FIGURES && status == ASHLAR_OK; i++)
        status = take_figure(path, object, i, out, err);
    if (status == ASHLAR_OK && !ashi_rates_are_valid(out)) /* each is at least 0 */
        status = ashi_fail_file(err, ASHLAR_ERR_IO, path, "\"message_work\" is above 1");
    if (status == ASHLAR_OK)
        status = take_torus(path, json_object_get(object, "torus"), out, err);
    if (status == ASHLAR_OK)
        status = take_forms(path, json_object_get(object, "forms"), out, err);
    return status == ASHLAR_OK ? only_known(path, object, err) : status;
}

ashlar_status ashi_machine_read(const char *path, ashlar_machine *out, ashlar_error *err)
{
    char *text = NULL;
    int64_t bytes = 0;
    json_error_t why;
    ashlar_machine machine = {.size = sizeof machine};
    ashlar_status status = load(path, &text, &bytes, err);
    if (status == ASHLAR_OK) {
        json_t *object = json_loadb(text, (size_t)bytes, JSON_REJECT_DUPLICATES, &why);
        status = object ? take(path, object, &machine, err)
                        : ashi_fail_file(err, ASHLAR_ERR_IO, path, "is not JSON, or names a figure twice: line %d, "
                                                                   "column %d", why.line, why.column);
        json_decref(object);
    }
    free(text);
    if (status == ASHLAR_OK)
        *out = machine;
    return status;
}

static bool add_forms(json_t *object, const ashlar_machine *machine)
{
    json_t *rates = json_object();
    bool ok = rates;
    for (int f = 0; f < ASHI_FORMS; f++)
        ok = ok && json_object_set_new(rates, ashi_form_name(f), json_real(machine->forms[f])) == 0;
    if (ok)
        return json_object_set_new(object, "forms", rates) == 0;
    json_decref(rates);
    return false;
}

ashlar_status ashi_machine_write(const char *path, const ashlar_machine *machine, ashlar_error *err)
{
    ashlar_machine copy = *machine;
    char *text = NULL;
    json_t *object = json_object();
    bool ok = object && json_object_set_new(object, "schema", json_integer(SCHEMA)) == 0;
    for (int i = 0; i < FIGURES; i++)
        if (!figures[i].optional || *figure(&copy, i) > 0)
            ok = ok && json_object_set_new(object, figures[i].name, json_real(*figure(&copy, i))) == 0;
    if (ok && machine->forms[0] > 0)
        ok = add_forms(object, machine);
    if (ok)
        text = json_dumps(object, JSON_INDENT(2) | JSON_REAL_PRECISION(6));
    json_decref(object);
    if (!text)
        return ashi_fail_memory(err, "machine", 1024);
    const ashlar_status status = ashi_text_file_write(path, text, err);
    free(text);
    return status;
}
