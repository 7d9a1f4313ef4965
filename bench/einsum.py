#!/usr/bin/env python3
"""Times contractions of two arrays in memory beside numpy's einsum and tensordot, by turns; prints a line for each.

    bench/einsum.py --library build/release/libashlar.so --count 100 --seed 1 --threads 1
    bench/einsum.py --library build/release/libashlar.so abcd,d-\\>abc:72 bda,dc-\\>abc:312,c=24

Without expressions they are random: one to six indices of each array, in any order, batches included; with --products
each array has an index of its own, and there is a sum. Results of the others are brought into the order asked for, as
Ashlar's is. A line has milliseconds of each, the better of numpy's ways, and medians, over repetitions, of the others'
time over Ashlar's. Results are compared. With several threads there is a pause before each: threads of a BLAS turn for
a while after their work is done. Needs Open MPI and numpy; with --torch, PyTorch's einsum runs beside them, if it is
installed. With --dgemm so does the BLAS: the best of its eight forms (NN, NT, TN, TT, and of the transposed product) on
matrices of the same sizes that lie in one piece each, by numpy.matmul, whose result is in no order that was asked for.
"""
import argparse
import ctypes
import math
import os
import random
import statistics
import string
import sys
import time

TYPES = {"s": "float32", "d": "float64", "c": "complex64", "z": "complex128"}
TIE = 0.95
PAUSE = 0.1
OFTEN = 8  # what takes so many times as long as Ashlar is timed once
MANY_FLOPS, GOALS = 100, (0.7, 0.9)  # of dgemm: below so many flops a word, and from there on


class Tensor(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("order", ctypes.c_int), ("extent", ctypes.POINTER(ctypes.c_int64)),
                ("layout", ctypes.c_void_p), ("file", ctypes.c_void_p), ("conjugate", ctypes.c_bool)]


class Contraction(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("type", ctypes.c_int), ("expression", ctypes.c_char_p),
                ("operands", ctypes.c_int), ("operand", ctypes.POINTER(Tensor)), ("output", ctypes.POINTER(Tensor)),
                ("output0", ctypes.c_void_p)]


class Error(ctypes.Structure):
    _fields_ = [("status", ctypes.c_int), ("text", ctypes.c_char * 512)]


class Ashlar:
    """The library, with MPI begun."""

    def __init__(self, path):
        self.mpi = ctypes.CDLL("libmpi.so.40", mode=ctypes.RTLD_GLOBAL)
        self.calls = ctypes.CDLL(path)
        self.error, self.context = Error(), ctypes.c_void_p()
        funneled, provided = 1, ctypes.c_int()
        self.mpi.MPI_Init_thread(None, None, funneled, ctypes.byref(provided))
        world = ctypes.c_void_p(ctypes.addressof(ctypes.c_char.in_dll(self.mpi, "ompi_mpi_comm_world")))
        self.check(self.calls.ashlar_context_create(world, ctypes.byref(self.context), ctypes.byref(self.error)))

    def check(self, status):
        if status != 0:
            sys.exit(self.error.text.decode())

    def plan(self, expression, letter, operands, output):
        tensors = (Tensor * 3)()
        for tensor, array in zip(tensors, [*operands, output]):
            extents = (ctypes.c_int64 * max(array.ndim, 1))(*array.shape)
            tensor.size, tensor.order, tensor.extent = ctypes.sizeof(Tensor), array.ndim, extents
        wanted = Contraction(ctypes.sizeof(Contraction), "sdcz".index(letter), expression.encode(), 2, tensors,
                             ctypes.pointer(tensors[2]), None)
        out = ctypes.c_void_p()
        self.check(self.calls.ashlar_contraction_plan_create(self.context, ctypes.byref(wanted), None,
                                                               ctypes.byref(out), ctypes.byref(self.error)))
        return out

    def runner(self, plan, operands, output):
        """What executes the plan."""
        import numpy
        one, zero = numpy.ones(1, output.dtype), numpy.zeros(1, output.dtype)
        data = (ctypes.c_void_p * 2)(*(x.ctypes.data for x in operands))
        arguments = [plan, ctypes.c_void_p(one.ctypes.data), data, ctypes.c_void_p(zero.ctypes.data),
                     ctypes.c_void_p(output.ctypes.data), ctypes.byref(self.error)]
        return lambda one=one, zero=zero: self.check(self.calls.ashlar_contraction_execute(*arguments))

    def end(self):
        self.calls.ashlar_context_free(ctypes.byref(self.context))
        self.mpi.MPI_Finalize()


# How likely 0 to 3 indices are: of A alone, of B alone, summed, of the batch.
ANY = ((1, 3, 4, 2), (2, 3, 4, 1), (1, 5, 4, 1), (8, 1, 1, 0))
PRODUCTS = ((0, 4, 4, 1), (0, 4, 4, 1), (0, 4, 3, 1), (4, 2, 1, 0))


