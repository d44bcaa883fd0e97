"""Cables that the inventory names one by one, and the designed ones that give way to them."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fabric.core.findings import Finding, Severity
from fabric.intent.cabling import MAX_ERRORS
from fabric.intent.scalars import LINK_LENGTHS
from fabric.topology.model import NO_PORT, ROLES, GaveWay, Uplinks
from fabric.topology.naming import hint, nic_names, port_hint

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from fabric.intent.cabling import CableRow, Cabling
    from fabric.platforms.model import Sku
    from fabric.topology.model import Bools, Fabric, Ints


#: Errors for which a similar name is looked for, among all names of the fabric: our choice, as it
#: takes time for each.
_MAX_HINTS = 10
#: More ports than a switch has, our choice; makes one number of a switch and a port.
_PORTS = 65_536


class _End(NamedTuple):
    """A port of a switch, or a NIC: ``nic`` is its row in ``fabric.nics``, -1 for a switch."""

    tier: int  #: -1 for a host
    row: int
    port: int
    nic: int


class _Link(NamedTuple):
    """A cable with its lower end first."""

    lower: _End
    upper: _End
    row: CableRow


@dataclass(frozen=True, eq=False)
class ExplicitCables:
    """Resolved cables.

    Parameters
    ----------
    nics, trunks : list of _Link
        Cables of NICs and cables between switches, in the order of the file.
    findings : list of Finding
        What is wrong with the file.
    """

    nics: list[_Link]
    trunks: list[_Link]
    findings: list[Finding]


def resolve(fabric: Fabric, cabling: Cabling) -> ExplicitCables:
    """Return the cables of a file as rows and ports of a fabric, and all that is wrong with them.

    Errors: unknown device (TOP005) or port (TOP005), a port twice (TOP003), a speed that a port
    lacks (TOP010), a cable that the tiers do not allow (TOP024).
    """
    return _Resolver(fabric, cabling).resolve()


@lru_cache(maxsize=256)
def _port_numbers(model: Sku) -> dict[str, int]:
    return model.port_numbers()


class _Resolver:
    def __init__(self, fabric: Fabric, cabling: Cabling) -> None:
        self._fabric, self._cabling = fabric, cabling
        self._tiers = fabric.switches.tier.tolist()
        self._ports = [_port_numbers(model) for model in fabric.switches.skus]
        self._interfaces: dict[int, dict[str, int]] = {}
        self._seen: dict[_End, CableRow] = {}
        self._findings: list[Finding] = []

    def resolve(self) -> ExplicitCables:
        nics: list[_Link] = []
        trunks: list[_Link] = []
        for row in self._cabling.rows:
            if len(self._findings) >= MAX_ERRORS:
                break
            near = self._end(row, row.device, row.port, "")
            far = self._end(row, row.peer_device, row.peer_port, "peer_")
            if near is None or far is None:
                continue
            lower, upper = (near, far) if near.tier <= far.tier else (far, near)
            if upper.tier != lower.tier + 1:
                self._refuse_tiers(row, lower, upper)
                continue
            self._once(row, near, "port")
            self._once(row, far, "peer_port")
            self._check_speed(row, lower, upper)
            (nics if lower.tier < 0 else trunks).append(_Link(lower, upper, row))
        return ExplicitCables(nics, trunks, self._findings)

    def _end(self, row: CableRow, device: str, port: str, prefix: str) -> _End | None:
        fabric = self._fabric
        switch = fabric.switch_row.get(device)
        if switch is not None:
            number = self._ports[switch].get(port)
            if number is not None:
                return _End(self._tiers[switch], switch, number, -1)
            few = len(self._findings) < _MAX_HINTS
            fix = port_hint(fabric.switches.skus[switch], port) if few else hint("port", port, ())
            self._add("TOP005", row, f"{prefix}port", f"there is no port {port!r} on {device}", fix)
            return None
        host = fabric.host_row.get(device)
        if host is None:
            names = (*fabric.switch_row, *fabric.host_row)
            self._unknown(row, f"{prefix}device", "switch or host", names)
            return None
        number = self._names(host, device).get(port)
        if number is None:
            self._unknown(row, f"{prefix}port", f"NIC on {device}", self._names(host, device))
            return None
        nic = host * fabric.nics_per_host + number
        return _End(-1, host, number, nic)

    def _names(self, host: int, device: str) -> dict[str, int]:
        if host not in self._interfaces:
            names = nic_names(self._fabric, device)
            self._interfaces[host] = {nic.interface: row for row, nic in enumerate(names)}
        return self._interfaces[host]

    def _once(self, row: CableRow, end: _End, field: str) -> None:
        first = self._seen.setdefault(end, row)
        if first is not row:
            message = f"the port already has a cable on line {first.line}"
            self._add("TOP003", row, field, message, "remove one of the cables")

    def _check_speed(self, row: CableRow, lower: _End, upper: _End) -> None:
        if row.speed_gbps is None:
            if lower.tier >= 0 and not self._fabric.intent.fabric.speeds.uplink_gbps:
                fix = "set speeds.uplink_gbps, or speed_gbps of the cable"
                self._add("TOP010", row, "port", "the speed of the cable is not set", fix)
            return
        switches = self._fabric.switches
        for end in (lower, upper):
            model = switches.skus[end.row] if end.tier >= 0 else None
            if model and row.speed_gbps not in model.speeds_of(end.port):
                offered = ", ".join(map(str, model.speeds_of(end.port)))
                name = f"{switches.names[end.row]} {model.port(end.port)}"
                message = f"{name} has no speed of {row.speed_gbps}G; it offers {offered}"
                fix = "use an offered speed, or a different breakout mode"
                self._add("TOP010", row, "speed_gbps", message, fix)

    def _refuse_tiers(self, row: CableRow, lower: _End, upper: _End) -> None:
        if lower[:3] == upper[:3]:
            message = "both ends of the cable are the same port"
        elif (lower.tier, lower.row) == (upper.tier, upper.row):
            message = f"the cable connects two ports of {row.device}"
        elif lower.tier == upper.tier:
            kinds = ("hosts", "leaves", "spines", "super-spines")
            message = f"the cable connects two {kinds[lower.tier + 1]}, which would create a loop"
        else:
            kind = ("host", *ROLES)
            message = f"the cable connects a {kind[lower.tier + 1]} and a {kind[upper.tier + 1]}"
        fix = "connect hosts to leaves, leaves to spines and spines to super-spines"
        self._add("TOP024", row, "peer_device", message, fix)

    def _unknown(self, row: CableRow, field: str, what: str, known: Iterable[str]) -> None:
        """Note that a name of a row stands for nothing; ``what`` begins with what it should be."""
        name = getattr(row, field)
        kind = what.split(maxsplit=1)[0]
        near = known if len(self._findings) < _MAX_HINTS else ()
        fix = hint({"NIC": "host"}.get(kind, kind), name, near)
        kinds, on, device = what.partition(" on ")
        self._add("TOP005", row, field, f"there is no {kinds} {name!r}{on}{device}", fix)

    def _add(self, rule: str, row: CableRow, field: str, message: str, fix: str) -> None:
        position = self._cabling.position(row, field)
        self._findings.append(
            Finding(rule, Severity.ERROR, message, fix, f"cabling.{field}", position)
        )


def move_nics(fabric: Fabric, cables: ExplicitCables) -> list[GaveWay]:
    """Cable the NICs as the file says, and return the designed cables that give way."""
    nics, links, taken = fabric.nics, cables.nics, _taken(cables)
    rows = np.array([link.lower.nic for link in links], dtype=np.int64)
    _, _, leaf, port = ends(links)
    differs = nics.enabled[rows] & ((nics.leaf[rows] != leaf) | (nics.port[rows] != port))
    gave = [
        _nic_gave_way(fabric, int(rows[index]), links[index].row)
        for index in np.flatnonzero(differs).tolist()
    ]
    mine = np.zeros(len(nics), dtype=np.bool_)
    mine[rows] = True
    keys = port_keys(nics.leaf, nics.port)
    lost = np.flatnonzero(nics.enabled & ~mine & _among(keys, taken))
    gave += [_nic_gave_way(fabric, nic, taken[int(keys[nic])]) for nic in lost.tolist()]
    nics.port[lost], nics.enabled[lost] = NO_PORT, False
    nics.leaf[rows], nics.port[rows], nics.enabled[rows] = leaf, port, True
    nics.speed_gbps[rows] = _told([link.row.speed_gbps for link in links], nics.speed_gbps[rows])
    nics.cable_m[rows] = _told([link.row.cable_m for link in links], nics.cable_m[rows])
    return gave


def join_trunks(
    fabric: Fabric, cables: ExplicitCables, addresses: Ints, lost: Bools
) -> tuple[Uplinks, list[GaveWay]]:
    """Return the cables between switches, and the designed ones that give way.

    Parameters
    ----------
    addresses : array of int, shape (trunks,)
        Upper address of each explicit cable between switches.
    lost : array of bool, shape (uplinks,)
        See `lost_trunks`.
    """
    old = fabric.uplinks
    new = _trunks(fabric, cables.trunks, addresses)
    joined = Uplinks(
        *(
            np.concatenate([getattr(old, field.name)[~lost], getattr(new, field.name)])
            for field in fields(Uplinks)
        )
    )
    gave = _trunks_gave_way(fabric, np.flatnonzero(lost).tolist(), _taken(cables))
    return joined, list(gave)


def lost_trunks(designed: Uplinks, cables: ExplicitCables) -> Bools:
    """Return which designed cables between switches give way: a port of theirs has another."""
    taken = _taken(cables)
    low = port_keys(designed.lower, designed.lower_port)
    return _among(low, taken) | _among(port_keys(designed.upper, designed.upper_port), taken)


def _trunks(fabric: Fabric, links: Sequence[_Link], addresses: Ints) -> Uplinks:
    file = fabric.intent.fabric
    lower, lower_port, upper, upper_port = ends(links)
    core = fabric.switches.tier[lower] > 0
    near_gbps = file.speeds.uplink_gbps or 0
    gbps = np.where(core, file.speeds.core_gbps or near_gbps, near_gbps)
    metres = np.where(core, file.cables.core_m or file.cables.uplink_m, file.cables.uplink_m)
    return Uplinks(
        lower=lower,
        lower_port=lower_port,
        upper=upper,
        upper_port=upper_port,
        upper_address=addresses,
        speed_gbps=_told([link.row.speed_gbps for link in links], gbps),
        cable_m=_told([link.row.cable_m for link in links], metres),
        enabled=np.ones(len(links), dtype=np.bool_),
        prefix_length=np.full(len(links), LINK_LENGTHS[0]),
    )


def ends(links: Sequence[_Link]) -> tuple[Ints, Ints, Ints, Ints]:
    """Return row and port of the lower ends, then of the upper ends."""
    return (
        np.array([link.lower.row for link in links], dtype=np.int64),
        np.array([link.lower.port for link in links], dtype=np.int64),
        np.array([link.upper.row for link in links], dtype=np.int64),
        np.array([link.upper.port for link in links], dtype=np.int64),
    )


def _taken(cables: ExplicitCables) -> dict[int, CableRow]:
    """Return the cable in each switch port that the file cables, by its key."""
    rows = {link.upper.row * _PORTS + link.upper.port: link.row for link in cables.nics}
    for link in cables.trunks:
        for end in (link.lower, link.upper):
            rows[end.row * _PORTS + end.port] = link.row
    return rows


def port_keys(switch: Ints, port: Ints) -> Ints:
    """Return one number for each switch port."""
    keys: Ints = switch * _PORTS + port
    return keys


def _among(keys: Ints, taken: dict[int, CableRow]) -> Bools:
    return np.isin(keys, np.fromiter(taken, dtype=np.int64, count=len(taken)))


def _told(values: list[int | None], otherwise: Ints) -> Ints:
    column = np.array([-1 if value is None else value for value in values], dtype=np.int64)
    return np.where(column < 0, otherwise, column)


def _nic_gave_way(fabric: Fabric, nic: int, row: CableRow) -> GaveWay:
    nics, switches = fabric.nics, fabric.switches
    host = fabric.hosts.names[int(nics.host[nic])]
    interface = nic_names(fabric, host)[nic % fabric.nics_per_host].interface
    leaf = int(nics.leaf[nic])
    port = fabric.port_name(leaf, int(nics.port[nic]))
    return GaveWay(f"{host} {interface}", f"{switches.names[leaf]} {port}", row)


def _trunks_gave_way(
    fabric: Fabric, lost: list[int], taken: dict[int, CableRow]
) -> Iterator[GaveWay]:
    up, switches = fabric.uplinks, fabric.switches
    for cable in lost:
        ends = (
            (int(up.lower[cable]), int(up.lower_port[cable])),
            (int(up.upper[cable]), int(up.upper_port[cable])),
        )
        low, high = (taken.get(switch * _PORTS + port) for switch, port in ends)
        winner = low or high
        if winner is None or low is high:
            continue  # the same cable
        near, far = (
            f"{switches.names[switch]} {fabric.port_name(switch, port)}" for switch, port in ends
        )
        yield GaveWay(near, far, winner)
