"""Ends of cables that LLDP saw: outputs saved next to configurations."""

from __future__ import annotations

import json
import re
from pathlib import Path

from fabric.core.findings import Finding
from fabric.workflow.audit import audit
from tests.prove.fabrics import example

_, TEXTS = example("demo")
SPINE = TEXTS["spine01"]["startup-config"]
LEAF = TEXTS["su1-rail0"]["config_db"]
#: The cable of the design: spine01 Ethernet1/1 to su1-rail0 Ethernet256.
PORT = re.search(r"interface (\S+)\n   description su1-rail0 (\S+)", SPINE)
assert PORT
OWN, FAR = PORT.groups()


def lldp(port: str, device: str, far: str) -> str:
    """Return what EOS says of one neighbour (`show lldp neighbors | json`)."""
    row = {"port": port, "neighborDevice": device, "neighborPort": far, "ttl": 120}
    return json.dumps({"lldpNeighbors": [row]})


def findings(folder: Path, spine: str, leaf: str, seen: str) -> list[Finding]:
    for name, text in {"spine.cfg": spine, "spine.lldp": seen, "leaf.json": leaf}.items():
        (folder / name).write_text(text, encoding="utf-8")
    rules = {"AUD016", "AUD019", "AUD041"}
    return [item for item in audit([folder]).outcome.findings if item.rule in rules]


def test_what_lldp_saw_is_what_descriptions_name(tmp_path: Path) -> None:
    assert findings(tmp_path, SPINE, LEAF, lldp(OWN, "su1-rail0", FAR)) == []


def test_a_cable_without_descriptions_is_compared(tmp_path: Path) -> None:
    leaf = json.loads(LEAF)
    for row in leaf["PORT"].values():
        row.pop("description", None)
    leaf["PORT"][FAR]["mtu"] = "1500"
    spine = re.sub(r"   description .*\n", "", SPINE)
    text = json.dumps(leaf, indent=1)
    assert findings(tmp_path, spine, text, lldp("Ethernet99/1", "other", "x")) == []
    [finding] = findings(tmp_path, spine, text, lldp(OWN, "su1-rail0.example.net", FAR))
    assert finding.rule == "AUD016"
    assert "the MTU is " in finding.message
    assert {finding.port} <= {OWN, FAR}


def test_a_plug_in_another_port_is_found(tmp_path: Path) -> None:
    other = next(name for name in json.loads(LEAF)["PORT"] if name != FAR)
    every = findings(tmp_path, SPINE, LEAF, lldp(OWN, "su1-rail0", other))
    [finding] = [item for item in every if item.rule == "AUD041"]
    assert (finding.device, finding.port) == ("spine01", OWN)
    message = f"LLDP saw su1-rail0 {other}, the description names su1-rail0 {FAR}"
    assert finding.message == message
    assert finding.position
    assert finding.position.line


def test_an_output_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    [finding] = findings(tmp_path, SPINE, LEAF, '{"lldpNeighbors": [{')
    assert finding.rule == "AUD019"
    assert finding.position
    assert finding.position.file.endswith("spine.lldp")
