/* Which device of its node a rank uses: the rule, and what may be said instead of it. */
#include "device/pick.h"

#include "base/error.h"
#include "base/number.h"
#include "device/emulated.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One device of a list. */
typedef struct entry {
    char text[ASHI_DEVICE_TEXT];
} entry;

static const char blanks[] = " \t\n";

/* Entry number `turn` of the list, whose entries are taken by turns. ASHLAR_ERR_ARG: the list is too long, or empty. */
static ashlar_status take_entry(const char *list, int64_t turn, entry *out, ashlar_error *err)
{
    int64_t count = 0;
    if (strlen(list) >= ASHI_DEVICE_TEXT)
        return ashi_fail(err, ASHLAR_ERR_ARG, "device: a list of devices of more than %d characters",
                         ASHI_DEVICE_TEXT - 1);
    for (const char *at = list + strspn(list, blanks); *at; at += strspn(at, blanks)) {
        count++;
        at += strcspn(at, blanks);
    }
    if (count == 0)
        return ashi_fail(err, ASHLAR_ERR_ARG, "device: no device is named, wanted none, auto, or a kind of device");
    const char *at = list + strspn(list, blanks);
    for (int64_t i = turn % count; i > 0; i--) {
        at += strcspn(at, blanks);
        at += strspn(at, blanks);
    }
    snprintf(out->text, sizeof out->text, "%.*s", (int)strcspn(at, blanks), at);
    return ASHLAR_OK;
}

static bool is(const entry *e, const char *word)
{
    return strcmp(e->text, word) == 0;
}

/* What stands behind the kind's name. */
static const char *options_of(const entry *e)
{
    const size_t length = strcspn(e->text, ":");
    return e->text[length] == ':' ? e->text + length + 1 : "";
}

static bool has_number(const entry *e)
{
    return isdigit((unsigned char)options_of(e)[0]);
}

/* The number at the beginning of the options, and what follows it. */
static ashlar_status read_number(const entry *e, ashi_device_pick *out, const char **rest, ashlar_error *err)
{
    char number[24] = "";
    const char *options = options_of(e);
    const size_t length = strcspn(options, ",");
    *rest = options + length + (options[length] == ',');
    if (length < sizeof number)
        memcpy(number, options, length);
    if (ashi_number_count(number, &out->number))
        return ASHLAR_OK;
    return ashi_fail(err, ASHLAR_ERR_ARG, "device: %s: '%.*s' is no number of a device", out->kind->name, (int)length,
                     options);
}

/* Opening one says why. */
static ashlar_status there_is_none(const ashi_device_kind *kind, ashlar_error *err)
{
    ashi_device *device = NULL;
    const ashlar_status status = kind->open("", &device, err);
    ashi_device_close(&device);
    if (status != ASHLAR_OK)
        return status;
    return ashi_fail(err, ASHLAR_ERR_DEVICE, "device: %s: a moment ago there was none", kind->name);
}

/* A device of a kind, which an entry names. */
static ashlar_status pick_named(const entry *e, const ashi_device_kind *kind, int64_t local_rank, ashi_device_pick *out,
                                ashlar_error *err)
{
    const char *rest = options_of(e);
    out->kind = kind;
    ashlar_status status = kind->count(&out->count, err);
    if (status == ASHLAR_OK && out->count < 1)
        status = there_is_none(kind, err);
    if (status == ASHLAR_OK && has_number(e))
        status = read_number(e, out, &rest, err);
    else if (status == ASHLAR_OK)
        out->number = local_rank % out->count;
    if (status == ASHLAR_OK && out->number >= out->count)
        status = ashi_fail(err, ASHLAR_ERR_DEVICE, "device: there is no device %s:%" PRId64 ", only %" PRId64
                           " of this kind, counted from 0", kind->name, out->number, out->count);
    if (status == ASHLAR_OK)
        snprintf(out->text, sizeof out->text, "%s:%" PRId64 "%s%s", kind->name, out->number, rest[0] ? "," : "", rest);
    return status;
}

