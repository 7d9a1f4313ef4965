/* The end of a measuring program that cannot go on. */
#ifndef ASHI_BENCH_DIE_H
#define ASHI_BENCH_DIE_H

/* One line on stderr, and the end of all ranks. */
_Noreturn void ashi_die(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* malloc that ends the program where it fails; NULL for no bytes. */
void *ashi_need(long long count, long long bytes_each);

#endif
