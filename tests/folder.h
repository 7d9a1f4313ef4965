/* A folder of a test's own for files. */
#ifndef ASHI_FOLDER_H
#define ASHI_FOLDER_H

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PATH_BYTES 1024

typedef struct folder {
    char path[PATH_BYTES / 2];
} folder;

/* Ends the test program where no folder can be made, since nothing can be tested then. */
static inline folder folder_make(void)
{
    folder f;
    const char *base = getenv("TMPDIR");
    snprintf(f.path, sizeof f.path, "%s/ashlar-test-XXXXXX", base && *base ? base : "/tmp");
    if (!mkdtemp(f.path)) {
        perror(f.path);
        exit(1);
    }
    return f;
}

/* The files in the folder, deleted if asked. */
static inline int folder_files(const folder *f, bool delete)
{
    int n = 0;
    DIR *d = opendir(f->path);
    for (const struct dirent *e = d ? readdir(d) : NULL; e; e = readdir(d)) {
        char path[PATH_BYTES];
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
            continue;
        n++;
        snprintf(path, sizeof path, "%s/%.255s", f->path, e->d_name);
        if (delete)
            unlink(path);
    }
    if (d)
        closedir(d);
    return n;
}

/* Delete all files but one. */
static inline void folder_clear(const folder *f, const char *but)
{
    DIR *d = opendir(f->path);
    for (const struct dirent *e = d ? readdir(d) : NULL; e; e = readdir(d)) {
        char path[PATH_BYTES];
        snprintf(path, sizeof path, "%s/%.255s", f->path, e->d_name);
        if (strcmp(path, but) != 0)
            unlink(path);
    }
    if (d)
        closedir(d);
}

static inline void folder_remove(const folder *f)
{
    folder_files(f, true);
    rmdir(f->path);
}

static inline void folder_name(const folder *f, const char *name, char out[PATH_BYTES])
{
    snprintf(out, PATH_BYTES, "%s/%s", f->path, name);
}

#endif
