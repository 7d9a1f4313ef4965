/* On which machine a process runs. */
#include "exec/host.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/* FNV-1a */
static uint64_t add(uint64_t digest, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        digest = (digest ^ (unsigned char)text[i]) * 0x100000001B3u;
    return digest;
}

uint64_t ashi_host_digest(const char *name)
{
    char boot[64];
    const int file = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
    const ssize_t length = file >= 0 ? read(file, boot, sizeof boot) : 0;
    if (file >= 0)
        (void)close(file); /* it was only read */
    const uint64_t digest = add(0xCBF29CE484222325u, name, strlen(name));
    return length > 0 ? add(digest, boot, (size_t)length) : digest;
}
