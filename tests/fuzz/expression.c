/* Any bytes as an index expression; after the first zero or line feed, extents of its indices. */
#include "tensor/matching.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* An error is one line; one about a place names a column of the text, or the one after it. */
static void check_error(const ashlar_error *err, int column, size_t length)
{
    if (err->text[0] == '\0' || strchr(err->text, '\n') || column < 0 || (size_t)column > length + 1)
        abort();
}

/* What is accepted is consistent: each index of the output is in an operand, and each list's columns rise. */
static void check_lists(const ashi_expression *e, size_t length)
{
    for (int i = 0; i <= e->operands; i++) {
        const ashi_index_list *list = i < e->operands ? &e->operand[i] : &e->output;
        bool known = i < e->operands;
        for (int d = 0; d < list->order; d++) {
            if (list->index[d] < 0 || list->index[d] >= e->indices || (size_t)list->column[d] > length ||
                (d > 0 && list->column[d] <= list->column[d - 1]))
                abort();
            for (int o = 0; o < e->operands && i == e->operands; o++)
                known = known || ashi_index_find(&e->operand[o], list->index[d]) >= 0;
            if (!known)
                abort();
            known = i < e->operands;
        }
    }
}

static void check_sizes(ashi_expression *e, const uint8_t *data, size_t size, size_t length)
{
    ashlar_error err = {0};
    ashi_matching m;
    int column = 0;
    for (int i = 0; i < e->indices; i++) {
        const uint8_t how = (size_t)i < size ? data[i] : 1;
        ashi_expression_extent(e, e->name[i], (int64_t)(how & 7) << (how >> 2) % 61, &err);
    }
    if (ashi_expression_check(e, &column, &err) != ASHLAR_OK) {
        check_error(&err, column, length);
        return;
    }
    if (e->operands != 2 || ashi_matching_make(e, &m, &err) != ASHLAR_OK)
        return;
    for (int x = 0; x < 3; x++) /* a sum over nothing is one word all the same */
        if (m.stored[x] > 0 && (m.words[x] > m.read[x] || m.read[x] > m.stored[x]))
            abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char text[256] = "";
    ashi_expression e;
    ashlar_error err = {0};
    int column = 0;
    size_t length = 0;
    while (length < size && length + 1 < sizeof text && data[length] && data[length] != '\n')
        length++;
    memcpy(text, data, length);
    if (ashi_expression_read(text, &e, &column, &err) != ASHLAR_OK) {
        check_error(&err, column, length);
        return 0;
    }
    check_lists(&e, length);
    check_sizes(&e, data + length, size - length, length);
    return 0;
}
