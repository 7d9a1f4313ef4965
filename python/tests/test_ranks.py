"""What several ranks do together. Every rank runs every test."""
import json
import os
import signal
import tempfile

import ashlar
import numpy as np
import pytest
from ashlar import DistArray, Distribution
from mpi4py import MPI

COMM = MPI.COMM_WORLD
P, RANK = COMM.size, COMM.rank


@pytest.fixture
def folder():
    """A folder that all ranks see."""
    path = COMM.bcast(tempfile.mkdtemp() if RANK == 0 else None)
    yield path
    COMM.barrier()
    if RANK == 0:
        for name in os.listdir(path):
            os.remove(f"{path}/{name}")
        os.rmdir(path)


def value(*indices):
    """A whole number for each element, so that sums are exact."""
    return sum((axis + 2) * index for axis, index in enumerate(indices)) % 7 - 3.0


def whole(shape, dtype="float64"):
    return np.fromfunction(value, shape).astype(dtype) if shape else np.array(2, dtype)


def distributions(order):
    """Some for arrays of `order` indices, over all ranks, over a part of them, and over one."""
    if order == 0:
        return [None, Distribution((), None, (P - 1,))]
    last = (1,) * (order - 1) + (P,)
    return [None, Distribution(last, (3,) * order), Distribution(last[::-1], None, tuple(reversed(range(P)))),
            Distribution((1,) * order, None, (P - 1,))]


@pytest.mark.parametrize("shape", [(7,), (10, 13), (4, 5, 6), (0, 3), (1, 1), ()])
def test_what_goes_in_comes_out(shape):
    expected = whole(shape)
    for distribution in distributions(len(shape)):
        made = DistArray.from_array(expected, COMM, distribution)
        if shape:
            again = DistArray.from_function(value, shape, COMM, layout=distribution)
            assert np.array_equal(made.local, again.local)
        assert COMM.allreduce(made.local.size) == expected.size
        assert np.array_equal(made.gather(), expected)
        on_last = made.gather(root=P - 1)
        assert np.array_equal(on_last, expected) if RANK == P - 1 else on_last is None
        for other in distributions(len(shape)):
            if other is not None:
                moved = made.redistribute(other)
                assert moved.distribution == other
                assert np.array_equal(moved.gather(), expected)


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
def test_products(dtype):
    a, b = whole((30, 20), dtype), whole((25, 20), dtype)
    with DistArray.from_array(a, COMM) as A, DistArray.from_array(b, COMM, distributions(2)[1]) as B:
        C = A @ B.T
        assert C.dtype == dtype and C.shape == (30, 25)
        assert np.array_equal(C.gather(), a @ b.T)
        D = ashlar.einsum("ij,kj->ik", A, B, out=C, alpha=2, beta=-1)
        assert D is C and np.array_equal(C.gather(), a @ b.T)
        one_rank = Distribution((1, 1))
        assert ashlar.matmul(A, B.T, layout=one_rank).distribution == one_rank
        norm = ashlar.einsum("ij,ij->", A, A, conjugate=[True, False])
        assert norm == np.einsum("ij,ij->", a.conj(), a)
        assert ashlar.einsum("ij->", A, layout=Distribution((), None, (P - 1,))) == a.sum()
    assert A.local.size == 0


@pytest.mark.parametrize("at", range(4))
def test_products_of_float16(at):
    a, b = whole((30, 2000), "float16"), whole((25, 2000), "float16") # sums beyond what float16 has exactly
    expected = a.astype("float32") @ b.T.astype("float32")
    A, B = (DistArray.from_array(each, COMM, distributions(2)[at]) for each in (a, b))
    assert A.local.dtype == B.gather().dtype == "float16" and np.array_equal(B.gather(), b)
    C = A @ B.T
    assert C.dtype == "float32" and np.array_equal(C.gather(), expected)
    D = DistArray.from_array(whole((25, 30), "float32"), COMM, distributions(2)[1]).T
    assert ashlar.matmul(A, B.T, out=D, alpha=2, beta=-1, comm=COMM) is D
    assert np.array_equal(D.gather(), 2 * expected - whole((25, 30), "float32").T)
    one_rank = Distribution((1, 1))
    assert ashlar.matmul(A, B.T, layout=one_rank, memory="1 MB").distribution == one_rank
    with pytest.raises(ashlar.LimitError) as raised:
        ashlar.matmul(A, B.T, memory=64)
    assert raised.value.least_words > 16 and len(set(COMM.allgather(str(raised.value)))) == 1


