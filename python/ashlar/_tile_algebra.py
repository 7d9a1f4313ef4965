"""Algebra of matrices of tiles beside their products."""
from __future__ import annotations

import os
from typing import Any, Optional, TypeVar

import numpy as np

from ._errors import ArgumentError
from ._library import ffi, lib
from ._tile_storage import TileStorage
from ._types import Array, scalar

OPS = {"N": 0, "T": 1, "C": 2}
Algebra = TypeVar("Algebra", bound="TileAlgebra")


def _maps(matrix: TileStorage) -> tuple[Any, Any]:
    """The process row of each row of tiles and the process column of each column; None: by turns."""
    deal = matrix._deal
    return (None, None) if deal is None else (deal.row_map and tuple(deal.row_map), deal.col_map and tuple(deal.col_map))


class TileAlgebra(TileStorage):
    """What a `TileMatrix` has beside its tiles and its products."""

    def copy(self: Algebra) -> Algebra:
        """A copy. Collective."""
        self.finish()
        out = ffi.new("ashlar_tiles **")
        self._do(lib.ashlar_tiles_copy, self._tiles, out)
        return type(self)._of(self, out[0])

    def transpose(self: Algebra, conjugate: bool = False) -> Algebra:
        """The transpose, or conjugate transpose, as a matrix of its own. Collective."""
        self.finish()
        made = type(self)(self.col_cuts, self.row_cuts, self.comm, self.dtype, self.symmetry)
        self._do(lib.ashlar_tiles_move, 2 if conjugate else 1, self._tiles, made._tiles)
        return made

    def _empty(self: Algebra) -> Algebra:
        """A matrix without tiles, cut and dealt out as this one."""
        return type(self)(self.row_cuts, self.col_cuts, self.comm, self.dtype, self.symmetry, self._deal)

    def _alike(self: Algebra, other: Algebra) -> Algebra:
        """`other`, or a copy of it that is dealt out as this matrix. Collective."""
        other.finish()
        mine, its = self._info(), other._info()
        same = (mine.grid_rows, mine.grid_cols) == (its.grid_rows, its.grid_cols) and _maps(self) == _maps(other)
        fits = (self.row_cuts == other.row_cuts and self.col_cuts == other.col_cuts and self.dtype == other.dtype
                and self._context is other._context)
        if same or not fits:  # the library says what does not fit
            return other
        moved = type(self)(self.row_cuts, self.col_cuts, self.comm, self.dtype, other.symmetry, self._deal)
        self._do(lib.ashlar_tiles_move, OPS["N"], other._tiles, moved._tiles)
        return moved

    def add(self: Algebra, other: Algebra, alpha: Any = 1, beta: Any = 1, out: Optional[Algebra] = None) -> Algebra:
        """``alpha self + beta other``: both cut alike; `out` may be one of them. Collective.

        The result is dealt out as this matrix, and so has `out` to be; `other` is moved if it is dealt out differently.
        """
        self.finish()
        other = self._alike(other)
        made = self._empty() if out is None else out
        self._do(lib.ashlar_tiles_add, scalar(alpha, self._number, "alpha"), self._tiles,
                 scalar(beta, self._number, "beta"), other._tiles, made._tiles)
        return made

    def __add__(self, other: Any) -> Any:
        return self.add(other) if isinstance(other, TileAlgebra) else NotImplemented

    def __sub__(self, other: Any) -> Any:
        return self.add(other, beta=-1) if isinstance(other, TileAlgebra) else NotImplemented

    def __mul__(self, factor: Any) -> Any:
        if not isinstance(factor, (int, float, complex, np.number)):
            return NotImplemented
        return self.copy().scale(factor)

    __rmul__ = __mul__

    def scale(self: Algebra, factor: Any) -> Algebra:
        """Multiply this matrix by a number. Collective."""
        self.finish()
        self._do(lib.ashlar_tiles_scale, scalar(factor, self._number, "factor"), self._tiles)
        return self

    def add_diagonal(self: Algebra, value: Any = 1) -> Algebra:
        """Add a number times the unit matrix to this matrix. Collective."""
        self.finish()
        self._do(lib.ashlar_tiles_add_diagonal, scalar(value, self._number, "value"), ffi.NULL, self._tiles)
        return self

    def multiply_elements(self: Algebra, other: Algebra, out: Optional[Algebra] = None) -> Algebra:
        """``self * other`` element by element: both cut alike; `out` may be one of them. Collective.

        It has the tiles that both have, dealt out as this matrix; `other` is moved if it is dealt out differently. Without `out` it has this matrix's symmetry.
        """
        self.finish()
        other = self._alike(other)
        made = self._empty() if out is None else out
        self._do(lib.ashlar_tiles_multiply_elements, self._tiles, other._open(), made._open())
        return made

    def set_diagonal(self: Algebra, diagonal: Array) -> Algebra:
        """Set the diagonal, which is equal on all ranks. Collective."""
        self.finish()
        self._do(lib.ashlar_tiles_set_diagonal, self._tiles, self._vector(diagonal, self.shape[0], "diagonal"))
        return self

    def scale_by_diagonal(self: Algebra, left: Optional[Array] = None, right: Optional[Array] = None) -> Algebra:
        """Multiply row i by ``left[i]`` and column j by ``right[j]``, which are equal on all ranks. Collective."""
        self.finish()
        self._do(lib.ashlar_tiles_scale_by_diagonal,
                 ffi.NULL if left is None else self._vector(left, self.shape[0], "left"),
                 ffi.NULL if right is None else self._vector(right, self.shape[1], "right"), self._tiles)
        return self

    def _vector(self, given: Array, length: int, what: str) -> Any:
        """Elements of the matrix's type for the library."""
        array = np.ascontiguousarray(given)
        if array.shape != (length,) or array.dtype != self.dtype:
            raise ArgumentError(f"{what} has shape {array.shape} and elements of type {array.dtype}: {(length,)} and "
                                f"{self.dtype} are wanted")
        return ffi.from_buffer(array)

    def filter(self: Algebra, threshold: float) -> Algebra:
        """Drop tiles whose Frobenius norm is below a threshold. Collective."""
        self.finish()
        self._do(lib.ashlar_tiles_filter, self._tiles, float(threshold))
        return self

    def norm(self) -> float:
        """The Frobenius norm. Collective."""
        self.finish()
        found = ffi.new("double *")
        self._do(lib.ashlar_tiles_norm, self._tiles, found)
        return float(found[0])

    def trace(self) -> Any:
        """The sum of the diagonal. Collective."""
        self.finish()
        found = np.empty((), self.dtype)
        self._do(lib.ashlar_tiles_trace, self._tiles, ffi.from_buffer(found, require_writable=True))
        return found[()]

    def trace_product(self: Algebra, other: Algebra, op: str = "N") -> Any:
        """The trace of op(self) other, without the product; `op` is "N", "T" or "C". Collective."""
        self.finish()
        if op not in OPS:
            raise ArgumentError(f"op is {op!r}: N, T or C is wanted")
        other = self._alike(other)
        found = np.empty((), self.dtype)
        self._do(lib.ashlar_tiles_trace_product, OPS[op], self._tiles, other._open(),
                 ffi.from_buffer(found, require_writable=True))
        return found[()]

    def diagonal(self) -> Array:
        """The diagonal, on all ranks. Collective."""
        self.finish()
        found = np.empty(self.shape[0], self.dtype)
        self._do(lib.ashlar_tiles_diagonal, self._tiles, ffi.from_buffer(found, require_writable=True))
        return found

    def spectrum(self, steps: int = 0) -> tuple[float, float]:
        """Bounds of all eigenvalues' real parts: by Lanczos' method in `steps` steps, 0: 40. Collective."""
        self.finish()
        low, high = ffi.new("double *"), ffi.new("double *")
        self._do(lib.ashlar_tiles_lanczos, self._tiles, steps, low, high, ffi.NULL)
        return float(low[0]), float(high[0])

    def gershgorin(self) -> tuple[float, float]:
        """Bounds of all eigenvalues' real parts by Gershgorin's circles: faster than `spectrum`. Collective."""
        self.finish()
        low, high = ffi.new("double *"), ffi.new("double *")
        self._do(lib.ashlar_tiles_gershgorin, self._tiles, low, high)
        return float(low[0]), float(high[0])

    def compress(self, tolerance: float, relative: bool = False) -> float:
        """Store tiles as U V^T where that takes at most half of the memory. Collective.

        Parameters
        ----------
        tolerance : float
            The error of each tile in the Frobenius norm.
        relative : bool
            Whether it is times the norm of the tile.

        Returns
        -------
        float
            A bound of the Frobenius norm of what the matrix has lost.
        """
        self.finish()
        lost = ffi.new("double *")
        self._do(lib.ashlar_tiles_compress, self._tiles, float(tolerance), bool(relative), lost)
        return float(lost[0])

    def expand(self: Algebra) -> Algebra:
        """Store all tiles as dense ones. Collective."""
        self.finish()
        self._do(lib.ashlar_tiles_expand, self._tiles)
        return self

    def save(self, place: str) -> None:
        """Write the matrix to a group of an HDF5 file, ``"PATH.h5:/GROUP"``: whole or not at all. Collective."""
        self.finish()
        self._do(lib.ashlar_tiles_save, self._tiles, os.fspath(place).encode())
