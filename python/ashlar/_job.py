"""A contraction that the library has planned, and the plans of small ones, which are kept for the next call."""
from __future__ import annotations

from typing import Any, Sequence

import numpy as np

from ._errors import Error, SizeError, fail, new_error
from ._library import ffi, lib
from ._places import File
from ._runtime import Context
from ._types import DTYPES, Array, Shape

KEPT_PLANS = 32
KEPT_BYTES = 2**20 # of workspace, of each plan that is kept
MOST_ELEMENTS = 2**63 - 1
LONG = 1e9 # multiply-adds of an execution that Ctrl-C is to end: some hundredths of a second


class Layout:
    """How a tensor lies in this process: strides in elements. None of them is negative."""

    def __init__(self, shape: Sequence[int], strides: Sequence[int]) -> None:
        out, error = ffi.new("ashlar_tensor_layout **"), new_error()
        status = lib.ashlar_tensor_layout_blocks(len(shape), ffi.new("int64_t[]", list(shape) or [0]), ffi.NULL,
                                                 ffi.NULL, ffi.NULL, ffi.new("int64_t[]", list(strides) or [0]), out,
                                                 error)
        if status:
            fail(status, error)
        self.handle = out[0]

    @classmethod
    def of(cls, handle: Any) -> Layout:
        """One that the library has made."""
        made = cls.__new__(cls)
        made.handle = handle
        return made

    def close(self) -> None:
        """Plans keep copies."""
        lib.ashlar_tensor_layout_free(ffi.new("ashlar_tensor_layout **", self.handle))


def layout_of(array: Array, letters: str, extents: dict[str, int]) -> Layout | None:
    """An array's layout, with dimensions of 1 that stand for more values; None if the array must be copied."""
    if not array.size: # numpy's strides are 0 then
        return dense(letters, array.shape, extents)
    itemsize = array.itemsize
    strides = []
    for letter, extent, stride in zip(letters, array.shape, array.strides):
        if extent <= 1 or extents[letter] == 0:
            strides.append(0 if extent != extents[letter] else 1)
        elif stride < 0 or stride % itemsize:
            return None
        else:
            strides.append(stride // itemsize)
    return Layout([extents[letter] for letter in letters], strides)


def dense(letters: str, shape: Shape, extents: dict[str, int]) -> Layout:
    """The layout of an array in C order."""
    strides, step = [0] * len(shape), 1
    for i in reversed(range(len(shape))):
        strides[i] = step if shape[i] == extents[letters[i]] else 0
        step *= max(shape[i], 1)
    if step > MOST_ELEMENTS:
        raise SizeError(f"a tensor of shape {tuple(shape)} has more than 2^63 - 1 elements")
    return Layout([extents[letter] for letter in letters], strides)


class Job:
    """A plan of a contraction, with room for the arguments of its executions."""

    def __init__(self, context: Context, number: int, inputs: Sequence[str], output: str, extents: dict[str, int],
                 operands: Sequence[Layout | File], result: Layout | File | None, *, conjugate: Sequence[bool] = (),
                 copied: Sequence[bool] = (), options: dict[str, Any] | None = None,
                 threads: int | None = None) -> None:
        self.context, self.number, self.turn = context, number, context.turn(threads)
        self.copied, self.copies = copied, any(copied) # which operands must be copied first
        self.shape: Shape = tuple(extents[letter] for letter in output)
        self.dtype = DTYPES[number]
        self.files = [each for each in [*operands, result] if isinstance(each, File)]
        self.error = new_error()
        self.pointers = ffi.new("uintptr_t[]", len(operands))
        self.operands = ffi.cast("const void *const *", self.pointers)
        tensors = ffi.new("ashlar_tensor[]", len(operands) + 1)
        kept = []
        for tensor, letters, each in zip(tensors, [*inputs, output], [*operands, result]):
            sizes = ffi.new("int64_t[]", [extents[letter] for letter in letters] or [0])
            kept.append(sizes)
            tensor.size, tensor.order, tensor.extent = ffi.sizeof("ashlar_tensor"), len(letters), sizes
            if isinstance(each, File):
                tensor.file = each.handle
            elif each is not None:
                tensor.layout = each.handle
        for i, turned in enumerate(conjugate):
            tensors[i].conjugate = bool(turned)
        expression = ffi.new("char[]", (",".join(inputs) + "->" + output).encode())
        wanted = ffi.new("ashlar_contraction *", {
            "size": ffi.sizeof("ashlar_contraction"), "type": number, "expression": expression,
            "operands": len(operands), "operand": tensors, "output": tensors + len(operands)})
        how, texts = options_struct(options or {})
        out = ffi.new("ashlar_contraction_plan **")
        with self.turn:
            status = lib.ashlar_contraction_plan_create(context.handle, wanted, how, out, self.error)
            if status:
                fail(status, self.error, context.least())
        self.plan = out[0]
        explained = self._explained()
        self.workspace = int(explained.workspace_words) * self.dtype.itemsize
        self.is_long = explained.multiply_adds > LONG
        del kept, texts # until here the library has read them

    def execute(self, alpha: Any, beta: Any, output: int) -> None:
        """Contract what `pointers` points to, to the array at an address; 0 if the result is in a file."""
        if self.context.gone:
            self.context.check()
        with self.turn:
            status = lib.ashlar_contraction_execute(self.plan, alpha, self.operands, beta, ffi.cast("void *", output),
                                                    self.error)
        if status:
            self._failed(status)

    def _failed(self, status: int) -> None:
        """Raise; a function's own exception where it was raised."""
        for file in self.files:
            if file.callback is not None and file.callback.raised is not None:
                raised, file.callback.raised = file.callback.raised, None
                if not isinstance(raised, Exception):
                    raise raised # KeyboardInterrupt and its like
                try:
                    fail(status, self.error)
                except Error as error:
                    raise error from raised
        fail(status, self.error)

    def _explained(self) -> Any:
        explained = ffi.new("ashlar_contraction_explanation *")
        lib.ashlar_contraction_explain(self.plan, explained, self.error)
        return explained

    def explanation(self) -> str:
        """What was decided and why."""
        return str(ffi.string(self._explained().text).decode())

    def close(self) -> None:
        """Free the plan. Collective over the context's communicator."""
        if self.plan != ffi.NULL and not self.context.gone:
            with self.context.lock:
                lib.ashlar_contraction_plan_free(ffi.new("ashlar_contraction_plan **", self.plan))
            self.plan = ffi.NULL


def options_struct(given: dict[str, Any]) -> tuple[Any, list[Any]]:
    """The library's options with some changed, and the texts that they point to."""
    how = ffi.new("ashlar_options *", lib.ashlar_options_default())
    texts = []
    for name, value in given.items():
        if isinstance(value, str):
            value = ffi.new("char[]", value.encode())
            texts.append(value)
        if value is not None:
            setattr(how, name, value)
    return how, texts


def take(context: Context, key: Any) -> Job | None:
    """A plan that was kept under a key, for one thread at a time: `keep` gives it back."""
    return context.kept.pop(key, None)


def keep(key: Any, job: Job) -> None:
    """Keep a plan for the next call of the same kind, or free it if it needs much memory. Of one process."""
    if job.workspace > KEPT_BYTES:
        job.close()
        return
    kept = job.context.kept
    kept[key] = job
    while len(kept) > KEPT_PLANS:
        try:
            kept.popitem(last=False)[1].close()
        except KeyError: # another thread was quicker
            break


def address(array: Array) -> int:
    """Where an array's first element lies."""
    return int(array.__array_interface__["data"][0])
