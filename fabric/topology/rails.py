"""The rail of each NIC as LLDP shows it, from the host, the switch or both; never by its name.

A rail is that of the leaf port at the other end of the cable. It is known when all ends that were
read agree on one place. The rest is withdrawn: what is not known is no rail.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from fabric.topology.naming import nic_names

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from datetime import datetime

    from fabric.topology.cabling import End, Told
    from fabric.topology.model import Fabric


class RailState(StrEnum):
    """What LLDP shows of the rail of a NIC."""

    ON_RAIL = "on its rail"
    WRONG_RAIL = "wrong rail"
    WRONG_LEAF = "wrong leaf"
    NO_LINK = "no link"
    DISAGREE = "the ends disagree"
    NOT_SEEN = "not seen"
    NO_TIME = "no time in the reading"


@dataclass(frozen=True, slots=True)
class NicRail:
    """The rail of one NIC port.

    Parameters
    ----------
    number : int
        Number of the NIC port on its host, by rail and port.
    planned : End
        Leaf and port of the design.
    seen : End or None
        The only end at which LLDP sees the NIC; its port is empty where it is not known.
    read_at : datetime or None
        When the older of the readings was taken that this is from, UTC.
    """

    host: str
    interface: str
    rdma_device: str
    rail: int
    nic_port: int
    number: int
    planned: End
    state: RailState
    seen: End | None = None
    read_at: datetime | None = None

    @property
    def is_on_rail(self) -> bool:
        """Whether it may be used as a NIC of its rail."""
        return self.state is RailState.ON_RAIL


def rails_by_lldp(
    fabric: Fabric, reports: Mapping[End, Told], times: Mapping[str, datetime | None]
) -> tuple[NicRail, ...]:
    """Return the rail of every NIC that is on, by host, rail and port.

    Parameters
    ----------
    reports : mapping
        What LLDP tells of ports, by their own end, of the devices that were read.
    times : mapping
        When each device was read.
    """
    return tuple(_Rails(fabric, reports, times).all())


class _Rails:
    def __init__(
        self, fabric: Fabric, reports: Mapping[End, Told], times: Mapping[str, datetime | None]
    ) -> None:
        self._fabric, self._reports, self._times = fabric, reports, times
        self._tellers: dict[End, set[End]] = defaultdict(set)
        for end, what in reports.items():
            for other in what.neighbours:
                self._tellers[other].add(end)
        self._by_port: dict[End, int] = {}
        self._by_leaf: dict[str, set[int]] = defaultdict(set)
        for row in fabric.nics.port.nonzero()[0].tolist():
            end, number = self._planned(row), row % fabric.nics_per_host
            self._by_port[end] = number
            self._by_leaf[end[0]].add(number)

    def all(self) -> Iterator[NicRail]:
        nics = self._fabric.nics
        for host_row, host in enumerate(self._fabric.hosts.names):
            rows = self._fabric.nics_of_host(host_row)
            for row, names in zip(rows, nic_names(self._fabric, host), strict=True):
                if not nics.enabled[row]:
                    continue
                nic, planned = (host, names.interface), self._planned(row)
                number = row % self._fabric.nics_per_host
                state, seen = self._judge(nic, planned, number)
                read_at = self._read_at(host, (seen or planned)[0])
                if read_at is None and state is RailState.ON_RAIL:
                    state = RailState.NO_TIME
                rail, nic_port = int(nics.rail[row]), int(nics.nic_port[row])
                labels = (names.interface, names.rdma_device, rail, nic_port, number)
                yield NicRail(host, *labels, planned, state, seen, read_at)

    def _planned(self, row: int) -> End:
        leaf, switches = int(self._fabric.nics.leaf[row]), self._fabric.switches
        return switches.names[leaf], self._fabric.port_name(leaf, int(self._fabric.nics.port[row]))

    def _judge(self, nic: End, planned: End, number: int) -> tuple[RailState, End | None]:
        places = self._places(nic)
        if self._is_down(nic) or (len(places) == 1 and self._is_down(places[0])):
            return RailState.NO_LINK, None
        if not places:
            down = self._is_down(planned)
            return (RailState.NO_LINK if down else RailState.NOT_SEEN), None
        if len(places) > 1 or not self._agrees(places[0], nic):
            return RailState.DISAGREE, None
        (place,) = places
        numbers = {self._by_port[place]} if place in self._by_port else self._by_leaf[place[0]]
        if place[0] in self._fabric.switch_row and len(numbers) > 1:
            return RailState.NOT_SEEN, place
        if numbers and numbers != {number}:
            return RailState.WRONG_RAIL, place
        return (RailState.ON_RAIL if place[0] == planned[0] else RailState.WRONG_LEAF), place

    def _places(self, nic: End) -> list[End]:
        """Return all ends at which the host or a switch sees a NIC; a known port counts alone."""
        own = {*self._reports[nic].neighbours} if nic in self._reports else set()
        switches = {end for end in own if end[0] in self._fabric.switch_row}
        places = (switches or own) | self._tellers.get(nic, set())
        with_port = {end[0] for end in places if end[1]}
        return sorted(end for end in places if end[1] or end[0] not in with_port)

    def _agrees(self, place: End, nic: End) -> bool:
        """Tell whether a port sees this NIC, or sees nothing."""
        what = self._reports.get(place)
        seen = what.neighbours if what else ()
        return not seen or nic in seen or (nic[0], "") in seen

    def _is_down(self, end: End) -> bool:
        return end in self._reports and self._reports[end].up is False

    def _read_at(self, *devices: str) -> datetime | None:
        """Return when the older reading was taken; None where none was, or one has no time."""
        times = [self._times[name] for name in devices if name in self._times]
        return min((time for time in times if time), default=None) if all(times) else None
