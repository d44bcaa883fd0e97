"""What we export to Slurm and import again is the same tree, by way of whole inventories."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from fabric.core import hostlist
from fabric.workflow.export import Request as ExportRequest
from fabric.workflow.export import export
from fabric.workflow.imports import Request, import_inventory
from fabric.workflow.init import example
from fabric.workflow.project import Project
from tests.exchange.plants import put
from tests.exchange.test_switch_tree import HOSTS, THREE, conf
from tests.reference import reference

MODELS = ("leaf=ACS-SN5600", "spine=ACS-SN5600", "super-spine=ACS-SN5600")


def shape(text: str) -> frozenset[object]:
    """Return the tops of a topology.conf as sets of sets of hosts, without names of switches."""
    below: dict[str, list[str]] = {}
    children: set[str] = set()
    for line in text.splitlines():
        if line and not line.startswith("#"):
            name, kind, names = line.replace("=", " ").split()[1:4]
            below[name] = hostlist.expand(names)
            children |= set(below[name]) if kind == "Switches" else set()

    def inside(name: str) -> object:
        return frozenset(map(inside, below[name])) if name in below else name

    return frozenset(inside(name) for name in below if name not in children)


def imported(form: str, source: Path, folder: Path, rails: int | None = None) -> Project:
    """Import a source with a command."""
    request = Request(models=MODELS, rails=rails)
    import_inventory(form, str(source), folder, request, lambda *_: None)
    return Project(folder)


def slurm(project: Project, part: str = "topology") -> str:
    return export(project, "slurm", ExportRequest(parts=(part,)))[0]


@pytest.mark.parametrize("part", ["topology", "topology-yaml"])
@pytest.mark.parametrize(
    ("name", "rails"), [("demo", 2), ("three-tier", 4), ("three-tier", None), ("rail-only", 8)]
)
def test_our_export_comes_back(name: str, rails: int | None, part: str, tmp_path: Path) -> None:
    project = Project(example(name))
    path = "topology.yaml" if part == "topology-yaml" else "topology.conf"
    source = put(tmp_path, {path: slurm(project, part)})
    back = imported("slurm", source, tmp_path / name, rails)
    assert shape(slurm(back)) == shape(slurm(project))
    assert slurm(back, "block").splitlines() == slurm(project, "block").splitlines()


def test_the_file_that_slurm_has_loaded_comes_back(tmp_path: Path) -> None:
    """All but names of our own: the top, the topologies and the blocks."""
    source = reference("fixtures", "placement", "slurm", "topology.yaml")
    text = slurm(imported("slurm", source, tmp_path / "fab"), "topology-yaml")
    ours = {"fab-super-spines": "core", "blocks": "blk"}
    ours |= {f"leaf{number}": f"b{number}" for number in range(1, 5)}
    known = yaml.safe_load(source.read_text())
    tree, blocks = yaml.safe_load(text)
    tree["tree"]["switches"][0]["switch"] = ours[tree["tree"]["switches"][0]["switch"]]
    blocks["topology"] = ours[blocks["topology"]]
    for row in blocks["block"]["blocks"]:
        row["block"] = ours[row["block"]]
    blocks["block"]["block_sizes"].remove(32)  # the file has not all that fit
    assert [tree, blocks] == known


def test_switches_keep_their_names(tmp_path: Path) -> None:
    """All but the top, which is a layer of the fabric."""
    source = put(tmp_path, {"topology.conf": conf(THREE, HOSTS)})
    text = slurm(imported("slurm", source, tmp_path / "core"))
    assert text.splitlines()[1:] == [
        "SwitchName=l1 Nodes=n[1-2]",
        "SwitchName=l3 Nodes=n[5-6]",
        "SwitchName=l2 Nodes=n[3-4]",
        "SwitchName=p1 Switches=l[1,3]",
        "SwitchName=p2 Switches=l2",
        "SwitchName=core-super-spines Switches=p[1-2]",
    ]


def test_a_base_without_pods_serves_a_tree_without_them(tmp_path: Path) -> None:
    """Sections of layers that the tree does not have are not taken over."""
    source = put(tmp_path, {"topology.conf": "SwitchName=a Nodes=n[1-2]\n"})
    request = Request(base=example("three-tier"), rails=4)
    import_inventory("slurm", str(source), tmp_path / "out", request, lambda *_: None)
    assert slurm(Project(tmp_path / "out")).splitlines()[-1] == "SwitchName=a-leaves Nodes=n[1-2]"


@pytest.mark.parametrize("rails", [None, 4])
def test_what_is_assumed_is_said(rails: int | None, tmp_path: Path) -> None:
    source = put(tmp_path, {"topology.conf": conf({"top": [*HOSTS]}, HOSTS)})
    imported("slurm", source, tmp_path / "out", rails)
    lines = (tmp_path / "out" / "fabric.yaml").read_text().splitlines()
    said = [line for line in lines if line.startswith(("design", "rails", "  count"))]
    assert [line.partition(" # assumed: ")[2] for line in said] == [
        "no cables in the source",
        "" if rails else "no NIC count in the source; a rocefab default",
        "the source has one switch for the layer",
    ]
