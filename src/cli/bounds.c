/* `ashlar bounds`: the lower bounds and closed-form costs of the papers, each with its source. */
#include "cli/command.h"
#include "cli/figures.h"
#include "cli/problem_line.h"
#include "cli/report.h"
#include "model/bounds.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char cosma[] = "Kwasniewski et al., SC 2019 (COSMA)";

/* All of it. What needs a memory S is not a number where none was given. */
typedef struct bounds {
    const ashi_problem *problem;
    ashi_bound least, independent;
    double theorem1, theorem2;    /* words loaded and stored by one process; words a rank touches */
    double domain[2];             /* a and b of Theorem 2 */
    double real[2];               /* eqs. 27 and 28 */
    int64_t tile[2];              /* their optimum in whole numbers */
    double listing1;              /* words of the sequential schedule with that tile */
    ashi_table3_row row[4];
} bounds;

static bounds compute(const ashi_problem *q)
{
    const int64_t m = q->size[0], n = q->size[1], k = q->size[2], s = q->memory_words;
    bounds b = {.problem = q, .least = ashi_bound_words(m, n, k, q->ranks, s),
                .independent = ashi_bound_memory_independent(m, n, k, q->ranks), .theorem1 = NAN, .real = {NAN, NAN},
                .listing1 = NAN, .theorem2 = ashi_bound_parallel(m, n, k, q->ranks, s)};
    ashi_parallel_domain(m, n, k, q->ranks, s, &b.domain[0], &b.domain[1]);
    ashi_table3(m, n, k, q->ranks, s, b.row);
    if (s > 0) {
        b.theorem1 = ashi_bound_sequential(m, n, k, s);
        ashi_sequential_tile_real(s, &b.real[0], &b.real[1]);
        ashi_sequential_tile(s, &b.tile[0], &b.tile[1]);
        b.listing1 = ashi_sequential_words(m, n, k, b.tile[0], b.tile[1]);
    }
    return b;
}

static void print_sequential(const bounds *b)
{
    puts("\none process with S words of fast memory");
    if (b->problem->memory_words == 0) {
        puts("  (say how much with --memory or --memory-words)");
        return;
    }
    printf("  Theorem 1       %10s words loaded and stored at least: 2mnk/sqrt(S) + mn\n",
           ashi_figure_of(b->theorem1, "").text);
    printf("  eqs. 27, 28     a = %.6g, b = %.6g; in whole numbers %" PRId64 " x %" PRId64 "\n", b->real[0],
           b->real[1], b->tile[0], b->tile[1]);
    printf("  Listing 1       %10s words with that tile", ashi_figure_of(b->listing1, "").text);
    if (b->theorem1 > 0)
        printf(", %.4f times the bound", b->listing1 / b->theorem1);
    printf("\n  source: %s\n", cosma);
}

static void print_parallel(const bounds *b)
{
    puts("\nwords the busiest rank must receive from others");
    printf("  no memory limit %10s: %s\n  source: %s\n", ashi_figure_of(b->independent.words, "").text,
           b->independent.which, b->independent.source);
    printf("  in this case    %10s: %s\n  source: %s\n", ashi_figure_of(b->least.words, "").text, b->least.which,
           b->least.source);
    puts("\nwords a rank must touch, its own share included");
    printf("  Theorem 2       %10s: 2ab + a^2 with a = %.6g, b = %.6g (eq. 32)\n  source: %s\n",
           ashi_figure_of(b->theorem2, "").text, b->domain[0], b->domain[1], cosma);
}

static void print_table3(const bounds *b)
{
    puts("\nTable 3            words/rank   messages");
    for (int i = 0; i < 4; i++)
        printf("  %-16s %10s %10s\n", b->row[i].name, ashi_figure_of(b->row[i].words, "").text,
               ashi_figure_of(ceil(b->row[i].latency), "").text);
    printf("  source: %s, with its misprints mended\n", cosma);
}

