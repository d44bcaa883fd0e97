"""Proofs of whole fabrics, against routes that simulated routers agree on, written out."""

from __future__ import annotations

import random
from itertools import pairwise, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabric.intent.resolve import PolicyResolver
from fabric.qos.deadlock import prove
from fabric.qos.deadlock.lossless import floods
from fabric.topology.routes import Network, network
from tests.cases import examples
from tests.qos.deadlock.written import dependencies, find_cycle
from tests.topology.fabrics import EXAMPLES, example, fabric
from tests.topology.test_routes import simulated, travelled

#: Four leaves with two hosts each; ports of the leaves: 1-2 hosts, 17 and 18 to the spines.
SMALL = {
    "units": [{"name": "su1", "hosts": "a[1-2]"}, {"name": "su2", "hosts": "b[1-2]"}],
    "platforms": {
        "leaf": {"sku": "ACS-MSN4700", "host_ports": 16},
        "spine": {"sku": "ACS-MSN4700"},
    },
}
CUT1 = "  - {names: su1-rail0, ports: {Ethernet128: {enabled: false}}}\n"
CUT2 = "  - {names: su1-rail1, ports: {Ethernet136: {enabled: false}}}\n"
RAILS = [f"  - {{names: 'su[1-2]-rail{rail}', asn: {65101 + rail}}}\n" for rail in range(2)]
TWO_AS = "  - {names: spine02, asn: 65200}\n"
RING = {
    "spine02 Ethernet16 to su2-rail0 Ethernet136",
    "su2-rail0 Ethernet128 to spine01 Ethernet16",
    "spine01 Ethernet24 to su2-rail1 Ethernet128",
    "su2-rail1 Ethernet136 to spine02 Ethernet24",
}


def small(*devices: str, **changes):
    return fabric("devices:\n" + "".join(devices) if devices else "", **{**SMALL, **changes})


def names(proof) -> set[str]:
    return {str(channel) for channel in proof.cycle.channels}


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples_are_free(name):
    built = example(name)
    proof = prove(built)
    assert proof.free
    assert (proof.cycle, proof.bounce, proof.failure) == (None, None, "")
    assert proof.vertices == 2 * (len(built.uplinks) + len(built.nics))
    assert proof.failures_checked == len(built.uplinks) + len(built.switches)


def test_base_cycle_is_named_port_by_port():
    proof = prove(small(CUT1, CUT2, TWO_AS))
    assert (proof.free, proof.failure, proof.failures_checked) == (False, "", 0)
    assert names(proof) == RING
    ring = [*proof.cycle.channels, proof.cycle.channels[0]]
    assert all(near.target == far.source for near, far in pairwise(ring))
    assert {channel.priority for channel in ring} == {3}
    assert (proof.bounce.leaf, proof.bounce.failure) == ("su2-rail0", "")


def test_cycle_after_a_cable_failure():
    proof = prove(small(CUT1, TWO_AS))
    assert not proof.free
    assert proof.failure in {
        f"{leaf} Ethernet136 to spine02 Ethernet{port}"
        for leaf, port in (("su1-rail1", 8), ("su2-rail0", 16), ("su2-rail1", 24))
    }
    assert 0 < proof.failures_checked <= 7 + 6
    assert prove(small(CUT1, TWO_AS), failures=False).free


def test_cycle_after_a_switch_failure():
    """Leaf 0 misses spine 1, leaf 1 misses spine 0; both meet in spine 2 until it fails."""
    spines = {"count": 3, "links_per_leaf": 2}
    cut = (
        "  - {names: su1-rail0, ports: {Ethernet128: {enabled: false},"
        " Ethernet136: {enabled: false}}}\n"
        "  - {names: su1-rail1, ports: {Ethernet144: {enabled: false},"
        " Ethernet152: {enabled: false}}}\n"
    )
    own = "  - {names: spine02, asn: 65200}\n  - {names: spine03, asn: 65300}\n"
    proof = prove(small(cut, own, spines=spines))
    assert (proof.free, proof.failure) == (False, "spine03")


@pytest.mark.parametrize("devices", [(), (TWO_AS,), (CUT1, CUT2), (CUT1,)])
def test_free_cases(devices):
    proof = prove(small(*devices))
    assert proof.free
    assert proof.bounce is None
    assert proof.failures_checked == 8 - len(set(devices) & {CUT1, CUT2}) + 6


