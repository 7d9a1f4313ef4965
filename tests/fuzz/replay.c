/* Feeds files to a fuzz target once each, where there is no fuzzer: replay FILE... */
#include "fuzz.h"

int main(int count, char **names)
{
    for (int i = 1; i < count; i++) {
        static uint8_t data[1 << 20];
        FILE *file = fopen(names[i], "rb");
        if (!file) {
            perror(names[i]);
            return 1;
        }
        const size_t size = fread(data, 1, sizeof data, file);
        fclose(file);
        LLVMFuzzerTestOneInput(data, size);
    }
    printf("%d inputs\n", count - 1);
    return count < 2;
}
