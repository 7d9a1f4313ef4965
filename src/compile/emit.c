/* C for the steps of a program: the function that computes. */
#include "compile/emit_words.h"

#include "base/error.h"
#include "base/hash.h"
#include "compile/prelude.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static ashlar_status wrong(const ashi_ash_array *a, const char *says, ashi_ash_spot *spot, ashlar_error *err)
{
    *spot = a->spot;
    return ashi_fail(err, ASHLAR_ERR_ARG, "line %d, column %d: '%s' %s", a->spot.line, a->spot.column, a->name, says);
}

ashlar_status ashi_ash_emit_check(const ashi_ash_steps *s, const ashi_ash_emission *e, ashi_ash_spot *spot,
                                  ashlar_error *err)
{
    const ashi_ash_sums *sums = s->graph->sums;
    for (int t = 0; t < sums->tensors; t++) {
        const ashi_ash_tensor *x = &sums->tensor[t];
        const ashi_ash_array *a = &sums->program->array[x->array];
        bool whole = true;
        for (int d = 0; d < x->order; d++)
            whole = whole && x->range[d] == a->range[d];
        if (!whole && a->kind == ASHI_ASH_OUTPUT && a->place[0] && x->within < 0)
            return wrong(a, "goes to a file and is not written whole", spot, err);
        if (a->kind == ASHI_ASH_OUTPUT && a->place[0] && x->adds)
            return wrong(a, "goes to a file: wanted a statement with '='", spot, err);
        if (!e->function && !a->place[0] && a->kind != ASHI_ASH_INTERMEDIATE &&
            (a->kind == ASHI_ASH_INPUT || a->order > 0 || x->adds))
            return wrong(a, "has no file: a main needs one, or give the name of a function", spot, err);
    }
    const double most = e->target.type == ASHLAR_TYPE_S || e->target.type == ASHLAR_TYPE_C ? FLT_MAX : DBL_MAX;
    for (int64_t p = 0; p < s->graph->parts; p++)
        if (!(fabs(s->graph->part[p].coefficient) <= most))
            return ashi_fail(err, ASHLAR_ERR_ARG, "the factor %g of a product is more than an element holds",
                             s->graph->part[p].coefficient);
    return ASHLAR_OK;
}

/* The begin of each dimension of a part of an array: "(int64_t[]){0, o}" */
static void write_begins(const ashi_ash_writer *w, int node)
{
    const ashi_ash_tensor *t = &w->g->sums->tensor[node];
    fputs("(int64_t[]){", w->out);
    for (int d = 0; d < t->order; d++) {
        fputs(d == 0 ? "" : ", ", w->out);
        ashi_ash_write_begin(w->p, t->range[d], w->p->array[t->array].range[d], w->out);
    }
    fputs(t->order == 0 ? "0}" : "}", w->out);
}

/* The elements of all arrays can be counted: those of each shape, by its first array. */
static void write_countable(const ashi_ash_writer *w)
{
    for (int n = 0; n < (int)w->g->nodes; n++) {
        const ashi_ash_node *node = &w->g->node[n];
        bool known = node->order == 0;
        for (int b = 0; b < n && !known; b++)
            known = w->g->node[b].order == node->order &&
                    memcmp(w->g->node[b].range, node->range, (size_t)node->order * sizeof *node->range) == 0;
        if (known)
            continue;
        fputs("    if (status == ASHLAR_OK)\n        status = ash_countable(r, \"", w->out);
        ashi_ash_write_node(w->g, n, w->out);
        fprintf(w->out, "\", %d, (int64_t[]){", node->order);
        for (int d = 0; d < node->order; d++)
            fprintf(w->out, "%s%s", d == 0 ? "" : ", ", w->p->range[node->range[d]].name);
        fputs("});\n", w->out);
    }
    fputs("    status = ash_agree(r, status, NULL);\n    if (status != ASHLAR_OK)\n        return status;\n", w->out);
}

/* Outputs of files go to places of their own. */
static void write_places_differ(const ashi_ash_writer *w)
{
    int count = 0;
    for (int i = 0; i < w->p->arrays; i++)
        count += w->p->array[i].kind == ASHI_ASH_OUTPUT && w->p->array[i].place[0];
    if (count < 2)
        return;
    fprintf(w->out, "    if (status == ASHLAR_OK)\n        status = ash_check_places(r, %d, (const char *const[]){",
            count);
    for (int i = 0; i < w->p->arrays; i++)
        if (w->p->array[i].kind == ASHI_ASH_OUTPUT && w->p->array[i].place[0])
            fprintf(w->out, "place.%s%s", w->p->array[i].name, --count > 0 ? ", " : "});\n");
}

