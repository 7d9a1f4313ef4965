"""Contractions of tensors that lie anywhere: prepared once, run any number of times."""
from __future__ import annotations

import html
import os
import tempfile
import warnings
from typing import Any, Sequence

import numpy as np

from . import _job, _places, _runtime, _subscripts
from ._device import DeviceFigures
from ._distributed import DistArray, Distribution
from ._errors import ArgumentError, check, new_error
from ._figures import Figures
from ._job import Job, Layout
from ._library import ffi, lib
from ._places import File
from ._progress import Progress, following
from ._types import DTYPES, Array, Memory, Shape, in_memory, same_type, scalar, words


def array_of(value: Any, i: int, memory: Memory) -> Array | None:
    """An operand in this process's memory; None if it is elsewhere. A mapped file is if `memory` is not limited."""
    outside = (isinstance(value, (DistArray, _places.Produced)) or _places.is_place(value) or _places.is_dataset(value)
               or (memory is not None and _places.is_mapped(value)))
    if outside:
        return None
    array = in_memory(value, f"operand {i}")
    return array if array.flags.aligned else array.copy()


def shape_of(output: str, extents: dict[str, int], out: Any) -> Shape:
    """The result's shape, which `out` must have."""
    shape = tuple(extents[letter] for letter in output)
    if out is not None and not hasattr(out, "shape"):
        raise ArgumentError(f"out is a {type(out).__name__}: an array is wanted, an h5py data set or the place of a "
                            "file")
    if out is not None and tuple(out.shape) != shape:
        raise ArgumentError(f"out has shape {tuple(out.shape)}: {shape} is wanted")
    return shape


def flags_of(conjugate: Sequence[bool], operands: Sequence[Any]) -> tuple[bool, ...]:
    """For each operand whether it is conjugated."""
    if type(conjugate) is not tuple:
        try:
            conjugate = tuple(conjugate)
        except TypeError:
            raise ArgumentError(f"conjugate is {conjugate!r}: a bool for each operand is wanted") from None
    if len(conjugate) not in (0, len(operands)):
        raise ArgumentError(f"conjugate has {len(conjugate)} values for {len(operands)} operands")
    return conjugate


