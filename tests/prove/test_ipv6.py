"""IPv6 of NICs on routed ports, on every system that has it: both families are proved."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from fabric.workflow.project import Project
from tests.cases import each
from tests.prove.fabrics import Texts, prove
from tests.prove.test_systems import CHANGES, UNNUMBERED, fabric_of

OF_VLANS = "  host_prefix_length: 24\n  vlan_first: 101"
HOSTS = "  hosts: 10.64.0.0/16 # each host routes all of it through the rail\n"
#: What the inventory says, beside routed NIC ports, and how its switches peer.
BESIDE = ("ipv6: {hosts: fd00:64::/48}", "unnumbered")
SLAAC = ("ipv6: {hosts: fd00:64::/48, assignment: slaac}", "unnumbered")
NUMBERED = ("ipv6: {hosts: fd00:64::/48, uplinks: fd00:65::/64}", "numbered")
NUMBERED_SLAAC = (
    "ipv6: {hosts: fd00:64::/48, uplinks: fd00:65::/64, assignment: slaac}",
    "numbered",
)
PLANS = {
    "junos": {"beside": BESIDE, "slaac": SLAAC, "numbered": NUMBERED},
    "nxos": {"beside": BESIDE, "numbered": NUMBERED},
    "esonic": {"beside": BESIDE, "slaac": SLAAC, "numbered": NUMBERED},
    "vrp8": {"beside": BESIDE, "slaac": SLAAC, "numbered": NUMBERED},
    "comware7": {"static": NUMBERED, "slaac": NUMBERED_SLAAC},
}
#: A line without which routes of IPv6 are missing.
LINES = {
    "junos": r"set protocols bgp group fabric-unnumbered family inet6 unicast\n",
    "esonic": r"   route-map RM-FABRIC6 out\n",
    "vrp8": r"  peer FABRIC enable\n(?!.*peer FABRIC enable)",
    "comware7": r"  peer fd00:65::\w+ enable\n",
    "nxos": r"    address-family ipv6 unicast\n",
}


def _fabric(
    folder: Path, system: str, plan: str, *, is_alone: bool = False
) -> tuple[Project, Texts]:
    ipv6, peering = PLANS[system][plan]
    lines = ["vlan_per: none", ipv6, *(["advertise: leaf"] if is_alone else [])]
    if system == "vrp8" and not is_alone:
        lines.append("routed_prefix_length: 30")
    changes = {
        **CHANGES[system]["demo"],
        OF_VLANS: "\n".join(f"  {line}" for line in lines),
        UNNUMBERED: f"{UNNUMBERED}, peering: {peering}",
        **({HOSTS: ""} if is_alone else {}),
    }
    folder.mkdir(exist_ok=True)
    return fabric_of(folder, "demo", changes)


@pytest.mark.parametrize("system", PLANS)
def test_both_families_reach_every_nic(tmp_path: Path, system: str) -> None:
    """By a route for each NIC of each family."""
    for plan in PLANS[system]:
        proof = prove(*_fabric(tmp_path / plan, system, plan))
        assert proof.breaches == (), plan
        assert proof.other is not None
        assert {proof.is_ipv6, proof.other.is_ipv6} == {True, False}
        for family in (proof, proof.other):
            assert (family.sessions, family.pairs, family.lost_pairs) == (16, 56, 0), plan


@pytest.mark.parametrize("system", PLANS)
def test_ipv6_stands_alone(tmp_path: Path, system: str) -> None:
    """Behind one prefix for each leaf and rail."""
    for plan in PLANS[system]:
        proof = prove(*_fabric(tmp_path / plan, system, plan, is_alone=True))
        assert proof.breaches == (), plan
        assert (proof.is_ipv6, proof.pairs, proof.lost_pairs) == (True, 56, 0), plan


@each("system", LINES)
def test_a_missing_line_is_named(tmp_path: Path, system: str) -> None:
    """Routes of IPv6 do not come with those of IPv4."""
    project, texts = _fabric(tmp_path / system, system, next(iter(PLANS[system])))
    files = texts["spine01"]
    kind = next(kind for kind, text in files.items() if re.search(LINES[system], text, re.DOTALL))
    shorter = {**files, kind: re.sub(LINES[system], "", files[kind], flags=re.DOTALL)}
    breaches = prove(project, {**texts, "spine01": shorter}).breaches
    assert "BAT004" in {breach.rule for breach in breaches}


def test_routes_of_the_other_family_are_not_judged(tmp_path: Path) -> None:
    """A session between addresses of one family can exchange routes of both."""
    project, texts = _fabric(tmp_path / "numbered", "vrp8", "numbered")
    files = texts["spine01"]
    own = files["running-config"]
    pairs = (("fd00:65::3", "10.254.0.1"), ("10.254.0.1", "fd00:65::3"))
    for session, other in pairs:
        line = f"  peer {session} enable\n"
        assert line in own
        own = own.replace(line, f"{line}  peer {other} enable\n", 1)
    breaches = prove(project, {**texts, "spine01": {**files, "running-config": own}}).breaches
    assert {(breach.rule, breach.message) for breach in breaches} == {
        ("BAT001", "not judged: IPv6 routes over the session 10.254.0.1"),
        ("BAT001", "not judged: IPv4 routes over the session fd00:65::3"),
    }
