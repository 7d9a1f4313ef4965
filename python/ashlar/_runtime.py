"""MPI and contexts: MPI is started by the first call that needs it, never by importing."""
from __future__ import annotations

import atexit
import os
import signal
import sys
import threading
from collections import OrderedDict
from contextlib import contextmanager
from typing import Any, Iterator, NoReturn, Optional, Union
from weakref import WeakSet

import numpy as np

from ._errors import ArgumentError, Interrupted, MPIError, check, new_error
from ._library import ffi, lib


class Turn:
    """Lets one thread at a time call the library, and refuses a thread that the library is calling."""

    __slots__ = ("_lock", "_owner")

    def __init__(self) -> None:
        self._lock, self._owner = threading.Lock(), 0

    def __enter__(self) -> None:
        own = threading.get_ident()
        if self._owner == own:
            raise ArgumentError("a function that Ashlar calls has called Ashlar: that cannot be done")
        if _forked:
            _refuse_fork()
        self._lock.acquire()
        self._owner = own

    def __exit__(self, *raised: object) -> None:
        self._owner = 0
        self._lock.release()


class Limited:
    """A turn in which the library has a number of threads."""

    __slots__ = ("_context", "_threads")

    def __init__(self, context: Context, threads: int) -> None:
        self._context, self._threads = context, threads

    def __enter__(self) -> None:
        self._context.lock.__enter__()
        lib.ashlar_context_set_threads(self._context.handle, self._threads, ffi.NULL)

    def __exit__(self, *raised: object) -> None:
        lib.ashlar_context_set_threads(self._context.handle, 0, ffi.NULL)
        self._context.lock.__exit__()


class Context:
    """A communicator's context, kept on the communicator by the library. One call at a time works over it."""

    __slots__ = ("handle", "size", "rank", "lock", "kept", "made", "plans", "gone", "_self")

    def __init__(self, comm: Any) -> None:
        out, error = ffi.new("ashlar_context **"), new_error()
        check(lib.ashlar_python_context(comm, out, error), error)
        size, rank = ffi.new("int *"), ffi.new("int *")
        if lib.ashlar_python_size(comm, size, rank):
            raise MPIError("MPI does not say how many ranks the communicator has")
        self.handle = out[0]
        self.size, self.rank = int(size[0]), int(rank[0])
        # Without MPI_THREAD_MULTIPLE one thread at a time may call MPI, whatever communicator it uses.
        self.lock: Turn = Turn() if lib.ashlar_python_threads() else _all_contexts
        self.kept: OrderedDict[Any, Any] = OrderedDict() # plans that are kept for the next call of their kind
        self.made = 0 # plans that were kept so far, the same number on all ranks
        self.plans: WeakSet[Any] = WeakSet() # of products of tiles: they are freed with the communicator
        self.gone = False # with its communicator
        self._self: Any = None

    def turn(self, threads: Optional[int]) -> Union[Turn, Limited]:
        """What a call of the library is made within; None: it has as many threads as the BLAS."""
        if threads is None:
            return self.lock
        if not isinstance(threads, (int, np.integer)) or isinstance(threads, bool) or not 0 < threads < 2**31:
            raise ArgumentError(f"threads is {threads!r}: a number from 1 on is wanted, or None for as many as the "
                                "BLAS has")
        return Limited(self, int(threads))

    @contextmanager
    def recording(self, path: Any) -> Iterator[None]:
        """Within it a file is made of what executions do and when; None: no file. Collective."""
        if path is None:
            yield
            return
        name, error = os.fspath(path).encode(), new_error()
        with self.lock:
            check(lib.ashlar_context_trace_begin(self.handle, name, 0, error), error)
        ended = False
        try:
            yield
            ended = True
        finally:
            with self.lock:
                status = lib.ashlar_context_trace_end(self.handle, ended, error)
        check(status, error)

    def check(self) -> None:
        """Refuse what is made over a communicator that was freed, or in a process that was forked."""
        check_process()
        if self.gone:
            raise MPIError("the communicator was freed, or MPI has been ended: what was made over it cannot be used")

    def watch(self) -> None:
        """Free what is kept before the communicator goes."""
        self._self = ffi.new_handle(self)
        lib.ashlar_context_on_free(self.handle, lib.ashlar_python_leave, self._self)

    def leave(self) -> None:
        """The communicator is about to be freed."""
        self.forget()
        self.gone = True
        _contexts.pop(_key_of(self), None)

    def forget(self) -> None:
        """Free the plans that are kept, and those of products of tiles. Collective."""
        for plan in list(self.plans):
            plan.close()
        self.forget_kept()

    def forget_kept(self) -> None:
        """Free the plans that are kept. Collective."""
        while self.kept:
            try:
                self.kept.popitem(last=False)[1].close()
            except KeyError: # another thread was quicker
                break

    def least(self) -> int:
        """The least words a rank needs for what was just refused; 0 if that is not known."""
        return int(lib.ashlar_context_memory_words(self.handle))


