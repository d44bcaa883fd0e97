"""Ports in a VLAN that no line of their switch makes, on every system."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.audit.planting import findings
from tests.prove.fabrics import example

#: By system: lines that make the VLAN, and its name.
VLANS = {
    "sonic": (r'("VLAN": \{)\s+"Vlan101": \{.*\}', r"\1", "101"),
    "eos": (r"^vlan 101\n(   .*\n)*", "", "101"),
    "nxos": (r"^vlan 101\n(  .*\n)*", "", "101"),
    "junos": (r"^set vlans RAIL0 .*\n", "", "RAIL0"),
    "vrp8": (r"^vlan batch .*\n", "", "101"),
    "comware7": (r"^vlan 101\n( .*\n)*", "", "101"),
    "esonic": (r"^interface Vlan101\n( .*\n)*", "", "101"),
}


def _leaf(system: str) -> str:
    texts = example("mixed")[1][f"{system}-leaf"]
    return next(iter(texts.values()))


@pytest.mark.parametrize("system", VLANS)
def test_a_vlan_without_its_line_is_named(system: str, tmp_path: Path) -> None:
    lines, left, name = VLANS[system]
    text, count = re.subn(lines, left, _leaf(system), flags=re.MULTILINE)
    assert count
    found = [one for one in findings(tmp_path, text) if one.rule == "AUD058"]
    assert [one.message for one in found] == [f"VLAN {name} does not exist, and 1 port is in it"]


@pytest.mark.parametrize(
    ("line", "rules"),
    [
        ("vtp mode server\n", {"AUD042"}),
        ("vlan 100-105\n", set()),
        ("vlan 4000\n", {"AUD058"}),
    ],
    ids=["a protocol makes VLANs", "a range", "another one"],
)
def test_other_lines_about_vlans(line: str, rules: set[str], tmp_path: Path) -> None:
    text = re.sub(VLANS["nxos"][0], line, _leaf("nxos"), flags=re.MULTILINE)
    every = findings(tmp_path, text)
    about = {one.rule for one in every if "AUD058" in one.message or one.rule == "AUD058"}
    assert about == rules


def test_no_vlan_is_missed(tmp_path: Path) -> None:
    """Where the bridge takes the VLAN of a port, and where the port is down."""
    cumulus = re.sub("nv set bridge domain br_default vlan.*\n", "", _leaf("cumulus"))
    assert "AUD058" not in {one.rule for one in findings(tmp_path, cumulus)}
    eos = re.sub("access vlan 101\n", "access vlan 101\n   shutdown\n", _leaf("eos"))
    eos = re.sub(VLANS["eos"][0], "", eos, flags=re.MULTILINE)
    assert "AUD058" not in {one.rule for one in findings(tmp_path, eos)}
