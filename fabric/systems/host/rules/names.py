"""Rules about names and hardware of hosts."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from fabric.core import hostlist
from fabric.core.counts import counted
from fabric.core.findings import Severity
from fabric.topology.naming import nic_names
from fabric.topology.routed import routed_units
from fabric.validate.origins import Place, identities, rail_place
from fabric.validate.rule import ModelRule, areas, rules
from fabric.validate.traits import host_kinds, traits_of_hosts, traits_place

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.intent.host_model import NicOverride
    from fabric.validate.world import Model


areas.add("HST")("Hosts")


@rules.add("HST001")
class NicNames(ModelRule):
    """The host profile names one NIC for each rail."""

    why = "A rail without a NIC name, or a name without a rail, cannot be configured."
    source = "fabric/intent/host_model.py in this repository (HostProfile)"
    guards = ("host.interfaces", "host.rdma_devices", "rails")

    def check(self, model: Model) -> Iterator[Finding]:
        """Count the names of interfaces and RDMA devices."""
        profile, fabric = model.intent.fabric.host, model.fabric
        ports = f" of {fabric.nic_ports} ports" if fabric.nic_ports > 1 else ""
        for field in ("interfaces", "rdma_devices"):
            names = hostlist.count(getattr(profile, field))
            if names != fabric.nics_per_host:
                yield self.finding(
                    f"host.{field} {getattr(profile, field)!r} has {counted(names, 'name')} for "
                    f"{counted(fabric.rails, 'rail')}{ports}",
                    f"set exactly one for each {'port' if ports else 'rail'}",
                    place=model.place("host", field),
                )


@rules.add("HST002")
class UniqueNames(ModelRule):
    """The NICs of a host have different names."""

    why = "Two rails would be configured on one NIC, and the second would overwrite the first."
    source = "Linux net/core/dev.c (interface names are unique)"
    guards = (
        "host.interfaces",
        "host.rdma_devices",
        "hosts.nics.interface",
        "hosts.nics.rdma_device",
    )

    def check(self, model: Model) -> Iterator[Finding]:
        """Compare the names of hosts with overrides and of one host without."""
        own, fabric = model.intent.host_overrides, model.fabric
        plain = next((name for name in fabric.hosts.names if name not in own), None)
        for name in (*own, *([plain] if plain else [])):
            for field, used in _names(model, name).items():
                nics = used[-fabric.nics_per_host :]
                for double, count in Counter(used).items():
                    if count > 1:
                        numbers = [number for number, nic in enumerate(nics) if nic == double]
                        rails = [number // fabric.nic_ports for number in numbers]
                        places = [rail_place(model.intent, name, rail, field) for rail in rails]
                        default = model.place("host", f"{field}s")
                        yield self.finding(
                            f"{double} is used for {counted(count, 'NIC')} of a host",
                            "use a different name for each NIC",
                            place=next((place for place in places if place), default),
                            device=name,
                        )


def _names(model: Model, host: str) -> dict[str, list[str]]:
    """Return all names of interfaces and of RDMA devices of a host, those of its NICs last."""
    profile, nics = model.intent.fabric.host, nic_names(model.fabric, host)
    devices = [profile.management_rdma_device] if profile.management_rdma_device else []
    return {
        "interface": [profile.management_interface, *(nic.interface for nic in nics)],
        "rdma_device": [*devices, *(nic.rdma_device for nic in nics)],
    }


@rules.add("HST006")
class UniqueHardware(ModelRule):
    """MAC addresses and serial numbers identify one device."""

    why = (
        "rocefab never changes a device whose identity does not match; two devices with the same "
        "identity cannot be distinguished."
    )
    source = "IEEE 802-2014 clause 8"
    guards = ("hosts.nics.mac", "hosts.serial", "devices.mac", "devices.serial")

    def check(self, model: Model) -> Iterator[Finding]:
        """Compare the identities that overrides name."""
        known: dict[tuple[str, str], tuple[str, Place]] = {}
        for kind, value, owner, place in identities(model.intent):
            first, _ = known.setdefault((kind, value), (owner, place))
            if first != owner:
                yield self.finding(
                    f"{kind} {value} is also that of {first}",
                    "set the value printed on the device",
                    place=place,
                    device=owner,
                )


NIC_LISTS = ("pci_addresses", "numa_nodes")
GPU_LISTS = ("pci_addresses", "numa_nodes")


@rules.add("HST007")
class ListLengths(ModelRule):
    """Lists of the host profile have one entry per NIC or GPU."""

    why = (
        "A missing entry leaves a NIC without its address or its GPUs; an extra entry belongs"
        " to no rail."
    )
    source = "fabric/intent/host_model.py in this repository (NicTraits, GpuTraits)"
    guards = (
        "host.nic.pci_addresses",
        "host.nic.numa_nodes",
        "host.nic.gpus",
        "host.gpu.pci_addresses",
        "host.gpu.numa_nodes",
    )

    def check(self, model: Model) -> Iterator[Finding]:
        """Look at every kind of host."""
        gpus, fabric = model.intent.fabric.host.gpus, model.fabric
        ports = "rails" if fabric.nic_ports == 1 else "NIC ports"
        for kind in host_kinds(model):
            for group, field, expected, things in (
                *(("nic", field, fabric.nics_per_host, ports) for field in NIC_LISTS),
                ("nic", "gpus", fabric.rails, "rails"),
                *(("gpu", field, gpus, "GPUs") for field in GPU_LISTS),
            ):
                count = len(getattr(getattr(kind.host.traits, group), field))
                if count not in (0, expected):
                    yield self.finding(
                        f"{group}.{field} has {counted(count, 'entry')} for {expected} {things}",
                        f"use one entry for each of the {expected} {things}, in order, or none",
                        place=traits_place(model, kind.host.name, group, field),
                        device=kind.host.name,
                        is_example=True,
                    )


@rules.add("HST008")
class UniquePci(ModelRule):
    """PCI addresses of a host identify one NIC or GPU."""

    why = "Settings of one device would be written to another."
    source = (
        "PCI Local Bus Specification 3.0 section 6.1 (domain, bus, device and function name one "
        "function)"
    )
    guards = ("host.nic.pci_addresses", "host.gpu.pci_addresses")

    def check(self, model: Model) -> Iterator[Finding]:
        """Look at every kind of host."""
        for kind in host_kinds(model):
            traits = kind.host.traits
            used = Counter((*traits.nic.pci_addresses, *traits.gpu.pci_addresses))
            for address, count in used.items():
                if count > 1:
                    group = "nic" if address in traits.nic.pci_addresses else "gpu"
                    yield self.finding(
                        f"{address} is used for {counted(count, 'device')} of a host",
                        "set the address of each NIC and GPU as lspci -D shows it",
                        place=traits_place(model, kind.host.name, group, "pci_addresses"),
                        device=kind.host.name,
                        is_example=True,
                    )


@rules.add("HST023")
class IonicPorts(ModelRule):
    """Ports of AMD Pensando NICs have their nicctl UUID."""

    why = "nicctl addresses a port only by its UUID."
    source = "AMD Pensando Pollara guides (UG1813), nicctl update port"
    guards = ("hosts.nics.port_uuid", "host.nic.driver")

    def check(self, model: Model) -> Iterator[Finding]:
        """Look at every such NIC."""
        for name, traits in traits_of_hosts(model):
            if traits.nic.driver != "ionic":
                continue
            host = model.hosts[name]
            for nic in () if host.no_lossless else host.nics:
                if nic.enabled and not nic.port_uuid:
                    yield self.finding(
                        f"{nic.interface} has no port_uuid",
                        "set hosts.nics.port_uuid to the UUID from `nicctl show port`",
                        place=traits_place(model, host.name, "nic", "driver"),
                        device=host.name,
                        port=nic.interface,
                    )


@rules.add("HST027")
class ReplacedNic(ModelRule):
    """A NIC that takes the place of another one gets its address."""

    severity = Severity.WARNING
    why = (
        "The files of a host match a NIC whose MAC address is in the inventory by that address: a "
        "NIC that replaces it matches none of them, and its rail is down on this host."
    )
    source = (
        "canonical/netplan src/networkd.c (a MAC address is PermanentMACAddress=); systemd.network "
        "and nm-settings-keyfile manual pages (mac-address)"
    )
    guards = ("hosts.nics.mac", "addressing.vlan_per")

    def check(self, model: Model) -> Iterator[Finding]:
        """Count the NICs with MAC addresses: on routed ports, and in VLANs."""
        fabric, routed = model.fabric, routed_units(model.intent.fabric)
        owned: dict[bool, list[tuple[str, NicOverride]]] = {True: [], False: []}
        for name, overrides in model.intent.host_overrides.items():
            is_routed = routed[int(fabric.hosts.unit[fabric.host_row[name]])]
            if model.intent.host_traits(name).nic.match == "path":
                continue
            nics = [nic for override in overrides for nic in override.value.nics if nic.mac]
            owned[is_routed] += [(name, nic) for nic in nics]
        for is_routed, nics_by_mac in owned.items():
            for name, nic in nics_by_mac[:1]:
                subject, verb = f"the NIC of rail {nic.rail}", "gets its"
                if len(nics_by_mac) > 1:
                    subject, verb = f"{subject} and {len(nics_by_mac) - 1} more", "get their"
                yield self.finding(
                    f"{subject} {verb} address by MAC address: a NIC in its place gets none",
                    "use host.nic.match: path, remove mac so that the interface name counts, or "
                    "set the MAC of the new NIC, render and apply when one is replaced",
                    place=rail_place(model.intent, name, nic.rail, "mac", nic.nic_port),
                    device=name,
                    severity=None if is_routed else Severity.INFO,
                )


@rules.add("HST028")
class PathOfEachNic(ModelRule):
    """Each NIC that is found by its path has a PCI address."""

    why = "Without its own PCI address a NIC keeps the name that the kernel gave it."
    source = "systemd.link manual page, [Match] (Path=, the udev property ID_PATH)"
    guards = ("host.nic.match", "host.nic.pci_addresses")

    def check(self, model: Model) -> Iterator[Finding]:
        """Look at every kind of host; HST007 and HST008 judge the addresses that are set."""
        for kind in host_kinds(model):
            nic, name = kind.host.traits.nic, kind.host.name
            if nic.match == "path" and not nic.pci_addresses:
                yield self.finding(
                    f"match is path, but no PCI addresses are set{kind.others}",
                    "set host.nic.pci_addresses, an address for each NIC",
                    place=traits_place(model, name, "nic", "match"),
                    device=name,
                )
