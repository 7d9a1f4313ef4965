"""Random contractions: subscripts with everything that einsum takes, and arrays that lie in every way."""
from __future__ import annotations

import random
from typing import Any

import numpy as np

DTYPES = ["float32", "float64", "complex64", "complex128"]


def array(rng: random.Random, shape: tuple[int, ...], dtype: str) -> Any:
    """Small whole numbers, so that sums are exact in every order, in one of the ways in which arrays lie."""
    numbers = np.random.default_rng(rng.randrange(2**32))
    order = list(range(len(shape)))
    rng.shuffle(order)
    gaps = [rng.choice([1, 1, 1, 2]) for _ in shape]
    stored = [shape[axis] * gaps[axis] for axis in order]
    values = numbers.integers(-3, 4, stored).astype(dtype)
    if dtype.startswith("complex"):
        values += 1j * numbers.integers(-3, 4, stored)
    back = values.transpose([order.index(axis) for axis in range(len(shape))])
    return back[tuple(slice(None, None, rng.choice([1, 1, 1, -1]) * gap) for gap in gaps)]


def problem(rng: random.Random) -> tuple[str, list[Any]]:
    """Subscripts and operands that numpy.einsum takes."""
    letters = rng.sample("abcdefgijkABC", rng.randint(1, 6))
    sizes = {letter: rng.choice([0, 1, 2, 3, 3, 4, 5] if rng.random() < 0.1 else [1, 2, 3, 3, 4, 5])
             for letter in letters}
    batch = tuple(rng.randint(1, 3) for _ in range(rng.randint(1, 2)))
    dtype, lists, arrays = rng.choice(DTYPES), [], []
    for _ in range(rng.choice([1, 2, 2, 2, 2, 3, 3, 4])):
        own = [rng.choice(letters) for _ in range(rng.randint(0, 4))]
        shape = tuple(1 if sizes[letter] and rng.random() < 0.05 and own.count(letter) == 1 else sizes[letter]
                      for letter in own)
        text = "".join(own)
        if rng.random() < 0.25:
            at, more = rng.randint(0, len(own)), rng.randint(0, len(batch))
            text = text[:at] + "..." + text[at:]
            shape = shape[:at] + batch[len(batch) - more:] + shape[at:]
        lists.append(text)
        arrays.append(array(rng, shape, dtype))
    subscripts = ",".join(lists)
    if rng.random() < 0.75:
        named = sorted(set(subscripts) - {",", "."})
        rng.shuffle(named)
        output = "".join(named[:rng.randint(0, len(named))])
        at = rng.randint(0, len(output))
        subscripts += "->" + (output[:at] + "..." + output[at:] if "..." in subscripts else output)
    return subscripts, arrays
