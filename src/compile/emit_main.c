/* The main of a compiled program: extents from its words, and scalar outputs printed. */
#include "compile/emit_words.h"

#include <inttypes.h>

/* Words such as "memory=64MiB". */
static void write_size(FILE *out)
{
    fputs("\n/* Bytes, as \"1000\", \"64MiB\" or \"200kB\"; 0: it is no size. */\n"
          "static int64_t read_size(const char *text)\n{\n"
          "    static const struct {\n        const char *name;\n        int64_t bytes;\n    } units[] = {\n"
          "        {\"\", 1}, {\"B\", 1}, {\"kB\", 1000}, {\"MB\", 1000000}, {\"GB\", 1000000000}, "
          "{\"TB\", 1000000000000},\n"
          "        {\"KiB\", 1 << 10}, {\"MiB\", 1 << 20}, {\"GiB\", 1 << 30}, {\"TiB\", (int64_t)1 << 40}};\n"
          "    char *end = NULL;\n    const long long number = strtoll(text, &end, 10);\n"
          "    for (size_t u = 0; u < sizeof units / sizeof *units; u++)\n"
          "        if (end != text && strcmp(end, units[u].name) == 0 && number > 0 &&\n"
          "            number <= INT64_MAX / units[u].bytes)\n"
          "            return (int64_t)number * units[u].bytes;\n    return 0;\n}\n", out);
}

/* Words that are no extents: limits, and places of files. */
static void write_options(const ashi_ash_program *p, FILE *out)
{
    fputs("        const char *value = strchr(argv[i], '=');\n"
          "        const size_t length = value ? (size_t)(value++ - argv[i]) : strlen(argv[i]);\n"
          "        if (strcmp(argv[i], \"resume\") == 0)\n            given->resume = true;\n"
          "        else if (!value)\n            return argv[i];\n"
          "        else if (length == 6 && memcmp(argv[i], \"memory\", length) == 0 &&\n"
          "                 (given->memory = read_size(value)) > 0)\n            continue;\n"
          "        else if (length == 7 && memcmp(argv[i], \"scratch\", length) == 0)\n"
          "            given->scratch = value;\n", out);
    for (int a = 0; a < p->arrays; a++)
        if (p->array[a].place[0])
            fprintf(out, "        else if (length == sizeof \"%s\" - 1 && memcmp(argv[i], \"%s\", length) == 0)\n"
                    "            given->place.%s = value;\n", p->array[a].name, p->array[a].name, p->array[a].name);
}

/* Words such as "o=10". */
static void write_reading(const ashi_ash_program *p, FILE *out)
{
    write_size(out);
    fputs("\n/* A number from 0 to 2^40; -1: it is none. */\nstatic int64_t read_extent(const char *text)\n{\n"
          "    char *end = NULL;\n    const long long number = strtoll(text, &end, 10);\n"
          "    return end != text && *end == '\\0' && number >= 0 && number <= 1LL << 40 ? number : -1;\n}\n", out);
    fputs("\n/* Read words into extents and limits. NULL, or what is wrong: a word, or that one is missing. */\n"
          "static const char *read_words(int argc, char **argv, compute_arguments *given)\n{\n", out);
    for (int r = 0; r < p->ranges; r++)
        if (p->range[r].parts == 0)
            fprintf(out, "    given->%s = -1;\n", p->range[r].name);
    fputs("    for (int i = 1; i < argc; i++) {\n", out);
    write_options(p, out);
    for (int r = 0; r < p->ranges; r++)
        if (p->range[r].parts == 0)
            fprintf(out, "        else if (length == sizeof \"%s\" - 1 && memcmp(argv[i], \"%s\", length) == 0 &&\n"
                    "                 (given->%s = read_extent(value)) >= 0)\n            continue;\n",
                    p->range[r].name, p->range[r].name, p->range[r].name);
    fputs("        else\n            return argv[i];\n    }\n", out);
    for (int r = 0; r < p->ranges; r++)
        if (p->range[r].parts == 0)
            fprintf(out, "    if (given->%s < 0)\n        return \"%s is missing\";\n", p->range[r].name,
                    p->range[r].name);
    fputs("    return NULL;\n}\n", out);
}

static void write_scalars(const ashi_ash_steps *s, const ashi_ash_emission *e, bool print, FILE *out)
{
    const ashi_ash_sums *sums = s->graph->sums;
    for (int n = 0; n < sums->tensors; n++) {
        if (!ashi_ash_is_given(s->graph, n))
            continue;
        if (!print)
            fprintf(out, "    element %s_value = 0;\n    given.%s = &%s_value;\n", sums->tensor[n].name,
                    sums->tensor[n].name, sums->tensor[n].name);
        else if (e->target.type >= ASHLAR_TYPE_C)
            fprintf(out, "    if (status == ASHLAR_OK && rank == 0)\n        printf(\"%s = %%.15g %%+.15gi\\n\", "
                    "creal(%s_value), cimag(%s_value));\n", sums->tensor[n].name, sums->tensor[n].name,
                    sums->tensor[n].name);
        else
            fprintf(out, "    if (status == ASHLAR_OK && rank == 0)\n        printf(\"%s = %%.15g\\n\", "
                    "(double)%s_value);\n", sums->tensor[n].name, sums->tensor[n].name);
    }
}

void ashi_ash_write_main(const ashi_ash_steps *s, const ashi_ash_emission *e, FILE *out)
{
    const ashi_ash_program *p = s->graph->sums->program;
    write_reading(p, out);
    fputs("\nint main(int argc, char **argv)\n{\n    ashlar_context *context = NULL;\n    ashlar_error err = {0};\n"
          "    compute_arguments given = {0};\n    int rank = 0;\n", out);
    write_scalars(s, e, false, out);
    fputs("    signal(SIGXFSZ, SIG_IGN); /* a file that may not grow is an error to report */\n"
          "    if (MPI_Init(&argc, &argv) != MPI_SUCCESS)\n        return 3;\n"
          "    MPI_Comm_rank(MPI_COMM_WORLD, &rank);\n    const char *wrong = read_words(argc, argv, &given);\n"
          "    if (wrong) {\n"
          "        if (rank == 0)\n"
          "            fprintf(stderr, \"%s: %s: wanted the extents", out);
    for (int r = 0; r < p->ranges; r++)
        if (p->range[r].parts == 0)
            fprintf(out, " %s=%" PRId64, p->range[r].name, p->range[r].typical);
    fputs(", and if wanted memory=SIZE scratch=FOLDER resume", out);
    for (int a = 0; a < p->arrays; a++)
        if (p->array[a].place[0])
            fprintf(out, " %s=PLACE", p->array[a].name);
    fputs("\\n\", argv[0], wrong);\n        MPI_Finalize();\n        return 2;\n    }\n"
          "    ashlar_status status = ashlar_context_create(MPI_COMM_WORLD, &context, &err);\n"
          "    if (status == ASHLAR_OK)\n        status = compute(context, MPI_COMM_WORLD, &given, NULL, &err);\n"
          "    if (status != ASHLAR_OK && rank == 0)\n"
          "        fprintf(stderr, \"%s: %s\\n\", argv[0], err.text);\n", out);
    write_scalars(s, e, true, out);
    fputs("    ashlar_context_free(&context);\n    MPI_Finalize();\n    return status == ASHLAR_OK ? 0 : 3;\n}\n", out);
}
