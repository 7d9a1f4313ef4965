#!/usr/bin/env python3
"""Times products of matrices larger than memory, Ashlar's and dask's tiled one, and appends lines of JSON.

Both read the same HDF5 data sets and write one; both have the same cores. Timed is the whole command, from its start to
its end with the product on the disk. Peak is the resident memory of all its processes, each at its most. Delivered is
what the disk delivered, programs and libraries too. With --slow the command runs on a disk that another one makes slow,
with little memory for the system (bench/slowdisk), and that other one has to print a line with `read N MB`. Without
dask and h5py, or without what --slow needs, this ends with status 77 and a line that says so.
"""
import argparse
import glob
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
import time

from program_build import build_of

DASK = """
import os, sys
import dask, dask.array as da, h5py
a, b, c, chunk, cores = sys.argv[1:4] + [int(x) for x in sys.argv[4:6]]
dask.config.set(scheduler="threads", num_workers=cores)
x, y = (da.from_array(h5py.File(name, "r")["x"], chunks=(chunk, chunk)) for name in (a, b))
(x @ y).to_hdf5(c, "/x")
with open(c, "rb+") as file:
    os.fsync(file.fileno())
"""


def resident_of(root):
    """KiB at most so far of each process below this one, by its number."""
    parent, peak = {}, {}
    for name in glob.glob("/proc/[0-9]*/status"):
        try:
            with open(name, encoding="ascii", errors="replace") as file:
                known = dict(line.split(":", 1) for line in file if ":" in line)
        except OSError:
            continue
        if "VmHWM" in known:
            parent[int(known["Pid"])] = int(known["PPid"])
            peak[int(known["Pid"])] = int(known["VmHWM"].split()[0])
    below = {root}
    while any(parent[p] in below and p not in below for p in parent):
        below |= {p for p in parent if parent[p] in below}
    return {p: peak[p] for p in below if p in peak}


def inside(command):
    """Run the command here, wherever that is, and print its seconds and peak."""
    began, peak = time.monotonic(), {}
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
        while process.poll() is None:
            peak.update(resident_of(process.pid))
            time.sleep(0.05)
    print(json.dumps({"seconds": time.monotonic() - began, "peak_mib": sum(peak.values()) / 1024,
                      "largest_mib": max(peak.values()) / 1024}))
    sys.exit(process.returncode)


def skip(why):
    print(f"outofcore.py: skipped: {why}", file=sys.stderr)
    sys.exit(77)


def python_with_dask():
    for python in (sys.executable, "/usr/bin/python3"):
        if subprocess.run([python, "-c", "import dask.array, h5py"], stderr=subprocess.DEVNULL).returncode == 0:
            return python
    return skip("python3-dask and python3-h5py are not installed")


def measure(options, folder, command, may_fail=False):
    """What a command took; if it `may_fail`, its status too."""
    slow = shlex.split(options.slow) if options.slow else []
    done = subprocess.run(slow + [sys.executable, os.path.abspath(__file__), "--inside", *map(str, command)],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=folder)
    if done.returncode == 77:
        skip(done.stderr.strip())
    if done.returncode != 0 and not may_fail:
        sys.exit(f"outofcore.py: {' '.join(map(str, command))}: {done.stderr.strip()}")
    delivered = re.search(r"\bread (\d+) MB", done.stderr)
    return {**json.loads(done.stdout), "delivered_mb": int(delivered[1]) if delivered else None,
            **({"status": done.returncode} if may_fail else {})}


def append(options, **line):
    known = {"schema": 1, "kind": "outofcore", **options.build, "where": options.slow_name, "m": options.size,
             "n": options.size, "k": options.size, "cores": options.cores}
    with open(options.output, "a", encoding="utf-8") as file:
        file.write(json.dumps({**known, **line}) + "\n")
    print(f"{options.slow_name}, {options.size}, {line['library']}: {line['seconds']:.1f} s, "
          f"{line['peak_mib']:.0f} MiB, {line['delivered_mb']} MB delivered", file=sys.stderr)


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ashlar", default="build/release/ashlar")
    parser.add_argument("--launch", default="build/release/launch")
    parser.add_argument("--output", default="bench/results.jsonl")
    parser.add_argument("--slow", help="a command that runs the one behind it on a slow disk with little page cache")
    parser.add_argument("--slow-name", default="this disk", help="what the table calls that disk")
    parser.add_argument("--size", type=int, default=12000, help="rows and columns (12000)")
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--memory", action="append", help="of a rank; may be given again (256MiB and 40MiB)")
    parser.add_argument("--without-dask", action="store_true", help="measure Ashlar alone")
    parser.add_argument("--chunk", type=int, default=2000, help="rows and columns of dask's tiles")
    parser.add_argument("--machine", help="figures of the machine, from ashlar calibrate")
    parser.add_argument("--folder", help="on the disk (a temporary folder here)")
    options = parser.parse_args()
    options.ashlar, options.launch = os.path.abspath(options.ashlar), os.path.abspath(options.launch)
    options.machine = os.path.abspath(options.machine) if options.machine else None
    options.cores = len(os.sched_getaffinity(0))
    options.build = build_of(options.ashlar)
    return options


def run_ashlar(options, folder, memory, a, b, c):
    told = os.path.join(folder, "told.json")
    os.environ["OPENBLAS_NUM_THREADS"] = str(max(options.cores // options.ranks, 1))
    line = measure(options, folder, [options.launch, options.ranks, options.ashlar, "multiply", f"{a}:/x", f"{b}:/x",
                                     "-o", f"{c}:/x", "--quiet", f"--memory={memory}", f"--stats={told}"] +
                   ([f"--machine={options.machine}"] if options.machine else []))
    with open(told, encoding="utf-8") as file:
        run = json.load(file)
    append(options, library="ashlar", ranks=options.ranks, memory=memory, disk_words=run["measured"]["disk_words"],
           product_seconds=run["measured"]["seconds"], **line)
    os.remove(c)


def run_dask(options, folder, python, a, b, c):
    os.environ["OPENBLAS_NUM_THREADS"] = "1"
    line = measure(options, folder, [python, "-c", DASK, a, b, c, options.chunk, options.cores])
    append(options, library="dask", ranks=1, chunk=options.chunk, **line)


def main():
    if sys.argv[1:2] == ["--inside"]:
        inside(sys.argv[2:])
    options, python = parse(), python_with_dask()
    with tempfile.TemporaryDirectory(dir=os.path.abspath(options.folder or ".")) as folder:
        a, b, c = (os.path.join(folder, name) for name in ("A.h5", "B.h5", "C.h5"))
        for name, seed in ((a, 1), (b, 2)):
            subprocess.run([options.ashlar, "generate", str(options.size), str(options.size), "-o", f"{name}:/x",
                            f"--seed={seed}"], check=True)
        for memory in options.memory or ["256MiB", "40MiB"]:
            run_ashlar(options, folder, memory, a, b, c)
        if not options.without_dask:
            run_dask(options, folder, python, a, b, c)


if __name__ == "__main__":
    main()
