/* Any bytes as a program of contractions: read, made into sums, and, if it is short, into C. */
#include "compile/emit.h"
#include "compile/factor.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { PRODUCTS_MOST = 6 }; /* of what is optimised: more take long, and nothing new */

/* An error is one line, and about a line of the text if it names one. */
static void check_error(const ashlar_error *err, const ashi_ash_spot *spot, const char *text)
{
    int lines = 1;
    for (const char *c = text; *c; c++)
        lines += *c == '\n';
    if (err->text[0] == '\0' || strchr(err->text, '\n') || spot->line < 0 || spot->line > lines || spot->column < 0)
        abort();
}

static void make_c(const ashi_ash_sums *s)
{
    ashi_ash_graph g = {0};
    ashi_ash_steps steps = {0};
    ashi_ash_spot spot = {0, 0};
    ashlar_error err = {0};
    const ashi_ash_emission e = {.function = "f", .source = "fuzz", .header = "f.h",
                                 .target = {.ranks = 1, .type = ASHLAR_TYPE_D}};
    if (ashi_ash_optimise(&g, s, true, &err) == ASHLAR_OK) {
        char *text = NULL;
        size_t length = 0;
        FILE *out = ashi_ash_steps_make(&steps, &g, &err) == ASHLAR_OK ? open_memstream(&text, &length) : NULL;
        if (!out)
            abort();
        if (ashi_ash_emit_check(&steps, &e, &spot, &err) == ASHLAR_OK && !ashi_ash_emit(&steps, &e, out))
            abort();
        fclose(out);
        free(text);
    }
    ashi_ash_steps_free(&steps);
    ashi_ash_graph_free(&g);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ashi_ash_program *p = NULL;
    ashi_ash_sums *s = NULL;
    ashi_ash_spot spot = {0, 0};
    ashlar_error err = {0};
    char *text = calloc(1, size + 1);
    if (!text)
        return 0;
    memcpy(text, data, size);
    if (ashi_ash_read(text, &p, &spot, &err) != ASHLAR_OK || ashi_ash_sums_make(p, &s, &spot, &err) != ASHLAR_OK)
        check_error(&err, &spot, text);
    if (s && s->products <= PRODUCTS_MOST)
        make_c(s);
    free(s);
    free(p);
    free(text);
    return 0;
}
