/* Reading a program line by line. */
#include "base/error.h"
#include "compile/parser.h"

#include <stdlib.h>

/* A declaration or a statement, with the end of its line. */
static ashlar_status read_line(ashi_ash_parser *r)
{
    bool declaration = false;
    ashlar_status status = ashi_ash_read_declaration(r, &declaration);
    if (status == ASHLAR_OK && !declaration)
        status = ashi_ash_read_statement(r);
    if (status == ASHLAR_OK && r->l.word.kind != ASHI_ASH_LINE_WORD && r->l.word.kind != ASHI_ASH_END_WORD)
        return ashi_ash_unexpected(&r->l, declaration ? "the end of the line" : "an operator or the end of the line");
    return status;
}

ashlar_status ashi_ash_read(const char *text, ashi_ash_program **out, ashi_ash_spot *spot, ashlar_error *err)
{
    ashi_ash_program *p = calloc(1, sizeof *p);
    ashi_ash_parser r = {.p = p};
    *out = NULL;
    *spot = (ashi_ash_spot){0, 0};
    if (!p)
        return ashi_fail_memory(err, "reading a program", (int64_t)sizeof *p);
    ashlar_status status = ashi_ash_lexer_begin(&r.l, text, spot, err);
    while (status == ASHLAR_OK && r.l.word.kind != ASHI_ASH_END_WORD)
        status = r.l.word.kind == ASHI_ASH_LINE_WORD ? ashi_ash_next(&r.l) : read_line(&r);
    if (status == ASHLAR_OK)
        status = ashi_ash_check(&r);
    if (status == ASHLAR_OK)
        *out = p;
    else
        free(p);
    return status;
}
