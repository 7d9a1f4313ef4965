"""Products of matrices of tiles: what is asked of them, what they did, and plans that are kept."""
from __future__ import annotations

import os
from dataclasses import dataclass, fields
from typing import Any, Optional, Sequence

from . import _runtime
from ._errors import ArgumentError
from ._figures import table
from ._library import ffi, lib
from ._tile_algebra import OPS, TileAlgebra
from ._tile_storage import call
from ._types import Memory, scalar, words

_STAYS = ("nothing", "A", "B", "C")
_PLANNED = ("new", "changed", "reused")


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
    planned : str
        What was planned: "new", "changed" for other tiles, or "reused", which is nothing.
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
    planned: str

    @classmethod
    def of(cls, found: Any) -> TileProduct:
        """From the library's structure."""
        values = {field.name: getattr(found, field.name) for field in fields(cls)}
        values["stays"], values["planned"] = _STAYS[found.stays], _PLANNED[found.planned]
        return cls(**values)

    def _repr_html_(self) -> str:
        return table(self)


def options(dtype: Any, *, threshold: float = 0, budget: float = 0, bound: bool = False, retain: bool = False,
            memory: Memory = None, trace: Any = None, window: int = 0, stays: Optional[str] = None, layers: int = 0,
            tolerance: float = 0, relative: bool = False) -> tuple[Any, Any]:
    """The library's options of a product, and the text that they point to."""
    path = ffi.NULL if trace is None else ffi.new("char[]", os.fspath(trace).encode())
    if stays is not None and stays not in _STAYS[1:]:
        raise ArgumentError(f"stays is {stays!r}: \"A\", \"B\" or \"C\" is wanted, or None for the library's choice")
    how = ffi.new("ashlar_tiles_options *", {
        "size": ffi.sizeof("ashlar_tiles_options"), "retain": bool(retain), "bound": bool(bound),
        "threshold": float(threshold), "budget": float(budget), "trace": path, "window": int(window),
        "stays": 0 if stays is None else _STAYS.index(stays), "layers": int(layers), "tolerance": float(tolerance),
        "relative": bool(relative), "memory_words": words(memory, dtype.itemsize)})
    return how, path


