"""Products of float16 matrices, whose sums and results are float32: plans of matrices, not of contractions."""
from __future__ import annotations

from typing import Any, Callable, Optional, Sequence

import numpy as np

from . import _job, _places, _runtime
from ._distributed import DistArray, Distribution
from ._errors import ArgumentError, check, fail, new_error
from ._library import ffi, lib
from ._types import HALF, SINGLE, Array, Memory, Shape, in_memory, scalar, words

_SUMS = 0 # the library's number of float32


def serves(a: Any, b: Any, memory: Memory) -> bool:
    """Whether both operands are of float16 and in memory. Files are read as float32."""
    return _is_half(a, memory) and _is_half(b, memory)


def _is_half(value: Any, memory: Memory) -> bool:
    if isinstance(value, (np.ndarray, DistArray)):
        return value.dtype == HALF and not (memory is not None and _places.is_mapped(value))
    return hasattr(value, "__dlpack__") and in_memory(value, "an operand").dtype == HALF


def matmul(a: Any, b: Any, out: Any = None, *, alpha: Any = 1, beta: Any = 0, conjugate: Sequence[bool] = (),
           memory: Memory = None, comm: Any = None, layout: Optional[Distribution] = None,
           threads: Optional[int] = None, trace: Any = None, **unused: Any) -> Any:
    """Multiply two matrices or vectors as `matmul` does: arrays of this process, or arrays that are dealt out.

    `conjugate` changes nothing of real numbers, and `unused` is for operands in files and for three of them and more.
    """
    if out is None and not (type(beta) is int and beta == 0) and np.any(beta):
        raise ArgumentError(f"beta is {beta!r}, and there is no out that it could multiply")
    if len(tuple(conjugate)) not in (0, 2):
        raise ArgumentError(f"conjugate has {len(tuple(conjugate))} values for 2 operands")
    for i, each in enumerate((a, b)):
        if not 1 <= len(each.shape) <= 2:
            raise ArgumentError(f"operand {i} has {len(each.shape)} dimensions and elements of type {HALF}: matmul "
                                "multiplies matrices and vectors of them; convert it first, by .astype(...)")
    factors = scalar(alpha, _SUMS, "alpha"), scalar(beta, _SUMS, "beta")
    how = {"memory_words": words(memory, SINGLE.itemsize)}
    dealt = [isinstance(each, DistArray) for each in (a, b)]
    if not any(dealt) and comm is None:
        return _alone(a, b, out, factors, bool(beta), how, threads, trace)
    if not all(dealt):
        raise ArgumentError(f"operand {dealt.index(False)} is an array of this process, and the contraction is over a "
                            "communicator: ashlar.DistArray.from_array deals it out")
    return _dealt(a, b, out, comm, layout, factors, how, threads, trace)


def _shape(a: Any, b: Any, out: Any) -> Shape:
    """The result's shape; `out` must have it, and elements that are float32."""
    if a.shape[-1] != b.shape[0]:
        raise ArgumentError(f"operand 0 has shape {tuple(a.shape)} and operand 1 {tuple(b.shape)}: "
                            f"{a.shape[-1]} and {b.shape[0]} values are summed over")
    shape = (*a.shape[:-1], *b.shape[1:])
    if out is not None and (tuple(out.shape) != shape or out.dtype != SINGLE):
        raise ArgumentError(f"out has shape {tuple(out.shape)} and elements of type {out.dtype}: {shape} and {SINGLE} "
                            "are wanted")
    return shape


def _alone(given_a: Any, given_b: Any, out: Any, factors: tuple[Any, Any], adds: bool, how: dict[str, Any],
           threads: Optional[int], trace: Any) -> Any:
    """The product of arrays of this process."""
    context = _runtime.alone()
    a, b = in_memory(given_a, "operand 0"), in_memory(given_b, "operand 1")
    if out is not None and not isinstance(out, np.ndarray):
        raise ArgumentError(f"out is a {type(out).__name__}: a numpy array of {SINGLE} is wanted, since the operands "
                            f"are arrays of {HALF}")
    shape = _shape(a, b, out)
    if out is not None and not out.flags.writeable:
        raise ArgumentError("out cannot be written to")
    m, n, k = a.shape[0] if a.ndim == 2 else 1, b.shape[1] if b.ndim == 2 else 1, a.shape[-1]
    direct: Optional[Array] = out if out is not None and out.ndim == 2 and _stored(out) is not None else None
    result: Array = np.empty((m, n), SINGLE) if direct is None else direct
    if out is not None and direct is None and adds:
        result[...] = out.reshape((m, n))
    one = Distribution((1, 1))
    parts = [(each, each.shape, one) for each in (_readable(a.reshape((m, k))), _readable(b.reshape((k, n))), result)]
    _execute(context, parts, factors, how, threads, trace)
    if direct is not None:
        return direct
    if out is not None:
        out[...] = result.reshape(shape)
        return out
    return result.reshape(shape) if shape else result[0, 0]


