/* `ashlar compile`: C for a program of contractions. */
#include "cli/command.h"

#include "base/error.h"
#include "base/number.h"
#include "base/type.h"
#include "cli/machine.h"
#include "cli/named_files.h"
#include "cli/text_file.h"
#include "compile/emit.h"
#include "compile/factor.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char name[] = "compile";

typedef struct request {
    const char *output, *function, *machine;
    int64_t ranks, memory;
    bool memory_given;
    int type;
} request;

enum { OPTIONS = 6 };

static ashi_usage usage_of(request *r, ashi_option options[OPTIONS])
{
    const ashi_option rows[OPTIONS] = {
        {"output", 'o', ASHI_FILE, "FILE", NULL, "where the C goes; with --function a header beside it", &r->output,
         NULL},
        {"function", 0, ASHI_TEXT, "NAME", NULL, "make a function of this name instead of a main", &r->function, NULL},
        {"type", 0, ASHI_CHOICE, NULL, "s|d|c|z", "element type, by its letter in BLAS; d unless given", &r->type,
         NULL},
        {"ranks", 0, ASHI_COUNT, "P", "1 to 2147483647", "how many ranks comments predict for; 1 unless given",
         &r->ranks, NULL},
        {"memory", 0, ASHI_SIZE, "SIZE", NULL, "memory of a rank that comments predict for, such as 2GiB", &r->memory,
         &r->memory_given},
        {"machine", 0, ASHI_FILE, "FILE", NULL, "figures to predict from, as 'ashlar calibrate' writes them",
         &r->machine, NULL},
    };
    memcpy(options, rows, sizeof rows);
    return (ashi_usage){.command = name, .synopsis = "PROGRAM.ash -o FILE.c [RANGE=N...] [OPTION...]",
                        .summary = "Make C of a program of contractions, with what its terms share computed once.",
                        .example = "ashlar compile ccsd.ash -o ccsd.c --function ccsd o=20 v=100",
                        .options = options, .option_count = OPTIONS, .least = 1, .most = 33, .files = true};
}

void ashi_describe_compile(ashi_usage_use use, void *context)
{
    request r = {.ranks = 1, .type = ASHLAR_TYPE_D};
    ashi_option options[OPTIONS];
    const ashi_usage usage = usage_of(&r, options);
    use(&usage, context);
}

/* What is made on the way; freed at once. */
typedef struct work {
    char *text;
    ashi_ash_program *program;
    ashi_ash_sums *sums;
    ashi_ash_graph graph;
    ashi_ash_steps steps;
    ashi_ash_spot spot;
    double plain;
    ashlar_error err;
} work;

/* The line of the text that an error is about, and a caret. */
static int point_at(const work *w)
{
    const char *line = w->text;
    if (w->spot.line < 1)
        return ashi_complain(name, &w->err);
    for (int i = 1; i < w->spot.line && line; i++) {
        line = strchr(line, '\n');
        line += line != NULL;
    }
    size_t length = line ? strcspn(line, "\n") : 0;
    length -= length > 0 && line[length - 1] == '\r';
    return ashi_complain_at(name, &w->err, line ? line : "", length, w->spot.column);
}

/* "o=20": a typical extent. */
static ashlar_status read_extent(work *w, const char *word)
{
    char range[ASHI_ASH_NAME] = "";
    int64_t extent = 0;
    const char *value = strchr(word, '=');
    if (value && value - word < ASHI_ASH_NAME)
        memcpy(range, word, (size_t)(value - word));
    if (!value || !ashi_number_count(value + 1, &extent) || extent < 1 || extent > INT64_C(1) << 40)
        return ashi_fail(&w->err, ASHLAR_ERR_ARG, "'%.64s', wanted a range and a typical extent, such as o=20", word);
    const int number = ashi_ash_range_named(w->program, range);
    if (number < 0 || w->program->range[number].parts > 0)
        return ashi_fail(&w->err, ASHLAR_ERR_ARG, "'%.64s': the program has no range '%s' with a number", word, range);
    ashi_ash_set_typical(w->program, number, extent);
    return ASHLAR_OK;
}

static ashlar_status make_steps(work *w, int words, char **word)
{
    ashi_ash_graph plain = {0};
    ashlar_status status = ashi_text_file_read(word[0], &w->text, &w->err);
    if (status == ASHLAR_OK)
        status = ashi_ash_read(w->text, &w->program, &w->spot, &w->err);
    for (int i = 1; i < words && status == ASHLAR_OK; i++)
        status = read_extent(w, word[i]);
    if (status == ASHLAR_OK)
        status = ashi_ash_sums_make(w->program, &w->sums, &w->spot, &w->err);
    if (status == ASHLAR_OK)
        status = ashi_ash_optimise(&plain, w->sums, false, &w->err);
    w->plain = plain.operations;
    ashi_ash_graph_free(&plain);
    if (status == ASHLAR_OK)
        status = ashi_ash_optimise(&w->graph, w->sums, true, &w->err);
    if (status == ASHLAR_OK)
        status = ashi_ash_steps_make(&w->steps, &w->graph, &w->err);
    return status;
}

