/* A plan that is changed for other patterns is the one that would be made for them: who needs which tiles, C, and each
 * operation of the program; and what is found by changing takes at most a tenth of the steps if 1 % of the tiles
 * change. */
#define PROGRAM "replan_same"

#include "tiles/matrix.h" /* before the type `number` of others */
#include "tiles/multiply.h"
#include "tiles/product_change.h"

#include "mpi/in_context.h"
#include "operation_digests.h"

enum { SIDE = 120 };

typedef struct replan {
    rig *r;
    ashlar_context *context;
    uint64_t state; /* of random numbers, the same on all ranks */
    int64_t side, size[SIDE];
    ashlar_op op[2];
    ashlar_symmetry symmetry[3]; /* of A, B and C */
    ashi_ranges ranges;
    int64_t retain; /* C keeps its tiles, of which this many percent are there; 0: it does not */
    ashlar_tiles *x[2][2], *c[2]; /* before and after; C before a product and what it has afterwards */
} replan;

static ashlar_tiles *empty(replan *p, ashlar_symmetry symmetry)
{
    ashlar_tiles_description d = {.type = ASHLAR_TYPE_D, .symmetry = symmetry, .tile_rows = p->side,
                                  .tile_cols = p->side, .row_sizes = p->size};
    ashlar_tiles *out = NULL;
    ashlar_error err = {0};
    d.grid_rows = ashi_random_in(&p->state, 1, p->r->ranks);
    d.grid_cols = p->r->ranks / d.grid_rows;
    CHECK(&p->r->test, ashlar_tiles_create(p->context, &d, &out, &err) == ASHLAR_OK, CASE "%s", CASE_OF(p->r),
          err.text);
    return out;
}

static void reserve(replan *p, ashlar_tiles *tiles, const bool *present)
{
    ashlar_error err = {0};
    for (int64_t i = 0; i < p->side; i++)
        for (int64_t j = 0; j < p->side; j++)
            if (present[i * p->side + j] && (i + j) % p->r->ranks == p->r->rank)
                CHECK(&p->r->test, ashlar_tiles_reserve(tiles, 1, &i, &j, &err) == ASHLAR_OK, CASE "%s",
                      CASE_OF(p->r), err.text);
    CHECK(&p->r->test, ashlar_tiles_finish(tiles, &err) == ASHLAR_OK, CASE "%s", CASE_OF(p->r), err.text);
}

static ashlar_tiles *like(replan *p, const ashlar_tiles *of)
{
    ashlar_tiles *out = NULL;
    ashlar_error err = {0};
    CHECK(&p->r->test, ashi_tiles_like(of, &out, &err) == ASHLAR_OK, CASE "%s", CASE_OF(p->r), err.text);
    return out;
}

/* A matrix, and the same with some tiles more and others less: one in `rarely` of those that can be. */
static void make_pair(replan *p, ashlar_symmetry symmetry, int64_t percent, int64_t rarely, ashlar_tiles *pair[2])
{
    bool *present = calloc((size_t)(p->side * p->side), sizeof *present);
    if (!present)
        exit(1);
    pair[0] = empty(p, symmetry);
    pair[1] = like(p, pair[0]);
    for (int64_t i = 0; i < p->side; i++)
        for (int64_t j = symmetry == ASHLAR_GENERAL ? 0 : i; j < p->side; j++)
            present[i * p->side + j] = ashi_random_in(&p->state, 0, 99) < percent;
    reserve(p, pair[0], present);
    for (int64_t i = 0; i < p->side; i++)
        for (int64_t j = symmetry == ASHLAR_GENERAL ? 0 : i; j < p->side; j++) {
            bool *at = &present[i * p->side + j];
            if (*at && ashi_random_in(&p->state, 1, rarely) == 1)
                *at = false;
            else if (!*at && ashi_random_in(&p->state, 1, rarely * (100 - percent)) <= percent)
                *at = true;
        }
    reserve(p, pair[1], present);
    free(present);
}

static ashi_tiles_asked asked(const replan *p, const ashlar_tiles_term *term, ashlar_tiles *c)
{
    return (ashi_tiles_asked){.who = "replan_same", .context = c->context, .terms = 1, .term = term, .shapes = true,
                              .c = c, .ranges = p->ranges, .options.retain = p->retain > 0};
}

static void make(replan *p, int version, ashi_tiles_product *out)
{
    const ashlar_tiles_term term = {NULL, p->op[0], p->op[1], p->x[0][version], p->x[1][version]};
    const ashi_tiles_asked q = asked(p, &term, p->c[version]);
    ashlar_error err = {0};
    ashlar_status status = ashi_tiles_product_begin(&q, true, out, &err);
    status = ashi_tiles_product_make(out, status, &err);
    CHECK(&p->r->test, status == ASHLAR_OK, CASE "%s", CASE_OF(p->r), err.text);
}

