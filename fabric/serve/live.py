"""What readings say of every cable, at both of its ends; what was not read is NaN, never 0."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import numpy as np

from fabric.core.device_names import DeviceNames
from fabric.core.units import BITS_PER_BYTE, gbps_to_bps
from fabric.observe import families as of
from fabric.observe.samples import samples
from fabric.topology.device_ends import ends_of
from fabric.topology.naming import nic_names

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray

    from fabric.observe.families import Family
    from fabric.observe.snapshot import Snapshot
    from fabric.report.readings import RatesDocument
    from fabric.topology.device_ends import DeviceEnd
    from fabric.topology.model import Bools, Fabric, Ints

    Floats = NDArray[np.float64]

#: No counter rises faster, our choice: a port of 1.6 Tb/s passes 2e11 bytes in a second.
MOST_PER_S = 1e15
#: Counters of a NIC that are losses: packets that were dropped, or had to be sent again.
_LOSSES = (
    *("out_of_sequence", "packet_seq_err", "local_ack_timeout_err"),
    *("rnr_nak_retry_err", "roce_adp_retrans", "out_of_buffer"),
)
#: What counts the same packets: a port discards what its queues and groups drop, as `judge` takes
#: it, and frames of codewords that FEC could not correct have errors.
_SAME = {
    of.QUEUE_DROPS: ("discards", of.SENT),
    of.GROUP_DROPS: ("discards", of.RECEIVED),
    of.FEC_UNCORRECTED: ("errors", of.RECEIVED),
}
_BY_WAY = {of.DISCARDS: "discards", of.ERRORS: "errors"}
#: What is counted as errors and drops of a port.
ERRORS = frozenset({
    *(of.ERRORS, of.DISCARDS, of.FEC_UNCORRECTED, of.QUEUE_DROPS, of.GROUP_DROPS, of.STORM_DROPS),
    *(of.NIC_COUNTERS[name][0] for name in _LOSSES),
})


@dataclass(frozen=True, slots=True)
class Rising:
    """How fast a counter rose; NaN where that is unknown."""

    family: Family
    labels: tuple[str, ...]
    per_s: float


def rising(snapshot: Snapshot, rates: RatesDocument | None) -> Iterator[Rising]:
    """Yield the rate of every counter of a record.

    A record lists the counters that moved: one that is not listed stood still, unless its reading
    has no rates. A rate that no port can have is unknown.
    """
    if rates is None:
        return
    moved: dict[str, dict[frozenset[tuple[str, str]], float]] = {}
    for one in rates.per_s:
        moved.setdefault(one.name, {})[frozenset(one.labels.items())] = one.value
    for sample in samples(snapshot):
        if sample.family.is_counter:
            per_s, of_name = 0.0, moved.get(sample.family.name)
            if of_name is not None:
                labels = frozenset(zip(sample.family.labels, sample.labels, strict=True))
                per_s = of_name.get(labels, 0.0)
            known = sample.source not in rates.unknown and per_s <= MOST_PER_S
            yield Rising(sample.family, sample.labels, per_s if known else np.nan)


@dataclass(frozen=True, eq=False)
class Ends:
    """Figures of both ends of cables, shape (2, cables); the lower end first.

    Parameters
    ----------
    load : array of float
        Share of the speed of the fuller direction.
    pause_per_s, error_per_s : array of float
        Pause frames in both directions, and errors and drops, per second.
    down, wrong : array of bool
        Whether the end has no link, or another neighbour than planned.
    link_read, peer_read : array of bool
        Whether the readings tell the link, and the neighbour, of the end.
    """

    load: Floats
    pause_per_s: Floats
    error_per_s: Floats
    down: Bools
    wrong: Bools
    link_read: Bools
    peer_read: Bools

    @classmethod
    def unknown(cls, cables: int) -> Self:
        """Return the ends of cables that nobody has read."""
        figures = (np.full((2, cables), np.nan) for _ in range(3))
        return cls(*figures, *(np.zeros((2, cables), dtype=np.bool_) for _ in range(4)))


class Live:
    """Figures and states of the cables of a fabric.

    Attributes
    ----------
    nics, cables : Ends
        Cables of NICs, and those between switches.
    sessions : dict of str to (int, int)
        BGP sessions of each device that are not established, and all that it has.
    version, states_version : int
        Count changes: of anything, and of what is down or wrong.
    """

    def __init__(self, fabric: Fabric) -> None:
        self.fabric = fabric
        self.nics, self.cables = Ends.unknown(len(fabric.nics)), Ends.unknown(len(fabric.uplinks))
        self.sessions: dict[str, tuple[int, int]] = {}
        self.version = self.states_version = 0
        self._names = DeviceNames((*fabric.switches.names, *fabric.hosts.names))

    def take(self, snapshot: Snapshot, rates: Iterable[Rising]) -> None:
        """Replace what is known of the ends at a device."""
        rates = list(rates)
        figures, lost = _by_port(rates), _lost(rates)
        for at in ends_of(self.fabric, snapshot.device):
            table, place = self.nics if at.is_nic else self.cables, (at.end, at.row)
            byte_rates, *others = figures.get(at.port, ([], [], []))
            table.load[place] = self._load(at, byte_rates)
            table.pause_per_s[place] = _sum(next((some for some in others if some), []))
            table.error_per_s[place] = lost.get(at.port, np.nan)
            self._state(table, at, snapshot)
        self._count_sessions(snapshot)
        self.version += 1

    def _count_sessions(self, snapshot: Snapshot) -> None:
        before = self.sessions.pop(snapshot.device, None)
        if snapshot.bgp:
            down = sum(not peer.established for peer in snapshot.bgp.values())
            self.sessions[snapshot.device] = down, len(snapshot.bgp)
        self.states_version += self.sessions.get(snapshot.device) != before

    def _load(self, at: DeviceEnd, bytes_per_s: list[float]) -> float:
        table = self.fabric.nics if at.is_nic else self.fabric.uplinks
        line_rate_bps = gbps_to_bps(int(table.speed_gbps[at.row]))
        return float(np.max(bytes_per_s or [np.nan])) * BITS_PER_BYTE / line_rate_bps

    def _state(self, table: Ends, at: DeviceEnd, snapshot: Snapshot) -> None:
        state = (snapshot.interfaces or {}).get(at.port) or (snapshot.nics or {}).get(at.port)
        place, peers = (at.end, at.row), self._peers(at, snapshot)
        is_up = None if state is None else state.up
        now = (is_up is False, self._is_wrong(at, peers), is_up is not None, bool(peers))
        tables = (table.down, table.wrong, table.link_read, table.peer_read)
        self.states_version += now != tuple(one[place] for one in tables)
        for one, value in zip(tables, now, strict=True):
            one[place] = value

    def _peers(self, at: DeviceEnd, snapshot: Snapshot) -> list[tuple[str, str]]:
        """Return device and port of the neighbours of an end that belong to the fabric."""
        seen = (snapshot.lldp or {}).get(at.port, ())
        known = [(self._names.match(one.system_name), one.port_id) for one in seen]
        return [(device, port) for device, port in known if device is not None]

    def _is_wrong(self, at: DeviceEnd, peers: list[tuple[str, str]]) -> bool:
        """Return whether LLDP names another neighbour, and none that is planned."""
        return bool(peers) and not any(
            device == at.peer and not self._is_another_port(device, port, at.peer_port)
            for device, port in peers
        )

    def _is_another_port(self, device: str, seen: str, planned: str) -> bool:
        """Return whether a name is that of another port of a device; an alias is not known."""
        if seen == planned:
            return False
        if device in self.fabric.host_row:
            return seen in {nic.interface for nic in nic_names(self.fabric, device)}
        row = self.fabric.switch_row[device]
        return seen in self.fabric.switches.skus[row].port_numbers()


def _by_port(rates: Iterable[Rising]) -> dict[str, tuple[list[float], ...]]:
    """Return the rates of each port: bytes, pauses by priority, all pauses."""
    figures: dict[str, tuple[list[float], ...]] = {}
    kinds = {of.BYTES: 0, of.PFC_FRAMES: 1, of.PORT_PFC_FRAMES: 2}
    for one in rates:
        kind = kinds.get(one.family)
        if kind is not None:
            figures.setdefault(one.labels[0], ([], [], []))[kind].append(one.per_s)
    return figures


def _lost(rates: Iterable[Rising]) -> dict[str, float]:
    """Return errors and drops of each port; of counters of the same packets the largest counts.

    The watchdog counts what it drops on queue and group together (sonic-net/sonic-swss
    orchagent/pfcactionhandler.cpp): it counts where these say less.
    """
    ports: dict[str, dict[tuple[str, str], dict[Family, float]]] = {}
    for one in rates:
        if one.family in ERRORS and not np.isnan(one.per_s):
            sums = ports.setdefault(one.labels[0], {}).setdefault(_packets(one), {})
            sums[one.family] = sums.get(one.family, 0.0) + one.per_s
    return {name: _lost_of(packets) for name, packets in ports.items()}


def _packets(one: Rising) -> tuple[str, str]:
    """Return which packets a counter counts."""
    if one.family in _BY_WAY:
        return _BY_WAY[one.family], one.labels[1]
    return _SAME.get(one.family, (one.family.name, ""))


def _lost_of(packets: dict[tuple[str, str], dict[Family, float]]) -> float:
    most = {key: max(sums.values()) for key, sums in packets.items()}
    storms = most.pop((of.STORM_DROPS.name, ""), 0.0)
    dropped = sum(per_s for (what, _), per_s in most.items() if what == "discards")
    return sum(most.values()) + max(storms - dropped, 0.0)


def _sum(values: list[float]) -> float:
    """Return the sum of what is known; NaN where nothing is."""
    known = [value for value in values if not np.isnan(value)]
    return sum(known) if known else np.nan


def most_of_lines(values: Floats, line: Ints, count: int) -> Floats:
    """Return the largest value at an end of the cables of each line; NaN where none is known.

    Parameters
    ----------
    values : array of float, shape (2, cables)
        Figures of both ends.
    line : array of int, shape (cables,)
        Line of each cable.
    count : int
        Number of lines.
    """
    most = np.full(count, np.nan)
    np.fmax.at(most, line, np.fmax(*values))
    return most
