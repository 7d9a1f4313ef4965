/* What a compiled program takes: extents, limits and arrays, and the header that declares them. */
#include "compile/emit_words.h"

void ashi_ash_write_numbers(const ashi_ash_writer *w, const char *before, const char *after)
{
    for (int r = 0; r < w->p->ranges; r++)
        if (w->p->range[r].parts == 0)
            fprintf(w->out, "%s%s%s", before, w->p->range[r].name, after);
}

/* The places of files: those of the text unless others are given. An input of the caller, too, may be in a file. */
static void write_given_places(const ashi_ash_writer *w)
{
    int places = 0;
    for (int a = 0; a < w->p->arrays; a++) {
        const ashi_ash_array *x = &w->p->array[a];
        if (!x->place[0] && x->kind != ASHI_ASH_INPUT)
            continue;
        fprintf(w->out, "%s        const char *%s; /* NULL: ", places++ == 0 ? "    struct {\n" : "", x->name);
        if (x->place[0])
            ashi_ash_write_string(x->place, w->out);
        fputs(x->place[0] ? " */\n" : "the pointers below are used */\n", w->out);
    }
    fputs(places > 0 ? "    } place; /* of arrays in files */\n" : "", w->out);
}

void ashi_ash_write_arguments(const ashi_ash_writer *w)
{
    const char *name = ashi_ash_function(w->e);
    fprintf(w->out, "/* Extents, limits, and this rank's part of each array: index `dealt` is dealt out over the P "
            "ranks,\n * ceil(extent / P) values each, and the part is in C order. Without such an index rank 0 has the "
            "whole array. */\ntypedef struct %s_arguments {\n", name);
    ashi_ash_write_numbers(w, "    int64_t ", ";\n");
    fputs("    int64_t memory; /* bytes that a rank may hold beside these arrays; 0: no limit. What does not fit "
          "goes to files */\n    const char *scratch; /* the folder of these files, the same on all ranks; NULL: where "
          "the program runs */\n", w->out);
    fputs("    bool resume; /* record what is finished, and go on from what an earlier run has recorded; it had the "
          "same inputs */\n", w->out);
    write_given_places(w);
    for (int n = 0; n < w->g->sums->tensors; n++) {
        if (!ashi_ash_is_given(w->g, n))
            continue;
        const ashi_ash_array *a = &w->p->array[w->g->sums->tensor[n].array];
        fprintf(w->out, "    %s%s *%s; /* ", a->kind == ASHI_ASH_INPUT ? "const " : "",
                ashi_ash_c_type(w->e->target.type), w->g->sums->tensor[n].name);
        for (int d = 0; d < w->g->node[n].order; d++)
            fprintf(w->out, "%s%s", d == 0 ? "" : ", ", w->p->range[w->g->node[n].range[d]].name);
        const int dealt = ashi_ash_dealt(w->s, n);
        if (w->g->node[n].order == 0)
            fputs("a scalar, of rank 0", w->out);
        else if (dealt >= 0)
            fprintf(w->out, "; dealt %d", dealt);
        else
            fputs("; of rank 0", w->out);
        const char *how = w->g->sums->tensor[n].adds ? "; added to" : "; output";
        fprintf(w->out, "%s */\n", a->kind == ASHI_ASH_INPUT ? "" : how);
    }
    fprintf(w->out, "} %s_arguments;\n\n", name);
}

bool ashi_ash_emit_header(const ashi_ash_steps *s, const ashi_ash_emission *e, FILE *out)
{
    const ashi_ash_writer w = {.s = s, .g = s->graph, .p = s->graph->sums->program, .e = e, .out = out};
    fprintf(out, "/* What %s.c, made by 'ashlar compile' from %s, takes. */\n", ashi_ash_function(e), e->source);
    fprintf(out, "#ifndef ASH_%s_H\n#define ASH_%s_H\n\n#include <ashlar/contract.h>\n\n", ashi_ash_function(e),
            ashi_ash_function(e));
    fputs(e->target.type >= ASHLAR_TYPE_C ? "#include <complex.h>\n" : "", out);
    fputs("#include <mpi.h>\n\n", out);
    ashi_ash_write_arguments(&w);
    ashi_ash_write_declarations(&w);
    fputs("\n#endif\n", out);
    return true;
}
