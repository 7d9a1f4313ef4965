/* `scenarios`: the evaluation of the COSMA paper, repeated by counting what schedules move. */
#include "base/error.h"
#include "base/number.h"
#include "cli/complain.h"
#include "cli/named_files.h"
#include "cli/nearest.h"
#include "cli/options.h"
#include "cli/report.h"
#include "cli/strategy_words.h"
#include "cli/text_file.h"
#include "evaluation/draw.h"
#include "evaluation/scenario_text.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* What the command line asks for. */
typedef struct asked {
    int shape, scaling, memory; /* choices; 0 is the default */
    int64_t jobs;
    const char *strategy, *ranks, *out;
    char ways[ASHI_STRATEGY_WORDS]; /* what --strategy may be */
    bool json, quiet;
} asked;

/* The number of the way whose name is so many characters of `name`. */
static ashlar_status read_way(const char *name, size_t length, uint64_t *ways, ashlar_error *err)
{
    char one[64] = "";
    const char *way, *best = NULL;
    int distance = 0;
    if (length < sizeof one)
        memcpy(one, name, length);
    for (int i = 0; (way = ashi_scenario_way(i)) != NULL; i++) {
        ashi_nearest_offer(one, way, &best, &distance);
        if (strcmp(way, one) == 0) {
            *ways |= UINT64_C(1) << i;
            return ASHLAR_OK;
        }
    }
    return ashi_fail(err, ASHLAR_ERR_ARG, "there is no strategy '%.*s'; %s%s", (int)length, name,
                     best ? "did you mean " : "'ashlar strategies' lists them", best ? best : "");
}

/* "cosma,planner"; all where there is no text. */
static ashlar_status read_ways(const char *text, uint64_t *out, ashlar_error *err)
{
    ashlar_status status = ASHLAR_OK;
    *out = 0;
    if (!text || strcmp(text, "all") == 0)
        return ASHLAR_OK;
    for (const char *at = text; status == ASHLAR_OK; at++) {
        const size_t length = strcspn(at, ",");
        status = read_way(at, length, out, err);
        at += length;
        if (*at == '\0')
            break;
    }
    return status;
}

/* "64,128": ascending, each from 1 to 2^31 - 1. *out is freed by the caller. */
static ashlar_status read_ranks(const char *text, int64_t **out, int64_t *count, ashlar_error *err)
{
    const size_t most = strlen(text) / 2 + 1;
    int64_t *list = malloc(most * sizeof *list);
    *out = list;
    *count = 0;
    if (!list)
        return ashi_fail_memory(err, "bench", (int64_t)(most * sizeof *list));
    for (const char *at = text; ; at++) {
        const size_t length = strcspn(at, ",");
        char one[32] = "";
        if (length < sizeof one)
            memcpy(one, at, length);
        int64_t *p = &list[*count];
        if (!ashi_number_count(one, p) || *p < 1 || *p > INT_MAX || (*count > 0 && *p <= p[-1]))
            return ashi_fail(err, ASHLAR_ERR_ARG,
                             "--ranks is '%.64s', wanted ascending counts from 1 to %d with commas between them", text,
                             INT_MAX);
        ++*count;
        at += length;
        if (*at == '\0')
            return ASHLAR_OK;
    }
}

/* One text, made by `write`, into a file of a folder. */
typedef void (*writer)(const void *what, FILE *out);

static ashlar_status write_text(const char *folder, const char *name, writer write, const void *what,
                                ashlar_error *err)
{
    char *text = NULL, path[PATH_MAX];
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    if (!file)
        return ashi_fail_memory(err, "bench", 0);
    write(what, file);
    const bool failed = ferror(file) != 0;
    ashlar_status status = ASHLAR_OK;
    if (fclose(file) != 0 || failed)
        status = ashi_fail_memory(err, "bench", (int64_t)size);
    else if (snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path)
        status = ashi_fail(err, ASHLAR_ERR_ARG, "--out is too long a name");
    else
        status = ashi_text_file_write(path, text, err);
    free(text);
    return status;
}

/* All that was found. */
typedef struct found {
    ashi_scenario_rows rows;
    ashi_landmark marks[ASHI_LANDMARKS];
} found;

static void write_csv(const void *what, FILE *out)
{
    ashi_scenario_csv(&((const found *)what)->rows, out);
}

static void write_table(const void *what, FILE *out)
{
    const found *f = what;
    ashi_scenario_table(&f->rows, out);
    ashi_landmarks_table(f->marks, out);
}

static void write_columns(const void *what, FILE *out)
{
    ashi_scenario_columns(&((const found *)what)->rows, out);
}

static void write_script(const void *what, FILE *out)
{
    ashi_scenario_script(&((const found *)what)->rows, out);
}

/* What is written into the folder. */
static const struct {
    const char *name;
    writer write;
} files[] = {{"words.csv", write_csv}, {"words.md", write_table}, {"words.dat", write_columns},
             {"words.gp", write_script}};

enum { FILES = sizeof files / sizeof files[0] };

/* A link in the folder may lead one of them to another, which is found before the work. */
static ashlar_status check_files(const char *folder, ashlar_error *err)
{
    char path[FILES][PATH_MAX];
    ashi_named_file named[FILES];
    for (int i = 0; i < FILES; i++) {
        if (snprintf(path[i], PATH_MAX, "%s/%s", folder, files[i].name) >= PATH_MAX)
            return ashi_fail(err, ASHLAR_ERR_ARG, "--out is too long a name");
        named[i] = (ashi_named_file){files[i].name, path[i], true, false};
    }
    return ashi_named_files_differ(named, FILES, err);
}

