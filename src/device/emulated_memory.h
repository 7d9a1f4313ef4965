/* The memory of an emulated device. What it gives out are addresses that no one can read or write: a touch by the host
 * is a fault. The device's own threads use the memory that stands behind them. */
#ifndef ASHI_EMULATED_MEMORY_H
#define ASHI_EMULATED_MEMORY_H

#include <ashlar/base.h>

typedef struct ashi_emulated_block ashi_emulated_block;

typedef struct ashi_emulated_memory {
    int64_t limit, held; /* bytes */
    ashi_emulated_block *blocks;
} ashi_emulated_memory;

/* ASHLAR_ERR_MEMORY, with what is free. */
ashlar_status ashi_emulated_allocate(ashi_emulated_memory *memory, int64_t bytes, void **out, ashlar_error *err);

/* NULL does nothing. */
void ashi_emulated_release(ashi_emulated_memory *memory, void *address);

void ashi_emulated_release_all(ashi_emulated_memory *memory);

/* The bytes from an address to the end of its allocation; 0: it is in none. */
int64_t ashi_emulated_left(const ashi_emulated_memory *memory, const void *address);

/* Whether an address is in memory of any emulated device of the process. */
bool ashi_emulated_is_any(const void *address);

/* Where the device's threads find `bytes` bytes at an address; NULL if they are not in one allocation. */
void *ashi_emulated_behind(const ashi_emulated_memory *memory, const void *address, int64_t bytes);

#endif
