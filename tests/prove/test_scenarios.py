"""Failures that a proof tries: some cables stand for all, and the worst one is among them."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from fabric.prove.scenarios import scenarios
from fabric.workflow.project import Project
from fabric.workflow.prove import Request, prove
from tests.topology.fabrics import example

INVENTORY = Path(__file__).parents[2] / "inventory"
CASES = {
    "as it is": ([], 2, 240),
    "one cable less": (["b07-sw1,Ethernet248"], 4, 144),
    "no second cable to core-w": (["b07-sw1,Ethernet248", "b06-sw2,Ethernet248"], 3, 144),
}


@pytest.mark.parametrize(("gone", "tried", "pairs"), CASES.values(), ids=CASES)
def test_the_worst_cable_is_tried(tmp_path: Path, gone: list[str], tried: int, pairs: int) -> None:
    folder = shutil.copytree(INVENTORY / "explicit", tmp_path / "explicit")
    table = (folder / "cabling.csv").read_text().splitlines()
    left = [row for row in table if not row.startswith(tuple(gone))] if gone else table
    (folder / "cabling.csv").write_text("\n".join(left) + "\n")
    project = Project(folder)
    up, switches = project.fabric.uplinks, project.fabric.switches
    every = tuple(
        f"link:{switches.names[lower]}:{switches.skus[lower].port(port)}"
        for lower, port in zip(up.lower.tolist(), up.lower_port.tolist(), strict=True)
    )
    some, whole = (prove(project, Request(kinds=kinds)) for kinds in (("link",), every))
    assert some.worst
    assert whole.worst
    assert some.worst.pairs == whole.worst.pairs == pairs
    words = f"{tried} failures tried (link: of {len(every)} cables, one for each impact at each"
    assert any(line.startswith(words) for line in some.summary())
    assert not any("(link" in line for line in whole.summary())


def test_kinds_have_plurals() -> None:
    fabric = example("demo")
    for one, many in (("spine", "spines"), ("leaf", "leaves"), ("link", "links")):
        words = [[word for word, _ in scenarios(fabric, [kind])] for kind in (one, many)]
        assert words[0] == words[1] != []