def parse(text):
    """Extents are of all indices, then named ones: "72,a=24"; or of all, in the order of the alphabet: "24,72,72"."""
    expression, extents = text.split(":")
    letters = sorted({i for i in expression if i in string.ascii_letters})
    usual, *named = extents.split(",")
    of = {i: int(usual) for i in letters}
    if named and "=" not in extents:
        if len(letters) != 1 + len(named):
            sys.exit(f"{text}: {1 + len(named)} extents, wanted {len(letters)}")
        of = {i: int(x) for i, x in zip(letters, extents.split(","))}
    else:
        of.update((x.split("=")[0], int(x.split("=")[1])) for x in named)
    left, right = expression.split("->")[0].split(",")
    return expression, left, right, expression.split("->")[1], of


def draw(rng, options):
    """A random expression: indices of A alone, of B alone, summed, of the batch."""
    while True:
        groups = [rng.choices(range(4), weights)[0] for weights in (PRODUCTS if options.products else ANY)]
        letters = iter(string.ascii_letters[:sum(groups)])
        rows, cols, depth, batch = ([next(letters) for _ in range(count)] for count in groups)
        lists = [rows + depth + batch, cols + depth + batch, rows + cols + batch]
        if not lists[0] or not lists[1] or max(map(len, lists)) > 6:
            continue
        extent = {i: round(8 * (400 / 8) ** rng.random()) for i in rows + cols + depth + batch}
        words = [1, 1, 1]
        for at, one in enumerate(lists):
            rng.shuffle(one)
            for i in one:
                words[at] *= extent[i]
        flops = 2
        for size in extent.values():
            flops *= size
        if options.least <= 8 * sum(words) / 1e6 <= options.most and 1e6 < flops < options.flops:
            break
    names = ["".join(x) for x in lists]
    return f"{names[0]},{names[1]}->{names[2]}:1," + ",".join(f"{i}={n}" for i, n in sorted(extent.items()))


def numpy_ways(numpy, expression, left, right, out, operands):
    ways = [lambda: numpy.ascontiguousarray(numpy.einsum(expression, *operands, optimize=True))]
    shared = [i for i in left if i in right]
    if not any(i in out for i in shared):
        free = [i for i in left + right if i not in shared]
        order, axes = [free.index(i) for i in out], [[x.index(i) for i in shared] for x in (left, right)]
        ways.append(lambda: numpy.ascontiguousarray(numpy.tensordot(*operands, axes=axes).transpose(order)))
    return ways


def dgemm_ways(numpy, left, right, out, extent, operands, output):
    """The forms of the BLAS for the matrices that the arrays' elements are, one after the other."""
    def size(indices):
        return math.prod(extent[i] for i in indices)
    batch, depth = set(left) & set(right) & set(out), (set(left) & set(right)) - set(out)
    b, k, m, n = size(batch), size(depth), size(set(left) - batch - depth), size(set(right) - batch - depth)
    result, (x, y) = numpy.empty(output.size, output.dtype), operands

    def form(first, second, rows, cols, across, down):
        one = first.reshape(b, k, rows).transpose(0, 2, 1) if across else first.reshape(b, rows, k)
        two = second.reshape(b, cols, k).transpose(0, 2, 1) if down else second.reshape(b, k, cols)
        return lambda: numpy.matmul(one, two, out=result.reshape(b, rows, cols))
    return [form(*sides, across, down) for sides in ((x, y, m, n), (y, x, n, m)) for across in (False, True)
            for down in (False, True)]


def fastest(ways):
    """The one that is, when each has run once before."""
    for way in ways:
        way()
    took = [seconds_of(way)[0] for way in ways]
    return ways[took.index(min(took))]


def find_torch(options):
    """PyTorch, or None."""
    if not options.torch:
        return None
    try:
        import torch
    except ImportError:
        print("# PyTorch is not installed: left out")
        return None
    torch.set_num_threads(options.threads)
    return torch


def torch_way(torch, expression, operands):
    tensors = [torch.from_numpy(x) for x in operands]
    return lambda: torch.einsum(expression, *tensors).contiguous()


def seconds_of(way):
    began = time.perf_counter()
    result = way()
    return time.perf_counter() - began, result


def time_of(way, options, best=None):
    if options.threads > 1:
        time.sleep(PAUSE)
    return min(seconds_of(way)[0] for _ in range(best or options.best))


def make(numpy, shapes, letter):
    made = numpy.random.default_rng(1)
    operands = [numpy.asarray(made.random(x) + (1j * made.random(x) if letter in "cz" else 0) - 0.5, TYPES[letter])
                for x in shapes[:2]]
    return operands, numpy.zeros(shapes[2], TYPES[letter])


