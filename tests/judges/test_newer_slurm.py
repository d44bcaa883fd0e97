"""A slurmctld of 25.05 or later loads topology.yaml, blocks and partitions that choose a topology.

ROCEFAB_SLURM names the folder where it is installed, with ``bin`` and ``sbin``.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from fabric.core import hostlist
from fabric.placement.exporters.slurm import blocks, partitions, slurm, topologies
from fabric.placement.tree import tree
from fabric.topology import Fabric
from tests.judges.test_slurm import _complaints, _configure, _log, _running, _scontrol, _switches
from tests.placement.test_slurm import CASES

CONNECTED = sorted(set(CASES) - {"apart"})


@pytest.fixture(autouse=True)
def _newer(monkeypatch: pytest.MonkeyPatch) -> None:
    folder = Path(os.environ.get("ROCEFAB_SLURM") or "/nonexistent")
    if not (folder / "sbin" / "slurmctld").is_file():
        pytest.skip("no newer slurmctld; set ROCEFAB_SLURM to the folder where it is installed")
    monkeypatch.setenv("PATH", f"{folder}/bin:{folder}/sbin:{os.environ['PATH']}")


def _prepared(folder: Path, built: Fabric, plugin: str, text: str) -> dict[str, str]:
    """Write a configuration with a topology plugin, or none."""
    environment = _configure(folder, hostlist.fold(built.hosts.names), text)
    file = folder / "slurm.conf"
    line = f"TopologyPlugin=topology/{plugin}" if plugin else ""
    file.write_text(file.read_text().replace("TopologyPlugin=topology/tree", line))
    return environment


def _blocks(text: str) -> list[tuple[str, list[str]]]:
    found = re.findall(r"^BlockName=(\S+) .*?Nodes=(\S+)", text, re.MULTILINE)
    return [(name, hostlist.expand(nodes)) for name, nodes in found]


def _units(built: Fabric) -> list[tuple[str, list[str]]]:
    return [(unit.unit, list(unit.members)) for unit in tree(built).units]


@pytest.mark.parametrize("name", CASES)
def test_both_topologies_and_their_partitions(name: str, tmp_path: Path) -> None:
    built = CASES[name]()
    made = tree(built)
    environment = _prepared(tmp_path, built, "", "SwitchName=ignored Nodes=none\n")
    (tmp_path / "topology.yaml").write_text(topologies(built))
    lines = partitions(built).replace(" Features=", " NodeAddr=127.0.0.1 Features=")
    (tmp_path / "partitions.conf").write_text(lines)
    file = tmp_path / "slurm.conf"
    kept = [line for line in file.read_text().splitlines() if not line.startswith("NodeName=")]
    file.write_text("\n".join([*kept, "Include partitions.conf", ""]))
    with _running(tmp_path, environment):
        shown = _scontrol(environment, "show", "topology")
        known = _scontrol(environment, "--oneliner", "show", "partitions")
        other = "" if made.apart else _scontrol(environment, "show", "topology", "blocks")
    assert set(_switches(shown)) == {group.name for group in made.groups}, _log(tmp_path)[-2000:]
    assert _blocks(other) == ([] if made.apart else _units(built))
    names = ["roce"] if made.apart else ["roce", "blocks"]
    chosen = re.findall(r"PartitionName=(\S+) .*?Topology=(\S+)", known)
    assert chosen == [(name, name) for name in names]
    assert len(_complaints(tmp_path)) == made.apart


@pytest.mark.parametrize("name", CONNECTED)
def test_blocks(name: str, tmp_path: Path) -> None:
    built = CASES[name]()
    environment = _prepared(tmp_path, built, "block", blocks(built))
    with _running(tmp_path, environment):
        shown = _scontrol(environment, "show", "topology")
    assert _blocks(shown) == _units(built), _log(tmp_path)[-2000:]
    sizes = {int(size) for size in re.findall(r"BlockSize=([0-9]+)", shown)}
    assert sorted(sizes) == list(tree(built).block_sizes)
    assert _complaints(tmp_path) == []


def test_the_tree(tmp_path: Path) -> None:
    built = CASES["three-tier"]()
    environment = _prepared(tmp_path, built, "tree", slurm(built))
    with _running(tmp_path, environment):
        found = _switches(_scontrol(environment, "show", "topology"))
    assert set(found) == {group.name for group in tree(built).groups}
    assert _complaints(tmp_path) == []
