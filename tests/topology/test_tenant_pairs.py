"""Pairs of hosts that may talk: tenants, services, and NICs without a tenant."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path
from types import SimpleNamespace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from fabric.intent.tenancy_model import Tenancy, Tenant
from fabric.topology.clos import Clos, Outage, clos, failed
from fabric.topology.impact import impact
from fabric.topology.outages import outage
from fabric.topology.paths import Layers
from fabric.topology.tenants import Tenants
from fabric.workflow.project import Project
from tests.cases import each, examples
from tests.topology import layered

EXAMPLE = Path(__file__).parents[2] / "inventory" / "tenants"
_BLUE = "blue, id: 18, hosts: gpu002, nics: {gpu004: [0]}"

#: What the example says instead, and its pairs of hosts that may talk.
TEXTS: dict[str, tuple[dict[str, str], int]] = {
    "two tenants": ({}, 2),
    "a service": (
        {"id: 17, hosts": "id: 17, services: [blue], hosts", _BLUE: f"{_BLUE}, shared: true"},
        6,
    ),
    "hosts without a tenant": (
        {"unassigned: quarantine": "unassigned: keep", _BLUE: "blue, id: 18, nics: {gpu004: [0]}"},
        2,
    ),
    "local": ({"form: evpn": "form: local"}, 0),
    "local, and hosts without a tenant": (
        {
            "form: evpn": "form: local",
            "unassigned: quarantine": "unassigned: keep",
            _BLUE: "blue, id: 18, nics: {gpu004: [0]}",
        },
        1,
    ),
}
FAILURES = ("switch:su1-rail0", "rack:su2", "host:gpu003", "spine[01-02]", "gpu001:eth2")


def project(folder: Path, edits: dict[str, str]) -> Project:
    """Return the example with other words."""
    text = (EXAMPLE / "fabric.yaml").read_text()
    for old, new in edits.items():
        assert old in text
        text = text.replace(old, new)
    (folder / "fabric.yaml").write_text(text)
    return Project(folder)


def nic_pairs(net: Clos, tenants: Tenants) -> set[tuple[int, int]]:
    """Return the pairs of NICs that are up and reach each other as tenants allow."""
    reach, leaf = Layers.of(net).reach, net.nics.leaf.tolist()
    pairs = set()
    for nic, other in combinations(net.nics.up.nonzero()[0].tolist(), 2):
        mine, its = (int(tenants.of_nic[n]) for n in (nic, other))
        may = mine == its or (mine >= 0 and its in tenants.partners(mine))
        far = reach[leaf[nic], leaf[other]] and not (tenants.is_local and mine >= 0)
        if may and (leaf[nic] == leaf[other] or far):
            pairs.add((nic, other))
    return pairs


def host_pairs(net: Clos, pairs: set[tuple[int, int]]) -> set[tuple[int, int]]:
    """Return the pairs of different hosts that have some pairs of NICs."""
    ends = {(int(net.nics.host[nic]), int(net.nics.host[other])) for nic, other in pairs}
    return {(host, other) for host, other in ends if host != other}


@each("name", TEXTS)
def test_pairs_that_may_talk(tmp_path: Path, name: str) -> None:
    """NIC by NIC, as one would count by hand."""
    edits, before = TEXTS[name]
    fabric = project(tmp_path, edits).fabric
    tenants, network = fabric.tenants, clos(fabric)
    assert tenants is not None
    pairs = host_pairs(network, nic_pairs(network, tenants))
    assert len(pairs) == before
    for word in FAILURES:
        lost = outage(fabric, [word])
        now = failed(network, lost)
        cut = len(pairs - host_pairs(now, nic_pairs(now, tenants)))
        assert impact(network, lost, tenants).host_pairs == (before, cut), word


@st.composite
def outages_of_tenants(draw: st.DrawFn) -> tuple[Clos, Outage, Tenants]:
    """Return a network, what fails of it, and three tenants of any of its NICs."""
    network = draw(layered.networks())
    switches = st.sets(st.integers(0, len(network.tier) - 1), max_size=3)
    nics = st.sets(st.integers(0, len(network.nics) - 1), max_size=4)
    lost = layered.outage(network, switches=draw(switches), nics=draw(nics))
    form = draw(st.sampled_from(["evpn", "local"]))
    services = draw(st.sampled_from([(), ("t2",)]))
    items = [Tenant(name=f"t{n}", id=n + 1, services=() if n else services) for n in range(3)]
    located = tuple(SimpleNamespace(value=item) for item in items)
    size = len(network.nics)
    owner = draw(st.lists(st.integers(-1, 2), min_size=size, max_size=size))
    return network, lost, Tenants(located, Tenancy(form=form), np.array(owner))


@given(outages_of_tenants())
@examples(40)
def test_what_each_tenant_loses(case: tuple[Clos, Outage, Tenants]) -> None:
    """Pairs of all hosts, and of NICs and hosts inside each tenant, one by one."""
    network, lost, tenants = case
    now = failed(network, lost)
    before, after = (nic_pairs(net, tenants) for net in (network, now))
    hit = impact(network, lost, tenants)
    talk, left = host_pairs(network, before), host_pairs(now, after)
    assert hit.host_pairs == (len(talk), len(talk - left))
    assert hit.tenants is not None
    for row in range(len(tenants)):
        own, own_left = (
            {pair for pair in pairs if (tenants.of_nic[[*pair]] == row).all()}
            for pairs in (before, after)
        )
        cut = host_pairs(network, own) - host_pairs(now, own_left)
        up = {pair for pair in own - own_left if now.nics.up[[*pair]].all()}
        assert (hit.tenants.hosts_cut[row], hit.tenants.nics_cut[row]) == (len(cut), len(up))
