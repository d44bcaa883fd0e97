"""The show commands of the EOS stand-in: answers in JSON, and texts of a few of them.

Known: key names and nesting, from captures and unit-test data of napalm-automation/napalm
``test/eos/mocked_data`` and aristanetworks/anta ``tests/units/anta_tests``; the watchdog lists only
ports on which it ever fired; the ECN counter is a string, ``-`` where a queue does not count;
column layouts of the texts from networktocode/ntc-templates ``tests/arista_eos``.
Assumed: values that no client of ours reads (hardware revision, memory, forwarding details), and
``state`` of the VRF-wide lists; JSON revisions are ignored; one prefix is exchanged with every
established neighbour; a neighbour that does not answer is ``Active``; a neighbour that has EVPN
alone is in no summary of IP; unnumbered neighbours show as
``fe80::1%Et1/1``.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from fabric.lab.pages import pages, parsed
from fabric.systems.eos.lab.sessions import CommandFailedError
from fabric.systems.eos.lab.view import ArpEntry

if TYPE_CHECKING:
    from collections.abc import Callable

    from fabric.systems.eos.lab.view import View

    Result = dict[str, Any]
    Show = Callable[[View, list[str]], Result]


def dotted_mac(mac: str) -> str:
    """Write a MAC address as ``001c.7300.0001``."""
    digits = mac.replace(":", "").replace(".", "").lower()
    return ".".join(digits[at : at + 4] for at in range(0, 12, 4))


def _short(name: str) -> str:
    return name.replace("Ethernet", "Et").replace("Management", "Ma").replace("Port-Channel", "Po")


page = pages(__file__, dotted=dotted_mac, short=_short)


def _answer(name: str, more: Callable[[View, list[str]], Result] | None = None) -> Show:
    """Return what fills a JSON template."""

    def show(view: View, words: list[str]) -> Result:
        since_s = time.time() - view.state.uptime_s
        values = more(view, words) if more else {}
        text = page(f"json/{name}", view=view, words=words, since_s=since_s, **values)
        answer: Result = parsed(text)
        return answer

    return show


def _heard(view: View, words: list[str]) -> Result:
    """Return who is heard on each port; ports without a neighbour too."""
    chosen = [word for word in words[3:] if word != "detail"]
    ports = [port.name for port in view.ports() if "Ether" in port.name or "Manage" in port.name]
    heard: dict[str, list[Any]] = {name: [] for name in ports if not chosen or name in chosen}
    for one in view.lldp():
        if not chosen or one.local_port in chosen:
            heard.setdefault(one.local_port, []).append(one)
    return {"heard": heard}


def _entries(view: View, _words: list[str]) -> Result:
    """Return the ARP table: what a test put in, and the established neighbours of BGP."""
    peers = (peer for _, bgp, _ in view.bgp() for peer in view.peers(bgp) if peer.established)
    learned = [
        ArpEntry(peer.address, cable.chassis_mac, peer.interface)
        for peer in peers
        if (cable := view.cables.get(peer.interface)) and cable.chassis_mac
        if "%" not in peer.address
    ]
    return {"entries": [*view.arp, *learned]}


def _counts(view: View, _words: list[str]) -> Result:
    return {"counts": [view.count(port.name) for port in view.ethernets()]}


def _route(view: View, words: list[str]) -> Result:
    """Return the route of a VRF to a prefix, if there is one."""
    vrf, prefix = words[-2:]
    if not view.state.running.has(f"vrf instance {vrf}"):
        raise CommandFailedError(f"IP Routing table for VRF {vrf} does not exist.")
    return {"vrf": vrf, "prefix": prefix, "found": view.wires.has_route(vrf, prefix)}


def _version(version: str) -> Callable[[View, list[str]], Result]:
    return lambda _view, _words: {"version": version}


SHOWS: dict[str, Show] = {
    "show version": _answer("version"),
    "show hostname": _answer("hostname"),
    "show interfaces [ <port> ]": _answer("interfaces"),
    "show interfaces status": _answer("status"),
    "show ip interface": _answer("ip-interface"),
    "show ip route vrf <name> <cidr4>": _answer("route", _route),
    "show ipv6 interface": _answer("ipv6-interface"),
    "show lldp neighbors": _answer("lldp"),
    "show lldp neighbors [ <port> ] detail": _answer("lldp-detail", _heard),
    "show arp vrf all": _answer("arp", _entries),
    "show mac address-table": _answer("macs"),
    "show inventory": _answer("inventory"),
    "show bgp summary [ vrf all ]": _answer("bgp-summary", _version("")),
    "show ip bgp summary [ vrf all ]": _answer("bgp-summary", _version("4")),
    "show ipv6 bgp summary [ vrf all ]": _answer("bgp-summary", _version("6")),
    "show bgp evpn summary": _answer("bgp-summary", _version("evpn")),
    "show ip bgp neighbors [ vrf all ]": _answer("bgp-neighbours", _version("4")),
    "show ipv6 bgp peers [ vrf all ]": _answer("bgp-neighbours", _version("6")),
    "show priority-flow-control counters": _answer("pfc"),
    "show priority-flow-control counters watchdog": _answer("watchdog"),
    "show qos interfaces ecn counters queue": _answer("ecn"),
    "show interfaces counters errors": _answer("errors"),
    "show interfaces counters discards": _answer("discards", _counts),
    "show interfaces counters queue detail": _answer("queue-detail"),
    "show interfaces transceiver": _answer("transceiver"),
    "show interfaces phy detail": _answer("phy-detail"),
    "show system environment temperature": _answer("temperature"),
    "show interfaces counters queue drops": _answer("queue-drops"),
}
#: Template of the text of a command; the others exist in JSON only.
TEXTS = {
    "show version": "version",
    "show hostname": "hostname",
    "show lldp neighbors": "lldp",
    "show interfaces status": "status",
    "show ip bgp summary [ vrf all ]": "bgp",
}
