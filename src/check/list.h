/* An array that grows, for what a checker reads. */
#ifndef ASHI_CHECK_LIST_H
#define ASHI_CHECK_LIST_H

#include <stddef.h>
#include <stdint.h>

typedef struct ashi_check_list {
    void *data;
    int64_t count, capacity;
} ashi_check_list;

/* Room for one more element of `size` bytes at the end, NULL if memory lacks. All uses of a list give one size. */
void *ashi_check_add(ashi_check_list *list, size_t size);

#endif