def test_tensors():
    v, t = whole((6, 5, 4, 3)), whole((4, 3, 7))
    V, T = DistArray.from_array(v, COMM), DistArray.from_array(t, COMM)
    R = ashlar.tensordot(V, T, axes=2)
    assert np.array_equal(R.gather(), np.tensordot(v, t, axes=2))
    S = ashlar.einsum("abcd,cde,fe->fba", V, T, DistArray.from_array(whole((2, 7)), COMM))
    assert np.array_equal(S.gather(), np.einsum("abcd,cde,fe->fba", v, t, whole((2, 7))))
    assert np.array_equal(V.transpose(2, 0, 3, 1).gather(), v.transpose(2, 0, 3, 1))


def test_figures_are_what_was_predicted():
    A, B = (DistArray.from_array(whole(shape), COMM) for shape in [(64, 48), (48, 32)])
    with ashlar.Contraction("ij,jk->ik", A, B) as product:
        C = product.run()
        assert product.measured.words_total == product.predicted.words_total
        assert product.measured.messages_max == product.predicted.messages_max
        assert (product.measured.words_total > 0) == (P > 1)
        assert np.array_equal(C.gather(), whole((64, 48)) @ whole((48, 32)))


@pytest.fixture
def planned(monkeypatch):
    """Contractions that were planned by calls that keep plans."""
    from ashlar import _kept
    made = []

    class Counted(_kept.Contraction):
        def __init__(self, *arguments, **how):
            super().__init__(*arguments, **how)
            made.append(arguments[0])

    monkeypatch.setattr(_kept, "Contraction", Counted)
    return made


def test_the_second_call_is_not_planned(planned):
    own = COMM.Dup()
    a, b = whole((30, 20)), whole((20, 10))
    for factor in (1, 2):
        A, B = DistArray.from_array(factor * a, own), DistArray.from_array(b, own)
        C = A @ B
        assert np.array_equal(C.gather(), factor * a @ b)
        assert ashlar.einsum("ij,jk->ik", A, B, out=C, beta=1) is C
        assert np.array_equal(C.gather(), 2 * factor * a @ b)
        assert len(planned) == 3 # the product, that with out, and gather's
    if RANK == 0:
        A.local = np.asfortranarray(A.local)
    D = A @ B # the array lies otherwise on one rank
    assert len(planned) == (4 if A.distribution.owned(A.shape, 0)[1] > 1 else 3)
    assert np.array_equal(D.gather(), C.gather() / 2)
    for n in range(1, 20): # more than are kept
        assert ashlar.einsum("ij->", DistArray.from_array(np.ones((n, 2)), own)) == 2 * n
    count = len(planned)
    assert np.array_equal((A @ B).gather(), D.gather())
    assert len(planned) == count + 2
    own.Free()
    with pytest.raises(ashlar.ArgumentError):
        DistArray.zeros((3, 3), own)
    again = COMM.Dup() # maybe where the other one was
    assert np.array_equal((DistArray.from_array(a, again) @ DistArray.from_array(b, again)).gather(), a @ b)
    assert len(planned) == count + 4
    again.Free()


def test_what_outlives_its_communicator_is_refused():
    own = COMM.Dup()
    A, T = DistArray.from_array(whole((6, 5)), own), ashlar.TileMatrix((0, 2, 4), comm=own)
    plan, product = ashlar.TilePlan([(T, T)], T.copy()), ashlar.Contraction("ij,kj->ik", A, A)
    A @ A.T
    own.Free()
    for call in (lambda: ashlar.einsum("ij,kj->ik", A, A), T.norm, product.run, lambda: product.measured):
        with pytest.raises(ashlar.MPIError, match="the communicator was freed"):
            call()
    with pytest.raises(ashlar.ArgumentError, match="the plan was closed"):
        plan.run()
    product.close()


