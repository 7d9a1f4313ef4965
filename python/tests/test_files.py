"""Tensors in files: places, memory maps, data sets of h5py, and functions."""
import ashlar
import h5py
import numpy as np
import pytest

A = np.arange(40.0 * 30).reshape(40, 30) % 7 - 3
B = np.arange(30.0 * 20).reshape(30, 20) % 5 - 2
FEW = 12_000 # bytes: less than any two of the matrices


@pytest.fixture
def files(tmp_path):
    np.save(tmp_path / "A.npy", A)
    np.save(tmp_path / "B.npy", np.asfortranarray(B))
    with h5py.File(tmp_path / "AB.h5", "w") as file:
        file["A"] = A
        file.create_dataset("group/B", data=B, chunks=(7, 9), compression="gzip")
    return tmp_path


@pytest.mark.parametrize("memory", [None, FEW])
def test_places(files, memory):
    place = f"{files}/AB.h5:/group/B"
    assert np.array_equal(ashlar.matmul(f"{files}/A.npy", place, memory=memory and 20_000), A @ B)
    assert ashlar.matmul(files / "A.npy", place, out=files / "C.npy", memory=memory) == files / "C.npy"
    assert np.array_equal(np.load(files / "C.npy"), A @ B)
    ashlar.einsum(f"{files}/A.npy", [0, 1], place, [1, 2], [2, 0], out=f"{files}/AB.h5:/C", memory=memory)
    with h5py.File(files / "AB.h5") as file:
        assert np.array_equal(file["C"], (A @ B).T)
        assert np.array_equal(file["A"], A)


@pytest.mark.parametrize("mode", ["r", "r+"])
@pytest.mark.parametrize("memory", [None, FEW])
def test_data_sets(files, mode, memory):
    with h5py.File(files / "AB.h5", mode) as file, h5py.File(files / "C.h5", "w") as result:
        result.create_dataset("C", (40, 20))
        result.create_dataset("D", (40, 20), "f8", chunks=(3, 3))
        with pytest.raises(ashlar.ArgumentError) as raised:
            ashlar.matmul(file["A"], file["group/B"], out=result["C"], memory=memory)
        assert str(raised.value) == ("out has shape (40, 20) and elements of type float32: (40, 20) and float64 are "
                                     "wanted")
        assert ashlar.matmul(file["A"], file["group/B"], out=result["D"], memory=memory) == result["D"]
        assert np.array_equal(result["D"], A @ B)
        assert not np.any(result["C"])


@pytest.mark.parametrize("mode", ["r", "r+"])
def test_float16_in_files_is_read_as_float32(files, mode):
    a, b = A.astype("f2"), B.astype("f2")
    np.save(files / "a.npy", a)
    with h5py.File(files / "b.h5", "w") as file:
        file["b"] = b
    with h5py.File(files / "b.h5", mode) as file:
        made = ashlar.matmul(files / "a.npy", file["b"])
        assert made.dtype == "f4" and np.array_equal(made, A @ B)
        assert np.array_equal(ashlar.einsum("ij->ji", file["b"]), B.T)
    mapped = np.load(files / "a.npy", mmap_mode="r")
    assert np.array_equal(ashlar.matmul(mapped, b), A @ B)
    assert np.array_equal(ashlar.matmul(mapped, f"{files}/b.h5:/b", memory=20_000), A @ B)


def test_a_data_set_whose_file_was_let_go_is_read(files):
    assert np.array_equal(ashlar.matmul(h5py.File(files / "AB.h5", "r")["A"], B), A @ B)


@pytest.mark.parametrize("mode", ["r", "r+"])
def test_dimensions_of_1_in_files_stand_for_more(files, mode):
    row, column = A[:1], B[:, :1]
    np.save(files / "row.npy", row)
    with h5py.File(files / "AB.h5", "r+") as file:
        file["row"], file["column"] = row, column
    expected = np.einsum("ij,jk->ijk", np.broadcast_to(row, A.shape), B)
    with h5py.File(files / "AB.h5", mode) as file:
        for given in (file["row"], files / "row.npy", ashlar.Produced(row.shape, "f8", lambda box: row[box])):
            assert np.array_equal(ashlar.einsum("ij,jk,ij->ijk", given, B, np.ones(A.shape)), expected)
        assert np.array_equal(ashlar.einsum("ik,jk->ik", A @ B, file["column"]), (A @ B) * column.sum())


def test_what_h5py_has_not_written_yet_is_seen(files):
    with h5py.File(files / "AB.h5", "r+") as file:
        file["A"][0, 0] = 100
        changed = A.copy()
        changed[0, 0] = 100
        assert np.array_equal(ashlar.matmul(file["A"], B), changed @ B)


