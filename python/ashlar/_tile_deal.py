"""Which rank has which tile, so that all have about equal work in a product."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Optional

from ._errors import ArgumentError
from ._figures import table
from ._library import ffi, lib
from ._tile_algebra import OPS, TileAlgebra
from ._tile_storage import SYMMETRIES, call


@dataclass(frozen=True)
class TileDeal:
    """How the rows and columns of tiles of a matrix are dealt out over a process grid.

    Parameters
    ----------
    grid : two of int, optional
        Process rows and columns; None: a grid of all ranks is chosen.
    row_map, col_map : tuple of int, optional
        The process row of each row of tiles, and the process column of each column of tiles; None: by turns.
    imbalance : float, optional
        Of a deal that `deal_by_work` has found: work of the busiest process over the mean.

    Examples
    --------
    >>> import ashlar
    >>> T = ashlar.TileMatrix([0, 2, 5], deal=ashlar.TileDeal(grid=(1, 1), row_map=(0, 0)))
    >>> T.owner(1, 1)
    0
    """

    grid: Optional[tuple[int, int]] = None
    row_map: Optional[tuple[int, ...]] = None
    col_map: Optional[tuple[int, ...]] = None
    imbalance: Optional[float] = None

    def _repr_html_(self) -> str:
        return table(self)


def deal_by_work(a: TileAlgebra, b: TileAlgebra, grid: Optional[tuple[int, int]] = None, ops: str = "NN",
                 symmetry: str = "general") -> TileDeal:
    """Deal tiles out so that the processes of a grid have about equal work in ``op(a) op(b)``. Collective.

    By turns, the usual deal, uneven or sparse tiles leave some processes more work than others.

    Parameters
    ----------
    a, b : TileMatrix
        Only their patterns matter.
    grid : two of int, optional
        Process rows and columns of the result; None: as a new matrix has them.
    ops : two of "N", "T" and "C"
        As of `TileMatrix.multiply`.
    symmetry : str
        Of the result.

    Returns
    -------
    TileDeal
        For the result. Deal the rows of op(a) by its `row_map` and the columns of op(b) by its `col_map`, too: else
        each of their tiles may travel once more.

    Raises
    ------
    ArgumentError
        Matrices that do not fit together, or a grid that the ranks cannot form.

    Examples
    --------
    >>> import numpy as np, ashlar
    >>> A = ashlar.TileMatrix.from_dense(np.triu(np.ones((6, 6))), [0, 1, 3, 6])
    >>> deal = ashlar.deal_by_work(A, A)
    >>> deal.row_map, deal.imbalance
    ((0, 0, 0), 1.0)
    >>> C = ashlar.TileMatrix(A.row_cuts, deal=deal)
    """
    a.finish()
    b.finish()
    if len(ops) != 2 or not set(ops) <= set(OPS):
        raise ArgumentError(f"ops is {ops!r}: two of N, T and C are wanted")
    if symmetry not in SYMMETRIES:
        raise ArgumentError(f"symmetry is {symmetry!r}: one of {', '.join(SYMMETRIES)} is wanted")
    rows, cols = a.tile_shape[0 if ops[0] == "N" else 1], b.tile_shape[1 if ops[1] == "N" else 0]
    wanted = ffi.new("ashlar_tiles_description *", {
        "size": ffi.sizeof("ashlar_tiles_description"), "type": a._number, "symmetry": SYMMETRIES.index(symmetry),
        "grid_rows": 0 if grid is None else int(grid[0]), "grid_cols": 0 if grid is None else int(grid[1])})
    row_map, col_map, left = ffi.new("int[]", max(rows, 1)), ffi.new("int[]", max(cols, 1)), ffi.new("double *")
    call(a._context, lib.ashlar_tiles_deal_by_work, OPS[ops[0]], a._tiles, OPS[ops[1]], b._open(), wanted, row_map,
         col_map, left)
    return TileDeal(grid, tuple(ffi.unpack(row_map, rows)) if rows else (), tuple(ffi.unpack(col_map, cols)) if cols
                    else (), float(left[0]))
