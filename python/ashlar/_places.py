"""Tensors that are not arrays in memory: files by their names, h5py data sets, and functions that make elements."""
from __future__ import annotations

import os
import sys
from typing import Any, Callable, Sequence

import numpy as np

from ._callbacks import Box, Callback
from ._errors import ArgumentError, check, new_error
from ._library import ffi, lib
from ._runtime import Context
from ._types import DTYPES, HALF, SINGLE, Array, Shape, type_of


class Produced:
    """A tensor that is never stored: a function makes its elements when they are needed.

    Parameters
    ----------
    shape : tuple of int
        How many values each index has.
    dtype : numpy type
        float32, float64, complex64 or complex128.
    make : callable
        ``make(box)`` returns the elements of a box, an array of its shape and of `dtype`; `box` is a tuple of slices.
        It is called on each rank for what that rank needs, any box any number of times, and may not call Ashlar or MPI.

    Examples
    --------
    >>> import numpy as np, ashlar
    >>> def hilbert(box):
    ...     i, j = np.ogrid[box]
    ...     return 1.0 / (i + j + 1)
    >>> ashlar.einsum("ij->", ashlar.Produced((2, 2), "float64", hilbert)).round(6)
    2.333333
    """

    def __init__(self, shape: Shape, dtype: Any, make: Callable[[Box], Array]) -> None:
        self.shape, self.dtype, self.make = tuple(int(n) for n in shape), np.dtype(dtype), make
        type_of(self.dtype, "the tensor")
        if any(extent < 0 for extent in self.shape) or not callable(make):
            raise ArgumentError(f"shape is {self.shape} and make a {type(make).__name__}: numbers from 0 on and a "
                                "function are wanted")

    def __getitem__(self, box: Box) -> Array:
        made = np.asarray(self.make(box))
        wanted = tuple(each.stop - each.start for each in box)
        if made.shape != wanted or made.dtype != self.dtype:
            raise ArgumentError(f"the function made elements of shape {made.shape} and type {made.dtype}: {wanted} and "
                                f"{self.dtype} are wanted")
        return made


class File:
    """A tensor as the library opened it."""

    def __init__(self, handle: Any, callback: Callback | None = None, opened: Any = None) -> None:
        self.handle, self.callback, self.opened = handle, callback, opened
        info, error = ffi.new("ashlar_tensor_info *"), new_error()
        check(lib.ashlar_tensor_describe(handle, info, error), error)
        self.shape: Shape = tuple(info.extent[i] for i in range(info.order))
        self.dtype = DTYPES[info.type]

    def close(self) -> None:
        """Local. What was created and not published is deleted."""
        pointer = ffi.new("ashlar_tensor_file **", self.handle)
        lib.ashlar_tensor_close(pointer)
        self.handle, self.opened = ffi.NULL, None

    def publish(self) -> None:
        """Give a created file its name."""
        error = new_error()
        check(lib.ashlar_tensor_publish(self.handle, error), error)


def is_dataset(value: Any) -> bool:
    """Whether it is a data set of h5py, which is not imported for that."""
    h5py = sys.modules.get("h5py")
    return h5py is not None and isinstance(value, h5py.Dataset)


def is_mapped(value: Any) -> bool:
    """Whether it is all of a .npy file, mapped to memory so that both have the same elements."""
    # A view of a map is one, too, and says the name of the whole file: its base is an array instead of the map.
    if not isinstance(value, np.memmap) or isinstance(value.base, np.ndarray) or value.filename is None:
        return False
    return str(value.filename).endswith(".npy") and value.mode != "c"


def is_place(value: Any) -> bool:
    """Whether it names a file."""
    return isinstance(value, (str, os.PathLike))


def _named(value: Any) -> str | None:
    """The place that the library reads a tensor from by itself, or None.

    A data set of a file that h5py may write to is read by h5py: nobody else may open the file meanwhile.
    """
    if is_place(value):
        return str(os.fspath(value))
    if is_mapped(value):
        value.flush()
        return str(value.filename)
    if is_dataset(value) and value.file.mode == "r" and value.file.driver in ("sec2", "stdio"):
        return f"{value.file.filename}:{value.name}"
    return None


def open_operand(context: Context, value: Any, file: File | None = None, drop: Sequence[int] = ()) -> File:
    """Open an operand for reading. Collective over the context's communicator.

    If it is open already as `file`, that is closed first. Dimensions of 1 that are in `drop` are left out.
    """
    out, error = ffi.new("ashlar_tensor_file **"), new_error()
    if is_dataset(value) and (not value or value.shape is None):
        raise ArgumentError("a data set of h5py has no elements, or its file was closed")
    place = _named(value)
    if file is not None:
        file.close()
    if file is not None and place is not None:
        place += "[" + ",".join("0" if axis in drop else ":" for axis in range(len(file.shape))) + "]"
    if place is not None:
        # One HDF5 opens a file twice in one way only, and knows of the first if h5py's file is there, not a data set.
        opened = value.file if is_dataset(value) else None
        check(lib.ashlar_tensor_open(context.handle, place.encode(), out, error), error)
        return File(out[0], opened=opened)

    def fill(box: Box, elements: Array) -> None:
        whole = list(box)
        for axis in sorted(drop):
            whole.insert(axis, slice(0, 1))
        elements[...] = np.reshape(value[tuple(whole)], elements.shape)

    shape = tuple(extent for axis, extent in enumerate(value.shape) if axis not in drop)
    dtype = SINGLE if is_dataset(value) and value.dtype == HALF else value.dtype # as the library reads float16
    return _by_calls(context, shape, dtype, fill, lib.ashlar_tensor_from_function, lib.ashlar_python_produce)


def open_result(context: Context, value: Any, shape: Shape, dtype: np.dtype[Any]) -> File:
    """Open a result: a file that is created, or an array outside memory that boxes are stored to. Collective."""
    if not is_place(value):
        if tuple(value.shape) != shape or value.dtype != dtype:
            raise ArgumentError(f"out has shape {tuple(value.shape)} and elements of type {value.dtype}: {shape} and "
                                f"{dtype} are wanted")

        def store(box: Box, elements: Array) -> None:
            value[box] = elements

        return _by_calls(context, shape, dtype, store, lib.ashlar_tensor_to_function, lib.ashlar_python_consume)
    out, error = ffi.new("ashlar_tensor_file **"), new_error()
    check(lib.ashlar_tensor_create(context.handle, os.fspath(value).encode(), type_of(dtype, "out"), len(shape),
                                   ffi.new("int64_t[]", shape or (0,)), out, error), error)
    return File(out[0])


def _by_calls(context: Context, shape: Shape, dtype: np.dtype[Any], call: Callable[[Box, Array], None], make: Any,
              function: Any) -> File:
    """A tensor whose boxes go through a function."""
    number = type_of(dtype, "a tensor outside memory")
    callback = Callback(len(shape), DTYPES[number], call)
    out, error = ffi.new("ashlar_tensor_file **"), new_error()
    check(make(context.handle, number, len(shape), ffi.new("int64_t[]", shape or (0,)), function, callback.handle, out,
               error), error)
    return File(out[0], callback)
