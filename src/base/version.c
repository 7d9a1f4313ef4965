/* The version that the build was configured with. */
#include <ashlar/base.h>

const char *ashlar_version(void)
{
    return ASHI_VERSION;
}
