/* Products of matrices of tiles against plain sums: any tilings, patterns, deals and operations. They may be made
 * by a device. */
#define PROGRAM "tiles_multiply"

#include "mpi/tilings.h"

/* A matrix, as it is and as it should be. */
typedef struct matrix {
    tiling t;
    model m;
    ashlar_tiles *tiles;
} matrix;

typedef struct product {
    rig *r;
    ashlar_context *context;
    uint64_t state; /* of random numbers, the same on all ranks */
    ashlar_type type;
    ashlar_op op[2];
    int64_t tiles[3], size[3][SIDE_MOST]; /* of m, n, k */
    int64_t inner[SIDE_MOST + 1];         /* the cuts of k */
    matrix x[3];
    bool alike;         /* all sides are cut alike: A and B may have symmetries */
    bool squared;       /* B is A, and C has the symmetry that op(A) op(A) then has */
    number alpha, beta;
    long double square; /* of the threshold: an integer and a half, while squares of norms are integers */
    long double error;  /* square of what was left out and dropped, by elements */
    ashlar_tiles_options options;
    int64_t range[6];   /* of m, n and k */
} product;

static bool in_range(const product *p, int side, int64_t tile)
{
    return !p->options.ranges || (tile >= p->range[2 * side] && tile < p->range[2 * side + 1]);
}

static bool takes_part(const product *p, int64_t row, int64_t col)
{
    return in_range(p, 0, row) && in_range(p, 1, col);
}

/* If C has a symmetry, m's range is not behind n's. */
static void make_ranges(product *p)
{
    uint64_t *s = &p->state;
    for (int side = 0; side < 3; side++) {
        const int64_t first = ashi_random_in(s, 0, p->tiles[side]);
        p->range[2 * side] = first;
        p->range[2 * side + 1] = ashi_random_in(s, first, p->tiles[side]);
    }
    for (int end = 0; end < 2 && p->squared; end++)
        if (p->range[end] > p->range[2 + end]) {
            const int64_t later = p->range[end];
            p->range[end] = p->range[2 + end];
            p->range[2 + end] = later;
        }
    p->options.ranges = p->range;
}

/* A's and B's symmetry is any; C's follows from theirs. */
static ashlar_symmetry random_symmetry(product *p, int x)
{
    const bool conjugates = p->op[0] == ASHLAR_OP_C || p->op[1] == ASHLAR_OP_C;
    if (x == ASHLAR_C)
        return !p->squared ? ASHLAR_GENERAL : conjugates ? ASHLAR_HERMITIAN : ASHLAR_SYMMETRIC;
    return p->alike ? (ashlar_symmetry)ashi_random_in(&p->state, ASHLAR_GENERAL, ASHLAR_ANTIHERMITIAN) : ASHLAR_GENERAL;
}

static void make_matrix(product *p, int x, int row_side, int col_side, int64_t percent)
{
    matrix *a = &p->x[x];
    const ashlar_symmetry symmetry = random_symmetry(p, x);
    a->t = (tiling){.ranks = p->r->ranks};
    a->t.d = (ashlar_tiles_description){.size = sizeof a->t.d, .type = p->type, .symmetry = symmetry};
    random_deal(&p->state, p->r->ranks, &a->t);
    a->t.d.tile_rows = p->tiles[row_side];
    a->t.d.tile_cols = p->tiles[col_side];
    memcpy(a->t.row_size, p->size[row_side], sizeof a->t.row_size);
    memcpy(a->t.col_size, p->size[col_side], sizeof a->t.col_size);
    a->t.d.row_sizes = a->t.row_size;
    a->t.d.col_sizes = a->t.col_size;
    a->tiles = make_tiles(p->r, p->context, &a->t);
    if (!a->tiles || !model_make(&a->t, &a->m))
        exit(1);
    fill_random(p->r, &p->state, a->tiles, &a->m, percent, true);
}

/* Any matrix stays that can, C in any number of layers. */
static void make_way(product *p)
{
    const int stays = (int)ashi_random_in(&p->state, ASHLAR_STAYS_CHOSEN, ASHLAR_STAYS_C);
    const int layers = (int)ashi_random_in(&p->state, 0, p->r->ranks);
    const bool factor = stays == ASHLAR_STAYS_A || stays == ASHLAR_STAYS_B;
    if (factor && p->x[stays - ASHLAR_STAYS_A].t.d.owner)
        return;
    p->options.stays = stays;
    p->options.layers = factor ? 0 : layers;
}

