"""Even traffic: what comes in goes out, and nothing has more than its speed."""

from __future__ import annotations

import numpy as np
import pytest

from fabric.qos.storm.traffic import traffic
from tests.topology.fabrics import EXAMPLES, example, fabric

ALL = (*EXAMPLES, "dual-tor", "three-tier", "rail-only")


def rail(built, nic: int):
    nics = built.nics
    return np.flatnonzero((nics.rail == nics.rail[nic]) & (nics.nic_port == nics.nic_port[nic]))


def line_rates(built, rows) -> np.ndarray:
    return built.nics.speed_gbps[rows] * 1e9 / 8


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("everyone", [False, True])
def test_a_nic_gets_what_the_others_send_to_it(name, everyone):
    built = example(name)
    rows = rail(built, 0)
    if everyone and name != "rail-only":
        rows = np.arange(len(built.nics))
    flow = traffic(built, 0, rows)
    others = rows[rows != 0]
    expected = flow.scale * line_rates(built, others).sum() / len(others)
    assert flow.to_nic.sum() == pytest.approx(expected)
    assert 0 < flow.scale <= 1


@pytest.mark.parametrize("name", ["demo", "rail-512", "three-tier"])
def test_what_goes_up_comes_down(name):
    """Bytes that leave leaves over links arrive at leaves over links, tier by tier."""
    built = example(name)
    flow = traffic(built, 0, np.arange(len(built.nics)))
    leaves = built.switches.leaf_count
    sent = sum(flow.onward[leaf].sum() for leaf in range(leaves))
    on_links = np.zeros(len(flow.links))
    for switch, links in enumerate(flow.links_of):
        on_links[links] += flow.onward[switch].sum(axis=0)
    arriving = on_links[flow.links.target < leaves].sum()
    assert sent == pytest.approx(arriving)
    apart = built.nics.leaf[:, None] != built.nics.leaf
    expected = flow.scale * (line_rates(built, slice(None)) * apart.mean(axis=1)).sum()
    assert sent == pytest.approx(expected * len(built.nics) / (len(built.nics) - 1))


def test_no_link_has_more_than_its_speed():
    built = fabric("", spines={"count": 1, "links_per_leaf": 1})
    flow = traffic(built, 0, np.arange(len(built.nics)))
    loads = np.zeros(len(flow.links))
    for switch, links in enumerate(flow.links_of):
        loads[links] += flow.onward[switch].sum(axis=0)
    assert flow.scale < 1
    assert loads.max() == pytest.approx(400e9 / 8)


def test_destinations_are_worked_out_in_parts(monkeypatch):
    """Memory is bounded: one leaf at a time gives the same rates."""
    built = example("demo")
    rows = np.arange(len(built.nics))
    whole = traffic(built, 0, rows)
    monkeypatch.setattr("fabric.qos.storm.traffic._CHUNK", 1)
    parts = traffic(built, 0, rows)
    assert np.allclose(whole.to_nic, parts.to_nic)
    for one, other in zip(whole.onward, parts.onward, strict=True):
        assert np.allclose(one, other)
