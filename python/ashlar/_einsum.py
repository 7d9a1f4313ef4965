"""einsum, tensordot and matmul."""
from __future__ import annotations

from typing import Any, Sequence

import numpy as np

from . import _half, _job, _kept, _places, _runtime, _subscripts
from ._contraction import Contraction, array_of, flags_of, shape_of
from ._distributed import DistArray, Distribution
from ._errors import ArgumentError, MPIError
from ._job import Job
from ._progress import Progress
from ._runtime import Context
from ._types import ONE, ZERO, Array, Memory, in_memory, same_type, scalar

_NAMED = (False, None, True, "greedy", "optimal")


def einsum(*operands: Any, out: Any = None, optimize: Any = True, alpha: Any = 1, beta: Any = 0,
           conjugate: Sequence[bool] = (), memory: Memory = None, scratch: str | None = None, comm: Any = None,
           layout: Distribution | None = None, progress: Progress = None, threads: int | None = None,
           trace: Any = None) -> Any:
    """Contract tensors: Einstein's summation convention, as of numpy.einsum.

    Parameters
    ----------
    operands : subscripts and tensors, or tensors and lists of indices by turns
        As of numpy.einsum, with implicit outputs, ellipses, diagonals and dimensions of 1 that fit every number. A
        tensor is an array in memory with any strides, which is not copied unless a stride is negative; an h5py data
        set; a file's place, ``"PATH.npy"`` or ``"PATH.h5:/DATASET"``; a `Produced`; an object that has ``__dlpack__``;
        or a `DistArray`, with which all others are one, too, or in files. All have one type: float32, float64,
        complex64 or complex128.
    out : array, h5py data set or place, optional
        What receives the result. A place is created, and appears once it is complete. None: a new array.
    optimize : bool, str or list
        A path as numpy.einsum_path makes it is kept to. All else leaves the order of pairs to the library.
    alpha, beta : number
        ``out = alpha * (the contraction) + beta * out``; with `beta` other than 0 `out` is an array.
    conjugate : sequence of bool
        For each operand whether it is conjugated; empty: none is.
    memory : int or str, optional
        The most that each rank may hold, in bytes or as ``"8GiB"``: arrays, pieces of files, and workspace.
    scratch : str, optional
        A folder for files between steps, if there are several and some tensor is in a file. None: that of the
        environment variable ``ASHLAR_SCRATCH``, else that of a result in a file, else of one process ``TMPDIR``.
    comm : mpi4py communicator, optional
        Ranks that contract tensors in files together; all make the same call. None: this process alone, or the
        communicator of operands that are `DistArray`.
    layout : Distribution, optional
        How a result that is a new `DistArray` is dealt out; None: block-cyclic.
    progress : bool or function, optional
        Of tensors in files. True: a bar by tqdm, if it is installed and the standard error is a terminal. A function is
        called with the parts done and all.
    threads : int, optional
        How many threads each rank has at most for this call; None: as many as the BLAS has.
    trace : str, optional
        A file to which is written what each rank did and when, for ``ashlar trace`` and Perfetto.

    Returns
    -------
    array, number or str
        `out` if it was given; a number if the output has no index.

    Raises
    ------
    ArgumentError
        Subscripts, shapes or types that do not fit. Also a `ValueError`.
    LimitError
        `memory` is too little: the text names the least. Also a `MemoryError`.
    FileError
        A file could not be read or written. Also an `OSError`.
    Interrupted
        Ctrl-C was pressed on a rank. Also a `KeyboardInterrupt`.

    Notes
    -----
    A result is always a new array: numpy's views such as ``"ii->i"`` are copies here. Plans of small contractions are
    kept and used again for arrays of the same shapes and strides.

    Examples
    --------
    >>> import numpy as np, ashlar
    >>> a, b = np.arange(6.0).reshape(2, 3), np.ones((3, 2))
    >>> ashlar.einsum("ij,jk", a, b)
    array([[ 3.,  3.],
           [12., 12.]])
    >>> float(ashlar.einsum(a, [0, 1], a, [0, 1], []))
    55.0
    """
    subscripts, tensors = _subscripts.split(operands)
    if type(optimize) is tuple and optimize and optimize[0] in _NAMED: # with a limit of memory
        optimize = optimize[0]
    if out is None and not (type(beta) is int and beta == 0) and np.any(beta):
        raise ArgumentError(f"beta is {beta!r}, and there is no out that it could multiply")
    if isinstance(optimize, (list, tuple)) and len(tensors) > 2:
        with _context_of([*tensors, out], comm).recording(trace):
            return _along_path(subscripts, tensors, optimize, out=out, alpha=alpha, beta=beta, conjugate=conjugate,
                               memory=memory, scratch=scratch, comm=comm, layout=layout, threads=threads)
    if not (isinstance(optimize, (list, tuple)) or optimize in _NAMED):
        raise ArgumentError(f"optimize is {optimize!r}: a path, a bool, \"greedy\" or \"optimal\" is wanted")
    turned = flags_of(conjugate, tensors) if type(conjugate) is not tuple or conjugate else ()
    if memory is None and comm is None and layout is None and trace is None and (
            out is None or isinstance(out, np.ndarray)):
        arrays = [each if type(each) is np.ndarray and each.flags.aligned else array_of(each, i, None)
                  for i, each in enumerate(tensors)]
        here = [each for each in arrays if each is not None]
        if len(here) == len(arrays):
            return _arrays(subscripts, here, out, alpha, beta, turned, threads)
    how: dict[str, Any] = {"conjugate": turned, "memory": memory, "threads": threads}
    if _kept.serves(tensors, out, comm):
        return _kept.run(subscripts, tensors, out, layout, alpha, beta, trace, how)
    with Contraction(subscripts, *tensors, out=out, scratch=scratch, comm=comm, layout=layout, **how) as prepared:
        return prepared.run(alpha, beta, progress, trace)


