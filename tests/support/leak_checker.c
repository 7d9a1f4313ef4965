/* The leak checker of the tests works as they set it up: leak_checker LIBRARY, which is thread_word.c's.
 *
 * A thread's variables of a library that is loaded late lie in a block of malloc. The runtimes up to gcc 13 and LLVM 16
 * take such a block for one of glibc before 2.25 if it begins 16 bytes into a page, read an address in front of it, and
 * end with a fault there ("Tracer caught signal 11", google/sanitizers issue 1322). One small block in 64 lies so. Here
 * one is made to, with no quarantine between free and malloc. */
#include "test.h"
#include <dlfcn.h>
#include <sanitizer/lsan_interface.h>

enum { BLOCKS = 4096, PAGE = 4096, HEADER = 16, LOST = 10 };

static uintptr_t lost[LOST];

typedef void **thread_word(void);

const char *__asan_default_options(void);

const char *__asan_default_options(void)
{
    return "quarantine_size_mb=0:thread_local_quarantine_size_kb=0";
}

/* Leave a free block that begins HEADER bytes into a page for whoever allocates as little next. */
static bool leave_block(void)
{
    static void *blocks[BLOCKS]; /* they stay */
    for (int i = 0; i < BLOCKS; i++) {
        blocks[i] = malloc(sizeof(void *));
        if (blocks[i] == NULL)
            return false;
        if ((uintptr_t)blocks[i] % PAGE == HEADER) {
            free(blocks[i]);
            blocks[i] = NULL;
            return true;
        }
    }
    return false;
}

/* Lose blocks, all but their complements: a pointer to the last of them may stay in a register. */
static void lose_blocks(void)
{
    for (int i = 0; i < LOST; i++)
        lost[i] = ~(uintptr_t)malloc(1000);
}

int main(int argc, char **argv)
{
    ashi_test t = {0};
    void *const library = argc == 2 ? dlopen(argv[1], RTLD_NOW) : NULL;
    thread_word *word_of = NULL;
    if (library != NULL)
        *(void **)&word_of = dlsym(library, "ashi_thread_word"); /* the conversion POSIX prescribes */
    CHECK(&t, word_of != NULL, "usage: leak_checker LIBRARY");
    const bool left = leave_block();
    void **const word = word_of != NULL ? word_of() : NULL;
    CHECK(&t, left && (uintptr_t)word % PAGE == HEADER, "the thread's word is at %p", (void *)word);
    if (word != NULL)
        *word = malloc(1000); /* nothing else points there */
    CHECK(&t, __lsan_do_recoverable_leak_check() == 0, "what a thread's word points to is a leak");

    lose_blocks();
    CHECK(&t, __lsan_do_recoverable_leak_check() != 0, "lost blocks are no leaks");
    for (int i = 0; i < LOST; i++)
        free((void *)~lost[i]);
    return ashi_test_end(&t, "leak_checker");
}
