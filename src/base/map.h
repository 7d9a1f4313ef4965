/* A table from numbers to places in an array. */
#ifndef ASHI_MAP_H
#define ASHI_MAP_H

#include <stdbool.h>
#include <stdint.h>

/* All 0: empty. Keys and values are at least 0. */
typedef struct ashi_map {
    int64_t *pair; /* key and value, side by side; a key of -1 is none */
    int64_t count, capacity;
} ashi_map;

/* The value of a key, -1 if it has none. */
int64_t ashi_map_find(const ashi_map *map, int64_t key);

/* A key that has no value gets one. False if memory lacks: the map is as before. */
bool ashi_map_put(ashi_map *map, int64_t key, int64_t value);

void ashi_map_remove(ashi_map *map, int64_t key);

void ashi_map_free(ashi_map *map);

#endif
