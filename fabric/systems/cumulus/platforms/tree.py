"""The part of NVUE's command tree that rocefab writes, or meets around it.

Sources: CumulusNetworks/docs, content/cumulus-linux-514, -510 and -515 (the pages of the features)
and its list of NVUE commands (ranges). ``<kind>`` is a key, of which there can be many; ``=kind``
is the one value of what stands before it. What is not here is refused by the lab's switch.
Assumed: the upper ends of ``cable-length`` and ``tx-hold-multiplier``.
"""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass, field
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from fabric.systems.cumulus.platforms.words import VOCABULARIES

if TYPE_CHECKING:
    from collections.abc import Callable

    from fabric.systems.cumulus.platforms.lines import Path
    from fabric.systems.cumulus.platforms.words import Words

_TREE = """
system hostname =hostname
system timezone =text
system aaa user <name> hashed-password =text
system aaa user <name> role =text
system aaa user <name> full-name =text
system config auto-save {switch}
system message pre-login =text
system snmp-server listening-address <address>
system global arp base-reachable-time =30..2147483|auto
system global nd base-reachable-time =30..2147483|auto
system global svi-force-up {switch}
system global reserved vlan internal range =text
system forwarding hash-seed =0..4294967295
system forwarding profile =text
service dns mgmt server <address>
{ntp} server <address>
{ntp} server <address> iburst {bool}
{syslog} server <address>
{syslog} server <address> port =1..32767
{syslog} server <address> protocol =tcp|udp
{lldp} tx-interval =5..32768
{lldp} tx-hold-multiplier =1..8192
interface <interface>
interface <interface> type =swp|eth|bond|loopback|svi|sub|peerlink|tunnel
interface <interface> description =text
interface <interface> vlan =1..4094
interface <interface> base-interface =text
interface <interface> vrf =name
interface <interface> {ip} address <prefix>
interface <interface> {ip} address dhcp
interface <interface> {ip} gateway <address>
interface <interface> link state =up|down
interface <interface> link speed =auto|10M|100M|1G|10G|25G|40G|50G|100G|200G|400G|800G
interface <interface> link auto-negotiate {bool}
interface <interface> link mtu =552..9216
interface <interface> link fec =rs|baser|off
interface <interface> link breakout <breakout>
interface <interface> router adaptive-routing {switch}
interface <interface> bridge domain <name>
interface <interface> bridge domain <name> access =1..4094
interface <interface> bridge domain <name> stp admin-edge {bool}
interface <interface> bridge domain <name> stp bpdu-guard {bool}
interface <interface> qos pfc-watchdog
interface <interface> qos pfc-watchdog state =enable|disable
interface <interface> lldp dcbx-pfc-tlv {bool}
bridge domain <name>
bridge domain <name> type =vlan-aware
bridge domain <name> vlan <1..4094>
bridge domain <name> ageing =0..65535
bridge domain <name> untagged =1..4094
router bgp {switch}
router bgp autonomous-system =1..4294967295
router bgp router-id =address
router adaptive-routing {switch}
vrf <name> router static <prefix> via <address>
vrf <name> router bgp {switch}
vrf <name> router bgp path-selection multipath aspath-ignore {bool}
vrf <name> router bgp address-family ipv4-unicast {switch}
vrf <name> router bgp address-family ipv4-unicast multipaths ebgp =1..128
vrf <name> router bgp address-family ipv4-unicast network <prefix>
vrf <name> router bgp address-family ipv4-unicast redistribute connected {switch}
vrf <name> router bgp neighbor <peer> remote-as =external|internal|1..4294967295
vrf <name> router bgp neighbor <peer> type =numbered|unnumbered
vrf <name> router bgp neighbor <peer> timers keepalive =1..65535|none|auto
vrf <name> router bgp neighbor <peer> timers hold =3..65535|none|auto
vrf <name> router bgp neighbor <peer> address-family ipv4-unicast aspath allow-my-asn {switch}
vrf <name> router bgp neighbor <peer> address-family ipv4-unicast aspath allow-my-asn occurrences =1..10
vrf <name> router bgp neighbor <peer> bfd {switch}
vrf <name> router bgp neighbor <peer> bfd detect-multiplier =2..255
vrf <name> router bgp neighbor <peer> bfd min-rx-interval =50..60000
vrf <name> router bgp neighbor <peer> bfd min-tx-interval =50..60000
qos roce {switch}
qos roce mode =lossless|lossy|lossless-single-ipool|lossy-multi-tc
qos mapping default-global trust =l2|l3|both|port
qos mapping default-global dscp <0..63> switch-priority =0..7
qos egress-queue-mapping default-global switch-priority <0..7> traffic-class =0..7
qos egress-scheduler default-global traffic-class <0..7> mode =dwrr|strict
qos egress-scheduler default-global traffic-class <0..7> bw-percent =1..100
qos congestion-control default-global traffic-class <0..7> ecn =enable|disable
qos congestion-control default-global traffic-class <0..7> red =enable|disable
qos congestion-control default-global traffic-class <0..7> min-threshold =0..4294967295
qos congestion-control default-global traffic-class <0..7> max-threshold =0..4294967295
qos congestion-control default-global traffic-class <0..7> probability =0..100
qos pfc default-global switch-priority <0..7>
qos pfc default-global cable-length =1..100000
qos pfc default-global tx =enable|disable
qos pfc default-global rx =enable|disable
qos pfc-watchdog polling-interval =100..5000
qos pfc-watchdog robustness =1..1000
qos traffic-pool <name> memory-percent =1..100
qos advance-buffer-config default-global ingress-lossless-buffer shared-alpha =alpha
"""  # noqa: E501 - one command, one line

