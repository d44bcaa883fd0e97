"""Verdicts: one class each, registered by id."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import defaultdict
from typing import TYPE_CHECKING, Any

import numpy as np

from fabric.core.findings import Severity
from fabric.core.registry import Registry
from fabric.health.cause import Cause
from fabric.health.columns import COLUMNS
from fabric.health.ends import HOST_TIER
from fabric.health.hole import Hole

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from fabric.health.window import Window
    from fabric.topology.model import Bools, Ints


class Verdict(ABC):
    """Base of all verdicts; the first line of the docstring is the title.

    Attributes
    ----------
    severity : Severity
        Of its causes, unless one says otherwise.
    why : str
        What happens in the network.
    source : str
        Standard, publication or manual that it rests on.
    fix : str
        What to do.
    rank : int
        Causes of a lower rank are looked for first, and take the symptoms.
    needs : tuple of tuple of str
        Columns that it looks at. Of each tuple one is enough; a device without is not judged.
    also : tuple of tuple of str
        Columns that it looks at beside: where one is not known, the rest is judged.
    reads : tuple of (str, str)
        Fields of a reading that it looks at, each with its name in messages.
    joins : bool
        Whether its causes on several ports of a device are told as one, which `joined` returns.
    is_mirrored : bool
        Whether both ends of a cable count the same, so that either shows that nothing is wrong.
    """

    severity: Severity = Severity.ERROR
    why: str
    source: str
    fix: str
    rank: int
    needs: tuple[tuple[str, ...], ...] = ()
    also: tuple[tuple[str, ...], ...] = ()
    reads: tuple[tuple[str, str], ...] = ()
    is_mirrored: bool = False
    joins: bool = False

    def __init__(self, rule_id: str) -> None:
        self.id = rule_id

    @property
    def title(self) -> str:
        """First line of the docstring, without the full stop."""
        return (type(self).__doc__ or "").strip().splitlines()[0].rstrip(".")

    @abstractmethod
    def judge(self, window: Window) -> Iterator[Cause]:
        """Yield what is wrong."""

    def joined(self, window: Window, rows: Ints) -> Cause:
        """Return the cause of some ports of a device, where ``joins``."""
        raise NotImplementedError

    def cause(self, message: str, device: str, port: str = "", **more: Any) -> Cause:
        """Return a cause of this verdict."""
        words = {"severity": self.severity, "fix": self.fix, **more}
        return Cause(rule=self.id, message=message, device=device, port=port, **words)

    def unjudged(self, window: Window) -> tuple[list[Hole], bool]:
        """Return why devices or ports are not judged, and whether none that was read is."""
        ends, read = window.ends, window.is_read
        holes, judged = self._unread(window), read.copy()
        for group in (*self.needs, *self.also):
            concerned = read & _at({COLUMNS[name].where for name in group}, ends.tier == HOST_TIER)
            known = self._known(window, group)
            seen = np.zeros(len(read), dtype=np.bool_)
            seen[ends.device[known]] = True
            seen |= ~np.isin(np.arange(len(read)), ends.device)
            holes += _holes(window, group, concerned, known)
            if group in self.needs:
                judged &= ~concerned | seen
                if not (concerned & seen).any():
                    judged[:] = False
        return holes, not judged.any()

    def _unread(self, window: Window) -> list[Hole]:
        """Return the devices that were not read, those without a field, and systems without it."""
        silent = tuple(name for name, one in window.readings.items() if one.after is None)
        holes = [Hole("readings", silent)] if silent else []
        for field, text in self.reads:
            has, without = _by_system(window, field)
            gaps = tuple(name for system in has for name in without.get(system, ()))
            holes += [Hole(text, gaps)] if gaps else []
            is_switch = window.ends.fabric.switch_row.__contains__
            holes += [
                Hole(text, (), system)
                for system in sorted(without.keys() - has)
                if any(map(is_switch, without[system]))
            ]
        return holes

    def _known(self, window: Window, group: tuple[str, ...]) -> Bools:
        """Return the ends of which one of some columns is known, at either end where that counts.

        What NICs alone report counts for their leaf. What both count, each counts of itself: the
        drops of a NIC are none of its leaf.
        """
        known: Bools = np.logical_or.reduce([window.known(name) for name in group])
        nics_tell = {COLUMNS[name].where for name in group} == {"switch", "nic"}
        return known | known[window.ends.far] if self.is_mirrored or nics_tell else known

    def concluded(self, window: Window) -> tuple[Bools, Bools]:
        """Return the devices, and the ends, of which a cause would be seen if it were there."""
        ends = window.ends
        read = np.isfinite(window.elapsed_s) if self.needs else window.is_read
        rows = read[ends.device]
        is_host = ends.tier == HOST_TIER
        devices = read.copy()
        for group in self.needs:
            known = self._known(window, group)
            concerned = _at({COLUMNS[name].where for name in group}, is_host)
            rows &= known | ~concerned[ends.device]
            seen = np.zeros(len(read), dtype=np.bool_)
            seen[ends.device[known]] = True
            devices &= seen | ~concerned
        return devices, rows


def _by_system(window: Window, field: str) -> tuple[set[str], dict[str, list[str]]]:
    """Return the systems that have a field in any reading, and by system the devices without."""
    has: set[str] = set()
    without: dict[str, list[str]] = defaultdict(list)
    for name, one in window.readings.items():
        states = [getattr(reading, field) for reading in (one.before, one.after) if reading]
        if any(state is not None for state in states):
            has.add(one.platform)
        if one.after is not None and states[-1] is None:
            without[one.platform].append(name)
    return has, without


def _holes(
    window: Window, group: tuple[str, ...], concerned: Bools, known: Bools
) -> Iterator[Hole]:
    """Yield the systems that report none of some columns, and the places of the others."""
    ends, figure = window.ends, " or ".join(COLUMNS[name].text for name in group)
    reported = np.logical_or.reduce([window.reported(name) for name in group])
    seen, open_ = (np.zeros(len(concerned), dtype=np.bool_) for _ in range(2))
    seen[ends.device[known]] = open_[ends.device[~known]] = True
    lacking = concerned & ~reported & open_
    for system in sorted({window.system_of(number) for number in np.flatnonzero(lacking).tolist()}):
        yield Hole(figure, (), system)
    able = concerned & reported
    names = [window.named(number) for number in np.flatnonzero(able & ~seen).tolist()]
    rows = np.flatnonzero(~known & (able & seen)[ends.device])
    if places := (*names, *map(ends.title, rows.tolist())):
        yield Hole(figure, places)


def _at(wheres: set[str], is_host: Bools) -> Bools:
    if "both" in wheres or len(wheres) > 1:
        return np.ones(len(is_host), dtype=np.bool_)
    return is_host if wheres == {"nic"} else ~is_host


def place(window: Window, row: int) -> tuple[str, str]:
    """Return device and port of an end."""
    return window.ends.names[window.ends.device[row]], window.ends.ports[row]


def on_cables(window: Window, rows: Ints) -> dict[str, Any]:
    """Return hosts and rails of the NICs on the cables of some ends."""
    return {"hosts": window.ends.hosts(rows), "rails": window.ends.rails(rows)}


verdicts: Registry[Callable[[str], Verdict]] = Registry("verdict", "fabric.health.verdicts")
