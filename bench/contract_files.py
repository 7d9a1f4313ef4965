#!/usr/bin/env python3
"""Times contractions of files larger than memory, Ashlar's and dask's, on a disk that is made slow; prints table rows.

All run in a control group (bench/slowdisk): its memory is for the processes and what the system keeps of their files. A
row has the order of indices, MB/s of the disk, seconds of the whole command, those of its product, MB that the plan
reads in whole pages, those that the disk delivered, which has the programs and libraries too, and the resident memory
of the largest process at its most. The first row, of a tiny contraction, shows what is there without data. Without dask
and h5py, or without control groups, this ends with status 77 and a line that says so.
"""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile

from outofcore import measure, python_with_dask

HERE = os.path.dirname(os.path.abspath(__file__))
EXPRESSIONS = ("abmn,cdmn->abcd", "ambn,cnmd->abcd", "namb,dcnm->cbda", "mbna,ndmc->adbc", "manb,cmdn->dbca")
DASK = """
import os, sys
import dask, dask.array as da, h5py
expression, a, b, c, free, inner, cores = sys.argv[1:5] + [int(x) for x in sys.argv[5:8]]
dask.config.set(scheduler="threads", num_workers=cores)
(left, right), out = (part.split(",") if "," in part else part for part in expression.split("->"))
summed = [i for i in left if i not in out]  # BLAS multiplies in tensordot, not in einsum
x, y = (da.from_array(h5py.File(name, "r")["x"], chunks=tuple(inner if i in summed else free for i in indices))
        for name, indices in ((a, left), (b, right)))
z = da.tensordot(x, y, axes=([left.index(i) for i in summed], [right.index(i) for i in summed]))
order = [i for i in left + right if i not in summed]
z.transpose([order.index(i) for i in out]).to_hdf5(c, "/x")
with open(c, "rb+") as file:
    os.fsync(file.fileno())
"""


def shape_of(indices, extents):
    return "x".join(str(extents[i]) for i in indices)


def edges_of(chunk):
    """The values in a chunk of an index of the result, and of one that is summed over."""
    free, _, summed = chunk.partition(":")
    return int(free), int(summed or free)


def generate(options, folder, expression):
    inputs = expression.split("->", maxsplit=1)[0].split(",")
    names = [os.path.join(folder, name) for name in ("a.h5", "b.h5")]
    for seed, (name, indices) in enumerate(zip(names, inputs)):
        subprocess.run([options.ashlar, "generate", "-q", "--shape", shape_of(indices, options.extents), "-o",
                        f"{name}:/x", "--seed", str(seed + 1)], check=True)
    return names


def row(*cells):
    print("| " + " | ".join(str(c) for c in cells) + " |", flush=True)


def run_ashlar(options, folder, expression, rate, names):
    told, out = os.path.join(folder, "told.json"), os.path.join(folder, "c.h5")
    options.slow = f"{HERE}/slowdisk {rate} {options.group}"
    line = measure(options, folder, [options.ashlar, "contract", expression, f"{names[0]}:/x", f"{names[1]}:/x", "-o",
                                     f"{out}:/x", "--quiet", f"--memory={options.memory}", f"--stats={told}"] +
                   ([f"--machine={options.machine}"] if options.machine else []))
    with open(told, encoding="utf-8") as file:
        run = json.load(file)
    os.remove(out)
    pages = re.search(r"whole pages (\d+) MB", run["plan"]["text"])
    row("ashlar", f"`{expression}`", rate, f"{line['seconds']:.1f}", f"{run['measured']['seconds']:.1f}",
        pages[1] if pages else "", line["delivered_mb"], f"{line['largest_mib']:.0f}")


def run_dask(options, folder, expression, rate, names, chunk):
    """A chunk is FREE or FREE:SUMMED values. A program that the control group's limit ends has a row that says so."""
    out = os.path.join(folder, "c.h5")
    options.slow = f"{HERE}/slowdisk {rate} {options.dask_group}"
    os.environ["OPENBLAS_NUM_THREADS"] = "1"
    line = measure(options, folder, [python_with_dask(), "-c", DASK, expression, *names, out, *edges_of(chunk),
                                     options.cores], may_fail=True)
    del os.environ["OPENBLAS_NUM_THREADS"]
    if os.path.exists(out):
        os.remove(out)
    seconds = f"{line['seconds']:.1f}"
    if line["status"] != 0:
        seconds = f"ended by signal {256 - line['status']}" if line["status"] > 128 else f"failed after {seconds}"
    row(f"dask, chunks of {chunk}", f"`{expression}`", rate, seconds, "", "", line["delivered_mb"],
        f"{line['largest_mib']:.0f}")


def calibrate(options, folder, rate):
    """The figures of the machine with that disk."""
    options.machine = os.path.join(folder, f"machine-{rate}.json")
    options.slow = f"{HERE}/slowdisk {rate} {options.group}"
    measure(options, folder, [options.ashlar, "calibrate", "-q", "--seconds=2", "-o", options.machine])


def run_tiny(options, folder):
    whole, options.extents = options.extents, dict.fromkeys("abcdmn", 2)
    run_ashlar(options, folder, EXPRESSIONS[0], 0, generate(options, folder, EXPRESSIONS[0]))
    options.extents = whole


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ashlar", default="build/release/ashlar")
    parser.add_argument("--machine", help="figures of the machine, from ashlar calibrate")
    parser.add_argument("--calibrate", action="store_true", help="find these figures for each rate of the disk")
    parser.add_argument("--expression", action="append", help="may be given again (five orders of indices)")
    parser.add_argument("--rate", action="append", type=int, help="MB/s of the disk, 0: no limit; may be given again")
    parser.add_argument("--memory", default="40MiB", help="what Ashlar may hold")
    parser.add_argument("--group", default="128M", help="memory of the control group")
    parser.add_argument("--dask-group", default="512M", help="that for dask, which alone takes more than that")
    parser.add_argument("--chunk", action="append", help="values of each index in dask's chunks, or FREE:SUMMED; again")
    parser.add_argument("--folder", help="on the disk (a temporary folder here)")
    options = parser.parse_args()
    options.ashlar = os.path.abspath(options.ashlar)
    options.machine = os.path.abspath(options.machine) if options.machine else None
    options.cores = len(os.sched_getaffinity(0))
    options.extents = dict.fromkeys("acm", 64) | dict.fromkeys("bdn", 80)
    return options


def main():
    options = parse()
    with tempfile.TemporaryDirectory(dir=options.folder or ".") as folder:
        folder = os.path.abspath(folder)
        run_tiny(options, folder)
        for expression in options.expression or EXPRESSIONS:
            names = generate(options, folder, expression)
            for rate in options.rate or [0]:
                if options.calibrate:
                    calibrate(options, folder, rate)
                run_ashlar(options, folder, expression, rate, names)
                for edge in options.chunk or []:
                    run_dask(options, folder, expression, rate, names, edge)


if __name__ == "__main__":
    sys.exit(main())
