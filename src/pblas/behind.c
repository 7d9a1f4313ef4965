/* Finds the functions of the BLACS and the ScaLAPACK that the program brings. */
#define _GNU_SOURCE /* RTLD_NEXT, dladdr, dl_iterate_phdr */
#include "pblas/behind.h"

#include <dlfcn.h>
#include <link.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* dlsym gives functions as pointers to data, which C does not convert. */
static ashi_function as_function(void *address)
{
    ashi_function function = NULL;
    memcpy(&function, &address, sizeof function);
    return function;
}

static bool is_ours(void *address)
{
    static const char here = 0;
    Dl_info found, own;
    return dladdr(address, &found) && dladdr(&here, &own) && found.dli_fbase == own.dli_fbase;
}

/* A function that dlsym finds and that is not ours. */
static void *other(void *handle, const char *name)
{
    void *address = dlsym(handle, name);
    return address && !is_ours(address) ? address : NULL;
}

/* The names of all loaded libraries, those with local scope too, in which neither RTLD_NEXT nor RTLD_DEFAULT looks. */
typedef struct loaded {
    char **name;
    int count;
} loaded;

static int note_name(struct dl_phdr_info *info, size_t size, void *data)
{
    loaded *all = data;
    (void)size;
    if (!info->dlpi_name || !info->dlpi_name[0])
        return 0;
    char **name = realloc(all->name, ((size_t)all->count + 1) * sizeof *name);
    if (!name)
        return 1;
    all->name = name;
    all->name[all->count] = strdup(info->dlpi_name);
    all->count += all->name[all->count] != NULL;
    return 0;
}

/* Only what is loaded already: a library loaded by us would know none of the program's BLACS contexts. */
static void *search_loaded(const char *name)
{
    loaded all = {NULL, 0};
    void *found = NULL;
    dl_iterate_phdr(note_name, &all);
    for (int i = 0; i < all.count; i++) {
        void *handle = found ? NULL : dlopen(all.name[i], RTLD_LAZY | RTLD_NOLOAD);
        if (handle) {
            found = other(handle, name);
            dlclose(handle);
        }
        free(all.name[i]);
    }
    free(all.name);
    return found;
}

static ashi_function find(const char *name)
{
    void *address = other(RTLD_NEXT, name);
    if (!address)
        address = other(RTLD_DEFAULT, name);
    return as_function(address ? address : search_loaded(name));
}

/* Two threads that look at once find the same. */
ashi_function ashi_behind(ashi_kept_function *kept, const char *name)
{
    ashi_function function = *kept;
    if (!function)
        *kept = function = find(name);
    return function;
}

ashi_function ashi_behind_interposed(const char *name)
{
    void *address = other(RTLD_DEFAULT, name);
    return address ? as_function(address) : find(name);
}
