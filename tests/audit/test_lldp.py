"""Ends of cables that LLDP saw: outputs saved next to configurations."""

from __future__ import annotations

import json
import re
from pathlib import Path

from fabric.core.findings import Finding
from fabric.workflow.audit import audit
from tests.prove.fabrics import example

#: The cable of the design, from spine01 to su1-rail0.
OWN, FAR = "Ethernet1/1", "Ethernet128"


def spine() -> str:
    return example("demo")[1]["spine01"]["startup-config"]


def leaf() -> str:
    return example("demo")[1]["su1-rail0"]["config_db"]


def lldp(port: str, device: str, far: str) -> str:
    """Return what EOS says of one neighbour (`show lldp neighbors | json`)."""
    row = {"port": port, "neighborDevice": device, "neighborPort": far, "ttl": 120}
    return json.dumps({"lldpNeighbors": [row]})


def findings(folder: Path, of_spine: str, of_leaf: str, seen: str) -> list[Finding]:
    texts = {"spine.cfg": of_spine, "spine.lldp": seen, "leaf.json": of_leaf}
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    rules = {"AUD016", "AUD019", "AUD041"}
    return [item for item in audit([folder]).outcome.findings if item.rule in rules]


def test_what_lldp_saw_is_what_descriptions_name(tmp_path: Path) -> None:
    assert findings(tmp_path, spine(), leaf(), lldp(OWN, "su1-rail0", FAR)) == []


def test_a_cable_without_descriptions_is_compared(tmp_path: Path) -> None:
    tables = json.loads(leaf())
    for row in tables["PORT"].values():
        row.pop("description", None)
    tables["PORT"][FAR]["mtu"] = "1500"
    bare = re.sub(r"   description .*\n", "", spine())
    text = json.dumps(tables, indent=1)
    assert findings(tmp_path, bare, text, lldp("Ethernet99/1", "other", "x")) == []
    [finding] = findings(tmp_path, bare, text, lldp(OWN, "su1-rail0.example.net", FAR))
    assert finding.rule == "AUD016"
    assert "the MTU is " in finding.message
    assert {finding.port} <= {OWN, FAR}


def test_a_plug_in_another_port_is_found(tmp_path: Path) -> None:
    other = next(name for name in json.loads(leaf())["PORT"] if name != FAR)
    every = findings(tmp_path, spine(), leaf(), lldp(OWN, "su1-rail0", other))
    [finding] = [item for item in every if item.rule == "AUD041"]
    assert (finding.device, finding.port) == ("spine01", OWN)
    message = f"LLDP saw su1-rail0 {other}, the description names su1-rail0 {FAR}"
    assert finding.message == message
    assert finding.position
    assert finding.position.line


def test_an_output_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    [finding] = findings(tmp_path, spine(), leaf(), '{"lldpNeighbors": [{')
    assert finding.rule == "AUD019"
    assert finding.position
    assert finding.position.file.endswith("spine.lldp")
