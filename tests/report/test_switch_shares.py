"""Where a switch sets shares of a port aside, the rendered shares stand beside those asked for."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
import yaml

from fabric.design.shares import reserves_of, share_words, switch_shares
from fabric.workflow.project import Project
from tests.cli.runs import run

if TYPE_CHECKING:
    from pathlib import Path

ECN = {"kmin_bytes": 763_224, "kmax_bytes": 1_526_448}


def _class(name: str, priority: int, dscp: int, percent: int) -> dict[str, object]:
    numbers = dict.fromkeys(("pfc_priority", "queue", "traffic_class", "priority_group"), priority)
    own = {"name": name, "dscps": [dscp], "scheduler_percent": percent, "ecn": dict(ECN)}
    return own | numbers


POLICY = {
    "classes": [_class("train", 3, 26, 25), _class("store", 4, 28, 25)],
    "scheduler": {"default_percent": 50},
}


@pytest.fixture
def junos(tmp_path: Path) -> str:
    """Return a fabric of Junos switches with two classes of a quarter each."""
    folder = tmp_path / "mine"
    words = ("--design", "rail-optimised", "--hosts", "8", "--leaf", "QFX5240-64OD")
    assert run("init", str(folder), *words).code == 0
    file = folder / "fabric.yaml"
    file.write_text(yaml.safe_dump(yaml.safe_load(file.read_text()) | {"lossless": POLICY}))
    return str(folder)


def test_shares_of_junos_sum_to_100_with_what_is_set_aside(junos: str) -> None:
    device = next(iter(Project(junos).devices.values()))
    shares = switch_shares(device, device.qos_profiles[0])
    assert shares == (45, (23, 22))
    assert sum((shares.default, *shares.lossless, *(r.percent for r in reserves_of(device)))) == 100


def test_other_systems_have_the_shares_of_the_inventory() -> None:
    device = Project("inventory/demo").devices["spine01"]
    assert switch_shares(device, device.qos_profiles[0]) == (50, (50,))
    assert share_words(device) == ""


@pytest.mark.parametrize(
    ("text", "note"),
    [
        ("transmit-rate percent 23", "of 100 %, 5 are for CNPs and 5 for network-control; "),
        ("transmit-rate percent 45", "divide the other 90 in whole percents"),
        ("fill-level", "rounded up, of 76,322,400 bytes"),
        ("explicit-congestion-notification", "1 percent is 763,224 bytes"),
    ],
)
def test_explain_says_how_a_value_comes_about(junos: str, text: str, note: str) -> None:
    notes = re.findall(r"^  note +(.*)", run("explain", junos, "spine01", text).out, re.MULTILINE)
    assert notes
    assert all(note in one for one in notes)


def test_the_cable_has_what_the_switch_has(junos: str) -> None:
    words = " ".join(run("show", "cable", junos, "gpu1:eth1").out.split())
    assert "share_percent of train 25 23 ok" in words
    assert "share_percent of store 25 22 ok" in words
    assert "25 in the inventory: of 100 %, 5 are for CNPs" in words
    assert "from 763224 to 1526448 bytes (1 to 2 percent on the switch)" in words