static ashlar_status write_files(const char *folder, const found *f, ashlar_error *err)
{
    if (mkdir(folder, 0777) != 0 && errno != EEXIST)
        return ashi_fail(err, ASHLAR_ERR_IO, "%.256s: the folder cannot be made: %s", folder, strerror(errno));
    ashlar_status status = ASHLAR_OK;
    for (int i = 0; i < FILES && status == ASHLAR_OK; i++)
        status = write_text(folder, files[i].name, files[i].write, f, err);
    return status;
}

static ashlar_status find(const asked *a, found *out, ashlar_error *err)
{
    int64_t *ranks = NULL;
    ashi_scenario_wish wish = {.shape = a->shape - 1, .scaling = a->scaling - 1, .machine = a->memory == 1,
                               .processes = a->jobs, .progress = !a->quiet};
    ashlar_status status = read_ways(a->strategy, &wish.ways, err);
    if (status == ASHLAR_OK && a->ranks) {
        status = read_ranks(a->ranks, &ranks, &wish.ranks_count, err);
        wish.ranks = ranks;
    }
    if (status == ASHLAR_OK)
        status = ashi_landmarks_count(out->marks, err);
    if (status == ASHLAR_OK)
        status = ashi_scenario_rows_walk(&wish, &out->rows, err);
    free(ranks);
    return status;
}

static int tell(const asked *a)
{
    found f = {0};
    ashlar_error err;
    ashi_drawn drawn = ASHI_DRAWN;
    ashlar_status status = a->out ? check_files(a->out, &err) : ASHLAR_OK;
    if (status == ASHLAR_OK)
        status = find(a, &f, &err);
    if (status == ASHLAR_OK && a->out)
        status = write_files(a->out, &f, &err);
    if (status == ASHLAR_OK && a->out)
        status = ashi_draw(a->out, "words.gp", &drawn, &err);
    int result = ASHI_EXIT_DONE;
    if (status != ASHLAR_OK)
        result = ashi_complain("scenarios", &err);
    else if (a->json)
        result = ashi_json_print("scenarios", ashi_scenario_json(&f.rows, f.marks));
    else
        write_table(&f, stdout);
    if (drawn == ASHI_NO_PROGRAM)
        fprintf(stderr, "scenarios: there is no gnuplot; where there is, %.256s/words.gp draws the figures\n",
                a->out);
    free(f.rows.row);
    return result;
}

enum { OPTIONS = 9 };

static ashi_usage usage_of(asked *a, ashi_option options[OPTIONS])
{
    ashi_strategy_words("planner|all", a->ways);
    const ashi_option rows[] = {
        {"strategy", 0, ASHI_LIST, "LIST", a->ways,
         "count these only, with commas: strategies, planner for what is chosen; all unless given", &a->strategy, NULL},
        {"shape", 0, ASHI_CHOICE, NULL, "all|square|largeK|largeM|flat", "count this shape only", &a->shape, NULL},
        {"scaling", 0, ASHI_CHOICE, NULL, "all|strong|limited|extra", "count this kind of scaling only", &a->scaling,
         NULL},
        {"ranks", 0, ASHI_TEXT, "LIST", NULL,
         "counts of ranks, ascending, with commas, each from 1 to 2147483647; those of the paper's runs, 109 to 18432, "
         "unless given", &a->ranks, NULL},
        {"memory", 0, ASHI_CHOICE, NULL, "scenario|machine",
         "the limit of a rank: what the scenario's name says, or the main memory of a core; scenario unless given",
         &a->memory, NULL},
        {"out", 0, ASHI_FOLDER, "FOLDER", NULL,
         "write words.csv, words.md, words.dat and words.gp there, and figures if there is gnuplot", &a->out, NULL},
        {"jobs", 'j', ASHI_COUNT, "N", "1 to 4096", "how many processes count; as many as there are cores unless given",
         &a->jobs, NULL},
        {"json", 0, ASHI_FLAG, NULL, NULL, "print one JSON document and nothing else", &a->json, NULL},
        {"quiet", 'q', ASHI_FLAG, NULL, NULL, "show no progress", &a->quiet, NULL},
    };
    _Static_assert(sizeof rows / sizeof rows[0] == OPTIONS, "OPTIONS");
    memcpy(options, rows, sizeof rows);
    return (ashi_usage){.command = "scenarios", .synopsis = "[OPTION...]",
                        .summary = "Count words in the COSMA paper's scenarios, by every strategy and as planned.",
                        .example = "scenarios --out=words", .options = options, .option_count = OPTIONS};
}

int main(int argc, char **argv)
{
    asked a = {.jobs = sysconf(_SC_NPROCESSORS_ONLN)};
    ashi_option options[OPTIONS];
    const ashi_usage usage = usage_of(&a, options);
    int count = 0;
    ashi_complain_prefix = "";
    signal(SIGXFSZ, SIG_IGN); /* a file that may not grow is an error to report */
    int status = ashi_options_parse(&usage, argc, argv, true, &count);
    if (status < 0)
        status = tell(&a);
    if (fflush(stdout) == 0 && !ferror(stdout))
        return status;
    fputs("scenarios: standard output could not be written\n", stderr);
    return status == ASHI_EXIT_DONE ? ASHI_EXIT_TROUBLE : status;
}