class TilePlan:
    """A product, or a sum of products, of matrices of tiles that is planned once and run any number of times.

    Runs are ``out = alpha * (op(A1) op(B1) + ...) + beta * out``. While patterns stay the plan is used again; where
    tiles came or went it is changed. With a threshold or a bound each run finds its products anew.

    Parameters
    ----------
    terms : sequence of pairs of TileMatrix
        A and B of each product.
    out : TileMatrix
        What the result looks like; it is not changed by planning.
    ops : two of "N", "T" and "C"
        What is done to each A and to each B.
    threads : int, optional
        How many threads each rank has at most; None: as many as the BLAS has.
    how : keywords
        `threshold`, `budget`, `bound`, `retain`, `memory`, `window`, `stays` and `layers`, as of `TileMatrix.multiply`.

    Raises
    ------
    ArgumentError
        Matrices that do not fit together.

    Notes
    -----
    Making and running are collective; freeing, by `close` or as garbage, is not.

    Examples
    --------
    >>> import numpy as np, ashlar
    >>> A = ashlar.TileMatrix.from_dense(np.eye(4), [0, 2, 4])
    >>> C = ashlar.TileMatrix([0, 2, 4])
    >>> with ashlar.TilePlan([(A, A)], C) as plan:
    ...     [plan.run(alpha=2).product.planned for _ in range(2)]
    ['reused', 'reused']
    >>> float(C.trace())
    8.0
    """

    def __init__(self, terms: Sequence[tuple[TileAlgebra, TileAlgebra]], out: TileAlgebra, ops: str = "NN",
                 threads: Optional[int] = None, **how: Any) -> None:
        self._plan = ffi.NULL
        self._ops, self._terms, self._out = ops, list(terms), out
        if "trace" in how:
            raise ArgumentError("a plan has no trace: give it to run")
        self._context, self._number = out._context, out._number
        self._turn = self._context.turn(threads)
        given, _ = self._given(self._terms, scalar(1, self._number, "alpha"))
        wanted, _ = options(out.dtype, **how)
        made = ffi.new("ashlar_tiles_plan **")
        out.finish()
        self._call(lib.ashlar_tiles_plan_create, len(self._terms), given, out._open(), wanted, made)
        self._plan = made[0]
        self._context.plans.add(self)

    def _call(self, function: Any, *arguments: Any) -> None:
        call(self._context, function, *arguments, turn=self._turn)

    def _given(self, terms: Sequence[tuple[TileAlgebra, TileAlgebra]], alpha: Any) -> tuple[Any, Any]:
        """The library's terms, and what they point to."""
        if len(self._ops) != 2 or not set(self._ops) <= set(OPS):
            raise ArgumentError(f"ops is {self._ops!r}: two of N, T and C are wanted")
        if not terms or len(terms) != len(self._terms):
            raise ArgumentError(f"there are {len(terms)} terms: {len(self._terms) or 'one or more'} are wanted")
        given = ffi.new("ashlar_tiles_term[]", len(terms))
        for term, (a, b) in zip(given, terms):
            a.finish()
            b.finish()
            if a.dtype != self._out.dtype or b.dtype != self._out.dtype:
                raise ArgumentError(f"a term is of {a.dtype} and {b.dtype}: {self._out.dtype} is wanted")
            term.alpha, term.a, term.b = ffi.cast("void *", alpha), a._open(), b._open()
            term.op_a, term.op_b = OPS[self._ops[0]], OPS[self._ops[1]]
        return given, alpha

    def run(self, terms: Optional[Sequence[tuple[TileAlgebra, TileAlgebra]]] = None, out: Optional[TileAlgebra] = None,
            alpha: Any = 1, beta: Any = 0, trace: Any = None) -> Any:
        """Form the product. Collective.

        Parameters
        ----------
        terms, out : as of the plan
            None: those that it was made for; else others that are cut and dealt out alike.
        alpha, beta : number
        trace : str, optional
            A file to which is written what each rank did and when.

        Returns
        -------
        TileMatrix
            `out`; its `product` says what was done, and how much had to be planned.
        """
        if self._plan == ffi.NULL:
            raise ArgumentError("the plan was closed")
        made: Any = self._out if out is None else out
        made.finish()
        given, _kept = self._given(self._terms if terms is None else terms, scalar(alpha, self._number, "alpha"))
        result = ffi.new("ashlar_tiles_result *")
        with _runtime.interruptible(), self._context.recording(trace):
            self._call(lib.ashlar_tiles_plan_execute, self._plan, given, scalar(beta, self._number, "beta"),
                       made._open(), result)
        made.product = TileProduct.of(result)
        return made

    @property
    def bytes(self) -> int:
        """What this rank holds for the plan. Local."""
        return int(self._info().bytes)

    @property
    def planned(self) -> dict[str, int]:
        """How many runs had to plan everything, what changed, and nothing. Local."""
        return dict(zip(_PLANNED, self._info().planned))

    def _info(self) -> Any:
        if self._plan == ffi.NULL:
            raise ArgumentError("the plan was closed")
        found = ffi.new("ashlar_tiles_plan_info *")
        self._call(lib.ashlar_tiles_plan_inspect, self._plan, found)
        return found

    def close(self) -> None:
        """Free the plan. Local."""
        plan, self._plan = self._plan, ffi.NULL
        lib.ashlar_tiles_plan_free(ffi.new("ashlar_tiles_plan **", plan))

    def __enter__(self) -> TilePlan:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()

    def __del__(self) -> None:
        if lib is not None and getattr(self, "_plan", ffi.NULL) != ffi.NULL:
            self.close()

    def __repr__(self) -> str:
        if self._plan == ffi.NULL:
            return "<ashlar.TilePlan, closed>"
        return (f"<ashlar.TilePlan of {len(self._terms)} product{'s' if len(self._terms) > 1 else ''} to shape "
                f"{self._out.shape}, {self.bytes} bytes>")
