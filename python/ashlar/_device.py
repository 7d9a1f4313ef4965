"""Devices: on which one the products over a communicator are made, and what the ranks' devices did."""
from __future__ import annotations

import os
from dataclasses import dataclass, fields
from typing import Any, Optional

from . import _runtime
from ._errors import check, new_error
from ._figures import table
from ._library import ffi, lib
from ._types import Memory, words


@dataclass(frozen=True)
class DeviceFigures:
    """What the ranks' devices take, as it is predicted, and what they took. Words are elements.

    Attributes
    ----------
    name, rule : str or None
        This rank's device, such as ``"cuda:1"``, and why it has this one, or none.
    warning, failure : str or None
        Ranks share a device while another one is not used; why a device failed: the host has finished its work.
    ranks : int
        How many multiply on a device.
    words_in_max, words_in_total, words_out_max, words_out_total : int
        Predicted words to the busiest rank's device and to all, from the busiest rank's and from all. Those of a
        contraction are of runs with `beta`, for which the result is read.
    memory_words : int
        The most words of its device that a rank is to hold.
    seconds, host_seconds : float
        Predicted of the slowest rank's products, on its device with copies, and on the host alone.
    measured_in_max, measured_in_total, measured_out_max, measured_out_total, measured_memory_words : int
        The same words of the last execution.
    measured_host_products : int
        Multiply-adds that the host did because a device failed.
    """

    name: Optional[str]
    rule: Optional[str]
    warning: Optional[str]
    failure: Optional[str]
    ranks: int
    words_in_max: int
    words_in_total: int
    words_out_max: int
    words_out_total: int
    memory_words: int
    seconds: float
    host_seconds: float
    measured_in_max: int
    measured_in_total: int
    measured_out_max: int
    measured_out_total: int
    measured_memory_words: int
    measured_host_products: int

    @classmethod
    def of(cls, function: Any, *arguments: Any) -> DeviceFigures:
        """From a call of the library, which fills in its structure; strings are copied."""
        found, error = ffi.new("ashlar_device_figures *"), new_error()
        check(function(*arguments, found, ffi.sizeof("ashlar_device_figures"), error), error)
        values = {field.name: getattr(found, field.name) for field in fields(cls)}
        for name in ("name", "rule", "warning", "failure"):
            values[name] = None if values[name] == ffi.NULL else ffi.string(values[name]).decode()
        return cls(**values)

    def _repr_html_(self) -> str:
        return table(self)


def set_device(device: Optional[str], *, memory: Memory = None, comm: Any = None) -> None:
    """Multiply on a device from now on, or on none. Collective.

    It holds for contractions, products of matrices, and products of matrices of tiles that are planned over the
    communicator after this, and for calls such as `matmul` that follow. A `Contraction` or `TilePlan` that is there
    stays as it is.

    Parameters
    ----------
    device : str, optional
        A kind such as ``"cuda"``, ``"cuda:1"`` or ``"emulated"``, ``"auto"``, or several with blanks between for the
        ranks of a node by turns. None: the host multiplies.
    memory : int or str, optional
        The most of its device's memory that each rank takes, in bytes or as ``"4GiB"``; None: all that it has, in equal
        parts if ranks share it. It stays as long as the communicator.
    comm : mpi4py communicator, optional
        None: this process alone.

    Returns
    -------
    None

    Raises
    ------
    ArgumentError
        No such kind or option; the communicator has another device, or another amount of its memory.
    DeviceError
        The device is not there.
    OutOfMemoryError
        It has less memory.

    Examples
    --------
    >>> import numpy as np, ashlar
    >>> ashlar.set_device("emulated", memory="64KiB")
    >>> with ashlar.Contraction("ij,jk->ik", np.ones((90, 80)), np.ones((80, 70))) as product:
    ...     float(product.run()[0, 0]), product.device.words_out_total
    (80.0, 6300)
    >>> ashlar.set_device(None)
    """
    context = _runtime.over(comm)
    context.forget_kept() # they were planned without it
    error = new_error()
    name = ffi.NULL if device is None else ffi.new("char[]", os.fsencode(device))
    with context.lock:
        check(lib.ashlar_context_set_device(context.handle, name, words(memory, 1), error), error)


def tile_device(comm: Any = None) -> DeviceFigures:
    """What devices took in the last call over a communicator that multiplied matrices of tiles. Collective.

    Parameters
    ----------
    comm : mpi4py communicator, optional
        None: this process alone.

    Returns
    -------
    DeviceFigures

    Raises
    ------
    MPIError
        The communicator was freed.

    Examples
    --------
    >>> import numpy as np, ashlar
    >>> ashlar.set_device("emulated", memory="64KiB")
    >>> A = ashlar.TileMatrix.from_dense(np.eye(4), [0, 2, 4])
    >>> _ = A @ A
    >>> ashlar.tile_device().measured_in_total # of both factors
    32
    >>> ashlar.set_device(None)
    """
    context = _runtime.over(comm)
    context.check()
    with context.lock:
        return DeviceFigures.of(lib.ashlar_tiles_device_sized, context.handle)
