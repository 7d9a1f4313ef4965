#!/usr/bin/env python3
"""Runs the measuring programs of two builds by turns, and prints which cases of the newer one are slower.

Started by bench/against, which says what is compared and when a case is slower. A folder of a build holds build/launch,
build/bench/PROGRAM, build/ashlar and own; the launcher of the newer build starts the programs of both.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import time

RATIO_MOST, SECONDS_MOST = 1.02, 20e-6
HERE = os.path.dirname(os.path.abspath(__file__))


def quartiles(values):
    """Lower quartile, median, upper quartile."""
    if len(values) == 1:
        return values[0], values[0], values[0]
    return tuple(statistics.quantiles(values, n=4, method="inclusive"))


def program(folder, name):
    places = {"own": "own", "ashlar": "build/ashlar"}
    return os.path.join(folder, places.get(name, f"build/bench/{name}"))


def command(case, folder, newer):
    """The command line of a case with the programs of one folder."""
    start = [program(folder, case["program"])] + case["arguments"]
    if case["set"] == "planning":
        return start
    if case["set"] == "cluster":
        return [os.path.join(HERE, "cluster"), case["ranks"], case["threads"]] + start
    return [os.path.join(newer, "build/launch"), case["ranks"]] + start


def run(case, folder, newer):
    """The seconds of each figure of a case, or a line that says why there are none."""
    threads = "1" if case["set"] == "cluster" else case["threads"]
    environment = dict(os.environ, OPENBLAS_NUM_THREADS=threads, BLIS_NUM_THREADS=threads)
    start = time.perf_counter()
    try:
        done = subprocess.run(command(case, folder, newer), env=environment, capture_output=True, text=True,
                              check=False, stdin=subprocess.DEVNULL)
    except OSError as error:
        return None, str(error)
    took = time.perf_counter() - start
    if done.returncode != 0:
        said = [line for line in done.stderr.splitlines() if line.strip()]
        return None, said[0] if said else f"status {done.returncode}"
    if case["set"] == "planning":
        return {"": took}, None
    figures = {}
    for line in done.stdout.splitlines():
        figures.update(figures_of(json.loads(line)))
    return figures, None


def figures_of(line):
    """The medians of a line of JSON by name; ScaLAPACK's and the BLAS's are left out but for `control`."""
    call = f"{line['call']} " if "call" in line else ""
    figures = {}
    for way, summary in line["seconds"].items():
        name = {"ashlar": "", "ashlar_once": "in one call", "ashlar_kept": "context kept",
                "ashlar_default": "default figures", "blas": "control", "scalapack": "control"}.get(way, way)
        figures[f"{call}{name}".strip()] = summary["median"]
    if "plan_seconds" in line:
        figures["plan"] = line["plan_seconds"]["median"]
    return figures


def read_cases(path):
    cases = []
    with open(path, encoding="utf-8") as file:
        for line in file:
            name, ranks, threads, binary, *arguments = line.split()
            cases.append({"set": name, "ranks": ranks, "threads": threads, "program": binary, "arguments": arguments})
    return cases


def title(case):
    """Without the repetitions, and without the calls, which the figures name."""
    words = list(case["arguments"])
    if case["set"] == "calls":
        words = words[:1]
    if case["set"] == "own":
        del words[3:4]
    if case["set"] == "redistribute":
        del words[5:]
    while "--repetitions" in words:
        at = words.index("--repetitions")
        del words[at:at + 2]
    if case["set"] == "cluster":
        return f"cluster {case['ranks']} hosts {case['threads']} Mbit/s {' '.join(words[:3])}"
    return f"{case['program']} {' '.join(words)} on {case['ranks']}"


def verdict(old, new):
    """Of the seconds of both sides, pair by pair: slower, faster or same; the ratios' quartiles."""
    low, ratio, high = quartiles([b / a for a, b in zip(old, new)])
    more = statistics.median(b - a for a, b in zip(old, new))
    if ratio > RATIO_MOST and low > 1 and more > SECONDS_MOST:
        return "slower", low, ratio, high
    if ratio < 1 / RATIO_MOST and high < 1 and more < -SECONDS_MOST:
        return "faster", low, ratio, high
    return "same", low, ratio, high


def measure(case, options):
    """Pairs of both sides' figures, of which another side begins each; or None, the side that fails, and why."""
    pairs = []
    for number in range(options.pairs):
        pair = {}
        for side in ("old", "new") if number % 2 == 0 else ("new", "old"):
            pair[side], why = run(case, getattr(options, side), options.new)
            if why is not None:
                return None, side, why
        pairs.append(pair)
    return pairs, None, None


def report(case, pairs, control):
    """Print a row for each figure that both sides have; return how many are slower."""
    slower = 0
    for name in pairs[0]["new"]:
        if any(name not in pair["old"] for pair in pairs):
            print(f"skipped: {title(case)}: the older commit has no figure '{name}'")
            continue
        old, new = ([pair[side][name] for pair in pairs] for side in ("old", "new"))
        if name.endswith("control"):
            control += [b / a for a, b in zip(old, new)]
            continue
        said, low, ratio, high = verdict(old, new)
        slower += said == "slower"
        print(f"{statistics.median(old):11.4g} {statistics.median(new):11.4g} {ratio:7.3f} {low:7.3f} {high:7.3f} "
              f" {said:6}  {title(case)}{', ' if name else ''}{name}", flush=True)
    return slower


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("cases", help="a file: set, ranks, threads, program and arguments of a case on each line")
    parser.add_argument("--old", required=True, help="the folder of the older commit's build")
    parser.add_argument("--new", required=True, help="the folder of this tree's build")
    parser.add_argument("--pairs", type=int, default=9, help="how often each case is run on both sides")
    parser.add_argument("--runs", help="append every pair to this file, a line of JSON each")
    options = parser.parse_args()
    slower = failed = 0
    control = []
    print("     old, s      new, s   ratio     low    high  verdict case")
    for case in read_cases(options.cases):
        pairs, side, why = measure(case, options)
        if side == "old":
            print(f"skipped: {title(case)}: the older commit's program says: {why}", flush=True)
            continue
        if side == "new":
            print(f"failed: {title(case)}: {why}", flush=True)
            failed += 1
            continue
        if options.runs:
            with open(options.runs, "a", encoding="utf-8") as file:
                file.writelines(json.dumps({"case": title(case), **pair}) + "\n" for pair in pairs)
        slower += report(case, pairs, control)
    if control:
        low, ratio, high = quartiles(control)
        print(f"what both call alike (ScaLAPACK, BLAS): ratio {ratio:.3f} ({low:.3f} to {high:.3f})")
    print(f"{slower} slower, {failed} failed")
    sys.exit(1 if slower or failed else 0)


if __name__ == "__main__":
    main()
