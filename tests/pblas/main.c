/* The program around calls.c, or, given the name of a library that has it, one that loads it for itself alone. */
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>

#ifndef LOADED
int calls(void);
#endif

int main(int argc, char **argv)
{
    int status = 2;
    MPI_Init(&argc, &argv);
#ifdef LOADED
    void *library = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    void *address = library ? dlsym(library, "calls") : NULL;
    int (*calls)(void) = NULL;
    memcpy(&calls, &address, sizeof calls);
    if (!calls)
        fprintf(stderr, "%s\n", argc > 1 ? dlerror() : "no library was named");
    else
#endif
        status = calls();
    MPI_Finalize();
    return status;
}
