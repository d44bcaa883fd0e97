"""Figures of the fabric for `/metrics`: what was read last, what the inventory plans, what runs."""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING

from fabric.report.exposition import blocks, device_lines, lines_of
from fabric.report.exposition_plan import running
from fabric.workflow.observe_plan import plan_figures

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from fabric.observe.families import Family
    from fabric.report.exposition import Lines
    from fabric.report.observed import Seen
    from fabric.serve.source import Loaded

#: Least compression: a twentieth is left of a text, and it takes a millisecond.
_FAST = 1


@dataclass(frozen=True, slots=True)
class Packed:
    """Lines of one device, compressed: the text of 2,000 switches would take 430 MB.

    Parameters
    ----------
    ends : tuple of int
        Where the lines of each family end.
    """

    families: tuple[Family, ...]
    ends: tuple[int, ...]
    text: bytes

    @classmethod
    def of(cls, seen: Seen) -> Packed:
        """Return the lines of a reading."""
        lines = device_lines(seen)
        parts = [part.encode() for part in lines.values()]
        ends = tuple(accumulate(map(len, parts)))
        return cls(tuple(lines), ends, zlib.compress(b"".join(parts), _FAST))

    def lines(self) -> Lines:
        """Return the lines by family."""
        text = zlib.decompress(self.text)
        places = pairwise((0, *self.ends))
        return {
            family: text[begin:end].decode()
            for family, (begin, end) in zip(self.families, places, strict=True)
        }


class Figures:
    """What a service shows of its fabric to Prometheus."""

    def __init__(self) -> None:
        self._planned: list[Lines] = []
        self._planned_of: tuple[int, frozenset[str]] = (0, frozenset())

    def pieces(self, loaded: Loaded, packed: Mapping[str, Packed]) -> Iterator[str]:
        """Yield the text format in pieces; nothing without readings and jobs.

        What the inventory plans goes with readings alone: where `rocefab observe --listen` serves
        both, a second copy of it would make joins ambiguous.

        Parameters
        ----------
        packed : mapping of str to Packed
            Figures of the last reading of each device.
        """
        jobs = running((name, job.hosts) for name, job in loaded.book.jobs.items())
        read = [one.lines() for one in [*packed.values()]]
        yield from blocks([*self._plan(loaded, packed), *jobs.values(), *read])

    def _plan(self, loaded: Loaded, devices: Collection[str]) -> list[Lines]:
        wanted = loaded.number, frozenset(devices)
        if self._planned_of != wanted:
            plan = plan_figures(loaded.project, devices) if devices else {}
            self._planned = [lines_of(name, rows) for name, rows in plan.items()]
            self._planned_of = wanted
        return self._planned