static const char *last_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static bool is_identifier(const char *text)
{
    bool good = isalpha((unsigned char)text[0]) || text[0] == '_';
    for (const char *c = text; *c; c++)
        good = good && (isalnum((unsigned char)*c) || *c == '_') && c - text < 64;
    return good;
}

/* Write what `emit` writes as a whole file. */
static ashlar_status write_file(work *w, const char *path, const ashi_ash_emission *e,
                                bool (*emit)(const ashi_ash_steps *, const ashi_ash_emission *, FILE *))
{
    char *text = NULL;
    size_t length = 0;
    FILE *file = open_memstream(&text, &length);
    const bool good = file && emit(&w->steps, e, file) && !ferror(file);
    ashlar_status status = good ? ASHLAR_OK : ASHLAR_ERR_MEMORY;
    if (file && fclose(file) != 0)
        status = ASHLAR_ERR_MEMORY;
    status = status == ASHLAR_OK ? ashi_text_file_write(path, text, &w->err)
                                 : ashi_fail_memory(&w->err, "writing C", (int64_t)length);
    free(text);
    return status;
}

static ashlar_status write_c(work *w, const request *r, const char *source)
{
    ashi_ash_target target = {.ranks = r->ranks, .memory = r->memory, .type = (ashlar_type)r->type,
                              .machine = ashlar_machine_default()};
    const int64_t bytes = (int64_t)ashi_type_of(target.type)->bytes;
    if (r->memory_given && r->memory < 3 * bytes)
        return ashi_fail(&w->err, ASHLAR_ERR_ARG, "--memory holds fewer than 3 words: one of each array would do");
    ashlar_status status = r->machine ? ashi_machine_read(r->machine, &target.machine, &w->err) : ASHLAR_OK;
    if (status != ASHLAR_OK)
        return status;
    char header[1024] = "";
    const int folder = (int)(last_of(r->output) - r->output);
    const ashi_ash_emission e = {.function = r->function, .source = last_of(source), .header = header + folder,
                                 .target = target, .predict = ashi_ash_predict, .plain = w->plain};
    if (r->function && (!is_identifier(r->function) || ashi_ash_is_reserved(r->function)))
        return ashi_fail(&w->err, ASHLAR_ERR_ARG, "--function is '%.64s', wanted a name of C", r->function);
    if (r->function && (size_t)snprintf(header, sizeof header, "%.*s%s.h", folder, r->output, r->function) >=
                           sizeof header)
        return ashi_fail(&w->err, ASHLAR_ERR_ARG, "the name of the output is too long");
    status = ashi_ash_emit_check(&w->steps, &e, &w->spot, &w->err);
    if (status == ASHLAR_OK && r->function)
        status = write_file(w, header, &e, ashi_ash_emit_header);
    return status == ASHLAR_OK ? write_file(w, r->output, &e, ashi_ash_emit) : status;
}

/* On standard error: what was made, and what it takes. */
static void report(const work *w, const request *r)
{
    fprintf(stderr, "%s: %.6g multiply-adds at typical extents, %.6g if every term were computed on its own\n",
            r->output, w->graph.operations, w->plain);
}

int ashi_command_compile(int argc, char **argv)
{
    request r = {.ranks = 1, .type = ASHLAR_TYPE_D};
    ashi_option options[OPTIONS];
    const ashi_usage usage = usage_of(&r, options);
    int words = 0;
    int result = ashi_options_parse(&usage, argc, argv, true, &words);
    if (result >= 0)
        return result;
    work *w = calloc(1, sizeof *w);
    if (!w)
        return ASHI_EXIT_TROUBLE;
    ashlar_status status = r.output ? make_steps(w, words, argv + 1)
                                    : ashi_fail(&w->err, ASHLAR_ERR_ARG, "no output named, wanted -o FILE.c");
    const ashi_named_file files[] = {{"the program", argv[1], false, false},
                                     {"--machine", r.machine, false, false},
                                     {"-o", r.output, true, false}};
    if (status == ASHLAR_OK)
        status = ashi_named_files_differ(files, 3, &w->err);
    if (status == ASHLAR_OK)
        status = write_c(w, &r, argv[1]);
    result = status == ASHLAR_OK ? ASHI_EXIT_DONE : point_at(w);
    if (status == ASHLAR_OK)
        report(w, &r);
    ashi_ash_steps_free(&w->steps);
    ashi_ash_graph_free(&w->graph);
    free(w->sums);
    free(w->program);
    free(w->text);
    free(w);
    return result;
}
