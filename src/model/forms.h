/* How fast BLAS is with each of the four forms of a product. */
#ifndef ASHI_FORMS_H
#define ASHI_FORMS_H

#include <ashlar/machine.h>

#include <stdint.h>

enum { ASHI_FORMS = 4 };

/* The form of a product by column-major matrices: which of the two are transposed. */
static inline int ashi_form_of(bool first_turned, bool second_turned)
{
    return 2 * first_turned + second_turned;
}

/* "NN", "NT", "TN", "TT". */
const char *ashi_form_name(int form);

/* Whether all are above 0, or all 0. */
bool ashi_forms_are_valid(const ashlar_machine *machine);

/* The rate of a form; if it is not known, what is assumed, in no unit. */
double ashi_form_rate(const ashlar_machine *machine, int form);

/* The same of a product of `rows` x `columns`, column-major, which is slower if it is much wider than high. */
double ashi_form_rate_of_shape(const ashlar_machine *machine, int form, int64_t rows, int64_t columns);

#endif