static json_t *table3_json(const bounds *b)
{
    json_t *rows = json_array();
    for (int i = 0; rows && i < 4; i++) {
        json_t *row = json_pack("{s:s, s:o, s:o}", "name", b->row[i].name, "words", ashi_json_real(b->row[i].words),
                                "messages", ashi_json_real(b->row[i].latency));
        if (json_array_append_new(rows, row) != 0) {
            json_decref(rows);
            return NULL;
        }
    }
    return json_pack("{s:s, s:o}", "source", cosma, "rows", rows);
}

static json_t *sequential_json(const bounds *b)
{
    if (b->problem->memory_words == 0)
        return json_null();
    return json_pack("{s:s, s:o, s:[o, o], s:[I, I], s:o}", "source", cosma, "theorem_1",
                     ashi_json_real(b->theorem1), "tile_real", ashi_json_real(b->real[0]), ashi_json_real(b->real[1]),
                     "tile", (json_int_t)b->tile[0], (json_int_t)b->tile[1], "words", ashi_json_real(b->listing1));
}

static json_t *bounds_json(const bounds *b)
{
    return json_pack("{s:i, s:o, s:o, s:o, s:{s:s, s:o, s:[o, o]}, s:o, s:o}", "schema", 1, "problem",
                     ashi_problem_json(b->problem), "bound", ashi_bound_json(&b->least), "memory_independent",
                     ashi_bound_json(&b->independent), "theorem_2", "source", cosma, "words",
                     ashi_json_real(b->theorem2), "domain", ashi_json_real(b->domain[0]), ashi_json_real(b->domain[1]),
                     "sequential", sequential_json(b), "table_3", table3_json(b));
}

static int tell(const ashi_problem *problem, bool json)
{
    const bounds b = compute(problem);
    if (json)
        return ashi_json_print("bounds", bounds_json(&b));
    ashi_problem_print(problem);
    print_sequential(&b);
    print_parallel(&b);
    print_table3(&b);
    return ASHI_EXIT_DONE;
}

/* Of the options of a problem only those that a bound depends on. */
static int choose_options(ashi_problem_line *line, ashi_option *out)
{
    static const char *const names[] = {"ranks", "type", "memory", "memory-words"};
    ashi_option all[ASHI_PROBLEM_OPTIONS];
    int count = 0;
    ashi_problem_line_options(line, all);
    for (int i = 0; i < ASHI_PROBLEM_OPTIONS; i++)
        for (size_t j = 0; j < sizeof names / sizeof names[0]; j++)
            if (strcmp(all[i].name, names[j]) == 0)
                out[count++] = all[i];
    return count;
}

static ashi_usage usage_of(ashi_problem_line *line, bool *json, ashi_option options[ASHI_PROBLEM_OPTIONS + 1])
{
    const int chosen = choose_options(line, options);
    options[chosen] = (ashi_option){"json", 0, ASHI_FLAG, NULL, NULL, "print one JSON document and nothing else", json,
                                    NULL};
    return (ashi_usage){.command = "bounds", .synopsis = "M N K --ranks=P [OPTION...]",
                        .summary = "Show the lower bounds and the costs that the papers give for a product.",
                        .example = "ashlar bounds 16384 16384 16384 --ranks=64 --memory=144MiB", .options = options,
                        .option_count = chosen + 1, .least = 3, .most = 3};
}

void ashi_describe_bounds(ashi_usage_use use, void *context)
{
    ashi_problem_line line = ashi_problem_line_default();
    bool json = false;
    ashi_option options[ASHI_PROBLEM_OPTIONS + 1];
    const ashi_usage usage = usage_of(&line, &json, options);
    use(&usage, context);
}

int ashi_command_bounds(int argc, char **argv)
{
    ashi_problem_line line = ashi_problem_line_default();
    bool json = false;
    ashi_option options[ASHI_PROBLEM_OPTIONS + 1];
    const ashi_usage usage = usage_of(&line, &json, options);
    ashi_problem problem;
    int count = 0;
    int status = ashi_options_parse(&usage, argc, argv, true, &count);
    if (status < 0)
        status = ashi_problem_line_read("bounds", &line, argv + 1, 0, &problem);
    if (status < 0)
        status = tell(&problem, json);
    ashi_problem_line_free(&line);
    return status;
}
