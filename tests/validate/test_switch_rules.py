"""Rules about one switch say the same of it alone; other rules design no more than a few."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NoReturn

import pytest
from hypothesis import given

from fabric.core.findings import Finding
from fabric.design.designs import Designs
from fabric.design.lazy import Lazy
from fabric.design.switch import SwitchDesigner
from fabric.intent.resolve import PolicyResolver
from fabric.validate.places import Places
from fabric.validate.rule import ModelRule, SwitchRule
from fabric.validate.runner import all_rules
from fabric.validate.world import Model
from tests.cases import examples
from tests.topology.random_fabrics import fabrics
from tests.validate.worlds import build

if TYPE_CHECKING:
    from pathlib import Path

    from fabric.topology import Fabric

PODS = {
    "host.container_mode": "macvlan",
    "kubernetes.tools_image": "tools",
    "kubernetes.pod_starts_per_hour": 3600,
    "addressing.vlan_per": "nic",
    "addressing.host_prefix_length": 27,
    "addressing.hosts": "10.64.0.0/12",
}
BAD = {
    "arp.mac_ageing_s": 200,
    "bgp.leaf_asn_first": 65_535,
    "bgp.max_paths": 1,
    "cables.host_m": 300,
    "ecmp": {"mode": "per-packet", "hash_queue_pairs": True},
    "lossless.dynamic_th": -6,
    "lossless.ecn.kmin_bytes": 1500,
    "lossless.mtu.port_bytes": 9000,
    "lossless.pfc_priority": 2,
    "lossless.watchdog": {"action": "forward", "detection_ms": 100, "restoration_ms": 100},
}
OF_A_PORT = """\
devices:
  - names: su1-rail0
    loopback: 10.1.2.3
    ports:
      Ethernet0: {lossless: {ecn: {kmin_bytes: 100}, mtu: {port_bytes: 1500}}}
      Ethernet8: {cable_m: 3000}
"""
CASES: dict[str, dict[str, Any]] = {
    "every system": {"base": "mixed", "set": BAD},
    "three tiers": {"base": "three-tier"},
    "many switches": {"base": "rail-512", "set": BAD},
    "pods": {"base": "demo", "set": PODS},
    "a port": {"base": "demo", "files": {"devices/port.yaml": OF_A_PORT}, "set": BAD},
    "unlike hosts": {"base": "demo", "set": {"host.static_neighbours": True, "bgp.allowas_in": 1}},
}
#: Designs that a rule about the whole fabric may ask for: one of each system, or of each override.
FEW = 10
RULES = [rule for rule in all_rules() if isinstance(rule, ModelRule)]
SWITCH_RULES = [rule for rule in RULES if isinstance(rule, SwitchRule)]
OTHER_RULES = [rule for rule in RULES if not isinstance(rule, SwitchRule)]


def model(case: str, folder: Path) -> Model:
    built = build(CASES[case], folder).model
    assert built
    return built


@pytest.mark.parametrize("case", CASES)
def test_a_switch_alone_gets_the_same_findings(case: str, tmp_path: Path) -> None:
    whole = model(case, tmp_path)
    together = {rule.id: list(rule.check(whole)) for rule in SWITCH_RULES}
    fresh = Designs(tmp_path)
    places = Places(fresh.intent, fresh.fabric, fresh.resolver)
    alone: dict[str, list[Finding]] = {rule.id: [] for rule in SWITCH_RULES}
    for name in fresh.fabric.switches.names:
        device = fresh.devices[name]
        for rule in SWITCH_RULES:
            alone[rule.id] += rule.check_switch(places, device)
    assert alone == together
    wrong = sum(map(bool, alone.values()))
    assert wrong >= 30 or case != "every system", f"only {wrong} rules have findings to compare"


class Asked(Mapping[str, Any]):
    """Designs that are made when they are asked for by name; all at once is too many."""

    def __init__(self, designs: Mapping[str, Any]) -> None:
        self._designs = designs
        self.names: set[str] = set()

    def __getitem__(self, name: str) -> Any:
        self.names.add(name)
        return self._designs[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._designs)

    def __len__(self) -> int:
        return len(self._designs)

    def values(self) -> NoReturn:
        pytest.fail("all designs are asked for at once")

    items = values


@pytest.mark.parametrize("case", CASES)
def test_no_other_rule_asks_for_all_designs(case: str, tmp_path: Path) -> None:
    whole = model(case, tmp_path)
    for rule in OTHER_RULES:
        designs = Asked(whole.devices), Asked(whole.hosts)
        found = list(rule.check(replace(whole, devices=designs[0], hosts=designs[1])))
        assert found == list(rule.check(whole)), rule.id
        for asked in (len(one.names) for one in designs):
            assert asked <= FEW, f"{rule.id} asks for {asked} designs"


def kinds_by_loop(model: Model) -> list[tuple[object, ...]]:
    """Return the kinds of lossless buffers, from the designs of all switches."""
    first: dict[tuple[str, int], tuple[str, str, object]] = {}
    ports: Counter[tuple[str, int]] = Counter()
    switches: Counter[tuple[str, int]] = Counter()
    for device in model.devices.values():
        own = [(port.kind, id(port.headroom)) for port in device.ports if port.headroom]
        ports.update(own)
        switches.update(set(own))
        for port in device.ports:
            if port.headroom:
                key = port.kind, id(port.headroom)
                first.setdefault(key, (device.name, port.name, port.headroom))
    return [(*first[key], ports[key], switches[key]) for key in first]


def kinds(model: Model) -> list[tuple[object, ...]]:
    return [
        (one.device.name, one.port.name, one.headroom, one.ports, one.switches)
        for one in model.lossless_kinds
    ]


@pytest.mark.parametrize("case", CASES)
def test_kinds_of_lossless_buffers(case: str, tmp_path: Path) -> None:
    """Few designs tell as much as all of them."""
    whole = model(case, tmp_path)
    assert kinds(whole) == kinds_by_loop(whole)


@examples(40)
@given(fabrics())
def test_kinds_of_lossless_buffers_of_random_fabrics(fabric: Fabric) -> None:
    resolver = PolicyResolver(fabric.intent)
    devices = Lazy(fabric.switch_row, SwitchDesigner(fabric, resolver).design)
    whole = Model(fabric.intent, fabric, resolver, devices, {})
    assert kinds(whole) == kinds_by_loop(whole)
