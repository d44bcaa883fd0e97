"""Rules about tenants: what their systems, ASICs and plan of addresses take (TEN)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fabric.core import hostlist
from fabric.core.counts import counted, noun
from fabric.core.findings import Severity
from fabric.design.features import FEATURES, missing
from fabric.design.tenancy import TUNNEL_BYTES
from fabric.platforms import platforms
from fabric.platforms.features import feature
from fabric.topology.routed import named_pools
from fabric.topology.tenants import UNASSIGNED, vni_of
from fabric.validate.origins import Place
from fabric.validate.rule import ModelRule, SwitchRule, areas, rules
from fabric.validate.traits import switch_policies

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.design.model import DeviceDesign
    from fabric.intent.inventory import Located
    from fabric.intent.tenancy_model import Tenant
    from fabric.validate.places import Places
    from fabric.validate.world import Model

areas.add("TEN")("Tenants")
#: Highest VLAN (IEEE 802.1Q-2018 table 9-2; 4095 is reserved).
_LAST_VLAN = 4094


def _place(item: Located[Tenant], field: str) -> Place:
    """Return the place of a field of a tenant."""
    return Place(item.field(field), item.position(field))


@rules.add("TEN011")
class TenantSystems(SwitchRule):
    """Every switch system has what tenants need of it."""

    why = "What a system lacks is not rendered, and its NICs would be in the default VRF."
    source = "docs/reference/platforms.md: the sources that each system cites for its features"
    guards = ("tenancy.form", "tenants.services")

    def check_switch(self, places: Places, device: DeviceDesign) -> Iterator[Finding]:
        """Compare what tenants use with what the system of a switch declares."""
        for one in missing(device, self.id):
            yield self.finding(
                one.message,
                one.fix,
                place=places.feature_place(device, one.feature.field),
                device=device.name,
            )


@rules.add("TEN012")
class TunnelHardware(SwitchRule):
    """Every leaf routes into tunnels in one pass, and copies DSCP and ECN."""

    why = (
        "An ASIC that does not route into tunnels loses or loops the packets; an outer header "
        "without DSCP and ECN crosses the spines in the lossy class."
    )
    source = "docs/reference/platforms.md: vxlan_routing and tunnel_qos; RFC 6040 section 4"
    guards = ("tenancy.form", "platforms.leaf.sku")

    def check_switch(self, places: Places, device: DeviceDesign) -> Iterator[Finding]:
        """Compare the ASIC of a leaf with the families that its system declares."""
        for one in missing(device, self.id):
            yield self.finding(
                f"{one.message}: {device.sku.asic}",
                one.fix,
                place=places.sku_place(device),
                device=device.name,
            )
        for item in FEATURES:
            cell = feature(device.platform, item.name, device.sku, device.role)
            unsure = cell is not None and device.sku.asic in cell.unconfirmed_asics
            if item.rule == self.id and unsure and item.used(device):
                yield self.finding(
                    f"{item.title}: confirmed by no public source for {device.sku.asic} with "
                    f"{platforms[device.platform].title}",
                    "try it with traffic: queue counters and ECN marks of a spine",
                    place=places.sku_place(device),
                    device=device.name,
                    severity=Severity.WARNING,
                )


@rules.add("TEN013")
class TunnelMtu(ModelRule):
    """Every fabric port carries the packets of hosts inside a tunnel."""

    why = "Longer packets are dropped between the switches, while short ones pass."
    source = "RFC 7348 section 4.3 (no fragments) and section 5 (headers)"
    guards = ("lossless.mtu.host_bytes", "lossless.mtu.port_bytes", "tenancy.form")

    def check(self, model: Model) -> Iterator[Finding]:
        """Compare each port MTU with the packet of a host inside a tunnel."""
        tenants, ends = model.fabric.tenants, model.host_ends()
        if tenants is None or tenants.is_local or not ends:
            return
        host_bytes = max(end.policy.mtu.host_bytes for end in ends)
        for end in switch_policies(model):
            port_bytes = end.policy.mtu.port_bytes
            if port_bytes < host_bytes + TUNNEL_BYTES:
                yield self.finding(
                    f"mtu.port_bytes {port_bytes} does not carry a host packet of {host_bytes} "
                    f"bytes in a tunnel, which adds {TUNNEL_BYTES}",
                    "increase port_bytes or lower host_bytes",
                    place=model.policy_place("mtu.port_bytes", end.device, end.port),
                    device=end.device,
                )


@rules.add("TEN014")
class TenantNumbers(ModelRule):
    """The VLAN behind the VNI of each tenant exists, and belongs to it alone."""

    why = "A VLAN of NICs behind a VNI joins two tenants; one above 4094 is rejected."
    source = "IEEE 802.1Q-2018 table 9-2; githedgehog/fabric @ 78827deb pkg/agent/dozer/bcm"
    guards = ("tenancy.vlan_first", "tenants.id", "addressing.vlan_first")

    def check(self, model: Model) -> Iterator[Finding]:
        """Look at the VLANs of every leaf whose system needs one for a VNI."""
        fabric, tenants = model.fabric, model.fabric.tenants
        if tenants is None or tenants.is_local:
            return
        skus = fabric.switches.skus[: fabric.switches.leaf_count]
        needs = np.array([platforms[sku.nos].vni_vlan for sku in skus])
        mine, table = needs[fabric.nics.leaf], fabric.subnets
        used = set(np.unique(table.vlan[fabric.nics.subnet[mine]]).tolist())
        for row, item in enumerate(tenants.items):
            vlan = tenants.tenancy.vlan_first + item.value.id
            vni = vni_of(tenants.tenancy, item.value)
            if not (mine & (tenants.of_nic == row)).any():
                continue
            if vlan > _LAST_VLAN or vlan in used:
                why = "is above 4094" if vlan > _LAST_VLAN else "has NICs too"
                yield self.finding(
                    f"{item.value.name}: VLAN {vlan} behind VNI {vni} {why}",
                    "lower the id, or set tenancy.vlan_first",
                    place=_place(item, "id"),
                )


@rules.add("TEN015")
class TunnelEnds(ModelRule):
    """Switches of a fabric exchange EVPN routes over sessions that both ends have."""

    why = "Without a session no leaf learns the NICs of another, and tenants are cut in parts."
    source = (
        "Cisco Nexus 9000 VXLAN guide 10.6 (a loopback for nve); aristanetworks/avd (EVPN peers)"
    )
    guards = ("tenancy.form", "tenancy.vteps", "platforms.spine.sku")

    def check(self, model: Model) -> Iterator[Finding]:
        """Look at the systems of all switches."""
        tenants = model.fabric.tenants
        if tenants is None or tenants.is_local:
            return
        systems = sorted({sku.nos for sku in model.fabric.switches.skus})
        forms = {name: platforms[name].evpn_sessions for name in systems}
        if len({form for form in forms.values() if form}) > 1:
            words = ", ".join(f"{platforms[name].title}: {form}" for name, form in forms.items())
            yield self.finding(
                f"systems carry EVPN over sessions of different kinds ({words})",
                "use systems with the same kind on leaves and spines",
                place=model.place("platforms", "spine", "sku"),
            )
        leaves = model.fabric.switches.skus[: model.fabric.switches.leaf_count]
        needs = [sku for sku in leaves if platforms[sku.nos].own_vtep]
        if needs and tenants.tenancy.vteps is None:
            yield self.finding(
                f"{platforms[needs[0].nos].title} needs a loopback for tunnels, and there is no "
                "pool of them",
                "add tenancy.vteps, as long as addressing.loopbacks",
                place=model.place("tenancy"),
            )
        yield from self._pool(model)

    def _pool(self, model: Model) -> Iterator[Finding]:
        tenants, loopbacks = model.fabric.tenants, model.intent.fabric.addressing.loopbacks
        pool = tenants.tenancy.vteps if tenants else None
        if pool is None:
            return
        problem = ""
        if pool.num_addresses < loopbacks.num_addresses:
            problem = f"{pool} has fewer addresses than addressing.loopbacks, whose places it uses"
        elif pool.overlaps(loopbacks):
            problem = f"{pool} overlaps with addressing.loopbacks"
        if problem:
            fix = f"use another pool with a /{loopbacks.prefixlen}"
            yield self.finding(problem, fix, place=model.place("tenancy", "vteps"))


@rules.add("TEN016")
class TenantMembers(ModelRule):
    """Every tenant has a NIC."""

    severity = Severity.WARNING
    why = "It has no VRF anywhere; a job that names it finds no host."
    source = "netrisai/docs @ 7dde9d80 vpc (a VRF exists on a switch with a port of it alone)"
    guards = ("tenants.hosts", "tenants.nics")

    def check(self, model: Model) -> Iterator[Finding]:
        """Look for tenants without members."""
        tenants = model.fabric.tenants
        for row, item in enumerate(tenants.items if tenants else ()):
            if tenants and not (tenants.of_nic == row).any():
                yield self.finding(
                    f"{item.value.name} has no NIC",
                    "give it hosts or nics, or remove it",
                    place=_place(item, "name"),
                )


@rules.add("TEN017")
class Unassigned(ModelRule):
    """Every NIC has a tenant. In quarantine, where its port is shut down, it is an info."""

    severity = Severity.WARNING
    why = "A NIC in the default VRF reaches loopbacks, tunnel end points and management addresses."
    source = "CumulusNetworks/docs cumulus-linux-514, VRF; tests with FRR and Linux VRFs"
    guards = ("tenancy.unassigned",)

    def check(self, model: Model) -> Iterator[Finding]:
        """Count the NICs without a tenant."""
        tenants, nics = model.fabric.tenants, model.fabric.nics
        if tenants is None or not (tenants.of_nic == UNASSIGNED).any():
            return
        rows = np.flatnonzero(tenants.of_nic == UNASSIGNED)
        names = [model.fabric.hosts.names[host] for host in np.unique(nics.host[rows]).tolist()]
        count = np.unique(np.stack([nics.host[rows], nics.rail[rows]]), axis=1).shape[1]
        is_shut = tenants.tenancy.unassigned == "quarantine"
        yield self.finding(
            f"{counted(count, 'NIC')} of {hostlist.in_short(names)} {noun(count, 'is', 'are')} in "
            f"no tenant, and {'shut down' if is_shut else 'in the default VRF'}",
            f"give them to tenants{'' if is_shut else ', then set tenancy.unassigned: quarantine'}",
            severity=Severity.INFO if is_shut else None,
            place=model.place("tenancy", "unassigned"),
        )


@rules.add("TEN020")
class TenantPools(ModelRule):
    """Pools of tenants and of tunnel end points are usable, and apart from those of switches."""

    why = (
        "Hosts drop packets of reserved networks; an end point with the address of a link is lost."
    )
    source = "RFC 6890; RFC 4632 section 5 (longest match)"
    guards = ("tenants.pools", "tenancy.vteps")

    def check(self, model: Model) -> Iterator[Finding]:
        """Look at every pool of a tenant, and at that of the end points."""
        tenants, pools = model.fabric.tenants, named_pools(model.intent.fabric)
        if tenants is None:
            return
        links = ("loopbacks", "uplinks", "core_links")
        switches = {name: pool for name, pool in pools.items() if name in links}
        rows = [
            (pool, _place(item, "pools"), switches)
            for item in tenants.items
            for pool in item.value.pools
        ]
        if vteps := tenants.tenancy.vteps:
            others = {name: pool for name, pool in pools.items() if name != "loopbacks"}
            rows.append((vteps, model.place("tenancy", "vteps"), others))
        for pool, place, others in rows:
            if pool.is_multicast or pool.is_loopback or pool.is_link_local or pool.is_reserved:
                yield self.finding(
                    f"{pool} is reserved and cannot be used for hosts",
                    "use private address space",
                    place=place,
                )
            for name, other in others.items():
                if pool.overlaps(other):
                    yield self.finding(
                        f"{pool} overlaps addressing.{name} {other}",
                        "use separate pools",
                        place=place,
                    )


@rules.add("TEN019")
class ServiceOnOneLeaf(ModelRule):
    """A service that several tenants use has its NICs behind one leaf."""

    why = (
        "A leaf passes on to the next leaf of the service what it took of one tenant, and another "
        "tenant takes it there: both reach each other."
    )
    source = "FRRouting/frr 8.4.4 bgpd (routes of `import vrf` go into EVPN); tests/reallab/vm"
    guards = ("tenants.services", "tenants.shared")

    def check(self, model: Model) -> Iterator[Finding]:
        """Count the users of each service, and its leaves."""
        tenants, nics = model.fabric.tenants, model.fabric.nics
        if tenants is None or tenants.is_local:
            return
        for row, item in enumerate(tenants.items):
            users = [tenants.names[one] for one in tenants.partners(row)]
            leaves = np.unique(nics.leaf[(tenants.of_nic == row) & (nics.port != 0)])
            if item.value.shared and len(users) > 1 and len(leaves) > 1:
                yield self.finding(
                    f"service {item.value.name} has NICs behind {counted(len(leaves), 'leaf')}, "
                    f"and {', '.join(users)} use it: they would reach each other over it",
                    "use a service for each tenant, or NICs behind one leaf",
                    place=_place(item, "shared"),
                )


@rules.add("TEN018")
class TunnelCapacity(ModelRule):
    """The uplinks of a leaf carry the NICs of tenants with what the tunnel adds."""

    severity = Severity.INFO
    why = "A leaf without oversubscription is oversubscribed by the headers of the tunnel."
    source = "RFC 7348 section 5; InfiniBand Architecture Specification annex A17 (RoCEv2 headers)"
    guards = ("tenancy.form", "spines.links_per_leaf")

    #: Packet of RoCE at the largest path MTU of 4,096 bytes, with its IP and UDP headers, BTH and
    #: ICRC (annex A17: 20 + 8 + 12 + 4), and Ethernet header and FCS.
    packet_bytes = 4096 + 44 + 18

    def check(self, model: Model) -> Iterator[Finding]:
        """Compare uplinks and NICs of every leaf with both kinds of packets."""
        fabric, tenants = model.fabric, model.fabric.tenants
        if tenants is None or tenants.is_local:
            return
        leaves = fabric.switches.leaf_count
        mine = tenants.of_nic != UNASSIGNED
        down = np.bincount(fabric.nics.leaf[mine], fabric.nics.speed_gbps[mine], leaves)
        up = np.bincount(fabric.uplinks.lower, fabric.uplinks.speed_gbps, len(fabric.switches))
        grown = down * (1 + TUNNEL_BYTES / self.packet_bytes)
        short = np.flatnonzero((down <= up[:leaves]) & (grown > up[:leaves]))
        if len(short):
            leaf, percent = int(short[0]), 100 * TUNNEL_BYTES / self.packet_bytes
            more = counted(len(short) - 1, "more leaf", "more leaves")
            rest = f" (and on {more})" if len(short) > 1 else ""
            yield self.finding(
                f"NICs of tenants send {down[leaf]:,.0f} Gb/s, "
                f"{grown[leaf]:,.0f} Gb/s in tunnels ({percent:.1f} % more at an MTU of 4,096), "
                f"over uplinks of {up[leaf]:,.0f} Gb/s{rest}",
                "expect queues in the spines, or add an uplink",
                place=model.place("spines", "links_per_leaf"),
                device=fabric.switches.names[leaf],
            )
