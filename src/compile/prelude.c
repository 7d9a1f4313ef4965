/* Choosing the C that a compiled program needs. */
#include "compile/prelude.h"

#include "compile/emit_words.h"

#include <ctype.h>
#include <string.h>

enum { PIECES_MOST = 128, NAME_MOST = 64 };

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
static bool uses(const piece *by, const char *name)
{
    for (int l = 0; l < by->lines; l++)
        if (has_name(by->line[l], name))
            return true;
    return false;
}

static void write_head(const ashi_ash_emission *e, FILE *out)
{
    static const char letters[] = "SDCZ";
    static const char *const mpi[] = {"MPI_FLOAT", "MPI_DOUBLE", "MPI_C_FLOAT_COMPLEX", "MPI_C_DOUBLE_COMPLEX"};
    fputs("#include <ashlar/contract.h>\n\n", out);
    fputs(e->target.type >= ASHLAR_TYPE_C ? "#include <complex.h>\n" : "", out);
    fputs("#include <errno.h>\n#include <fcntl.h>\n#include <limits.h>\n#include <mpi.h>\n"
          "#include <signal.h>\n#include <stdio.h>\n"
          "#include <stdlib.h>\n#include <string.h>\n#include <sys/stat.h>\n#include <unistd.h>\n\n", out);
    fprintf(out, "typedef %s element;\n#define ASH_TYPE ASHLAR_TYPE_%c\n#define ASH_MPI_TYPE %s\n",
            ashi_ash_c_type(e->target.type), letters[e->target.type], mpi[e->target.type]);
    fprintf(out, "#define ASH_MPI_REAL %s\n", mpi[e->target.type % 2]);
    fputs("enum { ASH_ORDER = 12, ASH_PATH = 1024 };\n", out);
    fprintf(out, "enum { ASH_REALS = %d }; /* real numbers in an element */\n\n",
            e->target.type >= ASHLAR_TYPE_C ? 2 : 1);
}

void ashi_ash_write_prelude(const ashi_ash_emission *e, const char *body, FILE *out)
{
    const char *const *const all[] = {ashi_ash_prelude, ashi_ash_prelude_scratch, ashi_ash_prelude_keep,
                                      ashi_ash_prelude_resume, ashi_ash_prelude_files, ashi_ash_prelude_divide,
                                      ashi_ash_prelude_calls};
    piece list[PIECES_MOST];
    int count = 0;
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        count = find_pieces(all[i], list, count);
    for (int i = count - 1; i >= 0; i--) {
        list[i].needed = !list[i].name[0] || has_name(body, list[i].name);
        for (int k = i + 1; k < count && !list[i].needed; k++)
            list[i].needed = list[k].needed && uses(&list[k], list[i].name);
    }
    write_head(e, out);
    for (int i = 0; i < count; i++) {
        for (int l = 0; l < list[i].lines && list[i].needed; l++)
            fprintf(out, "%s\n", list[i].line[l]);
        fputs(list[i].needed ? "\n" : "", out);
    }
}
