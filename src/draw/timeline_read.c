/* Reading a trace: line by line, since files can be larger than what a document in memory may take. */
#include "draw/timeline.h"

#include "base/checked.h"
#include "base/error.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { ROWS = 1000 }; /* as exec/trace.c numbers threads */

static const double time_most = 1e15; /* microseconds: 30 years */

typedef struct reading {
    const char *path;
    FILE *file;
    char *line;
    size_t room;
    ssize_t bytes; /* of the line, without its end */
    int64_t number, events; /* of the line; events that the first line promises */
    ashi_timeline *out;
    ashlar_error *err;
} reading;

static ashlar_status refuse(const reading *r, const char *what)
{
    return ashi_fail(r->err, ASHLAR_ERR_ARG, "%.256s: line %" PRId64 ": %s", r->path, r->number, what);
}

/* The next line, without its end. A file that ends before is not whole. */
static ashlar_status next_line(reading *r)
{
    errno = 0;
    r->bytes = getline(&r->line, &r->room, r->file);
    r->number++;
    if (r->bytes < 0 && (ferror(r->file) || errno == ENOMEM))
        return ashi_fail(r->err, ASHLAR_ERR_IO, "%.256s: cannot be read: %s", r->path, strerror(errno));
    if (r->bytes < 1 || r->line[r->bytes - 1] != '\n')
        return refuse(r, "the file ends here, and is not whole");
    r->line[--r->bytes] = '\0';
    return strlen(r->line) == (size_t)r->bytes ? ASHLAR_OK : refuse(r, "a byte that is 0");
}

/* ---- the first line ---- */

static ashlar_status read_head(reading *r)
{
    static const char foreign[] = "no trace that ashlar multiply or ashlar_plan_trace_end has written";
    static const char tail[] = "\"traceEvents\":[";
    const size_t bytes = (size_t)ashi_max(0, r->bytes);
    const char *unit = NULL, *format = NULL;
    json_int_t schema = 0, ranks = 0, events = 0, dropped = 0;
    if (bytes < sizeof tail || strcmp(r->line + bytes - strlen(tail), tail) != 0)
        return refuse(r, foreign);
    char *whole = malloc(bytes + 3);
    if (!whole)
        return ashi_fail_memory(r->err, "trace", r->bytes + 3);
    memcpy(whole, r->line, bytes);
    memcpy(whole + bytes, "]}", 3);
    json_t *root = json_loads(whole, JSON_REJECT_DUPLICATES, NULL);
    free(whole);
    const int wrong = json_unpack_ex(root, NULL, JSON_STRICT, "{s:s, s:{s:s, s:I, s:I, s:I, s:I}, s:[]}",
                                     "displayTimeUnit", &unit, "otherData", "format", &format, "schema", &schema,
                                     "ranks", &ranks, "events", &events, "dropped", &dropped, "traceEvents");
    const bool ours = !wrong && strcmp(format, "ashlar trace") == 0;
    json_decref(root);
    if (!ours)
        return refuse(r, foreign);
    if (schema != 1)
        return refuse(r, "a schema that this version does not read; it reads schema 1");
    if (ranks < 1 || ranks > INT32_MAX || events < 0 || dropped < 0)
        return refuse(r, "numbers of ranks and events that cannot be");
    r->out->ranks = (int)ranks;
    r->out->dropped = dropped;
    r->events = events;
    return ASHLAR_OK;
}

/* ---- events ---- */

/* The one copy of a name. NULL where memory is short, or there are too many. */
static const char *keep_name(ashi_timeline *t, const char *name)
{
    int i = 0;
    while (i < ASHI_NAMES_MOST && t->name[i] && strcmp(t->name[i], name) != 0)
        i++;
    if (i < ASHI_NAMES_MOST && !t->name[i])
        t->name[i] = strdup(name);
    return i < ASHI_NAMES_MOST ? t->name[i] : NULL;
}

static bool is_name(const char *name)
{
    const size_t length = strlen(name);
    for (size_t i = 0; i < length; i++)
        if (!isprint((unsigned char)name[i]) || (unsigned char)name[i] > '~')
            return false;
    return length > 0 && length <= ASHI_NAME_MOST;
}

static bool lane_named(const char *name, ashi_trace_lane *out)
{
    for (int l = 0; l < ASHI_LANES; l++)
        if (strcmp(name, ashi_lane_name((ashi_trace_lane)l)) == 0) {
            *out = (ashi_trace_lane)l;
            return true;
        }
    return false;
}

/* Room for one more. */
static ashlar_status make_room(reading *r)
{
    ashi_timeline *t = r->out;
    if (t->count < t->room)
        return ASHLAR_OK;
    const int64_t room = ashi_max(1024, 2 * t->room);
    ashi_timed *event = realloc(t->event, (size_t)room * sizeof *event);
    if (!event)
        return ashi_fail_memory(r->err, "trace", room * (int64_t)sizeof *event);
    t->event = event;
    t->room = room;
    return ASHLAR_OK;
}