class Contraction:
    """A contraction that is planned and not run yet.

    Parameters
    ----------
    subscripts : str
        As of `einsum`.
    tensors : array, place, data set, Produced or DistArray
        As of `einsum`. Their elements are read when the contraction is run, and may change until then.
    out, conjugate, memory, scratch, comm, layout, threads : as of `einsum`

    Attributes
    ----------
    explanation : str
        What was decided and why, step by step.
    predicted : Figures
        What a run will move, hold and take.
    dtype : numpy type
        Of all tensors.

    Raises
    ------
    As `einsum`.

    Notes
    -----
    Freeing a plan is collective: use it in a ``with`` statement, or call `close` on all ranks.

    Examples
    --------
    >>> import numpy as np, ashlar
    >>> with ashlar.Contraction("ij,jk->ik", np.ones((200, 300)), np.ones((300, 100))) as product:
    ...     product.predicted.memory_words >= 200 * 300 + 300 * 100 + 200 * 100
    ...     float(product.run()[0, 0])
    True
    300.0
    """

    def __init__(self, subscripts: str, *tensors: Any, out: Any = None, conjugate: Sequence[bool] = (),
                 memory: Memory = None, scratch: str | None = None, comm: Any = None,
                 layout: Distribution | None = None, threads: int | None = None) -> None:
        self._job: Job | None = None
        self._files: list[File] = []
        layouts: list[Layout] = []
        dealt = [each for each in [*tensors, out] if isinstance(each, DistArray)]
        self._comm = dealt[0].comm if dealt and comm is None else comm
        self._context = _runtime.over(self._comm)
        self._out, self._result, self._outside = out, out, False
        self._like: Any = None # a result without elements, once this is kept
        self._copy: Array | None = None # where the result is made if the library cannot write it where it is to lie
        try:
            self._arrays = self._take(tensors, memory)
            sources = [each if each is not None else self._open(tensors[i]) for i, each in enumerate(self._arrays)]
            self._number = same_type([(f"operand {i}", each.dtype) for i, each in enumerate(sources)])
            self.dtype = DTYPES[self._number]
            inputs, output = _subscripts.parse(subscripts, tuple(len(each.shape) for each in sources))
            extents = _subscripts.extents(subscripts, inputs, [each.shape for each in sources])
            letters = self._without_ones(tensors, sources, inputs, extents)
            self._shape = shape_of(output, extents, None if _places.is_place(out) else out)
            described: list[Layout | File] = [
                each if isinstance(each, File) else self._describe(i, each, letters[i], extents, layouts)
                for i, each in enumerate(sources)]
            target = self._target(output, extents, memory, layout, bool(dealt), layouts)
            self._job = Job(self._context, self._number, letters, output, extents, described, target,
                            conjugate=flags_of(conjugate, tensors),
                            options={"memory_words": words(memory, self.dtype.itemsize),
                                     "scratch": self._scratch(scratch)}, threads=threads)
        except BaseException:
            self.close()
            raise
        finally:
            for each in layouts:
                each.close()
        self.explanation, self.predicted = self._job.explanation(), self._figures(lib.ashlar_contraction_predicted)

    def _take(self, tensors: Sequence[Any], memory: Memory) -> list[Any]:
        """The operands that are in memory, with None for those in files."""
        arrays: list[Any] = [each if isinstance(each, DistArray) else array_of(each, i, memory)
                             for i, each in enumerate(tensors)]
        for i, each in enumerate(arrays):
            if isinstance(each, DistArray) and each.context is not self._context:
                raise ArgumentError(f"operand {i} is dealt out over another communicator")
            if each is not None and not isinstance(each, DistArray) and self._comm is not None:
                raise ArgumentError(f"operand {i} is an array of this process, and the contraction is over a "
                                    "communicator: ashlar.DistArray.from_array deals it out")
        return arrays

    def _open(self, value: Any) -> File:
        """An operand that is not in memory."""
        self._files.append(_places.open_operand(self._context, value))
        return self._files[-1]

    def _without_ones(self, tensors: Sequence[Any], sources: list[Any], inputs: Sequence[str],
                      extents: dict[str, int]) -> list[str]:
        """Open files anew without dimensions of 1 that stand for more values; the letters that are left."""
        found = list(inputs)
        for i, each in enumerate(sources):
            drop = [axis for axis, letter in enumerate(inputs[i])
                    if isinstance(each, File) and each.shape[axis] == 1 and extents[letter] != 1]
            if drop and not (_places.is_place(tensors[i]) and str(tensors[i]).endswith("]")):
                sources[i] = _places.open_operand(self._context, tensors[i], each, drop)
                self._files[self._files.index(each)] = sources[i]
                found[i] = "".join(letter for axis, letter in enumerate(inputs[i]) if axis not in drop)
        return found

    def _scratch(self, folder: Any) -> str | None:
        """The folder for files between steps: of one process the system's, if the library would ask for one."""
        if folder is None and self._files and self._context.size == 1 and not (
                self._outside and _places.is_place(self._out)) and not os.environ.get("ASHLAR_SCRATCH"):
            folder = tempfile.gettempdir()
        return None if folder is None else os.fspath(folder)

    def _describe(self, i: int, each: Any, letters: str, extents: dict[str, int], layouts: list[Layout]) -> Layout:
        """The layout of an operand in memory; it is copied if the library cannot read it where it lies."""
        if isinstance(each, DistArray):
            if any(extents[letter] != extent for letter, extent in zip(letters, each.shape)):
                raise ArgumentError(f"operand {i} has a dimension of 1 that stands for more: arrays that are dealt out "
                                    "are not broadcast")
            layouts.append(Layout.of(each.described()))
            self._arrays[i] = each.local
            return layouts[-1]
        found = _job.layout_of(each, letters, extents)
        if found is None:
            self._arrays[i] = np.ascontiguousarray(each)
        layouts.append(found or _job.dense(letters, each.shape, extents))
        return layouts[-1]

    def _target(self, output: str, extents: dict[str, int], memory: Memory, layout: Distribution | None, dealt: bool,
                layouts: list[Layout]) -> File | Layout:
        """Where the result goes, as the library is told."""
        out, dtype = self._out, DTYPES[self._number]
        if out is not None and (_places.is_place(out) or _places.is_dataset(out)
                                or (memory is not None and _places.is_mapped(out))):
            self._files.append(_places.open_result(self._context, out, self._shape, dtype))
            self._outside = True
            return self._files[-1]
        if out is None:
            self._result = DistArray(self._shape, dtype, self._comm, layout) if dealt or self._comm is not None \
                else np.empty(self._shape, dtype)
        elif not isinstance(out, DistArray):
            if dealt or self._comm is not None:
                raise ArgumentError("out is an array of this process, and the contraction is over a communicator")
            self._result = in_memory(out, "out")
        if self._result.dtype != dtype:
            raise ArgumentError(f"out has elements of type {self._result.dtype}: {dtype} is wanted")
        if isinstance(self._result, DistArray):
            if self._result.context is not self._context:
                raise ArgumentError("out is dealt out over another communicator")
            layouts.append(Layout.of(self._result.described()))
            return layouts[-1]
        if not self._result.flags.writeable:
            raise ArgumentError("out cannot be written to")
        found = _job.layout_of(self._result, output, extents) if self._result.flags.aligned else None
        if found is None:
            self._copy = np.empty(self._shape, dtype)
            found = _job.dense(output, self._shape, extents)
        layouts.append(found)
        return found

    def run(self, alpha: Any = 1, beta: Any = 0, progress: Progress = None, trace: Any = None) -> Any:
        """Contract. Collective over the communicator.

        Parameters
        ----------
        alpha, beta : number
            ``out = alpha * (the contraction) + beta * out``; with `beta` other than 0 `out` is an array.
        progress : bool or function, optional
            Of tensors in files. True: a bar by tqdm, if it is installed and the standard error is a terminal. A
            function is called with the parts done and all.
        trace : str, optional
            As of `einsum`.

        Returns
        -------
        As of `einsum`. Without `out` it is the same array for every run.
        """
        if self._job is None:
            raise ArgumentError("the contraction was closed")
        to_file = self._outside
        if beta != 0 and self._out is None:
            raise ArgumentError(f"beta is {beta!r}, and there is no out that it could multiply")
        if beta != 0 and to_file:
            raise ArgumentError("beta is not 0, and out is no array: the old result is not read from a file")
        where = None
        if not to_file:
            where = self._result.local if isinstance(self._result, DistArray) else self._result
            if self._copy is not None:
                self._copy[...] = where if beta != 0 else 0
                where = self._copy
        for i, each in enumerate(self._arrays):
            self._job.pointers[i] = 0 if each is None else _job.address(each)
        factors = scalar(alpha, self._number, "alpha"), scalar(beta, self._number, "beta")
        self._execute(self._job, *factors, 0 if where is None else _job.address(where), progress, trace)
        if to_file:
            if _places.is_place(self._out):
                self._files[-1].publish()
            return self._out
        if self._copy is not None:
            self._result[...] = self._copy
        return self._number_of(self._result) if self._out is None and not self._shape else self._result

    def _execute(self, job: Job, alpha: Any, beta: Any, where: int, progress: Progress, trace: Any) -> None:
        """Run the plan. What is short, and in memory, is neither followed nor interrupted."""
        if not (job.is_long or self._files or progress or trace):
            job.execute(alpha, beta, where)
            return
        with following(progress, "contraction") as (call, user), _runtime.interruptible():
            lib.ashlar_contraction_on_progress(job.plan, call, user)
            try:
                with self._context.recording(trace):
                    job.execute(alpha, beta, where)
            finally:
                lib.ashlar_contraction_on_progress(job.plan, ffi.NULL, ffi.NULL)

    def bind(self, tensors: Sequence[DistArray], out: DistArray | None) -> None:
        """Take other arrays, with the distributions that this was planned for."""
        self._arrays = [each.local for each in tensors]
        self._out = out
        self._result = self._like.another() if out is None else out

    def release(self) -> None:
        """Let go of all arrays; how the result is dealt out is kept."""
        if self._like is None:
            self._like = self._result.another(elements=False)
        self._arrays, self._out, self._result = [], None, None

    def _number_of(self, result: Any) -> Any:
        """A result without indices, as a number on every rank."""
        if isinstance(result, DistArray):
            owner = result.distribution.ranks[0] if result.distribution.ranks else 0
            return self._comm.bcast(result.local[()] if self._context.rank == owner else None, root=owner)
        return result[()]

    @property
    def measured(self) -> Figures:
        """What the last run moved, held and took. Collective over the communicator."""
        return self._figures(lib.ashlar_contraction_measured)

    @property
    def device(self) -> DeviceFigures:
        """What the plan takes of devices (`set_device`), and what the last run took. Collective over the communicator."""
        if self._job is None:
            raise ArgumentError("the contraction was closed")
        self._context.check()
        with self._context.lock:
            return DeviceFigures.of(lib.ashlar_contraction_device_sized, self._job.plan)

    def _figures(self, call: Any) -> Figures:
        if self._job is None:
            raise ArgumentError("the contraction was closed")
        self._context.check()
        found, error = ffi.new("ashlar_figures *"), new_error()
        with self._context.lock:
            check(call(self._job.plan, found, error), error)
        return Figures.of(found)

    def close(self) -> None:
        """Free the plan and close the files. Collective over the communicator."""
        if self._job is not None:
            self._job.close()
        self._job = None
        for file in self._files:
            file.close()
        self._files = []

    def __enter__(self) -> Contraction:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()

    def __del__(self) -> None:
        # Garbage is not collected at the same time on all ranks, so nothing is freed here.
        if getattr(self, "_job", None) is not None:
            warnings.warn("an ashlar.Contraction was not closed: its plan is not freed", ResourceWarning, stacklevel=2)

    def __repr__(self) -> str:
        if self._job is None:
            return "<ashlar.Contraction, closed>"
        return f"<ashlar.Contraction to shape {self._shape}, {self._context.size} ranks>\n{self.explanation}"

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(repr(self))}</pre>{self.predicted._repr_html_()}"