@pytest.mark.parametrize("mode", ["r", "r+", "c"])
def test_maps_are_read_by_name_or_where_they_are_mapped(files, mode):
    mapped = np.load(files / "A.npy", mmap_mode=mode)
    changed = A.copy()
    if mode != "r":
        mapped[0, 0] = changed[0, 0] = 50
    out = np.lib.format.open_memmap(files / "C.npy", "w+", np.float64, (40, 20))
    for memory in (None, 40_000):
        assert np.array_equal(ashlar.matmul(mapped, B, memory=memory), changed @ B)
        assert np.array_equal(ashlar.matmul(mapped[3:], B, memory=memory), changed[3:] @ B)
        out[...] = 0
        assert ashlar.matmul(mapped, B, out=out, memory=memory) is out
        assert np.array_equal(out, changed @ B)


def test_progress_is_told(files):
    told = []
    ashlar.matmul(f"{files}/A.npy", f"{files}/B.npy", out=f"{files}/C.npy", memory=FEW,
                  progress=lambda done, every: told.append((done, every)))
    assert told == sorted(told) and told[-1][0] == told[-1][1]

    def fails(done, every):
        raise KeyError("enough")

    with pytest.raises(KeyError, match="enough"):
        ashlar.matmul(f"{files}/A.npy", f"{files}/B.npy", out=f"{files}/D.npy", memory=FEW, progress=fails)
    assert not (files / "D.npy").exists()


def test_a_function_makes_the_elements():
    asked = []

    def make(box):
        asked.append(box)
        return A[box]

    produced = ashlar.Produced(A.shape, "f8", make)
    assert np.array_equal(ashlar.matmul(produced, B), A @ B)
    assert asked
    wrong = ashlar.Produced(A.shape, "f8", lambda box: A)
    with pytest.raises(ashlar.FileError) as raised:
        ashlar.matmul(wrong, B, memory=FEW)
    assert isinstance(raised.value, OSError)
    assert str(raised.value.__cause__).startswith("the function made elements of shape (40, 30) and type float64: ")


def test_a_function_may_not_call_ashlar():
    def make(box):
        return ashlar.matmul(A, np.eye(30))[box]

    with pytest.raises(ashlar.FileError) as raised:
        ashlar.matmul(ashlar.Produced(A.shape, "f8", make), B)
    assert str(raised.value.__cause__) == "a function that Ashlar calls has called Ashlar: that cannot be done"


def test_a_function_that_fails_leaves_no_file(files):
    def make(box):
        raise KeyError("nothing there")

    with pytest.raises(ashlar.FileError) as raised:
        ashlar.matmul(ashlar.Produced(A.shape, "f8", make), f"{files}/B.npy", out=f"{files}/C.npy", memory=FEW)
    assert isinstance(raised.value.__cause__, KeyError)
    assert sorted(path.name for path in files.iterdir()) == ["A.npy", "AB.h5", "B.npy"]


def test_data_sets_that_cannot_be_read(files):
    with h5py.File(files / "AB.h5", "r+") as file:
        closed, empty = file["A"], file.create_dataset("empty", dtype="f8", shape=None)
        file["big"], file["int"] = A.astype(">f8"), A.astype(int)
        for name in ("big", "int"):
            with pytest.raises(ashlar.ArgumentError, match="convert it first, by .astype"):
                ashlar.matmul(file[name], B)
        with pytest.raises(ashlar.ArgumentError, match="no elements, or its file was closed"):
            ashlar.einsum("->", empty)
    for call in (lambda: ashlar.matmul(closed, B), lambda: ashlar.einsum("ij->", closed)):
        with pytest.raises(ashlar.ArgumentError, match="no elements, or its file was closed"):
            call()
    with h5py.File(files / "AB.h5", "r") as file:
        assert np.array_equal(ashlar.matmul(file["big"], B), A @ B) # the library turns the bytes as it reads
        with pytest.raises(ashlar.FileError, match="neither float, double, nor"):
            ashlar.matmul(file["int"], B)


def test_wrong_files(files):
    with pytest.raises(ashlar.FileError, match="missing.npy"):
        ashlar.matmul(f"{files}/missing.npy", B)
    with pytest.raises(ashlar.ArgumentError, match="beta is not 0, and out is no array"):
        ashlar.matmul(A, B, out=f"{files}/C.npy", beta=1)
    np.save(files / "I.npy", np.arange(4))
    with pytest.raises(ashlar.FileError, match="I.npy"):
        ashlar.einsum("i->i", f"{files}/I.npy")
    with pytest.raises(ashlar.LimitError) as raised:
        ashlar.matmul(f"{files}/A.npy", f"{files}/B.npy", out=f"{files}/C.npy", memory=8)
    assert 0 < raised.value.least_words < 100
