"""The networkx view has every cable once, with what docs/reference/graph.md promises."""

from __future__ import annotations

import re
import subprocess
import sys
from collections import Counter

import networkx as nx
import pytest

from fabric.topology import graph
from tests.topology.fabrics import EXAMPLES, REPOSITORY, example, fabric


@pytest.mark.parametrize("name", EXAMPLES)
def test_counts_degrees_and_connectivity(name: str) -> None:
    """Every host has its rails, every leaf its spines, and all hang together."""
    built = example(name)
    file = built.intent.fabric
    network = graph(built)
    assert network.number_of_nodes() == len(built.switches) + len(built.hosts)
    assert network.number_of_edges() == len(built.nics) + len(built.uplinks)
    assert nx.is_connected(network)
    links = file.spines.links_per_leaf
    kinds = Counter(kind for *_, kind in network.edges(data="kind"))
    assert kinds == {"nic": len(built.nics), "uplink": len(built.uplinks)}
    for node, data in network.nodes(data=True):
        if data["role"] == "host":
            assert network.degree[node] == built.rails
        elif data["role"] == "spine":
            assert network.degree[node] == built.switches.leaf_count * links
        else:
            hosts = len(built.nics_of_leaf(built.switch_row[node]))
            assert network.degree[node] == hosts + file.spines.count * links
    for near, far, key, data in network.edges(keys=True, data=True):
        assert set(data["ports"]) == set(data["addresses"]) == {near, far}
        device, _, port = key.partition(" ")
        assert data["ports"][device] == port
    keys = [key for *_, key in network.edges(keys=True)]
    assert len(set(keys)) == len(keys)


def test_attributes_of_the_demo() -> None:
    """Worked out by hand."""
    network = graph(example("demo"))
    assert network.graph == {"name": "demo"}
    assert network.nodes["su2-rail1"] == {
        "kind": "switch",
        "role": "leaf",
        "unit": "su2",
        "rail": 1,
        "pod": None,
        "plane": None,
        "asn": 65104,
        "loopback": "10.255.0.132",
        "platform": "sonic",
        "sku": "ACS-MSN4700",
    }
    assert network.nodes["spine01"]["rail"] is None
    assert network.nodes["gpu004"] == {"kind": "host", "role": "host", "unit": "su2", "slot": 1}
    assert network.edges["gpu004", "su2-rail1", "gpu004 eth2"] == {
        "kind": "nic",
        "ports": {"gpu004": "eth2", "su2-rail1": "Ethernet8"},
        "addresses": {"gpu004": "10.64.3.3/24", "su2-rail1": "10.64.3.1/24"},
        "rail": 1,
        "nic_port": 0,
        "rdma_device": "mlx5_2",
        "vlan": 102,
        "speed_gbps": 400,
        "cable_m": 5,
        "enabled": True,
    }
    assert network.edges["su2-rail1", "spine02", "su2-rail1 Ethernet136"] == {
        "kind": "uplink",
        "ports": {"su2-rail1": "Ethernet136", "spine02": "Ethernet4/1"},
        "addresses": {"su2-rail1": "10.254.1.131/31", "spine02": "10.254.1.130/31"},
        "speed_gbps": 400,
        "cable_m": 5,
        "enabled": True,
    }


def test_pods_and_ports_of_nics() -> None:
    """Super-spines are in no pod; the second port of a NIC is on the second leaf."""
    network = graph(example("three-tier"))
    assert network.nodes["west-spine02"]["pod"] == "west"
    assert network.nodes["core01"]["role"] == "super-spine"
    assert network.nodes["core01"]["pod"] is None
    network = graph(example("dual-plane"))
    assert network.nodes["spine-b01"]["plane"] == 1
    edge = network.edges["gpu01", "su1-rail0-b", "gpu01 eth2"]
    assert (edge["rail"], edge["nic_port"]) == (0, 1)
    assert not nx.has_path(
        nx.Graph(network).subgraph(s for s in network if "gpu" not in s), "spine-a01", "spine-b01"
    )


def test_cables_that_are_off_stay() -> None:
    """With ``enabled`` False."""
    network = graph(fabric("", "hosts:\n  - names: a1\n    nics: [{rail: 1, enabled: false}]\n"))
    off = [key for *_, key, data in network.edges(keys=True, data=True) if not data["enabled"]]
    assert off == ["a1 eth2"]


def test_the_document_names_every_attribute() -> None:
    """And no other."""
    results = {"name"}
    for network in map(graph, map(example, ("demo", "dual-stack"))):
        results |= {name for _, data in network.nodes(data=True) for name in data}
        results |= {name for *_, data in network.edges(data=True) for name in data}
    text = (REPOSITORY / "docs" / "reference" / "graph.md").read_text(encoding="utf-8")
    rows = [line.split("|")[2] for line in text.splitlines() if line.startswith("| ")]
    documented = {name for row in rows for name in re.findall(r"`(\w+)`", row)}
    assert documented == results


def test_networkx_is_loaded_when_it_is_asked_for() -> None:
    """The command line starts without it."""
    code = "import sys, fabric.topology; sys.exit('networkx' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], cwd=REPOSITORY, check=False)
    assert done.returncode == 0
