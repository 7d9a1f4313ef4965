/* The functions that callers of a compiled program see, around the one that computes. */
#include "compile/emit_words.h"

/* Write lines in which every '@' is the name of the function. */
static void write_named(const ashi_ash_writer *w, const char *lines)
{
    for (const char *c = lines; *c; c++)
        if (*c == '@')
            fputs(ashi_ash_function(w->e), w->out);
        else
            fputc(*c, w->out);
}

static void write_one_call(const ashi_ash_writer *w, const char *before, const char *after)
{
    fputs(before, w->out);
    write_named(w, "ashlar_status @(ashlar_context *context, MPI_Comm comm, const @_arguments *given,\n"
                   "    const ashlar_options *options, ashlar_error *err)");
    fputs(after, w->out);
}

void ashi_ash_write_declarations(const ashi_ash_writer *w)
{
    fputs("/* Compute the outputs. Collective over the context, which was made from comm; options, which may be NULL,\n"
          " * are those of each contraction. Returns the same status on every rank. */\n", w->out);
    write_one_call(w, "", ";\n\n");
    write_named(w,
        "/* The same for iterations: every contraction is planned once. The workspaces of all plans are held until\n"
        " * @_free; plans are shared by contractions of the same shape. */\n"
        "typedef struct @_state @_state;\n\n"
        "/* Plan for the extents in `given`, whose arrays are not used. Context, comm and options outlive the state,\n"
        " * which @_free frees; NULL on failure. Collective. */\n"
        "ashlar_status @_create(ashlar_context *context, MPI_Comm comm, const @_arguments *given,\n"
        "    const ashlar_options *options, @_state **out, ashlar_error *err);\n\n"
        "/* Compute the outputs; any number of times, of any arrays. ASHLAR_ERR_ARG if an extent is not that of\n"
        " * @_create. Collective; returns the same status on every rank. */\n"
        "ashlar_status @_execute(@_state *state, const @_arguments *given, ashlar_error *err);\n\n"
        "/* Free a state and set the pointer to NULL. NULL does nothing. Collective; before the context is freed. */\n"
        "void @_free(@_state **state);\n");
}

static void write_start(const ashi_ash_writer *w)
{
    fputs("/* Set a run up that keeps no plans. */\n"
          "static ashlar_status ash_start(ash_run *r, ashlar_context *context, MPI_Comm comm,\n"
          "    const ashlar_options *options, ashlar_error *err)\n{\n"
          "    *r = (ash_run){.context = context, .comm = comm, .options = options, .err = err};\n"
          "    if (MPI_Comm_rank(comm, &r->rank) != MPI_SUCCESS || MPI_Comm_size(comm, &r->ranks) != MPI_SUCCESS)\n"
          "        return ash_fail(r, ASHLAR_ERR_MPI, \"the communicator has no ranks\");\n"
          "    return ASHLAR_OK;\n}\n\n", w->out);
}

static void write_create(const ashi_ash_writer *w)
{
    write_named(w, "\nashlar_status @_create(ashlar_context *context, MPI_Comm comm, const @_arguments *given,\n"
                   "    const ashlar_options *options, @_state **out, ashlar_error *err)\n{\n"
                   "    ash_run run;\n"
                   "    *out = NULL;\n"
                   "    ashlar_status status = ash_start(&run, context, comm, options, err);\n"
                   "    if (status != ASHLAR_OK)\n        return status;\n"
                   "    @_state *state = calloc(1, sizeof *state);\n"
                   "    status = ash_agree(&run, state ? ASHLAR_OK : ASHLAR_ERR_MEMORY,\n"
                   "                       \"memory for plans is missing\");\n"
                   "    if (status == ASHLAR_OK) {\n"
                   "        state->run = run;\n        state->run.plans = &state->plans;\n"
                   "        state->run.planning = true;\n        state->given = *given;\n"
                   "        status = ash_compute(&state->run, given);\n"
                   "        state->run.planning = false;\n"
                   "    }\n"
                   "    *out = state;\n"
                   "    if (status != ASHLAR_OK)\n        @_free(out);\n"
                   "    return status;\n}\n");
}

static void write_execute(const ashi_ash_writer *w)
{
    write_named(w, "\nashlar_status @_execute(@_state *state, const @_arguments *given, ashlar_error *err)\n{\n"
                   "    ash_run *r = &state->run;\n"
                   "    bool same = true;\n"
                   "    r->err = err;\n");
    for (int r = 0; r < w->p->ranges; r++)
        if (w->p->range[r].parts == 0)
            fprintf(w->out, "    same = same && given->%s == state->given.%s;\n", w->p->range[r].name,
                    w->p->range[r].name);
    write_named(w, "    const ashlar_status status = ash_agree(r, same ? ASHLAR_OK : ASHLAR_ERR_ARG,\n"
                   "                                           \"extents are not those of @_create\");\n"
                   "    return status == ASHLAR_OK ? ash_compute(r, given) : status;\n}\n");
}

void ashi_ash_write_calls(const ashi_ash_writer *w)
{
    write_start(w);
    write_one_call(w, w->e->function ? "" : "static ", "\n{\n");
    fputs("    ash_run run;\n"
          "    const ashlar_status status = ash_start(&run, context, comm, options, err);\n"
          "    return status == ASHLAR_OK ? ash_compute(&run, given) : status;\n}\n", w->out);
    if (!w->e->function)
        return;
    write_named(w, "\nstruct @_state {\n    ash_run run;\n    @_arguments given; /* extents */\n"
                   "    ash_plan *plans;\n};\n\n"
                   "void @_free(@_state **state)\n{\n    if (!state || !*state)\n        return;\n"
                   "    ash_forget((*state)->plans);\n    free(*state);\n    *state = NULL;\n}\n");
    write_create(w);
    write_execute(w);
}
