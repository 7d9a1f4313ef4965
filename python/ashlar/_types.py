"""Element types, scalars and amounts of memory, as the library takes them."""
from __future__ import annotations

import re
from typing import Any, Union

import numpy as np
import numpy.typing as npt

from ._errors import ArgumentError
from ._library import ffi

Array = npt.NDArray[Any]
Memory = Union[int, str, None]
Shape = tuple[int, ...]

DTYPES: list[np.dtype[Any]] = [np.dtype(np.float32), np.dtype(np.float64), np.dtype(np.complex64),
                               np.dtype(np.complex128)]
HALF, SINGLE = np.dtype(np.float16), np.dtype(np.float32) # of operands of matmul, and of its sums then
TYPES = {dtype: number for number, dtype in enumerate(DTYPES)}
_C_NUMBERS = ["float[1]", "double[1]", "float[2]", "double[2]"]
_UNITS = {"": 1, "B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12,
          "KIB": 2**10, "MIB": 2**20, "GIB": 2**30, "TIB": 2**40}


def type_of(dtype: np.dtype[Any], what: str) -> int:
    """The library's number of an element type; an error that says what would do for all others."""
    number = TYPES.get(dtype)
    if number is None and dtype == HALF:
        raise ArgumentError(f"{what} has elements of type {dtype}: only matmul takes them, of two matrices in memory, "
                            "with a float32 result; convert it first, by .astype(...)")
    if number is None:
        raise ArgumentError(f"{what} has elements of type {dtype}: Ashlar multiplies float32, float64, complex64 and "
                            "complex128 in the machine's byte order; convert it first, by .astype(...)")
    return number


def same_type(dtypes: list[tuple[str, np.dtype[Any]]]) -> int:
    """The type that all have; nothing is converted silently."""
    first, dtype = dtypes[0]
    number = type_of(dtype, first)
    for what, other in dtypes[1:]:
        if other != dtype:
            type_of(other, what)
            raise ArgumentError(f"{first} has elements of type {dtype} and {what} of type {other}: convert one of them "
                                "by .astype(...)")
    return number


ZERO, ONE = ([ffi.new(kind, [value]) for kind in _C_NUMBERS] for value in (0.0, 1.0)) # of complex types: and 0 i


def scalar(value: Any, number: int, what: str) -> Any:
    """A number as one element of a type."""
    if type(value) is int and value in (0, 1):
        return (ONE if value else ZERO)[number]
    given = np.asarray(value)
    if given.ndim or given.dtype.kind not in "buifc":
        raise ArgumentError(f"{what} is {value!r}: a number is wanted")
    if given.dtype.kind == "c" and number < 2:
        raise ArgumentError(f"{what} is {value!r}, a complex number, and the elements are of type {DTYPES[number]}")
    if number < 2:
        return ffi.new(_C_NUMBERS[number], [float(value)])
    return ffi.new(_C_NUMBERS[number], [complex(value).real, complex(value).imag])


def words(memory: Memory, itemsize: int) -> int:
    """Elements that an amount of memory has room for; 0 for None, which is no limit.

    Parameters
    ----------
    memory : bytes of each rank, or text such as ``"8GiB"`` or ``"500 MB"``
    itemsize : bytes of an element
    """
    if memory is None:
        return 0
    if isinstance(memory, str):
        found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([A-Za-z]*)\s*", memory)
        if not found or found[2].upper() not in _UNITS:
            raise ArgumentError(f"memory is {memory!r}: a number of bytes is wanted, or text such as \"8GiB\"")
        amount = int(float(found[1]) * _UNITS[found[2].upper()])
    elif isinstance(memory, (int, np.integer)) and not isinstance(memory, bool):
        amount = int(memory)
    else:
        raise ArgumentError(f"memory is {memory!r}: a number of bytes is wanted, or text such as \"8GiB\"")
    if amount < itemsize:
        raise ArgumentError(f"memory is {memory!r}: at least one element of {itemsize} bytes is needed")
    return amount // itemsize


def in_memory(value: Any, what: str) -> Array:
    """An array of host memory: numpy's own, or any object that exports one by DLPack. Nothing is copied."""
    if isinstance(value, np.ma.MaskedArray):
        raise ArgumentError(f"{what} is a masked array: give it values for what is masked, by .filled(...)")
    if isinstance(value, np.ndarray):
        return value
    if hasattr(value, "__dlpack__"):
        kind, _ = value.__dlpack_device__()
        if kind not in (1, 3): # DLPack's numbers of host memory, pageable and pinned
            raise ArgumentError(f"{what} is in the memory of a device: bring it to the host first")
        return np.asarray(np.from_dlpack(value))
    if isinstance(value, np.generic):
        return np.asarray(value)
    raise ArgumentError(f"{what} is a {type(value).__name__}: a numpy array is wanted, an array that has __dlpack__, "
                        "an h5py data set or the place of a file; numpy.asarray makes an array of a list")