def interleaved(ours, others, options):
    """Seconds of all, by turns; of those that are far slower the first ones count for all turns."""
    often = OFTEN * min(seconds_of(ours)[0] for _ in range(2))
    slow = {at: seconds for at, seconds in ((at, time_of(way, options, 1)) for at, way in enumerate(others))
            if seconds > often}
    return [[time_of(ours, options)] + [slow.get(at) or time_of(way, options) for at, way in enumerate(others)]
            for _ in range(options.repetitions)]


def compare(ashlar, numpy, torch, text, letter, options):
    """One line; returns the ratios, and the goal for that to dgemm."""
    expression, left, right, out, extent = parse(text)
    operands, output = make(numpy, [[extent[i] for i in x] for x in (left, right, out)], letter)
    plan = ashlar.plan(expression, letter, operands, output)
    ours, ways = ashlar.runner(plan, operands, output), numpy_ways(numpy, expression, left, right, out, operands)
    ours()
    expected = ways[0]()
    size = float(numpy.abs(expected).max()) or 1.0
    right_result = numpy.abs(expected - output).max() <= size * (1e-3 if letter in "sc" else 1e-10)
    del expected
    others = [fastest(ways) if len(ways) > 1 else ways[0]]
    others += [torch_way(torch, expression, operands)] if torch else []
    others += [fastest(dgemm_ways(numpy, left, right, out, extent, operands, output))] if options.dgemm else []
    times = interleaved(ours, others, options)
    ashlar.calls.ashlar_contraction_plan_free(ctypes.byref(plan))
    flops = (8 if letter in "cz" else 2) * math.prod(extent.values())
    words = sum(x.size for x in (*operands, output))
    goal = GOALS[flops / words >= MANY_FLOPS]
    ratios = [statistics.median(x[1 + at] / x[0] for x in times) for at in range(len(others))]
    wanted = [goal if options.dgemm and at == len(others) - 1 else TIE for at in range(len(others))]
    below = any(ratio < least for ratio, least in zip(ratios, wanted))
    shown = ",".join(f"{i}={n}" for i, n in sorted(extent.items()))
    print(" ".join(f"{x:5.2f}" for x in ratios), " ".join(f"{statistics.median(x) * 1e3:9.3f}" for x in zip(*times)),
          f"{flops / words:5.0f}", f"{letter} {expression}:1,{shown}{'' if right_result else ' WRONG'}"
          f"{' below' if below else ''}", flush=True)
    return list(zip(ratios, wanted))


def read_options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--library", dest="shared", required=True, help="libashlar.so")
    parser.add_argument("--count", type=int, default=40, help="random expressions")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--torch", action="store_true", help="PyTorch beside them, if it is installed")
    parser.add_argument("--dgemm", action="store_true", help="the BLAS beside them")
    parser.add_argument("--products", action="store_true", help="random expressions with rows, columns and a sum")
    parser.add_argument("--types", default="d", help="of s, d, c and z, by turns")
    parser.add_argument("--repetitions", type=int, default=11)
    parser.add_argument("--best", type=int, default=3, help="runs of a repetition, of which the best counts")
    parser.add_argument("--least", type=float, default=1, help="MB of all three arrays, of doubles")
    parser.add_argument("--most", type=float, default=250)
    parser.add_argument("--flops", type=float, default=5e9, help="the most of a random expression")
    parser.add_argument("expressions", nargs="*")
    return parser.parse_args()


def main():
    options = read_options()
    os.environ["OPENBLAS_NUM_THREADS"] = str(options.threads)
    import numpy
    ashlar = Ashlar(options.shared)
    rng = random.Random(options.seed)
    torch = find_torch(options)
    others = [f"numpy {numpy.__version__}"] + ([f"torch {torch.__version__}"] if torch else [])
    others += ["the BLAS"] if options.dgemm else []
    print(f"# {' and '.join(others)} over Ashlar, ms of Ashlar and of these, flops a word, type, expression; "
          f"{options.threads} threads")
    texts = options.expressions or [draw(rng, options) for _ in range(options.count)]
    lines = [compare(ashlar, numpy, torch, text, options.types[at % len(options.types)], options)
             for at, text in enumerate(texts)]
    for other, results in zip(others, zip(*lines)):
        ratios = [ratio for ratio, _ in results]
        print(f"# {other}: {sum(ratio < least for ratio, least in results)} of {len(ratios)} below "
              f"{' or '.join(str(x) for x in sorted({least for _, least in results}))}; least {min(ratios):.2f}, "
              f"median {statistics.median(ratios):.2f}")
    ashlar.end()


if __name__ == "__main__":
    main()
