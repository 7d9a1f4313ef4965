/* The scalars alpha and beta as the command line states them, and as elements of the matrices' type. */
#include "cli/scalar_text.h"

#include "base/error.h"
#include "base/number.h"
#include "base/type.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* What a part of an element may be. */
typedef struct range {
    const char *name; /* of the part's type */
    double most, least;
    int digits;       /* enough to tell the largest value from its neighbours */
} range;

static range range_of(bool wide)
{
    return wide ? (range){"double", DBL_MAX, DBL_TRUE_MIN, DBL_DECIMAL_DIG}
                : (range){"float", (double)FLT_MAX, (double)FLT_TRUE_MIN, FLT_DECIMAL_DIG};
}

static ashlar_status too_large(const ashi_scalar_text *s, const char *type, const range *r, ashlar_error *err)
{
    return ashi_fail(err, ASHLAR_ERR_ARG, "%s is %.64s, which type %s cannot hold: its largest value is %.*g",
                     s->option, s->text, type, r->digits, r->most);
}

static ashlar_status too_small(const ashi_scalar_text *s, const char *type, const range *r, ashlar_error *err)
{
    return ashi_fail(err, ASHLAR_ERR_ARG,
                     "%s is %.64s, which type %s rounds to 0: its least value above 0 is %.3g; write 0 if that is "
                     "meant", s->option, s->text, type, r->least);
}

/* Whether a number's text has another digit than 0 before its exponent. */
static bool says_nonzero(const char *text)
{
    return strcspn(text, "123456789") < strcspn(text, "eE");
}

static ashlar_status not_read(const ashi_scalar_text *s, ashlar_error *err)
{
    return ashi_fail(err, ASHLAR_ERR_ARG, "%s is '%.64s', wanted a number, or RE,IM for a complex one", s->option,
                     s->text);
}

ashlar_status ashi_scalar_text_read(ashi_scalar_text *s, ashlar_error *err)
{
    const range r = range_of(true);
    bool lost = true, nonzero = false;
    const char *at = s->text;
    if (!at)
        return ASHLAR_OK;
    s->part[0] = s->part[1] = 0;
    for (int i = 0; i < 2 && at; i++) {
        char one[400]; /* longer than any double written out without an exponent */
        const size_t length = strcspn(at, ",");
        if (length >= sizeof one)
            return not_read(s, err);
        memcpy(one, at, length);
        one[length] = '\0';
        if (!ashi_number_any(one, &s->part[i]))
            return not_read(s, err);
        if (!isfinite(s->part[i]))
            return too_large(s, r.name, &r, err);
        nonzero = nonzero || says_nonzero(one);
        lost = lost && s->part[i] == 0;
        at = at[length] == ',' ? at + length + 1 : NULL;
    }
    if (at)
        return not_read(s, err);
    return lost && nonzero ? too_small(s, r.name, &r, err) : ASHLAR_OK;
}

ashlar_status ashi_scalar_text_element(const ashi_scalar_text *s, ashlar_type type, unsigned char out[16],
                                       ashlar_error *err)
{
    const ashi_type *t = ashi_type_of(type);
    const bool wide = type == ASHLAR_TYPE_D || type == ASHLAR_TYPE_Z;
    const range r = range_of(wide);
    if (!t->complex && s->part[1] != 0)
        return ashi_fail(err, ASHLAR_ERR_ARG,
                         "%s is %.64s, which has an imaginary part, but the matrices are of type %s", s->option,
                         s->text, t->name);
    memset(out, 0, 16);
    if (wide) {
        memcpy(out, s->part, t->bytes);
        return ASHLAR_OK;
    }
    const float narrow[2] = {(float)s->part[0], (float)s->part[1]};
    if (!isfinite(narrow[0]) || !isfinite(narrow[1]))
        return too_large(s, t->name, &r, err);
    if (narrow[0] == 0 && narrow[1] == 0 && !ashi_scalar_text_is_zero(s))
        return too_small(s, t->name, &r, err);
    memcpy(out, narrow, t->bytes);
    return ASHLAR_OK;
}

bool ashi_scalar_text_is_zero(const ashi_scalar_text *s)
{
    return s->part[0] == 0 && s->part[1] == 0;
}
