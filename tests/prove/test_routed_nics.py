"""NICs on routed ports: what every system renders for them is proved."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.cases import each
from tests.prove.fabrics import prove
from tests.prove.test_systems import CHANGES, fabric_of

#: Ends of sessions, next hops and ordered pairs: two leaves of two NICs are away from each leaf.
COUNTED = {"nic": (16, 104, 56), "leaf": (16, 72, 56)}
OF_VLANS = "  host_prefix_length: 24\n  vlan_first: 101"
EOS = {"ACS-MSN4700": "7060X6-64PE"}


def plan(advertise: str = "leaf", length: int = 31) -> dict[str, str]:
    """Return what the example takes so that its NICs are on routed ports."""
    lines = ("vlan_per: none", f"advertise: {advertise}", f"routed_prefix_length: {length}")
    return {OF_VLANS: "\n".join(f"  {line}" for line in lines)}


@pytest.mark.parametrize("system", [*CHANGES, "sonic, eos"])
def test_every_nic_reaches_every_nic(tmp_path: Path, system: str) -> None:
    """By a route for each NIC, and by one for each leaf and rail; VRP8 has no /31."""
    own, length = CHANGES.get(system, {"demo": {}})["demo"], 30 if system == "vrp8" else 31
    for advertise, counted in COUNTED.items():
        (folder := tmp_path / advertise).mkdir()
        proof = prove(*fabric_of(folder, "demo", {**own, **plan(advertise, length)}))
        assert proof.breaches == ()
        assert (proof.sessions, proof.routes, proof.pairs) == counted
        assert proof.lost_pairs == 0


@pytest.mark.parametrize(
    ("pattern", "instead", "routes", "rules"),
    [
        (r" summary-only", "", 88, set()),
        (r"   aggregate-address.*\n", "", 80, set()),
        (r"aggregate-address 10\.64\.0\.0", "aggregate-address 10.65.0.0", 80, set()),
        (r"10\.64\.0\.0/31", "10.64.0.2/31", 72, {"BAT002", "BAT005", "BAT008", "BAT014"}),
        (r"(seq 20 permit 10\.64\.0\.0/16) ge 26", r"\1 ge 31", 72, set()),
        (r"(seq 20 permit 10\.64\.0\.0/16) ge 26", r"\1 eq 26", 64, {"BAT004", "BAT005"}),
        (r"redistribute connected.*", "", 56, {"BAT004", "BAT005"}),
    ],
)
def test_an_aggregate_is_what_the_switch_makes_of_it(
    tmp_path: Path, pattern: str, instead: str, routes: int, rules: set[str]
) -> None:
    """It stands while a subnet inside is announced, and hides what is inside where told to."""
    project, texts = fabric_of(tmp_path, "demo", {**EOS, **plan()})
    leaf, kind = "su1-rail0", "startup-config"
    text = re.sub(pattern, instead, texts[leaf][kind])
    assert text != texts[leaf][kind]
    proof = prove(project, {**texts, leaf: {**texts[leaf], kind: text}})
    assert proof.routes == routes
    assert {breach.rule for breach in proof.breaches} >= rules
    assert bool(proof.breaches) is bool(rules)


@each(
    ("switches", "line", "routes"),
    [
        # routes to two leaves are missing at one spine, whose own prefix is there in their place
        (["spine01"], "aggregate-address 10.64.0.0/25 summary-only", 70),
        (["spine01"], "aggregate-address 10.64.0.0/25", 76),
        (["spine01", "spine02"], "aggregate-address 10.64.0.0/25 summary-only", 68),
        (["spine01"], "aggregate-address 10.65.0.0/25 summary-only", 72),
        # two next hops on three leaves and one on each spine, beside those of the leaf's own prefix
        (["su1-rail0"], "aggregate-address 10.64.0.0/25 summary-only", 80),
    ],
)
def test_aggregates_take_in_what_a_switch_learnt(
    tmp_path: Path, switches: list[str], line: str, routes: int
) -> None:
    """As FRR has it in the real lab: an aggregate hides no other of its switch."""
    project, texts = fabric_of(tmp_path, "demo", {**EOS, **plan()})
    kind, after = "startup-config", r"(neighbor (?:LEAVES|SPINES) maximum-routes 0\n)"
    changed = {
        name: {kind: re.sub(after, rf"\1   {line}\n", texts[name][kind])} for name in switches
    }
    assert all(line in text[kind] for text in changed.values())
    proof = prove(project, {**texts, **changed})
    assert proof.routes == routes
    assert {breach.rule for breach in proof.breaches} <= {"BAT004"}