static void make_all(product *p)
{
    static const int64_t densities[] = {0, 20, 50, 100};
    uint64_t *s = &p->state;
    p->type = (ashlar_type)ashi_random_in(s, ASHLAR_TYPE_S, ASHLAR_TYPE_Z);
    p->alpha = (number){(long double)ashi_random_in(s, 0, 2), 0};
    p->beta = (number){(long double)ashi_random_in(s, -1, 1), 0};
    p->options = (ashlar_tiles_options){.size = sizeof p->options, .retain = ashi_random_in(s, 0, 3) == 0,
                                        .window = (int)ashi_random_in(s, 0, 4)};
    if (ashi_random_in(s, 0, 1)) {
        p->square = (long double)ashi_random_in(s, 0, 1 << ashi_random_in(s, 4, 18)) + 0.5L;
        p->options.threshold = (double)sqrtl(p->square);
        p->options.keep_small_products = ashi_random_in(s, 0, 3) == 0;
        p->options.keep_small_tiles = ashi_random_in(s, 0, 3) == 0;
    }
    p->options.bound = ashi_random_in(s, 0, 3) == 0;
    p->alike = ashi_random_in(s, 0, 1);
    p->squared = p->alike && ashi_random_in(s, 0, 1);
    for (int side = 0; side < 3; side++) {
        p->tiles[side] = ashi_random_in(s, p->r->seed % 9 ? 1 : 0, SIDE_MOST);
        random_sizes(s, p->tiles[side], p->size[side]);
        if (p->alike) {
            p->tiles[side] = p->tiles[0];
            memcpy(p->size[side], p->size[0], sizeof p->size[side]);
        }
    }
    for (int64_t k = 0; k < p->tiles[2]; k++)
        p->inner[k + 1] = p->inner[k] + p->size[2][k];
    for (int x = 0; x < 2; x++)
        p->op[x] = (ashlar_op)ashi_random_in(s, ASHLAR_OP_N, ASHLAR_OP_C);
    if (p->squared) {
        const ashlar_op other = ashi_random_in(s, 0, 1) ? ASHLAR_OP_T : ASHLAR_OP_C;
        const int which = (int)ashi_random_in(s, 0, 1);
        p->op[which] = ASHLAR_OP_N;
        p->op[1 - which] = other;
    }
    const bool turned[2] = {p->op[0] != ASHLAR_OP_N, p->op[1] != ASHLAR_OP_N};
    make_matrix(p, ASHLAR_A, turned[0] ? 2 : 0, turned[0] ? 0 : 2, densities[ashi_random_in(s, 1, 3)]);
    if (p->squared)
        p->x[ASHLAR_B] = p->x[ASHLAR_A];
    else
        make_matrix(p, ASHLAR_B, turned[1] ? 1 : 2, turned[1] ? 2 : 1, densities[ashi_random_in(s, 1, 3)]);
    make_matrix(p, ASHLAR_C, 0, 1, densities[ashi_random_in(s, 0, 3)]);
    if (ashi_random_in(s, 0, 1))
        make_ranges(p);
    make_way(p);
}

static number of_op(const product *p, int x, int64_t row, int64_t col)
{
    const model *m = &p->x[x].m;
    number y = p->op[x] == ASHLAR_OP_N ? *model_at(m, row, col) : *model_at(m, col, row);
    if (p->op[x] == ASHLAR_OP_C)
        y.im = -y.im;
    return y;
}

/* Whether there is such a tile of op(A) or op(B), and its k is in the range. */
static bool is_present(const product *p, int x, int64_t row, int64_t col)
{
    const model *m = &p->x[x].m;
    if (!in_range(p, 2, x == ASHLAR_A ? col : row))
        return false;
    return p->op[x] == ASHLAR_OP_N ? *model_present(m, row, col) : *model_present(m, col, row);
}

static number of_op(const product *p, int x, int64_t row, int64_t col);

static long double square_of(number x)
{
    return x.re * x.re + x.im * x.im;
}

/* The square of the norm of a tile of op(A) or op(B). */
static long double tile_square(const product *p, int x, int64_t row, int64_t col)
{
    const model *c = &p->x[ASHLAR_C].m;
    const int64_t inner_row = x == ASHLAR_B, first = inner_row ? p->inner[row] : c->row.at[row];
    const int64_t last = inner_row ? p->inner[row + 1] : c->row.at[row + 1];
    const int64_t left = inner_row ? c->col.at[col] : p->inner[col];
    const int64_t right = inner_row ? c->col.at[col + 1] : p->inner[col + 1];
    long double sum = 0;
    for (int64_t i = first; i < last; i++)
        for (int64_t j = left; j < right; j++)
            sum += square_of(of_op(p, x, i, j));
    return sum;
}

