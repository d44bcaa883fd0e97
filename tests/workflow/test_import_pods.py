"""Pods follow from the cables, for every form that has cables: the trees of jobs stay the same."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from fabric.core import hostlist
from fabric.exchange.exporters.cable_plan import cabling_csv
from fabric.exchange.network import plant
from fabric.workflow import ansible
from fabric.workflow.export import Request as ExportRequest
from fabric.workflow.export import export
from fabric.workflow.imports import Request, import_inventory
from fabric.workflow.init import example
from fabric.workflow.project import Project
from tests.exchange.plants import put, written
from tests.exchange.test_lldp import seen

if TYPE_CHECKING:
    from pathlib import Path

    from fabric.exchange.plant import Plant

BASE = example("three-tier")
HOSTS = {"csv": "gpu[01-16]"}


@pytest.fixture(scope="module")
def original() -> Project:
    return Project(BASE)


def tree(project: Project) -> frozenset[object]:
    """Return the tree of Slurm as sets of hosts and sets of these, without names of switches."""
    text, _ = export(project, "slurm", ExportRequest())
    found: dict[str, frozenset[object]] = {}
    for line in text.splitlines():
        if not line.startswith("#"):
            name, below = (word.partition("=")[2] for word in line.split())
            kind = line.split()[1].partition("=")[0]
            found[name] = frozenset(_below(kind, below, found))
    return found[name]


def _below(kind: str, words: str, found: dict[str, frozenset[object]]) -> list[object]:
    names = hostlist.expand(words)
    return list(names) if kind == "Nodes" else [found[name] for name in names]


def source(form: str, made: Plant, project: Project, folder: Path) -> tuple[Path, Path | None]:
    """Write what a form knows of a plant; return it, and the cables where they are beside it."""
    if form == "ansible":
        text = ansible.inventory(project)
        put(folder, {"inventory.yaml": text, "cables.csv": cabling_csv(made)})
        return folder / "inventory.yaml", folder / "cables.csv"
    if form == "lldp":
        return put(folder, {"seen.json": json.dumps(list(seen(made).values()))}), None
    return written(made, form, folder), None


@pytest.mark.parametrize("pods", ["told", "not told"])
@pytest.mark.parametrize(
    "form", ["csv", "dot", "graphml", "json", "netbox", "nornir", "ansible", "lldp"]
)
def test_the_tree_of_three_tiers_survives(
    form: str, pods: str, original: Project, tmp_path: Path
) -> None:
    made = plant(original.fabric)
    if pods == "not told":
        made = made.without({"device.pod"})
    path, cabling = source(form, made, original, tmp_path / "source")
    request = Request(base=BASE, cabling=cabling, hosts=HOSTS.get(form, ""))
    import_inventory(form, str(path), tmp_path / "out", request, lambda *_: None)
    imported = Project(tmp_path / "out")
    assert [bool(unit.pod) for unit in imported.intent.fabric.units] == [True] * 4
    assert tree(imported) == tree(original)