/* Files of inputs have the extents of the run, and those of outputs can be written. */
static void write_checks(const ashi_ash_writer *w)
{
    write_places_differ(w);
    for (int i = 0; i < w->p->arrays; i++) {
        const ashi_ash_array *a = &w->p->array[i];
        int node = 0;
        while (node < w->g->sums->tensors && w->g->sums->tensor[node].array != i)
            node++;
        if (a->kind == ASHI_ASH_OUTPUT && a->place[0])
            fprintf(w->out, "    if (status == ASHLAR_OK)\n        status = ash_check_result(r, place.%s, %d);\n",
                    a->name, a->order);
        if (a->kind != ASHI_ASH_INPUT || node == w->g->sums->tensors)
            continue; /* nothing reads it */
        fprintf(w->out, "    if (status == ASHLAR_OK)\n        status = ash_check_file(r, %splace.%s, %d,"
                        "\n                                (int64_t[]){",
                a->place[0] ? "" : "given->", a->name, a->order);
        for (int d = 0; d < a->order; d++)
            fprintf(w->out, "%s%s", d == 0 ? "" : ", ", w->p->range[a->range[d]].name);
        fputs(a->order == 0 ? "0});\n" : "});\n", w->out);
    }
}

/* Inputs of the caller and of files; those that `stay` there if there is no room come last. */
static void write_inputs(const ashi_ash_writer *w, bool stay)
{
    for (int n = 0; n < w->g->sums->tensors; n++) {
        const ashi_ash_tensor *t = &w->g->sums->tensor[n];
        const ashi_ash_array *a = &w->p->array[t->array];
        if (t->within >= 0 || a->kind != ASHI_ASH_INPUT || a->in_file != stay)
            continue;
        if (ashi_ash_is_given(w->g, n))
            fprintf(w->out, "    if (status == ASHLAR_OK)\n        status = ash_given(r, &t.%s, given->%s, "
                    "given->place.%s,\n                           ", t->name, t->name, a->name);
        else
            fprintf(w->out, "    if (status == ASHLAR_OK)\n        status = ash_input(r, &t.%s, place.%s, ", t->name,
                    a->name);
        write_begins(w, n);
        if (!ashi_ash_is_given(w->g, n))
            fprintf(w->out, ", %s,\n                           ", stay ? "true" : "false");
        else
            fputs(", ", w->out);
        ashi_ash_write_kept(w, n);
        fputs(", ", w->out);
        ashi_ash_write_shape(w, n);
        fputs(");\n", w->out);
    }
}

/* Outputs of the caller and of files. */
static void write_outputs(const ashi_ash_writer *w)
{
    for (int n = 0; n < w->g->sums->tensors; n++) {
        const ashi_ash_tensor *t = &w->g->sums->tensor[n];
        if (t->within >= 0 || w->p->array[t->array].kind != ASHI_ASH_OUTPUT)
            continue;
        if (ashi_ash_is_given(w->g, n)) {
            fprintf(w->out, "    if (status == ASHLAR_OK)\n        status = ash_output(r, &t.%s, \"%s\", given->%s, "
                    "%s, ", t->name, t->name, t->name, t->adds ? "true" : "false");
            ashi_ash_write_shape(w, n);
            fputs(");\n", w->out);
        } else {
            fputs("    ", w->out);
            ashi_ash_write_begin_array(w, n, "    ");
        }
    }
}

/* A number for what the results are made from, in the caller's memory and in files. */
static void write_sum(const ashi_ash_writer *w)
{
    for (int n = 0; n < w->g->sums->tensors; n++) {
        const ashi_ash_tensor *t = &w->g->sums->tensor[n];
        const ashi_ash_array *a = &w->p->array[t->array];
        const bool input = a->kind == ASHI_ASH_INPUT;
        if (!ashi_ash_is_given(w->g, n) || (!input && !t->adds))
            continue;
        fputs("        sum = ", w->out);
        if (input)
            fprintf(w->out, "given->place.%s ? ash_sum_file(r, sum, given->place.%s)\n            : ", a->name,
                    a->name);
        fprintf(w->out, "ash_sum_given(r, sum, given->%s, ", t->name);
        ashi_ash_write_shape(w, n);
        fputs(");\n", w->out);
    }
    for (int a = 0; a < w->p->arrays; a++)
        if (w->p->array[a].kind == ASHI_ASH_INPUT && w->p->array[a].place[0])
            fprintf(w->out, "        sum = ash_sum_file(r, sum, place.%s);\n", w->p->array[a].name);
}

