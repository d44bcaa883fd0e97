"""Pairs of hosts that may talk: tenants, services, and NICs without a tenant."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

from fabric.topology.clos import clos, failed
from fabric.topology.impact import impact
from fabric.topology.outages import outage
from fabric.topology.paths import Layers
from fabric.workflow.project import Project
from tests.cases import each

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


@each("name", TEXTS)
def test_pairs_that_may_talk(tmp_path: Path, name: str) -> None:
    """NIC by NIC, as one would count by hand."""
    edits, before = TEXTS[name]
    fabric = project(tmp_path, edits).fabric
    tenants, network = fabric.tenants, clos(fabric)
    assert tenants is not None

    def pairs(net) -> set[tuple[int, int]]:
        reach = Layers.of(net).reach
        nics = [(net.nics.host[n], n, net.nics.leaf[n]) for n in net.nics.up.nonzero()[0]]
        talk = set()
        for (host, nic, leaf), (other_host, other, far) in combinations(nics, 2):
            mine, other_tenant = (int(tenants.of_nic[n]) for n in (nic, other))
            may = mine == other_tenant or (mine >= 0 and other_tenant in tenants.partners(mine))
            near = leaf == far or (reach[leaf, far] and not (tenants.is_local and mine >= 0))
            if host != other_host and may and near:
                talk.add((int(host), int(other_host)))
        return talk

    assert len(pairs(network)) == before
    for word in FAILURES:
        lost = outage(fabric, [word])
        cut = len(pairs(network) - pairs(failed(network, lost)))
        assert impact(network, lost, tenants).host_pairs == (before, cut), word
