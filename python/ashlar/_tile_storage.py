"""Matrices of tiles as they are stored: tiles set and read, dense arrays, files."""
from __future__ import annotations

import os
from typing import Any, Iterable, NoReturn, Optional, Sequence, TypeVar

import numpy as np

from . import _runtime
from ._distributed import DistArray, Distribution
from ._errors import ArgumentError, fail, new_error
from ._library import ffi, lib
from ._types import DTYPES, Array, in_memory, type_of

SYMMETRIES = ("general", "symmetric", "antisymmetric", "hermitian", "antihermitian")
Matrix = TypeVar("Matrix", bound="TileStorage")


class TileStorage:
    """What a `TileMatrix` has beside its algebra."""

    __array_ufunc__ = None

    def __array__(self, *_: Any) -> NoReturn:
        raise TypeError("a TileMatrix is dealt out over ranks: .to_dense() makes an array of all of it")

    def __init__(self, row_cuts: Sequence[int], col_cuts: Optional[Sequence[int]] = None, comm: Any = None,
                 dtype: Any = np.float64, symmetry: str = "general", deal: Any = None) -> None:
        self._tiles = ffi.NULL
        rows = _sizes(row_cuts, "row_cuts")
        cols = rows if col_cuts is None else _sizes(col_cuts, "col_cuts")
        if symmetry not in SYMMETRIES:
            raise ArgumentError(f"symmetry is {symmetry!r}: one of {', '.join(SYMMETRIES)} is wanted")
        down, across = ffi.new("int64_t[]", rows or [0]), ffi.new("int64_t[]", cols or [0])
        grid, row_map, col_map = (0, 0), ffi.NULL, ffi.NULL
        if deal is not None:
            grid = deal.grid or (0, 0)
            row_map, col_map = _map(deal.row_map, len(rows), "row_map"), _map(deal.col_map, len(cols), "col_map")
        wanted = ffi.new("ashlar_tiles_description *", {
            "size": ffi.sizeof("ashlar_tiles_description"), "type": type_of(np.dtype(dtype), "the matrix"),
            "symmetry": SYMMETRIES.index(symmetry), "tile_rows": len(rows), "tile_cols": len(cols), "row_sizes": down,
            "col_sizes": across, "grid_rows": grid[0], "grid_cols": grid[1], "row_map": row_map, "col_map": col_map})
        self._deal = deal
        context, out = _runtime.over(comm), ffi.new("ashlar_tiles **")
        call(context, lib.ashlar_tiles_create, context.handle, wanted, out)
        self._adopt(context, comm, out[0])

    def _adopt(self, context: Any, comm: Any, tiles: Any) -> None:
        """Take over a matrix that the library has made."""
        self._context, self.comm, self._tiles = context, comm, tiles
        info = self._info()
        self.dtype, self.symmetry = DTYPES[info.type], SYMMETRIES[info.symmetry]
        self._number = int(info.type)
        self.shape = int(info.rows), int(info.cols)
        self.tile_shape = int(info.tile_rows), int(info.tile_cols)
        self.row_cuts = tuple(ffi.unpack(info.row_cuts, self.tile_shape[0] + 1))
        self.col_cuts = tuple(ffi.unpack(info.col_cuts, self.tile_shape[1] + 1))

    @classmethod
    def _of(cls: type[Matrix], like: TileStorage, tiles: Any) -> Matrix:
        """A matrix that the library has made over the communicator of another one."""
        made = cls.__new__(cls)
        made._deal = like._deal
        made._adopt(like._context, like.comm, tiles)
        return made

    @classmethod
    def load(cls: type[Matrix], place: str, comm: Any = None) -> Matrix:
        """The matrix in a group of an HDF5 file, ``"PATH.h5:/GROUP"``, as `save` writes it. Collective."""
        context, out = _runtime.over(comm), ffi.new("ashlar_tiles **")
        call(context, lib.ashlar_tiles_load, context.handle, os.fspath(place).encode(), ffi.NULL, out)
        made = cls.__new__(cls)
        made._deal = None
        made._adopt(context, comm, out[0])
        return made

    @classmethod
    def from_dense(cls: type[Matrix], array: Array, row_cuts: Sequence[int],
                   col_cuts: Optional[Sequence[int]] = None, comm: Any = None, threshold: float = 0,
                   symmetry: str = "general", deal: Any = None) -> Matrix:
        """The tiles of an array that every rank has, without those whose norm is below a threshold. Collective."""
        array = in_memory(array, "the array")
        made = cls(row_cuts, col_cuts, comm, array.dtype, symmetry, deal)
        if array.shape != made.shape:
            raise ArgumentError(f"the array has shape {array.shape}, and the cuts are those of {made.shape}")
        whole, layout = np.ascontiguousarray(array), made._everything_on_first()
        try:
            made._do(lib.ashlar_tiles_from_dense, made._tiles, layout, ffi.from_buffer(whole), float(threshold))
        finally:
            lib.ashlar_layout_free(ffi.new("ashlar_layout **", layout))
        return made

    def to_dense(self) -> Array:
        """The whole matrix as an array, on all ranks, with zeros where tiles are absent. Collective."""
        self.finish()
        whole, layout = np.zeros(self.shape, self.dtype), self._everything_on_first()
        try:
            self._do(lib.ashlar_tiles_to_dense, self._tiles, layout, ffi.from_buffer(whole, require_writable=True))
        finally:
            lib.ashlar_layout_free(ffi.new("ashlar_layout **", layout))
        if self._context.size > 1:
            local = whole if self._context.rank == 0 else np.empty((0, 0), self.dtype)
            first = Distribution((1, 1), None, (0,))
            return np.asarray(DistArray(self.shape, self.dtype, self.comm, first, local).gather())
        return whole

    def _everything_on_first(self) -> Any:
        """The layout of an array in C order on rank 0."""
        out, error = ffi.new("ashlar_layout **"), new_error()
        status = lib.ashlar_layout_block_cyclic(*self.shape, max(self.shape[0], 1), max(self.shape[1], 1), 1, 1, 0, 0,
                                                ffi.NULL, lib.ASHLAR_ROW_MAJOR, 0, out, error)
        if status:
            fail(status, error)
        return out[0]

    # ---- tiles ----

    def __setitem__(self, at: tuple[int, int], block: Any) -> None:
        """Put a tile, of any rank. Local: it is there after the next collective call."""
        self._put(lib.ashlar_tiles_put, at, block)

    def accumulate(self, i: int, j: int, block: Any) -> None:
        """Add to tile (i, j), of any rank. Local, as setting a tile; the sum has the same bits each time."""
        self._put(lib.ashlar_tiles_accumulate, (i, j), block)

    def put_low_rank(self, i: int, j: int, u: Array, v: Array) -> None:
        """Put tile (i, j), of any rank, as ``u @ v.T``. Local, as setting a tile.

        It is stored so if that takes less memory than the dense tile. `u` has the tile's rows and `v` its columns.
        """
        i, j = self._place((i, j))
        rows, cols = self.row_cuts[i + 1] - self.row_cuts[i], self.col_cuts[j + 1] - self.col_cuts[j]
        left, right = np.asfortranarray(u), np.asfortranarray(v)
        if (left.ndim != 2 or left.shape[0] != rows or right.shape != (cols, left.shape[1])
                or left.dtype != self.dtype or right.dtype != self.dtype):
            raise ArgumentError(f"tile ({i}, {j}) is given as {left.shape} of type {left.dtype} and {right.shape} of "
                                f"type {right.dtype}: ({rows}, rank), ({cols}, rank) and {self.dtype} are wanted")
        self._do(lib.ashlar_tiles_put_low_rank, self._open(), i, j, left.shape[1], _address(left), max(rows, 1),
                 _address(right), max(cols, 1))

    def _put(self, function: Any, at: tuple[int, int], block: Any) -> None:
        i, j = self._place(at)
        wanted = self.row_cuts[i + 1] - self.row_cuts[i], self.col_cuts[j + 1] - self.col_cuts[j]
        array = np.asarray(block)
        if array.dtype != self.dtype or array.shape != wanted:
            raise ArgumentError(f"tile ({i}, {j}) is given as {array.shape} of type {array.dtype}: {wanted} and "
                                f"{self.dtype} are wanted")
        array = np.ascontiguousarray(array)
        self._do(function, self._tiles, i, j, *wanted, lib.ASHLAR_ROW_MAJOR, max(wanted[1], 1), ffi.from_buffer(array))

    def _place(self, at: tuple[int, int]) -> tuple[int, int]:
        """Numbers of a row and a column of tiles; negative ones count from the end."""
        if not (isinstance(at, tuple) and len(at) == 2 and all(hasattr(each, "__index__") for each in at)):
            raise ArgumentError(f"a tile is named by two numbers, not by {at!r}")
        found = tuple(int(each) + (count if each < 0 else 0) for each, count in zip(at, self.tile_shape))
        if not all(0 <= each < count for each, count in zip(found, self.tile_shape)):
            raise ArgumentError(f"there is no tile {at!r}: there are {self.tile_shape[0]} x {self.tile_shape[1]}")
        return found[0], found[1]

    def __getitem__(self, at: tuple[int, int]) -> Optional[Array]:
        """A copy of a tile of this rank; None if it is absent. Local. `fetch` has tiles of any rank."""
        i, j = self._place(at)
        owner = int(lib.ashlar_tiles_owner(self._open(), i, j))
        if owner != self._context.rank:
            raise ArgumentError(f"tile ({i}, {j}) belongs to rank {owner}, and this is rank {self._context.rank}: "
                                "fetch has tiles of other ranks")
        mirrored = self.symmetry != "general" and i > j
        found = ffi.new("ashlar_stored_tile *")
        self._do(lib.ashlar_tiles_get, self._tiles, *((j, i) if mirrored else (i, j)), found)
        if found.number < 0:
            return None
        tile = self._elements(found)
        if not mirrored:
            return tile
        turned = tile.T.conj() if "hermitian" in self.symmetry else tile.T
        return np.ascontiguousarray(-turned if self.symmetry.startswith("anti") else turned)

    def _elements(self, tile: Any) -> Array:
        """A copy of a stored tile."""

        def matrix(data: Any, rows: int, cols: int) -> Array:
            if rows * cols == 0:
                return np.zeros((rows, cols), self.dtype)
            flat = np.frombuffer(ffi.buffer(data, rows * cols * self.dtype.itemsize), self.dtype)
            return flat.reshape(cols, rows).T

        if tile.rank >= 0: # U V^T
            return np.asarray(matrix(tile.u, tile.rows, tile.rank) @ matrix(tile.v, tile.cols, tile.rank).T)
        return np.ascontiguousarray(matrix(tile.data, tile.rows, tile.cols))

    def fetch(self, tiles: Iterable[tuple[int, int]]) -> list[Optional[Array]]:
        """Copies of tiles of any ranks, None for absent ones. Collective; each rank names its own."""
        self.finish()
        places = [self._place(each) for each in tiles]
        shapes = [(self.row_cuts[i + 1] - self.row_cuts[i], self.col_cuts[j + 1] - self.col_cuts[j])
                  for i, j in places]
        room = np.empty(max(sum(rows * cols for rows, cols in shapes), 1), self.dtype)
        present = ffi.new("int[]", max(len(places), 1))
        self._do(lib.ashlar_tiles_fetch, self._tiles, len(places), ffi.new("int64_t[]", [i for i, _ in places] or [0]),
                 ffi.new("int64_t[]", [j for _, j in places] or [0]), ffi.from_buffer(room, require_writable=True),
                 present)
        found, at = [], 0
        for number, (rows, cols) in enumerate(shapes):
            tile = room[at:at + rows * cols].reshape(cols, rows).T.copy(order="C")
            found.append(tile if present[number] else None)
            at += rows * cols
        return found

    def owner(self, i: int, j: int) -> int:
        """The rank that tile (i, j) belongs to, present or absent. Local."""
        return int(lib.ashlar_tiles_owner(self._open(), *self._place((i, j))))

    def local_tiles(self) -> list[tuple[int, int]]:
        """The tiles that this rank has stored. Local."""
        found, numbers = ffi.new("ashlar_stored_tile *"), range(self._info().local_tiles)
        places = []
        for number in numbers:
            self._do(lib.ashlar_tiles_local, self._tiles, number, found)
            places.append((int(found.row), int(found.col)))
        return places

    def finish(self) -> None:
        """Bring tiles that were set to their owners. Collective; other collective calls do it first."""
        self._do(lib.ashlar_tiles_finish, self._open())

    # ---- what there is ----

    @property
    def tiles(self) -> int:
        """Tiles that all ranks have stored. Local."""
        return int(self._info().tiles)

    @property
    def low_rank_tiles(self) -> int:
        """Those of them that are stored as U V^T. Local."""
        return int(self._info().low_rank_tiles)

    @property
    def density(self) -> float:
        """Elements of present tiles as a part of all. Local."""
        return float(self._info().density)

    def _info(self) -> Any:
        found = ffi.new("ashlar_tiles_info *")
        self._do(lib.ashlar_tiles_inspect, self._open(), found)
        return found

    def _open(self) -> Any:
        if self._tiles == ffi.NULL:
            raise ArgumentError("the matrix was closed")
        return self._tiles

    def _do(self, function: Any, *arguments: Any) -> None:
        self._open()
        call(self._context, function, *arguments)

    def close(self) -> None:
        """Free the matrix. Local."""
        tiles, self._tiles = self._tiles, ffi.NULL
        lib.ashlar_tiles_free(ffi.new("ashlar_tiles **", tiles))

    def __enter__(self: Matrix) -> Matrix:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()

    def __del__(self) -> None:
        # The library frees a matrix without MPI, so this may happen at any time.
        if lib is not None and getattr(self, "_tiles", ffi.NULL) != ffi.NULL:
            self.close()