static ashlar_status read_event(reading *r, json_t *root)
{
    ashi_timeline *t = r->out;
    const char *ph = NULL, *name = NULL, *lane = NULL;
    json_int_t pid = 0, tid = 0, step = 0, words = 0, peer = 0;
    double ts = 0, dur = 0;
    ashi_timed e = {0};
    if (json_unpack_ex(root, NULL, JSON_STRICT, "{s:s, s:s, s:s, s:I, s:I, s:F, s:F, s:{s:I, s:I, s:I}}", "ph", &ph,
                       "name", &name, "cat", &lane, "pid", &pid, "tid", &tid, "ts", &ts, "dur", &dur, "args", "step",
                       &step, "words", &words, "peer", &peer) != 0)
        return refuse(r, "an event without the members that one has, or with others");
    if (!is_name(name) || !lane_named(lane, &e.lane))
        return refuse(r, "an event whose name or lane cannot be");
    if (pid < 0 || pid >= t->ranks || peer < -1 || peer >= t->ranks || step < 0 || words < 0)
        return refuse(r, "an event of a rank that there is not, or with a number below 0");
    if (!(ts >= 0 && ts < time_most && dur >= 0 && dur < time_most))
        return refuse(r, "an event at a time that cannot be");
    if (tid / ROWS != (json_int_t)e.lane || tid < 0)
        return refuse(r, "an event on another lane's thread");
    const ashlar_status status = make_room(r);
    if (status != ASHLAR_OK)
        return status;
    e.name = keep_name(t, name);
    if (!e.name)
        return refuse(r, "no room for one more name of an event");
    e.wait = strncmp(name, "wait", 4) == 0;
    e.begin = ts;
    e.end = ts + dur;
    e.step = step;
    e.words = words;
    e.rank = (int)pid;
    e.row = (int)(tid % ROWS);
    e.peer = (int)peer;
    t->event[t->count++] = e;
    return ASHLAR_OK;
}

/* Names and orders of processes and threads are for viewers. *last: the line that ends the events. */
static ashlar_status read_meta(reading *r, json_t *root, bool *last)
{
    static const char *const known[] = {"process_name", "process_sort_index", "thread_name", "thread_sort_index"};
    const char *ph = NULL, *name = NULL;
    json_int_t pid = 0, tid = 0;
    json_t *args = NULL;
    if (json_unpack_ex(root, NULL, JSON_STRICT, "{s:s, s:s, s:I, s:I, s:o}", "ph", &ph, "name", &name, "pid", &pid,
                       "tid", &tid, "args", &args) != 0 || !json_is_object(args))
        return refuse(r, "a line about names without the members that one has, or with others");
    *last = strcmp(name, "trace_end") == 0;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (*last || strcmp(name, known[i]) == 0)
            return ASHLAR_OK;
    return refuse(r, "a line of an unknown kind");
}

/* One line: an event or a name, with a comma behind it, or the last one without. */
static ashlar_status read_line(reading *r, bool *last)
{
    const bool comma = r->bytes > 0 && r->line[r->bytes - 1] == ',';
    json_t *root = json_loadb(r->line, (size_t)(r->bytes - comma), JSON_REJECT_DUPLICATES, NULL);
    const char *kind = json_string_value(json_object_get(root, "ph"));
    ashlar_status status = ASHLAR_OK;
    if (!kind)
        status = refuse(r, "no JSON object with a member \"ph\"");
    else if (strcmp(kind, "X") == 0)
        status = read_event(r, root);
    else if (strcmp(kind, "M") == 0)
        status = read_meta(r, root, last);
    else
        status = refuse(r, "a line of an unknown kind");
    json_decref(root);
    if (status == ASHLAR_OK && comma == *last)
        status = refuse(r, comma ? "a comma behind the last line" : "no comma behind the line");
    return status;
}

static ashlar_status read_end(reading *r)
{
    ashlar_status status = next_line(r);
    if (status != ASHLAR_OK)
        return status;
    if (strcmp(r->line, "]}") != 0)
        return refuse(r, "something behind the last event");
    if (getc(r->file) != EOF)
        return refuse(r, "something behind the document");
    if (r->out->count != r->events)
        return refuse(r, "another number of events than the first line has");
    return ASHLAR_OK;
}

/* ---- the file ---- */

static int by_place(const void *a, const void *b)
{
    const ashi_timed *x = a, *y = b;
    if (x->rank != y->rank)
        return (x->rank > y->rank) - (x->rank < y->rank);
    if (x->lane != y->lane)
        return (x->lane > y->lane) - (x->lane < y->lane);
    if (x->begin != y->begin)
        return (x->begin > y->begin) - (x->begin < y->begin);
    return (x->row > y->row) - (x->row < y->row);
}

static void settle(ashi_timeline *t)
{
    t->begin = t->count > 0 ? INFINITY : 0;
    for (const ashi_timed *e = t->event; e < t->event + t->count; e++) {
        t->begin = fmin(t->begin, e->begin);
        t->end = fmax(t->end, e->end);
    }
    if (t->count > 0)
        qsort(t->event, (size_t)t->count, sizeof *t->event, by_place);
}

static ashlar_status read_all(reading *r)
{
    bool last = false;
    ashlar_status status = next_line(r);
    if (status == ASHLAR_OK)
        status = read_head(r);
    while (status == ASHLAR_OK && !last) {
        status = next_line(r);
        if (status == ASHLAR_OK)
            status = read_line(r, &last);
    }
    return status == ASHLAR_OK ? read_end(r) : status;
}

ashlar_status ashi_timeline_read(const char *path, ashi_timeline *out, ashlar_error *err)
{
    struct stat st;
    *out = (ashi_timeline){0};
    if (stat(path, &st) != 0)
        return ashi_fail(err, ASHLAR_ERR_IO, "%.256s: %s", path, strerror(errno));
    if (!S_ISREG(st.st_mode))
        return ashi_fail(err, ASHLAR_ERR_IO, "%.256s: is not a regular file", path);
    reading r = {.path = path, .out = out, .err = err, .file = fopen(path, "r")};
    if (!r.file)
        return ashi_fail(err, ASHLAR_ERR_IO, "%.256s: cannot be opened: %s", path, strerror(errno));
    const ashlar_status status = read_all(&r);
    fclose(r.file); /* nothing was written */
    free(r.line);
    if (status == ASHLAR_OK)
        settle(out);
    else
        ashi_timeline_free(out);
    return status;
}
