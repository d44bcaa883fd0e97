"""Parts of a fabric: counts come from the cabling, and what is not said is unknown."""

from __future__ import annotations

from shutil import copytree

import yaml
from hypothesis import given
from hypothesis import strategies as st

from fabric.intent.inventory import load
from fabric.report.bill import bill, spare_parts
from fabric.topology import realise
from fabric.topology.cable_types import panel_name, typed_cables
from tests.topology.fabrics import INVENTORY, example


def typed(folder, name, **cables):
    """Return an example whose cables have types."""
    copytree(INVENTORY / name, folder / name)
    path = folder / name / "fabric.yaml"
    data = yaml.safe_load(path.read_text())
    path.write_text(yaml.safe_dump({**data, "cables": {**data["cables"], **cables}}))
    return realise(load(folder / name))


def lines(fabric, kind, spare=0):
    return [row for row in bill(fabric, spare).records() if row["kind"] == kind]


def test_every_cable_and_switch_is_counted_once():
    fabric = example("rail-512-split")
    cables = lines(fabric, "cable")
    assert sum(row["count"] for row in cables) == len(list(typed_cables(fabric))) == 512 + 512
    assert sum(row["count"] for row in lines(fabric, "switch")) == len(fabric.switches) == 12
    assert [row["count"] for row in lines(fabric, "breakout")] == [12 * 64]
    assert [row["count"] for row in lines(fabric, "NIC")] == [512]


def test_unknown_types_are_not_guessed():
    listed = bill(example("demo"))
    rows = list(listed.records())
    assert {row["part"] for row in rows if row["kind"] == "cable"} == {"unknown"}
    assert not [row for row in rows if row["kind"] == "optic"]
    assert "the type of 16 cables is unknown" in listed.notes[0].message


def test_a_split_cage_has_one_module(tmp_path):
    fabric = typed(tmp_path, "rail-512-split", host_type="dr4", uplink_type="dr4")
    optics = {(row["system"], row["ends"]): row["count"] for row in lines(fabric, "optic")}
    # 8 leaves and 4 spines of 64 cages, two ports in each; a NIC port has its own module
    assert optics == {("ACS-SN5600", "2x400G"): 12 * 64, ("unknown", ""): 512}
    assert {row["reach_m"] for row in lines(fabric, "cable")} == {500}


def test_cables_with_fixed_ends_need_no_module(tmp_path):
    fabric = typed(tmp_path, "demo", host_type="dac", uplink_type="sr4")
    assert sum(row["count"] for row in lines(fabric, "optic")) == 2 * 8
    assert not bill(fabric).notes


def test_spare_parts_of_a_list():
    rows = lines(example("demo"), "switch", 10)
    assert [(row["count"], row["spare"], row["total"]) for row in rows] == [(4, 1, 5), (2, 1, 3)]


@given(st.integers(0, 10_000), st.integers(0, 100))
def test_spare_parts_are_rounded_up(count, percent):
    assert 0 <= spare_parts(count, percent) - count * percent / 100 < 1


def test_names_on_the_panel():
    fabric = example("rail-512-split")
    sku = fabric.switches.skus[0]
    assert [panel_name(sku, number) for number in (1, 2, 65, 66)] == ["1a", "1b", "33a", "33b"]
    assert panel_name(example("demo").switches.skus[0], 3) == "3"