def _address(array: Array) -> Any:
    """Where an array's elements begin."""
    return ffi.cast("void *", array.ctypes.data)


def _map(given: Optional[Sequence[int]], count: int, what: str) -> Any:
    """Numbers of processes for the library."""
    if given is None:
        return ffi.NULL
    if len(given) != count:
        raise ArgumentError(f"{what} has {len(given)} numbers for {count} rows or columns of tiles")
    return ffi.new("int[]", list(given) or [0])


def _sizes(cuts: Sequence[int], what: str) -> list[int]:
    """Sizes between cuts."""
    if not all(hasattr(cut, "__index__") for cut in cuts):
        raise ArgumentError(f"{what} are {list(cuts)}: whole numbers are wanted")
    given = [int(cut) for cut in cuts]
    if not given or given[0] != 0 or any(b < a for a, b in zip(given, given[1:])):
        raise ArgumentError(f"{what} are {given}: numbers that do not decrease are wanted, the first 0")
    return [b - a for a, b in zip(given, given[1:])]


def call(context: Any, function: Any, *arguments: Any, turn: Any = None) -> None:
    """A call of the library over a context, in a turn of its own or in one of all threads."""
    context.check()
    error = new_error()
    with turn or context.lock:
        status = function(*arguments, error)
    if status:
        fail(status, error, context.least())
