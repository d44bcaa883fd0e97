"""Rendered Junos statements against whole configurations that Juniper validated.

A statement has a shape: its keywords, with names, addresses and numbers left out. Every shape that
we print stands in one of the vendor's configurations, or in the table below with its own source.
"""

from __future__ import annotations

import re

import pytest

from fabric.render import render_device
from fabric.systems.junos.platforms.hierarchy import read_tree
from fabric.systems.junos.platforms.text import Words, read_set
from tests.reference import reference
from tests.render import tenants_designs
from tests.render.junos_designs import designs

CASES = [
    ("demo", "su1-rail0"),
    ("demo", "spine01"),
    ("rail-512", "su1-rail0"),
    ("a100-pcie", "rack1-leaf"),
]
CLI = "juniper.net CLI reference"
#: Shapes that the vendor's three configurations do not have.
OTHER_SOURCES = {
    "system arp aging-timer *": CLI,
    "system ntp server *": f"{CLI}, ntp (QFX series)",
    "system ntp server * routing-instance mgmt_junos": f"{CLI}, ntp (QFX series) and server (NTP)",
    "system syslog host * any notice": f"{CLI}, syslog",
    "system syslog host * routing-instance mgmt_junos": f"{CLI}, host (System)",
    "interfaces * disable": f"{CLI}, disable",
    "interfaces * unit * family ethernet-switching interface-mode access": "trunk there",
    "class-of-service congestion-notification-profile * pfc-watchdog poll-interval *": "bare there",
    "class-of-service congestion-notification-profile * pfc-watchdog detection *": "bare there",
    "class-of-service congestion-notification-profile * pfc-watchdog recovery *": "bare there",
    "class-of-service congestion-notification-profile * pfc-watchdog watchdog-action drop": "bare",
    "protocols bgp group * neighbor * export *": "an expression of two policies there",
    "protocols bgp group * hold-time *": f"{CLI}, hold-time",
    "protocols l2-learning global-mac-table-aging-time *": CLI,
    "chassis maximum-ecmp *": "junos-conf-chassis, YANG 24.4R1-EVO",
}
#: Shapes of tenants that they do not have: a VRF without tunnels is a table of its own.
TENANT_SOURCES = {
    "routing-instances * description *": f"{CLI}, description (Routing Instances)",
    "routing-instances * instance-type virtual-router": f"{CLI}, instance-type",
}
#: Words before a name, and words that are names of the system or values among a few.
_NAMES = re.compile(r"[A-Z][A-Z0-9-]*(_\d+)?|\d[\d./:-]*|et-\S+|irb\.\d+|\S*\d\S*/\S+")


def shape_of(words: Words) -> str:
    """Return the shape of a statement."""
    found = []
    for place, word in enumerate(words):
        before = words[place - 1] if place else ""
        named = before in NAMED and word not in STANDING
        found.append("*" if named or _NAMES.fullmatch(word) else word)
    return " ".join(found)


#: Keywords whose next word is a name or a value that somebody chose.
NAMED = {
    "host-name", "description", "interfaces", "unit", "members", "vlans", "policy-statement",
    "term", "dscp", "drop-profiles", "schedulers", "scheduler-maps", "scheduler-map", "scheduler",
    "congestion-notification-profile", "drop-profile", "class", "forwarding-class", "group",
    "export", "neighbor", "code-point", "code-points", "host", "server", "speed", "interface",
    "routing-instances", "vrf-target",
}  # fmt: skip
#: What may stand there and is a keyword all the same.
STANDING = {"all", "irb", "lo0", "code-point"}


def vendor_shapes() -> set[str]:
    """Return the shapes of the vendor's configurations, one-line statements split."""
    paths = sorted(reference("fixtures", "junos", "jvd").glob("*.conf"))
    found: set[str] = set()
    for path in paths:
        for _, words in read_tree(path.read_text(encoding="utf-8")):
            found.add(shape_of(words))
    joined = "class-of-service forwarding-classes class * "
    assert f"{joined}queue-num * no-loss pfc-priority *" in found
    return found | {f"{joined}{part}" for part in ("no-loss", "pfc-priority *")}


@pytest.mark.parametrize(("inventory", "switch"), CASES)
def test_every_shape_has_an_outside_source(inventory: str, switch: str) -> None:
    """The vendor's, or one that is named."""
    known = vendor_shapes()
    rendered = read_set(render_device(designs(inventory)[switch])[0].text)
    ours = {shape_of(words) for _, words in rendered}
    assert len(ours) > 40
    assert sorted(ours - known - set(OTHER_SOURCES)) == []


def test_every_shape_of_tenants_has_an_outside_source() -> None:
    """Those of a leaf in both forms, and of a spine, beside those of fabrics without tenants."""
    known = vendor_shapes()
    ours = {
        shape_of(words)
        for system, inventory, switch in tenants_designs.CASES
        if system == "junos"
        for _, words in read_set(
            render_device(tenants_designs.designs(system, inventory)[switch])[0].text
        )
    }
    assert "routing-instances * protocols evpn ip-prefix-routes vni *" in ours & known
    assert "protocols bgp group * multihop no-nexthop-change" in ours & known
    assert ours - known - set(OTHER_SOURCES) == set(TENANT_SOURCES)


def test_most_shapes_are_those_of_the_vendor() -> None:
    """The table of others stays a table of exceptions."""
    known = vendor_shapes()
    rendered = [
        words
        for inventory, switch in CASES
        for _, words in read_set(render_device(designs(inventory)[switch])[0].text)
    ]
    ours = {shape_of(words) for words in rendered}
    assert ours - known == set(OTHER_SOURCES)
    assert len(ours & known) >= 4 * len(ours - known)
