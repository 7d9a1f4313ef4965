"""Matrices of tiles over several ranks. Every rank runs every test."""
import json
import os
import tempfile

import ashlar
import numpy as np
import pytest
from ashlar import TileMatrix
from mpi4py import MPI

COMM = MPI.COMM_WORLD
P, RANK = COMM.size, COMM.rank
ROWS, COLS = (0, 3, 3, 8, 10), (0, 4, 9)


def dense(rows, cols, dtype="float64", present=lambda i, j: (i + j) % 3 != 1):
    """A matrix of small whole numbers of which some tiles are zeros."""
    rng = np.random.default_rng(4)
    made = rng.integers(-3, 4, (rows[-1], cols[-1])).astype(dtype)
    if made.dtype.kind == "c":
        made += 1j * rng.integers(-3, 4, made.shape)
    for i in range(len(rows) - 1):
        for j in range(len(cols) - 1):
            if not present(i, j):
                made[rows[i]:rows[i + 1], cols[j]:cols[j + 1]] = 0
    return made


@pytest.fixture
def place():
    """A place in a file that all ranks see."""
    folder = COMM.bcast(tempfile.mkdtemp() if RANK == 0 else None)
    yield f"{folder}/T.h5:/T"
    COMM.barrier()
    if RANK == 0:
        for name in os.listdir(folder):
            os.remove(f"{folder}/{name}")
        os.rmdir(folder)


def test_tiles_are_set_from_any_rank_and_found():
    whole = dense(ROWS, COLS)
    T = TileMatrix(ROWS, COLS, COMM)
    for i in range(4):
        for j in range(2):
            block = whole[ROWS[i]:ROWS[i + 1], COLS[j]:COLS[j + 1]]
            if (i + 2 * j) % P == RANK and np.any(block):
                T[i, j] = block
            T.accumulate(3, 0, np.ones((2, 4)))
    whole[8:, :4] += 8 * P
    assert np.array_equal(T.to_dense(), whole)
    assert (T.shape, T.tile_shape, T.row_cuts, T.col_cuts) == ((10, 9), (4, 2), ROWS, COLS)
    assert COMM.allreduce(len(T.local_tiles())) == T.tiles
    fetched = T.fetch([(0, 0), (-1, -1), (2, 0)])
    for tile, (i, j) in zip(fetched, [(0, 0), (3, 1), (2, 0)]):
        expected = whole[ROWS[i]:ROWS[i + 1], COLS[j]:COLS[j + 1]]
        assert np.array_equal(tile, expected) if tile is not None else not np.any(expected)
    for i, j in T.local_tiles():
        assert T.owner(i, j) == RANK
        assert np.array_equal(T[i, j], whole[ROWS[i]:ROWS[i + 1], COLS[j]:COLS[j + 1]])
    if P > 1:
        other = next((i, j) for i in range(4) for j in range(2) if T.owner(i, j) != RANK)
        with pytest.raises(ashlar.ArgumentError) as raised:
            T[other]
        assert str(raised.value) == (f"tile {other} belongs to rank {T.owner(*other)}, and this is rank {RANK}: fetch "
                                     "has tiles of other ranks")


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
def test_products_and_algebra(dtype):
    a, b = dense(ROWS, COLS, dtype), dense(COLS, ROWS, dtype, lambda i, j: i != j)
    A, B = TileMatrix.from_dense(a, ROWS, COLS, COMM), TileMatrix.from_dense(b, COLS, ROWS, COMM)
    C = A @ B
    assert np.array_equal(C.to_dense(), a @ b)
    assert COMM.allreduce(C.product.products) > 0 and C.product.stays in "ABC" and C.product.left_out == 0
    D = A.multiply(A, ops="CN", alpha=2)
    assert np.array_equal(D.to_dense(), 2 * a.conj().T @ a)
    assert A.multiply(B, out=C, alpha=-1, beta=1) is C and C.norm() == 0
    assert np.array_equal((A + A).to_dense(), 2 * a) and np.array_equal((3 * A - A).to_dense(), 2 * a)
    assert np.array_equal(A.transpose().to_dense(), a.T)
    assert np.array_equal(B.transpose(conjugate=True).to_dense(), b.conj().T)
    S = A @ B
    assert S.trace() == np.trace(a @ b) and np.array_equal(S.diagonal(), np.diagonal(a @ b))
    assert np.array_equal(S.copy().add_diagonal(2).to_dense(), a @ b + 2 * np.eye(10))
    assert np.isclose(A.norm(), np.linalg.norm(a))


