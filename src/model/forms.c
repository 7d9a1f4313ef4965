/* The rates of the four forms of a product, measured or assumed. */
#include "model/forms.h"

#include "base/checked.h"

#include <math.h>

static const char *const names[ASHI_FORMS] = {"NN", "NT", "TN", "TT"};

/* OpenBLAS with k = 32768: NT takes 3 to 7 % longer than NN and TN on the processors measured (docs/PERFORMANCE.md). */
static const double assumed[ASHI_FORMS] = {1, 0.96, 1, 0.96};

/* OpenBLAS passes slabs of its second matrix by a block of the first one. With its kernels for AVX-512 a product of
 * 256 x 6144 takes 1.2 to 1.3 times as long as one of 6144 x 256, of 768 x 2048 1.15 times, and of 1024 x 1536 no
 * longer. With its kernels for AVX2 and the generic ones all take equally long, to 8 % (docs/PERFORMANCE.md, "Forms of
 * product"). */
enum { WIDE = 2 };
static const double wide_rate = 0.85;

const char *ashi_form_name(int form)
{
    return names[form];
}

static bool are_known(const ashlar_machine *machine)
{
    bool known = true;
    for (int f = 0; f < ASHI_FORMS; f++)
        known = known && machine->forms[f] > 0 && isfinite(machine->forms[f]);
    return known;
}

bool ashi_forms_are_valid(const ashlar_machine *machine)
{
    bool none = true;
    for (int f = 0; f < ASHI_FORMS; f++)
        none = none && machine->forms[f] == 0;
    return none || are_known(machine);
}

double ashi_form_rate(const ashlar_machine *machine, int form)
{
    return are_known(machine) ? machine->forms[form] : assumed[form];
}

double ashi_form_rate_of_shape(const ashlar_machine *machine, int form, int64_t rows, int64_t columns)
{
    return ashi_form_rate(machine, form) * (columns > ashi_mul_most(WIDE, rows) ? wide_rate : 1);
}
