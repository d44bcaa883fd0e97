"""Overrides of switches, ports and NICs, written into the tables of the realised network."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

from fabric.core import hostlist
from fabric.core.counts import noun
from fabric.core.findings import Finding, Severity
from fabric.topology.hardware import split_findings
from fabric.topology.model import NO_PORT, ROLES
from fabric.topology.naming import hint, port_hint, unknown
from fabric.topology.own_addresses import write_own_links, write_own_nic, wrong_subnets

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fabric.intent.device_model import DeviceOverride, Peer
    from fabric.intent.host_model import HostOverride, NicOverride
    from fabric.intent.inventory import Located
    from fabric.topology.model import Bools, Fabric, Nics, Uplinks

    OverrideT = TypeVar("OverrideT", DeviceOverride, HostOverride)


def apply_overrides(fabric: Fabric) -> list[Finding]:
    """Write the override files into the tables and return what is wrong with them.

    Cables are moved first; so what is said of a port holds for the cable that ends there then. A
    cable is off when one of its ends is; of two words on one end, the later counts.
    """
    switches, findings = _rows(fabric.intent.devices, "switch", fabric.switch_row)
    hosts, more = _rows(fabric.intent.hosts, "host", fabric.host_row)
    findings += more
    for row, device in switches:
        findings += _override_switch(fabric, row, device)
        for port, change in device.value.ports.items():
            findings += _check_port(fabric, row, port, device)
            if change.peer and not findings:
                findings += _move_uplink(fabric, row, port, change.peer, device)
    findings += [] if findings else write_own_links(fabric, switches)
    for row, host in hosts:
        for index, nic in enumerate(host.value.nics):
            findings += _move_nic(fabric, row, nic, host, index)
    if not findings:
        _write_ports(fabric, switches)
        _write_nics(fabric, hosts)
    return [_counted(finding, number - 1) for finding, number in Counter(findings).items()]


def _counted(finding: Finding, more: int) -> Finding:
    """Return a finding of one override with the number of other devices that it is about."""
    if not more:
        return finding
    others = f"{more:,} more {noun(more, 'device')}"
    return replace(finding, message=f"{finding.message} (and on {others})")


def _rows(
    overrides: Iterable[Located[OverrideT]], kind: str, known: dict[str, int]
) -> tuple[list[tuple[int, Located[OverrideT]]], list[Finding]]:
    rows, findings = [], []
    for override in overrides:
        names = hostlist.expand(override.value.names)
        rows += [(known[name], override) for name in names if name in known]
        if wrong := [name for name in names if name not in known]:
            findings.append(_unknown(override, kind, wrong, known, "names"))
    return rows, findings


def _unknown(
    override: Located[Any], kind: str, name: str | list[str], known: Iterable[str], *path: str | int
) -> Finding:
    names = [name] if isinstance(name, str) else name
    return Finding(
        "TOP005",
        Severity.ERROR,
        unknown(kind, names),
        hint(kind, names[0], known),
        override.field(*path),
        override.position(*path),
    )


def _override_switch(fabric: Fabric, row: int, override: Located[DeviceOverride]) -> list[Finding]:
    value, switches = override.value, fabric.switches
    if value.asn is not None:
        switches.asn[row] = value.asn
    if value.loopback is not None:
        switches.loopback[row] = int(value.loopback)
    findings = list(wrong_subnets(fabric, row, override))
    known = fabric.intent.skus
    if value.sku is not None and value.sku not in known:
        return [*findings, _unknown(override, "switch model", value.sku, known, "sku")]
    return findings + split_findings(
        switches.skus[row],
        value.breakouts or (),
        (*override.path, "breakouts"),
        lambda index: override.position("breakouts", index),
    )


def _check_port(
    fabric: Fabric, row: int, port: str, override: Located[DeviceOverride]
) -> list[Finding]:
    model = fabric.switches.skus[row]
    if port in model.port_numbers():
        return []
    wrong = _unknown(override, "port", port, (), "ports", port)
    return [replace(wrong, fix=port_hint(model, port))]


def _write_ports(fabric: Fabric, overrides: list[tuple[int, Located[DeviceOverride]]]) -> None:
    enabled: dict[tuple[int, str], bool] = {}
    for row, override in overrides:
        for port, change in override.value.ports.items():
            for table, mine in _cables(fabric, row, port):
                if change.speed_gbps is not None:
                    table.speed_gbps[mine] = change.speed_gbps
                if change.cable_m is not None:
                    table.cable_m[mine] = change.cable_m
            if "enabled" in change.model_fields_set:
                enabled[row, port] = change.enabled
    for (row, port), on in enabled.items():
        for table, mine in _cables(fabric, row, port):
            table.enabled[mine] &= on


def _cables(fabric: Fabric, row: int, port: str) -> tuple[tuple[Nics | Uplinks, Bools], ...]:
    """Return the tables of cables with a mask of those that end on a port."""
    number = fabric.switches.skus[row].port_numbers()[port]
    nics = fabric.nics
    return (
        (nics, (nics.leaf == row) & (nics.port == number)),
        (fabric.uplinks, _uplink_on(fabric, row, number)),
    )


def _uplink_on(fabric: Fabric, row: int, number: int) -> Bools:
    up = fabric.uplinks
    mask: Bools = ((up.lower == row) & (up.lower_port == number)) | (
        (up.upper == row) & (up.upper_port == number)
    )
    return mask


def _move_uplink(
    fabric: Fabric, row: int, port: str, peer: Peer, override: Located[DeviceOverride]
) -> list[Finding]:
    if peer.device in fabric.host_row:
        return [_peer_is_host(peer.device, port, override)]
    mine = _uplink_on(fabric, row, fabric.switches.skus[row].port_numbers()[port])
    if not mine.any():
        return [_unknown(override, "designed uplink on", port, (), "ports", port, "peer")]
    uplinks, switches = fabric.uplinks, fabric.switches
    below = int(uplinks.lower[mine][0]) == row
    far, far_port = (
        (uplinks.upper, uplinks.upper_port) if below else (uplinks.lower, uplinks.lower_port)
    )
    tier = int(switches.tier[row]) + (1 if below else -1)
    other = fabric.switch_row.get(peer.device)
    if other is None or int(switches.tier[other]) != tier:
        names = [switches.names[known] for known in switches.of_tier(tier).tolist()]
        path = ("ports", port, "peer", "device")
        return [_unknown(override, ROLES[tier], peer.device, names, *path)]
    numbers = fabric.switches.skus[other].port_numbers()
    if peer.port not in numbers:
        return [_unknown(override, "port", peer.port, numbers, "ports", port, "peer", "port")]
    far[mine], far_port[mine] = other, numbers[peer.port]
    return []


def _peer_is_host(host: str, port: str, override: Located[DeviceOverride]) -> Finding:
    """Return that the cable of a NIC is moved at the host, with what to write there."""
    path = ("ports", port, "peer", "device")
    return Finding(
        "TOP005",
        Severity.ERROR,
        f"{host!r} is a host, and `peer` moves cables between switches",
        f"set nics.port of the host in hosts/*.yaml: names: {host}, nics: [{{rail: RAIL, "
        f"port: {port}}}]",
        override.field(*path),
        override.position(*path),
    )


def _move_nic(
    fabric: Fabric, host: int, change: NicOverride, override: Located[HostOverride], index: int
) -> list[Finding]:
    path = ("nics", index)
    if change.rail >= fabric.rails:
        rails = [str(rail) for rail in range(fabric.rails)]
        return [_unknown(override, "rail", str(change.rail), rails, *path, "rail")]
    if change.nic_port >= fabric.nic_ports:
        ports = [str(port) for port in range(fabric.nic_ports)]
        return [_unknown(override, "NIC port", str(change.nic_port), ports, *path, "nic_port")]
    nics, row = fabric.nics, fabric.nic_row(fabric.hosts.names[host], change.rail, change.nic_port)
    if change.leaf is not None:
        leaf = fabric.switch_row.get(change.leaf)
        if leaf is None or leaf >= fabric.switches.leaf_count:
            leaves = fabric.switches.names[: fabric.switches.leaf_count]
            return [_unknown(override, "leaf", change.leaf, leaves, *path, "leaf")]
        nics.leaf[row] = leaf
    if change.port is not None:
        numbers = fabric.switches.skus[int(nics.leaf[row])].port_numbers()
        if change.port not in numbers:
            return [_unknown(override, "port", change.port, numbers, *path, "port")]
        nics.enabled[row] |= nics.port[row] == NO_PORT
        nics.port[row] = numbers[change.port]
    return list(write_own_nic(fabric, row, override, index))


def _write_nics(fabric: Fabric, overrides: list[tuple[int, Located[HostOverride]]]) -> None:
    nics = fabric.nics
    enabled: dict[int, bool] = {}
    for host, override in overrides:
        for change in override.value.nics:
            name = fabric.hosts.names[host]
            row = fabric.nic_row(name, change.rail, change.nic_port)
            for name in ("speed_gbps", "cable_m"):
                if getattr(change, name) is not None:
                    getattr(nics, name)[row] = getattr(change, name)
            if change.address is not None:
                nics.address[row] = int(change.address)
            if "enabled" in change.model_fields_set:
                enabled[row] = change.enabled
    for row, on in enabled.items():
        nics.enabled[row] &= on