/* The product that was made for the patterns of the other version becomes that for this one. */
static void change(replan *p, ashi_tiles_product *product, int version)
{
    ashi_pattern_changes changed[2] = {0};
    ashlar_error err = {0};
    ashlar_status status = ASHLAR_OK;
    product->steps = (ashi_tiles_steps){0};
    for (int x = 0; x < 2 && status == ASHLAR_OK; x++) {
        status = ashi_pattern_compare(&p->x[x][1 - version]->held.pattern, &p->x[x][version]->held.pattern,
                                      &changed[x], &product->steps.named, &err);
        product->term[0].x[x] = p->x[x][version];
    }
    product->c = p->c[version];
    status = ashi_tiles_product_change(product, changed, status, &err);
    CHECK(&p->r->test, status == ASHLAR_OK, CASE "%s", CASE_OF(p->r), err.text);
    for (int x = 0; x < 2; x++)
        ashi_pattern_changes_free(&changed[x]);
}

static uint64_t digest(replan *p, ashi_program *program)
{
    operation_list list = {0};
    const ashi_program_visitor to_list = {list_panel, list_operation, &list};
    ashlar_error err = {0};
    uint64_t all = 0;
    for (int64_t step = 0; step < program->steps; step++)
        CHECK(&p->r->test, program->emit(program, p->r->rank, step, &to_list, &err) == ASHLAR_OK, CASE "%s",
              CASE_OF(p->r), err.text);
    for (int64_t i = 0; i < list.count; i++)
        all = (all ^ list.digest[i]) * 0x9e3779b97f4a7c15u;
    free(list.digest);
    free(list.panel);
    return all;
}

static bool same_lines(ashi_tiles_product *x, ashi_tiles_product *y, int rank)
{
    const ashi_tile_line *a = NULL, *b = NULL;
    if (x->program.lines(&x->program, rank, &a, NULL) != ASHLAR_OK ||
        y->program.lines(&y->program, rank, &b, NULL) != ASHLAR_OK)
        return false;
    for (int i = 0; i < 3; i++) {
        if (a[i].tiles != b[i].tiles)
            return false;
        for (int64_t t = 0; t < a[i].tiles; t++) {
            const ashi_tile_at x_at = ashi_tile_line_at(&a[i], t), y_at = ashi_tile_line_at(&b[i], t);
            if (x_at.row != y_at.row || x_at.col != y_at.col || a[i].start[t + 1] != b[i].start[t + 1])
                return false;
        }
    }
    return true;
}

static void compare(replan *p, ashi_tiles_product *found, ashi_tiles_product *wanted)
{
    const ashi_symbolic *s = &found->symbolic, *t = &wanted->symbolic;
    for (int x = 0; x < 2; x++)
        CHECK(&p->r->test, ashi_pattern_equal(&found->needed[x], &wanted->needed[x]) &&
              ashi_pattern_equal(&found->both[x], &wanted->both[x]), CASE "tiles of %c", CASE_OF(p->r), "AB"[x]);
    CHECK(&p->r->test, ashi_pattern_equal(&s->c, &t->c) && s->formed == t->formed && s->multiplies == t->multiplies &&
          s->left_out == t->left_out,
          CASE "C: %" PRId64 " tiles, %" PRId64 " products, wanted %" PRId64 ", %" PRId64, CASE_OF(p->r), s->c.tiles,
          s->formed, t->c.tiles, t->formed);
    CHECK(&p->r->test, s->c.tiles == t->c.tiles && (t->c.tiles == 0 ||
          memcmp(s->products, t->products, (size_t)t->c.tiles * sizeof *t->products) == 0), CASE "products",
          CASE_OF(p->r));
    CHECK(&p->r->test, ashi_pattern_equal(ashi_tiles_product_after(found), ashi_tiles_product_after(wanted)) &&
          memcmp(found->offset, wanted->offset, (size_t)(t->c.tiles + 1) * sizeof *found->offset) == 0,
          CASE "where C's tiles begin", CASE_OF(p->r));
    CHECK(&p->r->test, same_lines(found, wanted, p->r->rank) &&
          digest(p, &found->program) == digest(p, &wanted->program), CASE "the program", CASE_OF(p->r));
    CHECK(&p->r->test, ashi_player_workspace(found->player) == ashi_player_workspace(wanted->player) &&
          ashi_tile_program_tiles(&found->program) == ashi_tile_program_tiles(&wanted->program) &&
          ashi_player_ready_tiles(found->player) == ashi_player_ready_tiles(wanted->player), CASE "the player",
          CASE_OF(p->r));
}

