#!/usr/bin/env python3
"""Lays predicted seconds beside measured ones where the links or the disk are slow, and appends lines of JSON.

On an emulated cluster (bench/cluster) the machine is measured by `ashlar calibrate`, products of block-cyclic matrices
by bench/pdgemm and of matrices in their own layouts by bench/own, and `ashlar simulate` predicts. On a slow disk, for
which a command is given that runs another one on it, `ashlar multiply` predicts and measures by itself.
"""
import argparse
import json
import os
import shlex
import subprocess
import sys
import tempfile

from program_build import build_of

CYCLIC = ((1536, 1536, 1536), (3072, 3072, 512))
REPETITIONS = 5
STREAMED = ((6000, 6000, 6000), (3000, 3000, 24000))
JOINT_MIB = 64  # memory of all ranks together, for matrices of several hundred MiB


def run(command, **more):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=300, **more)
    if done.returncode == 77:
        print(f"predicted.py: skipped: {done.stderr.strip()}", file=sys.stderr)
        sys.exit(77)
    if done.returncode != 0:
        sys.exit(f"predicted.py: {' '.join(map(str, command))}: {done.stderr.strip()}")
    return done.stdout


def append(options, shape, ranks, **line):
    m, n, k = shape
    with open(options.output, "a", encoding="utf-8") as file:
        known = {"schema": 1, "kind": "predicted", **options.build, "m": m, "n": n, "k": k, "ranks": ranks}
        file.write(json.dumps({**known, **line}) + "\n")
    print(f"{line['where']}, {ranks} ranks, {m} x {n} x {k}, {line['library']}: predicted {line['predicted']:.4g} s, "
          f"measured {line['measured']:.4g} s, ratio {line['predicted'] / line['measured']:.3f}", file=sys.stderr)


def simulate(options, shape, ranks, machine, *more):
    told = json.loads(run([options.ashlar, "simulate", *map(str, shape), f"--ranks={ranks}", f"--machine={machine}",
                           "--quiet", "--json", *more]))
    chosen = next(s for s in told["strategies"] if s["name"] == told["chosen"])
    return {"predicted": told["play"]["seconds"], "closed_form": chosen["seconds"],
            "lanes": {lane: told["play"][lane] for lane in ("cores", "network", "disk")}}


def generate(options, shape, folder):
    names = [os.path.join(folder, name) for name in ("A.npy", "B.npy", "C.npy")]
    m, n, k = shape
    run([options.ashlar, "generate", str(m), str(k), "-o", names[0]])
    run([options.ashlar, "generate", str(k), str(n), "-o", names[1]])
    return names


def figures_of(path):
    """What bench/own takes of a machine's file."""
    with open(path, encoding="utf-8") as file:
        machine = json.load(file)
    names = ("flops_per_second", "latency", "bandwidth", "copy_bandwidth", "disk_bandwidth")
    return ",".join(str(x) for x in [machine[name] for name in names] + list(machine["forms"].values()))


def on_cluster(options, hosts, mbit, folder):
    here = os.path.dirname(os.path.abspath(__file__))
    launch = [os.path.join(here, "cluster"), str(hosts), str(mbit)]
    machine, grid = os.path.join(folder, "machine.json"), {4: "2x2", 8: "2x4"}[hosts]
    run(launch + [options.ashlar, "calibrate", "--quiet", "--seconds=2", "-o", machine, f"--disk={folder}"])
    for shape in CYCLIC:
        line = run(launch + [options.pdgemm, *map(str, shape), "--grid", grid, "--machine", machine, "--repetitions",
                             str(REPETITIONS)])
        append(options, shape, hosts, where=f"links of {mbit} Mbit/s", library="block-cyclic",
               measured=json.loads(line)["seconds"]["ashlar"]["median"],
               **simulate(options, shape, hosts, machine, f"--layout=block-cyclic:64x64:{grid}"))
        line = run(launch + [options.own, *map(str, shape), str(REPETITIONS), "any", figures_of(machine)])
        append(options, shape, hosts, where=f"links of {mbit} Mbit/s", library="own",
               measured=json.loads(line)["seconds"]["ashlar"]["median"],
               **simulate(options, shape, hosts, machine))


def on_slow_disk(options, ranks, folder):
    machine = os.path.join(folder, "machine.json")
    launch = shlex.split(options.slow) + [options.launch, str(ranks), options.ashlar]
    os.environ["OPENBLAS_NUM_THREADS"] = str(max(len(os.sched_getaffinity(0)) // ranks, 1))
    run(launch + ["calibrate", "--quiet", "--seconds=2", "-o", machine, f"--disk={folder}"], cwd=folder)
    for shape in STREAMED:
        a, b, c = generate(options, shape, folder)
        told = json.loads(run(launch + ["multiply", a, b, "-o", c, "--json", "--quiet", f"--machine={machine}",
                                        f"--memory={JOINT_MIB // ranks}MiB"], cwd=folder))
        append(options, shape, ranks, where=options.slow_name, library="files",
               predicted=told["strategies"][0]["seconds"], measured=told["measured"]["seconds"],
               disk_words=told["strategies"][0]["disk_words"])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ashlar", default="build/release/ashlar")
    parser.add_argument("--pdgemm", default="build/release/bench/pdgemm")
    parser.add_argument("--own", default="build/release/bench/own")
    parser.add_argument("--launch", default="build/release/launch")
    parser.add_argument("--output", default="bench/results.jsonl")
    parser.add_argument("--links", action="append", default=[], metavar="HOSTS:MBIT", help="4 or 8 hosts; repeatable")
    parser.add_argument("--slow", help="a command that runs the one behind it on a slow disk with little page cache")
    parser.add_argument("--slow-name", default="slow disk", help="what the table calls that disk")
    parser.add_argument("--ranks", action="append", type=int, default=[], help="on the slow disk; repeatable")
    parser.add_argument("--folder", help="on the slow disk (a temporary folder here)")
    options = parser.parse_args()
    for name in ("ashlar", "pdgemm", "own", "launch"):
        setattr(options, name, os.path.abspath(getattr(options, name)))
    options.build = build_of(options.ashlar)
    os.environ["OPENBLAS_NUM_THREADS"] = "1"
    with tempfile.TemporaryDirectory(dir=options.folder or ".") as folder:
        folder = os.path.abspath(folder)
        for links in options.links:
            hosts, mbit = map(int, links.split(":"))
            on_cluster(options, hosts, mbit, folder)
        for ranks in options.ranks if options.slow else []:
            on_slow_disk(options, ranks, folder)


if __name__ == "__main__":
    main()
