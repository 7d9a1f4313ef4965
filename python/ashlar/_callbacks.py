"""Functions that the library calls for boxes of tensors. The only file that knows of ffi.def_extern."""
from __future__ import annotations

from typing import Any, Callable

import numpy as np

from ._library import ffi
from ._types import Array, Shape

Box = tuple[slice, ...]


class Callback:
    """A function of the caller's, and the exception that it ended with."""

    def __init__(self, order: int, dtype: np.dtype[Any], call: Callable[[Box, Array], None]) -> None:
        self.order, self.dtype, self.call = order, dtype, call
        self.raised: BaseException | None = None
        self.handle = ffi.new_handle(self)

    def run(self, start: Any, extent: Any, elements: Any) -> int:
        """Call the function for a box; 1 if it has raised."""
        try:
            shape: Shape = tuple(extent[i] for i in range(self.order))
            box = tuple(slice(start[i], start[i] + shape[i]) for i in range(self.order))
            count = int(np.prod(shape, dtype=np.int64))
            memory = ffi.buffer(elements, count * self.dtype.itemsize)
            self.call(box, np.frombuffer(memory, self.dtype).reshape(shape))
        except BaseException as raised: # it is raised again once the library has told all ranks
            self.raised = raised
            return 1
        return 0


@ffi.def_extern(error=1) # type: ignore[misc]
def ashlar_python_produce(user: Any, start: Any, extent: Any, elements: Any) -> int:
    """Fill a box."""
    return int(ffi.from_handle(user).run(start, extent, elements))


@ffi.def_extern(error=1) # type: ignore[misc]
def ashlar_python_consume(user: Any, start: Any, extent: Any, elements: Any) -> int:
    """Take a box."""
    return int(ffi.from_handle(user).run(start, extent, elements))


@ffi.def_extern() # type: ignore[misc]
def ashlar_python_leave(user: Any) -> None:
    """A communicator is about to be freed: what was kept for it is, too."""
    ffi.from_handle(user).leave()


@ffi.def_extern() # type: ignore[misc]
def ashlar_python_progress(user: Any, done: int, every: int) -> None:
    """Pass on how far a call is. What the function raises is kept until the call ends."""
    bar = ffi.from_handle(user)
    try:
        bar.show(done, every)
    except BaseException as raised: # raised again once the library has returned
        bar.raised = raised
