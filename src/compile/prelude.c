/* Choosing the C that a compiled program needs. */
#include "compile/prelude.h"

#include "compile/emit_words.h"

#include <string.h>

enum { FUNCTIONS_MOST = 64, NAME_MOST = 64 };

/* A type or a function of the prelude: lines `begin` to `end` - 1. */
typedef struct piece {
    int begin, end;
    char name[NAME_MOST]; /* "ash_cut(" of a function; empty: a type */
    bool needed;
} piece;

static int find_pieces(piece *p)
{
    int count = 0, begin = 0;
    for (int i = 0; ashi_ash_prelude[i] && count < FUNCTIONS_MOST; i++) {
        if (ashi_ash_prelude[i][0] != '\0')
            continue;
        piece *now = &p[count++];
        *now = (piece){.begin = begin, .end = i};
        begin = i + 1;
        for (int l = now->begin; l < i; l++) {
            const char *name = strncmp(ashi_ash_prelude[l], "static", 6) == 0 ? strchr(ashi_ash_prelude[l], '(') : NULL;
            const char *from = name;
            while (from && from[-1] != ' ' && from[-1] != '*')
                from--;
            if (from && name + 1 - from < NAME_MOST)
                memcpy(now->name, from, (size_t)(name + 1 - from));
        }
    }
    return count;
}

/* What a line becomes; NULL: it is left out. */
static const char *line_of(const char *line, bool files)
{
    static const char *const marks[][2] = {
        {"    ASH_FILES_BEGIN", "    ashlar_tensor_file *file[2] = {NULL, NULL};"},
        {"        ASH_FILE_OPERAND", "        if (p->of->place) {\n            status = ash_open(r, p, &file[i]);\n"
                                     "            operand[i].file = file[i];\n            continue;\n        }"},
        {"    ASH_FILES_END", "    for (int i = 0; i < operands; i++)\n        ashlar_tensor_close(&file[i]);"},
    };
    for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++)
        if (strcmp(line, marks[i][0]) == 0)
            return files ? marks[i][1] : NULL;
    return line;
}

static bool calls(const piece *by, const char *name, bool files)
{
    for (int l = by->begin; l < by->end; l++) {
        const char *line = line_of(ashi_ash_prelude[l], files);
        if (line && strstr(line, name))
            return true;
    }
    return false;
}

static void write_head(const ashi_ash_emission *e, bool files, FILE *out)
{
    static const char letters[] = "SDCZ";
    static const char *const mpi[] = {"MPI_FLOAT", "MPI_DOUBLE", "MPI_C_FLOAT_COMPLEX", "MPI_C_DOUBLE_COMPLEX"};
    fputs("#include <ashlar/contract.h>\n", out);
    fputs(files ? "#include <ashlar/tensor_file.h>\n\n" : "\n", out);
    fputs(e->type >= ASHLAR_TYPE_C ? "#include <complex.h>\n" : "", out);
    fputs("#include <limits.h>\n#include <mpi.h>\n#include <stdio.h>\n#include <stdlib.h>\n"
          "#include <string.h>\n\n", out);
    fprintf(out, "typedef %s element;\n#define ASH_TYPE ASHLAR_TYPE_%c\n#define ASH_MPI_TYPE %s\n",
            ashi_ash_c_type(e->type), letters[e->type], mpi[e->type]);
    fputs("enum { ASH_ORDER = 12 };\n\n", out);
}

void ashi_ash_write_prelude(const ashi_ash_emission *e, bool files, const char *body, FILE *out)
{
    piece list[FUNCTIONS_MOST];
    const int count = find_pieces(list);
    for (int i = count - 1; i >= 0; i--) {
        list[i].needed = !list[i].name[0] || strstr(body, list[i].name);
        for (int k = i + 1; k < count && !list[i].needed; k++)
            list[i].needed = list[k].needed && calls(&list[k], list[i].name, files);
    }
    write_head(e, files, out);
    for (int i = 0; i < count; i++) {
        for (int l = list[i].begin; l < list[i].end && list[i].needed; l++) {
            const char *line = line_of(ashi_ash_prelude[l], files);
            if (line)
                fprintf(out, "%s\n", line);
        }
        fputs(list[i].needed ? "\n" : "", out);
    }
}
