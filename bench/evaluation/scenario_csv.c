/* The rows of a bench of scenarios as comma-separated values. */
#include "evaluation/scenario_text.h"

#include <inttypes.h>

/* Quotes doubled, the whole in quotes. */
static void quoted(const char *text, FILE *out)
{
    fputc('"', out);
    for (; *text; text++) {
        if (*text == '"')
            fputc('"', out);
        fputc(*text, out);
    }
    fputc('"', out);
}

static void figures(const ashi_scenario_row *r, FILE *out)
{
    if (!r->applicable) {
        fputs(",,,,,,,,,,,,", out);
        quoted(r->reason, out);
        return;
    }
    fprintf(out,
            "%s,%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%.15g,%" PRId64
            ",%" PRId64 ",%" PRId64 ",",
            r->strategy, r->grid[0], r->grid[1], r->grid[2], r->ranks_used, r->rounds, r->ranks_walked, r->words_max,
            r->words_mean, r->words_total, r->messages, r->memory);
}

void ashi_scenario_csv(const ashi_scenario_rows *rows, FILE *out)
{
    fputs("shape,scaling,ranks,m,n,k,memory_limit_words,bound_words,way,strategy,pm,pn,pk,ranks_used,rounds,"
          "ranks_walked,words_max,words_mean,words_total,messages,memory_words,reason\n", out);
    for (int64_t i = 0; i < rows->count; i++) {
        const ashi_scenario_row *r = &rows->row[i];
        fprintf(out, "%s,%s,%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%.15g,%s,",
                ashi_shape_name(r->shape), ashi_scaling_name(r->scaling), r->ranks, r->size[0], r->size[1], r->size[2],
                r->memory_words, r->bound, ashi_scenario_way(r->way));
        figures(r, out);
        fputc('\n', out);
    }
}
