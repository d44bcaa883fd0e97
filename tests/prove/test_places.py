"""A finding about a line of a file names the inventory value that the line is rendered from."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from fabric.workflow.project import Project
from fabric.workflow.prove import Request, prove

MIXED = Path("inventory/mixed").absolute()

#: Switch, pattern and replacement in its file, rule, inventory value.
LINES = {
    "VLAN of a port": (
        "eos-leaf",
        r"access vlan 101",
        "access vlan 999",
        "BAT002",
        "fabric.units[2]",
    ),
    "AS of a neighbour": (
        *("cumulus-leaf", r"remote-as \d+", "remote-as 65999", "BAT003"),
        "fabric.bgp.spine_asn",
    ),
    "neighbour": (
        "junos-leaf",
        r"peer-as \d+",
        "peer-as 65999",
        "BAT003",
        "fabric.addressing.uplinks",
    ),
    "gateway": (
        *("nxos-leaf", r"ip address 10\.64\.\d+\.1/24", "ip address 10.99.0.1/24", "BAT014"),
        "fabric.addressing.hosts",
    ),
    "MTU": ("eos-leaf", r"   mtu 9100", "   mtu 1500", "BAT009", "fabric.lossless.mtu.port_bytes"),
}


@pytest.fixture(scope="module")
def project() -> Project:
    return Project(MIXED)


def test_a_failure_adds_nothing_to_paths_beyond_a_limit(tmp_path: Path) -> None:
    """Three of four uplinks of a leaf are offered then, of which the file still uses two."""
    text = (MIXED.parent / "a100-pcie" / "fabric.yaml").read_text(encoding="utf-8")
    text = text.replace("links_per_leaf: 1", "links_per_leaf: 2")
    text = text.replace("bgp: {", "bgp: {max_paths: 2, ")
    (tmp_path / "fabric.yaml").write_text(text, encoding="utf-8")
    found = prove(Project(tmp_path), Request(kinds=("link",))).outcome.findings
    assert {item.rule for item in found} == {"BAT013"}


@pytest.mark.parametrize("name", LINES)
def test_the_value_behind_a_line(name: str, project: Project, tmp_path: Path) -> None:
    switch, pattern, replacement, rule, field = LINES[name]
    for artefacts in project.switch_artefacts.values():
        for artefact in artefacts:
            text = artefact.text
            if artefact.device == switch:
                text = re.sub(pattern, replacement, text, count=1)
            file = tmp_path / artefact.path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
    proved = prove(project, Request(folder=tmp_path))
    fields = {item.field: item.position for item in proved.outcome.findings if item.rule == rule}
    assert field in fields, fields
    position = fields[field]
    assert position
    assert position.line