def test_bounce_without_a_cycle():
    """Only su2-rail0 has both spines: one leaf in the middle closes no circle."""
    cut = "  - {names: su2-rail1, ports: {Ethernet128: {enabled: false}}}\n"
    proof = prove(small(CUT1, CUT2, cut, TWO_AS))
    assert proof.free
    assert (proof.bounce.leaf, proof.bounce.failure) == ("su2-rail0", "")


def test_parallel_cables_survive_each_other():
    proof = prove(small(TWO_AS, spines={"count": 2, "links_per_leaf": 2}))
    assert proof.free
    assert proof.failures_checked == 16 + 6


def test_named_cable_is_one_that_is_up():
    cut = "".join(
        f"  - {{names: {leaf}, ports: {{Ethernet{port}: {{enabled: false}}}}}}\n"
        for leaf, *ports in (("su1-rail0", 128, 136), ("su1-rail1", 144, 152), ("su2-rail0", 128))
        for port in ports
    )
    proof = prove(small(cut, TWO_AS, spines={"count": 2, "links_per_leaf": 2}))
    assert "su2-rail0 Ethernet136 to spine01 Ethernet40" in names(proof)


def on_ports(text: str, *devices: str) -> str:
    return "".join(
        f"  - {{names: {device}, ports: {{{port}: {{lossless: {text}}}}}}}\n"
        for device, port in (item.split() for item in devices)
    )


def test_another_priority_on_one_cable_keeps_the_cycle():
    """Buffers wait for each other whatever the priority: the switch remaps at each port."""
    ends = "su2-rail0 Ethernet128", "spine01 Ethernet16"
    proof = prove(small(CUT1, CUT2, TWO_AS, on_ports("{pfc_priority: 4}", *ends)))
    assert names(proof) == RING
    marks = {str(channel): channel.priority for channel in proof.cycle.channels}
    assert marks.pop("su2-rail0 Ethernet128 to spine01 Ethernet16") == 4
    assert set(marks.values()) == {3}
    assert "(priorities 3, 4)" in str(proof.cycle)


@pytest.mark.parametrize("text", ["{pfc_priority: 4}", "{pfc: false}", "{roce_dscp: 30}"])
def test_cable_that_is_lossless_at_one_end_only_breaks_the_cycle(text):
    proof = prove(small(CUT1, CUT2, TWO_AS, on_ports(text, "su2-rail0 Ethernet128")))
    assert proof.free
    assert proof.vertices == 2 * (6 + 8) - 2


def test_other_dscp_is_another_kind_of_traffic():
    """Both ends agree on DSCP 30, but what comes in with DSCP 26 does not leave there lossless."""
    ends = "su2-rail0 Ethernet128", "spine01 Ethernet16"
    proof = prove(small(CUT1, CUT2, TWO_AS, on_ports("{roce_dscp: 30}", *ends)))
    assert proof.free
    assert proof.vertices == 2 * (6 + 8)


def test_hosts_have_their_own_policy():
    hosts = (
        "hosts:\n  - {names: a1, lossless: {pfc: false}}\n"
        "  - {names: a2, nics: [{rail: 1, enabled: false}]}\n"
    )
    built = fabric("", hosts, **SMALL)
    assert prove(built).vertices == 2 * (8 + 8 - 3)


def test_nothing_lossless_waits_for_nothing():
    proof = prove(small(CUT1, CUT2, TWO_AS, lossless__pfc=False))
    assert proof.free
    assert proof.vertices == 0


ALL_LEAVES = "su1-rail0,su1-rail1,su2-rail0,su2-rail1"


@pytest.mark.parametrize(
    "device",
    [
        f"  - {{names: '{ALL_LEAVES}', asn: 65100}}\n",
        (
            f"  - {{names: '{ALL_LEAVES}', ports: {{Ethernet128: {{enabled: false}},"
            " Ethernet136: {enabled: false}}}\n"
        ),
    ],
    ids=["every switch in one AS", "every uplink off"],
)
def test_fabric_without_routes_is_free(device):
    proof = prove(small(device))
    assert (proof.free, proof.bounce) == (True, None)


def cables_of(built) -> set[tuple[int, int]]:
    up = built.uplinks
    pairs = zip(up.lower.tolist(), up.upper.tolist(), up.enabled.tolist(), strict=True)
    return {(leaf, spine) for leaf, spine, enabled in pairs if enabled}


