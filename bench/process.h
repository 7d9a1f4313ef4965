/* What the system says of this process and its machine. */
#ifndef ASHI_BENCH_PROCESS_H
#define ASHI_BENCH_PROCESS_H

#include <stddef.h>

/* KiB resident, now and at most so far; -1 where the system does not say. */
typedef struct ashi_resident {
    long now, peak;
} ashi_resident;

ashi_resident ashi_resident_read(void);

/* The processor's name, "unknown" where the system does not say. */
void ashi_processor_name(char *out, size_t size);

/* Cores of the machine, and how many of them this process may run on. */
int ashi_cores_online(void);
int ashi_cores_allowed(void);

/* The file name of the library that a symbol is taken from, "none" where there is no such symbol. */
void ashi_library_of(const char *symbol, char *out, size_t size);

/* Ends the program if Ashlar and the others call different libraries of the BLAS: these would be compared too. */
void ashi_require_one_blas(void);

#endif
