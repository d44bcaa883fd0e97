"""The hosts of a cluster as Kubernetes sees them: alike, with one network for each rail."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from fabric.core.exports import refused
from fabric.core.units import dscp_to_traffic_class_byte
from fabric.intent.classes import lossless_classes
from fabric.intent.resolve import PolicyResolver
from fabric.placement.pcie import refused_field, refused_trait
from fabric.topology.naming import nic_names
from fabric.topology.routed import host_pools, routed_units

if TYPE_CHECKING:
    from fabric.intent.host_model import HostTraits
    from fabric.intent.kubernetes_model import Kubernetes
    from fabric.intent.policy import LosslessPolicy
    from fabric.placement.export import Order
    from fabric.topology.model import Fabric
    from fabric.topology.naming import NicNames

_LABEL = r"[a-z0-9]([a-z0-9-]*[a-z0-9])?"
#: Names of nodes are subdomains (RFC 1123 section 2.1).
_NODE = re.compile(rf"{_LABEL}(\.{_LABEL})*")
#: Names of Kubernetes that become host names are labels (RFC 1123 section 2.1, RFC 1035).
_MAX_NAME = 63
#: What the NICs of hosts must share to be of one kind.
_SHARED_TRAITS = "vendor model link_layer ports_per_card virtual_functions pci_addresses".split()
#: PCI vendor, and device of each model: PCI ID Repository; supported-nic-ids of
#: k8snetworkplumbingwg/sriov-network-operator deploy/configmap.yaml.
NVIDIA = "15b3"
DEVICE_IDS = {
    "connectx-5": "1017",
    "connectx-5 ex": "1019",
    "connectx-6": "101b",
    "connectx-6 dx": "101d",
    "connectx-6 lx": "101f",
    "connectx-7": "1021",
    "connectx-8": "1023",
    "bluefield-2": "a2d6",
    "bluefield-3": "a2dc",
}


@dataclass(frozen=True, slots=True)
class Network:
    """A network of pods: a rail, or a rail of one unit where units have subnets of their own."""

    name: str
    rail: int
    unit: int | None


@dataclass(frozen=True)
class Cluster:
    """Hosts that have the same NICs, and what is said of their cluster."""

    fabric: Fabric
    hosts: tuple[str, ...]

    @cached_property
    def settings(self) -> Kubernetes:
        """What the inventory tells of the cluster."""
        return self.fabric.intent.fabric.kubernetes

    @cached_property
    def traits(self) -> HostTraits:
        """What every host is like."""
        return self.fabric.intent.host_traits(self.hosts[0])

    @cached_property
    def policy(self) -> LosslessPolicy:
        """Lossless policy of every host."""
        return PolicyResolver(self.fabric.intent).host(self.hosts[0])

    @cached_property
    def names(self) -> tuple[NicNames, ...]:
        """Names of the NICs by rail."""
        return nic_names(self.fabric, self.hosts[0])

    @property
    def class_byte(self) -> int:
        """IP traffic class byte of RoCE data."""
        return dscp_to_traffic_class_byte(lossless_classes(self.policy)[0].roce_dscp)

    @property
    def rails(self) -> range:
        """Rails of the fabric."""
        return range(self.fabric.rails)

    @property
    def node_selector(self) -> dict[str, str]:
        """Labels of the nodes."""
        return {self.settings.node_label: self.settings.node_label_value}

    @cached_property
    def one_subnet_per_nic(self) -> bool:
        """Whether every NIC has a subnet of its own."""
        return self.is_routed or self.fabric.intent.fabric.addressing.vlan_per == "nic"

    @cached_property
    def is_routed(self) -> bool:
        """Whether the NICs are on routed ports."""
        unit = int(self.fabric.hosts.unit[self.fabric.host_row[self.hosts[0]]])
        return routed_units(self.fabric.intent.fabric)[unit]

    @property
    def has_ipv4(self) -> bool:
        """Whether the NICs have IPv4."""
        return self.fabric.intent.fabric.addressing.ipv4

    @property
    def has_ipv6(self) -> bool:
        """Whether the NICs have IPv6."""
        return self.is_routed and self.fabric.subnets.ipv6 is not None

    @property
    def routes(self) -> list[dict[str, str]]:
        """Routes to all NICs of the fabric."""
        return [{"dst": str(pool)} for pool in host_pools(self.fabric.intent.fabric).values()]

    @cached_property
    def units(self) -> tuple[int, ...]:
        """Units of the hosts, in order."""
        return tuple(self._hosts_by_unit)

    @cached_property
    def networks(self) -> tuple[Network, ...]:
        """Networks of the pods; one for each rail, or for each unit and rail."""
        if self.one_subnet_per_nic or len(self.units) == 1:
            return tuple(Network(f"rail{rail}", rail, None) for rail in self.rails)
        named = self.fabric.intent.fabric.units
        networks = tuple(
            Network(f"{named[unit].name.lower()}-rail{rail}", rail, unit)
            for unit in self.units
            for rail in self.rails
        )
        if len({item.name for item in networks}) < len(networks):
            message = "two unit names differ only in case"
            raise refused_field(self.fabric, ("units",), message, "rename one of them")
        for item in networks:
            check_name(item.name)
        return networks

    @cached_property
    def _hosts_by_unit(self) -> dict[int, tuple[str, ...]]:
        rows = [self.fabric.host_row[host] for host in self.hosts]
        names: dict[int, list[str]] = {}
        for host, unit in zip(self.hosts, self.fabric.hosts.unit[rows].tolist(), strict=True):
            names.setdefault(unit, []).append(host)
        return {unit: tuple(hosts) for unit, hosts in names.items()}

    def hosts_of(self, network: Network) -> tuple[str, ...]:
        """Return the hosts of a network."""
        return self.hosts if network.unit is None else self._hosts_by_unit[network.unit]

    def nic_row(self, host: str, rail: int) -> int:
        """Return the row of a NIC in ``fabric.nics``."""
        return self.fabric.nic_row(host, rail)

    def pci_addresses(self, what: str) -> list[str]:
        """Return the PCI addresses of the NICs by rail; raises as `pci_address`."""
        return [self.pci_address(rail, what) for rail in self.rails]

    def pci_address(self, rail: int, what: str) -> str:
        """Return the PCI address of a rail's NIC.

        Raises
        ------
        InputError
            When the inventory does not tell it, or tells it of two rails.
        """
        addresses = self.traits.nic.pci_addresses
        if rail >= len(addresses):
            message = (
                f"{what} identifies NICs by PCI address, but the address of rail {rail} is not "
                "known"
            )
            fix = "set host.nic.pci_addresses, one per rail"
            raise refused_trait(self.fabric, self.hosts[0], ("nic", "pci_addresses"), message, fix)
        if addresses.count(addresses[rail]) > 1:
            message = f"two rails have the PCI address {addresses[rail]}"
            path, fix = ("nic", "pci_addresses"), "set the address of each"
            raise refused_trait(self.fabric, self.hosts[0], path, message, fix)
        return addresses[rail]

    def device_id(self, what: str) -> str:
        """Return the PCI device id of the NICs.

        Raises
        ------
        InputError
            When they are not by NVIDIA, or their model is not known.
        """
        nic = self.traits.nic
        if nic.vendor != "nvidia":
            message = f"{what} supports NVIDIA NICs only; these are {nic.vendor} NICs"
            fix = "configure them on the host with `rocefab render`, and write others with --what"
            raise refused_trait(self.fabric, self.hosts[0], ("nic", "vendor"), message, fix)
        if nic.model.lower() not in DEVICE_IDS:
            model = nic.model[:40]
            message = f"{what} needs the PCI device ID, which is not known for model {model!r}"
            fix = f"set host.nic.model to one of {', '.join(DEVICE_IDS)}"
            raise refused_trait(self.fabric, self.hosts[0], ("nic", "model"), message, fix)
        return DEVICE_IDS[nic.model.lower()]


def check_name(name: str) -> None:
    """Refuse a name that no object can have (RFC 1123 label).

    Raises
    ------
    InputError
        When it is none.
    """
    if len(name) > _MAX_NAME or not re.fullmatch(_LABEL, name):
        message = f"{name[:80]!a} is not a valid object name"
        fix = "use lower case letters, digits and inner hyphens, at most 63"
        raise refused("PLC015", message, fix)


def cluster(order: Order) -> Cluster:
    """Return the hosts of a cluster: all that are not excluded.

    Raises
    ------
    InputError
        When hosts differ in what an object says of all, have names that no node can have, or have
        NICs with two ports in the fabric.
    """
    fabric = order.fabric
    if fabric.nic_ports > 1:
        message = "NICs with two fabric ports are not supported"
        fix = "use another export, or a fabric with nic_ports: 1"
        raise refused_field(fabric, ("nic_ports",), message, fix)
    hosts = node_names(order)
    _check_alike(fabric, hosts)
    return Cluster(fabric, hosts)


def node_names(order: Order) -> tuple[str, ...]:
    """Return the nodes of a cluster: all hosts that are not excluded.

    Raises
    ------
    InputError
        When there is none, or one has a name that no node can have.
    """
    fabric, out = order.fabric, set(order.excluded)
    for verb, named in (("exclude", out), ("taint", order.degraded)):
        unknown = sorted(named - set(fabric.host_row))
        if unknown:
            message = f"cannot {verb} host {unknown[0]!r}: no such host"
            raise refused("PLC001", message, "`rocefab show hosts` lists them")
    hosts = tuple(name for name in fabric.hosts.names if name not in out)
    if not hosts:
        raise refused("PLC001", "every host is excluded", "exclude fewer hosts")
    for name in hosts:
        if not _NODE.fullmatch(name):
            message = f"{name!r} is not a valid node name; use lower case and no underscore"
            raise refused_field(fabric, ("units",), message, "rename the host, or --exclude it")
    return hosts


def _check_alike(fabric: Fabric, hosts: tuple[str, ...]) -> None:
    _check_same_plan(fabric, hosts)
    overridden = [host for host in hosts if host in fabric.intent.host_overrides]
    resolver = PolicyResolver(fabric.intent)
    if not overridden:
        return
    first = next((host for host in hosts if host not in fabric.intent.host_overrides), hosts[0])
    for host in overridden:
        mine, other = (_kind(fabric, resolver, name) for name in (host, first))
        for path, value in mine.items():
            if value != other[path]:
                where = ".".join(path)
                message = (
                    f"{where} differs from {first}; one set of objects supports identical hosts "
                    "only"
                )
                fix = (
                    "export each kind of host separately with --exclude, and use a different node "
                    "label for each"
                )
                raise refused_trait(fabric, host, path, message, fix)


def _check_same_plan(fabric: Fabric, hosts: tuple[str, ...]) -> None:
    file = fabric.intent.fabric
    routed, rows = routed_units(file), [fabric.host_row[host] for host in hosts]
    units = {routed[unit]: file.units[unit].name for unit in fabric.hosts.unit[rows].tolist()[::-1]}
    on_rails = fabric.intent.host_traits(hosts[0]).container_mode != "host-network"
    if on_rails and len(units) > 1:
        message = (
            f"the NICs of {units[True]} are on routed ports, those of {units[False]} in VLANs; one "
            "set of objects supports one of both"
        )
        fix = "export the units separately with --exclude, and use a different node label for each"
        raise refused_field(fabric, ("addressing", "vlan_per"), message, fix)


def _kind(fabric: Fabric, resolver: PolicyResolver, host: str) -> dict[tuple[str, ...], object]:
    traits, policy = fabric.intent.host_traits(host), resolver.host(host)
    return {
        ("container_mode",): traits.container_mode,
        ("tuning", "hugepages_1g"): traits.tuning.hugepages_1g,
        **{("nic", name): getattr(traits.nic, name) for name in _SHARED_TRAITS},
        ("interfaces",): nic_names(fabric, host),
        ("lossless",): (
            lossless_classes(policy),
            policy.cnp_dscp,
            policy.pfc,
            policy.cnp_traffic_class,
            policy.mtu.host_bytes,
        ),
    }