def test_a_trace_of_all_ranks(folder):
    A = DistArray.from_array(whole((40, 30)), COMM)
    ashlar.matmul(A, A.T, trace=f"{folder}/product.json", threads=1)
    ashlar.einsum("ij->ji", A, layout=Distribution((1, 1)), trace=f"{folder}/move.json")
    if RANK == 0:
        for name, what in [("product", "multiply"), ("move", "move")]:
            with open(f"{folder}/{name}.json") as file:
                events = json.load(file)["traceEvents"]
            ranks = {event["pid"] for event in events if event["ph"] == "X" and event["name"] == what}
            assert ranks == set(range(P)) or (name == "move" and P == 1 and ranks == set())


def test_local_is_what_the_library_can_read():
    A = DistArray.zeros((4, 6), COMM, layout=Distribution((1, 1)))
    good, wrong = (4, 6) if RANK == 0 else (0, 0), (6, 4)
    A.local = np.ones(good)
    assert A.gather().sum() == 24
    for array in [np.ones(wrong), np.ones(good, "f4"), [1.0]] + (
            [np.ones(good)[::-1], np.broadcast_to(1.0, good)] if RANK == 0 else []):
        with pytest.raises(ashlar.ArgumentError, match="^local has "):
            A.local = array
    A.close()
    with pytest.raises(ashlar.ArgumentError, match="the array was closed"):
        A.gather()


@pytest.mark.parametrize("how, text", [
    ({"grid": (0, 1)}, "grid is (0, 1): numbers from 1 on are wanted"),
    ({"grid": (1, 1), "block": (2,)}, "block has 1 numbers and grid 2"),
    ({"grid": (1, 2), "ranks": (0, 0)}, "ranks are (0, 0): 2 different ones are wanted"),
    ({"grid": (1, 2), "ranks": (0,)}, "ranks are (0,): 2 different ones are wanted"),
    ({"grid": (P + 1, 1)}, f"the distribution has rank {P}, and there are {P}"),
])
def test_wrong_distributions(how, text):
    with pytest.raises(ashlar.ArgumentError) as raised:
        DistArray.zeros((3, 3), COMM, layout=Distribution(**how))
    assert str(raised.value) == text


def test_files_by_all_ranks(folder):
    a, b = whole((40, 30)), whole((30, 20))
    if RANK == 0:
        np.save(f"{folder}/A.npy", a)
        np.save(f"{folder}/B.npy", b)
    COMM.barrier()
    for memory in (None, 6000):
        ashlar.matmul(f"{folder}/A.npy", f"{folder}/B.npy", out=f"{folder}/C.npy", memory=memory, comm=COMM)
        assert np.array_equal(np.load(f"{folder}/C.npy"), a @ b)
        COMM.barrier()
    C = ashlar.matmul(f"{folder}/A.npy", f"{folder}/B.npy", comm=COMM)
    assert isinstance(C, DistArray) and np.array_equal(C.gather(), a @ b)
    B = DistArray.from_array(b, COMM)
    assert np.array_equal(ashlar.matmul(f"{folder}/A.npy", B).gather(), a @ b)


def test_an_error_on_one_rank_is_one_on_all(folder):
    def fails(i, j):
        raise KeyError(f"no {RANK}") if RANK == P - 1 else ValueError("not to be seen")

    def fails_on_one(i, j):
        if RANK == P - 1:
            raise KeyError("no value")
        return value(i, j)

    with pytest.raises(KeyError if RANK == P - 1 else ashlar.Error) as raised:
        DistArray.from_function(fails_on_one, (P * 4, 4), COMM, layout=Distribution((P, 1)))
    assert str(raised.value) == ("'no value'" if RANK == P - 1 else f"rank {P - 1}: KeyError: 'no value'")
    with pytest.raises(ashlar.FileError) as raised:
        ashlar.matmul(f"{folder}/none.npy", f"{folder}/none.npy", comm=COMM)
    assert len(set(COMM.allgather(str(raised.value)))) == 1

    def produce(box):
        if RANK == P - 1:
            raise KeyError("no box")
        return whole((40, 40))[box]

    with pytest.raises(ashlar.FileError) as raised:
        ashlar.einsum("ij,jk->ik", ashlar.Produced((40, 40), "f8", produce), ashlar.Produced((40, 40), "f8", produce),
                      out=f"{folder}/C.npy", memory=4000, comm=COMM)
    assert isinstance(raised.value.__cause__, KeyError) == (RANK == P - 1)
    assert len(set(COMM.allgather(str(raised.value)))) == 1
    assert os.listdir(folder) == []


