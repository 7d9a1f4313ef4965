"""What is predicted of a contraction, and what was measured."""
from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any


def table(figures: Any) -> str:
    """The members of a data class as HTML."""
    rows = ""
    for field in fields(figures):
        value = getattr(figures, field.name)
        shown = f"{value:,}" if isinstance(value, (int, float)) else str(value)
        rows += f"<tr><td>{field.name.replace('_', ' ')}</td><td>{shown}</td></tr>"
    return f"<table>{rows}</table>"


@dataclass(frozen=True)
class Figures:
    """What an execution moves, holds and takes, over all ranks. Words are elements, received from other ranks.

    Attributes
    ----------
    words_max, words_total : int
        Of the busiest rank, and of all.
    words_mean : float
        Mean over all ranks.
    messages_max : int
        Of the busiest rank.
    memory_words : int
        The most that a rank holds at once.
    disk_words : int
        Read from and written to files, by all ranks.
    seconds, read_seconds, write_seconds : float
        Of the contraction, and beside it of reading and writing tensors as a whole.
    """

    words_max: int
    words_mean: float
    words_total: int
    messages_max: int
    memory_words: int
    disk_words: int
    seconds: float
    read_seconds: float
    write_seconds: float

    @classmethod
    def of(cls, found: Any) -> Figures:
        """From the library's structure."""
        return cls(*[getattr(found, field.name) for field in fields(cls)])

    def _repr_html_(self) -> str:
        return table(self)
