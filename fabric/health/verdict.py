"""Verdicts: one class each, registered by id."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

import numpy as np

from fabric.core import hostlist
from fabric.core.findings import Severity
from fabric.core.registry import Registry
from fabric.health.cause import Cause, signs_at
from fabric.health.columns import COLUMNS
from fabric.health.ends import HOST_TIER

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from fabric.health.window import Window
    from fabric.topology.model import Bools, Ints

#: Devices that a message names.
_MOST_NAMED = 4


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
    is_mirrored : bool
        Whether both ends of a cable count the same, so that either shows that nothing is wrong.
    """

    severity: Severity = Severity.ERROR
    why: str
    source: str
    fix: str
    rank: int
    needs: tuple[tuple[str, ...], ...] = ()
    is_mirrored: bool = False

    def __init__(self, rule_id: str) -> None:
        self.id = rule_id

    @property
    def title(self) -> str:
        """First line of the docstring, without the full stop."""
        return (type(self).__doc__ or "").strip().splitlines()[0].rstrip(".")

    @abstractmethod
    def judge(self, window: Window) -> Iterator[Cause]:
        """Yield what is wrong."""

    def cause(self, message: str, device: str, port: str = "", **more: Any) -> Cause:
        """Return a cause of this verdict."""
        words = {"severity": self.severity, "fix": self.fix, **more}
        return Cause(rule=self.id, message=message, device=device, port=port, **words)

    def unjudged(self, window: Window) -> tuple[list[str], bool]:
        """Return why devices or ports are not judged, and whether none that was read is."""
        ends, read = window.ends, window.is_read
        reasons, judged = [], read.copy()
        for group in self.needs:
            wheres: set[str] = {COLUMNS[name].where for name in group}
            concerned = read & _at(wheres, ends.tier == HOST_TIER)
            known = self._known(window, group)
            seen = np.zeros(len(read), dtype=np.bool_)
            seen[ends.device[known]] = True
            seen |= ~np.isin(np.arange(len(read)), ends.device)
            if without := _without(window, concerned, seen, known):
                texts = " or ".join(COLUMNS[name].text for name in group)
                reasons.append(f"{texts}: not known of {names_of(without)}")
            judged &= ~concerned | seen
            if not (concerned & seen).any():
                judged[:] = False
        return reasons, not judged.any()

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


def _without(window: Window, concerned: Bools, seen: Bools, known: Bools) -> list[str]:
    """Return the devices of which a figure is not known at all, then ports of others."""
    ends = window.ends
    names = [window.named(row) for row in np.flatnonzero(concerned & ~seen).tolist()]
    rows = np.flatnonzero(~known & (concerned & seen)[ends.device])
    return names + [ends.title(row) for row in rows.tolist()]


def _at(wheres: set[str], is_host: Bools) -> Bools:
    if "both" in wheres or len(wheres) > 1:
        return np.ones(len(is_host), dtype=np.bool_)
    return is_host if wheres == {"nic"} else ~is_host


def names_of(names: list[str]) -> str:
    """Return the first of some devices, and how many more there are."""
    few, more = hostlist.fold(names[:_MOST_NAMED]), len(names) - _MOST_NAMED
    return f"{few} and {more} more" if more > 0 else few


def place(window: Window, row: int) -> tuple[str, str]:
    """Return device and port of an end."""
    return window.ends.names[window.ends.device[row]], window.ends.ports[row]


def losses_of(window: Window, rows: Ints) -> frozenset[int]:
    """Return what packets that are lost at some ends explain: drops there, and what NICs miss.

    A cable between switches, and a port towards a host, carry packets of everyone.
    """
    both = np.concatenate([rows, window.ends.far[rows]])
    return signs_at(both, "drop", "error") | signs_at(np.flatnonzero(window.ends.is_nic), "loss")


def on_cables(window: Window, rows: Ints) -> dict[str, Any]:
    """Return hosts and rails of the NICs on the cables of some ends."""
    return {"hosts": window.ends.hosts(rows), "rails": window.ends.rails(rows)}


verdicts: Registry[Callable[[str], Verdict]] = Registry("verdict", "fabric.health.verdicts")
