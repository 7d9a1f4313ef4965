/* An array that grows, for what a checker reads. */
#include "check/list.h"

#include "base/checked.h"

#include <stdlib.h>

void *ashi_check_add(ashi_check_list *list, size_t size)
{
    if (list->count == list->capacity) {
        const int64_t capacity = ashi_max(16, 2 * list->capacity);
        void *data = realloc(list->data, (size_t)capacity * size);
        if (!data)
            return NULL;
        list->data = data;
        list->capacity = capacity;
    }
    return (char *)list->data + (size_t)list->count++ * size;
}
