#!/usr/bin/env python3
"""Times the Python package: importing it, what a call takes beside C's, and 40 contractions beside numpy's einsum.

    PYTHONPATH=build/release/python bench/package.py import calls strings

import: seconds of `import numpy` and of `import ashlar` after it, each in processes of its own. calls: microseconds of
small calls, by the package and by the library's execution of the plan that is kept. strings: milliseconds of Ashlar and
of numpy.einsum(optimize=True) by turns, and the median over repetitions of numpy's over Ashlar's; numpy's result is
stored contiguously, as Ashlar's is. Strings come at the size that is named; all arrays are of doubles.
"""
import argparse
import statistics
import subprocess
import sys
import time

# subscripts: values of every index, then of those that have others.
STRINGS = """
ij,jk->ik:4  ij,jk->ik:32  ij,jk->ik:300  ij,jk->ki:300  ji,jk->ik:300  ij,kj->ik:500
ij,j->i:1000  ij,i->j:1000  i,j->ij:1000  ij,ij->:700  ij,ij->ij:700  ij,ij->i:700  ij,ji->:700
bij,bjk->bik:40  bij,bkj->bik:40,b=200  bij,bj->bi:100  bij,jk->bik:60  ijb,jkb->ikb:40
abcd,cdij->abij:20,i=8,j=8  abmn,cdmn->abcd:16  ijkl,ijmn->klmn:14  aibj,bjck->aick:18  abcd,dcef->abef:16
abc,cd->abd:80  abc,bd->adc:80  abc,ad->dbc:80  abcd,de->abce:30  abcd,be->aecd:30  iajb,ikjc->kcab:16
ijab,ab->ij:30  abcd,bd->ac:30  ij,jk,kl->il:120  ij,jk,k->i:200  ijk,jl,km->ilm:40  ijk,ia,jb->abk:50
ijk,jr,kr->ir:70,r=16  ij,jk,ki->:100  abij,ijkl,klcd->abcd:10  pi,pq,qj->ij:150  ijkl,ja,lb->iakb:22
"""


def shapes_of(text):
    subscripts, sizes = text.split(":")
    usual, *others = sizes.split(",")
    extent = dict.fromkeys((letter for letter in subscripts if letter.isalpha()), int(usual))
    extent.update((pair.split("=")[0], int(pair.split("=")[1])) for pair in others)
    return subscripts, [[extent[i] for i in letters] for letters in subscripts.split("->")[0].split(",")]


def seconds(call):
    """The least of three timings of as many calls as take 2 ms."""
    began = time.perf_counter()
    call()
    count = max(1, int(2e-3 / max(time.perf_counter() - began, 1e-7)))
    best = float("inf")
    for _ in range(3):
        began = time.perf_counter()
        for _ in range(count):
            call()
        best = min(best, (time.perf_counter() - began) / count)
    return best


def show_import(options):
    def took(text):
        return float(subprocess.run([sys.executable, "-c", f"import time\n{text}"], check=True, text=True,
                                    stdout=subprocess.PIPE).stdout)

    timed = "began = time.perf_counter()\nimport {}\nprint(time.perf_counter() - began)"
    alone = [took(timed.format("numpy")) for _ in range(options.repetitions)]
    beside = [took("import numpy\n" + timed.format("ashlar")) for _ in range(options.repetitions)]
    print(f"import: numpy {statistics.median(alone):.3f} s, ashlar after it {statistics.median(beside):.3f} s")


def show_calls(options):
    import ashlar
    import numpy as np
    from ashlar import _job, _runtime
    from ashlar._types import ONE, ZERO
    for text in ("ij,jk->ik:4", "ij,jk->ik:16", "ij,j->i:8", "abc,cd->abd:6", "i,i->:10"):
        subscripts, shapes = shapes_of(text)
        operands = [np.ones(shape) for shape in shapes]
        out = np.asarray(ashlar.einsum(subscripts, *operands))
        differences, ours, theirs = [], [], []
        key, job = next((key, job) for key, job in _runtime.alone().kept.items() if key[0] == subscripts)
        for _ in range(options.repetitions):
            ours.append(seconds(lambda: ashlar.einsum(subscripts, *operands)))
            for i, each in enumerate(operands):
                job.pointers[i] = _job.address(each)
            at = _job.address(out)
            theirs.append(seconds(lambda: job.execute(ONE[1], ZERO[1], at)))
            differences.append(ours[-1] - theirs[-1])
        print(f"call: {text}: {statistics.median(ours) * 1e6:.1f} us, of which the library's execution "
              f"{statistics.median(theirs) * 1e6:.1f}; overhead {statistics.median(differences) * 1e6:.1f} us, at most "
              f"{max(differences) * 1e6:.1f}")


def show_strings(options):
    import ashlar
    import numpy as np
    texts, slower = STRINGS.split(), 0
    for text in texts:
        subscripts, shapes = shapes_of(text)
        rng = np.random.default_rng(1)
        operands = [rng.standard_normal(shape) for shape in shapes]

        def ours():
            return ashlar.einsum(subscripts, *operands)

        def theirs():
            return np.ascontiguousarray(np.einsum(subscripts, *operands, optimize=True))

        assert np.allclose(ours(), theirs())
        pairs = [(seconds(ours), seconds(theirs)) for _ in range(options.repetitions)]
        ratios = sorted(other / own for own, other in pairs)
        ratio = statistics.median(ratios)
        slower += ratio < 1
        own, other = (statistics.median(times) * 1e3 for times in zip(*pairs))
        print(f"{ratio:6.2f} ({ratios[0]:.2f} to {ratios[-1]:.2f}) {own:9.4f} {other:9.4f} {text}"
              f"{'  slower' if ratio < 1 else ''}", flush=True)
    print(f"strings: {slower} of {len(texts)} slower than numpy {np.__version__}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", nargs="+", choices=["import", "calls", "strings"])
    parser.add_argument("--repetitions", type=int, default=7)
    options = parser.parse_args()
    for what in options.what:
        {"import": show_import, "calls": show_calls, "strings": show_strings}[what](options)


if __name__ == "__main__":
    main()
