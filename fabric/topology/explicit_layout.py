"""The switches of an explicit design, as its list has them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fabric.core import hostlist
from fabric.platforms.model import role_field
from fabric.topology.layout import Layout, pod_names, rank_within
from fabric.topology.model import ROLES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.intent.inventory import Intent
    from fabric.intent.model import FabricFile, SwitchEntry
    from fabric.topology.model import Ints


class _Switch(NamedTuple):
    """One switch, with its entry and its place in the range of the entry."""

    name: str
    entry: SwitchEntry
    number: int


def explicit_layout(intent: Intent) -> Layout:
    """Return the switches of the list: leaves first, then by tier, in the order of the list."""
    file = intent.fabric
    listed = [
        _Switch(name, entry, number)
        for entry in file.switches
        for number, name in enumerate(hostlist.expand(entry.names))
    ]
    listed.sort(key=lambda switch: ROLES.index(switch.entry.role))
    units = {unit.name: number for number, unit in enumerate(file.units)}
    pods = pod_names(file)
    entries = [switch.entry for switch in listed]
    tier = np.array([ROLES.index(entry.role) for entry in entries])
    unit = np.array([units.get(entry.unit or "", -1) for entry in entries])
    rail = np.array([-1 if entry.rail is None else entry.rail for entry in entries])
    plane = np.array([-1 if entry.plane is None else entry.plane for entry in entries])
    return Layout(
        names=tuple(switch.name for switch in listed),
        tier=tier,
        unit=unit,
        rail=rail,
        pod=np.array([pods.index(pod) if pod else -1 for pod in _pod_of(file, entries)]),
        plane=plane,
        number=rank_within(tier),
        pods=pods,
        leaf_of=_leaf_of(file, unit[tier == 0], rail[tier == 0]),
        skus=tuple(entry.sku for entry in entries),
        asn=np.array([_counted(switch.entry.asn, switch) for switch in listed]),
        loopback=np.array([_loopback(switch) for switch in listed]),
    )


def _loopback(switch: _Switch) -> int:
    address = switch.entry.loopback
    return -1 if address is None else int(address) + switch.number


def _counted(asn: int | None, switch: _Switch) -> int:
    if asn is None:
        return -1
    return asn + switch.number if switch.entry.role == "leaf" else asn


def _pod_of(file: FabricFile, entries: list[SwitchEntry]) -> list[str | None]:
    of_unit = {unit.name: unit.pod for unit in file.units}
    return [entry.pod or of_unit.get(entry.unit or "") for entry in entries]


def _leaf_of(file: FabricFile, unit: Ints, rail: Ints) -> Ints:
    """Return the leaf of each NIC port: the port-th that serves unit and rail, or the last."""
    leaf_rows = np.full((len(file.units), file.rails, file.nic_ports), -1)
    for row, (its_unit, its_rail) in reversed(
        list(enumerate(zip(unit.tolist(), rail.tolist(), strict=True)))
    ):
        if its_unit < 0 or its_rail >= file.rails:
            continue
        for number in range(file.rails) if its_rail < 0 else (its_rail,):
            known = [leaf for leaf in leaf_rows[its_unit, number].tolist() if leaf >= 0]
            leaves = [row, *dict.fromkeys(known)][: file.nic_ports]
            leaves += [leaves[-1]] * (file.nic_ports - len(leaves))
            leaf_rows[its_unit, number] = leaves
    return leaf_rows


def explicit_misfits(intent: Intent) -> Iterator[Finding]:
    """Yield what is wrong with the list of switches (TOP021, TOP001)."""
    file = intent.fabric
    if not file.switches:
        yield _finding(
            intent,
            ("switches",),
            "the explicit design has no switches",
            "add them to the list 'switches'",
        )
    for field in ("spines", "super_spines", "leaf_names", "spine_names"):
        if getattr(file, field) is not None:
            message = "an explicit design takes its switches from the list 'switches' only"
            yield _finding(intent, (field,), message, "remove it")
    units = {unit.name for unit in file.units}
    for index, entry in enumerate(file.switches):
        yield from _entry_misfits(intent, index, entry, units)
    if not any(one.role == "leaf" for one in file.switches) and file.switches:
        yield _finding(intent, ("switches",), "no leaf is defined", "add the leaves of the hosts")


def _entry_misfits(
    intent: Intent, index: int, entry: SwitchEntry, units: set[str]
) -> Iterator[Finding]:
    file, path = intent.fabric, ("switches", index)
    if entry.role == "leaf" and entry.unit is None:
        yield _finding(intent, path, "a leaf serves the hosts of a unit", "set its unit")
    if entry.unit is not None and entry.unit not in units:
        message = f"there is no unit {entry.unit!r}"
        yield _finding(intent, (*path, "unit"), message, "use a unit from 'units'")
    if entry.rail is not None and entry.rail >= file.rails:
        message = f"rail {entry.rail} does not exist; the last rail is {file.rails - 1}"
        yield _finding(intent, (*path, "rail"), message, "correct it, or increase rails")
    if entry.plane is not None and file.planes == 1:
        fix = "set planes: 2, or remove it"
        yield _finding(intent, (*path, "plane"), "the fabric has one plane", fix)
    if entry.plane is None and file.planes > 1:
        message = f"the {entry.role} has no plane, but the fabric has {file.planes} planes"
        yield _finding(intent, path, message, "set plane: 0 or plane: 1")
    if entry.sku is None and file.platforms.of(entry.role) is None:
        fix = f"set platforms.{role_field(entry.role)}, or sku here"
        yield _finding(intent, path, f"the model of a {entry.role} is not set", fix)


def unserved(intent: Intent, layout: Layout) -> list[Finding]:
    """Return a finding for each unit with a rail that no leaf serves (TOP021)."""
    findings = []
    for unit, rail in np.argwhere((layout.leaf_of < 0).any(axis=2)).tolist():
        name = intent.fabric.units[unit].name
        message = f"no leaf serves rail {rail} of unit {name}"
        fix = f"add a leaf with unit: {name} and rail: {rail}, or without rail"
        findings.append(_finding(intent, ("units", unit), message, fix))
    return findings


def _finding(intent: Intent, path: tuple[str | int, ...], message: str, fix: str) -> Finding:
    return intent.finding("TOP021", message, fix, *path)
