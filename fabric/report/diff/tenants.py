"""The tenants that a difference touches: NICs that come and go, and ports that change."""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING

import numpy as np

from fabric.change.model import Risk
from fabric.report.diff.model import TouchedTenant
from fabric.topology.tenants import UNASSIGNED

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from fabric.design.designs import Designs
    from fabric.design.model import DeviceDesign
    from fabric.report.diff.model import Device, Setting

_WORD = re.compile(r"[\w./-](?:[\w./:-]*[\w./-])?")


def tenants(
    before: Designs, after: Designs, devices: Sequence[Device]
) -> tuple[TouchedTenant, ...]:
    """Return the tenants that a difference touches, by name.

    A setting that names a VRF, or a port of a NIC, is about its tenant alone; any other one of a
    leaf, whose change has an effect on traffic, is about all tenants there.
    """
    old, new = _members(before), _members(after)
    near = _touched(before, after, devices)
    names = sorted({
        name
        for name in {*old, *new}
        if old.get(name) != new.get(name) or near.get(name) or (name in old) != (name in new)
    })
    return tuple(
        TouchedTenant(
            name,
            "added" if name not in old else "removed" if name not in new else "changed",
            tuple(sorted(new.get(name, set()) - old.get(name, set()))),
            tuple(sorted(old.get(name, set()) - new.get(name, set()))),
            tuple(sorted(near.get(name, ()))),
        )
        for name in names
    )


def _members(designs: Designs) -> dict[str, set[str]]:
    """Return the NICs of each tenant, as host and rail."""
    fabric, members = designs.fabric, defaultdict(set)
    if fabric.tenants is None:
        return {}
    for row in np.flatnonzero(fabric.tenants.of_nic != UNASSIGNED).tolist():
        host = fabric.hosts.names[int(fabric.nics.host[row])]
        members[fabric.tenants.name_of(row)].add(f"{host} rail {int(fabric.nics.rail[row])}")
    return {name: members[name] for name in fabric.tenants.names}


def _touched(before: Designs, after: Designs, devices: Sequence[Device]) -> Mapping[str, set[str]]:
    """Return the devices of each tenant that change under its traffic."""
    near: dict[str, set[str]] = defaultdict(set)
    hosts = [_hosts(side) for side in (before, after)]
    for device in devices:
        if device.role == "host":
            for owners in (side.get(device.name, set()) for side in hosts):
                for name in owners:
                    near[name].add(device.name)
        elif device.risk != Risk.HARMLESS.word:
            sides = [side.devices.get(device.name) for side in (before, after)]
            for name in _owners([side for side in sides if side], device.settings):
                near[name].add(device.name)
    return near


def _hosts(designs: Designs) -> dict[str, set[str]]:
    """Return the tenants of each host."""
    owners: dict[str, set[str]] = defaultdict(set)
    for name, members in _members(designs).items():
        for member in members:
            owners[member.partition(" ")[0]].add(name)
    return owners


def words_of(setting: Setting) -> set[str]:
    """Return the words of a setting and its values, such as names of ports."""
    return set(_WORD.findall(f"{setting.path} {setting.before or ''} {setting.after or ''}"))


def _owners(sides: Sequence[DeviceDesign], settings: Sequence[Setting]) -> Iterator[str]:
    """Yield the tenants that some settings of a switch are about."""
    by_word: dict[str, str] = {}
    for design in sides:
        names = {vrf.name: vrf.tenant for vrf in design.vrfs}
        for vrf in design.vrfs:
            by_word[vrf.name] = vrf.tenant
            by_word |= {word: vrf.tenant for word in (vrf.route_target, str(vrf.vni)) if vrf.vni}
        by_word |= {port.name: names[port.vrf] for port in design.ports if port.vrf in names}
    everybody = sorted(set(by_word.values()))
    other_ports = {port.name for design in sides for port in design.ports}
    for setting in settings:
        words = words_of(setting)
        found = {
            tenant
            for word, tenant in by_word.items()
            if word in words or any(part.endswith(f"-{word}") for part in words)
        }
        if found:
            yield from sorted(found)
        elif not words & other_ports:
            yield from everybody
