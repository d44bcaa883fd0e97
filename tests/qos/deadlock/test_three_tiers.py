"""Proofs of three tiers, against routes that simulated routers agree on, written out."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabric.qos.deadlock import prove
from fabric.topology import Fabric
from fabric.topology.routes import network
from tests.cases import examples
from tests.qos.deadlock.test_proof import cables_of, written_out
from tests.qos.deadlock.written import find_cycle
from tests.topology.fabrics import example, fabric

#: Two pods of two racks; ports of a leaf: 17 and 18 to the spines; of a spine: 1 and 2 to the
#: leaves, 17 and 18 to the super-spines.
PODS: dict[str, Any] = {
    "design": "classic-tor",
    "units": [
        {"name": f"r{number}", "pod": f"p{1 + number // 2}", "hosts": f"h{number}[1-2]"}
        for number in range(4)
    ],
    "spines": {"count": 2},
    "super_spines": {"count": 2, "spines_per_pod": 2},
    "platforms__super_spine": {"sku": "ACS-MSN4700"},
    "addressing__core_links": "10.253.0.0/16",
}
LEAVES = [f"r{number}-leaf" for number in range(4)]
SPINES = [f"p{pod}-spine0{number}" for pod in (1, 2) for number in (1, 2)]


def made_of(*devices: str) -> Fabric:
    return fabric("devices:\n" + "".join(devices) if devices else "", **PODS)


@pytest.mark.parametrize("name", ["rail-only", "dual-tor", "dual-plane", "three-tier", "explicit"])
def test_examples_are_free(name: str) -> None:
    built = example(name)
    proof = prove(built)
    assert (proof.free, proof.cycle, proof.bounce) == (True, None, None)
    assert proof.vertices == 2 * (len(built.uplinks) + len(built.nics))
    assert proof.failures_checked == len(built.uplinks) + len(built.switches)


def test_own_as_numbers_of_spines_let_pauses_run_in_a_circle() -> None:
    """One cable is off in each of three places, and then one more fails."""
    cut = [
        f"  - {{names: {name}, ports: {{Ethernet{port}: {{enabled: false}}}}}}\n"
        for name, port in (("p1-spine01", 128), ("r1-leaf", 136), ("r2-leaf", 128))
    ]
    own = [f"  - {{names: {name}, asn: {65300 + n}}}\n" for n, name in enumerate(SPINES)]
    one_as = prove(made_of(*cut))
    assert (one_as.free, one_as.bounce) == (True, None)
    proof = prove(made_of(*cut, *own))
    assert not proof.free
    assert proof.failure
    assert proof.cycle is not None
    assert any(channel.source.startswith("core") for channel in proof.cycle.channels)
    assert any(channel.source.endswith("-leaf") for channel in proof.cycle.channels)


@st.composite
def inventories(draw: st.DrawFn) -> tuple[list[str], bool]:
    """Return device overrides, and whether the proof is exact for them.

    Cables are off in both tiers. Where every spine has its own AS number and the super-spines share
    one, which of two equal paths is told decides; the proof then counts them all.
    """
    lines = [
        f"  - {{names: {name}, ports: {{Ethernet{128 + 8 * draw(st.integers(0, 1))}: "
        "{enabled: false}}}\n"
        for name in draw(st.sets(st.sampled_from([*LEAVES, *SPINES]), max_size=5))
    ]
    own_spines, own_cores = draw(st.booleans()), draw(st.booleans())
    if own_spines:
        lines += [f"  - {{names: {name}, asn: {65300 + n}}}\n" for n, name in enumerate(SPINES)]
    if own_cores:
        lines.append("  - {names: core02, asn: 64513}\n")
    return lines, own_cores or not own_spines


@given(inventories())
@examples(12)
def test_same_verdict_as_routes_written_out(case: tuple[list[str], bool]) -> None:
    lines, exact = case
    built = made_of(*lines)
    cables, net = cables_of(built), network(built)
    base = find_cycle(written_out(cables, net, 4))
    lost = [({cable}, -1) for cable in cables]
    lost += [({c for c in cables if row in c}, row) for row in range(len(net.asn))]
    bad = any(find_cycle(written_out(cables - cut, net, 4, gone=row)) for cut, row in lost)
    now, later = prove(built, failures=False).free, prove(built).free
    if exact:
        assert (now, later) == (base is None, base is None and not bad)
    assert base is None or not now
    assert (base is None and not bad) or not later
