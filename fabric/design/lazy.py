"""Designs by the names of their devices, each made when it is asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeVar

from fabric.core.steps import stage

T = TypeVar("T")


class Lazy(Mapping[str, T]):
    """Designs by name; each is made once, when it is asked for.

    Parameters
    ----------
    rows : mapping
        Row of each device in its table, by name, in order.
    design : callable
        From a row to the design; it must be possible to give it to another process.
    """

    def __init__(self, rows: Mapping[str, int], design: Callable[[int], T]) -> None:
        self.rows = rows
        self.design = design
        self._ready: dict[int, T] = {}

    def __getitem__(self, name: str) -> T:
        row = self.rows[name]
        if row not in self._ready:
            with stage("design"):
                self._ready[row] = self.design(row)
        return self._ready[row]

    def of_row(self, row: int) -> T:
        """Return the design in a row, which is not held here unless it is already."""
        return self._ready[row] if row in self._ready else self.design(row)

    def __iter__(self) -> Iterator[str]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def __contains__(self, name: object) -> bool:
        return name in self.rows

    def __reduce__(self) -> tuple[Any, ...]:
        return Lazy, (self.rows, self.design)
