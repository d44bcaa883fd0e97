"""Cables as they are planned against cables as both ends tell them.

An end is (device, port). What a device tells of a port is another end, whose port may be empty
when it is not known. Ends of devices that were not read tell nothing.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, TypeAlias

from fabric.topology.naming import nic_names

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from fabric.topology.model import Fabric

End: TypeAlias = tuple[str, str]


class CableVerdict(StrEnum):
    """What is to be said of a cable."""

    OK = "ok"
    WRONG_PORT = "wrong port"
    WRONG_NEIGHBOUR = "wrong neighbour"
    SWAPPED = "swapped pair"
    CROSSED_RAIL = "crossed rail"
    MISSING = "missing"
    SHUT = "shut down"
    UNEXPECTED = "unexpected"
    UNKNOWN = "unknown"
    QUARANTINE = "not checked: quarantine"


#: What is neither right nor wrong by itself.
HARMLESS = frozenset({CableVerdict.OK, CableVerdict.UNKNOWN, CableVerdict.QUARANTINE})


@dataclass(frozen=True, slots=True)
class Planned:
    """A cable of the design; ``rail`` is None between switches.

    ``is_quarantined``: its NIC is of no tenant, and its port shut down.
    """

    near: End
    far: End
    rail: int | None = None
    is_quarantined: bool = False


@dataclass(frozen=True, slots=True)
class Told:
    """What a device that was read tells of one port.

    Parameters
    ----------
    neighbours : tuple of End
        What is at the other end; several where several programs announce themselves.
    up : bool or None
        Whether the port has a link; None when that is not known.
    shut : bool
        Whether the port is shut down by its configuration.
    """

    neighbours: tuple[End, ...] = ()
    up: bool | None = None
    shut: bool = False


@dataclass(frozen=True, slots=True)
class Judged:
    """The verdict of one cable.

    Parameters
    ----------
    near, far : End
        The planned cable, or the one that is there and not planned.
    seen_near, seen_far : End or None
        What is at the other end of the near and of the far port; None when nothing is known.
    partner : tuple of End or None
        The planned cable that it was swapped with.
    shut : tuple of End
        Ports of a cable without a link that are shut down.
    """

    near: End
    far: End
    verdict: CableVerdict
    seen_near: End | None = None
    seen_far: End | None = None
    partner: tuple[End, End] | None = None
    shut: tuple[End, ...] = ()


def planned_cables(fabric: Fabric) -> list[Planned]:
    """Return the cables that are enabled or in quarantine: of NICs, then between switches."""
    nics, up, switches = fabric.nics, fabric.uplinks, fabric.switches

    def port(switch: int, number: int) -> End:
        return switches.names[switch], switches.skus[switch].port(number)

    names = [nic.interface for name in fabric.hosts.names for nic in nic_names(fabric, name)]
    apart = fabric.tenants.quarantined if fabric.tenants else nics.enabled & False
    columns = (nics.host, nics.rail, nics.leaf, nics.port, nics.enabled, apart & (nics.port != 0))
    cables = [
        Planned((fabric.hosts.names[host], interface), port(leaf, number), rail, quarantined)
        for interface, host, rail, leaf, number, enabled, quarantined in zip(
            names, *(column.tolist() for column in columns), strict=True
        )
        if enabled or quarantined
    ]
    trunks = (up.lower, up.lower_port, up.upper, up.upper_port, up.enabled)
    cables += [
        Planned(port(lower, lower_port), port(upper, upper_port))
        for lower, lower_port, upper, upper_port, enabled in zip(
            *(column.tolist() for column in trunks), strict=True
        )
        if enabled
    ]
    return cables


def judge(planned: Sequence[Planned], reports: Mapping[End, Told]) -> list[Judged]:
    """Return a verdict for every planned cable, then one for each cable that nobody planned.

    Parameters
    ----------
    planned : sequence of Planned
        No end stands in two of them.
    reports : mapping
        What the devices tell, by their own end; a port without neighbour has no neighbours.
    """
    return _Judge(planned, reports).verdicts()


class _Judge:
    def __init__(self, planned: Sequence[Planned], reports: Mapping[End, Told]) -> None:
        self._planned = planned
        self._told = reports
        self._cable = {end: cable for cable in planned for end in (cable.near, cable.far)}
        self._far = {cable.near: cable.far for cable in planned}
        self._far |= {cable.far: cable.near for cable in planned}
        self._tellers: dict[End, set[End]] = defaultdict(set)
        for end, what in reports.items():
            for other in what.neighbours:
                self._tellers[other].add(end)
        self.partner = {end: self._partner(end) for end in {*self._far, *reports, *self._tellers}}

    def verdicts(self) -> list[Judged]:
        return [*map(self._judge, self._planned), *self._unexpected()]

    def _partner(self, end: End) -> End | None:
        """Return the end that is at the other end: what is planned, if anybody says so."""
        expected = self._far.get(end)
        said = self._said(end)
        if not said or (expected is not None and self._agrees(said, expected)):
            return expected if said else None
        return min(said, key=lambda other: (not other[1], other))

    def _said(self, end: End) -> set[End]:
        """Return what is said of an end: what it tells itself counts before what others tell."""
        own = {*self._told[end].neighbours} if end in self._told else set()
        return own or self._tellers.get(end, set())

    @staticmethod
    def _agrees(said: set[End], expected: End) -> bool:
        return expected in said or (expected[0], "") in said

    def _judge(self, cable: Planned) -> Judged:
        near, far = cable.near, cable.far
        if cable.is_quarantined:
            return Judged(near, far, CableVerdict.QUARANTINE)
        at_near, at_far = self.partner[near], self.partner[far]
        if at_near is None and at_far is None:
            shut = tuple(end for end in (near, far) if end in self._told and self._told[end].shut)
            return Judged(near, far, self._silent(cable, shut), shut=shut)
        if at_near in {far, None} and at_far in {near, None}:
            return Judged(near, far, CableVerdict.OK, at_near, at_far)
        if (at_near == far) != (at_far == near) and None not in (at_near, at_far):
            return Judged(near, far, CableVerdict.UNKNOWN, at_near, at_far)  # the ends contradict
        other = self._swapped(cable)
        if other is not None:
            crossed = cable.rail is not None and cable.rail != other.rail
            verdict = CableVerdict.CROSSED_RAIL if crossed else CableVerdict.SWAPPED
            return Judged(near, far, verdict, at_near, at_far, (other.near, other.far))
        same = (at_near or far)[0] == far[0] and (at_far or near)[0] == near[0]
        verdict = CableVerdict.WRONG_PORT if same else CableVerdict.WRONG_NEIGHBOUR
        return Judged(near, far, verdict, at_near, at_far)

    def _silent(self, cable: Planned, shut: Sequence[End]) -> CableVerdict:
        """Return missing when an end has no link; else unknown: LLDP may be off at both ends."""
        if shut:
            return CableVerdict.SHUT
        ends = [self._told[end] for end in (cable.near, cable.far) if end in self._told]
        has_no_link = any(end.up is False for end in ends)
        return CableVerdict.MISSING if has_no_link else CableVerdict.UNKNOWN

    def _swapped(self, cable: Planned) -> Planned | None:
        """Return the cable with which this one changed an end."""
        at_near, at_far = self.partner[cable.near], self.partner[cable.far]
        if at_near is None or at_far is None:
            return None
        other = self._cable.get(at_near)
        if other is None or other == cable or {at_near, at_far} != {other.near, other.far}:
            return None
        return other

    def _unexpected(self) -> list[Judged]:
        """Return the cables of which neither end is planned."""
        unexpected = []
        for end, other in sorted(self.partner.items()):
            if other is None or end in self._far or other in self._far:
                continue
            if end < other or self.partner.get(other) != end:
                unexpected.append(Judged(end, other, CableVerdict.UNEXPECTED, other, end))
        return unexpected
