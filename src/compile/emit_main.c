/* The main of a compiled program: extents from its words, and scalar outputs printed. */
#include "compile/emit_words.h"

#include <inttypes.h>

/* Words such as "o=10". */
static void write_reading(const ashi_ash_program *p, FILE *out)
{
    fputs("\n/* Read \"NAME=VALUE\" words into extents. */\nstatic bool read_words(int argc, char **argv, "
          "compute_arguments *given)\n{\n", out);
    fputs("    for (int i = 1; i < argc; i++) {\n        const char *value = strchr(argv[i], '=');\n"
          "        char *end = NULL;\n"
          "        const long long number = value ? strtoll(value + 1, &end, 10) : -1;\n"
          "        const size_t length = value ? (size_t)(value - argv[i]) : 0;\n"
          "        if (!value || end == value + 1 || *end || number < 1)\n            return false;\n", out);
    for (int r = 0, some = 0; r < p->ranges; r++)
        if (p->range[r].parts == 0)
            fprintf(out, "        %sif (length == sizeof \"%s\" - 1 && memcmp(argv[i], \"%s\", length) == 0)\n"
                    "            given->%s = number;\n", some++ ? "else " : "", p->range[r].name, p->range[r].name,
                    p->range[r].name);
    fputs("        else\n            return false;\n    }\n    return ", out);
    const char *between = "";
    for (int r = 0; r < p->ranges; r++)
        if (p->range[r].parts == 0) {
            fprintf(out, "%sgiven->%s > 0", between, p->range[r].name);
            between = " && ";
        }
    fputs(";\n}\n", out);
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
        else if (e->type >= ASHLAR_TYPE_C)
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
    fputs("    if (MPI_Init(&argc, &argv) != MPI_SUCCESS)\n        return 3;\n"
          "    MPI_Comm_rank(MPI_COMM_WORLD, &rank);\n    if (!read_words(argc, argv, &given)) {\n"
          "        if (rank == 0)\n"
          "            fprintf(stderr, \"%s: wanted the extents", out);
    for (int r = 0; r < p->ranges; r++)
        if (p->range[r].parts == 0)
            fprintf(out, " %s=%" PRId64, p->range[r].name, p->range[r].typical);
    fputs("\\n\", argv[0]);\n        MPI_Finalize();\n        return 2;\n    }\n"
          "    ashlar_status status = ashlar_context_create(MPI_COMM_WORLD, &context, &err);\n"
          "    if (status == ASHLAR_OK)\n        status = compute(context, MPI_COMM_WORLD, &given, NULL, &err);\n"
          "    if (status != ASHLAR_OK && rank == 0)\n"
          "        fprintf(stderr, \"%s: %s\\n\", argv[0], err.text);\n", out);
    write_scalars(s, e, true, out);
    fputs("    ashlar_context_free(&context);\n    MPI_Finalize();\n    return status == ASHLAR_OK ? 0 : 3;\n}\n", out);
}
