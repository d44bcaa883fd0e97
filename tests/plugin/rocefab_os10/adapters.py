"""OS10: the grammar of its lines; the engine of lines below lines does the rest."""

from __future__ import annotations

import re

from fabric.change.adapter import adapters
from fabric.change.lines import LineAdapter
from fabric.change.lines.grammar import NEVER, Grammar, either, valued
from rocefab_os10.platforms import tree

_ORDER = ("", "wred ", "trust ", "qos-map ", "interface vlan", "interface ", "router bgp ")
PORT = r"interface ethernet\d+/\d+/\d+"
GRAMMAR = Grammar(
    negation="no",
    owned=either(
        r"hostname .*",
        r"(?:wred|trust dscp-map|qos-map traffic-class) ROCE\S*",
        r"interface (?:loopback0|vlan(?!1$)\d+)",
        PORT,
        r"router bgp \d+",
    ),
    kept=NEVER,
    risks=(
        ("restart", ("router bgp",)),
        ("port flap", ("shutdown", "mtu ", "switchport ")),
        ("harmless", ("description", "random-detect color")),
    ),
    forms=valued(
        r"no \1",
        *("hostname", "description", "mtu", "switchport access vlan", "ip address", "router-id"),
        *("random-detect color green", r"random-detect queue \d", r"qos-group \d", r"queue \d"),
        *("trust-map dscp", "service-policy qos-map", "priority-flow-control no-drop"),
        *("remote-as", "timers"),
    ),
    toggles=NEVER,
    fixed=re.compile(PORT),
    first_removed=re.compile(r"router bgp \d+"),
    addition_order=_ORDER,
    removal_order=_ORDER[::-1],
)
adapters.add("os10")(LineAdapter(grammar=GRAMMAR, read=tree))
