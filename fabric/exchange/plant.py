"""A fabric as any program may describe it: devices, cables and NICs; what is not known is empty."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

from fabric.core.hostlist import natural_key

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from fabric.core.findings import Finding

#: Device and port; the port of a host is the name of its interface.
End: TypeAlias = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Device:
    """A switch or a host.

    Parameters
    ----------
    kind : str
        ``switch``, ``host``, or empty where that is not known.
    role : str
        ``leaf``, ``spine`` or ``super-spine``; empty for a host.
    unit, pod, rack : str
        Where it belongs; unit is the scalable unit, or the rack of a classic fabric.
    rail, plane : int or None
        Rail of a leaf, plane of a switch, both from 0.
    model, system : str
        Switch model and its operating system, as the source writes them.
    loopback, management : str
        IPv4 addresses without length.
    serial, mac : str
        What identifies the device; the MAC in lower case with colons.
    """

    name: str
    kind: str = ""
    role: str = ""
    unit: str = ""
    pod: str = ""
    rack: str = ""
    rail: int | None = None
    plane: int | None = None
    model: str = ""
    system: str = ""
    asn: int | None = None
    loopback: str = ""
    management: str = ""
    serial: str = ""
    mac: str = ""


#: The state of a cable that is switched off.
DISABLED = "disabled"


@dataclass(frozen=True, slots=True)
class Cable:
    """A cable; its ends are in natural order, so that equal cables are equal.

    Parameters
    ----------
    speed_gbps : int or None
        Speed in Gb/s.
    cable_m : int or None
        One-way length in metres.
    near_address, far_address, near_ipv6, far_ipv6 : str
        Address with length of a switch at that end, of IPv4 and of IPv6; to a NIC that of its
        gateway.
    vlan : int or None
        VLAN of a cable to a NIC.
    state : str
        ``disabled`` where a port at its ends is switched off, else empty.
    """

    near: End
    far: End
    speed_gbps: int | None = None
    cable_m: int | None = None
    near_address: str = ""
    far_address: str = ""
    vlan: int | None = None
    state: str = ""
    near_ipv6: str = ""
    far_ipv6: str = ""

    @classmethod
    def between(
        cls,
        one: End,
        other: End,
        speed_gbps: int | None = None,
        cable_m: int | None = None,
        addresses: tuple[str, str] = ("", ""),
        vlan: int | None = None,
        state: str = "",
        ipv6: tuple[str, str] = ("", ""),
    ) -> Cable:
        """Return the cable between two ends, whichever is named first."""
        both = zip((one, other), addresses, ipv6, strict=True)
        (near, near_ipv4, near_ipv6), (far, far_ipv4, far_ipv6) = sorted(
            both, key=lambda end: end_key(end[0])
        )
        figures = (speed_gbps, cable_m, near_ipv4, far_ipv4, vlan, state, near_ipv6, far_ipv6)
        return cls(near, far, *figures)

    @property
    def addresses(self) -> tuple[str, str]:
        """IPv4 addresses of both ends."""
        return self.near_address, self.far_address

    @property
    def ipv6(self) -> tuple[str, str]:
        """IPv6 addresses of both ends."""
        return self.near_ipv6, self.far_ipv6


@dataclass(frozen=True, slots=True)
class Nic:
    """A port of a NIC.

    Parameters
    ----------
    nic_port : int
        Which port of the NIC of a rail, from 0.
    address, ipv6 : str
        Address with length, of IPv4 and of IPv6: 10.64.0.2/24, fd00:64::21/127.
    """

    host: str
    interface: str
    rail: int | None = None
    nic_port: int = 0
    rdma_device: str = ""
    address: str = ""
    mac: str = ""
    ipv6: str = ""


@dataclass(frozen=True, slots=True)
class PlantTenant:
    """A tenant: its VRF, its route target (empty without EVPN), and ends of cables in the VRF.

    ``partners`` are the tenants that it reaches by a service, as either end.
    """

    name: str
    vrf: str
    target: str
    ends: frozenset[End]
    partners: tuple[str, ...] = ()


@dataclass(frozen=True)
class Plant:
    """Devices in the order of their source, cables and NICs, and what of it was ignored."""

    name: str = ""
    devices: tuple[Device, ...] = ()
    cables: tuple[Cable, ...] = ()
    nics: tuple[Nic, ...] = ()
    notes: tuple[Finding, ...] = field(default=(), compare=False)
    tenants: tuple[PlantTenant, ...] = field(default=(), compare=False)

    @cached_property
    def device(self) -> dict[str, Device]:
        """Devices by name."""
        return {device.name: device for device in self.devices}

    @cached_property
    def nic(self) -> dict[End, Nic]:
        """NICs by host and interface."""
        return {(nic.host, nic.interface): nic for nic in self.nics}

    @cached_property
    def hosts(self) -> tuple[Device, ...]:
        """Hosts alone."""
        return tuple(device for device in self.devices if device.kind == "host")

    @cached_property
    def switches(self) -> tuple[Device, ...]:
        """Switches alone."""
        return tuple(device for device in self.devices if device.kind == "switch")

    def canonical(self) -> Plant:
        """Return the same with everything in natural order; equal when nothing else differs."""
        return Plant(
            self.name,
            tuple(sorted(self.devices, key=lambda item: natural_key(item.name))),
            tuple(sorted(self.cables, key=lambda item: (end_key(item.near), end_key(item.far)))),
            tuple(sorted(self.nics, key=lambda item: end_key((item.host, item.interface)))),
        )

    def with_ends(self, names: Mapping[End, End]) -> Plant:
        """Return the same with other ports at the ends of some cables; NICs keep theirs."""
        cables = (
            Cable.between(
                names.get(cable.near, cable.near),
                names.get(cable.far, cable.far),
                cable.speed_gbps,
                cable.cable_m,
                cable.addresses,
                cable.vlan,
                cable.state,
                cable.ipv6,
            )
            for cable in self.cables
        )
        return replace(self, cables=tuple(cables))

    @cached_property
    def disabled(self) -> tuple[Cable, ...]:
        """Cables that are switched off."""
        return tuple(cable for cable in self.cables if cable.state == DISABLED)

    def without(self, lost: Collection[str]) -> Plant:
        """Return the same without some fields, named ``device.asn``, ``cable.cable_m``, ``nics``.

        Raises
        ------
        KeyError
            When there is no such field.
        """
        return Plant(
            "" if "name" in lost else self.name,
            tuple(_emptied(item, "device", lost) for item in self.devices),
            () if "cables" in lost else tuple(_emptied(c, "cable", lost) for c in self.cables),
            () if "nics" in lost else tuple(_emptied(nic, "nic", lost) for nic in self.nics),
        )


def end_key(end: End) -> tuple[Any, Any]:
    """Return what ends are sorted by: numbers in names count by value."""
    return natural_key(end[0]), natural_key(end[1])


def field_names() -> list[str]:
    """Return the names of all fields, as `Plant.without` takes them."""
    parts = (("device", Device), ("cable", Cable), ("nic", Nic))
    keys = {"device.name", "cable.near", "cable.far", "nic.host", "nic.interface"}
    single = [f"{word}.{field.name}" for word, kind in parts for field in fields(kind)]
    return ["name", "cables", "nics", *(name for name in single if name not in keys)]


def _emptied(item: Any, word: str, lost: Collection[str]) -> Any:
    empty = {field.name: field.default for field in fields(item) if f"{word}.{field.name}" in lost}
    return replace(item, **empty) if empty else item
