/* Which products of tiles are too small to be formed, and a bound on the error that a product then has. */
#include "layout/screen.h"

ashi_up ashi_screen_limit(const ashi_screen *screen, int64_t tiles_in_row)
{
    if (!(screen->skip > 0))
        return (ashi_up){0};
    const ashi_up limit = ashi_up_of(screen->skip);
    const ashi_up tiles = ashi_up_of((double)(tiles_in_row > 0 ? tiles_in_row : 1));
    double fraction = limit.fraction / tiles.fraction;
    int64_t exponent = limit.exponent - tiles.exponent;
    if (fraction < 1) {
        fraction *= 2;
        exponent--;
    }
    return ashi_up_normal(fraction, exponent);
}

/* n u / (1 - n u), infinity if n u reaches 1. */
static ashi_up gamma_of(double n, double unit_roundoff)
{
    const double rounded = n * unit_roundoff;
    return rounded < 1 ? ashi_up_of(rounded / (1 - rounded) * (1 + 0x1p-48)) : (ashi_up){INFINITY, 0};
}

ashi_up ashi_screen_rounding(const ashi_screen *screen, const ashi_tile_error *tile, int64_t rows, int64_t cols)
{
    const bool complex = screen->type->complex;
    const double u = screen->type->roundoff, terms = (double)tile->terms + (double)screen->additions;
    ashi_up relative = gamma_of(complex ? 2 * terms + 8 : terms + 3, u);
    if (complex)
        relative = ashi_up_mul(relative, ashi_up_of(0x1.6a09e667f3bcdp+0)); /* above sqrt(2) */
    const double smallest = u < 0x1p-30 ? 0x1p-1074 : 0x1p-149;
    const ashi_up scale = ashi_up_add(ashi_up_of(screen->alpha), ashi_up_of(1));
    const ashi_up elements = ashi_up_sqrt(ashi_up_mul(ashi_up_of((double)rows), ashi_up_of((double)cols)));
    const ashi_up vanishing = ashi_up_mul(ashi_up_mul(ashi_up_of(smallest), ashi_up_of(4 * terms + 8)),
                                          ashi_up_mul(scale, elements));
    return ashi_up_add(ashi_up_mul(relative, tile->formed), vanishing);
}

static void add_square(ashi_up *sum, ashi_up x)
{
    *sum = ashi_up_add(*sum, ashi_up_mul(x, x));
}

void ashi_error_add(ashi_error_sums *sums, const ashi_screen *screen, const ashi_tile_error *tile, int64_t rows,
                    int64_t cols, bool dropping)
{
    const ashi_up rounding = ashi_screen_rounding(screen, tile, rows, cols);
    add_square(&sums->left_out, tile->left_out);
    add_square(&sums->rounding, rounding);
    if (!dropping)
        return;
    const ashi_up most = ashi_up_add(tile->formed, rounding), limit = ashi_up_of(screen->drop);
    add_square(&sums->dropped, ashi_up_below(most, limit) ? most : limit);
}

void ashi_error_add_absent(ashi_error_sums *sums, const ashi_tile_error *tile)
{
    add_square(&sums->left_out, ashi_up_add(tile->left_out, tile->formed));
}

/* What is not a number bounds nothing. */
static ashi_up part(double x)
{
    return isnan(x) ? (ashi_up){INFINITY, 0} : ashi_up_of(x);
}

static double sum_of(double x, double y)
{
    return ashi_up_value(ashi_up_add(part(x), part(y)));
}

static ashi_error_bound with_all(ashi_error_bound bound)
{
    bound.all = sum_of(sum_of(bound.left_out, bound.dropped), bound.rounding);
    return bound;
}

ashi_error_bound ashi_error_of(const ashi_error_sums *sums)
{
    return with_all((ashi_error_bound){.left_out = ashi_up_value(ashi_up_sqrt(sums->left_out)),
                                       .dropped = ashi_up_value(ashi_up_sqrt(sums->dropped)),
                                       .rounding = ashi_up_value(ashi_up_sqrt(sums->rounding))});
}

static double joined(double x, double y)
{
    return ashi_up_value(ashi_up_hypot(part(x), part(y)));
}

ashi_error_bound ashi_error_join(ashi_error_bound x, ashi_error_bound y)
{
    return with_all((ashi_error_bound){.left_out = joined(x.left_out, y.left_out),
                                       .dropped = joined(x.dropped, y.dropped),
                                       .rounding = joined(x.rounding, y.rounding)});
}

ashi_error_bound ashi_error_with_dropped(ashi_error_bound before, double dropped)
{
    before.dropped = dropped;
    return with_all(before);
}

ashi_error_bound ashi_error_with_rounding(ashi_error_bound before, double times)
{
    before.rounding = ashi_up_value(ashi_up_mul(part(before.rounding), ashi_up_of(times)));
    return with_all(before);
}
