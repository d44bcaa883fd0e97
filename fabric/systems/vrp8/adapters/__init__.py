"""VRP8: the grammar of its lines, and what is kept beside ours.

Known (CloudEngine V300R023C00 command reference, WheaterW/INTA-project @ 9308062d): the forms of
``undo``; defaults are not printed; a view has one line of a kind, and a new one takes its place;
``undo peer`` takes all that was said about the peer; a profile goes after the ports that name it,
and the headroom pool after PFC of all ports; a priority of PFC goes after its times; a port changes
its layer when nothing of the other layer is left on it.
Assumed: ECN of a queue goes before its profile.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from fabric.book.book import INDENT
from fabric.change.adapter import adapters
from fabric.change.lines import LineAdapter
from fabric.change.lines.book import changes
from fabric.change.lines.grammar import Grammar, LayerChange, either
from fabric.change.scope import Scope, indented
from fabric.core.lines import LineTree
from fabric.systems.vrp8.adapters.split import (
    cage_of,
    changed_cages,
    is_split,
    without_new_ports,
)
from fabric.systems.vrp8.adapters.tree import tree
from fabric.systems.vrp8.platforms import BALANCING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_PORT = re.compile(r"interface \d+GE\S+")
_VLAN_VIEW = re.compile(r"vlan (\d+)")
_ANY_PEER = re.compile(r"peer (\S+) as-number ")
_DEADLOCK = re.compile(r"priority (\d)")
_SERVERS = r"(?:ntp unicast-server|info-center loghost) (?:ipv6 )?[\da-f.:]+"


def _implied(root: LineTree, section: str, printed: set[str]) -> Iterator[str]:
    """Yield what holds by default beside the same line everywhere."""
    if not section:
        # The family that switches ECN as a whole discards, the other one forwards.
        behaviour = "discard" if "qos ecn enable" in root.children else "forwarding"
        yield f"dcb pfc deadlock recovery-behavior {behaviour} slot 1"
    elif _PORT.fullmatch(section):
        routed = any(line.startswith(("ip address ", "ipv6 address ")) for line in printed)
        yield "undo portswitch" if routed else "portswitch"
    elif section.startswith("bgp "):
        yield from (f"peer {peer} timer keepalive 60 hold 180" for peer in _peers(printed))
    elif section == "ipv4-family unicast":
        for line, child in root.children.items():
            if line.startswith("bgp "):
                peers = _peers(child.children)
                yield from (f"peer {peer} enable" for peer in peers if ":" not in peer)
    elif section.startswith("dcb pfc"):
        for number in {match[1] for line in printed if (match := _DEADLOCK.match(line))}:
            yield f"priority {number} deadlock-detect time 10"
            yield f"priority {number} deadlock-recovery time 10"


def _peers(lines: Iterable[str]) -> Iterator[str]:
    return (match[1] for line in lines if (match := _ANY_PEER.match(line)))


_BOOK = changes("vrp8", "undo")
#: A server is removed with its VPN instance alone, whatever else is said about it.
_SERVER = (
    re.compile(rf"({_SERVERS}).*?( vpn-instance \S+)?(?: .*)?"),
    r"undo \1\2",
)
GRAMMAR = Grammar(
    negation="undo",
    owned=_BOOK.owned,
    kept=either(*_BOOK.kept, _PORT.pattern),
    risks=_BOOK.risks,
    toggles=_BOOK.toggles,
    forms=(_SERVER, *_BOOK.forms),
    server=re.compile(rf"({_SERVERS})(?: .*)?"),
    server_vrf=re.compile(" vpn-instance "),
    defaults=(
        ("", "arp timeout 1200"),
        ("", "ipv6 nd stale-timeout 1200"),
        ("", "mac-address aging-time 300"),
        ("", "dcb pfc deadlock-detect timer 100"),
        ("", "dcb pfc deadlock-recovery timer 100"),
        ("", "dcb pfc deadlock-detect interval 10"),
        (_PORT.pattern, "port link-type access"),
        (_PORT.pattern, "jumboframe enable 9216"),
        (rf"{_PORT.pattern}|interface Vlanif\d+", "mtu 1500"),
        (_PORT.pattern, "ipv6 mtu 1500"),
        (_PORT.pattern, "undo shutdown"),
        ("ipv[46]-family unicast", "maximum load-balancing ebgp 1"),
        ("ipv[46]-family unicast", "maximum load-balancing 1"),
    ),
    implied=_implied,
    without_new_ports=without_new_ports,
    first_removed=either(
        "bgp .*", r"interface (?:Vlanif|LoopBack)\d+", "port split .*", f"{_SERVERS}.*"
    ),
    fixed=either(r"interface (?:\d+GE|MEth)\S+", "ipv4-family unicast", "dcb pfc", "aaa"),
    vanishing=_VLAN_VIEW,  # gone with the VLAN itself
    addition_order=("port split ", ""),
    backwards=True,
    removed_first=re.compile(r".* deadlock-.*"),
    peer=re.compile(r"(peer [\da-f.:]+) as-number .*"),
    layer="portswitch",
    layer_change=LayerChange.IS_EMPTY,
)


def compose(running: LineTree, intended: LineTree) -> LineTree:
    """Return the whole configuration that is intended.

    Splits of other ports are kept, and what is said of the hash of ECMP beside its mode.
    """
    ours = {cage_of(line) for line in intended.children}
    whole = GRAMMAR.compose(
        running, intended, keeps=lambda line: is_split(line) and cage_of(line) not in ours
    )
    hashing = {
        line: child
        for line, child in running.children.get(BALANCING, LineTree()).children.items()
        if not line.startswith("ecmp mode ")
    }
    if hashing:
        whole.children[BALANCING] = whole.children.get(BALANCING, LineTree()).copy()
        whole.children[BALANCING].merge(LineTree(hashing))
    lost = {
        line
        for line in whole.children
        if (vlan := _VLAN_VIEW.fullmatch(line))
        and vlan[1] != "1"
        and f"vlan batch {vlan[1]}" not in whole.children
    }
    changed = changed_cages(running, whole)
    split = {cage_of(line) for line in whole.children if is_split(line)}
    return LineTree({
        line: child
        for line, child in whole.children.items()
        if line not in lost
        and (
            is_split(line)
            or cage_of(line) not in changed
            or (line in intended.children and (":" in line) == (cage_of(line) in split))
        )
    })


SCOPE = Scope(
    system="vrp8",
    forms=indented(INDENT),
    alone=either(
        r"dcb pfc (?:roce|(?:dscp-mapping|deadlock|deadlock-detect|deadlock-recovery|global) .*)",
        r"(?:diffserv domain|drop-profile) roce\S*",
    ),
    others=re.compile(r".* sub"),
    process=re.compile(r"bgp \d+(?:\.\d+)?"),
    split=(
        re.compile(r"interface (\d+GE\d+/\d+/\d+)(?::\d+)?"),
        r"port split dimension interface \1",
    ),
    key=GRAMMAR.key_of,
)

adapters.add("vrp8")(LineAdapter(grammar=GRAMMAR, read=tree, composer=compose, scope=SCOPE))
