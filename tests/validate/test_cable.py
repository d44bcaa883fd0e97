"""Both ends of a cable: each line finds its own fault, every kind of cable is looked at once."""

from __future__ import annotations

import dataclasses
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from fabric.design.host_model import NicAddress
from fabric.intent.classes import LosslessClass
from fabric.validate.cable import Cable, cable_of, fec_verdict
from fabric.validate.ends import nic_cables
from fabric.validate.world import Model
from fabric.workflow.project import Project
from tests.cases import each
from tests.nics import addressed
from tests.validate.worlds import ROOT, build


def model_of(name: str) -> Model:
    """Return the model of an example."""
    project = Project(ROOT / "inventory" / name)
    return project.model


@pytest.fixture(scope="module")
def cable() -> Cable:
    return cable_of(model_of("demo"), 0)


def verdicts(cable: Cable, word: str = "wrong") -> set[str]:
    """Return the items with a verdict."""
    return {line.item for line in cable.lines() if line.verdict == word}


def changed(cable: Cable, part: str, **fields: Any) -> Cable:
    """Return the cable with some fields of ``nic``, ``port`` or their qos changed."""
    first, _, second = part.partition(".")
    old = getattr(cable, first)
    if second:
        qos = getattr(old, second)
        if set(fields) & CLASS:
            fields = {"classes": (replace(qos.classes[0], **fields), *qos.classes[1:])}
        fields = {second: replace(qos, **fields)}
    if first == "nic" and set(fields) <= ADDRESS:
        return replace(cable, nic=addressed(old, **fields))
    return replace(cable, **{first: replace(old, **fields)})


ADDRESS = {one.name for one in dataclasses.fields(NicAddress)}
CLASS = {one.name for one in dataclasses.fields(LosslessClass)}
WRONG = [
    ("nic", {"leaf_port": "Ethernet8"}, {"peer"}),
    ("port", {"peer": "gpu002"}, {"peer of the port"}),
    ("nic", {"speed_gbps": 200}, {"speed_gbps"}),
    ("port", {"cable_m": 30}, {"cable_m"}),
    ("port", {"fec": "none"}, {"fec"}),
    ("nic", {"mtu_bytes": 9101}, {"mtu_bytes"}),
    ("nic", {"vlan": 7}, {"vlan"}),
    ("nic", {"network": "10.64.9.0/24"}, {"subnet"}),
    ("nic", {"gateway": "10.64.0.9"}, {"gateway"}),
    ("port", {"vlan": 102}, {"vlan", "subnet", "gateway"}),
    ("nic.qos", {"dscps": (24,)}, {"roce_dscp"}),
    ("nic.qos", {"traffic_class_byte": 108}, {"traffic class byte"}),
    ("nic.qos", {"cnp_dscp": 4}, {"cnp_dscp"}),
    ("nic.qos", {"dscp_to_priority": ((26, 3), (48, 6))}, {"lossless DSCPs"}),
    ("nic.qos", {"cnp_priority": 5}, {"CNPs have priority"}),
    ("nic.qos", {"tsa": ("ets",) * 8}, {"CNPs have priority"}),
    ("nic.qos", {"pfc": (0,) * 8}, {"pause by the switch", "pause by the host"}),
    ("port.qos", {"pfc_priority": 4}, {"pause by the switch", "pause by the host"}),
    ("port.qos", {"traffic_class": 4}, {"lossless DSCPs"}),
    ("port.qos", {"pmax_percent": 0}, {"ECN"}),
    ("nic", {"cable_m": 1000}, {"cable_m", "headroom of the host"}),
    ("port", {"qos": None}, {"lossless"}),
]


def test_a_good_cable_has_nothing_wrong(cable):
    assert verdicts(cable) == set()


@each(("part", "fields", "items"), WRONG)
def test_each_line_finds_its_fault(cable, part, fields, items):
    assert verdicts(changed(cable, part, **fields)) == items


