"""einsum, tensordot and matmul of arrays in memory. numpy is the oracle."""
import os
import random
import tracemalloc

import ashlar
import numpy as np
import pytest
import strings

DTYPES = strings.DTYPES


def whole(rng, *shape, dtype="float64"):
    values = rng.integers(-3, 4, shape).astype(dtype)
    return values + 1j * rng.integers(-3, 4, shape).astype(dtype) if values.dtype.kind == "c" else values


def test_random_strings_give_what_numpy_gives():
    rng = random.Random(20)
    for number in range(int(os.environ.get("ASHLAR_STRINGS", "200"))):
        subscripts, arrays = strings.problem(rng)
        expected = np.einsum(subscripts, *arrays)
        found = ashlar.einsum(subscripts, *arrays)
        what = f"{number}: {subscripts} of {[a.shape for a in arrays]}, {arrays[0].dtype}"
        assert np.shape(found) == np.shape(expected), what
        assert found.dtype == expected.dtype, what
        assert np.array_equal(found, expected), what


def test_sublists_and_a_path():
    rng = np.random.default_rng(1)
    a, b, c = whole(rng, 2, 3, 4), whole(rng, 4, 5), whole(rng, 5, 2)
    expected = np.einsum(a, [0, 1, 2], b, [2, 3], c, [3, 0], [1])
    assert np.array_equal(ashlar.einsum(a, [0, 1, 2], b, [2, 3], c, [3, 0], [1]), expected)
    assert np.array_equal(ashlar.einsum(a, [..., 2], b, [2, 3]), np.einsum(a, [..., 2], b, [2, 3]))
    for optimize in (False, True, "greedy", ("greedy", 100), "optimal", ["einsum_path", (1, 2), (0, 1)],
                     np.einsum_path("abc,cd,da->b", a, b, c)[0], [(0, 1, 2)]):
        assert np.array_equal(ashlar.einsum("abc,cd,da->b", a, b, c, optimize=optimize), expected)


@pytest.mark.parametrize("dtype", DTYPES)
def test_out_alpha_beta_and_conjugate(dtype):
    rng = np.random.default_rng(2)
    a, b, c = (whole(rng, *shape, dtype=dtype) for shape in [(3, 4), (4, 5), (3, 5)])
    expected = 2 * np.conj(a) @ b - c
    for out in (c.copy(), np.asfortranarray(c), np.repeat(c, 2, axis=1)[:, ::2], c[::-1].copy()[::-1]):
        assert ashlar.einsum("ij,jk->ik", a, b, out=out, alpha=2, beta=-1, conjugate=(True, False)) is out
        assert np.array_equal(out, expected)
        assert out.dtype == dtype


def test_beta_zero_does_not_read_out():
    out = np.full((2, 2), np.nan)
    ashlar.matmul(np.eye(2), np.eye(2), out=out)
    assert np.array_equal(out, np.eye(2))


def test_tensordot_and_matmul_are_numpys():
    rng = np.random.default_rng(3)
    a, b = whole(rng, 2, 3, 4), whole(rng, 4, 3, 2)
    for axes in (0, 1, ([1, 2], [1, 0]), (2, 0), ([-1], [-3]), ([0, 2], (2, 0))):
        assert np.array_equal(ashlar.tensordot(a, b, axes=axes), np.tensordot(a, b, axes=axes))
    for left, right in [((3, 4), (4, 5)), ((4,), (4, 5)), ((3, 4), (4,)), ((4,), (4,)), ((6, 3, 4), (4, 5)),
                        ((2, 1, 3, 4), (6, 4, 5)), ((4,), (2, 4, 5)), ((2, 3, 4), (4,)), ((0, 4), (4, 3)),
                        ((2, 0), (0, 3))]:
        x, y = whole(rng, *left), whole(rng, *right)
        found = ashlar.matmul(x, y)
        assert np.shape(found) == np.shape(np.matmul(x, y))
        assert np.array_equal(found, np.matmul(x, y))


