#!/usr/bin/env python3
"""Asks the command for the words of a fixed list of problems, walks their schedules, and compares both with bounds.

Needs no MPI and times nothing but planning itself. Prints a table; --output FILE appends a line of JSON a problem.
"""
import argparse
import json
import statistics
import subprocess
import sys
import time

from program_build import build_of

SQUARE_RANKS = (4, 8, 12, 16, 27, 64, 65, 100, 256, 1000, 1024, 2197, 4096, 9216, 9217)
MANY_RANKS = (2048, 4096, 9216, 12288, 18432)
WIDE, LONG, FLAT, THIN = 17408, 3735552, 131072, 512

# Millions of words of the busiest rank, as printed: what is to be reached, and what COSMA's published implementation
# moves. Keys: m, n, k, ranks, memory as a multiple of a rank's even share (None: no limit).
LANDMARKS = {
    (4096, 4096, 4096, 65, None): ("2.36", "4.13"),
    (65536, 65536, 65536, 9217, None): ("28.0", "341"),
    (65536, 65536, 65536, 9221, None): ("28.0", "4282"),
    (WIDE, WIDE, LONG, 4096, None): ("97.1", "101.3"),
    (FLAT, FLAT, THIN, 2048, None): ("2.92", "3.08"),
    (16384, 16384, 16384, 64, 1.5): ("58.7", "125.8"),
    (16384, 16384, 16384, 64, 2): ("44.7", "75.5"),
    (16384, 16384, 16384, 64, 3): ("37.7", "62.9"),
    (WIDE, WIDE, LONG, 4096, 2): ("105", "297"),
}


def problems():
    for ranks in SQUARE_RANKS:
        yield "square", 4096, 4096, 4096, ranks, None
    for ranks in (9216, 9217, 9221):
        yield "square", 65536, 65536, 65536, ranks, None
    for ranks in MANY_RANKS:
        yield "RPA", WIDE, WIDE, LONG, ranks, None
    for ranks in MANY_RANKS:
        yield "RPA transposed", LONG, WIDE, WIDE, ranks, None
    for ranks in MANY_RANKS:
        yield "flat", FLAT, FLAT, THIN, ranks, None
    for share in (1.5, 2, 3):
        yield "square", 16384, 16384, 16384, 64, share
    yield "RPA", WIDE, WIDE, LONG, 4096, 2


def ask(arguments, limit=None):
    """What the command answers, or the line with which it refuses; neither after `limit` seconds."""
    try:
        run = subprocess.run(arguments, capture_output=True, text=True, check=False, timeout=limit)
    except subprocess.TimeoutExpired:
        return None, None
    if run.returncode != 0:
        return None, run.stderr.strip() or f"status {run.returncode}"
    return json.loads(run.stdout), None


def chosen(answer):
    return next(s for s in answer["strategies"] if s["name"] == answer["chosen"])


def within(words, landmark):
    """Whether `words` is at most the landmark, which was rounded to the digits printed."""
    digits = len(landmark.partition(".")[2])
    return words <= (float(landmark) + 0.5 * 10 ** -digits) * 1e6


def measure(ashlar, walk_seconds, kind, m, n, k, ranks, share):
    line = {"schema": 1, "kind": "words", "shape": kind, "m": m, "n": n, "k": k, "ranks": ranks, "share": share}
    arguments = [str(m), str(n), str(k), "--ranks", str(ranks), "--objective", "words", "--json"]
    if share is not None:
        line["memory_words_limit"] = int(share * (m * n + m * k + k * n) / ranks)
        arguments += ["--memory-words", str(line["memory_words_limit"])]
    answer, refusal = ask([ashlar, "plan"] + arguments)
    if answer is None:
        line["error"] = refusal
        return line
    plan = chosen(answer)
    line.update({key: plan[key] for key in ("grid", "ranks_used", "rounds", "words_max", "memory_words")})
    line["bound_words"] = answer["bound"]["words"]
    walked, refusal = ask([ashlar, "simulate"] + arguments, walk_seconds) if walk_seconds > 0 else (None, None)
    if refusal:
        line["error"] = refusal
        return line
    if walked:
        line["walked_words_max"] = chosen(walked)["words_max"]
        line["walked_memory_words"] = chosen(walked)["memory_words"]
    landmark = LANDMARKS.get((m, n, k, ranks, share))
    if landmark:
        line["landmark"], line["published"] = landmark
        line["reached"] = within(line.get("walked_words_max", line["words_max"]), landmark[0])
    return line