def test_ctrl_c_on_one_rank_ends_a_run_on_all(folder):
    asked = []

    def produce(box):
        asked.append(box)
        if RANK == P - 1 and len(asked) == 2:
            os.kill(os.getpid(), signal.SIGINT)
        return np.ones([each.stop - each.start for each in box])

    made = ashlar.Produced((80, 80), "f8", produce)
    with pytest.raises(ashlar.Interrupted) as raised:
        ashlar.einsum("ij,jk->ik", made, made, out=f"{folder}/C.npy", memory=4000, comm=COMM)
    assert isinstance(raised.value, KeyboardInterrupt)
    assert len(set(COMM.allgather(str(raised.value)))) == 1
    assert os.listdir(folder) == []
    ashlar.einsum("ij,jk->ik", made, made, out=f"{folder}/C.npy", memory=4000, comm=COMM)
    assert np.all(np.load(f"{folder}/C.npy") == 80)
    COMM.barrier()


@pytest.mark.parametrize("call, text", [
    (lambda A: np.asarray(A), "a DistArray is dealt out over ranks: .local is this rank's part, and .gather() makes an "
                              "array of all of it"),
    (lambda A: np.ones((3, 3)) @ A, "unsupported operand type(s) for @: 'numpy.ndarray' and 'DistArray'"),
    (lambda A: np.multiply(A, 2), "operand 'DistArray' does not support ufuncs (__array_ufunc__=None)"),
    (lambda A: ashlar.matmul(A, np.ones((3, 3))), "operand 1 is an array of this process, and the contraction is over "
                                                  "a communicator: ashlar.DistArray.from_array deals it out"),
    (lambda A: ashlar.matmul(A, A, out=np.ones((3, 3))), "out is an array of this process, and the contraction is over "
                                                         "a communicator"),
    (lambda A: ashlar.matmul(A, DistArray.zeros((3, 3), COMM.Dup())),
     "operand 1 is dealt out over another communicator"),
    (lambda A: ashlar.einsum("ij->ji", DistArray.zeros((3, 3), COMM, "float16")),
     "operand 0 has elements of type float16: only matmul takes them, of two matrices in memory, with a float32 "
     "result; convert it first, by .astype(...)"),
    (lambda A: ashlar.matmul(*2 * [DistArray.zeros((3, 3), COMM, "float16")], out=A),
     "out has shape (3, 3) and elements of type float64: (3, 3) and float32 are wanted"),
    (lambda A: ashlar.matmul(DistArray.zeros((3, 3), COMM, "float16"), np.ones((3, 3), "float16")),
     "operand 1 is an array of this process, and the contraction is over a communicator: ashlar.DistArray.from_array "
     "deals it out"),
    (lambda A: A.gather(root=P), f"root is {P}, and there are {P} ranks"),
    (lambda A: DistArray.zeros((3, 3), COMM, "int64"),
     "the array has elements of type int64: Ashlar multiplies float32, float64, complex64 and complex128 in the "
     "machine's byte order; convert it first, by .astype(...)"),
    (lambda A: DistArray.zeros((3, 3), COMM, layout=Distribution((1,))),
     "the distribution is of 1 indices and the array of 2"),
    (lambda A: A.transpose(0, 0), "axes are (0, 0): each of 2 dimensions is wanted once"),
])
def test_wrong_arguments(call, text):
    with pytest.raises((TypeError, ashlar.ArgumentError)) as raised:
        call(DistArray.zeros((3, 3), COMM))
    assert str(raised.value) == text


def test_a_local_part_is_exported():
    A = DistArray.from_array(whole((6, 5)), COMM)
    assert np.shares_memory(np.from_dlpack(A.local), A.local)
    assert repr(A).startswith("<ashlar.DistArray of shape (6, 5) and type float64, on a grid ")


def test_the_program_of_the_page(folder, monkeypatch, capsys):
    with open(f"{os.environ['ASHLAR_SOURCE']}/docs/PYTHON.md") as file:
        program = file.read().split("## A distributed product")[1].split("```python\n")[1].split("```")[0]
    monkeypatch.chdir(folder)
    exec(program, {})
    said = capsys.readouterr().out
    assert said.startswith("words of all ranks: ") if RANK == 0 else said == ""
    if RANK == 0:
        c = np.load("C.npy")
        assert c.shape == (300, 200) and np.isclose(c[5, 7], sum((i - 7) / (i + 6) for i in range(400)))