def _context_of(tensors: Sequence[Any], comm: Any) -> Context:
    """That of a communicator, else of the first array that is dealt out, else of this process."""
    dealt = [each.comm for each in tensors if isinstance(each, DistArray)]
    return _runtime.over(dealt[0] if dealt and comm is None else comm)


def _arrays(subscripts: str, arrays: Sequence[Array], out: Array | None, alpha: Any, beta: Any,
            conjugate: tuple[bool, ...], threads: int | None) -> Any:
    """Contract arrays in memory, by a plan that is kept if it is small."""
    context = _runtime.alone() # first, since it refuses a process that was forked
    if out is not None and not out.flags.writeable:
        raise ArgumentError("out cannot be written to")
    given = arrays if out is None else [*arrays, out]
    key = (subscripts, out is None, conjugate, threads, *[(each.dtype, each.shape, each.strides) for each in given])
    job = _job.take(context, key) or _prepare(context, subscripts, arrays, out, conjugate, threads)
    try:
        used = _usable(job, arrays)
        result = np.empty(job.shape, job.dtype) if out is None else _target(job, out, beta)
        for i, each in enumerate(used):
            job.pointers[i] = _job.address(each)
        factors = (ONE[job.number] if type(alpha) is int and alpha == 1 else scalar(alpha, job.number, "alpha"),
                   ZERO[job.number] if type(beta) is int and beta == 0 else scalar(beta, job.number, "beta"))
        if job.is_long:
            with _runtime.interruptible():
                job.execute(*factors, _job.address(result))
        else:
            job.execute(*factors, _job.address(result))
    except MPIError:
        job.close() # it is good for nothing else
        raise
    except BaseException:
        _job.keep(key, job)
        raise
    _job.keep(key, job)
    if out is not None:
        if result is not out:
            out[...] = result
        return out
    return result if job.shape else result[()]


def _usable(job: Job, arrays: Sequence[Array]) -> Sequence[Array]:
    """The operands; copies of those that the library cannot read where they lie."""
    return [np.ascontiguousarray(each) if copied else each for each, copied in zip(arrays, job.copied)] \
        if job.copies else arrays


def _target(job: Job, out: Array, beta: Any) -> Array:
    """Where the result is made: `out`, or an array that is copied to it at the end."""
    if not job.copied[-1] and out.flags.aligned:
        return out
    return out.copy(order="C") if beta else np.empty(job.shape, job.dtype)


def _prepare(context: Context, subscripts: str, arrays: Sequence[Array], out: Array | None,
             conjugate: tuple[bool, ...], threads: int | None) -> Job:
    """Plan a contraction of arrays that lie as these do."""
    number = same_type([(f"operand {i}", each.dtype) for i, each in enumerate(arrays)]
                       + ([] if out is None else [("out", out.dtype)]))
    inputs, output = _subscripts.parse(subscripts, tuple(each.ndim for each in arrays))
    extents = _subscripts.extents(subscripts, inputs, [each.shape for each in arrays])
    shape = shape_of(output, extents, out)
    lists = [*zip(inputs, arrays)] + ([] if out is None else [(output, out)])
    layouts = [_job.layout_of(each, letters, extents) for letters, each in lists]
    copied = [each is None for each in layouts]
    known = [each or _job.dense(letters, array.shape, extents) for each, (letters, array) in zip(layouts, lists)]
    if out is None:
        known.append(_job.dense(output, shape, extents))
    try:
        return Job(context, number, inputs, output, extents, known[:-1], known[-1],
                   conjugate=conjugate, copied=copied, threads=threads)
    finally:
        for layout in known:
            layout.close()


