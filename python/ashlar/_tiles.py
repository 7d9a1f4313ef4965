"""Matrices of tiles of any sizes, of which any may be absent: products and algebra."""
from __future__ import annotations

import os
from dataclasses import dataclass, fields
from typing import Any, Optional

import numpy as np

from . import _runtime
from ._errors import ArgumentError
from ._library import ffi, lib
from ._progress import Progress, following
from ._tile_storage import TileStorage
from ._types import Array, Memory, scalar, words

_OPS = {"N": 0, "T": 1, "C": 2}
_STAYS = ("nothing", "A", "B", "C")


@dataclass(frozen=True)
class TileProduct:
    """What a product of matrices of tiles did, on this rank.

    Attributes
    ----------
    products, left_out, dropped : int
        Products of tiles that were formed and that a threshold left out; tiles of the result that it dropped.
    flops, words, messages, memory_words : int
        What they took, what arrived from other ranks and in how many messages, and elements held at once.
    error_bound : float
        Of the result's error in the Frobenius norm, on all ranks alike; infinite if no bound was asked for.
    seconds, planning_seconds, imbalance : float
        Of the product; of planning it; multiply-adds of the busiest rank over the mean.
    stays : str
        Which matrix stayed where it is: "A", "B", "C" or "nothing".
    """

    products: int
    left_out: int
    dropped: int
    flops: int
    words: int
    messages: int
    memory_words: int
    error_bound: float
    seconds: float
    planning_seconds: float
    imbalance: float
    stays: str

    @classmethod
    def of(cls, found: Any) -> TileProduct:
        """From the library's structure."""
        values = {field.name: getattr(found, field.name) for field in fields(cls)}
        values["stays"] = _STAYS[found.stays]
        return cls(**values)


