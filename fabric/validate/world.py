"""What rules look at."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, Protocol

from fabric.intent.classes import ONE_CLASS, class_values
from fabric.platforms.catalogue import Skus
from fabric.platforms.model import role_field
from fabric.validate.config_db import ConfigDb, SonicConfig
from fabric.validate.ends import End, Pair, pairs
from fabric.validate.origins import (
    Place,
    fabric_place,
    nic_place,
    port_place,
    switch_place,
    uplink_place,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from fabric.core.findings import Position
    from fabric.design.designs import Designs
    from fabric.design.model import DeviceDesign, HeadroomProfile, HostDesign, PortDesign
    from fabric.design.qos_model import QosProfile
    from fabric.intent.inventory import Intent
    from fabric.intent.resolve import PolicyResolver
    from fabric.platforms.model import Sku
    from fabric.qos.deadlock import Proof
    from fabric.topology.model import Fabric
    from fabric.topology.site import Site

__all__ = ["ConfigDb", "LosslessKind", "Model", "Place", "SonicConfig", "World"]


@dataclass(frozen=True, slots=True)
class Mismatch:
    """A policy field that differs at the two ends of a cable; ``end`` is the one to blame."""

    pair: Pair
    field: str
    here: object
    there: object
    place: Place
    end: End


class SchemaJudge(Protocol):
    """Validates a configuration by the schema of its release."""

    def answer(self, config: Mapping[str, Any]) -> Any:
        """Return what the schema says of it."""


@dataclass(frozen=True, slots=True)
class LosslessKind:
    """All ports with one lossless buffer: the first of them, and how many there are."""

    device: DeviceDesign
    port: PortDesign
    headroom: HeadroomProfile
    ports: int
    switches: int

    @property
    def title(self) -> str:
        """Switch model, speed and length, for messages."""
        gbps, metres = self.headroom.speed_gbps, self.headroom.cable_m
        return f"{self.device.sku.name} at {gbps}G and {metres} m"


@dataclass(frozen=True)
class Model:
    """The stages of one inventory, from intent to design, and the fabrics beside it."""

    intent: Intent
    fabric: Fabric
    resolver: PolicyResolver
    devices: Mapping[str, DeviceDesign]
    hosts: Mapping[str, HostDesign]
    site: Site | None = None

    def policy_place(self, policy_field: str, device: str, port: str = "") -> Place:
        """Return where a dotted field of the lossless policy of a device or port was set.

        A value that stands nowhere is a default; then the place is that of ``lossless``.
        """
        if device in self.hosts:
            origin = self.resolver.host_origin(policy_field, device)
        else:
            role = self.devices[device].role
            origin = self.resolver.switch_origin(policy_field, device, role, port)
        position = origin.position or self.intent.position("lossless")
        return Place(origin.field, position, written=origin.position is not None)

    def profile_place(self, policy_field: str, device: DeviceDesign, profile: QosProfile) -> Place:
        """Return where a policy field of one of the profiles of a switch was set."""
        port = next((port.name for port in device.ports if port.qos is profile), "")
        return self.policy_place(policy_field, device.name, port if profile.index else "")

    @property
    def one_spine_asn(self) -> str:
        """What to do where spines have AS numbers that let traffic turn up again at a leaf."""
        if (self.fabric.switches.pod >= 0).any():
            return "use one AS number for the spines of each pod, and one for the super-spines"
        return f"set AS {self.intent.fabric.bgp.spine_asn} on all spines"

    @cached_property
    def pairs(self) -> tuple[Pair, ...]:
        """Every distinct pair of policies that meet on a cable."""
        return pairs(self.fabric, self.resolver)

    @cached_property
    def proof(self) -> Proof:
        """Whether lossless traffic can wait for itself, now and after each single failure."""
        from fabric.qos.deadlock import prove

        return prove(self.fabric, self.resolver)

    def blamed(self, policy_field: str, *ends: End) -> tuple[Place, End]:
        """Return the end with the most specific origin of a policy field, and that origin."""
        listed = policy_field in ONE_CLASS and any(end.policy.classes for end in ends)
        name = "classes" if listed else policy_field
        places = [(self.policy_place(name, end.device, end.port), end) for end in ends]
        return max(places, key=lambda item: item[0].specific)

    def mismatches(self, *fields: str) -> Iterator[Mismatch]:
        """Yield every policy field that differs between the two ends of some cable."""
        for pair in self.pairs:
            for name in fields if pair.left.policy is not pair.right.policy else ():
                left, right = (class_values(end.policy, name) for end in (pair.left, pair.right))
                if left != right:
                    place, end = self.blamed(name, pair.left, pair.right)
                    current, other = (left, right) if end is pair.left else (right, left)
                    yield Mismatch(pair, name, current, other, place, end)

    @cached_property
    def lossless_kinds(self) -> tuple[LosslessKind, ...]:
        """Every distinct lossless buffer of host ports and of uplinks, by their first port."""
        first: dict[tuple[str, int], tuple[DeviceDesign, PortDesign, HeadroomProfile]] = {}
        ports: Counter[tuple[str, int]] = Counter()
        switches: Counter[tuple[str, int]] = Counter()
        for device in self.devices.values():
            current = Counter((p.kind, id(p.headroom)) for p in device.ports if p.headroom)
            ports += current
            switches.update(current.keys())
            for port in device.ports if not current.keys() <= first.keys() else ():
                if port.headroom:
                    key = (port.kind, id(port.headroom))
                    first.setdefault(key, (device, port, port.headroom))
        return tuple(
            LosslessKind(*values, ports[key], switches[key]) for key, values in first.items()
        )

    def sku_place(self, device: DeviceDesign) -> Place:
        """Return where the switch model of a device was chosen."""
        return self.hardware_place(device, "sku")

    def hardware_place(self, device: DeviceDesign, name: str) -> Place:
        """Return where a field of `RolePlatform` was set for a device, such as ``breakouts``."""
        own = switch_place(self.intent, device.name, name)
        unit = int(self.fabric.switches.unit[self.fabric.switch_row[device.name]])
        if not own and name == "sku" and unit >= 0 and self.intent.fabric.units[unit].leaf_sku:
            return self.place("units", unit, "leaf_sku")
        return own or self.place("platforms", role_field(device.role), name)

    def host_ends(self) -> tuple[End, ...]:
        """Return one host for every distinct policy of hosts."""
        return tuple({id(p.left.policy): p.left for p in self.pairs if p.kind == "host"}.values())

    def cable_place(
        self, device: DeviceDesign, port: PortDesign, field: Literal["speed_gbps", "cable_m"]
    ) -> Place:
        """Return where the speed or the length of the cable in a port was set."""
        row, fabric = self.fabric.switch_row[device.name], self.fabric
        if port.kind == "host" and field == "speed_gbps":
            index = int(fabric.switches.unit[row])
            if port.speed_gbps == self.intent.fabric.units[index].host_gbps:
                return self.place("units", index, "host_gbps")
        group, unit = ("speeds", "gbps") if field == "speed_gbps" else ("cables", "m")
        cable = None if port.kind == "host" else fabric.uplink_at(row, port.number)
        core = cable is not None and fabric.switches.tier[fabric.uplinks.lower[cable]] > 0
        name = f"core_{unit}" if core else f"{port.kind}_{unit}"
        if getattr(port, field) == getattr(getattr(self.intent.fabric, group), name):
            return self.place(group, name)
        if port.kind == "host":
            rows = fabric.nics_of_leaf(row)
            nic = int(rows[fabric.nics.port[rows] == port.number][0])
            values = nic_place(fabric, nic, field)
        else:
            values = None if cable is None else uplink_place(fabric, cable, field)
        return values or self.place(group, name)

    def feature_place(self, device: DeviceDesign, dotted: str) -> Place:
        """Return where a dotted field of the inventory was set for a device."""
        group, _, name = dotted.partition(".")
        if group == "lossless":
            return self.policy_place(name, device.name)
        last = name.rpartition(".")[2]
        if group == "devices":
            ports = (port_place(self.intent, device.name, p.name, last) for p in device.ports)
            return next((place for place in ports if place), self.sku_place(device))
        if group == "platforms":
            return self.hardware_place(device, last)
        return self.place(group, name)

    def above_place(self, tier: int, *field: str) -> Place:
        """Return where the switches above a tier are said."""
        if self.intent.fabric.design == "explicit":
            return self.place("switches")
        return self.place(("spines", "super_spines")[tier], *field)

    def place(self, *path: str | int) -> Place:
        """Return the place of a field of ``fabric.yaml``."""
        return fabric_place(self.intent, *path)


def model_of(designs: Designs) -> Model:
    """Return the stages of an inventory in the form that rules read."""
    stages = (designs.intent, designs.fabric, designs.resolver, designs.devices, designs.hosts)
    return Model(*stages, designs.site)


@dataclass(frozen=True)
class World:
    """What there is to judge: a whole model, single SONiC configurations, or both.

    Parameters
    ----------
    model : Model or None
        The stages of an inventory.
    sonic : mapping
        CONFIG_DB by device: rendered here, or read from a file or a switch.
    skus : mapping
        Switch models by name; those of the catalogue, and of the inventory where there is one.
    positions : mapping
        Places of tables, rows and fields by device, for CONFIG_DBs that are files.
    is_rendered : bool
        Whether the CONFIG_DBs come of an inventory.
    yang : SchemaJudge or None
        Models that the CONFIG_DBs are validated by.
    row_by_row : bool
        Whether each row keeps its own finding, where else those that differ in the port alone are
        one.
    """

    model: Model | None = None
    sonic: Mapping[str, ConfigDb] = field(default_factory=dict)
    skus: Mapping[str, Sku] = field(default_factory=Skus)
    positions: Mapping[str, Mapping[tuple[str, ...], Position]] = field(default_factory=dict)
    is_rendered: bool = False
    yang: SchemaJudge | None = None
    row_by_row: bool = False

    @cached_property
    def sonic_configs(self) -> tuple[SonicConfig, ...]:
        """The CONFIG_DBs in the form that rules read."""
        return tuple(
            SonicConfig(device, tables, self.positions.get(device), is_rendered=self.is_rendered)
            for device, tables in self.sonic.items()
        )