/* What an earlier run has finished. */
static void write_resume(const ashi_ash_writer *w)
{
    fprintf(w->out, "    if (status == ASHLAR_OK && given->resume && !r->planning) {\n        char head[ASH_HEAD];\n"
            "        uint64_t sum = 0;\n        snprintf(head, sizeof head, \"%s %%s", w->e->source);
    ashi_ash_write_numbers(w, " ", "=%lld");
    fputs("\", ASH_PROGRAM", w->out);
    ashi_ash_write_numbers(w, ",\n                 (long long)given->", "");
    fputs(");\n", w->out);
    write_sum(w);
    fputs("        status = ash_resume(r, head, sum, &record);\n        run.record = &record;\n    }\n", w->out);
}

static void write_loop(const ashi_ash_writer *w, int loop)
{
    const char *range = w->p->range[w->s->loop[loop].range].name;
    fprintf(w->out, "    /* Block by block of an index of %s: whole, what is between would be %.3g elements. */\n"
            "    for (int64_t from = 0, to, step = ash_step(r, %s,\n             ", range, w->s->loop[loop].whole,
            range);
    ashi_ash_write_loop_words(w, loop);
    fprintf(w->out, ");\n         from < %s && status == ASHLAR_OK; from = to) {\n"
            "        to = ash_least(%s, from + step);\n", range, range);
}

static void write_steps(ashi_ash_writer *w)
{
    for (int64_t i = 0; i < w->s->count; i++) {
        const int loop = w->s->step[i].loop;
        if (loop >= 0 && (i == 0 || w->s->step[i - 1].loop != loop))
            write_loop(w, loop);
        ashi_ash_write_step(w, &w->s->step[i]);
        if (loop >= 0 && (i + 1 == w->s->count || w->s->step[i + 1].loop != loop))
            fputs("    }\n", w->out);
    }
}

/* Every array of the program, as members of one variable t. */
static void write_members(const ashi_ash_writer *w)
{
    fputs("    struct {\n        ash_array ", w->out);
    const char *between = "";
    int line = 0;
    for (int n = 0; n < (int)w->g->nodes; n++) {
        if (n < w->g->sums->tensors && w->g->sums->tensor[n].within >= 0)
            continue;
        fputs(between, w->out);
        ashi_ash_write_node(w->g, n, w->out);
        between = ++line % 6 == 0 ? ",\n            " : ", ";
    }
    fputs(";\n    } t;\n", w->out);
}

static void write_place(const ashi_ash_writer *w, const ashi_ash_array *a)
{
    fprintf(w->out, "        .%s = given->place.%s ? given->place.%s : ", a->name, a->name, a->name);
    ashi_ash_write_string(a->place, w->out);
    fputs(",\n", w->out);
}

static void write_places(const ashi_ash_writer *w)
{
    if (!ashi_ash_has_files(w->p))
        return;
    fputs("    const struct {\n", w->out);
    for (int a = 0; a < w->p->arrays; a++)
        if (w->p->array[a].place[0])
            fprintf(w->out, "        const char *%s;\n", w->p->array[a].name);
    fputs("    } place = {\n", w->out);
    for (int a = 0; a < w->p->arrays; a++)
        if (w->p->array[a].place[0])
            write_place(w, &w->p->array[a]);
    fputs("    };\n", w->out);
}

/* Outputs to their files, and the end of all memory. */
static void write_end(const ashi_ash_writer *w)
{
    for (int n = 0; n < w->g->sums->tensors; n++) {
        const ashi_ash_array *a = &w->p->array[w->g->sums->tensor[n].array];
        const char *name = w->g->sums->tensor[n].name;
        if (a->kind != ASHI_ASH_OUTPUT || w->g->sums->tensor[n].within >= 0)
            continue;
        if (a->place[0])
            fprintf(w->out, "    if (status == ASHLAR_OK)\n        status = ash_store(r, &t.%s, place.%s);\n", name,
                    a->name);
        else
            fprintf(w->out, "    if (status == ASHLAR_OK)\n        status = ash_return(r, &t.%s, given->%s);\n", name,
                    name);
    }
    fputs("    ash_record_end(r, status);\n", w->out);
    for (int n = 0; n < (int)w->g->nodes; n++)
        if (ashi_ash_is_own(w->g, n) || ashi_ash_is_given(w->g, n)) {
            fputs("    ash_end(r, &t.", w->out);
            ashi_ash_write_node(w->g, n, w->out);
            fputs(");\n", w->out);
        }
    fputs("    return status;\n}\n\n", w->out);
}