def test_no_operand_is_copied_where_it_can_be_read():
    big = np.ones((1200, 1200))
    views = [big, big.T, np.asfortranarray(big), big[::2, 100:900], np.broadcast_to(np.ones(800), (600, 800))]
    for view in views:
        right = np.ones((view.shape[1], 2))
        ashlar.matmul(view, right)
        tracemalloc.start()
        ashlar.matmul(view, right)
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert most < 100_000, view.strides
    tracemalloc.start()
    ashlar.matmul(big[::-1], np.ones((1200, 2)))
    assert tracemalloc.get_traced_memory()[1] > big.nbytes # the test can see a copy
    tracemalloc.stop()


def test_elements_across_words_are_read():
    raw = np.zeros(4 * 8 + 1, np.uint8)
    crooked = raw[1:].view(np.float64).reshape(2, 2)
    crooked[...] = [[1, 2], [3, 4]]
    assert not crooked.flags.aligned
    assert np.array_equal(ashlar.matmul(crooked, np.eye(2)), [[1, 2], [3, 4]])
    assert np.array_equal(ashlar.matmul(np.eye(2), np.eye(2), out=crooked), np.eye(2))


class Exported:
    """An array that is known by DLPack only."""

    def __init__(self, array, device=1):
        self.array, self.device = array, device

    def __dlpack__(self, stream=None):
        return self.array.__dlpack__()

    def __dlpack_device__(self):
        return self.device, 0


def test_dlpack():
    assert np.array_equal(ashlar.einsum("ij->ji", Exported(np.array([[1.0, 2.0]]))), [[1.0], [2.0]])
    with pytest.raises(ashlar.ArgumentError, match="operand 0 is in the memory of a device: bring it to the host"):
        ashlar.einsum("ij->ji", Exported(np.ones((1, 2)), device=2))


@pytest.mark.parametrize("view", [lambda x: x, lambda x: x.copy("F"), lambda x: x[::2], lambda x: x[:, 1:],
                                  lambda x: x[::-1, ::2], lambda x: x[:1], lambda x: x[:0]])
def test_float16_matrices_are_multiplied_as_they_are(view):
    i, j = np.ogrid[:40, :3000]
    a, b = view(((i + 2 * j) % 7 - 3).astype("f2")), view(((3 * i + j) % 5 - 2).astype("f2"))
    expected = a.astype("f4") @ b.T.astype("f4") # beyond what float16 has exactly
    made = ashlar.matmul(a, b.T)
    assert made.dtype == "f4" and np.array_equal(made, expected)
    row = ashlar.matmul(a, a[:1].reshape(-1)) if len(a) else ashlar.matmul(np.ones(3, "f2"), np.ones((3, 4), "f2"))
    assert np.array_equal(row, a.astype("f4") @ a[0].astype("f4") if len(a) else [3] * 4)
    for order in "CF":
        out = np.ones(expected.shape, "f4", order)
        assert ashlar.matmul(a, b.T, out=out, alpha=0.5, beta=2) is out and np.array_equal(out, 0.5 * expected + 2)
    apart = np.ones((len(a), 2 * len(a)), "f4")
    ashlar.matmul(a, b.T, out=apart[::-1, ::2], beta=-1, threads=1)
    assert np.array_equal(apart[::-1, ::2], expected - 1) and np.all(apart[:, 1::2] == 1)


def test_a_product_of_float16_vectors_is_a_number():
    made = ashlar.matmul(np.full(5000, 2, "f2"), np.full(5000, 3, "f2"))
    assert made == 30000 and made.dtype == "f4" and made.shape == ()


