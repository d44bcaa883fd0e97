"""From the realised network to the design of a switch."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from ipaddress import IPv6Address
from typing import TYPE_CHECKING, Any, Literal

from fabric.core.units import ipv4_text
from fabric.design.model import BgpDesign, BgpNeighbour, DeviceDesign, HostPool, NeighbourTable
from fabric.design.overlay import overlay
from fabric.design.port_model import HeadroomProfile, PortDesign, VlanDesign
from fabric.design.ports import HeadroomKind, PortParts
from fabric.design.qos import lossless_frame_bytes, qos_profile
from fabric.design.tenancy import TenancyDesigner, tunnel_bytes
from fabric.platforms import platforms
from fabric.topology.addressing import slots_per_subnet_group
from fabric.topology.layout import equal_paths
from fabric.topology.model import other_end
from fabric.topology.naming import nic_names
from fabric.topology.pause_response import PauseResponses
from fabric.topology.peering import numbered_links
from fabric.topology.routed import BITS, host_pools, summary_length

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from fabric.design.qos_model import QosProfile
    from fabric.intent.device_model import PortOverride
    from fabric.intent.policy import LosslessPolicy
    from fabric.intent.resolve import PolicyResolver
    from fabric.platforms.model import Sku
    from fabric.topology.model import Bools, Fabric, Ints
    from fabric.topology.pause_response import PauseResponse

#: A reachable neighbour entry lives 0.5 to 1.5 times base_reachable_time (Linux ip-sysctl.rst).
REACHABLE_FACTOR = 1.5


@dataclass(frozen=True, slots=True)
class _Cable:
    """What the design knows of the cable in one port."""

    kind: str
    row: int
    speed_gbps: int
    cable_m: int
    enabled: bool
    description: str
    peer: str
    peer_port: str
    vlan: int | None = None
    address: str = ""
    ipv6: str = ""
    vrf: str = ""
    quarantined: bool = False
    response: PauseResponse | None = None


class SwitchDesigner:
    """Designs the switches of one fabric.

    Parameters
    ----------
    fabric : Fabric
        The realised network.
    resolver : PolicyResolver
        Policy by device and port.
    """

    def __init__(self, fabric: Fabric, resolver: PolicyResolver) -> None:
        self._fabric = fabric
        self._resolver = resolver
        self._parts = PortParts(fabric.intent.fabric)
        self._responses = PauseResponses(fabric)

    def __reduce__(self) -> tuple[type[SwitchDesigner], tuple[Fabric, PolicyResolver]]:
        return SwitchDesigner, (self._fabric, self._resolver)

    def design(self, row: int) -> DeviceDesign:
        """Return the design of the switch in a row of ``fabric.switches``."""
        fabric, switches = self._fabric, self._fabric.switches
        name, file = switches.names[row], fabric.intent.fabric
        qos = _Profiles(self._resolver.switch(name, switches.role(row)))
        ports = self._parts.with_pause_buffers(self._ports(row, qos), switches.skus[row])
        override = _merged_device(fabric, name)
        return DeviceDesign(
            name=name,
            role=switches.role(row),
            platform=switches.skus[row].nos,
            sku=switches.skus[row],
            mac=override.get("mac", ""),
            serial=override.get("serial", ""),
            buffer_model=self._hardware(row, "buffer_model") or "traditional",
            headroom_over_subscription=self._hardware(row, "headroom_over_subscription"),
            scope=self._scope(row),
            loopback=ipv4_text(int(switches.loopback[row])),
            bgp=self._bgp(row, ports),
            ecmp_mode=file.ecmp.mode,
            hash_queue_pairs=file.ecmp.hash_queue_pairs,
            ports=ports,
            vlans=self._vlans(row, qos.base),
            qos_profiles=tuple(qos.profiles),
            headroom_profiles=_used_headroom(ports),
            neighbours=self._neighbours(row),
            server_vrf=platforms[switches.skus[row].nos].server_vrf(file.management.vrf or ""),
            ntp_servers=tuple(str(server) for server in file.management.ntp_servers),
            syslog_servers=tuple(str(server) for server in file.management.syslog_servers),
            vrfs=self._tenancy.vrfs(row),
            evpn=self._tenancy.evpn(row, ports),
            routes_nics=self._routes_nics(row),
            has_tenants=fabric.tenants is not None,
            pause_response=self._responses.of_switch(row),
        )

    def _routes_nics(self, row: int) -> bool:
        """Tell whether a NIC of a leaf has a routed port, or would have one."""
        fabric = self._fabric
        if row >= fabric.switches.leaf_count:
            return False
        return bool((fabric.subnets.vlan[fabric.nics.subnet[fabric.nics_of_leaf(row)]] == 0).any())

    def _ports(self, row: int, qos: _Profiles) -> tuple[PortDesign, ...]:
        fabric = self._fabric
        model = fabric.switches.skus[row]
        cables = self._cables(row)
        changes = _port_overrides(fabric, fabric.switches.names[row])
        numbers = range(1, model.port_count + 1)
        policies = {number: self._policy(row, number, changes, qos) for number in numbers}
        pattern_bytes = self._pattern_bytes(row, [policies[number] for number in cables])
        dynamic = self._hardware(row, "buffer_model") == "dynamic"
        kind = HeadroomKind(model, dynamic, pattern_bytes, _longest_m(model, cables, policies))
        if kind.computes:
            kind = replace(kind, shares=bool(self._hardware(row, "headroom_over_subscription")))
        headrooms: dict[tuple[object, ...], HeadroomProfile] = {}
        ports = []
        for number in numbers:
            cable, policy = cables.get(number), policies[number]
            if cable is None:
                ports.append(self._parts.unused(model, number, policy.mtu.port_bytes))
                continue
            front = self._parts.front(model, number, cable.speed_gbps)
            change = changes.get(front.name)
            tunnel = 0 if cable.kind == "host" else tunnel_bytes(fabric)
            link = (cable.speed_gbps, len(front.lanes), cable.cable_m)
            like = (id(policy), *link, tunnel, cable.response)
            if policy.pfc and like not in headrooms:
                headrooms[like] = self._parts.headroom(
                    kind, policy, front, cable.cable_m, tunnel, cable.response
                )
            ports.append(
                PortDesign(
                    name=front.name,
                    number=number,
                    alias=front.alias,
                    lanes=front.lanes,
                    cage=front.cage,
                    place=front.place,
                    kind="host" if cable.kind == "host" else "uplink",
                    enabled=cable.enabled,
                    speed_gbps=cable.speed_gbps,
                    speed_mbps=front.speed_mbps,
                    speed_token=front.speed_token,
                    mtu_bytes=policy.mtu.port_bytes,
                    fec=(change and change.fec) or front.fec,
                    description=_words(
                        (change.description if change else None) or cable.description
                    ),
                    cable_m=cable.cable_m,
                    peer=cable.peer,
                    peer_port=cable.peer_port,
                    vlan=cable.vlan,
                    address=cable.address,
                    ipv6=cable.ipv6,
                    qos=qos.of(policy),
                    headroom=headrooms.get(like),
                    vrf=cable.vrf,
                    quarantined=cable.quarantined,
                )
            )
        return tuple(ports)

    def _policy(
        self, row: int, number: int, changes: Mapping[str, PortOverride], qos: _Profiles
    ) -> LosslessPolicy:
        """Return the policy of a port: that of the switch, or its own."""
        if not changes:
            return qos.base
        switches = self._fabric.switches
        port = switches.skus[row].port(number)
        change = changes.get(port)
        if change is None or not change.lossless:
            return qos.base
        return self._resolver.switch(switches.names[row], switches.role(row), port)

    def _pattern_bytes(self, row: int, policies: list[LosslessPolicy]) -> int:
        """Return the frame that a switch computes all its headroom with; 0 where it does not."""
        if self._hardware(row, "buffer_model") != "dynamic":
            return 0
        tunnel = tunnel_bytes(self._fabric)
        frames = (lossless_frame_bytes(one.mtu, tunnel) for one in policies if one.pfc)
        return max(frames, default=0)

    def _scope(self, row: int) -> Literal["whole", "merge"]:
        platform = self._fabric.intent.fabric.platforms.of(self._fabric.switches.role(row))
        return platform.scope if platform else "whole"

    def _hardware(self, row: int, field: str) -> Any:
        """Return a field of the platform of a switch, or what an override says in its place."""
        switches, intent = self._fabric.switches, self._fabric.intent
        platform = intent.fabric.platforms.of(switches.role(row))
        value = getattr(platform, field) if platform else None
        for override in intent.device_overrides.get(switches.names[row], []):
            own = getattr(override.value, field)
            value = value if own is None else own
        return value

    def _cables(self, row: int) -> dict[int, _Cable]:
        fabric = self._fabric
        cables = self._uplink_cables(row)
        if row < fabric.switches.leaf_count:
            cables.update(self._host_cables(row))
        return cables

    def _host_cables(self, row: int) -> dict[int, _Cable]:
        fabric, nics = self._fabric, self._fabric.nics
        rows = fabric.nics_of_leaf(row)
        columns = (nics.port, nics.host, nics.speed_gbps, nics.cable_m, nics.subnet)
        cables = {}
        for nic, port, host, speed, cable, subnet, enabled in zip(
            rows.tolist(),
            *(column[rows].tolist() for column in columns),
            nics.enabled[rows].tolist(),
            strict=True,
        ):
            name = fabric.hosts.names[host]
            interface = nic_names(fabric, name)[nic % fabric.nics_per_host].interface
            cables[port] = _Cable(
                kind="host",
                row=nic,
                speed_gbps=speed,
                cable_m=cable,
                enabled=enabled,
                description=f"{name} {interface}",
                peer=name,
                peer_port=interface,
                response=self._responses.of_host(host),
                **self._attachment(nic, subnet),
            )
        return cables

    def _attachment(self, nic: int, subnet: int) -> dict[str, Any]:
        """Return how a NIC is attached: by its VLAN, by addresses and VRF, or not at all."""
        if self._tenancy.is_quarantined(nic):
            return {"quarantined": True}
        if vlan := int(self._fabric.subnets.vlan[subnet]):
            return {"vlan": vlan}
        return {"vrf": self._tenancy.vrf_of_subnet(subnet), **self._gateways(subnet)}

    def _gateways(self, subnet: int) -> dict[str, str]:
        """Return the addresses of a leaf in the subnets of a NIC, with their length."""
        table, texts = self._fabric.subnets, {}
        if self._fabric.intent.fabric.addressing.ipv4:
            length = int(table.prefix_length[subnet])
            texts["address"] = f"{ipv4_text(int(table.gateway[subnet]))}/{length}"
        if table.ipv6:
            texts["ipv6"] = f"{table.ipv6.gateway(subnet)}/{table.ipv6.prefix_length}"
        return texts

    def _uplink_cables(self, row: int) -> dict[int, _Cable]:
        fabric, up = self._fabric, self._fabric.uplinks
        ends = (
            (fabric.downlinks_of(row), up.upper_port, up.lower, up.lower_port, up.upper_address),
            (fabric.uplinks_of(row), up.lower_port, up.upper, up.upper_port, up.lower_address),
        )
        cables: dict[int, _Cable] = {}
        for rows, *columns in ends:
            cables.update(self._trunks(rows, *columns))
        return cables

    def _trunks(
        self, rows: Ints, near: Ints, far: Ints, far_port: Ints, address: Ints
    ) -> Iterator[tuple[int, _Cable]]:
        """Yield port and cable of some uplinks, as seen from one of their ends."""
        fabric, up = self._fabric, self._fabric.uplinks
        columns = (
            *(near, far, far_port, address, up.prefix_length),
            *(up.speed_gbps, up.cable_m, up.enabled, self._numbered),
        )
        for link, port, peer, peer_port, ip, length, speed, cable, enabled, numbered in zip(
            rows.tolist(), *(column[rows].tolist() for column in columns), strict=True
        ):
            name = fabric.switches.names[peer]
            far_name = fabric.switches.skus[peer].port(peer_port)
            links6 = fabric.links6 if numbered else None
            above = bool(up.lower[link] == peer)
            yield (
                port,
                _Cable(
                    kind="uplink",
                    row=link,
                    speed_gbps=speed,
                    cable_m=cable,
                    enabled=enabled,
                    description=f"{name} {far_name}",
                    peer=name,
                    peer_port=far_name,
                    response=self._responses.of_switch(peer),
                    address=f"{ipv4_text(ip)}/{length}" if numbered else "",
                    ipv6=str(links6.interface(link, above=above)) if links6 else "",
                ),
            )

    def _vlans(self, row: int, policy: LosslessPolicy) -> tuple[VlanDesign, ...]:
        fabric, table = self._fabric, self._fabric.subnets
        if row >= fabric.switches.leaf_count:
            return ()
        nics = fabric.nics_of_leaf(row)
        used = {
            int(fabric.nics.subnet[nic]) for nic in nics if not self._tenancy.is_quarantined(nic)
        }
        per_nic = fabric.intent.fabric.addressing.vlan_per == "nic"
        vlans = {}
        for subnet in fabric.subnets_of_leaf(row).tolist():
            if (per_nic and subnet not in used) or not table.vlan[subnet]:
                continue
            vlan, rail = int(table.vlan[subnet]), int(table.rail[subnet])
            vlans[vlan] = VlanDesign(
                vlan=vlan,
                name=f"NIC{vlan}" if per_nic else f"RAIL{rail}",
                rail=rail,
                network=table.text(subnet),
                gateway=ipv4_text(int(table.gateway[subnet])),
                prefix_length=int(table.prefix_length[subnet]),
                mtu_bytes=policy.mtu.port_bytes,
                vrf=self._tenancy.vrf_of_subnet(subnet),
            )
        return tuple(vlans.values())

    def _bgp(self, row: int, ports: tuple[PortDesign, ...]) -> BgpDesign:
        fabric, switches = self._fabric, self._fabric.switches
        file, role = fabric.intent.fabric, switches.role(row)
        neighbours = tuple(
            BgpNeighbour(
                address=_other_end(address) if address else "",
                local_address=address.partition("/")[0],
                asn=int(switches.asn[fabric.switch_row[port.peer]]),
                name=port.peer,
                role=switches.role(fabric.switch_row[port.peer]),
                port=port.name,
                peer_port=port.peer_port,
            )
            for port in ports
            if port.kind == "uplink" and port.enabled
            for address in _ends(port)
        )
        return BgpDesign(
            asn=int(switches.asn[row]),
            router_id=ipv4_text(int(switches.loopback[row])),
            allowas_in=file.bgp.allowas_in if role == "leaf" else 0,
            tells_peer_as=file.bgp.allowas_in > 0 and role == "spine",
            keepalive_s=file.bgp.keepalive_s,
            hold_s=file.bgp.hold_s,
            max_paths=file.bgp.max_paths,
            equal_paths=int(self._equal_paths[row]),
            bfd=file.bgp.bfd,
            neighbours=neighbours,
            loopback_pool=str(file.addressing.loopbacks),
            host_pools=self._host_pools,
            host_pools6=self._host_pools6,
        )

    @cached_property
    def _tenancy(self) -> TenancyDesigner:
        return TenancyDesigner(self._fabric, self._host_pools)

    @cached_property
    def _numbered(self) -> Bools:
        return numbered_links(self._fabric)

    @cached_property
    def _equal_paths(self) -> Ints:
        return equal_paths(self._fabric)

    @cached_property
    def _host_pools(self) -> tuple[HostPool, ...]:
        table, intent = self._fabric.subnets, self._fabric.intent
        file, pools = intent.fabric, []
        for pool in host_pools(file).values():
            own = (table.network >= int(pool[0])) & (table.network <= int(pool[-1]))
            summary = summary_length(file, pool, slots_per_subnet_group(intent))
            shortest = summary or int(table.prefix_length[own].min(initial=BITS))
            pools.append(HostPool(str(pool), shortest, summary))
        return tuple(pools)

    @cached_property
    def _host_pools6(self) -> tuple[HostPool, ...]:
        addressing, table = self._fabric.intent.fabric.addressing, self._fabric.subnets.ipv6
        if table is None or addressing.ipv6 is None:
            return ()
        summary = table.summary_length if addressing.advertise == "leaf" else None
        return (HostPool(str(addressing.ipv6.hosts), summary or table.prefix_length, summary),)

    def _neighbours(self, row: int) -> NeighbourTable:
        arp = self._fabric.intent.fabric.arp
        platform = platforms[self._fabric.switches.skus[row].nos]
        return NeighbourTable(
            arp_timeout_s=arp.timeout_s,
            refresh_s=platform.neighbour_refresh.longest_s(arp.timeout_s),
            mac_ageing_s=platform.fixed_mac_ageing_s
            or arp.mac_ageing_s
            or platform.default_mac_ageing_s,
            base_reachable_time_ms=int(arp.timeout_s * 1000 / REACHABLE_FACTOR),
            capacity=arp.neighbour_capacity,
            gc_thresholds=(
                arp.neighbour_capacity // 4,
                arp.neighbour_capacity // 2,
                arp.neighbour_capacity,
            ),
        )


class _Profiles:
    """The distinct policies of one device, numbered in the order in which ports ask for them."""

    def __init__(self, base: LosslessPolicy) -> None:
        self.base = base
        self.profiles = [qos_profile(base, 0)]
        self._known = {base.model_dump_json(): self.profiles[0]}

    def of(self, policy: LosslessPolicy) -> QosProfile:
        if policy is self.base:
            return self.profiles[0]
        key = policy.model_dump_json()
        if key not in self._known:
            self._known[key] = qos_profile(policy, len(self.profiles))
            self.profiles.append(self._known[key])
        return self._known[key]


def _port_overrides(fabric: Fabric, name: str) -> dict[str, PortOverride]:
    """Return what is said of each port; of two words on one field, the later counts."""
    overrides: dict[str, PortOverride] = {}
    for override in fabric.intent.device_overrides.get(name, []):
        for port, change in override.value.ports.items():
            overrides[port] = overlay(overrides.get(port), change)
    return overrides


def _merged_device(fabric: Fabric, name: str) -> dict[str, str]:
    merged: dict[str, str] = {}
    for override in fabric.intent.device_overrides.get(name, []):
        for key in ("mac", "serial"):
            value = getattr(override.value, key)
            if value is not None:
                merged[key] = value
    return merged


def _ends(port: PortDesign) -> tuple[str, ...]:
    """Return the addresses of a port that sessions begin at; an empty one where it has none."""
    return tuple(filter(None, (port.address, port.ipv6))) or ("",)


def _other_end(address: str) -> str:
    ip, _, length = address.partition("/")
    if ":" in ip:
        return str(IPv6Address(int(IPv6Address(ip)) ^ 1))
    head, _, last = ip.rpartition(".")
    return f"{head}.{other_end(int(last), int(length))}"


def _used_headroom(ports: tuple[PortDesign, ...]) -> tuple[HeadroomProfile, ...]:
    used = {
        (port.speed_gbps, port.cable_m, port.headroom.dynamic_th): port.headroom
        for port in ports
        if port.headroom
    }
    return tuple(used[key] for key in sorted(used))


def _longest_m(
    model: Sku, cables: Mapping[int, _Cable], policies: Mapping[int, LosslessPolicy]
) -> int:
    """Return the longest lossless cable of a switch that has one setting for all; else 0."""
    lossless = (cable.cable_m for number, cable in cables.items() if policies[number].pfc)
    return max(lossless, default=0) if platforms[model.nos].one_cable_length else 0


def _words(text: str) -> str:
    """Return a description as every system keeps it: with single spaces between its words."""
    return " ".join(text.split())
