/* Which tiles of A or B go and come along a rank's line when a few tiles, or those who need them, have changed. */
#ifndef ASHI_TILE_CHANGES_H
#define ASHI_TILE_CHANGES_H

#include "engine/tile_entry.h"
#include "engine/tile_groups_change.h"

/* List them, in the order of the line: tiles of operand gone->x, which is come->x. Those that stay and that other
 * processes need than before go and come again. `gone` looks at tiles as the problem before says, `come` as the one
 * after. *looked is increased by the tiles that are listed. ASHLAR_ERR_MEMORY. */
ashlar_status ashi_tile_changes_find(const ashi_tile_groups_changes *changes, ashi_tile_finding *gone,
                                     ashi_tile_finding *come, int64_t *looked, ashlar_error *err);

#endif