class TileMatrix(TileStorage):
    """A matrix of tiles of any sizes, of which any may be absent, over the ranks of a communicator.

    Parameters
    ----------
    row_cuts, col_cuts : sequence of int
        Where tiles begin: 0 first, the number of rows (columns) last. None for `col_cuts`: as `row_cuts`.
    comm : mpi4py communicator, optional
        None: this process alone.
    dtype : numpy type
        float32, float64, complex64 or complex128.
    symmetry : str
        "general", "symmetric", "antisymmetric", "hermitian" or "antihermitian". Of a matrix with a symmetry only tiles
        (i, j) with i <= j are stored, and others follow from them.

    Attributes
    ----------
    shape : tuple of int
        Rows and columns of elements.
    tile_shape : tuple of int
        Rows and columns of tiles.
    row_cuts, col_cuts : tuple of int
    dtype : numpy type
    product : TileProduct or None
        What the product did that made this matrix.

    Raises
    ------
    ArgumentError
        Cuts that decrease, or a symmetry that they do not fit.

    Notes
    -----
    Every rank makes the same calls, but ``T[i, j]`` and `accumulate`, which are local: a tile may be set on any rank,
    and travels to its owner with the next call that all ranks make. Freeing needs no MPI.

    Examples
    --------
    >>> import numpy as np, ashlar
    >>> T = ashlar.TileMatrix([0, 2, 5])
    >>> T[0, 1] = np.ones((2, 3))
    >>> T[1, 0] = np.ones((3, 2))
    >>> S = T @ T
    >>> S.tiles, S.density
    (2, 0.52)
    >>> S[0, 0]
    array([[3., 3.],
           [3., 3.]])
    >>> S[0, 1] is None
    True
    """

    product: Optional[TileProduct] = None

    def copy(self) -> TileMatrix:
        """A copy. Collective."""
        self.finish()
        out = ffi.new("ashlar_tiles **")
        self._do(lib.ashlar_tiles_copy, self._tiles, out)
        return TileMatrix._of(self, out[0])

    def transpose(self, conjugate: bool = False) -> TileMatrix:
        """The transpose, or conjugate transpose, as a matrix of its own. Collective."""
        self.finish()
        made = TileMatrix(self.col_cuts, self.row_cuts, self.comm, self.dtype, self.symmetry)
        self._do(lib.ashlar_tiles_move, 2 if conjugate else 1, self._tiles, made._tiles)
        return made

    def multiply(self, other: TileMatrix, *, alpha: Any = 1, beta: Any = 0, out: Optional[TileMatrix] = None,
                 ops: str = "NN", threshold: float = 0, budget: float = 0, bound: bool = False, retain: bool = False,
                 memory: Memory = None, trace: Optional[str] = None, progress: Progress = None) -> TileMatrix:
        """``out = alpha op(self) op(other) + beta out``. Collective.

        Parameters
        ----------
        other : TileMatrix
            Of the same communicator and type; its rows are cut as the columns of this one.
        alpha, beta : number
        out : TileMatrix, optional
            None: a new matrix.
        ops : two of "N", "T" and "C"
            What is done to this matrix and to the other: nothing, transposition, conjugate transposition.
        threshold : float
            Products of tiles below it are left out, and tiles of the result below it dropped, by DBCSR's rules.
        budget : float
            Instead of a threshold: the error that the result may have in the Frobenius norm.
        bound : bool
            Whether the error is bounded also without a threshold.
        retain : bool
            Whether `out` gets no tiles that it does not have.
        memory : int or str, optional
            The most that a rank may hold, in bytes or as ``"8GiB"``.
        trace : str, optional
            A file to which is written what each rank did and when, for ``ashlar trace`` and Perfetto.
        progress : bool or function, optional
            True: a bar by tqdm, if it is installed and the standard error is a terminal. A function is called with
            the steps done and all.

        Returns
        -------
        TileMatrix
            `out`; its `product` says what was done.
        """
        self.finish()
        other.finish()
        made = out
        if made is None:
            rows = self.row_cuts if ops[:1] == "N" else self.col_cuts
            cols = other.col_cuts if ops[1:] == "N" else other.row_cuts
            made = TileMatrix(rows, cols, self.comm, self.dtype)
        else:
            made.finish()
        if len(ops) != 2 or not set(ops) <= set(_OPS):
            raise ArgumentError(f"ops is {ops!r}: two of N, T and C are wanted")
        path = ffi.NULL if trace is None else ffi.new("char[]", os.fspath(trace).encode())
        how = ffi.new("ashlar_tiles_options *", {
            "size": ffi.sizeof("ashlar_tiles_options"), "retain": bool(retain), "bound": bool(bound),
            "threshold": float(threshold), "budget": float(budget), "trace": path,
            "memory_words": words(memory, self.dtype.itemsize)})
        result = ffi.new("ashlar_tiles_result *")
        with following(progress, "products of tiles") as (how.progress, how.progress_user), _runtime.interruptible():
            self._do(lib.ashlar_tiles_multiply, scalar(alpha, self._number, "alpha"), _OPS[ops[0]], self._tiles,
                     _OPS[ops[1]], other._tiles, scalar(beta, self._number, "beta"), made._tiles, how, result)
        made.product = TileProduct.of(result)
        return made

    def __matmul__(self, other: Any) -> Any:
        return self.multiply(other) if isinstance(other, TileMatrix) else NotImplemented

    def add(self, other: TileMatrix, alpha: Any = 1, beta: Any = 1, out: Optional[TileMatrix] = None) -> TileMatrix:
        """``alpha self + beta other``: both cut and dealt out alike; `out` may be one of them. Collective."""
        self.finish()
        other.finish()
        made = out or TileMatrix(self.row_cuts, self.col_cuts, self.comm, self.dtype, self.symmetry)
        self._do(lib.ashlar_tiles_add, scalar(alpha, self._number, "alpha"), self._tiles,
                 scalar(beta, self._number, "beta"), other._tiles, made._tiles)
        return made

    def __add__(self, other: Any) -> Any:
        return self.add(other) if isinstance(other, TileMatrix) else NotImplemented

    def __sub__(self, other: Any) -> Any:
        return self.add(other, beta=-1) if isinstance(other, TileMatrix) else NotImplemented

    def __mul__(self, factor: Any) -> Any:
        if not isinstance(factor, (int, float, complex, np.number)):
            return NotImplemented
        return self.copy().scale(factor)

    __rmul__ = __mul__

    def scale(self, factor: Any) -> TileMatrix:
        """Multiply this matrix by a number. Collective."""
        self.finish()
        self._do(lib.ashlar_tiles_scale, scalar(factor, self._number, "factor"), self._tiles)
        return self

    def add_diagonal(self, value: Any = 1) -> TileMatrix:
        """Add a number times the unit matrix to this matrix. Collective."""
        self.finish()
        self._do(lib.ashlar_tiles_add_diagonal, scalar(value, self._number, "value"), ffi.NULL, self._tiles)
        return self

    def filter(self, threshold: float) -> TileMatrix:
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

    def save(self, place: str) -> None:
        """Write the matrix to a group of an HDF5 file, ``"PATH.h5:/GROUP"``: whole or not at all. Collective."""
        self.finish()
        self._do(lib.ashlar_tiles_save, self._tiles, os.fspath(place).encode())

    def __repr__(self) -> str:
        if self._tiles == ffi.NULL:
            return "<ashlar.TileMatrix, closed>"
        kind = "" if self.symmetry == "general" else f" {self.symmetry}"
        return (f"<ashlar.TileMatrix of shape {self.shape} and type {self.dtype},{kind} "
                f"{self.tile_shape[0]} x {self.tile_shape[1]} tiles: {self.tiles} present, density {self.density:.3g}>")
