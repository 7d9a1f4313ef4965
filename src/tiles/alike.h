/* Matrices of tiles whose tiles are cut and dealt out alike, so that sums need no messages. */
#ifndef ASHI_TILES_ALIKE_H
#define ASHI_TILES_ALIKE_H

#include "tiles/matrix.h"

/* Whether they have the same context, type, cuts and deal; else `what` says what differs. Local. */
bool ashi_tiles_alike(const ashlar_tiles *x, const ashlar_tiles *y, const char **what);

/* ASHLAR_ERR_ARG unless they are alike, with a text for the call `who`. Local. */
ashlar_status ashi_tiles_check_alike(const char *who, const ashlar_tiles *x, const ashlar_tiles *y, ashlar_error *err);

/* ASHLAR_ERR_ARG unless rows and columns are as many. Local. */
ashlar_status ashi_tiles_check_square(const char *who, const ashlar_tiles *tiles, ashlar_error *err);

/* ASHLAR_ERR_ARG if a matrix with the symmetry of `tiles` loses it when it is multiplied by a number: if it is
 * Hermitian or anti-Hermitian and the number is not real. Local. */
ashlar_status ashi_tiles_check_factor(const char *who, const ashlar_tiles *tiles, const void *factor,
                                      ashlar_error *err);

#endif
