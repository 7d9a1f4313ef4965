"""Products on the emulated device. Every rank runs every test, and has a device of its own."""
import ashlar
import numpy as np
import pytest
from ashlar import DistArray, TileMatrix
from mpi4py import MPI

COMM = MPI.COMM_WORLD


@pytest.fixture
def comm():
    """A communicator of this test alone: its device stays as long as it does."""
    own = COMM.Dup()
    yield own
    own.Free()


def numbers(*shape):
    """Whole ones, so that sums are exact."""
    return np.arange(np.prod(shape), dtype=np.float64).reshape(shape) % 7 - 3


def whole(found):
    """What was predicted was done, and by devices alone. A result that is read is in the prediction."""
    assert found.failure is None and found.measured_host_products == 0
    assert 0 < found.measured_in_total <= found.words_in_total and found.measured_in_max <= found.words_in_max
    assert (found.measured_out_max, found.measured_out_total) == (found.words_out_max, found.words_out_total)
    assert found.ranks > 0 and found.words_in_total > 0 and found.seconds > 0 and found.host_seconds > 0
    return found


def test_products_of_matrices(comm):
    a, b = numbers(40, 30), numbers(30, 20)
    ashlar.set_device("emulated:in=1e9,out=1e9,flops=1e10", memory="4kB", comm=comm)
    dealt = [DistArray.from_array(each, comm) for each in (a, b)]
    with ashlar.Contraction("ij,jk->ik", *dealt) as product:
        assert np.array_equal(product.run().gather(), a @ b)
        took = whole(product.device)
    assert took.name == "emulated:0" and "emulated" in took.rule and took.warning is None
    assert took.measured_out_total >= 40 * 20 and took.measured_memory_words <= 500
    assert np.array_equal((dealt[0] @ dealt[1]).gather(), a @ b)


def test_contractions(comm):
    a, b = numbers(6, 5, 7), numbers(7, 5, 4)
    ashlar.set_device("emulated", memory=1200, comm=comm)
    with ashlar.Contraction("izk,kzj->jzi", *[DistArray.from_array(each, comm) for each in (a, b)]) as product:
        assert np.array_equal(product.run().gather(), np.einsum("izk,kzj->jzi", a, b))
        whole(product.device)


def test_alone():
    a, b = numbers(6, 5, 7), numbers(7, 5, 4)
    expected = np.einsum("izk,kzj->jzi", a, b)
    assert np.array_equal(ashlar.einsum("izk,kzj->jzi", a, b), expected) # its plan is kept, and the host's
    ashlar.set_device("emulated", memory=4000)
    assert np.array_equal(ashlar.einsum("izk,kzj->jzi", a, b), expected)
    with ashlar.Contraction("izk,kzj->jzi", a, b) as product:
        product.run()
        took = whole(product.device)
        assert took.ranks == 1 and took.measured_in_total == 6 * 5 * 7 + 7 * 5 * 4
        assert took.measured_out_total == expected.size
    out = np.ones_like(expected)
    with ashlar.Contraction("izk,kzj->jzi", a, b, out=out) as product:
        product.run(beta=2)
        took = whole(product.device)
        assert took.measured_in_total == took.words_in_total and np.array_equal(out, expected + 2)
    ashlar.set_device(None)
    with ashlar.Contraction("izk,kzj->jzi", a, b) as product:
        product.run()
        assert product.device.ranks == product.device.measured_in_total == 0


def test_tiles(comm):
    cuts = [0, 9, 15, 20]
    a, b = numbers(20, 20), numbers(20, 20) + 1
    ashlar.set_device("emulated", memory="8kB", comm=comm)
    left, right = (TileMatrix.from_dense(each, cuts, comm=comm) for each in (a, b))
    made = left @ right
    assert np.array_equal(made.to_dense(), a @ b)
    took = whole(ashlar.tile_device(comm))
    assert took.measured_out_total == 400 and took.measured_in_total == took.words_in_total
    ashlar.set_device(None, comm=comm)
    assert np.array_equal((left @ right).to_dense(), a @ b)
    assert ashlar.tile_device(comm).ranks == 0


def test_a_device_that_fails(comm):
    a, b = numbers(20, 20), numbers(20, 20)
    ashlar.set_device("emulated:lost=20", memory="8kB", comm=comm)
    dealt = [DistArray.from_array(each, comm) for each in (a, b)]
    with ashlar.Contraction("ij,jk->ik", *dealt) as product:
        for _ in range(4):
            assert np.array_equal(product.run().gather(), a @ b)
        assert "lost" in product.device.failure


def test_mistakes(comm):
    with pytest.raises(ashlar.ArgumentError, match="'abacus' is none of the kinds that there are"):
        ashlar.set_device("abacus", comm=comm)
    with pytest.raises(ashlar.DeviceError, match="there is no device emulated:7"):
        ashlar.set_device("emulated:7", comm=comm)
    with pytest.raises(ashlar.ArgumentError, match="memory is 'much'"):
        ashlar.set_device("emulated", memory="much", comm=comm)
    with pytest.raises(ashlar.OutOfMemoryError):
        ashlar.set_device("emulated:memory=1kB", memory="1MB", comm=comm)
    assert ashlar.tile_device(comm).name is None
    with ashlar.Contraction("ij->j", np.ones((2, 3))) as product:
        pass
    with pytest.raises(ashlar.ArgumentError, match="was closed"):
        product.device
