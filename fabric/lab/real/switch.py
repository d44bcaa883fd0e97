"""A switch: its ports, VLANs and addresses in a namespace, and FRR with the routing of its file.

A VLAN with access ports is a bridge of its own, so no kernel needs VLAN filtering. The routing is
printed from what the reader of the system took from the rendered file. On a switch with SONiC
bgpcfgd prints it from the same tables.
"""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from fabric.core.errors import LabError
from fabric.lab.real.keeper import batch
from fabric.lab.real.names import kernel_names
from fabric.lab.real.needs import FRR
from fabric.observe.configuration.frr import frr

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from fabric.design.model import DeviceDesign
    from fabric.lab.real.keeper import Keeper
    from fabric.observe.configuration import Configured, ConfiguredPort

#: A router that spreads flows by address and port (Linux ip-sysctl.rst), as switch ASICs do, and
#: whose ports keep their IPv6 addresses while they are off, and have them at once, as SONiC has it
#: (sonic-buildimage, files/image_config/sysctl/sysctl-net.conf).
SYSCTLS = (
    ("net.ipv4.ip_forward", "1"),
    ("net.ipv6.conf.all.forwarding", "1"),
    ("net.ipv4.conf.all.rp_filter", "0"),
    ("net.ipv4.conf.default.rp_filter", "0"),
    ("net.ipv4.fib_multipath_hash_policy", "1"),
    ("net.ipv6.fib_multipath_hash_policy", "1"),
    ("net.ipv6.conf.all.accept_dad", "0"),
    ("net.ipv6.conf.default.accept_dad", "0"),
    ("net.ipv6.conf.all.keep_addr_on_down", "1"),
    ("net.ipv6.conf.default.keep_addr_on_down", "1"),
)
#: zebra writes whole routes, as on a switch with SONiC (sonic-buildimage,
#: dockers/docker-fpm-frr/frr/zebra/zebra.conf.j2). With next hop objects FRR 8.4 leaves a group at
#: one path after a port went down and came back: it takes the group for installed.
_ZEBRA = "no zebra nexthop kernel enable\n"
#: zebra tells hosts the /64 of a port as soon as it may (FRRouting, zebra/rtadv.c).
_ROUTER = "no ipv6 nd suppress-ra"
_BRIDGE = "type bridge forward_delay 0 stp_state 0 mcast_snooping 0"