def time_planning(ashlar, ranks, limit, repetitions):
    """Seconds of the whole command, its start included."""
    seconds = []
    for _ in range(repetitions):
        start = time.perf_counter()
        _, refusal = ask([ashlar, "plan", "65536", "65536", "65536", "--ranks", str(ranks), "--json"])
        seconds.append(time.perf_counter() - start)
        if refusal:
            sys.exit(f"words.py: {refusal}")
    return {"schema": 1, "kind": "planning", "m": 65536, "n": 65536, "k": 65536, "ranks": ranks, "limit": limit,
            "repetitions": repetitions,
            "seconds": {"median": statistics.median(seconds), "min": min(seconds), "max": max(seconds)}}


def show(line):
    problem = f"{line['m']} x {line['n']} x {line['k']}"
    share = "" if line["share"] is None else f"{line['share']:g}"
    start = f"{line['shape']:15}{problem:27}{line['ranks']:6}{share:>5}"
    if "error" in line:
        print(f"{start}  {line['error']}", flush=True)
        return
    words, walked = line["words_max"], line.get("walked_words_max")
    note = "  not walked" if walked is None else "" if walked == words else f"  WALKED {walked}"
    if "landmark" in line:
        verdict = "reached" if line["reached"] else "MISSED"
        note += f"  {verdict} {line['landmark']} M ({line['published']} M)"
    grid = "x".join(map(str, line["grid"])) if line["grid"] else "none"  # boxes of another kind
    bound = line["bound_words"]
    ratio = f"{words / bound:8.4f}" if bound > 0 else "       -"
    print(f"{start}{grid:>13}{words:14}{bound:16.0f}{ratio}{note}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ashlar", default="build/release/ashlar", help="the command (%(default)s)")
    parser.add_argument("--output", help="append a line of JSON a problem to this file")
    parser.add_argument("--walk-seconds", type=float, default=120, metavar="S",
                        help="give up walking all schedules of a problem after so long; 0: do not walk (%(default)s)")
    parser.add_argument("--repetitions", type=int, default=9, help="how often planning is timed (%(default)s)")
    parser.add_argument("--only", choices=("words", "planning"), help="leave out the other part")
    options = parser.parse_args()
    source = build_of(options.ashlar)
    lines = []
    if options.only != "planning":
        print(f"{'shape':15}{'m x n x k':27}{'ranks':>6}{'S/D':>5}{'grid':>13}{'words_max':>14}{'bound':>16}   ratio")
        for problem in problems():
            lines.append(measure(options.ashlar, options.walk_seconds, *problem))
            show(lines[-1])
    if options.only != "words":
        for ranks, limit in ((10**4, 0.02), (10**6, 0.1)):
            lines.append(time_planning(options.ashlar, ranks, limit, options.repetitions))
            print(f"planning for {ranks} ranks: {lines[-1]['seconds']['median'] * 1e3:.1f} ms, wanted {limit * 1e3:g}")
    if options.output:
        with open(options.output, "a", encoding="utf-8") as file:
            for line in lines:
                file.write(json.dumps({**line, **source}) + "\n")
    failed = any("error" in line or line.get("reached") is False or
                 line.get("walked_words_max", line.get("words_max")) != line.get("words_max") for line in lines)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
