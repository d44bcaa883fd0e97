"""Overrides of switches, ports and NICs, written into the tables of the realised network."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, Any

from fabric.core import hostlist
from fabric.core.findings import Finding, Severity
from fabric.platforms.catalogue import sku, sku_names

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fabric.intent.inventory import Intent, Located
    from fabric.intent.model import DeviceOverride, HostOverride, NicOverride, PortOverride
    from fabric.platforms.model import Sku
    from fabric.topology.model import Fabric, Ints


def switch_skus(intent: Intent, names: tuple[str, ...], leaves: int) -> tuple[Sku, ...]:
    """Return the model of each switch: its role's, or the known one that an override names."""
    platforms = intent.fabric.platforms
    by_role = sku(platforms.leaf.sku), sku(platforms.spine.sku)
    models = [by_role[row >= leaves] for row in range(len(names))]
    own = {
        name: override.value.sku
        for name, overrides in intent.device_overrides.items()
        for override in overrides
        if override.value.sku in sku_names()
    }
    return tuple(
        sku(own[name]) if own.get(name) else model
        for name, model in zip(names, models, strict=True)
    )


def apply_device_overrides(fabric: Fabric) -> list[Finding]:
    """Write ``devices/*.yaml`` into the tables and return what is wrong with it."""
    findings: list[Finding] = []
    for override in fabric.intent.devices:
        for name in hostlist.expand(override.value.names):
            row = fabric.switch_row.get(name)
            if row is None:
                findings.append(_unknown(override, "switch", name, fabric.switches.names, "names"))
                continue
            findings += _override_switch(fabric, row, override)
            for port, port_override in override.value.ports.items():
                findings += _override_port(fabric, row, port, port_override, override)
    return findings


def apply_host_overrides(fabric: Fabric) -> list[Finding]:
    """Write ``hosts/*.yaml`` into the tables and return what is wrong with it."""
    findings: list[Finding] = []
    for override in fabric.intent.hosts:
        for name in hostlist.expand(override.value.names):
            row = fabric.host_row.get(name)
            if row is None:
                findings.append(_unknown(override, "host", name, fabric.hosts.names, "names"))
                continue
            for index, nic in enumerate(override.value.nics):
                findings += _override_nic(fabric, row, nic, override, index)
    return findings


def _unknown(
    override: Located[Any], kind: str, name: str, known: Iterable[str], *path: str | int
) -> Finding:
    close = difflib.get_close_matches(name, list(known), n=1)
    hint = f"did you mean {close[0]!r}?" if close else "`rocefab show topology` lists them"
    return Finding(
        "TOP005",
        Severity.ERROR,
        f"there is no {kind} {name!r}",
        hint,
        ".".join(str(part) for part in (*override.path, *path)),
        override.position(*path),
    )


def _override_switch(fabric: Fabric, row: int, override: Located[DeviceOverride]) -> list[Finding]:
    value, switches = override.value, fabric.switches
    if value.asn is not None:
        switches.asn[row] = value.asn
    if value.loopback is not None:
        switches.loopback[row] = int(value.loopback)
    if value.sku is not None and value.sku not in sku_names():
        return [_unknown(override, "switch model", value.sku, sku_names(), "sku")]
    return []


def _override_port(
    fabric: Fabric, row: int, port: str, change: PortOverride, override: Located[DeviceOverride]
) -> list[Finding]:
    numbers = fabric.switches.skus[row].port_numbers()
    if port not in numbers:
        return [_unknown(override, "port", port, numbers, "ports", port)]
    number = numbers[port]
    for table, mine in (
        (fabric.nics, (fabric.nics.leaf == row) & (fabric.nics.port == number)),
        (fabric.uplinks, _ends(fabric, row) & (_port_of(fabric, row) == number)),
    ):
        if change.speed_gbps is not None:
            table.speed_gbps[mine] = change.speed_gbps
        if change.cable_m is not None:
            table.cable_m[mine] = change.cable_m
        if not change.enabled:
            table.enabled[mine] = False
    return _move_uplink(fabric, row, number, change, override, port) if change.peer else []


def _ends(fabric: Fabric, row: int) -> Any:
    return (fabric.uplinks.leaf == row) | (fabric.uplinks.spine == row)


def _port_of(fabric: Fabric, row: int) -> Ints:
    leaf = row < fabric.switches.leaf_count
    return fabric.uplinks.leaf_port if leaf else fabric.uplinks.spine_port


def _move_uplink(
    fabric: Fabric,
    row: int,
    number: int,
    change: PortOverride,
    override: Located[DeviceOverride],
    port: str,
) -> list[Finding]:
    peer = change.peer
    assert peer is not None
    mine = _ends(fabric, row) & (_port_of(fabric, row) == number)
    if not mine.any():
        return [_unknown(override, "designed uplink on", port, (), "ports", port, "peer")]
    other = fabric.switch_row.get(peer.device)
    leaf = row < fabric.switches.leaf_count
    wanted = fabric.switches.names[fabric.switches.leaf_count :]
    wanted = wanted if leaf else fabric.switches.names[: fabric.switches.leaf_count]
    if other is None or (other < fabric.switches.leaf_count) == leaf:
        role = "spine" if leaf else "leaf"
        return [_unknown(override, role, peer.device, wanted, "ports", port, "peer", "device")]
    numbers = fabric.switches.skus[other].port_numbers()
    if peer.port not in numbers:
        return [_unknown(override, "port", peer.port, numbers, "ports", port, "peer", "port")]
    uplinks = fabric.uplinks
    far, far_port = (
        (uplinks.spine, uplinks.spine_port) if leaf else (uplinks.leaf, uplinks.leaf_port)
    )
    far[mine], far_port[mine] = other, numbers[peer.port]
    return []


def _override_nic(
    fabric: Fabric, host: int, change: NicOverride, override: Located[HostOverride], index: int
) -> list[Finding]:
    path = ("nics", index)
    if change.rail >= fabric.rails:
        rails = [str(rail) for rail in range(fabric.rails)]
        return [_unknown(override, "rail", str(change.rail), rails, *path, "rail")]
    nics, row = fabric.nics, host * fabric.rails + change.rail
    for name in ("speed_gbps", "cable_m"):
        if getattr(change, name) is not None:
            getattr(nics, name)[row] = getattr(change, name)
    nics.enabled[row] = change.enabled
    if change.address is not None:
        nics.address[row] = int(change.address)
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
        nics.port[row] = numbers[change.port]
    return []