/* Whether a product of tiles is formed: |alpha| ||A_ik|| ||B_kj|| is not below eps / (tiles in row i). */
static bool is_formed(const product *p, int64_t row, int64_t k, int64_t col)
{
    int64_t tiles = 0;
    if (!is_present(p, ASHLAR_A, row, k) || !is_present(p, ASHLAR_B, k, col))
        return false;
    if (p->square == 0 || p->options.keep_small_products)
        return true;
    for (int64_t t = 0; t < p->tiles[2]; t++)
        tiles += is_present(p, ASHLAR_A, row, t);
    return square_of(p->alpha) * tile_square(p, ASHLAR_A, row, k) * tile_square(p, ASHLAR_B, k, col) *
               (long double)(tiles * tiles) >= p->square;
}

/* Whether some product of tiles is for this tile of C. */
static bool is_met(const product *p, int64_t row, int64_t col)
{
    for (int64_t k = 0; k < p->tiles[2]; k++)
        if (is_formed(p, row, k, col))
            return true;
    return false;
}

/* An element of the product; `all`: with what is left out. */
static number element_of(const product *p, int64_t i, int64_t j, const bool *formed, bool all)
{
    number sum = {0, 0};
    for (int64_t k = 0; k < p->tiles[2]; k++)
        for (int64_t l = p->inner[k]; l < p->inner[k + 1] && (formed[k] || (all && in_range(p, 2, k))); l++)
            sum = number_add(sum, number_mul(of_op(p, ASHLAR_A, i, l), of_op(p, ASHLAR_B, l, j)));
    return number_add(number_mul(p->alpha, sum), number_mul(p->beta, *model_at(&p->x[ASHLAR_C].m, i, j)));
}

/* One tile of C; what it loses is added to the error. */
static void multiply_tile(product *p, int64_t row, int64_t col)
{
    model *c = &p->x[ASHLAR_C].m;
    bool formed[SIDE_MOST] = {false}, *present = model_present(c, row, col);
    const bool may = !p->options.retain || *present, drops = !p->options.keep_small_tiles && !p->options.retain;
    long double square = 0, lost = 0;
    for (int64_t k = 0; k < p->tiles[2]; k++)
        formed[k] = may && is_formed(p, row, k, col);
    *present = *present || (may && is_met(p, row, col));
    for (int64_t i = c->row.at[row]; i < c->row.at[row + 1]; i++)
        for (int64_t j = c->col.at[col]; j < c->col.at[col + 1]; j++) {
            const number whole = element_of(p, i, j, formed, may);
            const number found = element_of(p, i, j, formed, false);
            *model_at(c, i, j) = found;
            square += square_of(found);
            lost += square_of((number){whole.re - found.re, whole.im - found.im});
        }
    const bool dropped = drops && p->square > 0 && square < p->square;
    *present = *present && !dropped;
    for (int64_t i = c->row.at[row]; i < c->row.at[row + 1] && dropped; i++)
        for (int64_t j = c->col.at[col]; j < c->col.at[col + 1]; j++)
            *model_at(c, i, j) = (number){0, 0};
    if (dropped)
        lost = (sqrtl(square) + sqrtl(lost)) * (sqrtl(square) + sqrtl(lost));
    p->error += p->squared && row != col ? 2 * lost : lost;
}

static void scale_model(product *p)
{
    model *c = &p->x[ASHLAR_C].m;
    for (int64_t row = 0; row < c->row.tiles; row++)
        for (int64_t col = 0; col < c->col.tiles; col++)
            for (int64_t i = c->row.at[row]; i < c->row.at[row + 1] && takes_part(p, row, col); i++)
                for (int64_t j = c->col.at[col]; j < c->col.at[col + 1]; j++)
                    *model_at(c, i, j) = number_mul(p->beta, *model_at(c, i, j));
}

/* What C should be then. */
static void multiply_models(product *p)
{
    model *c = &p->x[ASHLAR_C].m;
    p->error = 0;
    if (p->alpha.re == 0)
        scale_model(p);
    for (int64_t row = 0; row < c->row.tiles && p->alpha.re != 0; row++)
        for (int64_t col = p->squared ? row : 0; col < c->col.tiles; col++)
            if (takes_part(p, row, col))
                multiply_tile(p, row, col);
}

