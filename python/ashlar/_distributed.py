"""Arrays that are dealt out over the ranks of a communicator."""
from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Callable, NoReturn, Optional, Sequence

import numpy as np

from . import _runtime
from ._errors import ArgumentError, Error, check, new_error
from ._library import ffi, lib
from ._types import HALF, SINGLE, Array, Shape, type_of

BLOCK = 256 # values of an index that lie together, unless the caller says otherwise
PIECE = 2**26 # elements of one message when all ranks get an array


@dataclass(frozen=True)
class Distribution:
    """How an array is dealt out: each index in blocks, by turns over one dimension of a process grid.

    Block x of index d belongs to coordinate x modulo ``grid[d]``; processes are numbered with the last coordinate
    fastest, and process i is rank ``ranks[i]``.

    Parameters
    ----------
    grid : tuple of int
        How many processes each index is dealt out over.
    block : tuple of int, optional
        How many values of each index lie together; None: each coordinate has one block.
    ranks : tuple of int, optional
        A different rank for each process; None: its number.

    Examples
    --------
    >>> import ashlar
    >>> ashlar.Distribution(grid=(1, 1), block=(32, 32))
    Distribution(grid=(1, 1), block=(32, 32), ranks=None)
    """

    grid: tuple[int, ...]
    block: Optional[tuple[int, ...]] = None
    ranks: Optional[tuple[int, ...]] = None

    def __post_init__(self) -> None:
        for name in ("grid", "block", "ranks"):
            given = getattr(self, name)
            if given is None and name != "grid":
                continue
            least = 0 if name == "ranks" else 1
            values = tuple(int(each) for each in given)
            if any(each < least for each in values):
                raise ArgumentError(f"{name} is {values}: numbers from {least} on are wanted")
            object.__setattr__(self, name, values)
        if self.block is not None and len(self.block) != len(self.grid):
            raise ArgumentError(f"block has {len(self.block)} numbers and grid {len(self.grid)}")
        if self.ranks is not None and not len(set(self.ranks)) == len(self.ranks) == math.prod(self.grid):
            raise ArgumentError(f"ranks are {self.ranks}: {math.prod(self.grid)} different ones are wanted")

    def most_rank(self) -> int:
        """The highest rank that may own something."""
        return max(self.ranks) if self.ranks is not None else math.prod(self.grid) - 1

    def blocks(self, shape: Shape) -> tuple[int, ...]:
        """Values that lie together of each index of an array of this shape."""
        return self.block or tuple(max(1, -(-extent // parts)) for extent, parts in zip(shape, self.grid))

    def owned(self, shape: Shape, rank: int) -> Shape:
        """The shape of what a rank owns: zeros if it owns nothing, but () of a scalar's owner and (0,) of others."""
        places = list(self.ranks) if self.ranks is not None else list(range(math.prod(self.grid)))
        if rank not in places:
            return (0,) * max(len(shape), 1)
        where = np.unravel_index(places.index(rank), self.grid) if self.grid else ()
        return tuple(extent // (block * parts) * block + min(max(extent % (block * parts) - int(at) * block, 0), block)
                     for extent, block, parts, at in zip(shape, self.blocks(shape), self.grid, where))

    def permuted(self, axes: Sequence[int], shape: Shape) -> Distribution:
        """That of the array with its axes in another order."""
        places = np.array(self.ranks if self.ranks is not None else range(math.prod(self.grid))).reshape(self.grid)
        blocks = self.blocks(shape)
        return Distribution(tuple(self.grid[axis] for axis in axes), tuple(blocks[axis] for axis in axes),
                            tuple(int(rank) for rank in places.transpose(axes).ravel()))


def block_cyclic(shape: Shape, ranks: int) -> Distribution:
    """The distribution of an array unless the caller says otherwise: blocks over a grid of all ranks."""
    grid, left = [1] * len(shape), ranks if shape else 1
    for prime in _primes(left):
        wide = max(range(len(shape)), key=lambda axis: shape[axis] / grid[axis])
        grid[wide] *= prime
    return Distribution(tuple(grid), tuple(max(1, min(BLOCK, -(-extent // parts)))
                                           for extent, parts in zip(shape, grid)))


def _primes(number: int) -> list[int]:
    """Its prime factors, the largest first."""
    found, prime = [], 2
    while prime * prime <= number:
        while number % prime == 0:
            found.append(prime)
            number //= prime
        prime += 1
    return (found + [number] if number > 1 else found)[::-1]


class DistArray:
    """An array of any number of dimensions that is dealt out over the ranks of a communicator.

    Made by `DistArray.from_function`, `DistArray.from_array` or `DistArray.zeros`; operands of ``@`` and of `einsum`,
    whose results are such arrays, too. Every rank makes the same calls; nothing that is freed needs MPI.

    Attributes
    ----------
    shape : tuple of int
        Of the whole array.
    dtype : numpy type
    comm : mpi4py communicator
    distribution : Distribution
        Who owns what.
    local : array
        What this rank owns, its own values of each index in their order. It may be changed.

    Examples
    --------
    >>> from mpi4py import MPI
    >>> import ashlar
    >>> A = ashlar.DistArray.from_function(lambda i, j: i + 2.0 * j, (3, 2), comm=MPI.COMM_SELF)
    >>> (A @ A.T).gather()
    array([[ 4.,  6.,  8.],
           [ 6., 10., 14.],
           [ 8., 14., 20.]])
    """

    __array_ufunc__ = None

    def __init__(self, shape: Sequence[int], dtype: Any, comm: Any, layout: Optional[Distribution] = None,
                 local: Optional[Array] = None) -> None:
        self.context = _runtime.over(comm)
        self.shape: Shape = tuple(int(extent) for extent in shape)
        self.dtype = np.dtype(dtype)
        if self.dtype != HALF:
            type_of(self.dtype, "the array")
        if any(extent < 0 for extent in self.shape):
            raise ArgumentError(f"shape is {self.shape}: numbers from 0 on are wanted")
        self.comm = comm
        self.distribution = layout or block_cyclic(self.shape, self.context.size)
        if len(self.distribution.grid) != len(self.shape):
            raise ArgumentError(f"the distribution is of {len(self.distribution.grid)} indices and the array of "
                                f"{len(self.shape)}")
        if self.distribution.most_rank() >= self.context.size:
            raise ArgumentError(f"the distribution has rank {self.distribution.most_rank()}, and there are "
                                f"{self.context.size}")
        self._owned, self._closed = self.distribution.owned(self.shape, self.context.rank), False
        self.local = np.empty(self._owned, self.dtype) if local is None else local

    def another(self, elements: bool = True) -> DistArray:
        """An array that is dealt out as this one is, with elements that nobody has set, or without any."""
        made = DistArray.__new__(DistArray)
        made.context, made.shape, made.dtype, made.comm = self.context, self.shape, self.dtype, self.comm
        made.distribution, made._owned, made._closed = self.distribution, self._owned, False
        made._local = np.empty(self._owned if elements else 0, self.dtype)
        return made

    @property
    def local(self) -> Array:
        """What this rank owns, its own values of each index in their order. It may be changed, or another array set."""
        return self._local

    @local.setter
    def local(self, array: Array) -> None:
        if (not isinstance(array, np.ndarray) or array.shape != self._owned or array.dtype != self.dtype):
            found = f"shape {array.shape} and elements of type {array.dtype}" if isinstance(array, np.ndarray) \
                else f"type {type(array).__name__}"
            raise ArgumentError(f"local has {found}: an array of {self._owned} and {self.dtype} is wanted")
        if array.size and (not array.flags.aligned or any(
                stride <= 0 or stride % array.itemsize
                for stride, extent in zip(array.strides, array.shape) if extent > 1)):
            raise ArgumentError(f"local has strides {array.strides}: multiples of {array.itemsize} above 0 are wanted, "
                                "as of numpy.ascontiguousarray")
        self._local = array

    @classmethod
    def zeros(cls, shape: Sequence[int], comm: Any, dtype: Any = np.float64,
              layout: Optional[Distribution] = None) -> DistArray:
        """An array of zeros."""
        made = cls(shape, dtype, comm, layout)
        made.local[...] = 0
        return made

    @classmethod
    def from_function(cls, function: Callable[..., Any], shape: Sequence[int], comm: Any, dtype: Any = np.float64,
                      layout: Optional[Distribution] = None) -> DistArray:
        """An array that a function makes: ``function(i, j, ...)`` of arrays of indices, as of numpy.fromfunction.

        Each rank calls it for boxes of its own, with open grids of indices (numpy.ogrid). If it raises on one rank,
        this fails on all.
        """
        made = cls(shape, dtype, comm, layout)

        def fill() -> None:
            for box, part in made._boxes():
                part[...] = function(*np.ogrid[box])

        made._on_all(fill)
        return made

    @classmethod
    def from_array(cls, array: Array, comm: Any, layout: Optional[Distribution] = None) -> DistArray:
        """An array of which every rank has a copy at the beginning, or may: each takes its own part."""
        made = cls(array.shape, array.dtype, comm, layout)

        def fill() -> None:
            for box, part in made._boxes():
                part[...] = array[box]

        made._on_all(fill)
        return made

    def described(self) -> Any:
        """The library's layout of this array, which the caller frees."""
        order, out, error = len(self.shape), ffi.new("ashlar_tensor_layout **"), new_error()
        if self._closed:
            raise ArgumentError("the array was closed")
        strides = [1 if extent <= 1 or not self.local.size else stride // self.dtype.itemsize
                   for stride, extent in zip(self.local.strides, self.local.shape)][:order]
        ranks = self.distribution.ranks
        check(lib.ashlar_tensor_layout_blocks(
            order, _numbers("int64_t[]", self.shape), _numbers("int64_t[]", self.distribution.blocks(self.shape)),
            _numbers("int[]", self.distribution.grid), ffi.NULL if ranks is None else _numbers("int[]", ranks),
            _numbers("int64_t[]", strides), out, error), error)
        return out[0]

    def _boxes(self) -> list[tuple[tuple[slice, ...], Array]]:
        """This rank's boxes of the whole array, and the part of `local` that each is."""
        if not self.local.size:
            return []
        layout, error, count = self.described(), new_error(), ffi.new("int64_t *")
        try:
            check(lib.ashlar_tensor_layout_list_boxes(layout, self.context.rank, 0, 0, ffi.NULL, count, error), error)
            boxes = ffi.new("ashlar_tensor_box[]", count[0])
            check(lib.ashlar_tensor_layout_list_boxes(layout, self.context.rank, 0, count[0], boxes, count, error),
                  error)
        finally:
            lib.ashlar_tensor_layout_free(ffi.new("ashlar_tensor_layout **", layout))
        itemsize, order, found = self.dtype.itemsize, range(len(self.shape)), []
        for box in boxes:
            start = getattr(box, "from") # a word of Python's, too
            whole = tuple(slice(start[d], start[d] + box.extent[d]) for d in order)
            at = np.unravel_index(box.offset, self.local.shape) if self.local.shape else ()
            part: list[Any] = [slice(int(at[d]), int(at[d]) + box.extent[d]) for d in order]
            found.append((whole, self.local[(*part, ...)])) # the dots make it a view, of a scalar, too
        return found

    def _on_all(self, call: Callable[[], None]) -> None:
        """Call a function on every rank; if it raises on one, fail on all."""
        raised: Optional[Exception] = None
        try:
            call()
        except Exception as error: # raised again below, once all ranks have it
            raised = error
        said = None if raised is None else f"rank {self.context.rank}: {type(raised).__name__}: {raised}"
        first = next((each for each in self.comm.allgather(said) if each is not None), None)
        if raised is not None:
            raise raised
        if first is not None:
            raise Error(first)

    @property
    def ndim(self) -> int:
        """How many dimensions the array has."""
        return len(self.shape)

    def transpose(self, *axes: int) -> DistArray:
        """The array with its axes in another order, reversed if none is named. Nothing is copied or moved."""
        order = axes or tuple(reversed(range(self.ndim)))
        if sorted(order) != list(range(self.ndim)):
            raise ArgumentError(f"axes are {order}: each of {self.ndim} dimensions is wanted once")
        local = self.local.transpose(order) if self.local.ndim == self.ndim else self.local
        return DistArray([self.shape[axis] for axis in order], self.dtype, self.comm,
                         self.distribution.permuted(order, self.shape), local)

    @property
    def T(self) -> DistArray:
        """The transpose. Nothing is copied or moved."""
        return self.transpose()

    def __matmul__(self, other: Any) -> Any:
        if not isinstance(other, DistArray):
            return NotImplemented
        from ._einsum import matmul
        return matmul(self, other)

    def redistribute(self, layout: Distribution) -> DistArray:
        """The same array, dealt out in another way. Collective."""
        from ._kept import run
        letters = "".join(chr(ord("a") + axis) for axis in range(self.ndim))
        out = DistArray(self.shape, self.dtype, self.comm, layout)
        if self.dtype == HALF: # what is not multiplied has no such type: floats have the values exactly
            single = DistArray(self.shape, SINGLE, self.comm, self.distribution, self.local.astype(SINGLE))
            out.local[...] = single.redistribute(layout).local
            return out
        run(f"{letters}->{letters}", [self], out, None, 1, 0, None, {"conjugate": (), "memory": None, "threads": None})
        return out

    def gather(self, root: Optional[int] = None) -> Optional[Array]:
        """The whole array, on one rank, or on all if none is named; None on others."""
        at = 0 if root is None else root
        if not 0 <= at < self.context.size:
            raise ArgumentError(f"root is {root}, and there are {self.context.size} ranks")
        whole = self.redistribute(Distribution((1,) * self.ndim, None, (at,))).local
        if root is not None:
            return whole if self.context.rank == root else None
        whole = whole if self.context.rank == 0 else np.empty(self.shape, self.dtype)
        flat = whole.reshape(-1)
        if self.dtype == HALF: # MPI has no such type
            flat = flat.view(np.int16)
        for start in range(0, flat.size, PIECE):
            self.comm.Bcast(flat[start:start + PIECE], root=0)
        return whole

    def close(self) -> None:
        """Give this rank's memory back. Local, as is all that an array holds."""
        self._owned, self._closed = (0,), True
        self.local = np.empty((0,), self.dtype)

    def __enter__(self) -> DistArray:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()

    def __array__(self, *_: Any) -> NoReturn:
        raise TypeError("a DistArray is dealt out over ranks: .local is this rank's part, and .gather() makes an array "
                        "of all of it")

    def __repr__(self) -> str:
        grid = "x".join(map(str, self.distribution.grid)) or "1"
        return (f"<ashlar.DistArray of shape {self.shape} and type {self.dtype}, on a grid {grid} of "
                f"{self.context.size} ranks; rank {self.context.rank} has {self.local.size} elements>")


def _numbers(kind: str, values: Sequence[int]) -> Any:
    """An array of C with at least one element."""
    return ffi.new(kind, list(values) or [0])