def _dealt(a: DistArray, b: DistArray, out: Any, comm: Any, layout: Optional[Distribution], factors: tuple[Any, Any],
           how: dict[str, Any], threads: Optional[int], trace: Any) -> DistArray:
    """The product of arrays that are dealt out. Collective."""
    context = a.context
    if b.context is not context or (comm is not None and _runtime.over(comm) is not context):
        raise ArgumentError("operand 1 is dealt out over another communicator" if b.context is not context else
                            "operand 0 is dealt out over another communicator")
    context.check()
    if a.ndim != 2 or b.ndim != 2:
        raise ArgumentError(f"the operands have {a.ndim} and {b.ndim} dimensions and elements of type {HALF}: matrices "
                            "are wanted of those that are dealt out")
    if out is not None and not isinstance(out, DistArray):
        raise ArgumentError("out is an array of this process, and the contraction is over a communicator")
    if out is not None and out.context is not context:
        raise ArgumentError("out is dealt out over another communicator")
    shape = _shape(a, b, out)
    made = DistArray(shape, SINGLE, a.comm, layout) if out is None else out
    local = [_rows(each.local) for each in (a, b, made)]
    _execute(context, [(part, each.shape, each.distribution) for part, each in zip(local, (a, b, made))], factors, how,
             threads, trace)
    if local[2] is not made.local and made.local.size:
        made.local[...] = local[2]
    return made


def _readable(array: Array) -> Array:
    """The matrix, or a copy if the library cannot read it where it lies."""
    return array if _stored(array) is not None else np.ascontiguousarray(array)


def _rows(local: Array) -> Array:
    """A rank's part as the library reads it: by rows on all ranks."""
    if local.ndim != 2: # of a rank that owns nothing
        return np.empty((0, 0), local.dtype)
    stored = _stored(local)
    return local if stored is not None and stored[0] == lib.ASHLAR_ROW_MAJOR else np.ascontiguousarray(local)


def _stored(array: Array) -> Optional[tuple[int, int]]:
    """The order of a matrix and its leading dimension in elements, 0 for the least; None if it lies otherwise."""
    if not array.size or array.flags.c_contiguous:
        return lib.ASHLAR_ROW_MAJOR, 0
    item = array.itemsize
    if array.flags.aligned:
        for order, outer, inner in ((lib.ASHLAR_ROW_MAJOR, 0, 1), (lib.ASHLAR_COL_MAJOR, 1, 0)):
            stride = array.strides[outer]
            if array.strides[inner] == item and stride % item == 0 and stride // item >= array.shape[inner]:
                return order, stride // item
    return None


def _execute(context: _runtime.Context, parts: Sequence[tuple[Array, Shape, Distribution]], factors: tuple[Any, Any],
             how: dict[str, Any], threads: Optional[int], trace: Any) -> None:
    """C <- alpha A B + beta C of this rank's parts of A, B and C. Collective over the context's communicator."""
    turn, error, layouts = context.turn(threads), new_error(), [ffi.new("ashlar_layout **") for _ in parts]
    plan, (options, kept) = ffi.new("ashlar_plan **"), _job.options_struct(how)
    (m, k), n = parts[0][1], parts[2][1][1]
    try:
        for out, (array, shape, distribution) in zip(layouts, parts):
            _describe(array, shape, distribution, out)
        problem = ffi.new("ashlar_problem *", {
            "size": ffi.sizeof("ashlar_problem"), "type": lib.ASHLAR_TYPE_H, "op_a": lib.ASHLAR_OP_N,
            "op_b": lib.ASHLAR_OP_N, "m": m, "n": n, "k": k, "a": layouts[0][0], "b": layouts[1][0],
            "c": layouts[2][0]})

        def call(does: Callable[[], int]) -> None:
            with turn:
                status = does()
            if status:
                fail(status, error, context.least())

        call(lambda: int(lib.ashlar_plan_create(context.handle, problem, options, plan, error)))
        a, b, c = (ffi.cast("void *", _job.address(array)) for array, _, _ in parts)
        with context.recording(trace), _runtime.interruptible():
            call(lambda: int(lib.ashlar_plan_execute(plan[0], factors[0], a, b, factors[1], c, error)))
        del kept
    finally:
        with context.lock:
            lib.ashlar_plan_free(plan)
        for out in layouts:
            lib.ashlar_layout_free(out)


def _describe(array: Array, shape: Shape, distribution: Distribution, out: Any) -> None:
    """The library's layout of a matrix of which this rank has an array. Local."""
    error, ranks = new_error(), distribution.ranks
    order, ld = _stored(array) or (lib.ASHLAR_ROW_MAJOR, 0)
    check(lib.ashlar_layout_block_cyclic(*shape, *distribution.blocks(shape), *distribution.grid, 0, 0,
                                         ffi.NULL if ranks is None else ffi.new("int[]", ranks), order, ld, out, error),
          error)
