/* A call of p?gemm: its arguments read, checked by the rules of the PBLAS, and named. */
#include "pblas/gemm_call.h"

#include "pblas/scalar.h"

#include <stdio.h>

/* Numbers of the arguments. */
enum { TRANSA = 1, TRANSB, M, N, K, ALPHA, DESCA = 10, DESCB = 14, BETA, DESCC = 19 };

static const struct {
    const char *routine;
    char letter;
} types[] = {{.routine = "PSGEMM", .letter = 's'},
             {.routine = "PDGEMM", .letter = 'd'},
             {.routine = "PCGEMM", .letter = 'c'},
             {.routine = "PZGEMM", .letter = 'z'}};

const char *ashi_gemm_routine(ashlar_type type)
{
    return types[type].routine;
}

static char capital(char c)
{
    return c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c;
}

static bool is_complex(ashlar_type type)
{
    return type == ASHLAR_TYPE_C || type == ASHLAR_TYPE_Z;
}

static ashlar_op op_of(char trans, ashlar_type type)
{
    if (trans == 'N')
        return ASHLAR_OP_N;
    return trans == 'C' && is_complex(type) ? ASHLAR_OP_C : ASHLAR_OP_T;
}

static ashi_submatrix submatrix(const ashi_gemm_arguments *given, int x, bool turned, int rows, int cols)
{
    return (ashi_submatrix){.of = ashi_descriptor_read(given->desc[x]),
                            .row = (int64_t)*given->i[x] - 1,
                            .col = (int64_t)*given->j[x] - 1,
                            .rows = turned ? cols : rows,
                            .cols = turned ? rows : cols};
}

ashi_gemm_call ashi_gemm_read(ashlar_type type, const ashi_gemm_arguments *given)
{
    ashi_gemm_call c = {.type = type, .given = *given, .m = *given->m, .n = *given->n, .k = *given->k};
    c.trans[0] = capital(*given->transa);
    c.trans[1] = capital(*given->transb);
    c.op[0] = op_of(c.trans[0], type);
    c.op[1] = op_of(c.trans[1], type);
    c.sub[0] = submatrix(given, 0, c.trans[0] != 'N', c.m, c.k);
    c.sub[1] = submatrix(given, 1, c.trans[1] != 'N', c.k, c.n);
    c.sub[2] = submatrix(given, 2, false, c.m, c.n);
    c.nothing = c.k == 0 || ashi_scalar_is(type, given->alpha, 0);
    return c;
}

static bool is_trans(char c)
{
    return c == 'N' || c == 'T' || c == 'C';
}

int ashi_gemm_check(const ashi_gemm_call *c, const int context[3], const ashi_coordinates at[3])
{
    const bool turned[2] = {c->trans[0] != 'N', c->trans[1] != 'N'};
    const ashi_operand_place place[3] = {{turned[0] ? K : M, turned[0] ? M : K, DESCA, 'A', true},
                                         {turned[1] ? N : K, turned[1] ? K : N, DESCB, 'B', true},
                                         {M, N, DESCC, 'C', true}};
    int info = 0;
    for (int x = 0; x < 2 && info == 0; x++)
        if (!is_trans(c->trans[x])) {
            ashi_blacs_warn(context[0], ashi_gemm_routine(c->type), "Illegal TRANS%c = %c", place[x].name, c->trans[x]);
            info = x == 0 ? -TRANSA : -TRANSB;
        }
    for (int x = 0; x < 3; x++) {
        const ashi_checked_call call = {ashi_gemm_routine(c->type), context[x], &at[x]};
        info = ashi_descriptor_check(&c->sub[x], place[x], &call, info);
    }
    return info;
}

void ashi_gemm_compare(const ashi_gemm_call *c, ashi_call_check *check)
{
    const int descriptor[3] = {DESCA, DESCB, DESCC};
    ashi_call_check_add(check, TRANSA, 0, (int64_t)c->type * 256 + c->trans[0]); /* another type is another routine */
    ashi_call_check_add(check, TRANSB, 0, c->trans[1]);
    ashi_call_check_add(check, M, 0, c->m);
    ashi_call_check_add(check, N, 0, c->n);
    ashi_call_check_add(check, K, 0, c->k);
    ashi_scalar_compare(check, ALPHA, c->type, c->given.alpha);
    ashi_scalar_compare(check, BETA, c->type, c->given.beta);
    for (int x = 0; x < 3; x++)
        ashi_call_check_add_submatrix(check, descriptor[x], &c->sub[x]);
}

bool ashi_gemm_is_done(const ashi_gemm_call *c)
{
    return c->m == 0 || c->n == 0 || (c->nothing && ashi_scalar_is(c->type, c->given.beta, 1));
}

ashi_call_shape ashi_gemm_shape(const ashi_gemm_call *c, ashi_grid *const grid[3])
{
    const int64_t values[] = {ASHI_ROUTINE_GEMM, c->type, c->nothing, c->op[0], c->op[1], c->m, c->n, c->k};
    ashi_call_shape shape;
    shape.count = 0;
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++)
        ashi_shape_add(&shape, values[i]);
    for (int x = c->nothing ? 2 : 0; x < 3; x++)
        ashi_shape_add_submatrix(&shape, &c->sub[x], grid[x]->serial);
    return shape;
}

void ashi_gemm_describe(const ashi_gemm_call *c, const ashi_grid *grid, char *out, size_t room)
{
    const ashi_descriptor *a = &c->sub[0].of, *b = &c->sub[1].of, *d = &c->sub[2].of;
    snprintf(out, room, "p%cgemm %c%c %dx%dx%d%s, blocks %dx%d %dx%d %dx%d, grid %dx%d", types[c->type].letter,
             c->trans[0], c->trans[1], c->m, c->n, c->k, c->nothing ? " alpha=0" : "", a->block_rows, a->block_cols,
             b->block_rows, b->block_cols, d->block_rows, d->block_cols, grid->at.rows, grid->at.cols);
}
