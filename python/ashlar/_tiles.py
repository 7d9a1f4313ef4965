"""Matrices of tiles of any sizes, of which any may be absent, and their products."""
from __future__ import annotations

from typing import Any, Optional

from . import _runtime
from ._errors import ArgumentError
from ._library import ffi, lib
from ._progress import Progress, following
from ._tile_algebra import OPS, TileAlgebra
from ._tile_products import TileProduct, options
from ._tile_storage import call
from ._types import Memory, scalar


class TileMatrix(TileAlgebra):
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
    deal : TileDeal, optional
        Which rank has which tile; None: by turns over a grid of all ranks.

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

    def multiply(self, other: TileMatrix, *, alpha: Any = 1, beta: Any = 0, out: Optional[TileMatrix] = None,
                 ops: str = "NN", threshold: float = 0, budget: float = 0, bound: bool = False, retain: bool = False,
                 memory: Memory = None, trace: Any = None, progress: Progress = None, threads: Optional[int] = None,
                 window: int = 0, stays: Optional[str] = None, layers: int = 0, tolerance: float = 0,
                 relative: bool = False) -> TileMatrix:
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
        threads : int, optional
            How many threads each rank has at most; None: as many as the BLAS has.
        window : int
            Iterations in flight, 1 to 16; 0: the library's choice.
        stays : "A", "B" or "C", optional
            Which matrix stays where it is; None: the library's choice.
        layers : int
            How many groups of ranks share the sum if C stays (2.5D); 0: the library's choice.
        tolerance : float
            Above 0: tiles of the result are compressed as by `compress`, with `relative`.
        relative : bool

        Returns
        -------
        TileMatrix
            `out`; its `product` says what was done.
        """
        for each in [other, *([] if out is None else [out])]:
            if not isinstance(each, TileMatrix):
                raise ArgumentError(f"a matrix is a {type(each).__name__}: a TileMatrix is wanted")
        self.finish()
        other.finish()
        made = out
        if made is None:
            rows = self.row_cuts if ops[:1] == "N" else self.col_cuts
            cols = other.col_cuts if ops[1:] == "N" else other.row_cuts
            made = TileMatrix(rows, cols, self.comm, self.dtype)
        else:
            made.finish()
        if len(ops) != 2 or not set(ops) <= set(OPS):
            raise ArgumentError(f"ops is {ops!r}: two of N, T and C are wanted")
        how, _path = options(self.dtype, threshold=threshold, budget=budget, bound=bound, retain=retain, memory=memory,
                             trace=trace, window=window, stays=stays, layers=layers, tolerance=tolerance,
                             relative=relative)
        result = ffi.new("ashlar_tiles_result *")
        with following(progress, "products of tiles") as (how.progress, how.progress_user), _runtime.interruptible():
            call(self._context, lib.ashlar_tiles_multiply, scalar(alpha, self._number, "alpha"), OPS[ops[0]],
                 self._tiles, OPS[ops[1]], other._tiles, scalar(beta, self._number, "beta"), made._tiles, how, result,
                 turn=self._context.turn(threads))
        made.product = TileProduct.of(result)
        return made

    def __matmul__(self, other: Any) -> Any:
        return self.multiply(other) if isinstance(other, TileMatrix) else NotImplemented

    def __repr__(self) -> str:
        if self._tiles == ffi.NULL:
            return "<ashlar.TileMatrix, closed>"
        kind = "" if self.symmetry == "general" else f" {self.symmetry}"
        return (f"<ashlar.TileMatrix of shape {self.shape} and type {self.dtype},{kind} "
                f"{self.tile_shape[0]} x {self.tile_shape[1]} tiles: {self.tiles} present, density {self.density:.3g}>")
