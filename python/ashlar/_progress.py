"""How far a long call is: a function of the caller's, or a bar by tqdm."""
from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import Any, Callable, Iterator, Optional, Union

from ._errors import ArgumentError
from ._library import ffi, lib

Progress = Union[bool, Callable[[int, int], None], None]


class Follower:
    """Shows the steps of one call. `raised` is what the caller's function has raised."""

    def __init__(self, call: Callable[[int, int], None], end: Callable[[], None] = lambda: None) -> None:
        self.call, self.end = call, end
        self.raised: Optional[BaseException] = None
        self.handle = ffi.new_handle(self)

    def show(self, done: int, every: int) -> None:
        """Show that `done` of `every` steps are done."""
        if self.raised is None:
            self.call(done, every)


@contextmanager
def following(progress: Progress, what: str) -> Iterator[tuple[Any, Any]]:
    """A function that the library is to call, and its argument: both NULL if nothing is shown.

    What the caller's function has raised is raised at the end. True is a bar by tqdm, if that is installed and the
    standard error is a terminal.
    """
    shown = _follower(progress, what)
    if shown is None:
        yield ffi.NULL, ffi.NULL
        return
    try:
        yield lib.ashlar_python_progress, shown.handle
    finally:
        shown.end()
    if shown.raised is not None:
        raise shown.raised


def _follower(progress: Progress, what: str) -> Optional[Follower]:
    if callable(progress):
        return Follower(progress)
    if progress not in (True, False, None):
        raise ArgumentError(f"progress is {progress!r}: a bool or a function is wanted")
    if not progress or not sys.stderr.isatty():
        return None
    try:
        from tqdm import tqdm
    except ImportError:
        return None
    bar: Any = tqdm(desc=what, leave=False)

    def show(done: int, every: int) -> None:
        bar.total = every
        bar.update(done - bar.n)

    return Follower(show, bar.close)