_WORDS = {
    "text": r".+",
    "hostname": r"[A-Za-z0-9]([A-Za-z0-9-]{0,62}[A-Za-z0-9])?",
    "name": r"[A-Za-z0-9][A-Za-z0-9_.-]*",
    "interface": r"(swp\d+(s\d+)?|eth\d+|lo|vlan\d+|bond\d+|peerlink(\.\d+)?|mgmt)(\.\d+)?",
    "breakout": r"[1248]x",
    "alpha": r"alpha_(0|1_(128|64|32|16|8|4|2)|1|2|4|8|16|32|64|infinity)",
}


@dataclass
class Node:
    """One word of the tree: what may follow it, and whether a line may end there.

    ``value`` says that a line has no more than one such word at this place.
    """

    literals: dict[str, Node] = field(default_factory=dict)
    keys: list[tuple[Callable[[str], bool], Node]] = field(default_factory=list)
    ends: bool = False
    value: bool = False

    def next(self, word: str) -> Node | None:
        """Return the node of the next word, or None when it may not stand here."""
        if word in self.literals:
            return self.literals[word]
        return next((node for fits, node in self.keys if fits(word)), None)


@cache
def tree(words: Words) -> Node:
    """Return the root of the command tree of a range of releases."""
    spelt = {
        "{switch}": f"{words.enable} ={words.on}|{words.off}",
        "{bool}": f"={words.on}|{words.off}",
        "{ip}": words.ip,
        "{ntp}": words.ntp,
        "{syslog}": words.syslog,
        "{lldp}": words.lldp,
    }
    root = Node()
    for line in _TREE.strip().splitlines():
        text = line
        for macro, spelling in spelt.items():
            text = text.replace(macro, spelling)
        _plant(root, text.split())
    return root


@lru_cache(maxsize=16_384)
def is_value(path: Path) -> bool:
    """Tell whether the last word is the one value of those before it, in any known release."""
    for words in VOCABULARIES:
        node: Node | None = tree(words)
        for word in path:
            node = node.next(word) if node else None
        if node:
            return node.value
    return False


def _plant(node: Node, pattern: list[str]) -> None:
    for token in pattern:
        if token[0] in "<=":
            kind = token.strip("<=>")
            known = next((child for fits, child in node.keys if fits is _fits(kind)), None)
            following = known or Node(value=token[0] == "=")
            if known is None:
                node.keys.append((_fits(kind), following))
        else:
            following = node.literals.setdefault(token, Node())
        node = following
    node.ends = True


@cache
def _fits(kind: str) -> Callable[[str], bool]:
    tests = [_test(part) for part in kind.split("|")]
    return lambda word: any(test(word) for test in tests)


def _test(kind: str) -> Callable[[str], bool]:
    low, dots, high = kind.partition("..")
    if dots:
        return lambda word: word.isdecimal() and int(low) <= int(word) <= int(high)
    if kind in _WORDS:
        pattern = re.compile(_WORDS[kind])
        return lambda word: pattern.fullmatch(word) is not None
    if kind in _ADDRESSES:
        return _ADDRESSES[kind]
    return lambda word: word == kind


def _parses(parse: Callable[[str], object]) -> Callable[[str], bool]:
    def test(word: str) -> bool:
        try:
            parse(word)
        except ValueError:
            return False
        return True

    return test


def _is_peer(word: str) -> bool:
    return _ADDRESSES["address"](word) or re.fullmatch(_WORDS["interface"], word) is not None


_ADDRESSES: dict[str, Callable[[str], bool]] = {
    "address": _parses(ipaddress.ip_address),
    "prefix": lambda word: "/" in word and _parses(ipaddress.ip_interface)(word),
    "peer": _is_peer,
}
