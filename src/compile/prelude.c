/* Choosing the C that a compiled program needs. */
#include "compile/prelude.h"

#include "compile/emit_words.h"

#include <ctype.h>
#include <string.h>

enum { PIECES_MOST = 64, NAME_MOST = 64 };

/* A type or a function of the prelude: `lines` lines. */
typedef struct piece {
    const char *const *line;
    int lines;
    char name[NAME_MOST]; /* of a function; empty: a type */
    bool needed;
} piece;

/* Append the pieces of some lines to a list. */
static int find_pieces(const char *const *line, piece *list, int count)
{
    const char *const *begin = line;
    for (; *line && count < PIECES_MOST; line++) {
        if (**line != '\0')
            continue;
        piece *now = &list[count++];
        *now = (piece){.line = begin, .lines = (int)(line - begin)};
        begin = line + 1;
        for (int l = 0; l < now->lines; l++) {
            const char *name = strncmp(now->line[l], "static", 6) == 0 ? strchr(now->line[l], '(') : NULL;
            const char *from = name;
            while (from && from[-1] != ' ' && from[-1] != '*')
                from--;
            if (from && name - from < NAME_MOST)
                memcpy(now->name, from, (size_t)(name - from));
        }
    }
    return count;
}

/* What a line becomes; NULL: it is left out. An operand in a file is in memory as long as it is needed. */
static const char *line_of(const char *line, bool files)
{
    static const char *const marks[][2] = {
        {"    ASH_FILES_BEGIN", "    ash_array read[2] = {{.data = NULL}, {.data = NULL}};"},
        {"        ASH_FILE_OPERAND",
         "        if (part[i].of->place) {\n            int64_t begin[ASH_ORDER] = {0};\n"
         "            for (int d = 0; d < part[i].of->order; d++)\n"
         "                begin[d] = part[i].of->begin[d] + part[i].from[d];\n"
         "            all[i].of = &read[i];\n            memset(all[i].from, 0, sizeof all[i].from);\n"
         "            if (status == ASHLAR_OK)\n"
         "                status = ash_begin(r, &read[i], part[i].of->order, part[i].of->dealt, part[i].extent);\n"
         "            if (status == ASHLAR_OK)\n"
         "                status = ash_load(r, &read[i], part[i].of->place, begin);\n        }"},
        {"    ASH_FILES_END", "    ash_end(&read[0]);\n    ash_end(&read[1]);"},
    };
    for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++)
        if (strcmp(line, marks[i][0]) == 0)
            return files ? marks[i][1] : NULL;
    return line;
}

/* Whether a text has the name, as a whole word. */
static bool has_name(const char *text, const char *name)
{
    const size_t length = strlen(name);
    for (const char *at = strstr(text, name); at; at = strstr(at + length, name))
        if (!isalnum((unsigned char)at[length]) && at[length] != '_')
            return true;
    return false;
}

/* Whether a piece has the name of a function. */
static bool uses(const piece *by, const char *name, bool files)
{
    for (int l = 0; l < by->lines; l++) {
        const char *line = line_of(by->line[l], files);
        if (line && has_name(line, name))
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
    piece list[PIECES_MOST];
    int count = find_pieces(ashi_ash_prelude, list, 0);
    count = files ? find_pieces(ashi_ash_prelude_files, list, count) : count;
    count = find_pieces(ashi_ash_prelude_calls, list, count);
    for (int i = count - 1; i >= 0; i--) {
        list[i].needed = !list[i].name[0] || has_name(body, list[i].name);
        for (int k = i + 1; k < count && !list[i].needed; k++)
            list[i].needed = list[k].needed && uses(&list[k], list[i].name, files);
    }
    write_head(e, files, out);
    for (int i = 0; i < count; i++) {
        for (int l = 0; l < list[i].lines && list[i].needed; l++) {
            const char *line = line_of(list[i].line[l], files);
            if (line)
                fprintf(out, "%s\n", line);
        }
        fputs(list[i].needed ? "\n" : "", out);
    }
}
