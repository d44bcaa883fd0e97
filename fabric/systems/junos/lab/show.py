"""What the Junos stand-in shows.

Known: the layouts of ``show lldp neighbors``, ``show bgp summary``, ``show arp no-resolve``, ``show
vlans``, ``show ethernet-switching table`` and ``show version`` (networktocode/ntc-templates @
d0bc5a48 tests/juniper_junos), the elements of ``show interfaces extensive`` (Juniper-SE/
Apstra_IBA_Probes @ 555d71a6 release_4.2.1/Interface_Flap/README.md).
Assumed: sessions that are not up are ``Active``; LLDP tells of a port as soon as it has link; no
neighbour and no MAC address has been learnt.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from ipaddress import ip_address, ip_interface
from typing import TYPE_CHECKING
from xml.sax.saxutils import escape

from fabric.lab.standin import Cabled

if TYPE_CHECKING:
    from collections.abc import Callable

    from fabric.lab.spec import StandInSpec
    from fabric.systems.junos.platforms.text import Words

_PRIORITIES = range(8)
_DEFAULT_MTU_BYTES = 1514
_DEFAULT_RELEASE = "23.4X100-D31.6-EVO"
_LLDP_ROW = "{:<19}{:<20}{:<20}{:<19}{}"


@dataclass
class PortCounters:
    """Pause frames of a port by priority, packets and drops of its queues."""

    pfc_received: list[int] = field(default_factory=lambda: [0] * 8)
    pfc_sent: list[int] = field(default_factory=lambda: [0] * 8)
    queue_packets: list[int] = field(default_factory=lambda: [0] * 8)
    queue_drops: list[int] = field(default_factory=lambda: [0] * 8)


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
        shows: dict[str, Callable[[], str]] = {
            "show version": lambda: self.version(hostname),
            "show bgp summary": lambda: self.bgp(config),
            "show lldp neighbors": lambda: self.lldp(config),
            "show arp no-resolve": _no_arp,
            "show vlans": lambda: vlans(config),
            "show ethernet-switching table": _no_macs,
        }
        show = shows.get(command)
        return None if show is None else show()

    def version(self, hostname: str) -> str:
        """Return ``show version``."""
        model = self.spec.model.lower()
        release = self.spec.options.get("release", _DEFAULT_RELEASE)
        return f"Hostname: {hostname}\nModel: {model}\nJunos: {release}\nYocto: 3.0.2\n"

    def bgp(self, config: list[Words]) -> str:
        """Return ``show bgp summary``."""
        peers = [
            (words[5], words[7])
            for words in config
            if words[:3] == ("protocols", "bgp", "group") and words[6:7] == ("peer-as",)
        ]
        if not peers:
            return "BGP is not running\n"
        up = {
            address: self._linked(config, address) and self.peer_up(address) for address, _ in peers
        }
        down = list(up.values()).count(False)
        rows = [
            "Threading mode: BGP I/O",
            f"Groups: 1 Peers: {len(peers)} Down peers: {down}",
            (
                "Peer                     AS      InPkt     OutPkt    OutQ   Flaps Last Up/Dwn "
                "State|#Active/Received/Accepted/Damped..."
            ),
        ]
        for address, asn in peers:
            state = "Establ" if up[address] else "Active"
            rows.append(
                f"{address:<19} {asn:>10}         10         10       0       0          42 {state}"
            )
            if up[address]:
                rows.append("  inet.0: 0/0/0/0")
        return "\n".join([*rows, ""])

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
            _LLDP_ROW.format(
                "Local Interface", "Parent Interface", "Chassis Id", "Port info", "System Name"
            )
        ]
        for port, found in self.neighbours.items():
            if not self._up(config, port) or not heard & {"all", port}:
                continue
            for item in found:
                mac = item.chassis_mac or "00:00:00:00:00:00"
                rows.append(
                    _LLDP_ROW.format(port, "-", mac, item.port_id, item.system_name).rstrip()
                )
        return "\n".join([*rows, ""])

    def interfaces(self, config: list[Words]) -> str:
        """Return the XML of ``show interfaces extensive``."""
        values: dict[str, dict[str, str]] = {}
        for words in config:
            if words[0] == "interfaces" and words[1].startswith("et-"):
                values.setdefault(words[1], {})[words[2]] = words[-1]
        ports = dict.fromkeys([*self.ports, *values])
        inner = "".join(
            self._port(name, values.get(name, {}), up=self._up(config, name)) for name in ports
        )
        space = 'xmlns="http://xml.juniper.net/junos/23.4X100/junos-interface"'
        return f"<interface-information {space}>{inner}</interface-information>"

    def _port(self, name: str, values: dict[str, str], *, up: bool) -> str:
        enabled = "disable" not in values
        count = self.counters.get(name, PortCounters())
        speed = values.get("speed", "").replace("g", "Gbps") or "Auto"
        described = values.get("description", "")
        queues = "".join(
            f"<queue><queue-number>{n}</queue-number>"
            f"<queue-counters-queued-packets>{count.queue_packets[n]}</queue-counters-queued-packets>"
            f"<queue-counters-trans-packets>{count.queue_packets[n]}</queue-counters-trans-packets>"
            f"<queue-counters-total-drop-packets>{count.queue_drops[n]}"
            "</queue-counters-total-drop-packets></queue>"
            for n in _PRIORITIES
        )
        frames = "".join(
            f"<ethernet-mac-pfc-statistics><mac-pfc-dot1p>{n}</mac-pfc-dot1p>"
            f"<input-mac-pfc-frames>{count.pfc_received[n]}</input-mac-pfc-frames>"
            f"<output-mac-pfc-frames>{count.pfc_sent[n]}</output-mac-pfc-frames>"
            "</ethernet-mac-pfc-statistics>"
            for n in _PRIORITIES
        )
        return (
            f"<physical-interface><name>{name}</name>"
            f"<admin-status>{'up' if enabled else 'down'}</admin-status>"
            f"<oper-status>{'up' if up else 'down'}</oper-status>"
            f"<description>{escape(described)}</description>"
            f"<mtu>{values.get('mtu', _DEFAULT_MTU_BYTES)}</mtu><speed>{speed}</speed>"
            f"<queue-counters>{queues}</queue-counters>{frames}</physical-interface>"
        )


def vlans(config: list[Words]) -> str:
    """Return ``show vlans``."""
    rows = ["Routing instance        VLAN name             Tag          Interfaces"]
    for words in config:
        if words[0] == "vlans" and words[2] == "vlan-id":
            rows.append(f"default-switch          {words[1]:<21} {words[3]}")
            rows += [
                f"{'':<59}{item[1]}.{item[3]}*"
                for item in config
                if item[0] == "interfaces" and item[-3:] == ("vlan", "members", words[1])
            ]
    return "\n".join([*rows, ""])


def _no_arp() -> str:
    return "MAC Address       Address         Interface         Flags\nTotal entries: 0\n"


def _no_macs() -> str:
    return (
        "MAC flags (S - static MAC, D - dynamic MAC, L - locally learned, P - Persistent static\n"
        "           SE - statistics enabled, NM - non configured MAC, R - remote PE MAC,"
        " O - ovsdb MAC)\n\n\nEthernet switching table : 0 entries, 0 learned\n"
        "Routing instance : default-switch\n"
    )
