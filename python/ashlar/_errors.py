"""Errors: one family, with a class for each status of the library."""
from __future__ import annotations

from typing import Any, NoReturn

from ._library import ffi, lib


class Error(Exception):
    """An error of Ashlar. The text names what was found and what was wanted; it is the same on all ranks.

    Attributes
    ----------
    status : str
        The library's name of the status, such as ``"ASHLAR_ERR_ARG"``.
    """

    status = "ASHLAR_ERR_INTERNAL"


class ArgumentError(Error, ValueError):
    """An argument is out of its range, or arguments do not fit together."""

    status = "ASHLAR_ERR_ARG"


class OutOfMemoryError(Error, MemoryError):
    """An allocation failed."""

    status = "ASHLAR_ERR_MEMORY"


class LimitError(Error, MemoryError):
    """The memory given is too little. The text names the least that would do.

    Attributes
    ----------
    least_words : int
        The least elements a rank needs; 0 if that is not known.
    """

    status = "ASHLAR_ERR_LIMIT"
    least_words = 0


class SizeError(Error, OverflowError):
    """A size does not fit in 64 bits, or in what MPI or BLAS can be given."""

    status = "ASHLAR_ERR_OVERFLOW"


class MPIError(Error, RuntimeError):
    """A call of MPI failed, or MPI is not in the state that Ashlar needs."""

    status = "ASHLAR_ERR_MPI"


class FileError(Error, OSError):
    """A file could not be read or written, or is not what it claims to be."""

    status = "ASHLAR_ERR_IO"


class UnsupportedError(Error, NotImplementedError):
    """What was asked for by name cannot serve this problem."""

    status = "ASHLAR_ERR_UNSUPPORTED"


class Interrupted(Error, KeyboardInterrupt):
    """Ctrl-C was pressed on a rank: what was being made is unspecified, or deleted if it is a file."""

    status = "ASHLAR_ERR_INTERRUPTED"


class DeviceError(Error, OSError):
    """A device is not there, or failed."""

    status = "ASHLAR_ERR_DEVICE"


class InternalError(Error, RuntimeError):
    """A defect in Ashlar: please report it with the text."""


_CLASSES: dict[int, type[Error]] = {
    1: ArgumentError, 2: OutOfMemoryError, 3: LimitError, 4: SizeError, 5: MPIError, 6: FileError, 7: UnsupportedError,
    8: InternalError, 9: Interrupted, 10: DeviceError,
}


def fail(status: int, error: Any, least_words: int = 0) -> NoReturn:
    """Raise what a call of the library left in `error`."""
    found = _CLASSES.get(status, InternalError)(ffi.string(error.text).decode(errors="replace"))
    if isinstance(found, LimitError):
        found.least_words = least_words
    raise found


def check(status: int, error: Any) -> None:
    """Raise if a call has failed."""
    if status:
        fail(status, error)


def new_error() -> Any:
    """Room for what a call says of its failure."""
    return ffi.new("ashlar_error *")


def version() -> str:
    """The version of the library that runs, such as ``"0.1.0"``."""
    return str(ffi.string(lib.ashlar_version()).decode())
