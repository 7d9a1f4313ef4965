"""Plans of products on any number of ranks, as the command makes them: nothing is multiplied, and no MPI is needed."""
from __future__ import annotations

import json
import os
import subprocess
import tempfile
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Optional

import numpy as np

from ._command import command
from ._errors import ArgumentError, Error
from ._figures import table
from ._types import Memory, type_of, words


@dataclass(frozen=True)
class Proposal:
    """What one strategy would do. Words are elements; figures of a strategy that is not applicable are None."""

    name: str
    applicable: bool
    reason: str
    grid: Optional[tuple[int, int, int]]
    ranks_used: Optional[int]
    words_max: Optional[int]
    words_total: Optional[int]
    messages_max: Optional[int]
    memory_words: Optional[int]
    seconds: Optional[float]

    def _repr_html_(self) -> str:
        return table(self)


@dataclass(frozen=True)
class Plan:
    """How m x k times k x n can be multiplied on some ranks: ``print`` shows a table, a notebook a picture.

    Attributes
    ----------
    m, n, k, ranks : int
        The problem.
    bound_words : float
        The least words that any schedule's busiest rank must receive, by `bound_case` of `bound_source`.
    chosen : str
        The name of the strategy that is chosen.
    proposals : tuple of Proposal
        All that were compared.
    """

    m: int
    n: int
    k: int
    ranks: int
    bound_words: float
    bound_case: str
    bound_source: str
    chosen: str
    proposals: tuple[Proposal, ...]
    _command: tuple[str, ...]

    @property
    def proposal(self) -> Proposal:
        """The one that is chosen."""
        return next(each for each in self.proposals if each.name == self.chosen)

    def __repr__(self) -> str:
        best = self.proposal
        grid = "" if best.grid is None else " " + "x".join(map(str, best.grid))
        return (f"<ashlar.Plan {self.m} x {self.n} x {self.k} on {self.ranks} ranks: {self.chosen}{grid}, "
                f"{best.words_max} words of the busiest rank>")

    def __str__(self) -> str:
        return self._table

    @cached_property
    def _table(self) -> str:
        return _run(*self._command)

    @cached_property
    def svg(self) -> str:
        """A picture of how the m x n x k box is cut, as SVG."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "plan.svg")
            _run(*self._command, f"--svg={path}")
            with open(path, encoding="utf-8") as file:
                return file.read()

    def _repr_html_(self) -> str:
        return self.svg


def plan(m: int, n: int, k: int, ranks: int, *, dtype: Any = np.float64, memory: Memory = None,
         strategy: Optional[str] = None, objective: str = "time", options: tuple[str, ...] = ()) -> Plan:
    """Plan a product of an m x k matrix by a k x n one on any number of ranks.

    Parameters
    ----------
    m, n, k : int
        Rows and columns of the result, and what is summed over.
    ranks : int
        How many there would be.
    dtype : numpy type
        float32, float64, complex64 or complex128.
    memory : int or str, optional
        The most that a rank may hold, in bytes or as ``"8GiB"``.
    strategy : str, optional
        The only one to consider; ``"all"`` compares every one.
    objective : "time" or "words"
        What is to be least: the predicted time, or the words of the busiest rank.
    options : tuple of str
        Others of the command ``ashlar plan``, such as ``"--node-ranks=8"``.

    Returns
    -------
    Plan

    Raises
    ------
    ArgumentError
        With what the command says, of arguments or a limit that cannot be met.

    Examples
    --------
    >>> import ashlar
    >>> plan = ashlar.plan(4096, 4096, 4096, ranks=64)
    >>> plan
    <ashlar.Plan 4096 x 4096 x 4096 on 64 ranks: cosma 4x4x4, 2359296 words of the busiest rank>
    >>> plan.proposal.words_max / plan.bound_words
    1.0
    """
    number = type_of(np.dtype(dtype), "the problem")
    given = ["plan", str(m), str(n), str(k), f"--ranks={ranks}", f"--type={'sdcz'[number]}", "--quiet",
             f"--objective={objective}", *options]
    if memory is not None:
        given.append(f"--memory-words={words(memory, np.dtype(dtype).itemsize)}")
    if strategy is not None:
        given.append(f"--strategy={strategy}")
    said = json.loads(_run(*given, "--json"))
    return Plan(m, n, k, ranks, said["bound"]["words"], said["bound"]["case"], said["bound"]["source"], said["chosen"],
                tuple(_proposal(each) for each in said["strategies"]), tuple(given))


def _proposal(said: dict[str, Any]) -> Proposal:
    """One of the command's list."""
    grid = said.get("grid")
    return Proposal(said["name"], said["applicable"], said["reason"],
                    None if grid is None else (grid[0], grid[1], grid[2]),
                    *[said.get(name) for name in ("ranks_used", "words_max", "words_total", "messages_max",
                                                  "memory_words", "seconds")])


def _run(*given: str) -> str:
    """What the command prints; what it complains of is an error."""
    made = subprocess.run([command(), *given], text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if made.returncode:
        text = made.stderr.strip() or f"ashlar {' '.join(given)} ended with status {made.returncode}"
        raise (ArgumentError if made.returncode in (1, 2) else Error)(text)
    return made.stdout
