"""numpy.einsum's language: ellipses, implicit outputs and sublists become the expressions that the library reads."""
from __future__ import annotations

import re
import string
from functools import lru_cache
from typing import Any, Sequence

from ._errors import ArgumentError

LETTERS = string.ascii_uppercase + string.ascii_lowercase


def split(arguments: Sequence[Any]) -> tuple[str, list[Any]]:
    """Subscripts and operands of either of numpy's two ways to call einsum."""
    if not arguments:
        raise ArgumentError("einsum needs subscripts and operands")
    if isinstance(arguments[0], str) and not re.search(r"\.(npy|h5|hdf5|mtx)\b", arguments[0]):
        return arguments[0], list(arguments[1:])
    pairs = len(arguments) // 2
    lists = [_letters(arguments[2 * i + 1]) for i in range(pairs)]
    subscripts = ",".join(lists)
    if len(arguments) % 2:
        subscripts += "->" + _letters(arguments[-1])
    return subscripts, [arguments[2 * i] for i in range(pairs)]


def _letters(sublist: Any) -> str:
    """A sublist as letters: numbers 0 to 51, and at most one Ellipsis."""
    if not isinstance(sublist, (list, tuple)):
        raise ArgumentError(f"a sublist is a {type(sublist).__name__}: operands and lists of indices come by turns")
    found = ""
    for index in sublist:
        if index is Ellipsis:
            found += "..."
        elif hasattr(index, "__index__") and 0 <= index.__index__() < len(LETTERS):
            found += LETTERS[index.__index__()]
        else:
            raise ArgumentError(f"{index!r} in a sublist: an index is an Ellipsis or a number from 0 to "
                                f"{len(LETTERS) - 1}")
    return found


@lru_cache(maxsize=1024)
def parse(subscripts: str, orders: tuple[int, ...]) -> tuple[tuple[str, ...], str]:
    """Letters of each operand and of the output.

    Parameters
    ----------
    subscripts : as of numpy.einsum
    orders : how many dimensions each operand has

    An ellipsis becomes letters that are not used otherwise, the last of them for the last dimension.
    """
    text = "".join(subscripts.split())
    left, arrow, right = text.partition("->")
    lists = left.split(",")
    if len(lists) != len(orders):
        raise ArgumentError(f"\"{subscripts}\" has {len(lists)} operands, and {len(orders)} are given")
    for name, letters in [(f"operand {i}", each) for i, each in enumerate(lists)] + [("the output", right)]:
        bare = letters.replace("...", "", 1)
        wrong = [letter for letter in bare if letter not in LETTERS]
        if wrong:
            raise ArgumentError(f"\"{subscripts}\": {wrong[0]!r} in {name} is no letter")
    dots = [order - len(each.replace("...", "")) for each, order in zip(lists, orders)]
    for i, (each, more) in enumerate(zip(lists, dots)):
        if more < 0 or (more > 0 and "..." not in each):
            raise ArgumentError(f"\"{subscripts}\": operand {i} has {orders[i]} dimensions, and its subscripts are for "
                                f"{orders[i] - more}")
    most = max([more for each, more in zip(lists, dots) if "..." in each], default=0)
    free = [letter for letter in LETTERS if letter not in text]
    if len(free) < most:
        raise ArgumentError(f"\"{subscripts}\" needs more than {len(LETTERS)} indices")
    batch = "".join(free[:most])
    inputs = tuple(each.replace("...", batch[most - more:]) for each, more in zip(lists, dots))
    return inputs, _output(subscripts, "".join(lists), bool(arrow), right, batch)


def _output(subscripts: str, all_inputs: str, given: bool, right: str, batch: str) -> str:
    """Letters of the output; without "->" those that are once in the operands, in alphabetical order."""
    named = all_inputs.replace("...", "")
    if not given:
        return batch + "".join(sorted(letter for letter in set(named) if named.count(letter) == 1))
    if batch and "..." not in right:
        raise ArgumentError(f"\"{subscripts}\": the output needs the ellipsis that operands have")
    bare = right.replace("...", "")
    for letter in bare:
        if bare.count(letter) > 1:
            raise ArgumentError(f"\"{subscripts}\": {letter} is twice in the output")
        if letter not in named:
            raise ArgumentError(f"\"{subscripts}\": no operand has the output's {letter}")
    return right.replace("...", batch)


def extents(subscripts: str, inputs: Sequence[str], shapes: Sequence[tuple[int, ...]]) -> dict[str, int]:
    """How many values each letter has. As in numpy, a dimension of 1 fits every number."""
    found: dict[str, int] = {}
    for i, (letters, shape) in enumerate(zip(inputs, shapes)):
        for letter, extent in zip(letters, shape):
            if found.get(letter, 1) == 1:
                found[letter] = extent
            elif extent not in (1, found[letter]):
                raise ArgumentError(f"\"{subscripts}\": operand {i} has {extent} values of an index that has "
                                    f"{found[letter]} in another dimension; shapes are "
                                    + " and ".join(map(str, shapes)))
    return found


@lru_cache(maxsize=256)
def of_tensordot(orders: tuple[int, int], axes: tuple[tuple[int, ...], tuple[int, ...]]) -> str:
    """Subscripts of numpy.tensordot."""
    letters = iter(LETTERS)
    lists = [["" for _ in range(order)] for order in orders]
    if len(axes[0]) != len(axes[1]):
        raise ArgumentError(f"axes are {len(axes[0])} of the first array and {len(axes[1])} of the second")
    for pair in zip(*axes):
        letter = next(letters)
        for which, axis in enumerate(pair):
            if not -orders[which] <= axis < orders[which]:
                raise ArgumentError(f"axis {axis} of an array of {orders[which]} dimensions")
            if lists[which][axis]:
                raise ArgumentError(f"axis {axis} of an array is named twice")
            lists[which][axis] = letter
    output = ""
    for each in lists:
        for axis, letter in enumerate(each):
            if not letter:
                each[axis] = next(letters)
                output += each[axis]
    return ",".join("".join(each) for each in lists) + "->" + output


def of_matmul(orders: tuple[int, int]) -> str:
    """Subscripts of numpy.matmul."""
    if 0 in orders:
        raise ArgumentError("matmul needs arrays of at least one dimension: multiply by a number with *")
    left = "k" if orders[0] == 1 else "...mk"
    right = "k" if orders[1] == 1 else "...kn"
    return f"{left},{right}->...{'m' if orders[0] > 1 else ''}{'n' if orders[1] > 1 else ''}"