def test_sums_of_matrices_dealt_out_differently():
    cuts = [0, 3, 4, 9, 10]
    a, b = dense(cuts, cuts, "float64"), dense(cuts, cuts, "float64", lambda i, j: i != j)
    deals = [None, ashlar.TileDeal(grid=(P, 1), row_map=tuple(i * P // 4 for i in range(4))),
             ashlar.TileDeal(grid=(1, P), col_map=tuple((P - 1 - j) % P for j in range(4)))]
    for first in deals:
        for second in deals:
            A = TileMatrix.from_dense(a, cuts, comm=COMM, deal=first)
            B = TileMatrix.from_dense(b, cuts, comm=COMM, deal=second)
            C = A + B
            assert np.array_equal(C.to_dense(), a + b) and np.array_equal((A.copy() - B).to_dense(), a - b)
            assert all(C.owner(i, j) == A.owner(i, j) for i in range(4) for j in range(4))
            assert np.array_equal(A.multiply_elements(B).to_dense(), a * b)
            assert A.trace_product(B, "T") == np.sum(a * b)
            assert np.array_equal(B.to_dense(), b)


def test_symmetries():
    half = dense(ROWS, ROWS, "complex128")
    for symmetry, whole in [("symmetric", half + half.T), ("antihermitian", half - half.conj().T)]:
        T = TileMatrix.from_dense(whole, ROWS, comm=COMM, symmetry=symmetry)
        assert np.array_equal(T.to_dense(), whole)
        assert all(i <= j for i, j in T.local_tiles())
        for i, j in T.local_tiles():
            assert np.array_equal(T[j, i], whole[ROWS[j]:ROWS[j + 1], ROWS[i]:ROWS[i + 1]])
        assert np.array_equal((T @ T).to_dense(), whole @ whole)


def test_a_threshold_leaves_products_out():
    cuts = list(range(0, 65, 4))
    distance = np.abs(np.subtract.outer(np.arange(64), np.arange(64)))
    whole = np.exp(-1.0 * distance)
    T = TileMatrix.from_dense(whole, cuts, comm=COMM, threshold=1e-8)
    assert T.density < 1
    exact, few = T.multiply(T, bound=True), T.multiply(T, threshold=1e-6)
    assert exact.product.left_out == 0 and COMM.allreduce(few.product.left_out) > 0
    error = np.linalg.norm(few.to_dense() - whole @ whole)
    assert 0 < error <= few.product.error_bound + 1e-7
    low, high = T.spectrum()
    eigenvalues = np.linalg.eigvalsh(T.to_dense())
    assert low <= eigenvalues[0] and eigenvalues[-1] <= high


def test_algebra_that_is_not_a_product():
    a, b = dense(ROWS, ROWS), dense(ROWS, ROWS, present=lambda i, j: i != j)
    A, B = (TileMatrix.from_dense(each, ROWS, comm=COMM) for each in (a, b))
    v = np.arange(10.0)
    assert np.array_equal(A.multiply_elements(B).to_dense(), a * b)
    assert A.trace_product(B) == np.trace(a @ b) and A.trace_product(B, "T") == np.trace(a.T @ b)
    assert np.array_equal(A.copy().scale_by_diagonal(v, v + 1).to_dense(), v[:, None] * a * (v + 1))
    assert np.array_equal(A.copy().set_diagonal(v).diagonal(), v)
    S = TileMatrix.from_dense(a + a.T, ROWS, comm=COMM, symmetry="symmetric")
    low, high = S.gershgorin()
    eigenvalues = np.linalg.eigvalsh(a + a.T)
    assert low <= eigenvalues[0] and eigenvalues[-1] <= high


def test_tiles_of_low_rank():
    cuts = (0, 40, 90)
    u, v = np.arange(40.0)[:, None], np.ones((50, 1))
    T = TileMatrix(cuts, comm=COMM)
    if RANK == P - 1:
        T.put_low_rank(0, 1, u, v)
    T.finish()
    assert (T.tiles, T.low_rank_tiles) == (1, 1)
    whole = np.zeros((90, 90))
    whole[:40, 40:] = u @ v.T
    assert np.array_equal(T.to_dense(), whole)
    assert T.expand().low_rank_tiles == 0
    assert T.compress(1e-12, relative=True) <= 1e-9 * np.linalg.norm(whole) and T.low_rank_tiles == 1
    product = T.multiply(T, ops="NT", tolerance=1e-9, relative=True)
    assert np.allclose(product.to_dense(), whole @ whole.T, rtol=1e-9)
    assert (product.tiles, product.low_rank_tiles) == (1, 1)


def test_a_plan_is_used_again():
    a, b = dense(ROWS, COLS), dense(COLS, ROWS, present=lambda i, j: i != j)
    A, B = TileMatrix.from_dense(a, ROWS, COLS, COMM), TileMatrix.from_dense(b, COLS, ROWS, COMM)
    C = TileMatrix(ROWS, comm=COMM)
    with ashlar.TilePlan([(A, B), (A, B)], C, threads=1, window=2) as plan:
        assert plan.run() is C and np.array_equal(C.to_dense(), 2 * a @ b)
        assert plan.run(alpha=-1, beta=1).norm() == 0
        D = TileMatrix(ROWS, comm=COMM)
        assert plan.run([(3 * A, B), (A, B)], D) is D and np.array_equal(D.to_dense(), 4 * a @ b)
        assert plan.planned == {"new": 0, "changed": 0, "reused": 3} and plan.bytes > 0
        with pytest.raises(ashlar.ArgumentError, match="there are 1 terms: 2 are wanted"):
            plan.run([(A, B)])
    with pytest.raises(ashlar.ArgumentError, match="the plan was closed"):
        plan.run()
    assert repr(plan) == "<ashlar.TilePlan, closed>"
    own = COMM.Dup()
    X = TileMatrix.from_dense(np.eye(4), (0, 2, 4), comm=own)
    left = ashlar.TilePlan([(X, X)], X.copy(), ops="NT")
    assert repr(left).startswith("<ashlar.TilePlan of 1 product to shape (4, 4), ")
    X.close()
    own.Free() # with the plan
    assert repr(left) == "<ashlar.TilePlan, closed>"


def test_work_is_dealt_out():
    cuts = tuple(range(0, 41, 5))
    a = np.triu(np.ones((40, 40)))
    A = TileMatrix.from_dense(a, cuts, comm=COMM)
    deal = ashlar.deal_by_work(A, A, grid=(P, 1))
    assert sorted(set(deal.row_map)) == list(range(P)) and set(deal.col_map) == {0}
    assert 1 <= deal.imbalance < 1.6
    A = TileMatrix.from_dense(a, cuts, comm=COMM, deal=deal)
    C = A.multiply(A, out=TileMatrix(cuts, comm=COMM, deal=deal), stays="C", layers=1)
    assert np.array_equal(C.to_dense(), a @ a)
    assert [C.owner(i, 0) for i in range(8)] == list(deal.row_map)
    assert abs(C.product.imbalance - deal.imbalance) < 1e-12
    with pytest.raises(ashlar.ArgumentError, match="row_map has 2 numbers for 8 rows or columns of tiles"):
        TileMatrix(cuts, comm=COMM, deal=ashlar.TileDeal(row_map=(0, 0)))
    assert "<td>imbalance</td>" in deal._repr_html_() and "<td>stays</td><td>C</td>" in C.product._repr_html_()


def test_files_traces_and_progress(place):
    A = TileMatrix.from_dense(dense(ROWS, ROWS), ROWS, comm=COMM)
    A.save(place)
    with TileMatrix.load(place, COMM) as B:
        assert np.array_equal(A.to_dense(), B.to_dense())
    steps = []
    path = place.split(":")[0] + ".json"
    C = A.multiply(A, trace=path, progress=lambda done, every: steps.append((done, every)))
    assert steps and steps[-1][0] == steps[-1][1]
    with open(path) as file:
        assert json.load(file)
    assert repr(C).startswith("<ashlar.TileMatrix of shape (10, 10) and type float64, 4 x 4 tiles: ")
    assert repr(B) == "<ashlar.TileMatrix, closed>"

    def fails(done, every):
        raise KeyError("enough")

    with pytest.raises(KeyError, match="enough"):
        A.multiply(A, progress=fails)


@pytest.mark.parametrize("call, text", [
    (lambda T: TileMatrix([1, 2]), "row_cuts are [1, 2]: numbers that do not decrease are wanted, the first 0"),
    (lambda T: TileMatrix([0, 2], symmetry="odd"),
     "symmetry is 'odd': one of general, symmetric, antisymmetric, hermitian, antihermitian is wanted"),
    (lambda T: T.__setitem__((0, 0), np.ones((2, 2))),
     "tile (0, 0) is given as (2, 2) of type float64: (3, 4) and float64 are wanted"),
    (lambda T: TileMatrix([0, 1.5]), "row_cuts are [0, 1.5]: whole numbers are wanted"),
    (lambda T: T.multiply(None), "a matrix is a NoneType: a TileMatrix is wanted"),
    (lambda T: T.multiply(T, stays="D", ops="NT"),
     "stays is 'D': \"A\", \"B\" or \"C\" is wanted, or None for the library's choice"),
    (lambda T: T.put_low_rank(0, 0, np.ones((3, 1)), np.ones((3, 1))),
     "tile (0, 0) is given as (3, 1) of type float64 and (3, 1) of type float64: (3, rank), (4, rank) and float64 are "
     "wanted"),
    (lambda T: T[4, 0], "there is no tile (4, 0): there are 4 x 2"),
    (lambda T: T[0], "a tile is named by two numbers, not by 0"),
    (lambda T: T.multiply(T, ops="NX"), "ops is 'NX': two of N, T and C are wanted"),
    (lambda T: T.multiply(T, progress=3, ops="NT"), "progress is 3: a bool or a function is wanted"),
])
def test_wrong_arguments(call, text):
    with pytest.raises(ashlar.ArgumentError) as raised:
        call(TileMatrix(ROWS, COLS, COMM))
    assert str(raised.value) == text


def test_numpy_refuses_a_matrix_of_tiles():
    T = TileMatrix(ROWS, COLS, COMM)
    for call in (lambda: np.asarray(T), lambda: np.ones((9, 10)) @ T, lambda: np.add(T, T)):
        with pytest.raises(TypeError):
            call()


def test_what_does_not_fit_is_the_same_error_on_all_ranks():
    A, B = TileMatrix(ROWS, COLS, COMM), TileMatrix(ROWS, ROWS, COMM)
    with pytest.raises(ashlar.ArgumentError) as raised:
        A @ B
    assert len(set(COMM.allgather(str(raised.value)))) == 1
    closed = TileMatrix(ROWS, comm=COMM)
    closed.close()
    with pytest.raises(ashlar.ArgumentError, match="the matrix was closed"):
        closed.norm()