@pytest.mark.parametrize("call, text", [
    (lambda: ashlar.einsum(), "einsum needs subscripts and operands"),
    (lambda: ashlar.einsum("ij", np.ones(2)), '"ij": operand 0 has 1 dimensions, and its subscripts are for 2'),
    (lambda: ashlar.einsum("ij,jk", np.ones((2, 3))), '"ij,jk" has 2 operands, and 1 are given'),
    (lambda: ashlar.einsum("i1", np.ones((2, 3))), "\"i1\": '1' in operand 0 is no letter"),
    (lambda: ashlar.einsum("i->ii", np.ones(2)), '"i->ii": i is twice in the output'),
    (lambda: ashlar.einsum("i->j", np.ones(2)), "\"i->j\": no operand has the output's j"),
    (lambda: ashlar.einsum("...i->i", np.ones((2, 2))), '"...i->i": the output needs the ellipsis that operands have'),
    (lambda: ashlar.einsum("ij,jk", np.ones((2, 3)), np.ones((2, 3))),
     '"ij,jk": operand 1 has 2 values of an index that has 3 in another dimension; shapes are (2, 3) and (2, 3)'),
    (lambda: ashlar.einsum("i->i", np.arange(3)),
     "operand 0 has elements of type int64: Ashlar multiplies float32, float64, complex64 and complex128 in the "
     "machine's byte order; convert it first, by .astype(...)"),
    (lambda: ashlar.einsum("i->i", np.ones(3, "f2")),
     "operand 0 has elements of type float16: only matmul takes them, of two matrices in memory, with a float32 "
     "result; convert it first, by .astype(...)"),
    (lambda: ashlar.matmul(np.ones((2, 2), "f2"), np.ones((2, 2), "f4")),
     "operand 0 has elements of type float16: only matmul takes them, of two matrices in memory, with a float32 "
     "result; convert it first, by .astype(...)"),
    (lambda: ashlar.matmul(np.ones((2, 2, 2), "f2"), np.ones((2, 2), "f2")),
     "operand 0 has 3 dimensions and elements of type float16: matmul multiplies matrices and vectors of them; convert "
     "it first, by .astype(...)"),
    (lambda: ashlar.matmul(np.ones((2, 3), "f2"), np.ones((2, 3), "f2")),
     "operand 0 has shape (2, 3) and operand 1 (2, 3): 3 and 2 values are summed over"),
    (lambda: ashlar.matmul(np.ones((2, 2), "f2"), np.ones((2, 2), "f2"), out=np.ones((2, 2), "f2")),
     "out has shape (2, 2) and elements of type float16: (2, 2) and float32 are wanted"),
    (lambda: ashlar.matmul(np.ones((2, 2), "f2"), np.ones((2, 2), "f2"), beta=1),
     "beta is 1, and there is no out that it could multiply"),
    (lambda: ashlar.einsum("i->i", np.ones(3, ">f8")),
     "operand 0 has elements of type >f8: Ashlar multiplies float32, float64, complex64 and complex128 in the "
     "machine's byte order; convert it first, by .astype(...)"),
    (lambda: ashlar.matmul(np.ones((2, 2)), np.ones((2, 2), "f4")),
     "operand 0 has elements of type float64 and operand 1 of type float32: convert one of them by .astype(...)"),
    (lambda: ashlar.einsum("i->i", [1.0, 2.0]),
     "operand 0 is a list: a numpy array is wanted, an array that has __dlpack__, an h5py data set or the place of a "
     "file; numpy.asarray makes an array of a list"),
    (lambda: ashlar.einsum("i->", np.ones(2), alpha=1j),
     "alpha is 1j, a complex number, and the elements are of type float64"),
    (lambda: ashlar.einsum("i->i", np.ones(2), out=np.ones(3)), "out has shape (3,): (2,) is wanted"),
    (lambda: ashlar.einsum("i->i", np.ones(2), out=np.broadcast_to(0.0, 2)), "out cannot be written to"),
    (lambda: ashlar.einsum("i->i", np.ones(2), optimize="fast"),
     "optimize is 'fast': a path, a bool, \"greedy\" or \"optimal\" is wanted"),
    (lambda: ashlar.einsum("i,i,i", *[np.ones(2)] * 3, optimize=[(0, 1)]),
     "optimize is [(0, 1)]: the steps do not take 3 operands to one"),
    (lambda: ashlar.einsum("i->i", np.ones(2), memory="lots"),
     "memory is 'lots': a number of bytes is wanted, or text such as \"8GiB\""),
    (lambda: ashlar.einsum("i->i", np.ones(2), conjugate=[True, False]), "conjugate has 2 values for 1 operands"),
    (lambda: ashlar.einsum("i->i", np.ones(2), conjugate=True), "conjugate is True: a bool for each operand is wanted"),
    (lambda: ashlar.einsum("i->i", np.ones(2), beta=1), "beta is 1, and there is no out that it could multiply"),
    (lambda: ashlar.einsum("i->i", np.ones(2), out=[0.0]),
     "out is a list: an array is wanted, an h5py data set or the place of a file"),
    (lambda: ashlar.einsum("i->i", np.ma.masked_equal([1.0], 1)),
     "operand 0 is a masked array: give it values for what is masked, by .filled(...)"),
    (lambda: ashlar.tensordot(np.ones(2), np.ones(2), axes=[1]),
     "axes is [1]: a number is wanted, or axes of the first and of the second tensor"),
    (lambda: ashlar.Produced((2, -1), "f8", None),
     "shape is (2, -1) and make a NoneType: numbers from 0 on and a function are wanted"),
    (lambda: ashlar.matmul(np.ones(()), np.ones(2)),
     "matmul needs arrays of at least one dimension: multiply by a number with *"),
    (lambda: ashlar.tensordot(np.ones(2), np.ones(2), axes=2),
     "axes is 2, and the tensors have 1 and 1 dimensions"),
])
def test_wrong_arguments(call, text):
    with pytest.raises(ashlar.ArgumentError) as raised:
        call()
    assert str(raised.value) == text
    assert isinstance(raised.value, ValueError) and isinstance(raised.value, ashlar.Error)
    assert raised.value.status == "ASHLAR_ERR_ARG"


