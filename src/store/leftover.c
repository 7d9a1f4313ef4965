/* Temporary files of earlier runs that were killed: recognised by their names, and by a lock that nobody holds. */
#include "store/leftover.h"

#include "store/lock.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* What is kept of the output's name, so that the temporary one stays below the usual limit of 255 bytes. */
#define NAME_KEPT 180

static const char ending[] = ".ashlar";

void ashi_temporary_name(const char *output, unsigned attempt, char out[ASHI_TEMPORARY_ROOM])
{
    struct timespec now = {0};
    clock_gettime(CLOCK_REALTIME, &now);
    snprintf(out, ASHI_TEMPORARY_ROOM, ".%.*s.%lx-%lx%x%s", NAME_KEPT, output, (unsigned long)getpid(),
             (unsigned long)now.tv_nsec, attempt, ending);
}

/* Whether ashi_temporary_name makes such names for this output. */
static bool is_temporary(const char *name, const char *output)
{
    const size_t kept = strnlen(output, NAME_KEPT), n = strlen(name);
    if (n < kept + sizeof ending + 2 || name[0] != '.' || strncmp(name + 1, output, kept) != 0 ||
        name[kept + 1] != '.' || strcmp(name + n - (sizeof ending - 1), ending) != 0)
        return false;
    return strspn(name + kept + 2, "0123456789abcdef-") == n - kept - 2 - (sizeof ending - 1);
}

/* Its writer, if there is one, holds the lock until the file has its final name. So with the lock in hand a file that
 * still has this name is a leftover. */
static void remove_unlocked(int folder, const char *name)
{
    struct stat opened, named;
    bool held = false;
    const int fd = openat(folder, name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return;
    if (fstat(fd, &opened) == 0 && S_ISREG(opened.st_mode) && ashi_lock_take(fd, &held) &&
        fstatat(folder, name, &named, AT_SYMLINK_NOFOLLOW) == 0 && named.st_dev == opened.st_dev &&
        named.st_ino == opened.st_ino)
        unlinkat(folder, name, 0);
    close(fd);
}

void ashi_leftovers_remove(const char *folder, const char *output)
{
    DIR *listed = opendir(folder[0] ? folder : ".");
    if (!listed)
        return;
    for (const struct dirent *e = readdir(listed); e; e = readdir(listed))
        if (is_temporary(e->d_name, output))
            remove_unlocked(dirfd(listed), e->d_name);
    closedir(listed);
}
