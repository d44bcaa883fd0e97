"""Which NIC of the lab reaches which: by the cables, addresses, rules and routes of the hosts.

Assumed: a switch forwards between all of its ports in one VRF and, through any spine that is not in
``broken``, to those of all other leaves that its VRF has routes of (`fabric.lab.vrfs`), whatever
else its configuration says; a link that is not slowed runs at 99.5 percent of its ceiling; packets
whose DSCP is not of a priority with PFC at both ends are lost now and then, which costs a third of
the rate; flows into one NIC have equal shares of it.
"""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fabric.lab.spec import NicSpec
    from fabric.lab.vrfs import LabVrfs
    from fabric.systems.host.lab import HostStandIn

#: Bytes on the wire beside the payload of a RoCEv2 packet: 14 Ethernet, 20 IPv4 or 40 IPv6, 8 UDP,
#: 12 BTH, 4 ICRC, 4 FCS, 20 preamble and gap (InfiniBand Architecture Specification, annex A17;
#: IEEE 802.3).
_WIRE_BYTES, _WIRE_BYTES_IPV6 = 82, 102
_SHARE = 0.995
_LOSSY_SHARE = 0.66


@dataclass(frozen=True, slots=True)
class End:
    """A NIC and its host."""

    host: HostStandIn
    nic: NicSpec

    @property
    def leaf(self) -> str:
        """Name of the switch at the other end of its cable, or empty."""
        neighbours = (
            item for item in self.host.spec.neighbours if item.local_port == self.nic.interface
        )
        return next((item.system_name for item in neighbours), "")

    @property
    def place(self) -> tuple[str, str]:
        """Host and interface."""
        return self.host.spec.name, self.nic.interface


@dataclass(slots=True)
class LabPaths:
    """The paths between the hosts of a lab.

    Parameters
    ----------
    hosts : mapping
        Hosts by name.
    spines : set of str
        Switches between the leaves.
    vrfs : LabVrfs
        VRFs of the leaf ports.
    broken : set of str
        Switches that forward nothing.
    slow : dict
        Share of the rate that a NIC reaches, by (host, interface).
    """

    hosts: Mapping[str, HostStandIn]
    spines: frozenset[str]
    vrfs: LabVrfs
    broken: set[str] = field(default_factory=set)
    slow: dict[tuple[str, str], float] = field(default_factory=dict)

    def owner(self, address: str) -> End | None:
        """Return the NIC that has an address and is up."""
        for host in self.hosts.values():
            if end := local_end(host, address):
                return end
        return None

    def reach(self, source: End, address: str, target_address: str) -> End | None:
        """Return the NIC that answers, or None."""
        target = self.owner(target_address)
        if target is None or not self._cabled(source, target):
            return None
        there = routed(source.host, source.nic, address, target_address)
        back = routed(target.host, target.nic, target_address, address)
        return target if there and back else None

    def reaches_gateway(self, source: End, address: str, gateway: str) -> bool:
        """Tell whether the leaf of a NIC answers at an address of its port."""
        if source.leaf in self.broken or not self.vrfs.is_gateway(source.place, gateway):
            return False
        return routed(source.host, source.nic, address, gateway)

    def _cabled(self, source: End, target: End) -> bool:
        leaves = {source.leaf, target.leaf}
        if leaves & self.broken or "" in leaves:
            return False
        if len(leaves) > 1 and not self.spines - self.broken:
            return False
        return self.vrfs.joined(source.place, target.place)

    def gbps(
        self,
        source: End,
        target: End,
        mtu_bytes: int,
        *,
        lossless: bool,
        flows: int = 1,
        is_ipv6: bool = False,
    ) -> float:
        """Return what a pair of NICs reaches with large messages, beside others into the target."""
        speeds = [end.host.cards[end.nic.interface].speed_gbps for end in (source, target)]
        speed = min(speeds[0], speeds[1] / flows)
        share = min(
            self.slow.get((end.host.spec.name, end.nic.interface), 1.0) for end in (source, target)
        )
        overhead = _WIRE_BYTES_IPV6 if is_ipv6 else _WIRE_BYTES
        share *= _SHARE if lossless else _LOSSY_SHARE
        return speed * share * mtu_bytes / (mtu_bytes + overhead)


def local_end(host: HostStandIn, address: str) -> End | None:
    """Return the NIC of a host that has an address and is up."""
    for nic in host.spec.nics:
        addresses = host.network.state.links[nic.interface].addresses
        if any(text.partition("/")[0] == address for text in addresses):
            return End(host, nic) if host.link_up(nic.interface) else None
    return None


def routed(host: HostStandIn, nic: NicSpec, source: str, target: str) -> bool:
    """Return whether a packet from an address of a NIC leaves by that NIC."""
    return way_out(host, source, target) == nic.interface


def way_out(host: HostStandIn, source: str, target: str) -> str:
    """Return the interface by which a packet leaves, empty where it cannot.

    As the kernel looks: the tables of the rules for the source one after the other, then the main
    table; in a table the longest prefix, then the lowest metric; unreachable ends the search.
    """
    wanted, state = ipaddress.ip_address(target), host.network.state
    rules = sorted(state.rules, key=lambda rule: int(rule["priority"]))
    tables = [rule["table"] for rule in rules if _is_from(rule, source)]
    connected = [
        {"dst": str(ipaddress.ip_interface(text).network), "dev": link.name}
        for link in state.links.values()
        if link.up
        for text in link.addresses
    ]
    for table in [*tables, "main"]:
        rows = [row for row in state.routes if row.get("table", "main") == table]
        rows = [row for row in rows if row["family"] == str(wanted.version)]
        fitting = [
            (-network.prefixlen, int(row.get("metric", 0)), row)
            for row in (*rows, *(connected if table == "main" else ()))
            if wanted in (network := _network(row["dst"], wanted.version))
        ]
        if fitting:
            _, _, row = min(fitting, key=lambda item: item[:2])
            return "" if "type" in row else row["dev"]
    return ""


def _is_from(rule: dict[str, str], source: str) -> bool:
    """Tell whether a rule is for packets from an address."""
    if rule["src"] in (source, "all"):
        return True
    length = rule.get("srclen")
    return bool(length) and ipaddress.ip_address(source) in ipaddress.ip_network(
        f"{rule['src']}/{length}"
    )


def _network(destination: str, version: int) -> ipaddress.IPv4Network | ipaddress.IPv6Network:
    everything = {4: "0.0.0.0/0", 6: "::/0"}[version]
    return ipaddress.ip_network(everything if destination == "default" else destination)