@dataclass(frozen=True, eq=False)
class Switch:
    """One switch of the lab.

    Parameters
    ----------
    configured : Configured
        What its rendered file says.
    cabled : tuple of str
        Its ports with a cable.
    namespace, folder :
        Where it runs, and where its sockets and logs are.
    """

    design: DeviceDesign
    configured: Configured
    cabled: tuple[str, ...]
    namespace: str
    folder: Path

    @property
    def kernel_name(self) -> Mapping[str, str]:
        """Name in the kernel of each port with a cable, and of each gateway."""
        gateways = [
            port.name for port in self.configured.ports.values() if port.gateway_vlan is not None
        ]
        return kernel_names((*self.cabled, *gateways))

    def lines(self) -> list[str]:
        """Return the lines of ``ip`` that make ports, VLANs and addresses."""
        names = self.kernel_name
        ports = self.configured.ports
        lines = [f"link set dev lo {_state(up=True)}"]
        for vlan in sorted(self.configured.vlans):
            lines += self._vlan(vlan)
        for name in self.cabled:
            port = ports.get(name)
            lines.append(f"link set dev {names[name]} {_state(up=bool(port and port.enabled))}")
            lines += _addresses(port, names[name]) if port else ()
        for port in ports.values():
            if port.name.lower().startswith("lo"):
                lines += _addresses(port, "lo")
        return lines

    def _vlan(self, vlan: int) -> Iterator[str]:
        names, ports = self.kernel_name, self.configured.ports
        members = [names[name] for name in self.cabled if _vlan_of(ports.get(name)) == vlan]
        gateway = next((port for port in ports.values() if port.gateway_vlan == vlan), None)
        bridge = names[gateway.name] if gateway else f"vlan{vlan}"
        mtu_bytes = [one.mtu_bytes for one in self.design.vlans if one.vlan == vlan]
        mac = f"address {self.design.mac} " if self.design.mac else ""
        yield f"link add name {bridge} {mac}{_BRIDGE}"
        for name in members:
            yield f"link set dev {name} master {bridge}"
        if mtu_bytes:
            yield f"link set dev {bridge} mtu {mtu_bytes[0]}"
        yield f"link set dev {bridge} {_state(up=gateway is None or gateway.enabled)}"
        yield from _addresses(gateway, bridge) if gateway else ()

    def routing(self) -> str:
        """Return the text that FRR is given; ports have their names in the kernel."""
        switch, names = deepcopy(self.configured), self.kernel_name
        if switch.bgp:
            peers = switch.bgp.peers
            switch.bgp.peers = {}
            for session, peer in peers.items():
                peer.session = names.get(session, session)
                switch.bgp.peers[peer.session] = peer
        switch.static_routes = [
            route._replace(next_hop=names.get(route.next_hop, route.next_hop))
            if isinstance(route.next_hop, str)
            else route
            for route in switch.static_routes
        ]
        routers = [
            f"interface {names[port.name]}\n {_ROUTER}\n!\n"
            for port in self.design.ports
            if port.announces_router and port.name in names
        ]
        routing = frr(replace(switch, name=self.design.name), for_daemons=True)
        return "".join([_ZEBRA, *routers, routing])

    @property
    def daemons(self) -> tuple[str, ...]:
        """Daemons of FRR that its routing needs."""
        peers = self.configured.bgp.peers.values() if self.configured.bgp else ()
        bfd = ("bfdd",) if any(peer.bfd for peer in peers) else ()
        static = ("staticd",) if self.configured.static_routes else ()
        return ("zebra", *static, *bfd, "bgpd")

    def up(self, keeper: Keeper) -> None:
        """Make ports and addresses, start FRR and give it the routing.

        Raises
        ------
        LabError
            When the kernel or FRR does not take a line.
        """
        settings = "".join(f"{name} = {value}\n" for name, value in SYSCTLS)
        (self.folder / "router.conf").write_text(settings, encoding="utf-8")
        keeper.run(self.namespace, ["sysctl", "-e", "-q", "-p", str(self.folder / "router.conf")])
        batch(self.lines(), self.namespace)
        text = self.folder / "frr.conf"
        text.write_text(self.routing(), encoding="utf-8")
        script = "\n".join(["set -e", *(self._start(name) for name in self.daemons)])
        for argv in (["sh", "-c", script], self.vtysh("-f", str(text))):
            done = keeper.run(self.namespace, argv)
            said = done.out + done.err
            if done.code or "% " in said or "line " in said:
                raise LabError(self.design.name, f"FRR: {' '.join(said.split())}")

    def _start(self, daemon: str) -> str:
        own = self.folder / daemon
        common = (
            f"-d -A 127.0.0.1 --vty_socket {self.folder} -z {self.folder}/zserv.api -i {own}.pid"
        )
        bfd = f" --bfdctl {self.folder}/bfdd.sock" if daemon == "bfdd" else ""
        return f"{FRR / daemon} {common} --log file:{own}.log{bfd}"

    def vtysh(self, *words: str) -> list[str]:
        """Return the words that run the shell of FRR of this switch."""
        return ["vtysh", "--vty_socket", str(self.folder), *words]


def _vlan_of(port: ConfiguredPort | None) -> int | None:
    return port.vlan if port else None


def _state(*, up: bool) -> str:
    return "up" if up else "down"


def _addresses(port: ConfiguredPort, name: str) -> Iterator[str]:
    for entry in port.addresses:
        yield f"address add {entry.text} dev {name}"
