"""What the tests of all configuration readers share."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from fabric.observe.configuration import Configured, readers

GOLDEN = Path(__file__).parents[1] / "golden"

#: A text, what is looked at in what it says, and the value.
Case = tuple[str, Callable[[Configured], Any], Any]


def golden(nos: str, *names: str) -> list[Path]:
    """Return the golden files of a system that have one of some names."""
    files = sorted(path for path in (GOLDEN / nos).rglob("*") if path.name in names)
    assert files
    return files


def read(nos: str, kind: str, text: str) -> Configured:
    """Return what one file says."""
    return readers[nos]({kind: text})


def is_whole(switch: Configured) -> None:
    """See that a rendered file is understood: every line, and what each switch has at least."""
    assert switch.leftovers == []
    assert switch.bgp is not None
    assert switch.bgp.peers
    assert switch.bgp.originations
    assert switch.bgp.max_paths > 1
    for peer in switch.bgp.peers.values():
        assert peer.asn is not None
        assert peer.activated or peer.activated6 or peer.evpn
    hops = [peer for peer in switch.bgp.peers.values() if peer.activated or peer.activated6]
    ports = [port for port in switch.ports.values() if port.enabled]
    assert sum(len(port.addresses) + port.ipv6_link for port in ports) > len(hops)
    members = [port for port in switch.ports.values() if port.vlan is not None]
    gateways = [port for port in switch.ports.values() if port.vrf and not port.addresses]
    behind = {port.gateway_vlan for port in gateways}  # of a VNI
    assert {port.vlan for port in members} == set(switch.vlans) - behind
    assert {port.gateway_vlan for port in ports} - {None} == set(switch.vlans)


def check(nos: str, kind: str, case: Case) -> None:
    """See that a text says a value, and that all of its lines are understood."""
    text, value, expected = case
    switch = read(nos, kind, text)
    assert value(switch) == expected
    assert switch.leftovers == []


def check_unknown(nos: str, kind: str, text: str, unknown: Mapping[int, str] | str) -> None:
    """See which line of a text is not understood; the last one where only its words are given."""
    switch = read(nos, kind, text)
    rows = {item.line: item.text for item in switch.leftovers}
    lines = text.rstrip("\n").splitlines()
    assert rows == ({len(lines): unknown} if isinstance(unknown, str) else unknown)
