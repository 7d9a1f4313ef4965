#!/usr/bin/env python3
"""Times contractions of data sets larger than the memory given, by Ashlar's package and by dask: a table and a plot.

    PYTHONPATH=build/release/python bench/package_files.py --folder DISK [--plot docs/figures/package_files.svg]

Each is a program of its own that reads the same HDF5 data sets and writes one; seconds are from its start to its end,
with the result on the disk, the median of runs by turns. Peak is its resident memory. Dask's expressions are those of
its calls that are fastest here, with one thread of the BLAS for each of its own, which is faster than several. Needs
dask and h5py.
"""
import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

ASHLAR = """
import ashlar
ashlar.einsum("{subscripts}", "A.h5:/x", "B.h5:/x", out="C.h5:/x", memory="{memory}")
"""
DASK = """
import dask.array as da, h5py
a, b = (da.from_array(h5py.File(name)["x"], chunks={chunk}) for name in ("A.h5", "B.h5"))
({expression}).to_hdf5("C.h5", "/x")
"""
SYNC = 'import os\nwith open("C.h5", "rb+") as file: os.fsync(file.fileno())\n'
MAKE = """
import h5py, numpy as np
rng = np.random.default_rng(1)
for name in "AB":
    with h5py.File(name + ".h5", "w") as file:
        made = file.create_dataset("x", {shape}, "f8")
        for i in range(0, {shape}[0], 50):
            made[i:i + 50] = rng.standard_normal(made[i:i + 50].shape)
"""
# What it is called, subscripts, dask's expression, shape of both operands, Ashlar's memory, dask's chunk of each index.
CASES = [("matrix product", "ij,jk->ik", "a @ b", (5000, 5000), "120MB", 1000),
         ("matrix product", "ij,jk->ik", "da.tensordot(a, b, 1)", (5000, 5000), "190MB", 1000),
         ("abmn,cdmn->abcd", "abmn,cdmn->abcd", "da.tensordot(a, b, ((2, 3), (2, 3)))", (64, 64, 64, 64), "220MB", 32)]


def run(text, folder, **environment):
    """Seconds and peak MB of a program."""
    began = time.perf_counter()
    child = subprocess.Popen([sys.executable, "-c", text], cwd=folder, env={**os.environ, **environment})
    _, status, used = os.wait4(child.pid, 0)
    if status:
        sys.exit(f"a program failed:\n{text}")
    return time.perf_counter() - began, used.ru_maxrss * 1024 / 1e6


def measure(case, options, folder):
    """A row: what it is, then seconds and MB of both."""
    what, subscripts, expression, shape, memory, chunk = case
    run(MAKE.format(shape=shape), folder)
    programs = [ASHLAR.format(subscripts=subscripts, memory=memory),
                DASK.format(expression=expression, chunk=chunk) + SYNC]
    found = [[], []]
    for _ in range(options.repetitions):
        for way, program in enumerate(programs):
            if os.path.exists(f"{folder}/C.h5"):
                os.remove(f"{folder}/C.h5")
            found[way].append(run(program, folder, **({"OPENBLAS_NUM_THREADS": "1"} if way else {})))
    ours, theirs = ([statistics.median(column) for column in zip(*each)] for each in found)
    print(f"| {what} of {'x'.join(map(str, shape))} | {expression} | {ours[0]:.1f} | {ours[1]:.0f} | {theirs[0]:.1f} | "
          f"{theirs[1]:.0f} | {ours[0] / theirs[0]:.2f} |", flush=True)
    lines = [what, *expression.replace("b, ((", "b,\n((").splitlines()]
    return "\\n".join(lines), ours, theirs


def plot(rows, path):
    """Bars of seconds, by gnuplot."""
    table = "\n".join(f'"{what}" {ours[0]} {theirs[0]}' for what, ours, theirs in rows)
    text = f"""set terminal svg noenhanced size 800,420 font "sans,12"
set output "{path}"
set style data histogram
set style fill solid 0.7
set ylabel "seconds"
set yrange [0:*]
$rows << end
{table}
end
plot $rows using 2:xtic(1) title "Ashlar", $rows using 3 title "dask"
"""
    subprocess.run(["gnuplot"], input=text, text=True, check=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", default=".", help="on the disk that is to be used")
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--plot", help="the SVG to be written")
    options = parser.parse_args()
    paths = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    os.environ["PYTHONPATH"] = os.pathsep.join(map(os.path.abspath, filter(None, paths)))  # the programs run elsewhere
    folder = tempfile.mkdtemp(dir=options.folder)
    try:
        print("| contraction | by dask | Ashlar, s | MB | dask, s | MB | time |\n|---|---|---|---|---|---|---|")
        rows = [measure(case, options, folder) for case in CASES]
    finally:
        shutil.rmtree(folder)
    if options.plot:
        plot(rows, options.plot)


if __name__ == "__main__":
    main()
