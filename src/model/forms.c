/* The rates of the four forms of a product, measured or assumed. */
#include "model/forms.h"

#include <math.h>

static const char *const names[ASHI_FORMS] = {"NN", "NT", "TN", "TT"};

/* OpenBLAS with k = 32768: NT takes 3 to 7 % longer than NN and TN on the processors measured (docs/PERFORMANCE.md). */
static const double assumed[ASHI_FORMS] = {1, 0.96, 1, 0.96};

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