/* The first kind that has a device. The emulated ones are for tests. */
static ashlar_status look_for_one(int64_t local_rank, ashi_device_pick *out, ashlar_error *err)
{
    for (int i = 0; ashi_device_kinds[i]; i++) {
        const ashi_device_kind *kind = ashi_device_kinds[i];
        int64_t count = 0;
        ashlar_error why = {0};
        entry e;
        if (kind == &ashi_emulated_kind)
            continue;
        if (kind->count(&count, &why) != ASHLAR_OK && !out->why[0])
            snprintf(out->why, sizeof out->why, "%s", why.text);
        if (count < 1)
            continue;
        snprintf(e.text, sizeof e.text, "%s", kind->name);
        return pick_named(&e, kind, local_rank, out, err);
    }
    out->reason = ASHI_DEVICE_NONE_FOUND;
    return ASHLAR_OK;
}

/* The number that the environment gives to a device which is named without one. */
static void take_number(const entry *from, entry *to)
{
    const char *number = options_of(from), *rest = options_of(to);
    entry all;
    const int n = snprintf(all.text, sizeof all.text, "%.*s:%.*s%s%s", (int)strcspn(to->text, ":"), to->text,
                           (int)strcspn(number, ","), number, rest[0] ? "," : "", rest);
    if (n > 0 && (size_t)n < sizeof all.text)
        *to = all;
}

/* Join what is wanted with what the environment says of it. */
static ashlar_status settle_entry(entry *e, int64_t local_rank, ashi_device_pick *out, ashlar_error *err)
{
    const char *list = getenv(ASHI_DEVICE_VARIABLE);
    const ashi_device_kind *kind;
    entry own;
    out->automatic = is(e, "auto");
    out->reason = has_number(e) ? ASHI_DEVICE_BY_NAME : ASHI_DEVICE_BY_RULE;
    if (!list || list[strspn(list, blanks)] == '\0' || has_number(e) || is(e, "none"))
        return ASHLAR_OK;
    const ashlar_status status = take_entry(list, local_rank, &own, err);
    out->by_environment = status != ASHLAR_OK || out->automatic;
    if (status != ASHLAR_OK || is(&own, "auto"))
        return status; /* the list does not decide */
    if (!is(&own, "none") && ashi_device_kind_of(own.text, &kind, err) != ASHLAR_OK) {
        out->by_environment = true;
        return ASHLAR_ERR_ARG;
    }
    const size_t length = strcspn(own.text, ":");
    if (has_number(&own) && (out->automatic || (length == strcspn(e->text, ":") &&
                                                strncmp(own.text, e->text, length) == 0)))
        out->reason = ASHI_DEVICE_BY_ENVIRONMENT;
    out->by_environment = out->by_environment || out->reason == ASHI_DEVICE_BY_ENVIRONMENT;
    if (out->automatic)
        *e = own;
    else if (out->reason == ASHI_DEVICE_BY_ENVIRONMENT)
        take_number(&own, e);
    return ASHLAR_OK;
}

ashlar_status ashi_device_pick_of(const char *wanted, int64_t local_rank, ashi_device_pick *out, ashlar_error *err)
{
    const ashi_device_kind *kind;
    entry e;
    *out = (ashi_device_pick){.number = -1};
    ashlar_status status = take_entry(wanted, local_rank, &e, err);
    if (status == ASHLAR_OK)
        status = settle_entry(&e, local_rank, out, err);
    if (status != ASHLAR_OK)
        return status;
    if (is(&e, "none")) {
        out->reason = ASHI_DEVICE_NONE_WANTED;
        return ASHLAR_OK;
    }
    if (is(&e, "auto"))
        return look_for_one(local_rank, out, err);
    status = ashi_device_kind_of(e.text, &kind, err);
    return status == ASHLAR_OK ? pick_named(&e, kind, local_rank, out, err) : status;
}

ashlar_status ashi_device_pick_blame(const ashi_device_pick *pick, ashlar_status status, ashlar_error *err)
{
    const ashlar_error why = *err;
    if (status == ASHLAR_OK || !pick->by_environment)
        return status;
    return ashi_fail(err, status, "%s (" ASHI_DEVICE_VARIABLE ")", why.text);
}

/* FNV-1a. */
static uint64_t digest_of(uint64_t digest, const char *text)
{
    for (const char *c = text ? text : ""; *c; c++)
        digest = (digest ^ (unsigned char)*c) * UINT64_C(0x100000001b3);
    return digest;
}

int64_t ashi_device_identity(const ashi_device_pick *pick)
{
    const uint64_t kind = digest_of(UINT64_C(0xcbf29ce484222325), pick->kind ? pick->kind->name : "");
    return (int64_t)(digest_of(kind, getenv("CUDA_VISIBLE_DEVICES")) >> 1);
}