def routes_of(cables, net: Network, leaves: int, gone: int = -1, flood: bool = False):
    """Return all routes from host to host; ``flood`` adds copies."""
    hosts = {leaf: [f"h{leaf}{n}" for n in "ab"] for leaf in range(leaves)}
    routes = [[a, f"{x}", b] for x, own in hosts.items() for a in own for b in own if a != b]
    for column in set(range(leaves)) - {gone}:
        used = travelled(simulated(net, cables, column, random.Random(0)), leaves, column)
        partial = [[leaf] for leaf in range(leaves) if leaf != column]
        while partial:
            path = partial.pop()
            if path[-1] == column:
                ends = product(hosts[path[0]], hosts[column])
                routes += [[a, *map(str, path), b] for a, b in ends]
                routes += [[f"{path[-2]}", f"{column}", b] for b in hosts[column] if flood]
            else:
                partial += [[*path, far] for near, far in used if near == path[-1]]
    return routes


def written_out(cables, net: Network, leaves: int, gone: int = -1, flood: bool = False):
    """Return the dependencies of all routes from host to host; ``flood`` adds copies."""
    return dependencies(routes_of(cables, net, leaves, gone, flood))


@st.composite
def inventories(draw: st.DrawFn):
    """Return device overrides: cables that are off, and AS numbers; and what leaves allow."""
    spines = draw(st.integers(1, 3))
    ports = {
        leaf: draw(st.sets(st.integers(0, spines - 1), max_size=spines - 1))
        for leaf in ("su1-rail0", "su1-rail1", "su2-rail0", "su2-rail1")
    }
    lines = [
        f"  - {{names: {leaf}, ports: {{Ethernet{128 + 8 * spine}: {{enabled: false}}}}}}\n"
        for leaf, off in ports.items()
        for spine in off
    ]
    if draw(st.booleans()):
        lines += [f"  - {{names: spine0{n + 1}, asn: {65200 + n}}}\n" for n in range(spines)]
    lines += draw(st.sampled_from([[], [f"  - {{names: '{ALL_LEAVES}', asn: 65101}}\n"], RAILS]))
    return spines, lines, draw(st.integers(0, 2))


@given(inventories())
@examples(60)
def test_same_verdict_as_routes_written_out(case):
    """Where leaves share an AS number it may be more careful, unless all do and all spines do."""
    spines, lines, often = case
    links = {"count": spines, "links_per_leaf": 1}
    built = small(*lines, spines=links, bgp={"allowas_in": often})
    proof = prove(built)
    cables, net = cables_of(built), network(built)
    base = find_cycle(written_out(cables, net, 4))
    lost = [({cable}, -1) for cable in cables]
    lost += [({c for c in cables if row in c}, row) for row in range(len(net.asn))]
    bad = [
        (cut, row) for cut, row in lost if find_cycle(written_out(cables - cut, net, 4, gone=row))
    ]
    now, ases = prove(built, failures=False).free, len({*net.asn.tolist()})
    if ases == 2 or len({*net.asn[:4].tolist()}) == 4:
        assert now == (base is None)
        assert proof.free == (base is None and not bad)
    assert base is None or not now
    assert (base is None and not bad) or not proof.free
    if now and base is None and bad:
        assert proof.failure
        assert proof.failures_checked <= len(lost)


@given(inventories())
@examples(20)
def test_flooded_copies_add_no_dependency(case):
    spines, lines, often = case
    links = {"count": spines, "links_per_leaf": 1}
    built = small(*lines, spines=links, bgp={"allowas_in": often})
    cables, net = cables_of(built), network(built)
    assert written_out(cables, net, 4, flood=True) == written_out(cables, net, 4)


def flood_rows(built):
    result = floods(built, PolicyResolver(built.intent))
    return [(item.leaf, item.ports, item.uplinks) for item in result]


def test_floods_reach_the_lossless_ports_of_a_vlan():
    hosts = "hosts:\n  - {names: b1, nics: [{rail: 1, enabled: false}]}\n"
    built = fabric("devices:\n" + CUT1, hosts, **SMALL)
    assert flood_rows(built) == [*[("su1-rail0", 2, 1), ("su1-rail1", 2, 2), ("su2-rail0", 2, 2)]]


def test_no_floods_with_a_vlan_per_nic_or_without_pfc():
    assert flood_rows(small(addressing__vlan_per="nic", addressing__host_prefix_length=30)) == []
    assert flood_rows(small(lossless__pfc=False)) == []


def test_largest_vlan_of_a_classic_leaf():
    built = fabric(design="classic-tor", **SMALL)
    assert flood_rows(built) == [("su1-leaf", 2, 2), ("su2-leaf", 2, 2)]
