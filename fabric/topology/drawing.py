"""A picture of the network: boxes, lines and frames in pixels, and the state of each cable.

`fabric.topology.drawing_groups` decides what is one box, `fabric.topology.drawing_layout` where it
stands, `fabric.topology.drawing_lines` which cables are one line. How it is drawn is the matter of
``render``.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import IntEnum
from typing import TYPE_CHECKING, Literal

import numpy as np

from fabric.topology.bandwidth import switch_gbps

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from fabric.topology.cabling import End
    from fabric.topology.clos import Clos
    from fabric.topology.model import Bools, Fabric, Ints


#: Border of a box: of no tenant, of one, of one beside NICs of no tenant, of several tenants.
Border = Literal["plain", "tenant", "mixed", "shared"]
#: More than the ports of any switch; our choice.
_PORTS = 1 << 20


@dataclass(frozen=True, slots=True)
class Box:
    """One device, or several that are drawn as one.

    Parameters
    ----------
    kind : str
        ``host``, ``leaf``, ``spine`` or ``super-spine``.
    label, detail : str
        Two lines of text; ``label`` may be shortened.
    members : tuple of str
        Names of the devices.
    rail : int
        Rail of a leaf, or of all leaves; -1 where there is none, or several.
    x, y, width, height : float
        Upper left corner, and size.
    tenants : tuple of (str, int)
        Tenants with NICs of its hosts or leaves, and of how many of those.
    is_mixed : bool
        Whether its hosts or leaves have NICs of tenants and NICs of no tenant.
    """

    kind: str
    label: str
    detail: str
    members: tuple[str, ...]
    rail: int
    x: float
    y: float
    width: float
    height: float
    tenants: tuple[tuple[str, int], ...] = ()
    is_mixed: bool = False

    @property
    def centre(self) -> float:
        """Middle of the box from left to right."""
        return self.x + self.width / 2

    @property
    def name(self) -> str:
        """The whole name of a device that is alone, or the label of several."""
        return self.members[0] if len(self.members) == 1 else self.label

    @property
    def border(self) -> Border:
        """Whose border it has, in every picture: that of its tenant, or of several."""
        if not self.tenants:
            return "plain"
        if len(self.tenants) > 1:
            return "shared"
        return "mixed" if self.is_mixed else "tenant"


@dataclass(frozen=True, slots=True)
class Line:
    """The cables between two boxes, or between one and several that are cabled to it alike.

    Parameters
    ----------
    lower : tuple of int
        Numbers of the lower boxes; the line of several starts at the `Comb` over them.
    upper : int
        Number of the upper box.
    x1, y1, x2, y2 : float
        Ends of the line, the lower end first.
    states : tuple of (CableState, int)
        How many cables have which state, the highest state first.
    lengths_m : tuple of (int, int)
        Lengths of the cables, and how many have each, the shortest first.
    rail : int
        Rail of the cables; -1 where there is none, or several.
    """

    lower: tuple[int, ...]
    upper: int
    x1: float
    y1: float
    x2: float
    y2: float
    states: tuple[tuple[CableState, int], ...]
    speeds_gbps: tuple[int, ...]
    lengths_m: tuple[tuple[int, int], ...]
    rail: int

    @property
    def state(self) -> CableState:
        """The highest state of the cables."""
        return self.states[0][0]

    @property
    def is_apart(self) -> bool:
        """Whether some of its cables are in quarantine, and all others as planned."""
        return {state for state, _ in self.states} == {CableState.PLANNED, CableState.QUARANTINE}

    @property
    def cables(self) -> int:
        """How many cables the line stands for."""
        return sum(count for _, count in self.states)

    @property
    def lengths(self) -> str:
        """The length of the cables in words: of several lengths, how many have the longest."""
        (near, _), (far, count) = self.lengths_m[0], self.lengths_m[-1]
        return f"{far} m" if near == far else f"{near}-{far} m, {count:,} of {far} m"


@dataclass(frozen=True, slots=True)
class Comb:
    """A bar over several boxes, with a tooth down to each: lines that all of them share start here.

    Parameters
    ----------
    lower : tuple of int
        Numbers of the boxes.
    y, bottom : float
        Of the bar, and of the ends of the teeth: the upper sides of the boxes.
    teeth : tuple of float
        Place of each tooth from left to right; the bar is from the first to the last.
    """

    lower: tuple[int, ...]
    y: float
    bottom: float
    teeth: tuple[float, ...]

    @property
    def x(self) -> float:
        """Left end of the bar."""
        return self.teeth[0]

    @property
    def width(self) -> float:
        """Width of the bar."""
        return self.teeth[-1] - self.teeth[0]


@dataclass(frozen=True, slots=True)
class Frame:
    """A unit around its leaves and hosts, or a pod or plane around its switches.

    Parameters
    ----------
    kind : str
        ``unit``, ``pod`` or ``plane``.
    label : str
        Its name: at the foot of a unit, and above the switches of others.
    x, y, width, height : float
        Upper left corner, and size.
    """

    kind: str
    label: str
    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True, slots=True)
class Caption:
    """Lines of text at the left of a tier; ``y`` is the middle of the first."""

    lines: tuple[str, ...]
    y: float


@dataclass(frozen=True, slots=True)
class Total:
    """How many cables have a state.

    Parameters
    ----------
    cables : int or None
        None where no cable was looked at for it.
    unread : int
        Cables that were not looked at for it.
    """

    state: CableState
    cables: int | None
    unread: int

    @property
    def words(self) -> str:
        """The number, with what is not known."""
        unknown = "not checked" if self.state is CableState.LOSSLESS else "not read"
        if self.cables is None:
            return unknown
        return f"{self.cables:,} ({self.unread:,} {unknown})" if self.unread else f"{self.cables:,}"


@dataclass(frozen=True, slots=True)
class Picture:
    """All of it; ``totals`` says how many cables have which state, planned ones first.

    ``tenants`` are all of the fabric, in the order of the inventory, whether drawn or not.
    """

    title: str
    subtitle: str
    width: float
    height: float
    boxes: tuple[Box, ...]
    lines: tuple[Line, ...]
    frames: tuple[Frame, ...]
    captions: tuple[Caption, ...]
    totals: tuple[Total, ...]
    combs: tuple[Comb, ...] = ()
    tenants: tuple[str, ...] = ()


class CableState(IntEnum):
    """State of a cable; of several the highest is shown: with one in use, none of quarantine."""

    PLANNED = 0
    QUARANTINE = -1
    OVERSUBSCRIBED = 1
    DEGRADED = 2
    DOWN = 3
    LOSSLESS = 4
    WRONG = 5

    @property
    def words(self) -> str:
        """Words for a legend."""
        return _WORDS[self]


_WORDS = {
    CableState.PLANNED: "planned",
    CableState.QUARANTINE: "in quarantine, as planned",
    CableState.OVERSUBSCRIBED: "uplink of an oversubscribed switch",
    CableState.DEGRADED: "degraded",
    CableState.DOWN: "down or missing",
    CableState.LOSSLESS: "fails a lossless rule",
    CableState.WRONG: "wrong cable",
}


#: States that the inventory alone does not tell.
_OBSERVED = (CableState.DOWN, CableState.LOSSLESS, CableState.WRONG)
#: States that are counted only where a cable has them.
_RARE = (CableState.QUARANTINE, CableState.DEGRADED)


@dataclass(frozen=True, eq=False)
class CableStates:
    """State of each cable between switches, and of each NIC cable, as numbers of `CableState`.

    Parameters
    ----------
    looked : mapping of CableState to two arrays of bool
        Which cables were looked at for a state that the inventory does not tell; none where a
        state is not there. With ``PLANNED``, those alone are counted as planned.
    """

    cables: Ints
    nics: Ints
    looked: Mapping[CableState, tuple[Bools, Bools]] = field(default_factory=dict)

    def totals(self) -> tuple[Total, ...]:
        """Return how many cables have each state; a rare one only where there is some."""
        totals = map(self._total, CableState)
        return tuple(one for one in totals if one.cables or one.state not in _RARE)

    def _total(self, state: CableState) -> Total:
        every = np.concatenate([self.cables, self.nics])
        mine = every == state
        looked = np.concatenate(self.looked[state]) if state in self.looked else np.zeros_like(mine)
        unread = np.zeros_like(mine)
        if state in _OBSERVED:
            unread = ~looked & ~mine & (every != CableState.QUARANTINE)
        elif state in self.looked:
            mine, unread = mine & looked, mine & ~looked
        is_known = bool(mine.any() or looked.any() or not unread.any())
        return Total(state, int(mine.sum()) if is_known else None, int(unread.sum()))


def cable_states(
    fabric: Fabric,
    network: Clos,
    *,
    wrong: Collection[End] = (),
    missing: Collection[End] = (),
    failing: Collection[End] = (),
    read: Collection[End] = (),
    is_checked: bool = False,
) -> CableStates:
    """Return the state of every cable.

    Parameters
    ----------
    fabric : Fabric
        Names of devices and ports.
    wrong, missing, failing : collections of End
        Switch ports whose cable is wrong, is missing, or whose settings fail a lossless rule.
    read : collection of End
        Switch ports of which the cable was looked at.
    is_checked : bool
        Whether the lossless rules were run.
    """
    cables, nics = network.cables, network.nics
    below, above = switch_gbps(network)
    over = (below > above)[cables.lower] & (above > 0)[cables.lower]
    states = CableStates(
        np.where(over, CableState.OVERSUBSCRIBED, CableState.PLANNED).astype(np.int64),
        np.zeros(len(nics), dtype=np.int64),
    )
    states.cables[~cables.up] = CableState.DOWN
    states.nics[~nics.up] = CableState.DOWN
    if fabric.tenants:
        states.nics[fabric.tenants.quarantined] = CableState.QUARANTINE
    for state, ends in (
        (CableState.DOWN, missing),
        (CableState.LOSSLESS, failing),
        (CableState.WRONG, wrong),
    ):
        mine, of_nics = _at(fabric, network, ends)
        states.cables[mine] = state
        states.nics[of_nics] = state
    seen = _at(fabric, network, {*read, *wrong, *missing})
    looked = {CableState.DOWN: seen, CableState.WRONG: seen}
    if is_checked:
        looked[CableState.LOSSLESS] = (cables.lower >= 0, nics.leaf >= 0)
    return replace(states, looked=looked)


def _at(fabric: Fabric, network: Clos, ends: Collection[End]) -> tuple[Bools, Bools]:
    """Return which cables, and which of NICs, have an end among some switch ports."""
    cables, nics, keys = network.cables, network.nics, _keys(fabric, ends)
    mine: Bools = np.isin(cables.lower * _PORTS + cables.lower_port, keys)
    mine |= np.isin(cables.upper * _PORTS + cables.upper_port, keys)
    return mine, np.isin(nics.leaf * _PORTS + nics.leaf_port, keys)


def _keys(fabric: Fabric, ends: Collection[End]) -> Ints:
    keys = []
    for device, port in ends:
        row = fabric.switch_row.get(device)
        number = fabric.switches.skus[row].port_numbers().get(port) if row is not None else None
        if row is not None and number is not None:
            keys.append(row * _PORTS + number)
    return np.array(keys, dtype=np.int64)
