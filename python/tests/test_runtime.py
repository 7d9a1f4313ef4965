"""MPI's beginning and end, other MPIs, forks, the command, and that declarations are those of the headers."""
import os
import re
import subprocess
import sys

import ashlar
import pytest
from ashlar._library import ffi, lib

SOURCE = os.environ["ASHLAR_SOURCE"]


def run(text, expect=0):
    """A program in a process of its own: what it prints."""
    made = subprocess.run([sys.executable, "-c", text], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    assert made.returncode == expect, made.stdout
    return made.stdout


def test_importing_starts_nothing():
    assert run("import ashlar, sys\n"
               "from ashlar import _runtime\n"
               "print(_runtime._state(), sorted({'mpi4py', 'h5py', 'cffi', 'tqdm'} & set(sys.modules)))\n"
               ) == "(False, False) []\n"


def test_mpi_that_was_started_here_is_ended_at_exit():
    assert run("import ashlar, atexit, numpy as np\n"
               "from ashlar import _runtime\n"
               "atexit.register(lambda: print(_runtime._state()))\n" # runs after what is registered later
               "ashlar.matmul(np.eye(2), np.eye(2))\n"
               "print(_runtime._state())\n") == "(True, False)\n(True, True)\n"


def test_what_is_left_at_exit_does_no_harm():
    assert run("import ashlar, numpy as np\n"
               "T = ashlar.TileMatrix([0, 2])\n"
               "T[0, 0] = np.eye(2)\n"
               "T.finish()\n"
               "product = ashlar.Contraction('ij->ji', np.ones((2, 3)))\n"
               "print(T.tiles)\n") == "1\n"


@pytest.mark.skipif(os.environ["ASHLAR_MPI_FAMILY"] != "openmpi", reason="mpi4py has another MPI")
def test_mpi_of_mpi4py_is_used_and_left():
    pytest.importorskip("mpi4py")
    assert run("from mpi4py import MPI\n"
               "import ashlar, numpy as np\n"
               "print(ashlar.matmul(np.eye(2), np.eye(2)).trace())\n"
               "MPI.Finalize()\n"
               "try: ashlar.matmul(np.eye(3), np.eye(3), memory='1MiB', comm=MPI.COMM_WORLD)\n"
               "except ashlar.MPIError as error: print(error)\n"
               ) == "2.0\nMPI has been ended: Ashlar cannot be used after MPI_Finalize\n"


def test_another_mpi_is_refused():
    own = ffi.string(lib.ashlar_python_running_with()).decode().splitlines()[0]
    assert run("import sys, types, numpy as np\n"
               "other = types.ModuleType('mpi4py.MPI')\n"
               "other.Get_library_version = lambda: 'Some MPI 1.0\\nof somebody'\n"
               "sys.modules['mpi4py.MPI'] = other\n"
               "import ashlar\n"
               "try: ashlar.matmul(np.eye(2), np.eye(2))\n"
               "except ashlar.MPIError as error: print(error)\n"
               ) == (f"Ashlar was built with {own}, and mpi4py with Some MPI 1.0: install an mpi4py that was built "
                     "with Ashlar's MPI\n")


def test_a_forked_process_is_refused():
    text = ("import ashlar, numpy as np, os, sys\n"
            "{}\n"
            "if os.fork() == 0:\n"
            "    try: ashlar.matmul(np.eye(2), np.eye(2))\n"
            "    except ashlar.MPIError as error: print(error, flush=True)\n"
            "    os._exit(0)\n"
            "os.wait()\n"
            "print(ashlar.matmul(np.eye(2), np.eye(2)).trace())\n")
    assert run(text.format("ashlar.matmul(np.eye(2), np.eye(2))")) == (
        "this process was forked after MPI was started, and cannot use MPI: start it by multiprocessing's method "
        "\"spawn\", or fork before the first call of Ashlar\n2.0\n")


def test_what_a_forked_process_inherits_is_refused():
    assert run("import ashlar, numpy as np, os\n"
               "T = ashlar.TileMatrix.from_dense(np.eye(2), [0, 2])\n"
               "product = ashlar.Contraction('ij->ji', np.eye(2))\n"
               "if os.fork() == 0:\n"
               "    for call in (T.norm, product.run):\n"
               "        try: call()\n"
               "        except ashlar.MPIError as error: print(str(error)[:23], flush=True)\n"
               "    os._exit(0)\n"
               "os.wait()\n"
               "product.close()\n"
               "print(T.tiles)\n") == "this process was forked\nthis process was forked\n1\n"


@pytest.mark.parametrize("comm", ["'world'", "5"])
def test_what_is_no_communicator(comm):
    with pytest.raises(ashlar.ArgumentError) as raised:
        ashlar.einsum("i->", "x.npy", comm=eval(comm))
    assert str(raised.value) == (f"comm is a {type(eval(comm)).__name__}: an mpi4py intracommunicator is wanted, or "
                                 "None for this process alone")


def test_a_number_of_threads_is_kept_to():
    import numpy as np
    a = np.ones((300, 200))
    with ashlar.Contraction("ij,kj->ik", a, a, threads=1) as product:
        assert product.explanation.endswith("by 1 thread\n")
        assert np.all(product.run() == 200)
    for threads in (1, 2, 3):
        assert np.all(ashlar.matmul(a, a.T, threads=threads) == 200)
        assert np.all(ashlar.tensordot(a, a, axes=([1], [1]), threads=threads, memory="4 MB") == 200)
    if len(os.sched_getaffinity(0)) > 1:
        with ashlar.Contraction("ij,kj->ik", a, a, threads=2) as product:
            assert product.explanation.endswith("by 2 threads\n")
    for wrong in (0, -1, 1.5, "all"):
        with pytest.raises(ashlar.ArgumentError) as raised:
            ashlar.matmul(a, a.T, threads=wrong)
        assert str(raised.value) == (f"threads is {wrong!r}: a number from 1 on is wanted, or None for as many as the "
                                     "BLAS has")


def test_a_trace_has_what_was_done(tmp_path):
    import json

    import numpy as np
    a = np.ones((64, 64))

    def names(path):
        with open(path) as file:
            return {event["name"] for event in json.load(file)["traceEvents"] if event["ph"] == "X"}

    ashlar.matmul(a, a, trace=tmp_path / "one.json")
    assert names(tmp_path / "one.json") == {"multiply"}
    ashlar.einsum("ij,jk,kl->il", a, a, a, optimize=[(0, 1), (0, 1)], trace=tmp_path / "path.json")
    assert names(tmp_path / "path.json") == {"multiply"}
    np.save(tmp_path / "A.npy", a)
    ashlar.matmul(f"{tmp_path}/A.npy", f"{tmp_path}/A.npy", out=f"{tmp_path}/C.npy", memory=30_000,
                  trace=tmp_path / "files.json")
    assert {"multiply", "read", "write"} <= names(tmp_path / "files.json")
    shown = subprocess.run([sys.executable, "-m", "ashlar", "trace", tmp_path / "one.json"], check=True, text=True,
                           stdout=subprocess.PIPE).stdout
    assert "cores" in shown
    with pytest.raises(ashlar.FileError, match="nowhere"):
        ashlar.matmul(a, a, trace=tmp_path / "nowhere" / "one.json")
    with pytest.raises(ashlar.ArgumentError):
        ashlar.einsum("ij,jk->ik", a, a, out=a, trace=tmp_path / "none.json")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["A.npy", "C.npy", "files.json", "one.json", "path.json"]
    assert np.all(ashlar.matmul(a, a) == 64)


def test_ctrl_c_ends_what_one_process_does_in_its_memory():
    import signal
    import threading

    import numpy as np
    a = np.ones((64, 4096))
    many = np.broadcast_to(a, (100_000, *a.shape)) # some minutes of work
    for out in (None, np.zeros((64, 64))):
        threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
        with pytest.raises(ashlar.Interrupted) as raised:
            ashlar.einsum("xij,xkj->ik", many, many, out=out)
        assert str(raised.value) == "interrupted"
    assert np.all(ashlar.einsum("ij,kj->ik", a, a) == 4096)


def test_threads_may_call_at_once():
    import threading

    import numpy as np
    a, wrong = np.ones((30, 40)), []

    def work():
        for n in range(1, 60):
            if not np.array_equal(ashlar.matmul(a, np.ones((40, n))), np.full((30, n), 40.0)):
                wrong.append(n)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_the_command():
    assert subprocess.run([sys.executable, "-m", "ashlar", "--version"], check=True, text=True,
                          stdout=subprocess.PIPE).stdout.strip() == f"ashlar {ashlar.version()}"


def test_every_public_name_is_declared():
    with open(f"{SOURCE}/tests/symbols.txt") as file:
        names = {word for line in file if not line.startswith("#") for word in line.split()[:1]}
    assert len(names) > 100
    # Those with a communicator are called by functions of build_binding.py.
    assert {name for name in names if not hasattr(lib, name)} == {
        "ashlar_context_create", "ashlar_context_keep", "ashlar_multiply"}


def test_versions_and_statuses():
    assert re.fullmatch(r"\d+\.\d+\.\d+", ashlar.__version__)
    family = {name: cls for name, cls in vars(ashlar).items()
              if isinstance(cls, type) and issubclass(cls, ashlar.Error) and cls is not ashlar.Error}
    assert {cls.status for cls in family.values()} == {
        ffi.string(lib.ashlar_status_name(status)).decode() for status in range(1, 11)}