def test_numbers_of_one_device_differ_without_a_fault(cable):
    other = changed(cable, "port.qos", cnp_traffic_class=5)
    assert verdicts(other) == set()
    assert "class of CNPs" in verdicts(other, "note")


def test_traffic_class_bytes_of_one_dscp_are_explained(cable):
    note = next(line.note for line in cable.lines() if line.item == "traffic class byte")
    assert note.startswith("104 and 106 both mean DSCP 26")
    for byte in (105, 106, 107):
        assert verdicts(changed(cable, "nic.qos", traffic_class_byte=byte)) == set()


def test_a_switch_without_a_law_is_unknown(cable):
    assert "headroom of the switch" in verdicts(changed(cable, "port", headroom=None), "unknown")


def with_nic(cable: Cable, **fields: Any) -> Cable:
    """Return the cable with other traits of the NIC."""
    traits = cable.host.traits
    nic = traits.nic.model_copy(update=fields)
    return replace(cable, host=replace(cable.host, traits=traits.model_copy(update={"nic": nic})))


@pytest.mark.parametrize(
    ("storm_ms", "word"), [(None, "note"), (100, "ok"), (399, "ok"), (400, "note"), (8000, "note")]
)
def test_the_nic_gives_up_before_the_switch(cable, storm_ms, word):
    assert "pause storm" in verdicts(with_nic(cable, pause_storm_ms=storm_ms), word)


def test_other_drivers_have_no_known_formula(cable):
    assert "headroom of the host" in verdicts(with_nic(cable, driver="bnxt"), "unknown")


@pytest.mark.parametrize(
    ("driver", "firmware_file", "word"),
    [("mlx5-ofed", False, "ok"), ("mlx5", False, "note"), ("mlx5", True, "ok")],
)
def test_the_driver_of_the_kernel_does_not_turn_dcqcn_on(cable, driver, firmware_file, word):
    own = with_nic(cable, driver=driver, firmware_file=firmware_file)
    (line,) = (line for line in own.lines() if line.item == "ECN")
    assert (line.verdict, "ROCE_CC_PRIO_MASK_P1" in line.note) == (word, word == "note")


def test_a_host_without_rdma_has_no_lossless_lines(cable):
    other = replace(cable, host=replace(cable.host, no_lossless="reason"))
    items = [line.item for line in other.lines()]
    assert items[-1] == "lossless"
    assert "roce_dscp" not in items
    assert verdicts(other) == set()


@pytest.mark.parametrize(
    ("fec", "speed_gbps", "word"),
    [
        ("", 400, "ok"),
        ("rs", 100, "ok"),
        ("none", 100, "note"),
        ("fc", 25, "note"),
        ("none", 200, "wrong"),
        ("fc", 800, "wrong"),
    ],
)
def test_fec(fec, speed_gbps, word):
    assert fec_verdict(fec, speed_gbps)[0] == word


def test_every_kind_of_cable_is_looked_at_once(tmp_path):
    files = {
        "hosts/a.yaml": "hosts:\n  - names: gpu002\n    nics: [{rail: 0, cable_m: 30}]\n"
        "  - names: gpu003\n    traits: {static_neighbours: true}\n"
        "  - names: gpu004\n    nics: [{rail: 1, enabled: false}]\n",
        "devices/b.yaml": "devices:\n  - {names: su1-rail1, ports: {Ethernet0: {fec: fc}}}\n",
    }
    model = build({"base": "demo", "files": files}, tmp_path).model
    found = dict(nic_cables(model.fabric, model.resolver))
    # plain: gpu001 eth1, gpu002 eth2, gpu004 eth1; longer; other FEC; two of gpu003; one is off
    assert found == {0: 3, 1: 1, 2: 1, 4: 2}


def test_all_nics_of_a_large_fabric_are_few_kinds():
    model = model_of("rail-512")
    found = list(nic_cables(model.fabric, model.resolver))
    assert sum(count for _, count in found) == np.count_nonzero(model.fabric.nics.enabled)
    assert len(found) < 10
