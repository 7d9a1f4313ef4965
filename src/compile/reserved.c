/* Names that a program cannot give: C, MPI or Ashlar has them. */
#include "compile/program.h"

#include <string.h>

/* Words that C, its headers or the generated program use. */
static const char *const reserved[] = {
    "auto", "break", "case", "char", "const", "continue", "default", "do", "double", "else", "enum", "extern", "float",
    "for", "goto", "if", "inline", "int", "long", "register", "restrict", "return", "short", "signed", "sizeof",
    "static", "struct", "switch", "typedef", "union", "unsigned", "void", "volatile", "while", "bool", "true", "false",
    "complex", "imaginary", "I", "NULL", "errno", "stdin", "stdout", "stderr", "range", "index", "input", "output",
    "array", "symmetry", "conj", "P", "S", "context", "options", "ranks", "rank", "err", "memory", "scratch", "resume",
    "place", "asm", "typeof", "typeof_unqual", "alignas", "alignof", "static_assert", "thread_local", "noreturn",
    "nullptr", "constexpr", "linux", "unix", "EOF", "BUFSIZ", "SEEK_SET", "INT_MAX"};

/* How macros of C, MPI and the generated program begin. */
static const char *const reserved_beginnings[] = {"_", "MPI_", "ASH_", "ASHLAR_", "ash_", "ashlar_", "INT64_", "O_"};

bool ashi_ash_begins_reserved(const char *name)
{
    for (size_t i = 0; i < sizeof reserved_beginnings / sizeof reserved_beginnings[0]; i++)
        if (strncmp(name, reserved_beginnings[i], strlen(reserved_beginnings[i])) == 0)
            return true;
    return false;
}

bool ashi_ash_is_reserved(const char *name)
{
    for (size_t i = 0; i < sizeof reserved / sizeof reserved[0]; i++)
        if (strcmp(name, reserved[i]) == 0)
            return true;
    return ashi_ash_begins_reserved(name);
}
