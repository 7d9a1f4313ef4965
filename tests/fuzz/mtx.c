/* Any bytes as a Matrix Market file. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const fuzz_file f = fuzz_make("x.mtx");
    fuzz_write(&f, data, size);
    fuzz_read(f.path);
    fuzz_remove(&f);
    return 0;
}
