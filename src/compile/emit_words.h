/* What the files that write C share: names, extents, letters. */
#ifndef ASHI_COMPILE_EMIT_WORDS_H
#define ASHI_COMPILE_EMIT_WORDS_H

#include "compile/emit.h"

/* What is written, and where to. */
typedef struct ashi_ash_writer {
    const ashi_ash_steps *s;
    const ashi_ash_graph *g;
    const ashi_ash_program *p;
    const ashi_ash_emission *e;
    FILE *out;
    int64_t number; /* of the last step that was written */
} ashi_ash_writer;

/* "4, 0, (int64_t[]){o, o, v, v}": order, the index that is dealt out, and extents of a node, or of its block. */
void ashi_ash_write_shape(const ashi_ash_writer *w, int node);

/* "n * m + m": the elements of a rank for one value of the index of a loop. */
void ashi_ash_write_loop_words(const ashi_ash_writer *w, int loop);

/* The choice which arrays are in memory; and "life[3].kept": whether a node is. */
void ashi_ash_write_lives(const ashi_ash_writer *w);
void ashi_ash_write_kept(const ashi_ash_writer *w, int node);

/* "if (status == ASHLAR_OK) status = ash_begin(...)": memory for a node. */
void ashi_ash_write_begin_array(const ashi_ash_writer *w, int node, const char *indent);

void ashi_ash_write_step(ashi_ash_writer *w, const ashi_ash_step *step);

/* "V_oovv", or of an intermediate that the program does not name "X1". */
void ashi_ash_write_node(const ashi_ash_graph *g, int node, FILE *out);

/* "V_oovv[i,j,a,b]" with these letters of the labels. */
void ashi_ash_write_reading(const ashi_ash_graph *g, int node, const int8_t *label, const char *letter, FILE *out);

/* "o^2 v^3": the product of the extents of these ranges; "1" of none. */
void ashi_ash_write_extents(const ashi_ash_program *p, int count, const int8_t *range, FILE *out);

/* "o + v", of a part that begins in a whole range: what lies before it; "0" of the first. */
void ashi_ash_write_begin(const ashi_ash_program *p, int range, int whole, FILE *out);

/* A different letter for each label of a part: that of an index of the program if one is left. */
void ashi_ash_letters(const ashi_ash_program *p, const ashi_ash_part *part, char letter[ASHI_ASH_LABELS_MOST + 1]);

/* Whether the node lives in memory that the program itself gets: an intermediate, or an array of a file. */
bool ashi_ash_is_own(const ashi_ash_graph *g, int node);

/* Whether the caller of the function gives the node's memory. */
bool ashi_ash_is_given(const ashi_ash_graph *g, int node);

/* Which dimension of a node is dealt out over the ranks: the first that is never cut; -1: none. */
int ashi_ash_dealt(const ashi_ash_steps *s, int node);

/* A string of C that is also safe within a comment. */
void ashi_ash_write_string(const char *text, FILE *out);

/* "double" */
const char *ashi_ash_c_type(ashlar_type type);

/* Whether an array of the program has a file. */
bool ashi_ash_has_files(const ashi_ash_program *p);

/* The name of the function that the program becomes. */
const char *ashi_ash_function(const ashi_ash_emission *e);

/* The extents of the ranges that have a number, as members or variables. */
void ashi_ash_write_numbers(const ashi_ash_writer *w, const char *before, const char *after);

/* The type of a function's arguments. */
void ashi_ash_write_arguments(const ashi_ash_writer *w);

/* The functions that callers see: one that computes, and if callers are other files those that keep plans. */
void ashi_ash_write_declarations(const ashi_ash_writer *w);
void ashi_ash_write_calls(const ashi_ash_writer *w);

/* What a program of its own has beside the function: reading its words, and a main. */
void ashi_ash_write_main(const ashi_ash_steps *s, const ashi_ash_emission *e, FILE *out);

#endif
