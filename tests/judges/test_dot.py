"""Graphviz reads our topology.dot as we mean it: nodes, both ends of every cable, attributes."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from fabric.core.exports import exporters
from fabric.exchange.network import plant
from fabric.exchange.plant import Cable, Device, Plant
from tests.judges.conftest import missing_judge
from tests.topology.fabrics import example

EDGES = 'E{print($.tail.name, "\\t", $.tailport, "\\t", $.head.name, "\\t", $.headport);}'
NODES = 'N{print($.name, "\\t", $.rocefab_unit, "\\t", $.rocefab_serial);}'


@pytest.fixture(scope="module")
def gvpr() -> str:
    path = shutil.which("gvpr")
    if path is None:
        missing_judge("gvpr (Debian package graphviz)")
    assert path is not None
    return path


def told(gvpr: str, program: str, made: Plant, folder: Path) -> list[list[str]]:
    source = folder / "topology.dot"
    source.write_bytes(exporters["dot"].parts["topology"](made).files[0].content)
    done = subprocess.run([gvpr, program, source], capture_output=True, text=True, check=True)
    assert "error" not in done.stderr
    return [line.split("\t") for line in done.stdout.splitlines()]


@pytest.mark.parametrize("name", ["demo", "mixed", "rail-512"])
def test_graphviz_sees_every_cable(gvpr: str, name: str, tmp_path: Path) -> None:
    made = plant(example(name))
    ends = {frozenset((c.near, c.far)) for c in made.cables}
    rows = told(gvpr, EDGES, made, tmp_path)
    assert {frozenset(((a, b), (c, d))) for a, b, c, d in rows} == ends
    assert len(rows) == len(made.cables)
    units = {name: unit for name, unit, _ in told(gvpr, NODES, made, tmp_path)}
    assert units == {device.name: device.unit for device in made.devices}


def test_graphviz_reads_quotes(gvpr: str, tmp_path: Path) -> None:
    devices = (Device("a", serial='1"2'), Device("b", serial="--; }"))
    made = Plant('q"', devices, (Cable.between(("a", "1/1:2"), ("b", "n")),))
    assert told(gvpr, NODES, made, tmp_path) == [["a", "", '1"2'], ["b", "", "--; }"]]
    assert told(gvpr, EDGES, made, tmp_path) == [["a", "1/1:2", "b", "n"]]
