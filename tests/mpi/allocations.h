/* Counts the allocations of Ashlar's own objects, and lets one fail: for programs linked with --wrap. */
#ifndef ASHI_ALLOCATIONS_H
#define ASHI_ALLOCATIONS_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct allocations {
    _Atomic int64_t made, live; /* by any thread */
    int64_t fail_at;            /* the allocation that fails, counted in `made`; 0 for none */
    _Atomic bool failed;        /* it has */
} allocations;

static allocations heap;

void *__real_malloc(size_t bytes);
void *__real_calloc(size_t count, size_t bytes);
void *__real_realloc(void *old, size_t bytes);
int __real_posix_memalign(void **out, size_t alignment, size_t bytes);
void __real_free(void *old);
void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
void *__wrap_realloc(void *old, size_t bytes);
int __wrap_posix_memalign(void **out, size_t alignment, size_t bytes);
void __wrap_free(void *old);
char *__wrap_strdup(const char *text);
char *__wrap_strndup(const char *text, size_t most);

static bool heap_fails(void)
{
    if (++heap.made != heap.fail_at)
        return false;
    heap.failed = true;
    return true;
}

void *__wrap_malloc(size_t bytes)
{
    void *const made = heap_fails() ? NULL : __real_malloc(bytes);
    heap.live += made != NULL;
    return made;
}

void *__wrap_calloc(size_t count, size_t bytes)
{
    void *const made = heap_fails() ? NULL : __real_calloc(count, bytes);
    heap.live += made != NULL;
    return made;
}

void *__wrap_realloc(void *old, size_t bytes)
{
    void *const made = heap_fails() ? NULL : __real_realloc(old, bytes);
    heap.live += made != NULL && old == NULL;
    return made;
}

int __wrap_posix_memalign(void **out, size_t alignment, size_t bytes)
{
    const int code = heap_fails() ? ENOMEM : __real_posix_memalign(out, alignment, bytes);
    heap.live += code == 0;
    return code;
}

char *__wrap_strdup(const char *text)
{
    char *const made = __wrap_malloc(strlen(text) + 1);
    return made ? strcpy(made, text) : NULL;
}

char *__wrap_strndup(const char *text, size_t most)
{
    const size_t length = strnlen(text, most);
    char *const made = __wrap_malloc(length + 1);
    if (made)
        memcpy(made, text, length);
    if (made)
        made[length] = '\0';
    return made;
}

void __wrap_free(void *old)
{
    heap.live -= old != NULL;
    __real_free(old);
}

#endif