/* What the run may hold, and where scratch files go. */
static void write_run(const ashi_ash_writer *w)
{
    fputs("    ash_room room = ash_limit(given->memory);\n    ash_run run = *caller;\n    const ash_run *r = &run;\n"
          "    ash_record record = {.file = -1};\n    ashlar_status status = ASHLAR_OK;\n"
          "    memset(&t, 0, sizeof t);\n    run.room = &room;\n    run.scratch = given->scratch;\n", w->out);
}

static void write_function(ashi_ash_writer *w)
{
    fprintf(w->out, "/* Plan or compute everything. */\nstatic ashlar_status ash_compute(const ash_run *caller, "
            "const %s_arguments *given)\n{\n", ashi_ash_function(w->e));
    write_members(w);
    write_places(w);
    for (int r = 0; r < w->p->ranges; r++) {
        const ashi_ash_range *range = &w->p->range[r];
        fprintf(w->out, "    const int64_t %s = %s%s", range->name, range->parts > 0 ? "" : "given->",
                range->parts > 0 ? w->p->range[range->part[0]].name : range->name);
        for (int i = 1; i < range->parts; i++)
            fprintf(w->out, " + %s", w->p->range[range->part[i]].name);
        fprintf(w->out, ";\n");
    }
    write_run(w);
    for (int r = 0; r < w->p->ranges; r++)
        fprintf(w->out, "    (void)%s;\n", w->p->range[r].name);
    write_countable(w);
    ashi_ash_write_lives(w);
    write_checks(w);
    write_inputs(w, false);
    write_resume(w);
    write_outputs(w);
    write_inputs(w, true);
    write_steps(w);
    write_end(w);
}

static uint64_t hash_of(const char *text)
{
    uint64_t h = 0;
    for (const char *c = text; *c; c++)
        h = ashi_hash_mix(h ^ (unsigned char)*c);
    return h;
}

/* What the figures of the comments are, and what they are for. */
static void write_summary(const ashi_ash_writer *w)
{
    const ashi_ash_target *t = &w->e->target;
    double seconds = 0;
    for (int64_t p = 0; p < w->g->parts; p++)
        seconds += w->e->predict ? w->e->predict(w->s, &w->g->part[p], t).seconds : 0;
    fprintf(w->out, "/* Made by 'ashlar compile' from %s.\n *\n * At typical extents (", w->e->source);
    for (int r = 0, some = 0; r < w->p->ranges; r++)
        if (w->p->range[r].parts == 0)
            fprintf(w->out, "%s%s = %" PRId64, some++ ? ", " : "", w->p->range[r].name, w->p->range[r].typical);
    fprintf(w->out, ") it takes %.6g multiply-adds,\n * and %.6g if every term were computed on its own; %.3g elements "
            "are added without a product, and\n * intermediates take %.3g at once. Predicted for %" PRId64 " %s",
            w->g->operations, w->e->plain, w->g->moved, w->s->peak, t->ranks, t->ranks == 1 ? "rank" : "ranks");
    if (t->memory > 0)
        fprintf(w->out, " of %" PRId64 " bytes", t->memory);
    fprintf(w->out, ", %.3g Gflop/s, %.3g GB/s of network and\n * %.3g of disk each: %.2g s. Words received are those "
            "of the busiest rank if layouts are free; words of files are read\n * and written by all ranks; of a loop "
            "the figures are for all blocks. */\n", t->machine.flops_per_second * 1e-9, t->machine.bandwidth * 1e-9,
            t->machine.disk_bandwidth * 1e-9, seconds);
}

bool ashi_ash_emit(const ashi_ash_steps *s, const ashi_ash_emission *e, FILE *out)
{
    ashi_ash_writer w = {.s = s, .g = s->graph, .p = s->graph->sums->program, .e = e, .out = out};
    char *body = NULL;
    size_t length = 0;
    fputs("/* Files are read and written by what POSIX has. */\n#ifndef _POSIX_C_SOURCE\n"
          "#define _POSIX_C_SOURCE 200809L\n#endif\n\n", out);
    write_summary(&w);
    if (e->function)
        fprintf(out, "#include \"%s\"\n\n", e->header);
    w.out = open_memstream(&body, &length);
    if (w.out) {
        if (!e->function)
            ashi_ash_write_arguments(&w);
        write_function(&w);
        ashi_ash_write_calls(&w);
        if (!e->function)
            ashi_ash_write_main(s, e, w.out);
    }
    const bool written = w.out && !ferror(w.out) && fclose(w.out) == 0;
    if (written) {
        ashi_ash_write_prelude(e, body, out);
        fprintf(out, "/* By which a record of finished steps tells this program from others. */\n"
                "#define ASH_PROGRAM \"%016" PRIx64 "\"\n\n", hash_of(body));
        fputs(body, out);
    }
    free(body);
    return written;
}