static void free_all(replan *p)
{
    for (int version = 0; version < 2; version++) {
        for (int x = 0; x < 2; x++)
            ashlar_tiles_free(&p->x[x][version]);
        ashlar_tiles_free(&p->c[version]);
    }
}

/* C after is any, or has what the product before gives it; or it keeps its tiles. */
static void make_all(replan *p, int64_t percent, int64_t rarely)
{
    for (int64_t i = 0; i < p->side; i++)
        p->size[i] = ashi_random_in(&p->state, p->side == SIDE ? 1 : 0, 3);
    for (int x = 0; x < 2; x++)
        make_pair(p, p->symmetry[x], percent, rarely, p->x[x]);
    if (p->retain)
        make_pair(p, p->symmetry[2], p->retain, (int64_t)1 << 50, p->c);
    else
        make_pair(p, p->symmetry[2], p->side == SIDE ? 0 : 20, 5, p->c);
}

/* Of m, n and k; with a symmetry of C those of n are those of m, as its tiles are to be mirror images of each other. */
static ashi_ranges some_ranges(replan *p)
{
    ashi_ranges ranges = {.given = ashi_random_in(&p->state, 0, 2) == 0};
    for (int side = 0; side < 3; side++) {
        const bool as_m = side == 1 && p->symmetry[2] != ASHLAR_GENERAL;
        ranges.first[side] = as_m ? ranges.first[0] : ashi_random_in(&p->state, 0, p->side);
        ranges.end[side] = as_m ? ranges.end[0] : ashi_random_in(&p->state, ranges.first[side], p->side);
    }
    return ranges;
}

static void one(ashlar_context *context, rig *r)
{
    replan p = {.r = r, .context = context, .state = r->seed ^ 0x1357};
    ashi_tiles_product product[2];
    p.side = ashi_random_in(&p.state, 1, 14);
    for (int x = 0; x < 2; x++) {
        p.op[x] = (ashlar_op)ashi_random_in(&p.state, ASHLAR_OP_N, ASHLAR_OP_C);
        p.symmetry[x] = ashi_random_in(&p.state, 0, 2) ? ASHLAR_GENERAL : ASHLAR_SYMMETRIC;
    }
    p.symmetry[2] = ashi_random_in(&p.state, 0, 2) ? ASHLAR_GENERAL : ASHLAR_SYMMETRIC;
    p.ranges = some_ranges(&p);
    p.retain = ashi_random_in(&p.state, 0, 2) == 0 ? 40 : 0;
    const int first = (int)ashi_random_in(&p.state, 0, 1);
    make_all(&p, ashi_random_in(&p.state, 5, 70), ashi_random_in(&p.state, 2, 20));
    make(&p, first, &product[0]);
    make(&p, 1, &product[1]);
    for (int version = 1 - first; version <= 1; version++)
        change(&p, &product[0], version);
    compare(&p, &product[0], &product[1]);
    for (int i = 0; i < 2; i++)
        ashi_tiles_product_free(&product[i]);
    free_all(&p);
}

/* One tile in a hundred of A and of B changes. Products of tiles are made ready anew whatever changes. On more than 4
 * ranks (3 if C retains its tiles), for matrices as small as these, that alone takes half a tenth, and is not counted.
 * If C retains few tiles, some of A and B are in no product of a rank, which it says to others. */
static void tenth(ashlar_context *context, rig *r, int64_t retain)
{
    replan p = {.r = r, .context = context, .state = 5, .side = SIDE, .retain = retain};
    ashi_tiles_product product[2];
    make_all(&p, 30, 200);
    make(&p, 0, &product[0]);
    make(&p, 1, &product[1]);
    change(&p, &product[0], 1);
    compare(&p, &product[0], &product[1]);
    const bool ready_counts = r->ranks <= (retain > 0 ? 3 : 4);
    int64_t steps[2] = {0};
    for (int i = 0; i < 2; i++)
        steps[i] = ashi_tiles_steps_all(&product[i].steps) - (ready_counts ? 0 : product[i].steps.ready);
    CHECK(&r->test, MPI_Allreduce(MPI_IN_PLACE, steps, 2, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD) == MPI_SUCCESS,
          CASE "no sum", CASE_OF(r));
    CHECK(&r->test, 10 * steps[0] <= steps[1], CASE "%" PRId64 " steps, %" PRId64 " from scratch", CASE_OF(r), steps[0],
          steps[1]);
    for (int i = 0; i < 2; i++)
        ashi_tiles_product_free(&product[i]);
    free_all(&p);
}

static void each(ashlar_context *context, rig *r)
{
    static const int64_t retained[] = {0, 40, 3};
    for (int i = 0; i < 3 && r->seed == r->first; i++)
        tenth(context, r, retained[i]);
    one(context, r);
}

int main(int argc, char **argv)
{
    return try_in_context(argc, argv, 60, each);
}