def test_arrays_without_elements_and_memory():
    for left, right in [((0, 3), (3, 2)), ((2, 0), (0, 3)), ((2, 3), (3, 0))]:
        found = ashlar.matmul(np.ones(left), np.ones(right), memory="1 MB")
        assert found.shape == (left[0], right[1]) and not found.any()


def test_the_result_may_not_be_an_operand():
    a = np.ones((2, 2))
    with pytest.raises(ashlar.ArgumentError):
        ashlar.matmul(a, a, out=a)
    assert np.array_equal(a, np.ones((2, 2)))


def test_sizes_beyond_64_bits_are_an_error():
    with pytest.raises(ashlar.SizeError) as raised:
        ashlar.einsum("a,b,c,d->abcd", *[np.ones(100000)] * 4)
    assert isinstance(raised.value, OverflowError) and "has more than 2^63 - 1 elements" in str(raised.value)


def test_a_limit_that_is_too_small_names_the_least():
    a = np.ones((64, 64))
    with pytest.raises(ashlar.LimitError) as raised:
        ashlar.matmul(a, a, memory=1000)
    assert isinstance(raised.value, MemoryError)
    least = raised.value.least_words
    assert least > 125
    assert np.array_equal(ashlar.matmul(a, a, memory=8 * least), a @ a)


@pytest.mark.skipif("ASHLAR_SANITIZED" in os.environ, reason="a sanitizer keeps freed memory")
def test_no_leak_in_many_calls():
    import resource
    a, b = np.ones((4, 5)), np.ones((5, 6))

    def calls(count):
        for i in range(count):
            ashlar.matmul(a, b[:, :1 + i % 5])
            if i % 50 == 0:
                ashlar.einsum("ij->ji", a, memory="1MiB") # a plan that is not kept

    calls(1000)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    calls(10_000)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 1024 # KiB: a tenth of one per call
