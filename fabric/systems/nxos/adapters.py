"""NX-OS: the grammar of its lines, and what a line means that a switch does not print.

Known (paregupt/nx-os @ ad8128f3 nxos_config_roce.py): policies in use cannot be deleted, so they go
after what names them; NX-OS prints only what differs from its defaults; routed ports print ``no
shutdown``; one ``vlan 1,101-104`` line lists the VLANs, and those with settings have a section too;
a port that is bound to a VRF loses its addresses (batfish @ cba18733, test configuration nxos_vrf).
Assumed: shares of a policy never exceed 100 in sum; no two BGP processes run; a port that changes
between switched and routed loses its settings; what `system default switchport` says is printed
when it was ever set; a port whose layer nothing tells is asked for it again, which changes nothing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fabric.change.adapter import adapters
from fabric.change.lines import LineAdapter
from fabric.change.lines.book import changes
from fabric.change.lines.grammar import Grammar, LayerChange, either
from fabric.change.scope import Scope, TreeMerge, indented
from fabric.change.tenants import TenantLines
from fabric.core.lines import LineTree, nested
from fabric.core.spans import numbers_of
from fabric.systems.nxos.parsers.text import blocks
from fabric.systems.nxos.platforms import DEFAULT_HASH

if TYPE_CHECKING:
    from collections.abc import Iterator

_PORT = re.compile(r"interface Ethernet\S+")
#: A server, and the VRF in which the switch looks for it; newer releases print VRF default too,
#: which is what no word means. Other options stay as they are found.
_SERVER = re.compile(
    r"^((?:ntp|logging) server \S+)(?:.*?( use-vrf (?!default(?: |$))\S+))?(?: .*)?$"
)
_VLANS = re.compile(r"vlan ([\d,-]+)")


def tree(text: str) -> LineTree:
    """Return the tree of a configuration; banners and jobs are single lines with breaks."""
    root = LineTree()
    for block in blocks(text):
        vlans = _VLANS.fullmatch(block[0])
        if block[0].startswith(("banner ", "scheduler job ")):
            root.children["\n".join(block)] = LineTree()
        elif vlans and len(block) == 1:
            for number in numbers_of(vlans[1]):
                root.child(f"vlan {number}")
        else:
            root.merge(nested(_SERVER.sub(r"\1\2", line) for line in block))
    return root


def _implied(root: LineTree, section: str, printed: set[str]) -> Iterator[str]:
    """Yield the state and the layer that a port has by default."""
    if not _PORT.fullmatch(section):
        return
    is_down = "system default switchport shutdown" in root.children
    yield "shutdown" if is_down else "no shutdown"
    if any(line.startswith("switchport ") for line in printed):
        yield "switchport"
    elif any(line.startswith(("ip address ", "ipv6 address ")) for line in printed):
        yield "no switchport"
    elif "system default switchport" in root.children:
        yield "switchport"
    elif "no system default switchport" in root.children:
        yield "no switchport"


_BOOK = changes("nxos", "no")
GRAMMAR = Grammar(
    negation="no",
    indent="  ",
    owned=_BOOK.owned,
    kept=either(*_BOOK.kept, _PORT.pattern),
    risks=_BOOK.risks,
    toggles=_BOOK.toggles,
    forms=_BOOK.forms,
    defaults=(  # YangModels/yang Cisco NX-OS 9.3(2)
        (".*", "ip arp timeout 1500"),
        (".*", "mac address-table aging-time 1800"),
        (".*", "maximum-paths 1"),
        (".*", DEFAULT_HASH),
    ),
    implied=_implied,
    server=re.compile(r"((?:ntp|logging) server \S+) use-vrf \S+"),
    first_removed=either("(?:router|interface|ntp server|logging server) .*"),
    binding=re.compile("vrf member .*"),
    bound=re.compile("(?:no )?ip(?:v6)? .*"),
    vni=re.compile("member vni .*"),
    fixed=either(r"interface (?:Ethernet|mgmt)\S+", "system qos", "vlan 1"),
    removal_order=(
        "policy-map ",
        "class-map ",
        "route-map ",
        "ip prefix-list ",
        "ipv6 prefix-list ",
        "vrf context ",
        "vlan ",
        "",
        "feature ",
    ),
    entry=re.compile(r"ip(?:v6)? prefix-list \S+ seq \d+ "),
    layer="switchport",
    layer_change=LayerChange.LOSES_SETTINGS,
    share=re.compile(r"bandwidth remaining percent (\d+)"),
)

_TENANT = re.compile(r"vrf context Vrf\d+")
_VNI = re.compile(r"vni (\d+) .*")


@dataclass(frozen=True, eq=False, kw_only=True)
class TenantScope(Scope):
    """The scope of NX-OS: VNIs of tenants that are gone do not stay, though no line names them."""

    def merged(self, now: LineTree, wanted: LineTree) -> TreeMerge:
        """Return the configuration that is intended, with the lines of others."""
        if not self.has_tenants:
            return super().merged(now, wanted)
        gone = {
            f"member vni {vni[1]} associate-vrf"
            for name, section in now.children.items()
            if _TENANT.fullmatch(name) and name not in wanted.children
            for line in section.children
            if (vni := _VNI.fullmatch(line))
        }
        left = LineTree(dict(now.children))
        for name in [name for name in now.children if name.startswith("interface nve")]:
            lines = now.children[name].children.items()
            left.children[name] = LineTree({
                line: child for line, child in lines if line not in gone
            })
        return super().merged(left, wanted)


SCOPE = TenantScope(
    system="nxos",
    forms=indented(GRAMMAR.indent),
    alone=either(
        r"class-map type qos match-any (?:ROCE|CNP)\S*",
        r"policy-map type (?:qos|network-qos|queuing) ROCE-\S+",
        r"priority-flow-control .*",
        r"ip(?:v6)? prefix-list PL-.*",
        r"route-map RM-.*",
    ),
    tenants=either(
        r"vrf context Vrf\d+", r"router bgp \S+ vrf Vrf\d+", r"interface \S+ vrf member Vrf\d+"
    ),
    others=re.compile(r".* secondary"),
    tunnels=either(
        r"interface \S+ vrf member .*",
        r"router bgp \S+ (?:neighbor \S+ )?address-family l2vpn evpn.*",
    ),
    process=re.compile(r"router bgp .*"),
    split=(
        re.compile(r"interface Ethernet1/(\d+)(?:/\d+)?"),
        r"interface breakout module 1 port \1",
    ),
    key=GRAMMAR.key_of,
)

TENANTS = TenantLines(
    sections=either(
        r"vrf context Vrf\d+",
        "interface (?:nve1|loopback1)",
        "nv overlay evpn",
        "feature (?:nv overlay|vn-segment-vlan-based)",
    ),
    signs=either(r"interface \S+ vrf member Vrf\d+", "route-map RM-RELAY .*"),
)

adapters.add("nxos")(LineAdapter(grammar=GRAMMAR, read=tree, scope=SCOPE, tenants=TENANTS))
