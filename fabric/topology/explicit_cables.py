"""Cables that the inventory names one by one, and the designed ones that give way to them."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fabric.core.findings import Finding, Severity
from fabric.intent.cabling import MAX_ERRORS
from fabric.topology.hints import hint
from fabric.topology.model import NO_PORT, ROLES, GaveWay, Uplinks
from fabric.topology.naming import nic_names

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.intent.cabling import CableRow, Cabling
    from fabric.platforms.model import Sku
    from fabric.topology.model import Bools, Fabric, Ints


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
        self._seen: dict[_End, int] = {}
        self._findings: list[Finding] = []

    def resolve(self) -> ExplicitCables:
        nics: list[_Link] = []
        trunks: list[_Link] = []
        for row in self._cabling.rows:
            if len(self._findings) >= MAX_ERRORS:
                break
            here = self._end(row, row.device, row.port, "")
            there = self._end(row, row.peer_device, row.peer_port, "peer_")
            if here is None or there is None:
                continue
            lower, upper = (here, there) if here.tier <= there.tier else (there, here)
            if upper.tier != lower.tier + 1:
                self._refuse_tiers(row, lower, upper)
                continue
            self._once(row, here, "port")
            self._once(row, there, "peer_port")
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
            self._unknown(row, f"{prefix}port", "port", port, self._ports[switch], device)
            return None
        host = fabric.host_row.get(device)
        if host is None:
            names = [*fabric.switch_row, *fabric.host_row]
            self._unknown(row, f"{prefix}device", "switch or host", device, names, "")
            return None
        number = self._names(host, device).get(port)
        if number is None:
            self._unknown(row, f"{prefix}port", "NIC", port, self._names(host, device), device)
            return None
        nic = host * fabric.nics_per_host + number
        return _End(-1, host, number, nic)

    def _names(self, host: int, device: str) -> dict[str, int]:
        if host not in self._interfaces:
            names = nic_names(self._fabric, device)
            self._interfaces[host] = {nic.interface: row for row, nic in enumerate(names)}
        return self._interfaces[host]

    def _once(self, row: CableRow, end: _End, field: str) -> None:
        first = self._seen.setdefault(end, row.line)
        if first != row.line:
            message = f"the port is cabled on line {first} too"
            self._add("TOP003", row, field, message, "keep one of the cables")

    def _check_speed(self, row: CableRow, lower: _End, upper: _End) -> None:
        if row.speed_gbps is None:
            if lower.tier >= 0 and not self._fabric.intent.fabric.speeds.uplink_gbps:
                fix = "write speeds.uplink_gbps, or speed_gbps of the cable"
                self._add("TOP010", row, "port", "the speed of the cable is not said", fix)
            return
        switches = self._fabric.switches
        for end in (lower, upper):
            model = switches.skus[end.row] if end.tier >= 0 else None
            if model and row.speed_gbps not in model.speeds_of(end.port):
                offered = ", ".join(map(str, model.speeds_of(end.port)))
                name = f"{switches.names[end.row]} {model.port(end.port)}"
                message = f"{name} has no speed of {row.speed_gbps}G; it offers {offered}"
                fix = "write an offered speed, or break the cage out otherwise"
                self._add("TOP010", row, "speed_gbps", message, fix)

    def _refuse_tiers(self, row: CableRow, lower: _End, upper: _End) -> None:
        if lower[:3] == upper[:3]:
            message = "the cable ends where it starts"
        elif (lower.tier, lower.row) == (upper.tier, upper.row):
            message = f"the cable joins two ports of {row.device}"
        elif lower.tier == upper.tier:
            kinds = ("hosts", "leaves", "spines", "super-spines")
            message = f"the cable joins two {kinds[lower.tier + 1]}, which would make a loop"
        else:
            kind = ("host", *ROLES)
            message = f"the cable joins a {kind[lower.tier + 1]} and a {kind[upper.tier + 1]}"
        fix = "cable hosts to leaves, leaves to spines, spines to super-spines"
        self._add("TOP024", row, "peer_device", message, fix)

    def _unknown(
        self, row: CableRow, field: str, kind: str, name: str, known: object, device: str
    ) -> None:
        where = f" on {device}" if device else ""
        listed = [*known] if isinstance(known, (list, dict)) else []
        fix = hint({"switch or host": "switch", "NIC": "host"}.get(kind, kind), name, listed)
        self._add("TOP005", row, field, f"there is no {kind} {name!r}{where}", fix)

    def _add(self, rule: str, row: CableRow, field: str, message: str, fix: str) -> None:
        position = self._cabling.position(row, field)
        self._findings.append(
            Finding(rule, Severity.ERROR, message, fix, f"cabling.{field}", position)
        )


def move_nics(fabric: Fabric, cables: ExplicitCables) -> list[GaveWay]:
    """Cable the NICs as the file says, and return the designed cables that give way."""
    nics, links = fabric.nics, cables.nics
    rows, leaf, port = (
        np.array(column, dtype=np.int64)
        for column in (
            [link.lower.nic for link in links],
            [link.upper.row for link in links],
            [link.upper.port for link in links],
        )
    )
    differs = nics.enabled[rows] & ((nics.leaf[rows] != leaf) | (nics.port[rows] != port))
    gave = [
        _nic_gave_way(fabric, nic, links[index].row)
        for index, nic in zip(np.flatnonzero(differs).tolist(), rows[differs].tolist(), strict=True)
    ]
    taken = _keys(
        np.concatenate([leaf, [end.row for link in cables.trunks for end in link[:2]]]),
        np.concatenate([port, [end.port for link in cables.trunks for end in link[:2]]]),
    )
    by_key = dict(zip(taken.tolist(), _rows_of_keys(cables), strict=True))
    mine = np.zeros(len(nics), dtype=np.bool_)
    mine[rows] = True
    keys = _keys(nics.leaf, nics.port)
    lost = np.flatnonzero(nics.enabled & ~mine & np.isin(keys, taken))
    gave += [_nic_gave_way(fabric, nic, by_key[int(keys[nic])]) for nic in lost.tolist()]
    nics.port[lost], nics.enabled[lost] = NO_PORT, False
    nics.leaf[rows], nics.port[rows], nics.enabled[rows] = leaf, port, True
    for index, link in enumerate(links):
        if link.row.speed_gbps is not None:
            nics.speed_gbps[rows[index]] = link.row.speed_gbps
        if link.row.cable_m is not None:
            nics.cable_m[rows[index]] = link.row.cable_m
    return gave


def _rows_of_keys(cables: ExplicitCables) -> list[CableRow]:
    """Return the row of each taken switch port: of NIC cables first, then both ends of trunks."""
    trunks = [link.row for link in cables.trunks for _ in range(2)]
    return [link.row for link in cables.nics] + trunks


def _keys(switch: Ints, port: Ints) -> Ints:
    """Return one number for each switch port; a switch has fewer than 65,536 ports."""
    keys: Ints = np.asarray(switch, dtype=np.int64) * 65_536 + np.asarray(port, dtype=np.int64)
    return keys


def _nic_gave_way(fabric: Fabric, nic: int, row: CableRow) -> GaveWay:
    nics, switches = fabric.nics, fabric.switches
    host = fabric.hosts.names[int(nics.host[nic])]
    interface = nic_names(fabric, host)[nic % fabric.nics_per_host].interface
    leaf = int(nics.leaf[nic])
    port = switches.skus[leaf].port(int(nics.port[nic]))
    return GaveWay(f"{host} {interface}", f"{switches.names[leaf]} {port}", row)


def join_trunks(
    fabric: Fabric, cables: ExplicitCables, addresses: Ints
) -> tuple[Uplinks, list[GaveWay]]:
    """Return the cables between switches, and the designed ones that give way.

    Parameters
    ----------
    addresses : array of int, shape (trunks,)
        Upper address of each explicit cable between switches.
    """
    old, links = fabric.uplinks, cables.trunks
    lower, lower_port, upper, upper_port = (
        np.array(column, dtype=np.int64)
        for column in (
            [link.lower.row for link in links],
            [link.lower.port for link in links],
            [link.upper.row for link in links],
            [link.upper.port for link in links],
        )
    )
    taken = _keys(
        np.concatenate([[link.upper.row for link in cables.nics], lower, upper]),
        np.concatenate([[link.upper.port for link in cables.nics], lower_port, upper_port]),
    )
    low, high = _keys(old.lower, old.lower_port), _keys(old.upper, old.upper_port)
    lost = np.isin(low, taken) | np.isin(high, taken)
    rows = [*(link.row for link in cables.nics), *(link.row for link in links)] + [
        link.row for link in links
    ]
    gave = list(_trunks_gave_way(fabric, lost, dict(zip(taken.tolist(), rows, strict=True))))
    core = fabric.switches.tier[lower] > 0
    file = fabric.intent.fabric
    near, far = file.speeds.uplink_gbps or 0, file.speeds.core_gbps or file.speeds.uplink_gbps or 0
    metres = np.where(core, file.cables.core_m or file.cables.uplink_m, file.cables.uplink_m)
    new = Uplinks(
        lower=lower,
        lower_port=lower_port,
        upper=upper,
        upper_port=upper_port,
        upper_address=addresses,
        speed_gbps=_told([link.row.speed_gbps for link in links], np.where(core, far, near)),
        cable_m=_told([link.row.cable_m for link in links], metres),
        enabled=np.ones(len(links), dtype=np.bool_),
    )
    return Uplinks(
        *(
            np.concatenate([getattr(old, field.name)[~lost], getattr(new, field.name)])
            for field in fields(Uplinks)
        )
    ), gave


def _told(values: list[int | None], otherwise: Ints) -> Ints:
    told = np.array([-1 if value is None else value for value in values], dtype=np.int64)
    return np.where(told < 0, otherwise, told)


def _trunks_gave_way(fabric: Fabric, lost: Bools, rows: dict[int, CableRow]) -> Iterator[GaveWay]:
    up, switches = fabric.uplinks, fabric.switches
    low, high = _keys(up.lower, up.lower_port), _keys(up.upper, up.upper_port)
    for cable in np.flatnonzero(lost).tolist():
        row = rows.get(int(low[cable]))
        if row is not None and rows.get(int(high[cable])) is row:
            continue  # the same cable
        ends = [
            f"{switches.names[switch]} {switches.skus[switch].port(port)}"
            for switch, port in (
                (int(up.lower[cable]), int(up.lower_port[cable])),
                (int(up.upper[cable]), int(up.upper_port[cable])),
            )
        ]
        yield GaveWay(ends[0], ends[1], row or rows[int(high[cable])])
