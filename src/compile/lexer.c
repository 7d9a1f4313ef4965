/* The words of a program's text. */
#include "compile/lexer.h"

#include "base/error.h"

#include <ctype.h>
#include <string.h>

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || is_digit(c);
}

/* Columns count characters of UTF-8, as editors do. */
static bool begins_character(char c)
{
    return ((unsigned char)c & 0xC0) != 0x80;
}

static void step(ashi_ash_lexer *l)
{
    l->column += begins_character(*l->at);
    if (*l->at++ == '\n') {
        l->line++;
        l->column = 1;
    }
}

static void skip_spaces(ashi_ash_lexer *l, bool lines)
{
    while (*l->at == ' ' || *l->at == '\t' || *l->at == '\r' || *l->at == '#' || (lines && *l->at == '\n')) {
        const bool comment = *l->at == '#';
        while (comment && *l->at && *l->at != '\n')
            step(l);
        if (!comment)
            step(l);
    }
}

static ashlar_status wrong(ashi_ash_lexer *l, const char *says)
{
    *l->spot = (ashi_ash_spot){l->line, l->column};
    return ashi_fail(l->err, ASHLAR_ERR_ARG, "line %d, column %d: %s", l->line, l->column, says);
}

static void take(ashi_ash_lexer *l, ashi_ash_word_kind kind, int length)
{
    l->word = (ashi_ash_word){kind, l->at, length, {l->line, l->column}};
    for (int i = 0; i < length; i++)
        step(l);
}

static ashlar_status take_string(ashi_ash_lexer *l)
{
    const size_t length = strcspn(l->at + 1, "\"\n");
    if (l->at[1 + length] != '"')
        return wrong(l, "the string does not end on its line");
    if (length + 1 > ASHI_ASH_PLACE)
        return wrong(l, "the string is longer than 255 bytes");
    step(l);
    take(l, ASHI_ASH_STRING_WORD, (int)length);
    step(l);
    return ASHLAR_OK;
}

static int number_length(const char *at)
{
    int n = 0;
    while (is_digit(at[n]) || at[n] == '.')
        n++;
    if (at[n] == 'e' || at[n] == 'E') {
        const int sign = at[n + 1] == '+' || at[n + 1] == '-';
        int digits = 0;
        while (is_digit(at[n + 1 + sign + digits]))
            digits++;
        n += digits > 0 ? 1 + sign + digits : 0;
    }
    return n;
}

static int name_length(const char *at)
{
    int n = 0;
    while (is_name(at[n]))
        n++;
    return n;
}

/* A line's end is a space if more must come, or if the next line begins with a sign that begins no statement. */
static bool ends_statement(ashi_ash_lexer *l)
{
    const bool joined = l->depth > 0 || l->joins;
    const ashi_ash_spot spot = {l->line, l->column};
    const char *begin = l->at;
    skip_spaces(l, true);
    if (joined || (*l->at && strchr("+-*/", *l->at)))
        return false;
    l->word = (ashi_ash_word){ASHI_ASH_LINE_WORD, begin, 1, spot};
    return true;
}

static ashlar_status take_sign(ashi_ash_lexer *l)
{
    if (!*l->at || !strchr("[]()+-*/=,:", *l->at)) {
        const unsigned char c = (unsigned char)*l->at;
        int length = 1;
        while (length < 4 && l->at[length] && !begins_character(l->at[length]))
            length++;
        *l->spot = (ashi_ash_spot){l->line, l->column};
        return isprint(c) || (c >= 0xC3 && length > 1)
                   ? ashi_fail(l->err, ASHLAR_ERR_ARG, "line %d, column %d: '%.*s' begins no word", l->line, l->column,
                               c < 0xC3 ? 1 : length, l->at)
                   : ashi_fail(l->err, ASHLAR_ERR_ARG, "line %d, column %d: byte %d begins no word", l->line,
                               l->column, (int)c);
    }
    const bool opens = *l->at == '[' || *l->at == '(', closes = *l->at == ']' || *l->at == ')';
    l->depth += opens - (closes && l->depth > 0);
    l->joins = strchr("+-*/=,:", *l->at) != NULL;
    take(l, ASHI_ASH_SIGN_WORD, (*l->at == '+' || *l->at == '-') && l->at[1] == '=' ? 2 : 1);
    return ASHLAR_OK;
}

ashlar_status ashi_ash_next(ashi_ash_lexer *l)
{
    skip_spaces(l, false);
    if (*l->at == '\n' && ends_statement(l)) {
        l->joins = false;
        return ASHLAR_OK;
    }
    const bool was_joined = l->joins;
    l->joins = false;
    if (!*l->at) {
        l->joins = was_joined;
        take(l, ASHI_ASH_END_WORD, 0);
        return ASHLAR_OK;
    }
    if (*l->at == '"')
        return take_string(l);
    if (is_digit(*l->at) || (*l->at == '.' && is_digit(l->at[1]))) {
        take(l, ASHI_ASH_NUMBER_WORD, number_length(l->at));
        return ASHLAR_OK;
    }
    if (is_name(*l->at)) {
        if (name_length(l->at) >= ASHI_ASH_NAME)
            return wrong(l, "the name is longer than 31 letters");
        take(l, ASHI_ASH_NAME_WORD, name_length(l->at));
        return ASHLAR_OK;
    }
    return take_sign(l);
}

ashlar_status ashi_ash_lexer_begin(ashi_ash_lexer *l, const char *text, ashi_ash_spot *spot, ashlar_error *err)
{
    if (strncmp(text, "\xEF\xBB\xBF", 3) == 0)
        text += 3; /* the mark with which some editors begin UTF-8 */
    *l = (ashi_ash_lexer){.at = text, .line = 1, .column = 1, .spot = spot, .err = err};
    return ashi_ash_next(l);
}

bool ashi_ash_is(const ashi_ash_lexer *l, const char *word)
{
    return (l->word.kind == ASHI_ASH_SIGN_WORD || l->word.kind == ASHI_ASH_NAME_WORD) &&
           (size_t)l->word.length == strlen(word) && memcmp(l->word.begin, word, strlen(word)) == 0;
}

ashlar_status ashi_ash_unexpected(ashi_ash_lexer *l, const char *what)
{
    const ashi_ash_word *w = &l->word;
    *l->spot = w->spot;
    if (w->kind == ASHI_ASH_LINE_WORD || w->kind == ASHI_ASH_END_WORD)
        return ashi_fail(l->err, ASHLAR_ERR_ARG, "line %d, column %d: the %s ends here, wanted %s", w->spot.line,
                         w->spot.column, w->kind == ASHI_ASH_LINE_WORD ? "line" : "program", what);
    return ashi_fail(l->err, ASHLAR_ERR_ARG, "line %d, column %d: '%.*s', wanted %s", w->spot.line, w->spot.column,
                     w->length > 40 ? 40 : w->length, w->begin, what);
}

ashlar_status ashi_ash_pass(ashi_ash_lexer *l, const char *sign, const char *what)
{
    return ashi_ash_is(l, sign) ? ashi_ash_next(l) : ashi_ash_unexpected(l, what);
}

ashlar_status ashi_ash_take_name(ashi_ash_lexer *l, char out[ASHI_ASH_NAME], const char *what)
{
    if (l->word.kind != ASHI_ASH_NAME_WORD)
        return ashi_ash_unexpected(l, what);
    memcpy(out, l->word.begin, (size_t)l->word.length);
    out[l->word.length] = '\0';
    return ashi_ash_next(l);
}
