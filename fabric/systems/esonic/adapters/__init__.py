"""Enterprise SONiC: the grammar of its lines, and what is kept beside ours.

Known (sonic-net/sonic-mgmt @ b4ba9de3 spytest/apis; ansible-collections/dellemc.enterprise_sonic @
9851e680): ``no`` names what it removes without its value; a watchdog is not negated, it is
switched off (SONiC Industry Standard CLI Reference Guide); a policy with strict priority has no
weight.
``no router bgp vrf`` has no AS number (spytest/apis/routing/bgp.py).
Assumed: what is named by something else goes after it and comes before it; a port is no member of a
VLAN when it gets an address; a second BGP process is refused.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from fabric.book.book import INDENT
from fabric.change.adapter import adapters
from fabric.change.lines import LineAdapter
from fabric.change.lines.book import changes
from fabric.change.lines.grammar import Grammar, either
from fabric.change.scope import Scope, TreeMerge, indented
from fabric.change.tenants import TenantLines
from fabric.core.errors import RefusedError
from fabric.core.lines import LineTree
from fabric.systems.esonic.adapters.breakouts import (
    MODE,
    cages,
    changed_cages,
    modes,
    without_new_ports,
    without_ports,
)
from fabric.systems.esonic.adapters.tenants import removed_vrfs, tunnels_of, without_vnis
from fabric.systems.esonic.platforms import BUFFER_LINE, DEFAULTS, SELF_MADE
from fabric.systems.esonic.platforms.lines import read

_SELF_MADE = either(*SELF_MADE)
#: Names of ports as on the panel, Eth1/1 (dellemc.enterprise_sonic @ 9851e680 sonic_system).
_OTHER_NAMES = re.compile("interface-naming standard")
_WATCHDOG = r"(priority-flow-control watchdog on detect-time)(?=[ \d]).*"

_BOOK = changes("esonic", "no")
GRAMMAR = Grammar(
    negation="no",
    owned=_BOOK.owned,
    kept=either(*_BOOK.kept, r"interface Ethernet\d+"),
    risks=_BOOK.risks,
    toggles=_BOOK.toggles,
    forms=(
        (re.compile(r"(route-map|prefix-list) \S+ (in|out)"), r"no \g<0>"),
        (re.compile(_WATCHDOG), "priority-flow-control watchdog off"),
        (re.compile(r"(router bgp \d+)"), "no router bgp"),
        (re.compile(r"(router bgp )\d+( vrf \S+)"), r"no router bgp\2"),
        *_BOOK.forms,
    ),
    defaults=DEFAULTS,
    without_new_ports=without_new_ports,
    opening=MODE,
    first_removed=either(
        r"router bgp \d+(?: vrf \S+)?", r"interface Loopback\d+", r"interface vxlan \S+"
    ),
    binding=re.compile("ip vrf forwarding .*"),
    bound=re.compile("(?:no )?ip(?:v6)? (?!vrf ).*"),
    vni=re.compile("map vni .*"),
    fixed=re.compile(r"interface (?:Ethernet|Eth|Management)\S+"),
    removal_order=(
        "interface Vlan",
        "route-map",
        "ip prefix-list",
        "ipv6 prefix-list",
        "",
        "qos map",
        "qos ",
    ),
    entry=re.compile(r"ip(?:v6)? prefix-list \S+ seq \d+ "),
    spelling=(re.compile(r"((?:no )?interface )([A-Z][A-Za-z]+)(\d)"), r"\1\2 \3"),
)


def compose(running: LineTree, intended: LineTree) -> LineTree:
    """Return the whole configuration that is intended.

    Breakouts of other ports are kept, and in our sections what the switch writes by itself.
    """
    ours = set(cages(intended).values())
    foreign = {line for cage, line in modes(running).items() if cage not in ours}
    running = without_ports(running, changed_cages(running, intended) & ours)
    whole = GRAMMAR.compose(running, intended, keeps=foreign.__contains__)
    for line, section in intended.children.items():
        whole.children[line] = _with_self_made(running.children.get(line, LineTree()), section)
    return whole


def _with_self_made(running: LineTree, intended: LineTree) -> LineTree:
    if not running.children:
        return intended
    whole = LineTree({
        line: _with_self_made(running.children[line], child) if line in running.children else child
        for line, child in intended.children.items()
    })
    self_made = [line for line in running.children if _SELF_MADE.fullmatch(line)]
    keys = set(map(GRAMMAR.key_of, intended.children)) if self_made else ()
    whole.children |= {line: LineTree() for line in self_made if GRAMMAR.key_of(line) not in keys}
    return whole


def _refuse(device: str, now: LineTree, intended: LineTree) -> None:
    """Refuse a switch whose ports have other names, and one without lossless buffers.

    The line that makes the buffers restarts the switch; no timer would outlive that.
    """
    if naming := next((line for line in now.children if _OTHER_NAMES.match(line)), ""):
        raise RefusedError(
            device,
            f"it has {naming!r}, so that its ports are called Eth1/1 and the lines of this "
            "inventory do not fit; set 'interface-naming native' by hand, then plan again",
        )
    if BUFFER_LINE in intended.children and BUFFER_LINE not in now.children:
        raise RefusedError(
            device,
            f"it has no lossless buffers yet; give it {BUFFER_LINE!r} by hand, which restarts the "
            "switch, then plan again",
        )


@dataclass(frozen=True, eq=False, kw_only=True)
class CageScope(Scope):
    """The scope of Enterprise SONiC: a cage of ours is broken out as the inventory has it."""

    def merged(self, now: LineTree, wanted: LineTree) -> TreeMerge:
        """Return the configuration that is intended, with the lines of others.

        What runs on the ports of a cage of ours that is broken out in another way goes with it.
        """
        cage_of = cages(now)
        ours = {cage_of[line] for line in wanted.children if line in cage_of}
        changed = ours & changed_cages(now, wanted)
        gone = {line for cage, line in modes(now).items() if cage in changed}
        vrfs = removed_vrfs(now, wanted) if self.has_tenants else set()
        gone |= tunnels_of(now, vrfs)
        kept = without_ports(now, changed).children.items()
        left = LineTree({line: one for line, one in kept if line not in gone})
        return super().merged(without_vnis(left, vrfs), wanted)


SCOPE = CageScope(
    system="esonic",
    forms=indented(INDENT),
    alone=either(
        r"qos (?:map \S+|wred-policy|scheduler-policy) ROCE\S*",
        r"priority-flow-control .*",
        r"ip(?:v6)? prefix-list PL-.*",
        r"route-map RM-.*",
    ),
    tenants=either(
        r"ip vrf Vrf\d+", r"router bgp \d+ vrf Vrf\d+", r"interface \S+ ip vrf forwarding Vrf\d+"
    ),
    others=re.compile(r".* secondary|router bgp \d+ address-family l2vpn evpn.*"),
    tunnels=either(
        r"interface \S+ ip vrf forwarding .*",
        r"router bgp \d+ neighbor \S+ address-family l2vpn evpn.*",
    ),
    process=re.compile(r"router bgp \d+"),
    key=GRAMMAR.key_of,
)

TENANTS = TenantLines(
    sections=either(r"ip vrf Vrf\d+", "interface vxlan vtep1", r"router bgp \d+ vrf Vrf\d+"),
    signs=re.compile(r"interface \S+ ip vrf forwarding Vrf\d+"),
)

adapters.add("esonic")(
    LineAdapter(
        grammar=GRAMMAR,
        read=read,
        composer=compose,
        scope=SCOPE,
        tenants=TENANTS,
        with_rollback=True,
        kind="running-configuration",
        diff_indent=" ",
        refuse=_refuse,
    )
)