static ashlar_status multiply(product *p, ashlar_tiles_result *result, ashlar_error *err)
{
    char alpha[2 * sizeof(double)], beta[2 * sizeof(double)];
    number_store(p->type, p->alpha, alpha);
    number_store(p->type, p->beta, beta);
    return ashlar_tiles_multiply(alpha, p->op[0], p->x[0].tiles, p->op[1], p->x[1].tiles, beta, p->x[2].tiles,
                                 &p->options, result, err);
}

/* The words of a tile of op(A) or op(B) that come to this rank if C stays: those of another rank's tile that it forms a
 * product with. */
static int64_t words_that_come(const product *p, int x, int64_t outer, int64_t k)
{
    const int64_t row = x == ASHLAR_A ? outer : k, col = x == ASHLAR_A ? k : outer;
    const bool turned = p->op[x] != ASHLAR_OP_N;
    const ashlar_tiles *c = p->x[ASHLAR_C].tiles;
    const int64_t words = p->size[x][outer] * p->size[2][k];
    if (!is_present(p, x, row, col) ||
        ashlar_tiles_owner(p->x[x].tiles, turned ? col : row, turned ? row : col) == p->r->rank)
        return 0;
    for (int64_t other = 0; other < p->tiles[1 - x]; other++) {
        const int64_t i = x == ASHLAR_A ? outer : other, j = x == ASHLAR_A ? other : outer;
        if ((!p->squared || i <= j) && takes_part(p, i, j) && ashlar_tiles_owner(c, i, j) == p->r->rank &&
            *model_present(&p->x[ASHLAR_C].m, i, j) && p->size[1 - x][other] > 0 && is_present(p, ASHLAR_A, i, k) &&
            is_present(p, ASHLAR_B, k, j))
            return words;
    }
    return 0;
}

/* C stays in one layer, and all products are formed for tiles that C has. */
static void check_words(product *p, const ashlar_tiles_result *result)
{
    int64_t words = 0;
    if (result->stays != ASHLAR_STAYS_C || result->layers != 1 || p->x[ASHLAR_C].t.d.owner)
        return;
    for (int x = 0; x < 2; x++)
        for (int64_t outer = 0; outer < p->tiles[x]; outer++)
            for (int64_t k = 0; k < p->tiles[2]; k++)
                words += words_that_come(p, x, outer, k);
    CHECK(&p->r->test, result->words == words, CASE "%" PRId64 " words, needed are %" PRId64, CASE_OF(p->r),
          result->words, words);
}

/* What C says of itself fits what it has, whichever way it was formed. */
static void check_density(product *p)
{
    ashlar_tiles_info info;
    ashlar_error err = {0};
    CHECK(&p->r->test, ashlar_tiles_inspect(p->x[ASHLAR_C].tiles, &info, &err) == ASHLAR_OK, CASE "%s", CASE_OF(p->r),
          err.text);
    if (info.symmetry != ASHLAR_GENERAL || info.low_rank_tiles > 0 || info.rows == 0 || info.cols == 0)
        return;
    const double wanted = (double)info.words / (double)info.rows / (double)info.cols;
    CHECK(&p->r->test, info.density <= wanted && info.density >= wanted, CASE "density %g, of its words %g",
          CASE_OF(p->r), info.density, wanted);
}

/* What was predicted came, and all ranks say the same of the way. */
static void check_way(product *p, const ashlar_tiles_result *result)
{
    const ashlar_tiles_options *o = &p->options;
    char text[ASHLAR_MESSAGE_MAX];
    CHECK(&p->r->test, result->words == result->predicted_words, CASE "%" PRId64 " words, predicted %" PRId64,
          CASE_OF(p->r), result->words, result->predicted_words);
    snprintf(text, sizeof text, "%d, %" PRId64 " layers, imbalance %a", result->stays, result->layers,
             result->imbalance);
    CHECK(&p->r->test, ranks_agree(MPI_COMM_WORLD, result->stays, text) && result->imbalance >= 1, CASE "stays %s",
          CASE_OF(p->r), text);
    CHECK(&p->r->test, (o->stays == 0 || result->stays == o->stays) && result->stays >= ASHLAR_STAYS_A &&
          result->stays <= ASHLAR_STAYS_C, CASE "stays %s, asked for %d", CASE_OF(p->r), text, o->stays);
    CHECK(&p->r->test, o->layers == 0 || result->layers == o->layers, CASE "stays %s, asked for %d", CASE_OF(p->r),
          text, o->layers);
    check_density(p);
}

