/* p?gemr2d: the way of a call, from its arguments to its end. */
#ifndef ASHI_GEMR2D_H
#define ASHI_GEMR2D_H

/* Elements are moved as bits: integers are those of single precision. */
typedef enum ashi_gemr2d_type {
    ASHI_GEMR2D_S,
    ASHI_GEMR2D_D,
    ASHI_GEMR2D_C,
    ASHI_GEMR2D_Z,
    ASHI_GEMR2D_I
} ashi_gemr2d_type;

/* As Fortran passes them; x[0] is A, x[1] is B. */
typedef struct ashi_gemr2d_arguments {
    const int *m, *n;
    const void *a;
    void *b;
    const int *i[2], *j[2], *desc[2];
    const int *context;
} ashi_gemr2d_arguments;

void ashi_gemr2d(ashi_gemr2d_type type, const ashi_gemr2d_arguments *given);

#endif