def _key_of(context: Context) -> tuple[int, int, int]:
    return int(ffi.cast("intptr_t", context.handle)), context.size, context.rank


_all_contexts = Turn()
_contexts: dict[tuple[int, int, int], Context] = {} # one for each of the library's, so that they share a lock
_alone: Context | None = None
_forked = False
_registered = False


def _state() -> tuple[bool, bool]:
    """Whether MPI has been started, and whether it has been ended."""
    started, finished = ffi.new("int *"), ffi.new("int *")
    if lib.ashlar_python_started(started, finished):
        raise MPIError("MPI does not say whether it has been started")
    return bool(started[0]), bool(finished[0])


def _after_fork() -> None:
    """In the child of a fork: MPI's connections are its parent's."""
    global _alone, _forked
    if _state()[0]:
        _alone, _forked = None, True
        _contexts.clear()


os.register_at_fork(after_in_child=_after_fork)


def _finish(started_here: bool) -> None:
    """Before the interpreter ends: free what is kept, and end MPI if this module has started it."""
    if _forked or _state() != (True, False):
        return
    for context in [*_contexts.values(), *([_alone] if _alone else [])]:
        lib.ashlar_context_on_free(context.handle, ffi.NULL, ffi.NULL)
        context.forget()
    if started_here:
        lib.ashlar_python_finish()


@contextmanager
def interruptible() -> Iterator[None]:
    """Within it Ctrl-C ends what the library executes, on all ranks, instead of waiting for its end.

    Python's own handler sees Ctrl-C once the library returns, which may take long. A handler of the program's own is
    left alone, and so is every thread but the main one.
    """
    if (threading.current_thread() is not threading.main_thread()
            or signal.getsignal(signal.SIGINT) is not signal.default_int_handler or lib.ashlar_python_guard()):
        yield
        return
    try:
        yield
    except BaseException:
        lib.ashlar_python_unguard()
        raise
    if lib.ashlar_python_unguard():
        raise Interrupted("interrupted, once all was done")


def _same_mpi() -> None:
    """Refuse an MPI, or an mpi4py, other than the one that Ashlar was built with."""
    built = ffi.string(lib.ashlar_python_built_with()).decode()
    running = ffi.string(lib.ashlar_python_running_with()).decode()
    if built not in running:
        raise MPIError(f"Ashlar was built with {built}, but the process runs {running.splitlines()[0]}")
    other = sys.modules.get("mpi4py.MPI")
    if other is not None:
        others = other.Get_library_version().rstrip("\0")
        if others != running:
            raise MPIError(f"Ashlar was built with {running.splitlines()[0]}, and mpi4py with "
                           f"{others.splitlines()[0]}: install an mpi4py that was built with Ashlar's MPI")


def check_process() -> None:
    """Refuse a process that was forked after MPI was started."""
    if _forked:
        _refuse_fork()


def _refuse_fork() -> NoReturn:
    raise MPIError("this process was forked after MPI was started, and cannot use MPI: start it by multiprocessing's "
                   "method \"spawn\", or fork before the first call of Ashlar")


def start() -> None:
    """See to it that MPI runs, and that it is the one Ashlar was built with."""
    global _registered
    check_process()
    _same_mpi()
    started, finished = _state()
    if finished:
        raise MPIError("MPI has been ended: Ashlar cannot be used after MPI_Finalize")
    if not started:
        if lib.ashlar_python_start():
            raise MPIError("MPI cannot be started")
    if not _registered:
        atexit.register(_finish, not started)
        _registered = True


def alone() -> Context:
    """The context of this process by itself."""
    global _alone
    if _alone is None:
        start()
        _alone = Context(lib.ashlar_python_self())
    return _alone


def over(comm: Any) -> Context:
    """The context of an mpi4py communicator; None is this process alone. Collective the first time."""
    if comm is None:
        return alone()
    start()
    mpi = sys.modules.get("mpi4py.MPI")
    if mpi is None or not isinstance(comm, mpi.Intracomm):
        raise ArgumentError(f"comm is a {type(comm).__name__}: an mpi4py intracommunicator is wanted, or None for this "
                            "process alone")
    if comm == mpi.COMM_NULL:
        raise ArgumentError("comm is MPI.COMM_NULL")
    made = Context(ffi.cast("void *", mpi._addressof(comm)))
    found = _contexts.setdefault(_key_of(made), made)
    if found is made:
        made.watch()
    return found
