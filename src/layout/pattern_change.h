/* A pattern in which a few tiles change. */
#ifndef ASHI_PATTERN_CHANGE_H
#define ASHI_PATTERN_CHANGE_H

#include "base/splice.h"
#include "layout/factor.h"

/* Tiles that come and tiles that go. None that comes was there, and all that go were. */
typedef struct ashi_pattern_changes {
    ashi_pattern added, removed;
} ashi_pattern_changes;

void ashi_pattern_changes_free(ashi_pattern_changes *changes);

/* The pattern after the changes. What lies between two changed tiles is copied in one piece, so that the work on single
 * tiles is proportional to the changes and the rows. `out` is freed by ashi_pattern_free, also after a failure.
 * ASHLAR_ERR_MEMORY. */
ashlar_status ashi_pattern_change(const ashi_pattern *from, const ashi_pattern_changes *changes, ashi_pattern *out,
                                  ashlar_error *err);

/* How arrays with something for each tile of `from` change. Freed by ashi_splice_free, also after a failure.
 * ASHLAR_ERR_MEMORY. */
ashlar_status ashi_pattern_splice(const ashi_pattern *from, const ashi_pattern_changes *changes, ashi_splice *out,
                                  ashlar_error *err);

/* Change a pattern in place, by the splice of these changes. *room: tiles that its columns have room for, and one more;
 * it is made larger if need be. ASHLAR_ERR_MEMORY: it is as it was. */
ashlar_status ashi_pattern_change_in_place(ashi_pattern *pattern, const ashi_pattern_changes *changes,
                                           const ashi_splice *splice, int64_t *room, ashlar_error *err);

/* What changes from one pattern to another. Rows that stay are compared in one piece; *looked is increased by the rows,
 * and by the tiles from the first of a row that differs to the last. Freed also after a failure. ASHLAR_ERR_MEMORY. */
ashlar_status ashi_pattern_compare(const ashi_pattern *before, const ashi_pattern *after, ashi_pattern_changes *out,
                                   int64_t *looked, ashlar_error *err);

/* The changes of op(X) from those of what is stored: with a symmetry a tile off the diagonal is two of op(X). Freed
 * also after a failure. ASHLAR_ERR_MEMORY. */
ashlar_status ashi_factor_changes(const ashi_pattern_changes *stored, ashlar_symmetry symmetry, ashlar_op op,
                                  ashi_pattern_changes *out, ashlar_error *err);

#endif