/* A limit that cannot be kept is refused on all ranks with the least that would do, and one word less than that, too.
 * What is held with a limit that can be kept is not above it. */
static ashlar_status multiply_within(product *p, ashlar_tiles_result *result, ashlar_error *err)
{
    int64_t least = 1, held = 0;
    ashlar_status status = ASHLAR_OK;
    for (int i = 0; i < 2; i++) {
        p->options.memory_words = ashi_max(1, least - i);
        status = multiply(p, result, err);
        if (status == ASHLAR_OK)
            break; /* a word will do: there is nothing to hold */
        least = ashlar_context_memory_words(p->context);
        CHECK(&p->r->test, status == ASHLAR_ERR_LIMIT && ranks_agree(MPI_COMM_WORLD, (int)least, err->text) &&
              least > p->options.memory_words && strstr(err->text, " would do"), CASE "%" PRId64 " words: %s",
              CASE_OF(p->r), p->options.memory_words, err->text);
    }
    if (status != ASHLAR_OK) {
        p->options.memory_words = least + ashi_random_in(&p->state, 0, 1) * ashi_random_in(&p->state, 0, least);
        status = multiply(p, result, err);
    }
    MPI_Allreduce(&result->memory_words, &held, 1, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
    CHECK(&p->r->test, status != ASHLAR_OK || held <= p->options.memory_words, CASE "%" PRId64 " words of %" PRId64,
          CASE_OF(p->r), held, p->options.memory_words);
    p->options.memory_words = 0;
    return status;
}

static void check_result(product *p, const ashlar_tiles_result *result)
{
    int64_t own[2] = {result->products, result->flops}, all[2] = {0, 0}, products = 0, multiplies = 0;
    const model *c = &p->x[ASHLAR_C].m;
    for (int64_t row = 0; row < c->row.tiles; row++)
        for (int64_t col = p->squared ? row : 0; col < c->col.tiles; col++)
            for (int64_t k = 0; k < p->tiles[2] && *model_present(c, row, col); k++)
                if (takes_part(p, row, col) && is_present(p, ASHLAR_A, row, k) && is_present(p, ASHLAR_B, k, col)) {
                    products++;
                    multiplies += p->size[0][row] * p->size[1][col] * p->size[2][k];
                }
    MPI_Allreduce(own, all, 2, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    check_way(p, result);
    const bool bounded = p->square > 0 || p->options.bound;
    const bool holds = bounded ? result->error_bound >= (double)sqrtl(p->error) * (1 - 1e-12)
                               : isinf(result->error_bound);
    CHECK(&p->r->test, holds,
          CASE "bound %g, error at most %g", CASE_OF(p->r), result->error_bound, (double)sqrtl(p->error));
    if (p->square > 0)
        return;
    check_words(p, result);
    CHECK(&p->r->test, all[0] == products, CASE "%" PRId64 " products of %" PRId64, CASE_OF(p->r), all[0], products);
    CHECK(&p->r->test, all[1] == multiplies * ashi_type_of(p->type)->flops, CASE "%" PRId64 " flops", CASE_OF(p->r),
          all[1]);
    CHECK(&p->r->test, (p->r->ranks > 1 && all[0] > 0) || result->words == 0,
          CASE "words on one rank, or for nothing", CASE_OF(p->r));
}

/* Ranges that end beyond the tiles, or differ, or leave out mirror images. */
static void wrong_ranges(product *p)
{
    const int64_t whole[6] = {0, p->tiles[0], 0, p->tiles[1], 0, p->tiles[2]}, *kept = p->options.ranges;
    ashlar_error err = {0};
    for (int wrong = 0; wrong < 4; wrong++) {
        int64_t range[6];
        memcpy(range, whole, sizeof range);
        if (wrong == 0)
            range[2 * (p->r->seed % 3) + 1]++;
        else if (wrong == 1)
            range[2 * (p->r->seed % 3)] = -1;
        else if (wrong == 2)
            range[5] -= p->r->rank == 0;
        else
            range[3] = 0;
        if ((wrong == 2 && (p->r->ranks == 1 || p->tiles[2] == 0)) || (wrong == 3 && (!p->squared || range[1] == 0)))
            continue;
        p->options.ranges = range;
        const ashlar_status status = multiply(p, NULL, &err);
        CHECK(&p->r->test, status == ASHLAR_ERR_ARG && ranks_agree(MPI_COMM_WORLD, (int)status, err.text) &&
              strstr(err.text, wrong == 3 ? "C has a symmetry" : "range"), CASE "%d: %s", CASE_OF(p->r), wrong,
              err.text);
    }
    p->options.ranges = kept;
}

/* Ways that there are not. */
static void wrong_ways(product *p)
{
    static const struct {
        int stays, layers;
        double budget;
        int64_t memory_words;
        ashlar_status status;
        const char *text;
    } wrong[] = {{4, 0, 0, 0, ASHLAR_ERR_ARG, "stays = 4 is none"},
                 {0, -1, 0, 0, ASHLAR_ERR_ARG, "layers = -1"},
                 {0, 99, 0, 0, ASHLAR_ERR_ARG, "layers = 99, there are"},
                 {ASHLAR_STAYS_A, 1, 0, 0, ASHLAR_ERR_ARG, "wanted 0 if A or B stays"},
                 {ASHLAR_STAYS_B, 0, 1, 0, ASHLAR_ERR_UNSUPPORTED, "with a budget C stays, in one layer"},
                 {0, 0, 0, -9, ASHLAR_ERR_ARG, "memory_words = -9"}};
    const ashlar_tiles_options kept = p->options;
    const number alpha = p->alpha;
    ashlar_error err = {0};
    p->alpha = (number){1, 0};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        p->options.stays = wrong[i].stays;
        p->options.layers = wrong[i].layers;
        p->options.budget = wrong[i].budget;
        p->options.threshold = 0;
        p->options.memory_words = wrong[i].memory_words;
        const ashlar_status status = multiply(p, NULL, &err);
        CHECK(&p->r->test, status == wrong[i].status && strstr(err.text, wrong[i].text) &&
              ranks_agree(MPI_COMM_WORLD, (int)status, err.text), CASE "%s", CASE_OF(p->r), err.text);
    }
    p->options = kept;
    if (p->x[0].t.d.owner) {
        p->options.stays = ASHLAR_STAYS_A;
        p->options.layers = 0;
        const ashlar_status status = multiply(p, NULL, &err);
        CHECK(&p->r->test, status == ASHLAR_ERR_UNSUPPORTED && strstr(err.text, "A cannot stay: its tiles are dealt"),
              CASE "%s", CASE_OF(p->r), err.text);
        p->options = kept;
    }
    if (p->x[2].t.d.owner) {
        p->options.stays = p->options.layers = 0;
        p->options.memory_words = 9;
        p->options.budget = 1;
        p->options.threshold = 0;
        const ashlar_status status = multiply(p, NULL, &err);
        CHECK(&p->r->test, status == ASHLAR_ERR_UNSUPPORTED && strstr(err.text, "dealt out by a function"), CASE "%s",
              CASE_OF(p->r), err.text);
        p->options = kept;
    }
    p->alpha = alpha;
}

/* Matrices that do not fit are refused on all ranks with one text, and nothing has changed. */
static void wrong_use(product *p)
{
    const ashlar_tiles *kept[2] = {p->x[0].tiles, p->x[1].tiles};
    const ashlar_op op = p->op[0];
    ashlar_error err = {0};
    p->x[0].tiles = p->x[2].tiles;
    ashlar_status status = multiply(p, NULL, &err);
    CHECK(&p->r->test, status == ASHLAR_ERR_ARG && strstr(err.text, "C is A") &&
          ranks_agree(MPI_COMM_WORLD, (int)status, err.text), CASE "%s", CASE_OF(p->r), err.text);
    p->x[0].tiles = (ashlar_tiles *)(uintptr_t)kept[0];
    p->op[0] = p->r->rank == 0 ? (ashlar_op)7 : op;
    status = multiply(p, NULL, &err);
    CHECK(&p->r->test, status == ASHLAR_ERR_ARG && strstr(err.text, "op_a = 7") &&
          ranks_agree(MPI_COMM_WORLD, (int)status, err.text), CASE "%s", CASE_OF(p->r), err.text);
    p->op[0] = op;
    wrong_ranges(p);
    wrong_ways(p);
    check_tiles(p->r, p->x[2].tiles, &p->x[2].m, 0, "after wrong use");
}

/* A C that a function deals out goes to a process grid and back if there is a budget. It is empty before. */
static void with_budget(product *p)
{
    ashlar_error err = {0};
    p->options = (ashlar_tiles_options){.size = sizeof p->options, .budget = 1e-3};
    p->beta = (number){0, 0};
    CHECK(&p->r->test, ashlar_tiles_clear(p->x[ASHLAR_C].tiles, &err) == ASHLAR_OK &&
          multiply(p, NULL, &err) == ASHLAR_OK, CASE "%s", CASE_OF(p->r), err.text);
    check_density(p);
}

/* ---- on a device ---- */

/* What went to devices and back was predicted, and they made all products. */
static void check_device(product *p, const ashlar_tiles_result *result)
{
    ashlar_device_figures f;
    ashlar_error err = {0};
    int64_t flops = 0;
    MPI_Allreduce(&result->flops, &flops, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    CHECK(&p->r->test, ashlar_tiles_device(p->context, &f, &err) == ASHLAR_OK && !f.failure, CASE "%s", CASE_OF(p->r),
          f.failure ? f.failure : err.text);
    CHECK(&p->r->test, f.measured_in_max == f.words_in_max && f.measured_in_total == f.words_in_total &&
          f.measured_out_max == f.words_out_max && f.measured_out_total == f.words_out_total &&
          f.measured_memory_words == f.memory_words, CASE "%" PRId64 " words in and %" PRId64 " out, predicted %" PRId64
          " and %" PRId64, CASE_OF(p->r), f.measured_in_total, f.measured_out_total, f.words_in_total,
          f.words_out_total);
    CHECK(&p->r->test, (flops > 0) == (f.words_in_total > 0) && (flops > 0) == (f.seconds > 0) &&
          (f.ranks == p->r->ranks || p->alpha.re == 0), CASE "%" PRId64 " words in for %" PRId64 " flops, by %" PRId64
          " devices", CASE_OF(p->r), f.words_in_total, flops, f.ranks);
}

static void one(ashlar_context *context, rig *r)
{
    product p = {.r = r, .context = context, .state = r->seed};
    ashlar_tiles_result result = {0};
    ashlar_error err = {0};
    make_all(&p);
    for (int time = 0; time < 2; time++) {
        const ashlar_status status = r->seed % 3 == 0 ? multiply_within(&p, &result, &err)
                                                                            : multiply(&p, &result, &err);
        CHECK(&r->test, status == ASHLAR_OK, CASE "%s", CASE_OF(r), err.text);
        multiply_models(&p);
        check_tiles(r, p.x[ASHLAR_C].tiles, &p.x[ASHLAR_C].m, 0, "C");
        if (p.alpha.re != 0)
            check_result(&p, &result);
        if (device_here() && status == ASHLAR_OK)
            check_device(&p, &result);
        p.beta = (number){0, 0};
    }
    if (r->seed % 5 == 0)
        wrong_use(&p);
    if (p.x[ASHLAR_C].t.d.owner)
        with_budget(&p);
    if (p.squared)
        p.x[ASHLAR_B] = (matrix){0};
    for (int x = 0; x < 3; x++) {
        model_free(&p.x[x].m);
        ashlar_tiles_free(&p.x[x].tiles);
    }
}

/* The text names the first cut that differs. */
static void cuts_that_differ(rig *r, ashlar_context *context)
{
    static const int64_t size[3] = {2, 3, 4}, other[3] = {2, 2, 5};
    static const double one_and_zero[2] = {1, 0};
    tiling t[2] = {{.d = {.type = ASHLAR_TYPE_D, .tile_rows = 3, .tile_cols = 3, .row_sizes = size}},
                   {.d = {.type = ASHLAR_TYPE_D, .tile_rows = 3, .tile_cols = 3, .row_sizes = other}}};
    ashlar_tiles *x[2] = {make_tiles(r, context, &t[0]), make_tiles(r, context, &t[1])};
    ashlar_tiles *c = make_tiles(r, context, &t[0]);
    ashlar_error err = {0};
    const ashlar_status status = ashlar_tiles_multiply(one_and_zero, ASHLAR_OP_N, x[0], ASHLAR_OP_N, x[1],
                                                       one_and_zero + 1, c, NULL, NULL, &err);
    CHECK(&r->test, status == ASHLAR_ERR_ARG && ranks_agree(MPI_COMM_WORLD, (int)status, err.text) &&
          strstr(err.text, "tile 1 of op(A)'s columns ends at 5, of op(B)'s rows at 4"), "%s", err.text);
    for (int i = 0; i < 2; i++)
        ashlar_tiles_free(&x[i]);
    ashlar_tiles_free(&c);
}

/* ---- the way that is chosen ---- */

enum { SIDE = 4 };

/* The words of all ranks, for a product of full tiles, or of ranges of them. */
static int64_t words_of(ashlar_context *context, rig *r, const tiling t[3], const int64_t *ranges, int stays,
                        int layers, ashlar_tiles_result *result)
{
    static const double one_and_zero[2] = {1, 0};
    const ashlar_tiles_options options = {.size = sizeof options, .ranges = ranges, .stays = stays, .layers = layers};
    ashlar_tiles *x[3];
    ashlar_error err = {0};
    int64_t words = 0;
    for (int i = 0; i < 3; i++) {
        x[i] = make_tiles(r, context, &t[i]);
        for (int64_t tile = 0; i < 2 && tile < t[i].d.tile_rows * t[i].d.tile_cols; tile++)
            ashlar_tiles_reserve(x[i], 1, &(int64_t){tile / t[i].d.tile_cols}, &(int64_t){tile % t[i].d.tile_cols},
                                 NULL);
        CHECK(&r->test, ashlar_tiles_finish(x[i], &err) == ASHLAR_OK, "%s", err.text);
    }
    const ashlar_status status = ashlar_tiles_multiply(one_and_zero, ASHLAR_OP_N, x[0], ASHLAR_OP_N, x[1],
                                                       one_and_zero + 1, x[2], &options, result, &err);
    CHECK(&r->test, status == ASHLAR_OK, "%s", err.text);
    MPI_Allreduce(&result->words, &words, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < 3; i++)
        ashlar_tiles_free(&x[i]);
    return words;
}

/* A product of m x n x k tiles of `size`, or of ranges of them, is made the way that moves the fewest words: A or B
 * stays if what is multiplied of the other is thin. */
static void best_way(rig *r, ashlar_context *context, const int64_t tiles[3], const int64_t size[3],
                     const int64_t *ranges, int stays)
{
    static const int side[3][2] = {{0, 2}, {2, 1}, {0, 1}};
    tiling t[3] = {{.ranks = r->ranks}, {.ranks = r->ranks}, {.ranks = r->ranks}};
    ashlar_tiles_result result = {0}, chosen = {0};
    for (int x = 0; x < 3; x++) {
        t[x].d = (ashlar_tiles_description){.size = sizeof t[x].d, .type = ASHLAR_TYPE_D,
                                            .tile_rows = tiles[side[x][0]], .tile_cols = tiles[side[x][1]],
                                            .row_sizes = t[x].row_size, .col_sizes = t[x].col_size};
        for (int64_t i = 0; i < SIDE_MOST; i++) {
            t[x].row_size[i] = size[side[x][0]];
            t[x].col_size[i] = size[side[x][1]];
        }
    }
    const int64_t words = words_of(context, r, t, ranges, 0, 0, &chosen);
    const int64_t at_c = words_of(context, r, t, ranges, ASHLAR_STAYS_C, 1, &result);
    CHECK(&r->test, 5 * words <= 4 * at_c && chosen.stays == stays, "%" PRId64 " words, %" PRId64
          " if C stays; %d stays", words, at_c, chosen.stays);
    for (int way = ASHLAR_STAYS_A; way <= ASHLAR_STAYS_B; way++) {
        const int64_t other = words_of(context, r, t, ranges, way, 0, &result);
        CHECK(&r->test, words <= other, "%" PRId64 " words, %" PRId64 " if %d stays", words, other, way);
    }
    for (int layers = 2; layers <= r->ranks; layers++) {
        const int64_t other = words_of(context, r, t, ranges, ASHLAR_STAYS_C, layers, &result);
        CHECK(&r->test, words <= other, "%" PRId64 " words, %" PRId64 " in %d layers", words, other, layers);
    }
}

static void best_ways(rig *r, ashlar_context *context)
{
    static const int64_t few[3] = {SIDE, SIDE, SIDE}, thin_b[3] = {64, 2, 64}, thin_a[3] = {2, 64, 64};
    static const int64_t rows[3] = {6, SIDE, SIDE}, square[3] = {56, 84, 84}, one_row[6] = {3, 4, 0, SIDE, 0, SIDE};
    if (r->ranks != 4)
        return;
    best_way(r, context, few, thin_b, NULL, ASHLAR_STAYS_A);
    best_way(r, context, few, thin_a, NULL, ASHLAR_STAYS_B);
    best_way(r, context, rows, square, one_row, ASHLAR_STAYS_B);
}

static void each(ashlar_context *context, rig *r)
{
    if (r->seed == r->first)
        cuts_that_differ(r, context);
    if (r->seed == r->first)
        best_ways(r, context);
    one(context, r);
}

int main(int argc, char **argv)
{
    return try_in_context(argc, argv, 80, each);
}