def _along_path(subscripts: str, tensors: list[Any], path: Sequence[Any], *, out: Any, alpha: Any, beta: Any,
                conjugate: Sequence[bool], **how: Any) -> Any:
    """Contract in the order of a path: each step's operands are taken away, and its result comes last."""
    steps = [tuple(step) for step in path if not isinstance(step, str)]
    inputs, output = _subscripts.parse(subscripts, tuple(len(each.shape) for each in tensors))
    terms = [(letters, each, turned) for letters, each, turned
             in zip(inputs, tensors, flags_of(conjugate, tensors) or [False] * len(tensors))]
    if 1 + sum(len(step) - 1 for step in steps) != len(tensors):
        raise ArgumentError(f"optimize is {path!r}: the steps do not take {len(tensors)} operands to one")
    for number, step in enumerate(steps):
        if sorted(set(step)) != sorted(step) or not all(0 <= i < len(terms) for i in step):
            raise ArgumentError(f"optimize is {path!r}: step {number} names operands that are not there")
        taken = [terms.pop(i) for i in sorted(step, reverse=True)][::-1]
        last = number == len(steps) - 1
        wanted = set(output).union(*[letters for letters, _, _ in terms])
        kept = output if last else "".join(dict.fromkeys(letter for letters, _, _ in taken for letter in letters
                                                         if letter in wanted))
        made = einsum(",".join(letters for letters, _, _ in taken) + "->" + kept, *[each for _, each, _ in taken],
                      conjugate=[turned for _, _, turned in taken], out=out if last else None,
                      alpha=alpha if last else 1, beta=beta if last else 0, **how)
        if last:
            return made
        terms.append((kept, made if kept else np.asarray(made), False))
    raise ArgumentError(f"optimize is {path!r}: a path has at least one step")


def tensordot(a: Any, b: Any, axes: Any = 2, **how: Any) -> Any:
    """Contract two tensors over some of their axes, as numpy.tensordot does.

    Parameters
    ----------
    a, b : array or whatever else `einsum` takes
    axes : int, or two sequences of int
        How many of the last axes of `a` and of the first of `b`; or which of each.
    how : keywords
        As of `einsum`.

    Returns
    -------
    As of `einsum`: the axes of `a` that stay, then those of `b`.

    Raises
    ------
    As of `einsum`.

    Examples
    --------
    >>> import numpy as np, ashlar
    >>> ashlar.tensordot(np.ones((2, 3, 4)), np.ones((4, 3)), axes=([1, 2], [1, 0]))
    array([12., 12.])
    """
    orders = (_order(a), _order(b))
    if hasattr(axes, "__index__"):
        count = int(axes)
        pair = tuple(range(-count, 0)), tuple(range(count))
        if count > min(orders):
            raise ArgumentError(f"axes is {count}, and the tensors have {orders[0]} and {orders[1]} dimensions")
    else:
        try:
            first, second = axes
        except (TypeError, ValueError):
            raise ArgumentError(f"axes is {axes!r}: a number is wanted, or axes of the first and of the second tensor"
                                ) from None
        pair = (_axes(first), _axes(second))
    return einsum(_subscripts.of_tensordot(orders, pair), a, b, **how)


def _axes(given: Any) -> tuple[int, ...]:
    return (int(given),) if hasattr(given, "__index__") else tuple(int(axis) for axis in given)


def _order(value: Any) -> int:
    """How many dimensions a tensor has."""
    if _places.is_dataset(value) and not value:
        raise ArgumentError("a data set of h5py has no elements, or its file was closed")
    if _places.is_place(value):
        with_file = _places.open_operand(_runtime.alone(), value)
        with_file.close()
        return len(with_file.shape)
    return len(value.shape) if hasattr(value, "shape") else in_memory(value, "an operand").ndim


def matmul(a: Any, b: Any, out: Any = None, **how: Any) -> Any:
    """Multiply matrices, or stacks of them, as numpy.matmul does.

    Parameters
    ----------
    a, b : array or whatever else `einsum` takes
        The last two dimensions are those of the matrices; those before are broadcast. One dimension is a vector.
        Both may have elements of type float16, without such stacks: if both are arrays in memory, or `DistArray`, they
        are multiplied as they are. Products are exact then, and sums and the result, or `out`, float32. They are
        planned in each call.
    out : as of `einsum`
    how : keywords
        As of `einsum`.

    Returns
    -------
    As of `einsum`.

    Raises
    ------
    As of `einsum`.

    Examples
    --------
    >>> import numpy as np, ashlar
    >>> ashlar.matmul(np.eye(2), np.array([[1.0, 2.0], [3.0, 4.0]]))
    array([[1., 2.],
           [3., 4.]])
    """
    if _half.serves(a, b, how.get("memory")):
        return _half.matmul(a, b, out, **how)
    return einsum(_subscripts.of_matmul((_order(a), _order(b))), a, b, out=out, **how)
