/* Any bytes as integrals in the format of Knowles and Handy. */
#include "fcidump.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fcidump f;
    char message[200] = "", *text = calloc(1, size + 1);
    if (!text)
        return 0;
    memcpy(text, data, size);
    if (fcidump_read(text, &f, message, sizeof message) != 0) {
        if (message[0] == '\0' || strchr(message, '\n') || f.one || f.two)
            abort();
    } else if (f.electrons >= fcidump_spin_orbitals(&f) || (f.orbitals < 8 && isnan(fcidump_fock(&f, 0, 0)))) {
        abort();
    }
    fcidump_free(&f);
    free(text);
    return 0;
}
