"""From the realised network to the design of a host."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from fabric.core.units import MS_PER_S, ipv4_text
from fabric.design.host_model import HostDesign, NicAddress, NicDesign
from fabric.design.nic import DCQCN_PLACES, dcqcn_settings, leaf_macs, receive_buffer_bytes
from fabric.design.overlay import overlay
from fabric.design.qos import host_qos
from fabric.topology.model import NO_VLAN
from fabric.topology.naming import nic_names, rails_of_gpus
from fabric.topology.reach import Reach
from fabric.topology.site import neighbours_of_host

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from fabric.design.qos_model import HostQos
    from fabric.intent.host_model import NicOverride, NicTraits
    from fabric.intent.policy import LosslessPolicy
    from fabric.intent.resolve import PolicyResolver
    from fabric.qos.dcqcn.registers import Place, Setting
    from fabric.topology.model import Fabric
    from fabric.topology.naming import NicNames

#: Neighbour table of a host, floor: 4096/8192/16384 (net.ipv4.neigh.default.gc_thresh1..3, Linux
#: ip-sysctl.rst; defaults 128/512/1024). Our choice: a rail has more neighbours than the defaults
#: take.
GC_THRESH1_FLOOR = 4096
#: Defaults of the kernel (Linux net/ipv4/arp.c, arp_tbl: base_reachable_time, gc_staletime). An
#: entry lives 0.5 to 1.5 times the first, then up to the second: 45 s + 60 s, below the 240 s of a
#: leaf. A leaf that forgets sooner gets hosts that do so too: a third and a quarter of its time, in
#: whole seconds: the kernel keeps jiffies, so that other figures are read back as their neighbours.
DEFAULT_REACHABLE_MS, DEFAULT_STALE_S = 30_000, 60
#: Why other link layers get no lossless configuration (InfiniBand Architecture Specification 1.4
#: section 7.9; RFC 5040 and RFC 5044; annex A17 for RoCEv2).
NO_LOSSLESS = {
    "infiniband": "InfiniBand sends only what its peer has credits for, so nothing is dropped and "
    "nothing is paused",
    "iwarp": "iWARP runs over TCP, which sends again what is lost and slows down on its own",
    "ethernet": "plain Ethernet, as in a VPC, has no RDMA path that a pause could protect",
}
#: Drivers whose settings come from published tables and were tried on no NIC.
BETA_DRIVERS = frozenset({"bnxt", "ionic"})


class HostDesigner:
    """Designs the hosts of one fabric.

    Parameters
    ----------
    fabric : Fabric
        The realised network.
    resolver : PolicyResolver
        Policy by host.
    elsewhere : mapping, optional
        Neighbours that hosts may have in other fabrics of the site, by host.
    """

    def __init__(
        self,
        fabric: Fabric,
        resolver: PolicyResolver,
        elsewhere: Mapping[str, int] = MappingProxyType({}),
    ) -> None:
        self._fabric = fabric
        self._resolver = resolver
        self._elsewhere = elsewhere
        self._neighbours = neighbours_of_host(fabric.intent)
        self._reach = Reach(fabric)
        self._parameters: dict[tuple[int, int, int, Place], tuple[Setting, ...]] = {}
        self._qos: dict[int, HostQos] = {}
        self._leaf_macs = leaf_macs(fabric.intent)

    def __reduce__(self) -> tuple[type[HostDesigner], tuple[Any, ...]]:
        # what is kept goes by addresses of this process
        return HostDesigner, (self._fabric, self._resolver, dict(self._elsewhere))

    def design(self, row: int) -> HostDesign:
        """Return the design of the host in a row of ``fabric.hosts``."""
        fabric, file = self._fabric, self._fabric.intent.fabric
        name = fabric.hosts.names[row]
        overrides = fabric.intent.host_overrides.get(name, [])
        changes: dict[int, NicOverride] = {}
        for override in overrides:
            for nic in override.value.nics:
                number = nic.rail * fabric.nic_ports + nic.nic_port
                changes[number] = overlay(changes.get(number), nic)
        traits, policy = fabric.intent.host_traits(name), self._resolver.host(name)
        near = rails_of_gpus(traits, file.host.gpus, fabric.rails)
        rows = fabric.nics_of_host(row)
        first = max(GC_THRESH1_FLOOR, self._neighbours + self._elsewhere.get(name, 0))
        serials = [override.value.serial for override in overrides if override.value.serial]
        return HostDesign(
            name=name,
            unit=file.units[int(fabric.hosts.unit[row])].name,
            serial=serials[-1] if serials else "",
            gpus=file.host.gpus,
            management_interface=file.host.management_interface,
            management_rdma_device=file.host.management_rdma_device or "",
            gc_thresholds=(first, 2 * first, 4 * first),
            namespace=file.host.namespace,
            is_shared=name in self._elsewhere,
            traits=traits,
            base_reachable_time_ms=min(DEFAULT_REACHABLE_MS, file.arp.timeout_s // 3 * MS_PER_S),
            gc_stale_time_s=min(DEFAULT_STALE_S, file.arp.timeout_s // 4),
            no_lossless=NO_LOSSLESS.get(traits.nic.link_layer, ""),
            nics=tuple(
                self._nic(
                    nic_row,
                    names,
                    changes.get(number),
                    traits.nic,
                    policy,
                    near,
                    is_main=main,
                )
                for number, (nic_row, names, main) in enumerate(
                    zip(rows, nic_names(fabric, name), self._in_main_table(rows), strict=True)
                )
            ),
        )

    def _nic(
        self,
        row: int,
        names: NicNames,
        change: NicOverride | None,
        nic: NicTraits,
        policy: LosslessPolicy,
        near: tuple[int, ...],
        *,
        is_main: bool,
    ) -> NicDesign:
        fabric, nics, subnets = self._fabric, self._fabric.nics, self._fabric.subnets
        rail, subnet, leaf = int(nics.rail[row]), int(nics.subnet[row]), int(nics.leaf[row])
        number = row % fabric.nics_per_host
        qos = self._host_qos(policy)
        address = nic.pci_addresses[number] if number < len(nic.pci_addresses) else ""
        sizes, speed_gbps = receive_buffer_bytes(nic), int(nics.speed_gbps[row])
        return NicDesign(
            rail=rail,
            nic_port=int(nics.nic_port[row]),
            enabled=bool(nics.enabled[row]),
            interface=names.interface,
            rdma_device=names.rdma_device,
            mac=(change.mac if change else None) or "",
            speed_gbps=speed_gbps,
            mtu_bytes=policy.mtu.host_bytes,
            addresses=self._addresses(row, (change.mac if change else None) or ""),
            vlan=int(subnets.vlan[subnet]),
            table=fabric.intent.fabric.host.first_table + number,
            rule_priority=fabric.intent.fabric.host.first_table + number,
            cable_m=int(nics.cable_m[row]),
            gpus=tuple(gpu for gpu, its_rail in enumerate(near) if its_rail == rail),
            card=rail // nic.ports_per_card,
            pci_address=address,
            numa_node=nic.numa_nodes[number] if number < len(nic.numa_nodes) else None,
            leaf=fabric.switches.names[leaf],
            leaf_port=fabric.port_name(leaf, int(nics.port[row])),
            qos=qos,
            gateway_mac=self._leaf_macs.get(fabric.switches.names[leaf], ""),
            port_uuid=(change.port_uuid if change else None) or "",
            pause_storm_ms=nic.pause_storm_ms,
            receive_buffer_bytes=sizes,
            priority_to_receive_buffer=qos.pfc if sizes else (),
            dcqcn=self._dcqcn(nic, policy, speed_gbps, DCQCN_PLACES.get(nic.driver, "sysfs")),
            firmware=self._dcqcn(nic, policy, speed_gbps, "mlxconfig"),
            in_main_table=is_main,
            path=f"pci-{address}" if address and nic.match == "path" else "",
        )

    def _addresses(self, row: int, mac: str) -> tuple[NicAddress, ...]:
        """Return the addresses of a NIC, that of RDMA first."""
        addressing = self._fabric.intent.fabric.addressing
        addresses = [self._ipv4(row)] if addressing.ipv4 else []
        addresses += self._ipv6(row, mac)
        return tuple(reversed(addresses) if addressing.rdma_ipv6 else addresses)

    def _ipv4(self, row: int) -> NicAddress:
        nics, subnets = self._fabric.nics, self._fabric.subnets
        subnet = int(nics.subnet[row])
        network = subnets.text(subnet)
        return NicAddress(
            address=ipv4_text(int(nics.address[row])),
            prefix_length=int(subnets.prefix_length[subnet]),
            network=network,
            gateway=ipv4_text(int(subnets.gateway[subnet])),
            pools=tuple(one for one in self._reach.of_nic(row) if one != network),
        )

    def _ipv6(self, row: int, mac: str) -> Iterator[NicAddress]:
        subnet, table = int(self._fabric.nics.subnet[row]), self._fabric.subnets.ipv6
        if table is None or self._fabric.subnets.vlan[subnet] != NO_VLAN:
            return
        (network, gateway), address = table.texts(subnet), table.nic(subnet, mac)
        yield NicAddress(
            address=str(address) if address else "",
            prefix_length=table.prefix_length,
            network=network,
            gateway=gateway,
            pools=tuple(one for one in self._reach.of_nic6(row) if one != network),
        )

    def _in_main_table(self, rows: Iterable[int]) -> Iterator[bool]:
        """Say of each NIC of a host whether it carries routes for sockets without a source.

        The first that reaches some prefixes does.
        """
        nics, subnets = self._fabric.nics, self._fabric.subnets
        seen: set[tuple[str, ...]] = set()
        for row in rows:
            prefixes = self._reach.of_nic(row)
            leads = bool({*prefixes} - {subnets.text(int(nics.subnet[row]))})
            first = bool(nics.enabled[row]) and leads and prefixes not in seen
            seen |= {prefixes} if first else set()
            yield first

    def _host_qos(self, policy: LosslessPolicy) -> HostQos:
        if id(policy) not in self._qos:
            self._qos[id(policy)] = host_qos(policy)
        return self._qos[id(policy)]

    def _dcqcn(
        self, nic: NicTraits, policy: LosslessPolicy, speed_gbps: int, place: Place
    ) -> tuple[Setting, ...]:
        """Return the DCQCN parameters of a NIC; those that do not fit are for a rule to report."""
        key = (id(nic), id(policy), speed_gbps, place)
        if key not in self._parameters:
            try:
                self._parameters[key] = dcqcn_settings(nic, policy, speed_gbps, place)
            except ValueError:
                self._parameters[key] = ()
        return self._parameters[key]
