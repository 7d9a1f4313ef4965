/* Temporary files of earlier runs that were killed: recognised by their names, and by a lock that nobody holds. */
#include "store/leftover.h"

#include "store/lock.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
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

char *ashi_beside_name(const char *temporary, const char *with)
{
    const size_t room = strlen(temporary) + strlen(with) + 1;
    char *name = malloc(room);
    if (name)
        snprintf(name, room, "%s%s", temporary, with);
    return name;
}

static const char *const beside[] = {ASHI_BESIDE_RECORD, ASHI_BESIDE_NEW_RECORD, ASHI_BESIDE_SUMS,
                                     ASHI_BESIDE_TEXT};
enum { BESIDE = sizeof beside / sizeof beside[0] };

void ashi_beside_remove(const char *temporary)
{
    for (int i = 0; i < BESIDE; i++) {
        char *name = ashi_beside_name(temporary, beside[i]);
        if (name)
            unlink(name);
        free(name);
    }
}

/* Bytes of a name that ashi_temporary_name makes for this output, or that a file beside it has: without that one's
 * ending, which is left in *rest. 0: it is neither. */
static size_t temporary_bytes(const char *name, const char *output, const char **rest)
{
    const size_t kept = strnlen(output, NAME_KEPT);
    if (strlen(name) < kept + 2 || name[0] != '.' || strncmp(name + 1, output, kept) != 0 || name[kept + 1] != '.')
        return 0;
    const size_t own = strspn(name + kept + 2, "0123456789abcdef-"), n = kept + 2 + own;
    if (own == 0 || strncmp(name + n, ending, sizeof ending - 1) != 0)
        return 0;
    *rest = name + n + sizeof ending - 1;
    bool known = **rest == '\0';
    for (int i = 0; i < BESIDE && !known; i++)
        known = strcmp(*rest, beside[i]) == 0;
    return known ? n + sizeof ending - 1 : 0;
}

/* Open what may be a leftover, and lock it. Its writer, if there is one, holds the lock until the file has its final
 * name. So with the lock in hand a file that still has this name is a leftover. -1: it is none. */
static int open_unlocked(int folder, const char *name)
{
    struct stat opened, named;
    bool held = false;
    const int fd = openat(folder, name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return -1;
    if (fstat(fd, &opened) == 0 && S_ISREG(opened.st_mode) && ashi_lock_take(fd, &held) &&
        fstatat(folder, name, &named, AT_SYMLINK_NOFOLLOW) == 0 && named.st_dev == opened.st_dev &&
        named.st_ino == opened.st_ino)
        return fd;
    close(fd);
    return -1;
}

/* Remove what lies beside a file of that name in a folder. */
static void remove_beside(int folder, const char *name)
{
    char other[2 * ASHI_TEMPORARY_ROOM];
    for (int i = 0; i < BESIDE; i++) {
        snprintf(other, sizeof other, "%s%s", name, beside[i]);
        unlinkat(folder, other, 0);
    }
}

static void remove_unlocked(int folder, const char *name)
{
    const int fd = open_unlocked(folder, name);
    if (fd < 0)
        return;
    unlinkat(folder, name, 0);
    remove_beside(folder, name);
    close(fd);
}

/* A file beside one that is no longer there. */
static void remove_orphan(int folder, const char *name, size_t bytes)
{
    char temporary[ASHI_TEMPORARY_ROOM];
    struct stat st;
    if (bytes >= sizeof temporary)
        return;
    memcpy(temporary, name, bytes);
    temporary[bytes] = '\0';
    if (fstatat(folder, temporary, &st, AT_SYMLINK_NOFOLLOW) != 0 && errno == ENOENT)
        unlinkat(folder, name, 0);
}

void ashi_leftovers_remove(const char *folder, const char *output)
{
    DIR *listed = opendir(folder[0] ? folder : ".");
    const char *rest = NULL;
    if (!listed)
        return;
    for (const struct dirent *e = readdir(listed); e; e = readdir(listed)) {
        const size_t bytes = temporary_bytes(e->d_name, output, &rest);
        if (bytes > 0 && *rest == '\0')
            remove_unlocked(dirfd(listed), e->d_name);
        else if (bytes > 0)
            remove_orphan(dirfd(listed), e->d_name, bytes);
    }
    closedir(listed);
}

/* Whether a file has a record that changed after `last`, which then says when. */
static bool has_later_record(int folder, const char *name, struct timespec *last)
{
    char record[2 * ASHI_TEMPORARY_ROOM];
    struct stat st;
    snprintf(record, sizeof record, "%s%s", name, ASHI_BESIDE_RECORD);
    if (fstatat(folder, record, &st, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(st.st_mode))
        return false;
    const bool later = st.st_mtim.tv_sec > last->tv_sec ||
                       (st.st_mtim.tv_sec == last->tv_sec && st.st_mtim.tv_nsec >= last->tv_nsec);
    if (later)
        *last = st.st_mtim;
    return later;
}

char *ashi_leftovers_take(const char *folder, const char *output, int *fd)
{
    DIR *listed = opendir(folder[0] ? folder : ".");
    const char *rest = NULL;
    char best[ASHI_TEMPORARY_ROOM] = "";
    struct timespec last = {0};
    *fd = -1;
    if (!listed)
        return NULL;
    for (const struct dirent *e = readdir(listed); e; e = readdir(listed)) {
        const size_t bytes = temporary_bytes(e->d_name, output, &rest);
        if (bytes == 0 || *rest != '\0' || bytes >= sizeof best)
            continue;
        struct timespec when = last;
        const int other = has_later_record(dirfd(listed), e->d_name, &when) ? open_unlocked(dirfd(listed), e->d_name)
                                                                             : -1;
        if (other < 0)
            continue;
        if (*fd >= 0)
            close(*fd);
        *fd = other;
        last = when;
        memcpy(best, e->d_name, bytes + 1);
    }
    closedir(listed);
    const size_t room = strlen(folder) + sizeof best;
    char *path = *fd >= 0 ? malloc(room) : NULL;
    if (path)
        snprintf(path, room, "%s%s", folder, best);
    else if (*fd >= 0)
        close(*fd);
    *fd = path ? *fd : -1;
    return path;
}
