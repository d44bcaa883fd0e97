"""What the Junos stand-in shows.

Known: the layouts of ``show lldp neighbors``, ``show bgp summary``, ``show arp no-resolve``, ``show
vlans``, ``show ethernet-switching table`` and ``show version`` (networktocode/ntc-templates @
d0bc5a48 tests/juniper_junos), the elements of ``show interfaces extensive`` (Juniper-SE/
Apstra_IBA_Probes @ 555d71a6 release_4.2.1/Interface_Flap/README.md).
The elements of optics and of the
environment are those of napalm/junos/utils/junos_views.yml.
Assumed: sessions that are not up are ``Active``; LLDP tells of a port as soon as it has link; no
neighbour and no MAC address has been learnt; a peer that is found by neighbour discovery shows as
``fe80::1%et-0/0/1.0``, as in public captures, whether or not it has answered; a table without
routes, or of no VRF, is not shown.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from ipaddress import ip_address, ip_interface
from typing import TYPE_CHECKING
from xml.sax.saxutils import escape

from fabric.lab.pages import pages
from fabric.lab.standin import Cabled

if TYPE_CHECKING:
    from collections.abc import Callable

    from fabric.lab.spec import StandInSpec
    from fabric.systems.junos.platforms.text import Words

_DEFAULT_MTU_BYTES = 1514
_DEFAULT_RELEASE = "23.4X100-D31.6-EVO"
_TABLE = re.compile(r"show route table (\S+)\.inet\.0")
page = pages(__file__, escaped=escape)


@dataclass
class PortCounters:
    """Bytes of a port, pause frames by priority, packets and drops of queues, codewords of FEC."""

    bytes_received: int = 0
    bytes_sent: int = 0
    pfc_received: list[int] = field(default_factory=lambda: [0] * 8)
    pfc_sent: list[int] = field(default_factory=lambda: [0] * 8)
    queue_packets: list[int] = field(default_factory=lambda: [0] * 8)
    queue_drops: list[int] = field(default_factory=lambda: [0] * 8)
    carrier_transitions: int = 0
    fec_corrected: int = 0
    fec_uncorrected: int = 0


class View(Cabled):
    """The state of one switch.

    Parameters
    ----------
    spec : StandInSpec
        Who it is; option ``ports`` names the ports, separated by commas.
    """

    def __init__(self, spec: StandInSpec) -> None:
        super().__init__(spec)
        self.peer_up = lambda _peer: False
        self.counters: dict[str, PortCounters] = {}
        self.ports = [name for name in self.spec.options.get("ports", "").split(",") if name]

    def text(self, command: str, config: list[Words], hostname: str) -> str | None:
        """Return the output of a command, or None where there is no such command."""
        release = self.spec.options.get("release", _DEFAULT_RELEASE)
        shows: dict[str, Callable[[], str]] = {
            "show version": lambda: page(
                "version", hostname=hostname, spec=self.spec, release=release
            ),
            "show bgp summary": lambda: self.bgp(config),
            "show lldp neighbors": lambda: self.lldp(config),
            "show arp no-resolve": lambda: page("arp"),
            "show vlans": lambda: vlans(config),
            "show ethernet-switching table": lambda: page("macs"),
        }
        show = shows.get(command)
        return None if show is None else show()

    def bgp(self, config: list[Words]) -> str:
        """Return ``show bgp summary``."""
        peers = [
            (words[5], words[7])
            for words in config
            if words[:3] == ("protocols", "bgp", "group") and words[6:7] == ("peer-as",)
        ]
        up = [peer for peer, _ in peers if self._linked(config, peer) and self.peer_up(peer)]
        for number, port in enumerate(discovering(config), 1):
            address = f"fe80::{number:x}%{port}.0"
            peers.append((address, str(self.asn_there(port))))
            up += [address] if self._up(config, port) and self.peer_up(port) else []
        return page("bgp", peers=peers, up=up)

    def _up(self, config: list[Words], port: str) -> bool:
        """Tell whether a port is enabled and its cable has light."""
        enabled = ("interfaces", port, "disable") not in config
        return enabled and port in self.neighbours and self.lit(port)

    def _linked(self, config: list[Words], peer: str) -> bool:
        """Tell whether the port in whose network a peer is, where there is one, is up."""
        return all(
            self._up(config, words[1])
            for words in config
            if words[0] == "interfaces"
            and words[1].startswith("et-")
            and words[4:7] == ("family", "inet", "address")
            and ip_address(peer) in ip_interface(words[7]).network
        )

    def lldp(self, config: list[Words]) -> str:
        """Return ``show lldp neighbors``."""
        heard = {words[3] for words in config if words[:3] == ("protocols", "lldp", "interface")}
        rows = [
            (port, item)
            for port, seen in self.neighbours.items()
            if self._up(config, port) and heard & {"all", port}
            for item in seen
        ]
        return page("lldp", heard=rows)

    def xml(self, command: str, config: list[Words]) -> str | None:
        """Return the XML of a command, or None where there is none of it."""
        shows: dict[str, Callable[[], str]] = {
            "show interfaces extensive": lambda: self.interfaces(config),
            "show interfaces diagnostics optics": lambda: page(
                "optics", ports=[name for name in self.ports if self._up(config, name)]
            ),
            "show chassis environment": lambda: page("environment"),
        }
        if table := _TABLE.fullmatch(command):
            return page("routes", table=f"{table[1]}.inet.0", routes=sorted(self.routes(table[1])))
        show = shows.get(command)
        return None if show is None else show()

    def interfaces(self, config: list[Words]) -> str:
        """Return the XML of ``show interfaces extensive``."""
        values: dict[str, dict[str, str]] = {}
        for words in config:
            if words[0] == "interfaces" and words[1].startswith("et-"):
                values.setdefault(words[1], {})[words[2]] = words[-1]
        ports = dict.fromkeys([*self.ports, *values])
        return page(
            "interfaces",
            ports=[
                {
                    "name": name,
                    "enabled": "disable" not in own,
                    "up": self._up(config, name),
                    "description": own.get("description", ""),
                    "mtu": own.get("mtu", _DEFAULT_MTU_BYTES),
                    "speed": own.get("speed", "").replace("g", "Gbps") or "Auto",
                    "count": self.counters.get(name, PortCounters()),
                }
                for name, own in ((name, values.get(name, {})) for name in ports)
            ],
        )


def discovering(config: list[Words]) -> list[str]:
    """Return the ports over which a peer is found by neighbour discovery."""
    asked = {
        words[-1]
        for words in config
        if words[:3] == ("protocols", "bgp", "group") and words[-2] == "interface"
    }
    return [
        words[3].removesuffix(".0")
        for words in config
        if words[:3] == ("protocols", "router-advertisement", "interface")
        and words[3] in asked
        and ("interfaces", words[3].removesuffix(".0"), "unit", "0", "family", "inet6") in config
    ]


def vlans(config: list[Words]) -> str:
    """Return ``show vlans``."""
    members = [
        (words[-1], f"{words[1]}.{words[3]}")
        for words in config
        if words[0] == "interfaces" and words[-3:-1] == ("vlan", "members")
    ]
    rows = [
        (words[1], words[3], [port for name, port in members if name == words[1]])
        for words in config
        if words[0] == "vlans" and words[2] == "vlan-id"
    ]
    return page("vlans", vlans=rows)
