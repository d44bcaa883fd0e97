"""What hosts and classes are like: one for each kind, and where the inventory says it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from fabric.core.counts import counted
from fabric.intent.policy import set_paths
from fabric.validate.ends import End, kind_of_hosts
from fabric.validate.origins import Place, fabric_place

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.design.host_model import HostDesign
    from fabric.design.model import DeviceDesign
    from fabric.design.qos_model import QosProfile
    from fabric.intent.classes import LosslessClass
    from fabric.intent.host_model import HostTraits
    from fabric.intent.inventory import Intent
    from fabric.validate.world import LosslessKind, Model


@dataclass(frozen=True, slots=True)
class HostKind:
    """All hosts with the same traits: the first of them, and how many there are."""

    host: HostDesign
    hosts: int

    @property
    def others(self) -> str:
        """What a message about the first host ends with: how many more are like it."""
        return "" if self.hosts == 1 else f" (and on {counted(self.hosts - 1, 'more host')})"


def host_kinds(model: Model) -> tuple[HostKind, ...]:
    """Return every distinct set of traits; hosts with the same overrides are one kind."""
    numbers = kind_of_hosts(model.fabric)
    _, first, counts = np.unique(numbers, return_index=True, return_counts=True)
    names = model.fabric.hosts.names
    return tuple(
        HostKind(model.hosts[names[row]], count)
        for row, count in sorted(zip(first.tolist(), counts.tolist(), strict=True))
    )


def traits_of_hosts(model: Model) -> Iterator[tuple[str, HostTraits]]:
    """Yield every host with its traits; hosts of one kind have the same object."""
    known: dict[int, HostTraits] = {}
    for name, kind in zip(
        model.fabric.hosts.names, kind_of_hosts(model.fabric).tolist(), strict=True
    ):
        if kind not in known:
            known[kind] = model.intent.host_traits(name)
        yield name, known[kind]


def switch_policies(model: Model) -> Iterator[End]:
    """Yield every policy of every switch: its own, and those that only ports of it have."""
    switches = model.fabric.switches
    for row, name in enumerate(switches.names):
        ports, overrides = [""], model.intent.device_overrides.get(name, ())
        if any(one.lossless for override in overrides for one in override.value.ports.values()):
            device = model.devices[name]
            others = device.qos_profiles[1:]
            ports += [next(p.name for p in device.ports if p.qos is other) for other in others]
        for port in ports:
            yield End(model.resolver.switch(name, switches.role(row), port), name, port)


def leaf_of_system(model: Model) -> dict[str, DeviceDesign]:
    """Return the first leaf with NICs of each system, else any: neighbours age alike on all."""
    switches, nics = model.fabric.switches, model.fabric.nics
    first: dict[str, int] = {}
    for row in (*np.unique(nics.leaf[nics.port != 0]).tolist(), *range(switches.leaf_count)):
        first.setdefault(switches.skus[row].nos, row)
    return {system: model.devices[switches.names[row]] for system, row in first.items()}


def classes_of(device: DeviceDesign) -> Iterator[tuple[QosProfile, LosslessClass]]:
    """Yield the lossless classes of every policy of a switch."""
    for profile in device.qos_profiles:
        for one in profile.classes:
            yield profile, one


def classes_of_kinds(model: Model) -> Iterator[tuple[LosslessKind, QosProfile, LosslessClass]]:
    """Yield the lossless classes of every distinct lossless buffer."""
    for kind in model.lossless_kinds:
        if kind.port.qos:
            for one in kind.port.qos.classes:
                yield kind, kind.port.qos, one


def traits_place(model: Model, host: str, *path: str) -> Place:
    """Return where a field of the traits of a host is set: an override, else the profile."""
    return traits_place_in(model.intent, host, *path)


def traits_place_in(intent: Intent, host: str, *path: str) -> Place:
    """Return the same for a host of any inventory."""
    for override in reversed(intent.host_overrides.get(host, [])):
        traits = override.value.traits
        if traits and any(values[: len(path)] == path for values in set_paths(traits)):
            return Place(override.field("traits", *path), override.position("traits", *path))
    return fabric_place(intent, "host", *path)
